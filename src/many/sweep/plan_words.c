/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the words of a plan's line, which the plan stores, and finds what they name: factors, and
   the options that runs of a sweep may have, with their values. */
#include <math.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/units.h"
#include "many/sweep/internal.h"
#include "run/plan/plan.h"

/* Other names of options, which Cameron et al., MOANA (2019), table 1, and other tools use. */
static const struct {
    const char *name, *option;
} aliases[] = {
    {"threads", "numjobs"}, {"jobs", "numjobs"},   {"record", "bs"},
    {"record-size", "bs"},  {"file-size", "size"}, {"backend", "ioengine"},
};

/* Groups of options that a run may have. The sweep itself decides when a session ends and where its
   result is stored. */
static const unsigned char groups[] = {PLAN_WORKLOAD, PLAN_REGION,   PLAN_ENGINE,  PLAN_TIMING,
                                       PLAN_MACHINE,  PLAN_OWN_COST, PLAN_MONITOR, PLAN_SETTINGS};
static const char *const others[] = {"rw", "rwmixread", "percentage_random", "runtime",
                                     "allow-unwritten"};
static const char *const permissions[] = {"destroy", "destroy-serial", "overwrite", "allow-unseen"};

/* ---- words ---- */

const char *plan_reader_word(struct plan_reader *r, const char **at)
{
    struct text_reader *t = &r->text;
    while (t->rest.length && (t->rest.text[0] == ' ' || t->rest.text[0] == '\t'))
        reader_skip(t, 1);
    *at = t->rest.text;
    if (!t->rest.length)
        return NULL;
    bool quoted = t->rest.text[0] == '"';
    size_t length = quoted;
    while (length < t->rest.length &&
           (quoted ? t->rest.text[length] != '"' : !strchr(" \t", t->rest.text[length])))
        length++;
    struct span word = {t->rest.text + quoted, length - quoted};
    reader_skip(t, length + (quoted && length < t->rest.length));
    return pool_copy(&r->plan->strings, word.text, word.length);
}

int plan_factor_of(const struct sweep_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->factor_count; i++)
        if (!strcmp(plan->factors[i].name, name))
            return (int)i;
    return -1;
}

/* ---- options ---- */

static bool is_same_name(const char *a, const char *b)
{
    while (*a && (*a == *b || ((*a == '-' || *a == '_') && (*b == '-' || *b == '_'))))
        a++, b++;
    return !*a && !*b;
}

const struct option_row *plan_option_of(const struct plan_reader *r, const char *name)
{
    for (int pass = 0; pass < 2; pass++) {
        for (const struct option_row *o = r->options; o->name; o++)
            if (is_same_name(o->name, name))
                return o;
        for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
            if (is_same_name(aliases[i].name, name))
                name = aliases[i].option;
    }
    return NULL;
}

int plan_refuse_option(struct plan_reader *r, const struct option_row *option, const char *at)
{
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++)
        if (!strcmp(option->name, permissions[i]))
            return reader_fail(&r->text, at,
                               "permission to destroy stands on the command line: cupel sweep PLAN "
                               "--%s",
                               option->name);
    for (size_t i = 0; i < sizeof groups; i++)
        if (option->group == groups[i] && strcmp(option->name, "seed") != 0)
            return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(option->name, others[i]))
            return 0;
    return reader_fail(&r->text, at,
                       "%s is of whole sessions, which a sweep begins and ends itself",
                       option->name);
}

double plan_level_number(const struct option_row *option, const char *text)
{
    uint64_t whole;
    double number = NAN;
    enum option_kind kind = option ? option->kind : OPTION_SIZE;
    switch (kind) {
    case OPTION_SIZE:
        if (!option && number_parse(text, strlen(text), &number) == NUMBER_OK)
            return number;
        return parse_size(text, &whole, NULL) ? NAN : (double)whole;
    case OPTION_TIME:
        return parse_time(text, &whole, NULL) ? NAN : (double)whole / 1e9;
    case OPTION_SHARE:
        return parse_share(text, &number, NULL) ? NAN : number;
    case OPTION_WIDTH:
        return parse_width(text, &number, NULL) ? NAN : number;
    case OPTION_RATE:
        return parse_rate(text, &number, NULL) ? NAN : number;
    case OPTION_FREQUENCY:
        return parse_frequency(text, &whole, NULL) ? NAN : (double)whole;
    case OPTION_UNSIGNED:
    case OPTION_SWITCH:
        return parse_unsigned(text, &whole, NULL) ? NAN : (double)whole;
    default:
        return NAN;
    }
}
