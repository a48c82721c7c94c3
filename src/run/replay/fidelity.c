/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the shape of a trace in fixed memory: response times, and requests and time in flight by
   slice. */
#include "run/replay/fidelity.h"

#include <math.h>

/* Only damaged traces have later instants than this (146 years). The limit keeps sums within 64
   bits. */
#define LATEST_NS (UINT64_MAX / 4)

_Static_assert(FIDELITY_NUMBERS * sizeof(uint64_t) == offsetof(struct fidelity, now_ns),
               "the record's part is made of numbers");

void fidelity_begin(struct fidelity *f, uint64_t slice_ns, uint64_t begin_ns, double speed)
{
    memset(f, 0, sizeof *f);
    f->slice_ns = slice_ns;
    f->begin_ns = begin_ns;
    f->speed_millionths = (uint64_t)llround(speed * 1e6);
    f->in_flight.items = f->completions;
    f->in_flight.capacity = FIDELITY_IN_FLIGHT;
    for (int op = 0; op < FIDELITY_OPS; op++)
        histogram_clear(&f->response[op]);
}

static void fold_slices(uint64_t slices[MEASUREMENT_SLICES])
{
    for (size_t i = 0; i < MEASUREMENT_SLICES / 2; i++)
        slices[i] = slices[2 * i] + slices[2 * i + 1];
    memset(slices + MEASUREMENT_SLICES / 2, 0, MEASUREMENT_SLICES / 2 * sizeof *slices);
}

/* Returns the kept slice that contains the instant, which must not be before begin_ns. Folds the
   slices until they reach this instant. */
static size_t slice_of(struct fidelity *f, uint64_t ns)
{
    uint64_t original = (ns - f->begin_ns) / f->slice_ns;
    while (original >> f->fold >= MEASUREMENT_SLICES) {
        fold_slices(f->requests);
        fold_slices(f->in_flight_ns);
        f->fold++;
    }
    return (size_t)(original >> f->fold);
}

/* Advances the time to until_ns. The number of requests in flight stays the same until then. */
static void pass_time(struct fidelity *f, uint64_t until_ns)
{
    uint64_t at = f->now_ns > f->begin_ns ? f->now_ns : f->begin_ns;
    while (f->in_flight.count > 0 && at < until_ns) {
        uint64_t slice = slice_of(f, at);
        uint64_t end = f->begin_ns + (((slice + 1) << f->fold) * f->slice_ns);
        end = end < until_ns ? end : until_ns;
        f->in_flight_ns[slice] += f->in_flight.count * (end - at);
        at = end;
    }
    f->now_ns = until_ns;
}

static void advance(struct fidelity *f, uint64_t ns)
{
    while (f->in_flight.count > 0 && heap_first(&f->in_flight)->at_ns <= ns) {
        uint64_t completed_ns = heap_first(&f->in_flight)->at_ns;
        if (completed_ns > f->now_ns)
            pass_time(f, completed_ns);
        heap_pop(&f->in_flight);
    }
    if (ns > f->now_ns)
        pass_time(f, ns);
}

void fidelity_event(void *fidelity, const struct trace_event *event, uint64_t due_ns)
{
    struct fidelity *f = fidelity;
    uint64_t at = f->speed_millionths ? due_ns : event->time_ns;
    advance(f, at < LATEST_NS ? at : LATEST_NS);
    f->events++;
    f->last_ns = f->now_ns;
    if (f->now_ns < f->begin_ns)
        f->before++;
    else
        f->requests[slice_of(f, f->now_ns)]++;
    if (event->response_ns == TRACE_UNKNOWN)
        return;

    f->with_response++;
    if (!event->failed && (event->op == OPERATION_READ || event->op == OPERATION_WRITE))
        histogram_add(&f->response[event->op], event->response_ns);
    if (f->in_flight.count == FIDELITY_IN_FLIGHT) {
        heap_pop(&f->in_flight);
        f->crowded++;
    }
    uint64_t response = event->response_ns < LATEST_NS ? event->response_ns : LATEST_NS;
    if (f->speed_millionths) {
        double scaled = (double)response * 1e6 / (double)f->speed_millionths;
        response = scaled < (double)LATEST_NS ? (uint64_t)scaled : LATEST_NS;
    }
    heap_push(&f->in_flight, f->now_ns + response, 0);
}

void fidelity_end(struct fidelity *f, uint64_t end_ns)
{
    advance(f, end_ns < LATEST_NS ? end_ns : LATEST_NS);
}
