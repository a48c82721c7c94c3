/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress, as the user is shown it while a session runs: its stage, the rate, the headline metric
   so far and the time left. */
#include <math.h>
#include <stdio.h>

#include "generator/workload_spec_text.h"
#include "run/session/internal.h"

#define SHOW_EVERY_NS       200000000u
#define JUDGE_EVERY_SECONDS 1.0

struct session_progress session_progress_unknown(void)
{
    return (struct session_progress){
        .done_share = NAN, .mean = NAN, .width_share = NAN, .left_seconds = NAN, .rate = NAN};
}

void session_show(struct session *s, const char *stage)
{
    if (!s->observer || !s->observer->progress)
        return;
    uint64_t now = clock_ticks(&s->clock);
    if (s->shown_ticks && clock_ns(&s->clock, now - s->shown_ticks) < SHOW_EVERY_NS)
        return;
    s->shown_ticks = now;
    s->progress.stage = stage;
    s->progress.elapsed_seconds = session_seconds(s);
    s->observer->progress(s->observer->context, &s->progress);
}

void session_show_share(struct session *s, const char *stage, double share)
{
    s->progress.done_share = share;
    session_show(s, stage);
}

void session_progress_judged(struct session *s)
{
    const struct judged *j = &s->judged;
    if (!j->any)
        return;
    const struct estimate *rate = &j->headline.estimate;
    double measured = (double)s->contents.measurement.slice_count;
    double left = (j->required_slices - measured) * j->slice_seconds;
    double min_left = s->contents.plan.minimum_seconds - measured * j->slice_seconds;
    s->progress.mean = rate->mean;
    s->progress.mean_is_time = plan_is_timed(&s->contents.plan);
    s->progress.width_share = (rate->high - rate->low) / fabs(rate->mean);
    s->progress.left_seconds = fmax(fmax(left, min_left), 0);
    if (s->contents.plan.runtime_seconds > 0)
        s->progress.left_seconds =
            fmax(s->contents.plan.runtime_seconds - measured * j->slice_seconds, 0);
    if (!s->contents.plan.sla[0] && !s->contents.plan.precise[0])
        return;
    /* The clause that takes longest; before the first look nothing is known. */
    const struct result_clause *last = NULL;
    for (size_t i = 0; i < s->clause_count; i++)
        if (!last || s->clauses[i].more_seconds > last->more_seconds)
            last = &s->clauses[i];
    bool open = last && last->verdict == CLAUSE_UNDECIDED;
    snprintf(s->progress.missing, sizeof s->progress.missing, "%s", open ? last->text : "");
    s->progress.left_seconds = open ? last->more_seconds : NAN;
}

void session_progress_begin_round(struct session *s)
{
    s->judge_next_seconds = JUDGE_EVERY_SECONDS;
}

void session_show_round(struct session *s, double elapsed_seconds)
{
    if (!s->observer || !s->observer->progress)
        return;
    if (s->replay) {
        session_show_share(s, "replaying", replay_done_share(s->replay));
        return;
    }
    if (plan_is_one_pass(&s->contents.plan)) {
        double share = elapsed_seconds / ((double)phases_length(&s->workload.phases) * 1e-9);
        session_show_share(s, "going through the phases", fmin(share, 1));
        return;
    }
    if (elapsed_seconds >= s->judge_next_seconds) {
        judge_headline(&s->contents, &s->judged);
        session_progress_judged(s);
        s->judge_next_seconds = elapsed_seconds + JUDGE_EVERY_SECONDS;
    }
    char stage[32];
    snprintf(stage, sizeof stage, "round %u", s->progress.rounds + 1);
    session_show(s, stage);
}
