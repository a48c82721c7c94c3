/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes and reads merged.cupel, a merge as a file that can be merged again: a merge of merges has
 * the same bytes as one merge of everything.
 *
 * "CUPELMRG", then numbers (LEB128) and texts (length, bytes): version, length of an interval in
 * ns, the sources in the order of their identities, the intervals in order of time; at the end the
 * CRC-32C of all before it, four bytes little endian.
 */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/durable/leb128.h"
#include "base/endian.h"
#include "base/file/file.h"

#define MARK MERGED_FILE_MARK
/* Version 1 had no labels and no key, 2 no flushes, 3 no due times of trims, 4 no count of requests
   that were due but never issued. */
#define VERSION       5
#define FILE_MAX      ((size_t)1 << 31)
#define CRC_BYTES     4
#define PERMILLE_BITS 1e6 /* bin_error is stored in millionths */

/* ---- writing ---- */

static void put(struct text *out, uint64_t v)
{
    unsigned char bytes[LEB128_MAX];
    text_add_bytes(out, (const char *)bytes, (size_t)(leb128_put(bytes, v) - bytes));
}

static void put_text(struct text *out, const char *s)
{
    size_t length = strlen(s);
    put(out, length);
    text_add_bytes(out, s, length);
}

static void put_sums(struct text *out, const struct slice_op *sum)
{
    put(out, sum->ios);
    put(out, sum->bytes);
    put(out, sum->latency_ns);
    put(out, sum->errors);
}

/* Writes the numbers besides the buckets; min and max only when there are any I/Os. */
static void put_range(struct text *out, uint64_t n, uint64_t over, uint64_t min, uint64_t max)
{
    put(out, n);
    if (!n)
        return;
    put(out, over);
    put(out, min);
    put(out, max - min);
}

static void put_source(struct text *out, const struct merge_source *s)
{
    const char *const texts[] = {s->path,  s->format, s->host,    s->job,    s->device,
                                 s->label, s->launch, s->failure, s->labels, s->rw};
    const uint64_t flags[] = {s->cut_short,       s->damaged,       s->failed,      s->late,
                              s->values_averaged, s->has_stretches, s->ops_unknown, s->tags_mixed};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(out, texts[i]);
    const uint64_t numbers[] = {s->identity[0],
                                s->identity[1],
                                s->clock[0],
                                s->clock[1],
                                (uint64_t)(s->clock_error_ns + 1),
                                s->clock_step_ns,
                                (uint64_t)s->time,
                                (uint64_t)(s->bin_error * PERMILLE_BITS + 0.5),
                                s->open_end,
                                s->begin_ns,
                                s->end_ns,
                                s->busy_ns,
                                s->asked_bytes,
                                s->straddling,
                                s->guessed_unit_ns,
                                s->rank,
                                s->size,
                                s->block_size,
                                s->iodepth,
                                s->jobs};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put(out, numbers[i]);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        put(out, flags[i]);
    put(out, s->never_issued);
    put(out, s->never_issued_at_least);
    put(out, s->saturated);
    for (int op = 0; op < MERGE_SUMS; op++) {
        const struct latency_buckets *l = &s->op[op].latency;
        put_sums(out, &s->op[op].sum);
        put_range(out, l->n, l->over, l->min, l->max);
        put(out, l->used);
        for (size_t i = 0; i < l->used; i++) {
            put(out, l->bucket[i]);
            put(out, l->count[i]);
        }
    }
}

static size_t buckets_used(const struct timeline_op *op)
{
    size_t used = 0;
    for (size_t group = 0; group < HISTOGRAM_GROUPS; group++)
        for (size_t i = 0; op->group[group] && i < HISTOGRAM_SUBBUCKETS; i++)
            used += op->group[group][i] > 0;
    return used;
}

