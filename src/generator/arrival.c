/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaps between arrivals and lengths of time, by inversion where there is a closed form. */
#include "generator/internal.h"

#include <math.h>

#define PI 3.14159265358979323846

double random_exponential(struct random *r)
{
    return -log1p(-random_unit(r));
}

/*
 * A normal variable cut off at 0 has a mean above that of the whole: mu (1 + c phi(1/c) / Phi(1/c))
 * with c = sd over mu (Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 1, 1994,
 * chapter 13). Divided by it, the mean is 1 again.
 */
static double normal_scale(double c)
{
    double x = 1 / c, term = x, sum = x;
    if (x > 10)
        return 1; /* to the last bit */
    for (int odd = 3; term > sum * 1e-17; odd += 2)
        sum += term *= x * x / odd; /* Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...) */
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

/* Box and Muller (1958), one of the pair. */
static double normal(struct random *r)
{
    double radius = sqrt(2 * random_exponential(r));
    return radius * cos(2 * PI * random_unit(r));
}

static double normal_gap(const struct arrival *a, struct random *r)
{
    double gap;
    do {
        gap = 1 + a->spread * normal(r);
    } while (gap < 0);
    return a->scale * gap;
}

static double burst_gap(struct arrival *a, struct random *r)
{
    if (a->others) {
        a->others--;
        return 0;
    }
    a->others = a->burst - 1;
    return a->scale * random_exponential(r);
}

double arrival_gap(struct arrival *a, struct random *r)
{
    switch (a->kind) {
    case ARRIVAL_POISSON:
        return random_exponential(r);
    case ARRIVAL_NORMAL:
        return normal_gap(a, r);
    case ARRIVAL_PARETO:
        return a->scale * pow(1 - random_unit(r), a->spread);
    case ARRIVAL_BURST:
        return burst_gap(a, r);
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
