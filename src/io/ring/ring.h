/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An io_uring ring, for the backends that are built on it: uring (reads and writes) and
 * nvme-uring (NVMe commands). Each backend fills entries and interprets completions in its own
 * way. Submitting, waiting and timestamps are the same for both, so that their results can be
 * compared.
 *
 * The backend's open makes the ring, and ring_close ends it. Both run in the worker's thread, and
 * no other thread may use the ring. Nothing here allocates after open.
 */
#ifndef CUPEL_IO_RING_RING_H
#define CUPEL_IO_RING_RING_H

#include <liburing.h>

#include "io/io.h"

struct ring;

/* The functions that differ between backends. */
struct ring_ops {
    /* Puts the request of a slot into the submission queue, or remembers it until there is room.
       Returns false when neither is possible. */
    bool (*queue)(struct ring *r, unsigned slot);
    /* Takes at most `max` finished requests from the completion queue, without waiting. Returns
       their number. */
    unsigned (*collect)(struct ring *r, struct io_done done[], unsigned max);
    /* Returns the smallest number of completions after which `requests` requests can be finished.
       NULL: one completion per request. */
    unsigned (*completions_of)(const struct ring *r, unsigned requests);
    /* Receives the result of an entry that completed while the ring is being closed; the worker
       does not see such results. NULL: they are ignored. */
    void (*discard)(struct ring *r, int result);
};

struct ring_slot {
    struct io_req request;
    uint64_t t_sub; /* ticks; 0 until the request is first submitted to the kernel */
};

struct ring {
    const struct ring_ops *ops;
    struct io_setup setup;
    struct io_uring uring;
    const char *kind;   /* words that describe the flags of the ring: "DEFER_TASKRUN" ... */
    bool fixed_buffers; /* buffers are registered; those of slot i begin at index i * pieces */
    int buffers_error;  /* errno of the registration of buffers, if it failed */
    bool fixed_file;    /* the target is registered, with index 0 */
    bool polled;        /* the kernel finds completions only when it is asked (IOPOLL) */
    /* discards run in a kernel thread, because the device refuses requests that may not wait */
    bool threads_trim;
    bool kernel_submits; /* SQPOLL is in use */
    unsigned sq_cpu;     /* the CPU of the kernel's SQPOLL thread */
    size_t piece;        /* size of a registered buffer in bytes */
    unsigned pieces;     /* number of registered buffers that make up the buffer of a slot */
    unsigned unsent;     /* entries in the submission queue that are not submitted yet */
    unsigned entries;    /* entries without a completion so far, including unsent ones */
    unsigned in_flight;  /* requests without a completion so far */
    unsigned share;      /* maximum number of requests that one reap takes */
    uint16_t *unsent_slots;
    struct ring_slot *slots;
};

/* ---- ring_setup.c ---- */

/* Allocates memory for iodepth requests, which together use at most `entries` entries. ERR_MACHINE:
   there is no memory. */
int ring_reserve(struct ring *r, const struct ring_ops *ops, const struct io_setup *setup,
                 unsigned entries, struct err *e);

/* Frees the memory of ring_reserve. */
void ring_release(struct ring *r);

/*
 * The parameters of a ring. A slot's buffer is registered as a whole, or in pieces if the backend
 * uses at most one piece at a time, because Linux 6.1 counts all pages of a registered buffer, not
 * only those in use, against the limit of a command.
 */
struct ring_request {
    int fd;           /* descriptor of the target; the ring registers it */
    unsigned entries; /* size of the submission queue */
    unsigned flags;   /* IORING_SETUP_..., added to the best flags that this kernel accepts */
    size_t piece;     /* bytes */
};

/* Makes the ring, and registers files and buffers if possible. Errors: ERR_MACHINE. */
int ring_make(struct ring *r, const struct ring_request *request, struct err *e);

/* Does one read at byte 0. Returns the result of its completion, or -errno. Nothing may be in
   flight before the call, and nothing is in flight after it: signals do not end the wait. */
int ring_probe_read(struct ring *r, uint32_t length);

/* Undoes ring_make. Nothing may be in flight. */
void ring_drop(struct ring *r);

/* Write parts of a description to `to`: what is registered, as in "registered buffers and file",
   and how completions come, as in "DEFER_TASKRUN, completions by polling". */
void ring_describe_registered(const struct ring *r, char *to, size_t size);
void ring_describe_kind(const struct ring *r, char *to, size_t size);

/* ---- ring.c ---- */

/* Returns a free entry of the submission queue for this slot, counted as unsent; NULL when the
   queue is full. */
struct io_uring_sqe *ring_entry(struct ring *r, unsigned slot);

/* Functions for struct io_ops; b->state must be a struct ring or begin with one. */
int ring_submit(struct io_backend *b, const struct io_req requests[], unsigned n, struct err *e);
int ring_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
              struct err *e);
int ring_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                    struct err *e);

/* Waits for the requests in flight, for at most two seconds in all, and ends the ring. The memory
   of ring_reserve stays. Returns true if no request was left in flight, so that the kernel no
   longer holds the target. */
bool ring_close(struct ring *r);

#endif
