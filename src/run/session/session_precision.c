/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a session as precise as was asked? Looked at while a round goes on and at its end. And how
   long what is still to come will take: the next round, and what is compared after the last. */
#include <math.h>

#include "run/session/internal.h"

/* Each further round adds between these shares of the time measured so far. */
#define GROWTH_MIN         0.25
#define GROWTH_MAX         1.0
#define REQUIRED_MARGIN    1.1
#define LOOK_EVERY_SECONDS 1.0
/* Looks take no more than this share of the time of the thread that collects. */
#define LOOK_SHARE 0.02

/*
 * A session does not end while the target is at another level than the one judged stable: the
 * one that has just begun may be the level that lasts, as when a drive's cache is used up.
 */
bool session_is_precise(struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    judge_headline(&s->contents, &s->judged);
    const struct plan *plan = &s->contents.plan;
    bool enough = s->judged.enough;
    if (plan->sla[0] || plan->precise[0]) {
        judge_session(&s->contents, &s->judged);
        enough = judge_clauses(&s->contents, &s->judged, s->clauses, &s->clause_count);
        for (size_t i = 0; plan->find_rate[0] && i < s->clause_count; i++)
            enough |= s->clauses[i].verdict == CLAUSE_FAILED; /* this rate is too high */
    }
    return enough && s->judged.headline.stable_end == m->slice_count &&
           (double)m->original_slices * m->slice_seconds >= s->contents.plan.minimum_seconds;
}

void session_begin_looks(struct session *s)
{
    s->look_next_seconds = LOOK_EVERY_SECONDS;
}

bool session_look(struct session *s, double elapsed_seconds)
{
    const struct plan *plan = &s->contents.plan;
    const bool is_shown = s->observer && s->observer->progress;
    if (plan_is_one_pass(plan) || elapsed_seconds < s->look_next_seconds ||
        (plan->runtime_seconds > 0 && !is_shown))
        return false;
    /* Processor time: on a busy machine a look is no rarer for having to wait. */
    const double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    const bool is_precise = session_is_precise(s);
    session_progress_judged(s, is_precise);
    const double took = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    s->look_next_seconds = elapsed_seconds + fmax(LOOK_EVERY_SECONDS, took / LOOK_SHARE);
    return is_precise && !(plan->runtime_seconds > 0);
}

double session_next_round(const struct session *s, double measured)
{
    double required = s->judged.required_slices * s->judged.slice_seconds;
    for (size_t i = 0; i < s->clause_count; i++) /* the first that is decided will do to look */
        required = i ? fmin(required, measured + s->clauses[i].more_seconds)
                     : measured + s->clauses[i].more_seconds;
    required *= REQUIRED_MARGIN;
    /* fmin and fmax: a required length that is not a number asks for the largest step. */
    return fmax(fmin(required - measured, GROWTH_MAX * measured), GROWTH_MIN * measured);
}
