/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine while somebody else's program runs (Li et al., Pilot (2016), III-B): the data paths
 * of the files and devices that its words name and that it has open, its threads, the processors,
 * and the user's own components.
 *
 * A thread of its own samples, as often as costs at most the share that is given, from the
 * beginning to the end: what happens between rounds counts too. The program's processes are the
 * children of the process's first thread, and theirs.
 */
#ifndef CUPEL_EXEC_WATCH_PROGRAM_WATCH_H
#define CUPEL_EXEC_WATCH_PROGRAM_WATCH_H

#include <math.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/result.h"

struct program_watch;

struct program_watch_request {
    const char *const *words; /* of the command, ended by NULL; the first one is the program */
    const char *directory;    /* that it runs in; NULL: this one */
    const char *graph;        /* file of the user's components; NULL: none */
    const char *remote; /* capture of the server that holds files of the program; NULL: none */
    const char *remote_target; /* what holds them there; NULL: as the mount says */
    const char *sysroot; /* folder with the sys and proc that are read; NULL: this machine's */
    double cost;         /* of one processor, at most */
};

/* The part that is the program's busiest thread, of a processor. */
#define PROGRAM_WATCH_BUSIEST "busiest thread"

#define PROGRAM_WATCH_PARTS 64
#define PROGRAM_WATCH_NOTES 4

struct program_watch_result {
    /* Parts that were measured, `under_test` where they are disks; a disk may be the bottleneck. */
    struct result_part parts[PROGRAM_WATCH_PARTS];
    size_t part_count, parts_left_out;
    struct result_note notes[PROGRAM_WATCH_NOTES];
    size_t note_count, notes_left_out;
    /* What others had meanwhile: without this process and the processes that it has waited for.
       `device` is not known: a program's bytes are not told apart from those of others. */
    struct result_others others;
};

/* ERR_USAGE: the graph's file is wrong, or one of its counters, or the server's capture, or it
   lacks what holds a file that the words name. ERR_MACHINE: no memory. */
int program_watch_begin(struct program_watch **watch, const struct program_watch_request *request,
                        struct err *e);

/* A warning about the machine; a full table says how many more there are. */
void program_watch_note(struct program_watch_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A part that was watched, zeros for the caller to fill. NULL: there is no room, and
   parts_left_out counts it. */
struct result_part *program_watch_part(struct program_watch_result *result);

/* A note on the parts that have no room, once all of them are there. */
void program_watch_note_parts(struct program_watch_result *result);

/* End it and free it; `result` may be NULL. NULL is nothing. */
void program_watch_end(struct program_watch *watch, struct program_watch_result *result);

#endif
