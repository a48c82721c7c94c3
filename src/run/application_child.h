/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that is recorded: a child that waits before its first instruction until everything is
 * ready to see it.
 */
#ifndef CUPEL_RUN_APPLICATION_CHILD_H
#define CUPEL_RUN_APPLICATION_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct child {
    pid_t process;
    int descriptor;  /* readable when it has ended (pidfd) */
    int go, failure; /* pipes */
    bool ended;
    int status; /* of waitpid, when it has ended */
};

/*
 * Make the child. It has the standard input of this process and its standard output, or with
 * `output_to_errors` its standard error for both; its signal mask is `mask`. ERR_MACHINE.
 */
int child_prepare(struct child *c, char *const command[], bool output_to_errors,
                  const sigset_t *mask, struct err *e);

/* Let it execute the command. ERR_TARGET: that could not be started; the child is gone. */
int child_start(struct child *c, const char *name, struct err *e);

/* Has it ended? Does not wait. */
bool child_has_ended(struct child *c);

/* Give up what is left; a child that was not started ends. One that runs is left alone. */
void child_release(struct child *c);

#endif
