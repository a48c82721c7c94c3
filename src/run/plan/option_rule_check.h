/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules between options, one row each: one option needs another, or excludes it, and why. Each rule
 * is written once, for all of its options: the refusal, the help of commands and options, `cupel
 * help rules` and docs/rules.md are made from the row.
 *
 * The rules of the plan (plan_rules) apply to every plan, from a command line, a job file, a sweep,
 * the library or a record. The rules of a command (a row OPTION_RULES among its option rows) apply
 * to options as they were typed. A refusal that depends on numbers or on the machine is not a rule:
 * the code that knows these makes it.
 *
 * A rule has terms, separated by blanks:
 *   NAME         the option was given; in a plan: it differs from its default
 *   NAME=VALUE   the option has that value, given or not
 *   NAME!=VALUE  the option has another value
 *   @NAME        a condition of the plan (plan_conditions)
 */
#ifndef CUPEL_RUN_PLAN_OPTION_RULE_CHECK_H
#define CUPEL_RUN_PLAN_OPTION_RULE_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "run/plan/option_row.h"

enum rule_kind {
    RULE_NONE,  /* ends a table */
    RULE_NEEDS, /* each option in `of` needs an option in `others` */
    /* each option in `of` excludes each option in `others`; if `others` is empty, it excludes all
       others in `of` */
    RULE_EXCLUDES
};

struct option_rule {
    enum rule_kind kind;
    const char *of, *others; /* terms of the rule */
    const char *why;         /* the reason: a clause that follows a colon in messages */
};

/* clang-format off */
#define NEEDS(of, others, why)    {RULE_NEEDS, (of), (others), (why)}
#define EXCLUDES(of, others, why) {RULE_EXCLUDES, (of), (others), (why)}
#define ONE_OF(of, why)           {RULE_EXCLUDES, (of), NULL, (why)}
/* clang-format on */

struct plan;

/* A property of a plan that depends on several options, or on a value that no term can name. */
struct plan_condition {
    const char *name;  /* name in terms, without the @ */
    const char *words; /* words in the help, such as "--rw trim"; "": the help does not list it */
    bool (*holds)(const struct plan *p);
    /* options of which any one makes the condition true, and which a message names; or NULL */
    const char *options;
    const char *option; /* an option whose value a message shows (see `typed`); or NULL */
    const char *(*typed)(const struct plan *p); /* for a condition without an option: words for
                                                   messages */
};

/* plan_rules: the rules of every plan, one table for each part, ended by NULL. plan_typed_rules:
   rules about its options as they were typed. plan_conditions: the conditions that both call @NAME.
   Each table ends with zeros. */
extern const struct option_rule *const plan_rules[];
extern const struct option_rule plan_typed_rules[];
extern const struct plan_condition plan_conditions[];

/* A set of options and their values. */
struct option_view {
    const struct option_row *rows; /* ended by a row with neither name nor key */
    const char *const *given;      /* the texts that were typed, one for each row, or NULL; NULL
                                      for a plan, whose options count as given if they differ
                                      from their defaults */
    const void *target;            /* the struct that holds the values; it begins with a plan if
                                      rules have conditions */
};

/* Checks rules. ERR_USAGE: a rule is broken; "--a and --b exclude each other: why", "--a needs --b:
   why". */
int option_rules_check(const struct option_rule rules[], const struct option_view *view,
                       struct err *e);

/* Checks only the rules of the plan. */
int plan_check_rules(const struct plan *p, struct err *e);

/* option_rule_next_term takes the next term of *terms, and returns false at the end.
   option_term_holds returns true if the term holds. For tests. */
#define TERM_MAX 80
bool option_rule_next_term(const char **terms, char term[TERM_MAX]);
bool option_term_holds(const struct option_view *view, const char *term);

/* Returns true if the term names an option among these rows. */
bool option_term_is_of(const char *term, const struct option_row rows[]);

/*
 * Writes " Needs --b." or " Excludes --c, --d." for the help of an option, from these tables (ended
 * by NULL) of a command with these rows. Writes nothing if no rule of that kind begins with the
 * option.
 */
void option_rules_in_help(const struct option_rule *const tables[], enum rule_kind kind,
                          const struct option_row *option, const struct option_row rows[],
                          struct text *out);

/* Writes "--a needs --b: why" for the options of these rows; writes nothing if the rule has none of
   them. */
void option_rule_words(const struct option_rule *rule, const struct option_row rows[],
                       struct text *out);

#endif
