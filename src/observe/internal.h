/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/observe share. */
#ifndef CUPEL_OBSERVE_INTERNAL_H
#define CUPEL_OBSERVE_INTERNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "facts/recording.h"
#include "observe/recorded.h"
#include "observe/recorder.h"
#include "observe/tracepoint/io_call.h"
#include "stat/basic/busy.h"
#include "stat/basic/histogram.h"
#include "stat/estimate/percentile.h"
#include "trace/trace_write.h"

/* ---- sums of a recording: recording_sums.c ---- */

/*
 * Of one level (a program's system calls, or one device's requests), and the
 * series of I/Os over time. Plain memory of the caller; one thread at a time.
 */

struct level {
    struct histogram response[RECORDING_ALL]; /* by op; counts the I/Os as well */
    uint64_t bytes[RECORDING_ALL], failed[RECORDING_ALL];
    uint64_t asked; /* bytes, of every I/O and of attempts that are none */
    struct busy busy;
    uint64_t in_flight, depth_max;
    uint64_t merged, own_count, own_bytes;
};

struct level_io {
    enum recording_op op;
    uint64_t begin_ns, end_ns;
    uint64_t asked, moved; /* bytes */
    bool failed;
};

void level_init(struct level *l);
void level_begin(struct level *l); /* one more in flight */
void level_leave(struct level *l); /* one less, and nothing to count */
void level_add(struct level *l, const struct level_io *io);
/* It counts in BPS only: what it asked for, and its time in flight. */
void level_add_attempt(struct level *l, const struct level_io *io);

/* The sums as they are reported, name and size left alone. `all` is scratch. */
void level_report(const struct level *l, struct histogram *all, struct recording_level *to);

/* I/Os and bytes by the time they began, in slices that grow with the recording. */
#define SERIES_SLICES 4096

struct series {
    uint64_t begin_ns, slice_ns;
    size_t count; /* slices up to the last I/O */
    uint32_t ios[SERIES_SLICES];
    uint64_t bytes[SERIES_SLICES];
};

void series_init(struct series *s, uint64_t begin_ns);
void series_add(struct series *s, uint64_t time_ns, uint64_t bytes);

/* Rates per second, of `count` slices up to `end_ns`; the last slice, when it is not whole, is left
   out unless it is the only one. Returns how many there are; `iops` and `bandwidth` have room for
   SERIES_SLICES. */
size_t series_rates(const struct series *s, uint64_t end_ns, double iops[], double bandwidth[]);

/* ---- stretches of time: recording_stretches.c ---- */

/*
 * Response times of the main level by the stretch of time in which they ended: how they differ from
 * one stretch to the next decides how many independent ones they are worth, and so the intervals of
 * percentiles (stat/estimate/percentile.h), as in a run. In memory that does not grow: stretches
 * have 100 us at first, and twice as much whenever all are in use. A count stops at 2^32 - 1.
 */
#define STRETCHES_MAX 256

struct stretch_counts {
    uint32_t bucket[HISTOGRAM_BUCKETS + 1]; /* the last one: over */
};

struct stretches {
    uint64_t begin_ns, length_ns;
    size_t count;                               /* stretches up to the last I/O */
    struct stretch_counts (*of)[RECORDING_ALL]; /* [STRETCHES_MAX], by operation */
};

size_t stretches_bytes(void); /* scratch of stretches_percentile included */
int stretches_init(struct stretches *s, struct arena *arena);
void stretches_add(struct stretches *s, const struct level_io *io);

/* Nothing is added any more: each count becomes that of its bucket and all above it. */
void stretches_end(struct stretches *s);

/* After stretches_end. `total`: all response times of that operation, or of all. */
struct percentile stretches_percentile(const struct stretches *s, enum recording_op op,
                                       const struct histogram *total, double share,
                                       struct arena *scratch);

/* ---- devices: recording_devices.c ---- */

/* Whole ones: what is seen of a partition belongs to its disk. */

#define DEVICE_NUMBERS_MAX 64

struct device {
    char name[80];
    uint64_t size;  /* bytes; 0: unknown */
    uint64_t begin; /* bytes: offsets count from here, the start of the partition that was named */
    uint16_t trace; /* its number in the trace, or FILES_NO_TRACE */
    struct level *level;
};

