/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes the runs of a sweep: sessions of cupel's own I/O, or a program. One thread. */
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
    int target; /* what the first run found there (O_PATH), for the caller to close; -1: nothing yet
                 */
};

/* One session of this plan, and its responses. -1, ERR_UNSAFE: it is refused, or the target is not
   that of the first run, and so will be others; anything else that goes wrong is the run's own. */
int sweep_session_run(struct sweep_sessions *s, const struct plan *plan, const char *record_path,
                      struct sweep_outcome *outcome, struct err *e);

/* Make the file that all sessions measure, as large as the largest of them needs it, where it is
   not there. ERR_USAGE: the target is a folder, or has no size; and as target_open. */
int sweep_target_prepare(const struct plan *largest, const volatile sig_atomic_t *stop,
                         struct err *e);

/* One execution of plan->exec, with a place %NAME% for each factor; settings of the processors are
   made for it and taken back. */
struct sweep_programs {
    const struct sweep_plan *plan;
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    double timeout_seconds; /* of a run; 0: none */
};
int sweep_program_run(const struct sweep_programs *s, const struct sweep_configuration *c,
                      struct sweep_outcome *outcome, struct err *e);

#endif
