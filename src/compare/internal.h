/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/compare share. */
#ifndef CUPEL_COMPARE_INTERNAL_H
#define CUPEL_COMPARE_INTERNAL_H

#include "compare/compare.h"

/* ---- expected_order.c ---- */

/* "A faster than B by 5%", taken apart. */
struct expected_order {
    const char *text;     /* as it was written */
    size_t first, second; /* alternatives */
    bool negated;
    enum comparison_verdict relation; /* COMPARISON_FASTER, _SLOWER or _SAME */
    double by;                        /* share */
};

/* ERR_USAGE: with an example. Alternatives are A, B, C, or their names. */
int expected_order_parse(struct expected_order *to, const char *text, const struct comparison *c,
                         struct err *e);
/* Into c->expectation, by the first metric of every group. */
void expected_order_judge(const struct expected_order *order, struct comparison *c);

#endif
