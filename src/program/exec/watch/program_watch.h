/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches the machine while somebody else's program runs (Li et al., Pilot (2016), III-B): the data
 * paths of the files and devices that the program's command names and that it has open, its
 * threads, the processors, and the user's own components.
 *
 * A thread samples from the beginning to the end, as often as the given share of a processor
 * allows, so that events between rounds count, too. The program's processes are the children of
 * this process's first thread, and their descendants.
 */
#ifndef CUPEL_PROGRAM_EXEC_WATCH_PROGRAM_WATCH_H
#define CUPEL_PROGRAM_EXEC_WATCH_PROGRAM_WATCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/result.h"

struct program_watch;

struct program_watch_request {
    const char *const *words; /* words of the command, ended by NULL; the first one is the
                                 program */
    const char *directory;    /* the program's working directory; NULL: that of this process */
    const char *graph;        /* file with the user's components; or NULL */
    const char *remote;       /* capture of the server that holds files of the program; or NULL */
    /* the disk or folder on the server that holds these files; NULL: the folder that the mount
       names */
    const char *remote_target;
    const char *sysroot; /* folder with the sys and proc to read; NULL: those of this machine */
    bool in_process;     /* there is no program: this process does the work of the rounds itself */
    double cost;         /* maximum share of one processor that the samples may take */
};

/* Name of the part that stands for the program's busiest thread, as a share of a processor. */
#define PROGRAM_WATCH_BUSIEST "busiest thread"

#define PROGRAM_WATCH_PARTS 64
#define PROGRAM_WATCH_NOTES 8

struct program_watch_result {
    /* Measured parts; `under_test` marks disks, because a disk may be the bottleneck. */
    struct result_part parts[PROGRAM_WATCH_PARTS];
    size_t part_count, parts_left_out;
    struct result_note notes[PROGRAM_WATCH_NOTES];
    size_t note_count, notes_left_out;
    /* The load of other processes during the session, without this process and its children that
       have been waited for. `device` is unknown, because a program's bytes cannot be separated from
       those of others. */
    struct result_others others;
};

/* Begins watching. ERR_USAGE: the graph's file, one of its counters or the server's capture is
   wrong, or the capture lacks the device of a file that the command names. ERR_MACHINE: no
   memory. */
int program_watch_begin(struct program_watch **watch, const struct program_watch_request *request,
                        struct err *e);

/* Adds a warning about the machine. When the table is full, further warnings are counted. */
void program_watch_note(struct program_watch_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a part that was watched, all zeros, for the caller to fill. When the table is full, counts
   parts_left_out and returns NULL. */
struct result_part *program_watch_part(struct program_watch_result *result);

/* Adds a note about the parts that were left out; call it after the last part. */
void program_watch_note_parts(struct program_watch_result *result);

/* With `pauses`, leaves out what is sampled from now on, because no round runs for a while.
   Otherwise watches again, and measures the load of other programs anew. NULL is allowed. */
void program_watch_pause(struct program_watch *watch, bool pauses);

/* Ends watching and frees it. Both may be NULL. */
void program_watch_end(struct program_watch *watch, struct program_watch_result *result);

#endif
