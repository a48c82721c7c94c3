/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the session of a result, and passes earlier sessions on in the settings of the next one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/clause.h"
#include "run/history/history.h"
#include "run/history/internal.h"
#include "stat/estimate/limit_verdict.h"

/* Two rows whose predictions are the same share of their values, to this precision, show one number
   in two units. */
#define SAME_SHARE 1e-9

/* Returns true if another session could repeat this one: it ran to its end, and measured one mean.
 */
static bool is_repeatable(const struct result *r)
{
    static const enum verdict others[] = {
        VERDICT_INTERRUPTED, VERDICT_FAILED,    VERDICT_CUT_SHORT, VERDICT_COMPLETE,
        VERDICT_SATURATED,   VERDICT_SUSPENDED, VERDICT_DAMAGED,   VERDICT_UNCONFIRMED,
        VERDICT_BOTTLENECK,  VERDICT_MERGED};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (r->verdict == others[i])
            return false;
    return !r->repeat && !r->rates && !r->merged;
}

static double measured_seconds(const struct result *r)
{
    double seconds = 0;
    for (size_t i = 0; i < r->round_count; i++)
        seconds += r->rounds[i].trial ? 0 : r->rounds[i].seconds;
    return seconds;
}

bool history_session_of(const struct result *r, struct history_session *to)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    const char *version = facts_find(&r->settings, "origin", "cupel");
    if (!is_repeatable(r) || !row || !isfinite(row->value) || !(row->value > 0) ||
        !(measured_seconds(r) > 0))
        return false;
    *to = (struct history_session){.seconds = measured_seconds(r),
                                   .mean = row->value,
                                   .low = row->low,
                                   .high = row->high,
                                   .next_low = row->next_low,
                                   .next_high = row->next_high,
                                   .memory = row->memory,
                                   .confidence = row->confidence,
                                   .predicted_low = NAN,
                                   .predicted_high = NAN};
    snprintf(to->date, sizeof to->date, "%s", r->key.date);
    snprintf(to->metric, sizeof to->metric, "%s", metric_of(row->metric)->name);
    snprintf(to->op, sizeof to->op, "%s", row->op);
    snprintf(to->verdict, sizeof to->verdict, "%s", verdict_name(r->verdict));
    snprintf(to->busy, sizeof to->busy, "%s", r->busy);
    snprintf(to->version, sizeof to->version, "%.31s", version ? version : "");
    return true;
}

/* ---- the facts ---- */

void history_before_write(const struct history *h, struct history_before *to)
{
    *to = (struct history_before){0};
    if (!h->count)
        return;
    /* At most PREDICTIONS_COUNTED checks of predictions count. This session adds one, so one fewer
       of the earlier ones is used. */
    struct prediction_count last = {0};
    for (size_t i = h->count; i-- > 0 && last.checked < PREDICTIONS_COUNTED - 1;) {
        last.checked +=
            h->sessions[i].check == PREDICTION_HELD || h->sessions[i].check == PREDICTION_MISSED;
        last.held += h->sessions[i].check == PREDICTION_HELD;
    }
    const struct history_session *s = &h->sessions[h->count - 1];
    double seconds = 0;
    for (size_t i = h->count; i-- > 0;) {
        seconds += h->sessions[i].seconds;
        if (h->sessions[i].check != PREDICTION_HELD)
            break;
    }
    snprintf(to->session, sizeof to->session,
             "%s %s %s next=%.9g to %.9g seconds=%.9g memory=%.6g busy=%d",
             s->date[0] ? s->date : "-", s->metric, s->op, s->next_low, s->next_high, s->seconds,
             s->memory, s->busy[0] != '\0');
    snprintf(to->count, sizeof to->count, "%llu of %llu held, %.9g s in a row",
             (unsigned long long)last.held, (unsigned long long)last.checked, seconds);
    const struct between_sessions between = between_sessions_of(h);
    if (between.pairs)
        snprintf(to->differences, sizeof to->differences, "variance=%.9g pairs=%zu degrees=%.6g",
                 between.variance, between.pairs, between.degrees);
}

/* Reads the number after `name` in words that history_before_write wrote. Returns false if there is
   none. */
static bool number_after(const char *words, const char *name, double *to)
{
    const char *at = strstr(words, name);
    char *end;
    if (!at)
        return false;
    at += strlen(name);
    *to = strtod(at, &end);
    return end != at;
}

