/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ratios of means: Welch and Fieller if the caller judges once, sequential evidence if it judges
   any number of times. */
#include "stat/compare/ratio.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/compare/difference.h"
#include "stat/estimate/mean_variance.h"

#define BISECTIONS 40
/* an end of the interval beyond this many times the ratio counts as infinite */
#define WIDEST 1e9

struct mean_summary mean_summary_of_spread(double mean, double sd, double n)
{
    return (struct mean_summary){mean, sd * sd / n, n - 1, n};
}

struct mean_summary mean_summary_of_interval(double mean, double low, double high,
                                             double confidence, double effective_n)
{
    double degrees = fmax(effective_n - 1, 1);
    double t = student_t_quantile((1 + confidence) / 2, degrees);
    double error = low > 0 ? mean * log(high / low) / (2 * t) : (high - low) / (2 * t);
    return (struct mean_summary){mean, error * error, degrees, degrees + 1};
}

struct mean_summary mean_summary_of_series(const double x[], size_t n,
                                           const struct ratio_config *config, struct arena *scratch)
{
    struct mean_summary s = {mean_of(x, n), INFINITY, (double)NAN, (double)n};
    if (n < 2)
        return s;
    if (config->independent)
        return mean_summary_of_spread(s.mean, sqrt(variance_of(x, n, s.mean)), s.n);
    struct mean_variance v = mean_variance_of(x, n, config->confidence, scratch);
    s.variance = v.value;
    s.degrees = v.degrees;
    s.n = v.degrees + 1;
    return s;
}

/* Returns the degrees of freedom of mA - r mB, the difference of the means, after Welch and
   Satterthwaite. */
static double welch_degrees(const struct mean_summary *a, const struct mean_summary *b, double r)
{
    double va = a->variance, vb = r * r * b->variance, sum = va + vb;
    return sum > 0 ? sum * sum / (va * va / a->degrees + vb * vb / b->degrees)
                   : a->degrees + b->degrees;
}

/* Fieller: solves (mA - r mB)^2 = t^2 (vA + r^2 vB), a quadratic equation in r. v is the variance
   of a mean, t the quantile of Student's t. Each mean is scaled to 1, so that the square of a large
   mean does not overflow. */
static void fieller(struct ratio *r, const struct mean_summary *a, const struct mean_summary *b,
                    double confidence)
{
    double t = student_t_quantile((1 + confidence) / 2, welch_degrees(a, b, r->value));
    double ea = t * sqrt(a->variance) / a->mean, eb = t * sqrt(b->variance) / b->mean;
    double square = 1 - eb * eb, constant = 1 - ea * ea;
    double root = sqrt(fmax(1 - square * constant, 0));
    r->low = constant > 0 ? r->value * constant / (1 + root) : 0;
    r->high = square > 0 ? r->value * (1 + root) / square : INFINITY;
}

static void judge_once(struct ratio *r, const struct mean_summary *a, const struct mean_summary *b,
                       const struct ratio_config *config)
{
    double difference = a->mean - b->mean, variance = a->variance + b->variance;
    if (isinf(variance))
        return;
    r->degrees = welch_degrees(a, b, 1);
    r->t = variance > 0           ? difference / sqrt(variance)
           : fabs(difference) > 0 ? copysign(INFINITY, difference)
                                  : 0;
    r->p_value = isinf(r->t) ? 0 : student_t_two_sided(r->t, r->degrees);
    if (config->once)
        fieller(r, a, b, config->confidence);
}

/*
 * Widens the interval for judging any number of times so that it contains the interval for judging
 * once. Readings that were not measured in pairs are paired in their order. If chance or a common
 * drift makes these pairs correlated, the differences vary less than either series, and only
 * Welch's test shows how well each mean is known.
 */
static void include_one_look(struct ratio *r, const struct mean_summary *a,
                             const struct mean_summary *b, const struct ratio_config *config)
{
    struct ratio once = *r;
    if (config->once || config->paired || isinf(a->variance + b->variance))
        return;
    fieller(&once, a, b, config->confidence);
    r->low = fmin(r->low, once.low);
    r->high = fmax(r->high, once.high);
    r->p_any = fmax(r->p_any, r->p_value);
}

