/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/loop share. */
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
 * Converts ticks to ns since a round's begin, exactly for hours: by a straight line that is bent
 * a little every second to follow CLOCK_MONOTONIC_RAW.
 *
 * A calibration of some tens of ms is wrong by some parts in a million, which adds up to tens of
 * us within seconds. So both clocks are read again in quiet moments: the rate is computed over
 * the whole time since the calibration began, and the error of the line is corrected gradually.
 * The line never jumps and never goes back.
 *
 * Ticks are those of the struct clock, minus an offset that the caller gives (the skew of the
 * processor). One thread uses it.
 */

struct clock_track {
    const struct clock *clock;
    uint64_t base_ticks, base_ns; /* begin of the current piece of the line */
    uint64_t ns_per_tick;         /* slope of the line, times 2^32 */
    uint64_t ticks_per_ns;
    uint64_t zero_raw_ns; /* CLOCK_MONOTONIC_RAW at time 0 */
    uint64_t next_look;   /* ticks at which the clocks are to be read next */
    uint64_t look_every;  /* current interval between two readings of the clocks, in ns; it grows */
    double rate;          /* ns per tick, measured since the calibration began */
    int64_t error_ns;     /* error of the line at the last reading of the clocks */
};

/* clock_track_begin sets time 0 to `zero_ticks`, which must be about now. It keeps the rate that
   was learnt since clock_track_init. */
void clock_track_init(struct clock_track *t, const struct clock *clock);
void clock_track_begin(struct clock_track *t, uint64_t zero_ticks, int64_t offset_ticks);

/* Reads both clocks (less than a microsecond) and corrects the line. */
void clock_track_look(struct clock_track *t, int64_t offset_ticks);

/* Corrects the line with a pair of readings of one instant: `ticks` and `raw_ns`. `within_ns`:
   uncertainty of the pair. Pure. */
void clock_track_correct(struct clock_track *t, uint64_t ticks, int64_t offset_ticks,
                         uint64_t raw_ns, uint64_t within_ns);

/* Returns the error of the clock's calibration in parts per million: the difference between the
   rate that was measured since then and the calibrated one. */
double clock_track_drift_ppm(const struct clock_track *t);

/* Returns the ns since time 0; 0 for instants before it. One multiplication. */
static inline uint64_t clock_track_ns(const struct clock_track *t, uint64_t ticks)
{
    if (__builtin_expect(ticks >= t->base_ticks, 1))
        return t->base_ns +
               (uint64_t)(((unsigned __int128)(ticks - t->base_ticks) * t->ns_per_tick) >> 32);
    uint64_t before =
        (uint64_t)(((unsigned __int128)(t->base_ticks - ticks) * t->ns_per_tick) >> 32);
    return before < t->base_ns ? t->base_ns - before : 0;
}

/* Returns the first tick that is not before the instant; UINT64_MAX if that is years away. */
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
 * Accounts for completions in the time slice in which they completed and in the histogram of its
 * interval (run/measurement/interval_ring.h). This is part of the hot loop: the worker's own thread
 * calls it for a block of completions at a time.
 */

/* Puts the completions of a block into the ring of finished requests, if this round is traced.
   Their offsets are in w->block_offset[0..n). */
void account_trace(struct worker *w, const struct io_done done[], unsigned n);

/* Notes a request that took longer than w->slowest_floor_ns, and so may be one of the slowest. */
void account_slow(struct worker *w, const struct finished_request *request);

/* Sets the worker's slices to the beginning of the round that *w->order describes. */
void account_begin_round(struct worker *w);

/*
 * Counts done[0..n), in the order of their completion. If any of them failed, w->block_failed has
 * been set before. Their offsets are in w->block_offset.
 *
 * busy_ticks of a slice is the union of the time in it with I/O of this worker in flight
 * (stat/basic/busy_time.h). With one request at a time, this is from its t_sub to its t_cpl. With
 * several (w->overlaps), the time from one completion to the next counts as in flight, although the
 * free slot is filled again only after a moment; w->was_idle says that a block began with nothing
 * in flight.
 */
