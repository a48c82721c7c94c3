/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --metrics FILE: figures for a monitoring system, replaced as a whole. */
#ifndef CUPEL_CMD_MONITORING_METRICS_H
#define CUPEL_CMD_MONITORING_METRICS_H

#include <sys/types.h>

#include "base/err.h"
#include "facts/exposition.h"
#include "merge/merge.h"

/* Would there be a folder for the file? ERR_USAGE. */
int metrics_check(const char *path, struct err *e);

/* Write or replace the file; "": nothing. ERR_TARGET, ERR_MACHINE. */
int metrics_write(const struct exposition *x, const char *path, struct err *e);

/* The same of a merge: while it is followed, or with its result; either may be NULL. */
int metrics_write_merge(const struct merge *m, enum merge_by by, const struct followed *followed,
                        const struct result *r, const char *path, struct err *e);

/* The same of one session's result, or of several. */
int metrics_write_result(const struct result *r, const char *path, struct err *e);

/*
 * The same while a session measures: a process of its own makes and replaces the file, so that
 * nothing is allocated and no disk is waited for where it is measured. What it cannot take at once
 * is left out; the next figures hold it.
 *
 * Owner: begin before anything is measured, any number of send by one thread, end.
 */
struct metrics_writer {
    int pipe; /* -1: there is none, and nothing is sent */
    pid_t process;
};

/* The labels stand in the file beside the figures. "": no file. ERR_MACHINE. */
int metrics_writer_begin(struct metrics_writer *w, const char *path, const struct labels *labels,
                         struct err *e);
void metrics_writer_send(const struct metrics_writer *w, const struct exposed_op ops[],
                         size_t count);
/* Wait until it is done: afterwards the file is the caller's again. */
void metrics_writer_end(struct metrics_writer *w);

#endif
