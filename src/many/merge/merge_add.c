/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds what readers find to the timeline of all sources and to the totals of the current source. */
#include "many/merge/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_source *merge_current(struct merge *m)
{
    return m->current;
}

const char *merge_string(struct merge *m, const char *text, size_t length)
{
    const char *copy = pool_copy(&m->strings, text, length);
    return copy ? copy : "";
}

void merge_note(struct merge *m, bool warning, const char *format, ...)
{
    va_list args;
    for (size_t i = 0; i < m->note_count && m->current; i++)
        if (m->note_kinds[i].format && !strcmp(m->note_kinds[i].format, format)) {
            m->note_kinds[i].more++;
            return;
        }
    struct result_note *note =
        result_notes_next(m->notes, RESULT_NOTES_MAX, &m->note_count, &m->notes_left_out);
    if (!note) {
        m->note_kinds[m->note_count - 1].format = NULL;
        m->note_kinds[m->note_count - 1].more = 0;
        return;
    }
    note->warning = warning;
    va_start(args, format);
    vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
    m->note_kinds[m->note_count - 1].format = m->current ? format : NULL;
}

/* ---- instants ---- */

/* Sets the offset of the current source's instants. It runs once a source, and is kept out of the
   path of every reading. */
__attribute__((noinline)) static void find_offset(struct merge *m)
{
    const struct merge_source *s = m->current;
    m->offset_ns = s->time == TIME_RELATIVE ? (int64_t)m->plan->start_ns : 0;
    for (size_t i = 0; i < m->plan->shift_count; i++)
        if (s->host[0] && !strcmp(m->plan->shifts[i].host, s->host)) {
            m->offset_ns += m->plan->shifts[i].ns;
            m->shifts_used |= UINT64_C(1) << i;
        }
    m->offset_known = true;
}

/* Returns a source's instant after the user's correction. */
static inline uint64_t instant(struct merge *m, uint64_t ns)
{
    if (!m->offset_known)
        find_offset(m);
    return m->offset_ns < 0 && ns < (uint64_t)-m->offset_ns ? 0 : ns + (uint64_t)m->offset_ns;
}

/* Notes that the source measured in [begin, end). */
static void extend(struct merge_source *s, uint64_t begin_ns, uint64_t end_ns)
{
    if (!s->end_ns || begin_ns < s->begin_ns)
        s->begin_ns = begin_ns;
    if (end_ns > s->end_ns)
        s->end_ns = end_ns;
}

/* Returns the slice that contains an instant. */
static struct timeline_slice *slice_at(struct timeline *t, uint64_t at_ns, struct err *e)
{
    struct timeline_interval *interval = timeline_at(t, at_ns, e);
    const uint64_t length = t->length_ns;
    return interval
               ? &interval->slices[(at_ns - interval->number * length) * TIMELINE_SLICES / length]
               : NULL;
}

static int add_buckets(struct timeline *t, struct timeline_op *to,
                       const struct latency_buckets *from, struct err *e)
{
    const uint16_t *buckets = from->bucket;
    const uint64_t *add = from->count;
    const size_t used = from->used;
    to->n += from->n;
    to->over += from->over;
    to->min = from->min < to->min ? from->min : to->min;
    to->max = from->max > to->max ? from->max : to->max;
    for (size_t i = 0; i < used;) {
        const size_t group = buckets[i] / HISTOGRAM_SUBBUCKETS;
        uint64_t *counts = timeline_group(t, to, group, e);
        if (!counts)
            return -1;
        for (; i < used && buckets[i] / HISTOGRAM_SUBBUCKETS == group; i++)
            counts[buckets[i] % HISTOGRAM_SUBBUCKETS] += add[i];
    }
    return 0;
}

static void add_totals(struct open_buckets *totals, const struct latency_buckets *from)
{
    totals->n += from->n;
    totals->over += from->over;
    totals->min = from->min < totals->min ? from->min : totals->min;
    totals->max = from->max > totals->max ? from->max : totals->max;
    for (size_t i = 0; i < from->used; i++)
        totals->count[from->bucket[i]] += from->count[i];
}

