/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the system's result: judges a timeline like the readings of one session. A slice is a
 * fifth of an interval; time in which no source measured is left out. Intervals that were asked for
 * are shown, not judged: their length changes no verdict.
 */
#include "base/units.h"
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/result/session_judgement.h"

#define BLOCK_BYTES 512.0

struct merge_view {
    struct arena arena;
    struct contents contents;
    struct judged judged;
    struct result_merged merged;
    struct merge_groups groups, hosts;
};

void merge_view_free(struct merge_view *view)
{
    if (!view)
        return;
    contents_free(&view->contents);
    arena_free(&view->arena);
    free(view->merged.silent);
    groups_free(&view->groups);
    groups_free(&view->hosts);
    free(view);
}

static uint64_t ios_of(const struct merge *m, int op)
{
    uint64_t ios = 0;
    for (size_t i = 0; i < m->source_count; i++)
        ios += m->sources[i].op[op].sum.ios + m->sources[i].op[op].sum.errors;
    return ios;
}

/* ---- the timeline as a session's readings ---- */

/* The union, and so BPS, needs every source's time in flight. */
static bool has_stretches(const struct merge *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].end_ns && !m->sources[i].has_stretches)
            return false;
    return true;
}

static struct span_ns measured_span(const struct merge *m)
{
    struct span_ns span = {UINT64_MAX, 0, has_stretches(m)};
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (s->end_ns && s->begin_ns < span.begin)
            span.begin = s->begin_ns;
        if (s->end_ns > span.end)
            span.end = s->end_ns;
    }
    if (m->until_ns && span.end > m->until_ns)
        span.end = m->until_ns;
    return span.end > span.begin ? span : (struct span_ns){0, 0, false};
}

/* Did a source measure during all the time between two intervals, so that nothing completed
   there? */
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
    /* 1 for times since a log's start; 0 would mean that no time is known */
    f->batch->wall_ns = from->number ? from->number * t->length_ns : 1;
    for (int op = 0; op < OPERATIONS; op++)
        take_latency(from, op, &f->batch->latency[op]);
}

/* Adds an interval to what is judged. */
static void add_reading(const struct filling *f, const struct timeline_interval *at)
{
    struct batch *batch = f->batch;
    take_interval(f, judged_timeline(f->m), at);
    for (unsigned i = 0; i < TIMELINE_SLICES; i++)
        if (reading_of_slice(f->m, at, i, &f->span, &batch->slices[batch->slice_count]))
            batch->slice_count++;
    measurement_add(&f->c->measurement, batch);
}

/* Adds an interval to what is shown over time. */
static void add_period(const struct filling *f, const struct timeline_interval *at)
{
    take_interval(f, &f->m->timeline, at);
    latency_history_add(&f->c->measurement.history, f->batch->wall_ns, f->m->timeline.length_ns,
                        f->batch->latency);
}

/* Calls `add` for each interval, and for those without I/O in which a source measured. */
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

/* Adds the whole run as one reading: how it was distributed over time is not known. */
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

static int fill_measurement(const struct merge *m, struct merge_view *v, struct err *e)
{
    struct contents *c = &v->contents;
    const struct span_ns span = measured_span(m);
    struct batch *batch = calloc(1, sizeof *batch);
    const struct slice total = total_of(m);
    if (!batch || measurement_begin_round(&c->measurement, false, 0, e)) {
        free(batch);
        return batch ? -1 : err_no_memory(e, "intervals");
    }
    const struct filling filling = {m, c, span, batch};
    const bool whole = whole_run(m);
    if (whole) {
        take_whole(m, &span, &total, batch);
        measurement_add(&c->measurement, batch);
    } else {
        each_interval(&filling, judged_timeline(m), add_reading);
    }
    measurement_end_round(&c->measurement,
                          m->plan->pass_seconds > 0 ? m->plan->pass_seconds
                                                    : (double)(span.end - span.begin) * 1e-9,
                          &total);
    /* The periods that are shown replace those that are judged. */
    int status = whole ? 0 : contents_keep_periods(c, m->timeline.count + 1, &v->arena, e);
    c->measurement.history.asked_ns = m->plan->interval_ns;
    if (!status && !whole)
        each_interval(&filling, &m->timeline, add_period);
    free(batch);
    return status;
}

/* Returns the plan of a session that would have measured this. */
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

/* Finds the slice length; sums of whole runs have a single slice, the whole time. */
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

static int fill_contents(const struct merge *m, struct merge_view *v, struct err *e)
{
    const struct plan plan = plan_of(m);
    struct contents *c = &v->contents;
    size_t periods = m->timeline.count + 1;
    if (arena_init_untouched(&v->arena,
                             contents_bytes(OPERATION_SET_ALL, false) +
                                 contents_periods_bytes(periods) + (1 << 16),
                             e))
        return err_no_memory(e, "%zu intervals of %g s: give a longer --interval",
                             m->timeline.count, (double)m->timeline.length_ns * 1e-9);
    if (contents_init(c, OPERATION_SET_ALL, false, &v->arena, e))
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
    return fill_measurement(m, v, e);
}

