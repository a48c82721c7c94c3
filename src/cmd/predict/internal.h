/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/predict share. */
#ifndef CUPEL_CMD_PREDICT_INTERNAL_H
#define CUPEL_CMD_PREDICT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/output/output.h"

struct predict_options {
    char data[1024];
    char factors[1024], maps_by[512];
    char response[64], value[64], runs[64];
    char query[1024], test[1024];
    char method[128];
    int scale; /* enum map_scale */
    uint32_t degree;
    double confidence;
    uint64_t seed;
    bool validate;
    char shares[128];
    uint32_t splits;
    bool anova, main_effects;
    char heat_map[160], lines[160], at[512], change[160], per[64];
    bool plot;
    char svg[1024];
    char rank[64], drift[64];
    bool plan, convergence;
    /* goals of --plan; `width` is also the goal of --convergence; 0: not given */
    double width, budget_seconds, run_seconds;
    char format[OUTPUT_FORMAT_MAX];
};

/* Reads the table, computes what the options request, and prints it. In predict_output.c. */
int predict_options_run(const struct predict_options *o, struct err *e);

#endif
