/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a log of HdrHistogram in ns, with a row for each interval and operation. The operation is
 * the row's tag. An interval without I/O of the operation has a row, too, since the source
 * measured.
 *
 * HdrHistogram's layout for 2 significant digits has 128 bins an octave, two in each of cupel's 64
 * buckets. So reading it back gives the same buckets, with the same precision: the middle of a
 * bucket lies within 1/128 of its values. A bucket's count is divided between its two bins, since
 * the place of its values is not known, except for the smallest and the largest value.
 */
#include "many/merge/written_formats.h"

#include <stdlib.h>
#include <time.h>

#include "base/version.h"
#include "many/merge/bins/bins.h"

#define DIGITS    2u
#define SECOND_NS 1000000000u
#define MS_NS     1000000u

/* Maximum number of counts in one row: two bins for each bucket, and two for values beyond the
   last. */
#define COUNTS_MAX (2 * HISTOGRAM_BUCKETS + 2)

static size_t add_bin(struct hdr_count counts[], size_t n, size_t bin, uint64_t count)
{
    if (count)
        counts[n++] = (struct hdr_count){bin, count};
    return n;
}

/* Adds half of a bucket's count to each of its bins; min and max stay in their bins. */
static size_t add_bucket(const struct hdr_layout *layout, const struct timeline_op *op,
                         size_t bucket, struct hdr_count counts[], size_t n)
{
    const uint64_t count = timeline_count(op, bucket);
    const size_t first = hdr_bin(layout, (uint64_t)histogram_edge(bucket)),
                 last = hdr_bin(layout, (uint64_t)histogram_edge(bucket + 1) - 1);
    uint64_t upper = first == last ? 0 : count / 2;
    if (!count)
        return n;
    if (hdr_bin(layout, op->max) == first)
        upper = 0;
    else if (hdr_bin(layout, op->max) == last && !upper)
        upper = 1;
    if (first != last && hdr_bin(layout, op->min) == last)
        upper = count;
    n = add_bin(counts, n, first, count - upper);
    return add_bin(counts, n, last, upper);
}

static size_t add_over(const struct hdr_layout *layout, const struct timeline_op *op,
                       struct hdr_count counts[], size_t n)
{
    size_t first = hdr_bin(layout, (uint64_t)histogram_edge(HISTOGRAM_BUCKETS)),
           last = hdr_bin(layout, op->max);
    if (!op->over)
        return n;
    if (last <= first)
        return add_bin(counts, n, first, op->over);
    n = add_bin(counts, n, first, op->over - 1);
    return add_bin(counts, n, last, 1);
}

static int layout_for(struct hdr_layout *layout, uint64_t max)
{
    const uint64_t end = (uint64_t)histogram_edge(HISTOGRAM_BUCKETS);
    return hdr_layout_of(layout, DIGITS, 1, max >= end ? max : end - 1);
}

/* Adds seconds with three decimals, or with nine if three do not suffice. */
static void add_seconds(struct text *t, uint64_t ns)
{
    if (ns % MS_NS)
        text_addf(t, "%llu.%09u", (unsigned long long)(ns / SECOND_NS), (unsigned)(ns % SECOND_NS));
    else
        text_addf(t, "%llu.%03u", (unsigned long long)(ns / SECOND_NS),
                  (unsigned)(ns % SECOND_NS / MS_NS));
}

static int add_row(struct log_output *to, const struct timeline_interval *interval,
                   enum operation which, uint64_t base_ns, struct hdr_count counts[], struct err *e)
{
    const struct timeline_op *op = &interval->op[which];
    const uint64_t length_ns = to->m->timeline.length_ns;
    struct hdr_layout layout;
    size_t n = 0;
    if (layout_for(&layout, op->max))
        return err_set(e, ERR_USAGE, "%s: an I/O of %llu ns has no bin in a log of HdrHistogram",
                       to->path, (unsigned long long)op->max);
    for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        n = add_bucket(&layout, op, bucket, counts, n);
    n = add_over(&layout, op, counts, n);
    text_addf(&to->text, "Tag=%s,", operation_names[which]);
    add_seconds(&to->text, interval->number * length_ns - base_ns);
    text_add(&to->text, ",");
    add_seconds(&to->text, length_ns);
    text_addf(&to->text, ",%llu.%06u,", (unsigned long long)(op->max / MS_NS),
              (unsigned)(op->max % MS_NS));
    hdr_encode(&layout, counts, n, &to->text);
    text_add(&to->text, "\n");
    return output_pass(to, e);
}

static void add_header(struct text *t, const struct merge *m, uint64_t base_ns)
{
    bool ops_unknown = false;
    for (size_t i = 0; i < m->source_count; i++)
        ops_unknown |= m->sources[i].ops_unknown;
    char words[64] = "";
    time_t seconds = (time_t)(base_ns / SECOND_NS);
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        strftime(words, sizeof words, "%a %b %d %H:%M:%S UTC %Y", &utc);
    text_addf(t, "#[Logged with cupel %s]\n", cupel_version);
    text_add(t, "#[Histogram log format version 1.3]\n" HDR_LOG_UNIT
                ", of bins 1/64 wide; tags are operations]\n");
    if (ops_unknown)
        text_add(t, HDR_LOG_OPS_UNKNOWN ": they have the tag read]\n");
    text_add(t, "#[StartTime: ");
    add_seconds(t, base_ns);
    text_addf(t, " (seconds since epoch), %s]\n#[BaseTime: ", words);
    add_seconds(t, base_ns);
    text_add(t, " (seconds since epoch)]\n"
                "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                "\"Interval_Compressed_Histogram\"\n");
}

static int write_hdr_log(struct log_output *to, struct err *e)
{
    const struct timeline *t = &to->m->timeline;
    const uint64_t base_ns = t->count ? t->intervals[0]->number * t->length_ns : 0;
    struct hdr_count *counts = malloc(COUNTS_MAX * sizeof *counts);
    bool used[OPERATIONS];
    int status = counts ? 0 : err_no_memory(e, "writing %s", to->path);
    find_ops(t, used);
    add_header(&to->text, to->m, base_ns);
    for (size_t i = 0; i < t->count && !status; i++)
        for (int op = 0; op < OPERATIONS && !status; op++)
            if (used[op])
                status = add_row(to, t->intervals[i], (enum operation)op, base_ns, counts, e);
    free(counts);
    return status;
}

const struct merge_writer writer_hdr_log = {
    .name = "hdr", .of_intervals = true, .write = write_hdr_log};
