/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command line. */
#ifndef CUPEL_CMD_DISPATCH_H
#define CUPEL_CMD_DISPATCH_H

#include "base/err.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"

/* A parsed command line. It points into argv. */
struct dispatch {
    const struct command *command; /* NULL: no command has this name */
    struct option_set set;
};

/* Finds the command that argv[1] names, and collects its options from the arguments after it,
   without converting their values. Fails with ERR_USAGE. */
int dispatch_read(struct dispatch *d, int argc, char *const argv[], struct err *e);

/* Runs a parsed command line, as dispatch_command does. */
int dispatch_run(const struct dispatch *d);

/*
 * Runs the command line argv[1] to argv[argc - 1]; argv[0] is ignored. Prints the result to stdout,
 * an error as one line to stderr. Returns the exit status (enum err_code). Call it once in a
 * process: a command's signal handlers and changes of streams remain.
 */
int dispatch_command(int argc, char *const argv[]);

#endif
