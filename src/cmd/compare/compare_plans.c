/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the plans among the alternatives of cupel compare like command lines, and measures them in
   rounds. */
#include "cmd/compare/compare_plans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/span.h"
#include "cmd/exec/exec_options.h"
#include "cmd/monitoring/violation_command.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/comparison.h"
#include "facts/result.h"
#include "hw/prober.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "many/compare/compare.h"
#include "many/compare/live_rounds.h"
#include "run/plan/plan.h"
#include "run/watch/other_programs.h"

#define WORDS_MAX 128

/* A parsed plan. Its options point to the words in `words`, whose text is in `room`. */
struct read_plan {
    char *room;
    char *words[WORDS_MAX + 1]; /* ended by NULL */
    struct option_set set;
    union {
        struct run_options run;
        struct replay_options replay;
        struct exec_options exec;
    } options;
    struct live_source source;
};

struct plans {
    /* [index of the alternative]; NULL: the alternative is no plan */
    struct read_plan *list[COMPARISON_ALTERNATIVES];
    struct live_source opened[COMPARISON_ALTERNATIVES];
    size_t opened_count;
    struct sysroot root;
    const volatile sig_atomic_t *stop;
    double limit_seconds; /* limit of the time of all rounds together */
    struct progress progress;
    char stage[160];
};

/* ---- kinds of plans ---- */

static int open_session(struct plans *all, struct read_plan *p, const struct plan *plan,
                        struct err *e)
{
    return live_session_source(&p->source, plan, &all->root, all->stop, all->opened,
                               all->opened_count, e);
}

int compare_plan_check_trims(const struct plan *p, struct err *e)
{
    struct stat st;
    const struct io_ops *ops = io_backend_by_name(p->engine);
    const bool is_other = !stat(p->target, &st) && !S_ISREG(st.st_mode);
    if (p->trims != TRIMS_ALONE || (ops && !ops->needs_target) || !(is_other || p->overwrite))
        return 0;
    return err_set(e, ERR_USAGE,
                   "every one after the first would trim what is free already: use --rw "
                   "trimwrite or randtrimwrite, or name a file that cupel makes and fills (--size, "
                   "without --overwrite)");
}

static int open_run(struct plans *all, struct read_plan *p, struct err *e)
{
    struct run_options *o = &p->options.run;
    if (p->set.operand_count > 1)
        return err_set(e, ERR_USAGE, "too many names: one target is needed");
    return run_options_read(&p->set, o, e) || compare_plan_check_trims(&o->plan, e)
               ? -1
               : open_session(all, p, &o->plan, e);
}

static int open_replay(struct plans *all, struct read_plan *p, struct err *e)
{
    struct replay_options *o = &p->options.replay;
    if (p->set.operand_count < 1 || p->set.operand_count > 2)
        return err_set(e, ERR_USAGE, "a trace and a target are needed");
    if (replay_options_read(&p->set, o, e))
        return -1;
    return o->shares_out ? err_set(e, ERR_USAGE, "--map DEV=TARGET: one target is needed")
                         : open_session(all, p, &o->run.plan, e);
}

static int open_exec(struct plans *all, struct read_plan *p, struct err *e)
{
    struct exec_options *o = &p->options.exec;
    if (exec_options_read(&p->set, o, e))
        return -1;
    o->exec.program.seconds_left = all->limit_seconds;
    return live_program_source(&p->source, &o->exec.program, o->exec.work, all->stop, e);
}

/* The commands that a plan may have. A new one is a new row. */
static const struct plan_kind {
    const struct command *command;
    int (*open)(struct plans *all, struct read_plan *p, struct err *e);
} plan_kinds[] = {
    {&command_run, open_run}, {&command_replay, open_replay}, {&command_exec, open_exec}};

static const struct plan_kind *kind_of(const char *text)
{
    for (size_t i = 0; i < sizeof plan_kinds / sizeof *plan_kinds; i++) {
        const char *name = plan_kinds[i].command->name;
        size_t length = strlen(name);
        if (!strncmp(text, name, length) && text[length] == ' ')
            return &plan_kinds[i];
    }
    return NULL;
}

bool compare_plan_is(const char *text)
{
    return kind_of(text) != NULL;
}

/* ---- reading ---- */

/* Fails if a plan has options about a whole session, because the comparison decides how long the
   rounds are and when they end. */
static int check_options(const struct option_set *set, struct err *e)
{
    static const char *const wholes[] = {
        "ci",      "confidence",  "preset",   "min-samples",    "min-time",
        "limit",   "runtime",     "repeat",   "every",          "precise",
        "sla",     "find-rate",   "rounds",   "warmup",         "wps",
        "serve",   "parameter",   "output",   "unit-readings",  "format",
        "sysroot", "seed",        "start-at", "start-together", "start-timeout",
        "metrics", "on-violation"};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (options_given(set, wholes[i]))
            return err_set(
                e, ERR_USAGE,
                "rounds begin and end with the comparison: --%s cannot be used with a plan",
                wholes[i]);
    return 0;
}

