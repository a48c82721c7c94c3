/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes indices of the speed and the set-up time that rounds of different work amounts show
   (--wps). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program/exec/internal.h"

void work_indices_begin(struct exec_session *s)
{
    struct work_limits limits = s->plan.work_range;
    limits.width = s->plan.config.target_width;
    limits.min_rounds = s->plan.config.minimum_readings;
    work_session_begin(&s->work, &limits);
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
    to->claim = level_claim_unknown();
    to->next_low = to->next_high = NAN;
}

static void predict_speed(struct execution_index *speed, const struct work_rate *rate)
{
    const struct work_value next = work_rate_next_speed(rate);
    const bool is_bounded = next.low > 0 && isfinite(next.high);
    speed->next_low = is_bounded ? next.low : (double)NAN;
    speed->next_high = is_bounded ? next.high : (double)NAN;
}

/* Judges the durations of rounds with the work amounts in plan.durations_of. */
static void judge_durations(struct exec_session *s, bool widened)
{
    s->duration_count = 0;
    for (size_t i = 0; i < WORK_DURATIONS_MAX && s->plan.durations_of[i] > 0; i++) {
        const double work = s->plan.durations_of[i];
        struct execution_index *index = &s->durations[s->duration_count++];
        const struct work_rate line =
            work_session_duration(&s->work, work, s->plan.config.estimate.confidence, widened);
        *index = (struct execution_index){
            .op = "all", .unit = "s", .type = INDEX_DURATION, .better = METRIC_BETTER_LOWER};
        snprintf(index->name, sizeof index->name, "duration_of_%.0f", work);
        set_index(index, &line.setup, &line);
        index->width = execution_shown_width(index);
        index->sd = index->min = index->median = index->max = index->required_n = NAN;
    }
}

void work_indices_judge(struct exec_session *s)
{
    struct work_session *w = &s->work;
    const struct judge_config *config = &s->plan.config;
    work_session_judge(w, config->estimate.confidence);
    struct work_rate rate = w->rate, wide = work_rate_widened(&rate);
    bool enough = w->enough;
    const struct work_rate *used = config->stopping && enough ? &wide : &rate;
    struct execution_index *indices[] = {&s->judged[WORK_SPEED], &s->judged[WORK_SETUP]};
    set_index(indices[WORK_SPEED], &used->speed, &rate);
    predict_speed(indices[WORK_SPEED], used);
    set_index(indices[WORK_SETUP], &rate.setup, &rate);
    index_predict_from_interval(indices[WORK_SETUP]);
    judge_durations(s, config->stopping && enough);
    indices[WORK_SPEED]->width = work_rate_width(config->stopping ? &wide : &rate);
    indices[WORK_SPEED]->enough = enough;
    indices[WORK_SPEED]->required_n = (double)w->count + (enough ? 0 : w->left.rounds);
    /* the rounds do different work, so an interval of their mean duration has no meaning */
    struct execution_index *duration = &s->judged[WORK_INDICES];
    duration->low = duration->high = duration->effective_n = NAN;
    duration->next_low = duration->next_high = NAN;
    duration->phase = "";
    duration->shift.found = false;
    /* the set-up is the part of a round's time that does not grow with its work */
    for (size_t i = 0; i < s->series.count; i++)
        s->series.values[WORK_SETUP][i] =
            w->rounds[i].seconds - rate.slope.value * w->rounds[i].work;
}
