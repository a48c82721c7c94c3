/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares kinds of requests. Both kinds of a comparison were in flight at the same time, so they
 * vary together: the interval of the ratio of their means is computed from the contributions of
 * each stretch of time to both. The interval of a ratio of percentiles is made from the intervals
 * of the two percentiles, each with enough confidence that both hold together; it is wider than
 * necessary.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/result/internal.h"
#include "stat/estimate/estimate.h"
#include "stat/estimate/percentile.h"

_Static_assert(RESULT_PRIORITIES_MAX == REQUEST_KINDS_MAX, "there is a row for each kind");

/* Selects the latencies of one kind of request in the measurement's stretches of time [begin,
   end). */
struct kind_source {
    const struct measurement *measurement;
    size_t begin, end;
    unsigned kind;
    bool remembers; /* the operation's response times have long memory (percentile.h) */
};

static uint64_t count_of(const struct interval_histogram *h)
{
    uint64_t n = h->over;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        n += h->count[i];
    return n;
}

static const struct kind_latency *latency_at(const struct kind_source *from, size_t stretch)
{
    return measurement_kind(from->measurement, stretch, from->kind);
}

static void counts_above(const void *source, double ns, double above[], double count[])
{
    const struct kind_source *from = source;
    const size_t first = ns < 0 ? 0 : histogram_bucket((uint64_t)ns) + 1;
    for (size_t i = from->begin; i < from->end; i++) {
        const struct interval_histogram *h = &latency_at(from, i)->latency;
        /* if the threshold is beyond the buckets, values in `over` may be below it, and do not
           count */
        uint64_t beyond = first > HISTOGRAM_BUCKETS ? 0 : h->over;
        for (size_t bucket = first; bucket < HISTOGRAM_BUCKETS; bucket++)
            beyond += h->count[bucket];
        above[i - from->begin] = (double)beyond;
        count[i - from->begin] = (double)count_of(h);
    }
}

static void total_of(const struct kind_source *from, struct histogram *total)
{
    histogram_clear(total);
    for (size_t i = from->begin; i < from->end; i++)
        latency_add_interval(total, &latency_at(from, i)->latency);
}

static struct result_percentile interval_of(double value, double low, double high)
{
    const bool known = isfinite(low) && isfinite(high);
    return (struct result_percentile){value, known ? low : NAN, known ? high : NAN};
}

static struct result_percentile percentile_at(struct contents *c, const struct kind_source *from,
                                              const struct histogram *total, double share,
                                              double confidence)
{
    if (contents_is_one_pass(c)) /* a pass is measured as a whole */
        return interval_of(histogram_quantile(total, share), NAN, NAN);
    const struct percentile_intervals intervals = {.total = total,
                                                   .intervals = from->end - from->begin,
                                                   .counts = counts_above,
                                                   .source = from,
                                                   .remembers = from->remembers};
    struct percentile p = percentile_of_intervals(&intervals, share, confidence, &c->scratch);
    return interval_of(p.value, p.low, p.high);
}

/* ---- means ---- */

/* Latencies and numbers of requests of a kind, for each stretch of time. */
struct kind_series {
    double *latency, *count;
    double latency_sum, count_sum;
};

static int take_series(const struct kind_source *from, struct arena *scratch,
                       struct kind_series *to)
{
    const size_t n = from->end - from->begin;
    *to = (struct kind_series){.latency = arena_alloc(scratch, n, sizeof(double)),
                               .count = arena_alloc(scratch, n, sizeof(double))};
    if (!to->latency || !to->count)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct kind_latency *at = latency_at(from, from->begin + i);
        to->latency[i] = (double)at->latency_ns;
        to->count[i] = (double)count_of(&at->latency);
        to->latency_sum += to->latency[i];
        to->count_sum += to->count[i];
    }
    return 0;
}

static struct estimate_config config_of(const struct contents *c)
{
    return plan_judge_config(&c->plan, false).estimate;
}

static struct result_percentile mean_of(struct contents *c, const struct kind_source *from)
{
    struct kind_series s;
    const struct estimate_config config = config_of(c);
    if (take_series(from, &c->scratch, &s) || !(s.count_sum > 0))
        return interval_of(NAN, NAN, NAN);
    if (contents_is_one_pass(c))
        return interval_of(s.latency_sum / s.count_sum, NAN, NAN);
    struct estimate e =
        estimate_ratio(s.latency, s.count, from->end - from->begin, &config, &c->scratch);
    return interval_of(e.mean, fmax(e.low, 0), e.high);
}

/* Returns the ratio of the means of two kinds. The interval uses the contribution of each stretch
   of time to the ratio's logarithm (delta method), in which variations common to both kinds
   cancel. */
static struct result_percentile ratio_of_means(struct contents *c, const struct kind_source *one,
                                               const struct kind_source *other)
{
    struct kind_series a, b;
    const size_t n = one->end - one->begin;
    const struct estimate_config config = config_of(c);
    if (take_series(one, &c->scratch, &a) || take_series(other, &c->scratch, &b) ||
        !(a.latency_sum > 0) || !(b.latency_sum > 0))
        return interval_of(NAN, NAN, NAN);
    const double mean_a = a.latency_sum / a.count_sum, mean_b = b.latency_sum / b.count_sum;
    const double ratio = mean_a / mean_b;
    if (contents_is_one_pass(c))
        return interval_of(ratio, NAN, NAN);
    for (size_t i = 0; i < n; i++)
        a.latency[i] = (double)n * ((a.latency[i] - mean_a * a.count[i]) / a.latency_sum -
                                    (b.latency[i] - mean_b * b.count[i]) / b.latency_sum);
    struct estimate e = estimate_mean(a.latency, n, &config, &c->scratch);
    return interval_of(ratio, ratio * exp(e.low), ratio * exp(e.high));
}