/* Returns the part of a sum that belongs to the first `share` of its time. I/Os are not divided,
   and keep their mean latency. */
static struct slice_op until(const struct slice_op *sum, double share)
{
    if (share >= 1)
        return *sum;
    return slice_op_take(sum, (uint64_t)((double)sum->ios * share),
                         (uint64_t)((double)sum->errors * share));
}

/* Distributes the sums over [begin, end). Each piece of that time gets a proportional part. */
static int share_out(struct timeline *t, const struct merge_latencies *add, struct err *e)
{
    const uint64_t unit = t->unit_ns;
    const double length = (double)(add->end_ns - add->begin_ns);
    struct slice_op given = {0};
    uint64_t number = add->begin_ns / unit;
    for (bool ended = false; !ended; number++) {
        const uint64_t end = (number + 1) * unit;
        ended = end >= add->end_ns;
        const struct slice_op all =
            until(&add->sum, ended ? 1 : (double)(end - add->begin_ns) / length);
        const struct slice_op part = {all.ios - given.ios, all.bytes - given.bytes,
                                      all.latency_ns - given.latency_ns, all.errors - given.errors};
        struct timeline_slice *to = slice_at(t, number * unit + unit / 2, e);
        if (!to)
            return -1;
        slice_op_add(&to->op[add->op], &part);
        to->asked_bytes += part.bytes;
        given = all;
    }
    return 0;
}

/* Limits a mean to the range of its values. */
static double within(double x, double low, double high)
{
    return fmax(low, fmin(x, high));
}

static uint64_t whole_sum(double sum)
{
    return sum < 0x1p63 ? (uint64_t)sum : UINT64_C(1) << 63;
}

/* Returns the sum of latencies, with each bucket's I/Os at its middle. */
static double latency_sum(const struct latency_buckets *l)
{
    double sum = (double)l->over * (double)l->max;
    for (size_t i = 0; i < l->used; i++) {
        const double low = histogram_edge(l->bucket[i]), high = histogram_edge(l->bucket[i] + 1u);
        sum += (double)l->count[i] * within((low + high) / 2, (double)l->min, (double)l->max);
    }
    return sum;
}

/* Returns the sum of the latencies, as the source states it or computed from its buckets. */
static uint64_t sum_of(const struct merge_latencies *add)
{
    const struct latency_buckets *l = &add->latency;
    const double ios = (double)add->sum.ios;
    if (!l->n)
        return add->sum.latency_ns;
    const double sum =
        add->sum.latency_ns ? (double)add->sum.latency_ns : latency_sum(l) * (ios / (double)l->n);
    const double kept = within(sum, ios * (double)l->min, ios * (double)l->max);
    return kept == (double)add->sum.latency_ns ? add->sum.latency_ns : whole_sum(kept);
}

/* Adds a reading to one timeline. `sums`: also distributes its sums over its time. */
static int add_reading(struct timeline *t, const struct merge_latencies *add, bool sums,
                       struct err *e)
{
    struct timeline_interval *to =
        timeline_at(t, add->begin_ns + (add->end_ns - add->begin_ns) / 2, e);
    if (!to || add_buckets(t, &to->op[add->op], &add->latency, e))
        return -1;
    timeline_foresee(t, add->op, &add->latency);
    return sums ? share_out(t, add, e) : 0;
}

/* Returns true if a reading lies in several intervals of those that are shown. */
static bool is_straddling(const struct merge *m, const struct merge_latencies *add)
{
    const uint64_t length = m->timeline.length_ns;
    const uint64_t number = (add->begin_ns + (add->end_ns - add->begin_ns) / 2) / length;
    return add->begin_ns < number * length || add->end_ns > (number + 1) * length;
}

