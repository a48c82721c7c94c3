/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the rates of the probes of a search, and sums up their results. */
#include "stat/estimate/rate_search.h"

#include <math.h>

/* The first probe's share of the saturation: most limits are exceeded between half of it and all of
   it. */
#define FIRST_SHARE 0.7
/* The lowest rate that is tried, as a share of the saturation. */
#define LOWEST_SHARE 0.01
/* A probe whose rate is at most this factor above the lowest rate counts as a probe at the lowest
   rate, because rates are usually rounded. */
#define LOWEST_ROUNDED 1.01
/* The distance of a probe from the estimated rate, in units of the required width: one probe on
   each side leaves an interval narrower than the wanted width. */
#define BESIDE 0.4
/* The distance of later probes from an undecided probe, in the same unit. */
#define APART     (0.75 * BESIDE)
#define APART_MIN (APART / 10)
/* For a queue, ln(response time) plotted over -ln(1 - utilisation) is a line of slope 1. This prior
   knowledge has the weight of PRIOR_WEIGHT probes. */
#define PRIOR_WEIGHT 0.3
/* Larger utilisations are treated as this one, because ln(1 - utilisation) is no longer informative
   there. */
#define UTILISATION_MAX 0.995

#define EARLY_PROBES 8
#define EARLY_SHARE  0.1

double rate_search_alpha(double alpha, size_t index)
{
    if (index < EARLY_PROBES)
        return EARLY_SHARE * alpha;
    return (1 - EARLY_PROBES * EARLY_SHARE) / (RATE_PROBES_MAX - EARLY_PROBES) * alpha;
}

bool rate_search_add(struct rate_search *search, const struct rate_probe *probe)
{
    if (search->count == RATE_PROBES_MAX)
        return false;
    search->probe[search->count++] = *probe;
    return true;
}

/* Returns the saturation rate that follows from the probes. When a probe failed and has no margin,
   requests piled up, so the target saturates at the probe's rate. */
static double saturation_of(const struct rate_search *s)
{
    double saturation = s->saturation;
    for (size_t i = 0; i < s->count; i++)
        if (s->probe[i].verdict == RATE_FAILS && !isfinite(s->probe[i].margin))
            saturation = fmin(saturation, s->probe[i].rate);
    for (size_t i = 0; i < s->count; i++)
        if (s->probe[i].verdict == RATE_HOLDS)
            saturation = fmax(saturation, s->probe[i].rate * (1 + s->width));
    return saturation;
}

static double place_of(double rate, double saturation)
{
    return -log(1 - fmin(rate / saturation, UTILISATION_MAX));
}

struct rate_answer rate_search_answer(const struct rate_search *s)
{
    struct rate_answer a = {.fails = INFINITY, .ceiling = INFINITY, .width = INFINITY};
    for (size_t i = 0; i < s->count; i++) {
        const struct rate_probe *p = &s->probe[i];
        if (p->verdict == RATE_HOLDS)
            a.holds = fmax(a.holds, p->rate);
        if (p->verdict == RATE_FAILS)
            a.fails = fmin(a.fails, p->rate);
        if (p->verdict == RATE_NOT_ISSUED)
            a.ceiling = fmin(a.ceiling, p->rate);
    }
    if (a.holds > 0 && isfinite(a.fails))
        a.width = 2 * (a.fails - a.holds) / (a.fails + a.holds);
    a.narrow = a.width <= s->width;
    a.none = !(a.holds > 0) && a.fails <= s->saturation * LOWEST_SHARE * LOWEST_ROUNDED;
    a.machine = a.holds > 0 && a.ceiling < a.fails &&
                2 * (a.ceiling - a.holds) / (a.ceiling + a.holds) <= s->width;
    return a;
}

double rate_search_estimate(const struct rate_search *s)
{
    double saturation = saturation_of(s), sum = 0, mean_x = 0, mean_y = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct rate_probe *p = &s->probe[i];
        double weight = isfinite(p->margin) ? exp(-2 * fabs(p->margin)) : 0;
        if (!(weight > 0))
            continue;
        sum += weight;
        mean_x += weight * place_of(p->rate, saturation);
        mean_y += weight * p->margin;
    }
    if (!(sum > 0))
        return NAN;
    mean_x /= sum;
    mean_y /= sum;
    double xx = 0, xy = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct rate_probe *p = &s->probe[i];
        if (!isfinite(p->margin))
            continue;
        double weight = exp(-2 * fabs(p->margin)) / sum;
        double x = place_of(p->rate, saturation) - mean_x;
        xx += weight * x * x;
        xy += weight * x * (p->margin - mean_y);
    }
    /* The prior knowledge is a slope of 1. It weighs as much as PRIOR_WEIGHT probes over a distance
       of `width`. */
    double prior = PRIOR_WEIGHT * s->width * s->width;
    double slope = fmax((xy + prior) / (xx + prior), 0.1);
    double x = mean_x - mean_y / slope;
    return x > 0 ? saturation * (1 - exp(-x)) : saturation * LOWEST_SHARE;
}

