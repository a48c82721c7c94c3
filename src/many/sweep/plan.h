/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a sweep: factors and their levels, constraints, responses, how often configurations
 * are measured, and by which design. It is read from plain text, one item a line:
 *
 *   target: /data/sweep.dat          # any option of cupel run, by its name: a setting of all runs
 *   size: 64m
 *   factor threads: 1 2 4            # an option of cupel run, or an alias of one
 *   factor bs: 4k 16k
 *   factor load: low high            # no option: a command of the user's sets it
 *     set: ./load %LEVEL%
 *     unset: ./load off
 *   constraint: size > bs
 *   response: bandwidth p99          # metrics of cupel run; or with exec: what the program prints
 *   repeats: 10
 *   design: full
 *   control: every 20 runs
 *
 * A configuration is one level of each factor. It is identified by its index in the grid of all
 * levels, a mixed-radix number whose last digit is the level of the last factor.
 */
#ifndef CUPEL_MANY_SWEEP_PLAN_H
#define CUPEL_MANY_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"
#include "base/text.h"
#include "facts/result.h"
#include "program/exec/exec.h"
#include "run/plan/option_row.h"

#define SWEEP_FACTORS_MAX     16
#define SWEEP_LEVELS_MAX      64
#define SWEEP_RESPONSES_MAX   8
#define SWEEP_SETTINGS_MAX    48
#define SWEEP_CONSTRAINTS_MAX 32
#define SWEEP_CONTROLS_MAX    8
#define SWEEP_REPEATS_MAX     10000

struct sweep_level {
    const char *text; /* the level as typed, without quotes */
    double number;    /* value in the unit of runs.csv; NaN if the factor is text */
};

struct sweep_factor {
    const char *name; /* name as typed, which is also the factor's column in runs.csv */
    /* option of cupel run; NULL: the factor fills %name% in commands */
    const struct option_row *option;
    bool is_text; /* at least one of its levels is not a number */
    struct sweep_level levels[SWEEP_LEVELS_MAX];
    unsigned level_count;
    /* commands for /bin/sh, in which %LEVEL% stands for the level; or NULL */
    const char *set, *unset;
    size_t line;
};

/* A configuration: level[i] is the index of the level of factor i. */
struct sweep_configuration {
    unsigned char level[SWEEP_FACTORS_MAX];
};

struct sweep_setting {
    const struct option_row *option;
    const char *value;
    size_t line;
};

enum sweep_relation {
    SWEEP_LESS,
    SWEEP_AT_MOST,
    SWEEP_EQUAL,
    SWEEP_UNEQUAL,
    SWEEP_AT_LEAST,
    SWEEP_MORE
};

/* one side of a constraint: a factor's level, or a constant */
struct sweep_operand {
    int factor; /* -1 for a constant */
    const char *text;
    double number; /* value of the constant; NaN if it is text */
};
struct sweep_constraint {
    struct sweep_operand left, right;
    enum sweep_relation relation;
};

/* A response: a metric of a session, or for a program an index of sweep_plan.indices or its
   duration. */
struct sweep_response {
    const char *name; /* name as typed, which is also the response's column in runs.csv */
    enum metric_id metric;
    const char *op; /* one of operation_names; "" if the result has only one operation */
    int index;      /* response of a program: index in sweep_plan.indices; -1: the duration */
};

enum sweep_design_kind { SWEEP_FULL, SWEEP_RANDOM, SWEEP_SPACE_FILLING };

struct sweep_plan {
    struct pool strings; /* owns the strings of the structs above */
    struct sweep_factor factors[SWEEP_FACTORS_MAX];
    size_t factor_count;
    struct sweep_setting settings[SWEEP_SETTINGS_MAX];
    size_t setting_count;
    struct sweep_constraint constraints[SWEEP_CONSTRAINTS_MAX];
    size_t constraint_count;
    struct sweep_response responses[SWEEP_RESPONSES_MAX];
    size_t response_count;
    const char *target; /* "" if the plan has none */
    /* command for /bin/sh, in which %factor% stands for a level; NULL: sessions of cupel run */
    const char *exec;
    struct exec_index indices[SWEEP_RESPONSES_MAX]; /* indices in the program's output */
    size_t index_count;
    uint32_t repeats; /* runs of each configuration; the minimum if sd_width is set */
    uint32_t repeats_max;
    /* repeat until the interval of the standard deviation is within this share of it; 0: exactly
       `repeats` runs */
    double sd_width;
    enum sweep_design_kind design;
    uint64_t design_size; /* number of configurations; 0 for a full design */
    /* number of regular runs after which the controls run again; 0: no controls */
    uint32_t control_every;
    struct sweep_configuration controls[SWEEP_CONTROLS_MAX];
    size_t control_count;
    uint64_t seed;
    double command_seconds; /* time limit of a set or unset command */
    uint64_t grid;          /* product of the numbers of levels; UINT64_MAX: too large */
    struct text canonical;  /* the lines without comments; a resumed sweep must have the same */
};

/*
 * Reads a plan. `options` are the rows of cupel run, ended by a name of NULL; the plan points to
 * them. Messages contain `name`, line and column. Errors: ERR_USAGE, ERR_MACHINE. The caller frees
 * the plan with sweep_plan_free, also after a failure.
 */
int sweep_plan_read(struct sweep_plan *plan, const char *name, struct span text,
                    const struct option_row options[], struct err *e);
void sweep_plan_free(struct sweep_plan *plan);

/* Returns the level of a factor in a configuration. */
static inline const struct sweep_level *
sweep_level_of(const struct sweep_plan *plan, const struct sweep_configuration *c, size_t factor)
{
    return &plan->factors[factor].levels[c->level[factor]];
}

/* Returns whether a configuration meets every constraint. Texts are equal or not; none is less or
   more than another. */
bool sweep_is_allowed(const struct sweep_plan *plan, const struct sweep_configuration *c);

/* Writes "threads=2 bs=4k rw=read". Returns `to`. */
char *sweep_configuration_words(const struct sweep_plan *plan, const struct sweep_configuration *c,
                                char *to, size_t size);

/*
 * Makes the list of configurations to measure, in the order of the grid; the caller frees *list
 * with free(). Random designs use the plan's seed. ERR_USAGE: no configuration meets the
 * constraints, fewer meet them than the plan requires, or so many that the plan must choose a part.
 * ERR_MACHINE: no memory.
 */
int sweep_design_make(const struct sweep_plan *plan, struct sweep_configuration **list,
                      size_t *count, struct err *e);

#endif
