/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that were never written: holes and unwritten extents of a file, zeros of a block device. A
 * device or filesystem answers reads of such blocks without touching the medium.
 */
#ifndef CUPEL_IO_TARGET_NEVER_WRITTEN_BLOCKS_H
#define CUPEL_IO_TARGET_NEVER_WRITTEN_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Called for every unwritten range [begin, end) of a file, in order; -1 ends the walk. */
typedef int unwritten_visit(void *context, uint64_t begin, uint64_t end, struct err *e);

/*
 * Walks through the unwritten ranges in the first `size` bytes of a regular file, by FIEMAP or else
 * by SEEK_HOLE; on a filesystem that supports neither, everything counts as written. Dirty pages of
 * the file are written back first. Returns -1 if `visit` returned -1.
 */
int unwritten_walk(int fd, uint64_t size, unwritten_visit *visit, void *context, struct err *e);

#define UNWRITTEN_SAMPLE 4096 /* bytes */

/* A device from which samples are read. `read` reads `length` bytes (always `block`) at an offset
   that is a multiple of `block` into a page aligned buffer. It returns 0 or a positive errno. */
struct unwritten_source {
    int (*read)(void *context, void *buffer, size_t length, uint64_t offset);
    void *context;
    size_t block; /* size of a read, a multiple of UNWRITTEN_SAMPLE */
};

/*
 * Finds the share of zero blocks among up to 256 blocks spread over a block device of `size` bytes.
 * The search ends after about two seconds. fd may have O_DIRECT, and logical blocks of any size.
 * Blocks that cannot be read do not count: the run will read and report them. ERR_TARGET when none
 * can be read.
 */
int unwritten_share_sampled(const struct unwritten_source *source, uint64_t size, uint64_t seed,
                            double *share, struct err *e);
int unwritten_share_of_device(int fd, uint64_t size, uint64_t seed, double *share, struct err *e);

#endif