static void put_interval(struct text *out, const struct timeline_interval *at, uint64_t before)
{
    put(out, at->number - before);
    for (int op = 0; op < OPERATIONS; op++) {
        const struct timeline_op *of = &at->op[op];
        put_range(out, of->n, of->over, of->min, of->max);
        put(out, buckets_used(of));
        for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
            const uint64_t *group = of->group[bucket / HISTOGRAM_SUBBUCKETS];
            if (group && group[bucket % HISTOGRAM_SUBBUCKETS]) {
                put(out, bucket);
                put(out, group[bucket % HISTOGRAM_SUBBUCKETS]);
            }
        }
    }
    for (unsigned i = 0; i < TIMELINE_SLICES; i++) {
        for (int op = 0; op < OPERATIONS; op++)
            put_sums(out, &at->slices[i].op[op]);
        put(out, at->slices[i].asked_bytes);
        put(out, at->slices[i].gap_bits);
    }
    for (int set = 0; set < TIMELINE_SETS; set++) {
        uint64_t until = 0;
        put(out, at->sets[set].count);
        for (size_t i = 0; i < at->sets[set].count; i++) {
            put(out, at->sets[set].at[i].begin - until);
            put(out, at->sets[set].at[i].end - at->sets[set].at[i].begin);
            until = at->sets[set].at[i].end;
        }
    }
}

int merge_keep(const struct merge *m, const char *folder, struct err *e)
{
    struct text out = {0};
    unsigned char crc[CRC_BYTES];
    text_add(&out, MARK);
    put(&out, VERSION);
    put(&out, m->timeline.length_ns);
    put(&out, m->source_count);
    for (size_t i = 0; i < m->source_count; i++)
        put_source(&out, &m->sources[i]);
    put(&out, m->timeline.count);
    for (size_t i = 0; i < m->timeline.count; i++)
        put_interval(&out, m->timeline.intervals[i], i ? m->timeline.intervals[i - 1]->number : 0);
    if (!out.failed) {
        store_le32(crc, crc32c(0, out.data, out.length));
        text_add_bytes(&out, (const char *)crc, sizeof crc);
    }
    int status = out.failed ? err_no_memory(e, "%s/merged.cupel", folder)
                            : write_file_new(folder, "merged.cupel", out.data, out.length, e);
    text_free(&out);
    return status;
}

/* ---- reading: even with a correct checksum, every number is checked ---- */

struct bytes {
    const unsigned char *at, *end;
    bool bad;
};

static uint64_t take(struct bytes *b)
{
    uint64_t v = 0;
    if (!leb128_get(&b->at, b->end, &v)) {
        b->bad = true;
        b->at = b->end;
    }
    return v;
}

static uint64_t take_up_to(struct bytes *b, uint64_t max)
{
    uint64_t v = take(b);
    b->bad |= v > max;
    return v > max ? 0 : v;
}

static const char *take_text(struct bytes *b, struct merge *m)
{
    uint64_t length = take(b);
    if (b->bad || length > (uint64_t)(b->end - b->at)) {
        b->bad = true;
        return "";
    }
    const char *text = merge_string(m, (const char *)b->at, (size_t)length);
    b->at += length;
    return text;
}

static struct slice_op take_sums(struct bytes *b)
{
    struct slice_op sum;
    sum.ios = take(b);
    sum.bytes = take(b);
    sum.latency_ns = take(b);
    sum.errors = take(b);
    return sum;
}

/* Reads a histogram into the open row of bins, whose buckets bins_end then lists. */
static struct latency_buckets take_histogram(struct bytes *b, struct merge *m)
{
    uint64_t n = take(b), over = 0, min = UINT64_MAX, max = 0, sum = 0;
    if (n) {
        over = take(b);
        min = take(b);
        max = min + take(b);
    }
    bins_begin(m);
    for (uint64_t used = take_up_to(b, HISTOGRAM_BUCKETS); used > 0 && !b->bad; used--) {
        size_t bucket = (size_t)take_up_to(b, HISTOGRAM_BUCKETS - 1);
        uint64_t count = take(b);
        sum += count;
        bins_add_bucket(m, bucket, count);
    }
    struct latency_buckets to = bins_end(m);
    b->bad |= sum + over != n || max < min % UINT64_MAX;
    to.n = n;
    to.over = over;
    to.min = min;
    to.max = max;
    return to;
}

