/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks rules between options against the given options, and writes them for the help. */
#include "run/plan/option_rule_check.h"

#include <stdio.h>
#include <string.h>

#include "base/invariant.h"
#include "run/plan/plan.h"

#define WORDS_MAX 160

bool option_rule_next_term(const char **terms, char term[TERM_MAX])
{
    const char *at = *terms ? *terms + strspn(*terms, " ") : "";
    const size_t length = strcspn(at, " ");
    INVARIANT(length < TERM_MAX, "a term of a rule fits TERM_MAX");
    snprintf(term, TERM_MAX, "%.*s", (int)length, at);
    *terms = at + length;
    return length > 0;
}

/*
 * Returns the value of a term: "zbd" of "zonemode=zbd" and of "zonemode!=zbd"; NULL: it has none.
 */
static const char *value_of(const char *term)
{
    const char *equal = strchr(term, '=');
    return equal ? equal + 1 : NULL;
}

static bool is_value(const char *term)
{
    return value_of(term) && !strchr(term, '!');
}

static const struct option_row *find_row(const struct option_row rows[], const char *term)
{
    const size_t length = strcspn(term, "!=");
    for (const struct option_row *row = rows; row->name || row->key; row++)
        if (row->name && strlen(row->name) == length && !strncmp(row->name, term, length))
            return row;
    return NULL;
}

/* Returns the condition that the term names, or NULL if it names an option. */
static const struct plan_condition *condition_of(const char *term)
{
    const struct plan_condition *c = plan_conditions;
    if (*term != '@')
        return NULL;
    while (c->name && strcmp(c->name, term + 1) != 0)
        c++;
    INVARIANT(c->name, "a condition of a rule is a row of plan_conditions");
    return c;
}

/* Returns true if the field has the value that the text stands for; a NULL text stands for zero. */
static bool field_is(const struct option_row *row, const char *text, const void *target)
{
    union {
        char bytes[sizeof(struct plan)];
        double number;
    } expected = {{0}};
    double number = 0;
    struct option_row at_begin = *row;
    const char *field = (const char *)target + row->offset;
    struct err e;
    at_begin.offset = 0;
    INVARIANT(row->width <= sizeof expected, "a field of an option fits a plan");
    INVARIANT(!text || !option_store_value(&at_begin, text, &expected, &e),
              "a value in a rule is one of its option");
    switch (row->kind) {
    case OPTION_TEXT:
        return !strcmp(field, expected.bytes);
    case OPTION_TIME:
    case OPTION_SHARE:
    case OPTION_WIDTH:
    case OPTION_RATE:
    case OPTION_FREQUENCY:
        memcpy(&number, field, sizeof number);
        return !(number < expected.number) && !(number > expected.number);
    default:
        return !memcmp(field, &expected, row->width);
    }
}

bool option_term_holds(const struct option_view *view, const char *term)
{
    const struct plan_condition *condition = condition_of(term);
    if (condition)
        return condition->holds(view->target);
    const struct option_row *row = find_row(view->rows, term);
    if (!row)
        return false;
    if (value_of(term))
        return field_is(row, value_of(term), view->target) == is_value(term);
    return view->given ? view->given[row - view->rows] != NULL
                       : !field_is(row, row->value, view->target);
}

/* Returns the words for a term: "--iopoll on", "--rate_iops". `p` is the plan for which the
   condition is true; NULL: the words are for any plan. */
static const char *term_words(const char *term, const struct plan *p, char to[WORDS_MAX])
{
    const struct plan_condition *c = condition_of(term);
    const struct option_view view = {.rows = plan_fields(), .target = p};
    char option[TERM_MAX];
    snprintf(to, WORDS_MAX, "--%.*s%s%s", (int)strcspn(term, "!="), term, is_value(term) ? " " : "",
             is_value(term) ? value_of(term) : "");
    if (!c)
        return to;
    snprintf(to, WORDS_MAX, "%s", c->words);
    if (!p)
        return to;
    if (c->typed && c->option)
        snprintf(to, WORDS_MAX, "--%s %s", c->option, c->typed(p));
    else if (c->typed)
        snprintf(to, WORDS_MAX, "%s", c->typed(p));
    for (const char *rest = c->options; option_rule_next_term(&rest, option);)
        if (option_term_holds(&view, option)) {
            snprintf(to, WORDS_MAX, "--%s", option);
            break;
        }
    return to;
}

/* Writes "--a, --b or --c": the terms about options of `rows` (NULL: all), except the term `but`.
   Returns their number. */
static size_t add_list(struct text *out, const char *terms, const char *but,
                       const struct option_row rows[], const char *last)
{
    char term[TERM_MAX], before[TERM_MAX] = "", words[WORDS_MAX] = "";
    size_t count = 0;
    for (const char *rest = terms; option_rule_next_term(&rest, term);) {
        if ((but && !strcmp(term, but)) || (rows && !option_term_is_of(term, rows)))
            continue;
        if (count)
            text_addf(out, "%s%s", count > 1 ? ", " : "", words);
        if (is_value(term) && !strncmp(term, before, (size_t)(value_of(term) - term)))
            snprintf(words, sizeof words, "%s", value_of(term)); /* "--rw rw or randrw" */
        else
            term_words(term, NULL, words);
        snprintf(before, sizeof before, "%s", term);
        count++;
    }
    text_addf(out, "%s%s", count > 1 ? last : "", words);
    return count;
}

