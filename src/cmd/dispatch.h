/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command line. */
#ifndef CUPEL_CMD_DISPATCH_H
#define CUPEL_CMD_DISPATCH_H

#include "base/err.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"

/* A parsed command line; it points into argv. */
struct dispatch {
    const struct command *command; /* NULL: there is no command of that name */
    struct option_set set;
};

/* Finds the command that argv[1..argc) names, and its options, not yet converted. ERR_USAGE. */
int dispatch_read(struct dispatch *d, int argc, char *const argv[], struct err *e);

/* Runs a parsed command line, as dispatch_command does. */
int dispatch_run(const struct dispatch *d);

/*
 * Runs the command line argv[1..argc); argv[0] is ignored. The result goes to stdout, an error as
 * one line to stderr. Returns the exit status (enum err_code). Call it once per process: a
 * command's signal handlers and changed streams stay.
 */
int dispatch_command(int argc, char *const argv[]);

#endif
