/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes one result over all sessions of a repeated run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "many/repeat/internal.h"
#include "run/history/history.h"
#include "stat/estimate/session_spread.h"

/* A session is late if it begins more than this after its time; less is what starting one takes,
   also on a busy machine. */
#define LATE_SECONDS 1.0

/* How the values of a metric are combined over sessions. Most metrics become a mean with an
   interval (COMBINE_MEAN). */
enum combining { COMBINE_MEAN, COMBINE_SUM, COMBINE_MIN, COMBINE_MAX, COMBINE_SPREAD };

static enum combining combining_of(enum metric_id metric)
{
    switch (metric) {
    case METRIC_ERRORS:
        return COMBINE_SUM;
    case METRIC_LATENCY_MIN:
        return COMBINE_MIN;
    case METRIC_LATENCY_MAX:
    case METRIC_SERVICE_MAX:
    case METRIC_ISSUE_ERROR_MAX:
    case METRIC_BACKLOG:
        return COMBINE_MAX;
    case METRIC_ELAPSED:
        return COMBINE_SPREAD;
    default:
        return COMBINE_MEAN;
    }
}

/* Takes the values of counted sessions. Returns the number of sessions that have one. */
static size_t take_values(const struct repeat *repeat, enum metric_id metric, const char *op,
                          struct session_value values[], uint64_t *samples)
{
    size_t n = 0;
    *samples = 0;
    for (size_t i = 0; i < repeat->session_count; i++) {
        const struct result_session *s = &repeat->sessions[i];
        const struct result_row *row = s->counted ? result_session_find(s, metric, op) : NULL;
        if (!row || !isfinite(row->value))
            continue;
        values[n++] = (struct session_value){row->value, row->low, row->high, row->effective_n};
        *samples += row->n;
    }
    return n;
}

/* Combines a metric over the sessions. A value that only some of the counted sessions have does not
   represent all: which sessions have it depends on the measurements. */
static void combine_metric(const struct repeat *repeat, struct result *r, enum metric_id metric,
                           const char *op, struct session_value values[])
{
    const struct result_repeat *view = &repeat->view;
    enum combining how = combining_of(metric);
    uint64_t samples;
    size_t n = take_values(repeat, metric, op, values, &samples);
    struct result_row *row = result_add(r, metric, op, NAN);
    row->n = samples;
    if (how == COMBINE_SPREAD) {
        row->value = view->spread_seconds;
        row->n = view->counted;
    } else if (n < view->counted) {
        row->n = n;
        snprintf(row->note, sizeof row->note, "%zu of %zu sessions have no value",
                 view->counted - n, view->counted);
    } else if (how == COMBINE_MEAN) {
        struct session_spread spread =
            session_spread_of(values, n, repeat->plan.statistics.confidence);
        row->value = spread.mean;
        row->n = n;
        row->effective_n = (double)n;
        if (metric >= METRIC_LATENCY_P50 && metric <= METRIC_LATENCY_P9999 && n >= 2)
            snprintf(row->note, sizeof row->note, "mean of the percentiles of %zu sessions", n);
        if (n >= 2) {
            result_set_interval(row, spread.low, spread.high);
            result_set_prediction(row, spread.next_low, spread.next_high);
            row->confidence = repeat->plan.statistics.confidence;
        } else {
            snprintf(row->note, sizeof row->note, "one session has no interval over sessions");
        }
    } else {
        row->value = how == COMBINE_SUM ? 0 : values[0].mean;
        for (size_t i = 0; i < n; i++)
            row->value = how == COMBINE_SUM   ? row->value + values[i].mean
                         : how == COMBINE_MIN ? fmin(row->value, values[i].mean)
                                              : fmax(row->value, values[i].mean);
    }
}

static void add_figure(struct result *r, enum metric_id metric, double value, uint64_t n)
{
    struct result_row *row = result_add(r, metric, r->headline_op, value);
    row->n = n;
}