static bool read_before(const struct facts *settings, struct history_session *to)
{
    const char *words = facts_find(settings, HISTORY_NODE, HISTORY_BEFORE);
    double busy = 0;
    *to = (struct history_session){0};
    if (!words || sscanf(words, "%31s %23s %7s", to->date, to->metric, to->op) != 3 ||
        !number_after(words, " next=", &to->next_low) ||
        !number_after(words, " to ", &to->next_high) ||
        !number_after(words, " seconds=", &to->seconds) ||
        !number_after(words, " memory=", &to->memory) || !number_after(words, " busy=", &busy))
        return false;
    snprintf(to->busy, sizeof to->busy, "%s", busy > 0 ? "busy" : "");
    return true;
}

static void widen(struct result_row *row, double half)
{
    if (!result_is_predicted(row))
        return;
    const double below = row->value - row->next_low, above = row->next_high - row->value;
    const double more = half * row->value;
    result_set_prediction(row, row->value - hypot(below, more), row->value + hypot(above, more));
}

/* Returns true if the row shows the headline in another unit, as bandwidth does if all requests
   have one size. */
static bool is_headline(const struct result_row *row, const struct result_row *headline)
{
    const double low = headline->next_low / headline->value,
                 high = headline->next_high / headline->value;
    return !strcmp(row->op, headline->op) && fabs(row->next_low / row->value - low) < SAME_SHARE &&
           fabs(row->next_high / row->value - high) < SAME_SHARE;
}

static void allow_for_differences(struct result *r)
{
    const char *words = facts_find(&r->settings, HISTORY_NODE, HISTORY_DIFFER);
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    struct between_sessions between = {0};
    double pairs = 0;
    if (!words || !row || !number_after(words, "variance=", &between.variance) ||
        !number_after(words, "pairs=", &pairs) ||
        !number_after(words, "degrees=", &between.degrees) ||
        !(pairs > 0 && pairs <= HISTORY_SESSIONS_MAX) || !(between.variance >= 0))
        return;
    between.pairs = (size_t)pairs;
    const struct result_row headline = *row;
    const double half = between_sessions_half(&between, headline.confidence);
    if (!(half > 0) || !isfinite(half))
        return;
    for (size_t i = 0; i < r->row_count; i++)
        if (is_headline(&r->rows[i], &headline))
            widen(&r->rows[i], half);
    r->history.differing = between.pairs;
}

void history_add_row(struct result *r)
{
    const struct prediction_count *count = &r->history.count;
    if (!count->checked)
        return;
    struct result_row *row =
        result_add(r, METRIC_PREDICTIONS_HELD, r->headline_op, (double)count->held);
    row->n = count->checked;
}

/* Adds the time of earlier sessions to the time in which a mean was observed, because a rare level
   would have broken one of their predictions. */
static void extend_clauses(struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++) {
        struct result_clause *c = &r->clauses[i];
        struct clauses one;
        if (!(r->history.seconds > 0 && c->unseen > 0) || c->unseen_by != UNSEEN_SESSION ||
            c->period_seconds > 0 || clauses_parse_limits(&one, c->text, NULL) ||
            one.clause[0].subject == CLAUSE_PERCENTILE || one.clause[0].subject == CLAUSE_ERRORS)
            continue;
        c->unseen += limit_verdict_unseen(r->history.seconds);
        c->unseen_by = UNSEEN_HISTORY;
    }
}

void history_of_result(struct result *r)
{
    struct history_session before, now;
    struct result_history *to = &r->history;
    const char *count = facts_find(&r->settings, HISTORY_NODE, HISTORY_COUNT);
    double held = 0, checked = 0;
    *to = (struct result_history){.low = NAN, .high = NAN};
    if (!read_before(&r->settings, &before) || !history_session_of(r, &now))
        return;
    allow_for_differences(r);
    history_check(&before, &now);
    if (count && (!number_after(count, "", &held) || !number_after(count, " of ", &checked)))
        held = checked = 0;
    if (now.check == PREDICTION_HELD && count)
        number_after(count, " held, ", &to->seconds); /* older session files have no such number */
    to->check = now.check;
    to->low = now.predicted_low;
    to->high = now.predicted_high;
    memcpy(to->date, before.date, sizeof to->date);
    to->count.held = (size_t)held + (now.check == PREDICTION_HELD);
    to->count.checked =
        (size_t)checked + (now.check == PREDICTION_HELD || now.check == PREDICTION_MISSED);
    history_add_row(r);
    extend_clauses(r);
}
