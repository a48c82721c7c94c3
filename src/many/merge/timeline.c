/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the histograms of all sources in intervals of absolute time. Only used buckets and
   intervals take memory. */
#include "many/merge/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

#define GAP_BITS_SCALE 1024.0

/* Lengths that are chosen automatically: .1 s for up to two minutes, 1 s for up to five hours, and
   so on. */
#define SHORTEST_NS        100000000u
#define STEP               10u
#define SHORTEST_COUNT_MAX 1200
#define COUNT_MAX          20000
/* 11 days; the number of intervals of this length is not limited */
#define LONGEST_NS (SHORTEST_NS * UINT64_C(10000000))

/* ---- memory ---- */

/* All blocks but the first are large enough for large pages: with small pages nearly every added
   count would need a page table look-up. */
#define FIRST_BLOCK_BYTES ((size_t)1 << 18)
#define BLOCK_BYTES       ((size_t)1 << 24)
#define CACHE_LINE        64

struct timeline_block {
    struct timeline_block *before;
    size_t bytes, used;
};

static struct timeline_block *add_block(struct timeline *t)
{
    const size_t bytes = t->blocks ? BLOCK_BYTES : FIRST_BLOCK_BYTES;
    struct timeline_block *block =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    if (t->blocks)
        madvise(block, bytes, MADV_HUGEPAGE); /* this is only a hint to the kernel, and may fail */
    *block = (struct timeline_block){t->blocks, bytes, CACHE_LINE};
    t->blocks = block;
    return block;
}

/* Returns zeroed memory that lives as long as the timeline. NULL: there is no memory left. */
static void *take(struct timeline *t, size_t bytes)
{
    struct timeline_block *block = t->blocks;
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    if (!block || block->bytes - block->used < bytes)
        block = add_block(t);
    if (!block)
        return NULL;
    block->used += bytes;
    return (char *)block + block->used - bytes;
}

void timeline_init(struct timeline *t, uint64_t asked_ns)
{
    *t = (struct timeline){.length_ns = asked_ns ? asked_ns : SHORTEST_NS, .asked = asked_ns > 0};
    t->unit_ns = t->length_ns / TIMELINE_SLICES;
}

void timeline_free(struct timeline *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (int set = 0; set < TIMELINE_SETS; set++)
            stretch_set_free(&t->intervals[i]->sets[set]);
    free(t->intervals);
    for (struct timeline_block *block = t->blocks, *before; block; block = before) {
        before = block->before;
        munmap(block, block->bytes);
    }
    *t = (struct timeline){.length_ns = t->length_ns};
}

