/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before an acceptance goes on: does the drive still hold what it wrote?
 *
 * Somebody may have given up waiting, put data on the drive and taken it out of use again: the
 * serial number is the same, and nothing is mounted. Stamps, noise of the tests and zeros are ours;
 * blocks are looked at where filesystems and partition tables keep their headers, and at random.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accept/accept_journal.h"
#include "accept/internal.h"
#include "base/random.h"

enum { BLOCK = STAMP_MAX_SECTOR, EDGE = 1 << 20, ELSEWHERE = 64 };

uint64_t accept_resume_covered(const struct accept_disk *d)
{
    const struct accept_line *last = accept_journal_last(d->journal, d->number, "written");
    if (!last)
        return 0;
    uint64_t flushed = accept_line_count(last, "flushed");
    return accept_line_count(last, "generation") > 1 || flushed > d->size ? d->size : flushed;
}

static bool sector_is_ours(const struct accept_disk *d, const unsigned char *sector, uint64_t lba)
{
    const struct stamp_run newest = accept_disk_stamp(d, STAMP_MAX_GENERATION);
    struct stamp_found found = {0};
    enum stamp_verdict verdict = stamp_check(&newest, sector, lba, &found);
    if (write_data_is_noise(sector, newest.sector_bytes, true))
        return true;
    return verdict != STAMP_FOREIGN && !found.unrecognised;
}

/* A block that cannot be read says nothing: the stages will meet it. */
static bool block_is_ours(const struct accept_disk *d, unsigned char *block, uint64_t at)
{
    if (pread(d->target.fd, block, BLOCK, (off_t)at) != BLOCK)
        return true;
    for (uint32_t i = 0; i < BLOCK; i += d->logical_block)
        if (!sector_is_ours(d, block + i, (at + i) / d->logical_block))
            return false;
    return true;
}

/* The byte of a block that is not ours, or UINT64_MAX. */
static uint64_t find_foreign(const struct accept_disk *d, unsigned char *block, uint64_t covered)
{
    const uint64_t blocks = covered / BLOCK, edge = EDGE / BLOCK;
    struct random random;
    random_seed(&random, d->salt, 0);
    for (uint64_t i = 0; i < blocks && i < edge; i++)
        if (!block_is_ours(d, block, i * BLOCK))
            return i * BLOCK;
    for (uint64_t i = blocks > edge ? blocks - edge : blocks; i < blocks; i++)
        if (!block_is_ours(d, block, i * BLOCK))
            return i * BLOCK;
    for (uint64_t i = edge; i < blocks; i *= 2)
        if (!block_is_ours(d, block, i * BLOCK))
            return i * BLOCK;
    for (int i = 0; i < ELSEWHERE && blocks; i++) {
        uint64_t at = random_below(&random, blocks) * BLOCK;
        if (!block_is_ours(d, block, at))
            return at;
    }
    return UINT64_MAX;
}

int accept_resume_check(const struct accept_disk *d, struct err *e)
{
    unsigned char *block = aligned_alloc(BLOCK, BLOCK);
    if (!block)
        return err_set(e, ERR_MACHINE, "no memory for a block");
    uint64_t at = find_foreign(d, block, accept_resume_covered(d));
    free(block);
    if (at == UINT64_MAX)
        return 0;
    return err_set(e, ERR_UNSAFE,
                   "%.200s: somebody has written to it since this acceptance did, at byte %" PRIu64
                   "; %s%.60s; nothing was written",
                   d->path, at,
                   d->serial[0] ? "only --destroy-serial destroys that: "
                                : "begin anew with another -o",
                   d->serial);
}
