/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks before an acceptance continues that it is the same drive and still holds what was written.
 *
 * Somebody may have given up waiting, put data on the drive and taken it out of use again: then the
 * serial number is the same and nothing is mounted. Only stamps, noise of the tests and zeros count
 * as data of this acceptance. Blocks are checked where filesystems and partition tables keep their
 * headers, and at random places.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/random.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

enum { BLOCK = STAMP_MAX_SECTOR, EDGE = 1 << 20, ELSEWHERE = 64, STAMPS_SOUGHT = 256 };

/* ---- is it the same drive? ---- */

/* Computes checksums of the first and the last MiB; unreadable data count as zeros. *blank: there
   are only zeros, as on any other new disk. */
static int sum_ends(const struct accept_disk *d, uint32_t sums[2], bool *blank, struct err *e)
{
    const uint64_t length = d->size < EDGE ? d->size : EDGE;
    unsigned char *data = aligned_alloc(BLOCK, EDGE);
    if (!data)
        return err_no_memory(e, "a block");
    *blank = true;
    for (int end = 0; end < 2; end++) {
        memset(data, 0, EDGE);
        ssize_t got = pread(d->target.fd, data, length, end ? (off_t)(d->size - length) : 0);
        sums[end] = crc32c(0, data, got < 0 ? 0 : (size_t)got);
        *blank &= !data[0] && !memcmp(data, data + 1, EDGE - 1);
    }
    free(data);
    return 0;
}

int accept_resume_keep(const struct accept_disk *d, struct err *e)
{
    uint32_t sums[2] = {0};
    bool blank = true;
    return sum_ends(d, sums, &blank, e) ? -1
                                        : accept_journal_add(d->journal, d->number, e, "ends",
                                                             "first=%u last=%u", sums[0], sums[1]);
}

static int holds_what_it_held(const struct accept_disk *d, bool *same, struct err *e)
{
    const struct accept_line *line = accept_journal_last(d->journal, d->number, "ends");
    uint32_t sums[2] = {0};
    bool blank = true;
    *same = false;
    if (!line)
        return 0;
    if (sum_ends(d, sums, &blank, e))
        return -1;
    *same = !blank && sums[0] == accept_line_count(line, "first") &&
            sums[1] == accept_line_count(line, "last");
    return 0;
}

/* Returns true if the bytes are a complete sector with this salt, in any generation. */
static bool is_stamped(const struct accept_disk *d, const unsigned char *sector, uint64_t lba,
                       uint64_t salt)
{
    struct stamp_run run = accept_disk_stamp(d, STAMP_MAX_GENERATION);
    run.salt = salt;
    const enum stamp_verdict verdict = stamp_check(&run, sector, lba, NULL);
    return verdict == STAMP_GOOD || verdict == STAMP_STALE;
}

/* Returns true if the sector has a stamp of this acceptance: of its write passes, or of its test of
   the capacity. */
static bool sector_has_stamp(const struct accept_disk *d, const unsigned char *sector, uint64_t lba)
{
    const struct accept_line *line;
    if (is_stamped(d, sector, lba, d->salt))
        return true;
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)) != NULL; i++)
        if (line->disk == d->number && !strcmp(line->event, "probe") &&
            is_stamped(d, sector, lba, accept_line_count(line, "salt")))
            return true;
    return false;
}

static bool block_has_stamp(const struct accept_disk *d, unsigned char *block, uint64_t at)
{
    return pread(d->target.fd, block, BLOCK, (off_t)at) == BLOCK &&
           sector_has_stamp(d, block, at / d->logical_block);
}

/* Searches for stamps of this acceptance in the first MiB and at random places, since tests may
   have written noise over most of them. */
static int holds_our_stamp(const struct accept_disk *d, bool *found, struct err *e)
{
    unsigned char *block = aligned_alloc(BLOCK, BLOCK);
    struct random random;
    if (!block)
        return err_no_memory(e, "a block");
    random_seed(&random, d->salt, 1);
    *found = false;
    for (uint64_t at = 0; at < EDGE && at + BLOCK <= d->size && !*found; at += BLOCK)
        *found = block_has_stamp(d, block, at);
    for (int i = 0; i < STAMPS_SOUGHT && !*found && d->size >= BLOCK; i++)
        *found = block_has_stamp(d, block, random_below(&random, d->size / BLOCK) * BLOCK);
    free(block);
    return 0;
}

/* Checks that the open target is the drive on which the work began. One of these shows it: the
   drive has a serial number, the kernel gives it the same identity and no other disk has that, its
   ends hold what they held before the first write, or it holds stamps of this acceptance.
   ERR_UNSAFE: nothing shows it, and the user does not say so (accept_request.same_target). */
static int identify(const struct accept_disk *d, struct err *e)
{
    const struct accept_line *line = accept_journal_last(d->journal, d->number, "disk");
    char kept[sizeof d->identity];
    bool same = false;
    if (d->request->same_target)
        return 0;
    if (accept_line_text(line, "identity", kept, sizeof kept) && *kept &&
        strcmp(kept, d->identity) != 0)
        return err_set(e, ERR_UNSAFE,
                       "%.200s: it is another one than the work was begun on (now %.100s, then "
                       "%.100s); --same-target says that it is the same; nothing was written",
                       d->path, d->identity, kept);
    if (d->serial[0] || (*kept && d->is_known))
        return 0;
    if (holds_what_it_held(d, &same, e) || (!same && holds_our_stamp(d, &same, e)))
        return -1;
    return same
               ? 0
               : err_set(e, ERR_UNSAFE,
                         "%.200s: nothing shows that it is the disk that the work was begun on: it "
                         "has no serial number, and holds nothing that this acceptance wrote; "
                         "--same-target says that it is; nothing was written",
                         d->path);
}

/* ---- contents of the drive ---- */

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

/* Returns whether the block holds data of this acceptance. An unreadable block counts as such: the
   stages will report it. */
static bool block_is_ours(const struct accept_disk *d, unsigned char *block, uint64_t at)
{
    if (pread(d->target.fd, block, BLOCK, (off_t)at) != BLOCK)
        return true;
    for (uint32_t i = 0; i < BLOCK; i += d->logical_block)
        if (!sector_is_ours(d, block + i, (at + i) / d->logical_block))
            return false;
    return true;
}

/* Returns the offset of a block that holds other data than those of this acceptance; UINT64_MAX:
   there is none. */
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
    if (identify(d, e))
        return -1;
    unsigned char *block = aligned_alloc(BLOCK, BLOCK);
    if (!block)
        return err_no_memory(e, "a block");
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
