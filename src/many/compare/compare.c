/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares quantities: ranks the alternatives and judges their pairs. */
#include "many/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/compare/internal.h"
#include "run/watch/other_programs.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/compare/repetition.h"

struct judging {
    struct comparison *comparison;
    const struct compare_config *config;
    struct arena scratch;
    struct expected_order expected; /* the parsed --expect; valid if `is_expected` */
    bool is_expected;
    bool harmonic; /* the mean is harmonic, so reciprocals of readings are judged */
    /* the quantity that is being judged, for each alternative */
    const struct compare_quantity *known[COMPARISON_ALTERNATIVES];
};

static const struct compare_quantity *find_quantity(const struct compare_alternative *a,
                                                    const struct compare_quantity *like)
{
    for (size_t i = 0; i < a->count; i++)
        if (!strcmp(a->quantities[i].group, like->group) &&
            !strcmp(a->quantities[i].metric, like->metric))
            return &a->quantities[i];
    return NULL;
}

/* ---- one side ---- */

static int describe_readings(struct judging *j, struct comparison_side *s,
                             const struct compare_quantity *q, struct err *e)
{
    size_t mark = arena_mark(&j->scratch);
    double *sorted = arena_alloc(&j->scratch, q->n, sizeof *sorted);
    if (!sorted)
        return err_no_memory(e, "%zu readings", q->n);
    memcpy(sorted, q->values, q->n * sizeof *sorted);
    s->quartile1 = quantile_of(sorted, q->n, 0.25);
    s->median = quantile_of(sorted, q->n, 0.5);
    s->quartile3 = quantile_of(sorted, q->n, 0.75);
    s->min = quantile_of(sorted, q->n, 0);
    s->max = quantile_of(sorted, q->n, 1);
    s->spread = standard_deviation_of(q->values, q->n, mean_of(q->values, q->n));
    arena_reset(&j->scratch, mark);
    return 0;
}

/* Returns the values whose mean is judged: the readings, or their reciprocals (times) for rates
   over equal work. They lie in the scratch arena, which compare_judge makes large enough; NULL: it
   is full. */
static const double *judged_values(struct judging *j, const struct compare_quantity *q)
{
    if (!j->harmonic)
        return q->values;
    double *to = arena_alloc(&j->scratch, q->n, sizeof *to);
    for (size_t i = 0; to && i < q->n; i++)
        to[i] = 1 / q->values[i];
    return to;
}

/* Returns the summary of the readings. If the mean is harmonic, it is computed from the
   reciprocals: both means have the same relative error, to the first order. */
static struct mean_summary summary_of(struct judging *j, const struct compare_quantity *q)
{
    if (!q->values)
        return q->summary;
    size_t mark = arena_mark(&j->scratch);
    const struct ratio_config config = {.confidence = j->config->confidence,
                                        .independent = j->config->independent};
    struct mean_summary s = mean_summary_of_series(judged_values(j, q), q->n, &config, &j->scratch);
    arena_reset(&j->scratch, mark);
    if (j->harmonic) {
        s.mean = 1 / s.mean;
        s.variance *= pow(s.mean, 4);
    }
    return s;
}

static int describe_side(struct judging *j, struct comparison_side *s,
                         const struct compare_quantity *q, struct err *e)
{
    double none = (double)NAN, confidence = j->config->confidence;
    s->min = s->quartile1 = s->median = s->quartile3 = s->max = s->spread = none;
    if (q->values && describe_readings(j, s, q, e))
        return -1;
    struct mean_summary summary = summary_of(j, q);
    s->mean = summary.mean;
    s->predicts = session_mean_predicts(&q->session);
    s->n = (double)q->n;
    s->low = q->low;
    s->high = q->high;
    if (isnan(q->low) && summary.degrees > 0) {
        double half =
            student_t_quantile((1 + confidence) / 2, summary.degrees) * sqrt(summary.variance);
        s->low = fmax(summary.mean - half, 0); /* quantities with ratios are not negative */
        s->high = summary.mean + half;
    }
    return 0;
}

/* ---- pairs ---- */

