/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/merge share. */
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
    double stale_seconds; /* a record that did not grow for this long is silent */
    char metrics[1024];   /* file of --metrics, written after every interval; or "" */
    char on_violation[VIOLATION_COMMAND_MAX];
};

/*
 * Follows records that still grow, until all have ended, a signal arrives, or o->for_seconds have
 * passed. In each interval it shows one screen or line about all of them together, and runs
 * o->on_violation for clauses that fail. Then it sets *m to all records, which the caller frees.
 * Fails with ERR_USAGE, with ERR_UNDECIDED if no record had a reading, or with ERR_MACHINE.
 */
int merge_follow(struct merge **m, const struct merge_plan *plan, const struct follow_options *o,
                 const char *format, struct violations *violations, struct err *e);

#endif
