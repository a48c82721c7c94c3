/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command line, carried out. */
#ifndef CUPEL_CMD_DISPATCH_H
#define CUPEL_CMD_DISPATCH_H

/*
 * Run what argv[1..argc) says; argv[0] is not looked at. The result goes to stdout, an error as one
 * line to stderr. Returns the exit status (enum err_code). Once per process: a command's signal
 * handlers and changed streams stay.
 */
int dispatch_command(int argc, char *const argv[]);

#endif
