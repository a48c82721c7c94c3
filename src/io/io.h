/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contract between a worker and the backend that issues its I/O.
 *
 * A backend is a const ops table. One struct io_backend belongs to one worker thread, which alone
 * calls its functions, from open to close. The function `open` allocates all memory; `submit` and
 * `reap` allocate nothing, lock nothing and print nothing. The backend takes both timestamps,
 * because only it knows the instants: t_sub right before the request goes to the kernel, t_cpl
 * right after its completion was seen.
 */
#ifndef CUPEL_IO_IO_H
#define CUPEL_IO_IO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "source/request_kind.h"

#define IO_SLOT_BITS (16 - REQUEST_OPERATION_BITS)

#define IO_DEPTH_MAX 4096

/* How a feature of a backend is set: the backend decides, it is off, or it is required. */
enum io_choice { IO_AUTO, IO_OFF, IO_ON };

/* One request. `slot` is the index of its buffer: 0 .. iodepth-1, which is used by one request at a
   time. */
struct io_req {
    uint64_t offset; /* offset in the target, in bytes */
    uint32_t length; /* bytes */
    uint16_t slot;
    uint8_t command; /* what the request does: an enum request_command */
    /* index into io_setup.priorities; for a trim: the number of its ranges minus one */
    uint8_t kind;
};

