/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kind of generator is: the event interface of paper 004, section 4.2. Private to
 * src/generator. A generator is called with one event at a time, never by two threads, and answers
 * with requests, arrivals and messages in the future or at once.
 */
#ifndef CUPEL_GENERATOR_STREAM_H
#define CUPEL_GENERATOR_STREAM_H

#include "base/random.h"
#include "generator/generators.h"
#include "generator/shape.h"

enum stream_event_kind {
    EVENT_BEGIN,   /* time 0; value: arrivals that were worked off and whose requests nobody took */
    EVENT_ARRIVAL, /* one that was asked for: worked off ahead of its time, or late */
    EVENT_COMPLETION, /* of a request */
    EVENT_MESSAGE,    /* worked off at its time or later */
};

struct stream_event {
    enum stream_event_kind kind;
    uint64_t now_ns; /* the instant it is of, whenever it is worked off */
    uint64_t value;  /* of the message; of a completion the request's tag */
    unsigned from;   /* message: stream that sent it */
    int error;       /* completion, message: errno or 0 */
};

/* One stream of one copy. */
struct stream {
    const struct workload_spec *workload;
    const struct stream_spec *spec;
    const struct stream_ops *ops;
    struct generators *generators;
    void *state; /* the kind's own */
    struct random random;
    uint64_t region, seed; /* of the workload */
    unsigned index;        /* in this worker */
    unsigned copy, copies;
    unsigned capacity; /* see stream_ops */
    unsigned room;
    bool stalled;        /* an arrival waits for room, */
    uint64_t stalled_ns; /* ... this one */
};

struct stream_ops {
    const char *name; /* as profiles have it */
    const char *help;

    /* How much it can have under way: arrivals worked off and not given back, requests in the
       queue. 0: none in this copy. */
    unsigned (*capacity)(const struct stream_spec *spec, unsigned copy, unsigned copies);
    /* An arrival is given back when its request is taken; else by stream_give_back. */
    bool taken_is_over;

    size_t (*bytes)(const struct workload_spec *workload, const struct stream_spec *spec,
                    unsigned capacity);
    int (*init)(struct stream *s, struct arena *arena, struct err *e);

    /* Work off one event. EVENT_BEGIN: ask for the first ones. */
    void (*handle)(struct stream *s, const struct stream_event *event);
};

extern const struct stream_ops *const stream_kinds[STREAM_KINDS];

/* --- what a generator asks for --- */

/* A request, once it is due. */
void stream_request(struct stream *s, uint64_t due_ns, const struct request_shape *shape,
                    uint64_t tag);

/* EVENT_ARRIVAL of that time, as soon as there is room; one at a time. */
void stream_arrive(struct stream *s, uint64_t at_ns);

/* An arrival is over. */
void stream_give_back(struct stream *s);

/* A message to stream `to` of the same copy. Each message is sent on behalf of one arrival and
   there is one at a time for it: so much memory there is. */
void stream_send(struct stream *s, unsigned to, uint64_t at_ns, uint64_t value, int error);

/* Nothing is begun from this instant on: the end of the phases. */
uint64_t stream_end(const struct stream *s);

/* A part of the workload's region for one shape, both ends multiples of what requests begin at.
   What is spread by a hash differs with the stream and the step, not with the copy. */
struct address_extent stream_extent(const struct stream *s, double from, double to,
                                    uint32_t largest, unsigned step);

/* The shape of requests that the stream's own keys describe. */
int stream_shape_init(const struct stream *s, struct shape *shape, struct arena *arena,
                      struct err *e);

#endif
