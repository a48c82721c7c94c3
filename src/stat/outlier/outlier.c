/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value against its peers: prediction by a robust t, and by the peers' own slow tail. */
#include "stat/outlier/outlier.h"

#include <math.h>

#include "stat/basic/distribution.h"

/* The i-th of the peers, ascending, without the value itself. */
static double peer_at(const struct outlier_peers *peers, size_t self, size_t i)
{
    return peers->sorted[i + (i >= self)];
}

/* P(one more peer is at least x), by the slow tail of m peers; 1 below the tail. */
static double tail_probability(double x, const struct outlier_peers *peers, size_t self, size_t m)
{
    const size_t share = 8, min_count = 8;
    const double min_shape = 0.07;
    size_t k = m / share > min_count ? m / share : min_count;
    double sum = 0, largest = 0, second = 0, harmonic = 0;
    for (size_t j = 1; j <= k; j++) {
        double spacing =
            (double)j * (peer_at(peers, self, m - j) - peer_at(peers, self, m - j - 1));
        sum += spacing;
        harmonic += 1 / (double)j;
        second = fmax(second, fmin(spacing, largest));
        largest = fmax(largest, spacing);
    }
    /* The largest two of k exponential spacings are expected to be H_k and H_k - 1 means. */
    double scale = (sum - largest - second) / ((double)k - 2 * harmonic + 1);
    double shape = fmax(min_shape, 1 / ((double)k - 2));
    double above = x - peer_at(peers, self, m - k - 1);
    if (!(above > 0))
        return 1;
    return (double)k / (double)m * pow(1 + shape * above / scale, -1 / shape);
}

struct outlier outlier_of(double x, double se, const struct outlier_peers *peers, size_t self)
{
    const size_t tail_min = 24;
    const double efficiency = 0.82, median_variance = M_PI_2, max_degrees_of_few = 6;
    struct outlier o = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    size_t m = peers->count - (self < peers->count);
    if (m < OUTLIER_PEERS_MIN)
        return o;
    double centre = (peer_at(peers, self, m / 2) + peer_at(peers, self, (m - 1) / 2)) / 2;
    double scale =
        isnan(peers->scale) ? robust_scale_of(peers->sorted, peers->count, self) : peers->scale;
    double of_centre = median_variance * scale * scale / (double)m;
    double between = fmax(0, scale * scale - peers->noise * peers->noise);
    double predicted = sqrt(fmax(scale * scale, between + se * se) + of_centre);
    double degrees = efficiency * (double)(m - 1);
    if (m < tail_min)
        degrees = fmin(degrees, max_degrees_of_few);
    o.excess = x - centre;
    double half = (isnan(peers->t) ? student_t_quantile(0.975, degrees) : peers->t) *
                  sqrt(se * se + of_centre);
    o.low = o.excess - half;
    o.high = o.excess + half;
    o.p = 1;
    if (o.excess > 0)
        o.p = predicted > 0 ? student_t_two_sided(o.excess / predicted, degrees) / 2 : 0;
    o.p_centre = o.p;
    if (m >= tail_min)
        o.p = fmax(o.p, tail_probability(x, peers, self, m));
    return o;
}
