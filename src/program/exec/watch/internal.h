/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/program/exec/watch. */
#ifndef CUPEL_PROGRAM_EXEC_WATCH_INTERNAL_H
#define CUPEL_PROGRAM_EXEC_WATCH_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/path/data_path.h"
#include "hw/remote/remote_end.h"
#include "program/exec/watch/program_watch.h"

/* ---- program_files.c: the devices that the program's files lie on ---- */

#define PROGRAM_DEVICES 64

struct program_files {
    const struct sysroot *root;
    struct inventory *inventory;
    /* the server, whose parts are appended to the first path that leads to it; or NULL */
    const struct remote_end *remote;
    bool remote_joined;
    struct err remote_fault;        /* reason why `remote` could not be appended */
    struct data_path path;          /* joined paths of all devices; a shared part occurs once */
    dev_t devices[PROGRAM_DEVICES]; /* devices that were examined, with or without a path */
    size_t device_count;
    bool devices_full; /* the program has files on more devices than that */
};

/* Adds the files and devices that the words of the command name. */
void program_files_named(struct program_files *files, const char *const *words,
                         const char *directory);

/* Adds the files that a process has open. Returns true if the path has new parts. */
bool program_files_open(struct program_files *files, pid_t process);

/* ---- program_threads.c: the program's processes, and the processor time of their threads ---- */

#define PROGRAM_PROCESSES 256
#define PROGRAM_THREADS   1024

struct program_thread {
    pid_t id;
    uint64_t ns;   /* processor time at the last call of program_threads_look */
    uint32_t look; /* number of the call of program_threads_look that saw the thread last */
};

struct program_threads {
    pid_t processes[PROGRAM_PROCESSES];
    size_t process_count;
    struct program_thread threads[PROGRAM_THREADS];
    size_t thread_count;
    uint32_t look;
    double seconds; /* time of the last call; 0: there was none */
};

/* the program's use of processors since the last call; NaN at the first call */
struct program_use {
    double busiest; /* processors that its most active thread used, at most 1 */
    double all;     /* processors that all its threads used together */
};

/* Finds the present processes and the processor time of their threads. Returns the program's use of
   processors since the last call. */
struct program_use program_threads_look(struct program_threads *threads, double seconds);

#endif
