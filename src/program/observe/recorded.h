/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose I/O is recorded: that of a program which is started, of running processes, or of a control
   group. Part of src/program/observe/internal.h, for files that need no more. */
#ifndef CUPEL_PROGRAM_OBSERVE_RECORDED_H
#define CUPEL_PROGRAM_OBSERVE_RECORDED_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "program/observe/recorder.h"
#include "program/observe/tracepoint/io_call.h"

/* ---- the program that is recorded: recorded_program.c ---- */

/*
 * The program runs as a child that waits before its first instruction until the recording is ready.
 */

struct child {
    pid_t process;
    int descriptor;  /* a pidfd: readable when the child has ended */
    int go, failure; /* ends of two pipes: one lets the child go on, one brings its failure */
    bool ended;
    int status; /* from waitpid, when the child has ended */
};

/*
 * Make the child. It has this process's standard input and output; with `output_to_errors` its
 * standard output goes to standard error as well. Its signal mask is `mask`. ERR_MACHINE.
 */
int child_prepare(struct child *c, char *const command[], bool output_to_errors,
                  const sigset_t *mask, struct err *e);

/* Let the child execute the command. ERR_USAGE: the command could not be started; the child is
   gone. */
int child_start(struct child *c, const char *name, struct err *e);

/* Has the child ended? Does not wait. */
bool child_has_ended(struct child *c);

/* Release everything; a child that was not started ends. A child that runs is left alone. */
void child_release(struct child *c);

/* ---- running processes: running_processes.c ---- */

/*
 * Running processes are found through /proc and held by descriptors that show their end, so that a
 * process number that is used again causes no mistake. The processes are not changed.
 */
struct running {
    size_t count;
    int descriptors[RECORDING_PROCESSES_MAX]; /* a pidfd for each */
    int ended;       /* an epoll descriptor: readable when one of them has ended; -1: no process was
                        found so far */
    size_t alive;    /* number of processes whose end was not seen */
    char words[256]; /* "1234 (fio), 1240 (fio)" */
    unsigned char *followed; /* one bit for each possible process number */
};

/* Find the processes of the plan. ERR_USAGE names one that does not exist, a thread, a kernel
   thread or this process itself; ERR_MACHINE: the process may not be examined. */
int running_find(struct running *p, const struct recording_plan *plan, struct err *e);

/* Follow the processes and all their children, present and future ones. ERR_USAGE: all of them have
   ended by now. */
int running_follow(struct running *p, const struct recording_plan *plan, struct io_calls *calls,
                   struct err *e);

/* Have all of them ended? Does not wait. */
bool running_have_ended(struct running *p);

void running_release(struct running *p);

/* ---- a control group: control_group.c ---- */

struct control_group {
    uint64_t number; /* its number in the kernel's events */
    unsigned level;  /* number of groups above it */
    int folder;
    char path[PATH_MAX]; /* absolute */
};

/* Finds the group. ERR_USAGE: there is no such group, or it is not of version 2; ERR_MACHINE: the
   machine has no groups of version 2, or they cannot be seen from here. The caller releases it in
   every case. */
int control_group_find(struct control_group *g, const char *path, struct err *e);
bool control_group_is_gone(const struct control_group *g);
void control_group_release(struct control_group *g);

#endif
