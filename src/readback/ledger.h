/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a target may hold after many writes at a time: four bytes a block, which know how often the
 * block was written and how many of its writes may be on the medium.
 *
 * Each write of a block gets the next generation, and is stamped with it. A write that begins when
 * no other one of its block is open takes the place of all before it; of writes that overlap any
 * may be the last. A block whose write failed, or was stamped and never issued, may hold anything
 * from then on: it is open for good, and not checked. So is one that 255 writes have open at a
 * time. After 65535 writes generations begin again with 1: what a block held exactly so many writes
 * ago is not distinguished from what it must hold now.
 *
 * Any number of threads stamp and end writes, without locks. Checking begins when all have ended.
 */
#ifndef CUPEL_READBACK_LEDGER_H
#define CUPEL_READBACK_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "readback/tally.h"
#include "stamp/stamp.h"

struct ledger {
    _Atomic uint32_t *blocks;
    uint64_t count;
    uint64_t base;        /* bytes: where block 0 begins in the target */
    uint32_t block;       /* bytes of one: a multiple of run.sector_bytes */
    bool whole;           /* writes are atomic: one of several is in all of the block's sectors */
    struct stamp_run run; /* its generation means nothing */
    struct arena memory;
};

/* Bytes of memory for a region. */
uint64_t ledger_bytes(uint64_t region, uint32_t block);

/*
 * Of `region` bytes from `base` on, nothing of which is written yet. `name` is hashed into the
 * stamps, with a salt that no other ledger has. ERR_MACHINE: no memory. Owner: ledger_free.
 */
int ledger_init(struct ledger *l, const char *name, uint64_t base, uint64_t region, uint32_t block,
                uint32_t sector_bytes, struct err *e);
void ledger_free(struct ledger *l);

/* A write of these bytes is about to be issued: its data, at `data`. */
void ledger_stamp(struct ledger *l, unsigned char *data, size_t length, uint64_t offset);

/* It is done; `whole`: all of it was written. Of one that was never issued: not whole. */
void ledger_end(struct ledger *l, size_t length, uint64_t offset, bool whole);

/* Is the block checked: was it written, and is it known what it holds? */
bool ledger_is_known(const struct ledger *l, uint64_t block);

struct ledger_sums {
    uint64_t known;   /* bytes of blocks that are checked */
    uint64_t open;    /* bytes of blocks that may hold anything */
    uint64_t several; /* bytes of those of `known` that may hold one of several writes */
};
struct ledger_sums ledger_sum(const struct ledger *l);

/* Count what was read from `offset` on, of known blocks alone, in t, which has the ledger's run. */
void ledger_check(const struct ledger *l, struct tally *t, const unsigned char *data, size_t length,
                  uint64_t offset);

#endif
