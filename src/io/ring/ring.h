/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An io_uring ring, for the backends that are built on it: uring (reads and writes) and nvme-uring
 * (NVMe commands). Each of them fills the entries and interprets the completions in its own way.
 * How entries are handed over, waited for and timed is the same for both, so that their results can
 * be compared.
 *
 * Owner: the backend's open makes it, ring_close ends it, both in the worker's thread, which alone
 * may use the ring. Nothing here allocates after open.
 */
#ifndef CUPEL_IO_RING_RING_H
#define CUPEL_IO_RING_RING_H

#include <liburing.h>

#include "io/io.h"

struct ring;

/* The functions that differ between backends. */
struct ring_ops {
    /* Put the request of a slot into the submission queue, or remember it until there is room.
       False when neither is possible. */
    bool (*queue)(struct ring *r, unsigned slot);
    /* Take at most `max` finished requests out of the completion queue, without waiting. Returns
       their number. */
    unsigned (*collect)(struct ring *r, struct io_done done[], unsigned max);
    /* The smallest number of completions after which `requests` requests can be finished. NULL: one
       for each. */
    unsigned (*completions_of)(const struct ring *r, unsigned requests);
    /* Called with the result of an entry that completed while the ring is being closed; such
       results are not reported any more. NULL: nothing is done. */
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
    const char *kind;    /* the kind of ring: "DEFER_TASKRUN" ... */
    bool fixed_buffers;  /* buffers are registered: slot i has those from i * pieces on */
    int buffers_error;   /* why they are not registered: an errno */
    bool fixed_file;     /* the target is registered, as file 0 */
    bool polled;         /* completions must be polled for (IOPOLL) */
    bool threads_trim;   /* a discard needs a kernel thread that may wait */
    bool kernel_submits; /* SQPOLL is in use */
    unsigned sq_cpu;     /* the CPU of SQPOLL's thread */
    size_t piece;        /* bytes that are registered as one buffer */
    unsigned pieces;     /* the number of such buffers in the buffer of a slot */
    unsigned unsent;     /* entries in the submission queue that are not handed over yet */
    unsigned entries;    /* entries without a completion so far, unsent ones included */
    unsigned in_flight;  /* requests without a completion so far */
    unsigned share;      /* the most requests that one reap takes */
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
 * What a ring is made of. A slot's buffer is registered as a whole, or in pieces for a backend that
 * uses at most a piece at a time: Linux 6.1 counts all pages of a registered buffer, not only those
 * in use, against the limit of a command.
 */
struct ring_request {
    int fd;           /* registered as well */
    unsigned entries; /* size of the submission queue */
    unsigned flags;   /* IORING_SETUP_..., in addition to the best ones that this kernel takes */
    size_t piece;     /* bytes */
};

/* Make the ring and register what can be. ERR_MACHINE. */
int ring_make(struct ring *r, const struct ring_request *request, struct err *e);

/* Do one read at byte 0. Returns the result of its completion, or -errno. Nothing may be in flight
   before, and nothing is in flight after: signals do not end the wait. */
int ring_probe_read(struct ring *r, uint32_t length);

/* Undo ring_make. Nothing may be in flight. */
void ring_drop(struct ring *r);

/* The words of a description: "registered buffers and file", and how completions come:
   "DEFER_TASKRUN, completions by polling". Both write to `to`. */
void ring_describe_registered(const struct ring *r, char *to, size_t size);
void ring_describe_kind(const struct ring *r, char *to, size_t size);

/* ---- ring.c ---- */

/* Returns a free entry of the submission queue for this slot, counted as unsent; NULL when the
   queue is full. */
struct io_uring_sqe *ring_entry(struct ring *r, unsigned slot);

/* Functions of struct io_ops: b->state is a struct ring or begins with one. */
int ring_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);
int ring_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
              struct err *e);
int ring_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                    struct err *e);

/* Wait (for two seconds at most, in all) for what is in flight, and end the ring; the memory stays.
   True when nothing was left in flight: then the kernel holds the target no longer. */
bool ring_close(struct ring *r);

#endif