size_t timeline_from(const struct timeline *t, uint64_t number)
{
    size_t low = 0, high = t->count;
    if (t->last < t->count && t->intervals[t->last]->number <= number)
        low = t->last;
    if (low + 1 < t->count && t->intervals[low + 1]->number >= number)
        high = low + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->intervals[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct timeline_interval *insert(struct timeline *t, size_t at, uint64_t number)
{
    if (!array_grow(&t->intervals, sizeof(void *), t->count, &t->capacity))
        return NULL;
    struct timeline_interval *interval = take(t, sizeof *interval);
    if (!interval)
        return NULL;
    interval->number = number;
    for (int op = 0; op < OPERATIONS; op++)
        interval->op[op].min = UINT64_MAX;
    memmove(t->intervals + at + 1, t->intervals + at, (t->count - at) * sizeof(void *));
    t->intervals[at] = interval;
    t->count++;
    return interval;
}

static struct timeline_interval *find(struct timeline *t, uint64_t number, struct err *e)
{
    const size_t at = timeline_from(t, number);
    t->last = at;
    if (at < t->count && t->intervals[at]->number == number)
        return t->intervals[at];
    if (t->asked && t->count == TIMELINE_ASKED_MAX) {
        err_set(e, ERR_USAGE, "there are more than %d intervals of %g s: give a longer --interval",
                TIMELINE_ASKED_MAX, (double)t->length_ns * 1e-9);
        return NULL;
    }
    struct timeline_interval *interval = insert(t, at, number);
    if (!interval)
        err_no_memory(e, "%zu intervals: ask for longer ones", t->count + 1);
    return interval;
}

/* ---- longer intervals ---- */

static int add_histograms(struct timeline *t, struct timeline_op *to,
                          const struct timeline_op *from, struct err *e)
{
    to->n += from->n;
    to->over += from->over;
    to->min = from->min < to->min ? from->min : to->min;
    to->max = from->max > to->max ? from->max : to->max;
    for (size_t group = 0; group < HISTOGRAM_GROUPS; group++) {
        uint64_t *counts = from->group[group] ? timeline_group(t, to, group, e) : NULL;
        if (from->group[group] && !counts)
            return -1;
        for (size_t i = 0; i < HISTOGRAM_SUBBUCKETS && counts; i++)
            counts[i] += from->group[group][i];
    }
    return 0;
}

static void add_slice(struct timeline_slice *to, const struct timeline_slice *from)
{
    for (int op = 0; op < OPERATIONS; op++)
        slice_op_add(&to->op[op], &from->op[op]);
    to->asked_bytes += from->asked_bytes;
    to->gap_bits += from->gap_bits;
}

/* Adds an interval to `to`, within which it lies. */
static int absorb(struct timeline *t, struct timeline_interval *to,
                  const struct timeline_interval *from, uint64_t from_ns, struct err *e)
{
    const uint64_t to_ns = t->length_ns;
    for (int op = 0; op < OPERATIONS; op++)
        if (add_histograms(t, &to->op[op], &from->op[op], e))
            return -1;
    for (unsigned i = 0; i < TIMELINE_SLICES; i++) {
        uint64_t middle = from->number * from_ns + (2 * i + 1) * from_ns / (2 * TIMELINE_SLICES);
        add_slice(&to->slices[middle % to_ns * TIMELINE_SLICES / to_ns], &from->slices[i]);
    }
    for (int set = 0; set < TIMELINE_SETS; set++)
        if (stretch_set_add(&to->sets[set], from->sets[set].at, from->sets[set].count, e))
            return -1;
    return 0;
}

int timeline_absorb(struct timeline *t, const struct timeline_interval *from, uint64_t from_ns,
                    struct err *e)
{
    struct timeline_interval *to = timeline_at(t, from->number * from_ns, e);
    return to ? absorb(t, to, from, from_ns, e) : -1;
}

static int lengthen_once(struct timeline *t, struct err *e)
{
    const uint64_t before = t->length_ns;
    struct timeline longer = {.length_ns = before * STEP, .unit_ns = t->unit_ns};
    int status = 0;
    for (size_t i = 0; i < t->count && !status; i++) {
        struct timeline_interval *to = find(&longer, t->intervals[i]->number / STEP, e);
        status = to ? absorb(&longer, to, t->intervals[i], before, e) : -1;
    }
    timeline_free(t);
    /* Copied member by member, because static analysis loses the pointers of a struct that is
       copied as a whole. */
    t->length_ns = longer.length_ns;
    t->unit_ns = longer.unit_ns;
    t->intervals = longer.intervals;
    t->blocks = longer.blocks;
    t->count = longer.count;
    t->capacity = longer.capacity;
    t->last = longer.last;
    return status;
}

int timeline_lengthen(struct timeline *t, uint64_t length_ns, struct err *e)
{
    while (!t->asked && t->length_ns < length_ns && t->length_ns < LONGEST_NS)
        if (lengthen_once(t, e))
            return -1;
    return 0;
}

/* Returns true if there are more intervals than their length allows. */
static bool are_too_many(const struct timeline *t)
{
    return !t->asked && t->count > (t->length_ns == SHORTEST_NS ? SHORTEST_COUNT_MAX : COUNT_MAX);
}

static bool holds(const struct timeline *t, size_t at, uint64_t at_ns)
{
    return at < t->count && at_ns - t->intervals[at]->number * t->length_ns < t->length_ns;
}

struct timeline_interval *timeline_at(struct timeline *t, uint64_t at_ns, struct err *e)
{
    /* the interval found last, or a neighbour, is nearly always the right one */
    if (holds(t, t->last, at_ns))
        return t->intervals[t->last];
    if (holds(t, t->last + 1, at_ns))
        return t->intervals[++t->last];
    if (holds(t, t->last - 1, at_ns))
        return t->intervals[--t->last];
    struct timeline_interval *at = find(t, at_ns / t->length_ns, e);
    while (at && are_too_many(t))
        at = lengthen_once(t, e) ? NULL : find(t, at_ns / t->length_ns, e);
    return at;
}

#define CACHE_LINE_BUCKETS (CACHE_LINE / sizeof(uint64_t))

static void foresee(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CACHE_LINE)
        __builtin_prefetch((const char *)from + at, 1);
}

/* Prefetches the counts of the next interval, the stretches of the one after it, which a reading
   may reach, and the pointers to both. */
void timeline_foresee(const struct timeline *t, int op, const struct latency_buckets *like)
{
    if (t->last + 3 >= t->count)
        return;
    struct timeline_interval *const *next = &t->intervals[t->last + 1];
    uint64_t *const *groups = next[0]->op[op].group;
    for (size_t i = 0; i < like->used; i += CACHE_LINE_BUCKETS) {
        const uint64_t *group = groups[like->bucket[i] / HISTOGRAM_SUBBUCKETS];
        if (group)
            __builtin_prefetch(&group[like->bucket[i] % HISTOGRAM_SUBBUCKETS], 1);
    }
    for (int set = 0; set < TIMELINE_SETS; set++)
        __builtin_prefetch(next[1]->sets[set].at, 1);
    foresee(&next[2]->op[op], sizeof next[2]->op[op]);
    foresee(next[2]->slices, sizeof next[2]->slices + sizeof next[2]->sets);
}

uint64_t *timeline_group(struct timeline *t, struct timeline_op *op, size_t group, struct err *e)
{
    if (!op->group[group]) {
        op->group[group] = take(t, HISTOGRAM_SUBBUCKETS * sizeof(uint64_t));
    }
    if (!op->group[group])
        err_no_memory(e, "histograms: ask for longer intervals");
    return op->group[group];
}

uint64_t gap_bits_of(uint64_t length_ns, uint64_t busy_ns)
{
    double gaps = (double)(length_ns - busy_ns) / (double)length_ns;
    return (uint64_t)llround(-log2(gaps) * (double)length_ns * GAP_BITS_SCALE);
}

double timeline_busy_ns(const struct timeline_interval *interval, uint64_t length_ns,
                        unsigned slice)
{
    uint64_t origin = interval->number * length_ns;
    uint64_t begin = origin + length_ns * slice / TIMELINE_SLICES;
    uint64_t end = origin + length_ns * (slice + 1) / TIMELINE_SLICES;
    double exact = (double)stretch_set_length(&interval->sets[SET_EXACT], begin, end);
    double gapped = (double)stretch_set_length_without(&interval->sets[SET_GAPPED],
                                                       &interval->sets[SET_EXACT], begin, end);
    double whole = (double)stretch_set_length(&interval->sets[SET_GAPPED], begin, end);
    if (!(gapped > 0))
        return exact;
    double bits = (double)interval->slices[slice].gap_bits / GAP_BITS_SCALE / whole;
    return exact + gapped * (1 - exp2(-bits));
}

const struct timeline *judged_timeline(const struct merge *m)
{
    return m->judged.length_ns ? &m->judged : &m->timeline;
}

struct timeline *next_timeline(struct merge *m, const struct timeline *t)
{
    return t == &m->timeline && m->judged.length_ns ? &m->judged : NULL;
}