struct devices {
    struct device rows[RECORDING_DEVICES_MAX];
    size_t count;
    struct level *levels; /* RECORDING_DEVICES_MAX, the caller's */
    struct {
        uint32_t number; /* as the kernel's events have it: major << 20 | minor */
        int row;         /* -1: of no interest */
    } numbers[DEVICE_NUMBERS_MAX];
    size_t number_count;
    bool closed;     /* no further devices are taken in */
    uint64_t others; /* requests of devices that found no row */
};

/* The row of a device or partition, made when it is new; -1: there is no room, or `closed`. */
int recorded_device(struct devices *d, uint32_t number);

/* The size in /sys; 0: unknown. */
uint64_t device_bytes(uint32_t number);

/* A block device that was named for recording, as /sys has it. */
struct device_named {
    uint32_t disk;       /* its own number, or that of the disk it is a partition of */
    uint64_t begin, end; /* sectors of it on that disk */
    bool has_requests;   /* it has a queue of requests; otherwise (md, zram) only bios pass it */
};

/* ERR_USAGE: the path is no block device. ERR_MACHINE: /sys does not describe it. */
int device_look_up(const char *path, struct device_named *named, struct err *e);

/* ---- files and mounts: recording_files.c ---- */

/* Where filesystems are mounted, by the numbers of their devices. Plain memory of the caller. */

#define MOUNTS_MAX        128
#define MOUNT_POINT_BYTES 128

struct mounts {
    struct {
        uint32_t device; /* as the kernel's events have it: major << 20 | minor */
        char point[MOUNT_POINT_BYTES];
    } rows[MOUNTS_MAX]; /* of whole filesystems, the first mount of each */
    size_t count;
};

/* Read them anew from /proc/self/mountinfo. */
void mounts_read(struct mounts *m);

/* "/a/b" on the filesystem becomes "/srv/a/b". A filesystem that was mounted meanwhile is found; a
   path on one that is not there stays as it is. */
void mounts_place(struct mounts *m, uint32_t device, char *path, size_t size);

/*
 * The files of a recording: what a descriptor of a system call stands for, as the kernel recorded
 * it (observe/tracepoint/io_call.h). Memory comes from the caller's arena; one thread at a time.
 */

/* The kinds of files that a descriptor stands for; I/O counts on the first two only, and flushes on
 * folders. */
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

#define FILES_MAX      4096 /* the others share one row */
#define FILES_NO_TRACE 0xffffu