int merge_add_latencies(struct merge *m, const struct merge_latencies *add, struct err *e)
{
    struct merge_source *s = m->current;
    const bool has_time = s->time != TIME_NONE;
    /* a reading without sums gets them slice by slice (merge_add_slice) */
    const bool has_sums = add->sum.ios || add->sum.errors;
    struct merge_latencies sums = *add;
    sums.begin_ns = instant(m, add->begin_ns);
    sums.end_ns = instant(m, add->end_ns);
    if (has_sums)
        sums.sum.latency_ns = sum_of(&sums);
    for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t))
        if ((has_time && timeline_lengthen(t, sums.end_ns - sums.begin_ns, e)) ||
            add_reading(t, &sums, has_sums && has_time, e))
            return -1;
    add_totals(&m->totals[add->op], &add->latency);
    if (is_straddling(m, &sums))
        s->straddling += add->latency.n;
    extend(s, sums.begin_ns, sums.end_ns);
    if (!has_sums)
        return 0;
    slice_op_add(&s->op[add->op].sum, &sums.sum);
    s->asked_bytes += sums.sum.bytes;
    return 0;
}

int merge_add_value(struct merge *m, enum operation op, uint64_t end_ns, uint64_t latency_ns,
                    uint64_t bytes, bool ok, struct err *e)
{
    const uint16_t bucket = (uint16_t)histogram_bucket(latency_ns);
    const uint64_t one = 1;
    const bool over = bucket >= HISTOGRAM_BUCKETS;
    const struct latency_buckets latency = {1, latency_ns, latency_ns, over, !over, &bucket, &one};
    const struct slice_op sum = {ok, ok ? bytes : 0, ok ? latency_ns : 0, !ok};
    end_ns = instant(m, end_ns);
    for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t)) {
        struct timeline_interval *to = timeline_at(t, end_ns, e);
        struct timeline_slice *slice = to ? slice_at(t, end_ns, e) : NULL;
        if (!slice || (ok && add_buckets(t, &to->op[op], &latency, e)))
            return -1;
        slice_op_add(&slice->op[op], &sum);
        slice->asked_bytes += bytes;
    }
    if (ok)
        add_totals(&m->totals[op], &latency);
    slice_op_add(&m->current->op[op].sum, &sum);
    m->current->asked_bytes += bytes;
    extend(m->current, end_ns > latency_ns ? end_ns - latency_ns : 0, end_ns);
    return 0;
}

int merge_add_slice(struct merge *m, uint64_t begin_ns, uint64_t end_ns, const struct slice *slice,
                    struct err *e)
{
    begin_ns = instant(m, begin_ns);
    end_ns = instant(m, end_ns);
    for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t)) {
        if (timeline_lengthen(t, (end_ns - begin_ns) * TIMELINE_SLICES, e))
            return -1;
        struct timeline_slice *to = slice_at(t, begin_ns + (end_ns - begin_ns) / 2, e);
        if (!to)
            return -1;
        for (int op = 0; op < OPERATIONS; op++)
            slice_op_add(&to->op[op], &slice->op[op]);
        to->asked_bytes += slice->asked_bytes;
    }
    for (int op = 0; op < OPERATIONS; op++)
        slice_op_add(&m->current->op[op].sum, &slice->op[op]);
    m->current->asked_bytes += slice->asked_bytes;
    extend(m->current, begin_ns, end_ns);
    return 0;
}

/* ---- stretches ---- */

static int reserve_clipped(struct merge *m, size_t count, struct err *e)
{
    if (count <= m->clipped_capacity)
        return 0;
    struct stretch_ns *grown = realloc(m->clipped, count * sizeof *grown);
    if (!grown)
        return err_no_memory(e, "the time with I/O in flight");
    m->clipped = grown;
    m->clipped_capacity = count;
    return 0;
}

/* Converts a source's time in flight for a set: `inner` is shortened and `outer` lengthened by the
   clock's error. Returns false if it does not belong to the set. */
