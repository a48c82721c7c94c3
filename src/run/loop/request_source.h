/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where requests with due times come from: generators (generator_source.c) or a trace
 * (replay_source.h). One source belongs to one worker, whose timed loop alone calls it. Times are
 * ns since the round's begin.
 */
#ifndef CUPEL_RUN_LOOP_REQUEST_SOURCE_H
#define CUPEL_RUN_LOOP_REQUEST_SOURCE_H

#include "generator/generators.h"

/* Due as soon as there is room for it, and not late: as-fast-as-possible replay. The loop takes the
   instant of issue for its due time. */
#define DUE_AT_ONCE 0

enum source_state {
    SOURCE_REQUEST, /* *next is the earliest request; its due time may lie ahead */
    SOURCE_WAITING, /* none before next->due_ns (UINT64_MAX: never) or a completion: ask again then
                     */
    SOURCE_ENDED,   /* none will ever come in this round */
};

struct request_source_ops {
    /* A round begins: time 0. */
    void (*begin)(void *state);
    /* The earliest request, without taking it. Cheap when asked again. op is an enum io_op. */
    enum source_state (*peek)(void *state, uint64_t now_ns, struct generated_request *next);
    void (*take)(void *state);
    /* A request that was taken has completed; NULL: nobody wants to know. */
    void (*completed)(void *state, const struct generated_request *request, uint64_t completed_ns,
                      int error);
    /* Requests due by now and not taken; *at_least: more may be. */
    uint64_t (*backlog)(void *state, uint64_t now_ns, bool *at_least);
    /* Requests have no due times: issue each as soon as there is room. */
    bool at_once;
};

struct request_source {
    const struct request_source_ops *ops;
    void *state;
};

/* Generators as a worker's source of requests. */

struct request_source generator_source(struct generators *g);

#endif
