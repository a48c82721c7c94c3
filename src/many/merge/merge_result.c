/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the system's result: judges a timeline like the readings of one session. A slice is a
 * fifth of an interval; time in which no source measured is left out. Intervals of --interval are
 * shown but not judged, so that their length changes no verdict.
 */
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "run/plan/plan_values.h"
#include "run/result/session_judgement.h"

#define BLOCK_BYTES 512.0
/* Maximum number of silent intervals: a longer table of empty intervals helps nobody. */
#define SILENT_MAX 100000

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

/* ---- the time that was measured ---- */

/* Returns true if every source states its time in flight. Otherwise the union of these times is not
   known, and so neither is BPS. */
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

/* ---- facts that the result has in addition to its rows ---- */

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
 * Computes bounds of the time in which at least one source had I/O in flight. It is at least the
 * time that was surely busy, and the busy time of any source; it is at most the time that may have
 * been busy, and the sum over sources. When all sources have one clock, only gaps that were not
 * recorded one by one leave it uncertain.
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

/* Describes the workload and the target, as far as they are the same for all sources. */
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

/* Returns the groups that are shown. Without a choice of the user they are hosts, or single sources
   if all sources are on one host. */
static enum merge_by shown_by(const struct merge *m, size_t hosts)
{
    return m->plan->by != MERGE_BY_NOTHING ? m->plan->by
           : hosts > 1                     ? MERGE_BY_HOST
                                           : MERGE_BY_SOURCE;
}

static int fill_merged(struct merge *m, const struct span_ns *span, struct merge_view *v,
                       struct err *e)
{
    static const char *const names[] = {[MERGE_BY_HOST] = "host",
                                        [MERGE_BY_JOB] = "job",
                                        [MERGE_BY_OP] = "op",
                                        [MERGE_BY_DEVICE] = "device",
                                        [MERGE_BY_SOURCE] = "source"};
    struct result_merged *to = &v->merged;
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
    if (m->source_count && m->sources[0].time != TIME_RELATIVE && span->begin) {
        format_instant(to->begin, sizeof to->begin, span->begin);
        format_instant(to->end, sizeof to->end, span->end);
    }
    find_busy(m, to);
    return 0;
}

struct merge_groups *shown_groups(struct merge *m, enum merge_by *by)
{
    *by = shown_by(m, m->view->hosts.count);
    return *by == MERGE_BY_HOST ? &m->view->hosts : &m->view->groups;
}

/* Shortens the first and the last interval to the time in which they were measured. */
static void cut_periods(const struct span_ns *span, struct contents *c, const struct result *r)
{
    const double first = c->measurement.history.count
                             ? (double)c->measurement.history.periods[0].number *
                                   (double)c->measurement.history.length_ns
                             : 0;
    for (size_t i = 0; i < r->period_count; i++) {
        struct result_period *p = &c->periods[i];
        double begin = first + p->begin_seconds * 1e9, end = begin + p->covered * 1e9;
        p->covered =
            fmax(0, fmin(end, (double)span->end) - fmax(begin, (double)span->begin)) * 1e-9;
    }
}

/* Adds the mean and the bandwidth of each interval, which cannot be computed from histograms. */
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

/* ---- intervals in which sources measured but no I/O was under way: a stall, or idleness ---- */

static bool was_measured(const struct merge *m, uint64_t begin_ns, uint64_t end_ns)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].begin_ns < end_ns && m->sources[i].end_ns > begin_ns)
            return true;
    return false;
}

static struct result_period *add_silent(struct result_merged *to, size_t *room)
{
    return array_grow(&to->silent, sizeof *to->silent, to->silent_count, room)
               ? &to->silent[to->silent_count++]
               : NULL;
}

/* Finds the silent intervals between one period of an operation and its next. first_ns: begin of
   the first interval. */
static int find_silent(const struct merge *m, const struct result *r, uint64_t first_ns,
                       struct result_merged *to, struct err *e)
{
    size_t room = 0;
    for (size_t i = 0; i + 1 < r->period_count; i++) {
        const struct result_period *a = &r->periods[i], *b = a + 1;
        const uint64_t length_ns = (uint64_t)(a->seconds * 1e9 + 0.5);
        if (strcmp(a->op, b->op) != 0 || strcmp(a->job, b->job) != 0 || !length_ns)
            continue;
        uint64_t at_ns = first_ns + (uint64_t)(a->begin_seconds * 1e9 + 0.5) + length_ns;
        uint64_t end_ns = first_ns + (uint64_t)(b->begin_seconds * 1e9 + 0.5);
        for (; at_ns + length_ns / 2 < end_ns && to->silent_count < SILENT_MAX;
             at_ns += length_ns) {
            if (!was_measured(m, at_ns, at_ns + length_ns))
                continue;
            struct result_period *silent = add_silent(to, &room);
            if (!silent)
                return err_no_memory(e, "intervals");
            *silent = (struct result_period){.begin_seconds = (double)(at_ns - first_ns) * 1e-9,
                                             .seconds = a->seconds,
                                             .covered = a->seconds};
            snprintf(silent->op, sizeof silent->op, "%s", a->op);
            snprintf(silent->job, sizeof silent->job, "%s", a->job);
            format_instant(silent->begin, sizeof silent->begin, at_ns);
        }
    }
    return 0;
}

