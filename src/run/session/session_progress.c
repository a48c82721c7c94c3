/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows the progress of a running session: its stage, the headline metric so far, what is still
 * missing and the expected end.
 *
 * What is missing comes from the same judgement that ends the session (session_is_precise), so that
 * the two cannot contradict each other. The condition that takes longest is shown.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "run/session/running.h"
#include "source/generator/workload_spec_text.h"

#define SHOW_EVERY_NS      200000000u
#define LIVE_EVERY_SECONDS 1.0

struct shown {
    uint64_t ticks;   /* when progress was last shown */
    char stage[48];   /* stage that was last shown */
    struct live live; /* filled if the observer asks for it */
    struct exposed_op exposed[OPERATIONS];
    double exposed_next_seconds;   /* when `exposed` is next updated */
    double latencies_next_seconds; /* when latencies over time are next updated */
    double over_at_seconds;        /* expected end, since the session began; NaN: unknown */
};

const struct session_part part_progress = {.bytes = sizeof(struct shown)};

static struct shown *shown_of(const struct session *s)
{
    return s->own[SESSION_PART_PROGRESS];
}

struct session_progress session_progress_unknown(void)
{
    return (struct session_progress){.done_share = NAN,
                                     .bytes_rate = NAN,
                                     .mean = NAN,
                                     .width_share = NAN,
                                     .target_share = NAN,
                                     .left_seconds = NAN,
                                     .limit_share = NAN,
                                     .rate = NAN};
}

/* Fills `live` for a full screen; latencies over time are updated once a second. */
static void take_live(struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    struct shown *own = shown_of(s);
    struct live *live = &own->live;
    const double now = session_seconds(s);
    const bool latencies = now >= own->latencies_next_seconds;
    if (!s->contents.measurement.slice_count)
        return;
    if (!s->progress.live) {
        snprintf(live->target, sizeof live->target, "%.*s", (int)sizeof live->target - 1,
                 s->target.path);
        plan_describe(plan, live->workload, sizeof live->workload);
        live->slots = plan->iodepth * plan->jobs;
    }
    if (latencies)
        own->latencies_next_seconds = now + LIVE_EVERY_SECONDS;
    live_of_contents(&s->contents, &s->judged, latencies, live);
    live->clauses = s->clauses;
    live->clause_count = s->clause_count;
    s->progress.live = live;
}

/* Fills `exposed` for a monitoring system, once a second. */
static void take_exposed(struct session *s)
{
    struct shown *own = shown_of(s);
    const double now = session_seconds(s);
    s->progress.exposed = NULL;
    if (now < own->exposed_next_seconds || !s->contents.measurement.slice_count)
        return;
    own->exposed_next_seconds = now + LIVE_EVERY_SECONDS;
    s->progress.exposed_count = exposed_of_contents(&s->contents, own->exposed);
    s->progress.exposed = own->exposed;
}

void session_show(struct session *s, const char *stage)
{
    struct shown *own = shown_of(s);
    session_parts_call(s, ON_LOOK);
    if (!s->observer || !s->observer->progress)
        return;
    uint64_t now = clock_ticks(&s->clock);
    bool is_new = strncmp(own->stage, stage, sizeof own->stage - 1) != 0;
    if (!is_new && clock_ns(&s->clock, now - own->ticks) < SHOW_EVERY_NS)
        return;
    own->ticks = now;
    if (is_new)
        snprintf(own->stage, sizeof own->stage, "%s", stage);
    s->progress.stage = stage;
    s->progress.elapsed_seconds = session_seconds(s);
    s->progress.left_seconds = NAN;
    if (own->over_at_seconds > 0)
        s->progress.left_seconds = fmax(own->over_at_seconds - s->progress.elapsed_seconds, 0);
    if (s->observer->live)
        take_live(s);
    if (s->observer->exposes)
        take_exposed(s);
    s->observer->progress(s->observer->context, &s->progress);
}