/* ---- intervals by test inversion ---- */

struct pairs {
    struct difference difference;
    const struct ratio_config *config;
};

/* A ratio counts as refuted only if the test for a single judgement refutes it, too, because
   "faster" beside a p-value of .07 would not be credible. */
static bool is_refuted(const struct pairs *p, double ratio)
{
    double alpha = 1 - p->config->confidence;
    if (!p->config->once && difference_evidence(&p->difference, ratio) < log(1 / alpha))
        return false;
    return difference_p_value(&p->difference, ratio) < alpha;
}

/*
 * Returns true if the result is undecided only because readings depend on earlier ones: the same
 * number of independent readings would decide it. This dependence makes the mean so much less
 * certain that neither more readings of the same period nor a later judgement helps.
 */
static bool wanders(const struct ratio *r, const struct pairs *p)
{
    /* minimum factor by which dependence raises the variance of the mean */
    const double much = 2;
    struct pairs independent = *p;
    independent.difference.dependence = DEPENDENCE_NONE;
    return r->low <= 1 && r->high >= 1 && difference_inflation(&p->difference, 1) >= much &&
           is_refuted(&independent, 1);
}

/* Returns the end of the interval in direction `sign` (-1: down, 1: up): the ratio nearest to
   `ratio` that the test refutes. */
static double interval_end(const struct pairs *p, double ratio, double sign)
{
    const double first_step = 1e-12;
    double step = ratio * first_step, inside = ratio, outside = fmax(ratio + sign * step, 0);
    while (!is_refuted(p, outside)) {
        if (!(outside > 0) || step > WIDEST * ratio)
            return sign > 0 ? INFINITY : 0;
        inside = outside;
        step *= 2;
        outside = fmax(ratio + sign * step, 0);
    }
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (inside + outside) / 2;
        *(is_refuted(p, middle) ? &outside : &inside) = middle;
    }
    return outside;
}

static void invert(struct ratio *r, const struct pairs *p)
{
    size_t least = p->config->once ? 2 : DIFFERENCE_MIN_READINGS;
    if (p->difference.n < least)
        return;
    r->low = interval_end(p, r->value, -1);
    r->high = interval_end(p, r->value, 1);
}

/* Divides x[0..count) into n ranges of nearly equal length, n <= count, and computes their
   means. */
static void merge(const double x[], size_t count, double to[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t begin = i * count / n, end = (i + 1) * count / n;
        to[i] = mean_of(x + begin, end - begin);
    }
}

static size_t pair_count(size_t na, size_t nb)
{
    size_t n = na < nb ? na : nb;
    return n < RATIO_READINGS_MAX ? n : RATIO_READINGS_MAX;
}

size_t ratio_scratch_bytes(size_t na, size_t nb)
{
    size_t n = pair_count(na, nb), longer = na > nb ? na : nb;
    return 2 * arena_bytes(n, sizeof(double)) + difference_scratch_bytes(n) +
           mean_variance_scratch_bytes(longer);
}

static struct ratio ratio_unknown(double a, double b)
{
    return (struct ratio){.value = a > 0 && b > 0 ? a / b : (double)NAN,
                          .low = 0,
                          .high = INFINITY,
                          .p_value = (double)NAN,
                          .evidence = -INFINITY,
                          .p_any = 1,
                          .t = (double)NAN,
                          .degrees = (double)NAN,
                          .more_readings = INFINITY};
}

/* Returns the factor by which the number of readings must grow until the interval excludes the
   ratio 1, if further readings are like the present ones. */
static double needed(const struct ratio *r, const struct ratio_config *config, double n)
{
    const double most = 1e6, finer = 1.05;
    double alpha = 1 - config->confidence;
    if (!isfinite(r->t) || !(fabs(r->t) > 0))
        return isinf(r->t) ? 1 : INFINITY;
    double factor = 1;
    while (factor < most) {
        double t = r->t * sqrt(factor), degrees = r->degrees * factor;
        if (config->once ? student_t_two_sided(t, degrees) < alpha
                         : difference_evidence_of_t(t, degrees, n * factor) >= log(1 / alpha))
            return factor;
        factor *= finer;
    }
    return INFINITY;
}

