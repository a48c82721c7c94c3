/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges whether a session is precise enough, during a round and at its end, and how long the
   remaining work will take: the next round, and the comparisons after the last one. */
#include <math.h>

#include "base/invariant.h"
#include "run/session/running.h"

/* Each further round adds between GROWTH_MIN and GROWTH_MAX of the time measured so far. */
#define GROWTH_MIN         0.25
#define GROWTH_MAX         1.0
#define REQUIRED_MARGIN    1.1
#define LOOK_EVERY_SECONDS 1.0
/* Judgements during a round take at most this share of the collecting thread's time. */
#define LOOK_SHARE 0.02

void session_begin_looks(struct session *s)
{
    s->look_next_seconds = LOOK_EVERY_SECONDS;
    struct clauses all = {0};
    struct err e;
    const struct plan *plan = &s->contents.plan;
    INVARIANT(!plan->ending.sla[0] || !clauses_parse_limits(&all, plan->ending.sla, &e),
              "plan_check has parsed --sla");
    for (size_t i = 0; plan->ending.stop_on_violation && i < all.count; i++)
        if (clause_is_max(&all.clause[i]) && clause_is_fact(&all.clause[i]) &&
            all.clause[i].time == CLAUSE_RESPONSE)
            s->watched.clause[s->watched.count++] = all.clause[i];
}

void session_see_violation(struct session *s, const struct batch *batch)
{
    for (size_t i = 0; i < s->watched.count; i++)
        s->violated |=
            (double)clause_longest(&s->watched.clause[i], batch) >= s->watched.clause[i].limit;
}

/* Returns true if --stop-on-violation was given and the last judgement found a broken clause. */
static bool is_violated(const struct session *s)
{
    for (size_t i = 0; s->contents.plan.ending.stop_on_violation && i < s->clause_count; i++)
        if (!s->clauses[i].is_width && s->clauses[i].verdict == CLAUSE_FAILED)
            return true;
    return false;
}

/* Returns true if only widths of --precise end the session. Clauses of --sla have their own rules
   for levels that move. */
static bool ends_by_widths(const struct plan *plan)
{
    return plan->ending.precise[0] && !plan->ending.sla[0] && !(plan->ending.runtime_seconds > 0);
}

/* Judges the measurement so far. A session does not end while the target is at another level than
   the one judged stable: the new level may be the one that lasts, as when a drive's cache is used
   up. */
bool session_is_precise(struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    judge_headline(&s->contents, &s->judged);
    const struct plan *plan = &s->contents.plan;
    bool enough = s->judged.enough;
    if (plan->ending.sla[0] || plan->ending.precise[0]) {
        judge_session(&s->contents, &s->judged);
        enough = judge_clauses(&s->contents, &s->judged, s->clauses, &s->clause_count);
        for (size_t i = 0; plan->ending.find_rate[0] && i < s->clause_count; i++)
            enough |=
                s->clauses[i].verdict == CLAUSE_FAILED; /* clause failed: this rate is too high */
        if (ends_by_widths(plan))
            enough &= !judged_widths_wait(&s->judged, s->clauses, s->clause_count);
    }
    if (is_violated(s)) /* a broken clause ends the session even without a steady level */
        return true;
    return enough && s->judged.headline.stable_end == m->slice_count &&
           (double)m->original_slices * m->slice_seconds >= s->contents.plan.ending.minimum_seconds;
}

bool session_is_out_of_reach(struct session *s)
{
    const struct contents *c = &s->contents;
    const struct plan *plan = &c->plan;
    const bool for_widths = ends_by_widths(plan);
    if (!s->judged.any || plan_is_one_pass(plan) || !(plan_has_precision(plan) || for_widths) ||
        s->judged.headline.stable_end != c->measurement.slice_count)
        return false;
    if (for_widths)
        judged_claim_widths(&s->judged, s->clauses, s->clause_count);
    return level_out_of_reach(&s->judged.claim, judged_limit_slices(c, &s->judged));
}

