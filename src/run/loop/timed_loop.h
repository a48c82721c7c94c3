/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop of a worker whose requests have due times: it issues each at its instant (Anderson
 * et al., Buttress (2004)).
 *
 * The next request is known before it is due (run/loop/request_source.h). The loop sleeps until
 * shortly before that instant, and a completion wakes it. It spins for the rest of the time, the
 * pre-spin. Its length comes from a measurement of how late this machine wakes up
 * (run/loop/internal.h), and grows if it turns out too short. Requests that are due together are
 * issued together. No request waits for the completion of another: when all slots are in use, due
 * requests become backlog, which is counted. A response time begins at the due instant; the service
 * time at the issue.
 *
 * A worker has one ordered queue and no lock; several workers divide the requests by their numbers,
 * not by a common queue. There are as many workers as jobs; with backends that can have many
 * requests in flight, there are no more than processors, so that no two workers spin on one. Only
 * the worker's own thread calls these functions.
 */
#ifndef CUPEL_RUN_LOOP_TIMED_LOOP_H
#define CUPEL_RUN_LOOP_TIMED_LOOP_H

#include "base/arena.h"
#include "run/loop/worker.h"

/* Statistics of the loop in a session, over all rounds; read between rounds. */
struct timed_statistics {
    uint64_t pre_spin_ns;              /* current value */
    uint64_t pre_spin_first_ns;        /* value after the first measurement */
    uint64_t wake_p50_ns, wake_p99_ns; /* lateness of wake-ups on this machine, measured before
                                          the rounds */
    /* number of sleeps, and of those from which the thread woke up after the due instant */
    uint64_t sleeps, late_wakes;
    uint64_t spun_ns, slept_ns;
    /* number of times that the thread lost the processor while it was spinning, and the longest
       such time */
    uint64_t taken, taken_max_ns;
    /* number of times that the loop gave real-time priority back because it was awake too much */
    uint64_t gave_back_priority;
    uint64_t no_slot_ns;   /* time in which a request was due and all slots were in use */
    uint64_t never_issued; /* requests that were due and not issued at the end of the last round */
    /* number of requests due and not issued, as the source reports it; a lower bound if
       end_backlog_at_least is set */
    uint64_t end_backlog;
    uint64_t end_late_ns; /* how long the oldest request of end_backlog had been due */
    bool end_backlog_at_least;
    int64_t skew_ns;         /* skew of this worker's processor against the first worker's */
    uint64_t skew_within_ns; /* uncertainty of skew_ns */
    double clock_drift_ppm;  /* error of the calibration at the start */
};

size_t timed_bytes(const struct plan *plan);

/* Allocates w->timed from the arena. Returns -1 if the arena is used up. */
int timed_init(struct worker *w, const struct plan *plan, struct arena *arena);

/* Measures how late the thread wakes up. Call it in the worker's thread, after it was placed and
   has opened its backend. */
void timed_prepare(struct worker *w);

/* Runs until the round's end (round_end), a fatal error, w->halt or the end of the source, and
   until nothing is in flight. */
void timed_round(struct worker *w);

const struct timed_statistics *timed_statistics(const struct worker *w);

#endif
