/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads rounds and batches from a record's chunks, for all readers.
 *
 * Most of a record is batches, and most of a batch is histograms: their numbers are read with the
 * cursor in a register. Numbers that are refused go through payload_number, which reports why.
 */
#include "run/record/internal.h"

#include <string.h>

#include "base/durable/leb128.h"

#define SLICE_SECONDS_MIN 1e-6
#define SLICE_SECONDS_MAX 3600
#define SPAN_MAX          1000000

/* ---- numbers ---- */

static uint64_t take_slowly(struct payload *p, const unsigned char **at, uint64_t max)
{
    p->at = *at;
    uint64_t v = payload_number(p, max);
    *at = p->at;
    return v;
}

static inline uint64_t take(struct payload *p, const unsigned char **at, uint64_t max)
{
    const unsigned char *next = *at;
    uint64_t v;
    if (!leb128_get(&next, p->end, &v) || v > max)
        return take_slowly(p, at, max);
    *at = next;
    return v;
}

/* ---- histograms and slices ---- */

/* Checks that minimum and maximum are in the lowest and highest used buckets, and that both have
   their initial values if the histogram is empty. */
static bool fits(const struct sparse_histogram *h)
{
    if (!h->n)
        return h->min == UINT64_MAX && h->max == 0;
    size_t lowest = h->used ? h->bucket[0] : HISTOGRAM_BUCKETS;
    size_t highest = h->over ? HISTOGRAM_BUCKETS : h->bucket[h->used - 1];
    return h->min <= h->max && h->max <= PAYLOAD_NS_MAX && histogram_bucket(h->min) == lowest &&
           histogram_bucket(h->max) == highest;
}

/*
 * Fast reading of buckets whose distance from the last one has one byte and whose count has one or
 * two: nearly all except the first. Neighbouring counts usually have the same length, so four or
 * two buckets are read at a time; one by one, the begin of each bucket would depend on the lengths
 * before it.
 */
#define STEP_MAX             127u /* largest distance in one byte */
#define HIGH_BITS_OF_BYTES   UINT64_C(0x8080808080808080)
#define LOWEST_BITS_OF_BYTES UINT64_C(0x0101010101010101)

struct bucket_cursor {
    const unsigned char *at;
    struct sparse_histogram *h;
    size_t last;   /* one past the last bucket */
    unsigned used; /* number of used buckets so far */
    uint64_t n;
};

static inline void put_bucket(struct bucket_cursor *c, uint64_t step, uint64_t count)
{
    c->last += step;
    c->h->bucket[c->used] = (uint16_t)(c->last - 1);
    c->h->count[c->used++] = count;
    c->n += count;
}

/* Reads four buckets: eight numbers of one byte, none of them 0. */
static inline bool take_four(struct bucket_cursor *c, uint64_t bytes)
{
    if ((bytes | (bytes - LOWEST_BITS_OF_BYTES)) & HIGH_BITS_OF_BYTES)
        return false;
    for (unsigned i = 0; i < 4; i++, bytes >>= 16)
        put_bucket(c, bytes & 0xff, bytes >> 8 & 0xff);
    c->at += 8;
    return true;
}

/* Reads two buckets with a distance of one byte and a count of two. */
static inline bool take_two(struct bucket_cursor *c, uint64_t bytes)
{
    uint64_t step = bytes & 0xff, count = (bytes >> 8 & 0x7f) | (bytes >> 9 & 0x3f80);
    uint64_t next_step = bytes >> 24 & 0xff;
    uint64_t next_count = (bytes >> 32 & 0x7f) | (bytes >> 33 & 0x3f80);
    if ((bytes & 0x808080808080) != 0x008000008000 || !step || !count || !next_step || !next_count)
        return false;
    put_bucket(c, step, count);
    put_bucket(c, next_step, next_count);
    c->at += 6;
    return true;
}

static inline bool take_one(struct bucket_cursor *c)
{
    uint32_t bytes = load_le32(c->at), step = bytes & 0xff, longer = bytes >> 15 & 1;
    uint32_t count = (bytes >> 8 & 0x7f) | (bytes >> 9 & 0x3f80 & -longer);
    bool is_long = longer && bytes & 0x800000;
    if (is_long || step - 1 >= STEP_MAX || !count)
        return false;
    put_bucket(c, step, count);
    c->at += 2 + longer;
    return true;
}

