/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares readings of intervals of the wall clock with a clause's limit, as they come. */
#include "run/measurement/measurement.h"

#include <math.h>
#include <string.h>

/* An interval gives a reading only if at least this share of it was measured. */
#define MEASURED_SHARE 0.5

/* Readings are also compared with limits that are easier or harder to keep than the clause's own
   limit, by these factors. The factors of rates are smaller, because rates vary less than response
   times. */
static const double time_factors[PERIOD_THRESHOLDS] = {1, 2, 4};
static const double rate_factors[PERIOD_THRESHOLDS] = {1, 1.1, 1.25};

/* A value that is known to be in [least, greatest]. */
struct reading {
    double least, greatest;
};

size_t clause_periods_bytes(void)
{
    return arena_bytes(1, sizeof(struct period_sum)) +
           arena_bytes(PERIOD_GROUPS, sizeof(struct period_group));
}

int clause_periods_init(struct clause_periods *p, struct arena *arena)
{
    *p = (struct clause_periods){0};
    p->sum = arena_alloc(arena, 1, sizeof *p->sum);
    p->groups = arena_alloc(arena, PERIOD_GROUPS, sizeof *p->groups);
    return p->sum && p->groups ? 0 : -1;
}

static void sum_clear(struct period_sum *sum)
{
    memset(sum, 0, sizeof *sum);
    interval_histogram_clear(&sum->latency);
}

void clause_periods_set(struct clause_periods *p, const struct clause *c)
{
    *p = (struct clause_periods){.clause = *c, .sum = p->sum, .groups = p->groups};
    sum_clear(p->sum);
}

static bool is_about(const struct clause *c, int op)
{
    const int of = operation_by_name(c->op);
    return operation_is_of(of, op) || (of == OPERATION_ALL && c->subject == CLAUSE_ERRORS);
}

static bool is_of_latency(const struct clause *c)
{
    return c->subject == CLAUSE_PERCENTILE || c->subject == CLAUSE_MEAN;
}

static void group_add(struct period_group *to, const struct period_group *from)
{
    if (!to->count)
        to->begin = from->begin;
    to->end = from->end;
    to->count += from->count;
    for (int i = 0; i < PERIOD_THRESHOLDS; i++) {
        to->may[i] += from->may[i];
        to->surely[i] += from->surely[i];
    }
}

static void put_together(struct clause_periods *p)
{
    for (size_t i = 0; i < p->group_count / 2; i++) {
        struct period_group both = p->groups[2 * i];
        group_add(&both, &p->groups[2 * i + 1]);
        p->groups[i] = both;
    }
    p->group_count /= 2;
    p->fold++;
}

/* Adds `count` intervals with the same reading. */
static void take_reading(struct clause_periods *p, const struct reading *r, uint64_t begin,
                         uint64_t end, uint32_t count)
{
    const struct clause *c = &p->clause;
    const double *factors =
        is_of_latency(c) || c->subject == CLAUSE_ERRORS ? time_factors : rate_factors;
    const bool above = c->relation == CLAUSE_ABOVE;
    struct period_group one = {.begin = begin, .end = end, .count = count};
    for (int i = 0; i < PERIOD_THRESHOLDS; i++) {
        double easier = above ? c->limit * factors[i] : c->limit / factors[i];
        double harder = above ? c->limit / factors[i] : c->limit * factors[i];
        bool may, surely;
        /* the clause is errors=0, the only one with this relation */
        if (c->relation == CLAUSE_EQUAL) {
            may = r->greatest > easier;
            surely = r->least > harder;
        } else {
            may = above ? r->least <= easier : r->greatest >= easier;
            surely = above ? r->greatest <= harder : r->least >= harder;
        }
        one.may[i] = may ? count : 0;
        one.surely[i] = surely ? count : 0;
    }
    group_add(&p->open, &one);
    if (p->open.count < 1u << p->fold)
        return;
    p->groups[p->group_count++] = p->open;
    p->open = (struct period_group){0};
    if (p->group_count == PERIOD_GROUPS)
        put_together(p);
}

/* Returns the percentile as a range: the bounds of the histogram bucket that it is in. NaN: the
   histogram is empty. */
static struct reading percentile_of(const struct interval_histogram *h, double share)
{
    uint64_t n = h->over, below = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        n += h->count[i];
    if (!n)
        return (struct reading){NAN, NAN};
    if (share >= 1)
        return (struct reading){(double)h->max, (double)h->max};
    const uint64_t rank = histogram_nearest_rank(n, share);
    size_t bucket = 0;
    while (bucket < HISTOGRAM_BUCKETS && (below += h->count[bucket]) < rank)
        bucket++;
    double most = bucket < HISTOGRAM_BUCKETS ? histogram_edge(bucket + 1) - 1 : (double)h->max;
    return (struct reading){fmax(histogram_edge(bucket), (double)h->min),
                            fmin(most, (double)h->max)};
}

