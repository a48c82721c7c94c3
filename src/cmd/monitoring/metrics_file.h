/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --metrics FILE: figures for a monitoring system, in a file that is always replaced as a whole. */
#ifndef CUPEL_CMD_MONITORING_METRICS_FILE_H
#define CUPEL_CMD_MONITORING_METRICS_FILE_H

#include <sys/types.h>

#include "base/err.h"
#include "facts/prometheus_exposition.h"
#include "many/merge/merge.h"

/* Fails with ERR_USAGE if the folder of the file does not exist. */
int metrics_check(const char *path, struct err *e);

/* Writes the figures of a merge, while it is followed (`followed`) or with its result (`r`); either
   may be NULL. */
int metrics_write_merge(const struct merge *m, enum merge_by by, const struct followed *followed,
                        const struct result *r, const char *path, struct err *e);

/* Writes the figures of one session's result, or of several. */
int metrics_write_result(const struct result *r, const char *path, struct err *e);

/*
 * Writes figures while a session measures. A separate process writes and replaces the file, so that
 * the measuring process allocates nothing and waits for no disk. Figures that the process cannot
 * accept at once are dropped; the next ones include them.
 *
 * Call metrics_writer_begin before anything is measured, then metrics_writer_send any number of
 * times in one thread, then metrics_writer_end.
 */
struct metrics_writer {
    int pipe; /* -1: there is no process, nothing is sent */
    pid_t process;
};

/* Starts the process. `labels` are written to the file together with the figures. With `path` ""
   there is no file and no process. Fails with ERR_MACHINE. */
int metrics_writer_begin(struct metrics_writer *w, const char *path, const struct labels *labels,
                         struct err *e);
void metrics_writer_send(const struct metrics_writer *w, const struct exposed_op ops[],
                         size_t count);
/* Waits until the process has ended. Afterwards only the caller writes the file. */
void metrics_writer_end(struct metrics_writer *w);

#endif
