/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes percentiles of a column, and the clauses of --sla on it. */
#include <math.h>
#include <stdio.h>

#include "cmd/column/column.h"
#include "stat/column_verdict.h"

#define PERCENTILE_ENTRY(metric, share) {metric, share},
static const struct {
    enum metric_id metric;
    double share;
} percentiles[ANALYSIS_PERCENTILES] = {PERCENTILE_ROWS(PERCENTILE_ENTRY)};
#undef PERCENTILE_ENTRY

static const struct {
    const char *name;
    double share;
} deep[ANALYSIS_DEEP_PERCENTILES] = {
    {"p99.999", 0.99999}, {"p99.9999", 0.999999}, {"p99.99999", 0.9999999}};

size_t column_limits_scratch_bytes(size_t n)
{
    return percentile_column_scratch_bytes(n);
}

static void take_percentile(struct analysis *a, const struct percentile_column *column,
                            const char *name, double share, struct arena *scratch)
{
    struct percentile p = percentile_of_column(column, share, a->confidence, scratch);
    struct analysis_percentile *to = &a->percentiles[a->percentile_count++];
    *to = (struct analysis_percentile){.name = name,
                                       .share = p.share,
                                       .value = p.value,
                                       .low = p.low,
                                       .high = p.high,
                                       .effective_n = p.effective_n};
    percentile_words(&p, (double)column->n, "values", to->note, sizeof to->note);
}

static void take_percentiles(struct analysis *a, const struct percentile_column *column,
                             struct arena *scratch)
{
    for (size_t i = 0; i < ANALYSIS_PERCENTILES; i++)
        take_percentile(a, column, metric_of(percentiles[i].metric)->title, percentiles[i].share,
                        scratch);
    /* Deep percentiles without an interval are left out, as columns rarely have enough readings. */
    for (size_t i = 0; i < ANALYSIS_DEEP_PERCENTILES; i++) {
        take_percentile(a, column, deep[i].name, deep[i].share, scratch);
        if (!isfinite(a->percentiles[a->percentile_count - 1].low))
            a->percentile_count--;
    }
}

/* Stores the verdict on a clause. `readings` is the number of readings that were judged. */
static void take_verdict(struct result_clause *to, const struct clause *c,
                         const struct column_verdict *verdict, double readings)
{
    static const enum clause_verdict verdicts[] = {[SEQUENTIAL_UNDECIDED] = CLAUSE_UNDECIDED,
                                                   [SEQUENTIAL_PASS] = CLAUSE_PASSED,
                                                   [SEQUENTIAL_FAIL] = CLAUSE_FAILED};
    *to = (struct result_clause){.kind = METRIC_KIND_NUMBER,
                                 .is_fact = clause_is_fact(c),
                                 .verdict = verdicts[verdict->verdict],
                                 .value = verdict->value,
                                 .limit = c->limit,
                                 .more_readings = verdict->more_readings};
    if (to->verdict == CLAUSE_PASSED && !clause_is_fact(c))
        to->unseen = limit_verdict_unseen(readings);
    snprintf(to->text, sizeof to->text, "%s", c->text);
    snprintf(to->note, sizeof to->note, "%s", verdict->note);
}

void column_limits(struct analysis *a, const struct clauses *clauses,
                   const struct judgement *judgement, const struct estimate *decided,
                   enum mean_kind mean, struct arena *scratch)
{
    struct percentile_column column;
    size_t mark = arena_mark(scratch), n = a->stable_end - a->stable_begin;
    percentile_column_make(&column, a->values + a->stable_begin, n, scratch);
    take_percentiles(a, &column, scratch);
    const struct judged_column of = {a->n, judgement, decided, &column, mean, a->confidence};
    const size_t estimated = clauses_estimated(clauses);
    const double alpha = (1 - a->confidence) / (double)(estimated ? estimated : 1);
    for (size_t i = 0; i < clauses->count; i++) {
        struct column_verdict verdict = column_verdict_of(&of, &clauses->clause[i], alpha, scratch);
        take_verdict(&a->clauses[a->clause_count++], &clauses->clause[i], &verdict, (double)n);
    }
    arena_reset(scratch, mark);
}
