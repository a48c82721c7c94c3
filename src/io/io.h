/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contract between a worker and what issues its I/O.
 *
 * A backend is a const ops table. One struct io_backend belongs to one worker thread, which alone
 * calls its functions, from open to close. All memory comes with open; submit and reap allocate
 * nothing, lock nothing and print nothing. The backend takes both time stamps, because only it
 * knows the instants: t_sub right before the request goes to the kernel, t_cpl right after its
 * completion was seen.
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

/* A feature that can be asked for, refused, or left to the backend. */
enum io_choice { IO_AUTO, IO_OFF, IO_ON };

/* One request. `slot` names its buffer: 0 .. iodepth-1, in use by one request at a time. */
struct io_req {
    uint64_t offset; /* bytes into the target */
    uint32_t length; /* bytes */
    uint16_t slot;
    uint8_t command; /* enum request_command */
    uint8_t kind;    /* index into io_setup.priorities; for a trim: the number of its ranges less
                     one */
};

/* One completion record, 24 bytes. */
struct io_done {
    uint64_t t_sub, t_cpl; /* ticks */
    uint32_t bytes;        /* moved; fewer than requested is a short I/O */
    int16_t error;         /* 0, or the errno of a failed request (positive): bytes is then 0 */
    union {
        struct {
            uint16_t slot : IO_SLOT_BITS;
            uint16_t op : REQUEST_OPERATION_BITS; /* enum operation: what the command counts as */
        };
        uint16_t op_and_slot; /* both at once: io_op_and_slot */
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
 * Write the completion record of a request that moved `bytes`, or failed with `error`. It is
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

/* What is done to the file before the request that begins a pass over it. */
enum io_pass {
    IO_PASS_AS_IT_IS,
    IO_PASS_NEW_FILE, /* the file is cut to nothing: every write makes it longer and allocates */
    IO_PASS_UNCACHED, /* the page cache drops the file: reads reach the device again */
};

/* What a backend is opened with; everything in it outlives the backend. */
struct io_setup {
    const struct clock *clock;
    int fd;                 /* the target; -1 for the null backend */
    bool direct;            /* fd was opened with O_DIRECT */
    unsigned iodepth;       /* slots */
    unsigned char *buffers; /* slot i at buffers + i * buffer_stride, page aligned */
    size_t buffer_stride;
    const struct nvme_namespace *nvme; /* backends nvme and nvme-uring: the target's namespace; or
                                          NULL */
    const struct scsi_unit *scsi;      /* backend sg: the target's SCSI disk; or NULL */
    const struct net_peer *peer;       /* tcp: the far end, which was found before; or NULL */
    const char *script; /* null backend: scripted delays (see src/io/null/null_script.c), or NULL */
    uint64_t seed;      /* null backend: seed of the scripted delays; one per worker */

