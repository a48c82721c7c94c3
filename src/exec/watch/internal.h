/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/exec/watch share. */
#ifndef CUPEL_EXEC_WATCH_INTERNAL_H
#define CUPEL_EXEC_WATCH_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "exec/watch/program_watch.h"
#include "facts/inventory.h"
#include "hw/path/data_path.h"
#include "hw/remote/remote_end.h"

/* ---- program_files.c: the devices that the program's files lie on ---- */

#define PROGRAM_DEVICES 64

struct program_files {
    const struct sysroot *root;
    struct inventory *inventory;
    const struct remote_end *remote; /* joined to the first path that leaves it; or NULL */
    bool remote_joined;
    struct err remote_fault;        /* why it could not be */
    struct data_path path;          /* of all of them: parts that they share stand once */
    dev_t devices[PROGRAM_DEVICES]; /* that were looked at, with a path or without */
    size_t device_count;
    bool devices_full; /* the program has files on more devices */
};

/* Files and devices that the words name. */
void program_files_named(struct program_files *files, const char *const *words,
                         const char *directory);

/* Those that a process has open. True: the path has new parts. */
bool program_files_open(struct program_files *files, pid_t process);

/* ---- program_threads.c: its processes, and the processor time of their threads ---- */

#define PROGRAM_PROCESSES 256
#define PROGRAM_THREADS   1024

struct program_thread {
    pid_t id;
    uint64_t ns;   /* of processor time, at the last look */
    uint32_t look; /* the number of that look */
};

struct program_threads {
    pid_t processes[PROGRAM_PROCESSES];
    size_t process_count;
    struct program_thread threads[PROGRAM_THREADS];
    size_t thread_count;
    uint32_t look;
    double seconds; /* of the last look; 0: none */
};

/* Of the time since the last look; NaN at the first one. */
struct program_use {
    double busiest; /* the thread that used most of it, as a share of one processor */
    double all;     /* all threads together, in processors */
};

/* Find the processes now, and what their threads used. */
struct program_use program_threads_look(struct program_threads *threads, double seconds);

#endif
