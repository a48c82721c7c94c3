/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares two metrics: computes their ratio, or runs rounds of two functions in turns until their
   order is decided. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "library/internal.h"
#include "stat/compare/ratio.h"

/* cupel_compare_rounds compares for the first time after FIRST_LOOK rounds of each function, then
   each time that the number of rounds has grown by the factor GROWTH. */
#define FIRST_LOOK 10
#define GROWTH     1.05

struct pair {
    struct library_metric *metrics[2];
    struct cupel_session *sessions[2];
    double margin;
    bool once;
    bool in_turns; /* the readings are paired: reading i of both was measured in the same block */
};

static int find_pair(struct pair *p, const struct cupel_side *first,
                     const struct cupel_side *second, double margin, struct err *e)
{
    const struct cupel_side *sides[] = {first, second};
    for (int i = 0; i < 2; i++) {
        p->sessions[i] = sides[i]->session;
        p->metrics[i] = library_metric_of(sides[i]->session, sides[i]->metric, e);
        if (!p->metrics[i])
            return -1;
    }
    p->margin = margin;
    if (!(margin >= 0 && margin < 1))
        return err_set(e, ERR_USAGE, "a margin of %g: a share from 0 to below 1 is needed", margin);
    if ((p->metrics[0]->kind == MEAN_HARMONIC) != (p->metrics[1]->kind == MEAN_HARMONIC))
        return err_set(e, ERR_USAGE, "\"%s\" and \"%s\": one mean is harmonic and the other is not",
                       p->metrics[0]->name, p->metrics[1]->name);
    return 0;
}

/* Finds the readings that are compared: the stable segment of each series; for paired readings, the
   part that is in both segments. */
static int find_segments(struct pair *p, size_t begin[2], size_t count[2], struct err *e)
{
    for (int i = 0; i < 2; i++) {
        struct library_metric *m = p->metrics[i];
        if (!m->count)
            return err_set(e, ERR_USAGE, "\"%s\" has no readings", m->name);
        if (library_judge(p->sessions[i], m, e))
            return -1;
        begin[i] = m->judgement.stable_begin;
        count[i] = m->judgement.stable_end - begin[i];
        if (!(m->judgement.estimate.mean > 0))
            return err_set(e, ERR_USAGE, "\"%s\": the mean is %g; ratios need means above 0",
                           m->name, m->judgement.estimate.mean);
    }
    p->in_turns = p->in_turns && p->metrics[0]->count == p->metrics[1]->count;
    if (!p->in_turns)
        return 0;
    size_t from = begin[0] > begin[1] ? begin[0] : begin[1];
    size_t end0 = begin[0] + count[0], end1 = begin[1] + count[1];
    size_t to = end0 < end1 ? end0 : end1;
    if (from >= to) { /* the segments do not overlap: use all readings */
        from = 0;
        to = p->metrics[0]->count;
    }
    begin[0] = begin[1] = from;
    count[0] = count[1] = to - from;
    return 0;
}

/* Returns the ratio of the means. For harmonic means it is the inverse ratio of the means of
   1/x. */
static struct ratio ratio_of(const struct pair *p, const size_t begin[2], const size_t count[2],
                             struct arena *scratch)
{
    const struct ratio_config config = {p->sessions[0]->plan.statistics.confidence, p->once,
                                        p->in_turns, false};
    const double *x[2];
    bool harmonic = p->metrics[0]->kind == MEAN_HARMONIC;
    for (int i = 0; i < 2; i++) {
        x[i] = p->metrics[i]->readings + begin[i];
        if (!harmonic)
            continue;
        double *inverse = arena_alloc(scratch, count[i], sizeof *inverse);
        for (size_t k = 0; k < count[i]; k++)
            inverse[k] = 1 / x[i][k];
        x[i] = inverse;
    }
    return harmonic ? ratio_of_series(x[1], count[1], x[0], count[0], &config, scratch)
                    : ratio_of_series(x[0], count[0], x[1], count[1], &config, scratch);
}

static void take_ratio(const struct ratio *r, double confidence, double margin,
                       struct cupel_comparison *to)
{
    static const enum cupel_order orders[] = {[RATIO_UNDECIDED] = CUPEL_OPEN,
                                              [RATIO_ABOVE] = CUPEL_FIRST_HIGHER,
                                              [RATIO_BELOW] = CUPEL_SECOND_HIGHER,
                                              [RATIO_SAME] = CUPEL_SAME};
    *to = (struct cupel_comparison){.ratio = r->value,
                                    .low = r->low,
                                    .high = r->high,
                                    .confidence = confidence,
                                    .p_value = r->p_value,
                                    .p_any = r->p_any,
                                    .more = r->more_readings,
                                    .order = orders[ratio_judge(r, margin)]};
}

static int compare(struct pair *p, struct cupel_comparison *to, struct err *e)
{
    size_t begin[2] = {0}, count[2] = {0};
    struct arena scratch;
    if (find_segments(p, begin, count, e))
        return -1;
    size_t bytes = ratio_scratch_bytes(count[0], count[1]) + arena_bytes(count[0], sizeof(double)) +
                   arena_bytes(count[1], sizeof(double));
    if (arena_init_untouched(&scratch, bytes, e))
        return -1;
    struct ratio r = ratio_of(p, begin, count, &scratch);
    arena_free(&scratch);
    take_ratio(&r, p->sessions[0]->plan.statistics.confidence, p->margin, to);
    return 0;
}

int cupel_compare(const struct cupel_side *first, const struct cupel_side *second, double margin,
                  unsigned flags, struct cupel_comparison *comparison, struct cupel_error *error)
{
    struct err e;
    struct pair p = {.once = flags & CUPEL_ONE_LOOK};
    if (find_pair(&p, first, second, margin, &e) || compare(&p, comparison, &e))
        return library_fail(error, &e);
    return 0;
}

