/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/exec share. */
#ifndef CUPEL_CMD_EXEC_INTERNAL_H
#define CUPEL_CMD_EXEC_INTERNAL_H

#include <stddef.h>

#include "base/err.h"
#include "cmd/exec/exec_options.h"
#include "cmd/options/options.h"

/* Writes the name and value of each parameter in one combination. */
void exec_parameters_pick(const struct exec_parameters *from, size_t combination,
                          struct execution_parameter to[EXECUTION_PARAMETERS_MAX]);

/* Runs the plan, prints the result and keeps it. Returns the exit status. In exec_output.c. */
int exec_options_run(const struct exec_options *o, struct err *e);

#endif
