/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/loop share. */
#ifndef CUPEL_RUN_LOOP_INTERNAL_H
#define CUPEL_RUN_LOOP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "run/loop/timed_loop.h"
#include "run/loop/worker.h"

/* ---- clock_track.c ---- */

/*
 * Ticks as ns since a round's begin, right for hours: a straight line from one to the other that is
 * bent a little every second, so that it follows CLOCK_MONOTONIC_RAW.
 *
 * A calibration of some tens of ms is wrong by some parts in a million, which makes tens of us in
 * seconds. So both clocks are looked at again in quiet moments: the rate comes from the whole time
 * since the calibration began, and the error of the line is made up for little by little. The
 * line never jumps and never goes back.
 *
 * Ticks are those of the struct clock, less an offset that is the caller's (the skew of the
 * processor). Owner: one thread.
 */

struct clock_track {
    const struct clock *clock;
    uint64_t base_ticks, base_ns; /* where the present piece of the line begins */
    uint64_t ns_per_tick;         /* of the line, in 2^-32 */
    uint64_t ticks_per_ns;
    uint64_t zero_raw_ns; /* CLOCK_MONOTONIC_RAW at time 0 */
    uint64_t next_look;   /* ticks: from then on a look is worth its while */
    uint64_t look_every;  /* ns, longer from look to look */
    double rate;          /* ns per tick, measured since the calibration began */
    int64_t error_ns;     /* of the line, at the last look */
};

/* Time 0 is the instant `zero_ticks`, about now. The rate learnt since clock_track_init is
   kept. */
void clock_track_init(struct clock_track *t, const struct clock *clock);
void clock_track_begin(struct clock_track *t, uint64_t zero_ticks, int64_t offset_ticks);

/* Read both clocks (less than a microsecond) and correct the line. */
void clock_track_look(struct clock_track *t, int64_t offset_ticks);

/* The same for an instant that was read: pure. `within_ns`: how well the two belong together. */
void clock_track_correct(struct clock_track *t, uint64_t ticks, int64_t offset_ticks,
                         uint64_t raw_ns, uint64_t within_ns);

/* By how many parts in a million the calibration was wrong, as far as is known. */
double clock_track_drift_ppm(const struct clock_track *t);

/* ns since time 0; 0 for instants before it. One multiplication. */
static inline uint64_t clock_track_ns(const struct clock_track *t, uint64_t ticks)
{
    if (__builtin_expect(ticks >= t->base_ticks, 1))
        return t->base_ns +
               (uint64_t)(((unsigned __int128)(ticks - t->base_ticks) * t->ns_per_tick) >> 32);
    uint64_t before =
        (uint64_t)(((unsigned __int128)(t->base_ticks - ticks) * t->ns_per_tick) >> 32);
    return before < t->base_ns ? t->base_ns - before : 0;
}

/* The first tick that is not before the instant; UINT64_MAX when that is years away. */
static inline uint64_t clock_track_ticks(const struct clock_track *t, uint64_t ns)
{
    if (__builtin_expect(ns < t->base_ns, 0))
        return t->base_ticks -
               (uint64_t)(((unsigned __int128)(t->base_ns - ns) * t->ticks_per_ns) >> 32);
    if (ns - t->base_ns > UINT64_MAX / 64)
        return UINT64_MAX;
    return t->base_ticks + 1 +
           (uint64_t)(((unsigned __int128)(ns - t->base_ns) * t->ticks_per_ns) >> 32);
}

/* ---- completion_account.c ---- */

/*
 * Accounting for completions: into the time slice they completed in and the histogram of its
 * interval (run/measurement/interval.h). Part of the hot loop, called by the worker's own thread
 * for a block at a time.
 */

/* Completions of the block that went to w->block_offset[0..n): into the ring of finished requests,
   where this round is traced. */
void account_trace(struct worker *w, const struct io_done done[], unsigned n);

/* A request whose time in `ns` is above w->slowest_floor_ns: it may be one of the slowest. */
void account_slow(struct worker *w, const struct finished_request *request);

/* Set the worker's slices to the beginning of the round that *w->order describes. */
void account_begin_round(struct worker *w);

/*
 * Count done[0..n), in the order of their completion. Whoever saw them first has set
 * w->block_failed if any of them failed. They are the block that w->block_offset is of.
 *
 * busy_ticks of a slice is the union of the time in it with I/O of this worker in flight
 * (stat/basic/busy.h). One request at a time: from its t_sub to its t_cpl. Several of them
 * (w->overlaps): something is in flight from one completion to the next, though the slot of the
 * first is filled again only after a moment, unless w->was_idle says that a block began with
 * nothing in flight.
 */
void account_completions(struct worker *w, const struct io_done done[], size_t n);

