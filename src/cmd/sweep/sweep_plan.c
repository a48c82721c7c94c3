/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a session's plan from a sweep's plan: its settings and a configuration's levels are read as
   a command line of cupel run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cmd/compare/compare_plans.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "cmd/sweep/internal.h"
#include "many/sweep/plan.h"
#include "run/plan/plan.h"

#define WORDS_MAX 96
#define WORD_MAX  700

/* Default options of each session of a sweep. They leave out what is not needed for the responses,
   so that a session is short. Settings of the plan override them. */
static const char *const own_words[] = {"--overhead=0", "--block-layer=0", "--monitor-cost=0"};
#define RUNTIME "--runtime=1s"

struct words {
    char *list[WORDS_MAX];
    int count;
    bool failed;
};

static void add_word(struct words *w, const char *name, const char *value)
{
    char word[WORD_MAX];
    int length = snprintf(word, sizeof word, value ? "--%s=%s" : "%s", name, value);
    char *copy = length < (int)sizeof word && w->count < WORDS_MAX ? strdup(word) : NULL;
    if (copy)
        w->list[w->count++] = copy;
    w->failed = w->failed || !copy;
}

static void add_option(struct words *w, const struct option_row *option, const char *value)
{
    char flag[64];
    snprintf(flag, sizeof flag, "--%.60s", option->name);
    if (option->kind == OPTION_FLAG)
        add_word(w, flag, NULL);
    else
        add_word(w, option->name, value);
}

/* Returns true if a setting or factor of the plan ends the sessions: runtime, phases or profile. */
static bool has_own_end(const struct sweep_plan *plan)
{
    static const char *const ends[] = {"runtime", "phases", "profile"};
    bool found = false;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        for (size_t i = 0; i < plan->setting_count; i++)
            found = found || !strcmp(plan->settings[i].option->name, ends[k]);
        for (size_t i = 0; i < plan->factor_count; i++)
            found = found ||
                    (plan->factors[i].option && !strcmp(plan->factors[i].option->name, ends[k]));
    }
    return found;
}

static void collect_words(struct words *w, const struct sweep_plan *plan,
                          const struct sweep_configuration *c,
                          const struct sweep_permission *permission)
{
    for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
        add_word(w, own_words[i], NULL);
    if (!has_own_end(plan))
        add_word(w, RUNTIME, NULL);
    if (permission->destroy)
        add_word(w, "--destroy", NULL);
    if (permission->overwrite)
        add_word(w, "--overwrite", NULL);
    if (permission->allow_unseen)
        add_word(w, "--allow-unseen", NULL);
    if (permission->destroy_serial[0])
        add_word(w, "destroy-serial", permission->destroy_serial);
    for (size_t i = 0; i < plan->setting_count; i++)
        add_option(w, plan->settings[i].option, plan->settings[i].value);
    for (size_t i = 0; i < plan->factor_count; i++)
        if (plan->factors[i].option)
            add_option(w, plan->factors[i].option, sweep_level_of(plan, c, i)->text);
    if (plan->target[0])
        add_word(w, plan->target, NULL);
}

int sweep_plan_session(const struct sweep_plan *plan, const struct sweep_configuration *c,
                       const struct sweep_permission *permission, struct run_options *to,
                       struct err *e)
{
    struct words words = {.count = 0};
    char name[240];
    static struct option_set set; /* too large for a small stack (ulimit -s) */
    collect_words(&words, plan, c, permission);
    int status = words.failed ? err_set(e, ERR_USAGE, "a value of the plan is longer than %d bytes",
                                        WORD_MAX)
                              : options_scan(&set, run_option_rows, words.list, words.count, e);
    if (!status)
        status = run_options_read(&set, to, e);
    /* Trims in order end after one pass, because a second pass would trim space that is already
       free. */
    if (!status && !has_own_end(plan) && plan_trims_in_order(&to->plan))
        to->plan.ending.runtime_seconds = 0;
    if (!status)
        status = compare_plan_check_trims(&to->plan, e);
    for (int i = 0; i < words.count; i++)
        free(words.list[i]);
    return status ? err_context(e, "%s", sweep_configuration_words(plan, c, name, sizeof name)) : 0;
}
