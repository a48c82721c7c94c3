/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `cupel exec` prints and keeps. */
#ifndef CUPEL_CMD_EXEC_EXEC_OUTPUT_H
#define CUPEL_CMD_EXEC_EXEC_OUTPUT_H

#include "base/err.h"
#include "cmd/exec/exec_options.h"
#include "facts/execution.h"

/* Runs the plan, prints the result and keeps it; returns the exit status. */
int exec_options_run(const struct exec_options *o, struct err *e);

/* Prints a result in a format and, with a folder, writes its files. ERR_MACHINE, ERR_TARGET. */
int execution_output(const struct execution *x, const char *format, const char *folder,
                     struct err *e);

/* Returns exit status 0 for a precise result, else -1 with the reason why it is not precise. */
int execution_status(const struct execution *x, struct err *e);

#endif
