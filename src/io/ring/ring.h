/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring of io_uring as the backends drive it that are built on it: uring (reads and writes) and
 * nvme-uring (NVMe commands). What they put into it and make of what comes out is theirs; when it
 * is handed over, waited for and timed is the same for both, so that their results can be compared.
 *
 * Owner: the backend's open makes it, ring_close ends it, both in the worker's thread, which alone
 * may use the ring. Nothing here allocates after open.
 */
#ifndef CUPEL_IO_RING_RING_H
#define CUPEL_IO_RING_RING_H

#include <liburing.h>

#include "io/io.h"

struct ring;

/* What a backend does in its own way. */
struct ring_ops {
    /* Put the request of a slot into the submission queue, or note it for as soon as there is room.
       False when neither is possible. */
    bool (*queue)(struct ring *r, unsigned slot);
    /* Take at most `max` finished requests out of the completion queue, as far as they are there.
       Returns how many. */
    unsigned (*collect)(struct ring *r, struct io_done done[], unsigned max);
    /* So many completions must come, at the least, before so many requests can be finished. NULL:
       one for each. */
    unsigned (*completions_of)(const struct ring *r, unsigned requests);
    /* The result of an entry that completed while the ring is being closed, which is reported
       to nobody any more. NULL: nothing is done. */
    void (*discard)(struct ring *r, int result);
};

struct ring_slot {
    struct io_req request;
    uint64_t t_sub; /* ticks; 0 until it is offered to the kernel for the first time */
};

struct ring {
    const struct ring_ops *ops;
    struct io_setup setup;
    struct io_uring uring;
    const char *kind;    /* of ring: "DEFER_TASKRUN" ... */
    bool fixed_buffers;  /* registered: those of slot i from i * pieces on */
    int buffers_error;   /* why they are not: an errno */
    bool fixed_file;     /* registered: the target is file 0 */
    bool polled;         /* completions have to be asked for (IOPOLL) */
    bool threads_trim;   /* a discard needs one that may wait */
    bool kernel_submits; /* SQPOLL */
    unsigned sq_cpu;     /* where its thread runs */
    size_t piece;        /* bytes that are registered as one buffer, ... */
    unsigned pieces;     /* ... and how many of them the buffer of a slot has */
    unsigned unsent;     /* entries in the submission queue, not handed over yet */
    unsigned entries;    /* without a completion so far, unsent ones included */
    unsigned in_flight;  /* requests without one */
    unsigned share;      /* of the requests that one reap takes at most */
    uint16_t *unsent_slots;
    struct ring_slot *slots;
};

/* ---- ring_setup.c ---- */

/* Memory for iodepth requests of at most `entries` entries together. ERR_MACHINE. */
int ring_reserve(struct ring *r, const struct ring_ops *ops, const struct io_setup *setup,
                 unsigned entries, struct err *e);

/* Give the memory back. */
void ring_release(struct ring *r);

/*
 * What a ring is made of. A buffer is registered as a whole or in pieces, for those who use no more
 * than a piece at a time: Linux 6.1 holds all pages of what is registered, and not those that are
 * used, against the limit of a command.
 */
struct ring_request {
    int fd;           /* to be registered as well */
    unsigned entries; /* of the submission queue */
    unsigned flags;   /* IORING_SETUP_..., beside the best ones that this kernel takes */
    size_t piece;     /* bytes */
};

/* Make the ring and register what can be. ERR_MACHINE. */
int ring_make(struct ring *r, const struct ring_request *request, struct err *e);

/* One read at byte 0, and how it ended: the result of its completion, or -errno. Nothing else may
   be in flight, and nothing is when it returns: signals do not end the wait. */
int ring_probe_read(struct ring *r, uint32_t length);

/* Undo ring_make. Nothing may be in flight. */
void ring_drop(struct ring *r);

/* "registered buffers and file" and how completions come: "DEFER_TASKRUN, completions by polling".
   Both write to `to`. */
void ring_describe_registered(const struct ring *r, char *to, size_t size);
void ring_describe_kind(const struct ring *r, char *to, size_t size);

/* ---- ring.c ---- */

/* A free entry of the submission queue for this slot, counted as unsent; NULL when it is full. */
struct io_uring_sqe *ring_entry(struct ring *r, unsigned slot);

/* Functions of struct io_ops: b->state is a struct ring or begins with one. */
int ring_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);
int ring_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
              struct err *e);
int ring_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                    struct err *e);

/* Wait (for two seconds at most, in all) for what is in flight, and end the ring; the memory stays.
   True when nothing was left in flight: then nothing holds the target any more either. */
bool ring_close(struct ring *r);

#endif