/* Reads buckets as long as they are possible and have one of the short forms above. `take` reads
   the bucket at which it stops. */
static const unsigned char *take_buckets(const unsigned char *at, const unsigned char *end,
                                         size_t *reached, struct sparse_histogram *h)
{
    struct bucket_cursor c = {.at = at, .h = h, .last = *reached, .used = h->used, .n = h->n};
    for (bool goes_on = true; goes_on;) {
        while (end - c.at >= 8 && c.last <= HISTOGRAM_BUCKETS - 4 * STEP_MAX) {
            uint64_t bytes = load_le64(c.at);
            if (!take_four(&c, bytes) && !take_two(&c, bytes))
                break;
        }
        for (int i = 0; i < 4 && goes_on; i++)
            goes_on = end - c.at >= 4 && c.last <= HISTOGRAM_BUCKETS - STEP_MAX && take_one(&c);
    }
    *reached = c.last;
    h->used = c.used;
    h->n = c.n;
    return c.at;
}

void payload_histogram(struct payload *p, struct sparse_histogram *h)
{
    const unsigned char *at = p->at;
    size_t last = 0; /* one past the last bucket in use */
    h->min = take(p, &at, UINT64_MAX);
    h->max = take(p, &at, UINT64_MAX);
    h->over = take(p, &at, PAYLOAD_COUNT_MAX);
    h->n = h->used = 0;
    for (uint64_t step; (step = take(p, &at, HISTOGRAM_BUCKETS - last)) > 0;) {
        last += (size_t)step;
        uint64_t count = take(p, &at, PAYLOAD_COUNT_MAX);
        h->bucket[h->used] = (uint16_t)(last - 1);
        h->count[h->used++] = count;
        h->n += count;
        if (!count) {
            payload_refuse(p, "a histogram has an empty bucket among those in use");
            break;
        }
        at = take_buckets(at, p->end, &last, h);
    }
    p->at = at;
    h->n += h->over;
    if (!p->refused && !fits(h))
        payload_refuse(p, "a histogram does not go with its shortest and longest time");
}

/* Returns the number of operations in each list of the record. */
static int ops_of(const struct payload *p)
{
    int ops = 0;
    while (ops < OPERATIONS && operation_record_version[ops] <= p->version)
        ops++;
    return ops;
}

static void sparse_histogram_clear(struct sparse_histogram *h)
{
    h->n = h->max = h->over = h->used = 0;
    h->min = UINT64_MAX;
}

static void payload_histograms(struct payload *p, struct sparse_histogram of[OPERATIONS])
{
    for (int op = 0; op < OPERATIONS; op++)
        if (op < ops_of(p))
            payload_histogram(p, &of[op]);
        else
            sparse_histogram_clear(&of[op]);
}

static void payload_slice(struct payload *p, struct slice *slice)
{
    const unsigned char *at = p->at;
    *slice = (struct slice){0};
    for (int op = 0; op < ops_of(p); op++) {
        slice->op[op].ios = take(p, &at, PAYLOAD_COUNT_MAX);
        slice->op[op].bytes = take(p, &at, PAYLOAD_BYTES_MAX);
        slice->op[op].latency_ns = take(p, &at, PAYLOAD_NS_MAX);
        slice->op[op].errors = take(p, &at, PAYLOAD_COUNT_MAX);
    }
    p->at = at;
}

/* ---- values that the next batch depends on ---- */

void timeline_gap(struct record_timeline *t)
{
    t->timing_read = t->stretches_read = t->kinds_read =
        false; /* these values may belong to a batch that is missing */
    t->wall_ns = 0;
    t->span = 0;
    t->span_lost = t->has_spans;
}

/* Reads the length of the slices that follow. */
void timeline_read_slice_length(struct record_timeline *t, struct payload *p)
{
    uint64_t ns = payload_number(p, PAYLOAD_NS_MAX);
    double seconds = (double)ns * 1e-9;
    if (!(seconds >= SLICE_SECONDS_MIN && seconds <= SLICE_SECONDS_MAX))
        payload_refuse(p, "slices have %g s", seconds);
    if (t->has_slices)
        payload_refuse(p, "it comes after slices");
    if (!p->refused)
        t->slice_ns = ns;
}

void timeline_read_when(struct record_timeline *t, struct payload *p)
{
    uint64_t wall_ns = payload_number(p, HISTORY_WALL_NS_LIMIT);
    if (!p->refused)
        t->wall_ns = wall_ns;
}

