/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did the predictions hold, and is the level still the one that it was at first? */
#include <math.h>
#include <string.h>

#include "run/history/history.h"
#include "run/history/internal.h"
#include "stat/basic/distribution.h"
#include "stat/estimate/session_spread.h"

/* ---- predictions ---- */

static bool are_alike(const struct history_session *a, const struct history_session *b)
{
    const double ratio = a->seconds / b->seconds;
    return !strcmp(a->metric, b->metric) && !strcmp(a->op, b->op) && !a->busy[0] == !b->busy[0] &&
           ratio <= PREDICTION_LENGTHS_MAX && ratio >= 1 / PREDICTION_LENGTHS_MAX;
}

void history_check(const struct history_session *before, struct history_session *next)
{
    next->check = PREDICTION_NONE;
    next->predicted_low = next->predicted_high = NAN;
    if (!isfinite(before->next_low) || !isfinite(before->next_high))
        return;
    next->check = PREDICTION_LEFT_OUT;
    if (!are_alike(before, next))
        return;
    /* The prediction is stretched about its middle, which is the mean or close to it. */
    const double middle = (before->next_low + before->next_high) / 2;
    const double half = (before->next_high - before->next_low) / 2 *
                        prediction_stretch(before->seconds, next->seconds, before->memory);
    next->predicted_low = fmax(middle - half, 0);
    next->predicted_high = middle + half;
    next->check = next->mean >= next->predicted_low && next->mean <= next->predicted_high
                      ? PREDICTION_HELD
                      : PREDICTION_MISSED;
}

static void count_predictions(struct history *h)
{
    struct prediction_count *count = &h->predictions;
    *count = (struct prediction_count){0};
    for (size_t i = 1; i < h->count; i++)
        history_check(&h->sessions[i - 1], &h->sessions[i]);
    for (size_t i = h->count; i-- > 0 && count->checked < PREDICTIONS_COUNTED;) {
        const enum prediction_check check = h->sessions[i].check;
        count->checked += check == PREDICTION_HELD || check == PREDICTION_MISSED;
        count->held += check == PREDICTION_HELD;
        count->left_out += check == PREDICTION_LEFT_OUT;
    }
}

/* ---- levels ---- */

/* Chance that the last session lies outside of an unchanged level. */
#define LAST_ERROR 0.01

static bool has_one_metric(const struct history *h)
{
    for (size_t i = 1; i < h->count; i++)
        if (strcmp(h->sessions[i].metric, h->sessions[0].metric) != 0 ||
            strcmp(h->sessions[i].op, h->sessions[0].op) != 0)
            return false;
    return h->count > 0;
}

static bool is_busy(const struct history_session *s)
{
    return s->busy[0];
}

static size_t sessions_of(const struct history *h, bool busy)
{
    size_t count = 0;
    for (size_t i = 0; i < h->count; i++)
        count += is_busy(&h->sessions[i]) == busy;
    return count;
}

static void add_level(struct history *h, size_t begin, size_t end)
{
    struct session_value values[HISTORY_SESSIONS_MAX];
    struct history_level *level = &h->levels[h->level_count];
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        h->sessions[i].level = h->level_count;
        if (is_busy(&h->sessions[i]) == h->of_busy)
            values[n++] = (struct session_value){h->sessions[i].mean, NAN, NAN, NAN};
    }
    const struct session_spread spread = session_spread_of(values, n, 0.95);
    *level = (struct history_level){begin, end, spread.mean, spread.low, spread.high};
    h->level_count++;
}

/* Other programs change the level, so sessions beside them and sessions alone are not mixed: those
   alone count, where they are enough. */
