/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands print and keep if their result is a session of rounds. */
#ifndef CUPEL_CMD_EXECUTION_ROUNDS_OUTPUT_H
#define CUPEL_CMD_EXECUTION_ROUNDS_OUTPUT_H

#include "base/err.h"
#include "cmd/output/output.h"
#include "facts/execution.h"
#include "program/exec/exec.h"

/* Runs a session, shows its progress on standard error, and sets *result, which points into the
   session. Fails as exec_session_run does. After 0, the caller frees the session. */
int execution_measure(const struct exec_plan *plan, struct exec_session **session,
                      struct execution *result, struct err *e);

/* Writes the files of a result into an existing folder. Fails with ERR_MACHINE or ERR_TARGET. */
int execution_write_files(const struct execution *x, const char *folder, struct err *e);

/* Prints a result in the given form and, if that has a folder, writes its files. Fails with
   ERR_MACHINE or ERR_TARGET. */
int execution_output(const struct execution *x, const struct output_form *form, struct err *e);

/* Returns the exit status: 0 for a precise result, otherwise -1 with the reason in *e. */
int execution_status(const struct execution *x, struct err *e);

#endif
