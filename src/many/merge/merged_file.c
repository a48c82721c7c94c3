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

#include "base/durable/chunk_file.h"
#include "base/durable/leb128.h"
#include "base/durable/payload.h"
#include "base/file/file.h"

#define MARK MERGED_FILE_MARK
/* MERGED_VERSION is the newest version of the file. Labels and the key exist from version 2 on,
   flushes from 3, due times of trims from 4, and the count of requests that were due but never
   issued from 5. */
#define FILE_MAX      ((size_t)1 << 31)
#define PERMILLE_BITS 1e6 /* bin_error is stored in millionths */

static const struct chunk_form form = {.mark = MARK,
                                       .head_bytes = sizeof MARK - 1,
                                       .head = CHUNK_HEAD_MARK,
                                       .number_at = CHUNK_NOT_THERE,
                                       .count_at = CHUNK_NOT_THERE};

/* ---- writing ---- */

static void put(struct text *out, uint64_t v)
{
    unsigned char bytes[LEB128_MAX];
    unsigned char *end = leb128_put(bytes, v);
    text_add_bytes(out, (const char *)bytes, (size_t)(end - bytes));
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

/* Writes the numbers of a histogram except its buckets. Without I/Os only n is written. */
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
    static const char room[4] = {0}; /* place of the checksum */
    struct text out = {0};
    text_add(&out, MARK);
    put(&out, MERGED_VERSION);
    put(&out, m->timeline.length_ns);
    put(&out, m->source_count);
    for (size_t i = 0; i < m->source_count; i++)
        put_source(&out, &m->sources[i]);
    put(&out, m->timeline.count);
    for (size_t i = 0; i < m->timeline.count; i++)
        put_interval(&out, m->timeline.intervals[i], i ? m->timeline.intervals[i - 1]->number : 0);
    const struct chunk chunk = {.length = out.length - form.head_bytes};
    text_add_bytes(&out, room, sizeof room);
    if (out.failed) {
        text_free(&out);
        return err_no_memory(e, "%s/merged.cupel", folder);
    }
    unsigned char *bytes = (unsigned char *)out.data;
    chunk_seal(&form, chunk_head_seal(&form, bytes, MERGED_VERSION), bytes + form.head_bytes,
               &chunk);
    int status = write_file_new(folder, "merged.cupel", out.data, out.length, e);
    text_free(&out);
    return status;
}

/* ---- reading: every number is checked, even if the checksum is correct ---- */

static uint64_t take(struct payload *p)
{
    return payload_number(p, UINT64_MAX);
}

static const char *take_text(struct payload *p, struct merge *m)
{
    size_t length = (size_t)payload_number(p, (uint64_t)(p->end - p->at));
    if (length > (size_t)(p->end - p->at))
        payload_refuse(p, "a text is cut short");
    if (p->refused)
        return "";
    const char *text = merge_string(m, (const char *)p->at, length);
    p->at += length;
    return text;
}

static struct slice_op take_sums(struct payload *p)
{
    struct slice_op sum;
    sum.ios = take(p);
    sum.bytes = take(p);
    sum.latency_ns = take(p);
    sum.errors = take(p);
    return sum;
}

/* Reads a histogram into the open row of bins, whose buckets bins_end then lists. */
static struct latency_buckets take_histogram(struct payload *p, struct merge *m)
{
    uint64_t n = take(p), over = 0, min = UINT64_MAX, max = 0, sum = 0;
    if (n) {
        over = take(p);
        min = take(p);
        max = min + take(p);
    }
    bins_begin(m);
    for (uint64_t used = payload_number(p, HISTOGRAM_BUCKETS); used > 0 && !p->refused; used--) {
        size_t bucket = (size_t)payload_number(p, HISTOGRAM_BUCKETS - 1);
        uint64_t count = take(p);
        sum += count;
        bins_add_bucket(m, bucket, count);
    }
    struct latency_buckets to = bins_end(m);
    if (sum + over != n || max < min % UINT64_MAX)
        payload_refuse(p, "a histogram has another sum than its number");
    to.n = n;
    to.over = over;
    to.min = min;
    to.max = max;
    return to;
}

