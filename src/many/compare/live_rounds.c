/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs blocks of rounds, and judges after each block. */
#include "many/compare/live_rounds.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"

#define SHORTEST_ROUND 1.0
#define ROUND_SHARE    0.05 /* longest round, as a share of the limit */
/* minimum number of blocks if all are alike: they miss an event in 1 of 10 with a chance of 4 % */
#define ALIKE_BLOCKS 30

struct live {
    const struct live_request *request;
    struct comparison *comparison;
    struct live_round *rounds; /* [alternatives], the rounds of the current block */
    double began, round_seconds, setup_seconds;
    uint64_t block, counted;
    uint64_t failures, failed_blocks; /* blocks with a failed round: in a row, and in all */
    uint64_t left_out;                /* blocks with a left-out round, which were begun again */
    /* source and reason of the last round that was left out: "exec -- a: cupel was stopped for
       ..." */
    char left_out_by[200];
    bool limit_came; /* the limit came in the middle of a round */
    bool backlog;    /* the last failure is a target that did not keep up */
    struct random random;
};

/* ---- one block ---- */

static void order_block(struct live *l, size_t order[])
{
    size_t live = 0, count = l->request->count;
    bool backward = l->request->config->fixed_order && l->block % 2;
    for (size_t i = 0; i < count; i++) {
        size_t which = backward ? count - 1 - i : i;
        if (l->request->sources[which])
            order[live++] = which;
    }
    for (size_t i = live; i > 1 && !l->request->config->fixed_order; i--) {
        size_t k = random_below(&l->random, i), held = order[i - 1];
        order[i - 1] = order[k];
        order[k] = held;
    }
}

static void show(const struct live *l, size_t which)
{
    const struct live_request *r = l->request;
    struct live_progress now = {
        l->block, r->sources[which]->name, seconds_of_clock(CLOCK_MONOTONIC) - l->began,
        r->config->limit_seconds, l->comparison->quantity_count ? l->comparison : NULL};
    if (r->progress)
        r->progress(r->context, &now);
}

static void note_failure(struct live *l, const struct live_source *source, const char *why)
{
    struct comparison *c = l->comparison;
    int begun = l->block ? snprintf(c->failure, sizeof c->failure, "block %llu, ",
                                    (unsigned long long)l->block)
                         : snprintf(c->failure, sizeof c->failure, "the trial block, ");
    snprintf(c->failure + begun, sizeof c->failure - (size_t)begun, "%.60s: %.110s", source->name,
             why);
    l->failures++;
    l->failed_blocks++;
}

/* Fails a round with a backlog, which has no response times, unless it has the requested metric, a
   rate. */
static void check_backlog(struct live *l, struct live_round *round)
{
    const char *metric = l->request->config->metric;
    bool found = false;
    for (size_t i = 0; i < round->count; i++)
        found |= !strcmp(round->values[i].metric, metric);
    if (!round->backlog || round->why[0] || found)
        return;
    l->backlog = true;
    snprintf(round->why, sizeof round->why, "%s", result_backlog_words);
}

enum block_end {
    BLOCK_GOOD,     /* all rounds gave readings */
    BLOCK_BAD,      /* a round failed, or a signal or the limit came */
    BLOCK_LEFT_OUT, /* a round was left out, so the block begins again */
};

/* Runs a block. -1: no more rounds are possible. */
static int run_block(struct live *l, enum block_end *end, struct err *e)
{
    const struct live_request *r = l->request;
    size_t order[COMPARISON_ALTERNATIVES] = {0}, live = 0;
    uint64_t seed = random_u64(&l->random);
    *end = BLOCK_BAD;
    for (size_t i = 0; i < r->count; i++)
        live += r->sources[i] != NULL;
    order_block(l, order);
    for (size_t i = 0; i < live; i++) {
        struct live_source *source = r->sources[order[i]];
        struct live_round *round = &l->rounds[order[i]];
        double begin = seconds_of_clock(CLOCK_MONOTONIC);
        *round = (struct live_round){.seconds_left = r->config->limit_seconds - (begin - l->began)};
        if (!(round->seconds_left > 0))
            return 0;
        show(l, order[i]);
        if (source->round(source->state, l->block, seed, l->round_seconds, round, e))
            return -1;
        l->limit_came = round->stopped && !*r->stop;
        if (round->stopped || *r->stop)
            return 0;
        if (round->left_out) {
            l->left_out++;
            snprintf(l->left_out_by, sizeof l->left_out_by, "%.60s: %.110s", source->name,
                     round->why);
            *end = BLOCK_LEFT_OUT;
            return 0;
        }
        check_backlog(l, round);
        if (round->why[0]) {
            note_failure(l, source, round->why);
            return 0;
        }
        double setup = seconds_of_clock(CLOCK_MONOTONIC) - begin - round->measured_seconds;
        l->setup_seconds = fmax(l->setup_seconds, setup);
    }
    l->failures = 0;
    *end = BLOCK_GOOD;
    return 0;
}

