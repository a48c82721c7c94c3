/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of the gauges: sums over the measured rounds, and the timeline. */
#include "run/watch/gauge_samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL_SECONDS 0.25

size_t watch_bytes(void)
{
    return arena_bytes(WATCH_INTERVALS, sizeof(struct watch_interval)) +
           2 * arena_bytes(WATCH_INTERVALS, sizeof(double)) +
           3 * arena_bytes((size_t)WATCH_INTERVALS * MONITOR_GAUGES, sizeof(float));
}

int watch_init(struct watch *w, struct arena *arena)
{
    const size_t cells = (size_t)WATCH_INTERVALS * MONITOR_GAUGES;
    *w = (struct watch){.limit_read = NAN,
                        .limit_write = NAN,
                        .limiting_read = -1,
                        .limiting_write = -1,
                        .interval_seconds = INTERVAL_SECONDS,
                        .sampled_seconds = NAN};
    w->intervals = arena_alloc(arena, WATCH_INTERVALS, sizeof *w->intervals);
    w->begin = arena_alloc(arena, WATCH_INTERVALS, sizeof(double));
    w->end = arena_alloc(arena, WATCH_INTERVALS, sizeof(double));
    w->low = arena_alloc(arena, cells, sizeof(float));
    w->mean = arena_alloc(arena, cells, sizeof(float));
    w->high = arena_alloc(arena, cells, sizeof(float));
    return w->intervals && w->begin && w->end && w->low && w->mean && w->high ? 0 : -1;
}

struct watch_sample watch_take(const struct monitor *m, double seconds, bool counts)
{
    /* The time is in whole ns, as in a record, so that results from the record are the same to the
       last bit. */
    struct watch_sample s = {.seconds = (double)(uint64_t)(seconds * 1e9 + 0.5) * 1e-9,
                             .counts = counts};
    for (size_t i = 0; i < m->gauge_count; i++) {
        s.low[i] = (float)m->gauges[i].low;
        s.value[i] = (float)m->gauges[i].value;
        s.high[i] = (float)m->gauges[i].high;
    }
    return s;
}

/* ---- the timeline ---- */

static void fold_intervals(struct watch *w)
{
    for (size_t i = 0; i < WATCH_INTERVALS / 2; i++) {
        struct watch_interval *to = &w->intervals[i];
        const struct watch_interval *second = &w->intervals[2 * i + 1];
        if (i)
            *to = w->intervals[2 * i];
        to->end = second->end;
        for (size_t g = 0; g < w->gauge_count; g++) {
            to->low[g] = fminf(to->low[g], second->low[g]);
            to->high[g] = fmaxf(to->high[g], second->high[g]);
            to->sum[g] += second->sum[g];
            to->seconds[g] += second->seconds[g];
        }
    }
    w->interval_count = WATCH_INTERVALS / 2;
    w->interval_seconds *= 2;
}

static struct watch_interval *interval_at(struct watch *w, double begin)
{
    if (w->interval_count) {
        struct watch_interval *last = &w->intervals[w->interval_count - 1];
        if (last->end - last->begin < w->interval_seconds)
            return last;
    }
    if (w->interval_count == WATCH_INTERVALS)
        fold_intervals(w);
    struct watch_interval *i = &w->intervals[w->interval_count++];
    *i = (struct watch_interval){.begin = begin, .end = begin};
    for (size_t g = 0; g < MONITOR_GAUGES; g++)
        i->low[g] = i->high[g] = NAN;
    return i;
}

int watch_gauge_of(const struct watch *w, const char *node, const char *key)
{
    for (size_t i = 0; i < w->gauge_count; i++)
        if (!strcmp(w->gauges[i].node, node) && !strcmp(w->gauges[i].key, key))
            return (int)i;
    return -1;
}

const struct watch_part *watch_part_of(const struct watch *w, const char *name)
{
    for (size_t i = 0; i < w->part_count; i++)
        if (!strcmp(w->parts[i].name, name))
            return &w->parts[i];
    return NULL;
}

/* ---- use of the parts ---- */

/* Returns the bytes per second through a part; NaN if no gauge shows them. */
static double flow_of(const struct watch_sample *s, const struct gauge_set *gauges)
{
    double sum = NAN;
    for (size_t word = 0; word < MONITOR_GAUGES / 64; word++)
        for (uint64_t bits = gauges->bits[word]; bits; bits &= bits - 1) {
            double value = (double)s->value[word * 64 + (size_t)__builtin_ctzll(bits)];
            if (!isnan(value))
                sum = isnan(sum) ? value : sum + value;
        }
    return sum;
}

static double mean_flow(const struct watch *w, const struct gauge_set *gauges)
{
    double sum = NAN;
    for (size_t word = 0; word < MONITOR_GAUGES / 64; word++)
        for (uint64_t bits = gauges->bits[word]; bits; bits &= bits - 1) {
            const struct watch_gauge *g = &w->gauges[word * 64 + (size_t)__builtin_ctzll(bits)];
            if (g->seconds > 0)
                sum = (isnan(sum) ? 0 : sum) + g->sum / g->seconds;
        }
    return sum;
}

