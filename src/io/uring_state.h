/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the two halves of the io_uring backend share: uring_setup.c makes the ring, uring.c runs it.
 * Owner: io_uring.open makes it, io_uring.close frees it, both in the worker's thread, which alone
 * may use the ring.
 */
#ifndef CUPEL_IO_URING_STATE_H
#define CUPEL_IO_URING_STATE_H

#include <liburing.h>

#include "io/io.h"

struct uring_slot {
    struct io_req request;
    uint64_t t_sub; /* ticks; 0 until it is offered to the kernel for the first time */
};

struct uring_state {
    struct io_setup setup;
    struct io_uring ring;
    bool fixed_buffers;  /* registered: buffer i is slot i's */
    int buffers_error;   /* why they are not: an errno */
    bool fixed_file;     /* registered: the target is file 0 */
    bool polled;         /* completions have to be asked for (IOPOLL) */
    bool kernel_submits; /* SQPOLL */
    unsigned sq_cpu;     /* where its thread runs */
    unsigned unsent;     /* in the submission queue, not handed over yet */
    unsigned in_flight;  /* unsent ones included */
    unsigned share;      /* of the queue that one reap takes at most */
    uint16_t *unsent_slots;
    struct uring_slot *slots;
};

/* Set up the ring, register what can be registered and say in b->description what is in use. */
int uring_setup(struct uring_state *s, struct io_backend *b, struct err *e);

/* Put a request into the submission queue. False when that is full. */
bool uring_queue(struct uring_state *s, unsigned slot);

#endif
