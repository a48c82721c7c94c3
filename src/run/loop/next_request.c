/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the next block, read or write, and the flushes between writes. */
#include "run/loop/worker.h"
#include "run/plan/plan_iozone_mode.h"

/* Returns `share` times 2^64, for comparison with 64-bit random numbers. Shares of 1 and 0 give 0,
   because separate flags stand for them. */
static uint64_t threshold(double share)
{
    return share <= 0 || share >= 1 ? 0 : (uint64_t)(share * 0x1p64);
}

/* share_begin returns the first block of the job's share of its region, share_end the block after
   the share. */
static uint64_t share_begin(const struct workload *w, const struct plan *plan, unsigned job)
{
    const unsigned sharing = plan_jobs_of_region(plan);
    return w->blocks * (job % sharing) / sharing;
}

static uint64_t share_end(const struct workload *w, const struct plan *plan, unsigned job)
{
    const unsigned sharing = plan_jobs_of_region(plan);
    return w->blocks * (job % sharing + 1) / sharing;
}

static uint64_t first_block(const struct workload *w, const struct plan *plan, unsigned job)
{
    const struct plan_mode *mode = plan_mode_of(plan);
    if (mode && mode->file == MODE_NEW_FILE) /* each job has its own file */
        return 0;
    return plan->pattern == PATTERN_BACKWARD ? share_end(w, plan, job) - 1
                                             : share_begin(w, plan, job);
}

/* ---- every block once ---- */

/* Sets the begin and length of the worker's share. */
static void order_init(struct workload *w, const struct plan *plan, unsigned job)
{
    w->in_order = plan_trims_in_order(plan);
    w->once = w->in_order && plan_is_one_pass(plan);
    w->first = share_begin(w, plan, job);
    w->share = share_end(w, plan, job) - w->first;
    w->left = w->share / w->ranges;
    w->order_seed = random_u64(&w->random);
    w->order_bits = w->share > 1 ? 64u - (unsigned)__builtin_clzll(w->share - 1) : 1;
}

/* Returns a permutation of the numbers with this many bits: each step can be inverted. */
static uint64_t shuffle(uint64_t x, unsigned bits, uint64_t seed)
{
    const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    const unsigned shift = bits > 1 ? bits / 2 : 1;
    x = (x ^ seed) & mask;
    x = x * UINT64_C(0x9e3779b97f4a7c15) & mask;
    x ^= x >> shift;
    x = x * UINT64_C(0xd1342543de82ef95) & mask;
    x ^= x >> shift;
    x = x * UINT64_C(0xaf251af3b0f025b5) & mask;
    return x ^ x >> shift;
}

/* Returns the next block of the order. A number outside of the share is permuted again. */
static uint64_t ordered_block(struct workload *w)
{
    uint64_t block = w->met++;
    if (w->met == w->share)
        w->met = 0;
    if (w->always_random)
        do
            block = shuffle(block, w->order_bits, w->order_seed);
        while (block >= w->share);
    return w->first + block;
}

void workload_init(struct workload *w, const struct plan *plan, uint64_t region_size, unsigned job,
                   unsigned char *buffers, size_t buffer_stride)
{
    /* The offsets of requests with due times already contain the begin of the job's region. */
    const uint64_t own = plan_is_timed(plan) ? 0 : plan_region_begin(plan, job);
    *w = (struct workload){.base = plan->offset + own,
                           .blocks = region_size / plan->block_size,
                           .block_size =
                               plan_is_timed(plan) ? plan->block_size : plan_request_bytes(plan),
                           .step = plan->block_size,
                           .ranges = plan->num_range,
                           .change = plan_change(plan),
                           .buffer_stride = buffer_stride,
                           .writes = (uint64_t)job << 48};
    w->buffers = buffers;
    random_seed(&w->random, plan->seed, job);
    w->pattern = plan->pattern;
    w->next_sequential = first_block(w, plan, job);
    w->random_threshold = threshold(plan->random_share);
    w->always_random = plan->random_share >= 1;
    w->never_random = plan->random_share <= 0;
    const double write_share = plan_write_share_of_job(plan, job);
    w->write_threshold = threshold(write_share);
    w->always_read = write_share <= 0;
    w->never_read = write_share >= 1;
    w->flush_every = plan_flush_every(plan);
    w->next = WORKLOAD_AHEAD;
    if (plan_trims_in_order(plan))
        order_init(w, plan, job);
}

void workload_use_zones(struct workload *w, const struct plan *plan, struct zones *zones,
                        unsigned job)
{
    w->zones = zones;
    if (w->always_read) {
        w->blocks = zones->blocks[zones->count];
        w->next_sequential = first_block(w, plan, job);
    } else
        w->zone_job.next = (unsigned)((uint64_t)zones->count * job / plan->jobs);
}

static uint64_t block_after(const struct workload *w, uint64_t block)
{
    switch (w->pattern) {
    case PATTERN_BACKWARD:
        return block ? block - 1 : w->blocks - 1;
    case PATTERN_STRIDE:
        if (block + WORKLOAD_STRIDE < w->blocks)
            return block + WORKLOAD_STRIDE;
        block = block % WORKLOAD_STRIDE + 1;
        return block < WORKLOAD_STRIDE && block < w->blocks ? block : 0;
    case PATTERN_SAME:
        return block;
    default:
        return block + 1 < w->blocks ? block + 1 : 0;
    }
}

static uint64_t next_block(struct workload *w)
{
    bool random =
        w->always_random || (!w->never_random && random_u64(&w->random) < w->random_threshold);
    if (random)
        return random_below(&w->random, w->blocks);
    uint64_t block = w->next_sequential;
    w->next_sequential = block_after(w, block);
    return block;
}

