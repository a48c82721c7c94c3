/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/many/compare. */
#ifndef CUPEL_MANY_COMPARE_INTERNAL_H
#define CUPEL_MANY_COMPARE_INTERNAL_H

#include "many/compare/compare.h"
#include "program/exec/exec.h"

/* ---- stored_load.c: results that are loaded from a disk ---- */

/* Returns why a session with this end is incomplete, "it failed before its end"; NULL: it is
   complete. */
const char *stored_lack(enum verdict verdict);

/* A function that receives the result of a record, or of the folder of one or several sessions.
   stored_result_use returns ERR_USAGE if the record is damaged, so that nothing is decided by
   it. */
typedef int stored_use(void *context, const struct result *r, struct err *e);
int stored_result_use(const char *path, stored_use *use, void *context, struct err *e);

/* A function that receives the result of a program's rounds. */
typedef int stored_program_taker(void *context, const struct execution *x, struct err *e);
bool stored_is_program(const char *path);
int stored_program_use(const char *path, stored_program_taker *use, void *context, struct err *e);

/* ---- live_program.c ---- */

/* Writes the name of a program's metric: "read.iops", or "iops" for an index of all operations. */
#define PROGRAM_METRIC_MAX 64
void program_metric(char to[PROGRAM_METRIC_MAX], const char *op, const char *name);

/* ---- expected_relation.c ---- */

/* The parts of "A faster than B by 5%", "B repeats A" and "B repeats A or is faster". */
struct expected_order {
    const char *text;     /* the order as it was written */
    size_t first, second; /* indices of the two alternatives */
    bool negated;
    bool repeats, or_faster;
    enum comparison_verdict relation; /* COMPARISON_FASTER, _SLOWER or _SAME */
    double by;                        /* required difference, as a share */
};

/* Parses the order. Alternatives are A, B, C, or their names. ERR_USAGE: it cannot be read; the
   message has an example. */
int expected_order_parse(struct expected_order *to, const char *text, const struct comparison *c,
                         struct err *e);
/* Judges the order by the first metric of every group, and stores the verdict in c->expectation. */
void expected_order_judge(const struct expected_order *order, struct comparison *c);

#endif