static void add_differences(struct repeat *repeat, struct result *r, struct session_value values[])
{
    struct result_repeat *view = &repeat->view;
    uint64_t samples;
    size_t n = take_values(repeat, r->headline, r->headline_op, values, &samples);
    struct session_spread spread = session_spread_of(values, n, repeat->plan.statistics.confidence);
    view->sd = spread.sd;
    view->within = spread.within;
    view->between = spread.between;
    view->intraclass = spread.intraclass;
    view->holding = spread.holding;
    view->required =
        r->target_width > 0
            ? session_spread_required(&spread, r->target_width, repeat->plan.statistics.confidence)
            : 0;
    add_figure(r, METRIC_SESSIONS, (double)n, repeat->session_count);
    if (n < 2 || !(spread.mean > 0))
        return;
    add_figure(r, METRIC_SESSION_SD, spread.sd / spread.mean, n);
    if (!isnan(spread.within)) {
        add_figure(r, METRIC_SESSION_WITHIN, spread.within / spread.mean, n);
        add_figure(r, METRIC_SESSION_BETWEEN, spread.between / spread.mean, n);
        add_figure(r, METRIC_SESSION_INTRACLASS, spread.intraclass, n);
        add_figure(r, METRIC_SESSIONS_HOLDING, (double)spread.holding, n);
    }
    if (view->required)
        add_figure(r, METRIC_SESSIONS_REQUIRED, (double)view->required, n);
}

/* Fills in the sessions over time: how many count, and which ones began late. */
static void view_sessions(struct repeat *repeat)
{
    struct result_repeat *view = &repeat->view;
    *view = (struct result_repeat){.sessions = repeat->sessions,
                                   .session_count = repeat->session_count,
                                   .asked = repeat->plan.repeat.sessions,
                                   .every_seconds = repeat->plan.repeat.every_seconds,
                                   .late_by_length = true,
                                   .sd = NAN,
                                   .within = NAN,
                                   .between = NAN,
                                   .intraclass = NAN,
                                   .end_code = repeat->end.code};
    double begin = NAN;
    for (size_t i = 0; i < repeat->session_count; i++) {
        const struct result_session *s = &repeat->sessions[i];
        if (!s->counted)
            continue;
        if (!view->counted++)
            begin = s->begin_seconds;
        view->decided += s->verdict == VERDICT_PRECISE || s->verdict == VERDICT_COMPLETE ||
                         s->verdict == VERDICT_MEASURED || s->verdict == VERDICT_BEST_POSSIBLE ||
                         s->verdict == VERDICT_UNSETTLED;
        view->busy += s->busy[0] != '\0';
        view->invalid += s->verdict == VERDICT_BOTTLENECK;
        view->spread_seconds = s->begin_seconds + s->seconds - begin;
    }
    /* Finds sessions that began later than requested, and whether the previous session took too
       long. */
    for (size_t i = 1; i < repeat->session_count && view->every_seconds > 0; i++) {
        const struct result_session *before = &repeat->sessions[i - 1], *s = before + 1;
        double late = s->begin_seconds - before->begin_seconds - view->every_seconds;
        if (s->number != before->number + 1 || late < LATE_SECONDS)
            continue;
        view->late++;
        view->late_seconds = fmax(view->late_seconds, late);
        if (before->begin_seconds + before->seconds + LATE_SECONDS < s->begin_seconds)
            view->late_by_length = false;
    }
}

static enum verdict verdict_over(const struct repeat *repeat, const struct result *r)
{
    const struct result_repeat *view = &repeat->view;
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    if (repeat->end.ending == REPEAT_FAILED)
        return VERDICT_FAILED;
    if (repeat->end.ending == REPEAT_INTERRUPTED)
        return VERDICT_INTERRUPTED;
    if (repeat->end.ending == REPEAT_RUNNING || repeat->damaged)
        return VERDICT_CUT_SHORT;
    if (repeat->end.ending == REPEAT_LIMIT || view->decided < view->asked || !row)
        return VERDICT_LIMIT;
    if (!(r->target_width > 0))
        return VERDICT_COMPLETE;
    return (row->high - row->low) / fabs(row->value) <= r->target_width ? VERDICT_PRECISE
                                                                        : VERDICT_LIMIT;
}

