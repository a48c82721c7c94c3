/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws ranks by Zipf's law (rejection-inversion), and maps ranks to places far apart. */
#include "source/generator/internal.h"

#include <math.h>

/*
 * Returns the integral of t^-theta from 1 to x; the next function inverts it. expm1 and log1p keep
 * both accurate near theta 1.
 */
static double integral(const struct zipf *z, double x)
{
    double logarithm = log(x), exponent = 1 - z->theta;
    return exponent == 0 ? logarithm : expm1(exponent * logarithm) / exponent;
}

static double inverse(const struct zipf *z, double y)
{
    double exponent = 1 - z->theta;
    if (exponent == 0)
        return exp(y);
    double t = fmax(y * exponent, -1); /* rounding may give a value just below -1 */
    return exp(log1p(t) / exponent);
}

static double weight(const struct zipf *z, double x)
{
    return exp(-z->theta * log(x));
}

void zipf_init(struct zipf *z, uint64_t n, double theta)
{
    *z = (struct zipf){.theta = theta, .last = (double)n};
    z->upper = integral(z, z->last + 0.5);
    z->lower = integral(z, 1.5) - 1;
    z->sure = 2 - inverse(z, integral(z, 2.5) - weight(z, 2));
}

uint64_t zipf_rank(const struct zipf *z, struct random *r)
{
    for (;;) {
        double u = z->upper + random_unit(r) * (z->lower - z->upper);
        double x = inverse(z, u);
        double k = fmin(fmax(floor(x + 0.5), 1), z->last);
        if (k - x <= z->sure || u >= integral(z, k + 0.5) - weight(z, k))
            return (uint64_t)k - 1;
    }
}

void scatter_init(struct scatter *s, uint64_t n, struct random *key)
{
    /* exponent of the smallest power of two that is at least n */
    unsigned bits = n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 1;
    *s = (struct scatter){.n = n, .shift = (bits + 1) / 2};
    s->mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
    s->multiplier[0] = random_u64(key) | 1;
    s->multiplier[1] = random_u64(key) | 1;
    s->offset = random_u64(key);
}

uint64_t scatter_of(const struct scatter *s, uint64_t rank)
{
    /*
     * Each of these steps maps the numbers within `mask` one-to-one: an odd factor, an addition,
     * the upper half XORed onto the lower. A result of n or more is mapped again, so that the whole
     * mapping of [0, n) is still one-to-one.
     */
    uint64_t x = rank;
    do {
        x = (x * s->multiplier[0] + s->offset) & s->mask;
        x ^= x >> s->shift;
        x = (x * s->multiplier[1]) & s->mask;
        x ^= x >> s->shift;
    } while (x >= s->n);
    return x;
}
