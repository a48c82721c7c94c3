/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --metrics FILE: figures for a monitoring system, replaced as a whole. */
#ifndef CUPEL_CMD_MONITORING_METRICS_H
#define CUPEL_CMD_MONITORING_METRICS_H

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

#endif