/* ---- readings ---- */

static struct compare_quantity *quantity_of(struct compare_alternative *a,
                                            const struct live_value *v, struct err *e)
{
    for (size_t i = 0; i < a->count; i++)
        if (!strcmp(a->quantities[i].metric, v->metric))
            return &a->quantities[i];
    struct compare_quantity *q = compare_add(a, e);
    if (!q)
        return NULL;
    memcpy(q->metric, v->metric, sizeof q->metric);
    memcpy(q->unit, v->unit, sizeof q->unit);
    q->kind = v->kind;
    q->has_unit = v->has_unit;
    q->higher_is_better = v->higher_is_better;
    q->harmonic = v->harmonic;
    q->in_blocks = true;
    q->values = calloc(LIVE_BLOCKS_MAX, sizeof *q->values);
    if (!q->values)
        err_no_memory(e, "readings");
    return q->values ? q : NULL;
}

/* A quantity that is missing from a block is dropped, since its readings have no partners. */
static void drop_incomplete(struct compare_alternative *a, uint64_t blocks)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->quantities[i].n == blocks)
            a->quantities[kept++] = a->quantities[i];
        else
            free(a->quantities[i].values);
    }
    a->count = kept;
}

/* Refuses a value that has no ratios, if the verdict is about its metric: the verdict must not
   silently be about another metric instead. */
static int check_value(const struct live *l, size_t source, size_t place, struct err *e)
{
    const struct live_value *v = &l->rounds[source].values[place];
    const bool judged = l->request->config->metric[0] || place == 0;
    if (v->value > 0 || !judged)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%.200s: %s is %g in block %llu: ratios need values above 0; --metric compares "
                   "another one",
                   l->request->sources[source]->name, v->metric, v->value,
                   (unsigned long long)l->counted + 1);
}

static int take_block(struct live *l, struct err *e)
{
    const struct live_request *r = l->request;
    for (size_t i = 0; i < r->count; i++) {
        const struct live_round *round = &l->rounds[i];
        if (!r->sources[i])
            continue;
        for (size_t k = 0; k < round->count; k++) {
            const struct live_value *v = &round->values[k];
            if (r->config->metric[0] && strcmp(r->config->metric, v->metric) != 0)
                continue;
            if (check_value(l, i, k, e))
                return -1;
            if (!(v->value > 0))
                continue;
            struct compare_quantity *q = quantity_of(&r->alternatives[i], v, e);
            if (!q)
                return -1;
            if (q->n == l->counted)
                q->values[q->n++] = v->value;
        }
        drop_incomplete(&r->alternatives[i], l->counted + 1);
        if (!r->alternatives[i].count)
            return err_set(e, ERR_USAGE, "%s: its rounds have no%s%s", r->sources[i]->name,
                           r->config->metric[0] ? " metric " : " metric that all of them have",
                           r->config->metric);
    }
    l->counted++;
    return 0;
}

/* ---- looks ---- */

static bool is_precise(const struct comparison_quantity *q, double width)
{
    for (size_t i = 0; i < q->side_count && width > 0; i++)
        if (!((q->sides[i].high - q->sides[i].low) <= width * q->sides[i].mean))
            return false;
    return true;
}

/* Returns true if an interval has no width because all rounds are equal. Rare events may not have
   occurred yet. */
static bool are_all_alike(const struct comparison_quantity *q)
{
    const double rounding = 1e-9;
    for (size_t i = 0; i < q->pair_count; i++)
        if (q->pairs[i].high - q->pairs[i].low <= rounding * q->pairs[i].ratio)
            return true;
    return false;
}