void account_completions(struct worker *w, const struct io_done done[], size_t n);

/*
 * Moves on to the slice that contains `now`, after the end of the current slice. I/O has been in
 * flight since `in_flight_since` (UINT64_MAX: nothing is in flight): that time is added to all
 * slices before the new one, unless it is before w->busy_until and so already counted.
 */
void account_advance_slice(struct worker *w, uint64_t now, uint64_t in_flight_since);

/* Reports to the collector when the last I/O of the round completed, and publishes the last
   interval. */
void account_end_round(struct worker *w, uint64_t ended_ticks);

/* Returns true for errors after which no further I/O can succeed: the device is gone, the disk is
   full. */
bool account_is_fatal(int error);

/* After this number of failures without a success the target counts as gone: a longer round would
   show nothing. */
#define FAILED_IN_A_ROW 100

/* Ends the round, and with it the session, because the target is gone or nothing succeeds. */
static inline void account_give_up(struct worker *w)
{
    w->fatal = true;
    atomic_store_explicit(&w->halt, true, memory_order_relaxed);
}

/* Returns true if the request moved all of its bytes. A failed I/O moves none (see io.h), so the
   bytes alone decide; a flush moves nothing. */
static inline bool account_moved_all(const struct worker *w, const struct io_done *done)
{
    return done->bytes == w->workload.block_size;
}

static inline bool account_is_flushed(const struct io_done *done)
{
    return !operation_has_bytes(done->op) && !done->error;
}

static inline bool account_succeeded(const struct worker *w, const struct io_done *done)
{
    return account_moved_all(w, done) || account_is_flushed(done);
}

/* Returns the number of bytes that the request of a completion asked for. */
static inline uint32_t account_asked(const struct worker *w, const struct io_done *done)
{
    return operation_has_bytes(done->op) ? w->workload.block_size : 0;
}

/* ---- request_loop.c ---- */

/* The hot loop of a worker: it keeps iodepth requests in flight from the round's begin to its end,
   accounts for every completion, and then drains. Only the worker's own thread calls it. */

/* Runs until the round's end (round_end), a fatal error (w->error) or w->halt, and until nothing is
   in flight. */
void pump_round(struct worker *w);

/* ---- timed_send.c: accounting ---- */

/*
 * Accounts for requests with due times in time slices and the histograms of their intervals, at
 * their issue and at their completion. This is part of the timed loop (run/loop/timed_loop.h).
 *
 * Time advances with every event, and without events by timed_account_advance, which splits the
 * time in flight over the slices and publishes finished intervals. An event whose instant is before
 * that of the previous event is counted at the previous event's instant.
 */

void timed_account_begin(struct worker *w);

/* Reports that all time before `now` (ticks) has passed. */
void timed_account_advance(struct worker *w, uint64_t now);

/* Reports that no more time will pass; called before the round's end is reported. */
void timed_account_end(struct worker *w);

/* Reports that requests[0..n) were issued at `issued` (ticks): counts their issue errors and the
   requests in flight. */
void timed_account_issued(struct worker *w, const struct io_req requests[], unsigned n,
                          uint64_t issued);

/* Reports that one request has completed. A successful flush does not count as I/O. */
void timed_account_completed(struct worker *w, const struct io_done *done);

/* Reports the number of requests that were due at `now` and not issued. */
void timed_account_backlog(struct worker *w, uint64_t backlog);

/* Appends done[0..n) to the record ring, if it is read. Call it before they are counted as
   completed, so that the collector sees them with the interval that they belong to. */
void timed_account_records(struct worker *w, const struct io_done done[], unsigned n);

/* ---- timed_wait.c: lateness ---- */

