/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges clauses about intervals of the wall clock: whether a limit is met in at least the given
 * share of them.
 *
 * Each interval is one reading that meets the limit or breaks it. Intervals that break it come in
 * clusters, so they count as a smaller number of independent ones. The same code does this for
 * latencies above a threshold.
 */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "run/result/internal.h"
#include "stat/estimate/limit_verdict.h"

/* Before the first cluster of broken intervals, the length of clusters is unknown. So
   CLUSTER_ASSUMED is assumed as their length, with the weight of CLUSTER_STRENGTH observed
   clusters. */
#define CLUSTER_ASSUMED  3.0
#define CLUSTER_STRENGTH 5.0

static struct exceedance with_assumed_clusters(struct exceedance e)
{
    double seen = e.share * e.effective_n, length = e.count / e.effective_n;
    double mean = (CLUSTER_STRENGTH * CLUSTER_ASSUMED + seen * length) / (CLUSTER_STRENGTH + seen);
    if (e.effective_n > 0)
        e.effective_n = fmin(e.effective_n, e.count / mean);
    return e;
}

/* Finds the groups whose middle is in the stable segment, as judged_stretches does. */
static void stable_groups(const struct contents *c, const struct judged *j,
                          const struct clause_periods *p, size_t *begin, size_t *end)
{
    const struct measurement *m = &c->measurement;
    const double scale = (double)(1ull << m->slice_fold);
    const double from = (double)j->headline.stable_begin * scale;
    const double to = (double)j->headline.stable_end * scale;
    const bool to_the_end = j->headline.stable_end == m->slice_count;
    *begin = *end = 0;
    for (size_t i = 0; i < clause_periods_groups(p); i++) {
        const struct period_group *g = clause_periods_group(p, i);
        double middle = ((double)g->begin + (double)g->end) / 2;
        if (middle < from || (middle >= to && !to_the_end))
            continue;
        if (*begin == *end)
            *begin = i;
        *end = i + 1;
    }
}

struct limit_verdict period_verdict(const struct clause_periods *p, size_t begin, size_t end,
                                    double confidence, double alpha, struct arena *scratch)
{
    const size_t mark = arena_mark(scratch), n = end - begin;
    struct exceedance most[PERIOD_THRESHOLDS], least[PERIOD_THRESHOLDS];
    double *broken = arena_alloc(scratch, n, sizeof *broken);
    double *count = arena_alloc(scratch, n, sizeof *count);
    for (int k = 0; k < 2 * PERIOD_THRESHOLDS; k++) {
        const int threshold = k / 2;
        const bool surely = k % 2;
        for (size_t i = 0; i < n; i++) {
            const struct period_group *g = clause_periods_group(p, begin + i);
            broken[i] = surely ? g->surely[threshold] : g->may[threshold];
            count[i] = g->count;
        }
        *(surely ? &least[threshold] : &most[threshold]) =
            with_assumed_clusters(exceedance_of(broken, count, n, confidence, scratch));
    }
    arena_reset(scratch, mark);
    const struct limit limit = {.value = p->clause.limit, .above = false, .alpha = alpha};
    const double share = p->clause.period_share;
    return limit_verdict_of_percentile(most, least, PERIOD_THRESHOLDS, NULL, share,
                                       most[0].share < 1 - share, n, &limit);
}

/* Writes text such as "117 of 120 intervals; about 40 intervals (7 min) more". */
static void describe(struct result_clause *to, const struct clause_periods *p)
{
    char seconds[UNITS_BUFFER];
    size_t used = (size_t)snprintf(to->note, sizeof to->note, "%.0f of %.0f intervals",
                                   to->periods_kept, to->periods);
    if (to->verdict)
        return;
    double more = to->more_seconds / ((double)p->clause.period_ns / 1e9);
    if (isfinite(more))
        snprintf(to->note + used, sizeof to->note - used, "; about %.0f intervals (%s) more",
                 fmax(1, ceil(more)), format_time(seconds, sizeof seconds, to->more_seconds * 1e9));
    else
        snprintf(to->note + used, sizeof to->note - used, "; too close to be decided");
}

/* Returns the verdict on a pass that is measured once: all of its intervals were seen, so they are
   counted, and nothing is estimated. */
static enum clause_verdict verdict_of_pass(const struct clause_periods *p, double all, double may,
                                           double surely)
{
    const double allowed = (1 - p->clause.period_share) * all * (1 + 1e-12);
    return !(all > 0)          ? CLAUSE_UNDECIDED
           : may <= allowed    ? CLAUSE_PASSED
           : surely <= allowed ? CLAUSE_UNDECIDED
                               : CLAUSE_FAILED;
}

void judge_periods(struct contents *c, const struct judged *j, const struct clause *clause,
                   double alpha, struct result_clause *to)
{
    const struct clause_periods *p = measurement_periods(&c->measurement, clause->text);
    size_t begin = 0, end = 0;
    double may = 0, surely = 0;
    to->kind = METRIC_KIND_SHARE;
    to->limit = clause->period_share;
    to->period_seconds = (double)clause->period_ns / 1e9;
    if (!p)
        return;
    stable_groups(c, j, p, &begin, &end);
    to->periods = 0;
    for (size_t i = begin; i < end; i++) {
        const struct period_group *g = clause_periods_group(p, i);
        to->periods += g->count;
        may += g->may[0];
        surely += g->surely[0];
    }
    to->periods_kept = to->periods - may;
    to->value = to->periods > 0 ? to->periods_kept / to->periods : NAN;
    if (plan_is_one_pass(&c->plan)) {
        to->verdict = verdict_of_pass(p, to->periods, may, surely);
        to->more_seconds = INFINITY;
    } else if (to->periods > 0) {
        struct limit_verdict v =
            period_verdict(p, begin, end, c->plan.statistics.confidence, alpha, &c->scratch);
        to->verdict = v.verdict == SEQUENTIAL_PASS   ? CLAUSE_PASSED
                      : v.verdict == SEQUENTIAL_FAIL ? CLAUSE_FAILED
                                                     : CLAUSE_UNDECIDED;
        to->more_seconds = (v.more - 1) * to->periods * to->period_seconds;
        to->unseen = limit_verdict_unseen(to->periods * to->period_seconds);
    } else {
        to->more_seconds = to->period_seconds;
    }
    describe(to, p);
}
