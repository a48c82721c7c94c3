/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs sessions on several targets at the same time. */
#ifndef CUPEL_CMD_RUN_RUN_TARGETS_H
#define CUPEL_CMD_RUN_RUN_TARGETS_H

#include <stddef.h>

#include "base/err.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"

/* Runs the plan of `o` on each target at the same time. With `parts` (else NULL), each target's
   part of the trace (plan.trace_devices) is replayed on it. Returns the exit status. Fails with
   ERR_USAGE if an option is only for a single target. */
int run_targets(const struct run_options *o, const char *const targets[], const char *const parts[],
                size_t count, struct err *e);

/* Runs several checked plans, sections of a job file with these names, at the same time. Sections
   that only read may share a target. The options of the first section decide what is printed and
   kept. Returns the exit status. */
int run_sections(const struct run_options o[], const char *const names[], size_t count,
                 struct err *e);

/* Fails with ERR_USAGE if there are too many targets, or an option is only for a single target. */
int run_targets_check(const struct run_options *o, size_t count, struct err *e);

/* Prints the result in a folder of -o again. */
int run_targets_report(const char *folder, const struct output_form *form, struct err *e);

#endif
