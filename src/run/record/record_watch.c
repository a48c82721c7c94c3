/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the watched machine in a record: gauges and parts, then samples and events. */
#include "run/record/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ON_PATH = 1, UNDER_TEST = 2, ASIDE = 4 };
#define LIMIT_MIN 1e-6                       /* bytes/s */
enum { VALUE_NONE, VALUE_ONE, VALUE_RANGE }; /* form of a gauge's value in a sample */

/* ---- writing ---- */

static void put_set(struct record_writer *w, const struct gauge_set *set)
{
    for (size_t i = 0; i < MONITOR_GAUGES / 64; i++)
        chunk_put_number(w, set->bits[i]);
}

/* Writes a limit, or NaN if it is too small to divide by. */
static void put_limit(struct record_writer *w, double limit)
{
    chunk_put_double(w, limit >= LIMIT_MIN ? limit : (double)NAN);
}

void record_watch(struct record_writer *w, const struct watch *watch)
{
    for (size_t i = 0; i < watch->gauge_count && chunk_begin(w, RECORD_GAUG); i++) {
        const struct watch_gauge *g = &watch->gauges[i];
        chunk_put_text(w, g->node);
        chunk_put_text(w, g->key);
        chunk_put_text(w, g->unit);
        chunk_put_double(w, g->limit);
        chunk_end(w);
    }
    for (size_t i = 0; i < watch->part_count && chunk_begin(w, RECORD_PART); i++) {
        const struct watch_part *p = &watch->parts[i];
        chunk_put_u8(w, (uint8_t)((p->on_path ? ON_PATH : 0) | (p->under_test ? UNDER_TEST : 0) |
                                  (p->aside ? ASIDE : 0)));
        chunk_put_text(w, p->name);
        chunk_put_text(w, node_kind_name(p->kind));
        chunk_put_text(w, p->measure);
        chunk_put_number(w, p->depth);
        put_limit(w, p->limit_read);
        put_limit(w, p->limit_write);
        put_set(w, &p->reads);
        put_set(w, &p->writes);
        chunk_put_number(w, (uint64_t)(p->share + 1));
        chunk_put_number(w, (uint64_t)(p->interrupts + 1));
        chunk_end(w);
    }
    if (!chunk_begin(w, RECORD_PATH))
        return;
    chunk_put_number(w, watch->gauge_count);
    chunk_put_number(w, watch->part_count);
    put_limit(w, watch->limit_read);
    put_limit(w, watch->limit_write);
    chunk_put_u8(w, watch->complete);
    chunk_put_number(w, watch->edge_count);
    for (size_t i = 0; i < watch->edge_count; i++) {
        chunk_put_number(w, watch->edges[i].from);
        chunk_put_number(w, watch->edges[i].to);
    }
    chunk_put_number(w, (uint64_t)(watch->limiting_read + 1));
    chunk_put_number(w, (uint64_t)(watch->limiting_write + 1));
    chunk_end(w);
}

void record_sample(struct record_writer *w, const struct watch *watch,
                   const struct watch_sample *sample)
{
    if (!chunk_begin(w, RECORD_SMPL))
        return;
    chunk_put_seconds(w, sample->seconds);
    chunk_put_u8(w, sample->counts);
    for (size_t i = 0; i < watch->gauge_count; i++) {
        float low = sample->low[i], value = sample->value[i], high = sample->high[i];
        uint8_t form = !isfinite(value)                ? VALUE_NONE
                       : low >= value && high <= value ? VALUE_ONE
                                                       : VALUE_RANGE;
        chunk_put_u8(w, form);
        if (form != VALUE_NONE)
            chunk_put_float(w, value);
        if (form == VALUE_RANGE) {
            chunk_put_float(w, low);
            chunk_put_float(w, high);
        }
    }
    chunk_end(w);
}

void record_events(struct record_writer *w, const struct watch *watch)
{
    for (size_t i = 0; i < watch->event_count; i++) {
        if (!chunk_begin(w, RECORD_EVNT))
            return;
        chunk_put_double(w, watch->events[i].seconds);
        chunk_put_text(w, watch->events[i].text);
        chunk_end(w);
    }
}

void record_own(struct record_writer *w, const struct watch *watch)
{
    for (size_t i = 0; i < watch->part_count; i++) {
        if (!(watch->parts[i].own > 0) || !chunk_begin(w, RECORD_OWNS))
            continue;
        chunk_put_text(w, watch->parts[i].name);
        chunk_put_double(w, watch->parts[i].own);
        chunk_end(w);
    }
}

/* ---- reading ---- */

static void read_gauge(struct contents *c, struct payload *p)
{
    struct watch *w = &c->watch;
    struct watch_gauge g = {.peak = NAN};
    snprintf(g.node, sizeof g.node, "%s", payload_text(p));
    snprintf(g.key, sizeof g.key, "%s", payload_text(p));
    snprintf(g.unit, sizeof g.unit, "%s", payload_text(p));
    g.limit = payload_measure(p, -PAYLOAD_RATE_MAX, PAYLOAD_RATE_MAX);
    if (w->gauge_count == MONITOR_GAUGES || w->part_count)
        payload_refuse(p, "gauges stand before parts, at most %d of them", MONITOR_GAUGES);
    if (!p->refused)
        w->gauges[w->gauge_count++] = g;
}