void timeline_read_span(struct record_timeline *t, struct payload *p)
{
    uint64_t span = payload_number(p, SPAN_MAX);
    if (span < 2)
        payload_refuse(p, "slices span %u others", (unsigned)span);
    if (!p->refused)
        t->span = (unsigned)span;
    t->has_spans = true;
}

void timeline_read_round_begin(struct record_timeline *t, struct payload *p,
                               struct record_round *round)
{
    *round = (struct record_round){.trial = payload_flag(p)};
    round->begin_seconds = payload_seconds(p);
    if (t->in_round && !p->lossy)
        payload_refuse(p, "the round before it has no end");
    if (round->begin_seconds < t->round_begin_seconds)
        payload_refuse(p, "it began before the round before it");
    if (p->refused)
        return;
    t->in_round = true;
    t->in_trial = round->trial;
    t->round_begin_seconds = round->begin_seconds;
}

void timeline_read_round_end(struct record_timeline *t, struct payload *p,
                             struct record_round *round)
{
    *round = (struct record_round){.trial = t->in_trial, .begin_seconds = t->round_begin_seconds};
    round->seconds = payload_seconds(p);
    payload_slice(p, &round->total);
    if (!t->in_round)
        payload_refuse(p, "no round has begun");
    for (int op = 0; op < OPERATIONS; op++)
        if (!(round->seconds > 0) && (round->total.op[op].ios || round->total.op[op].errors))
            payload_refuse(p, "I/O completed in no time");
    if (!p->refused)
        t->in_round = false;
}

/* ---- batches ---- */

void timeline_read_timing(struct record_timeline *t, struct payload *p,
                          struct record_timing *timing)
{
    timing->slice_count = (unsigned)payload_number(p, INTERVAL_SLICES);
    for (unsigned i = 0; i < timing->slice_count; i++) {
        struct slice_timing *slice = &timing->slices[i];
        slice->issued = payload_number(p, PAYLOAD_COUNT_MAX);
        for (int op = 0; op < OPERATIONS; op++)
            slice->service_ns[op] = op < ops_of(p) ? payload_number(p, PAYLOAD_NS_MAX) : 0;
        slice->in_flight_ns = payload_number(p, PAYLOAD_NS_MAX);
        slice->backlog_max = payload_number(p, PAYLOAD_COUNT_MAX);
        slice->late_max_ns = payload_number(p, PAYLOAD_NS_MAX);
    }
    payload_histogram(p, &timing->issue_error);
    payload_histograms(p, timing->service);
    t->timing_read = !p->refused;
}

void timeline_read_stretches(struct record_timeline *t, struct payload *p,
                             struct record_batch *batch)
{
    const unsigned char *at = p->at;
    uint64_t until = 0; /* end of the previous busy stretch, since the interval began */
    batch->stretch_count = (unsigned)take(p, &at, BATCH_STRETCHES);
    for (unsigned i = 0; i < batch->stretch_count && !p->refused; i++) {
        uint64_t begin = until + take(p, &at, PAYLOAD_NS_MAX - until);
        uint64_t length = take(p, &at, PAYLOAD_NS_MAX - begin);
        uint64_t gaps = take(p, &at, length);
        if (gaps == length)
            payload_refuse(p, "nothing was in flight in a stretch");
        until = begin + length;
        batch->stretches[i] = (struct record_stretch){begin, until, length - gaps};
    }
    p->at = at;
    t->stretches_read = !p->refused;
}

/* Checks the busy stretches (times with I/O in flight) against the slices' busy time and the
   interval's length, as far as rounding and the calibration of the cycle counter permit. */
static void check_stretches(struct payload *p, const struct record_batch *batch)
{
    uint64_t of_slices = 0, of_stretches = 0;
    for (unsigned i = 0; i < batch->slice_count; i++)
        of_slices += batch->slices[i].busy_ns;
    for (unsigned i = 0; i < batch->stretch_count; i++)
        of_stretches += batch->stretches[i].busy_ns;
    uint64_t end = batch->stretch_count ? batch->stretches[batch->stretch_count - 1].end_ns : 0;
    if (of_slices != of_stretches)
        payload_refuse(p, "its time in flight is not that of its slices");
    if (end / 2 > batch->length_ns)
        payload_refuse(p, "its time in flight is longer than it is");
}

