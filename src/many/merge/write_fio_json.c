/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the sums of all intervals as one job of fio's JSON+. */
#include "many/merge/written_formats.h"

#include <stdlib.h>

#include "fio/json/fio_json.h"

#define SECOND_NS 1e9

/* The sums of one operation over the whole time. */
struct op_total {
    struct slice_op sum;
    struct histogram latency;
};

static void add_up(const struct timeline *t, enum operation op, struct op_total *to)
{
    to->sum = (struct slice_op){0};
    histogram_clear(&to->latency);
    for (size_t i = 0; i < t->count; i++) {
        const struct timeline_op *from = &t->intervals[i]->op[op];
        for (unsigned slice = 0; slice < TIMELINE_SLICES; slice++)
            slice_op_add(&to->sum, &t->intervals[i]->slices[slice].op[op]);
        if (!from->n)
            continue;
        to->latency.n += from->n;
        to->latency.over += from->over;
        to->latency.min = from->min < to->latency.min ? from->min : to->latency.min;
        to->latency.max = from->max > to->latency.max ? from->max : to->latency.max;
        for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
            to->latency.count[bucket] += timeline_count(from, bucket);
    }
}

static struct fio_json_op op_of(const struct op_total *total, double seconds)
{
    const struct slice_op *sum = &total->sum;
    struct fio_json_op op = {
        .ios = sum->ios, .bytes = sum->bytes, .seconds = seconds, .latency = &total->latency};
    if (seconds > 0) {
        op.iops = (double)sum->ios / seconds;
        op.bytes_rate = (double)sum->bytes / seconds;
    }
    if (sum->ios)
        op.latency_mean = (double)sum->latency_ns / (double)sum->ios;
    return op;
}

/* Finds the time from the begin of the first source to the end of the last. */
static void find_span(const struct merge *m, uint64_t *begin_ns, uint64_t *end_ns, bool *absolute)
{
    *begin_ns = UINT64_MAX;
    *end_ns = 0;
    *absolute = m->source_count > 0;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        *absolute &= s->time == TIME_ABSOLUTE;
        if (s->end_ns && s->begin_ns < *begin_ns)
            *begin_ns = s->begin_ns;
        if (s->end_ns > *end_ns)
            *end_ns = s->end_ns;
    }
    if (*begin_ns > *end_ns)
        *begin_ns = *end_ns;
}

static int write_fio_json(struct log_output *to, struct err *e)
{
    struct op_total *totals = calloc(OPERATIONS, sizeof *totals);
    uint64_t begin_ns, end_ns;
    bool absolute;
    if (!totals)
        return err_no_memory(e, "writing %s", to->path);
    find_span(to->m, &begin_ns, &end_ns, &absolute);
    struct fio_json json = {.job = "merged",
                            .end_ns = absolute ? end_ns : 0,
                            .seconds = (double)(end_ns - begin_ns) / SECOND_NS};
    for (int op = 0; op < OPERATIONS; op++) {
        add_up(&to->m->timeline, (enum operation)op, &totals[op]);
        json.ops[op] = op_of(&totals[op], json.seconds);
    }
    fio_json_print(&json, 1, &to->text);
    free(totals);
    return 0;
}

const struct merge_writer writer_fio_json = {.name = "fio-json", .write = write_fio_json};