/* ---- what stands beside the rows ---- */

static int by_clock(const void *a, const void *b)
{
    const struct merge_source *const *x = a, *const *y = b;
    return memcmp((*x)->clock, (*y)->clock, sizeof(*x)->clock);
}

/* Finds the number of different clocks, and the bound of their error. */
static int find_clocks(const struct merge *m, struct result_merged *to, struct err *e)
{
    const struct merge_source **order = malloc((m->source_count + 1) * sizeof(void *));
    double error = 0;
    if (!order)
        return err_no_memory(e, "the clocks of sources");
    for (size_t i = 0; i < m->source_count; i++)
        order[i] = &m->sources[i];
    if (m->source_count)
        qsort(order, m->source_count, sizeof(void *), by_clock);
    for (size_t i = 0; i < m->source_count; i++) {
        if (i == 0 || by_clock(&order[i], &order[i - 1]))
            to->clocks++;
        error = order[i]->clock_error_ns < 0 || isnan(error)
                    ? NAN
                    : fmax(error, (double)order[i]->clock_error_ns);
    }
    if (m->source_count && !order[0]->clock[0] && !order[0]->clock[1])
        to->clocks = 0;
    to->clock_error_ns = to->clocks == 1 ? 0 : error;
    free(order);
    return 0;
}

/*
 * Bounds the union's length. It is at least the time that was surely busy, and the busy time of any
 * source; it is at most the time that may have been busy, and the sum over sources. When all
 * sources have one clock, only gaps that were not recorded one by one leave it uncertain.
 */
static void find_busy(const struct merge *m, struct result_merged *to)
{
    const struct timeline *t = judged_timeline(m);
    const uint64_t length = t->length_ns;
    double nominal = 0, inner = 0, outer = 0, sum = 0, longest = 0, blocks = 0;
    to->busy = (struct result_busy){NAN, NAN, NAN, NAN, NAN, NAN};
    const size_t count = has_stretches(m) ? m->source_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct merge_source *s = &m->sources[i];
        sum += (double)s->busy_ns;
        longest = fmax(longest, (double)s->busy_ns);
        blocks += (double)s->asked_bytes / BLOCK_BYTES;
    }
    if (!(sum > 0))
        return;
    const bool one_clock = to->clocks == 1;
    const bool bounded = one_clock || isfinite(to->clock_error_ns);
    for (size_t i = 0; i < t->count; i++) {
        const struct timeline_interval *at = t->intervals[i];
        uint64_t begin = at->number * length, end = begin + length;
        const struct stretch_set *exact = &at->sets[SET_EXACT];
        for (unsigned k = 0; k < TIMELINE_SLICES; k++)
            nominal += timeline_busy_ns(at, length, k);
        double surely = (double)stretch_set_length(exact, begin, end);
        inner += one_clock ? surely : (double)stretch_set_length(&at->sets[SET_INNER], begin, end);
        outer += one_clock ? surely + (double)stretch_set_length_without(&at->sets[SET_GAPPED],
                                                                         exact, begin, end)
                           : (double)stretch_set_length(&at->sets[SET_OUTER], begin, end);
    }
    double low = bounded ? fmax(inner, longest) : longest;
    double high = bounded ? fmin(outer, sum) : sum;
    nominal = fmin(fmax(nominal, low), high);
    to->busy =
        (struct result_busy){nominal * 1e-9,         low * 1e-9,          high * 1e-9,
                             blocks / nominal * 1e9, blocks / high * 1e9, blocks / low * 1e9};
}

/* Describes what all sources did, where it was the same. */
static void describe(const struct merge *m, const struct result_merged *merged, struct result *r)
{
    const char *workload = m->source_count ? m->sources[0].label : "";
    for (size_t i = 0; i < m->source_count; i++)
        if (strcmp(workload, m->sources[i].label) != 0)
            workload = "several workloads";
    snprintf(r->workload, sizeof r->workload, "%s", workload[0] ? workload : "all I/O");
    snprintf(r->target, sizeof r->target, "%llu source%s of %llu host%s",
             (unsigned long long)merged->sources, merged->sources == 1 ? "" : "s",
             (unsigned long long)merged->hosts, merged->hosts == 1 ? "" : "s");
}

/* When all sources are on one host, they are shown one by one. */
static enum merge_by shown_by(const struct merge *m, size_t hosts)
{
    return m->plan->by != MERGE_BY_NOTHING ? m->plan->by
           : hosts > 1                     ? MERGE_BY_HOST
                                           : MERGE_BY_SOURCE;
}