static bool is_decided(const struct live *l)
{
    const struct comparison_quantity *q = &l->comparison->quantities[0];
    if (!is_precise(q, l->request->config->target_width) ||
        (l->counted < ALIKE_BLOCKS && are_all_alike(q)))
        return false;
    if (l->comparison->expected)
        return l->comparison->expectation.verdict != CLAUSE_UNDECIDED;
    for (size_t i = 0; i < q->pair_count; i++)
        if (q->pairs[i].verdict == COMPARISON_UNDECIDED)
            return false;
    return true;
}

static int look(struct live *l, struct err *e)
{
    const struct live_request *r = l->request;
    char failure[sizeof l->comparison->failure];
    memcpy(failure, l->comparison->failure, sizeof failure);
    comparison_free(l->comparison);
    if (compare_judge(l->comparison, r->alternatives, r->count, &r->config->compare, e))
        return -1;
    memcpy(l->comparison->failure, failure, sizeof failure);
    l->comparison->blocks = l->counted;
    return 0;
}

/* Chooses rounds at least as long as set-up, which then takes at most half of the time. */
static void choose_length(struct live *l)
{
    const struct live_config *config = l->request->config;
    double longest = fmax(SHORTEST_ROUND, ROUND_SHARE * config->limit_seconds);
    l->round_seconds = config->round_seconds > 0
                           ? config->round_seconds
                           : fmin(fmax(SHORTEST_ROUND, l->setup_seconds), longest);
}

static bool has_ended(struct live *l, enum comparison_ending *ending)
{
    const struct live_request *r = l->request;
    if (*r->stop)
        *ending = COMPARISON_INTERRUPTED;
    else if (l->failures == LIVE_FAILURES)
        *ending = COMPARISON_FAILED;
    else if (l->counted > 0 && is_decided(l))
        *ending = COMPARISON_DECIDED;
    else if (l->limit_came ||
             seconds_of_clock(CLOCK_MONOTONIC) - l->began >= r->config->limit_seconds ||
             l->counted == LIVE_BLOCKS_MAX)
        *ending = COMPARISON_LIMIT;
    else
        return false;
    return true;
}

static int run_blocks(struct live *l, struct err *e)
{
    enum comparison_ending ending = COMPARISON_LIMIT;
    enum block_end end;
    int status = 0;
    while (!has_ended(l, &ending)) {
        status = run_block(l, &end, e);
        if (status)
            break;
        if (end == BLOCK_LEFT_OUT)
            continue;
        if (l->block++ == 0)
            choose_length(l);
        else if (end == BLOCK_GOOD && (take_block(l, e) || look(l, e)))
            return -1;
    }
    if (status && l->counted) {
        ending = COMPARISON_FAILED;
        snprintf(l->comparison->failure, sizeof l->comparison->failure, "%.190s", e->msg);
    } else if (status) {
        return -1;
    }
    if (!l->counted && l->comparison->failure[0])
        return err_set(e, l->backlog ? ERR_UNDECIDED : ERR_TARGET, "%s", l->comparison->failure);
    if (!l->counted && ending == COMPARISON_INTERRUPTED)
        return err_set(e, ERR_UNDECIDED, "stopped by a signal before a block of rounds counted");
    if (!l->counted)
        return err_set(e, ERR_UNDECIDED,
                       "the limit came before the end of the first block of rounds that counts, "
                       "which comes after a trial block: --limit has to be longer than two rounds "
                       "of every plan take");
    l->comparison->ending = ending;
    l->comparison->failed_blocks = l->failed_blocks;
    if (l->left_out)
        comparison_note(l->comparison, false, "%llu block%s begun again; the last time: %s",
                        (unsigned long long)l->left_out, l->left_out == 1 ? " was" : "s were",
                        l->left_out_by);
    return 0;
}

int live_compare(struct comparison *comparison, const struct live_request *request, struct err *e)
{
    const struct live_config *config = request->config;
    struct live l = {.request = request,
                     .comparison = comparison,
                     .rounds = calloc(request->count, sizeof *l.rounds),
                     .began = seconds_of_clock(CLOCK_MONOTONIC),
                     .round_seconds =
                         config->round_seconds > 0 ? config->round_seconds : SHORTEST_ROUND};
    *comparison = (struct comparison){0};
    if (!l.rounds)
        return err_no_memory(e, "rounds");
    random_seed(&l.random, config->seed, 0);
    int status = run_blocks(&l, e);
    comparison->order = config->fixed_order ? COMPARISON_FIXED : COMPARISON_RANDOM;
    comparison->seed = config->seed;
    free(l.rounds);
    if (status)
        comparison_free(comparison);
    return status;
}
