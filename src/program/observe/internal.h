/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/program/observe share. */
#ifndef CUPEL_PROGRAM_OBSERVE_INTERNAL_H
#define CUPEL_PROGRAM_OBSERVE_INTERNAL_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "facts/recording.h"
#include "program/observe/recorder.h"
#include "program/observe/tracepoint/io_call.h"
#include "source/trace/cupel_trace_write.h"
#include "stat/basic/busy_time.h"
#include "stat/basic/histogram.h"
#include "stat/estimate/percentile.h"

/* ---- the program that is recorded: recorded_program.c ---- */

/*
 * The program runs as a child that waits before its first instruction until the recording is ready.
 */

struct child {
    pid_t process;
    int descriptor; /* a pidfd: readable when the child has ended */
    /* writing end of the pipe that lets the child go on; reading end of the pipe by which it
       reports its failure */
    int go, failure;
    bool ended;
    int status; /* the child's status from waitpid; valid after its end */
};

/* ---- running processes: running_processes.c ---- */

/*
 * Running processes are found through /proc, and a descriptor of each shows its end, so that a
 * process number that is used again causes no mistake. The processes are not changed.
 */
struct running {
    size_t count;
    int descriptors[RECORDING_PROCESSES_MAX]; /* a pidfd for each */
    /* an epoll descriptor: readable when one of the processes has ended; -1: none has been found
       yet */
    int ended;
    size_t alive;            /* number of processes whose end has not been seen */
    char words[256];         /* the processes for messages: "1234 (fio), 1240 (fio)" */
    unsigned char *followed; /* one bit for each possible process number: the process is followed */
};

/* ---- a control group: control_group.c ---- */

struct control_group {
    uint64_t number; /* the group's number in the kernel's events */
    unsigned level;  /* number of control groups above it */
    int folder;
    char path[PATH_MAX]; /* absolute */
};

/* ---- what a recording does with a program, processes or a group ---- */

/*
 * The steps for one of the three kinds that a plan can name; their state is in the recorder. A step
 * that a kind does not need is NULL.
 */
struct recorder;
struct recorded_kind {
    /* called first, before tracepoints and kernel programs are opened */
    int (*find)(struct recorder *r, struct err *e);
    int (*prepare)(struct recorder *r, struct err *e); /* called after all other preparations */
    /* begins to see the I/O of the recorded processes */
    int (*begin)(struct recorder *r, struct err *e);
    bool (*have_ended)(struct recorder *r); /* does not wait */
    void (*release)(struct recorder *r);    /* always called, also after errors */
};
extern const struct recorded_kind recorded_program, recorded_processes, recorded_group;

/* ---- sums of a recording: recording_sums.c ---- */

/*
 * The sums of one level (a program's system calls, or one device's requests), and the series of
 * I/Os over time. The memory is the caller's; one thread at a time.
 */

