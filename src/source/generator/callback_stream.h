/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A generator that is a function of the calling program: the event interface of Anderson et al.,
 * Buttress (2004), section 4.2, for programs that use the library. A stream of kind STREAM_FILAMENT
 * has such a function.
 *
 * The worker that runs the stream calls the function with one event at a time, and the function
 * answers by filament_request and filament_timer. Several workers may call it at once, for several
 * copies of a stream. Times are ns since the round's beginning.
 */
#ifndef CUPEL_SOURCE_GENERATOR_CALLBACK_STREAM_H
#define CUPEL_SOURCE_GENERATOR_CALLBACK_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

enum filament_event_kind {
    /* a round begins at time 0: requests queued in an earlier round are forgotten */
    FILAMENT_BEGIN,
    FILAMENT_TIMER,      /* the stream's timer has expired, at `now_ns` or earlier */
    FILAMENT_COMPLETION, /* a request has completed */
};

struct filament_event {
    enum filament_event_kind kind;
    uint64_t now_ns;       /* the instant of the event */
    uint64_t tag;          /* for FILAMENT_COMPLETION: the tag that the request was given */
    int error;             /* 0 or errno */
    unsigned copy, copies; /* copy of the stream: 0 .. copies - 1 */
    uint64_t region;       /* bytes */
};

struct filament {
    void (*handle)(void *context, struct stream *stream, const struct filament_event *event);
    void *context;
    unsigned queue; /* number of requests of one copy that can wait to become due */
};

struct filament_request {
    /* ns at which to issue the request; a past time means as soon as the iodepth allows */
    uint64_t due_ns;
    uint64_t offset; /* offset in the region, in bytes */
    uint32_t length;
    uint8_t op; /* 0 read, 1 write */
    uint64_t tag;
};

enum filament_answer {
    FILAMENT_TAKEN,
    FILAMENT_FULL,    /* the queue is full: try again at a completion or at a timer */
    FILAMENT_INVALID, /* the request is beyond the region, larger than the stream's size, not a
                         multiple of its alignment, or a write in a stream without writes */
};

/* Queues a request. May be called only while the function of that stream handles an event. */
enum filament_answer filament_request(struct stream *stream, const struct filament_request *r);

/* Sets the timer: an event at at_ns, but at least 1 ns after the event that is being handled.
   Returns false if a timer is already set. */
bool filament_timer(struct stream *stream, uint64_t at_ns);

#endif
