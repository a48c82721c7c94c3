/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ledger has an entry of 32 bits for each block. From the low end: the newest generation (16
 * bits; 0: never written), the number of older generations that the block may contain instead (7),
 * whether generations have started again at 1 (1), and the number of open writes (8).
 */
#include "io/readback/verify_ledger.h"

#include <sys/random.h>

#include "base/clock.h"

enum {
    GENERATION = 0xffff,
    OLDER_SHIFT = 16,
    OLDER_MAX = 127,
    WRAPPED = 1 << 23,
    OPEN_SHIFT = 24,
    OPEN_FOR_GOOD = 255,
};

static uint32_t generation_of(uint32_t entry)
{
    return entry & GENERATION;
}

static uint32_t older_of(uint32_t entry)
{
    return entry >> OLDER_SHIFT & OLDER_MAX;
}

static uint32_t open_of(uint32_t entry)
{
    return entry >> OPEN_SHIFT;
}

/* Returns the entry after one more write has begun. */
static uint32_t entry_begun(uint32_t entry)
{
    uint32_t generation = generation_of(entry), open = open_of(entry);
    uint32_t wrapped = entry & WRAPPED, older = 0;
    if (generation == STAMP_MAX_GENERATION) {
        generation = 0;
        wrapped = WRAPPED;
    }
    if (open)
        older = older_of(entry) + 1;
    /* the block may contain one of more generations than the entry can count */
    if (older > OLDER_MAX) {
        older = OLDER_MAX;
        open = OPEN_FOR_GOOD;
    }
    open += open < OPEN_FOR_GOOD;
    return (generation + 1) | older << OLDER_SHIFT | wrapped | open << OPEN_SHIFT;
}

static uint32_t entry_ended(uint32_t entry, bool whole)
{
    uint32_t open = open_of(entry);
    if (open < OPEN_FOR_GOOD)
        open = whole ? open - 1 : OPEN_FOR_GOOD;
    return (entry & ((1u << OPEN_SHIFT) - 1)) | open << OPEN_SHIFT;
}

/* The memory order acq_rel guarantees that a write that has ended counts as older than every write
   that begins afterwards. */
static uint32_t begin_write(_Atomic uint32_t *entry)
{
    uint32_t before = atomic_load_explicit(entry, memory_order_relaxed), after;
    do
        after = entry_begun(before);
    while (!atomic_compare_exchange_weak_explicit(entry, &before, after, memory_order_acq_rel,
                                                  memory_order_relaxed));
    return after;
}

static void end_write(_Atomic uint32_t *entry, bool whole)
{
    uint32_t before = atomic_load_explicit(entry, memory_order_relaxed), after;
    do
        after = entry_ended(before, whole);
    while (!atomic_compare_exchange_weak_explicit(entry, &before, after, memory_order_acq_rel,
                                                  memory_order_relaxed));
}

uint64_t ledger_bytes(uint64_t region, uint32_t block)
{
    return (region + block - 1) / block * sizeof(uint32_t);
}

int ledger_init(struct ledger *l, const char *name, uint64_t base, uint64_t region, uint32_t block,
                uint32_t sector_bytes, struct err *e)
{
    *l = (struct ledger){
        .base = base,
        .count = (region + block - 1) / block,
        .block = block,
        .run = {.serial_hash = stamp_serial_hash(name), .sector_bytes = sector_bytes}};
    if (getrandom(&l->run.salt, sizeof l->run.salt, 0) != (ssize_t)sizeof l->run.salt)
        l->run.salt = clock_raw_ns();
    if (arena_init(&l->memory, arena_bytes(l->count, sizeof *l->blocks), e))
        return -1;
    l->blocks = arena_alloc(&l->memory, l->count, sizeof *l->blocks);
    return l->blocks ? 0 : err_no_memory(e, "what was written where");
}

void ledger_free(struct ledger *l)
{
    arena_free(&l->memory);
    *l = (struct ledger){0};
}

/* The part of a write that lies in one block. It begins at the write's offset. */
struct piece {
    uint64_t block;
    size_t length;
    bool whole; /* the piece covers the whole block */
};

static struct piece piece_at(const struct ledger *l, uint64_t offset, size_t length)
{
    uint64_t within = offset - l->base;
    size_t room = l->block - (size_t)(within % l->block);
    size_t taken = length < room ? length : room;
    return (struct piece){within / l->block, taken, taken == l->block};
}

void ledger_stamp(struct ledger *l, unsigned char *data, size_t length, uint64_t offset)
{
    struct stamp_run run = l->run;
    for (struct piece p; length; length -= p.length, offset += p.length, data += p.length) {
        p = piece_at(l, offset, length);
        run.generation = generation_of(begin_write(&l->blocks[p.block]));
        stamp_fill(&run, data, p.length, offset / run.sector_bytes);
    }
}

void ledger_end(struct ledger *l, size_t length, uint64_t offset, bool whole)
{
    for (struct piece p; length; length -= p.length, offset += p.length) {
        p = piece_at(l, offset, length);
        /* A block of which only a part was written contains two generations. */
        end_write(&l->blocks[p.block], whole && p.whole);
    }
}

static uint32_t entry_at(const struct ledger *l, uint64_t block)
{
    return atomic_load_explicit(&l->blocks[block], memory_order_relaxed);
}

bool ledger_is_known(const struct ledger *l, uint64_t block)
{
    uint32_t entry = entry_at(l, block);
    return entry && !open_of(entry);
}

struct ledger_sums ledger_sum(const struct ledger *l)
{
    struct ledger_sums sums = {0};
    for (uint64_t i = 0; i < l->count; i++) {
        uint32_t entry = entry_at(l, i);
        if (!entry)
            continue;
        if (open_of(entry))
            sums.open += l->block;
        else
            sums.known += l->block;
        if (!open_of(entry) && older_of(entry))
            sums.several += l->block;
    }
    return sums;
}

void ledger_check(const struct ledger *l, struct tally *t, const unsigned char *data, size_t length,
                  uint64_t offset)
{
    for (struct piece p; length; length -= p.length, offset += p.length, data += p.length) {
        p = piece_at(l, offset, length);
        uint32_t entry = entry_at(l, p.block);
        const struct tally_choice choice = {.newest = generation_of(entry),
                                            .older = older_of(entry),
                                            .wrapped = (entry & WRAPPED) != 0,
                                            .whole = l->whole};
        if (ledger_is_known(l, p.block))
            tally_take_choice(t, data, p.length, offset / l->run.sector_bytes, &choice);
    }
}