static int check_need(const struct option_rule *rule, const char *of,
                      const struct option_view *view, struct err *e)
{
    char other[TERM_MAX], words[WORDS_MAX];
    struct text list = {0};
    for (const char *rest = rule->others; option_rule_next_term(&rest, other);)
        if (option_term_holds(view, other))
            return 0;
    add_list(&list, rule->others, NULL, NULL, " or ");
    err_set(e, ERR_USAGE, "%s needs %s: %s", term_words(of, view->target, words),
            list.data ? list.data : rule->others, rule->why);
    text_free(&list);
    return -1;
}

static int check_exclusion(const struct option_rule *rule, const char *of, const char *others,
                           const struct option_view *view, struct err *e)
{
    char other[TERM_MAX], one[WORDS_MAX], two[WORDS_MAX];
    while (option_rule_next_term(&others, other))
        if (option_term_holds(view, other))
            return err_set(e, ERR_USAGE, "%s and %s exclude each other: %s",
                           term_words(of, view->target, one), term_words(other, view->target, two),
                           rule->why);
    return 0;
}

int option_rules_check(const struct option_rule rules[], const struct option_view *view,
                       struct err *e)
{
    char of[TERM_MAX];
    for (const struct option_rule *rule = rules; rule->kind; rule++)
        for (const char *rest = rule->of; option_rule_next_term(&rest, of);)
            if (option_term_holds(view, of) &&
                (rule->kind == RULE_NEEDS
                     ? check_need(rule, of, view, e)
                     : check_exclusion(rule, of, rule->others ? rule->others : rest, view, e)))
                return -1;
    return 0;
}

int plan_check_rules(const struct plan *p, struct err *e)
{
    const struct option_view view = {plan_fields(), NULL, p};
    for (const struct option_rule *const *rules = plan_rules; *rules; rules++)
        if (option_rules_check(*rules, &view, e))
            return -1;
    return plan_refuse_width(p, e);
}

/* ---- the help ---- */

bool option_term_is_of(const char *term, const struct option_row rows[])
{
    const struct plan_condition *c = condition_of(term);
    char option[TERM_MAX];
    if (!c || c->option)
        return find_row(rows, c ? c->option : term);
    for (const char *rest = c->options; option_rule_next_term(&rest, option);)
        if (find_row(rows, option))
            return true;
    return false;
}

/* Returns true if the term names this option, or if the option can make the term true. */
static bool is_about(const char *term, const struct option_row *option)
{
    const struct option_row alone[] = {*option, {0}};
    return (!condition_of(term) || condition_of(term)->options) && option_term_is_of(term, alone);
}

/* Adds what one rule says about the term's option to the text of earlier rules: " Needs --b", " zbd
   needs --b", ", --c". */
static void add_to_help(const struct option_rule *rule, const char *term,
                        const struct option_row rows[], bool *any, struct text *out)
{
    struct text list = {0};
    const bool needs = rule->kind == RULE_NEEDS;
    add_list(&list, rule->others ? rule->others : rule->of, term, rows, needs ? " or " : ", ");
    if (list.length && *any)
        text_addf(out, "%s%s", needs ? ", and " : ", ", list.data);
    else if (list.length && is_value(term))
        text_addf(out, " %s %s %s", value_of(term), needs ? "needs" : "excludes", list.data);
    else if (list.length)
        text_addf(out, " %s %s", needs ? "Needs" : "Excludes", list.data);
    *any = *any || list.length;
    out->failed |= list.failed;
    text_free(&list);
}

void option_rules_in_help(const struct option_rule *const tables[], enum rule_kind kind,
                          const struct option_row *option, const struct option_row rows[],
                          struct text *out)
{
    char term[TERM_MAX];
    bool any = false;
    for (size_t i = 0; tables[i]; i++)
        for (const struct option_rule *rule = tables[i]; rule->kind; rule++)
            for (const char *rest = rule->of; option_rule_next_term(&rest, term);)
                if (rule->kind == kind && is_about(term, option))
                    add_to_help(rule, term, rows, &any, out);
    text_add(out, any ? "." : "");
}

void option_rule_words(const struct option_rule *rule, const struct option_row rows[],
                       struct text *out)
{
    const char *verb = rule->kind == RULE_NEEDS ? "need" : "exclude";
    struct text of = {0}, others = {0};
    const size_t count = add_list(&of, rule->of, NULL, rows, " and ");
    const size_t other_count =
        add_list(&others, rule->others, NULL, rows, rule->kind == RULE_NEEDS ? " or " : " and ");
    if (!rule->others && count > 1)
        text_addf(out, "%s exclude each other: %s.", of.data, rule->why);
    else if (count && other_count)
        text_addf(out, "%s %s%s %s: %s.", of.data, verb, count > 1 ? "" : "s", others.data,
                  rule->why);
    out->failed |= of.failed || others.failed;
    text_free(&of);
    text_free(&others);
}
