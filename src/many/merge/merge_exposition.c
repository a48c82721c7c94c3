/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums up sources by host, or all of them, as counters and histograms of few buckets. */
#include <stdlib.h>
#include <string.h>

#include "many/merge/internal.h"

struct named_source {
    const char *name;
    const struct merge_source *source;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct named_source *)a)->name, ((const struct named_source *)b)->name);
}

static bool is_grouped(enum merge_by by)
{
    return by != MERGE_BY_NOTHING && by != MERGE_BY_OP;
}

/* The label of a job is job_name, because Prometheus has a label `job` of its own. */
const char *merge_by_label(enum merge_by by)
{
    static const char *const labels[] = {[MERGE_BY_HOST] = "host",
                                         [MERGE_BY_JOB] = "job_name",
                                         [MERGE_BY_DEVICE] = "device",
                                         [MERGE_BY_SOURCE] = "source",
                                         [MERGE_BY_LABEL] = "label"};
    return is_grouped(by) ? labels[by] : NULL;
}

/* Adds an operation of a source. `bounds`: for each bound, the index of the bucket that begins
   there. */
static void add_source_op(struct exposed_op *to, const struct source_op *from,
                          const size_t bounds[EXPOSED_BOUNDS])
{
    to->ios += from->sum.ios;
    to->bytes += from->sum.bytes;
    to->errors += from->sum.errors;
    to->latency_seconds += (double)from->sum.latency_ns * 1e-9;
    to->latencies += from->latency.n;
    uint64_t below = 0;
    for (size_t bound = 0, i = 0; bound < EXPOSED_BOUNDS; bound++) {
        for (; i < from->latency.used && from->latency.bucket[i] < bounds[bound]; i++)
            below += from->latency.count[i];
        to->below[bound] += below;
    }
}

/* Sums up the operations of sources that have the same name; operations without I/O are left
   out. */
static size_t sum_up(struct exposed_op *to, const struct named_source *sources, size_t n,
                     bool grouped, const size_t bounds[EXPOSED_BOUNDS])
{
    size_t count = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        struct exposed_op *sum = &to[count];
        *sum = (struct exposed_op){.op = operation_names[op],
                                   .group = grouped ? sources[0].name : NULL};
        for (size_t i = 0; i < n; i++)
            add_source_op(sum, &sources[i].source->op[op], bounds);
        count += sum->ios || sum->errors || sum->latencies;
    }
    return count;
}

int merge_expose(const struct merge *m, enum merge_by by, struct exposed_op **ops, size_t *count,
                 struct err *e)
{
    const size_t n = m->source_count;
    size_t bounds[EXPOSED_BOUNDS], groups = 0;
    struct named_source *sources = malloc((n + 1) * sizeof *sources);
    *ops = NULL;
    *count = 0;
    for (size_t i = 0; i < EXPOSED_BOUNDS; i++)
        bounds[i] = histogram_bucket(exposed_bound_ns(i));
    for (size_t i = 0; i < n && sources; i++)
        sources[i] = (struct named_source){is_grouped(by) ? source_name(&m->sources[i], by) : "",
                                           &m->sources[i]};
    if (sources && n)
        qsort(sources, n, sizeof *sources, by_name);
    for (size_t i = 0; i < n && sources; i++)
        groups += i == 0 || strcmp(sources[i].name, sources[i - 1].name) != 0;
    if (sources)
        *ops = malloc((groups * OPERATIONS + 1) * sizeof **ops);
    for (size_t i = 0, end; i < n && *ops; i = end) {
        for (end = i + 1; end < n && !strcmp(sources[end].name, sources[i].name);)
            end++;
        *count += sum_up(*ops + *count, sources + i, end - i, is_grouped(by), bounds);
    }
    free(sources);
    return *ops ? 0 : err_no_memory(e, "metrics");
}