static void take_source(struct bytes *b, struct merge *m, uint64_t version, struct merge_source *s)
{
    *s = (struct merge_source){.path = "", .labels = "", .rw = ""};
    const char **const texts[] = {&s->path,   &s->format, &s->host,   &s->job,
                                  &s->device, &s->label,  &s->launch, &s->failure};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = take_text(b, m);
    if (version > 1) {
        s->labels = take_text(b, m);
        s->rw = take_text(b, m);
    }
    s->identity[0] = take(b);
    s->identity[1] = take(b);
    s->clock[0] = take(b);
    s->clock[1] = take(b);
    s->clock_error_ns = (int64_t)take_up_to(b, INT64_MAX) - 1;
    s->clock_step_ns = take(b);
    s->time = (enum source_time)take_up_to(b, TIME_NONE);
    s->bin_error = (double)take(b) / PERMILLE_BITS;
    s->open_end = take(b);
    s->begin_ns = take(b);
    s->end_ns = take(b);
    s->busy_ns = take(b);
    s->asked_bytes = take(b);
    s->straddling = take(b);
    s->guessed_unit_ns = take(b);
    s->rank = (unsigned)take_up_to(b, UINT32_MAX);
    s->size = (unsigned)take_up_to(b, UINT32_MAX);
    if (version > 1) {
        s->block_size = take(b);
        s->iodepth = take(b);
        s->jobs = take(b);
    }
    bool *const flags[] = {&s->cut_short,       &s->damaged,       &s->failed,      &s->late,
                           &s->values_averaged, &s->has_stretches, &s->ops_unknown, &s->tags_mixed};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = take_up_to(b, 1) == 1;
    if (version > 4) {
        s->never_issued = take(b);
        s->never_issued_at_least = take_up_to(b, 1) == 1;
        s->saturated = take_up_to(b, 1) == 1;
    }
}

/* Do files of that version contain this sum of MERGE_SUMS? */
static bool has_sum(uint64_t version, int sum)
{
    const int op = sum < MERGE_SERVICE ? sum : sum - MERGE_SERVICE;
    if (sum == MERGE_SERVICE + OPERATION_TRIM) /* fio's logs had trims before sessions had any */
        return version > 3;
    return op >= OPERATIONS || version >= operation_merged_version[op];
}

static int read_source(struct bytes *b, struct merge *m, uint64_t version, const char *path,
                       struct err *e)
{
    struct merge_source is;
    take_source(b, m, version, &is);
    const struct merge_source *again = source_of_identity(m, is.identity);
    if (again && !b->bad)
        return err_set(e, ERR_USAGE,
                       "%s: it holds %.100s already, which is %.100s: what was added up cannot be "
                       "taken out again; leave one of them out",
                       path, is.path, again->path);
    is.from_sum = true;
    if (source_begin(m, &is, e))
        return -1;
    for (int op = 0; op < MERGE_SUMS; op++) {
        if (!has_sum(version, op))
            continue;
        m->current->op[op].sum = take_sums(b);
        const struct latency_buckets l = take_histogram(b, m);
        struct open_buckets *total = &m->totals[op];
        total->n = l.n;
        total->over = l.over;
        total->min = l.min;
        total->max = l.max;
        for (size_t i = 0; i < l.used; i++)
            total->count[l.bucket[i]] = l.count[i];
    }
    return source_end(m, e);
}

static int read_histograms(struct bytes *b, struct merge *m, uint64_t version,
                           struct timeline_interval *to, struct err *e)
{
    for (int op = 0; op < OPERATIONS; op++) {
        if (!has_sum(version, op))
            continue;
        struct timeline_op *of = &to->op[op];
        const struct latency_buckets l = take_histogram(b, m);
        of->n += l.n;
        of->over += l.over;
        of->min = l.min < of->min ? l.min : of->min;
        of->max = l.max > of->max ? l.max : of->max;
        for (size_t i = 0; i < l.used; i++) {
            uint64_t *group =
                timeline_group(&m->timeline, of, l.bucket[i] / HISTOGRAM_SUBBUCKETS, e);
            if (!group)
                return -1;
            group[l.bucket[i] % HISTOGRAM_SUBBUCKETS] += l.count[i];
        }
    }
    return 0;
}

static void read_slices(struct bytes *b, uint64_t version, struct timeline_interval *to,
                        uint64_t at_ns, uint64_t slice_ns, uint64_t length_ns)
{
    for (unsigned i = 0; i < TIMELINE_SLICES; i++) {
        uint64_t middle = at_ns + i * slice_ns + slice_ns / 2;
        struct timeline_slice slice = {.asked_bytes = 0};
        for (int op = 0; op < OPERATIONS; op++)
            if (has_sum(version, op))
                slice.op[op] = take_sums(b);
        slice.asked_bytes = take(b);
        slice.gap_bits = take(b);
        timeline_slice_add(&to->slices[middle % length_ns * TIMELINE_SLICES / length_ns], &slice);
    }
}

