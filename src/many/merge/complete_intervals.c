/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds which intervals of followed records are complete, and describes the present state of the
   system and of its hosts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many/merge/follow.h"
#include "many/merge/internal.h"

/* ---- complete intervals ---- */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_waited_for(const struct growing_record *g)
{
    return g->state == FOLLOWED_RUNNING || g->state == FOLLOWED_STARTING;
}

static uint64_t end_of(const struct follow *f, const struct growing_record *g)
{
    return g->has_source ? f->m->sources[g->source].end_ns : 0;
}

/* Returns the instant that half of the running hosts have reached. */
static uint64_t middle_end(const struct follow *f)
{
    uint64_t *ends = malloc((f->count + 1) * sizeof *ends), middle = 0;
    size_t n = 0;
    for (size_t i = 0; ends && i < f->count; i++)
        if (f->records[i].state == FOLLOWED_RUNNING)
            ends[n++] = end_of(f, &f->records[i]);
    if (n) {
        qsort(ends, n, sizeof *ends, by_number);
        middle = ends[n / 2];
    }
    free(ends);
    return middle;
}

/*
 * Returns the instant that all hosts have reached, except silent hosts and hosts whose readings are
 * older than silence allows, since their clocks are wrong. UINT64_MAX: no host is waited for.
 */
static uint64_t complete_until(const struct follow *f)
{
    const uint64_t middle = middle_end(f);
    uint64_t until = UINT64_MAX;
    for (size_t i = 0; i < f->count; i++) {
        const struct growing_record *g = &f->records[i];
        const uint64_t end = end_of(f, g);
        if (!is_waited_for(g) || (end && end + f->stale_ns < middle))
            continue;
        until = end < until ? end : until;
    }
    return until;
}

static void add_op(struct histogram *h, const struct timeline_op *from)
{
    h->n += from->n;
    h->over += from->over;
    h->min = from->n && from->min < h->min ? from->min : h->min;
    h->max = from->max > h->max ? from->max : h->max;
    for (size_t group = 0; group < HISTOGRAM_GROUPS; group++)
        for (size_t i = 0; from->group[group] && i < HISTOGRAM_SUBBUCKETS; i++)
            h->count[group * HISTOGRAM_SUBBUCKETS + i] += from->group[group][i];
}

static void add_sums(const struct slice_op *sum, int op, struct followed_interval *to)
{
    to->ios += operation_has_bytes(op) ? sum->ios : 0;
    to->bytes += sum->bytes;
    to->errors += sum->errors;
}

static void take_percentiles(const struct histogram *h, struct followed_interval *to)
{
    to->p50 = histogram_quantile(h, 0.5);
    to->p90 = histogram_quantile(h, 0.9);
    to->p99 = histogram_quantile(h, 0.99);
    to->p999 = histogram_quantile(h, 0.999);
    to->max = h->n ? (double)h->max : NAN;
}

static void take_rates(struct followed_interval *to)
{
    to->io_rate = to->seconds > 0 ? (double)to->ios / to->seconds : NAN;
    to->byte_rate = to->seconds > 0 ? (double)to->bytes / to->seconds : NAN;
}

/* Finds the time from the first reading to the last. */
static void measured_span(const struct merge *m, uint64_t *begin, uint64_t *end)
{
    *begin = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (!s->end_ns)
            continue;
        *begin = s->begin_ns < *begin ? s->begin_ns : *begin;
        *end = s->end_ns > *end ? s->end_ns : *end;
    }
}

static void take_interval(struct follow *f, const struct timeline_interval *at,
                          struct followed_interval *to)
{
    const uint64_t length = f->m->timeline.length_ns;
    uint64_t begin, end;
    measured_span(f->m, &begin, &end);
    *to = (struct followed_interval){.begin_ns = at->number * length,
                                     .end_ns = (at->number + 1) * length};
    begin = begin > to->begin_ns ? begin : to->begin_ns;
    end = end < to->end_ns ? end : to->end_ns;
    to->seconds = end > begin ? (double)(end - begin) * 1e-9 : 0;
    histogram_clear(f->scratch);
    for (int op = 0; op < OPERATIONS; op++) {
        if (operation_has_bytes(op))
            add_op(f->scratch, &at->op[op]);
        for (unsigned i = 0; i < TIMELINE_SLICES; i++)
            add_sums(&at->slices[i].op[op], op, to);
    }
    take_percentiles(f->scratch, to);
    take_rates(to);
}

