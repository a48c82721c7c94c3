/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of a session that is one of many ranks of a launcher, and how a rank names its files. */
#ifndef CUPEL_CMD_RUN_LAUNCH_OPTIONS_H
#define CUPEL_CMD_RUN_LAUNCH_OPTIONS_H

#include <stddef.h>

#include "base/err.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "facts/result.h"
#include "run/launch/launcher.h"

/* Makes the common start from the options and the launcher's variables, and expands a template in
   the folder of -o in place. Fails with ERR_USAGE. */
int launch_options_read(const struct option_set *set, struct launch_options *o, char *folder,
                        size_t size, struct err *e);

/* Does the same for a session of I/O, gives each rank its own seed, and expands a template in
   TARGET. Fails with ERR_USAGE, or with ERR_UNSAFE if a template names something that would be
   destroyed. */
int launch_options_check(const struct option_set *set, struct run_options *o, struct err *e);

/* Only expands a file name of -o for this rank and creates its parent folder, for commands without
   the other launch options. Fails with ERR_USAGE. */
int launch_output_name(char *name, size_t size, struct err *e);

/* Creates the folders above that of -o, and that of --start-together, before anything is opened.
   Fails with ERR_USAGE. */
int launch_options_prepare(const struct launch_options *o, const char *folder, struct err *e);

/* If there are several ranks, puts the rank and the host before the message. Always returns -1. */
int launch_error(const struct launcher *launcher, struct err *e);

/* Prints the result as one line, as many ranks share one standard output. Fails with
   ERR_MACHINE. */
int launch_print_line(const struct result *result, const struct run_options *o, struct err *e);

#endif
