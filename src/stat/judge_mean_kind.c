/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges series that are described by a harmonic mean or by a proportion. */
#include "stat/judge.h"

#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"

static int estimate_harmonic(struct judgement *j, const double x[],
                             const struct judge_config *config, struct arena *scratch,
                             struct err *e)
{
    struct estimate *out = &j->estimate;
    size_t n = j->stable_end - j->stable_begin, mark = arena_mark(scratch);
    double *inverse = arena_alloc(scratch, n, sizeof *inverse);
    x += j->stable_begin;
    double scale = safe_scale_of(x, n);
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0))
            return err_set(e, ERR_USAGE, "reading %zu is %g: a harmonic mean needs numbers above 0",
                           j->stable_begin + i + 1, x[i]);
        inverse[i] = 1 / (x[i] * scale);
    }
    struct estimate est = estimate_mean(inverse, n, &config->estimate, scratch);
    double low = est.low, high = est.high, next_low = est.next_low, next_high = est.next_high;
    est.mean = 1 / est.mean / scale;
    est.low = isfinite(high) ? 1 / high / scale : -INFINITY;
    est.high = low > 0 ? 1 / low / scale : INFINITY;
    est.next_low = isfinite(next_high) ? 1 / next_high / scale : -INFINITY;
    est.next_high = next_low > 0 ? 1 / next_low / scale : INFINITY;
    est.sd = out->sd;
    const double part_low = est.part_low;
    est.part_low = 1 / est.part_high / scale;
    est.part_high = 1 / part_low / scale;
    *out = est;
    arena_reset(scratch, mark);
    return 0;
}

static int estimate_proportion(struct judgement *j, const double x[], size_t n, struct err *e)
{
    struct estimate *est = &j->estimate;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0 && x[i] != 1)
            return err_set(e, ERR_USAGE, "reading %zu is %g: a proportion needs readings of 0 or 1",
                           i + 1, x[i]);
    struct proportion p =
        proportion_wilson(est->mean * est->effective_n, est->effective_n, est->confidence);
    est->low = p.low;
    est->high = p.high;
    est->next_low = est->mean - M_SQRT2 * (est->mean - p.low);
    est->next_high = est->mean + M_SQRT2 * (p.high - est->mean);
    return 0;
}

int judge_mean_kind(struct judgement *to, const double x[], size_t n, enum mean_kind kind,
                    const struct judge_config *config, struct arena *scratch, struct err *e)
{
    *to = judge(x, n, config, scratch);
    if (kind == MEAN_HARMONIC && estimate_harmonic(to, x, config, scratch, e))
        return -1;
    if (kind == MEAN_PROPORTION && estimate_proportion(to, x, n, e))
        return -1;
    if (kind != MEAN_ARITHMETIC)
        judge_decide(to, config);
    if (kind == MEAN_PROPORTION) {
        to->estimate.low = fmax(to->estimate.low, 0);
        to->estimate.high = fmin(to->estimate.high, 1);
        to->estimate.next_low = fmax(to->estimate.next_low, 0);
        to->estimate.next_high = fmin(to->estimate.next_high, 1);
    }
    return 0;
}

struct estimate judge_decided(const struct judgement *j, const struct judge_config *config)
{
    struct stop_rule rule = judge_stop_rule(config);
    const bool widened = config->stopping && (j->enough || j->held_back);
    return widened ? j->estimate : stop_widened(&j->estimate, &rule);
}
