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
    const struct remote_end *remote; /* appended to the first path that leads to it; or NULL */
    bool remote_joined;
    struct err remote_fault;        /* why it could not be appended */
    struct data_path path;          /* path of all devices; shared parts occur once */
    dev_t devices[PROGRAM_DEVICES]; /* devices that were examined, with or without a path */
    size_t device_count;
    bool devices_full; /* the program has files on more devices */
};

/* Adds the files and devices that the words name. */
void program_files_named(struct program_files *files, const char *const *words,
                         const char *directory);

/* Adds the files that a process has open. True: the path has new parts. */
bool program_files_open(struct program_files *files, pid_t process);

/* ---- program_threads.c: its processes, and the processor time of their threads ---- */

#define PROGRAM_PROCESSES 256
#define PROGRAM_THREADS   1024

struct program_thread {
    pid_t id;
    uint64_t ns;   /* processor time at the last look */
    uint32_t look; /* number of that look */
};

struct program_threads {
    pid_t processes[PROGRAM_PROCESSES];
    size_t process_count;
    struct program_thread threads[PROGRAM_THREADS];
    size_t thread_count;
    uint32_t look;
    double seconds; /* time of the last look; 0: none */
};

/* the program's use of processors since the last look; NaN at the first one */
struct program_use {
    double busiest; /* share of one processor that the most active thread used */
    double all;     /* all threads together, in processors */
};

/* Finds the processes now, and the processor time of their threads. */
struct program_use program_threads_look(struct program_threads *threads, double seconds);

#endif