struct ratio ratio_of_series(const double a[], size_t na, const double b[], size_t nb,
                             const struct ratio_config *config, struct arena *scratch)
{
    size_t mark = arena_mark(scratch), n = pair_count(na, nb);
    struct mean_summary sa = mean_summary_of_series(a, na, config, scratch);
    struct mean_summary sb = mean_summary_of_series(b, nb, config, scratch);
    struct ratio r = ratio_unknown(sa.mean, sb.mean);
    if (isnan(r.value))
        return r;
    double *pa = arena_alloc(scratch, n, sizeof *pa), *pb = arena_alloc(scratch, n, sizeof *pb);
    struct pairs pairs = {.config = config};
    merge(a, na, pa, n);
    merge(b, nb, pb, n);
    difference_pairs(&pairs.difference, pa, pb, n, r.value,
                     config->independent ? DEPENDENCE_NONE : DEPENDENCE_OPEN, scratch);
    judge_once(&r, &sa, &sb, config);
    r.evidence = difference_evidence(&pairs.difference, 1);
    if (config->paired && n > 1) {
        r.p_value = difference_p_value(&pairs.difference, 1);
        r.degrees = (double)n - 1;
        r.t = copysign(student_t_quantile(1 - r.p_value / 2, r.degrees), r.value - 1);
    }
    if (config->paired || !config->once)
        invert(&r, &pairs);
    r.p_any = fmin(1, exp(-r.evidence));
    include_one_look(&r, &sa, &sb, config);
    r.wanders = wanders(&r, &pairs);
    r.more_readings = needed(&r, config, fmin(r.degrees + 1, (double)n));
    arena_reset(scratch, mark);
    return r;
}

/* Computes the interval on a logarithmic axis, on which the error of the ratio combines the
   relative errors of both means. */
static void summary_interval(struct ratio *r, double error, double degrees, double n, double alpha)
{
    double low = 0, high = 1;
    while (difference_evidence_of_t(high, degrees, n) < log(1 / alpha) && high < WIDEST)
        high *= 2;
    for (int i = 0; i < 2 * BISECTIONS; i++) {
        double middle = (low + high) / 2;
        *(difference_evidence_of_t(middle, degrees, n) < log(1 / alpha) ? &low : &high) = middle;
    }
    r->low = r->value * exp(-high * error);
    r->high = r->value * exp(high * error);
}

struct ratio ratio_of_summaries(const struct mean_summary *a, const struct mean_summary *b,
                                const struct ratio_config *config)
{
    struct ratio r = ratio_unknown(a->mean, b->mean);
    if (isnan(r.value) || isinf(a->variance + b->variance))
        return r;
    judge_once(&r, a, b, config);
    /* If a and b have equal numbers of readings, these count as pairs. When one mean is known
       exactly, only the number of readings of the other counts. */
    double n = fmin(r.degrees + 1, fmax(a->n, b->n));
    r.evidence = difference_evidence_of_t(r.t, r.degrees, n);
    r.p_any = fmin(1, exp(-r.evidence));
    if (!config->once)
        summary_interval(
            &r, sqrt(a->variance / (a->mean * a->mean) + b->variance / (b->mean * b->mean)),
            r.degrees, n, 1 - config->confidence);
    include_one_look(&r, a, b, config);
    r.more_readings = needed(&r, config, n);
    return r;
}

bool ratio_is_bounded(const struct ratio *r)
{
    return r->low > 0 && isfinite(r->high);
}

enum ratio_verdict ratio_judge(const struct ratio *r, double margin)
{
    if (isnan(r->value))
        return RATIO_UNDECIDED;
    if (r->low >= 1 - margin && r->high <= 1 + margin)
        return RATIO_SAME;
    return r->low > 1 ? RATIO_ABOVE : r->high < 1 ? RATIO_BELOW : RATIO_UNDECIDED;
}