static double utilisation(const struct watch_part *p, const struct watch_sample *s)
{
    if (p->share >= 0)
        return (double)s->value[p->share];
    double read = flow_of(s, &p->reads) / p->limit_read;
    double write = flow_of(s, &p->writes) / p->limit_write;
    return node_kind_is(p->kind, KIND_HALF_DUPLEX) ? read + write : fmax(read, write);
}

void watch_add(struct watch *w, const struct watch_sample *s)
{
    double seconds = s->seconds - w->sampled_seconds;
    w->sampled_seconds = s->seconds;
    if (!(seconds > 0) || !s->counts) /* the first sample, or the first of a round */
        return;
    struct watch_interval *interval = interval_at(w, s->seconds - seconds);
    interval->end = s->seconds;
    for (size_t i = 0; i < w->gauge_count; i++) {
        struct watch_gauge *g = &w->gauges[i];
        if (isnan(s->value[i]))
            continue;
        interval->low[i] = fminf(interval->low[i], s->low[i]);
        interval->high[i] = fmaxf(interval->high[i], s->high[i]);
        interval->sum[i] += s->value[i] * (float)seconds;
        interval->seconds[i] += (float)seconds;
        g->sum += (double)s->value[i] * seconds;
        g->seconds += seconds;
        g->peak = fmax(g->peak, (double)s->high[i]);
    }
    for (size_t i = 0; i < w->part_count; i++) {
        struct watch_part *p = &w->parts[i];
        double share = utilisation(p, s);
        if (!isnan(share))
            watch_use(p, s, share, seconds);
    }
}

void watch_own(struct watch *w, const char *core, double share)
{
    for (size_t i = 0; i < w->part_count; i++)
        if (!w->parts[i].on_path && !strcmp(w->parts[i].name, core))
            w->parts[i].own += share;
}

void watch_event(struct watch *w, double seconds, const char *text)
{
    if (w->event_count == RESULT_EVENTS_MAX) {
        struct result_event *last = &w->events[RESULT_EVENTS_MAX - 1];
        /* the last event gives way to the number of omitted events, so that two are left out */
        w->events_left_out += w->events_left_out ? 1 : 2;
        snprintf(last->text, sizeof last->text, "%zu more events: there is no room for them",
                 w->events_left_out);
        return;
    }
    struct result_event *event = &w->events[w->event_count++];
    event->seconds = seconds;
    snprintf(event->text, sizeof event->text, "%s", text);
}

void watch_result(struct watch *w, bool workers_wait, struct result *r)
{
    for (size_t i = 0; i < w->part_count; i++) {
        const struct watch_part *p = &w->parts[i];
        struct result_part *to = &r->parts[r->part_count++];
        double used = p->seconds > 0 ? p->sum / p->seconds : (double)NAN;
        *to = (struct result_part){.kind = p->kind,
                                   .on_path = p->on_path,
                                   .under_test = p->under_test,
                                   .depth = p->depth,
                                   .limit_read = p->limit_read,
                                   .limit_write = p->limit_write,
                                   .used_read = mean_flow(w, &p->reads),
                                   .used_write = mean_flow(w, &p->writes),
                                   .utilisation = used,
                                   .peak = p->seconds > 0 ? p->peak : (double)NAN,
                                   .saturated = watch_saturated(w, p),
                                   .bottleneck =
                                       watch_is_bottleneck(w, p) && !(workers_wait && p->own > 0)};
        snprintf(to->name, sizeof to->name, "%s", p->name);
        snprintf(to->measure, sizeof to->measure, "%s", p->measure);
    }
    for (size_t i = 0; i < w->edge_count; i++)
        r->edges[r->edge_count++] = w->edges[i];
    r->path_limit_read = w->limit_read;
    r->path_limit_write = w->limit_write;
    r->limiting_read = w->limiting_read;
    r->limiting_write = w->limiting_write;
    r->path_complete = w->complete;
    for (size_t i = 0; i < w->event_count; i++)
        r->events[r->event_count++] = w->events[i];

    struct result_timeline *t = &r->timeline;
    *t = (struct result_timeline){.count = w->interval_count, .begin = w->begin, .end = w->end};
    for (size_t i = 0; i < w->interval_count; i++) {
        w->begin[i] = w->intervals[i].begin;
        w->end[i] = w->intervals[i].end;
    }
    for (size_t g = 0; g < w->gauge_count; g++) {
        struct result_gauge *to = &t->gauges[t->gauge_count++];
        size_t row = g * WATCH_INTERVALS;
        *to = (struct result_gauge){.limit = w->gauges[g].limit,
                                    .low = w->low + row,
                                    .mean = w->mean + row,
                                    .high = w->high + row};
        snprintf(to->node, sizeof to->node, "%s", w->gauges[g].node);
        snprintf(to->key, sizeof to->key, "%s", w->gauges[g].key);
        snprintf(to->unit, sizeof to->unit, "%s", w->gauges[g].unit);
        for (size_t i = 0; i < w->interval_count; i++) {
            const struct watch_interval *from = &w->intervals[i];
            w->low[row + i] = from->low[g];
            w->high[row + i] = from->high[g];
            w->mean[row + i] = from->seconds[g] > 0 ? from->sum[g] / from->seconds[g] : (float)NAN;
        }
    }
}
