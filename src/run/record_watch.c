/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was watched, in the record: the gauges, the parts, then sample by sample, and events. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/record_chunk.h"
#include "run/record_payload.h"

enum { ON_PATH = 1, UNDER_TEST = 2, ASIDE = 4 };
enum { VALUE_NONE, VALUE_ONE, VALUE_RANGE }; /* how a gauge stands in a sample */

/* ---- writing ---- */

static void put_gauge(struct record_writer *w, const struct watch_gauge *g)
{
    if (!chunk_begin(w, CHUNK_TYPE(GAUG)))
        return;
    chunk_put_text(w, g->node);
    chunk_put_text(w, g->key);
    chunk_put_text(w, g->unit);
    chunk_put_double(w, g->limit);
    chunk_end(w);
}

static void put_set(struct record_writer *w, const struct gauge_set *set)
{
    for (size_t i = 0; i < MONITOR_GAUGES / 64; i++)
        chunk_put_number(w, set->bits[i]);
}

static void put_part(struct record_writer *w, const struct watch_part *p)
{
    if (!chunk_begin(w, CHUNK_TYPE(PART)))
        return;
    chunk_put_u8(w, (uint8_t)((p->on_path ? ON_PATH : 0) | (p->under_test ? UNDER_TEST : 0) |
                              (p->aside ? ASIDE : 0)));
    chunk_put_text(w, p->name);
    chunk_put_text(w, node_kind_name(p->kind));
    chunk_put_text(w, p->measure);
    chunk_put_number(w, p->depth);
    chunk_put_double(w, p->limit_read);
    chunk_put_double(w, p->limit_write);
    put_set(w, &p->reads);
    put_set(w, &p->writes);
    chunk_put_number(w, (uint64_t)(p->share + 1));
    chunk_put_number(w, (uint64_t)(p->interrupts + 1));
    chunk_end(w);
}

