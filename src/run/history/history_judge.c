/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether predictions held, and whether the level is still that of the first sessions. */
#include <math.h>
#include <string.h>

#include "run/history/history.h"
#include "run/history/internal.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/estimate/session_spread.h"

/* ---- predictions ---- */

static bool are_alike(const struct history_session *a, const struct history_session *b)
{
    const double ratio = a->seconds / b->seconds;
    return !strcmp(a->metric, b->metric) && !strcmp(a->op, b->op) && !a->busy[0] == !b->busy[0] &&
           ratio <= PREDICTION_LENGTHS_MAX && ratio >= 1 / PREDICTION_LENGTHS_MAX;
}

void history_check(const struct history_session *before, struct history_session *next)
{
    next->check = PREDICTION_NONE;
    next->predicted_low = next->predicted_high = NAN;
    if (!isfinite(before->next_low) || !isfinite(before->next_high))
        return;
    next->check = PREDICTION_LEFT_OUT;
    if (!are_alike(before, next))
        return;
    /* The width of the prediction is scaled about its middle, which is the mean or close to it. */
    const double middle = (before->next_low + before->next_high) / 2;
    const double half = (before->next_high - before->next_low) / 2 *
                        prediction_stretch(before->seconds, next->seconds, before->memory);
    next->predicted_low = fmax(middle - half, 0);
    next->predicted_high = middle + half;
    next->check = next->mean >= next->predicted_low && next->mean <= next->predicted_high
                      ? PREDICTION_HELD
                      : PREDICTION_MISSED;
}

static void count_predictions(struct history *h)
{
    struct prediction_count *count = &h->predictions;
    *count = (struct prediction_count){0};
    for (size_t i = 1; i < h->count; i++)
        history_check(&h->sessions[i - 1], &h->sessions[i]);
    for (size_t i = h->count; i-- > 0 && count->checked < PREDICTIONS_COUNTED;) {
        const enum prediction_check check = h->sessions[i].check;
        count->checked += check == PREDICTION_HELD || check == PREDICTION_MISSED;
        count->held += check == PREDICTION_HELD;
        count->left_out += check == PREDICTION_LEFT_OUT;
    }
}

/* ---- changes of the level: cuts where the weighted means differ most, then cuts of their parts
 * ---- */

/* Minimum number of sessions between a change of the level (a cut) and the ends of the history: for
   a single cut, and for each of two cuts. */
#define SIDE_MIN    3
#define SIDE_OF_TWO 4
/* Limits of the correlation of neighbouring sessions. An estimate outside of these limits is
   replaced by the nearer one. */
#define CORRELATION_MIN 0.5
#define CORRELATION_MAX 0.95

/*
 * Thresholds of the statistics, from simulations of 8 to 200 sessions with a correlation of 1/2. Of
 * histories without a change, 99 % stay below 17.4 (one cut; 17.8 if deviations follow Student's t
 * with 3 degrees of freedom), and 99.9 % below 18.2 (two cuts) and 31 (a trend). The three tests
 * together find a change in at most .94 % of such histories.
 */
#define THRESHOLD_ONE   18
#define THRESHOLD_TWO   20
#define THRESHOLD_TREND 31
/* Factor by which a correlation of 1/2 raises the variance of means and slopes. */
#define TREND_INFLATION 3

