/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of the timed loop share: timed_pump.c decides when, timed_send.c hands over and
 * takes completions, timed_account.c counts. Private to them.
 *
 * All ticks are those of the first worker's processor: where an instant comes from this processor's
 * counter, or is told to the backend, `skew` lies between the two.
 */
#ifndef CUPEL_RUN_TIMED_STATE_H
#define CUPEL_RUN_TIMED_STATE_H

#include "base/clock_track.h"
#include "run/timed_pump.h"
#include "run/wake_latency.h"

/* What falls due together is handed over this many at a time: the first one shall not wait for the
   last one to be made ready. */
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
    uint64_t pre_spin;         /* ticks */
    uint64_t pre_spin_most_ns; /* no longer than this, or there would be no priority */
    unsigned shortened;        /* so often in a row */
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

/* What is to be done now and then, when there is time: at `next_look_round`. */
void timed_look_round(struct worker *w, uint64_t now);

/* How long to wait at most for something that may come at `until` at the latest. */
uint64_t timed_wait_end(const struct worker *w, uint64_t until, uint64_t now);

/* The next instant at which there is something to do, whatever completes. */
uint64_t timed_next_instant(const struct worker *w, uint64_t due, uint64_t now);

/* ---- timed_send.c ---- */

/* The next free slot gets the request; its data is made ready unless it is. */
void timed_assign(struct worker *w, const struct generated_request *request, uint64_t due);

/* Make the data of the request ready that will be assigned next, if it is a write. */
void timed_prepare_next(struct worker *w, const struct generated_request *request);

/* Hand over what waits and take what has completed; `least` 1: wait for it. -1: w->error. */
int timed_send(struct worker *w, unsigned least);

/* Take what has completed. Returns how many, or -1. */
int timed_reap(struct worker *w);

/* The same, but wait for it until `until`. */
int timed_reap_until(struct worker *w, uint64_t until);

#endif
