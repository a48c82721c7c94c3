/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares hosts, jobs, operations or devices: what each measured, and which of them are outliers.
 */
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/result/never_issued.h"
#include "stat/basic/descriptive.h"

/* A group is an outlier when it differs from the median by at least a tenth and its modified
   z-score is above 3.5 (Iglewicz, Hoaglin, "How to detect and handle outliers", 1993): the distance
   from the median over 1.4826 times the median absolute deviation, both of logarithms. */
#define OUTLIER_SCORE  3.5
#define OUTLIER_RATIO  1.1
#define OUTLIER_GROUPS 5
#define MAD_OF_NORMAL  1.4826
/* A group that begins this much later or ends this much earlier did not measure together with the
   others. */
#define EDGE_SECONDS 1.0
#define EDGE_SHARE   0.05

const char *source_name(const struct merge_source *s, enum merge_by by)
{
    switch (by) {
    case MERGE_BY_JOB:
        return s->job[0] ? s->job : "(no job)";
    case MERGE_BY_DEVICE:
        return s->device[0] ? s->device : "(no device)";
    case MERGE_BY_SOURCE:
        return s->name;
    case MERGE_BY_LABEL:
        return s->group ? s->group : "-";
    default:
        return s->host[0] ? s->host : s->run ? s->run : s->path;
    }
}

#define PERCENTILE_ENTRY(metric, share) {metric, share},
const struct merged_percentile merged_percentiles[MERGED_PERCENTILES] = {
    PERCENTILE_ROWS(PERCENTILE_ENTRY)};
#undef PERCENTILE_ENTRY

struct member {
    const char *name;
    const struct merge_source *source;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

static void take_state(struct result_group *g, const struct merge_source *s)
{
    const char *state = s->failed      ? (s->failure[0] ? s->failure : "failed")
                        : !s->end_ns   ? "no I/O"
                        : s->cut_short ? "cut short"
                        : s->damaged   ? "damaged"
                        : s->late      ? "late"
                                       : "";
    if (!g->state[0])
        snprintf(g->state, sizeof g->state, "%s", state);
}

void latency_buckets_add(struct histogram *h, const struct latency_buckets *from)
{
    for (size_t i = 0; i < from->used; i++)
        h->count[from->bucket[i]] += from->count[i];
    h->n += from->n;
    h->over += from->over;
    h->min = from->min < h->min ? from->min : h->min;
    h->max = from->max > h->max ? from->max : h->max;
}

bool source_has_bytes(const struct merge_source *s, int first, int last)
{
    bool has = true;
    for (int op = first; op < last; op++)
        has &= s->op[op].sum.bytes > 0 || s->op[op].sum.ios == 0 ||
               (last - first > 1 && !operation_has_bytes(op));
    return has;
}

/* Adds the source's due requests that move data. */
static void add_due(struct due_requests *due, const struct merge_source *s)
{
    for (int op = 0; op < OPERATIONS; op++)
        if (operation_has_bytes(op))
            due->due += (double)(s->op[op].sum.ios + s->op[op].sum.errors);
    due->never_issued += (double)s->never_issued;
}

/* Sums up the operations [first, last) of the members; `latency` is scratch. */
static void sum_up(struct result_group *g, const struct member members[], size_t n, int first,
                   int last, uint64_t origin_ns, struct histogram *latency)
{
    uint64_t begin = UINT64_MAX, end = 0, latency_ns = 0;
    struct due_requests due = {.never_issued = 0};
    bool has_bytes = true, has_length = true;
    histogram_clear(latency);
    g->sources = n;
    g->clock_error_ns = 0;
    for (size_t i = 0; i < n; i++) {
        const struct merge_source *s = members[i].source;
        for (int op = first; op < last; op++) {
            g->errors += s->op[op].sum.errors;
            if (last - first > 1 && !operation_has_bytes(op))
                continue;
            latency_buckets_add(latency, &s->op[op].latency);
            g->n += s->op[op].sum.ios;
            g->bytes += s->op[op].sum.bytes;
            latency_ns += s->op[op].sum.latency_ns;
        }
        add_due(&due, s);
        has_bytes &= source_has_bytes(s, first, last);
        has_length &= source_has_length(s);
        if (s->end_ns) {
            begin = s->begin_ns < begin ? s->begin_ns : begin;
            end = s->end_ns > end ? s->end_ns : end;
        }
        double error = s->clock_error_ns < 0 ? NAN : (double)s->clock_error_ns;
        g->clock_error_ns =
            isnan(error) || isnan(g->clock_error_ns) ? NAN : fmax(g->clock_error_ns, error);
        take_state(g, s);
    }
    g->seconds = !has_length ? NAN : end > begin ? (double)(end - begin) * 1e-9 : 0;
    has_length &= end > begin;
    g->begin_seconds = has_length ? (double)(begin - origin_ns) * 1e-9 : NAN;
    g->io_rate = g->seconds > 0 ? (double)g->n / g->seconds : NAN;
    g->byte_rate = g->seconds > 0 && has_bytes ? (double)g->bytes / g->seconds : NAN;
    g->mean_ns = g->n ? (double)latency_ns / (double)g->n : NAN;
    due.due += due.never_issued;
    for (int i = 0; i < MERGED_PERCENTILES; i++) {
        const double share = due_share_of_completed(&due, merged_percentiles[i].share);
        g->percentile[i] = share > 1 ? NAN : histogram_quantile(latency, share);
    }
    g->max = latency->n ? (double)latency->max : NAN;
}

/* ---- outliers ---- */

static double p99_of(const struct result_group *g)
{
    return g->percentile[MERGED_METRIC_LATENCY_P99];
}

static double iops_of(const struct result_group *g)
{
    return g->io_rate;
}

static void mark_outliers(struct merge_groups *all, const char *what,
                          double (*value)(const struct result_group *), double x[])
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++)
        if (value(&all->groups[i]) > 0)
            x[n++] = log(value(&all->groups[i]));
    if (n < OUTLIER_GROUPS)
        return;
    double median = median_of(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - median);
    double deviation = MAD_OF_NORMAL * median_of(x, n);
    for (size_t i = 0; i < all->count; i++) {
        struct result_group *g = &all->groups[i];
        double distance = value(g) > 0 ? log(value(g)) - median : 0;
        size_t used = strlen(g->outlier);
        if (fabs(distance) > fmax(OUTLIER_SCORE * deviation, log(OUTLIER_RATIO)))
            snprintf(g->outlier + used, sizeof g->outlier - used, "%s%s %.3g times the median",
                     used ? ", " : "", what, exp(distance));
    }
}

