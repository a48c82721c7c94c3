/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implements slices, interval histograms, and the ring that carries them from a worker to the
   collector. */
#include "run/measurement/interval_ring.h"

#include <string.h>

void slice_op_add(struct slice_op *to, const struct slice_op *from)
{
    to->ios += from->ios;
    to->bytes += from->bytes;
    to->latency_ns += from->latency_ns;
    to->errors += from->errors;
}

static uint64_t in_proportion(uint64_t x, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((unsigned __int128)x * part / whole) : 0;
}

struct slice_op slice_op_take(const struct slice_op *from, uint64_t ios, uint64_t errors)
{
    return (struct slice_op){ios, in_proportion(from->bytes, ios, from->ios),
                             in_proportion(from->latency_ns, ios, from->ios), errors};
}

void slice_add(struct slice *to, const struct slice *from)
{
    for (int op = 0; op < OPERATIONS; op++)
        slice_op_add(&to->op[op], &from->op[op]);
    to->asked_bytes += from->asked_bytes;
    to->busy_ns += from->busy_ns;
    to->unmeasured_ns += from->unmeasured_ns;
}

struct slice_op slice_data(const struct slice *slice)
{
    struct slice_op sum = {0};
    for (int op = 0; op < OPERATIONS; op++)
        if (operation_has_bytes(op))
            slice_op_add(&sum, &slice->op[op]);
    return sum;
}

bool slice_is_empty(const struct slice *slice)
{
    uint64_t count = 0;
    for (int op = 0; op < OPERATIONS; op++)
        count += slice->op[op].ios + slice->op[op].errors;
    return !count;
}

static void slice_timing_add_sums(struct slice_timing *to, const struct slice_timing *from)
{
    to->issued += from->issued;
    to->in_flight_ns += from->in_flight_ns;
    for (int op = 0; op < OPERATIONS; op++)
        to->service_ns[op] += from->service_ns[op];
    if (from->late_max_ns > to->late_max_ns)
        to->late_max_ns = from->late_max_ns;
}

/* Adds the timing of the same slice of another worker. Backlogs are added, too, because both
   workers have theirs at the same time. */
static void slice_timing_add(struct slice_timing *to, const struct slice_timing *from)
{
    slice_timing_add_sums(to, from);
    to->backlog_max += from->backlog_max;
}

void slice_timing_join(struct slice_timing *to, const struct slice_timing *from)
{
    slice_timing_add_sums(to, from);
    if (from->backlog_max > to->backlog_max)
        to->backlog_max = from->backlog_max;
}

size_t interval_timing_bytes(size_t count, unsigned operations)
{
    return arena_bytes(count, sizeof(struct interval_timing)) +
           interval_histograms_bytes(count, operations);
}

struct interval_timing *interval_timing_new(size_t count, unsigned operations, struct arena *arena)
{
    struct interval_timing *timings = arena_alloc(arena, count, sizeof *timings);
    for (size_t i = 0; i < count && timings; i++) {
        if (interval_histograms_init(timings[i].service, operations, arena))
            return NULL;
        interval_timing_clear(&timings[i]);
    }
    return timings;
}

void interval_timing_clear(struct interval_timing *timing)
{
    memset(timing->slices, 0, sizeof timing->slices);
    interval_histogram_clear(&timing->issue_error);
    interval_histograms_clear(timing->service);
}

void interval_timing_add(struct interval_timing *to, const struct interval_timing *from)
{
    for (unsigned i = 0; i < INTERVAL_SLICES; i++)
        slice_timing_add(&to->slices[i], &from->slices[i]);
    interval_histogram_add(&to->issue_error, &from->issue_error);
    interval_histograms_add(to->service, from->service);
}

void interval_histogram_clear(struct interval_histogram *h)
{
    memset(h, 0, sizeof *h);
    h->min = UINT64_MAX;
}

void interval_histogram_add(struct interval_histogram *to, const struct interval_histogram *from)
{
    if (interval_histogram_is_empty(from)) /* the workload does not have this operation */
        return;
    if (from->min < to->min)
        to->min = from->min;
    if (from->max > to->max)
        to->max = from->max;
    to->over += from->over;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        to->count[i] += from->count[i];
}

/* The histogram of all operations that are not issued. */
static struct interval_histogram nothing;

size_t interval_histograms_bytes(size_t count, unsigned operations)
{
    const unsigned each = (unsigned)__builtin_popcount(operations & OPERATION_SET_ALL);
    return count * each * arena_bytes(1, sizeof(struct interval_histogram));
}

int interval_histograms_init(struct interval_histogram *of[OPERATIONS], unsigned operations,
                             struct arena *arena)
{
    nothing.min = UINT64_MAX;
    for (int op = 0; op < OPERATIONS; op++) {
        of[op] = operation_set_has(operations, op) ? arena_alloc(arena, 1, sizeof **of) : &nothing;
        if (!of[op])
            return -1;
    }
    return 0;
}

