/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A generator that is somebody else's function: the event interface of Anderson et al., Buttress
 * (2004), section 4.2, for programs that use the library. A stream of kind STREAM_FILAMENT has one.
 *
 * The function is called by the worker that runs the stream, with one event at a time, and answers
 * by filament_request and filament_timer; several copies of a stream may be called at once, by
 * several workers. Times are ns since the round's begin.
 */
#ifndef CUPEL_GENERATOR_FILAMENT_H
#define CUPEL_GENERATOR_FILAMENT_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

enum filament_event_kind {
    FILAMENT_BEGIN,      /* time 0: what was asked for in the round before is forgotten */
    FILAMENT_TIMER,      /* at its instant, or later */
    FILAMENT_COMPLETION, /* of a request */
};

struct filament_event {
    enum filament_event_kind kind;
    uint64_t now_ns;       /* the instant it is of */
    uint64_t tag;          /* of the request that completed */
    int error;             /* 0 or errno */
    unsigned copy, copies; /* of the stream: copy is 0 .. copies - 1 */
    uint64_t region;       /* bytes */
};

struct filament {
    void (*handle)(void *context, struct stream *stream, const struct filament_event *event);
    void *context;
    unsigned queue; /* requests of a copy that can wait for their instants */
};

struct filament_request {
    uint64_t due_ns; /* a time that has passed: as soon as there is room */
    uint64_t offset; /* bytes into the region */
    uint32_t length;
    uint8_t op; /* 0 read, 1 write */
    uint64_t tag;
};

enum filament_answer {
    FILAMENT_TAKEN,
    FILAMENT_FULL,    /* `queue` requests wait: ask again at a completion or by a timer */
    FILAMENT_INVALID, /* beyond the region, larger than the stream's size, no multiple of its
                         alignment, or a write where it has none */
};

/* Only while the function of that stream handles an event. */
enum filament_answer filament_request(struct stream *stream, const struct filament_request *r);

/* An event at that instant, at least 1 ns after the one that is handled. False: one is set. */
bool filament_timer(struct stream *stream, uint64_t at_ns);

#endif
