/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slow movements are detected, and series without one are not called slow. */
#include "stat/estimate/slow_end.h"

#include "tests/unit/check.h"
#include "tests/unit/simulated.h"

#define COUNT 1000
#define RUNS  300

static struct arena arena;
static double x[COUNT];

/* Returns the share of series that move: noise of 1 with AR(1) rho, plus a walk with steps of
   `step` and a line that rises by `rise` in all. */
static double share_that_moves(size_t n, double rho, double step, double rise)
{
    const struct estimate_config config = {INTERVAL_SPECTRAL, 0.95, 0.2};
    uint64_t seed = 28;
    size_t moves = 0;
    for (int run = 0; run < RUNS; run++) {
        double walk = 0;
        simulated_ar1(x, n, rho, &seed);
        for (size_t i = 0; i < n; i++) {
            walk += step * simulated_normal(&seed);
            x[i] += 100 + walk + rise * (double)i / (double)n;
        }
        const struct estimate e = estimate_mean(x, n, &config, &arena);
        moves += slow_end_moves(x, &e);
    }
    printf("%zu readings, AR(1) %g, steps of %g, rise of %g: %.3f\n", n, rho, step, rise,
           (double)moves / RUNS);
    return (double)moves / RUNS;
}

int main(void)
{
    CHECK_INT(arena_init(&arena, estimate_scratch_bytes(COUNT), NULL), 0);
    CHECK(share_that_moves(100, 0, 0, 0) <= 0.12);
    CHECK(share_that_moves(500, 0, 0, 0) <= 0.12);
    CHECK(share_that_moves(1000, 0.5, 0, 0) <= 0.12);
    CHECK(share_that_moves(1000, 0.9, 0, 0) <= 0.12);
    CHECK(share_that_moves(500, 0, 0.05, 0) >= 0.6);
    CHECK(share_that_moves(1000, 0, 0.05, 0) >= 0.75);
    CHECK(share_that_moves(500, 0, 0, 1) >= 0.9);

    /* Equal readings do not move. */
    for (size_t i = 0; i < COUNT; i++)
        x[i] = 7;
    const struct estimate_config config = {INTERVAL_SPECTRAL, 0.95, 0.2};
    const struct estimate e = estimate_mean(x, COUNT, &config, &arena);
    CHECK(!slow_end_moves(x, &e));
    arena_free(&arena);
    return check_result();
}