    /*
     * uring, nvme-uring: a kernel thread submits, on a CPU of its own. The mask of the process's
     * main thread must have two CPUs for each worker, or open fails. Automatic: off.
     * `sqpoll_placed`: the thread runs on sqpoll_cpu, on which no worker runs.
     */
    enum io_choice sqpoll;
    bool sqpoll_placed;
    unsigned sqpoll_cpu;
    /* uring, nvme-uring: completions are found by polling. Automatic: on if a trial shows that
       polling works with this device. */
    enum io_choice iopoll;
    unsigned workers; /* threads that do the same at the same time (0: one) */
    bool flushes;     /* flushes will be requested: uring then does not poll, because a polled ring
                         cannot flush */
    /* `trims`: trims will be requested, and uring does not poll then either. `block_device`:
       the target is a block device, not a file. Both are for backends with io_ops.trims. */
    bool trims, block_device;
    bool atomic;      /* writes carry RWF_ATOMIC: backends with writes_atomically */
    bool flushes_all; /* a flush of a file is fsync, metadata and all; else fdatasync */
    /* The priority of each kind of request, as the kernel encodes it (0: the thread's priority).
       NULL: all requests have the thread's priority. For backends with takes_priorities. */
    const uint16_t *priorities;
    bool block_layer;    /* io_choose: only backends that go through the block layer are chosen */
    enum io_pass pass;   /* what is done before each pass; for backends with begins_passes */
    uint64_t pass_begin; /* bytes: the request that goes there begins a pass */
    /* io_action.in_folder: fd is a folder of this worker's own, in which this many entries are
       made; `entry_bytes`: size of those that are files (filestat, filedelete) */
    uint64_t entries, entry_bytes;
};

/* One kind of failure that a device reported, as the device names it. */
struct io_status_count {
    uint32_t status; /* as the device reported it: NVMe, type << 8 | code, bit 14 "do not retry";
                        SCSI, base/scsi/scsi.h */
    uint64_t count;
};
#define IO_STATUSES 16 /* kinds counted apart; further kinds are counted with the last */

struct io_statuses {
    struct io_status_count rows[IO_STATUSES];
    unsigned count;
};

/* Whether the written data are on the medium: the result of a flush after the last write. */
struct io_flush {
    bool needed; /* false: nothing was written, or no volatile cache holds it */
    int error;   /* 0, or the errno of the flush that failed */
};

/* What is known about a connection at its end. */
struct io_link {
    /* The kernel's view (TCP_INFO) since the connection began: segments with data that were sent,
       and those sent again (retransmitted), by this end and, if it answered, by the far end. */
    uint32_t sent, resent, far_sent, far_resent;
    uint32_t rtt_us, rtt_min_us; /* smoothed round trip time at the end, and the shortest */
    uint32_t window, segment;    /* congestion window in segments; bytes of a segment */
    char algorithm[16];          /* name of the congestion control */
    bool answered;               /* the far end reported what it has seen */
    bool agrees;                 /* the counts of the far end equal those of this end */
};

struct io_backend {
    const struct io_ops *ops;
    void *state;           /* the backend's own, freed by close */
    char description[200]; /* what is in use: "io_uring, registered buffers and file, ..." */
    int completion_fd;     /* becomes readable when a request completes; 0: there is none */
    bool polls;            /* the backend asks the device for completions all the time */
    uint64_t handed_over;  /* ticks: t_sub of the request handed over last; 0: not known */
    /* Ticks of the round that were spent on preparing passes. They are no part of the round: time
       stamps are earlier by this much. The worker alone changes it; 0 for backends that prepare
       none. */
    _Atomic uint64_t aside;
    struct io_statuses statuses; /* passthrough: failures since open; read between rounds */
    struct io_flush flush;       /* passthrough: the last flush; valid after close */
    struct io_link link;         /* backends that connect: the connection; valid after close */
};

/* The arguments of `exchange`; most of them stay the same from call to call. */
struct io_exchange {
    const struct io_req *requests;
    unsigned n, taken;
    unsigned min; /* completions to wait for, if all requests were taken */
    unsigned max; /* room in done[] */
    struct io_done *done;
    struct err *e;
};

/* The name of the backend that keeps many requests in flight: for code that needs one, and for the
   hints of backends that do one request at a time. */
#define IO_MANY_IN_FLIGHT "uring"

/* What a request does that moves no bytes. */
struct io_action {
    const char *name; /* name of one request: "file creation" */
    const char *rate; /* name of the number per second: "file creations/s" */
    bool writes;      /* it changes the target and counts as a write; false: as a read */
    bool in_folder;   /* the target is a folder, in which each worker has one of its own */
    bool sized;       /* its files may have a size: the entries that are there before it begins */
};

struct io_ops {
    const char *name;
    const char *help;

    /* Properties of a backend, so that no caller has to know a backend by its name. */
    bool needs_target;         /* false: it works without a file (null) */
    bool needs_namespace;      /* the target is a whole NVMe namespace that takes commands */
    bool needs_scsi;           /* the target is a whole SCSI disk that takes commands */
    bool bypasses_block_layer; /* the kernel's statistics of the device do not count its I/O, and
                                  the page cache has no part in it */
    bool can_poll;             /* iopoll may be asked for, and sqpoll unless it connects */
    bool takes_script;         /* it takes a script of delays */
    bool connects;             /* it connects to a host (setup.peer) and has no target */
    bool serial;               /* it does one request at a time: each call returns when the request
                                  is done */
    bool takes_priorities;     /* it obeys setup.priorities; with other backends all requests have
                                  the thread's priority */
    bool writes_atomically;    /* it obeys setup.atomic */
    bool begins_passes;        /* it obeys setup.pass; other backends ignore it */
    bool trims;                /* it does trims */
    bool trims_ranges;         /* it does trims of several ranges, as setup.trim_ranges says */
    bool allocates;            /* its reads and writes change the allocation of a file and move no
                                  data: the target must be a file */
    bool resizes;              /* its writes change the size of a file and move no data */
    bool buffers_itself;       /* it buffers in memory of the C library, which O_DIRECT does not
                                  take */
    uint32_t length_max;       /* the most bytes of a request; 0: no limit */
    const struct io_action *action; /* what a request does where it moves no bytes; NULL: it moves
                                       bytes */
    const char *parallel; /* for a serial backend: the one that does the same with many requests in
                             flight; NULL: no backend does */
    const struct io_ops *through_block_layer; /* the backend that does the same through the block
                                                 layer, to measure what that costs; or NULL */

    /*
     * Fill b, b->ops and b->description included. Returns 0, or -1 with ERR_USAGE (a script that
     * cannot be read), ERR_MACHINE (this kernel or permission cannot) or ERR_TARGET (anything
     * else); after -1 there is nothing to close.
     */
    int (*open)(struct io_backend *b, const struct io_setup *setup, struct err *e);

