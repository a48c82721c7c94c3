/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands print and keep whose result is a session of rounds. */
#ifndef CUPEL_CMD_EXECUTION_EXECUTION_OUTPUT_H
#define CUPEL_CMD_EXECUTION_EXECUTION_OUTPUT_H

#include "base/err.h"
#include "cmd/output/output.h"
#include "facts/execution.h"
#include "program/exec/exec.h"

/* Runs a session with its progress on standard error, and makes the result, which points into the
   session. Errors as exec_session_run; after 0 the caller frees the session. */
int execution_measure(const struct exec_plan *plan, struct exec_session **session,
                      struct execution *result, struct err *e);

/* Writes the files of a result into an existing folder. ERR_MACHINE, ERR_TARGET. */
int execution_write_files(const struct execution *x, const char *folder, struct err *e);

/* Prints a result in a form and, with a folder, writes its files. ERR_MACHINE, ERR_TARGET. */
int execution_output(const struct execution *x, const struct output_form *form, struct err *e);

/* Returns exit status 0 for a precise result, else -1 with the reason why it is not precise. */
int execution_status(const struct execution *x, struct err *e);

#endif
