/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads factors: the option that a name means, the options that runs of a sweep may have, and
   levels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/units.h"
#include "many/sweep/internal.h"
#include "run/plan/plan.h"

/* Names that Cameron et al., MOANA (2019), table 1, and other tools use. */
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

static int read_level(struct plan_reader *r, struct sweep_factor *f, const char *text,
                      const char *at)
{
    double number = plan_level_number(f->option, text);
    if (f->level_count == SWEEP_LEVELS_MAX)
        return reader_fail(&r->text, at, "%d levels are possible", SWEEP_LEVELS_MAX);
    for (unsigned i = 0; i < f->level_count; i++)
        if (!strcmp(f->levels[i].text, text) || f->levels[i].number == number)
            return reader_fail(&r->text, at, "the level \"%.60s\" is there already", text);
    f->levels[f->level_count++] = (struct sweep_level){text, number};
    f->is_text = f->is_text || isnan(number);
    return 0;
}

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !((c >= '0' && c <= '9') && i) && !strchr("-_.", c))
            return false;
    }
    return name.length;
}

/* names of columns in runs.csv that are neither factor nor response */
static bool is_taken(const char *name)
{
    static const char *const columns[] = {"run",     "configuration", "control", "time",
                                          "seconds", "host",          "block",   "LEVEL"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(columns[i], name))
            return true;
    return false;
}

static int read_name(struct plan_reader *r, struct sweep_factor *f)
{
    char by;
    reader_skip(&r->text, strlen("factor"));
    struct span name = span_trimmed(reader_piece(&r->text, ":", &by));
    const size_t longest = sizeof((struct execution_parameter *)0)->name - 1;
    if (!by || !is_name(name) || name.length > longest)
        return reader_fail(&r->text, name.text,
                           "\"factor NAME: LEVEL LEVEL ...\" is expected; a name has 1 to %zu "
                           "letters, digits, -, _ or .",
                           longest);
    f->name = pool_copy(&r->plan->strings, name.text, name.length);
    if (!f->name)
        return reader_fail(&r->text, name.text, "there is no memory left for the name");
    if (plan_factor_of(r->plan, f->name) >= 0)
        return reader_fail(&r->text, name.text, "there is a factor %s already", f->name);
    if (is_taken(f->name))
        return reader_fail(&r->text, name.text, "%s is a column of its own: choose another name",
                           f->name);
    f->option = plan_option_of(r, f->name);
    for (size_t i = 0; i < r->plan->factor_count && f->option; i++)
        if (r->plan->factors[i].option == f->option)
            return reader_fail(&r->text, name.text, "%s and %s are the same option --%s",
                               r->plan->factors[i].name, f->name, f->option->name);
    return f->option ? plan_refuse_option(r, f->option, name.text) : 0;
}

int plan_read_factor(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    const char *at = r->text.rest.text;
    const char *word;
    if (p->factor_count == SWEEP_FACTORS_MAX)
        return reader_fail(&r->text, at, "%d factors are possible", SWEEP_FACTORS_MAX);
    struct sweep_factor *f = &p->factors[p->factor_count];
    *f = (struct sweep_factor){.line = r->text.number};
    if (read_name(r, f))
        return -1;
    while ((word = plan_reader_word(r, &at)))
        if (read_level(r, f, word, at))
            return -1;
    if (!f->level_count)
        return reader_fail(&r->text, at, "%s has no level", f->name);
    p->factor_count++;
    r->last = f;
    return 0;
}
