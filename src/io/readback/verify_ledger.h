/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The possible contents of a target after concurrent writes: four bytes per block record how
 * often the block was written and how many of its writes may be on the medium.
 *
 * Each write of a block gets the next generation, and is stamped with it. A write is open from
 * its stamp until it ends. A write that begins while no other write of its block is open replaces
 * all earlier ones. If writes overlap, any of them may be the last one. After a write that
 * failed, or that was stamped and never issued, a block may contain anything: its entry stays
 * open, and it is not checked. The same is true for a block that had 255 writes open at a time.
 * After 65535 writes, generations start again at 1: the contents of exactly 65535 writes ago
 * cannot be distinguished from the expected ones.
 *
 * Any number of threads stamp and end writes, without locks. Checking begins when all writes have
 * ended.
 */
#ifndef CUPEL_IO_READBACK_VERIFY_LEDGER_H
#define CUPEL_IO_READBACK_VERIFY_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "io/readback/verify_tally.h"
#include "io/stamp/stamp.h"

struct ledger {
    _Atomic uint32_t *blocks;
    uint64_t count;
    uint64_t base;        /* offset of block 0 in the target, in bytes */
    uint32_t block;       /* size of a block in bytes, a multiple of run.sector_bytes */
    bool whole;           /* writes are atomic: all sectors of a block come from one write */
    struct stamp_run run; /* the run with which sectors are stamped; its generation is not used */
    struct arena memory;
};

/* Returns the bytes of memory that a ledger of this region needs. */
uint64_t ledger_bytes(uint64_t region, uint32_t block);

/*
 * Initializes a ledger for `region` bytes from `base` on, none of which is written yet. `name` is
 * hashed into the stamps, with a new random salt. ERR_MACHINE: no memory. The caller frees the
 * ledger with ledger_free.
 */
int ledger_init(struct ledger *l, const char *name, uint64_t base, uint64_t region, uint32_t block,
                uint32_t sector_bytes, struct err *e);
void ledger_free(struct ledger *l);

/* Stamps `data` for a write that is about to be issued at `offset`. */
void ledger_stamp(struct ledger *l, unsigned char *data, size_t length, uint64_t offset);

/* Records that a write has ended. `whole` is true if all bytes were written; it is false also for a
   write that was never issued. */
void ledger_end(struct ledger *l, size_t length, uint64_t offset, bool whole);

/* Returns true if the block was written and its contents are known, so that it can be checked. */
bool ledger_is_known(const struct ledger *l, uint64_t block);

struct ledger_sums {
    uint64_t known;   /* bytes in blocks that are checked */
    uint64_t open;    /* bytes in blocks that may contain anything and are not checked */
    uint64_t several; /* bytes in checked blocks whose data may come from any of several writes */
};
struct ledger_sums ledger_sum(const struct ledger *l);

/* Checks data that were read from `offset` on, and counts the result in `t`, which was begun with
   the ledger's run. Blocks whose contents are not known are skipped. */
void ledger_check(const struct ledger *l, struct tally *t, const unsigned char *data, size_t length,
                  uint64_t offset);

#endif
