/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a column of numbers is held against: its percentiles, and the clauses of --sla. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/internal.h"
#include "stat/estimate/limit_verdict.h"
#include "stat/estimate/percentile_column.h"
#include "stat/judge.h"

#define PERCENTILE_ENTRY(metric, share) {metric, share},
static const struct {
    enum metric_id metric;
    double share;
} percentiles[ANALYSIS_PERCENTILES] = {PERCENTILE_ROWS(PERCENTILE_ENTRY)};
#undef PERCENTILE_ENTRY

size_t column_limits_scratch_bytes(size_t n)
{
    return percentile_column_scratch_bytes(n);
}

int column_clauses_parse(struct clauses *to, const char *sla, enum mean_kind mean, struct err *e)
{
    if (clauses_parse_numbers(to, sla, e))
        return err_context(e, "--sla");
    for (size_t i = 0; i < to->count; i++) {
        const struct clause *c = &to->clause[i];
        if (c->subject != CLAUSE_MEAN)
            continue;
        if (mean == MEAN_PROPORTION && !(c->limit > 0 && c->limit < 1))
            return err_set(e, ERR_USAGE,
                           "--sla %s: a proportion lies between 0 and 1, as in mean<0.01", c->text);
        if (mean == MEAN_HARMONIC && !(c->limit > 0))
            return err_set(e, ERR_USAGE, "--sla %s: a harmonic mean is above 0, as in mean<200",
                           c->text);
    }
    return 0;
}

static void take_percentiles(struct analysis *a, const struct percentile_column *column,
                             struct arena *scratch)
{
    for (size_t i = 0; i < ANALYSIS_PERCENTILES; i++) {
        struct analysis_percentile *to = &a->percentiles[i];
        struct percentile p =
            percentile_of_column(column, percentiles[i].share, a->confidence, scratch);
        *to = (struct analysis_percentile){.name = metric_of(percentiles[i].metric)->title,
                                           .share = p.share,
                                           .value = p.value,
                                           .low = p.low,
                                           .high = p.high,
                                           .effective_n = p.effective_n};
        percentile_words(&p, (double)column->n, "values", to->note, sizeof to->note);
    }
}

/* A harmonic mean keeps its limit when the mean of 1/x keeps the limit's inverse. */
static struct limit_verdict judge_harmonic(const struct estimate *estimate, struct limit limit)
{
    struct estimate inverse = *estimate;
    inverse.mean = 1 / estimate->mean;
    inverse.low = isfinite(estimate->high) ? 1 / estimate->high : -INFINITY;
    inverse.high = estimate->low > 0 ? 1 / estimate->low : INFINITY;
    limit.value = 1 / limit.value;
    limit.above = !limit.above;
    return limit_verdict_of_mean(&inverse, &limit);
}

static struct limit_verdict judge_mean(const struct estimate *estimate, enum mean_kind mean,
                                       const struct limit *limit)
{
    if (mean == MEAN_PROPORTION)
        return limit_verdict_of_share(estimate->mean, estimate->effective_n, limit);
    return mean == MEAN_HARMONIC ? judge_harmonic(estimate, *limit)
                                 : limit_verdict_of_mean(estimate, limit);
}

/* The value that so large a share of all lie above. */
static double value_below(const struct percentile_column *column, double share)
{
    double above = 0;
    size_t cell = column->cells - 1;
    while (cell > 0 && (above += column->count[cell]) < share * (double)column->n)
        cell--;
    return column->value[cell > 0 ? cell - 1 : 0];
}

static struct limit_verdict judge_percentile(const struct percentile_column *column, double value,
                                             double share, double confidence,
                                             const struct limit *limit, struct arena *scratch)
{
    struct exceedance most =
        percentile_column_above(column, limit->value, true, confidence, scratch);
    struct exceedance least =
        percentile_column_above(column, limit->value, false, confidence, scratch);
    const double wider[LIMIT_WIDE] = {fmin(0.5, LIMIT_WIDER * (1 - share)), 0.5};
    struct exceedance wide[LIMIT_WIDE];
    for (int i = 0; i < LIMIT_WIDE; i++)
        wide[i] = percentile_column_above(column, value_below(column, wider[i]), false, confidence,
                                          scratch);
    return limit_verdict_of_percentile(&most, &least, 1, wide, share, value < limit->value,
                                       column->stretches, limit);
}

static void take_verdict(struct result_clause *to, const struct clause *c,
                         const struct limit_verdict *verdict, double value, size_t n)
{
    *to =
        (struct result_clause){.kind = METRIC_KIND_NUMBER,
                               .verdict = verdict->verdict == SEQUENTIAL_PASS   ? CLAUSE_PASSED
                                          : verdict->verdict == SEQUENTIAL_FAIL ? CLAUSE_FAILED
                                                                                : CLAUSE_UNDECIDED,
                               .value = value,
                               .limit = c->limit,
                               .more_readings = (verdict->more - 1) * (double)n};
    snprintf(to->text, sizeof to->text, "%s", c->text);
    if (verdict->lack)
        snprintf(to->note, sizeof to->note, "%s", verdict->lack);
}

/* What was measured passes no clause when it is not what will be, and more of it would not either.
   A failure stands all the same. */
static void withhold_pass(const struct analysis *a, struct result_clause *to)
{
    const char *reason = !strcmp(a->phase, phase_name(PHASE_NO_STEADY_STATE))
                             ? "there is no steady level"
                         : a->stable_end < a->n ? "ends at another level"
                                                : NULL;
    bool has_reason = to->verdict == CLAUSE_UNDECIDED && to->note[0];
    if (!reason || to->verdict == CLAUSE_FAILED || has_reason)
        return;
    to->verdict = CLAUSE_UNDECIDED;
    to->more_readings = INFINITY;
    snprintf(to->note, sizeof to->note, "%s", reason);
}

void column_limits(struct analysis *a, const struct clauses *clauses,
                   const struct estimate *estimate, enum mean_kind mean, struct arena *scratch)
{
    struct percentile_column column;
    size_t mark = arena_mark(scratch), n = a->stable_end - a->stable_begin;
    percentile_column_make(&column, a->values + a->stable_begin, n, scratch);
    take_percentiles(a, &column, scratch);
    for (size_t i = 0; i < clauses->count; i++) {
        const struct clause *c = &clauses->clause[i];
        struct result_clause *to = &a->clauses[a->clause_count++];
        struct limit limit = {c->limit, c->relation == CLAUSE_ABOVE,
                              (1 - a->confidence) / (double)clauses->count};
        struct limit_verdict verdict;
        double value = estimate->mean;
        if (c->subject == CLAUSE_PERCENTILE) {
            value = percentile_of_column(&column, c->share, a->confidence, scratch).value;
            verdict = judge_percentile(&column, value, c->share, a->confidence, &limit, scratch);
        } else {
            verdict = judge_mean(estimate, mean, &limit);
        }
        take_verdict(to, c, &verdict, value, n);
        withhold_pass(a, to);
    }
    arena_reset(scratch, mark);
}
