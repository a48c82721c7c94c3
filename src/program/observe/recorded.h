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

/* ---- a control group: control_group.c ---- */

struct control_group {
    uint64_t number; /* its number in the kernel's events */
    unsigned level;  /* number of groups above it */
    int folder;
    char path[PATH_MAX]; /* absolute */
};

/* ---- what a recording does with them ---- */

/*
 * One of them, as the plan says; its state is in the recorder. Functions that it does not need are
 * NULL.
 */
struct recorder;
struct recorded_kind {
    int (*find)(struct recorder *r, struct err *e);    /* before anything of the kernel is opened */
    int (*prepare)(struct recorder *r, struct err *e); /* last of all preparations */
    int (*begin)(struct recorder *r, struct err *e);   /* its calls are seen from here on */
    bool (*have_ended)(struct recorder *r);            /* does not wait */
    void (*release)(struct recorder *r);               /* in every case, also after errors */
};
extern const struct recorded_kind recorded_program, recorded_processes, recorded_group;

#endif
