/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `cupel record`. */
#ifndef CUPEL_CMD_RECORD_OPTIONS_H
#define CUPEL_CMD_RECORD_OPTIONS_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "run/application.h"

struct record_options {
    bool awake;
    struct application_plan plan;
    char trace[1024];
    char device[512];
    char report[1024];
    char format[OUTPUT_FORMAT_MAX];
};

extern const struct option_row record_option_rows[];

/* Options and the command behind -- to a plan, which points into `o` and argv. ERR_USAGE. */
int record_options_read(const struct option_set *set, struct record_options *o, struct err *e);

#endif
