/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up I/Os, and computes the numbers of a report. */
#include "program/observe/internal.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 512 };

void level_init(struct level *l)
{
    memset(l, 0, sizeof *l);
    for (int op = 0; op < RECORDING_ALL; op++)
        histogram_clear(&l->response[op]);
    busy_init(&l->busy);
}

void level_begin(struct level *l)
{
    if (++l->in_flight > l->depth_max)
        l->depth_max = l->in_flight;
}

void level_leave(struct level *l)
{
    if (l->in_flight > 0)
        l->in_flight--;
}

void level_add_attempt(struct level *l, const struct level_io *io)
{
    l->asked += io->asked;
    busy_add(&l->busy, io->begin_ns, io->end_ns);
}

void level_add(struct level *l, const struct level_io *io)
{
    uint64_t end = io->end_ns > io->begin_ns ? io->end_ns : io->begin_ns;
    histogram_add(&l->response[io->op], end - io->begin_ns);
    l->bytes[io->op] += io->moved;
    l->failed[io->op] += io->failed;
    level_add_attempt(l, io);
}

static const double shares[] = {
#define PERCENTILE_SHARE(metric, share) share,
    PERCENTILE_ROWS(PERCENTILE_SHARE)
#undef PERCENTILE_SHARE
};

static void report_numbers(const struct histogram *h, uint64_t bytes, uint64_t failed,
                           struct recording_numbers *to)
{
    *to = (struct recording_numbers){.count = h->n, .bytes = bytes, .failed = failed};
    to->mean_ns = h->n ? (double)h->sum / (double)h->n : NAN;
    to->min_ns = h->n ? (double)h->min : NAN;
    to->max_ns = h->n ? (double)h->max : NAN;
    for (int i = 0; i < RECORDING_PERCENTILES; i++)
        to->percentile_ns[i] = histogram_quantile(h, shares[i]);
}

void level_report(const struct level *l, struct histogram *all, struct recording_level *to)
{
    uint64_t bytes = 0, failed = 0;
    histogram_clear(all);
    for (int op = 0; op < RECORDING_ALL; op++) {
        report_numbers(&l->response[op], l->bytes[op], l->failed[op], &to->op[op]);
        histogram_merge(all, &l->response[op]);
        bytes += l->bytes[op];
        failed += l->failed[op];
    }
    report_numbers(all, bytes, failed, &to->op[RECORDING_ALL]);
    uint64_t busy = busy_total(&l->busy);
    to->blocks = (double)l->asked / BLOCK_BYTES;
    to->busy_seconds = (double)busy / 1e9;
    to->depth_mean = busy ? (double)all->sum / (double)busy : NAN; /* Little's law */
    to->depth_max = l->depth_max;
    to->merged = l->merged;
    to->own_count = l->own_count;
    to->own_bytes = l->own_bytes;
}

void series_init(struct series *s, uint64_t begin_ns)
{
    memset(s, 0, sizeof *s);
    s->begin_ns = begin_ns;
    s->slice_ns = 1000000;
}

void series_add(struct series *s, uint64_t time_ns, uint64_t bytes)
{
    if (time_ns < s->begin_ns)
        time_ns = s->begin_ns;
    while ((time_ns - s->begin_ns) / s->slice_ns >= SERIES_SLICES) {
        const size_t half = SERIES_SLICES / 2; /* merges each two neighbouring slices */
        for (size_t i = 0; i < half; i++) {
            s->ios[i] = s->ios[2 * i] + s->ios[2 * i + 1];
            s->bytes[i] = s->bytes[2 * i] + s->bytes[2 * i + 1];
        }
        memset(s->ios + half, 0, half * sizeof *s->ios);
        memset(s->bytes + half, 0, half * sizeof *s->bytes);
        s->slice_ns *= 2;
        s->count = (s->count + 1) / 2;
    }
    size_t slice = (size_t)((time_ns - s->begin_ns) / s->slice_ns);
    s->ios[slice]++;
    s->bytes[slice] += bytes;
    if (slice >= s->count)
        s->count = slice + 1;
}

size_t series_rates(const struct series *s, uint64_t end_ns, double iops[], double bandwidth[])
{
    uint64_t length = end_ns > s->begin_ns ? end_ns - s->begin_ns : 0;
    size_t whole = (size_t)(length / s->slice_ns);
    size_t count = whole > 0 ? whole : s->count > 0;
    if (count > SERIES_SLICES)
        count = SERIES_SLICES;
    double seconds = (double)(whole > 0 || length == 0 ? s->slice_ns : length) / 1e9;
    for (size_t i = 0; i < count; i++) {
        iops[i] = s->ios[i] / seconds;
        bandwidth[i] = (double)s->bytes[i] / seconds;
    }
    return count;
}
