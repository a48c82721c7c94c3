/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of many ranks: the options of a launcher, and how a rank names its files. */
#ifndef CUPEL_CMD_RUN_LAUNCH_OPTIONS_H
#define CUPEL_CMD_RUN_LAUNCH_OPTIONS_H

#include <stddef.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "facts/result.h"

/* Handles the launcher's variables, a seed for each rank, the common start, and templates in -o and
   TARGET. ERR_USAGE; ERR_UNSAFE: a template names something that would be destroyed. */
int launch_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Handles -o alone, for a command without the rest: the name for this rank, and its parent folder,
   which is created. ERR_USAGE. */
int launch_output_name(char *name, size_t size, struct err *e);

/* Creates the folders above -o and of --start-together, before anything is opened. ERR_USAGE. */
int launch_options_prepare(const struct run_options *o, struct err *e);

/* Puts the rank and the host before a message when there are several ranks. Always returns -1. */
int launch_error(const struct run_options *o, struct err *e);

/* Prints the result as one line, since many ranks share one standard output. ERR_MACHINE. */
int launch_print_line(const struct result *result, const struct run_options *o, struct err *e);

#endif
