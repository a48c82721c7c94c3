/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges the unit readings of a session (Li et al., Pilot (2016), III): it takes the steady part of
 * each round, which change points show, joins these parts, and computes an interval that accounts
 * for autocorrelation.
 *
 * A program can have another level each time that it starts. So the interval is the wider one of
 * two: that of the readings, and that of the means of the rounds, with Student's t for this number
 * of rounds. As in the paper, one round is enough if its readings are. Its interval is then that of
 * this start of the program, as the report says, and nothing is predicted of the next start.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "program/exec/internal.h"
#include "stat/basic/distribution.h"

enum {
    POOL_MAX = 1 << 20,  /* readings of all rounds that are judged together; more are merged */
    TOTAL_MAX = 1 << 24, /* readings in memory; later rounds keep FEW each */
    FEW = 1024,
    EDM_MAX = 2048
};

void unit_session_free(struct unit_session *u)
{
    for (size_t i = 0; i < u->count; i++)
        free(u->copies[i]);
    for (size_t i = 0; i < u->index_count; i++)
        free(u->pooled[i]);
    free((void *)u->copies);
    free(u->list);
    judging_free(&u->judging);
    *u = (struct unit_session){0};
}

static int reserve(struct unit_session *u, struct err *e)
{
    size_t capacity = u->capacity;
    if (!array_grow(&u->list, sizeof *u->list, u->count, &capacity) ||
        !array_grow((void *)&u->copies, sizeof *u->copies, u->count, &u->capacity))
        return err_no_memory(e, "unit readings");
    return 0;
}

int unit_session_add(struct unit_session *u, const struct judge_config *common,
                     const struct execution_units *from, struct err *e)
{
    const struct exec_index *index = &u->indices[from->index];
    struct judge_config config = *common;
    if (reserve(u, e) || judging_reserve(&u->judging, from->n, u->index_count, e))
        return -1;
    double *copy = malloc(from->n * sizeof *copy);
    if (!copy)
        return err_no_memory(e, "unit readings");
    memcpy(copy, from->values, from->n * sizeof *copy);
    struct execution_units units = *from;
    units.values = copy;
    for (; u->total + units.n > TOTAL_MAX && units.n > FEW; units.n /= 2, units.merged *= 2)
        for (size_t i = 0; i < units.n / 2; i++)
            copy[i] = index_mean_of(index->type, copy + 2 * i, 2);
    config.higher_is_better = index->better == METRIC_BETTER_HIGHER;
    config.changepoints = NULL;
    if (config.changepoint == CHANGEPOINT_EDM && units.n > EDM_MAX)
        /* not EDM, which takes time proportional to the square of n */
        config.changepoint = CHANGEPOINT_PELT;
    struct judgement j = judge(copy, units.n, &config, &u->judging.scratch);
    units.stable_begin = j.stable_begin;
    units.stable_end = j.stable_end;
    units.steady = j.phase != PHASE_NO_STEADY_STATE;
    u->total += units.n;
    u->rounds += from->index == 0;
    u->copies[u->count] = copy;
    u->list[u->count++] = units;
    return 0;
}

/* ---- judging ---- */

/* Returns whether a round counts. A round without a steady part does not count, unless most rounds
   have none. */
static bool counts(const struct unit_session *u, const struct execution_units *r, size_t index)
{
    return r->index == index && (r->steady || u->most_unsteady[index]);
}

static size_t count_unsteady(const struct unit_session *u, size_t index)
{
    size_t unsteady = 0;
    for (size_t i = 0; i < u->count; i++)
        unsteady += u->list[i].index == index && !u->list[i].steady;
    return unsteady;
}

/* Returns how many readings are merged into one reading of the pool: at least as many as in the
   round that merged most, and enough for all readings to fit. */