static bool next_is_write(struct workload *w)
{
    return !w->always_read && (w->never_read || random_u64(&w->random) < w->write_threshold);
}

static bool flush_is_next(struct workload *w)
{
    if (!w->flush_every || w->since_flush < w->flush_every)
        return false;
    w->since_flush = 0;
    return true;
}

/* A separate function for the most common case: the compiler keeps everything in registers. */
static void refill_random_reads(struct workload *w)
{
    struct random random = w->random;
    for (unsigned i = 0; i < WORKLOAD_AHEAD; i++)
        w->ahead[i] = (w->base + random_below(&random, w->blocks) * w->step)
                      << REQUEST_OPERATION_BITS;
    w->random = random;
}

/*
 * Returns the next request on a zoned target. The zone of the finished request is given back first.
 */
static uint64_t next_by_zones(struct workload *w)
{
    struct zones *z = w->zones;
    zones_give_back(z, &w->zone_job, w->write_failed);
    w->write_failed = false;
    if (flush_is_next(w))
        return REQUEST_FLUSH;
    bool random =
        w->always_random || (!w->never_random && random_u64(&w->random) < w->random_threshold);
    uint64_t at = next_is_write(w) ? ZONES_NOWHERE : zones_read_among_writes(z, &w->random);
    if (at != ZONES_NOWHERE)
        return at << REQUEST_OPERATION_BITS | REQUEST_READ;
    w->since_flush++;
    return zones_take(z, &w->zone_job, !random, &w->random) << REQUEST_OPERATION_BITS |
           REQUEST_WRITE;
}

static void refill_by_zones(struct workload *w)
{
    if (!w->always_read) {
        w->next = WORKLOAD_AHEAD - 1;
        w->ahead[w->next] = next_by_zones(w);
        return;
    }
    w->next = 0;
    for (unsigned i = 0; i < WORKLOAD_AHEAD; i++)
        w->ahead[i] =
            zones_readable(w->zones, next_block(w)) << REQUEST_OPERATION_BITS | REQUEST_READ;
}

/* Decides the next request of a slot: a trim, or the write of the block that the slot has just
   trimmed. */
static void refill_by_trims(struct workload *w, uint16_t slot)
{
    uint64_t *trimmed = &w->trimmed[slot], *next = &w->ahead[WORKLOAD_AHEAD - 1];
    w->next = WORKLOAD_AHEAD - 1;
    if (*trimmed) {
        *next = (*trimmed - 1) << REQUEST_OPERATION_BITS | REQUEST_WRITE;
        *trimmed = 0;
        w->since_flush++;
    } else if (flush_is_next(w)) {
        *next = REQUEST_FLUSH;
    } else {
        uint64_t offset = w->base + next_block(w) * w->step;
        *trimmed = offset + 1;
        *next = offset << REQUEST_OPERATION_BITS | REQUEST_TRIM;
    }
}

void workload_fill_ranges(struct workload *w, unsigned char *buffer, uint64_t offset)
{
    struct io_range *range = (struct io_range *)(buffer + IO_RANGES_AT);
    for (unsigned i = 0; i < w->ranges; i++) {
        const uint64_t at =
            !i ? offset : w->base + (w->in_order ? ordered_block(w) : next_block(w)) * w->step;
        range[i] = (struct io_range){at, w->step};
    }
}

void workload_part_ranges(const struct workload *w, unsigned char *buffer, uint64_t offset,
                          uint32_t length)
{
    struct io_range *range = (struct io_range *)(buffer + IO_RANGES_AT);
    const uint32_t each = length / w->ranges;
    for (unsigned i = 0; i < w->ranges; i++)
        range[i] = (struct io_range){offset + (uint64_t)i * each, each};
}

static void refill_in_order(struct workload *w)
{
    w->next = WORKLOAD_AHEAD - 1;
    if (w->once && !w->left) {
        w->over = true;
        w->left_out++;
        if (w->slice_end)
            *w->slice_end = 0;
        w->ahead[w->next] = w->base << REQUEST_OPERATION_BITS | REQUEST_TRIM;
        return;
    }
    w->left--;
    w->ahead[w->next] =
        (w->base + ordered_block(w) * w->step) << REQUEST_OPERATION_BITS | REQUEST_TRIM;
}

/* Decides one trim at a time, because the further ranges of a trim are the following blocks. */
static void refill_by_ranges(struct workload *w)
{
    w->next = WORKLOAD_AHEAD - 1;
    w->ahead[w->next] =
        (w->base + next_block(w) * w->step) << REQUEST_OPERATION_BITS | REQUEST_TRIM;
}

void workload_refill(struct workload *w, uint16_t slot)
{
    if (w->trimmed) {
        refill_by_trims(w, slot);
        return;
    }
    if (w->in_order) {
        refill_in_order(w);
        return;
    }
    if (w->ranges > 1) {
        refill_by_ranges(w);
        return;
    }
    if (w->zones) {
        refill_by_zones(w);
        return;
    }
    w->next = 0;
    if (w->always_random && w->always_read) {
        refill_random_reads(w);
        return;
    }
    for (unsigned i = 0; i < WORKLOAD_AHEAD; i++) {
        if (flush_is_next(w)) {
            w->ahead[i] = REQUEST_FLUSH;
            continue;
        }
        uint64_t offset = w->base + next_block(w) * w->step;
        bool writes = next_is_write(w);
        w->ahead[i] = offset << REQUEST_OPERATION_BITS | (writes ? w->change : REQUEST_READ);
        w->since_flush += writes;
    }
}
