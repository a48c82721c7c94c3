/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command line, carried out. */
#ifndef CUPEL_CMD_DISPATCH_H
#define CUPEL_CMD_DISPATCH_H

#include "base/err.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"

/* A command line, taken apart; it points into argv. */
struct dispatch {
    const struct command *command; /* NULL: there is none of that name */
    struct option_set set;
};

/* The command that argv[1..argc) names and its options, not yet converted. ERR_USAGE. */
int dispatch_read(struct dispatch *d, int argc, char *const argv[], struct err *e);

/* Carry out what was read, as dispatch_command does. */
int dispatch_run(const struct dispatch *d);

/*
 * Run what argv[1..argc) says; argv[0] is not looked at. The result goes to stdout, an error as one
 * line to stderr. Returns the exit status (enum err_code). Once per process: a command's signal
 * handlers and changed streams stay.
 */
int dispatch_command(int argc, char *const argv[]);

#endif