/* One completion record, 24 bytes. */
struct io_done {
    uint64_t t_sub, t_cpl; /* ticks */
    uint32_t bytes;        /* bytes that were moved; fewer than requested is a short I/O */
    int16_t error;         /* 0, or the errno (positive) of a failed request, whose `bytes` is 0 */
    union {
        struct {
            uint16_t slot : IO_SLOT_BITS;
            /* enum operation: the kind of I/O as which the command is counted */
            uint16_t op : REQUEST_OPERATION_BITS;
        };
        /* `op` and `slot` as one number, for a single load or store (io_op_and_slot) */
        uint16_t op_and_slot;
    };
};
_Static_assert(sizeof(struct io_done) == 24, "the completion record is 24 bytes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "op_and_slot has the op in its top bits");
_Static_assert(IO_DEPTH_MAX <= 1 << IO_SLOT_BITS, "every slot has its number");

static inline uint16_t io_op_and_slot(const struct io_req *request)
{
    return (uint16_t)((unsigned)request->command << IO_SLOT_BITS | request->slot);
}

/*
 * Writes the completion record of a request that moved `bytes`, or failed with `error`. It is
 * written field by field, and callers read it in the same way: a copy of the whole record would
 * wait until each store has reached the cache.
 */
static inline void io_done_set(struct io_done *done, const struct io_req *request, uint64_t t_sub,
                               uint64_t t_cpl, uint32_t bytes, int error)
{
    done->t_sub = t_sub;
    done->t_cpl = t_cpl;
    done->bytes = bytes;
    done->error = (int16_t)error;
    done->op_and_slot = io_op_and_slot(request);
}

/* What is done to the file before each pass over it. */
enum io_pass {
    IO_PASS_AS_IT_IS,
    IO_PASS_NEW_FILE, /* the file is truncated to 0 bytes: every write extends it and allocates */
    IO_PASS_UNCACHED, /* the file is dropped from the page cache: reads reach the device again */
};

/* What a backend is opened with; everything that the members point to must outlive the backend. */
struct io_setup {
    const struct clock *clock;
    int fd;           /* the target; -1 for the null backend */
    bool direct;      /* fd was opened with O_DIRECT */
    unsigned iodepth; /* number of slots */
    /* page aligned; the buffer of slot i is at buffers + i * buffer_stride */
    unsigned char *buffers;
    size_t buffer_stride;
    /* for backends nvme and nvme-uring, the target's namespace; otherwise NULL */
    const struct nvme_namespace *nvme;
    const struct scsi_unit *scsi; /* for backend sg, the target's SCSI disk; otherwise NULL */
    /* for backend tcp, the host to connect to, whose address is already known; otherwise NULL */
    const struct net_peer *peer;
    /* for the null backend, its script of delays (see src/io/null/null_script.c), or NULL */
    const char *script;
    /* for the null backend, the seed of scripted delays, different for each worker */
    uint64_t seed;

    /*
     * uring, nvme-uring: a kernel thread submits, on a CPU that no worker uses. The affinity mask
     * of the process's main thread must have two CPUs for each worker, or open fails. IO_AUTO: off.
     * If `sqpoll_placed` is true, the caller has chosen the thread's CPU, sqpoll_cpu.
     */
    enum io_choice sqpoll;
    bool sqpoll_placed;
    unsigned sqpoll_cpu;
    /* uring, nvme-uring: completions are found by polling. IO_AUTO: on if a trial shows that
       polling works with this device. */
    enum io_choice iopoll;
    unsigned workers; /* number of threads that use the same setup at the same time (0: one) */
    /* the workload has flushes: uring then does not poll, because a polled ring cannot flush */
    bool flushes;
    /* `trims`: the workload has trims; uring does not poll then either. `block_device`: the target
       is a block device, not a file. Both are for backends with io_ops.trims. */
    bool trims, block_device;
    bool atomic; /* writes have the flag RWF_ATOMIC; for backends with writes_atomically */
    /* a flush of a file is fsync, which includes all metadata; false: fdatasync */
    bool flushes_all;
    /* The priority of each kind of request, as the kernel encodes it (0: the thread's priority).
       NULL: all requests have the thread's priority. For backends with takes_priorities. */
    const uint16_t *priorities;
    bool block_layer; /* io_choose chooses only among backends that go through the block layer */
    /* what is done before each pass over the file; for backends with begins_passes */
    enum io_pass pass;
    uint64_t pass_begin; /* offset in bytes: a request at this offset begins a pass */
    /* For backends with io_action.in_folder, whose fd is this worker's folder: `entries` is the
       number of entries in it, and `entry_bytes` their size if they are files (filestat,
       filedelete). */
    uint64_t entries, entry_bytes;
};

/* Counts failures with the same device status. */
struct io_status_count {
    /* as the device reported it. NVMe: type << 8 | code, and bit 14 "do not retry"; SCSI: see
       base/scsi/scsi.h */
    uint32_t status;
    uint64_t count;
};
#define IO_STATUSES       16
#define IO_STATUS_CLASSES 5 /* number of values of enum nvme_status_class */

struct io_statuses {
    struct io_status_count rows[IO_STATUSES];
    unsigned count;
    /* number of failures whose status has no row because all rows are in use, by class of the
       status */
    uint64_t further[IO_STATUS_CLASSES];
};

/* Whether the written data are on the medium: the result of the flush after the last write. */
struct io_flush {
    bool needed; /* false: nothing was written, or there is no volatile cache */
    int error;   /* 0, or the errno of the flush that failed */
};

/* Statistics of a connection, taken at its end. */
struct io_link {
    /* Segments with data since the connection began, counted by the kernel (TCP_INFO): sent ones,
       and those of them that were retransmitted; by this end and, if `answered`, by the far end. */
    uint32_t sent, resent, far_sent, far_resent;
    /* smoothed round trip time when the connection ended, and the shortest round trip time */
    uint32_t rtt_us, rtt_min_us;
    uint32_t window, segment; /* congestion window in segments; size of a segment in bytes */
    char algorithm[16];       /* name of the congestion control algorithm */
    bool answered;            /* the far end has sent its summary of what it counted */
    bool agrees;              /* both ends have counted the same numbers of requests and bytes */
};

struct io_backend {
    const struct io_ops *ops;
    void *state;           /* the backend's private data, freed by close */
    char description[200]; /* the features in use: "io_uring, registered buffers and file, ..." */
    int completion_fd;     /* descriptor that becomes readable when a request completes; 0: none */
    bool polls;            /* completions are found by polling, without a pause */
    /* t_sub, in ticks, of the request that was submitted last; 0: not known */
    uint64_t handed_over;
    /* Ticks that do not count as time of the round: the time in which this worker prepares passes,
       or waits for other workers that do so. This number is subtracted from timestamps. Only the
       worker changes it; it stays 0 in backends that prepare no passes. */
    _Atomic uint64_t aside;
    /* failures of passthrough commands since open; may be read between rounds */
    struct io_statuses statuses;
    struct io_flush flush; /* the last flush of a passthrough backend; valid after close */
    /* the connection of a backend that connects to a host; valid after close */
    struct io_link link;
};

/* The arguments of io_ops.exchange; most of them stay the same from call to call. */
struct io_exchange {
    const struct io_req *requests;
    unsigned n, taken;
    unsigned min; /* number of completions to wait for, if the backend takes all requests */
    unsigned max; /* room in done[] */
    struct io_done *done;
    struct err *e;
};

/* The name of the backend that keeps many requests in flight. Code that needs such a backend uses
   this name, and so do the hints that backends with one request at a time give. */
#define IO_MANY_IN_FLIGHT "uring"

/* What a request of a backend does if it moves no bytes, such as to create a file. */
struct io_action {
    const char *name; /* name of one action: "file creation" */
    const char *rate; /* name of the number of actions per second: "file creations/s" */
    /* true: it changes the target and counts as a write; false: it counts as a read */
    bool writes;
    bool in_folder; /* the target is a folder, in which each worker has its own folder */
    bool sized;     /* the files that exist before a pass begins may have a size (entry_bytes) */
};

struct io_ops {
    const char *name;
    const char *help;

    /* Properties of a backend, so that callers need not compare its name. */
    bool needs_target;    /* false: the backend works without a file (null) */
    bool needs_namespace; /* the target must be a whole NVMe namespace that accepts commands */
    bool needs_scsi;      /* the target must be a whole SCSI disk that accepts commands */
    /* the kernel's statistics of the device do not count the backend's I/O, and the I/O does not
       use the page cache */
    bool bypasses_block_layer;
    bool can_poll;     /* accepts setup.iopoll on, and setup.sqpoll on unless it connects */
    bool takes_script; /* accepts a script of delays */
    bool connects;     /* connects to a host (setup.peer) and has no target */
    /* does one request at a time: each call returns when the request is done */
    bool serial;
    /* obeys setup.priorities; in other backends all requests have the thread's priority */
    bool takes_priorities;
    bool writes_atomically; /* obeys setup.atomic */
    bool begins_passes;     /* obeys setup.pass; other backends ignore it */
    bool trims;             /* does trims */
    bool trims_ranges;      /* accepts trims of several ranges (io_req.kind, struct io_range) */
    /* its reads and writes change the allocation of a file and move no data: the target must be a
       file */
    bool allocates;
    bool resizes; /* its writes change the size of a file and move no data */
    /* buffers in memory of the C library, which is not aligned as O_DIRECT requires */
    bool buffers_itself;
    uint32_t length_max; /* bytes of the largest request; 0: no limit */
    /* the action of a request that moves no bytes; NULL: requests move bytes */
    const struct io_action *action;
    /* for a serial backend: the name of the backend that issues the same requests with many in
       flight; NULL: there is none */
    const char *parallel;
    /* the backend that issues the same requests through the block layer, to measure the cost of
       that layer; or NULL */
    const struct io_ops *through_block_layer;

    /*
     * Fills b, including b->ops and b->description. Returns 0, or -1 with ERR_USAGE (the script has
     * a mistake), ERR_MACHINE (this kernel or permission does not allow it) or ERR_TARGET (any
     * other failure). After -1 there is nothing to close.
     */
    int (*open)(struct io_backend *b, const struct io_setup *setup, struct err *e);

    /*
     * Submits requests[0..n), where n is at most the number of free slots. Returns how many were
     * taken, or -1 with an error, after which the worker stops. The caller keeps the requests that
     * were not taken. A backend may keep requests until the next reap, to submit and wait in one
     * system call: a worker that does anything else before it reaps must call reap with min 0
     * first. t_sub is always the instant at which the kernel gets the request.
     */
    int (*submit)(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);

    /*
     * Sends the requests that submit kept, waits for at least `min` completions, and writes at most
     * `max` of them to done[]. With min 0 it does not wait; min is never above the number of
     * requests in flight. Returns their number, or -1 with the error. An I/O that failed is a
     * completion with its errno, never an error of reap. A signal ends the wait early, with fewer
     * than `min` completions or none. A signal that comes just before the wait is lost; a worker
     * that must stop is therefore sent signals until it has ended. A backend that does each request
     * in a separate system call (sync) does one request even if `min` is 0.
     */
    int (*reap)(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                struct err *e);

    /*
     * Like reap with min 1, but waits no longer than until the instant `until` (ticks); it returns
     * 0 if that instant or a signal comes first. If the instant has passed it does not wait at all.
     * If nothing is in flight it sleeps until the instant. Like every sleep this ends somewhat
     * late, so a caller that must be on time passes an earlier instant and spins from there.
     */
    int (*reap_until)(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                      struct err *e);

    /*
     * Submits and reaps in one call, for loops that keep a target busy: submits
     * x->requests[0..x->n) and sets x->taken to the number taken, then reaps at least x->min
     * completions into x->done[0..x->max). Returns what reap returns. The null backend waits for
     * only one completion.
     */
    int (*exchange)(struct io_backend *b, struct io_exchange *x);

    /* Waits for the requests in flight, for at most two seconds in all, flushes data that
       passthrough wrote, and frees everything. When this returns, nothing of the target is
       registered or held any more. */
    void (*close)(struct io_backend *b);
};

/* `exchange` for backends that have no faster way than to call their submit and reap. */
static inline int io_submit_and_reap(struct io_backend *b, struct io_exchange *x)
{
    x->taken = 0;
    if (x->n) {
        int sent = b->ops->submit(b, x->requests, x->n, x->e);
        if (sent < 0)
            return -1;
        x->taken = (unsigned)sent;
    }
    return b->ops->reap(b, x->done, x->taken == x->n ? x->min : 1, x->max, x->e);
}

/* All backends, in the order in which users see them: the ops table and its name. */
#define IO_BACKEND_ROWS(ROW)                                                                       \
    ROW(io_sync, "sync")                                                                           \
    ROW(io_readwrite, "readwrite")                                                                 \
    ROW(io_stdio, "stdio")                                                                         \
    ROW(io_uring, "uring")                                                                         \
    ROW(io_nvme, "nvme")                                                                           \
    ROW(io_nvme_uring, "nvme-uring")                                                               \
    ROW(io_sg, "sg")                                                                               \
    ROW(io_tcp, "tcp")                                                                             \
    ROW(io_falloc, "falloc")                                                                       \
    ROW(io_ftruncate, "ftruncate")                                                                 \
    ROW(io_filecreate, "filecreate")                                                               \
    ROW(io_filestat, "filestat")                                                                   \
    ROW(io_filedelete, "filedelete")                                                               \
    ROW(io_dircreate, "dircreate")                                                                 \
    ROW(io_dirstat, "dirstat")                                                                     \
    ROW(io_dirdelete, "dirdelete")                                                                 \
    ROW(io_null, "null")

#define IO_BACKEND_DECLARATION(ops, name) extern const struct io_ops ops;
IO_BACKEND_ROWS(IO_BACKEND_DECLARATION)
#undef IO_BACKEND_DECLARATION

/*
 * Does what setup->pass says, before the request that begins a pass; for backends with
 * begins_passes. No latency includes this time. Returns 0 or an errno.
 */
int io_pass_prepare(const struct io_setup *setup);
static inline bool io_begins_pass(const struct io_setup *setup, const struct io_req *request)
{
    return setup->pass != IO_PASS_AS_IT_IS && request->offset == setup->pass_begin &&
           request->command != REQUEST_FLUSH;
}

/*
 * One range of a trim that has several (io_req.kind). The worker puts the ranges into the slot's
 * buffer, IO_RANGES_AT bytes after its beginning. A trim of one range uses only the request's
 * offset and length.
 */
struct io_range {
    uint64_t offset, length; /* bytes */
};
#define IO_RANGES_MAX 256
#define IO_RANGES_AT                                                                               \
    4096 /* bytes into the buffer; before them is space for the ranges in the device's format \ */

/* Trims by a system call: BLKDISCARD for a block device; for a file, a hole is punched, and the
   size stays. Returns the bytes covered, or -1 with errno. */
ssize_t io_trim(const struct io_setup *setup, int fd, const struct io_req *request);

/* Returns the last part of a backend's description, which says how the backend trims; "" if it does
   not trim. */
static inline const char *io_trim_words(const struct io_setup *setup)
{
    return !setup->trims         ? ""
           : setup->block_device ? ", trims by BLKDISCARD"
                                 : ", trims by fallocate (PUNCH_HOLE)";
}

/* Flushes a file by a system call. Returns what fsync and fdatasync return. */
static inline int io_flush_file(const struct io_setup *setup, int fd)
{
    return setup->flushes_all ? fsync(fd) : fdatasync(fd);
}

/* Returns true if the backend changes the file without moving any data. */
static inline bool io_is_without_data(const struct io_ops *ops)
{
    return ops && (ops->allocates || ops->resizes);
}

/* Returns the backend of that name, or NULL. */
const struct io_ops *io_backend_by_name(const char *name);

/* Returns the bytes of the read at byte 0 with which a backend is tried: 4 KiB, or one block of the
   target (`block`; 0: not known) if that is larger. */
static inline uint32_t io_trial_length(const struct io_setup *setup, uint32_t block)
{
    size_t length = block > 4096 ? block : 4096;
    return (uint32_t)(setup->buffer_stride < length ? setup->buffer_stride : length);
}

/*
 * Chooses the backend for `auto`:
 *
 * - a whole NVMe namespace with direct I/O: nvme-uring if it is permitted and works; nvme if
 *   there is no block device, nvme-uring does not work and iodepth is 1;
 * - a generic SCSI device: sg, because no other backend can use one;
 * - anything else: uring at an iodepth above 1, with sqpoll or iopoll on, or for requests with
 *   different priorities, because only uring supports these; otherwise sync;
 * - null when setup->fd is -1.
 *
 * The choice is tried with one read of the target. `why` (at most `why_size` bytes, never empty)
 * gives the reason. Returns NULL when the backend does not work here: `why` then gives the reason
 * and says what to do. There is no fall back to a backend that measures something else.
 */
const struct io_ops *io_choose(const struct io_setup *setup, char *why, size_t why_size);

#endif