/* ---- limits in the present ---- */

/* Returns the value of one interval to which a limit applies; NaN: it is not known. */
static double value_in(struct follow *f, const struct timeline_interval *at, const struct clause *c,
                       double seconds)
{
    const int of = operation_by_name(c->op);
    struct slice_op sum = {0};
    histogram_clear(f->scratch);
    for (int op = 0; op < OPERATIONS; op++) {
        if (!operation_is_of(of, op))
            continue;
        add_op(f->scratch, &at->op[op]);
        for (unsigned i = 0; i < TIMELINE_SLICES; i++)
            slice_op_add(&sum, &at->slices[i].op[op]);
    }
    switch (c->subject) {
    /* the percentile is known if at least one request is expected beyond it */
    case CLAUSE_PERCENTILE:
        return (1 - c->share) * (double)f->scratch->n >= 1 - 1e-9
                   ? histogram_quantile(f->scratch, c->share)
                   : (double)NAN;
    case CLAUSE_MEAN:
        return sum.ios ? (double)sum.latency_ns / (double)sum.ios : (double)NAN;
    case CLAUSE_IOPS:
        return (double)sum.ios / seconds;
    case CLAUSE_BANDWIDTH:
        return (double)sum.bytes / seconds;
    default:
        return NAN;
    }
}

/* Returns true if the value breaks the limit wherever in its bucket it lies. */
static bool breaks(const struct clause *c, double value)
{
    const double least =
        c->subject == CLAUSE_PERCENTILE ? histogram_edge(histogram_bucket((uint64_t)value)) : value;
    return c->relation == CLAUSE_ABOVE ? value <= c->limit : least >= c->limit;
}

static void take_limit(struct followed_limit *to, const struct timeline_interval *at,
                       uint64_t length_ns, bool broken, double value)
{
    const uint64_t begin_ns = at->number * length_ns;
    to->value = value;
    if (!to->row || to->row_breaks != broken) {
        to->row = 0;
        to->row_ns = 0;
        to->row_breaks = broken;
        to->since_ns = broken && !to->broken ? begin_ns : to->since_ns;
    }
    to->row++;
    to->row_ns += length_ns;
    if (to->row >= 2 && to->row_ns >= FOLLOWED_BROKEN_NS)
        to->broken = broken;
}

/* Compares the limits with an interval. It is not compared with limits on intervals of another
   length, nor with facts such as a number of errors, which are decided at once anyway. */
static void look_at_limits(struct follow *f, const struct timeline_interval *at, double seconds)
{
    const uint64_t length_ns = f->m->timeline.length_ns;
    for (size_t i = 0; i < f->limits.count; i++) {
        const struct clause *c = &f->limits.clause[i];
        const bool is_other = c->period_ns && c->period_ns != length_ns;
        const double value = is_other || clause_is_fact(c) || 2 * seconds * 1e9 < (double)length_ns
                                 ? (double)NAN
                                 : value_in(f, at, c, seconds);
        if (!isnan(value))
            take_limit(&f->of_limit[i], at, length_ns, breaks(c, value), value);
    }
}

bool follow_next(struct follow *f, struct followed_interval *to)
{
    const struct timeline *t = &f->m->timeline;
    const size_t next = timeline_from(t, f->next_number);
    const struct timeline_interval *at = next < t->count ? t->intervals[next] : NULL;
    if (!at || (at->number + 1) * t->length_ns > complete_until(f))
        return false;
    take_interval(f, at, to);
    f->next_number = at->number + 1;
    f->last = *to;
    look_at_limits(f, at, to->seconds);
    f->any = true;
    f->p99[f->complete++ % FOLLOWED_PLOT] = to->p99;
    return true;
}

int follow_result(struct follow *f, struct result *r, struct err *e)
{
    const uint64_t shown_ns = f->next_number * f->m->timeline.length_ns;
    f->m->until_ns = shown_ns - shown_ns % judged_timeline(f->m)->length_ns;
    return merge_result(f->m, r, e);
}

/* ---- what all records show so far ---- */