static int read_sets(struct bytes *b, struct timeline_interval *to, struct err *e)
{
    for (int set = 0; set < TIMELINE_SETS; set++) {
        uint64_t until = 0;
        for (uint64_t n = take_up_to(b, FILE_MAX); n > 0 && !b->bad; n--) {
            struct stretch_ns stretch = {until + take(b), 0};
            until = stretch.end = stretch.begin + take(b);
            if (stretch.end <= stretch.begin)
                b->bad = true;
            else if (stretch_set_add(&to->sets[set], &stretch, 1, e))
                return -1;
        }
    }
    return 0;
}

static int read_intervals(struct bytes *b, struct merge *m, uint64_t version, uint64_t length_ns,
                          struct err *e)
{
    uint64_t number = 0;
    for (uint64_t n = take(b); n > 0 && !b->bad; n--) {
        number += take(b);
        if (number > UINT64_MAX / length_ns - 1)
            b->bad = true;
        uint64_t at_ns = b->bad ? 0 : number * length_ns;
        struct timeline_interval *to = b->bad ? NULL : timeline_at(&m->timeline, at_ns, e);
        if (!to || read_histograms(b, m, version, to, e))
            return b->bad ? 0 : -1;
        read_slices(b, version, to, at_ns, length_ns / TIMELINE_SLICES, m->timeline.length_ns);
        if (read_sets(b, to, e))
            return -1;
    }
    return 0;
}

static int read_all(struct bytes *b, struct merge *m, const char *path, struct err *e)
{
    uint64_t version = take(b), length_ns = take(b);
    if (version < 1 || version > VERSION)
        return err_set(e, ERR_USAGE,
                       "%s: version %llu of merged.cupel; this cupel reads versions 1 to %d", path,
                       (unsigned long long)version, VERSION);
    if (length_ns && timeline_lengthen(&m->timeline, length_ns, e))
        return -1;
    if (!length_ns || length_ns % TIMELINE_SLICES || m->timeline.length_ns % length_ns)
        return err_set(e, ERR_USAGE,
                       "%s holds intervals of %g s, which do not add up to %g s: give --interval "
                       "%gs or a multiple of it, or merge the records themselves",
                       path, (double)length_ns * 1e-9, (double)m->timeline.length_ns * 1e-9,
                       (double)length_ns * 1e-9);
    for (uint64_t n = take(b); n > 0 && !b->bad; n--)
        if (read_source(b, m, version, path, e))
            return -1;
    return b->bad ? 0 : read_intervals(b, m, version, length_ns, e);
}

static int read_merged(struct merge *m, const char *path, struct err *e)
{
    char *data;
    size_t length;
    if (file_read_kind(path, MARK, "a merged.cupel", FILE_MAX, &data, &length, e))
        return -1;
    const unsigned char *bytes = (const unsigned char *)data;
    const size_t mark = sizeof MARK - 1;
    int status = 0;
    if (length < mark + CRC_BYTES ||
        load_le32(bytes + length - CRC_BYTES) != crc32c(0, bytes, length - CRC_BYTES)) {
        status =
            err_set(e, ERR_USAGE,
                    "%s: its checksum is wrong: it was cut short or changed; merge the records "
                    "again",
                    path);
    } else {
        struct bytes b = {bytes + mark, bytes + length - CRC_BYTES, false};
        status = read_all(&b, m, path, e);
        if (!status && (b.bad || b.at != b.end))
            status = err_set(e, ERR_USAGE,
                             "%s: cupel did not write this: its numbers are "
                             "impossible",
                             path);
    }
    free(data);
    return status;
}

static bool recognise_merged(const char *path, const char *head, size_t length)
{
    (void)path;
    return length >= sizeof MARK - 1 && !memcmp(head, MARK, sizeof MARK - 1);
}

const struct merge_format merge_format_merged = {
    .name = "merged", .recognise = recognise_merged, .holds_sources = true, .read = read_merged};
