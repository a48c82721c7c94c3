/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternatives of `cupel compare` that are command lines of cupel, in one process. */
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
    struct plan plan; /* must be first; for its confidence, change points, limit and seed */
    char metric[64];
    char column[128], where[256];
    bool lower_is_better;
    bool once, paired, independent, correlate;
    double margin;
    char expect[120];
    double round_seconds; /* 0: chosen during the set-up */
    double target_width;  /* 0: any width */
    bool fixed_order;
    char format[OUTPUT_FORMAT_MAX];
    char folder[1024];
};

/* Does an alternative begin with a command that makes rounds, and contain
   blanks? */
bool compare_plan_is(const char *text);
/* ERR_USAGE: repeated rounds would trim space that is already free, since a file of cupel's own is
   filled only once. */
int compare_plan_check_trims(const struct plan *p, struct err *e);
/* Reads the plans among the alternatives, runs their rounds and judges. ERR_USAGE. */
int compare_plans_run(struct comparison *c, struct compare_alternative alternatives[], size_t count,
                      const struct compare_config *config, const struct compare_options *o,
                      struct err *e);

#endif
