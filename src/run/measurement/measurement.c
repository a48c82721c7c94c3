/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores measurements in memory of fixed size: slices, stretches of time with their latencies, and
 * the latencies of each kind of request in these stretches. When one of these series is full, it is
 * folded: neighbouring pairs are merged.
 */
#include "run/measurement/measurement.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of clauses about intervals: those of the plan, and those that are requested
   later. */
#define MEASUREMENT_CLAUSES (2 * CLAUSES_MAX)

static struct kind_latency *kinds_of(const struct kind_stretches *k, size_t index)
{
    return k->count ? &k->at[index * k->count] : NULL; /* no kinds are kept */
}

static void clear(struct kind_stretches *k, struct kind_latency kinds[])
{
    for (unsigned i = 0; i < k->count; i++)
        kind_latency_clear(&kinds[i]);
}

int kind_stretches_init(struct kind_stretches *k, unsigned kinds)
{
    *k = (struct kind_stretches){.count = kinds};
    if (!kinds)
        return 0;
    k->at = calloc((MEASUREMENT_STRETCHES + 1) * (size_t)kinds, sizeof *k->at);
    k->reading = calloc(kinds, sizeof *k->reading);
    if (!k->at || !k->reading) {
        kind_stretches_free(k);
        return -1;
    }
    clear(k, kinds_of(k, MEASUREMENT_STRETCHES));
    clear(k, k->reading);
    return 0;
}

void kind_stretches_free(struct kind_stretches *k)
{
    free(k->at);
    free(k->reading);
    *k = (struct kind_stretches){0};
}

/*
 * A stretch is the time of one or more intervals (struct batch). kind_stretches_add adds an
 * interval to the stretch that is being filled, kind_stretches_close gives that stretch its index,
 * and kind_stretches_fold merges pairs of the first n stretches.
 */
static void kind_stretches_add(struct kind_stretches *k, const struct batch *batch)
{
    for (unsigned i = 0; i < k->count && i < batch->kind_count; i++)
        kind_latency_add(&kinds_of(k, MEASUREMENT_STRETCHES)[i], &batch->kinds[i]);
}

static void kind_stretches_close(struct kind_stretches *k, size_t index)
{
    struct kind_latency *open = kinds_of(k, MEASUREMENT_STRETCHES);
    for (unsigned i = 0; i < k->count; i++)
        kinds_of(k, index)[i] = open[i];
    clear(k, open);
}

static void kind_stretches_fold(struct kind_stretches *k, size_t n)
{
    for (size_t pair = 0; pair < n / 2; pair++)
        for (unsigned i = 0; i < k->count; i++) {
            struct kind_latency *to = &kinds_of(k, pair)[i], *first = &kinds_of(k, 2 * pair)[i];
            kind_latency_add(first, &kinds_of(k, 2 * pair + 1)[i]);
            if (pair)
                *to = *first;
        }
}

void batch_clear(struct batch *b)
{
    struct interval_timing *timing = b->timing;
    struct interval_histogram *jobs = b->jobs;
    const unsigned job_count = b->job_count;
    struct kind_latency *kinds = b->kinds;
    const unsigned kind_count = b->kind_count;
    memset(b, 0, sizeof *b);
    b->kinds = kinds;
    b->kind_count = kind_count;
    for (unsigned i = 0; i < kind_count; i++)
        kind_latency_clear(&kinds[i]);
    b->jobs = jobs;
    b->job_count = job_count;
    for (unsigned i = 0; i < job_count * OPERATIONS; i++)
        interval_histogram_clear(&jobs[i]);
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_clear(&b->latency[op]);
    b->timing = timing;
    b->span = 1;
    if (timing)
        interval_timing_clear(timing);
}

static void stretch_clear(struct stretch *s)
{
    s->begin = s->end = 0;
    interval_histograms_clear(s->latency);
    if (!s->timing)
        return;
    interval_histogram_clear(&s->timing->issue_error);
    interval_histograms_clear(s->timing->service);
}

/* Copies the values of a stretch of time. The pointers stay, because each stretch owns its
   histograms. */
