/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges limits (clauses) on a column of readings. */
#include "stat/column_verdict.h"

#include <math.h>

int column_clauses_parse(struct clauses *to, const char *text, enum mean_kind mean, struct err *e)
{
    if (clauses_parse_numbers(to, text, e))
        return -1;
    for (size_t i = 0; i < to->count; i++) {
        const struct clause *c = &to->clause[i];
        if (c->subject != CLAUSE_MEAN)
            continue;
        if (mean == MEAN_PROPORTION && !(c->limit > 0 && c->limit < 1))
            return err_set(e, ERR_USAGE, "%s: a proportion lies between 0 and 1, as in mean<0.01",
                           c->text);
        if (mean == MEAN_HARMONIC && !(c->limit > 0))
            return err_set(e, ERR_USAGE, "%s: a harmonic mean is above 0, as in mean<200", c->text);
    }
    return 0;
}

/* A harmonic mean keeps its limit if the arithmetic mean of 1/x keeps the inverse of the limit. */
static struct limit_verdict judge_harmonic(const struct estimate *estimate, struct limit limit)
{
    struct estimate inverse = *estimate;
    inverse.mean = 1 / estimate->mean;
    inverse.low = isfinite(estimate->high) ? 1 / estimate->high : -INFINITY;
    inverse.high = estimate->low > 0 ? 1 / estimate->low : INFINITY;
    inverse.part_low = 1 / estimate->part_high;
    inverse.part_high = 1 / estimate->part_low;
    limit.value = 1 / limit.value;
    limit.above = !limit.above;
    return limit_verdict_of_mean(&inverse, &limit);
}

static struct limit_verdict judge_mean(const struct judged_column *of, const struct limit *limit)
{
    const struct estimate *estimate = of->estimate;
    if (of->mean == MEAN_PROPORTION)
        return limit_verdict_of_share(estimate->mean, estimate->effective_n, limit);
    return of->mean == MEAN_HARMONIC ? judge_harmonic(estimate, *limit)
                                     : limit_verdict_of_mean(estimate, limit);
}

/* Returns the largest value that is exceeded by at least the given share of all values. */
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

/* A pass needs a level that lasts, or a limit far from all levels. If it has neither, the verdict
   becomes undecided, and more readings would not help. */
static void withhold_pass(const struct judged_column *of, bool far, struct column_verdict *to)
{
    const struct judgement *j = of->judgement;
    const char *reason = j->phase == PHASE_NO_STEADY_STATE && !far ? "there is no steady level"
                         : j->stable_end < of->n                   ? "ends at another level"
                                                                   : NULL;
    bool has_reason = to->verdict == SEQUENTIAL_UNDECIDED && to->note[0];
    if (!reason || to->verdict == SEQUENTIAL_FAIL || has_reason)
        return;
    to->verdict = SEQUENTIAL_UNDECIDED;
    to->more_readings = INFINITY;
    to->note = reason;
}

/* Judges the largest value of the stable segment. The verdict is about these readings only, not
   about later ones. */
static struct column_verdict judge_max(const struct percentile_column *column,
                                       const struct clause *clause)
{
    const double value = column->value[column->cells - 1];
    const bool kept = value < clause->limit;
    return (struct column_verdict){.verdict = kept ? SEQUENTIAL_PASS : SEQUENTIAL_FAIL,
                                   .value = value,
                                   .note = kept ? "of these readings; it promises nothing of others"
                                                : ""};
}

struct column_verdict column_verdict_of(const struct judged_column *of, const struct clause *clause,
                                        double alpha, struct arena *scratch)
{
    struct limit limit = {clause->limit, clause->relation == CLAUSE_ABOVE, alpha};
    struct limit_verdict verdict;
    double value = of->estimate->mean;
    if (clause_is_max(clause))
        return judge_max(of->column, clause);
    if (clause->subject == CLAUSE_PERCENTILE) {
        value = percentile_of_column(of->column, clause->share, of->confidence, scratch).value;
        verdict =
            judge_percentile(of->column, value, clause->share, of->confidence, &limit, scratch);
    } else {
        verdict = judge_mean(of, &limit);
    }
    struct column_verdict to = {.verdict = verdict.verdict,
                                .value = value,
                                .more_readings = (verdict.more - 1) * (double)of->column->n,
                                .note = verdict.lack ? verdict.lack : ""};
    withhold_pass(of, verdict.far, &to);
    return to;
}
