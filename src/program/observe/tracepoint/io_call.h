/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The I/O system calls of processes and their children, of a control group or of all processes,
 * each with its file, as the kernel sees them.
 *
 * A program in the kernel (BPF) sees every system call of the processes that are followed. For the
 * calls of the table below it writes records into the rings of a struct tracepoints: one when the
 * call begins, with the file that its descriptor has at that instant, and one when it ends. So the
 * file is known even if the process ends soon, and no process is stopped or changed.
 *
 * The caller ends it with io_calls_detach; the struct tracepoints must outlive it. Nothing stays in
 * the kernel when the descriptors are closed, no matter how the process ends.
 */
#ifndef CUPEL_PROGRAM_OBSERVE_TRACEPOINT_IO_CALL_H
#define CUPEL_PROGRAM_OBSERVE_TRACEPOINT_IO_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "program/observe/tracepoint/tracepoint.h"

enum io_call_kind {
    IO_CALL_READ,
    IO_CALL_WRITE,
    IO_CALL_FLUSH,
    IO_CALL_MOVE, /* reads one file and writes the other: sendfile, copy_file_range, splice */
    IO_CALL_RING, /* passes requests to io_uring; argument 1 is their number */
    IO_CALL_AIO,  /* io_submit passes requests: argument 1 is their number */
    IO_CALL_MAP,  /* mmap: argument 2 is the protection, 3 the flags */
};

/* How a call states the number of bytes that it requests. */
enum io_length {
    IO_LENGTH_NONE,    /* the call requests no bytes */
    IO_LENGTH_BYTES,   /* argument 2 is their number */
    IO_LENGTH_VECTORS, /* argument 1 points to the vectors, argument 2 is their number */
    IO_LENGTH_UNKNOWN  /* the call states only a maximum, or requests everything that there is */
};

struct io_call_row {
    uint16_t number;
    enum io_call_kind kind;
    enum io_length length;
    int8_t read_file, write_file; /* index of the argument with the descriptor; -1: none */
    int8_t offset;                /* index of the argument with the offset; -1: the file's own
                                     position is used */
    /* index of the argument that points to the offset, which may be NULL; -1: no such argument */
    int8_t read_pointer, write_pointer;
};

extern const struct io_call_row io_call_rows[];
extern const size_t io_call_count;
const struct io_call_row *io_call_row_of(uint32_t number);

/* One of io_uring's operations, like a row of io_call_rows. */
struct io_ring_row {
    uint8_t operation;
    enum io_call_kind kind;
    enum io_length length;
};
extern const struct io_ring_row io_ring_rows[];
extern const size_t io_ring_count;
const struct io_ring_row *io_ring_row_of(uint32_t operation);

/* The operations of io_submit (linux/aio_abi.h). */
extern const struct io_ring_row io_submit_rows[];
extern const size_t io_submit_count;
const struct io_ring_row *io_submit_row_of(uint32_t operation);

/* The kinds of records. */
enum io_call_part {
    IO_CALL_FIRST,  /* a call begins */
    IO_CALL_SECOND, /* the second file of the call that begins */
    IO_CALL_END,    /* a call ends: struct io_call_end */
    /* the next part of the path of the record before, whose part did not reach the root */
    IO_CALL_MORE,
    /* io_uring takes a request; arguments: its address, the offset, and the requested bytes (for
       vectors see below) */
    IO_RING_BEGIN,
    IO_RING_END,     /* io_uring has done a request; arguments: its address, the result in 32
                        bits */
    IO_SUBMIT_BEGIN, /* io_submit is called with a request; arguments: its address, the offset, the
                        requested bytes, the descriptor, and its index in the call */
    IO_SUBMIT_END    /* io_getevents returned requests: struct io_submit_end */
};

/* For a call with vectors, argument 1 is replaced by the sum of their bytes, or by this value if
   the sum is not known: there are more vectors than IO_CALL_VECTORS_MAX, or their memory could not
   be read. */
#define IO_ASKED_UNKNOWN    UINT64_MAX
#define IO_CALL_VECTORS_MAX 64
#define IO_SUBMIT_VECTORS_MAX                                                                      \
    8 /* maximum for each request; more would make the kernel's check of the program too long */