static struct ratio ratio_of_pair(struct judging *j, const struct comparison_pair *p,
                                  double confidence)
{
    const struct compare_quantity *a = j->known[p->first], *b = j->known[p->second];
    bool paired = j->config->paired || (a->in_blocks && b->in_blocks);
    const struct ratio_config config = {confidence, j->config->once, paired,
                                        j->config->independent};
    if (a->values && b->values) {
        size_t mark = arena_mark(&j->scratch);
        const double *va = judged_values(j, a), *vb = judged_values(j, b);
        /* the ratio of the harmonic means of A and B is the ratio of the mean times of B and A */
        struct ratio r = j->harmonic ? ratio_of_series(vb, b->n, va, a->n, &config, &j->scratch)
                                     : ratio_of_series(va, a->n, vb, b->n, &config, &j->scratch);
        arena_reset(&j->scratch, mark);
        return r;
    }
    struct mean_summary sa = summary_of(j, a), sb = summary_of(j, b);
    return ratio_of_summaries(&sa, &sb, &config);
}

/* Judges whether the second session's mean lies in the interval that is predicted for a repetition
   of the first session. A difference within this interval does not distinguish the alternatives. */
static void judge_repetition(struct judging *j, struct comparison_pair *p)
{
    const struct compare_quantity *a = j->known[p->first], *b = j->known[p->second];
    const struct repetition r = repetition_of(&a->session, &b->session, j->config->confidence);
    const double mean = b->session.mean;
    p->repetition_low = r.low;
    p->repetition_high = r.high;
    p->repetition = isnan(r.low)                      ? COMPARISON_UNPREDICTED
                    : mean >= r.low && mean <= r.high ? COMPARISON_WITHIN
                                                      : COMPARISON_OUTSIDE;
    if (p->repetition == COMPARISON_WITHIN &&
        (p->verdict == COMPARISON_FASTER || p->verdict == COMPARISON_SLOWER))
        p->verdict = COMPARISON_UNDECIDED;
}

static void judge_pair(struct judging *j, const struct comparison_quantity *q,
                       struct comparison_pair *p, double confidence)
{
    struct ratio r = ratio_of_pair(j, p, confidence);
    p->ratio = r.value;
    p->low = r.low;
    p->high = r.high;
    p->confidence = confidence;
    p->p_value = r.p_value;
    p->p_any = r.p_any;
    p->degrees = r.degrees;
    p->more = r.more_readings;
    switch (ratio_judge(&r, j->config->margin)) {
    case RATIO_UNDECIDED:
        p->verdict = COMPARISON_UNDECIDED;
        break;
    case RATIO_SAME:
        p->verdict = COMPARISON_SAME;
        break;
    case RATIO_ABOVE:
        p->verdict = q->higher_is_better ? COMPARISON_FASTER : COMPARISON_SLOWER;
        break;
    case RATIO_BELOW:
        p->verdict = q->higher_is_better ? COMPARISON_SLOWER : COMPARISON_FASTER;
        break;
    }
    p->wanders = r.wanders && p->verdict == COMPARISON_UNDECIDED;
    judge_repetition(j, p);
}

/*
 * Applies Holm's procedure. Its family is all pairs, of which only neighbours in the ranking are
 * judged. The pair with the smallest p is tested at alpha over the size of the family, the next one
 * at alpha over one less, and so on while equality is refuted. All later pairs stay at the level
 * where that ended. Each interval has the level at which its pair was tested.
 */
static void judge_pairs(struct judging *j, struct comparison_quantity *q)
{
    size_t family = q->side_count * (q->side_count - 1) / 2;
    double alpha = 1 - j->config->confidence, level = alpha / (double)family;
    bool judged[COMPARISON_ALTERNATIVES] = {false}, goes_on = true;
    for (size_t k = 0; k < q->pair_count; k++)
        judge_pair(j, q, &q->pairs[k], 1 - level);
    for (size_t step = 0; step < q->pair_count; step++) {
        size_t next = q->pair_count;
        for (size_t k = 0; k < q->pair_count; k++) {
            double p = j->config->once ? q->pairs[k].p_value : q->pairs[k].p_any;
            double least = next == q->pair_count ? INFINITY
                           : j->config->once     ? q->pairs[next].p_value
                                                 : q->pairs[next].p_any;
            if (!judged[k] && (next == q->pair_count || p < least))
                next = k;
        }
        judged[next] = true;
        if (goes_on)
            level = alpha / (double)(family - step);
        if (step > 0)
            judge_pair(j, q, &q->pairs[next], 1 - level);
        goes_on = goes_on && (q->pairs[next].low > 1 || q->pairs[next].high < 1);
    }
}

