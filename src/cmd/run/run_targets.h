/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions on several targets at the same time. */
#ifndef CUPEL_CMD_RUN_RUN_TARGETS_H
#define CUPEL_CMD_RUN_RUN_TARGETS_H

#include <stddef.h>

#include "base/err.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"

/* Runs the plan of `o` on each target, or replays on each its part of the trace
   (plan.trace_devices; else NULL); returns the exit status. ERR_USAGE: an option is for a single
   target. */
int run_targets(const struct run_options *o, const char *const targets[], const char *const parts[],
                size_t count, struct err *e);

/* Runs several checked plans with their names: sections of a job file. Sections that only read may
   share one target. The first one's options decide what is printed and kept. */
int run_sections(const struct run_options o[], const char *const names[], size_t count,
                 struct err *e);

/* ERR_USAGE: an option is for a single target. */
int run_targets_check(const struct run_options *o, size_t count, struct err *e);

/* Prints the result in the folder of -o again. */
int run_targets_report(const char *folder, const struct output_form *form, struct err *e);

#endif
