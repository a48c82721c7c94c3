/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the length of time slices: long enough for the rate, short enough for the intervals, and
   as long as the length of the session permits. */
#include <math.h>

#include "base/invariant.h"
#include "facts/clause.h"
#include "run/session/running.h"
#include "run/session/slice_length.h"

#define SLICE_MAX_SECONDS 2.0
#define SLICE_IOS         10.0
#define SLICE_IOS_MIN     2.0
#define SLICES_IN_LIMIT   12 /* the remaining time must contain at least this many slices */
/* Largest factor to the next shorter length: lengths are 1, 2, 5 x 10^k. */
#define SLICE_STEP 2.5
/* Longest batch of a long run in seconds, unless longer intervals are requested. */
#define PERIOD_OF_LONG_RUN 1.0

double slice_for_rate(double ios_per_second)
{
    static const double steps[] = {1, 2, 5, 10};
    if (ios_per_second <= SLICE_IOS / SLICE_MAX_SECONDS)
        return SLICE_MAX_SECONDS;
    double wanted = SLICE_IOS / ios_per_second, power = pow(10, floor(log10(wanted)));
    int i = 0;
    while (i < 3 && wanted > steps[i] * power * (1 + 1e-9))
        i++;
    return fmax(steps[i] * power, SLICE_MIN_SECONDS);
}

double slice_to_fit(double slice, double rate, double left)
{
    while (slice > SLICE_MIN_SECONDS && SLICES_IN_LIMIT * slice > left &&
           rate * slice >= SLICE_IOS_MIN * SLICE_STEP)
        slice = slice_for_rate(SLICE_IOS / slice * SLICE_STEP);
    return slice;
}

/* Returns the greatest common divisor of the interval of --interval and the intervals of the
   clauses of --sla. Batches must divide each of these intervals evenly. Returns 0 if there are no
   intervals. */
static uint64_t common_period_ns(const struct plan *plan)
{
    struct clauses limits = {0};
    struct err e;
    uint64_t common = (uint64_t)round(plan->statistics.period_seconds * 1e9);
    INVARIANT(!plan->ending.sla[0] || !clauses_parse_limits(&limits, plan->ending.sla, &e),
              "plan_check has parsed --sla");
    for (size_t i = 0; i < limits.count; i++)
        for (uint64_t other = limits.clause[i].period_ns; other;) { /* Euclid */
            uint64_t rest = common % other;
            common = other;
            other = rest;
        }
    return common;
}

double slice_for_clauses(double slice, const struct plan *plan)
{
    static const double steps[] = {2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};
    struct plan clauses_alone = *plan;
    clauses_alone.statistics.period_seconds = 0;
    const double period = (double)common_period_ns(&clauses_alone) * 1e-9;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && period > 0; i++) {
        double batches = period / (INTERVAL_SLICES * steps[i]);
        if (steps[i] <= slice * (1 + 1e-9) && batches > 1 - 1e-9 &&
            fabs(batches - round(batches)) < 1e-9)
            return steps[i];
    }
    return slice;
}

double slice_for_length(double slice, const struct plan *plan)
{
    static const double steps[] = {0.02, 0.05, 0.1, 0.2, 0.5, 1, 2};
    const double length = fmax(plan->ending.runtime_seconds, plan->ending.minimum_seconds);
    const double asked = (double)common_period_ns(plan) * 1e-9;
    const double period = asked > 0 ? asked : PERIOD_OF_LONG_RUN;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        double batches = period / (INTERVAL_SLICES * steps[i]);
        if (length <= MEASUREMENT_SLICES * slice || batches < 1 - 1e-9)
            break;
        if (steps[i] > slice && fabs(batches - round(batches)) < 1e-9)
            slice = steps[i];
    }
    return slice;
}

unsigned slice_span(const struct measurement *m, const struct plan *plan)
{
    static const unsigned spans[] = {200, 100, 50, 20, 10, 5, 2};
    const double asked = (double)common_period_ns(plan) * 1e-9;
    const double period = asked > 0 ? asked : PERIOD_OF_LONG_RUN;
    if (plan->ending.runtime_seconds > 0 || plan_is_one_pass(plan))
        return 1;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        double batches = period / (INTERVAL_SLICES * m->slice_seconds * spans[i]);
        if (spans[i] <= 1u << m->slice_fold && batches > 1 - 1e-9 &&
            fabs(batches - round(batches)) < 1e-9)
            return spans[i];
    }
    return 1;
}