/*
 * Time has passed the end of the current slice: go on in the slice that `now` lies in. I/O has been
 * in flight since `in_flight_since` (UINT64_MAX: none is): that time is added to all slices before
 * the new one, as far as w->busy_until says that it is not yet accounted for.
 */
void account_advance_slice(struct worker *w, uint64_t now, uint64_t in_flight_since);

/* Report to the collector when the last I/O of the round had completed, and hand over the rest. */
void account_end_round(struct worker *w, uint64_t ended_ticks);

/* Errors after which no further I/O can succeed: the device is gone, the disk is full. */
bool account_is_fatal(int error);

/* So many failures without a success: the target is gone, a longer round would show nothing. */
#define FAILED_IN_A_ROW 100

/* The target is gone, or nothing succeeds: end the round, and with it the session. */
static inline void account_give_up(struct worker *w)
{
    w->fatal = true;
    atomic_store_explicit(&w->halt, true, memory_order_relaxed);
}

/* A failed I/O has moved nothing (see io.h), so the bytes alone decide; a flush moves nothing. */
static inline bool account_moved_all(const struct worker *w, const struct io_done *done)
{
    return done->bytes == w->workload.block_size;
}

static inline bool account_is_flushed(const struct io_done *done)
{
    return done->op == IO_FLUSH && !done->error;
}

static inline bool account_succeeded(const struct worker *w, const struct io_done *done)
{
    return account_moved_all(w, done) || account_is_flushed(done);
}

/* Bytes that the request of a completion asked for. */
static inline uint32_t account_asked(const struct worker *w, const struct io_done *done)
{
    return done->op == IO_FLUSH ? 0 : w->workload.block_size;
}

/* ---- request_loop.c ---- */

/*
 * The hot loop of a worker: keep iodepth requests in flight from the round's begin to its end,
 * account for every completion, then drain. Called by the worker's own thread only.
 */

/* Runs until the round's end (round_end), a fatal error (w->error) or w->halt, and until nothing is
   in flight. */
void pump_round(struct worker *w);

/* ---- timed_account.c ---- */

/*
 * Accounting for requests that have due times: into time slices and the histograms of their
 * intervals, at their issue and at their completion. Part of the timed loop
 * (run/loop/timed_loop.h).
 *
 * Time goes on here with every event and also without: timed_account_advance splits the time in
 * flight over the slices and hands finished intervals over. An event that comes with an earlier
 * instant than the one before counts as of the same one.
 */

void timed_account_begin(struct worker *w);

/* All time before `now` (ticks) is over. */
void timed_account_advance(struct worker *w, uint64_t now);

/* No more time will pass: before the round's end is reported. */
void timed_account_end(struct worker *w);

/* requests[0..n) were handed over at `issued` (ticks): issue errors, and they are in flight. */
void timed_account_issued(struct worker *w, const struct io_req requests[], unsigned n,
                          uint64_t issued);

/* One of them has completed. A flush that succeeds counts as no I/O. */
void timed_account_completed(struct worker *w, const struct io_done *done);

/* So many requests were due at `now` and not issued. */
void timed_account_backlog(struct worker *w, uint64_t backlog);

/* Append done[0..n) to the record ring, where somebody reads it: before they are counted as
   completed, so that the collector sees them with the interval that they belong to. */
void timed_account_records(struct worker *w, const struct io_done done[], unsigned n);

/* ---- wake_latency.c ---- */

/*
 * How late a thread wakes up that sleeps until an instant, and how long before a due instant it
 * must therefore be awake: the pre-spin (Anderson et al., Buttress (2004), section 5.2). Pure: the
 * sleeping is the caller's.
 *
 * It remembers the last WAKE_SAMPLES sleeps. One thread at a time.
 */

#define WAKE_SAMPLES 128

#define PRE_SPIN_MIN_NS 20000u
#define PRE_SPIN_MAX_NS 2000000u

struct wake_latency {
    uint64_t count;                 /* of all sleeps */
    uint64_t reviewed;              /* of them, when wake_latency_is_news was last true */
    uint32_t late_ns[WAKE_SAMPLES]; /* of the last ones */
};

/* One sleep that ended so late. */
void wake_latency_add(struct wake_latency *w, uint64_t late_ns);

/* True when there are enough new sleeps since the last time for the pre-spin to be looked at. */
static inline bool wake_latency_is_news(struct wake_latency *w)
{
    if (w->count < w->reviewed + WAKE_SAMPLES / 2)
        return false;
    w->reviewed = w->count;
    return true;
}

/* The nearest rank of `share`, of those remembered; 0: none. */
uint64_t wake_latency_percentile(const struct wake_latency *w, double share);