/* Sets the time and the span of a batch from the chunks before it, which apply only to this
   batch. */
static void place_batch(struct record_timeline *t, struct payload *p, struct record_batch *batch)
{
    if (t->span_lost && !t->span)
        payload_refuse(p, "how long its slices are may be missing");
    batch->span = t->span ? t->span : 1;
    t->span = 0;
    t->span_lost = false;
    if (!t->in_round || t->in_trial)
        payload_refuse(p, "it stands outside of the measured rounds");
    if (!t->slice_ns)
        payload_refuse(p, "the length of its slices is not known");
    batch->slice_ns = t->slice_ns * batch->span;
    batch->length_ns = batch->slice_ns * INTERVAL_SLICES;
}

/* Distributes sums over the slices, for format 1: blocks by the I/Os that completed, busy time
   equally. */
static void share_out_sums(struct record_batch *batch, uint64_t blocks, uint64_t busy_ns)
{
    uint64_t ios = 0, ios_of[INTERVAL_SLICES] = {0};
    for (unsigned i = 0; i < batch->slice_count; i++) {
        for (int op = 0; op < OPERATIONS; op++)
            ios_of[i] += batch->slices[i].op[op].ios + batch->slices[i].op[op].errors;
        ios += ios_of[i];
    }
    for (unsigned i = 0; i < batch->slice_count; i++) {
        double share = ios ? (double)ios_of[i] / (double)ios : 1.0 / batch->slice_count;
        batch->slices[i].asked_bytes = (uint64_t)((double)blocks * share * 512);
        batch->slices[i].busy_ns = busy_ns / batch->slice_count;
    }
}

void timeline_read_batch(struct record_timeline *t, struct payload *p, struct record_batch *batch,
                         const struct record_timing *timing)
{
    bool has_sums = p->version < 2;
    batch->timing = t->timing_read ? timing : NULL;
    t->timing_read = false;
    place_batch(t, p, batch);
    batch->slice_count = (unsigned)payload_number(p, INTERVAL_SLICES);
    for (unsigned i = 0; i < batch->slice_count; i++)
        payload_slice(p, &batch->slices[i]);
    uint64_t blocks = has_sums ? payload_number(p, PAYLOAD_COUNT_MAX) : 0;
    uint64_t busy_ns = has_sums ? payload_number(p, PAYLOAD_NS_MAX) : 0;
    batch->lost_slices = payload_number(p, PAYLOAD_COUNT_MAX);
    payload_histograms(p, batch->latency);
    const unsigned char *at = p->at;
    for (unsigned i = 0; i < batch->slice_count && !has_sums; i++) {
        batch->slices[i].asked_bytes = take(p, &at, PAYLOAD_BYTES_MAX);
        batch->slices[i].busy_ns = take(p, &at, PAYLOAD_NS_MAX);
    }
    p->at = at;
    if (has_sums)
        share_out_sums(batch, blocks, busy_ns);
    if (t->stretches_read)
        check_stretches(p, batch);
    else
        batch->stretch_count = 0;
    t->stretches_read = false;
    batch->begin_ns = t->wall_ns;
    for (unsigned i = 0; i < batch->stretch_count; i++) {
        batch->stretches[i].begin_ns += batch->begin_ns;
        batch->stretches[i].end_ns += batch->begin_ns;
    }
    if (t->wall_ns)
        t->wall_ns += batch->length_ns;
    if (t->wall_ns > HISTORY_WALL_NS_LIMIT)
        t->wall_ns = 0;
    if (p->refused)
        return;
    t->has_slices |= batch->slice_count > 0;
    for (int op = 0; op < OPERATIONS; op++)
        t->has_dated |= batch->begin_ns && batch->latency[op].n;
}

/* Reads the latencies of one job in one period. A record has them after the batches of that period,
   from which the reader knows how long periods are. */
void timeline_read_job(const struct record_timeline *t, struct payload *p, struct record_job *job)
{
    job->number = (unsigned)payload_number(p, MEASUREMENT_JOBS - 1);
    job->begin_ns = payload_number(p, HISTORY_WALL_NS_LIMIT);
    job->length_ns = payload_number(p, 2 * HISTORY_NS_MAX);
    payload_histograms(p, job->latency);
    if (!t->has_dated)
        payload_refuse(p, "it comes before the readings of its time");
}
