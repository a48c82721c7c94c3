/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes evidence and p-value of differences that a test makes. */
#ifndef TESTS_UNIT_DIFFERENCES_H
#define TESTS_UNIT_DIFFERENCES_H

#include "stat/compare/difference.h"

#define DIFFERENCES_MAX 4096

static inline struct difference differences_of(const double d[], size_t n, struct arena *scratch)
{
    static const double zeros[DIFFERENCES_MAX];
    struct difference to;
    difference_pairs(&to, d, zeros, n, 0, DEPENDENCE_OPEN, scratch);
    return to;
}

static inline double evidence_of(const double d[], size_t n, struct arena *scratch)
{
    struct difference of = differences_of(d, n, scratch);
    return difference_evidence(&of, 0);
}

static inline double p_value_of(const double d[], size_t n, struct arena *scratch)
{
    struct difference of = differences_of(d, n, scratch);
    return difference_p_value(&of, 0);
}

#endif