struct file {
    uint32_t device;     /* it lies on; of a block device: its own number */
    uint32_t generation; /* of the inode */
    uint64_t inode;
    enum file_class kind;
    bool path_known; /* otherwise `name` is only the end of it */
    uint16_t trace;  /* its number in the trace, or FILES_NO_TRACE */
    uint64_t next;   /* where the last I/O ended */
    struct recording_file sums;
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

/* The index of the file of that call, made when it is new. Its path comes from the process while
   it lives, and otherwise from the kernel, below where its filesystem is mounted. */
int32_t files_find(struct files *f, const struct io_call_begin *call, enum file_class kind,
                   uint32_t process, uint64_t descriptor);

/* The path of the file of that record goes on (IO_CALL_MORE). */
void files_add_path(struct files *f, const struct io_call_begin *more);

/* ---- I/Os in flight: flight_table.c ---- */

/*
 * I/Os of a recording that have begun and not ended: system calls by their thread, block requests
 * by device and sector. A hash table of fixed size with linear probing; one thread at a time.
 */

struct flight {
    uint64_t key; /* not 0 */
    uint64_t begin_ns;
    uint64_t offset, second_offset; /* bytes; of the first and the second file */
    uint64_t asked;                 /* bytes */
    uint64_t done; /* of a block request, the part that completed before the rest */
    uint32_t process;
    uint32_t number;      /* of the system call */
    int32_t file, second; /* indices of files, or below 0 */
    uint64_t before;      /* of requests that io_submit took together: the key of the one before */
    uint32_t place;       /* and its place among them */
    uint8_t op;           /* enum recording_op of a block request */
    bool own;             /* a request of the program's own processes */
    bool durable;
};

struct flight_table {
    struct flight *slots;
    size_t mask; /* number of slots, a power of two, less one */
    size_t count;
};

/* ERR_MACHINE: no room in the arena. `slots` is a power of two. */
int flight_table_init(struct flight_table *t, struct arena *arena, size_t slots, struct err *e);
size_t flight_table_bytes(size_t slots);

/* The one with that key, or NULL. It moves when another one is removed. */
struct flight *flight_find(struct flight_table *t, uint64_t key);

/* A new one, cleared but for its key; one that has the key already is cleared too. NULL: the table
   is three quarters full. */
struct flight *flight_begin(struct flight_table *t, uint64_t key);

void flight_remove(struct flight_table *t, struct flight *f);

/* ---- the recording ---- */

/* Everything is allocated before it begins. */

#define CALLS_IN_FLIGHT    65536 /* of threads and of io_uring */
#define REQUESTS_IN_FLIGHT 65536
#define SUBMITTERS         16384 /* a power of two */
#define PROCESSES_MAX      16384 /* a power of two */

/* Which process handed in a request that is not issued yet: another thread may issue it. The last
   one of its place in the table is kept. */
struct submitter {
    uint64_t sector;
    int row;
    uint32_t process; /* 0: none */
};

/* Where the fields of the block events lie. */
struct block_fields {
    struct tracepoint_field device, sector, sectors, error, kind;
};

/* I/O that is not counted, and why. */
struct uncounted {
    uint64_t calls[FILE_CLASSES], bytes[FILE_CLASSES];
    uint64_t end_of_file;   /* reads that found nothing more: they count in BPS only */
    uint64_t asked_unknown; /* I/Os that count in BPS with what they moved */
    uint64_t ring_requests; /* handed to io_uring ... */
    uint64_t ring_seen;     /* ... and counted: reads, writes and flushes */
    uint64_t aio_requests;  /* handed to io_submit ... */
    uint64_t aio_seen;      /* ... each by itself ... */
    uint64_t aio_ended;     /* ... and returned by io_getevents, or failed at once */
    uint64_t aio_refused;   /* not taken by the kernel, and not looked at */
    uint64_t aio_reused;    /* handed in again before io_getevents returned them */
    uint64_t writing_maps;  /* of files into memory, shared and writable ... */
    uint64_t reading_maps;  /* ... and shared for reading */
    uint64_t foreign;       /* calls of 32-bit programs */
    uint64_t ring_again;    /* ends of io_uring without a begin: Linux reports some results twice */
    uint64_t unmatched;     /* an end without its begin, or the other way */
    uint64_t under_way;     /* begun, and not ended with the recording */
    uint64_t crowded;       /* too many in flight at a time */
};

/* How many requests were handed to io_submit of which the end was not seen. */
static inline uint64_t submit_unseen(const struct uncounted *u)
{
    uint64_t handed_in = u->aio_requests > u->aio_seen ? u->aio_requests : u->aio_seen;
    return handed_in - u->aio_ended - u->aio_refused;
}

struct recorder {
    const struct recording_plan *plan;
    struct device_named device; /* of plan->device */
    struct arena arena;
    size_t buffer_bytes;
    struct tracepoints *tracepoints;
    struct io_calls *io_calls;
    struct tracepoint_request requests[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    char filter[128];
    struct block_fields fields[TRACEPOINT_REQUESTS_MAX];
    struct child child;
    struct running running;
    struct control_group group;
    int signals; /* a descriptor that signals are read from */
    sigset_t mask_before;

    struct level calls;
    struct level device_levels[RECORDING_DEVICES_MAX];
    struct devices devices;
    struct files files;
    struct series series;
    struct stretches stretches;
    struct flight_table calls_in_flight, requests_in_flight;
    struct submitter *submitters;
    uint32_t *processes; /* a hash set; 0 is an empty place */
    uint64_t process_count;
    struct uncounted uncounted;

    struct trace_writer *trace;
    uint16_t trace_devices; /* how many it knows */
    uint64_t trace_events;
    struct err trace_fault;
    int64_t clock_error_ns; /* as it was asked for last; CLOCK_ERROR_UNKNOWN */

    uint64_t begin_ns, end_ns, events, lost;
    bool interrupted;
    uint64_t signalled_ns; /* when the first signal came */
    bool sees_rings;       /* requests of io_uring one by one */
    bool left_running;     /* a second signal: the program was not waited for */

    struct histogram all; /* scratch of the result */
    double iops[SERIES_SLICES], bandwidth[SERIES_SLICES];
    double edges[HISTOGRAM_BUCKETS + 1];
    uint64_t counts[2][HISTOGRAM_BUCKETS];
    struct recording recording;
};

/* flight_table.c: the processes of the program that did I/O. */
bool processes_have(struct recorder *r, uint32_t process);
void processes_add(struct recorder *r, uint32_t process);

/* recorder.c: all memory that a recording works in. ERR_MACHINE. */
int recorder_reserve(struct recorder *r, struct err *e);

/* recording_trace.c: the trace that is written, if one was asked for. */
enum { TRACE_IO_DURABLE = 1, TRACE_IO_FOREIGN = 2 }; /* marks */
uint16_t trace_number_of(struct recorder *r, uint16_t *known, const char *name, uint64_t size);
void trace_io(struct recorder *r, uint16_t number, const struct level_io *io, uint64_t offset,
              uint32_t process, enum trace_level level, unsigned marks);
/* Bytes that were asked for and not moved: they count in BPS, and are no I/O. */
void trace_attempt(struct recorder *r, const struct level_io *io, uint64_t bytes);
/* Before the recording: whose clock it is; after it has begun, and when it is over: what it shows.
 */
void trace_name_host(struct recorder *r);
void trace_look_at_clock(struct recorder *r);
void trace_finish(struct recorder *r); /* a fault is kept in trace_fault */

/* recording_result.c: everything that was added up, as it is reported. */
void recorder_report(struct recorder *r);

/* recording_notes.c: warnings and notes; and how it was recorded, once the trace is written. */
void recorder_note(struct recorder *r);
void recorder_describe(struct recorder *r);

/* ---- block requests: recording_blocks.c ---- */

/* The block layer's events, put together to requests with their response times. */

/* What is asked of the kernel: requests[0..*count) for programs (device NULL) or one device. The
   filter's text is the caller's and must live as long as they. */
void blocks_requests(const struct device_named *device, char filter[], size_t filter_size,
                     struct tracepoint_request requests[], size_t *count);

/* Find the events' fields, once they are open. */
void blocks_fields(struct recorder *r);

void blocks_event(struct recorder *r, const struct tracepoint_event *event);

/* ---- system calls: recording_calls.c ---- */

/* Begin and end of an I/O system call put together, and sorted by what the descriptor stands
   for. */

void calls_event(struct recorder *r, const struct tracepoint_event *event);

/* ---- what all kinds of calls have in common: recording_attempts.c ---- */

/* A file is the index of one that I/O is counted of, or -1 - its class. */
int32_t calls_file(struct recorder *r, const struct io_call_begin *call, enum io_call_kind kind,
                   uint32_t process, int argument);
bool calls_file_counts(int32_t file);
enum recording_op calls_op(enum io_call_kind kind); /* of read, write and flush */
uint64_t calls_asked(enum io_length length, uint64_t bytes, uint64_t of_vectors);

/* It is in flight no more; only calls on files are: a wait at a pipe is none. */
void calls_leave(struct recorder *r, const struct flight *f);

/* One side of a call that ended. */
void calls_count(struct recorder *r, int32_t index, enum recording_op op, const struct flight *f,
                 uint64_t offset, uint64_t end_ns, int64_t result);

/* ---- requests of io_submit: recording_submitted.c ---- */

/*
 * A request is an I/O from the begin of io_submit to the instant at which io_getevents returned it,
 * which is what the program knows. One that the kernel did not take is none, but the first of a
 * call that failed: that is an attempt like a call that failed, and ends with io_submit.
 */
void submit_begins(struct recorder *r, const struct tracepoint_event *event,
                   const struct io_call_begin *call);
void submit_request(struct recorder *r, const struct tracepoint_event *event,
                    const struct io_call_begin *request);
void submit_ends(struct recorder *r, const struct tracepoint_event *event, int64_t taken);
void submit_reaped(struct recorder *r, const struct tracepoint_event *event,
                   const struct io_submit_end *end);

#endif
