/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts timelines to a struct contents, which holds what a session measured: the timeline that
 * is judged becomes its readings, and the timeline that is shown becomes its periods. A slice is a
 * fifth of an interval; time in which no source measured is left out.
 */
#include "many/merge/internal.h"

#include <stdlib.h>

#include "run/record/contents.h"

/* ---- slices as readings: slices at the edges were measured only in part ---- */

static uint64_t shorter_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void take_slice(const struct merge *m, const struct timeline_interval *from, unsigned i,
                       bool with_stretches, struct slice *to)
{
    *to = (struct slice){.busy_ns = 0};
    for (int op = 0; op < OPERATIONS; op++)
        to->op[op] = from->slices[i].op[op];
    if (!with_stretches)
        return;
    to->asked_bytes = from->slices[i].asked_bytes;
    to->busy_ns = (uint64_t)(timeline_busy_ns(from, judged_timeline(m)->length_ns, i) + 0.5);
}

/* Adds the part of a slice that lies in the interval that contains `at_ns`. */
static void add_slice_at(const struct merge *m, uint64_t at_ns, bool with_stretches,
                         struct slice *to)
{
    const struct timeline *t = judged_timeline(m);
    const uint64_t length = t->length_ns, number = at_ns / length;
    const unsigned i = (unsigned)((at_ns - number * length) * TIMELINE_SLICES / length);
    const size_t k = timeline_from(t, number);
    struct slice add;
    if (k == t->count || t->intervals[k]->number != number)
        return;
    take_slice(m, t->intervals[k], i, with_stretches, &add);
    slice_add(to, &add);
}

/*
 * Adds to the slice [begin, end) its neighbours at the edges of the measured time, if less than
 * half of them was measured. They say little about a rate, but their I/Os must not be lost, since
 * the longest of all may end there. Returns the measured time of the added neighbours.
 */
static uint64_t join_edges(const struct merge *m, const struct span_ns *span, uint64_t begin,
                           uint64_t end, struct slice *to)
{
    const uint64_t shorter = shorter_of(span->end - span->begin, end - begin);
    uint64_t joined = 0;
    if (span->begin < begin && 2 * (begin - span->begin) < shorter) {
        add_slice_at(m, begin - 1, span->has_stretches, to);
        joined += begin - span->begin;
    }
    if (span->end > end && 2 * (span->end - end) < shorter) {
        add_slice_at(m, end, span->has_stretches, to);
        joined += span->end - end;
    }
    return joined;
}

/*
 * Makes a reading of slice `i` of the timeline that is judged. A slice at an edge counts as a whole
 * one if half of it, or half of the whole measured time, was measured. Otherwise it is no reading,
 * and joins its neighbour; the function returns false.
 */
static bool reading_of_slice(const struct merge *m, const struct timeline_interval *from,
                             unsigned i, const struct span_ns *span, struct slice *to)
{
    const uint64_t length = judged_timeline(m)->length_ns, base = from->number * length;
    const uint64_t begin = base + length * i / TIMELINE_SLICES;
    const uint64_t end = base + length * (i + 1) / TIMELINE_SLICES;
    const uint64_t first = span->begin > begin ? span->begin : begin;
    const uint64_t last = span->end < end ? span->end : end;
    uint64_t covered = last > first ? last - first : 0;
    if (!covered || 2 * covered < shorter_of(span->end - span->begin, end - begin))
        return false;
    take_slice(m, from, i, span->has_stretches, to);
    covered += join_edges(m, span, begin, end, to);
    to->unmeasured_ns = (int64_t)(end - begin) - (int64_t)covered;
    return true;
}

/* ---- intervals ---- */

/* Returns true if a source measured during all the time between two intervals, in which nothing
   completed. */
static bool is_measured(const struct merge *m, uint64_t begin_ns, uint64_t end_ns)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].begin_ns <= begin_ns && m->sources[i].end_ns >= end_ns)
            return true;
    return false;
}

static void take_latency(const struct timeline_interval *from, int op,
                         struct interval_histogram *to)
{
    const struct timeline_op *of = &from->op[op];
    to->min = of->min;
    to->max = of->max;
    to->over = of->over;
    for (size_t group = 0; group < HISTOGRAM_GROUPS; group++)
        for (size_t i = 0; of->group[group] && i < HISTOGRAM_SUBBUCKETS; i++)
            to->count[group * HISTOGRAM_SUBBUCKETS + i] = of->group[group][i];
}