static bool is_beside_undecided(const struct rate_search *s, double rate, double apart)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->probe[i].verdict == RATE_UNDECIDED &&
            fabs(rate / s->probe[i].rate - 1) < apart * s->width)
            return true;
    return false;
}

/* Returns the distance of the next probe. It doubles with each of the last probes in a row that had
   this verdict. */
static double stride(const struct rate_search *s, enum rate_verdict verdict)
{
    double step = BESIDE * s->width;
    for (size_t i = s->count; i-- > 0 && s->probe[i].verdict == verdict;)
        step *= 2;
    return step;
}

/* Returns true if the last probes hardly narrowed the interval. The fitted line does not help then,
   and the middle is tried. */
static bool is_stuck(const struct rate_search *s, double low, double high)
{
    enum { LOOK_BACK = 3 };
    if (s->count < LOOK_BACK + 2)
        return false;
    struct rate_search before = *s;
    before.count -= LOOK_BACK;
    struct rate_answer a = rate_search_answer(&before);
    return a.holds > 0 && isfinite(a.fails) && high - low > 0.5 * (a.fails - a.holds);
}

/* Chooses a rate between one at which the limit holds and one at which it fails: beside the
   estimate, on the side that is farther from known rates. Returns false if undecided probes leave
   no rate to try. */
static bool place_apart(const struct rate_search *s, double low, double high, double apart,
                        double *rate)
{
    double estimate = rate_search_estimate(s), beside = BESIDE * s->width;
    if (!(estimate > low && estimate < high) || is_stuck(s, low, high))
        estimate = sqrt(low * high);
    const double sides[] = {estimate * (1 - beside), estimate * (1 + beside)};
    bool below_first = estimate - low > high - estimate;
    double inside = 0.1 * (high - low);
    for (int i = 0; i < 2; i++) {
        double side = sides[(i == 0) == below_first ? 0 : 1];
        if (side > low + inside && side < high - inside && !is_beside_undecided(s, side, apart)) {
            *rate = side;
            return true;
        }
    }
    /* Undecided probes lie at the preferred rate, or the estimate lies at an end: tries rates from
       the farther end inwards. */
    for (int part = 1; part < 8; part++) {
        double at = below_first ? low + (high - low) * part / 8 : high - (high - low) * part / 8;
        if (at < estimate ? at > estimate * (1 - beside / 2) : at < estimate * (1 + beside / 2))
            continue;
        if (!is_beside_undecided(s, at, apart)) {
            *rate = at;
            return true;
        }
    }
    return false;
}

/* An undecided probe may have been disturbed, so when no other rate is left, a new probe may come
   closer to its rate. */
static bool place_between(const struct rate_search *s, double low, double high, double *rate)
{
    double apart = APART;
    while (apart > APART_MIN && !place_apart(s, low, high, apart, rate))
        apart /= 2;
    return apart > APART_MIN;
}

bool rate_search_next(const struct rate_search *s, double *rate)
{
    struct rate_answer a = rate_search_answer(s);
    double lowest = fmin(s->saturation, a.ceiling) * LOWEST_SHARE;
    double high = fmin(a.fails, a.ceiling);
    if (s->count == RATE_PROBES_MAX || a.narrow || a.none || a.machine)
        return false;
    if (!s->count) {
        *rate = FIRST_SHARE * s->saturation;
        return true;
    }
    if (a.holds > 0 && isfinite(high))
        return place_between(s, a.holds, high, rate);
    double estimate = rate_search_estimate(s), beside = BESIDE * s->width;
    if (a.holds > 0) { /* no probe has failed yet */
        double known = saturation_of(s), least = a.holds * (1 + stride(s, RATE_HOLDS));
        *rate = fmax(least, isnan(estimate) ? (a.holds + known) / 2 : estimate * (1 + beside));
        while (is_beside_undecided(s, *rate, APART))
            *rate *= 1 + beside;
        return true;
    }
    /* no probe has held yet */
    high = fmin(high, s->saturation);
    double most = high * (1 - fmin(stride(s, RATE_FAILS), 0.75));
    *rate = isnan(estimate) ? high / 2 : fmin(most, estimate * (1 - beside));
    while (is_beside_undecided(s, *rate, APART))
        *rate *= 1 - beside;
    *rate = fmax(*rate, lowest);
    return *rate < high;
}