static void stretch_copy(struct stretch *to, const struct stretch *from)
{
    to->begin = from->begin;
    to->end = from->end;
    interval_histograms_copy(to->latency, from->latency);
    if (!to->timing || !from->timing)
        return;
    to->timing->issue_error = from->timing->issue_error;
    interval_histograms_copy(to->timing->service, from->timing->service);
}

size_t measurement_bytes(unsigned operations, bool timed)
{
    size_t bytes = latency_history_bytes(HISTORY_PERIODS, operations) +
                   interval_histograms_bytes(MEASUREMENT_STRETCHES + 1, operations) +
                   arena_bytes(MEASUREMENT_SLICES, sizeof(struct slice)) +
                   arena_bytes(MEASUREMENT_STRETCHES + 1, sizeof(struct stretch)) +
                   arena_bytes(MEASUREMENT_CLAUSES, sizeof(struct clause_periods)) +
                   MEASUREMENT_CLAUSES * clause_periods_bytes();
    if (timed)
        bytes += arena_bytes(MEASUREMENT_SLICES, sizeof(struct slice_timing)) +
                 arena_bytes(MEASUREMENT_STRETCHES + 1, sizeof(struct stretch_timing)) +
                 interval_histograms_bytes(MEASUREMENT_STRETCHES + 1, operations);
    return bytes;
}

/* Allocates the histograms of every stretch of time, and those of its timing. */
static int init_stretches(struct measurement *m, unsigned operations, struct arena *arena)
{
    for (size_t i = 0; i <= MEASUREMENT_STRETCHES; i++) {
        struct stretch *s = &m->stretches[i];
        if (interval_histograms_init(s->latency, operations, arena))
            return -1;
        s->timing = m->stretch_timings ? &m->stretch_timings[i] : NULL;
        if (s->timing && interval_histograms_init(s->timing->service, operations, arena))
            return -1;
    }
    m->open_stretch = &m->stretches[MEASUREMENT_STRETCHES];
    stretch_clear(m->open_stretch);
    return 0;
}

int measurement_init(struct measurement *m, unsigned operations, bool timed, struct arena *arena)
{
    memset(m, 0, sizeof *m);
    m->slices = arena_alloc(arena, MEASUREMENT_SLICES, sizeof *m->slices);
    m->stretches = arena_alloc(arena, MEASUREMENT_STRETCHES + 1, sizeof *m->stretches);
    if (timed) {
        m->timings = arena_alloc(arena, MEASUREMENT_SLICES, sizeof *m->timings);
        m->stretch_timings =
            arena_alloc(arena, MEASUREMENT_STRETCHES + 1, sizeof *m->stretch_timings);
    }
    m->periods = arena_alloc(arena, MEASUREMENT_CLAUSES, sizeof *m->periods);
    for (size_t i = 0; i < MEASUREMENT_CLAUSES && m->periods; i++)
        if (clause_periods_init(&m->periods[i], arena))
            m->periods = NULL;
    if (latency_history_init(&m->history, HISTORY_PERIODS, operations, arena) || !m->slices ||
        !m->stretches || !m->periods || (timed && (!m->timings || !m->stretch_timings)))
        return -1;
    return init_stretches(m, operations, arena);
}

const struct clause_periods *measurement_periods(const struct measurement *m, const char *text)
{
    for (size_t i = 0; i < m->period_clauses; i++)
        if (!strcmp(m->periods[i].clause.text, text))
            return &m->periods[i];
    return NULL;
}

void measurement_watch_clause(struct measurement *m, const struct clause *c)
{
    if (c->period_ns && m->period_clauses < MEASUREMENT_CLAUSES && !measurement_periods(m, c->text))
        clause_periods_set(&m->periods[m->period_clauses++], c);
}

int measurement_begin_round(struct measurement *m, bool trial, double begin_seconds, struct err *e)
{
    if (m->round_count == RESULT_ROUNDS_MAX)
        return err_set(e, ERR_UNDECIDED, "more than %d rounds", RESULT_ROUNDS_MAX);
    m->rounds[m->round_count++] = (struct round){.trial = trial, .begin_seconds = begin_seconds};
    return 0;
}

