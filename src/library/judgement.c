/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the readings of a metric, and decides whether they are enough. */
#include <math.h>
#include <stdio.h>

#include "library/internal.h"
#include "stat/estimate/percentile_column.h"

struct judge_config library_config(const struct cupel_session *s, const struct library_metric *m)
{
    struct judge_config config = plan_judge_config(&s->plan, !(m->flags & CUPEL_LOWER_IS_BETTER));
    config.stopping = s->stopping;
    config.minimum_readings = s->fewest;
    config.absolute_width = m->width;
    return config;
}

int library_scratch(struct cupel_session *s, size_t readings, struct err *e)
{
    size_t judge = judge_scratch_bytes(readings);
    size_t column = percentile_column_scratch_bytes(readings);
    size_t bytes = judge > column ? judge : column;
    if (bytes <= s->scratch.capacity)
        return 0;
    struct arena larger;
    if (arena_init_untouched(&larger, bytes + bytes / 2, e))
        return -1;
    arena_free(&s->scratch);
    s->scratch = larger;
    return 0;
}

void metric_forget(struct library_metric *m)
{
    m->judged_count = m->next_count = 0;
}

static size_t limits_of_session(const struct cupel_session *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->metric_count; i++)
        count += s->metrics[i].limits ? s->metrics[i].limits->clauses.count : 0;
    return count;
}

static void judge_limits(struct cupel_session *s, struct library_metric *m)
{
    struct library_limits *l = m->limits;
    const struct judgement *j = &m->judgement;
    struct judge_config config = library_config(s, m);
    struct estimate decided = judge_decided(j, &config);
    double alpha = (1 - s->plan.statistics.confidence) / (double)limits_of_session(s);
    struct percentile_column column;
    size_t mark = arena_mark(&s->scratch);
    percentile_column_make(&column, m->readings + j->stable_begin, j->stable_end - j->stable_begin,
                           &s->scratch);
    const struct judged_column of = {m->count, j,       &decided,
                                     &column,  m->kind, s->plan.statistics.confidence};
    l->decided = true;
    for (size_t i = 0; i < l->clauses.count; i++) {
        l->verdicts[i] = column_verdict_of(&of, &l->clauses.clause[i], alpha, &s->scratch);
        l->decided &= l->verdicts[i].verdict != SEQUENTIAL_UNDECIDED;
    }
    arena_reset(&s->scratch, mark);
}

int library_judge(struct cupel_session *s, struct library_metric *m, struct err *e)
{
    struct judge_config config = library_config(s, m);
    if (m->judged_count == m->count)
        return 0;
    uint64_t begin = clock_raw_ns();
    if (library_scratch(s, m->count, e) ||
        judge_mean_kind(&m->judgement, m->readings, m->count, m->kind, &config, &s->scratch, e))
        return -1;
    if (m->limits)
        judge_limits(s, m);
    m->judged_count = m->count;
    m->next_count = m->count + m->count / LIBRARY_LOOKS + 1;
    s->judging_ns += clock_raw_ns() - begin;
    return 0;
}

/* Returns true if the metric needs no more readings. Its stable level must last to the last
   reading, because a level that has just begun may be the one that stays. */
static bool is_enough(const struct library_metric *m)
{
    if (m->limits)
        return m->judged_count && m->limits->decided;
    return m->judged_count && m->judgement.enough && m->judgement.stable_end == m->judged_count;
}

int library_enough(struct cupel_session *s, struct library_metric **lacking, struct err *e)
{
    bool stopping = s->stopping;
    *lacking = NULL;
    if (!s->metric_count && !library_has_range(s))
        return err_set(e, ERR_USAGE, "the session has no metric: cupel_metric makes one");
    s->stopping = true;
    for (size_t i = 0; i < s->metric_count; i++) {
        struct library_metric *m = &s->metrics[i];
        if (!stopping)
            metric_forget(m);
        if (m->flags & CUPEL_INFORMATIVE)
            continue;
        struct judge_config config = library_config(s, m);
        struct stop_rule rule = judge_stop_rule(&config);
        if (m->count >= stop_min_n(&rule) && m->count >= m->next_count && library_judge(s, m, e))
            return -1;
        if (!is_enough(m)) {
            *lacking = m;
            return 0;
        }
    }
    return !library_has_range(s) || library_speed_enough(s);
}

int cupel_enough(struct cupel_session *session, struct cupel_error *error)
{
    struct err e;
    struct library_metric *lacking;
    int enough = library_is_there(session, &e) ? -1 : library_enough(session, &lacking, &e);
    return enough < 0 ? library_fail(error, &e) : enough;
}

