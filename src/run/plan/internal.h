/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/plan share. */
#ifndef CUPEL_RUN_PLAN_INTERNAL_H
#define CUPEL_RUN_PLAN_INTERNAL_H

#include "run/plan/plan.h"

/*
 * The features whose values are checked together with other values and the engine, in the order of
 * the checks. Each has a function plan_check_NAME, which plan_check calls. ERR_USAGE.
 */
#define PLAN_CHECK_ROWS(ROW)                                                                       \
    ROW(priorities)                                                                                \
    ROW(write_modes)                                                                               \
    ROW(ending)                                                                                    \
    ROW(mode)                                                                                      \
    ROW(data)                                                                                      \
    ROW(verify)                                                                                    \
    ROW(atomic)                                                                                    \
    ROW(nodes)                                                                                     \
    ROW(flush)                                                                                     \
    ROW(zones)                                                                                     \
    ROW(trims)                                                                                     \
    ROW(without_data)

#define ROW(name) int plan_check_##name(const struct plan *p, struct err *e);
PLAN_CHECK_ROWS(ROW)
#undef ROW

/* What stands in a plan's line about how writes reach the medium, in this order. Each has a
   function plan_words_NAME, which writes ", fsync after each write" or nothing. */
#define PLAN_WORDS_ROWS(ROW)                                                                       \
    ROW(sync)                                                                                      \
    ROW(atomic)                                                                                    \
    ROW(flush)

#define ROW(name) void plan_words_##name(const struct plan *p, char *to, size_t size);
PLAN_WORDS_ROWS(ROW)
#undef ROW

/* Checks combinations of several fields: the rules, and all of the above. */
int plan_check_together(const struct plan *p, struct err *e);

#endif