void measurement_end_round(struct measurement *m, double seconds, const struct slice *total)
{
    struct round *round = &m->rounds[m->round_count - 1];
    round->seconds = seconds;
    round->total = *total;
    round->ended = true;
}

double measurement_slice_seconds(const struct measurement *m)
{
    return m->slice_seconds * (double)(1ull << m->slice_fold);
}

double measurement_measured_seconds(const struct measurement *m, size_t begin, size_t end)
{
    int64_t unmeasured_ns = 0;
    for (size_t i = begin; i < end; i++)
        unmeasured_ns += m->slices[i].unmeasured_ns;
    return (double)(end - begin) * measurement_slice_seconds(m) - (double)unmeasured_ns * 1e-9;
}

/* Returns `part` / `whole` of x, rounded down. */
static uint64_t share_of(uint64_t x, unsigned part, unsigned whole)
{
    return x / whole * part + x % whole * part / whole;
}

/* Removes the first `part` of `whole` from a slice, as if its contents were evenly distributed, and
   returns it. */
static struct slice cut_slice(struct slice *from, unsigned part, unsigned whole)
{
    struct slice cut = {.asked_bytes = share_of(from->asked_bytes, part, whole),
                        .busy_ns = share_of(from->busy_ns, part, whole)};
    from->asked_bytes -= cut.asked_bytes;
    from->busy_ns -= cut.busy_ns;
    for (int op = 0; op < OPERATIONS; op++) {
        struct slice_op *rest = &from->op[op];
        cut.op[op] = slice_op_take(rest, share_of(rest->ios, part, whole),
                                   share_of(rest->errors, part, whole));
        rest->ios -= cut.op[op].ios;
        rest->bytes -= cut.op[op].bytes;
        rest->latency_ns -= cut.op[op].latency_ns;
        rest->errors -= cut.op[op].errors;
    }
    return cut;
}

static struct slice_timing cut_timing(struct slice_timing *from, unsigned part, unsigned whole)
{
    /* the largest backlog may have been in either part, so both parts keep it */
    struct slice_timing cut = *from;
    cut.issued = share_of(from->issued, part, whole);
    cut.in_flight_ns = share_of(from->in_flight_ns, part, whole);
    from->issued -= cut.issued;
    from->in_flight_ns -= cut.in_flight_ns;
    for (int op = 0; op < OPERATIONS; op++) {
        cut.service_ns[op] = share_of(from->service_ns[op], part, whole);
        from->service_ns[op] -= cut.service_ns[op];
    }
    return cut;
}

/* Appends a part of `span` original slices that fits into one kept slice. `timing` is NULL if
   requests have no due times. */
static void append_part(struct measurement *m, const struct slice *slice,
                        const struct slice_timing *timing, unsigned span)
{
    if (m->slice_count == MEASUREMENT_SLICES) { /* the array is full: merges neighbouring pairs */
        for (size_t i = 0; i < m->slice_count / 2; i++) {
            struct slice merged = m->slices[2 * i];
            slice_add(&merged, &m->slices[2 * i + 1]);
            m->slices[i] = merged;
            if (!m->timings)
                continue;
            struct slice_timing joined = m->timings[2 * i];
            slice_timing_join(&joined, &m->timings[2 * i + 1]);
            m->timings[i] = joined;
        }
        m->slice_count /= 2;
        m->slice_fold++;
    }
    slice_add(&m->partial, slice);
    if (timing)
        slice_timing_join(&m->partial_timing, timing);
    m->original_slices += span;
    m->partial_count += span;
    if (m->partial_count < 1u << m->slice_fold)
        return;
    if (m->timings)
        m->timings[m->slice_count] = m->partial_timing;
    m->slices[m->slice_count++] = m->partial;
    m->partial = (struct slice){0};
    m->partial_timing = (struct slice_timing){0};
    m->partial_count = 0;
}

