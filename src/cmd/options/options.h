/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines by their option rows. A row that is a field of the plan stands in plan_fields, any
 * other beside the command that reads it.
 *
 * A command line is read in two steps, so that the order of options never matters (an explicit
 * option overrides a preset wherever it stands): options_scan finds which options were given and
 * with what text, options_store converts and checks the text and writes it to the command's own
 * struct.
 *
 * Nothing here owns memory: values and operands point into argv. One thread.
 */
#ifndef CUPEL_CMD_OPTIONS_OPTIONS_H
#define CUPEL_CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/plan/option_row.h"
#include "run/plan/option_rule.h"

#define OPTIONS_MAX  160
#define OPERANDS_MAX 1024

#define RULE_TABLES_MAX 4

/* A command line, taken apart. */
struct option_set {
    const struct option_rule *rules[RULE_TABLES_MAX + 1]; /* as options_rules makes them */
    struct option_row rows[OPTIONS_MAX + 1];              /* ended by a name of NULL */
    const char *given[OPTIONS_MAX]; /* by row: the text of the last time it was given, or NULL */
    const char *operands[OPERANDS_MAX];
    size_t operand_count;      /* more than OPERANDS_MAX only when the further ones follow "--" */
    char *const *after_dashes; /* the words after "--", which are operands too, up to argv's end */
    size_t after_dashes_count;
    /* the first option that was given again with another text, which replaced the earlier one; or
       NULL */
    const struct option_row *repeated;
    bool help;              /* --help or -h was given before "--" */
    char *const *arguments; /* all words, for options_next */
    int argument_count;
};

/* Fields of the plan among the rows of a command, whose struct begins with the plan. */
#define OPTION_GROUP(fields)                                                                       \
    {                                                                                              \
        .group = (fields)                                                                          \
    }

/* Rules between options as they were typed, among the rows of a command: a table of them. */
#define OPTION_RULES(table)                                                                        \
    {                                                                                              \
        .rules = (table)                                                                           \
    }

/* The tables of rules of a command, with those of the plan where it has one; ended by NULL. The
   last of these, plan_rules, is for plan_check, once all of the plan is known. */
void options_rules(const struct option_row rows[],
                   const struct option_rule *to[RULE_TABLES_MAX + 1]);

/*
 * The rows of a command with the fields of the plan that they name: a row of a group stands for all
 * fields of that group, a row without a place (and no list) for the field of its name, of which it
 * may replace the section, the default and the help. At most OPTIONS_MAX rows and the end; returns
 * `to`.
 */
const struct option_row *options_expand(const struct option_row rows[], struct option_row to[]);

/*
 * Take arguments[0..count) apart. Forms: --name value, --name=value, -o value, -- (operands only
 * from here on), - (an operand). '-' and '_' are the same in names. ERR_USAGE: unknown option, with
 * a hint where it is fio's; missing value, too many operands.
 */
int options_scan(struct option_set *set, const struct option_row rows[], char *const arguments[],
                 int count, struct err *e);

/* Writes every row's default into `target`. */
int options_store_defaults(const struct option_row rows[], void *target, struct err *e);

/*
 * Write what was given into `target`, and hold it against the rules of the command. ERR_USAGE names
 * the option, the value and what is possible, or the options that a rule is about.
 */
int options_store(const struct option_set *set, void *target, struct err *e);

/* Returns the next text of an option that may be repeated; *cursor is 0 before the first one. NULL:
   there are no more. */
const char *options_next(const struct option_set *set, const char *name, int *cursor);

/* Returns the text that was given for --name, or NULL. */
const char *options_given(const struct option_set *set, const char *name);

#endif
