/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/compare share. */
#ifndef CUPEL_COMPARE_INTERNAL_H
#define CUPEL_COMPARE_INTERNAL_H

#include "compare/compare.h"
#include "exec/exec.h"

/* ---- stored.c ---- */

/* Why a session that ended like this is not all that was to be measured, "it failed before its
   end"; NULL: it is. */
const char *stored_lack(enum verdict verdict);

/* The result of a record, or of the folder of one session or of several, to a function. ERR_USAGE:
   it is damaged, so that nothing should be decided by it. */
typedef int stored_use(void *context, const struct result *r, struct err *e);
int stored_result_use(const char *path, stored_use *use, void *context, struct err *e);

/* The same of a program's rounds. */
typedef int stored_program_taker(void *context, const struct execution *x, struct err *e);
bool stored_is_program(const char *path);
int stored_program_use(const char *path, stored_program_taker *use, void *context, struct err *e);

/* ---- live_program.c ---- */

/* "read.iops", or where an index is of all operations "iops": no other index has that. */
#define PROGRAM_METRIC_MAX 64
void program_metric(char to[PROGRAM_METRIC_MAX], const char *op, const char *name);

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