static void take_source(struct payload *p, struct merge *m, uint64_t version,
                        struct merge_source *s)
{
    *s = (struct merge_source){.path = "", .labels = "", .rw = ""};
    const char **const texts[] = {&s->path,   &s->format, &s->host,   &s->job,
                                  &s->device, &s->label,  &s->launch, &s->failure};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = take_text(p, m);
    if (version > 1) {
        s->labels = take_text(p, m);
        s->rw = take_text(p, m);
    }
    s->identity[0] = take(p);
    s->identity[1] = take(p);
    s->clock[0] = take(p);
    s->clock[1] = take(p);
    s->clock_error_ns = (int64_t)payload_number(p, INT64_MAX) - 1;
    s->clock_step_ns = take(p);
    s->time = (enum source_time)payload_number(p, TIME_NONE);
    s->bin_error = (double)take(p) / PERMILLE_BITS;
    s->open_end = take(p);
    s->begin_ns = take(p);
    s->end_ns = take(p);
    s->busy_ns = take(p);
    s->asked_bytes = take(p);
    s->straddling = take(p);
    s->guessed_unit_ns = take(p);
    s->rank = (unsigned)payload_number(p, UINT32_MAX);
    s->size = (unsigned)payload_number(p, UINT32_MAX);
    if (version > 1) {
        s->block_size = take(p);
        s->iodepth = take(p);
        s->jobs = take(p);
    }
    bool *const flags[] = {&s->cut_short,       &s->damaged,       &s->failed,      &s->late,
                           &s->values_averaged, &s->has_stretches, &s->ops_unknown, &s->tags_mixed};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = payload_number(p, 1) == 1;
    if (version > 4) {
        s->never_issued = take(p);
        s->never_issued_at_least = payload_number(p, 1) == 1;
        s->saturated = payload_number(p, 1) == 1;
    }
}

/* Returns true if files of that version contain this sum of MERGE_SUMS. */
static bool has_sum(uint64_t version, int sum)
{
    const int op = sum < MERGE_SERVICE ? sum : sum - MERGE_SERVICE;
    /* service times of trims came later than trims, which fio's logs had before sessions did */
    if (sum == MERGE_SERVICE + OPERATION_TRIM)
        return version > 3;
    return op >= OPERATIONS || version >= operation_merged_version[op];
}

static int read_source(struct payload *p, struct merge *m, uint64_t version, const char *path,
                       struct err *e)
{
    struct merge_source is;
    take_source(p, m, version, &is);
    const struct merge_source *again = source_of_identity(m, is.identity);
    if (again && !p->refused)
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
        m->current->op[op].sum = take_sums(p);
        const struct latency_buckets l = take_histogram(p, m);
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

static int read_histograms(struct payload *p, struct merge *m, uint64_t version,
                           struct timeline *alone, struct timeline_interval *to, struct err *e)
{
    for (int op = 0; op < OPERATIONS; op++) {
        if (!has_sum(version, op))
            continue;
        struct timeline_op *of = &to->op[op];
        const struct latency_buckets l = take_histogram(p, m);
        of->n = l.n;
        of->over = l.over;
        of->min = l.min;
        of->max = l.max;
        for (size_t i = 0; i < l.used; i++) {
            uint64_t *group = timeline_group(alone, of, l.bucket[i] / HISTOGRAM_SUBBUCKETS, e);
            if (!group)
                return -1;
            group[l.bucket[i] % HISTOGRAM_SUBBUCKETS] = l.count[i];
        }
    }
    return 0;
}

static void read_slices(struct payload *p, uint64_t version, struct timeline_interval *to)
{
    for (unsigned i = 0; i < TIMELINE_SLICES; i++) {
        for (int op = 0; op < OPERATIONS; op++)
            if (has_sum(version, op))
                to->slices[i].op[op] = take_sums(p);
        to->slices[i].asked_bytes = take(p);
        to->slices[i].gap_bits = take(p);
    }
}

static int read_sets(struct payload *p, struct timeline_interval *to, struct err *e)
{
    for (int set = 0; set < TIMELINE_SETS; set++) {
        uint64_t until = 0;
        for (uint64_t n = payload_number(p, FILE_MAX); n > 0 && !p->refused; n--) {
            struct stretch_ns stretch = {until + take(p), 0};
            until = stretch.end = stretch.begin + take(p);
            if (stretch.end <= stretch.begin)
                payload_refuse(p, "an interval cannot be");
            else if (stretch_set_add(&to->sets[set], &stretch, 1, e))
                return -1;
        }
    }
    return 0;
}

/* Reads one interval into `alone`, a timeline with no other interval, and adds it to the timelines
   of the merge. */
static int read_interval(struct payload *p, struct merge *m, uint64_t version,
                         struct timeline *alone, uint64_t at_ns, struct err *e)
{
    struct timeline_interval *read = timeline_at(alone, at_ns, e);
    if (!read || read_histograms(p, m, version, alone, read, e))
        return -1;
    read_slices(p, version, read);
    if (read_sets(p, read, e))
        return -1;
    for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t))
        if (timeline_absorb(t, read, alone->length_ns, e))
            return -1;
    return 0;
}

