/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `cupel replay`: those of a session, and how the trace becomes requests. */
#ifndef CUPEL_CMD_REPLAY_OPTIONS_H
#define CUPEL_CMD_REPLAY_OPTIONS_H

#include "cmd/options.h"
#include "cmd/run_options.h"

struct replay_options {
    struct run_options run; /* first: the rows of session_options.h fill it */
    char speed[24];
    bool open, closed;
};

extern const struct option_row replay_option_rows[];

/* Defaults, options, trace and target to a checked plan. ERR_USAGE. */
int replay_options_read(const struct option_set *set, struct replay_options *o, struct err *e);

#endif