int cupel_result(struct cupel_session *session, int metric, struct cupel_result *result,
                 struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    struct judge_config config = library_config(session, m);
    struct stop_rule rule = judge_stop_rule(&config);
    *result = (struct cupel_result){.mean = NAN,
                                    .low = -INFINITY,
                                    .high = INFINITY,
                                    .next_low = -INFINITY,
                                    .next_high = INFINITY,
                                    .confidence = config.estimate.confidence,
                                    .width = INFINITY,
                                    .sd = NAN,
                                    .autocorrelation = NAN,
                                    .required = (double)stop_min_n(&rule)};
    if (!m->count)
        return 0;
    if (library_judge(session, m, &e))
        return library_fail(error, &e);
    const struct judgement *j = &m->judgement;
    struct estimate decided = judge_decided(j, &config);
    const bool predicts = judge_predicts(j);
    *result = (struct cupel_result){.mean = j->estimate.mean,
                                    .low = j->estimate.low,
                                    .high = j->estimate.high,
                                    .next_low = predicts ? j->estimate.next_low : -INFINITY,
                                    .next_high = predicts ? j->estimate.next_high : INFINITY,
                                    .confidence = j->estimate.confidence,
                                    .width = relative_width(&decided),
                                    .sd = j->estimate.sd,
                                    .autocorrelation = j->estimate.autocorrelation,
                                    .effective_n = j->estimate.effective_n,
                                    .required = j->required_n,
                                    .readings = m->count,
                                    .stable_begin = j->stable_begin,
                                    .stable_end = j->stable_end,
                                    .change_points = j->changepoints_found,
                                    .phase = (enum cupel_phase)j->phase,
                                    .enough = is_enough(m)};
    return 0;
}

int cupel_change_points(struct cupel_session *session, int metric, size_t to[], size_t capacity,
                        struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    if (!m->count)
        return 0;
    if (library_judge(session, m, &e))
        return library_fail(error, &e);
    const struct judgement *j = &m->judgement;
    if (capacity > j->changepoint_count && j->changepoints_found > j->changepoint_count) {
        struct judge_config config = library_config(session, m);
        config.changepoints = to;
        config.changepoint_capacity = capacity;
        judge(m->readings, m->count, &config, &session->scratch);
        return (int)j->changepoints_found;
    }
    for (size_t i = 0; i < j->changepoint_count && i < capacity; i++)
        to[i] = j->changepoints[i];
    return (int)j->changepoints_found;
}

int cupel_slow_shift(struct cupel_session *session, int metric, struct cupel_shift *shift,
                     struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m || (m->count && library_judge(session, m, &e)))
        return library_fail(error, &e);
    const struct slow_shift nothing = {0}, *of = m->count ? &m->judgement.shift : &nothing;
    *shift = (struct cupel_shift){.found = of->found,
                                  .slope = of->slope,
                                  .low = of->low,
                                  .high = of->high,
                                  .change = of->change,
                                  .begin = of->begin,
                                  .end = of->end};
    return 0;
}

int cupel_percentile(struct cupel_session *session, int metric, double share,
                     struct cupel_percentile *percentile, struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    if (!m)
        return library_fail(error, &e);
    if (!(share > 0 && share < 1)) {
        err_set(&e, ERR_USAGE, "percentile %g: a share between 0 and 1 is needed, as in 0.99",
                share);
        return library_fail(error, &e);
    }
    double confidence = session->plan.statistics.confidence;
    *percentile = (struct cupel_percentile){.share = share,
                                            .value = NAN,
                                            .low = NAN,
                                            .high = NAN,
                                            .confidence = confidence,
                                            .more = INFINITY,
                                            .note = "no readings"};
    if (!m->count)
        return 0;
    if (library_judge(session, m, &e))
        return library_fail(error, &e);
    const struct judgement *j = &m->judgement;
    struct percentile_column column;
    size_t mark = arena_mark(&session->scratch);
    percentile_column_make(&column, m->readings + j->stable_begin, j->stable_end - j->stable_begin,
                           &session->scratch);
    struct percentile p = percentile_of_column(&column, share, confidence, &session->scratch);
    arena_reset(&session->scratch, mark);
    percentile->value = p.value;
    percentile->low = p.low;
    percentile->high = p.high;
    percentile->effective_n = p.effective_n;
    percentile->more = p.more;
    percentile_words(&p, (double)column.n, "readings", percentile->note, sizeof percentile->note);
    return 0;
}
