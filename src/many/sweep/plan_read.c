/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the lines of a plan. Each key is a row of the table below; any other key is a setting of
   all runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "many/sweep/internal.h"
#include "run/plan/plan.h"

#define COMMAND_SECONDS   60
#define UNTIL_MIN         5
#define UNTIL_MAX         200
#define CONTROL_EVERY_MAX 1000000

/* Reads a number from 1 to `max`. */
static int read_count(struct plan_reader *r, const char *what, uint64_t max, uint64_t *number)
{
    const char *at;
    const char *word = plan_reader_word(r, &at);
    if (!word || parse_unsigned(word, number, NULL) || *number < 1 || *number > max)
        return reader_fail(&r->text, at, "%s is a number from 1 to %llu", what,
                           (unsigned long long)max);
    return 0;
}

static int expect_end(struct plan_reader *r)
{
    const char *at;
    return plan_reader_word(r, &at) ? reader_fail(&r->text, at, "nothing more is expected here")
                                    : 0;
}

/* ---- keys ---- */

/* Returns the rest of the line as a string of the plan; "" when it is blank. */
static const char *plan_reader_rest(struct plan_reader *r, const char **at)
{
    struct span rest = span_trimmed(r->text.rest);
    *at = rest.text;
    reader_skip(&r->text, r->text.rest.length);
    return pool_copy(&r->plan->strings, rest.text, rest.length);
}

static int read_target(struct plan_reader *r)
{
    const char *at;
    r->plan->target = plan_reader_rest(r, &at);
    return r->plan->target && *r->plan->target
               ? 0
               : reader_fail(&r->text, at, "a file or a device is expected");
}

static int read_exec(struct plan_reader *r)
{
    const char *at;
    r->plan->exec = plan_reader_rest(r, &at);
    return r->plan->exec && *r->plan->exec ? 0 : reader_fail(&r->text, at, "a command is expected");
}

static int read_command(struct plan_reader *r, bool sets)
{
    const char *at;
    const char *command = plan_reader_rest(r, &at);
    struct sweep_factor *f = r->last;
    if (!f)
        return reader_fail(&r->text, at, "it belongs below the factor that it sets");
    if (!command || !*command)
        return reader_fail(&r->text, at, "a command is expected");
    if (f->option)
        return reader_fail(&r->text, at,
                           "%s is an option of cupel run, which sets it: leave the command out, or "
                           "give the factor another name",
                           f->name);
    const char **to = sets ? &f->set : &f->unset;
    if (*to)
        return reader_fail(&r->text, at, "there is a command already");
    *to = command;
    return 0;
}

static int read_set(struct plan_reader *r)
{
    return read_command(r, true);
}

static int read_unset(struct plan_reader *r)
{
    return read_command(r, false);
}

static int read_index(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    struct err e;
    const char *at;
    const char *words = plan_reader_rest(r, &at);
    if (p->index_count == SWEEP_RESPONSES_MAX)
        return reader_fail(&r->text, at, "%d indices are possible", SWEEP_RESPONSES_MAX);
    if (!words || exec_index_parse(words, &p->indices[p->index_count], &e))
        return reader_fail(&r->text, at, "%s",
                           words ? e.msg : "there is no memory left for an index");
    p->index_count++;
    return 0;
}

/* Reads "within 20%" or "within 20 %", as people write it. */
static int read_width(struct plan_reader *r)
{
    const char *at;
    const char *word = plan_reader_word(r, &at);
    char share[32] = "";
    struct text_reader ahead = r->text;
    const char *sign_at;
    if (word)
        snprintf(share, sizeof share, "%s", word);
    const char *sign = plan_reader_word(r, &sign_at);
    if (sign && !strcmp(sign, "%") && word && !strchr(word, '%'))
        snprintf(share, sizeof share, "%.30s%%", word);
    else
        r->text = ahead;
    if (!word || parse_share(share, &r->plan->sd_width, NULL) || !(r->plan->sd_width >= 0.01) ||
        !(r->plan->sd_width <= 1))
        return reader_fail(&r->text, at,
                           "a share from 1%% to 100%% is expected: until sd within "
                           "20%%");
    return 0;
}