/* Adds the pair of --expect, unless it is in the list. */
static void add_expected_pair(struct comparison_quantity *q, const struct expected_order *expected)
{
    size_t first = q->side_count, second = q->side_count;
    for (size_t i = 0; i < q->side_count; i++) {
        first = q->sides[i].alternative == expected->first ? i : first;
        second = q->sides[i].alternative == expected->second ? i : second;
    }
    if (first == q->side_count || second == q->side_count)
        return;
    for (size_t i = 0; i < q->pair_count; i++)
        if (q->pairs[i].first + q->pairs[i].second == first + second &&
            (q->pairs[i].first == first || q->pairs[i].first == second))
            return;
    q->pairs[q->pair_count].first = first;
    q->pairs[q->pair_count++].second = second;
}

static void rank_sides(struct comparison_quantity *q)
{
    for (size_t i = 0; i < q->side_count; i++) {
        size_t at = i;
        double sign = q->higher_is_better ? 1 : -1;
        for (; at > 0 && sign * q->sides[q->ranking[at - 1]].mean < sign * q->sides[i].mean; at--)
            q->ranking[at] = q->ranking[at - 1];
        q->ranking[at] = i;
    }
    q->pair_count = q->side_count - 1;
    for (size_t i = 0; i < q->pair_count; i++) {
        bool two = q->side_count == 2;
        q->pairs[i].first = two ? 0 : q->ranking[i];
        q->pairs[i].second = two ? 1 : q->ranking[i + 1];
    }
}

/* ---- quantities ---- */

static int check_side(const struct judging *j, const struct comparison_quantity *q,
                      const struct comparison_side *s, struct err *e)
{
    const struct compare_quantity *known = j->known[q->side_count];
    const char *name = j->comparison->names[s->alternative];
    if (j->harmonic && known->values && !(s->min > 0))
        return err_set(e, ERR_USAGE, "%s: %s holds %g: harmonic means need readings above 0", name,
                       q->metric, s->min);
    if (!isfinite(s->mean))
        return err_set(e, ERR_USAGE, "%s: the sum of its numbers is too large", name);
    if (!(s->mean > 0))
        return err_set(e, ERR_USAGE, "%s: the mean is %g: ratios need means above 0", name,
                       s->mean);
    if (q->side_count > 0 && j->config->paired && known->n != j->known[0]->n)
        return err_set(
            e, ERR_USAGE, "--paired: %s has %zu readings and %s has %zu: pairs need as many",
            j->comparison->names[q->sides[0].alternative], j->known[0]->n, name, known->n);
    if (j->config->paired && !known->values)
        return err_set(e, ERR_USAGE, "--paired: %s has no readings of its own", name);
    return 0;
}

static int judge_quantity(struct judging *j, const struct compare_alternative alternatives[],
                          const struct compare_quantity *like, struct err *e)
{
    struct comparison *c = j->comparison;
    struct comparison_quantity *q = &c->quantities[c->quantity_count];
    *q = (struct comparison_quantity){
        .kind = like->kind, .has_unit = like->has_unit, .higher_is_better = like->higher_is_better};
    memcpy(q->group, like->group, sizeof q->group);
    memcpy(q->metric, like->metric, sizeof q->metric);
    memcpy(q->unit, like->unit, sizeof q->unit);
    j->harmonic = false;
    for (size_t i = 0; i < c->alternative_count; i++) {
        const struct compare_quantity *known = find_quantity(&alternatives[i], like);
        j->harmonic = j->harmonic || (known && known->harmonic);
    }
    for (size_t i = 0; i < c->alternative_count; i++) {
        const struct compare_quantity *known = find_quantity(&alternatives[i], like);
        if (!known)
            continue;
        struct comparison_side *s = &q->sides[q->side_count];
        j->known[q->side_count] = known;
        s->alternative = i;
        q->has_unit = q->has_unit || known->has_unit;
        if (known->has_unit) {
            q->kind = known->kind;
            q->higher_is_better = known->higher_is_better;
        }
        if (describe_side(j, s, known, e) || check_side(j, q, s, e))
            return -1;
        q->side_count++;
    }
    if (q->side_count < 2)
        return 0;
    rank_sides(q);
    if (j->is_expected)
        add_expected_pair(q, &j->expected);
    judge_pairs(j, q);
    c->quantity_count++;
    return 0;
}