/* ---- verdicts that missing sources leave undecided ---- */

/* Returns why a source may be incomplete or inexact; NULL if it is complete and exact. */
static const char *lack_of(const struct merge_source *s)
{
    return s->failed            ? "failed"
           : s->cut_short       ? "breaks off"
           : s->damaged         ? "is damaged"
           : !s->end_ns         ? "holds no I/O"
           : s->values_averaged ? "holds means"
                                : NULL;
}

/* Makes a limit that holds undecided if something is missing, because the missing part may break
   it. A broken limit stays broken. */
static void leave_open_what_is_missing(const struct merge *m, struct result *r)
{
    const struct merge_source *first = NULL;
    size_t count = 0;
    char words[sizeof r->clauses->note] = "";
    for (size_t i = 0; i < m->source_count; i++)
        if (lack_of(&m->sources[i])) {
            first = first ? first : &m->sources[i];
            count++;
        }
    if (first)
        snprintf(words, sizeof words, "kept by what is there, but %.40s %s%s",
                 first->host[0] ? first->host : first->name, lack_of(first),
                 count > 1 ? ", and others lack something" : "");
    else if (m->unread_records)
        snprintf(words, sizeof words, "kept by what is there, but %zu record%s could not be read",
                 m->unread_records, m->unread_records == 1 ? "" : "s");
    else if (m->missing_ranks)
        snprintf(words, sizeof words, "kept by what is there, but %zu rank%s left no record",
                 m->missing_ranks, m->missing_ranks == 1 ? "" : "s");
    for (size_t i = 0; i < r->clause_count && words[0]; i++) {
        struct result_clause *clause = &r->clauses[i];
        if (clause->verdict != CLAUSE_PASSED)
            continue;
        clause->verdict = CLAUSE_UNDECIDED;
        clause->more_seconds = INFINITY;
        snprintf(clause->note, sizeof clause->note, "%s", words);
    }
}

/* ---- the whole ---- */

/* Collects the members of a result's key that all sources share. */
static void common_key(const struct merge *m, struct result_key *to)
{
    const struct merge_source *first = m->source_count ? &m->sources[0] : NULL;
    *to = (struct result_key){.rw = ""};
    if (!first)
        return;
    snprintf(to->rw, sizeof to->rw, "%s", first->rw);
    to->block_size = first->block_size;
    to->iodepth = first->iodepth;
    to->jobs = first->jobs;
    for (size_t i = 1; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (strcmp(to->rw, s->rw) != 0)
            to->rw[0] = '\0';
        to->block_size = to->block_size == s->block_size ? s->block_size : 0;
        to->iodepth = to->iodepth == s->iodepth ? s->iodepth : 0;
        to->jobs = to->jobs == s->jobs ? s->jobs : 0;
    }
}

/* Collects the options of the merge itself. */
static void options_shown(const struct merge *m, struct option_values *to)
{
    static const char *const shown[] = {"confidence", "changepoint", "sla"};
    *to = (struct option_values){.count = 0};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        plan_value_add(to, plan_field(shown[i]), &m->plan->statistics);
    struct option_value *interval = option_values_add(to, "interval", "_seconds");
    if (m->plan->interval_ns) {
        interval->kind = OPTION_VALUE_NUMBER;
        interval->is.number = (double)m->plan->interval_ns * 1e-9;
    }
}

int merge_result(struct merge *m, struct result *r, struct err *e)
{
    struct merge_view *v = calloc(1, sizeof *v);
    if (!v)
        return err_no_memory(e, "a result");
    merge_view_free(m->view);
    m->view = v;
    const struct span_ns span = measured_span(m);
    if (merge_fill_contents(m, &span, &v->contents, &v->arena, e) || fill_merged(m, &span, v, e))
        return -1;
    summary_of_contents(&v->contents, &v->judged, &v->arena, r);
    leave_open_what_is_missing(m, r);
    r->goal = r->clause_count ? GOAL_CLAUSES : GOAL_MERGED;
    r->merged = &v->merged;
    r->judged_afterwards = true;
    merge_common_labels(m, &r->labels);
    common_key(m, &r->key);
    snprintf(r->key.date, sizeof r->key.date, "%.31s", v->merged.begin);
    options_shown(m, &r->options);
    cut_periods(&span, &v->contents, r);
    add_period_sums(m, &v->contents, r);
    const struct latency_history *h = &v->contents.measurement.history;
    if (m->plan->interval_ns && h->count &&
        find_silent(m, r, h->periods[0].number * h->length_ns, &v->merged, e))
        return -1;
    describe(m, &v->merged, r);
    return merge_add_rows(m, &v->merged, r, e);
}