/* Reads "10" or "until sd within 20% at least 5 at most 100". */
static int read_repeats(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    struct text_reader begin = r->text;
    uint64_t number = 0;
    const char *at;
    const char *word = plan_reader_word(r, &at);
    if (!word || strcmp(word, "until") != 0) {
        r->text = begin;
        if (read_count(r, "repeats: the number", SWEEP_REPEATS_MAX, &number))
            return -1;
        p->repeats = p->repeats_max = (uint32_t)number;
        return expect_end(r);
    }
    for (size_t i = 0; i < 2; i++) {
        word = plan_reader_word(r, &at);
        if (!word || strcmp(word, i ? "within" : "sd") != 0)
            return reader_fail(&r->text, at, "\"until sd within 20%%\" is expected");
    }
    p->repeats = UNTIL_MIN;
    p->repeats_max = UNTIL_MAX;
    if (read_width(r))
        return -1;
    while ((word = plan_reader_word(r, &at))) {
        const char *what = strcmp(word, "at") ? NULL : plan_reader_word(r, &at);
        bool least = what && !strcmp(what, "least"), most = what && !strcmp(what, "most");
        if (!least && !most)
            return reader_fail(&r->text, at, "\"at least N\" or \"at most N\" is expected");
        if (read_count(r, "the number of repeats", SWEEP_REPEATS_MAX, &number))
            return -1;
        *(least ? &p->repeats : &p->repeats_max) = (uint32_t)number;
    }
    if (p->repeats < UNTIL_MIN || p->repeats > p->repeats_max)
        return reader_fail(&r->text, begin.rest.text,
                           "an SD needs at least %d repeats, and at most is no less than at least",
                           UNTIL_MIN);
    return 0;
}

static int read_design(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    const char *at;
    const char *word = plan_reader_word(r, &at);
    if (word && !strcmp(word, "full"))
        return expect_end(r);
    if (word && !strcmp(word, "random"))
        p->design = SWEEP_RANDOM;
    else if (word && !strcmp(word, "space-filling"))
        p->design = SWEEP_SPACE_FILLING;
    else
        return reader_fail(&r->text, at, "full, random N or space-filling N is expected");
    return read_count(r, "the number of configurations", 1000000, &p->design_size) || expect_end(r)
               ? -1
               : 0;
}

/* Reads "threads=2 bs=16k", a level of each factor. */
static int read_control_levels(struct plan_reader *r, const char *word, const char *at)
{
    struct sweep_plan *p = r->plan;
    bool given[SWEEP_FACTORS_MAX] = {false};
    if (p->control_count == SWEEP_CONTROLS_MAX)
        return reader_fail(&r->text, at, "%d controls are possible", SWEEP_CONTROLS_MAX);
    struct sweep_configuration *c = &p->controls[p->control_count];
    for (; word; word = plan_reader_word(r, &at)) {
        char name[64];
        const char *value = strchr(word, '=');
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        int f = value ? plan_factor_of(p, name) : -1;
        if (f < 0)
            return reader_fail(&r->text, at,
                               "FACTOR=LEVEL of each factor is expected, or \"every N runs\"");
        unsigned level = 0;
        while (level < p->factors[f].level_count &&
               strcmp(p->factors[f].levels[level].text, value + 1) != 0)
            level++;
        if (level == p->factors[f].level_count)
            return reader_fail(&r->text, at, "%s has no level \"%.60s\"", name, value + 1);
        c->level[f] = (unsigned char)level;
        given[f] = true;
    }
    for (size_t i = 0; i < p->factor_count; i++)
        if (!given[i])
            return reader_fail(&r->text, r->text.line.text, "the control has no level of %s",
                               p->factors[i].name);
    if (!sweep_is_allowed(p, c))
        return reader_fail(&r->text, r->text.line.text,
                           "the control does not meet the constraints");
    p->control_count++;
    return 0;
}

