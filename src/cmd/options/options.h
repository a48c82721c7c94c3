/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads command lines as their option rows say. A row for a field of the plan is in plan_fields;
 * any other row is in the file of the command that uses it.
 *
 * A command line is read in two steps, so that the order of options never matters (a given option
 * always overrides a preset). options_scan finds the given options and their texts. options_store
 * converts and checks the texts, and writes the values to the command's struct.
 *
 * Nothing here owns memory: values and operands point into argv. One thread.
 */
#ifndef CUPEL_CMD_OPTIONS_OPTIONS_H
#define CUPEL_CMD_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/plan/option_row.h"
#include "run/plan/option_rule_check.h"

#define OPTIONS_MAX  160
#define OPERANDS_MAX 1024

#define RULE_TABLES_MAX 24 /* tables: two of the command, and those of the plan */

/* A command line, split into options and operands. */
struct option_set {
    const struct option_rule *rules[RULE_TABLES_MAX + 1]; /* tables that options_rules lists */
    struct option_row rows[OPTIONS_MAX + 1];              /* ended by a row whose name is NULL */
    /* [row], the text of the option when it was last given, or NULL */
    const char *given[OPTIONS_MAX];
    const char *operands[OPERANDS_MAX];
    /* number of all operands; `operands` has only the first OPERANDS_MAX. More are possible only
       after "--". */
    size_t operand_count;
    char *const *after_dashes; /* all words after "--", which are operands, too */
    size_t after_dashes_count;
    /* The first option that was given again with another text, which replaced the earlier one, or
       NULL. */
    const struct option_row *repeated;
    bool help;              /* --help or -h was given before "--" */
    char *const *arguments; /* all words, used by options_next */
    int argument_count;
};

/* A row that adds a group of the plan's fields to the options of a command whose struct begins with
   a plan. */
#define OPTION_GROUP(fields)                                                                       \
    {                                                                                              \
        .group = (fields)                                                                          \
    }

/* A row that adds a table of rules between options to the options of a command. */
#define OPTION_RULES(table)                                                                        \
    {                                                                                              \
        .rules = (table)                                                                           \
    }

/* Lists the tables of rules of a command, ended by NULL. If the command's struct begins with a
   struct plan, the plan's tables follow. The last table is plan_rules, which plan_check applies
   once the whole plan is known. */
void options_rules(const struct option_row rows[],
                   const struct option_rule *to[RULE_TABLES_MAX + 1]);

/*
 * Writes the rows of a command to `to`, completed by the plan. A row of a group becomes a row for
 * each field of the plan in that group. A row without a place in the command's struct, unless it is
 * a list, becomes the plan's field of the same name; it may replace the field's section, default
 * and help. Writes at most OPTIONS_MAX rows and the end. Returns `to`.
 */
const struct option_row *options_expand(const struct option_row rows[], struct option_row to[]);

/*
 * Splits `count` arguments. Forms: --name value, --name=value, -o value, -- (only operands follow),
 * - (an operand). In names, '-' and '_' are the same. Fails with ERR_USAGE for an unknown option
 * (with a hint if fio has it), a missing value, or too many operands.
 */
int options_scan(struct option_set *set, const struct option_row rows[], char *const arguments[],
                 int count, struct err *e);

/* Writes every row's default into `target`. */
int options_store_defaults(const struct option_row rows[], void *target, struct err *e);

/* Writes the given values into `target`, and checks them by the rules of the command. Fails with
   ERR_USAGE, which names the option, the value and what is possible, or the options of a broken
   rule. */
int options_store(const struct option_set *set, void *target, struct err *e);

/* Returns the next text of an option that may be repeated, or NULL if there are no more. *cursor is
   0 before the first call. */
const char *options_next(const struct option_set *set, const char *name, int *cursor);

/* Returns the text that was given for --name, or NULL. */
const char *options_given(const struct option_set *set, const char *name);

#endif
