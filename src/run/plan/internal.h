/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/plan share. */
#ifndef CUPEL_RUN_PLAN_INTERNAL_H
#define CUPEL_RUN_PLAN_INTERNAL_H

#include "run/plan/option_rule_check.h"
#include "run/plan/plan.h"

/*
 * The fields of the plan in the order of its text. Each part has its rows in a table
 * plan_fields_NAME, whose last row has no key. The table is in the file with the part's code, if
 * that file is in this folder.
 */
#define PLAN_FIELD_ROWS(ROW)                                                                       \
    ROW(workload)                                                                                  \
    ROW(flush)                                                                                     \
    ROW(write_modes)                                                                               \
    ROW(trims)                                                                                     \
    ROW(atomic)                                                                                    \
    ROW(region)                                                                                    \
    ROW(zones)                                                                                     \
    ROW(engine)                                                                                    \
    ROW(data)                                                                                      \
    ROW(verify)                                                                                    \
    ROW(timing)                                                                                    \
    ROW(priorities)                                                                                \
    ROW(trace)                                                                                     \
    ROW(ending)                                                                                    \
    ROW(machine)

#define ROW(name) extern const struct option_row plan_fields_##name[];
PLAN_FIELD_ROWS(ROW)
#undef ROW

/* The members of a row: kind and place of the field, option, limits, and limits in a plan that is
   read from a record. */
#define FIELD_AS(what, key_in_text, member)                                                        \
    .key = #key_in_text, .kind = OPTION_##what, OPTION_FIELD(struct plan, member)
#define FIELD(what, member)       FIELD_AS(what, member, member)
#define OPTION(of, called, typed) .group = PLAN_##of, .name = (called), .argument = (typed)
#define LIMITS(from, to)          .min = (from), .max = (to)
#define KEPT(from, to)            .kept_min = (from), .kept_max = (to)

#define STRING_OF(number) #number
#define STRING(number)    STRING_OF(number)
#define MONTH_SECONDS     (30 * 86400)

/* The rules between options, in the order in which they are checked and listed: each part has its
   rules in a table plan_rules_NAME. */
#define PLAN_RULE_ROWS(ROW)                                                                        \
    ROW(flush)                                                                                     \
    ROW(mode)                                                                                      \
    ROW(region)                                                                                    \
    ROW(workload)                                                                                  \
    ROW(atomic)                                                                                    \
    ROW(write_modes)                                                                               \
    ROW(zones)                                                                                     \
    ROW(trims)                                                                                     \
    ROW(engine)                                                                                    \
    ROW(data)                                                                                      \
    ROW(verify)                                                                                    \
    ROW(timing)                                                                                    \
    ROW(priorities)                                                                                \
    ROW(trace)                                                                                     \
    ROW(ending)                                                                                    \
    ROW(machine)

#define ROW(name) extern const struct option_rule plan_rules_##name[];
PLAN_RULE_ROWS(ROW)
#undef ROW

/* Texts and terms that several rules use. */
#define ONLY_READS "a workload that only reads has none"
#define TIMED      "find-rate @due-times"

/*
 * The features whose values are checked together with other values and the engine, in the order of
 * the checks. Each has a function plan_check_NAME, which plan_check calls. Errors: ERR_USAGE.
 */
#define PLAN_CHECK_ROWS(ROW)                                                                       \
    ROW(region)                                                                                    \
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

/* The parts of a plan's one-line description that say how writes reach the medium, in this order.
   Each has a function plan_words_NAME, which writes ", fsync after each write" or nothing. */
#define PLAN_WORDS_ROWS(ROW)                                                                       \
    ROW(sync)                                                                                      \
    ROW(atomic)                                                                                    \
    ROW(flush)

#define ROW(name) void plan_words_##name(const struct plan *p, char *to, size_t size);
PLAN_WORDS_ROWS(ROW)
#undef ROW

#endif
