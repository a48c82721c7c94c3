/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the steady-state rule of the PTS errs, and the interval of the drift beside it
 * (docs/accept.md): rounds about a level, independent noise of relative standard deviation `noise`,
 * while the level changes by `drift` of itself over every window of five rounds, or falls to its
 * end by half of what is left in every `half` rounds. The rule is looked at after every round, as a
 * test does, up to 25; the interval once, when the test ends. The same for the same seed.
 *
 *   steady_table [SEED [SERIES]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stat/steady/steady.h"
#include "tests/unit/simulated.h"

static const struct row {
    double noise, drift, fall, half; /* `fall`: the first level over the last, less 1 */
} rows[] = {
    {0.01, 0, 0, 0},    {0.03, 0, 0, 0},    {0.05, 0, 0, 0},    {0.10, 0, 0, 0},
    {0.15, 0, 0, 0},    {0.01, 0.05, 0, 0}, {0.03, 0.05, 0, 0}, {0.01, 0.12, 0, 0},
    {0.03, 0.12, 0, 0}, {0.05, 0.12, 0, 0}, {0.01, 0.20, 0, 0}, {0.03, 0.20, 0, 0},
    {0.05, 0.20, 0, 0}, {0.01, 0.30, 0, 0}, {0.03, 0.30, 0, 0}, {0.01, 0, 4, 1},
    {0.01, 0, 4, 3},    {0.03, 0, 4, 3},
};

/* What became of the series of a row. */
struct tally {
    size_t steady, verdicts[DRIFT_DRIFTING + 1];
    double rounds, error; /* sums over the steady ones; error: of the window's mean at that time */
};

static double level_at(const struct row *r, size_t i)
{
    double falling = r->half > 0 ? r->fall * pow(0.5, (double)i / r->half) : 0;
    return 100 * pow(1 - r->drift, (double)i / (STEADY_WINDOW - 1)) * (1 + falling);
}

static struct tally tally_of(const struct row *r, uint64_t seed, size_t series,
                             struct arena *scratch)
{
    struct tally t = {0};
    for (size_t s = 0; s < series; s++) {
        double y[STEADY_ROUNDS_MAX];
        for (size_t i = 0; i < STEADY_ROUNDS_MAX; i++)
            y[i] = level_at(r, i) * (1 + r->noise * simulated_normal(&seed));
        const double *const tracked[] = {y};
        size_t after = steady_after(tracked, 1, STEADY_ROUNDS_MAX);
        size_t rounds = after ? after : STEADY_ROUNDS_MAX;
        t.verdicts[drift_of(y, rounds, true, 0.95, scratch).verdict]++;
        if (!after)
            continue;
        t.steady++;
        t.rounds += (double)after;
        t.error += steady_window_of(y + after - STEADY_WINDOW).mean / level_at(r, 1000) - 1;
    }
    return t;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t series = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000;
    struct arena scratch;
    struct err e;
    if (arena_init(&scratch, drift_scratch_bytes(STEADY_ROUNDS_MAX), &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return 1;
    }
    printf("%6s %6s %5s %5s | %7s %7s %8s | %7s %9s %9s\n", "noise", "drift", "fall", "half",
           "steady", "rounds", "too high", "steady", "undecided", "drifting");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct tally t = tally_of(r, seed, series, &scratch);
        double n = (double)series / 100, steady = (double)t.steady;
        printf("%5.0f%% %5.0f%% %5.0f %5.0f | %6.1f%% %7.1f ", 100 * r->noise, 100 * r->drift,
               r->fall, r->half, steady / n, t.rounds / fmax(steady, 1));
        if (r->drift > 0 || !t.steady)
            printf("%8s ", "-");
        else
            printf("%7.1f%% ", 100 * t.error / steady);
        printf("| %6.1f%% %8.1f%% %8.1f%%\n", (double)t.verdicts[DRIFT_STEADY] / n,
               (double)t.verdicts[DRIFT_UNDECIDED] / n, (double)t.verdicts[DRIFT_DRIFTING] / n);
    }
    arena_free(&scratch);
    return 0;
}
