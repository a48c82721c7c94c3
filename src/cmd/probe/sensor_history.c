/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The readings of sensors during cupel probe --watch, and sensors that shift slowly: a disk that
 * warms up by a degree an hour, a fan that slows down.
 *
 * All memory is allocated at the start. When a sensor has READINGS_MAX readings, the older half is
 * dropped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "cmd/probe/internal.h"
#include "facts/inventory.h"
#include "stat/estimate/estimate.h"
#include "stat/judge.h"

enum {
    SENSORS_MAX = 256,
    READINGS_MAX = 1024,
    READINGS_A_TEST = 30, /* number of new readings after which a sensor is tested again */
};

struct sensor {
    char node[64], key[40], unit[16];
    double readings[READINGS_MAX];
    size_t count;
    struct slow_shift shift; /* result of the last test */
    bool reported;           /* sensor_history_notices has printed the shift */
};

struct sensor_history {
    struct sensor sensors[SENSORS_MAX];
    /* `next`: index in `sensors` at which the next sensor is expected, since sensors come in the
       same order each time */
    size_t count, next;
    double seconds; /* interval between two readings of a sensor */
    struct arena scratch;
};

int sensor_history_make(struct sensor_history **history, double seconds, struct err *e)
{
    struct sensor_history *h = calloc(1, sizeof *h);
    *history = h;
    if (!h)
        return err_no_memory(e, "the sensors' readings");
    h->seconds = seconds;
    return arena_init_untouched(&h->scratch, judge_scratch_bytes(READINGS_MAX), e);
}

void sensor_history_free(struct sensor_history *h)
{
    if (h)
        arena_free(&h->scratch);
    free(h);
}

static struct sensor *find_sensor(struct sensor_history *h, const char *node, const char *key)
{
    for (size_t k = 0; k < h->count; k++) {
        struct sensor *s = &h->sensors[(h->next + k) % h->count];
        if (!strcmp(s->key, key) && !strcmp(s->node, node)) {
            h->next = (size_t)(s - h->sensors) + 1;
            return s;
        }
    }
    if (h->count == SENSORS_MAX)
        return NULL;
    struct sensor *s = &h->sensors[h->count++];
    snprintf(s->node, sizeof s->node, "%s", node);
    snprintf(s->key, sizeof s->key, "%s", key);
    return s;
}

static void add_reading(struct sensor_history *h, struct sensor *s, double value)
{
    static const struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                               .estimate = {INTERVAL_SPECTRAL, 0.95, 0.1},
                                               .target_width = 0.1,
                                               .minimum_subsessions = 1};
    if (s->count == READINGS_MAX) {
        s->count /= 2;
        memmove(s->readings, s->readings + s->count, s->count * sizeof *s->readings);
    }
    s->readings[s->count++] = value;
    if (s->count >= SLOW_SHIFT_MIN_READINGS && s->count % READINGS_A_TEST == 0)
        s->shift = judge(s->readings, s->count, &config, &h->scratch).shift;
}

void sensor_history_add(struct sensor_history *h, const struct inventory *v)
{
    for (int i = 0; i < v->node_count; i++) {
        const struct inventory_node *node = &v->nodes[i];
        if (node->kind != NODE_SENSOR)
            continue;
        for (int f = node->first_fact; f != INVENTORY_NONE; f = v->facts[f].next) {
            const struct inventory_fact *fact = &v->facts[f];
            double value;
            if (fact->status != FACT_OK || !*fact->unit ||
                number_parse(fact->value, strlen(fact->value), &value) != NUMBER_OK)
                continue;
            struct sensor *s = find_sensor(h, node->name, fact->key);
            if (!s)
                return;
            snprintf(s->unit, sizeof s->unit, "%s", fact->unit);
            add_reading(h, s, value);
        }
    }
}

static void add_words(const struct sensor_history *h, const struct sensor *s, struct text *out)
{
    double readings = (double)(s->shift.end - s->shift.begin), a = fabs(s->shift.low) * readings,
           b = fabs(s->shift.high) * readings;
    text_addf(out, "slow shift: %s %s %s by %.2g %s (%.2g to %.2g) in %.0f s", s->node, s->key,
              s->shift.slope < 0 ? "falls" : "rises", fabs(s->shift.change), s->unit, fmin(a, b),
              fmax(a, b), readings * h->seconds);
}

void sensor_history_lines(const struct sensor_history *h, struct text *out)
{
    for (size_t i = 0; i < h->count; i++) {
        if (!h->sensors[i].shift.found)
            continue;
        add_words(h, &h->sensors[i], out);
        text_add(out, "\n");
    }
}

void sensor_history_notices(struct sensor_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        struct sensor *s = &h->sensors[i];
        struct text words = {0};
        if (s->shift.found && !s->reported) {
            add_words(h, s, &words);
            fprintf(stderr, "cupel probe: %s\n", words.data ? words.data : s->node);
            s->reported = true;
        }
        text_free(&words);
    }
}