static int read_intervals(struct payload *p, struct merge *m, uint64_t version, uint64_t length_ns,
                          struct err *e)
{
    uint64_t number = 0;
    int status = 0;
    for (uint64_t n = take(p); n > 0 && !p->refused && !status; n--) {
        struct timeline alone;
        number += take(p);
        if (number > UINT64_MAX / length_ns - 1)
            payload_refuse(p, "an interval cannot be");
        if (p->refused)
            return 0;
        timeline_init(&alone, length_ns);
        status = read_interval(p, m, version, &alone, number * length_ns, e);
        timeline_free(&alone);
    }
    return p->refused ? 0 : status;
}

/* Makes the merge's intervals at least as long as those of the file. ERR_USAGE: the merge's length
   is no multiple of the file's. */
static int take_length(struct merge *m, const char *path, uint64_t length_ns, struct err *e)
{
    struct timeline *t = &m->timeline;
    do {
        if (timeline_lengthen(t, length_ns, e))
            return -1;
    } while ((t = next_timeline(m, t)));
    if (!length_ns || length_ns % TIMELINE_SLICES || m->timeline.length_ns % length_ns)
        return err_set(e, ERR_USAGE,
                       "%s holds intervals of %g s, which do not add up to %g s: give --interval "
                       "%gs or a multiple of it, or merge the records themselves",
                       path, (double)length_ns * 1e-9, (double)m->timeline.length_ns * 1e-9,
                       (double)length_ns * 1e-9);
    /* the file's intervals do not add up to those that are judged: those that are shown are judged
       instead */
    if (m->judged.length_ns % length_ns) {
        merge_note(m, true,
                   "%.150s: its intervals of %g s do not add up to %g s: limits are judged in "
                   "those of --interval, and a verdict may depend on their length; merge the "
                   "records themselves",
                   path, (double)length_ns * 1e-9, (double)m->judged.length_ns * 1e-9);
        timeline_free(&m->judged);
        m->judged.length_ns = 0;
    }
    return 0;
}

static int read_all(struct payload *p, struct merge *m, const char *path, struct err *e)
{
    uint64_t version = take(p), length_ns = take(p);
    if (version < 1 || version > MERGED_VERSION)
        return err_set(e, ERR_USAGE,
                       "%s: version %llu of merged.cupel; this cupel reads versions 1 to %d", path,
                       (unsigned long long)version, MERGED_VERSION);
    if (take_length(m, path, length_ns, e))
        return -1;
    for (uint64_t n = take(p); n > 0 && !p->refused; n--)
        if (read_source(p, m, version, path, e))
            return -1;
    return p->refused ? 0 : read_intervals(p, m, version, length_ns, e);
}

static int read_merged(struct merge *m, const char *path, struct err *e)
{
    char *data;
    size_t length;
    if (file_read_kind(path, MARK, "a merged.cupel", FILE_MAX, &data, &length, e))
        return -1;
    const unsigned char *bytes = (const unsigned char *)data;
    uint32_t seed;
    struct chunk chunk;
    struct err why;
    int status;
    if (!chunk_head_is_intact(&form, bytes, &seed) ||
        !chunk_header(&form, bytes + form.head_bytes, length - form.head_bytes, &chunk) ||
        !chunk_is_intact(&form, seed, &chunk)) {
        status =
            err_set(e, ERR_USAGE,
                    "%s: its checksum is wrong: it was cut short or changed; merge the records "
                    "again",
                    path);
    } else {
        struct payload p = {.at = chunk.payload, .end = chunk.payload + chunk.length, .why = &why};
        status = read_all(&p, m, path, e);
        if (!status && (p.refused || p.at != p.end))
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