static bool is_first_with(const struct compare_alternative alternatives[], size_t i,
                          const struct compare_quantity *q)
{
    for (size_t k = 0; k < i; k++)
        if (find_quantity(&alternatives[k], q))
            return false;
    return true;
}

static int nothing_in_common(const struct compare_alternative alternatives[], size_t count,
                             struct err *e)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (!alternatives[i].quantities[0].has_unit && alternatives[k].quantities[0].has_unit)
                return err_set(e, ERR_USAGE,
                               "%s holds numbers without a name: say which metric of %s they are, "
                               "as in --metric iops",
                               alternatives[i].name, alternatives[k].name);
    return err_set(e, ERR_USAGE, "%s and %s have no metric in common", alternatives[0].name,
                   alternatives[1].name);
}

static void add_notes(struct comparison *c, const struct compare_alternative alternatives[])
{
    const char *single = NULL;
    size_t singles = 0;
    for (size_t i = 0; i < c->alternative_count; i++)
        if (alternatives[i].one_session) {
            single = alternatives[i].name;
            singles++;
        }
    for (size_t i = 0; i < c->alternative_count; i++)
        if (alternatives[i].incomplete[0])
            comparison_note(c, true, "%.100s: %s", alternatives[i].name,
                            alternatives[i].incomplete);
    if (singles)
        comparison_note(c, true,
                        "%.100s is one session: a level that wanders from session to session is "
                        "not in its interval (run --repeat 5 --every 1m has it)",
                        singles == 1 ? single : "each record");
}

static int judge_all(struct judging *j, const struct compare_alternative alternatives[],
                     struct err *e)
{
    struct comparison *c = j->comparison;
    j->is_expected = j->config->expect[0] != '\0';
    if (j->is_expected && expected_order_parse(&j->expected, j->config->expect, c, e))
        return -1;
    for (size_t i = 0; i < c->alternative_count; i++)
        for (size_t k = 0; k < alternatives[i].count; k++)
            if (is_first_with(alternatives, i, &alternatives[i].quantities[k]) &&
                judge_quantity(j, alternatives, &alternatives[i].quantities[k], e))
                return -1;
    if (!c->quantity_count)
        return nothing_in_common(alternatives, c->alternative_count, e);
    if (j->is_expected)
        expected_order_judge(&j->expected, c);
    add_notes(c, alternatives);
    return 0;
}

/* Finds the length of the longest series, and the number of all quantities. */
static void measure_need(const struct compare_alternative alternatives[], size_t count,
                         size_t *longest, size_t *quantities)
{
    *longest = *quantities = 1;
    for (size_t i = 0; i < count; i++) {
        *quantities += alternatives[i].count;
        for (size_t k = 0; k < alternatives[i].count; k++) {
            const struct compare_quantity *q = &alternatives[i].quantities[k];
            if (q->values && q->n > *longest)
                *longest = q->n;
        }
    }
}

int compare_judge(struct comparison *comparison, const struct compare_alternative alternatives[],
                  size_t count, const struct compare_config *config, struct err *e)
{
    size_t longest, quantities;
    struct judging j = {.comparison = comparison, .config = config};
    *comparison = (struct comparison){.alternative_count = count,
                                      .confidence = config->confidence,
                                      .others = OTHERS_UNKNOWN,
                                      .margin = config->margin,
                                      .once = config->once,
                                      .independent = config->independent,
                                      .paired = config->paired};
    for (size_t i = 0; i < count; i++)
        comparison->names[i] = alternatives[i].name;
    measure_need(alternatives, count, &longest, &quantities);
    comparison->quantities = calloc(quantities, sizeof *comparison->quantities);
    if (!comparison->quantities)
        return err_no_memory(e, "a comparison");
    int status = arena_init(
        &j.scratch,
        ratio_scratch_bytes(longest, longest) + 4 * arena_bytes(longest, sizeof(double)), e);
    if (!status)
        status = judge_all(&j, alternatives, e);
    arena_free(&j.scratch);
    if (status)
        comparison_free(comparison);
    return status;
}