static struct result_percentile quotient(const struct result_percentile *a,
                                         const struct result_percentile *b)
{
    return interval_of(a->value / b->value, a->low / b->high, a->high / b->low);
}

/* ---- rows ---- */

static bool is_comparable(const struct request_kind *a, const struct request_kind *b)
{
    return request_operation(a->command) == request_operation(b->command) && a->bytes == b->bytes;
}

/* Returns the kind to compare with: the last one of the same operation and size that has
   completions. This kind has the usual priority, or the lowest one. */
static unsigned compared_with(const struct request_kinds *kinds, const uint64_t n[], unsigned kind)
{
    unsigned with = kind;
    for (unsigned i = kind + 1; i < kinds->count; i++)
        if (is_comparable(&kinds->kind[i], &kinds->kind[kind]) && n[i])
            with = i;
    return with;
}

static void compare(struct contents *c, const struct request_kinds *kinds,
                    const struct kind_source *source, unsigned with, struct histogram *total,
                    struct result_priority *to)
{
    const double both = (1 + c->plan.statistics.confidence) / 2;
    const size_t mark = arena_mark(&c->scratch);
    struct kind_source other = *source;
    other.kind = with;
    request_kind_words(kinds, &kinds->kind[with], plan_priority(&c->plan), to->than);
    to->mean_ratio = ratio_of_means(c, source, &other);
    arena_reset(&c->scratch, mark);
    total_of(source, total);
    const struct result_percentile own = percentile_at(c, source, total, .99, both);
    total_of(&other, total);
    const struct result_percentile others = percentile_at(c, &other, total, .99, both);
    to->p99_ratio = quotient(&own, &others);
}

static void describe(struct contents *c, const struct kind_source *source,
                     const struct histogram *total, struct result_priority *to)
{
    const double confidence = c->plan.statistics.confidence;
    const size_t mark = arena_mark(&c->scratch);
    to->mean = mean_of(c, source);
    arena_reset(&c->scratch, mark);
    to->p50 = percentile_at(c, source, total, .5, confidence);
    to->p99 = percentile_at(c, source, total, .99, confidence);
    to->p999 = percentile_at(c, source, total, .999, confidence);
    to->max = (double)total->max;
}

/* Adds a note for disks without a scheduler, which do not order requests by priority. Whether the
   disk itself orders them cannot be seen. */
static void note_schedulers(const struct contents *c, struct result *r)
{
    if (c->plan.settings.scheduler[0])
        return;
    for (size_t i = 0; i < c->watch.part_count; i++) {
        const struct watch_part *part = &c->watch.parts[i];
        const char *scheduler =
            part->under_test
                ? inventory_value(&c->hardware, inventory_find(&c->hardware, part->name),
                                  "scheduler")
                : NULL;
        if (scheduler && !strcmp(scheduler, "none"))
            result_note(r, true,
                        "the scheduler of %s is none: only the disk itself can act on priorities; "
                        "--scheduler mq-deadline puts requests in order by their class",
                        part->name);
    }
}

void priority_rows(struct contents *c, const struct judged *j, struct result *r)
{
    const struct measurement *m = &c->measurement;
    const struct request_kinds kinds = plan_request_kinds(&c->plan);
    const size_t mark = arena_mark(&c->scratch);
    struct histogram *total = arena_alloc(&c->scratch, 1, sizeof *total);
    struct kind_source source = {.measurement = m};
    uint64_t n[REQUEST_KINDS_MAX] = {0};
    r->kinds_by_command = kinds.by_command;
    if ((kinds.count || plan_priority(&c->plan)) && !kinds.by_command)
        note_schedulers(c, r);
    judged_stretches(c, j, &source.begin, &source.end);
    if (!total || kinds.count != m->kinds.count || source.begin >= source.end)
        return;
    for (source.kind = 0; source.kind < kinds.count; source.kind++)
        for (size_t i = source.begin; i < source.end; i++)
            n[source.kind] += count_of(&latency_at(&source, i)->latency);
    r->priorities = c->priorities;
    r->priority_confidence = c->plan.statistics.confidence;
    for (unsigned i = 0; i < kinds.count; i++) {
        const struct request_kind *kind = &kinds.kind[i];
        struct result_priority *to = &c->priorities[r->priority_count];
        uint64_t of_size = 0;
        for (unsigned k = 0; k < kinds.count; k++)
            of_size += is_comparable(&kinds.kind[k], kind) ? n[k] : 0;
        if (!n[i])
            continue;
        r->priority_count++;
        source.kind = i;
        source.remembers = j->response_time[request_operation(kind->command)].memory > 0;
        *to = (struct result_priority){
            .bytes = kind->bytes, .n = n[i], .share = (double)n[i] / (double)of_size};
        snprintf(to->op, sizeof to->op, "%s", operation_names[request_operation(kind->command)]);
        request_kind_words(&kinds, kind, plan_priority(&c->plan), to->priority);
        to->mean_ratio = to->p99_ratio = interval_of(NAN, NAN, NAN);
        total_of(&source, total);
        describe(c, &source, total, to);
        const unsigned with = compared_with(&kinds, n, i);
        if (with != i)
            compare(c, &kinds, &source, with, total, to);
    }
    arena_reset(&c->scratch, mark);
}
