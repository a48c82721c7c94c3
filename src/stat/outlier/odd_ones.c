/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges all values in rounds. Each round leaves out the values that were named before; the last
   round names none. */
#include "stat/outlier/odd_ones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/outlier/internal.h"

/* ---- a value against its peers: prediction by a robust t, and by the slow tail of the peers
   ---- */

/* Returns the i-th of the peers, in ascending order, when the value itself is left out. */
static double peer_at(const struct outlier_peers *peers, size_t self, size_t i)
{
    return peers->sorted[i + (i >= self)];
}

/* Returns the probability that one more peer is at least x, estimated from the slow tail of m
   peers; 1 if x is below the tail. */
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
    /* Of k exponential spacings the largest two are expected to be H_k and H_k - 1 times their
       mean, H_k the harmonic number. */
    double scale = (sum - largest - second) / ((double)k - 2 * harmonic + 1);
    double shape = fmax(min_shape, 1 / ((double)k - 2));
    double above = x - peer_at(peers, self, m - k - 1);
    if (!(above > 0))
        return 1;
    return (double)k / (double)m * pow(1 + shape * above / scale, -1 / shape);
}

/* ---- the scale of the peers ---- */

static double without(const double sorted[], size_t self, size_t i)
{
    return sorted[i + (i >= self)];
}

/* Returns the number of pairs of values that are at most `distance` apart. */
static size_t count_pairs(const double sorted[], size_t m, size_t self, double distance)
{
    size_t pairs = 0, first = 0;
    for (size_t i = 1; i < m; i++) {
        while (without(sorted, self, i) - without(sorted, self, first) > distance)
            first++;
        pairs += i - first;
    }
    return pairs;
}

/* Croux and Rousseeuw, 1992: the factor that makes Qn unbiased for m normal values. */
static double correction(size_t m)
{
    static const double few[] = {0,       0,       0.39936, 0.99365, 0.51321, 0.84401, 0.61220,
                                 0.85877, 0.66993, 0.87344, 0.72014, 0.88906, 0.75743};
    const double consistent = 2.21914, n = (double)m;
    if (m < sizeof few / sizeof *few)
        return consistent * few[m];
    double less = m % 2 ? (1.60188 + (-2.1284 - 5.172 / n) / n) / n
                        : (3.67561 + (1.9654 + (6.987 - 77 / n) / n) / n) / n;
    return consistent / (1 + less);
}

