/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Picks the next run, which follows from the plan and from the runs already done. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "many/sweep/internal.h"

#define STREAM_PASS 1000 /* random stream of the first pass's order; pass n has STREAM_PASS + n */

/* ---- number of runs of a configuration that this shard does ---- */

static bool is_open(const struct sweep_schedule *s)
{
    return s->plan->sd_width > 0;
}

/* Returns the number of passes up to `pass` in which this shard runs the configuration. */
static uint32_t due_until(const struct sweep_schedule *s, uint32_t configuration, uint32_t pass)
{
    uint32_t place = configuration % s->shards, own = s->shard - 1;
    if (is_open(s))
        return place == own ? pass : 0;
    uint32_t first =
        (own + s->shards - place) % s->shards; /* the shard runs it in passes first + k * shards */
    if (!first)
        first = s->shards;
    return pass < first ? 0 : (pass - first) / s->shards + 1;
}

static bool is_due(const struct sweep_schedule *s, uint32_t configuration)
{
    uint32_t tried = s->done[configuration] + s->failed[configuration];
    if (tried >= due_until(s, configuration, s->pass))
        return false;
    return !is_open(s) || s->done[configuration] < s->plan->repeats || !s->narrow[configuration];
}

uint64_t sweep_schedule_total(const struct sweep_schedule *s)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < s->list->count; i++)
        total += due_until(s, i, s->plan->repeats);
    return total;
}

/* ---- is the spread of a configuration known precisely enough? ---- */

_Static_assert(SWEEP_INTERVAL_RUNS == DEVIATION_MIN, "the report says what the statistics need");

bool sweep_deviation_is_narrow(const struct sweep_plan *plan, const struct deviation *d, size_t n)
{
    if (n < DEVIATION_MIN)
        return false;
    if (d->sd <= 0) /* all runs are equal */
        return true;
    return d->high - d->sd <= plan->sd_width * d->sd && d->sd - d->low <= plan->sd_width * d->sd;
}

/* Returns true if the standard deviation of the first response over a configuration's regular runs
   has an interval as narrow as the plan requires. */
static bool is_narrow(const struct sweep_plan *plan, const struct sweep_runs *all,
                      uint32_t configuration)
{
    double *x = calloc(all->count + 1, sizeof *x);
    size_t n = 0;
    if (!x)
        return false;
    for (size_t i = 0; i < all->count; i++) {
        const struct sweep_run *run = &all->runs[i];
        if (run->configuration == configuration && !run->control && isfinite(run->values[0]))
            x[n++] = run->values[0];
    }
    struct deviation d = deviation_of(x, n, SWEEP_CONFIDENCE);
    free(x);
    return sweep_deviation_is_narrow(plan, &d, n);
}

/* ---- passes ---- */

static void begin_pass(struct sweep_schedule *s, uint32_t pass)
{
    struct random random;
    s->pass = pass;
    s->position = 0;
    random_seed(&random, s->plan->seed, STREAM_PASS + pass);
    for (uint32_t i = 0; i < s->list->count; i++)
        s->order[i] = i;
    for (uint32_t i = (uint32_t)s->list->count; i > 1; i--) {
        uint32_t k = (uint32_t)random_below(&random, i), held = s->order[i - 1];
        s->order[i - 1] = s->order[k];
        s->order[k] = held;
    }
}

/* Returns true if a control is due: before the first run, after every control_every runs, and after
   the last run. */
static bool control_is_due(const struct sweep_schedule *s, bool at_end)
{
    if (!s->plan->control_every || !s->list->control_count)
        return false;
    uint64_t rounds = 1 + s->regular / s->plan->control_every;
    if (s->controls_done < rounds * s->list->control_count)
        return true;
    /* At the end, a round of controls that was begun is completed. */
    return at_end && s->regular &&
           (!s->ended_with_control || s->controls_done % s->list->control_count);
}

bool sweep_schedule_next(struct sweep_schedule *s, struct sweep_pick *pick)
{
    bool at_end = false;
    if (!control_is_due(s, false)) {
        while (s->pass <= s->plan->repeats_max) {
            while (s->position < s->list->count) {
                uint32_t configuration = s->order[s->position];
                if (is_due(s, configuration)) {
                    *pick = (struct sweep_pick){configuration, s->pass, false};
                    return true;
                }
                s->position++;
            }
            begin_pass(s, s->pass + 1);
        }
        at_end = true;
    }
    if (!control_is_due(s, at_end))
        return false;
    uint32_t block = s->pass > s->plan->repeats_max ? s->plan->repeats_max : s->pass;
    *pick = (struct sweep_pick){s->list->controls[s->controls_done % s->list->control_count], block,
                                true};
    return true;
}

void sweep_schedule_take(struct sweep_schedule *s, const struct sweep_pick *pick, bool failed)
{
    s->ended_with_control = pick->control;
    if (pick->control) {
        s->controls_done++;
        return;
    }
    if (failed) {
        s->failed[pick->configuration]++;
        return;
    }
    s->regular++;
    uint32_t done = ++s->done[pick->configuration];
    if (is_open(s) && done >= s->plan->repeats)
        s->narrow[pick->configuration] = is_narrow(s->plan, s->all, pick->configuration);
}

/* ---- begin and end ---- */

int sweep_schedule_make(struct sweep_schedule *s, struct err *e)
{
    size_t count = s->list->number_count;
    s->done = calloc(count, sizeof *s->done);
    s->failed = calloc(count, sizeof *s->failed);
    s->order = calloc(count, sizeof *s->order);
    s->narrow = calloc(count, sizeof *s->narrow);
    if (!s->done || !s->failed || !s->order || !s->narrow)
        return err_no_memory(e, "the order of runs");
    for (size_t i = 0; i < s->all->count; i++) {
        const struct sweep_run *run = &s->all->runs[i];
        s->ended_with_control = run->control;
        s->controls_done += run->control;
        s->regular += !run->control;
        s->done[run->configuration] += !run->control;
    }
    for (uint32_t i = 0; i < s->list->count && is_open(s); i++)
        s->narrow[i] = s->done[i] >= s->plan->repeats && is_narrow(s->plan, s->all, i);
    begin_pass(s, 1);
    return 0;
}

void sweep_schedule_free(struct sweep_schedule *s)
{
    free(s->done);
    free(s->failed);
    free(s->order);
    free(s->narrow);
}