/* Returns true if judgements have found the requested width out of reach for long enough to end the
   session. Called once for each judgement, after session_is_precise returned false. */
static bool gives_up(struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    const double measured = (double)m->original_slices * m->slice_seconds;
    return level_gives_up(&s->looks, session_is_out_of_reach(s), measured) &&
           measured >= s->contents.plan.ending.minimum_seconds;
}

enum verdict session_limit_verdict(struct session *s)
{
    const struct measurement *m = &s->contents.measurement;
    const bool long_enough =
        (double)m->original_slices * m->slice_seconds >= s->contents.plan.ending.minimum_seconds;
    return long_enough && session_is_out_of_reach(s) ? VERDICT_BEST_POSSIBLE : VERDICT_LIMIT;
}

bool session_look(struct session *s, double elapsed_seconds)
{
    const struct plan *plan = &s->contents.plan;
    const bool is_shown = s->observer && s->observer->progress;
    if (s->violated)
        return true;
    if (plan_is_one_pass(plan) || elapsed_seconds < s->look_next_seconds ||
        (plan->ending.runtime_seconds > 0 && !is_shown && !plan->ending.stop_on_violation))
        return false;
    /* Processor time is used, so that judgements do not become rarer when this thread waits on a
       busy machine. */
    const double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    const bool is_precise = session_is_precise(s), ends = !is_precise && gives_up(s);
    session_progress_judged(s, is_precise);
    const double took = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    s->look_next_seconds = elapsed_seconds + fmax(LOOK_EVERY_SECONDS, took / LOOK_SHARE);
    return is_violated(s) ||
           ((is_precise || ends) && !(plan->ending.runtime_seconds > 0) && session_may_end(s));
}

double session_next_round(const struct session *s, double measured)
{
    double required = s->judged.required_slices * s->judged.slice_seconds;
    /* the earliest decision counts, because a judgement at that time may end the session */
    for (size_t i = 0; i < s->clause_count; i++)
        required = i ? fmin(required, measured + s->clauses[i].more_seconds)
                     : measured + s->clauses[i].more_seconds;
    required *= REQUIRED_MARGIN;
    /* With fmin and fmax, a NaN length gives the largest step. If a suspension left nothing of the
       earlier rounds, this round has at least one slice that counts. */
    const double slice = s->contents.measurement.slice_seconds;
    const double more =
        fmax(fmin(required - measured, GROWTH_MAX * measured), GROWTH_MIN * measured);
    return fmax(more, slice) + ROUND_ENDS_SLICES * slice;
}

bool session_is_decided(struct session *s, double *seconds)
{
    const bool is_precise = session_is_precise(s);
    struct contents *c = &s->contents;
    const struct measurement *m = &c->measurement;
    const double measured = (double)m->original_slices * m->slice_seconds;
    const double runtime = c->plan.ending.runtime_seconds;
    session_progress_judged(s, is_precise);
    if (c->timing.saturated) { /* response times of a saturated target grow without end */
        c->verdict = VERDICT_SATURATED;
        return true;
    }
    if (is_violated(s)) {
        c->verdict = VERDICT_DECIDED;
        return true;
    }
    if (runtime > 0 && measured > runtime - m->slice_seconds) {
        c->verdict = VERDICT_MEASURED;
        return true;
    }
    const bool ends = is_precise ? !(runtime > 0) : gives_up(s);
    if (ends && session_may_end(s)) {
        c->verdict = !is_precise             ? VERDICT_BEST_POSSIBLE
                     : c->plan.ending.sla[0] ? VERDICT_DECIDED
                                             : VERDICT_PRECISE;
        return true;
    }
    *seconds = runtime > 0 ? runtime - measured + ROUND_ENDS_SLICES * m->slice_seconds
                           : session_next_round(s, measured);
    s->look_next_seconds = LOOK_EVERY_SECONDS;
    return false;
}