static int read_control(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    uint64_t every = 0;
    const char *at;
    const char *word = plan_reader_word(r, &at);
    if (word && !strcmp(word, "every")) {
        if (read_count(r, "every how many runs", CONTROL_EVERY_MAX, &every))
            return -1;
        p->control_every = (uint32_t)every;
        word = plan_reader_word(r, &at);
        if (word && !strcmp(word, "runs"))
            word = plan_reader_word(r, &at);
        if (!word)
            return 0;
    }
    return word ? read_control_levels(r, word, at)
                : reader_fail(&r->text, at, "\"every N runs\" is expected");
}

static int read_seed(struct plan_reader *r)
{
    const char *at;
    const char *word = plan_reader_word(r, &at);
    return word && !parse_unsigned(word, &r->plan->seed, NULL)
               ? expect_end(r)
               : reader_fail(&r->text, at, "a whole number is expected");
}

static int read_command_timeout(struct plan_reader *r)
{
    uint64_t ns;
    const char *at;
    const char *word = plan_reader_word(r, &at);
    if (!word || parse_time(word, &ns, NULL) || ns == 0)
        return reader_fail(&r->text, at, "a time is expected, as in 30s");
    r->plan->command_seconds = (double)ns / 1e9;
    return expect_end(r);
}

static const struct plan_key {
    const char *name;
    bool is_late; /* read last, because it names factors and settings that may be defined below
                     it */
    bool is_many;
    int (*read)(struct plan_reader *r);
} keys[] = {
    {"target", false, false, read_target},
    {"exec", false, false, read_exec},
    {"index", false, true, read_index},
    {"set", false, true, read_set},
    {"unset", false, true, read_unset},
    {"repeats", false, false, read_repeats},
    {"design", false, false, read_design},
    {"seed", false, false, read_seed},
    {"command-timeout", false, false, read_command_timeout},
    {"constraint", true, true, plan_read_constraint},
    {"control", true, true, read_control},
    {"response", true, true, plan_read_response},
};
#define KEYS (sizeof keys / sizeof *keys)

/* ---- lines ---- */

static int read_setting(struct plan_reader *r, const char *name, const char *name_at)
{
    struct sweep_plan *p = r->plan;
    const char *at;
    const char *best = NULL;
    const struct option_row *option = plan_option_of(r, name);
    if (!option) {
        for (size_t i = 0; i < KEYS; i++)
            nearest_offer(name, keys[i].name, &best);
        for (const struct option_row *o = r->options; o->name; o++)
            nearest_offer(name, o->name, &best);
        return best ? reader_fail(&r->text, name_at, "there is no \"%.60s\"; did you mean %s?",
                                  name, best)
                    : reader_fail(&r->text, name_at,
                                  "there is no \"%.60s\": keys of a plan and options of cupel run "
                                  "are possible",
                                  name);
    }
    if (plan_refuse_option(r, option, name_at))
        return -1;
    for (size_t i = 0; i < p->setting_count; i++)
        if (p->settings[i].option == option)
            return reader_fail(&r->text, name_at, "%s is set in line %zu already", name,
                               p->settings[i].line);
    if (p->setting_count == SWEEP_SETTINGS_MAX)
        return reader_fail(&r->text, name_at, "%d settings are possible", SWEEP_SETTINGS_MAX);
    const char *value = plan_reader_rest(r, &at);
    if (!value || !*value)
        return reader_fail(&r->text, at, "a value is expected");
    p->settings[p->setting_count++] = (struct sweep_setting){option, value, r->text.number};
    return 0;
}

static int read_line(struct plan_reader *r, bool late)
{
    char by;
    char name[64];
    struct span before = r->text.rest;
    struct span key = span_trimmed(reader_piece(&r->text, ":", &by));
    const char *at = key.text;
    if (key.length >= 7 && !memcmp(key.text, "factor", 6) && strchr(" \t", key.text[6])) {
        r->text.rest = before;
        return late ? 0 : plan_read_factor(r);
    }
    if (!by || !key.length || key.length >= sizeof name)
        return reader_fail(&r->text, at,
                           "\"KEY: VALUE\" or \"factor NAME: LEVEL LEVEL ...\" is expected");
    span_printable(name, sizeof name, key);
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0)
            continue;
        if (keys[i].is_late != late)
            return 0;
        if (!keys[i].is_many && (r->seen & 1u << i))
            return reader_fail(&r->text, at, "%s stands there already", name);
        r->seen |= 1u << i;
        return keys[i].read(r);
    }
    return late ? 0 : read_setting(r, name, at);
}