static void find_levels(struct history *h)
{
    double mean[HISTORY_SESSIONS_MAX], error[HISTORY_SESSIONS_MAX];
    size_t index[HISTORY_SESSIONS_MAX], cuts[HISTORY_LEVELS_MAX - 1], n = 0, begin = 0;
    h->level_count = 0;
    h->of_busy = sessions_of(h, false) < SESSION_LEVELS_MIN;
    for (size_t i = 0; i < h->count; i++) {
        const struct history_session *s = &h->sessions[i];
        if (is_busy(s) != h->of_busy)
            continue;
        const double confidence = s->confidence > 0 && s->confidence < 1 ? s->confidence : 0.95;
        index[n] = i;
        mean[n] = s->mean;
        error[n++] = (s->high - s->low) / 2 / normal_quantile((1 + confidence) / 2);
    }
    if (n < SESSION_LEVELS_MIN)
        return;
    const size_t count = session_levels_find(mean, error, n, cuts, HISTORY_LEVELS_MAX - 1);
    for (size_t i = 0; i < count && i < HISTORY_LEVELS_MAX - 1; i++) {
        add_level(h, begin, index[cuts[i]]);
        begin = index[cuts[i]];
    }
    add_level(h, begin, h->count);
    h->trend = count ? 0 : session_levels_trend(mean, n);
}

/* ---- the answer ---- */

static enum history_answer direction(const struct history *h, double first, double last)
{
    for (int id = 0; id < METRIC_COUNT; id++) {
        const struct metric *metric = metric_of((enum metric_id)id);
        if (!strcmp(metric->name, h->sessions[0].metric))
            return (last > first) == (metric->better == METRIC_BETTER_HIGHER) ? HISTORY_FASTER
                                                                              : HISTORY_SLOWER;
    }
    return HISTORY_OPEN;
}

/* Answers by whether the last session lies inside of what the first one predicted. */
static void answer_by_prediction(struct history *h)
{
    const struct history_session *first = &h->sessions[0];
    struct history_session last = h->sessions[h->count - 1];
    history_check(first, &last);
    h->ground = GROUND_FIRST_SESSION;
    h->expected_low = last.predicted_low;
    h->expected_high = last.predicted_high;
    h->answer = last.check == PREDICTION_HELD     ? HISTORY_SAME
                : last.check == PREDICTION_MISSED ? direction(h, first->mean, last.mean)
                                                  : HISTORY_OPEN;
}

/* Does the last session lie far outside of the last level? A new one shows after three sessions. */
static bool last_is_outside(struct history *h)
{
    struct session_value values[HISTORY_SESSIONS_MAX];
    const struct history_session *last = &h->sessions[h->count - 1];
    size_t n = 0;
    for (size_t i = h->levels[h->level_count - 1].begin; i + 1 < h->count; i++)
        if (is_busy(&h->sessions[i]) == h->of_busy)
            values[n++] = (struct session_value){h->sessions[i].mean, NAN, NAN, NAN};
    if (n < 3 || is_busy(last) != h->of_busy)
        return false;
    const struct session_spread spread = session_spread_of(values, n, 0.95);
    const double own =
        isfinite(last->next_high - last->next_low) ? (last->next_high - last->next_low) / 2 : 0;
    const double half = fmax(own, student_t_quantile(1 - LAST_ERROR / 2, (double)n - 1) *
                                      spread.sd * sqrt(1 + 1 / (double)n));
    h->expected_low = fmax(spread.mean - half, 0);
    h->expected_high = spread.mean + half;
    return last->mean < h->expected_low || last->mean > h->expected_high;
}

static void answer_by_levels(struct history *h)
{
    const double first = h->levels[0].mean;
    const bool outside = last_is_outside(h);
    h->ground = outside ? GROUND_LAST_SESSION : GROUND_LEVELS;
    if (outside)
        h->answer = direction(h, first, h->sessions[h->count - 1].mean);
    else if (h->level_count > 1)
        h->answer = direction(h, first, h->levels[h->level_count - 1].mean);
    else if (h->trend != 0)
        h->answer = direction(h, 0, h->trend);
    else
        h->answer = HISTORY_SAME;
    if (!outside && h->trend != 0)
        h->ground = GROUND_TREND;
}

void history_judge(struct history *h)
{
    h->needed = SESSION_LEVELS_MIN;
    h->answer = h->count == 1 ? HISTORY_ONE : HISTORY_OPEN;
    h->level_count = 0;
    h->trend = 0;
    h->expected_low = h->expected_high = NAN;
    count_predictions(h);
    if (h->count < 2 || !has_one_metric(h))
        return;
    find_levels(h);
    if (h->level_count)
        answer_by_levels(h);
    else
        answer_by_prediction(h);
}
