/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose I/O is recorded: a program that is started, processes that run already, a control group.
   Part of src/observe/internal.h, for the files that need no more. */
#ifndef CUPEL_OBSERVE_RECORDED_H
#define CUPEL_OBSERVE_RECORDED_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "observe/recorder.h"
#include "observe/tracepoint/io_call.h"

/* ---- the program that is recorded: recorded_program.c ---- */

/*
 * It is a child that waits before its first instruction until everything is
 * ready to see it.
 */

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

/* Let it execute the command. ERR_USAGE: that could not be started; the child is gone. */
int child_start(struct child *c, const char *name, struct err *e);

/* Has it ended? Does not wait. */
bool child_has_ended(struct child *c);

/* Give up what is left; a child that was not started ends. One that runs is left alone. */
void child_release(struct child *c);

/* ---- processes that run already: running_processes.c ---- */

/*
 * They are looked at through /proc and held by descriptors that show their end, so that a number
 * that is used again is not mistaken. Nothing is done to them.
 */
struct running {
    size_t count;
    int descriptors[RECORDING_PROCESSES_MAX]; /* pidfd */
    int ended;       /* readable when one of them has ended (epoll); -1: none was found yet */
    size_t alive;    /* not seen to have ended */
    char words[256]; /* "1234 (fio), 1240 (fio)" */
    unsigned char *followed; /* a bit for each number that there can be */
};

/* Take in the processes of the plan. ERR_USAGE names one that is not there, a thread, a kernel
   thread or this process itself; ERR_MACHINE: it may not be looked at. */
int running_find(struct running *p, const struct recording_plan *plan, struct err *e);

/* Follow them and all children that they have, and so those that come. ERR_USAGE: all of them have
   ended by now. */
int running_follow(struct running *p, const struct recording_plan *plan, struct io_calls *calls,
                   struct err *e);

/* Have all of them ended? Does not wait. */
bool running_have_ended(struct running *p);

void running_release(struct running *p);

/* ---- a control group: control_group.c ---- */

struct control_group {
    uint64_t number; /* as the kernel's events have it */
    unsigned level;  /* how many groups lie above it */
    int folder;
    char path[PATH_MAX]; /* absolute */
};

/* ERR_USAGE: no such group, or not one of version 2; ERR_MACHINE: there are none of these, or they
   cannot be seen from here. The caller releases it in every case. */
int control_group_find(struct control_group *g, const char *path, struct err *e);
bool control_group_is_gone(const struct control_group *g);
void control_group_release(struct control_group *g);

#endif
