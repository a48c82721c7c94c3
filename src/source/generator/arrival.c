/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws gaps between arrivals, and lengths of time, by inversion where there is a closed form; and
   computes the arrivals of a stream. */
#include "source/generator/internal.h"

#include <math.h>

#define PI 3.14159265358979323846

double random_exponential(struct random *r)
{
    return -log1p(-random_unit(r));
}

/*
 * A normal variable with mean mu and standard deviation sd that is cut off at 0 has a larger mean:
 * mu (1 + c phi(1/c) / Phi(1/c)), with c = sd / mu, the normal density phi and its integral Phi
 * (Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 1, 1994, chapter 13). Returns
 * the factor that makes the mean 1 again.
 */
static double normal_scale(double c)
{
    double x = 1 / c, term = x, sum = x;
    if (x > 10)
        return 1; /* the exact factor rounds to 1 */
    for (int odd = 3; term > sum * 1e-17; odd += 2)
        /* Series of the normal distribution function: Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/(3 5)
           + ...) */
        sum += term *= x * x / odd;
    double density = exp(-x * x / 2) / sqrt(2 * PI);
    return 1 / (1 + c * density / (0.5 + density * sum));
}

void arrival_init(struct arrival *a, const struct arrival_spec *spec)
{
    double parameter = spec->parameter;
    *a = (struct arrival){.kind = spec->kind, .scale = 1};
    if (spec->kind == ARRIVAL_NORMAL) {
        a->spread = parameter;
        a->scale = normal_scale(parameter);
    } else if (spec->kind == ARRIVAL_PARETO) {
        a->spread = -1 / parameter;
        a->scale = (parameter - 1) / parameter;
    } else if (spec->kind == ARRIVAL_BURST) {
        a->burst = (unsigned)parameter;
        a->scale = (double)a->burst;
    }
}

void arrival_begin(struct arrival *a)
{
    a->others = 0;
}

double arrival_gap(struct arrival *a, struct random *r)
{
    double gap;
    switch (a->kind) {
    case ARRIVAL_POISSON:
        return random_exponential(r);
    case ARRIVAL_NORMAL:
        do {
            /* Method of Box and Muller (1958); only one number of the pair is used */
            double radius = sqrt(2 * random_exponential(r));
            gap = 1 + a->spread * (radius * cos(2 * PI * random_unit(r)));
        } while (gap < 0);
        return a->scale * gap;
    case ARRIVAL_PARETO:
        return a->scale * pow(1 - random_unit(r), a->spread);
    case ARRIVAL_BURST:
        if (a->others) {
            a->others--;
            return 0;
        }
        a->others = a->burst - 1;
        return a->scale * random_exponential(r);
    case ARRIVAL_UNIFORM:
    case ARRIVAL_KINDS:
        break;
    }
    return 1;
}

uint64_t duration_draw(const struct duration_spec *duration, struct random *r)
{
    switch (duration->kind) {
    case DURATION_FIXED:
        return duration->ns;
    case DURATION_EXPONENTIAL:
        return (uint64_t)((double)duration->ns * random_exponential(r) + 0.5);
    case DURATION_UNIFORM:
        return random_below(r, duration->ns + 1);
    case DURATION_NONE:
        break;
    }
    return 0;
}

/* ---- the arrivals of a stream ---- */

int arrivals_init(struct arrivals *a, const struct stream *s, const struct phases *phases,
                  struct err *e)
{
    if (!phases->count || s->spec->rate_share <= 0)
        return err_set(e, ERR_USAGE, "it has no rate: give one with --rate_iops");
    *a = (struct arrivals){.phases = phases, .first = -1};
    arrival_init(&a->gaps, &s->spec->arrival);
    a->scale = stream_spec_requests(s->spec) * (double)s->copies / s->spec->rate_share;
    /* The equal gaps of all copies interleave to smaller equal gaps. The first arrival is half a
       gap after the beginning, so that a time of n gaps has n arrivals. */
    if (arrival_is_even(&a->gaps))
        a->first = (s->copy + 0.5) / s->copies;
    return 0;
}

void arrivals_begin(struct arrivals *a)
{
    arrival_begin(&a->gaps);
    phase_walk_begin(&a->walk, a->phases);
    a->begun = false;
}

bool arrivals_next(struct arrivals *a, struct random *r, uint64_t *at_ns)
{
    double gap = !a->begun && a->first >= 0 ? a->first : arrival_gap(&a->gaps, r);
    a->begun = true;
    return phase_walk_on(&a->walk, gap * a->scale, at_ns);
}