#define IO_CALL_ARGUMENTS  5
#define IO_CALL_PATH_PARTS 8
#define IO_CALL_PART_BYTES 36

/* The record that the kernel program writes when a call begins, or when io_uring has done a
   request. A record IO_RING_BEGIN ends after the arguments. Numbers are the kernel's own. */
struct io_call_begin {
    uint16_t mark;   /* always TRACEPOINT_OUTPUT_MARK */
    uint16_t part;   /* enum io_call_part */
    uint32_t number; /* number of the system call, or io_uring's operation */
    uint64_t arguments[IO_CALL_ARGUMENTS];
    uint64_t position, inode, size; /* `position`: the file's position before the call */
    uint64_t filesystem;            /* magic number of the filesystem */
    uint32_t device;                /* the device on which the file lies: major << 20 | minor */
    uint32_t special;               /* for a device file: the device that it stands for */
    uint32_t flags;                 /* flags of open(2) */
    /* generation of the inode, since inode numbers are used again */
    uint32_t generation;
    uint16_t mode; /* mode, as in stat(2); 0: there is no such descriptor */
    /* not 0: a 32-bit program, for which calls have other numbers */
    uint16_t compat;
    uint32_t unused;
    /* The names from the file upwards, each ended by '\0'; "/" stands for the root of the
       filesystem. Sent with the first call on a file; in later calls the first name is empty. */
    char path[IO_CALL_PATH_PARTS][IO_CALL_PART_BYTES];
};

#define IO_RING_BEGIN_BYTES offsetof(struct io_call_begin, position)

/* The record that is written when a call ends. */
struct io_call_end {
    uint16_t mark, part;
    uint32_t number;
    int64_t result; /* as the call returns it: bytes, or a negative errno */
};

/* Maximum numbers of requests in one call of io_submit, and of io_getevents, for which records are
   written. */
#define IO_SUBMIT_MAX 128
#define IO_REAP_MAX   1024

/* Requests that io_getevents returned. One call may need several such records. */
#define IO_SUBMIT_ENDS 8
struct io_submit_end {
    uint16_t mark, part;
    uint32_t count;
    struct {
        uint64_t request; /* address of the request's struct iocb */
        int64_t result;   /* bytes, or a negative errno */
    } ends[IO_SUBMIT_ENDS];
};

struct io_calls;

/* The processes whose calls are seen. Calls of this process are not, unless it is followed by its
   number. */
struct io_calls_scope {
    enum {
        IO_CALLS_OF_PROCESSES, /* the processes that io_calls_follow names */
        IO_CALLS_OF_CGROUP,    /* the group `cgroup`, with the groups below it */
        IO_CALLS_OF_EVERYONE
    } of;
    uint64_t cgroup; /* the group's number in the kernel: the inode of its folder */
    unsigned level;  /* number of groups above it */
};

/* Loads and attaches the kernel programs. `t` must have been opened with outputs. ERR_MACHINE: the
   kernel cannot do it, or it is not permitted. */
int io_calls_attach(struct io_calls **c, const struct tracepoints *t,
                    const struct io_calls_scope *scope, struct err *e);
void io_calls_detach(struct io_calls *c);

/* Returns true if each request of io_uring is seen. Otherwise only the calls that submit requests
   are seen. */
bool io_calls_see_rings(const struct io_calls *c);

/* Follows a process, and every child that it or one of its children makes from now on. */
int io_calls_follow(struct io_calls *c, pid_t process, struct err *e);

/* Begins to see the calls of a scope other than IO_CALLS_OF_PROCESSES. */
int io_calls_follow_scope(struct io_calls *c, struct err *e);

/* Return true, and copy the event, if it is a record of this kind; for io_call_begin_of that is any
   record that is not an end. */
bool io_call_begin_of(const struct tracepoint_event *event, struct io_call_begin *begin);
bool io_call_end_of(const struct tracepoint_event *event, struct io_call_end *end);
bool io_submit_end_of(const struct tracepoint_event *event, struct io_submit_end *end);

#endif
