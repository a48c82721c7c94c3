/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds changes of the level over sessions: cuts where the weighted means differ most, then cuts
   their parts. */
#include <math.h>

#include "run/history/internal.h"
#include "stat/basic/sort.h"

/* Least number of sessions on each side of a cut. */
#define SIDE_MIN    3
#define SIDE_OF_TWO 4
/* Correlation of neighbouring sessions that is assumed where less is seen. */
#define CORRELATION_MIN 0.5
#define CORRELATION_MAX 0.95

/*
 * Thresholds of the statistics, simulated for sessions that are correlated by 1/2, of 8 to 200
 * sessions. 99 % of histories without a change stay below 17.4 (one cut; 17.8 if deviations follow
 * Student's t with 3 degrees of freedom), 99.9 % below 18.2 (two cuts) and 31 (a trend). The three
 * together find something in .94 % of them at most.
 */
#define THRESHOLD_ONE   18
#define THRESHOLD_TWO   20
#define THRESHOLD_TREND 31
/* By how much a correlation of 1/2 raises the variance of means and slopes. */
#define TREND_INFLATION 3

struct sessions {
    const double *mean, *error;
    size_t begin, end;
    double between; /* variance of the levels of sessions, without that of their own intervals */
};

static double own_variance(const struct sessions *s, size_t i)
{
    return isfinite(s->error[i]) ? s->error[i] * s->error[i] : 0;
}

static double weight(const struct sessions *s, size_t i)
{
    const double variance = s->between + own_variance(s, i);
    return variance > 0 ? 1 / variance : 1;
}

/* Estimates the variance between sessions from the median of the squared differences of neighbours,
   which a few steps do not change. */
static double variance_between(const struct sessions *s)
{
    double squares[SESSION_LEVELS_MAX], room[SESSION_LEVELS_MAX], own = 0;
    const size_t n = s->end - s->begin - 1;
    for (size_t i = 0; i < n; i++) {
        const double step = s->mean[s->begin + i + 1] - s->mean[s->begin + i];
        squares[i] = step * step / 2;
        own += own_variance(s, s->begin + i);
    }
    sort_values(squares, n, room);
    /* The median of chi-squared with one degree of freedom is .455. */
    return fmax(squares[n / 2] / 0.455 - own / (double)n, 0);
}

/* Running sums, up to each session: of the weights, and of the weighted deviations from the first
   session's mean. */
struct sums {
    double weight[SESSION_LEVELS_MAX + 1], sum[SESSION_LEVELS_MAX + 1];
    double squares; /* of all */
    double own;     /* weighted mean of the variances that the sessions' own intervals state */
};

static void sum_up(const struct sessions *s, struct sums *to)
{
    const size_t n = s->end - s->begin;
    to->weight[0] = to->sum[0] = to->squares = to->own = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = weight(s, s->begin + i), x = s->mean[s->begin + i] - s->mean[s->begin];
        to->weight[i + 1] = to->weight[i] + w;
        to->sum[i + 1] = to->sum[i] + w * x;
        to->squares += w * x * x;
        to->own += w * own_variance(s, s->begin + i) / (double)n;
    }
}

/* Returns by how much the sum of squares of a segment falls when its mean is subtracted. */
static double gain(const struct sums *of, size_t begin, size_t end)
{
    const double sum = of->sum[end] - of->sum[begin];
    return sum * sum / (of->weight[end] - of->weight[begin]);
}

/* Cuts of one segment, counted from its begin. */
struct cuts {
    size_t count, at[2];
    double gain; /* of all segments */
};

static struct cuts best_one(const struct sums *of, size_t n)
{
    struct cuts best = {.count = 1, .gain = -1};
    for (size_t i = SIDE_MIN; i + SIDE_MIN <= n; i++) {
        const double both = gain(of, 0, i) + gain(of, i, n);
        if (both > best.gain)
            best = (struct cuts){1, {i}, both};
    }
    return best;
}

/* Returns the best two cuts. A level that comes back is not seen by a search for one cut. */
static struct cuts best_two(const struct sums *of, size_t n)
{
    struct cuts best = {.count = 2, .gain = -1};
    /* the level between the cuts has to be more than a few odd sessions */
    const size_t side = n / 8 > SIDE_OF_TWO ? n / 8 : SIDE_OF_TWO;
    for (size_t i = side; i + 2 * side <= n; i++)
        for (size_t k = i + side; k + side <= n; k++) {
            const double all = gain(of, 0, i) + gain(of, i, k) + gain(of, k, n);
            if (all > best.gain)
                best = (struct cuts){2, {i, k}, all};
        }
    return best;
}

