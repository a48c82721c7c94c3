/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes an alternative for a comparison from a baseline that was typed, or from a list of readings.
 */
#include "many/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number_parse.h"
#include "base/span.h"

struct compare_quantity *compare_add(struct compare_alternative *a, struct err *e)
{
    if (!array_grow(&a->quantities, sizeof *a->quantities, a->count, &a->capacity)) {
        err_no_memory(e, "the quantities of %s", a->name);
        return NULL;
    }
    struct compare_quantity *q = &a->quantities[a->count++];
    *q = (struct compare_quantity){.low = (double)NAN,
                                   .high = (double)NAN,
                                   .session = {.next_low = (double)NAN, .next_high = (double)NAN}};
    return q;
}

void compare_alternative_free(struct compare_alternative *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->quantities[i].values);
    free(a->quantities);
    a->quantities = NULL;
    a->count = a->capacity = 0;
}

int compare_add_readings(struct compare_alternative *a, const char *metric, bool higher_is_better,
                         double *values, size_t n, struct err *e)
{
    struct compare_quantity *q = compare_add(a, e);
    if (!q) {
        free(values);
        return -1;
    }
    snprintf(q->metric, sizeof q->metric, "%s", metric);
    q->higher_is_better = higher_is_better;
    q->values = values;
    q->n = n;
    return 0;
}

/* ---- baselines ---- */

#define BASELINE_N_MAX 1e15

bool compare_is_baseline(const char *text)
{
    return strstr(text, "mean=") != NULL && strstr(text, "n=") != NULL && strchr(text, ',') != NULL;
}

struct baseline {
    double mean, sd, variance, n;
};

static double *baseline_value(struct baseline *b, struct span key)
{
    static const char *const keys[] = {"mean", "sd", "variance", "n"};
    double *const values[] = {&b->mean, &b->sd, &b->variance, &b->n};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key.length == strlen(keys[i]) && !memcmp(key.text, keys[i], key.length))
            return values[i];
    return NULL;
}

static int baseline_parse(struct baseline *b, const char *text, struct err *e)
{
    const char *rest = text;
    while (*rest) {
        struct span part = {rest, strcspn(rest, ",")};
        const char *equals = memchr(part.text, '=', part.length);
        rest += part.length + (rest[part.length] == ',');
        if (!equals)
            return err_set(e, ERR_USAGE, "\"%.60s\": \"%.*s\" is no KEY=NUMBER", text,
                           (int)part.length, part.text);
        struct span key = span_trimmed((struct span){part.text, (size_t)(equals - part.text)});
        struct span number =
            span_trimmed((struct span){equals + 1, (size_t)(part.text + part.length - equals - 1)});
        double *to = baseline_value(b, key);
        if (!to)
            return err_set(e, ERR_USAGE,
                           "\"%.60s\": a baseline has mean, sd (or variance) and n, not \"%.*s\"",
                           text, (int)key.length, key.text);
        enum number_status status = reading_parse(number.text, number.length, to);
        if (status != NUMBER_OK)
            return err_set(e, ERR_USAGE, "\"%.60s\": \"%.*s\" is %s", text, (int)number.length,
                           number.text,
                           status == NUMBER_TOO_LARGE ? "too large: readings are of at most 1e60"
                                                      : "not a number");
    }
    return 0;
}

int compare_add_baseline(struct compare_alternative *a, const char *metric, bool higher_is_better,
                         const char *text, struct err *e)
{
    struct baseline b = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (baseline_parse(&b, text, e))
        return -1;
    double sd = isnan(b.sd) ? sqrt(b.variance) : b.sd;
    if (isnan(b.mean) || !(b.n >= 2 && b.n <= BASELINE_N_MAX) || !(sd >= 0))
        return err_set(e, ERR_USAGE,
                       "\"%.60s\": a baseline needs mean, sd or variance, and n of 2 to %g, as in "
                       "mean=104.2,sd=3.1,n=30",
                       text, BASELINE_N_MAX);
    struct compare_quantity *q = compare_add(a, e);
    if (!q)
        return -1;
    snprintf(q->metric, sizeof q->metric, "%s", metric);
    q->higher_is_better = higher_is_better;
    q->summary = mean_summary_of_spread(b.mean, sd, b.n);
    q->n = (size_t)b.n;
    return 0;
}