/*
 * Records how late sleeping threads wake up, and computes how long before a due instant a thread
 * must therefore be awake: the pre-spin (Anderson et al., Buttress (2004), section 5.2). Pure: the
 * caller does the sleeping.
 *
 * It remembers the last WAKE_SAMPLES sleeps. One thread at a time.
 */

#define WAKE_SAMPLES 128

#define PRE_SPIN_MIN_NS 20000u
#define PRE_SPIN_MAX_NS 2000000u

struct wake_latency {
    uint64_t count;                 /* number of all sleeps */
    uint64_t reviewed;              /* value of `count` when wake_latency_is_news was last true */
    uint32_t late_ns[WAKE_SAMPLES]; /* lateness of the last sleeps */
};

/* Records one sleep that ended `late_ns` too late. */
void wake_latency_add(struct wake_latency *w, uint64_t late_ns);

/* Returns true if there were enough sleeps since it last returned true to review the pre-spin. */
static inline bool wake_latency_is_news(struct wake_latency *w)
{
    if (w->count < w->reviewed + WAKE_SAMPLES / 2)
        return false;
    w->reviewed = w->count;
    return true;
}

/* Returns the percentile `share` (nearest rank) of the remembered sleeps; 0: there are none. */
uint64_t wake_latency_percentile(const struct wake_latency *w, double share);

/*
 * Returns the pre-spin: twice the lateness that 97 of 100 sleeps do not exceed, but at most four
 * times the median, plus a little; at most PRE_SPIN_MAX_NS. Sleeps that the machine disturbed
 * should not lengthen it, because a longer pre-spin does not help if other threads have the
 * processor.
 */
uint64_t wake_latency_pre_spin(const struct wake_latency *w);

/* ---- the timed loop ---- */

/*
 * timed_loop.c decides when to issue, timed_wait.c waits, timed_send.c issues requests and takes
 * completions and counts them.
 *
 * All ticks are those of the first worker's processor. `skew` is how far the counter of this
 * worker's processor is ahead of that one. It is subtracted from instants read from this worker's
 * counter, and added to instants that are passed to the backend.
 */

/* Requests that are due together are issued in batches of this size, so that the first does not
   wait for the data of the last. */
#define TIMED_BATCH 16u

/* The request that uses a slot. */
struct timed_slot {
    struct generated_request request;
    uint64_t due; /* ticks */
};

struct timed {
    struct clock_track track;
    int64_t skew; /* ticks */
    enum timed_spin spin;
    bool at_once;   /* requests have no due times */
    bool carried;   /* other workers share the thread: no function waits, and `until` is set */
    bool draining;  /* if `carried`: the round is over, except for requests in flight */
    uint64_t until; /* if `carried`: ticks at which the next step is due; 0: at once */
    /* if `carried`: due instant of the request for which the next step is made; 0: the next step
       only asks the source what is due */
    uint64_t step_due;
    unsigned usable; /* number of usable slots: 1 if the backend does one request at a time */
    struct timed_slot *slots;
    uint16_t *free; /* indices of the free_count free slots */
    unsigned free_count;
    unsigned waiting; /* requests in w->waiting that the backend has not taken yet */
    unsigned in_flight;

    /* the next request, if is_prepared: its data were made before it is due, in the buffer of the
       slot that it will get, the next free one */
    struct generated_request prepared;
    bool is_prepared;

    /* accounting */
    /* timing of the slice in which the worker now counts I/Os (w->slice) */
    struct slice_timing *slice;
    struct slice_timing discarded; /* `slice` points to it while no slice can be published */
    uint64_t busy_since;           /* start of the current time with in_flight > 0 */
    uint64_t slice_in_flight;      /* sum of ticks times requests in flight in the slice */
    uint64_t next_backlog;         /* ticks at which the source is asked for the backlog again */

