/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop of a worker whose requests have due times: issue each at its instant (Anderson et
 * al., Buttress (2004)).
 *
 * The next request is known before it is due (run/loop/request_source.h). Until shortly before that
 * the loop sleeps, where a completion wakes it; the rest, the pre-spin, it spins. How long that is
 * was measured: how late this machine wakes up (run/loop/internal.h), longer when it turns out too
 * short. What falls due together is handed over together. Nothing waits for a completion: when all
 * slots are in use, what is due becomes backlog, and that is counted. A response time begins at the
 * due instant; the service time at the issue.
 *
 * One worker has one ordered queue and no lock; several workers share the requests out by number,
 * not by a queue. As many workers as jobs; with backends that can have many requests in flight, no
 * more than processors, so that no two spin on one. Called by the worker's own thread only.
 */
#ifndef CUPEL_RUN_LOOP_TIMED_LOOP_H
#define CUPEL_RUN_LOOP_TIMED_LOOP_H

#include "base/arena.h"
#include "run/loop/worker.h"

/* What the loop says of a session, all rounds together; read between rounds. */
struct timed_statistics {
    uint64_t pre_spin_ns;              /* now */
    uint64_t pre_spin_first_ns;        /* as it was measured */
    uint64_t wake_p50_ns, wake_p99_ns; /* how late this machine woke up, measured before */
    uint64_t sleeps, late_wakes;       /* late: after the due instant */
    uint64_t spun_ns, slept_ns;
    uint64_t taken, taken_max_ns; /* the processor while it spun: how often, how long at most */
    uint64_t gave_back_priority;  /* how often: it was awake for too long */
    uint64_t no_slot_ns;          /* time in which something was due and all slots were in use */
    uint64_t never_issued; /* requests due and not issued when rounds ended, of the last round */
    uint64_t end_backlog;  /* the same, as far as the source knows: then at least so many */
    uint64_t end_late_ns;  /* how long the oldest of these had been due */
    bool end_backlog_at_least;
    int64_t skew_ns;         /* of this worker's processor, against the first worker's */
    uint64_t skew_within_ns; /* ... known to within this */
    double clock_drift_ppm;  /* by which the calibration at the start was wrong */
};

size_t timed_bytes(const struct plan *plan);

/* Takes w->timed out of the arena. -1: it is used up. */
int timed_init(struct worker *w, const struct plan *plan, struct arena *arena);

/* In the worker's thread, placed and with its backend open: measure how late it wakes up. */
void timed_prepare(struct worker *w);

/* Runs until the round's end (round_end), a fatal error, w->halt or the end of the source, and
   until nothing is in flight. */
void timed_round(struct worker *w);

const struct timed_statistics *timed_statistics(const struct worker *w);

#endif
