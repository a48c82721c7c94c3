/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the limit of a session makes of simulated processes whose mean is known: one line a process,
 * with the share of each verdict and, of the sessions with that verdict, the share whose interval
 * holds the mean (of a walk: the mean of its readings). Readings of 10 ms, the preset `normal`, a
 * look each second.
 *
 *   limit_table [SEED [SESSIONS [LIMIT_SECONDS]]]
 *
 * No row passes or fails here: tests/unit/test_session_limit.c has the rule.
 */
#include <stdio.h>
#include <stdlib.h>

#include "facts/result.h"
#include "stat/basic/descriptive.h"
#include "stat/judge.h"
#include "stat/level_seen.h"
#include "tables/presets.h"
#include "tests/unit/simulated_memory.h"

#define READING_SECONDS 0.01

struct row {
    struct memory_process process;
    double spread; /* standard deviation of the readings, about a mean of 100 */
    double width;  /* asked for */
};

static const struct row rows[] = {
    {{"independent", MEMORY_AUTOREGRESSIVE, 0}, 30, 0.03},
    {{"AR(1) .5", MEMORY_AUTOREGRESSIVE, 0.5}, 30, 0.05},
    {{"AR(1) .9", MEMORY_AUTOREGRESSIVE, 0.9}, 10, 0.05},
    {{"Hurst .8", MEMORY_HURST, 0.8}, 10, 0.05},
    {{"levels of 2 s", MEMORY_LEVELS, 0.005}, 12.5, 0.10},
    {{"walk under noise", MEMORY_WALK, 0.02}, 5, 0.05},
};

static struct arena arena;
static double x[MEMORY_READINGS_MAX];

/* Runs a session on x until it ends, and stores its last judgement. Returns its verdict. */
static enum verdict run_session(const struct judge_config *config, size_t limit,
                                struct judgement *j)
{
    const struct stop_rule rule = judge_stop_rule(config);
    const size_t least = (size_t)(presets[1].minimum_seconds / READING_SECONDS),
                 second = (size_t)(1 / READING_SECONDS);
    struct level_looks looks = {0};
    for (size_t n = least < limit ? least : limit;; n = n + second < limit ? n + second : limit) {
        *j = judge(x, n, config, &arena);
        if (j->enough && j->stable_end == n)
            return VERDICT_PRECISE;
        const struct level_claim claim =
            level_seen(x, j, &j->estimate, j->required_n, &rule, READING_SECONDS, (double)limit);
        const bool in_vain = j->stable_end == n && level_out_of_reach(&claim, (double)limit),
                   ends = level_gives_up(&looks, in_vain, (double)n * READING_SECONDS);
        if (ends || n == limit)
            return verdict_of_level(in_vain ? VERDICT_BEST_POSSIBLE : VERDICT_LIMIT, j->level,
                                    j->held_back && j->stable_end == n);
    }
}

static void measure(const struct row *row, uint64_t seed, unsigned sessions, size_t limit)
{
    const struct judge_config config = {
        .changepoint = CHANGEPOINT_PELT,
        .estimate = {INTERVAL_SPECTRAL, 0.95, presets[1].autocorrelation_limit},
        .target_width = row->width,
        .minimum_subsessions = presets[1].minimum_subsessions,
        .higher_is_better = true,
        .stopping = true};
    unsigned ended[VERDICTS] = {0}, held[VERDICTS] = {0};
    for (unsigned session = 0; session < sessions; session++) {
        uint64_t state = seed + 7919 * (uint64_t)session;
        struct judgement j;
        memory_fill(x, limit, &row->process, &state);
        for (size_t i = 0; i < limit; i++)
            x[i] = 100 + row->spread * x[i];
        const enum verdict verdict = run_session(&config, limit, &j);
        const double mean = row->process.kind == MEMORY_WALK ? mean_of(x, j.stable_end) : 100;
        ended[verdict]++;
        held[verdict] += j.estimate.low <= mean && mean <= j.estimate.high;
    }
    printf("%-17s to %2.0f %%", row->process.name, 100 * row->width);
    for (int v = 0; v < VERDICTS; v++)
        if (ended[v])
            printf("  %s %.2f (%.2f hold)", verdict_name((enum verdict)v),
                   (double)ended[v] / sessions, (double)held[v] / ended[v]);
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const unsigned sessions = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
    const double seconds =
        fmin(argc > 3 ? strtod(argv[3], NULL) : 20, MEMORY_READINGS_MAX * READING_SECONDS / 2);
    if (arena_init(&arena, judge_scratch_bytes(MEMORY_READINGS_MAX), NULL))
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(&rows[i], seed, sessions, (size_t)(seconds / READING_SECONDS + 0.5));
    arena_free(&arena);
    return EXIT_SUCCESS;
}