double robust_scale_of(const double sorted[], size_t n, size_t self)
{
    const int halvings = 40;
    size_t m = n - (self < n), half = m / 2 + 1, wanted = half * (half - 1) / 2;
    if (m < 2)
        return (double)NAN;
    double low = 0, high = without(sorted, self, m - 1) - without(sorted, self, 0);
    for (int i = 0; i < halvings; i++) {
        double middle = low + (high - low) / 2;
        if (count_pairs(sorted, m, self, middle) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return correction(m) * high;
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

void holm_adjust(const double p[], size_t m, double adjusted[], double room[])
{
    double *sorted = room, highest = 0;
    if (!m)
        return;
    memcpy(sorted, p, m * sizeof *p);
    sort_values(sorted, m, room + m);
    double *steps = room + m;
    for (size_t k = 0; k < m; k++) {
        highest = fmax(highest, fmin(1, (double)(m - k) * sorted[k]));
        steps[k] = highest;
    }
    for (size_t i = 0; i < m; i++)
        adjusted[i] = steps[sorted_below(sorted, m, p[i])];
}

/* In groups with more peers than this, the scale is computed once for all values, since leaving one
   value out hardly changes it. */
#define ONE_BY_ONE_MAX 64

struct rounds {
    struct odd_one *all;
    size_t count, judged;
    /* drives and machines that were named: no longer peers of the others */
    bool *drive_out, *machine_out;
    const struct odd_drive *drives;
    double *sorted, *noise, *p, *adjusted, *room;
};

/* Returns true if the drive or machine is no longer a peer, because it was named, or because the
   drive's machine was named. */
static bool is_out(const struct rounds *r, const struct odd_one *o)
{
    if (o->kind == ODD_MACHINE)
        return r->machine_out[o->unit];
    return r->drive_out[o->unit] || r->machine_out[r->drives[o->unit].machine];
}

static void for_groups(struct rounds *r,
                       void (*judge)(struct rounds *r, struct odd_one group[], size_t count))
{
    for (size_t begin = 0, end = 1; end <= r->count && begin < r->count; end++)
        if (end == r->count || r->all[end].group != r->all[begin].group) {
            judge(r, r->all + begin, end - begin);
            begin = end;
        }
}

/* Returns the peers of a group: its members that are not out. */
static struct outlier_peers peers_of(struct rounds *r, const struct odd_one group[], size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_out(r, &group[i])) {
            r->sorted[n] = group[i].x;
            r->noise[n++] = group[i].se;
        }
    return (struct outlier_peers){.sorted = r->sorted,
                                  .count = n,
                                  .noise = n ? median_of(r->noise, n) : 0,
                                  .scale = NAN,
                                  .t = NAN};
}

static void judge_group(struct rounds *r, struct odd_one group[], size_t count)
{
    struct outlier_peers peers = peers_of(r, group, count);
    const size_t n = peers.count;
    size_t self = 0;
    if (n > ONE_BY_ONE_MAX) {
        peers.scale = robust_scale_of(r->sorted, n, n);
        peers.t = student_t_quantile(0.975, (double)n);
    }
    for (size_t i = 0; i < count; i++) {
        struct odd_one *o = &group[i];
        bool out = is_out(r, o);
        o->found = outlier_of(o->x, o->se, &peers, out ? n : self);
        o->peers = n - !out;
        self += !out;
    }
}

/* If more than a third of a group would be named, they are not outliers but a second level, and
   none is named. */
static void judge_levels(struct rounds *r, struct odd_one group[], size_t count)
{
    const size_t max_share = 3;
    size_t slow = 0;
    (void)r;
    for (size_t i = 0; i < count; i++)
        slow += group[i].named || group[i].is_level;
    for (size_t i = 0; i < count && slow * max_share > count; i++) {
        group[i].is_level |= group[i].named;
        group[i].named = false;
    }
}

/* Returns true if at least `min_count` of the group's slowest values are separated from the others
   by a gap; a tail that thins out gradually has no gap. */
static bool is_apart(struct rounds *r, const struct odd_one group[], size_t count, size_t min_count)
{
    const double gap_min = 3;
    const struct outlier_peers peers = peers_of(r, group, count);
    const double gap = gap_min * robust_scale_of(r->sorted, peers.count, peers.count);
    bool apart = false;
    size_t above = 0;
    double next = INFINITY;
    for (size_t i = count; i-- > 0 && !apart;) {
        if (is_out(r, &group[i]))
            continue;
        apart = above >= min_count && next - group[i].x >= gap;
        next = group[i].x;
        above++;
        if (!group[i].is_hidden)
            break;
    }
    return apart;
}

/* Several slow drives can hide each other: a drive is compared with the tail of the others, which
   are slow, too, so none is named. Drives are marked as hidden if at least three of them would be
   named by the prediction from the centre of the group alone, and if they are at least a
   twenty-fifth of the group or are separated from it by a gap. */
static void judge_hidden(struct rounds *r, struct odd_one group[], size_t count)
{
    const size_t min_count = 3, min_share = 25;
    size_t far = 0;
    for (size_t i = 0; i < count; i++) {
        struct odd_one *o = &group[i];
        o->is_hidden = o->kind == ODD_DRIVE && !is_out(r, o) && !o->is_level &&
                       o->found.p_centre * (double)r->count <= ODD_LEVEL &&
                       o->found.low >= o->threshold;
        far += o->is_hidden;
    }
    const bool many =
        far >= min_count && (far * min_share >= count || is_apart(r, group, count, min_count));
    for (size_t i = 0; i < count && !many; i++)
        group[i].is_hidden = false;
}

/* Returns the excess over the centre from which a single slow drive, in place of the peer at
   `self`, would be named; INFINITY: no excess is enough. */
static double excess_named(const struct rounds *r, const struct outlier_peers *peers, size_t self,
                           double threshold)
{
    const int halvings = 20;
    const double factor_max = 5, at = peers->sorted[peers->count / 2];
    double low = 0, high = factor_max, excess = (double)INFINITY;
    for (int i = 0; i < halvings; i++) {
        const double middle = (low + high) / 2;
        const struct outlier o = outlier_of(at + middle, peers->noise, peers, self);
        if (o.p * (double)r->judged <= ODD_LEVEL && o.low >= threshold) {
            high = middle;
            excess = o.excess;
        } else {
            low = middle;
        }
    }
    return excess;
}

/* Computes the excess that would be named with a probability of ODD_POWER: the smallest excess that
   is named whichever member of the group the drive replaces, plus an allowance for the drive's own
   deviation and for its measurement error. */
static void find_detectable(struct rounds *r, struct odd_one group[], size_t count)
{
    struct outlier_peers peers = peers_of(r, group, count);
    const size_t n = peers.count;
    double excess = 0;
    if (group[0].kind != ODD_DRIVE || n <= OUTLIER_PEERS_MIN)
        return;
    const double own = robust_scale_of(r->sorted, n, n);
    if (n > ONE_BY_ONE_MAX) {
        peers.scale = own;
        /* replacing the fastest peer does not change the tail */
        excess = excess_named(r, &peers, 0, group[0].threshold);
    } else {
        for (size_t self = 0; self < n; self++)
            excess = fmax(excess, excess_named(r, &peers, self, group[0].threshold));
    }
    for (size_t i = 0; i < count && isfinite(excess); i++)
        group[i].detectable = excess + student_t_quantile(ODD_POWER, (double)n - 2) * own *
                                           sqrt(1 + M_PI_2 / (double)n);
}

/* Judges all values, and names those that stand out. Returns true if a value was named that was not
   named before. */
static bool judge_round(struct rounds *r)
{
    size_t judged = 0;
    bool news = false;
    for_groups(r, judge_group);
    for (size_t i = 0; i < r->count; i++)
        if (!is_out(r, &r->all[i]) && !isnan(r->all[i].found.p))
            r->p[judged++] = r->all[i].found.p;
    holm_adjust(r->p, judged, r->adjusted, r->room);
    judged = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct odd_one *o = &r->all[i];
        if (is_out(r, o) || isnan(o->found.p))
            continue;
        o->p = r->adjusted[judged++];
        o->named = o->p <= ODD_LEVEL && o->found.low >= o->threshold && !o->is_level;
    }
    for_groups(r, judge_levels);
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].named) {
            news |= !is_out(r, &r->all[i]);
            (r->all[i].kind == ODD_MACHINE ? r->machine_out : r->drive_out)[r->all[i].unit] = true;
        }
    return news;
}

bool odd_ones_find(struct odd_ones *found, const struct odd_drive drives[], size_t drive_count,
                   size_t machine_count, const struct odd_test tests[], size_t test_count)
{
    *found = (struct odd_ones){0};
    struct rounds r = {.drives = drives};
    r.all = odd_hypotheses(drives, drive_count, tests, test_count, &r.count);
    r.sorted = calloc(r.count + 1, 6 * sizeof *r.sorted);
    r.drive_out = calloc(drive_count + machine_count + 1, sizeof *r.drive_out);
    bool ok = r.all && r.sorted && r.drive_out;
    if (ok) {
        r.noise = r.sorted + r.count;
        r.p = r.noise + r.count;
        r.adjusted = r.p + r.count;
        r.room = r.adjusted + r.count;
        r.machine_out = r.drive_out + drive_count;
        while (judge_round(&r)) {
        }
        for_groups(&r, judge_hidden);
        for (size_t i = 0; i < r.count; i++)
            r.judged += isnan(r.all[i].p) ? 0 : 1;
        for_groups(&r, find_detectable);
        found->judged = r.judged;
        found->all = r.all;
        found->count = r.count;
    } else {
        free(r.all);
    }
    free(r.drive_out);
    free(r.sorted);
    return ok;
}