static void append_slice(struct measurement *m, const struct slice *slice,
                         const struct slice_timing *timing, unsigned span)
{
    struct slice rest = *slice;
    struct slice_timing rest_timing = timing ? *timing : (struct slice_timing){0};
    for (;;) {
        unsigned room = (1u << m->slice_fold) - m->partial_count;
        if (span <= room)
            break;
        struct slice_timing cut = cut_timing(&rest_timing, room, span);
        struct slice part = cut_slice(&rest, room, span);
        append_part(m, &part, timing ? &cut : NULL, room);
        span -= room;
    }
    append_part(m, &rest, timing ? &rest_timing : NULL, span);
}

static void fold_stretches(struct measurement *m)
{
    for (size_t i = 0; i < m->stretch_count / 2; i++) {
        struct stretch *to = &m->stretches[2 * i];
        const struct stretch *from = to + 1;
        to->end = from->end;
        interval_histograms_add(to->latency, from->latency);
        if (to->timing) {
            interval_histogram_add(&to->timing->issue_error, &from->timing->issue_error);
            interval_histograms_add(to->timing->service, from->timing->service);
        }
        if (i)
            stretch_copy(&m->stretches[i], to);
    }
    kind_stretches_fold(&m->kinds, m->stretch_count);
    m->stretch_count /= 2;
    m->stretch_fold++;
}

static void append_stretch(struct measurement *m, const struct batch *batch, uint64_t begin)
{
    struct stretch *open = m->open_stretch;
    if (!m->open_count)
        open->begin = begin;
    open->end = m->original_slices;
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_add(open->latency[op], &batch->latency[op]);
    if (open->timing && batch->timing) {
        interval_histogram_add(&open->timing->issue_error, &batch->timing->issue_error);
        interval_histograms_add(open->timing->service, batch->timing->service);
    }
    kind_stretches_add(&m->kinds, batch);
    /* open_count counts intervals of original slices: one with coarser slices counts `span`
       times */
    m->open_count += batch->span;
    if (m->open_count < 1u << m->stretch_fold)
        return;

    kind_stretches_close(&m->kinds, m->stretch_count);
    stretch_copy(&m->stretches[m->stretch_count++], open);
    stretch_clear(open);
    m->open_count = 0;
    if (m->stretch_count == MEASUREMENT_STRETCHES)
        fold_stretches(m);
}

uint64_t measurement_batch_ns(const struct measurement *m, unsigned span)
{
    return span * (uint64_t)(m->slice_seconds * INTERVAL_SLICES * 1e9 + 0.5);
}

void measurement_add(struct measurement *m, const struct batch *batch)
{
    const uint64_t begin = m->original_slices;
    const uint64_t batch_ns = measurement_batch_ns(m, batch->span);
    for (unsigned i = 0; i < batch->slice_count; i++)
        append_slice(m, &batch->slices[i],
                     m->timings && batch->timing ? &batch->timing->slices[i] : NULL, batch->span);
    m->lost_slices += batch->lost_slices * batch->span;
    append_stretch(m, batch, begin);
    if (batch->wall_ns)
        latency_history_add(&m->history, batch->wall_ns, batch_ns, batch->latency);
    for (size_t i = 0; i < m->period_clauses; i++)
        clause_periods_add(&m->periods[i], batch, batch_ns, begin);

    /* Updated at once, so that a record that is cut short also contains its last round. */
    struct round *round = &m->rounds[m->round_count - 1];
    if (!round->ended)
        for (unsigned i = 0; i < batch->slice_count; i++) {
            slice_add(&round->total, &batch->slices[i]);
            round->seconds += m->slice_seconds * batch->span;
        }
}

size_t measurement_stretches(const struct measurement *m)
{
    return m->stretch_count + (m->open_count > 0);
}

const struct stretch *measurement_stretch(const struct measurement *m, size_t i)
{
    return i < m->stretch_count ? &m->stretches[i] : m->open_stretch;
}

const struct kind_latency *measurement_kind(const struct measurement *m, size_t i, unsigned kind)
{
    size_t index = i < m->stretch_count ? i : MEASUREMENT_STRETCHES;
    return &m->kinds.at[index * m->kinds.count + kind];
}
