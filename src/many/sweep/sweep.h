/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep: every configuration of a plan is run as often as the plan asks, in passes through all of
 * them, each pass in a random order of its own, so that a drift of the machine falls on all alike.
 * Control configurations are run again and again between them, and show the drift.
 *
 *   - Every run that is done is a line of a log (DIR/sweep.log), on the disk before the next one
 *     begins. What is still to be run follows from the plan and the log alone: a sweep that was
 *     interrupted in any way goes on with no run lost and none done twice.
 *   - A run that failed is named, counted and done again when the sweep is resumed. SWEEP_FAILURES
 *     in a row end it.
 *   - Shard i of n runs its part: each pass is divided among the machines, and another part of the
 *     configurations falls on each machine in every pass, so that n passes are complete on each.
 *     Where the number of repeats is open, a configuration stays with one shard.
 *
 * One thread.
 */
#ifndef CUPEL_MANY_SWEEP_SWEEP_H
#define CUPEL_MANY_SWEEP_SWEEP_H

#include <signal.h>

#include "facts/sweep_result.h"
#include "many/sweep/plan.h"

#define SWEEP_FAILURES 3

/* What one run gave. */
struct sweep_outcome {
    double values[SWEEP_RESPONSES_MAX]; /* NaN: it has no such value */
    char why[200];                      /* it failed; "": it did not */
    bool undecided;                     /* it failed because the target did not keep up */
    bool stopped;                       /* by a signal: it counts as not begun */
    bool left_out;                      /* by no fault of its own, `why` says by what: run again */
};

/* What makes runs: a session of cupel's own I/O, or a program. */
struct sweep_runner {
    /* `record_path`: NULL, or the file to be made with everything that was measured. -1: no run is
       possible any more. */
    int (*run)(void *context, const struct sweep_configuration *c, uint64_t seed,
               const char *record_path, struct sweep_outcome *outcome, struct err *e);
    void *context;
};

struct sweep_progress {
    char words[240];                      /* "run 12 of 600: threads=2 bs=4k" */
    double elapsed_seconds, left_seconds; /* NaN: unknown */
};

struct sweep_request {
    const struct sweep_plan *plan;
    const struct sweep_runner *runner;
    const char *folder; /* of the log and the files; NULL: nothing is kept */
    bool resume;        /* the folder may be there, with a part of the same sweep */
    bool keep_records;
    int target; /* of sessions: open with O_PATH; -1: there is none, or nothing of that name */
    const char *target_name;
    bool target_is_new;     /* it was missing, and has just been made */
    bool may_destroy;       /* what it holds: by --destroy, --destroy-serial, --overwrite */
    bool same_target;       /* the user says so (--same-target) */
    unsigned shard, shards; /* shard 1 of 1 */
    double limit_seconds;   /* no run begins after it; 0: none */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, const struct sweep_progress *now); /* before each run */
    void *context;
};

struct sweep;

/*
 * Run what is still to be run. On success *sweep holds all runs, also when it was interrupted or
 * failed midway (sweep_make_result says so). -1: nothing was run. ERR_USAGE: the folder is there
 * and not to be resumed, holds another plan's sweep, or is damaged; ERR_UNSAFE: another process
 * works on it. Owner: sweep_free, of NULL too.
 */
int sweep_run(struct sweep **sweep, const struct sweep_request *request, struct err *e);
void sweep_free(struct sweep *sweep);

/* The result. It points into the sweep and into memory of its own. ERR_MACHINE. Owner:
   sweep_result_free. */
int sweep_make_result(const struct sweep *sweep, struct sweep_result *result, struct err *e);

#endif
