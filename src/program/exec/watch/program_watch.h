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
#ifndef CUPEL_PROGRAM_EXEC_WATCH_PROGRAM_WATCH_H
#define CUPEL_PROGRAM_EXEC_WATCH_PROGRAM_WATCH_H

#include <math.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/result.h"

struct program_watch;

struct program_watch_request {
    const char *const *words; /* of the command, ended by NULL; the first one is the program */
    const char *directory;    /* that it runs in; NULL: this one */
    const char *graph;        /* file of the user's components; or NULL */
    const char *remote; /* capture of the server that holds files of the program; NULL: none */
    const char *remote_target; /* what holds them there; NULL: as the mount says */
    const char *sysroot; /* folder with the sys and proc that are read; NULL: this machine's */
    double cost;         /* of one processor, at most */
};

/* Name of the part that is the program's busiest thread, as a share of a processor. */
#define PROGRAM_WATCH_BUSIEST "busiest thread"

#define PROGRAM_WATCH_PARTS 64
#define PROGRAM_WATCH_NOTES 4

struct program_watch_result {
    /* Parts that were measured, `under_test` where they are disks; a disk may be the bottleneck. */
    struct result_part parts[PROGRAM_WATCH_PARTS];
    size_t part_count, parts_left_out;
    struct result_note notes[PROGRAM_WATCH_NOTES];
    size_t note_count, notes_left_out;
    /* What other processes used meanwhile: without this process and those that it has waited for.
       `device` is unknown, since a program's bytes cannot be separated from others'. */
    struct result_others others;
};

/* ERR_USAGE: the graph's file is wrong, or one of its counters, or the server's capture, or it
   lacks what holds a file that the words name. ERR_MACHINE: no memory. */
int program_watch_begin(struct program_watch **watch, const struct program_watch_request *request,
                        struct err *e);

/* Adds a warning about the machine; when the table is full, further ones are counted. */
void program_watch_note(struct program_watch_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a part that was watched, zeroed, for the caller to fill. NULL: there is no room, and
   parts_left_out counts it. */
struct result_part *program_watch_part(struct program_watch_result *result);

/* Adds a note on the parts without room, once all parts are there. */
void program_watch_note_parts(struct program_watch_result *result);

/* Ends the watching and frees it; `result` may be NULL. `watch` may be NULL. */
void program_watch_end(struct program_watch *watch, struct program_watch_result *result);

#endif
