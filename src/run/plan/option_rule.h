/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules between options, one row each: one option needs another, or excludes it, and why. A rule
 * stands once, whichever of its options the user thinks of first; the refusal, the help of both
 * commands and options, `cupel help rules` and docs/rules.md are made from the row.
 *
 * The rules of the plan (plan_rules) hold for every plan, wherever it came from: a command line, a
 * job file, a sweep, the library, a record. The rules of a command (a row OPTION_RULES among its
 * option rows) are about options as they were typed. A refusal that depends on more than which
 * options there are, on numbers or on the machine, is no rule: it stands with the code that knows.
 *
 * A rule names terms, with blanks between:
 *   NAME         the option was given; in a plan: it differs from its default
 *   NAME=VALUE   it has that value, given or not
 *   NAME!=VALUE  it has another one
 *   @NAME        a condition of the plan (plan_conditions)
 */
#ifndef CUPEL_RUN_PLAN_OPTION_RULE_H
#define CUPEL_RUN_PLAN_OPTION_RULE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "run/plan/option_row.h"

enum rule_kind {
    RULE_NONE,    /* ends a table */
    RULE_NEEDS,   /* each of `of` needs one of `others` */
    RULE_EXCLUDES /* each of `of` excludes each of `others`; without others: each other of `of` */
};

struct option_rule {
    enum rule_kind kind;
    const char *of, *others; /* terms */
    const char *why;         /* a clause, which follows a colon */
};

/* clang-format off */
#define NEEDS(of, others, why)    {RULE_NEEDS, (of), (others), (why)}
#define EXCLUDES(of, others, why) {RULE_EXCLUDES, (of), (others), (why)}
#define ONE_OF(of, why)           {RULE_EXCLUDES, (of), NULL, (why)}
/* clang-format on */

struct plan;

/* What is true of a plan by more than one option, or by a value that no term can name. */
struct plan_condition {
    const char *name;  /* as terms have it, without the @ */
    const char *words; /* in the help, as "--rw trim"; "": the help does not list it */
    bool (*holds)(const struct plan *p);
    const char *options; /* one of these makes it true, and a message names that one; or NULL */
    const char *option;  /* or this one, of which a message has the value (`typed`); or NULL */
    const char *(*typed)(const struct plan *p); /* without an option: words for messages */
};

/* The rules of every plan; rules of its options as they were typed; what both call @NAME. Each ends
   with zeros. */
extern const struct option_rule plan_rules[], plan_typed_rules[];
extern const struct plan_condition plan_conditions[];

/* Options and what became of them. */
struct option_view {
    const struct option_row *rows; /* ended by a row with neither name nor key */
    const char *const *given;      /* by row: the text that was typed, or NULL; NULL: a plan, whose
                                      options are given where they differ from their defaults */
    const void *target;            /* their struct, which begins with a plan if rules have
                                      conditions */
};

/* ERR_USAGE: a rule is broken; "--a and --b exclude each other: why", "--a needs --b: why". */
int option_rules_check(const struct option_rule rules[], const struct option_view *view,
                       struct err *e);

/* The rules of the plan alone. */
int plan_check_rules(const struct plan *p, struct err *e);

/* One term of a rule: does it hold? *terms moves past it; false at the end. For tests. */
#define TERM_MAX 80
bool option_rule_next_term(const char **terms, char term[TERM_MAX]);
bool option_term_holds(const struct option_view *view, const char *term);

/* Is the term about an option of these rows? */
bool option_term_is_of(const char *term, const struct option_row rows[]);

/* " Needs --b." or " Excludes --c, --d." for the help of an option of a command with these rows and
   these tables, ended by NULL; nothing where no rule of the kind begins with it. */
void option_rules_in_help(const struct option_rule *const tables[], enum rule_kind kind,
                          const struct option_row *option, const struct option_row rows[],
                          struct text *out);

/* "--a needs --b: why" for the options of these rows; nothing when the rule has none of them. */
void option_rule_words(const struct option_rule *rule, const struct option_row rows[],
                       struct text *out);

#endif