/* Marks groups that did not measure the whole time: their rates over all of the time are lower. */
static void mark_edges(struct merge_groups *all)
{
    double end = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->groups[i].seconds > 0)
            end = fmax(end, all->groups[i].begin_seconds + all->groups[i].seconds);
    const double noticed = fmax(EDGE_SECONDS, EDGE_SHARE * end);
    for (size_t i = 0; i < all->count; i++) {
        struct result_group *g = &all->groups[i];
        const double late = g->begin_seconds, early = end - g->begin_seconds - g->seconds;
        size_t used = strlen(g->outlier);
        if (!(g->seconds > 0))
            continue;
        if (late > noticed)
            snprintf(g->outlier + used, sizeof g->outlier - used, "%sbegan %.3g s after the first",
                     used ? ", " : "", late);
        used = strlen(g->outlier);
        if (early > noticed)
            snprintf(g->outlier + used, sizeof g->outlier - used, "%sended %.3g s before the last",
                     used ? ", " : "", early);
    }
}

static int find_outliers(struct merge_groups *all, struct err *e)
{
    mark_edges(all);

    double *x = malloc((all->count + 1) * sizeof *x);
    if (!x)
        return err_no_memory(e, "outliers");
    mark_outliers(all, "p99", p99_of, x);
    mark_outliers(all, "IOPS", iops_of, x);
    free(x);
    return 0;
}

static int group_members(const struct merge *m, enum merge_by by, struct member members[],
                         struct merge_groups *to, struct histogram *latency)
{
    uint64_t origin = UINT64_MAX;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        members[i] = (struct member){source_name(s, by), s};
        origin = s->end_ns && s->begin_ns < origin ? s->begin_ns : origin;
    }
    if (by == MERGE_BY_OP) {
        for (int op = 0; op < OPERATIONS; op++) {
            struct result_group *g = &to->groups[to->count];
            snprintf(g->name, sizeof g->name, "%s", operation_names[op]);
            sum_up(g, members, m->source_count, op, op + 1, origin, latency);
            if (g->n || g->errors)
                to->count++;
            else
                *g = (struct result_group){.name = ""};
        }
        return 0;
    }
    qsort(members, m->source_count, sizeof *members, by_name);
    for (size_t i = 0, next; i < m->source_count; i = next) {
        for (next = i; next < m->source_count && !strcmp(members[next].name, members[i].name);)
            next++;
        to->names[to->count] = members[i].name;
        struct result_group *g = &to->groups[to->count++];
        snprintf(g->name, sizeof g->name, "%s", members[i].name);
        sum_up(g, members + i, next - i, 0, OPERATIONS, origin, latency);
    }
    return 0;
}

int groups_find(const struct merge *m, enum merge_by by, struct merge_groups *to, struct err *e)
{
    size_t room = m->source_count > OPERATIONS ? m->source_count : OPERATIONS;
    struct member *members = calloc(room, sizeof *members);
    struct histogram *latency = malloc(sizeof *latency);
    *to = (struct merge_groups){.groups = calloc(room, sizeof *to->groups),
                                .names = calloc(room, sizeof *to->names)};
    int status = members && latency && to->groups && to->names
                     ? group_members(m, by, members, to, latency)
                     : err_no_memory(e, "groups");
    free(members);
    free(latency);
    if (!status && by != MERGE_BY_OP)
        status = find_outliers(to, e);
    return status;
}

void groups_free(struct merge_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->groups[i].periods);
    free(groups->groups);
    free(groups->names);
}

/* ---- averages of the hosts' percentiles, beside those of the system ---- */

int averages_find(const struct merge *m, const struct merge_groups *hosts, struct result_merged *to,
                  struct err *e)
{
    struct histogram *latency = malloc(sizeof *latency);
    if (!latency)
        return err_no_memory(e, "averages");
    histogram_clear(latency);
    for (size_t i = 0; i < m->source_count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            if (operation_has_bytes(op))
                latency_buckets_add(latency, &m->sources[i].op[op].latency);
    for (int i = 0; i < MERGED_PERCENTILES; i++) {
        double sum = 0, weight = 0;
        for (size_t k = 0; k < hosts->count; k++)
            if (hosts->groups[k].n) {
                sum += hosts->groups[k].percentile[i] * (double)hosts->groups[k].n;
                weight += (double)hosts->groups[k].n;
            }
        to->averages[i] = (struct result_average){
            merged_percentiles[i].metric, histogram_quantile(latency, merged_percentiles[i].share),
            weight > 0 ? sum / weight : NAN};
    }
    free(latency);
    return 0;
}