struct filling {
    const struct merge *m;
    struct contents *c;
    struct span_ns span;
    struct batch *batch;
};

/* Fills the batch with the latencies of an interval. */
static void take_interval(const struct filling *f, const struct timeline *t,
                          const struct timeline_interval *from)
{
    batch_clear(f->batch);
    /* times since a log's start begin at 1, since 0 would mean that no time is known */
    f->batch->wall_ns = from->number ? from->number * t->length_ns : 1;
    for (int op = 0; op < OPERATIONS; op++)
        take_latency(from, op, &f->batch->latency[op]);
}

/* Adds an interval to the readings that are judged. */
static void add_reading(const struct filling *f, const struct timeline_interval *at)
{
    struct batch *batch = f->batch;
    take_interval(f, judged_timeline(f->m), at);
    for (unsigned i = 0; i < TIMELINE_SLICES; i++)
        if (reading_of_slice(f->m, at, i, &f->span, &batch->slices[batch->slice_count]))
            batch->slice_count++;
    measurement_add(&f->c->measurement, batch);
}

/* Adds an interval to the periods that are shown over time. */
static void add_period(const struct filling *f, const struct timeline_interval *at)
{
    take_interval(f, &f->m->timeline, at);
    latency_history_add(&f->c->measurement.history, f->batch->wall_ns, f->m->timeline.length_ns,
                        f->batch->latency);
}

/* Calls `add` for each interval in which a source had I/O, or measured without I/O. */
static void each_interval(const struct filling *f, const struct timeline *t,
                          void (*add)(const struct filling *f, const struct timeline_interval *at))
{
    const uint64_t length = t->length_ns;
    for (size_t i = 0; i < t->count; i++) {
        const struct timeline_interval *at = t->intervals[i];
        uint64_t before = i ? t->intervals[i - 1]->number + 1 : at->number;
        if (at->number * length >= f->span.end)
            return;
        if (before < at->number && is_measured(f->m, before * length, at->number * length))
            for (; before < at->number; before++) {
                struct timeline_interval silent = {.number = before};
                for (int op = 0; op < OPERATIONS; op++)
                    silent.op[op].min = UINT64_MAX;
                add(f, &silent);
            }
        add(f, at);
    }
}

/* Adds the whole run as one reading, because its distribution over time is not known. */
static void take_whole(const struct merge *m, const struct span_ns *span, const struct slice *total,
                       struct batch *batch)
{
    batch_clear(batch);
    batch->wall_ns = span->begin;
    batch->slices[batch->slice_count++] = *total;
    for (int op = 0; op < OPERATIONS; op++) {
        struct interval_histogram *to = &batch->latency[op];
        to->min = UINT64_MAX;
        for (size_t i = 0; i < m->source_count; i++) {
            const struct latency_buckets *l = &m->sources[i].op[op].latency;
            to->min = l->n && l->min < to->min ? l->min : to->min;
            to->max = l->n && l->max > to->max ? l->max : to->max;
            to->over += l->over;
            for (size_t k = 0; k < l->used; k++)
                to->count[l->bucket[k]] += l->count[k];
        }
    }
}