static void put_path(struct record_writer *w, const struct watch *watch)
{
    if (!chunk_begin(w, CHUNK_TYPE(PATH)))
        return;
    chunk_put_double(w, watch->limit_read);
    chunk_put_double(w, watch->limit_write);
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

void record_watch(struct record_writer *w, const struct watch *watch)
{
    for (size_t i = 0; i < watch->gauge_count; i++)
        put_gauge(w, &watch->gauges[i]);
    for (size_t i = 0; i < watch->part_count; i++)
        put_part(w, &watch->parts[i]);
    put_path(w, watch);
}

static void put_value(struct record_writer *w, float low, float value, float high)
{
    uint8_t form = isnan(value)                    ? VALUE_NONE
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

void record_sample(struct record_writer *w, const struct watch *watch,
                   const struct watch_sample *sample)
{
    if (!chunk_begin(w, CHUNK_TYPE(SMPL)))
        return;
    chunk_put_seconds(w, sample->seconds);
    chunk_put_u8(w, sample->counts);
    for (size_t i = 0; i < watch->gauge_count; i++)
        put_value(w, sample->low[i], sample->value[i], sample->high[i]);
    chunk_end(w);
}

void record_events(struct record_writer *w, const struct watch *watch)
{
    for (size_t i = 0; i < watch->event_count; i++) {
        if (!chunk_begin(w, CHUNK_TYPE(EVNT)))
            return;
        chunk_put_double(w, watch->events[i].seconds);
        chunk_put_text(w, watch->events[i].text);
        chunk_end(w);
    }
}

void record_own(struct record_writer *w, const struct watch *watch)
{
    for (size_t i = 0; i < watch->part_count; i++) {
        if (!(watch->parts[i].own > 0) || !chunk_begin(w, CHUNK_TYPE(OWNS)))
            continue;
        chunk_put_text(w, watch->parts[i].name);
        chunk_put_double(w, watch->parts[i].own);
        chunk_end(w);
    }
}

/* ---- reading ---- */

static void read_gauge(struct watch *w, struct payload *p)
{
    struct watch_gauge g = {.peak = NAN};
    snprintf(g.node, sizeof g.node, "%s", payload_text(p));
    snprintf(g.key, sizeof g.key, "%s", payload_text(p));
    snprintf(g.unit, sizeof g.unit, "%s", payload_text(p));
    g.limit = payload_double(p);
    if (w->gauge_count == MONITOR_GAUGES || w->part_count)
        p->short_of = true;
    if (!p->short_of)
        w->gauges[w->gauge_count++] = g;
}

static struct gauge_set read_set(struct payload *p)
{
    struct gauge_set set;
    for (size_t i = 0; i < MONITOR_GAUGES / 64; i++)
        set.bits[i] = payload_number(p);
    return set;
}

/* Only gauges that the record has told of. */
static bool has_gauges(const struct watch *w, const struct gauge_set *set)
{
    for (size_t i = w->gauge_count; i < MONITOR_GAUGES; i++)
        if (set->bits[i / 64] >> i % 64 & 1)
            return false;
    return true;
}

static void read_part(struct watch *w, struct payload *p)
{
    struct watch_part part = {0};
    uint8_t flags = payload_u8(p);
    part.on_path = flags & ON_PATH;
    part.under_test = flags & UNDER_TEST;
    part.aside = flags & ASIDE;
    snprintf(part.name, sizeof part.name, "%s", payload_text(p));
    part.kind = node_kind_of(payload_text(p));
    snprintf(part.measure, sizeof part.measure, "%s", payload_text(p));
    uint64_t depth = payload_number(p);
    part.depth = (unsigned)depth;
    part.limit_read = payload_double(p);
    part.limit_write = payload_double(p);
    part.reads = read_set(p);
    part.writes = read_set(p);
    uint64_t share = payload_number(p);
    part.share = (int)share - 1;
    uint64_t interrupts = payload_number(p);
    part.interrupts = (int)interrupts - 1;
    if (w->part_count == RESULT_PARTS_MAX || depth > RESULT_PARTS_MAX || share > w->gauge_count ||
        interrupts > w->gauge_count || !has_gauges(w, &part.reads) || !has_gauges(w, &part.writes))
        p->short_of = true;
    if (!p->short_of)
        w->parts[w->part_count++] = part;
}

static void read_path(struct watch *w, struct payload *p)
{
    double limit_read = payload_double(p), limit_write = payload_double(p);
    bool complete = payload_u8(p) != 0;
    uint64_t edges = payload_number(p);
    if (edges > RESULT_EDGES_MAX || p->short_of) {
        p->short_of = true;
        return;
    }
    w->limit_read = limit_read;
    w->limit_write = limit_write;
    w->complete = complete;
    for (w->edge_count = 0; w->edge_count < edges; w->edge_count++) {
        uint64_t from = payload_number(p), to = payload_number(p);
        if (from >= w->part_count || to >= w->part_count || p->short_of) {
            p->short_of = true;
            return;
        }
        w->edges[w->edge_count] = (struct result_edge){(unsigned)from, (unsigned)to};
    }
    uint64_t read = payload_number(p), write = payload_number(p);
    if (read > w->part_count || write > w->part_count)
        p->short_of = true;
    if (p->short_of)
        return;
    w->limiting_read = (int)read - 1;
    w->limiting_write = (int)write - 1;
}

static void read_sample(struct watch *w, struct payload *p)
{
    struct watch_sample s = {.seconds = payload_seconds(p)};
    s.counts = payload_u8(p) != 0;
    for (size_t i = 0; i < w->gauge_count; i++) {
        uint8_t form = payload_u8(p);
        float value = form == VALUE_NONE ? NAN : payload_float(p);
        s.low[i] = s.value[i] = s.high[i] = value;
        if (form == VALUE_RANGE) {
            s.low[i] = payload_float(p);
            s.high[i] = payload_float(p);
        }
    }
    if (!p->short_of)
        watch_add(w, &s);
}

static void read_event(struct watch *w, struct payload *p)
{
    double seconds = payload_double(p);
    const char *text = payload_text(p);
    if (!p->short_of)
        watch_event(w, seconds, text);
}

static void read_own(struct watch *w, struct payload *p)
{
    const char *name = payload_text(p);
    double share = payload_double(p);
    if (!p->short_of)
        watch_own(w, name, share);
}

bool payload_read_watch(struct contents *c, uint32_t type, struct payload *p)
{
    switch (type) {
    case RECORD_TYPE('G', 'A', 'U', 'G'):
        read_gauge(&c->watch, p);
        return true;
    case RECORD_TYPE('P', 'A', 'R', 'T'):
        read_part(&c->watch, p);
        return true;
    case RECORD_TYPE('P', 'A', 'T', 'H'):
        read_path(&c->watch, p);
        return true;
    case RECORD_TYPE('S', 'M', 'P', 'L'):
        read_sample(&c->watch, p);
        return true;
    case RECORD_TYPE('O', 'W', 'N', 'S'):
        read_own(&c->watch, p);
        return true;
    case RECORD_TYPE('E', 'V', 'N', 'T'):
        read_event(&c->watch, p);
        return true;
    default:
        return false;
    }
}
