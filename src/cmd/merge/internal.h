/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/merge. */
#ifndef CUPEL_CMD_MERGE_INTERNAL_H
#define CUPEL_CMD_MERGE_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/monitoring/violation_command.h"

/* ---- cupel merge --follow (merge_follow.c) ---- */

struct merge;
struct merge_plan;

struct follow_options {
    bool follow;
    double for_seconds;   /* 0: until all records have ended */
    double stale_seconds; /* a record that has not grown for this long is silent */
    char metrics[1024];   /* file written at every interval; or "" */
    char on_violation[VIOLATION_COMMAND_MAX];
};

/*
 * Follows records that still grow, until all have ended, a signal comes or o->for_seconds are over.
 * In each interval it shows one screen or line about all of them together, and runs the command of
 * o->on_violation for clauses that fail. Then *m holds all records; the caller frees it. ERR_USAGE;
 * ERR_UNDECIDED: no record had a reading; ERR_MACHINE.
 */
int merge_follow(struct merge **m, const struct merge_plan *plan, const struct follow_options *o,
                 const char *format, struct violations *violations, struct err *e);

#endif