static int fill_merged(struct merge *m, struct merge_view *v, struct err *e)
{
    static const char *const names[] = {[MERGE_BY_HOST] = "host",
                                        [MERGE_BY_JOB] = "job",
                                        [MERGE_BY_OP] = "op",
                                        [MERGE_BY_DEVICE] = "device",
                                        [MERGE_BY_SOURCE] = "source"};
    struct result_merged *to = &v->merged;
    const struct span_ns span = measured_span(m);
    if (groups_find(m, MERGE_BY_HOST, &v->hosts, e))
        return -1;
    const enum merge_by by = shown_by(m, v->hosts.count);
    if ((by != MERGE_BY_HOST && groups_find(m, by, &v->groups, e)) || find_clocks(m, to, e))
        return -1;
    const struct merge_groups *shown = by != MERGE_BY_HOST ? &v->groups : &v->hosts;
    const bool of_ops = by == MERGE_BY_OP;
    if (averages_find(m, of_ops ? &v->hosts : shown, to, e))
        return -1;
    to->by = by == MERGE_BY_LABEL ? m->plan->by_label : names[by];
    to->of_ops = of_ops;
    to->averages_of = of_ops ? names[MERGE_BY_HOST] : to->by;
    to->sources = m->source_count;
    to->hosts = v->hosts.count;
    to->interval_seconds = (double)m->timeline.length_ns * 1e-9;
    to->groups_asked = m->plan->by != MERGE_BY_NOTHING;
    to->intervals_asked = m->plan->interval_ns > 0;
    to->groups = shown->groups;
    to->group_count = shown->count;
    if (m->source_count && m->sources[0].time != TIME_RELATIVE && span.begin) {
        format_instant(to->begin, sizeof to->begin, span.begin);
        format_instant(to->end, sizeof to->end, span.end);
    }
    find_busy(m, to);
    return 0;
}

struct merge_groups *shown_groups(struct merge *m, enum merge_by *by)
{
    *by = shown_by(m, m->view->hosts.count);
    return *by == MERGE_BY_HOST ? &m->view->hosts : &m->view->groups;
}

/* Shortens the first and the last interval, which were not measured for their whole time. */
static void cut_periods(const struct merge *m, struct contents *c, const struct result *r)
{
    const struct span_ns span = measured_span(m);
    const double first = c->measurement.history.count
                             ? (double)c->measurement.history.periods[0].number *
                                   (double)c->measurement.history.length_ns
                             : 0;
    for (size_t i = 0; i < r->period_count; i++) {
        struct result_period *p = &c->periods[i];
        double begin = first + p->begin_seconds * 1e9, end = begin + p->covered * 1e9;
        p->covered = fmax(0, fmin(end, (double)span.end) - fmax(begin, (double)span.begin)) * 1e-9;
    }
}

/* Adds the mean and the bandwidth of each interval, which histograms do not have. */
static void add_period_sums(const struct merge *m, struct contents *c, const struct result *r)
{
    const struct latency_history *h = &c->measurement.history;
    const struct timeline *t = &m->timeline;
    bool has_bytes = true;
    for (size_t i = 0; i < m->source_count; i++)
        has_bytes &= source_has_bytes(&m->sources[i], 0, OPERATIONS);
    for (size_t i = 0; i < r->period_count; i++) {
        struct result_period *p = &c->periods[i];
        struct slice_op sum = {0};
        const int op = operation_by_name(p->op);
        const uint64_t number =
            h->periods[0].number + (uint64_t)llround(p->begin_seconds / p->seconds);
        const uint64_t end = (number + 1) * h->length_ns;
        size_t k = timeline_from(t, number * h->length_ns / t->length_ns);
        for (; k < t->count && t->intervals[k]->number * t->length_ns < end; k++)
            for (unsigned slice = 0; slice < TIMELINE_SLICES && op < OPERATIONS; slice++)
                slice_op_add(&sum, &t->intervals[k]->slices[slice].op[op]);
        p->mean_ns = sum.ios ? (double)sum.latency_ns / (double)sum.ios : NAN;
        if (has_bytes && operation_has_bytes(op) && p->covered > 0)
            p->byte_rate = (double)sum.bytes / p->covered;
    }
}

int merge_result(struct merge *m, struct result *r, struct err *e)
{
    struct merge_view *v = calloc(1, sizeof *v);
    if (!v)
        return err_no_memory(e, "a result");
    merge_view_free(m->view);
    m->view = v;
    if (fill_contents(m, v, e) || fill_merged(m, v, e))
        return -1;
    summary_of_contents(&v->contents, &v->judged, &v->arena, r);
    leave_open_what_is_missing(m, r);
    r->goal = r->clause_count ? GOAL_CLAUSES : GOAL_MERGED;
    r->merged = &v->merged;
    r->judged_afterwards = true;
    merge_common_labels(m, &r->labels);
    merge_common_key(m, &r->key);
    snprintf(r->key.date, sizeof r->key.date, "%.31s", v->merged.begin);
    merge_options_shown(m, &r->options);
    cut_periods(m, &v->contents, r);
    add_period_sums(m, &v->contents, r);
    const struct latency_history *h = &v->contents.measurement.history;
    if (m->plan->interval_ns && h->count &&
        find_silent(m, r, h->periods[0].number * h->length_ns, &v->merged, e))
        return -1;
    describe(m, &v->merged, r);
    return merge_add_rows(m, &v->merged, r, e);
}
