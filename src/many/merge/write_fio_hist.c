/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes fio's clat_hist log: a row for each interval and operation, "ms, operation, block size,
 * counts...", with the interval's end as its ms. For fio an interval begins at the previous row;
 * where there is none, a row without I/Os is written.
 */
#include "many/merge/fio_log.h"
#include "many/merge/written_formats.h"

#include <string.h>

#define MS_NS 1000000u

static void add_count(struct text *t, uint64_t count, const char *end)
{
    char digits[TEXT_DIGITS];
    text_add(t, count ? text_digits(digits, count) : "0");
    text_add(t, end);
}

/* Returns the count of fio's last bucket, in which fio counts also everything longer. */
static uint64_t fio_last(const struct timeline_op *op)
{
    uint64_t count = op->over;
    for (size_t i = FIO_BUCKETS - 1; i < HISTOGRAM_BUCKETS; i++)
        count += timeline_count(op, i);
    return count;
}

static uint64_t mean_bytes(const struct timeline_interval *interval, enum operation op)
{
    uint64_t ios = 0, bytes = 0;
    for (unsigned i = 0; i < TIMELINE_SLICES; i++) {
        ios += interval->slices[i].op[op].ios;
        bytes += interval->slices[i].op[op].bytes;
    }
    return ios ? (bytes + ios / 2) / ios : 0;
}

static void add_row(struct text *t, uint64_t at_ns, int ddir,
                    const struct timeline_interval *interval)
{
    const enum operation op = (enum operation)fio_ddir_op[ddir];
    const struct timeline_op *counts = interval ? &interval->op[op] : NULL;
    add_count(t, at_ns / MS_NS, ", ");
    add_count(t, (uint64_t)ddir, ", ");
    add_count(t, interval ? mean_bytes(interval, op) : 0, ", ");
    for (size_t i = 0; i < FIO_BUCKETS - 1; i++)
        add_count(t, counts ? timeline_count(counts, i) : 0, ", ");
    add_count(t, counts ? fio_last(counts) : 0, "\n");
}

/* Adds a row for each operation that the timeline has. */
static int add_rows(struct log_output *to, const bool used[], uint64_t at_ns,
                    const struct timeline_interval *interval, struct err *e)
{
    for (int ddir = 0; ddir < FIO_DDIRS; ddir++) {
        if (used[fio_ddir_op[ddir]])
            add_row(&to->text, at_ns, ddir, interval);
        if (output_pass(to, e))
            return -1;
    }
    return 0;
}

static int write_fio_hist(struct log_output *to, struct err *e)
{
    const struct timeline *t = &to->m->timeline;
    bool used[OPERATIONS];
    uint64_t written_ns = 0;
    if (t->length_ns % MS_NS)
        return err_set(e, ERR_USAGE,
                       "%s: fio's logs count in ms, and the interval is no whole number of them",
                       to->path);
    find_ops(t, used);
    for (size_t i = 0; i < t->count; i++) {
        uint64_t begin_ns = t->intervals[i]->number * t->length_ns;
        if (begin_ns != written_ns && add_rows(to, used, begin_ns, NULL, e))
            return -1;
        written_ns = begin_ns + t->length_ns;
        if (add_rows(to, used, written_ns, t->intervals[i], e))
            return -1;
    }
    return 0;
}

const struct merge_writer writer_fio_hist = {
    .name = "fio-hist", .of_intervals = true, .write = write_fio_hist};
