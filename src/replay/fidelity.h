/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of a trace, so that its replay can be put beside it (Anderson et al., Buttress
 * (2004), 6.4, Figures 8 and 10).
 *
 * While the reader of a replay goes through the trace, it reports every event that is to be issued
 * (fidelity_event is a replay_observer's). Kept are the response times of the trace, the
 * requests of each time slice, and the time that requests were in flight in it, in slices that fold
 * as those of run/measurement/measurement.h do: both lie side by side at the end. Memory is fixed.
 *
 * Times are those of the replay: a trace at twice its speed has twice its requests in a slice. The
 * original's time in flight is shortened alike, so that its queue length stays what it was.
 * Response times stay as they were. With a speed of 0 (as fast as possible) all times are the
 * trace's own.
 *
 * Threads: fidelity_event is the reader's; the others are for before the reader begins and after it
 * ended.
 */
#ifndef CUPEL_REPLAY_FIDELITY_H
#define CUPEL_REPLAY_FIDELITY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/heap.h"
#include "facts/result.h"
#include "run/measurement/measurement.h"
#include "stat/basic/histogram.h"
#include "trace/trace.h"

/* More of the original's requests in flight than this: the next to complete is taken as complete.
 */
#define FIDELITY_IN_FLIGHT 16384

#define FIDELITY_OPS 2 /* reads and writes are compared */

struct fidelity {
    /* the part that a record keeps: uint64_t alone, no pointers */
    uint64_t slice_ns, begin_ns,
        speed_millionths;                    /* as given; begin_ns: of slice 0, in the round */
    uint64_t fold;                           /* a kept slice is 2^fold original ones */
    uint64_t events;                         /* requests of the trace */
    uint64_t before;                         /* of these, before begin_ns */
    uint64_t with_response;                  /* of these, with a response time */
    uint64_t crowded;                        /* that came when FIDELITY_IN_FLIGHT were in flight */
    uint64_t last_ns;                        /* when the last one was due */
    struct histogram response[FIDELITY_OPS]; /* of those that did not fail */
    uint64_t requests[MEASUREMENT_SLICES];
    uint64_t in_flight_ns[MEASUREMENT_SLICES]; /* sum over requests */

    /* not in a record */
    uint64_t now_ns;
    struct heap in_flight; /* requests by their completion */
    struct heap_item completions[FIDELITY_IN_FLIGHT];
};

/*
 * begin_ns: where slice 0 of the measurement begins, since the round began (a collector leaves the
 * round's first slice out: slice_ns). slice_ns: of the measurement's original slices.
 */
void fidelity_begin(struct fidelity *f, uint64_t slice_ns, uint64_t begin_ns, double speed);

/* A replay_observer's event; the context is the struct fidelity. */
void fidelity_event(void *fidelity, const struct trace_event *event, uint64_t due_ns);

/* The replay has ended, at this instant of the round: the time in flight of the
   original until then is added up. */
void fidelity_end(struct fidelity *f, uint64_t end_ns);

/* The part that a record keeps, as numbers 0 .. FIDELITY_NUMBERS - 1. They are to be written in
   several chunks: each takes up to 10 bytes. */
#define FIDELITY_NUMBERS (offsetof(struct fidelity, now_ns) / sizeof(uint64_t))

static inline uint64_t fidelity_number(const struct fidelity *f, size_t i)
{
    uint64_t value;
    memcpy(&value, (const char *)f + i * sizeof value, sizeof value);
    return value;
}

static inline void fidelity_set_number(struct fidelity *f, size_t i, uint64_t value)
{
    memcpy((char *)f + i * sizeof value, &value, sizeof value);
}

/* The replay, to be put beside it. */
struct fidelity_replay {
    const struct slice_timing *slices; /* of the pass, or NULL */
    size_t slice_count;
    double slice_seconds;             /* slice_ns, folded any number of times */
    bool gaps;                        /* slices were lost: the series do not lie side by side */
    uint64_t requests;                /* that were issued: of an event that was split, several */
    uint64_t split;                   /* events that were */
    double seconds;                   /* from the pass's begin to its end */
    bool ended_early;                 /* before the trace's end */
    const struct histogram *response; /* of FIDELITY_OPS: from due instant to completion */
};

/* What fidelity_rows takes out of the arena. */
size_t fidelity_bytes(void);

/*
 * Fill r->fidelity, r->original and r->original_histograms, from the arena, which must outlive r.
 * Issue errors are taken from the rows that r has. The series "issued" (1/s) and "queue_length" are
 * the original's of those names in r->series. Nothing is filled when f makes no sense (from a
 * damaged record), and what there is no memory for is left out.
 */
void fidelity_rows(const struct fidelity *f, const struct fidelity_replay *replay, struct result *r,
                   struct arena *arena);

#endif
