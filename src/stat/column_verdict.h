/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a column of readings keeps limits, such as "p99<500, mean<200" in the column's
 * unit. The limits are clauses (facts/clause.h), and are judged on the stable segment that judge.h
 * found. The verdicts stay valid however often they are asked for (limit_verdict.h). Pure, any
 * thread.
 */
#ifndef CUPEL_STAT_COLUMN_VERDICT_H
#define CUPEL_STAT_COLUMN_VERDICT_H

#include "facts/clause.h"
#include "stat/estimate/limit_verdict.h"
#include "stat/estimate/percentile_column.h"
#include "stat/judge.h"

/* Parses clauses about a column. ERR_USAGE: a clause is not about a column, or a mean of this kind
   cannot have this limit. */
int column_clauses_parse(struct clauses *to, const char *text, enum mean_kind mean, struct err *e);

struct judged_column {
    size_t n; /* number of all readings */
    const struct judgement *judgement;
    /* the mean, and the confidence interval that a verdict about the mean uses */
    const struct estimate *estimate;
    const struct percentile_column *column; /* percentiles of the stable segment */
    enum mean_kind mean;
    double confidence;
};

struct column_verdict {
    enum sequential_verdict verdict;
    double value; /* the measured value that the clause limits */
    /* number of further readings expected to decide; 0: decided; may be infinite */
    double more_readings;
    const char *note; /* reason why the verdict is undecided, or "" */
};

/*
 * Judges one clause. `alpha` is the chance that this verdict is ever wrong. A clause cannot pass
 * without a steady level, unless it is about a mean and its limit is far from every value that was
 * measured (limit_is_far). It cannot pass either when the last readings are at another level, since
 * the measured value may not last. A failure remains a failure in both cases. Scratch:
 * percentile_column_scratch_bytes.
 */
struct column_verdict column_verdict_of(const struct judged_column *of, const struct clause *clause,
                                        double alpha, struct arena *scratch);

#endif