/* Reads a set of gauges. Each of them must be in the record. */
static struct gauge_set read_set(const struct watch *w, struct payload *p)
{
    struct gauge_set set;
    for (size_t i = 0; i < MONITOR_GAUGES / 64; i++)
        set.bits[i] = payload_number(p, UINT64_MAX);
    for (size_t i = w->gauge_count; i < MONITOR_GAUGES; i++)
        if (set.bits[i / 64] >> i % 64 & 1)
            payload_refuse(p, "it is measured by gauge %zu of %zu", i + 1, w->gauge_count);
    return set;
}

static double read_limit(struct payload *p)
{
    return payload_measure(p, LIMIT_MIN, PAYLOAD_RATE_MAX);
}

static void read_part(struct contents *c, struct payload *p)
{
    struct watch *w = &c->watch;
    struct watch_part part = {0};
    uint8_t flags = payload_u8(p);
    if (flags & ~(ON_PATH | UNDER_TEST | ASIDE))
        payload_refuse(p, "it has the flags %#x", flags);
    part.on_path = flags & ON_PATH;
    part.under_test = flags & UNDER_TEST;
    part.aside = flags & ASIDE;
    snprintf(part.name, sizeof part.name, "%s", payload_text(p));
    part.kind = node_kind_of(payload_text(p));
    snprintf(part.measure, sizeof part.measure, "%s", payload_text(p));
    part.depth = (unsigned)payload_number(p, RESULT_PARTS_MAX);
    part.limit_read = read_limit(p);
    part.limit_write = read_limit(p);
    part.reads = read_set(w, p);
    part.writes = read_set(w, p);
    part.share = (int)payload_number(p, w->gauge_count) - 1;
    part.interrupts = (int)payload_number(p, w->gauge_count) - 1;
    part.workers = part.interrupts < 0 ? -1 : watch_gauge_of(w, part.name, "workers");
    if (w->part_count == RESULT_PARTS_MAX)
        payload_refuse(p, "there are more than %d parts", RESULT_PARTS_MAX);
    if (!p->refused)
        w->parts[w->part_count++] = part;
}

static void read_path(struct contents *c, struct payload *p)
{
    struct watch *w = &c->watch;
    if (p->version >= 2) {
        uint64_t gauges = payload_number(p, MONITOR_GAUGES);
        uint64_t parts = payload_number(p, RESULT_PARTS_MAX);
        if (gauges != w->gauge_count || parts != w->part_count) {
            payload_refuse(p, "it goes with %llu gauges and %llu parts, not with %zu and %zu",
                           (unsigned long long)gauges, (unsigned long long)parts, w->gauge_count,
                           w->part_count);
            /* If a gauge or part was lost, the others cannot be identified by their numbers. */
            w->gauge_count = w->part_count = 0;
        }
    }
    double limit_read = read_limit(p), limit_write = read_limit(p);
    bool complete = payload_flag(p);
    size_t edges = (size_t)payload_number(p, RESULT_EDGES_MAX);
    if (edges && !w->part_count)
        payload_refuse(p, "it has edges and no parts");
    for (size_t i = 0; i < edges && !p->refused; i++) {
        unsigned from = (unsigned)payload_number(p, w->part_count - 1);
        unsigned to = (unsigned)payload_number(p, w->part_count - 1);
        w->edges[i] = (struct result_edge){from, to};
    }
    int read = (int)payload_number(p, w->part_count) - 1;
    int write = (int)payload_number(p, w->part_count) - 1;
    if (p->refused)
        return;
    w->edge_count = edges;
    w->limit_read = limit_read;
    w->limit_write = limit_write;
    w->complete = complete;
    w->limiting_read = read;
    w->limiting_write = write;
}

static void read_sample(struct contents *c, struct payload *p)
{
    struct watch *w = &c->watch;
    struct watch_sample s = {.seconds = payload_seconds(p)};
    s.counts = payload_flag(p);
    if (s.seconds < w->sampled_seconds)
        payload_refuse(p, "it was taken before the sample before it");
    for (size_t i = 0; i < w->gauge_count; i++) {
        uint8_t form = payload_u8(p);
        if (form > VALUE_RANGE)
            payload_refuse(p, "a value has the form %u", form);
        s.low[i] = s.value[i] = s.high[i] = form == VALUE_NONE ? NAN : payload_float(p);
        if (form == VALUE_RANGE) {
            s.low[i] = payload_float(p);
            s.high[i] = payload_float(p);
        }
    }
    if (!p->refused && p->at == p->end)
        watch_add(w, &s);
}

static void read_event(struct contents *c, struct payload *p)
{
    double seconds = payload_measure(p, 0, PAYLOAD_SECONDS_MAX);
    const char *text = payload_text(p);
    if (!p->refused)
        watch_event(&c->watch, seconds, text);
}

static void read_own(struct contents *c, struct payload *p)
{
    const char *name = payload_text(p);
    double share = payload_double(p, 0, 1e6);
    if (!p->refused)
        watch_own(&c->watch, name, share);
}

const struct record_reader_row record_watch_readers[] = {
    {RECORD_GAUG, read_gauge},
    {RECORD_PART, read_part},
    {RECORD_PATH, read_path},
    {RECORD_SMPL, read_sample},
    {RECORD_OWNS, read_own},
    {RECORD_EVNT, read_event},
    {0, NULL},
};
