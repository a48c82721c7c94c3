/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/exec. */
#ifndef CUPEL_CMD_EXEC_INTERNAL_H
#define CUPEL_CMD_EXEC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/exec/exec_options.h"
#include "cmd/options/options.h"

/* exec_parameters.c: reads all parameters; and the values of one combination. ERR_USAGE. */
int exec_parameters_read(const struct option_set *set, struct exec_parameters *to, struct err *e);
void exec_parameters_pick(const struct exec_parameters *from, size_t combination,
                          struct execution_parameter to[EXECUTION_PARAMETERS_MAX]);

/* Reads variables for the program, "NAME=VALUE"; and exit codes, "0,2-4" or "any". ERR_USAGE. */
int exec_environment_read(const struct option_set *set, struct exec_options *o, struct err *e);
int exec_exit_codes_parse(const char *text, bool ok[256], struct err *e);

#endif