/*
 * Twice what 97 of 100 sleeps would have ended in time with, but no more than four times what half
 * of them needed, and a little more; PRE_SPIN_MAX_NS at most. Sleeps that the machine disturbed
 * say nothing: being awake for longer does not help when others have the processor.
 */
uint64_t wake_latency_pre_spin(const struct wake_latency *w);

/* ---- the timed loop ---- */

/*
 * timed_loop.c decides when, timed_wait.c waits, timed_send.c hands over and takes completions,
 * timed_account.c counts.
 *
 * All ticks are those of the first worker's processor: where an instant comes from this processor's
 * counter, or is given to the backend, `skew` lies between the two.
 */

/* Requests that fall due together are handed over this many at a time: the first one shall not wait
   for the last one to be made ready. */
#define TIMED_BATCH 16u

/* The request in a slot. */
struct timed_slot {
    struct generated_request request;
    uint64_t due; /* ticks */
};

struct timed {
    struct clock_track track;
    int64_t skew; /* ticks */
    enum timed_spin spin;
    bool at_once;    /* requests without due times */
    unsigned usable; /* slots: one where the backend does one request at a time */
    struct timed_slot *slots;
    uint16_t *free; /* slots that are not in use, free_count of them */
    unsigned free_count;
    unsigned waiting; /* requests in w->waiting that the backend has not taken */
    unsigned in_flight;

    /* a request whose data was made ready before it was due, in the slot that is next */
    struct generated_request prepared;
    bool is_prepared;

    /* accounting (timed_account.c) */
    struct slice_timing *slice;    /* beside w->slice */
    struct slice_timing discarded; /* where it points to when slices are lost */
    uint64_t busy_since;           /* while in_flight: since when it is above 0 */
    uint64_t slice_in_flight;      /* ticks times requests, since the slice began */
    uint64_t next_backlog;         /* when to ask the source for it again */

    /* waiting */
    struct wake_latency wakes;
    uint64_t pre_spin;        /* ticks */
    uint64_t pre_spin_max_ns; /* no longer than this, or there would be no priority */
    unsigned shortened;       /* so often in a row */
    uint64_t reap_guard;  /* ticks: with less than this before the due instant nothing is reaped */
    bool realtime;        /* now */
    uint64_t next_review; /* when to look at priority and pre-spin again; 0: the first time, ... */
    uint64_t reviewed_sleeps, reviewed_slept_ns, reviewed_cpu_ns; /* ... and how it was before */
    uint64_t next_look_round; /* when to look at these or at both clocks again */
    uint64_t blocked;         /* since when something is due and no slot is free; 0: it is not so */
    uint64_t busy_until;      /* serial: the backend kept the loop until then, ... */
    uint64_t busy_from;       /* ... from this instant on */
    struct timed_statistics statistics;
};

static inline uint64_t timed_now(const struct worker *w)
{
    return clock_ticks(w->clock) - (uint64_t)w->timed->skew;
}

/* Ticks of lengths up to a second. */
static inline uint64_t timed_ticks(const struct timed *t, uint64_t ns)
{
    return ns * t->track.ticks_per_ns >> 32;
}

/* ---- timed_wait.c ---- */

/* A round begins. */
void timed_wait_begin(struct worker *w);

/* Nothing is due before `due`: wait until then, until something completes or until time has to be
   accounted for, whatever comes first. -1: w->error. */
int timed_wait(struct worker *w, const struct generated_request *next, enum source_state state,
               uint64_t due, uint64_t now);

/* Wait for a completion and no longer than until `until`, asleep. Returns how many, or -1. */
int timed_sleep(struct worker *w, uint64_t until, uint64_t now);

/* Upkeep that is done now and then, when there is time: at `next_look_round`. */
void timed_look_round(struct worker *w, uint64_t now);

/* How long to wait at most for something that may come at `until` at the latest. */
uint64_t timed_wait_end(const struct worker *w, uint64_t until, uint64_t now);

/* The next instant at which there is something to do, whatever completes. */
uint64_t timed_next_instant(const struct worker *w, uint64_t due, uint64_t now);

/* ---- timed_send.c ---- */

/* The next free slot gets the request; its data is made ready unless it is. */
void timed_assign(struct worker *w, const struct generated_request *request, uint64_t due);

/* The round is over: what the backend had no room for is not issued any more. */
void timed_forget_waiting(struct worker *w);

/* Make the data of the request ready that will be assigned next, if it is a write. */
void timed_prepare_next(struct worker *w, const struct generated_request *request);

/* Hand over the waiting requests and take completions; `min` 1: wait for one. -1: w->error. */
int timed_send(struct worker *w, unsigned min);

/* Take completions. Returns how many, or -1. */
int timed_reap(struct worker *w);

/* The same, but wait for it until `until`. */
int timed_reap_until(struct worker *w, uint64_t until);

#endif