static size_t pool_merge(const struct unit_session *u, size_t index, size_t *count)
{
    size_t merge = 1;
    for (size_t i = 0; i < u->count; i++)
        if (counts(u, &u->list[i], index) && u->list[i].merged > merge)
            merge = u->list[i].merged;
    for (;; merge *= 2) {
        *count = 0;
        for (size_t i = 0; i < u->count; i++) {
            const struct execution_units *r = &u->list[i];
            if (counts(u, r, index))
                *count += (r->stable_end - r->stable_begin) / (merge / r->merged);
        }
        if (*count <= POOL_MAX)
            return merge;
    }
}

static void fill_pool(const struct unit_session *u, size_t index, size_t merge, double to[])
{
    for (size_t i = 0; i < u->count; i++) {
        const struct execution_units *r = &u->list[i];
        if (!counts(u, r, index))
            continue;
        size_t group = merge / r->merged, groups = (r->stable_end - r->stable_begin) / group;
        for (size_t k = 0; k < groups; k++)
            *to++ = index_mean_of(u->indices[index].type, r->values + r->stable_begin + k * group,
                                  group);
    }
}

/* The mean over the means of rounds, weighted by their numbers of readings. For a harmonic mean,
   the means of rounds are means of 1/x. */
struct between {
    double mean, half; /* half width; infinite for fewer than two rounds */
    size_t rounds;
};

static struct between between_rounds(const struct unit_session *u, size_t index,
                                     const struct stop_rule *rule, bool stopping, double confidence)
{
    const enum index_type type = u->indices[index].type;
    double sum = 0, weight = 0, squares = 0;
    size_t k = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < u->count; i++) {
            const struct execution_units *r = &u->list[i];
            if (!counts(u, r, index))
                continue;
            size_t n = r->stable_end - r->stable_begin;
            double w = (double)(n * r->merged);
            double mean =
                index_mean_domain(type, index_mean_of(type, r->values + r->stable_begin, n));
            if (pass == 0) {
                sum += w * mean;
                weight += w;
                k++;
            } else {
                double off = w / weight * (mean - sum / weight);
                squares += off * off;
            }
        }
    struct between b = {sum / weight, INFINITY, k};
    if (k < 2)
        return b;
    double degrees = (double)k - 1;
    struct estimate unit = {.low = -1, .high = 1, .n = k, .effective_n = (double)k};
    b.half = student_t_quantile((1 + confidence) / 2, degrees) *
             sqrt((double)k / degrees * squares) * (stopping ? stop_widened(&unit, rule).high : 1);
    return b;
}

/* Gives the index the wider of both intervals, and decides whether the session may end with it. */
static void widen(struct execution_index *to, const struct exec_index *index,
                  const struct between *b, const struct judge_config *config, size_t min_rounds)
{
    const bool harmonic = index->type == INDEX_RATIO;
    const double ends[] = {b->mean - b->half, b->mean + b->half};
    double low = harmonic ? 1 / ends[1] : ends[0];
    double high = harmonic ? (ends[0] > 0 ? 1 / ends[0] : INFINITY) : ends[1];
    const bool share = index->type != INDEX_PROPORTION;
    if (b->rounds >= 2 && high - low > to->high - to->low) {
        to->low = share ? low : fmax(low, 0);
        to->high = share ? high : fmin(high, 1);
        to->effective_n = fmin(to->effective_n, (double)b->rounds);
        index_predict_from_interval(to);
    }
    if (b->rounds >= 2) {
        double width = (high - low) / (share ? fabs(to->value) : 1);
        to->width = isnan(width) ? INFINITY : fmax(to->width, width);
    }
    const double rounds = (double)b->rounds,
                 asked = to->target_width > 0 ? to->target_width : config->target_width;
    const double excess = to->width / asked;
    const double readings = to->required_n / (double)to->n;
    to->enough = to->enough && b->rounds >= min_rounds && excess <= 1;
    /* from here on required_n is a number of rounds, which the session counts */
    to->required_n = to->enough ? rounds
                                : fmax(ceil(rounds * fmax(readings, excess * excess)),
                                       fmax(rounds + 1, (double)min_rounds));
}

