/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of a recording: what a descriptor of a system call stands for, by what the kernel told
 * (tracepoint/io_call.h). Memory comes from the caller's arena; one thread at a time.
 */
#ifndef CUPEL_RUN_APPLICATION_FILES_H
#define CUPEL_RUN_APPLICATION_FILES_H

#include "base/application.h"
#include "base/arena.h"
#include "run/application_mounts.h"
#include "tracepoint/io_call.h"

/* What can be behind a descriptor; I/O counts on the first two only, and flushes on folders. */
enum file_class {
    FILE_REGULAR,
    FILE_BLOCK,
    FILE_FOLDER,
    FILE_PIPE,
    FILE_SOCKET,
    FILE_CHARACTER, /* terminals, /dev/null */
    FILE_KERNEL,    /* /proc, /sys, event descriptors: no storage behind them */
    FILE_NONE,      /* no such descriptor */
    FILE_CLASSES
};

const char *file_class_name(enum file_class kind); /* "pipes", "sockets" ... */
enum file_class file_class_of(const struct io_call_begin *call);

#define FILES_MOST     4096 /* the others share one row */
#define FILES_NO_TRACE 0xffffu

struct file {
    uint32_t device;     /* it lies on; of a block device: its own number */
    uint32_t generation; /* of the inode */
    uint64_t inode;
    enum file_class kind;
    bool path_known; /* otherwise `name` is only the end of it */
    uint16_t trace;  /* its number in the trace, or FILES_NO_TRACE */
    uint64_t next;   /* where the last I/O ended */
    struct application_file sums;
};

struct files {
    struct file *rows; /* the last one is of all others */
    uint16_t *slots;   /* row + 1, by hash */
    size_t count;
    uint64_t others; /* I/Os of files that found no row */
    struct mounts mounts;
};

int files_init(struct files *f, struct arena *arena, struct err *e);
size_t files_bytes(void);

/* The index of the file of that call, made when it is new. Its path is what the process tells while
   it lives, and otherwise what the kernel told, below where its filesystem is mounted. */
int32_t files_find(struct files *f, const struct io_call_begin *call, enum file_class kind,
                   uint32_t process, uint64_t descriptor);

/* The path of the file of that record goes on (IO_CALL_MORE). */
void files_add_path(struct files *f, const struct io_call_begin *more);

#endif