struct level {
    /* [op], response times; the count of a histogram is also the number of I/Os */
    struct histogram response[RECORDING_ALL];
    uint64_t bytes[RECORDING_ALL], failed[RECORDING_ALL];
    uint64_t asked; /* bytes requested by all I/Os, and by attempts that do not count as I/O */
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
void level_begin(struct level *l); /* called when an I/O begins: it is then in flight */
void level_leave(struct level *l); /* called when an I/O ends that is not counted */
void level_add(struct level *l, const struct level_io *io);
/* Adds an attempt, which counts only in BPS: the bytes that it requested, and its time in flight.
 */
void level_add_attempt(struct level *l, const struct level_io *io);

/* Writes the sums in the form of a report, except name and size. `all` is scratch memory. */
void level_report(const struct level *l, struct histogram *all, struct recording_level *to);

/* Numbers of I/Os and bytes over time, by the begin of each I/O, in slices whose length doubles
   when the recording needs more than SERIES_SLICES. */
#define SERIES_SLICES 4096

struct series {
    uint64_t begin_ns, slice_ns;
    size_t count; /* number of slices up to the last I/O */
    uint32_t ios[SERIES_SLICES];
    uint64_t bytes[SERIES_SLICES];
};

void series_init(struct series *s, uint64_t begin_ns);
void series_add(struct series *s, uint64_t time_ns, uint64_t bytes);

/* Computes the rates per second in the slices up to `end_ns`. An incomplete last slice is left out
   unless it is the only one. Returns the number of rates; `iops` and `bandwidth` have room for
   SERIES_SLICES. */
size_t series_rates(const struct series *s, uint64_t end_ns, double iops[], double bandwidth[]);

/* ---- intervals of time: recording_stretches.c ---- */

/*
 * Response times of the main level, counted by the interval of time in which the I/O ended. The
 * differences from interval to interval show how many independent response times they are worth,
 * which gives the confidence intervals of percentiles (stat/estimate/percentile.h), as in a run.
 * The memory does not grow: an interval (a stretch) is 100 us long at first, and this length
 * doubles whenever all STRETCHES_MAX intervals are in use. A count stops at 2^32 - 1.
 */
#define STRETCHES_MAX 256

struct stretch_counts {
    /* the last element counts values above the highest bucket */
    uint32_t bucket[HISTOGRAM_BUCKETS + 1];
};

struct stretches {
    uint64_t begin_ns, length_ns;
    size_t count;                               /* number of intervals up to the last I/O */
    struct stretch_counts (*of)[RECORDING_ALL]; /* [STRETCHES_MAX][operation] */
};

/* returns the bytes, including scratch memory for stretches_percentile */
size_t stretches_bytes(void);
int stretches_init(struct stretches *s, struct arena *arena);
void stretches_add(struct stretches *s, const struct level_io *io);

/* Ends counting: replaces each count by the sum of its bucket and all higher ones. */
void stretches_end(struct stretches *s);

/* Computes a percentile, after stretches_end. `total`: all response times of that operation, or of
   all operations. */
struct percentile stretches_percentile(const struct stretches *s, enum recording_op op,
                                       const struct histogram *total, double share,
                                       struct arena *scratch);

/* ---- devices: recording_devices.c ---- */

/* The devices are whole devices: events of a partition count for its disk. */

#define DEVICE_NUMBERS_MAX 64

struct device {
    char name[80];
    uint64_t size; /* bytes; 0: unknown */
    /* bytes: the offset on the disk from which offsets count, which is the start of a partition
       that the user named */
    uint64_t begin;
    uint16_t trace; /* the device's number in the trace, or FILES_NO_TRACE */
    struct level *level;
};

struct devices {
    struct device rows[RECORDING_DEVICES_MAX];
    size_t count;
    struct level *levels; /* [RECORDING_DEVICES_MAX], owned by the caller */
    struct {
        uint32_t number; /* device number as in the kernel's events: major << 20 | minor */
        int row;         /* index in `rows`; -1: the device is not recorded */
    } numbers[DEVICE_NUMBERS_MAX];
    size_t number_count;
    bool closed;     /* true: no further devices are added */
    uint64_t others; /* requests of devices for which there was no row */
};

/* Returns the row of a device, or of the disk of a partition, and adds it if it is new; -1: the
   table is full, or `closed`. */
int recorded_device(struct devices *d, uint32_t number);

/* Returns the size of a device in bytes, from /sys; 0: unknown. */
uint64_t device_bytes(uint32_t number);

/* A block device that the user named for recording, as /sys describes it. */
struct device_named {
    uint32_t disk;       /* number of the device itself, or of the disk of a partition */
    uint64_t begin, end; /* the device's sectors on that disk, half open */
    /* the device has a request queue; without one (md, zram) only bios pass through it */
    bool has_requests;
};

/* Looks up the device at `path`. ERR_USAGE: the path is not a block device. ERR_MACHINE: /sys does
   not describe it. */
int device_look_up(const char *path, struct device_named *named, struct err *e);

/* ---- files and mounts: recording_files.c ---- */

/* The mount points of filesystems, by device number. The memory is the caller's. */

#define MOUNTS_MAX        128
#define MOUNT_POINT_BYTES 128

struct mounts {
    struct {
        uint32_t device; /* device number as in the kernel's events: major << 20 | minor */
        char point[MOUNT_POINT_BYTES];
    } rows[MOUNTS_MAX]; /* the first mount of each whole filesystem */
    size_t count;
};

/* Reads the mounts from /proc/self/mountinfo, again if they were read before. */
void mounts_read(struct mounts *m);

/* Changes "/a/b" on the filesystem to "/srv/a/b", its path on this machine. A filesystem that was
   mounted during the recording is found, too. If the filesystem is not mounted, the path is
   unchanged. */
void mounts_place(struct mounts *m, uint32_t device, char *path, size_t size);

/*
 * The files of a recording: the file of a system call's descriptor, as the kernel recorded it
 * (program/observe/tracepoint/io_call.h). Memory comes from the caller's arena; one thread at a
 * time.
 */

/* The kinds of files that a descriptor can have. I/O counts only on the first two, flushes also on
   folders. */
enum file_class {
    FILE_REGULAR,
    FILE_BLOCK,
    FILE_FOLDER,
    FILE_PIPE,
    FILE_SOCKET,
    FILE_CHARACTER, /* character devices: terminals, /dev/null */
    FILE_KERNEL,    /* /proc, /sys, event descriptors: they have no storage */
    FILE_NONE,      /* no such descriptor */
    FILE_CLASSES
};

enum file_class file_class_of(const struct io_call_begin *call);

#define FILES_MAX      4096 /* maximum number of rows; further files share the last one */
#define FILES_NO_TRACE 0xffffu

struct file {
    /* number of the device on which the file lies; for a block device, its number */
    uint32_t device;
    uint32_t generation; /* generation of the inode */
    uint64_t inode;
    enum file_class kind;
    bool path_known; /* false: `name` is only the end of the path */
    uint16_t trace;  /* the file's number in the trace, or FILES_NO_TRACE */
    uint64_t next;   /* the offset at which the last I/O ended */
    struct recording_file sums;
};

struct files {
    struct file *rows; /* the last row stands for all files without a row */
    uint16_t *slots;   /* hash table: index of a row + 1; 0: free */
    size_t count;
    uint64_t others; /* I/Os of files for which there was no row */
    struct mounts mounts;
};

int files_init(struct files *f, struct arena *arena, struct err *e);
size_t files_bytes(void);

/* Returns the index of the file that the call concerns, which is added if it is new. The path of a
   new file is read from /proc while the process lives; otherwise it is the path in the kernel's
   record, with the mount point of the filesystem in front. */
int32_t files_find(struct files *f, const struct io_call_begin *call, enum file_class kind,
                   uint32_t process, uint64_t descriptor);

/* Adds further parts, from a record IO_CALL_MORE, to the path of its file. */
void files_add_path(struct files *f, const struct io_call_begin *more);

/* ---- I/Os in flight: in_flight_table.c ---- */

/*
 * I/Os of a recording that have begun and not ended. A system call is found by its thread, a block
 * request by device and sector. The table is a hash table of fixed size with linear probing; one
 * thread at a time.
 */

struct flight {
    uint64_t key; /* not 0 */
    uint64_t begin_ns;
    uint64_t offset, second_offset; /* bytes; for the first and the second file */
    uint64_t asked;                 /* bytes */
    /* bytes of a block request that completed before its other bytes */
    uint64_t done;
    uint32_t process;
    uint32_t number;      /* number of the system call */
    int32_t file, second; /* indices of files; below 0: the file is not counted (calls_file) */
    /* a request of io_submit: key of the request before it in the same call */
    uint64_t before;
    uint32_t place; /* a request of io_submit: its index in the call */
    uint8_t op;     /* a block request: its enum recording_op */
    bool own;       /* a process of the program began the I/O */
    bool durable;
};

struct flight_table {
    struct flight *slots;
    size_t mask; /* number of slots minus one; the number is a power of two */
    size_t count;
};

/* Makes an empty table of `slots`, a power of two. ERR_MACHINE: the arena is too small. */
int flight_table_init(struct flight_table *t, struct arena *arena, size_t slots, struct err *e);
size_t flight_table_bytes(size_t slots);

/* Returns the flight with that key, or NULL. The pointer is valid until another flight is removed.
 */
struct flight *flight_find(struct flight_table *t, uint64_t key);

/* Adds a flight, zeroed except for its key. If there is one with that key, it is zeroed instead.
   NULL: the table is three quarters full. */
struct flight *flight_begin(struct flight_table *t, uint64_t key);

void flight_remove(struct flight_table *t, struct flight *f);

/* ---- the recording ---- */

/* All memory is allocated before the recording begins. */

#define CALLS_IN_FLIGHT    65536 /* system calls of threads, and requests of io_uring */
#define REQUESTS_IN_FLIGHT 65536
#define SUBMITTERS         16384 /* a power of two */
#define PROCESSES_MAX      16384 /* a power of two */

/* The process that submitted a request, until it is issued, which another thread may do. Each place
   of the table holds the submitter that came last. */
struct submitter {
    uint64_t sector;
    int row;
    uint32_t process; /* 0: the place is free */
};

/* Places of the fields in block events. */
struct block_fields {
    struct tracepoint_field device, sector, sectors, error, kind;
};

/* I/O that is not counted, by the reason. */
struct uncounted {
    uint64_t calls[FILE_CLASSES], bytes[FILE_CLASSES];
    uint64_t end_of_file; /* reads at the end of a file, which count only in BPS */
    /* I/Os whose requested bytes are not known: they count in BPS with the bytes that they moved */
    uint64_t asked_unknown;
    uint64_t ring_requests; /* requests submitted to io_uring */
    uint64_t ring_seen;     /* requests to io_uring that were counted: reads, writes and flushes */
    uint64_t aio_requests;  /* requests passed to io_submit */
    uint64_t aio_seen;      /* requests of io_submit for each of which a record came */
    uint64_t aio_ended;     /* requests that io_getevents returned, or that failed at once */
    /* requests of io_submit that the kernel did not accept, or that were not examined */
    uint64_t aio_refused;
    /* requests of io_submit that were submitted again before io_getevents returned them */
    uint64_t aio_reused;
    uint64_t writing_maps; /* shared mappings of files that are writable */
    uint64_t reading_maps; /* shared mappings of files for reading */
    uint64_t foreign;      /* calls of 32-bit programs */
    uint64_t ring_again;   /* ends of io_uring requests without a begin: Linux reports some results
                              twice */
    uint64_t unmatched;    /* ends without a begin, and begins without an end */
    uint64_t under_way;    /* I/Os that had not ended when the recording ended */
    uint64_t crowded;      /* I/Os that were left out because too many were in flight */
};

/* Returns the number of requests passed to io_submit whose end was not seen. */
static inline uint64_t submit_unseen(const struct uncounted *u)
{
    uint64_t handed_in = u->aio_requests > u->aio_seen ? u->aio_requests : u->aio_seen;
    return handed_in - u->aio_ended - u->aio_refused;
}

struct recorder {
    const struct recording_plan *plan;
    struct device_named device; /* the block device that plan->device names */
    struct arena arena;
    size_t buffer_bytes;
    struct tracepoints *tracepoints;
    struct io_calls *io_calls;
    struct tracepoint_request requests[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    char filter[128];
    struct block_fields fields[TRACEPOINT_REQUESTS_MAX];
    const struct recorded_kind *recorded; /* NULL: a device is recorded, or all processes */
    struct child child;
    struct running running;
    struct control_group group;
    int signals; /* signalfd from which signals are read */
    sigset_t mask_before;

    struct level calls;
    struct level device_levels[RECORDING_DEVICES_MAX];
    struct devices devices;
    struct files files;
    struct series series;
    struct stretches stretches;
    struct flight_table calls_in_flight, requests_in_flight;
    struct submitter *submitters;
    uint32_t *processes; /* hash set of the program's processes; 0: a free place */
    uint64_t process_count;
    struct uncounted uncounted;

    struct trace_writer *trace;
    uint16_t trace_devices; /* number of files and devices in the trace so far */
    uint64_t trace_events;
    struct err trace_fault;
    /* bound of the clock's error when it was last queried, or CLOCK_ERROR_UNKNOWN */
    int64_t clock_error_ns;

    uint64_t begin_ns, end_ns, events, lost;
    bool interrupted;
    uint64_t signalled_ns; /* time of the first signal; 0: none came */
    bool sees_rings;       /* requests of io_uring are seen one by one */
    /* the recording did not wait for the program, because a second signal came */
    bool left_running;

    struct histogram all; /* scratch memory for the result */
    double iops[SERIES_SLICES], bandwidth[SERIES_SLICES];
    double edges[HISTOGRAM_BUCKETS + 1];
    uint64_t counts[2][HISTOGRAM_BUCKETS];
    struct recording recording;
};

/* in_flight_table.c: the set of the program's processes that have done I/O. */
bool processes_have(struct recorder *r, uint32_t process);
void processes_add(struct recorder *r, uint32_t process);

/* recorder.c: reserves all memory of a recording. Errors: ERR_MACHINE. */
int recorder_reserve(struct recorder *r, struct err *e);

/* recording_trace.c: writes the trace, if one was requested. */
enum { TRACE_IO_DURABLE = 1, TRACE_IO_FOREIGN = 2 }; /* bits of marks */
uint16_t trace_number_of(struct recorder *r, uint16_t *known, const char *name, uint64_t size);
void trace_io(struct recorder *r, uint16_t number, const struct level_io *io, uint64_t offset,
              uint32_t process, enum trace_level level, unsigned marks);
/* Writes bytes that were requested and not moved. They count in BPS, and not as an I/O. */
void trace_attempt(struct recorder *r, const struct level_io *io, uint64_t bytes);
/* trace_name_host names the host, before the recording. trace_look_at_clock asks for the error of
   its clock, after the recording has begun and at its end. */
void trace_name_host(struct recorder *r);
void trace_look_at_clock(struct recorder *r);
void trace_finish(struct recorder *r); /* an error is kept in trace_fault */

/* recording_result.c: fills the result from the sums. */
void recorder_report(struct recorder *r);

/* ---- block requests: recording_blocks.c ---- */

/* Combines the block layer's events to requests with response times. */

/* Fills requests[0..*count) with the tracepoints that are needed for one device, or for programs if
   `device` is NULL. The text in `filter` is the caller's and must live as long as the requests. */
void blocks_requests(const struct device_named *device, char filter[], size_t filter_size,
                     struct tracepoint_request requests[], size_t *count);

/* Finds the fields of the events; called when the tracepoints are open. */
void blocks_fields(struct recorder *r);

void blocks_event(struct recorder *r, const struct tracepoint_event *event);

/* ---- system calls: recording_calls.c ---- */

/* Combines the begin and the end of an I/O system call, and sorts the calls by the kind of their
   file. */

void calls_event(struct recorder *r, const struct tracepoint_event *event);

#endif