/* Returns the correlation of neighbouring deviations from the levels, corrected for its bias. */
static double correlation_about(const struct sessions *s, const struct sums *of,
                                const struct cuts *cuts)
{
    double products = 0, squares = 0, last = 0, level = 0;
    const size_t n = s->end - s->begin;
    for (size_t i = 0, segment = 0, begin = 0; i < n; i++) {
        if (segment < cuts->count && i == cuts->at[segment]) {
            begin = i;
            segment++;
        }
        if (i == begin) {
            const size_t end = segment < cuts->count ? cuts->at[segment] : n;
            level = (of->sum[end] - of->sum[begin]) / (of->weight[end] - of->weight[begin]);
        }
        const double rest = s->mean[s->begin + i] - s->mean[s->begin] - level;
        products += rest * last;
        squares += rest * rest;
        last = rest;
    }
    const double r = squares > 0 ? products / squares : 0;
    return fmin(fmax(r + (2 + 4 * r) / (double)n, CORRELATION_MIN), CORRELATION_MAX);
}

/* Returns the statistic of the cuts: the squares that the levels explain, for each cut, over the
   variance that is left. */
static double statistic(const struct sessions *s, const struct sums *of, const struct cuts *cuts)
{
    const size_t n = s->end - s->begin;
    const double explained = (cuts->gain - gain(of, 0, n)) / (double)cuts->count;
    const double left = fmax((of->squares - cuts->gain) / (double)(n - cuts->count - 1), of->own);
    const double r = correlation_about(s, of, cuts);
    if (!(explained > 1e-12 * of->squares))
        return 0;
    return left > 1e-12 * of->squares / (double)n ? explained / left * (1 - r) / (1 + r) : INFINITY;
}

/* Returns the gain of a straight line through the segment: a slow movement is not a change on one
   day. */
static double gain_of_line(const struct sessions *s, const struct sums *of)
{
    const size_t n = s->end - s->begin;
    double products = 0, places = 0, middle = 0;
    for (size_t i = 0; i < n; i++)
        middle += weight(s, s->begin + i) * (double)i / of->weight[n];
    for (size_t i = 0; i < n; i++) {
        const double w = weight(s, s->begin + i), place = (double)i - middle;
        products += w * place * (s->mean[s->begin + i] - s->mean[s->begin]);
        places += w * place * place;
    }
    return gain(of, 0, n) + products * products / places;
}

/* Returns the cuts of a segment; count 0: it has one level. */
static struct cuts cut(struct sessions *s)
{
    static const double thresholds[] = {THRESHOLD_ONE, THRESHOLD_TWO};
    const size_t n = s->end - s->begin;
    struct sums sums;
    s->between = variance_between(s);
    sum_up(s, &sums);
    for (size_t count = 1; count <= 2 && n >= (count + 1) * SIDE_OF_TWO; count++) {
        const struct cuts found = count == 1 ? best_one(&sums, n) : best_two(&sums, n);
        if (statistic(s, &sums, &found) > thresholds[count - 1] &&
            found.gain > gain_of_line(s, &sums))
            return found;
    }
    return (struct cuts){0};
}

static void find_within(struct sessions s, size_t cuts[], size_t capacity, size_t *count)
{
    if (s.end - s.begin < SESSION_LEVELS_MIN)
        return;
    const struct cuts found = cut(&s);
    size_t begin = s.begin;
    const size_t end = s.end;
    for (size_t i = 0; i < found.count; i++) {
        const size_t at = s.begin + found.at[i];
        struct sessions part = s;
        part.begin = begin;
        part.end = at;
        find_within(part, cuts, capacity, count);
        if (*count < capacity)
            cuts[*count] = at;
        ++*count;
        begin = at;
    }
    s.begin = begin;
    s.end = end;
    if (found.count)
        find_within(s, cuts, capacity, count);
}

size_t session_levels_find(const double mean[], const double error[], size_t n, size_t cuts[],
                           size_t capacity)
{
    const size_t first = n > SESSION_LEVELS_MAX ? n - SESSION_LEVELS_MAX : 0;
    size_t count = 0;
    find_within((struct sessions){.mean = mean, .error = error, .begin = first, .end = n}, cuts,
                capacity, &count);
    return count;
}

double session_levels_trend(const double mean[], size_t n)
{
    const double middle = ((double)n - 1) / 2;
    double sum = 0, product = 0, squares = 0, places = 0;
    if (n < SESSION_LEVELS_MIN)
        return 0;
    for (size_t i = 0; i < n; i++)
        sum += mean[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double place = (double)i - middle, x = mean[i] - sum;
        product += place * x;
        places += place * place;
        squares += x * x;
    }
    const double explained = product * product / places;
    const double left = fmax(squares - explained, 1e-12 * squares) / ((double)n - 2);
    const double slope = product / places;
    return explained / left / TREND_INFLATION > THRESHOLD_TREND ? slope * ((double)n - 1) : 0;
}