struct sessions {
    const double *mean, *error;
    size_t begin, end;
    /* variance between the levels of sessions, without the variance that the sessions' intervals
       state */
    double between;
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
   which a few changes of the level do not affect. */
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
    double squares; /* weighted sum of the squares of these deviations */
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

/* Returns by how much the sum of squares of a segment decreases when the segment's mean is
   subtracted. */
static double gain(const struct sums *of, size_t begin, size_t end)
{
    const double sum = of->sum[end] - of->sum[begin];
    return sum * sum / (of->weight[end] - of->weight[begin]);
}

/* The places where the level changes in one segment (cuts), as indices of sessions counted from the
   segment's begin. */
struct cuts {
    size_t count, at[2];
    double gain; /* sum of the gains of all segments */
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

/* Returns the best pair of cuts. It finds a level that lasts for a while only, which a search for
   one cut misses. */
static struct cuts best_two(const struct sums *of, size_t n)
{
    struct cuts best = {.count = 2, .gain = -1};
    /* the level between the cuts has to last for more than a few exceptional sessions */
    const size_t side = n / 8 > SIDE_OF_TWO ? n / 8 : SIDE_OF_TWO;
    for (size_t i = side; i + 2 * side <= n; i++)
        for (size_t k = i + side; k + side <= n; k++) {
            const double all = gain(of, 0, i) + gain(of, i, k) + gain(of, k, n);
            if (all > best.gain)
                best = (struct cuts){2, {i, k}, all};
        }
    return best;
}

/* Returns the correlation of neighbouring sessions' deviations from their levels, corrected for its
   bias and kept between the limits above. */
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

/* Returns the test statistic of the cuts: the sum of squares that the levels explain per cut,
   divided by the remaining variance, reduced for the correlation of neighbouring sessions. */
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

/* Returns the gain of a straight line through the segment. Cuts must gain more than the line, since
   a slow movement is no sudden change. */
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

/* Finds where the level changes in a segment; count 0: nowhere. */
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

/* ---- levels ---- */

/* Probability that a session of an unchanged level is judged to lie outside of that level. */
#define LAST_ERROR 0.01

static bool has_one_metric(const struct history *h)
{
    for (size_t i = 1; i < h->count; i++)
        if (strcmp(h->sessions[i].metric, h->sessions[0].metric) != 0 ||
            strcmp(h->sessions[i].op, h->sessions[0].op) != 0)
            return false;
    return h->count > 0;
}

static bool is_busy(const struct history_session *s)
{
    return s->busy[0];
}

static size_t sessions_of(const struct history *h, bool busy)
{
    size_t count = 0;
    for (size_t i = 0; i < h->count; i++)
        count += is_busy(&h->sessions[i]) == busy;
    return count;
}

static void add_level(struct history *h, size_t begin, size_t end)
{
    struct session_value values[HISTORY_SESSIONS_MAX];
    struct history_level *level = &h->levels[h->level_count];
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        h->sessions[i].level = h->level_count;
        if (is_busy(&h->sessions[i]) == h->of_busy)
            values[n++] = (struct session_value){h->sessions[i].mean, NAN, NAN, NAN};
    }
    const struct session_spread spread = session_spread_of(values, n, 0.95);
    *level = (struct history_level){begin, end, spread.mean, spread.low, spread.high};
    h->level_count++;
}

/* Finds the levels. Other programs change the level, so sessions with and without other programs
   are not mixed. Those without are used if there are enough of them. */
static void find_levels(struct history *h)
{
    double mean[HISTORY_SESSIONS_MAX], error[HISTORY_SESSIONS_MAX];
    size_t index[HISTORY_SESSIONS_MAX], cuts[HISTORY_LEVELS_MAX - 1], n = 0, begin = 0;
    h->level_count = 0;
    h->of_busy = sessions_of(h, false) < SESSION_LEVELS_MIN;
    for (size_t i = 0; i < h->count; i++) {
        const struct history_session *s = &h->sessions[i];
        if (is_busy(s) != h->of_busy)
            continue;
        const double confidence = s->confidence > 0 && s->confidence < 1 ? s->confidence : 0.95;
        index[n] = i;
        mean[n] = s->mean;
        error[n++] = (s->high - s->low) / 2 / normal_quantile((1 + confidence) / 2);
    }
    if (n < SESSION_LEVELS_MIN)
        return;
    const size_t count = session_levels_find(mean, error, n, cuts, HISTORY_LEVELS_MAX - 1);
    for (size_t i = 0; i < count && i < HISTORY_LEVELS_MAX - 1; i++) {
        add_level(h, begin, index[cuts[i]]);
        begin = index[cuts[i]];
    }
    add_level(h, begin, h->count);
    h->trend = count ? 0 : session_levels_trend(mean, n);
}

/* ---- the answer ---- */

static enum history_answer direction(const struct history *h, double first, double last)
{
    for (int id = 0; id < METRIC_COUNT; id++) {
        const struct metric *metric = metric_of((enum metric_id)id);
        if (!strcmp(metric->name, h->sessions[0].metric))
            return (last > first) == (metric->better == METRIC_BETTER_HIGHER) ? HISTORY_FASTER
                                                                              : HISTORY_SLOWER;
    }
    return HISTORY_OPEN;
}

/* Answers whether the last session lies inside the prediction of the first session. */
static void answer_by_prediction(struct history *h)
{
    const struct history_session *first = &h->sessions[0];
    struct history_session last = h->sessions[h->count - 1];
    history_check(first, &last);
    h->ground = GROUND_FIRST_SESSION;
    h->expected_low = last.predicted_low;
    h->expected_high = last.predicted_high;
    h->answer = last.check == PREDICTION_HELD     ? HISTORY_SAME
                : last.check == PREDICTION_MISSED ? direction(h, first->mean, last.mean)
                                                  : HISTORY_OPEN;
}

/* Returns true if the last session lies far outside of the last level. A new level is not found
   before it has three sessions. */
static bool last_is_outside(struct history *h)
{
    struct session_value values[HISTORY_SESSIONS_MAX];
    const struct history_session *last = &h->sessions[h->count - 1];
    size_t n = 0;
    for (size_t i = h->levels[h->level_count - 1].begin; i + 1 < h->count; i++)
        if (is_busy(&h->sessions[i]) == h->of_busy)
            values[n++] = (struct session_value){h->sessions[i].mean, NAN, NAN, NAN};
    if (n < 3 || is_busy(last) != h->of_busy)
        return false;
    const struct session_spread spread = session_spread_of(values, n, 0.95);
    const double own =
        isfinite(last->next_high - last->next_low) ? (last->next_high - last->next_low) / 2 : 0;
    const double half = fmax(own, student_t_quantile(1 - LAST_ERROR / 2, (double)n - 1) *
                                      spread.sd * sqrt(1 + 1 / (double)n));
    h->expected_low = fmax(spread.mean - half, 0);
    h->expected_high = spread.mean + half;
    return last->mean < h->expected_low || last->mean > h->expected_high;
}

static void answer_by_levels(struct history *h)
{
    const double first = h->levels[0].mean;
    const bool outside = last_is_outside(h);
    h->ground = outside ? GROUND_LAST_SESSION : GROUND_LEVELS;
    if (outside)
        h->answer = direction(h, first, h->sessions[h->count - 1].mean);
    else if (h->level_count > 1)
        h->answer = direction(h, first, h->levels[h->level_count - 1].mean);
    else if (h->trend != 0)
        h->answer = direction(h, 0, h->trend);
    else
        h->answer = HISTORY_SAME;
    if (!outside && h->trend != 0)
        h->ground = GROUND_TREND;
}

void history_judge(struct history *h)
{
    h->needed = SESSION_LEVELS_MIN;
    h->answer = h->count == 1 ? HISTORY_ONE : HISTORY_OPEN;
    h->level_count = 0;
    h->trend = 0;
    h->expected_low = h->expected_high = NAN;
    count_predictions(h);
    if (h->count < 2 || !has_one_metric(h))
        return;
    find_levels(h);
    if (h->level_count)
        answer_by_levels(h);
    else
        answer_by_prediction(h);
}
