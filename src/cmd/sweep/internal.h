/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/sweep. */
#ifndef CUPEL_CMD_SWEEP_INTERNAL_H
#define CUPEL_CMD_SWEEP_INTERNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/run/session_options.h"
#include "many/sweep/plan.h"

/* ---- cupel sweep (sweep_plan.c: makes a session's plan from a sweep's plan) ---- */

/* What the command line permits to destroy; the file of a plan permits nothing. */
struct sweep_permission {
    bool destroy, overwrite, allow_unseen;
    char destroy_serial[128]; /* "": none */
};

/* ERR_USAGE: the options exclude each other once the configuration's levels are set. */
int sweep_plan_session(const struct sweep_plan *plan, const struct sweep_configuration *c,
                       const struct sweep_permission *permission, struct run_options *to,
                       struct err *e);

#endif