static int compare_baseline(struct cupel_session *s, struct library_metric *m,
                            const struct cupel_baseline *b, double margin,
                            struct cupel_comparison *to, struct err *e)
{
    const double confidence = s->plan.statistics.confidence;
    const struct ratio_config config = {.confidence = confidence, .once = true};
    struct arena scratch;
    if (!(b->mean > 0 && b->sd >= 0 && b->n >= 2 && isfinite(b->mean + b->sd + b->n)))
        return err_set(e, ERR_USAGE,
                       "a baseline of mean %g, sd %g and n %g: a mean above 0, a deviation from 0 "
                       "on and 2 readings are needed",
                       b->mean, b->sd, b->n);
    if (!(margin >= 0 && margin < 1))
        return err_set(e, ERR_USAGE, "a margin of %g: a share from 0 to below 1 is needed", margin);
    if (m->kind == MEAN_HARMONIC)
        return err_set(e, ERR_USAGE, "\"%s\": its mean is harmonic, and a baseline's is not",
                       m->name);
    if (!m->count)
        return err_set(e, ERR_USAGE, "\"%s\" has no readings", m->name);
    if (library_judge(s, m, e))
        return -1;
    const size_t begin = m->judgement.stable_begin, n = m->judgement.stable_end - begin;
    if (!(m->judgement.estimate.mean > 0))
        return err_set(e, ERR_USAGE, "\"%s\": the mean is %g; ratios need means above 0", m->name,
                       m->judgement.estimate.mean);
    if (arena_init_untouched(&scratch, ratio_scratch_bytes(n, n), e))
        return -1;
    const struct mean_summary own =
        mean_summary_of_series(m->readings + begin, n, &config, &scratch);
    const struct mean_summary other = mean_summary_of_spread(b->mean, b->sd, b->n);
    arena_free(&scratch);
    const struct ratio r = ratio_of_summaries(&own, &other, &config);
    take_ratio(&r, confidence, margin, to);
    return 0;
}

int cupel_compare_baseline(struct cupel_session *session, int metric,
                           const struct cupel_baseline *baseline, double margin,
                           struct cupel_comparison *comparison, struct cupel_error *error)
{
    struct err e;
    struct library_metric *m = library_metric_of(session, metric, &e);
    return m && !compare_baseline(session, m, baseline, margin, comparison, &e)
               ? 0
               : library_fail(error, &e);
}

/* ---- in turns ---- */

static int say_open(const struct pair *p, const struct cupel_comparison *c, struct err *e)
{
    char limit[UNITS_BUFFER];
    return err_set(
        e, ERR_UNDECIDED,
        "the limit of %s came: the ratio of \"%s\" and \"%s\" is %.4g to %.4g, which "
        "decides nothing",
        format_time(limit, sizeof limit, p->sessions[0]->plan.ending.limit_seconds * 1e9),
        p->metrics[0]->name, p->metrics[1]->name, c->low, c->high);
}

static int measure_in_turns(struct pair *p, struct library_rounds rounds[2],
                            struct cupel_comparison *c, struct err *e)
{
    const struct plan *plan = &p->sessions[0]->plan;
    uint64_t begin = clock_raw_ns();
    struct random random;
    random_seed(&random, begin, 0);
    if (library_trials(&rounds[0], e) || library_trials(&rounds[1], e))
        return -1;
    uint64_t first = clock_raw_ns();
    double look = FIRST_LOOK;
    for (uint64_t blocks = 1;; blocks++) {
        unsigned which = (unsigned)(random_u64(&random) >> 63);
        if (library_round(&rounds[which], e) || library_round(&rounds[!which], e))
            return -1;
        uint64_t now = clock_raw_ns();
        bool at_limit = (double)(now - begin) * 1e-9 >= plan->ending.limit_seconds;
        bool long_enough = (double)(now - first) * 1e-9 >= plan->ending.minimum_seconds;
        if (!at_limit && (!long_enough || (double)blocks < look))
            continue;
        if (compare(p, c, e))
            return -1;
        if (c->order != CUPEL_OPEN && long_enough)
            return 0;
        if (at_limit)
            return say_open(p, c, e);
        look = (double)blocks * GROWTH;
    }
}

static int check_turns(const struct library_rounds rounds[2], struct err *e)
{
    if (library_may_measure(&rounds[0], e) || library_may_measure(&rounds[1], e))
        return -1;
    if (rounds[0].session == rounds[1].session)
        return err_set(e, ERR_USAGE,
                       "two functions need two sessions, whose rounds have a work each");
    if (library_has_range(rounds[0].session) || library_has_range(rounds[1].session))
        return err_set(e, ERR_USAGE,
                       "rounds in turns do the same work each time: leave cupel_work_range out");
    return 0;
}

static void set_measuring(const struct library_rounds rounds[2], bool measuring)
{
    rounds[0].session->measuring = rounds[1].session->measuring = measuring;
}

int cupel_compare_rounds(const struct cupel_side *first, const struct cupel_side *second,
                         double margin, struct cupel_comparison *comparison,
                         struct cupel_error *error)
{
    struct err e;
    struct pair p = {.in_turns = true};
    struct library_rounds rounds[] = {
        {.session = first->session, .function = first->round, .context = first->context},
        {.session = second->session, .function = second->round, .context = second->context}};
    if (find_pair(&p, first, second, margin, &e) || check_turns(rounds, &e))
        return library_fail(error, &e);
    set_measuring(rounds, true);
    int status = measure_in_turns(&p, rounds, comparison, &e);
    set_measuring(rounds, false);
    return status ? library_fail(error, &e) : 0;
}
