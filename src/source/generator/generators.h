/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generators (the "filaments" of Anderson et al., Buttress (2004), section 4) decide which
 * requests are issued next. They are driven by events: a timer, the completion of a request, a
 * message from another generator. Their requests wait in one queue in order of due time.
 *
 * Pure: times are ns since the round's beginning, given by the caller; no clock, no I/O. All
 * memory comes from the arena and is reserved by generators_init. One struct generators belongs
 * to one worker thread; generators that send each other messages always belong to the same
 * worker, so nothing is locked. The same seed gives the same requests with the same due times; in
 * closed streams the times also depend on the completions.
 *
 * A new kind of generator is one file with a struct stream_ops and one row of generators.c.
 */
#ifndef CUPEL_SOURCE_GENERATOR_GENERATORS_H
#define CUPEL_SOURCE_GENERATOR_GENERATORS_H

#include "base/arena.h"
#include "base/err.h"
#include "source/generator/workload_spec.h"

/* A request and the time when it is to be issued. */
struct generated_request {
    uint64_t due_ns;
    uint64_t offset; /* offset in the region, in bytes */
    uint32_t length;
    uint8_t command; /* what the request does: an enum request_command */
    uint8_t kind;    /* index into the workload's kinds (request_kind.h) */
    uint16_t stream; /* index of the stream that generated it, for generators_completed */
    uint64_t tag;    /* a number that the stream chose, for generators_completed */
};

enum generators_state {
    GENERATORS_REQUEST, /* *next is the earliest request; its due time may be in the future */
    /* no request is due before next->due_ns: ask again at that time, or after the next completion
       (UINT64_MAX: only after a completion) */
    GENERATORS_WAITING,
    GENERATORS_ENDED, /* no more requests: the phases are over and nothing is in flight */
};

struct generators_setup {
    const struct workload_spec *spec; /* must outlive the generators */
    uint64_t region;                  /* bytes */
    /* bytes from one copy's region to the next one's; 0: all copies use the same region */
    uint64_t increment;
    uint64_t seed;
    /* The whole workload runs in `copies` copies, each with 1/copies of the rate and of the
       concurrency. This worker runs the copies first, first + step, ... */
    unsigned copies, first, step;
};

struct generators;

size_t generators_bytes(const struct generators_setup *setup);

/* Makes the generators in the arena's memory. ERR_USAGE: the region is too small for the workload,
   or arrivals have no rate. ERR_MACHINE: the arena is used up. No request is generated before
   generators_begin. */
int generators_init(struct generators **generators, const struct generators_setup *setup,
                    struct arena *arena, struct err *e);

/*
 * Starts a round at time 0: requests that were queued and not taken are forgotten. Nothing may be
 * in flight. Sequential positions of open streams continue after the last request taken. The random
 * numbers of a round depend on the seed and the round's number. Fills the queue, in 10 to 200 us.
 */
void generators_begin(struct generators *g);

/*
 * Stores the earliest request in *next without taking it. Timers and messages due by `now_ns` are
 * handled first. Requests are generated ahead of their time as far as the queue has room (256
 * requests of an open stream), so that nothing is left to be computed when they are due. To keep
 * calls short, each call generates only a few requests, and only while the next request is not due.
 */
enum generators_state generators_peek(struct generators *g, uint64_t now_ns,
                                      struct generated_request *next);
/* Takes the request that generators_peek returned. Call it only after GENERATORS_REQUEST. */
void generators_take(struct generators *g);

/* To be called when a taken request has completed (error: errno or 0). */
void generators_completed(struct generators *g, const struct generated_request *request,
                          uint64_t completed_ns, int error);

/* Returns the number of requests in the queue that were due by now_ns. *at_least becomes true if
   more requests may be due than the queue can hold; phases_requests (phases.h) then gives the
   number due on average. */
uint64_t generators_backlog(const struct generators *g, uint64_t now_ns, bool *at_least);

#endif
