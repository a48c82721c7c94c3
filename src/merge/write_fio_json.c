/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sums of all intervals as one job of fio's JSON+: its bins are named by their middle. */
#include "merge/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/version.h"

#define SECOND_NS 1e9
#define MS_NS     1e6

/* One operation over the whole time. */
struct op_total {
    struct slice_op sum;
    struct histogram latency;
};

static void add_up(const struct timeline *t, enum merge_op op, struct op_total *to)
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

/* The middle of a bucket as fio rounds it. */
static uint64_t middle_of(size_t bucket)
{
    uint64_t low = (uint64_t)histogram_edge(bucket), end = (uint64_t)histogram_edge(bucket + 1);
    return low + (end - low) / 2;
}

/* About the mean; values over the last bucket are as long as the longest. */
static double deviation_of(const struct histogram *h, double mean)
{
    double squares = (double)h->over * pow((double)h->max - mean, 2);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->count[i])
            squares += (double)h->count[i] * pow((double)middle_of(i) - mean, 2);
    return h->n ? sqrt(squares / (double)h->n) : 0;
}

static void add_percentiles(struct json *j, const struct histogram *h)
{
    static const double percents[] = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                      80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
    json_begin_object(j, "percentile");
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        char key[16];
        snprintf(key, sizeof key, "%.6f", percents[i]);
        json_unsigned(j, key, (uint64_t)llround(histogram_quantile(h, percents[i] / 100)));
    }
    json_end_object(j);
}

static void add_bins(struct json *j, const struct histogram *h)
{
    char key[TEXT_DIGITS];
    uint64_t last = h->over;
    json_begin_object(j, "bins");
    for (size_t i = 0; i < FIO_BUCKETS - 1; i++)
        if (h->count[i])
            json_unsigned(j, text_digits(key, middle_of(i)), h->count[i]);
    for (size_t i = FIO_BUCKETS - 1; i < HISTOGRAM_BUCKETS; i++)
        last += h->count[i];
    if (last)
        json_unsigned(j, text_digits(key, middle_of(FIO_BUCKETS - 1)), last);
    json_end_object(j);
}

static void add_latency(struct json *j, const char *name, const struct op_total *total)
{
    const struct histogram *h = &total->latency;
    double mean = total->sum.ios ? (double)total->sum.latency_ns / (double)total->sum.ios : 0;
    json_begin_object(j, name);
    json_unsigned(j, "min", h->n ? h->min : 0);
    json_unsigned(j, "max", h->max);
    json_number(j, "mean", mean);
    json_number(j, "stddev", deviation_of(h, mean));
    json_unsigned(j, "N", h->n);
    if (h->n) {
        add_percentiles(j, h);
        add_bins(j, h);
    }
    json_end_object(j);
}

static void add_op(struct json *j, const char *name, const struct op_total *total, double length_ns)
{
    double seconds = length_ns / SECOND_NS;
    double bytes_rate = seconds > 0 ? (double)total->sum.bytes / seconds : 0;
    json_begin_object(j, name);
    json_unsigned(j, "io_bytes", total->sum.bytes);
    json_unsigned(j, "io_kbytes", total->sum.bytes / 1024);
    json_unsigned(j, "bw_bytes", (uint64_t)bytes_rate);
    json_unsigned(j, "bw", (uint64_t)(bytes_rate / 1024));
    json_number(j, "iops", seconds > 0 ? (double)total->sum.ios / seconds : 0);
    json_unsigned(j, "runtime", (uint64_t)(length_ns / MS_NS));
    json_unsigned(j, "total_ios", total->sum.ios);
    json_unsigned(j, "short_ios", 0);
    json_unsigned(j, "drop_ios", 0);
    add_latency(j, "clat_ns", total);
    json_end_object(j);
}

/* From when the first source began until the last one ended. */
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

static void add_head(struct json *j, uint64_t end_ns, bool absolute)
{
    char words[96], when[64] = "";
    time_t seconds = (time_t)(end_ns / 1000000000u);
    struct tm utc;
    snprintf(words, sizeof words, "cupel-%s", cupel_version);
    json_string(j, "fio version", words);
    if (!absolute)
        return;
    if (gmtime_r(&seconds, &utc))
        strftime(when, sizeof when, "%a %b %d %H:%M:%S %Y", &utc);
    json_unsigned(j, "timestamp", end_ns / 1000000000u);
    json_unsigned(j, "timestamp_ms", end_ns / 1000000u);
    json_string(j, "time", when);
}

int write_fio_json(struct log_output *to, struct err *e)
{
    struct op_total *total = malloc(sizeof *total);
    struct json j = json_on(&to->text);
    uint64_t begin_ns, end_ns;
    bool absolute;
    if (!total)
        return err_set(e, ERR_MACHINE, "%s: there is no memory left", to->path);
    find_span(to->m, &begin_ns, &end_ns, &absolute);
    json_begin_object(&j, NULL);
    add_head(&j, end_ns, absolute);
    json_begin_array(&j, "jobs");
    json_begin_object(&j, NULL);
    json_string(&j, "jobname", "merged");
    json_unsigned(&j, "groupid", 0);
    json_unsigned(&j, "error", 0);
    json_unsigned(&j, "elapsed", (end_ns - begin_ns + 999999999u) / 1000000000u);
    for (int op = 0; op < MERGE_OPS; op++) {
        add_up(&to->m->timeline, (enum merge_op)op, total);
        add_op(&j, merge_op_names[op], total, (double)(end_ns - begin_ns));
    }
    json_unsigned(&j, "job_runtime", (end_ns - begin_ns) / 1000000u);
    json_end_object(&j);
    json_end_array(&j);
    json_end_object(&j);
    text_add(&to->text, "\n");
    free(total);
    return 0;
}
