/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the ranks of the order statistics at the ends of an interval. */
#include "stat/estimate/percentile.h"

#include <math.h>
#include <stdio.h>

#include "stat/basic/distribution.h"

/* Relative difference below which probabilities count as equal, so that rounding does not move a
   rank. */
#define ROUNDING 1e-11

/* Searches the smallest k in [0, n] with P(K <= k) > tail, or >= tail, for K ~ Binomial(n, share).
 */
struct search {
    double n, share;
    double tail;
    bool beyond; /* > instead of >= */
};

static bool reached(const struct search *s, double k)
{
    double cdf = binomial_cdf(k, s->n, s->share);
    return s->beyond ? cdf > s->tail * (1 + ROUNDING) : cdf >= s->tail * (1 - ROUNDING);
}

/* Finds an interval that contains k by growing steps from the normal approximation, then bisects
   it. */
static double min_reached(const struct search *s)
{
    double sd = sqrt(s->n * s->share * (1 - s->share));
    double guess = floor(s->n * s->share + normal_quantile(s->tail) * sd);
    double step = 1 + floor(sd / 100), below = guess - step, at = guess + step;
    while (below >= 0 && reached(s, below)) {
        below -= step;
        step *= 2;
    }
    while (at < s->n && !reached(s, at)) {
        at += step;
        step *= 2;
    }
    below = fmax(below, -1);
    at = fmin(at, s->n);
    while (at - below > 1) {
        double middle = floor((below + at) / 2);
        if (reached(s, middle))
            at = middle;
        else
            below = middle;
    }
    return at;
}

bool percentile_ranks(double n, double share, double confidence, double *lower, double *upper)
{
    double tail = (1 - confidence) / 2;
    n = floor(n);
    if (!(n >= 1))
        return false;
    struct search low = {n, share, tail, true}, high = {n, share, 1 - tail, false};
    *lower = min_reached(&low);
    *upper = min_reached(&high) + 1;
    return *lower >= 1 && *upper <= n;
}

double percentile_min_n(double share, double confidence, bool two_sided)
{
    double tail = two_sided ? (1 - confidence) / 2 : 1 - confidence;
    double slower = two_sided ? fmax(share, 1 - share) : share;
    return ceil(log(tail) / log(slower) * (1 - ROUNDING));
}

void percentile_words(const struct percentile *p, double length, const char *unit, char words[],
                      size_t size)
{
    static const char *const reasons[] = {
        [PERCENTILE_LACKS_SAMPLES] = "too few independent samples",
        [PERCENTILE_LACKS_STRETCHES] = "the level wanders",
        [PERCENTILE_LACKS_STALLS] = "one stall decides it",
    };
    words[0] = 0;
    if (!p->lack && p->left_out > 0)
        snprintf(words, size, "without one stall of %.0f samples", p->left_out);
    if (!p->lack)
        return;
    double longer = (p->more - 1) * length;
    if (!isfinite(longer)) {
        snprintf(words, size, "no interval yet: %s", reasons[p->lack]);
        return;
    }
    /* rounded to two digits, because the estimate is rough */
    double digit = pow(10, floor(log10(fmax(longer, 1))) - 1);
    snprintf(words, size, "no interval yet: %s; about %.0f %s more", reasons[p->lack],
             ceil(longer / fmax(digit, 1)) * fmax(digit, 1), unit);
}
