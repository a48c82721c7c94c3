/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judgement of a session: computes estimates from its slices. */
#include "run/result/session_judgement.h"

#include <math.h>
#include <string.h>

#include "source/generator/workload_spec_text.h"

bool judged_op_used(const struct plan *plan, int op)
{
    return op >= OPERATIONS || operation_set_has(plan_operations(plan), op);
}

enum slice_field { SLICE_IOS, SLICE_BYTES, SLICE_LATENCY };

static uint64_t slice_sum(const struct slice *s, int op, enum slice_field field)
{
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        const struct slice_op *one = &s->op[i];
        const uint64_t values[] = {
            [SLICE_IOS] = one->ios, [SLICE_BYTES] = one->bytes, [SLICE_LATENCY] = one->latency_ns};
        if (operation_is_of(op, i))
            sum += values[field];
    }
    return sum;
}

static void fill_sums(const struct measurement *m, int op, enum slice_field field, double to[])
{
    for (size_t i = 0; i < m->slice_count; i++)
        to[i] = (double)slice_sum(&m->slices[i], op, field);
}

static void fill_rates(const struct measurement *m, int op, enum slice_field field, double to[])
{
    for (size_t i = 0; i < m->slice_count; i++)
        to[i] =
            (double)slice_sum(&m->slices[i], op, field) / measurement_measured_seconds(m, i, i + 1);
}

static struct estimate rate_of(struct contents *c, const struct judged *j, int op,
                               enum slice_field field)
{
    const struct measurement *m = &c->measurement;
    double *x = c->series.numerator;
    fill_rates(m, op, field, x);
    struct judge_config config = plan_judge_config(&c->plan, true);
    const size_t begin = j->headline.stable_begin;
    struct estimate e =
        estimate_mean(x + begin, j->headline.stable_end - begin, &config.estimate, &c->scratch);
    estimate_take_parts(&e, x + begin, NULL, m->slice_count - begin);
    return e;
}

static struct estimate response_time_of(struct contents *c, const struct judged *j, int op)
{
    const struct measurement *m = &c->measurement;
    double *latency = c->series.numerator, *ios = c->series.denominator;
    fill_sums(m, op, SLICE_LATENCY, latency);
    fill_sums(m, op, SLICE_IOS, ios);
    struct judge_config config = plan_judge_config(&c->plan, false);
    size_t begin = j->headline.stable_begin;
    struct estimate e = estimate_ratio(latency + begin, ios + begin, j->headline.stable_end - begin,
                                       &config.estimate, &c->scratch);
    estimate_take_parts(&e, latency + begin, ios + begin, m->slice_count - begin);
    return e;
}

void judged_stretches(const struct contents *c, const struct judged *j, size_t *begin, size_t *end)
{
    const struct measurement *m = &c->measurement;
    double scale = (double)(1ull << m->slice_fold);
    double from = (double)j->headline.stable_begin * scale,
           to = (double)j->headline.stable_end * scale;
    /* Slices that do not yet fill a kept slice belong to the last kept slice. */
    bool to_the_end = j->headline.stable_end == m->slice_count;
    size_t n = measurement_stretches(m);
    *begin = n;
    *end = n;
    for (size_t i = 0; i < n; i++) {
        const struct stretch *s = measurement_stretch(m, i);
        double middle = ((double)s->begin + (double)s->end) / 2;
        if (middle < from || (middle >= to && !to_the_end))
            continue;
        if (*begin == n)
            *begin = i;
        *end = i + 1;
    }
}

struct estimate judged_efficiency(const struct judged *j, const struct watch *watch, int op)
{
    const double limit = op == OPERATION_WRITE ? watch->limit_write : watch->limit_read;
    struct estimate e = j->bandwidth[op];
    if (!(limit > 0) || !e.n)
        return (struct estimate){.mean = NAN,
                                 .low = -INFINITY,
                                 .high = INFINITY,
                                 .next_low = -INFINITY,
                                 .next_high = INFINITY};
    e.mean /= limit;
    e.low /= limit;
    e.high /= limit;
    e.next_low /= limit;
    e.next_high /= limit;
    e.sd /= limit;
    e.part_low /= limit;
    e.part_high /= limit;
    return e;
}

