/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the rounds of different amounts of work, and finds the speed that follows from them. */
#include <math.h>
#include <stdio.h>

#include "library/internal.h"

#define WORK_END ((uint64_t)1 << 53)

static int check_range(const struct cupel_session *s, uint64_t min, uint64_t max, double shortest,
                       unsigned flags, struct err *e)
{
    if (library_has_range(s))
        return err_set(e, ERR_USAGE, "the session has a range of work already");
    if (min < 1 || min >= max || max >= WORK_END)
        return err_set(e, ERR_USAGE, "a range of work from %llu to %llu: 1 <= min < max < 2^53",
                       (unsigned long long)min, (unsigned long long)max);
    if (!(shortest >= 0 && isfinite(shortest)))
        return err_set(e, ERR_USAGE, "rounds of at least %g seconds: a number from 0 on", shortest);
    if (flags & ~(unsigned)CUPEL_PROCESSOR_TIME)
        return err_set(e, ERR_USAGE, "a range of work: its flag is CUPEL_PROCESSOR_TIME or 0");
    for (size_t i = 0; i < s->metric_count; i++)
        if (s->metrics[i].flags & CUPEL_TIMED)
            return err_set(e, ERR_USAGE, LIBRARY_TIMED_WORK, s->metrics[i].name);
    return 0;
}

int cupel_work_range(struct cupel_session *session, uint64_t min, uint64_t max, double shortest,
                     unsigned flags, struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e) || check_range(session, min, max, shortest, flags, &e))
        return library_fail(error, &e);
    double seconds = shortest > 0 ? shortest : WORK_SHORTEST;
    /* The rounds of the first estimate are longer than the shortest ones by the same factor as in
       exec. */
    const struct work_limits limits = {.min = (double)min,
                                       .max = (double)max,
                                       .shortest = seconds,
                                       .quick_seconds =
                                           seconds * WORK_QUICK_SECONDS / WORK_SHORTEST,
                                       .quick_rounds = WORK_QUICK_ROUNDS,
                                       .width = session->plan.statistics.target_width,
                                       .min_rounds = session->plan.statistics.minimum_subsessions};
    work_session_begin(&session->work, &limits);
    session->work_processor_time = flags;
    return 0;
}

uint64_t cupel_next_work(const struct cupel_session *session)
{
    return session && library_has_range(session) ? (uint64_t)session->work.plan.next : 0;
}

int cupel_push_round(struct cupel_session *session, uint64_t work, double seconds,
                     struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e) || library_push_round(session, work, seconds, &e))
        return library_fail(error, &e);
    session->rounds_seconds += seconds;
    return 0;
}

static int need_range(const struct cupel_session *s, struct err *e)
{
    return library_has_range(s)
               ? 0
               : err_set(e, ERR_USAGE, "the session has no range of work: cupel_work_range");
}

int library_push_round(struct cupel_session *s, uint64_t work, double seconds, struct err *e)
{
    const struct work_round round = {(double)work, seconds};
    struct work_plan *plan = &s->work.plan;
    if (need_range(s, e))
        return -1;
    if (!(round.work >= plan->limits.min && round.work <= plan->limits.max))
        return err_set(e, ERR_USAGE, "a round of work %llu: the range is %.16g to %.16g",
                       (unsigned long long)work, plan->limits.min, plan->limits.max);
    if (!(seconds >= 0 && isfinite(seconds)))
        return err_set(e, ERR_USAGE, "a round of %g seconds: a number from 0 on", seconds);
    double asked = plan->next;
    plan->next = round.work;
    if (!work_session_add(&s->work, &round, s->plan.statistics.confidence, e))
        return 0;
    plan->next = asked;
    return -1;
}

/* Fits all rounds if there are new ones, and judges whether the speed is precise enough. */
static void library_judge_speed(struct cupel_session *s)
{
    struct work_session *w = &s->work;
    if (s->fitted == w->count)
        return;
    w->plan.limits.width = s->plan.statistics.target_width;
    w->plan.limits.min_rounds = s->plan.statistics.minimum_subsessions;
    uint64_t begin = clock_raw_ns();
    work_session_judge(w, s->plan.statistics.confidence);
    s->fitted = w->count;
    s->judging_ns += clock_raw_ns() - begin;
}

bool library_speed_enough(struct cupel_session *s)
{
    struct work_session *w = &s->work;
    if (w->count < s->plan.statistics.minimum_subsessions)
        return false;
    if (w->count >= s->next_fit) {
        library_judge_speed(s);
        s->next_fit = w->count + 1 + w->count / LIBRARY_LOOKS;
    }
    return s->fitted && w->enough;
}

static const char *note_of(const struct work_session *w)
{
    if (!w->count)
        return "no rounds";
    if (w->plan.setup_dominates)
        return "set-up takes longer than the work of half the range: a larger max shows the speed "
               "better";
    if (w->plan.too_short)
        return "few amounts of the range take as long as the shortest round, so that all rounds "
               "count: a larger max makes them longer";
    if (!w->rate.bounded)
        return "the rounds do not show that more work takes longer, so that the speed is "
               "unbounded: "
               "more rounds or a larger max show more";
    return "";
}

int cupel_speed(struct cupel_session *session, struct cupel_speed *speed, struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e) || need_range(session, &e))
        return library_fail(error, &e);
    struct work_session *w = &session->work;
    *speed = (struct cupel_speed){.speed = NAN,
                                  .high = INFINITY,
                                  .next_high = INFINITY,
                                  .setup = NAN,
                                  .setup_low = -INFINITY,
                                  .setup_high = INFINITY,
                                  .confidence = session->plan.statistics.confidence,
                                  .width = INFINITY,
                                  .rounds_left = NAN,
                                  .seconds_left = NAN,
                                  .rounds = w->count};
    if (w->count) {
        library_judge_speed(session);
        const struct work_rate wide = work_rate_widened(&w->rate);
        const struct work_rate *given = session->stopping && w->enough ? &wide : &w->rate;
        speed->speed = given->speed.value;
        speed->low = given->speed.low;
        speed->high = given->speed.high;
        const struct work_value next = work_rate_next_speed(given);
        speed->next_low = next.low;
        speed->next_high = next.high;
        speed->setup = w->rate.setup.value;
        speed->setup_low = w->rate.setup.low;
        speed->setup_high = w->rate.setup.high;
        speed->width = work_rate_width(&wide);
        speed->rounds_left = w->enough ? 0 : w->left.rounds;
        speed->seconds_left = w->enough ? 0 : w->left.seconds;
        speed->bend = w->rate.bend;
        speed->used = w->rate.rounds;
        speed->bounded = w->rate.bounded;
        speed->enough = w->enough;
    }
    snprintf(speed->note, sizeof speed->note, "%s", note_of(w));
    return 0;
}

int cupel_duration_of(struct cupel_session *session, uint64_t work, double *seconds, double *low,
                      double *high, struct cupel_error *error)
{
    struct err e;
    if (library_is_there(session, &e) || need_range(session, &e))
        return library_fail(error, &e);
    if (!work) {
        err_set(&e, ERR_USAGE, "work of 0: a round does 1 or more");
        return library_fail(error, &e);
    }
    struct work_rate line = {.setup = {NAN, -INFINITY, INFINITY}};
    if (session->work.count) {
        library_judge_speed(session);
        line =
            work_session_duration(&session->work, (double)work, session->plan.statistics.confidence,
                                  session->stopping && session->work.enough);
    }
    *seconds = line.setup.value;
    *low = line.setup.low;
    *high = line.setup.high;
    return 0;
}