void session_show_share(struct session *s, const char *stage, double share)
{
    s->progress.done_share = share;
    session_show(s, stage);
}

/* ---- what is missing ---- */

/* What is missing until an estimate is precise: the seconds until then; `width` is the width that
   the stop rule uses. */
struct lack {
    double seconds, width;
    const struct estimate *estimate;
    const char *name;
};

static struct lack lack_of(const struct session *s, const struct estimate *e, const char *name)
{
    struct judge_config config = plan_judge_config(&s->contents.plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    struct estimate wide = stop_widened(e, &rule);
    double more = stop_required_n(e, &rule) - (double)e->n;
    return (struct lack){fmax(more, 0) * s->judged.slice_seconds, relative_width(&wide), e, name};
}

/* Returns the seconds that can still be measured before the limit. */
static double measured_until_limit(const struct session *s)
{
    return fmax(session_seconds_left(s), 0) / (1 + s->aside_share);
}

/*
 * Returns the expected width at the limit, if it will then be too wide; NaN: it will not, or this
 * is unknown.
 */
static double width_at_limit(const struct session *s, const struct lack *lack)
{
    struct judge_config config = plan_judge_config(&s->contents.plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    const double more = measured_until_limit(s) / s->judged.slice_seconds;
    const double width =
        stop_expected_width(lack->estimate, &rule, (double)lack->estimate->n + more);
    return isfinite(width) && width > rule.target_width ? width : NAN;
}

/* Returns the name under which progress shows the headline. */
static const char *index_of(const struct session *s, bool timed)
{
    return timed ? "response time" : s->progress.mean_unit ? s->progress.mean_unit : "IOPS";
}

/* Returns the estimate that will be precise last: the headline or a response time. */
static struct lack longest_lack(const struct session *s)
{
#define WORDS(identifier, name, bytes, record, merged) [identifier] = name " response time",
    static const char *const words[OPERATIONS] = {OPERATION_ROWS(WORDS)};
#undef WORDS
    const struct plan *plan = &s->contents.plan;
    bool both = operation_set_moving(plan_operations(plan)) > 1;
    bool timed = plan_is_timed(plan);
    const struct judgement *headline = &s->judged.headline;
    struct lack longest = lack_of(s, &headline->estimate, index_of(s, timed));
    if (headline->enough || headline->held_back) { /* the width is already decided */
        longest.seconds = 0;
        longest.width = relative_width(&headline->estimate);
    }
    for (int op = 0; op < OPERATIONS; op++) {
        if (!judged_op_used(plan, op))
            continue;
        struct lack one = lack_of(s, &s->judged.response_time[op],
                                  both || !operation_has_bytes(op) ? words[op] : "response time");
        if (one.seconds > longest.seconds)
            longest = one;
    }
    return longest;
}

static void show_width(struct session_progress *p, const char *name, double width, double target)
{
    snprintf(p->index, sizeof p->index, "%.*s", (int)strcspn(name, ":"), name);
    p->width_share = isfinite(width) ? width : NAN;
    p->target_share = target;
}

static void show_lack(struct session *s, const struct lack *lack)
{
    struct session_progress *p = &s->progress;
    const struct estimate *e = lack->estimate;
    const struct plan *plan = &s->contents.plan;
    struct judge_config config = plan_judge_config(plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    show_width(p, lack->name, lack->width, plan->statistics.target_width);
    if (lack->width > plan->statistics.target_width)
        return;
    if (!stop_independent_enough(e, &rule))
        snprintf(p->missing, sizeof p->missing, "%s: %.0f of %u independent readings", lack->name,
                 floor(e->effective_n), plan->statistics.minimum_subsessions);
    else if (!stop_long_enough(e, &rule))
        snprintf(p->missing, sizeof p->missing, "%s: %zu of %zu readings", lack->name, e->n,
                 stop_min_n(&rule));
}

/* Shows the clause that needs the most time, and returns how many more seconds it needs. Infinite:
   unknown. */
static double show_clauses(struct session *s, double measured)
{
    struct session_progress *p = &s->progress;
    const struct result_clause *last = NULL;
    size_t limits = 0, number = 0;
    for (size_t i = 0; i < s->clause_count; i++) {
        const struct result_clause *c = &s->clauses[i];
        limits += !c->is_width;
        if (c->verdict != CLAUSE_UNDECIDED || (last && last->more_seconds >= c->more_seconds))
            continue;
        last = c;
        number = i + 1;
    }
    if (!last)
        return 0;
    if (last->is_width) {
        show_width(p, last->text, last->value, last->limit);
        p->limit_share = last->value / sqrt(1 + measured_until_limit(s) / measured);
        if (!(p->limit_share > last->limit))
            p->limit_share = NAN;
    } else if (limits == 1)
        snprintf(p->missing, sizeof p->missing, "SLA clause %s not decided", last->text);
    else
        snprintf(p->missing, sizeof p->missing, "SLA clause %zu of %zu: %s not decided", number,
                 limits, last->text);
    if (last->is_width && last->value <= last->limit && last->note[0])
        snprintf(p->missing, sizeof p->missing, "%.40s: %.50s", last->text, last->note);
    return last->more_seconds;
}

/* ---- when the session is expected to end ---- */

/* Computes the expected end: a round ends when everything is reached. Infinite: unknown. */
static void expect_end(struct session *s, double more_seconds)
{
    const double costs = plan_has_precision(&s->contents.plan) && !plan_is_timed(&s->contents.plan)
                             ? session_parts_compare_seconds(s)
                             : 0;
    shown_of(s)->over_at_seconds = NAN;
    if (isfinite(more_seconds))
        shown_of(s)->over_at_seconds =
            session_seconds(s) + more_seconds * (1 + s->aside_share) + costs;
}

/* Returns true if all widths are reached, and the session only goes on because its level may not
   last. */
static bool waits_for_level(const struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    if (plan->ending.precise[0] && !plan->ending.sla[0])
        return judged_widths_wait(&s->judged, s->clauses, s->clause_count);
    return s->judged.held_back && plan_has_precision(plan);
}

void session_progress_judged(struct session *s, bool is_precise)
{
    struct session_progress *p = &s->progress;
    const struct contents *c = &s->contents;
    const struct plan *plan = &c->plan;
    const struct judgement *headline = &s->judged.headline;
    const double measured = (double)c->measurement.original_slices * c->measurement.slice_seconds;
    if (!s->judged.any)
        return;
    p->mean = headline->estimate.mean;
    p->mean_is_time = plan_is_timed(plan);
    p->missing[0] = p->index[0] = '\0';
    p->width_share = p->target_share = p->limit_share = NAN;
    p->left_is_least = false;
    struct lack lack = longest_lack(s);
    /* the length was given (--runtime), so the end is known, independent of widths */
    if (plan->ending.runtime_seconds > 0) {
        show_width(p, index_of(s, p->mean_is_time), relative_width(&headline->estimate), NAN);
        expect_end(s, fmax(plan->ending.runtime_seconds - measured, 0));
        return;
    }
    struct judge_config config = plan_judge_config(plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    p->left_is_least = !stop_long_enough(&headline->estimate, &rule);
    double more = lack.seconds, least = plan->ending.minimum_seconds - measured;
    if (plan->ending.sla[0] || plan->ending.precise[0]) {
        more = show_clauses(s, measured);
    } else {
        show_lack(s, &lack);
        p->limit_share = width_at_limit(s, &lack);
    }
    if (is_precise) {
        snprintf(p->missing, sizeof p->missing, "all is reached, the round ends");
    } else if (headline->phase == PHASE_NO_STEADY_STATE && plan_has_precision(plan)) {
        snprintf(p->missing, sizeof p->missing, "waiting for a steady state");
        more = INFINITY;
    } else if (headline->stable_end != c->measurement.slice_count && !(more > 0)) {
        snprintf(p->missing, sizeof p->missing, "the level has changed: does it last?");
        more = INFINITY;
    } else if (least <= 0 && waits_for_level(s)) {
        snprintf(p->missing, sizeof p->missing, "precise; does its level hold?");
        more = INFINITY;
    } else if (least > more) {
        char words[UNITS_BUFFER];
        snprintf(p->missing, sizeof p->missing, "waiting for %s minimum",
                 format_time(words, sizeof words, plan->ending.minimum_seconds * 1e9));
        more = least;
    }
    expect_end(s, fmax(more, 0));
}

void session_progress_ending(struct session *s, double seconds)
{
    struct session_progress *p = &s->progress;
    p->measuring = p->left_is_least = false;
    p->limit_share = NAN;
    p->missing[0] = '\0';
    shown_of(s)->over_at_seconds = session_seconds(s) + seconds;
}

/* ---- rounds ---- */

void session_progress_begin_round(struct session *s, double seconds)
{
    s->progress.measuring = true;
    if (s->progress.rounds)
        return;
    expect_end(s, seconds); /* the session ends with this round at the earliest */
    s->progress.left_is_least = !(s->contents.plan.ending.runtime_seconds > 0);
    if (plan_has_precision(&s->contents.plan))
        show_width(&s->progress, index_of(s, plan_is_timed(&s->contents.plan)), NAN,
                   s->contents.plan.statistics.target_width);
}

/* Shows the progress of a trace or of phases, whose length is known. */
static void show_pass(struct session *s, const char *stage, double share, double elapsed_seconds)
{
    s->progress.measuring = true;
    share = share > 1 ? 1 : share;
    shown_of(s)->over_at_seconds =
        share > 0.01 ? session_seconds(s) + elapsed_seconds * (1 / share - 1) : NAN;
    session_show_share(s, stage, share);
}

#define LATE_SECONDS 0.1 /* normal: any program may wait less than this */

/* Shows the progress of a replay. If its requests have due times, the remaining time is computed
   from these. */
static void show_replay(struct session *s, double elapsed_seconds)
{
    struct session_progress *p = &s->progress;
    const double share = replay_done_share(s->replay);
    struct replay_schedule schedule;
    if (!replay_schedule(s->replay, elapsed_seconds, &schedule)) {
        show_pass(s, "replaying", share, elapsed_seconds);
        return;
    }
    char words[UNITS_BUFFER];
    p->measuring = true;
    p->left_is_least = schedule.late_seconds > LATE_SECONDS;
    p->missing[0] = '\0';
    if (p->left_is_least)
        snprintf(p->missing, sizeof p->missing, "%s late",
                 format_time(words, sizeof words, schedule.late_seconds * 1e9));
    /* A late replay continues as fast as it did so far, not as its due times say. */
    double left = schedule.left_seconds;
    if (p->left_is_least && share > 0.01)
        left = fmax(left, elapsed_seconds * (1 / fmin(share, 1) - 1));
    shown_of(s)->over_at_seconds = session_seconds(s) + left;
    session_show_share(s, "replaying", share > 1 ? 1 : share);
}

void session_show_round(struct session *s, double elapsed_seconds)
{
    if (!s->observer || !s->observer->progress)
        return;
    if (s->replay) {
        show_replay(s, elapsed_seconds);
        return;
    }
    if (plan_is_one_pass(&s->contents.plan)) {
        show_pass(s, "going through the phases",
                  elapsed_seconds / ((double)phases_length(&s->workload.phases) * 1e-9),
                  elapsed_seconds);
        return;
    }
    char stage[32];
    snprintf(stage, sizeof stage, "round %u", s->progress.rounds + 1);
    session_show(s, stage);
}
