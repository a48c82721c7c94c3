/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep runs every configuration of a plan as often as the plan says, in passes through all
 * configurations. Each pass has a random order of its own, so that a drift of the machine affects
 * all alike. Control configurations are run again and again in between and show the drift.
 *
 *   - Every run that is done is a line of a log (DIR/sweep.log), on the disk before the next one
 *     begins. What is still to be run follows from the plan and the log alone: a sweep that was
 *     interrupted in any way goes on with no run lost and none done twice.
 *   - A run that failed is named, counted and done again when the sweep is resumed. SWEEP_FAILURES
 *     in a row end the sweep.
 *   - Shard i of n does its part. Each pass is divided among the machines, and in every pass
 *     another part of the configurations falls on each machine, so that after n passes each machine
 *     has run all. If the number of repeats is open, a configuration stays with one shard.
 *
 * All functions are for one thread.
 */
#ifndef CUPEL_MANY_SWEEP_SWEEP_H
#define CUPEL_MANY_SWEEP_SWEEP_H

#include <signal.h>

#include "facts/sweep_result.h"
#include "many/sweep/plan.h"

#define SWEEP_FAILURES 3

/* the outcome of one run */
struct sweep_outcome {
    double values[SWEEP_RESPONSES_MAX]; /* NaN: the run has no such value */
    char why[200];                      /* why the run failed; "" if it did not */
    bool undecided;                     /* the run failed because the target did not keep up */
    bool stopped;                       /* stopped by a signal: the run counts as not begun */
    /* the run was disturbed without a fault of its own; `why` has the reason, and the run is
       repeated */
    bool left_out;
};

/* Makes the runs: by sessions of cupel's own I/O, or by a program. */
struct sweep_runner {
    /* Does one run. `record_path`: NULL, or the file to be made with everything that was measured.
       -1: no more runs are possible. */
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
    const char *folder; /* folder of the log and the files; NULL: nothing is kept */
    bool resume;        /* the folder may exist, with a part of the same sweep */
    bool keep_records;
    int target; /* the target of sessions, open with O_PATH; -1: no target, or it does not exist */
    const char *target_name;
    bool target_is_new; /* the target did not exist before and has just been made */
    /* the target may be destroyed: --destroy, --destroy-serial, --overwrite */
    bool may_destroy;
    bool same_target;       /* the user says that the target is the same (--same-target) */
    unsigned shard, shards; /* number of this shard, from 1, and the number of all shards */
    double limit_seconds;   /* no run begins after this time; 0: no limit */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, const struct sweep_progress *now); /* before each run */
    void *context;
};

struct sweep;

/*
 * Does all runs that are left. On success *sweep holds all runs, also if the sweep was interrupted
 * or failed half-way (the result of sweep_make_result says so). -1: nothing was run. ERR_USAGE: the
 * folder exists without `resume`, holds the sweep of another plan, or is damaged; ERR_UNSAFE:
 * another process works on it. The caller frees *sweep with sweep_free, which accepts NULL.
 */
int sweep_run(struct sweep **sweep, const struct sweep_request *request, struct err *e);
void sweep_free(struct sweep *sweep);

/* Makes the result, which points into the sweep and into memory that it owns. Errors: ERR_MACHINE.
   The caller frees it with sweep_result_free. */
int sweep_make_result(const struct sweep *sweep, struct sweep_result *result, struct err *e);

#endif