static int read_words(struct read_plan *p, const char *text, struct err *e)
{
    const char *rest = text;
    char *to = p->room;
    int count = command_words(&rest, &to, p->words, WORDS_MAX);
    if (count < 0)
        return err_set(e, ERR_USAGE, "a quote has no end, or there are more than %d words",
                       WORDS_MAX);
    if (*rest)
        return err_set(e, ERR_USAGE, "one command is a plan: quote the ';'");
    if (options_scan(&p->set, kind_of(text)->command->options, p->words + 1, count - 1, e))
        return -1;
    return p->set.help ? err_set(e, ERR_USAGE, "--help is no plan") : check_options(&p->set, e);
}

static void plan_free(struct read_plan *p)
{
    if (p)
        free(p->room);
    free(p);
}

static int read_plan(struct plans *all, size_t i, const char *text, struct err *e)
{
    struct read_plan *p = calloc(1, sizeof *p);
    if (p)
        p->room = malloc(2 * strlen(text) + 2);
    if (!p || !p->room) {
        plan_free(p);
        return err_no_memory(e, "a plan");
    }
    all->list[i] = p;
    p->source.name = text;
    if (read_words(p, text, e) || kind_of(text)->open(all, p, e))
        return err_context(e, "'%.100s'", text);
    all->opened[all->opened_count++] = p->source;
    return 0;
}

/* ---- running ---- */

static void show_block(void *context, const struct live_progress *now)
{
    struct plans *all = context;
    const struct comparison *c = now->so_far;
    struct session_progress shown = {.stage = all->stage,
                                     .elapsed_seconds = now->elapsed_seconds,
                                     .limit_seconds = now->limit_seconds,
                                     .done_share = NAN,
                                     .bytes_rate = NAN,
                                     .mean = NAN,
                                     .width_share = NAN,
                                     .target_share = NAN,
                                     .left_seconds = NAN,
                                     .rate = NAN};
    char so_far[80] = "";
    if (c)
        snprintf(so_far, sizeof so_far, ", %.20s %.4g (%.4g to %.4g)", c->quantities[0].metric,
                 c->quantities[0].pairs[0].ratio, c->quantities[0].pairs[0].low,
                 c->quantities[0].pairs[0].high);
    snprintf(all->stage, sizeof all->stage, "%s %llu%s: %.60s",
             now->block ? "block" : "trial block", (unsigned long long)now->block, so_far,
             now->name);
    progress_show(&all->progress, &shown);
}

static int run_plans(struct plans *all, struct comparison *c,
                     struct compare_alternative alternatives[], size_t count,
                     const struct compare_config *config, const struct compare_options *o,
                     struct err *e)
{
    const struct live_config live = {.compare = *config,
                                     .metric = o->metric,
                                     .round_seconds = o->round_seconds,
                                     .limit_seconds = o->plan.ending.limit_seconds,
                                     .target_width = o->target_width,
                                     .fixed_order = o->fixed_order,
                                     .seed = o->plan.seed};
    struct live_request request = {.config = &live,
                                   .alternatives = alternatives,
                                   .count = count,
                                   .stop = all->stop,
                                   .progress = show_block,
                                   .context = all};
    for (size_t i = 0; i < count; i++)
        if (all->list[i])
            request.sources[i] = &all->list[i]->source;
    progress_begin(&all->progress, "preparing");
    int status = live_compare(c, &request, e);
    progress_end(&all->progress);
    return status;
}

int compare_plans_run(struct comparison *c, struct compare_alternative alternatives[], size_t count,
                      const struct compare_config *config, const struct compare_options *o,
                      struct err *e)
{
    struct plans all = {.stop = signals_install(), .limit_seconds = o->plan.ending.limit_seconds};
    struct err why = {0};
    char note[UNSEEN_NOTE_BYTES];
    struct load_watch load;
    int status = 0;
    if (config->once || config->paired || config->independent)
        return err_set(e, ERR_USAGE,
                       "--once, --paired and --independent are of stored readings: rounds are "
                       "looked at after every block, are paired by it, and may depend on others");
    if (sysroot_open(&all.root, NULL, e))
        return -1;
    load_watch_begin(&load, &all.root);
    for (size_t i = 0; i < count && !status; i++)
        if (compare_plan_is(alternatives[i].name))
            status = read_plan(&all, i, alternatives[i].name, e);
    if (!status)
        status = run_plans(&all, c, alternatives, count, config, o, e);
    if (!status && *probe_unseen(&all.root, note))
        comparison_note(c, true, "%s", note);
    for (size_t i = 0; i < all.opened_count; i++)
        if (all.opened[i].end(all.opened[i].state, &why) && !status)
            comparison_note(c, true, "%.230s", why.msg);
    if (!status) { /* all programs have ended and their processor time is known */
        c->others = load_watch_end(&load);
        others_words(&c->others, c->busy, sizeof c->busy);
    }
    for (size_t i = 0; i < count; i++)
        plan_free(all.list[i]);
    return status;
}
