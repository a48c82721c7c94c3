/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two ways to do a run of a sweep: a session of cupel's own I/O, or the execution of a program.
   All functions are for one thread. */
#ifndef CUPEL_MANY_SWEEP_RUNNERS_H
#define CUPEL_MANY_SWEEP_RUNNERS_H

#include <signal.h>

#include "hw/sysroot/sysroot.h"
#include "many/sweep/sweep.h"
#include "run/plan/plan.h"

struct sweep_sessions {
    const struct sweep_plan *plan;
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    int target; /* the target that the first run found (O_PATH), which the caller closes; -1 before
                   that */
};

/* Runs a session of this plan and stores its responses. -1, ERR_UNSAFE: the session is refused, or
   the target is not that of the first run, so that all later runs fail, too. Any other failure
   concerns only this run. */
int sweep_session_run(struct sweep_sessions *s, const struct plan *plan, const char *record_path,
                      struct sweep_outcome *outcome, struct err *e);

/* Makes the file that all sessions measure if it is missing, as large as the largest session needs.
   ERR_USAGE: the target is a folder, or has no size; other errors as in target_open. */
int sweep_target_prepare(const struct plan *largest, const volatile sig_atomic_t *stop,
                         struct err *e);

/* Runs of plan->exec, in which %NAME% stands for the level of a factor. Settings of the processors
   are made for each run and restored after it. */
struct sweep_programs {
    const struct sweep_plan *plan;
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    double timeout_seconds; /* time limit of a run; 0: none */
};
int sweep_program_run(const struct sweep_programs *s, const struct sweep_configuration *c,
                      struct sweep_outcome *outcome, struct err *e);

#endif
