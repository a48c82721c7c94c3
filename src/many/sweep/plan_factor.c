/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads factors: their names and levels. */
#include <math.h>
#include <string.h>

#include "many/sweep/internal.h"

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

/* Returns true for the columns of runs.csv that are neither factor nor response. */
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