/* Reads all lines twice, because lines that name factors are read after all others. */
static int read_lines(struct plan_reader *r, struct span text, struct fault *fault)
{
    for (int late = 0; late < 2; late++) {
        r->text = reader_of_lines(text, fault);
        r->last = NULL;
        while (reader_next_line(&r->text)) {
            struct span line = span_trimmed(without_comment(r->text.line, true));
            if (!line.length)
                continue;
            r->text.rest = line;
            if (memchr(line.text, '\0', line.length))
                return reader_fail(&r->text, line.text, "it holds a byte 0: no text");
            if (!late) {
                text_add_bytes(&r->plan->canonical, line.text, line.length);
                text_add(&r->plan->canonical, "\n");
            }
            if (read_line(r, late != 0))
                return -1;
        }
    }
    return 0;
}

static bool has_place(const char *command, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strchr(command, '%'); at; at = strchr(at + 1, '%'))
        if (!strncmp(at + 1, name, length) && at[1 + length] == '%')
            return true;
    return false;
}

static int check_whole(struct plan_reader *r)
{
    struct sweep_plan *p = r->plan;
    const char *at = r->text.line.text;
    if (!p->factor_count)
        return reader_fail(&r->text, at, "the plan has no factor: factor threads: 1 2 4");
    if (!p->repeats)
        return reader_fail(&r->text, at, "the plan has no \"repeats: 10\"");
    for (size_t i = 0; i < p->factor_count; i++) {
        struct sweep_factor *f = &p->factors[i];
        r->text.number = f->line;
        if (!f->option && !f->set && !p->exec)
            return reader_fail(&r->text, at,
                               "%s is no option of cupel run: a line \"set: CMD %%LEVEL%%\" below "
                               "it says how it is set",
                               f->name);
        if (f->option && p->exec && f->option->group != PLAN_SETTINGS)
            f->option = NULL; /* the factor belongs to the program, and is no option of cupel */
        if (p->exec && !f->option && !f->set && !has_place(p->exec, f->name))
            return reader_fail(&r->text, at,
                               "no %%%s%% stands in exec:, so that this factor changes nothing",
                               f->name);
        for (size_t k = 0; k < p->setting_count; k++)
            if (f->option && p->settings[k].option == f->option)
                return reader_fail(&r->text, at, "%s is a factor and, in line %zu, a setting",
                                   f->name, p->settings[k].line);
    }
    if (p->exec && p->setting_count) {
        r->text.number = p->settings[0].line;
        return reader_fail(&r->text, at, "a program has no settings of cupel run: %s",
                           p->settings[0].option->name);
    }
    if (p->index_count && !p->exec)
        return reader_fail(&r->text, at, "index: needs exec:");
    return plan_resolve_responses(r);
}

static void find_grid(struct sweep_plan *p)
{
    p->grid = 1;
    for (size_t i = 0; i < p->factor_count; i++)
        p->grid = p->grid > UINT64_MAX / SWEEP_LEVELS_MAX ? UINT64_MAX
                                                          : p->grid * p->factors[i].level_count;
}

int sweep_plan_read(struct sweep_plan *plan, const char *name, struct span text,
                    const struct option_row options[], struct err *e)
{
    struct fault fault = {0};
    struct plan_reader r = {.plan = plan, .options = options};
    *plan = (struct sweep_plan){.target = "", .seed = 1, .command_seconds = COMMAND_SECONDS};
    if (read_lines(&r, text, &fault) || check_whole(&r))
        return err_set(e, ERR_USAGE, "%.200s:%zu:%zu: %s", name, fault.line ? fault.line : 1,
                       fault.column, fault.message);
    find_grid(plan);
    return plan->canonical.failed ? err_no_memory(e, "the plan") : 0;
}

void sweep_plan_free(struct sweep_plan *plan)
{
    pool_free(&plan->strings);
    text_free(&plan->canonical);
}