/* Returns the reading of the interval; NaN if no completion in it gives one. */
static struct reading reading_of(const struct clause_periods *p)
{
    const struct clause *c = &p->clause;
    const struct period_sum *sum = p->sum;
    double ios = 0, bytes = 0, latency = 0, errors = 0, value;
    for (int op = 0; op < OPERATIONS; op++) {
        if (!is_about(c, op))
            continue;
        ios += (double)sum->slice.op[op].ios;
        bytes += (double)sum->slice.op[op].bytes;
        latency += (double)sum->slice.op[op].latency_ns;
        errors += (double)sum->slice.op[op].errors;
    }
    const double seconds = sum->covered_ns * 1e-9;
    switch (c->subject) {
    case CLAUSE_PERCENTILE:
        return percentile_of(&sum->latency, c->share);
    case CLAUSE_IOPS:
        value = ios / seconds;
        break;
    case CLAUSE_BANDWIDTH:
        value = bytes / seconds;
        break;
    case CLAUSE_BPS:
        value = (double)sum->slice.asked_bytes / 512 / ((double)sum->slice.busy_ns * 1e-9);
        break;
    case CLAUSE_MEAN:
        value = latency / ios;
        break;
    default:
        value = c->limit_is_share ? errors / (errors + ios) : errors;
    }
    return (struct reading){value, value};
}

/* Ends the interval that was being filled. */
static void end_interval(struct clause_periods *p)
{
    const struct period_sum *sum = p->sum;
    const double length = (double)p->clause.period_ns;
    if (sum->covered_ns >= MEASURED_SHARE * length) {
        struct reading r = reading_of(p);
        struct period_silence *s = &p->silence;
        if (!isnan(r.least)) {
            take_reading(p, &r, sum->begin, sum->end, 1);
        } else if (is_of_latency(&p->clause)) {
            if (!s->count)
                *s = (struct period_silence){.begin = sum->begin,
                                             .first_ns = p->number * p->clause.period_ns};
            s->end = sum->end;
            s->count++;
        }
    } else {
        /* less than half of the interval was measured: a round ended in it, and with it the I/O
           that was in flight */
        p->silence.count = 0;
    }
    sum_clear(p->sum);
}

/* Ends the silent intervals. The first I/O that completed after them began at most `longest` ns
   before `end_ns`, so it was in flight in all silent intervals that began after that. */
static void end_silence(struct clause_periods *p, uint64_t end_ns, uint64_t longest)
{
    struct period_silence *s = &p->silence;
    const struct reading r = {(double)longest, (double)longest};
    uint32_t before = 0; /* number of silent intervals with nothing in flight */
    while (before < s->count && s->first_ns + before * p->clause.period_ns + longest < end_ns)
        before++;
    if (before < s->count)
        take_reading(p, &r, s->begin, s->end, s->count - before);
    s->count = 0;
}

static void add_latencies(struct clause_periods *p, const struct batch *batch)
{
    const struct clause *c = &p->clause;
    struct interval_histogram *to = &p->sum->latency;
    if (c->time == CLAUSE_ISSUE_ERROR && batch->timing)
        interval_histogram_add(to, &batch->timing->issue_error);
    for (int op = 0; op < OPERATIONS && c->time != CLAUSE_ISSUE_ERROR; op++) {
        if (!is_about(c, op))
            continue;
        if (c->time == CLAUSE_RESPONSE)
            interval_histogram_add(to, &batch->latency[op]);
        else if (batch->timing)
            interval_histogram_add(to, batch->timing->service[op]);
    }
}

uint64_t clause_longest(const struct clause *c, const struct batch *batch)
{
    uint64_t longest = 0;
    for (int op = 0; op < OPERATIONS; op++)
        if (is_about(c, op) && batch->latency[op].max > longest)
            longest = batch->latency[op].max;
    return longest;
}

void clause_periods_add(struct clause_periods *p, const struct batch *batch, uint64_t batch_ns,
                        uint64_t first)
{
    const uint64_t length = p->clause.period_ns;
    if (!batch->wall_ns || !batch_ns || length % batch_ns) {
        p->undated |= !batch->wall_ns;
        p->too_long |= batch_ns && length % batch_ns;
        return;
    }
    uint64_t number = (batch->wall_ns + batch_ns / 2) / length;
    struct period_sum *sum = p->sum;
    if (number > p->number) { /* if the clock was set back, the interval continues */
        if (p->number)
            end_interval(p);
        if (p->number && number > p->number + 1)
            p->silence.count = 0;
        p->number = number;
    }
    uint64_t longest = clause_longest(&p->clause, batch);
    if (p->silence.count && longest)
        end_silence(p, batch->wall_ns, longest);
    if (sum->covered_ns <= 0)
        sum->begin = first;
    sum->end = first + (uint64_t)batch->slice_count * batch->span;
    sum->covered_ns += (double)batch->slice_count * (double)batch_ns / INTERVAL_SLICES;
    for (unsigned i = 0; i < batch->slice_count; i++) {
        slice_add(&sum->slice, &batch->slices[i]);
        sum->covered_ns -= (double)batch->slices[i].unmeasured_ns;
    }
    if (p->clause.subject == CLAUSE_PERCENTILE)
        add_latencies(p, batch);
}

size_t clause_periods_groups(const struct clause_periods *p)
{
    return p->group_count + (p->open.count > 0);
}

const struct period_group *clause_periods_group(const struct clause_periods *p, size_t i)
{
    return i < p->group_count ? &p->groups[i] : &p->open;
}
