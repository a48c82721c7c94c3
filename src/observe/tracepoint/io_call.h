/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The I/O system calls of processes and their children, of a control group or of all processes,
 * each with the file that it is about, as the kernel sees them.
 *
 * A program in the kernel (BPF) looks at every system call of the processes that are followed, and
 * writes those of the table below into the rings of a struct tracepoints: once when the call
 * begins, with what its file descriptor stands for at that instant, and once when it ends. So the
 * file is known however short the process lives, and no process is stopped or changed.
 *
 * Owner: io_calls_detach; the struct tracepoints must outlive it. Nothing stays in the kernel when
 * the descriptors are closed, by whatever death.
 */
#ifndef CUPEL_OBSERVE_TRACEPOINT_IO_CALL_H
#define CUPEL_OBSERVE_TRACEPOINT_IO_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "observe/tracepoint/tracepoint.h"

enum io_call_kind {
    IO_CALL_READ,
    IO_CALL_WRITE,
    IO_CALL_FLUSH,
    IO_CALL_MOVE, /* reads one file and writes the other: sendfile, copy_file_range, splice */
    IO_CALL_RING, /* hands requests to io_uring: argument 1 says how many */
    IO_CALL_AIO,  /* io_submit hands in requests: argument 1 says how many */
    IO_CALL_MAP,  /* mmap: argument 2 has the protection, 3 the flags */
};

/* Where it says how many bytes it asks for. */
enum io_length {
    IO_LENGTH_NONE,    /* it asks for none */
    IO_LENGTH_BYTES,   /* argument 2 is their number */
    IO_LENGTH_VECTORS, /* argument 1 points to the vectors, argument 2 is the number of these */
    IO_LENGTH_UNKNOWN  /* it only says how many it takes at most: all that there is */
};

struct io_call_row {
    uint16_t number;
    enum io_call_kind kind;
    enum io_length length;
    int8_t read_file, write_file; /* which argument has the descriptor; -1: none */
    int8_t offset;                /* which one has the offset; -1: the file's own position counts */
    int8_t read_pointer, write_pointer; /* which one points to the offset, unless it is 0 */
};

extern const struct io_call_row io_call_rows[];
extern const size_t io_call_count;
const struct io_call_row *io_call_row_of(uint32_t number);

/* The same of io_uring's operations. */
struct io_ring_row {
    uint8_t operation;
    enum io_call_kind kind;
    enum io_length length;
};
extern const struct io_ring_row io_ring_rows[];
extern const size_t io_ring_count;
const struct io_ring_row *io_ring_row_of(uint32_t operation);

/* And of io_submit's (linux/aio_abi.h). */
extern const struct io_ring_row io_submit_rows[];
extern const size_t io_submit_count;
const struct io_ring_row *io_submit_row_of(uint32_t operation);

/* Which record it is. */
enum io_call_part {
    IO_CALL_FIRST,   /* a call begins */
    IO_CALL_SECOND,  /* and this is the second one of its two files */
    IO_CALL_END,     /* it ends: struct io_call_end */
    IO_CALL_MORE,    /* the path of the record before it did not reach the root, and goes on */
    IO_RING_BEGIN,   /* io_uring takes a request; arguments: its address, the offset, and the bytes
                        that it asks for, of vectors as below */
    IO_RING_END,     /* and is done with it; arguments: its address, the result in 32 bits */
    IO_SUBMIT_BEGIN, /* io_submit is called with a request; arguments: its address, the offset, the
                        bytes that it asks for, the descriptor, and its place in the call */
    IO_SUBMIT_END    /* io_getevents returned requests: struct io_submit_end */
};

/* Argument 1 of a call with vectors is replaced by the sum of their bytes; this stands for a sum
   that is not known: of more vectors than so many, or in memory that could not be read. */
#define IO_ASKED_UNKNOWN    UINT64_MAX
#define IO_CALL_VECTORS_MAX 64
#define IO_SUBMIT_VECTORS_MAX                                                                      \
    8 /* of each of its requests: the kernel's check of the program grows with it */

#define IO_CALL_ARGUMENTS  5
#define IO_CALL_PATH_PARTS 8
#define IO_CALL_PART_BYTES 36

/* What the program in the kernel writes when a call begins, or io_uring is done with a request;
   with IO_RING_BEGIN up to the arguments. Numbers are the kernel's own. */
struct io_call_begin {
    uint16_t mark;   /* TRACEPOINT_OUTPUT_MARK */
    uint16_t part;   /* enum io_call_part */
    uint32_t number; /* of the system call, or io_uring's operation */
    uint64_t arguments[IO_CALL_ARGUMENTS];
    uint64_t position, inode, size; /* position: of the file, before the call */
    uint64_t filesystem;            /* its magic number */
    uint32_t device;                /* that the file lies on: major << 20 | minor */
    uint32_t special;               /* that the file is */
    uint32_t flags;                 /* of open(2) */
    uint32_t generation;            /* of the inode, whose number is used again */
    uint16_t mode;                  /* of stat(2); 0: no such descriptor */
    uint16_t compat;                /* not 0: of a 32-bit program, whose calls have other numbers */
    uint32_t unused;
    /* From the file upwards, each ended by '\0', "/" at the filesystem's root. Told with the first
       call on a file; the first part is empty with later ones. */
    char path[IO_CALL_PATH_PARTS][IO_CALL_PART_BYTES];
};

#define IO_RING_BEGIN_BYTES offsetof(struct io_call_begin, position)

/* And when it ends. */
struct io_call_end {
    uint16_t mark, part;
    uint32_t number;
    int64_t result; /* bytes, or a negative errno */
};

/* Requests of one call of io_submit, and of io_getevents, of which records are written at most. */
#define IO_SUBMIT_MAX 128
#define IO_REAP_MAX   1024

/* What io_getevents returned, in as many records as it takes. */
#define IO_SUBMIT_ENDS 8
struct io_submit_end {
    uint16_t mark, part;
    uint32_t count;
    struct {
        uint64_t request; /* its address */
        int64_t result;   /* bytes, or a negative errno */
    } ends[IO_SUBMIT_ENDS];
};

struct io_calls;

/* Whose calls are seen. Those of this process are not, but where it is followed by its number. */
struct io_calls_scope {
    enum {
        IO_CALLS_OF_PROCESSES, /* io_calls_follow says which */
        IO_CALLS_OF_CGROUP,    /* with the groups below it */
        IO_CALLS_OF_EVERYONE
    } of;
    uint64_t cgroup; /* the group's number in the kernel: that of its folder's inode */
    unsigned level;  /* how many groups lie above it */
};

/* `t` was opened with outputs. ERR_MACHINE: the kernel cannot do it, or it is not permitted. */
int io_calls_attach(struct io_calls **c, const struct tracepoints *t,
                    const struct io_calls_scope *scope, struct err *e);
void io_calls_detach(struct io_calls *c);

/* Are requests of io_uring seen one by one? Otherwise only the calls that hand them in. */
bool io_calls_see_rings(const struct io_calls *c);

/* Follow a process, and every child that it or a child has from now on. */
int io_calls_follow(struct io_calls *c, pid_t process, struct err *e);

/* Begin with the calls of a scope of other kinds. */
int io_calls_follow_scope(struct io_calls *c, struct err *e);

/* Is the event a call's end, or any of the others? Then it is copied. */
bool io_call_begin_of(const struct tracepoint_event *event, struct io_call_begin *begin);
bool io_call_end_of(const struct tracepoint_event *event, struct io_call_end *end);
bool io_submit_end_of(const struct tracepoint_event *event, struct io_submit_end *end);

#endif
