/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source of requests with due times: generators (generator_source.c) or a trace
 * (replay_source.h). A source belongs to one worker, and only that worker's timed loop calls it.
 * Times are ns since the round's begin.
 */
#ifndef CUPEL_RUN_LOOP_REQUEST_SOURCE_H
#define CUPEL_RUN_LOOP_REQUEST_SOURCE_H

#include "source/generator/generators.h"

/* Due time of a request that is due as soon as a slot is free, and is never late
   (as-fast-as-possible replay). The loop uses the instant of issue as its due time. */
#define DUE_AT_ONCE 0

enum source_state {
    SOURCE_REQUEST, /* *next is the earliest request; its due time may be in the future */
    /* no request comes before next->due_ns or the next completion, whichever is earlier: the loop
       asks again at that time. UINT64_MAX: only after a completion */
    SOURCE_WAITING,
    SOURCE_ENDED, /* there will be no more requests in this round */
};

struct request_source_ops {
    /* Reports that a round begins, at time 0. */
    void (*begin)(void *state);
    /* Gives the earliest request without taking it. Repeated calls are cheap. */
    enum source_state (*peek)(void *state, uint64_t now_ns, struct generated_request *next);
    void (*take)(void *state);
    /* Reports that a taken request has completed. NULL: the source does not need it. */
    void (*completed)(void *state, const struct generated_request *request, uint64_t completed_ns,
                      int error);
    /* Returns the number of requests that are due by now and not taken; *at_least becomes true if
       there may be more. */
    uint64_t (*backlog)(void *state, uint64_t now_ns, bool *at_least);
    /* Requests have no due times: each is issued as soon as a slot is free. */
    bool at_once;
};

struct request_source {
    const struct request_source_ops *ops;
    void *state;
};

/* The functions of generators as a worker's source of requests. */

struct request_source generator_source(struct generators *g);

#endif