static struct slice total_of(const struct merge *m)
{
    struct slice total = {0};
    for (size_t i = 0; i < m->source_count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            slice_op_add(&total.op[op], &m->sources[i].op[op].sum);
    return total;
}

static int fill_measurement(const struct merge *m, const struct span_ns *span, struct contents *c,
                            struct arena *arena, struct err *e)
{
    struct batch *batch = calloc(1, sizeof *batch);
    const struct slice total = total_of(m);
    if (!batch || measurement_begin_round(&c->measurement, false, 0, e)) {
        free(batch);
        return batch ? -1 : err_no_memory(e, "intervals");
    }
    const struct filling filling = {m, c, *span, batch};
    const bool whole = whole_run(m);
    if (whole) {
        take_whole(m, span, &total, batch);
        measurement_add(&c->measurement, batch);
    } else {
        each_interval(&filling, judged_timeline(m), add_reading);
    }
    measurement_end_round(&c->measurement,
                          m->plan->pass_seconds > 0 ? m->plan->pass_seconds
                                                    : (double)(span->end - span->begin) * 1e-9,
                          &total);
    /* Until here the history has a period for each interval that is judged. It is emptied and
       filled with the intervals that are shown. */
    int status = whole ? 0 : contents_keep_periods(c, m->timeline.count + 1, arena, e);
    c->measurement.history.asked_ns = m->plan->interval_ns;
    if (!status && !whole)
        each_interval(&filling, &m->timeline, add_period);
    free(batch);
    return status;
}

/* ---- the session ---- */

static uint64_t ios_of(const struct merge *m, int op)
{
    uint64_t ios = 0;
    for (size_t i = 0; i < m->source_count; i++)
        ios += m->sources[i].op[op].sum.ios + m->sources[i].op[op].sum.errors;
    return ios;
}

/* Returns the plan of a session that would have measured the timeline. */
static struct plan plan_of(const struct merge *m)
{
    struct plan plan = m->plan->statistics;
    uint64_t reads = ios_of(m, OPERATION_READ), writes = ios_of(m, OPERATION_WRITE);
    const uint64_t trims = ios_of(m, OPERATION_TRIM), changes = writes + trims;
    plan.write_share = !changes ? 0 : !reads ? 1 : (double)changes / (double)(reads + changes);
    plan.trims = !trims ? TRIMS_NONE : writes ? TRIMS_BEFORE_WRITES : TRIMS_ALONE;
    plan.fdatasync = ios_of(m, OPERATION_SYNC) > 0;
    plan.statistics.period_seconds = m->plan->interval_ns ? (double)m->plan->interval_ns * 1e-9 : 0;
    plan.statistics.target_width = 0;
    return plan;
}

static int by_begin(const void *a, const void *b)
{
    const struct stretch_ns *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Computes the time in which at least one source measured. */
static int measured_time(const struct merge *m, uint64_t *ns, struct err *e)
{
    struct stretch_ns *at = malloc((m->source_count + 1) * sizeof *at);
    size_t n = 0;
    *ns = 0;
    if (!at)
        return err_no_memory(e, "the time of sources");
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].end_ns > m->sources[i].begin_ns)
            at[n++] = (struct stretch_ns){m->sources[i].begin_ns, m->sources[i].end_ns};
    if (n)
        qsort(at, n, sizeof *at, by_begin);
    n = stretches_unite(at, n);
    for (size_t i = 0; i < n; i++)
        *ns += at[i].end - at[i].begin;
    free(at);
    return 0;
}

/* Finds the length of a slice. Sums of whole runs have a single slice, which is the whole time. */
static int find_slice_length(const struct merge *m, double *seconds, struct err *e)
{
    uint64_t ns;
    *seconds = (double)judged_timeline(m)->length_ns * 1e-9 / TIMELINE_SLICES;
    if (!whole_run(m))
        return 0;
    if (measured_time(m, &ns, e))
        return -1;
    if (ns)
        *seconds = (double)ns * 1e-9;
    return 0;
}

int merge_fill_contents(const struct merge *m, const struct span_ns *span, struct contents *c,
                        struct arena *arena, struct err *e)
{
    const struct plan plan = plan_of(m);
    size_t periods = m->timeline.count + 1;
    if (arena_init_untouched(arena,
                             contents_bytes(OPERATION_SET_ALL, false) +
                                 contents_periods_bytes(periods) + (1 << 16),
                             e))
        return err_no_memory(e, "%zu intervals of %g s: give a longer --interval",
                             m->timeline.count, (double)m->timeline.length_ns * 1e-9);
    if (contents_init(c, OPERATION_SET_ALL, false, arena, e))
        return -1;
    contents_set_plan(c, &plan);
    if (find_slice_length(m, &c->measurement.slice_seconds, e))
        return -1;
    c->verdict = VERDICT_MERGED;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        c->timing.saturated |= s->saturated;
        c->timing.never_issued += s->never_issued;
        c->timing.never_issued_at_least |= s->never_issued_at_least;
    }
    c->one_pass = m->plan->pass_seconds > 0;
    c->ended = true;
    return fill_measurement(m, span, c, arena, e);
}