static void repeat_add_notes(const struct repeat *repeat, struct result *r)
{
    const struct result_repeat *view = &repeat->view;
    char time[UNITS_BUFFER];
    if (view->every_seconds <= 0 && view->counted > 1)
        result_note(r, true,
                    "the sessions followed each other: sessions close together share the weather, "
                    "and what changes more slowly than the %s that they took (heat, a drive's own "
                    "work, neighbours) is not in the interval; --every spreads them",
                    format_time(time, sizeof time, view->spread_seconds * 1e9));
    if (view->late)
        result_note(r, true,
                    "%zu of %zu sessions began later than --every asked for, by up to %s: %s",
                    view->late, view->session_count,
                    format_time(time, sizeof time, view->late_seconds * 1e9),
                    view->late_by_length ? "the sessions before them took longer"
                                         : "the machine slept, or this program was kept waiting");
    if (view->asked == 2 && view->counted == 2)
        result_note(r, true,
                    "two sessions leave one degree of freedom, and make a very wide "
                    "interval: 5 or more are better");
    if (repeat->end.warning[0])
        result_note(r, true, "%s", repeat->end.warning);
    for (size_t i = 0; i < repeat->note_count; i++) {
        const struct repeat_note *note = &repeat->notes[i];
        if (note->sessions == 1)
            result_note(r, true, "session %zu: %.220s", repeat->sessions[note->first].number,
                        note->note.text);
        else
            result_note(r, true, "%zu of %zu sessions: %.210s", note->sessions,
                        repeat->session_count, note->note.text);
    }
}

/* ---- the predictions that sessions made for the next one ---- */

static bool take_session(const struct result *r, const struct result_session *s,
                         struct history_session *to)
{
    const struct result_row *row = result_session_find(s, r->headline, r->headline_op);
    const struct result_row *elapsed = result_session_find(s, METRIC_ELAPSED, "all");
    if (!s->counted || !row || !elapsed || !(elapsed->value > 0))
        return false;
    *to = (struct history_session){.seconds = elapsed->value,
                                   .mean = row->value,
                                   .next_low = row->next_low,
                                   .next_high = row->next_high,
                                   .memory = row->memory};
    snprintf(to->busy, sizeof to->busy, "%s", s->busy);
    return true;
}

/* Counts how many predictions of the last sessions held for their next one, as a history of runs
   does. */
static void count_predictions(const struct repeat *repeat, struct result *r)
{
    struct prediction_count *count = &r->history.count;
    struct history_session next, before;
    bool has_next = false;
    r->history = (struct result_history){.low = NAN, .high = NAN};
    for (size_t i = repeat->session_count; i-- > 0 && count->checked < PREDICTIONS_COUNTED;) {
        if (!take_session(r, &repeat->sessions[i], &before))
            continue;
        if (has_next) {
            history_check(&before, &next);
            count->checked += next.check == PREDICTION_HELD || next.check == PREDICTION_MISSED;
            count->held += next.check == PREDICTION_HELD;
            count->left_out += next.check == PREDICTION_LEFT_OUT;
        }
        has_next = true;
        next = before;
    }
    history_add_row(r);
}

void repeat_result(struct repeat *repeat, struct result *r)
{
    const struct result_repeat *view = &repeat->view;
    struct session_value *values = calloc(repeat->session_count + 1, sizeof *values);
    *r = repeat->common;
    r->hardware = &repeat->hardware;
    r->repeat = view;
    view_sessions(repeat);
    /* Combines every metric that any session has, in the order in which the sessions have them. */
    for (size_t i = 0; values && i < repeat->session_count; i++) {
        const struct result_session *s = &repeat->sessions[i];
        for (size_t k = 0; s->counted && k < s->row_count; k++)
            if (s->rows[k].metric != METRIC_PREDICTIONS_HELD &&
                !result_find(r, s->rows[k].metric, s->rows[k].op))
                combine_metric(repeat, r, s->rows[k].metric, s->rows[k].op, values);
    }
    count_predictions(repeat, r);
    if (values)
        add_differences(repeat, r, values);
    free(values);
    r->verdict = verdict_over(repeat, r);
    if (r->verdict == VERDICT_FAILED && repeat->end.message[0]) {
        snprintf(r->failure, sizeof r->failure, "%s", repeat->end.message);
    } else if (r->verdict == VERDICT_FAILED && repeat->session_count) {
        const struct result_session *last = &repeat->sessions[repeat->session_count - 1];
        snprintf(r->failure, sizeof r->failure, "session %zu of %zu: %.200s", last->number,
                 view->asked, last->failure);
    }
    if (view->busy)
        snprintf(r->busy, sizeof r->busy, "other programs disturbed %zu of %zu sessions",
                 view->busy, view->counted);
    repeat_add_notes(repeat, r);
}
