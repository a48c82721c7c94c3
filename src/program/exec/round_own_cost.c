/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of measuring: rounds with and without measuring alternate, and every other pair
 * has the opposite order. Without measuring, the program's output goes to /dev/null, and cupel does
 * not look for processes that the program leaves running.
 */
#include <math.h>
#include <stdlib.h>

#include "program/exec/internal.h"
#include "stat/compare/ratio.h"

/* Returns the wall time of a round; NaN: it failed or was stopped. */
static double time_round(struct exec_session *s, struct exec *x, bool bare, uint64_t number,
                         double work, double end, struct err *e)
{
    struct exec_reading reading;
    const double shortest = 0.001;
    s->plan.program.seconds_left = fmax(end - process_now(), shortest);
    s->plan.program.bare = bare;
    int status = exec_round(x, number, work, &reading, e);
    s->plan.program.bare = false;
    return status || reading.stopped || reading.why ? NAN : reading.seconds;
}

int own_cost_measure(struct exec_session *s, struct exec *x, const volatile sig_atomic_t *stop,
                     double work, double seconds, struct err *e)
{
    const size_t pairs = (size_t)s->plan.overhead_pairs, min = 3;
    const double end = process_now() + seconds;
    struct ratio_config config = {
        .confidence = s->plan.config.estimate.confidence, .once = true, .paired = true};
    struct arena scratch;
    struct err failed;
    size_t bytes = ratio_scratch_bytes(pairs, pairs) + 2 * arena_bytes(pairs, sizeof(double));
    if (arena_init_untouched(&scratch, bytes, e))
        return -1;
    double *with = arena_alloc(&scratch, pairs, sizeof *with);
    double *without = arena_alloc(&scratch, pairs, sizeof *without);
    size_t n = 0;
    uint64_t number = s->series.round_count + 1;
    /* A pair with a failed or stopped round is left out. Up to twice as many pairs are tried. */
    for (size_t tried = 0; n < pairs && tried < 2 * pairs && !*stop; tried++, number += 2) {
        bool first = n % 2;
        double a = time_round(s, x, first, number, work, end, &failed);
        double b = time_round(s, x, !first, number + 1, work, end, &failed);
        if (process_now() > end)
            break;
        if (isnan(a) || isnan(b))
            continue;
        with[n] = first ? b : a;
        without[n++] = first ? a : b;
    }
    if (n >= min) {
        struct ratio r = ratio_of_series(with, n, without, n, &config, &scratch);
        if (isfinite(r.value) && isfinite(r.low) && isfinite(r.high))
            s->own_cost = (struct execution_cost){n, r.value - 1, r.low - 1, r.high - 1};
    }
    arena_free(&scratch);
    return 0;
}