static int judge_index(struct unit_session *u, size_t i, const struct judge_config *common,
                       size_t min_rounds, struct err *e)
{
    struct judge_config config = *common;
    const struct exec_index *index = &u->indices[i];
    struct execution_index *to = &u->judged[i];
    u->most_unsteady[i] = 2 * count_unsteady(u, i) > u->rounds;
    size_t n, merge = pool_merge(u, i, &n), settled = 0;
    if (judging_reserve(&u->judging, n, u->index_count, e))
        return -1;
    double *pool = realloc(u->pooled[i], (n ? n : 1) * sizeof *pool);
    if (!pool)
        return err_no_memory(e, "unit readings");
    u->pooled[i] = pool;
    fill_pool(u, i, merge, pool);
    config.changepoint = CHANGEPOINT_NONE;
    config.minimum_readings = 0; /* the default: units of work are not as expensive as rounds */
    if (index->target_width > 0)
        config.target_width = index->target_width;
    index_judge(&u->judging, i, index, &config, pool, n, to);
    struct stop_rule rule = judge_stop_rule(&config);
    struct between b = between_rounds(u, i, &rule, config.stopping, config.estimate.confidence);
    widen(to, index, &b, &config, min_rounds);
    index_cut_at_zero(index, to);
    for (size_t k = 0; k < u->count; k++) {
        const struct execution_units *r = &u->list[k];
        settled += r->index == i && r->stable_end - r->stable_begin < r->n;
    }
    to->of_units = true;
    to->shift.found = false;
    to->claim = level_claim_unknown();
    to->changepoint_count = 0;
    to->phase = u->most_unsteady[i] ? phase_name(PHASE_NO_STEADY_STATE)
                : settled > 0       ? phase_name(PHASE_WARMUP)
                                    : phase_name(PHASE_FLAT);
    to->enough = to->enough && !u->most_unsteady[i];
    if (u->most_unsteady[i] || b.rounds < 2)
        to->next_low = to->next_high = NAN;
    return 0;
}

int unit_session_judge(struct unit_session *u, const struct judge_config *config, size_t min_rounds,
                       struct err *e)
{
    for (size_t i = 0; i < u->index_count && u->count > 0; i++)
        if (judge_index(u, i, config, min_rounds, e))
            return -1;
    return 0;
}

bool unit_session_is_precise(const struct unit_session *u)
{
    bool precise = true;
    for (size_t i = 0; i < u->index_count; i++)
        precise = precise && (!(u->indices[i].target_width > 0) || u->judged[i].enough);
    return precise;
}

void unit_session_notes(const struct unit_session *u, struct execution *x)
{
    size_t used = 0, all = 0, unsteady = 0, merged = 1;
    for (size_t i = 0; i < u->count; i++) {
        const struct execution_units *r = &u->list[i];
        if (r->index != 0)
            continue;
        used += counts(u, r, 0) ? (r->stable_end - r->stable_begin) * r->merged : 0;
        all += r->n * r->merged;
        unsteady += !r->steady;
        merged = r->merged > merged ? r->merged : merged;
    }
    if (!u->count)
        return;
    execution_note(
        x, false, "%zu of %zu unit readings count, of %zu round%s%s", used, all, u->rounds,
        u->rounds == 1 ? "" : "s",
        used == all ? "" : ": the others come before or after the steady part of their round");
    if (u->rounds == 1)
        execution_note(x, true,
                       "the unit readings are of one round: what differs from one start of the "
                       "program to the next is not in the interval; --min-samples 5 has it in");
    if (unsteady)
        execution_note(x, true, "%zu of %zu rounds have no steady part: %s", unsteady, u->rounds,
                       u->most_unsteady[0] ? "all their unit readings count"
                                           : "their unit readings do not count");
    if (merged > 1)
        execution_note(x, false,
                       "a round has so many unit readings that means of up to %zu neighbours are "
                       "kept in place of them",
                       merged);
}
