/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shape of a trace, for comparison with its replay (Anderson et al., Buttress (2004), 6.4,
 * Figures 8 and 10).
 *
 * While the reader of a replay goes through the trace, it reports every event that is to be
 * issued (fidelity_event is the event function of a replay_observer). The struct stores the
 * response times of the trace and, for each time slice, the number of requests and their time in
 * flight. The slices fold like those of run/measurement/measurement.h, so that both can be
 * compared at the end. Memory is fixed.
 *
 * Times are those of the replay: a trace at twice its speed has twice its requests in a slice.
 * The original's time in flight is shortened by the same factor, so that its queue length does
 * not change. Response times are not scaled. With a speed of 0 (as fast as possible) all times
 * are the trace's own.
 *
 * Threads: the reader calls fidelity_event; the other functions are called before the reader
 * begins or after it has ended.
 */
#ifndef CUPEL_RUN_REPLAY_FIDELITY_H
#define CUPEL_RUN_REPLAY_FIDELITY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/heap.h"
#include "facts/result.h"
#include "run/measurement/measurement.h"
#include "source/trace/trace.h"
#include "stat/basic/histogram.h"

/* If more of the original's requests are in flight than this, the one that completes first is
   counted as complete. */
#define FIDELITY_IN_FLIGHT 16384

#define FIDELITY_OPS 2 /* reads and writes are compared separately */

struct fidelity {
    /* the following members are stored in a session file: only uint64_t, no pointers */
    /* speed as given, times 10^6; `begin_ns`: begin of slice 0 in the round */
    uint64_t slice_ns, begin_ns, speed_millionths;
    uint64_t fold;                           /* a kept slice is 2^fold original slices */
    uint64_t events;                         /* requests of the trace */
    uint64_t before;                         /* requests before begin_ns */
    uint64_t with_response;                  /* requests with a response time */
    uint64_t crowded;                        /* requests that came while FIDELITY_IN_FLIGHT were
                                                in flight */
    uint64_t last_ns;                        /* due time of the last request */
    struct histogram response[FIDELITY_OPS]; /* response times of requests that did not fail */
    uint64_t requests[MEASUREMENT_SLICES];
    uint64_t in_flight_ns[MEASUREMENT_SLICES]; /* time in flight, summed over requests */

    /* the following members are not stored in a session file */
    uint64_t now_ns;
    struct heap in_flight; /* requests in flight, ordered by their completion */
    struct heap_item completions[FIDELITY_IN_FLIGHT];
};

/*
 * `begin_ns` is the begin of slice 0 of the measurement, since the round began; it equals slice_ns
 * if a collector leaves out the round's first slice. `slice_ns` is the length of the measurement's
 * original slices.
 */
void fidelity_begin(struct fidelity *f, uint64_t slice_ns, uint64_t begin_ns, double speed);

/* The event function of a replay_observer, whose context is the struct fidelity. */
void fidelity_event(void *fidelity, const struct trace_event *event, uint64_t due_ns);

/* Reports that the replay has ended at this instant of the round: the original's time in flight
   until then is added. */
void fidelity_end(struct fidelity *f, uint64_t end_ns);

/* Number of uint64_t in the part that a session file keeps. Each takes up to 10 bytes, so they must
   be written in several chunks. */
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

/* The data of a replay with which the trace is compared. */
struct fidelity_replay {
    const struct slice_timing *slices; /* slices of the pass, or NULL */
    size_t slice_count;
    double slice_seconds; /* length of a slice: slice_ns, folded any number of times */
    bool gaps;            /* slices were lost, so that the series cannot be compared */
    /* number of issued requests; an event that was split counts several times */
    uint64_t requests;
    uint64_t split;                   /* number of events that were split */
    double seconds;                   /* from the pass's begin to its end */
    bool ended_early;                 /* the replay ended before the trace's end */
    const struct histogram *response; /* FIDELITY_OPS histograms of the time from due instant to
                                         completion */
};

/* Returns the bytes that fidelity_rows takes from the arena. */
size_t fidelity_bytes(void);

/*
 * Fills r->fidelity, r->original and r->original_histograms from the arena, which must outlive r.
 * Issue errors are copied from existing rows of r. The series "issued" (1/s) and "queue_length" are
 * the original's counterparts of the series with those names in r->series. Nothing is filled if the
 * values of f contradict each other, as in a damaged session file; parts without memory are left
 * out.
 */
void fidelity_rows(const struct fidelity *f, const struct fidelity_replay *replay, struct result *r,
                   struct arena *arena);

#endif
