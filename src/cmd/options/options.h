/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines read by their option rows. A row that is a field of the plan is in plan_fields, any
 * other is in the file of the command that reads it.
 *
 * A command line is read in two steps, so that the order of options never matters (an explicit
 * option always overrides a preset). options_scan finds the given options and their texts.
 * options_store converts and checks the texts, and writes the values to the command's own struct.
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

#define RULE_TABLES_MAX 24 /* of a command: two of its own, and those of the plan */

/* a command line, split into options and operands */
struct option_set {
    const struct option_rule *rules[RULE_TABLES_MAX + 1]; /* the tables that options_rules makes */
    struct option_row rows[OPTIONS_MAX + 1];              /* ended by a name of NULL */
    const char *given[OPTIONS_MAX]; /* for each row, the text of the last time it was given, or
                                       NULL */
    const char *operands[OPERANDS_MAX];
    size_t operand_count;      /* more than OPERANDS_MAX only if the others follow "--" */
    char *const *after_dashes; /* the words after "--" up to argv's end, which are operands, too */
    size_t after_dashes_count;
    /* the first option that was given again with another text, which replaced the earlier one; or
       NULL */
    const struct option_row *repeated;
    bool help;              /* --help or -h was given before "--" */
    char *const *arguments; /* all words, for options_next */
    int argument_count;
};

/* fields of the plan among the rows of a command whose struct begins with the plan */
#define OPTION_GROUP(fields)                                                                       \
    {                                                                                              \
        .group = (fields)                                                                          \
    }

/* a table of rules between the typed options, among the rows of a command */
#define OPTION_RULES(table)                                                                        \
    {                                                                                              \
        .rules = (table)                                                                           \
    }

/* Lists the tables of rules of a command, and those of its plan if it has one; ended by NULL. The
   last ones, plan_rules, are for plan_check, once all of the plan is known. */
void options_rules(const struct option_row rows[],
                   const struct option_rule *to[RULE_TABLES_MAX + 1]);

/*
 * Makes the rows of a command with the fields of the plan that they name. A row of a group stands
 * for all fields of that group. A row without a place (and no list) stands for the field of its
 * name, and may replace its section, default and help. At most OPTIONS_MAX rows and the end;
 * returns `to`.
 */
const struct option_row *options_expand(const struct option_row rows[], struct option_row to[]);

/*
 * Splits arguments[0..count). Forms: --name value, --name=value, -o value, -- (only operands
 * follow), - (an operand). '-' and '_' are the same in names. ERR_USAGE: an unknown option (with a
 * hint if fio has it), a missing value, or too many operands.
 */
int options_scan(struct option_set *set, const struct option_row rows[], char *const arguments[],
                 int count, struct err *e);

/* Writes every row's default into `target`. */
int options_store_defaults(const struct option_row rows[], void *target, struct err *e);

/* Writes the given values into `target`, and checks them by the rules of the command. ERR_USAGE
   names the option, the value and what is possible, or the options that a rule is about. */
int options_store(const struct option_set *set, void *target, struct err *e);

/* Returns the next text of an option that may be repeated; *cursor is 0 before the first one. NULL:
   there are no more. */
const char *options_next(const struct option_set *set, const char *name, int *cursor);

/* Returns the text that was given for --name, or NULL. */
const char *options_given(const struct option_set *set, const char *name);

#endif