void interval_histograms_clear(struct interval_histogram *const of[OPERATIONS])
{
    for (int op = 0; op < OPERATIONS; op++)
        if (!interval_histogram_is_empty(of[op]))
            interval_histogram_clear(of[op]);
}

void interval_histograms_add(struct interval_histogram *const to[OPERATIONS],
                             struct interval_histogram *const from[OPERATIONS])
{
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_add(to[op], from[op]);
}

void interval_histograms_copy(struct interval_histogram *const to[OPERATIONS],
                              struct interval_histogram *const from[OPERATIONS])
{
    for (int op = 0; op < OPERATIONS; op++)
        if (to[op] != from[op])
            *to[op] = *from[op];
}

void kind_latency_clear(struct kind_latency *kind)
{
    kind->latency_ns = 0;
    interval_histogram_clear(&kind->latency);
}

void kind_latency_add(struct kind_latency *to, const struct kind_latency *from)
{
    to->latency_ns += from->latency_ns;
    interval_histogram_add(&to->latency, &from->latency);
}

static void interval_clear(struct interval *interval)
{
    interval->index = 0;
    interval->after_loss = false;
    memset(interval->busy_ticks, 0, sizeof interval->busy_ticks);
    interval->in_flight_since = UINT64_MAX;
    memset(interval->slices, 0, sizeof interval->slices);
    interval_histograms_clear(interval->latency);
    if (interval->timing)
        interval_timing_clear(interval->timing);
    for (unsigned i = 0; i < interval->kind_count; i++)
        kind_latency_clear(&interval->kinds[i]);
}

void interval_add_busy(uint64_t busy_ticks[INTERVAL_SLICES], uint64_t begin, uint64_t slice_ticks,
                       uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < INTERVAL_SLICES; i++, begin += slice_ticks) {
        uint64_t end = begin + slice_ticks < to ? begin + slice_ticks : to;
        uint64_t start = from > begin ? from : begin;
        if (start < end)
            busy_ticks[i] += end - start;
    }
}

size_t interval_ring_bytes(unsigned capacity, unsigned operations, bool timed)
{
    return arena_bytes(capacity, sizeof(struct interval)) +
           interval_histograms_bytes(capacity, operations) +
           (timed ? interval_timing_bytes(capacity, operations) : 0);
}

int interval_ring_init(struct interval_ring *ring, unsigned capacity, unsigned operations,
                       bool timed, struct arena *arena)
{
    ring->intervals = arena_alloc(arena, capacity, sizeof *ring->intervals);
    if (!ring->intervals)
        return -1;
    ring->capacity = capacity;
    for (unsigned i = 0; i < capacity; i++)
        if (interval_histograms_init(ring->intervals[i].latency, operations, arena))
            return -1;
    struct interval_timing *timings =
        timed ? interval_timing_new(capacity, operations, arena) : NULL;
    if (timed && !timings)
        return -1;
    for (unsigned i = 0; timed && i < capacity; i++)
        ring->intervals[i].timing = &timings[i];
    interval_ring_reset(ring);
    return 0;
}

int interval_ring_keep_kinds(struct interval_ring *ring, unsigned kinds, struct arena *arena)
{
    struct kind_latency *all = arena_alloc(arena, (size_t)ring->capacity * kinds, sizeof *all);
    if (kinds && !all)
        return -1;
    for (unsigned i = 0; i < ring->capacity && kinds; i++) {
        ring->intervals[i].kinds = &all[i * kinds];
        ring->intervals[i].kind_count = kinds;
    }
    interval_ring_reset(ring);
    return 0;
}

void interval_ring_reset(struct interval_ring *ring)
{
    for (unsigned i = 0; i < ring->capacity; i++)
        interval_clear(&ring->intervals[i]);
    atomic_store(&ring->published, 0);
    atomic_store(&ring->taken, 0);
}

bool interval_ring_publish(struct interval_ring *ring)
{
    unsigned published = atomic_load_explicit(&ring->published, memory_order_relaxed);
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    if (published + 1 - taken >= ring->capacity)
        return false;
    atomic_store_explicit(&ring->published, published + 1, memory_order_release);
    return true;
}

const struct interval *interval_ring_peek(struct interval_ring *ring)
{
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    if (atomic_load_explicit(&ring->published, memory_order_acquire) == taken)
        return NULL;
    return &ring->intervals[taken % ring->capacity];
}

void interval_ring_release(struct interval_ring *ring)
{
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    interval_clear(&ring->intervals[taken % ring->capacity]);
    atomic_store_explicit(&ring->taken, taken + 1, memory_order_release);
}