static void take_whole(struct follow *f, struct followed_interval *to)
{
    struct histogram *h = f->scratch;
    *to = (struct followed_interval){.begin_ns = 0};
    measured_span(f->m, &to->begin_ns, &to->end_ns);
    to->seconds = to->end_ns > to->begin_ns ? (double)(to->end_ns - to->begin_ns) * 1e-9 : 0;
    histogram_clear(h);
    for (int op = 0; op < OPERATIONS; op++) {
        const struct open_buckets *from = &f->total[op];
        if (!operation_has_bytes(op))
            continue;
        h->n += from->n;
        h->over += from->over;
        h->min = from->n && from->min < h->min ? from->min : h->min;
        h->max = from->max > h->max ? from->max : h->max;
        for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
            h->count[i] += from->count[i];
    }
    for (size_t i = 0; i < f->m->source_count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            add_sums(&f->m->sources[i].op[op].sum, op, to);
    take_percentiles(h, to);
    take_rates(to);
}

struct listed_host {
    struct followed_host is;
    const char *path;
};

static int by_name(const void *a, const void *b)
{
    const struct listed_host *x = a, *y = b;
    int order = strcmp(x->is.name, y->is.name);
    return order ? order : strcmp(x->path, y->path);
}

/* Names hosts: records of one host are distinguished by their paths. Returns the number of
   hosts. */
static size_t name_hosts(struct listed_host hosts[], size_t n)
{
    size_t count = 0;
    if (n)
        qsort(hosts, n, sizeof *hosts, by_name);
    for (size_t i = 0, end; i < n; i = end, count++) {
        for (end = i + 1; end < n && !strcmp(hosts[end].is.name, hosts[i].is.name);)
            end++;
        for (size_t k = i; end - i > 1 && k < end; k++)
            hosts[k].is.name = hosts[k].path;
    }
    return count;
}

static bool is_slower(const struct followed_host *a, const struct followed_host *b)
{
    return a->p99 > b->p99;
}

/* Inserts a host into the short list of the slowest. */
static void place_host(struct followed *to, const struct followed_host *host)
{
    size_t at = to->slowest_count;
    if (isnan(host->p99))
        return;
    while (at > 0 && is_slower(host, &to->slowest[at - 1]))
        at--;
    if (at == FOLLOWED_SLOWEST)
        return;
    if (to->slowest_count < FOLLOWED_SLOWEST)
        to->slowest_count++;
    memmove(to->slowest + at + 1, to->slowest + at,
            (to->slowest_count - 1 - at) * sizeof *to->slowest);
    to->slowest[at] = *host;
}

static int take_hosts(struct follow *f, struct followed *to, struct err *e)
{
    struct listed_host *hosts = malloc((f->count + 1) * sizeof *hosts);
    size_t n = 0;
    if (!hosts)
        return err_no_memory(e, "the list of hosts");
    for (size_t i = 0; i < f->count; i++) {
        const struct growing_record *g = &f->records[i];
        if (g->state == FOLLOWED_REPEATED)
            continue;
        const struct merge_source *source = g->has_source ? &f->m->sources[g->source] : NULL;
        hosts[n++] = (struct listed_host){
            .is = {.name = source ? source_name(source, MERGE_BY_HOST) : g->path,
                   .state = g->state,
                   .silent_seconds = (double)(f->now_ns - g->grew_ns) * 1e-9,
                   .p99 = g->p99},
            .path = source ? source->name : g->path};
    }
    to->records = n;
    to->hosts = name_hosts(hosts, n);
    for (size_t i = 0; i < n; i++) {
        const struct followed_host *host = &hosts[i].is;
        const bool lost = host->state == FOLLOWED_SILENT || host->state == FOLLOWED_REFUSED;
        to->in_state[host->state]++;
        if (lost && to->silent_count < FOLLOWED_NAMED)
            to->silent[to->silent_count++] = *host;
        if (n > 1)
            place_host(to, host);
    }
    free(hosts);
    return 0;
}

int follow_describe(struct follow *f, struct followed *to, struct err *e)
{
    const struct result_clause *clauses = to->clauses;
    const size_t clause_count = to->clause_count;
    *to = (struct followed){
        .last = f->last, .any = f->any, .clauses = clauses, .clause_count = clause_count};
    to->limits = &f->limits;
    to->of_limit = f->of_limit;
    to->p99_count = f->complete < FOLLOWED_PLOT ? f->complete : FOLLOWED_PLOT;
    for (size_t i = 0; i < to->p99_count; i++)
        to->p99[i] = f->p99[(f->complete - to->p99_count + i) % FOLLOWED_PLOT];
    take_whole(f, &to->whole);
    return take_hosts(f, to, e);
}
