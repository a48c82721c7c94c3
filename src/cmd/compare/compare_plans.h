/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans: alternatives of `cupel compare` that are command lines of cupel, run in this process. */
#ifndef CUPEL_CMD_COMPARE_COMPARE_PLANS_H
#define CUPEL_CMD_COMPARE_COMPARE_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/output/output.h"
#include "facts/comparison.h"
#include "many/compare/compare.h"
#include "run/plan/plan.h"

struct compare_options {
    /* must be the first member; its confidence, change points, limit and seed are used */
    struct plan plan;
    char metric[64];
    char column[128], where[256];
    bool lower_is_better;
    bool once, paired, independent, correlate;
    double margin;
    char expect[120];
    double round_seconds; /* seconds of a round; 0: cupel chooses them before the first round */
    double target_width;  /* 0: any width */
    bool fixed_order;
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];
};

/* Returns true if an alternative is a plan: it begins with a command that can be run in rounds,
   followed by a blank. */
bool compare_plan_is(const char *text);
/* Fails with ERR_USAGE if repeated rounds would trim space that is already free. A file that cupel
   made itself is filled only once. */
int compare_plan_check_trims(const struct plan *p, struct err *e);
/* Reads the plans among the alternatives, runs their rounds and judges them. Fails with
   ERR_USAGE. */
int compare_plans_run(struct comparison *c, struct compare_alternative alternatives[], size_t count,
                      const struct compare_config *config, const struct compare_options *o,
                      struct err *e);

#endif
