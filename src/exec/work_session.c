/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session of rounds of different work amounts (--wps): the amount of the next round, and the
 * speed that all of them show (stat/wps).
 *
 * The amounts follow from the rounds alone, so that a record gives the same session again. The line
 * they rest on is fitted for every round at first, then for every fiftieth part more of them: a
 * hundred thousand rounds do not slow down. What is judged is always fitted to all of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/internal.h"

#define ROUNDS_A_FIT 50

void work_session_begin(struct work_session *w, const struct exec_plan *plan)
{
    struct work_limits limits = plan->work_range;
    limits.width = plan->config.target_width;
    limits.min_rounds = plan->config.minimum_readings;
    work_plan_start(&w->plan, &limits);
}

void work_session_free(struct work_session *w)
{
    free(w->rounds);
    free(w->used);
    arena_free(&w->scratch);
    *w = (struct work_session){0};
}

static int reserve(struct work_session *w, struct err *e)
{
    if (w->count < w->capacity)
        return 0;
    size_t more = w->capacity ? 2 * w->capacity : 256;
    void *rounds = realloc(w->rounds, more * sizeof *w->rounds);
    if (rounds)
        w->rounds = rounds;
    void *used = realloc(w->used, more * sizeof *w->used);
    if (used)
        w->used = used;
    if (!rounds || !used)
        return err_set(e, ERR_MACHINE, "there is no memory left for the rounds");
    arena_free(&w->scratch);
    w->capacity = more;
    return arena_init_untouched(&w->scratch, work_rate_scratch_bytes(more), e);
}

/* The line of the rounds that count as the range of work amounts stands. */
static struct work_rate fit(struct work_session *w, double confidence)
{
    w->used_count = 0;
    for (size_t i = 0; i < w->count; i++)
        if (work_plan_uses(&w->plan, &w->rounds[i]))
            w->used[w->used_count++] = w->rounds[i];
    return work_rate_of(w->used, w->used_count, confidence, &w->scratch);
}

int work_session_add(struct work_session *w, const struct work_round *round, double confidence,
                     struct err *e)
{
    if (reserve(w, e))
        return -1;
    w->rounds[w->count++] = *round;
    if (w->count >= w->fit_at) {
        w->planned = fit(w, confidence);
        w->fit_at = w->count + 1 + w->count / ROUNDS_A_FIT;
    }
    work_plan_add(&w->plan, round->seconds, &w->planned);
    return 0;
}

static void set_index(struct execution_index *to, const struct work_value *v,
                      const struct work_rate *rate)
{
    to->value = v->value;
    to->low = v->low;
    to->high = v->high;
    to->confidence = rate->confidence;
    to->used = rate->rounds;
    to->effective_n = rate->degrees;
    to->autocorrelation = rate->autocorrelation;
    to->phase = "";
}

/* A line may meet no work below 0 s; nothing is set up in less. */
static void cut_setup(struct execution_index *setup)
{
    setup->cut = isfinite(setup->low) && setup->low < 0;
    if (!setup->cut)
        return;
    setup->value = fmax(setup->value, 0);
    setup->low = 0;
    setup->high = fmax(setup->high, 0);
}

void work_session_judge(struct exec_session *s)
{
    struct work_session *w = &s->work;
    const struct judge_config *config = &s->plan.config;
    struct work_rate rate = fit(w, config->estimate.confidence);
    struct work_rate wide = work_rate_widened(&rate);
    bool enough = work_plan_enough(&w->plan, &rate);
    struct work_value speed = (config->stopping && enough ? &wide : &rate)->speed;
    w->rate = rate;
    w->left = work_plan_forecast(&w->plan, &rate);
    struct execution_index *indices[] = {&s->judged[WORK_SPEED], &s->judged[WORK_SETUP]};
    set_index(indices[WORK_SPEED], &speed, &rate);
    set_index(indices[WORK_SETUP], &rate.setup, &rate);
    cut_setup(indices[WORK_SETUP]);
    indices[WORK_SPEED]->width = work_rate_width(config->stopping ? &wide : &rate);
    indices[WORK_SPEED]->enough = enough;
    indices[WORK_SPEED]->required_n = (double)w->count + (enough ? 0 : w->left.rounds);
    /* Of rounds that do different work the mean duration is of no level. */
    struct execution_index *duration = &s->judged[WORK_INDICES];
    duration->low = duration->high = duration->effective_n = NAN;
    duration->phase = "";
    duration->shift_found = false;
    /* What a round took beside its work. */
    for (size_t i = 0; i < s->series.count; i++)
        s->series.values[WORK_SETUP][i] =
            w->rounds[i].seconds - rate.slope.value * w->rounds[i].work;
}

void work_session_notes(const struct exec_session *s, struct execution *x)
{
    const struct work_session *w = &s->work;
    const struct work_plan *p = &w->plan;
    if (w->count == 0)
        return;
    execution_note(x, false,
                   "%zu of %zu rounds count for the speed: those of a work amount of %.10g or more"
                   "%s",
                   w->rate.rounds, w->count, fmax(w->rate.bend, p->trial ? 0 : p->low),
                   p->too_short ? "" : " that were not too short");
    if (w->rate.bend > 0)
        execution_note(
            x, false, "below a work amount of %.10g a unit takes another time (a cache, a warm-up)",
            w->rate.bend);
    if (!w->rate.bounded)
        execution_note(x, true,
                       "the rounds do not show that more work takes longer, so that the speed is "
                       "unbounded: a larger MAX of -w shows more");
    if (p->too_short)
        execution_note(x, true,
                       "few of the work amounts take %.3g s or longer (--shortest-round), so that "
                       "all rounds count: a larger MAX of -w makes them longer",
                       p->limits.shortest);
    if (w->rate.setup.high < 0)
        execution_note(
            x, true,
            "the line of the rounds is below 0 s where there is no work: work that is "
            "twice as much takes more than twice as long, so that there is no one speed");
    if (p->setup_dominates)
        execution_note(x, true,
                       "set-up takes longer than the work of half the range: a larger MAX of -w "
                       "shows the speed better");
}