static bool is_still(const double series[], const struct judgement *j)
{
    for (size_t i = j->stable_begin; i < j->stable_end; i++)
        if (series[i] > 0)
            return false;
    return true;
}

/* Judges a series. If nothing completed in the segment that is judged stable, which is no level of
   the target, judges the whole series instead. */
static void judge_rate(struct contents *c, const double series[], size_t n,
                       struct judge_config *config, struct judged *out)
{
    out->headline = judge(series, n, config, &c->scratch);
    if (config->changepoint == CHANGEPOINT_NONE || !is_still(series, &out->headline))
        return;
    out->still_slices = out->headline.stable_end - out->headline.stable_begin;
    config->changepoint = CHANGEPOINT_NONE;
    out->headline = judge(series, n, config, &c->scratch);
}

void judge_headline(struct contents *c, struct judged *out)
{
    const struct measurement *m = &c->measurement;
    bool timed = plan_is_timed(&c->plan), one_pass = contents_is_one_pass(c);
    memset(out, 0, sizeof *out);
    out->slice_seconds = measurement_slice_seconds(m);
    out->any = m->slice_count > 0;
    if (!out->any)
        return;

    /* The series is the rate. For requests with due times it is the mean response time of each
       slice, or that of the slice before if nothing completed. */
    double *series = c->series.headline, last = 0;
    if (!timed)
        fill_rates(m, JUDGED_ALL, SLICE_IOS, series);
    for (size_t i = 0; timed && i < m->slice_count; i++) {
        uint64_t ios = slice_sum(&m->slices[i], JUDGED_ALL, SLICE_IOS);
        uint64_t sum = slice_sum(&m->slices[i], JUDGED_ALL, SLICE_LATENCY);
        if (ios)
            last = (double)sum / (double)ios;
        series[i] = last;
    }
    struct judge_config config = plan_judge_config(&c->plan, !timed);
    if (one_pass)
        config.changepoint = CHANGEPOINT_NONE;
    judge_rate(c, series, m->slice_count, &config, out);
    if (one_pass) {
        out->headline.stable_begin = 0;
        out->headline.stable_end = m->slice_count;
    }

    bool others = true;
    out->required_slices = out->headline.required_n;
    config = plan_judge_config(&c->plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    const struct estimate *slowest = &out->headline.estimate;
    for (int op = 0; op < OPERATIONS; op++) {
        if (!judged_op_used(&c->plan, op))
            continue;
        out->response_time[op] = response_time_of(c, out, op);
        others &= stop_now(&out->response_time[op], &rule);
        double required = stop_required_n(&out->response_time[op], &rule);
        if (required > out->required_slices) {
            out->required_slices = required;
            slowest = &out->response_time[op];
        }
    }
    out->enough = out->headline.enough && others;
    out->held_back = out->headline.held_back && others;
    out->claim = level_seen(series, &out->headline, slowest, out->required_slices, &rule,
                            out->slice_seconds, judged_limit_slices(c, out));
}

bool judged_is_widened(const struct judged *j)
{
    return j->enough || j->held_back;
}

double judged_limit_slices(const struct contents *c, const struct judged *j)
{
    return c->plan.ending.limit_seconds / j->slice_seconds;
}

void judged_claim_widths(struct judged *j, const struct result_clause clauses[], size_t count)
{
    double more = 0;
    for (size_t i = 0; i < count; i++)
        if (clauses[i].is_width && clauses[i].verdict == CLAUSE_UNDECIDED)
            more = fmax(more, clauses[i].more_seconds);
    j->claim.needed_readings = (double)j->claim.readings + more / j->slice_seconds;
    /* the width expected at the session's limit was computed for the headline; for this width it is
       unknown */
    j->claim.limit_width = NAN;
}

bool judged_widths_wait(const struct judged *j, const struct result_clause clauses[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (clauses[i].is_width && clauses[i].verdict != CLAUSE_PASSED)
            return false;
    const enum level_state level = j->headline.level;
    return j->any && (level == LEVEL_MOVES || level == LEVEL_CYCLES || j->headline.doubt);
}

double judged_pass_seconds(const struct contents *c)
{
    const struct measurement *m = &c->measurement;
    double seconds = m->round_count ? m->rounds[m->round_count - 1].seconds : 0;
    struct phases phases;
    struct err ignored;
    if (c->verdict != VERDICT_COMPLETE || !c->plan.phases[0] ||
        phases_parse(c->plan.phases, &phases, &ignored))
        return seconds;
    return fmax(seconds, (double)phases_length(&phases) * 1e-9);
}

static void forget_prediction(struct estimate *e)
{
    e->next_low = -INFINITY;
    e->next_high = INFINITY;
}

static void forget_interval(struct estimate *e)
{
    e->low = -INFINITY;
    e->high = INFINITY;
    forget_prediction(e);
    e->effective_n = e->confidence = NAN;
}

/* Takes sums over the whole time of a pass that is measured as a whole: its values are exact, not
   estimated. */
static void take_whole(const struct contents *c, struct judged *j)
{
    const struct measurement *m = &c->measurement;
    const struct round *pass = &m->rounds[m->round_count - 1];
    double seconds = judged_pass_seconds(c);
    for (int op = 0; op < JUDGED_OPS; op++) {
        double ios = (double)slice_sum(&pass->total, op, SLICE_IOS);
        double bytes = (double)slice_sum(&pass->total, op, SLICE_BYTES);
        double latency = (double)slice_sum(&pass->total, op, SLICE_LATENCY);
        j->iops[op].mean = ios / seconds;
        j->bandwidth[op].mean = bytes / seconds;
        j->response_time[op].mean = latency / ios;
        j->iops[op].n = j->bandwidth[op].n = j->response_time[op].n = (size_t)ios;
        forget_interval(&j->iops[op]);
        forget_interval(&j->bandwidth[op]);
        forget_interval(&j->response_time[op]);
    }
    struct slice all = m->partial; /* slices that do not fill a kept slice yet */
    for (size_t i = 0; i < m->slice_count; i++)
        slice_add(&all, &m->slices[i]);
    j->bps.mean = (double)all.asked_bytes / 512 / ((double)all.busy_ns * 1e-9);
    forget_interval(&j->bps);
}

/* Removes the predictions: a level that does not hold says nothing about the next session. */
static void forget_predictions(struct judged *j)
{
    for (int op = 0; op < JUDGED_OPS; op++) {
        forget_prediction(&j->iops[op]);
        forget_prediction(&j->bandwidth[op]);
        forget_prediction(&j->response_time[op]);
    }
    forget_prediction(&j->bps);
}

void judge_session(struct contents *c, struct judged *out)
{
    const struct measurement *m = &c->measurement;
    judge_headline(c, out);
    if (!out->any)
        return;
    struct judge_config config = plan_judge_config(&c->plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    const bool is_widened = judged_is_widened(out);
    for (int op = 0; op < JUDGED_OPS; op++) {
        if (!judged_op_used(&c->plan, op))
            continue;
        out->iops[op] = rate_of(c, out, op, SLICE_IOS);
        out->bandwidth[op] = rate_of(c, out, op, SLICE_BYTES);
        out->response_time[op] = response_time_of(c, out, op);
        if (is_widened) {
            out->iops[op] = stop_widened(&out->iops[op], &rule);
            out->bandwidth[op] = stop_widened(&out->bandwidth[op], &rule);
            out->response_time[op] = stop_widened(&out->response_time[op], &rule);
        }
    }
    /* BPS is the number of all blocks that were asked for, divided by all time with I/O in flight:
       B / T (He, Sun, Yin, BPS, 2013). */
    double *blocks = c->series.numerator, *busy = c->series.denominator;
    size_t begin = out->headline.stable_begin;
    for (size_t i = 0; i < m->slice_count; i++) {
        blocks[i] = (double)m->slices[i].asked_bytes / 512;
        busy[i] = (double)m->slices[i].busy_ns * 1e-9;
    }
    out->bps = estimate_ratio(blocks + begin, busy + begin, out->headline.stable_end - begin,
                              &config.estimate, &c->scratch);
    estimate_take_parts(&out->bps, blocks + begin, busy + begin, m->slice_count - begin);
    if (is_widened && c->plan.statistics.interval == INTERVAL_SPECTRAL)
        out->bps = stop_widened(&out->bps, &rule);
    if (contents_is_one_pass(c))
        take_whole(c, out);
    if (!judge_predicts(&out->headline))
        forget_predictions(out);
}
