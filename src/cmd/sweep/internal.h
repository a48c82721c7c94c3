/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/sweep share. */
#ifndef CUPEL_CMD_SWEEP_INTERNAL_H
#define CUPEL_CMD_SWEEP_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/run/session_options.h"
#include "many/sweep/plan.h"

/* ---- cupel sweep (sweep_plan.c: makes a session's plan from a sweep's plan) ---- */

/* What the command line permits to destroy. The file of a plan cannot permit anything. */
struct sweep_permission {
    bool destroy, overwrite, allow_unseen;
    char destroy_serial[128]; /* "": none */
};

/* Makes the options of a session for a configuration. Fails with ERR_USAGE if options exclude each
   other once the configuration's levels are set. */
int sweep_plan_session(const struct sweep_plan *plan, const struct sweep_configuration *c,
                       const struct sweep_permission *permission, struct run_options *to,
                       struct err *e);

#endif