    /* state for waiting */
    struct wake_latency wakes;
    uint64_t pre_spin; /* ticks */
    /* largest pre_spin_ns with which real-time priority remains possible */
    uint64_t pre_spin_max_ns;
    unsigned shortened;  /* number of reviews in a row that shortened the pre-spin */
    uint64_t reap_guard; /* ticks: completions are not reaped if the due instant is closer than
                            this */
    bool realtime;       /* the thread has real-time priority now */
    /* ticks of the next review of priority and pre-spin; 0: the first review */
    uint64_t next_review;
    uint64_t reviewed_sleeps, reviewed_slept_ns, reviewed_cpu_ns; /* values at the last review */
    uint64_t next_look_round; /* ticks of the next upkeep (the review, or reading both clocks) */
    /* ticks since which a due request waits for a slot; 0: no request waits */
    uint64_t blocked;
    uint64_t busy_until; /* serial backend: end of the time in which it blocked the loop */
    uint64_t busy_from;  /* begin of the time that ends at busy_until */
    struct timed_statistics statistics;
};

static inline uint64_t timed_now(const struct worker *w)
{
    return clock_ticks(w->clock) - (uint64_t)w->timed->skew;
}

/* Converts ns to ticks, for lengths up to a second. */
static inline uint64_t timed_ticks(const struct timed *t, uint64_t ns)
{
    return ns * t->track.ticks_per_ns >> 32;
}

/* ---- worker_open.c ---- */

/* Opens the worker's backend in the calling thread. Returns false with w->error. */
bool worker_open(struct worker *w);

/* ---- timed_loop.c, for processor_carrier.c ---- */

/* Makes the worker share its thread with others (`carried`). Call it before the first round. */
void timed_carry(struct worker *w);
/* A round in steps that never wait: timed_step issues what is due, and sets *next to the instant
   (ticks) of the next step, before which only a completion changes something. It returns false when
   the round is over and nothing is in flight. */
void timed_begin(struct worker *w);
bool timed_step(struct worker *w, uint64_t *next);

/* ---- timed_wait.c ---- */

/* Resets the state of the waiting functions below at the begin of a round. */
void timed_wait_begin(struct worker *w);

/* Waits until `due`, before which nothing is due, or until a completion or the next accounting,
   whichever is first. Returns -1 with w->error. */
int timed_wait(struct worker *w, const struct generated_request *next, enum source_state state,
               uint64_t due, uint64_t now);

/* Sleeps until a completion, or until `until`. Returns the number of completions, or -1. */
int timed_sleep(struct worker *w, uint64_t until, uint64_t now);

/* Does the upkeep (a review of priority and pre-spin, or a reading of both clocks), which is due at
   `next_look_round`. Called when no request is due. */
void timed_look_round(struct worker *w, uint64_t now);

/* Returns `until`, or the end of the longest wait that begins now, whichever is earlier. */
uint64_t timed_wait_end(const struct worker *w, uint64_t until, uint64_t now);

/* Returns the next instant at which there is something to do, apart from completions. */
uint64_t timed_next_instant(const struct worker *w, uint64_t due, uint64_t now);

/* ---- timed_send.c ---- */

/* Assigns the next free slot to the request, and makes its data if that was not done before. */
void timed_assign(struct worker *w, const struct generated_request *request, uint64_t due);

/*
 * Drops requests, at the end of a round, that the backend has not accepted: they will not be
 * issued.
 */
void timed_forget_waiting(struct worker *w);

/* Makes the data of the request that will be assigned next, if it is a write. */
void timed_prepare_next(struct worker *w, const struct generated_request *request);

/* Issues the waiting requests and takes completions; `min` 1: waits for one. Returns -1 with
   w->error. */
int timed_send(struct worker *w, unsigned min);

/* Takes completions. Returns their number, or -1. */
int timed_reap(struct worker *w);

/* Takes completions, and waits for one until `until` if there is none. Returns their number, or
   -1. */
int timed_reap_until(struct worker *w, uint64_t until);

#endif