    /*
     * Hand over requests[0..n), n <= free slots. Returns how many were taken (the caller keeps the
     * rest), or -1 with the error: the worker stops. A backend may keep requests until the next
     * reap, to submit and wait in one system call: a worker that does anything else before it reaps
     * must call reap with min 0 first. t_sub is always the instant at which the kernel gets the
     * request.
     */
    int (*submit)(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);

    /*
     * Send the requests that were kept, wait for at least `min` completions (0: do not wait; never
     * more than are in flight) and write at most `max` of them to done[]. Returns their number, or
     * -1 with the error. A signal ends the wait early, with fewer than `min` completions, even
     * none. A worker that must stop is therefore sent signals again and again until it has ended,
     * because one that comes just before the wait is lost. An I/O that failed is a completion with
     * its errno, never an error of reap. A backend whose requests cannot wait (sync) does one
     * request in any case.
     */
    int (*reap)(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                struct err *e);

    /*
     * Like reap with min 1, but wait no longer than until the instant `until` (ticks): returns 0
     * when that instant or a signal comes first. With an instant in the past it does not wait at
     * all. With nothing in flight it sleeps until then. It wakes up late, as every sleep does: a
     * caller that must be on time gives an earlier instant and spins from there.
     */
    int (*reap_until)(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                      struct err *e);

    /*
     * Submit and reap in one call, for loops that keep a target busy: submits x->requests[0..x->n),
     * x->taken of them, then reaps at least x->min completions into x->done[0..x->max). Returns
     * what reap returns. The null backend waits for one.
     */
    int (*exchange)(struct io_backend *b, struct io_exchange *x);

    /* Wait (for two seconds at most, in all) for what is in flight, flush what passthrough wrote,
       and free everything. All that was registered or held for the target has been given back when
       this returns. */
    void (*close)(struct io_backend *b);
};

/* `exchange` for backends that have no shorter way than their own submit and reap. */
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
 * Do what setup->pass says, before the request that begins a pass. No request's latency includes
 * this time. Returns 0 or an errno. Called by backends with begins_passes.
 */
int io_pass_prepare(const struct io_setup *setup);
static inline bool io_begins_pass(const struct io_setup *setup, const struct io_req *request)
{
    return setup->pass != IO_PASS_AS_IT_IS && request->offset == setup->pass_begin &&
           request->command != REQUEST_FLUSH;
}

/*
 * One range of a trim that has several (io_req.kind). The worker puts the ranges into the slot's
 * buffer, IO_RANGES_AT bytes after its begin. A trim of one range has only the request's offset and
 * length.
 */
struct io_range {
    uint64_t offset, length; /* bytes */
};
#define IO_RANGES_MAX 256
#define IO_RANGES_AT                                                                               \
    4096 /* bytes into the buffer; before it is room for the ranges in the device's form */

/* Do a trim by a system call: BLKDISCARD for a block device, a hole in a file that keeps
   its size. Returns the bytes covered, or -1 with errno. */
ssize_t io_trim(const struct io_setup *setup, int fd, const struct io_req *request);

/* The end of a backend's description: how it trims, or "". */
static inline const char *io_trim_words(const struct io_setup *setup)
{
    return !setup->trims         ? ""
           : setup->block_device ? ", trims by BLKDISCARD"
                                 : ", trims by fallocate (PUNCH_HOLE)";
}

/* Do a flush of a file by a system call. Returns what fsync and fdatasync return. */
static inline int io_flush_file(const struct io_setup *setup, int fd)
{
    return setup->flushes_all ? fsync(fd) : fdatasync(fd);
}

/* Does the backend change the file without moving any data? */
static inline bool io_is_without_data(const struct io_ops *ops)
{
    return ops && (ops->allocates || ops->resizes);
}

/* The backend of that name, or NULL. */
const struct io_ops *io_backend_by_name(const char *name);

/* Bytes of the read at byte 0 with which a backend is tried: 4 KiB, or one block of the target
   (`block`; 0: not known) where that is larger. */
static inline uint32_t io_trial_length(const struct io_setup *setup, uint32_t block)
{
    size_t length = block > 4096 ? block : 4096;
    return (uint32_t)(setup->buffer_stride < length ? setup->buffer_stride : length);
}

/*
 * Choose the backend for `auto`. On a whole NVMe namespace with direct I/O it is nvme-uring, where
 * that is permitted and works (nvme at iodepth 1 where there is no block device and nvme-uring does
 * not work); on a generic SCSI device sg, because nothing else can use that. Otherwise it is uring
 * at an iodepth above 1, with sqpoll or iopoll on, or for requests with priorities of their own,
 * because only uring can do these; else sync; null when setup->fd is -1. The choice is tried with
 * one read of the target. `why` (at most `why_size` bytes, never empty) gives the reason. NULL when
 * the backend does not work here: `why` says why not and what to do. There is no fall back to a
 * backend that measures something else.
 */
const struct io_ops *io_choose(const struct io_setup *setup, char *why, size_t why_size);

#endif
