/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `cupel run`: most are the plan itself, the others are turned into it. */
#ifndef CUPEL_CMD_RUN_OPTIONS_H
#define CUPEL_CMD_RUN_OPTIONS_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "run/plan.h"

enum rw { RW_READ, RW_WRITE, RW_RANDREAD, RW_RANDWRITE, RW_RW, RW_RANDRW };

struct run_options {
    struct plan plan;
    enum rw rw;
    uint32_t rwmixread;         /* percent */
    uint32_t percentage_random; /* percent */
    int clock_gettime;          /* --clock raw; as wide as a choice */
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024]; /* of -o, or "" */
    char sysroot[512];
};

extern const struct option_row run_option_rows[];

/* Defaults, preset, options and target to a checked plan. ERR_USAGE. */
int run_options_read(const struct option_set *set, struct run_options *o, struct err *e);

#endif