static bool stretch_for(enum timeline_set set, const struct merge_stretch *from, uint64_t error_ns,
                        struct stretch_ns *to)
{
    bool gapped = from->busy_ns < from->end_ns - from->begin_ns;
    *to = (struct stretch_ns){from->begin_ns, from->end_ns};
    switch (set) {
    case SET_EXACT:
        return !gapped;
    case SET_GAPPED:
        return gapped;
    case SET_INNER:
        to->begin += error_ns;
        to->end = to->end > error_ns ? to->end - error_ns : 0;
        return !gapped && to->end > to->begin;
    default:
        to->begin = to->begin > error_ns ? to->begin - error_ns : 0;
        to->end += error_ns;
        return true;
    }
}

/* Adds disjoint stretches of time to one set of all intervals that they touch. */
static int add_to_set(struct merge *m, struct timeline *t, enum timeline_set set,
                      const struct stretch_ns all[], size_t n, struct err *e)
{
    struct stretch_ns *clipped = m->clipped + n; /* the second half of the scratch */
    /* begin of the part of all[i] that is not yet added */
    uint64_t begin = n ? all[0].begin : 0;
    for (size_t i = 0; i < n;) {
        struct timeline_interval *to = timeline_at(t, begin, e);
        if (!to)
            return -1;
        uint64_t end = (to->number + 1) * t->length_ns;
        size_t count = 0;
        for (; i < n && all[i].end <= end; begin = ++i < n ? all[i].begin : 0)
            clipped[count++] = (struct stretch_ns){begin, all[i].end};
        /* the rest of this stretch of time lies in the next interval */
        if (i < n && begin < end) {
            clipped[count++] = (struct stretch_ns){begin, end};
            begin = end;
        }
        if (stretch_set_add(&to->sets[set], clipped, count, e))
            return -1;
    }
    return 0;
}

/* Distributes the gaps in a time in flight over the slices that it touches. */
static int add_gaps(struct timeline *t, const struct merge_stretch *s, struct err *e)
{
    const uint64_t unit = t->unit_ns;
    const double share = (double)s->busy_ns / (double)(s->end_ns - s->begin_ns);
    for (uint64_t number = s->begin_ns / unit; number * unit < s->end_ns; number++) {
        uint64_t begin = number * unit > s->begin_ns ? number * unit : s->begin_ns;
        uint64_t end = (number + 1) * unit < s->end_ns ? (number + 1) * unit : s->end_ns;
        uint64_t busy = (uint64_t)((double)(end - begin) * share);
        struct timeline_slice *to = slice_at(t, number * unit + unit / 2, e);
        if (!to)
            return -1;
        if (busy < end - begin)
            to->gap_bits += gap_bits_of(end - begin, busy);
    }
    return 0;
}

static struct merge_stretch shifted(struct merge *m, const struct merge_stretch *s)
{
    return (struct merge_stretch){instant(m, s->begin_ns), instant(m, s->end_ns), s->busy_ns};
}

int merge_add_stretches(struct merge *m, const struct merge_stretch stretches[], size_t n,
                        struct err *e)
{
    struct merge_source *s = m->current;
    const bool known = s->clock_error_ns >= 0;
    if (!n || reserve_clipped(m, 2 * n, e))
        return n ? -1 : 0;
    s->has_stretches = true;
    for (size_t i = 0; i < n; i++) {
        const struct merge_stretch at = shifted(m, &stretches[i]);
        s->busy_ns += at.busy_ns;
        for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t))
            if (at.busy_ns < at.end_ns - at.begin_ns && add_gaps(t, &at, e))
                return -1;
    }
    for (int set = 0; set < TIMELINE_SETS; set++) {
        size_t count = 0;
        /* If the clock's error is unknown, no time is certainly busy, and any time may be busy. */
        if (set >= SET_INNER && !known)
            continue;
        for (size_t i = 0; i < n; i++) {
            const struct merge_stretch at = shifted(m, &stretches[i]);
            count += stretch_for((enum timeline_set)set, &at,
                                 known ? (uint64_t)s->clock_error_ns : 0, &m->clipped[count]);
        }
        count = stretches_unite(m->clipped, count);
        for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t))
            if (add_to_set(m, t, (enum timeline_set)set, m->clipped, count, e))
                return -1;
    }
    return 0;
}
