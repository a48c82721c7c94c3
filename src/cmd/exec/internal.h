/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/exec. */
#ifndef CUPEL_CMD_EXEC_INTERNAL_H
#define CUPEL_CMD_EXEC_INTERNAL_H

#include <stddef.h>

#include "base/err.h"
#include "cmd/exec/exec_options.h"
#include "cmd/options/options.h"

/* Picks the values of one combination. */
void exec_parameters_pick(const struct exec_parameters *from, size_t combination,
                          struct execution_parameter to[EXECUTION_PARAMETERS_MAX]);

/* exec_output.c: runs the plan, prints the result and keeps it; returns the exit status. */
int exec_options_run(const struct exec_options *o, struct err *e);

#endif
