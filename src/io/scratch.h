/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that cupel makes: their mark, and filling them with noise.
 *
 * The mark is the last SCRATCH_MARK_BYTES of the file, behind the bytes that are measured. It is a
 * text that says what the file is, its size and a random id, padded with zeros; a file whose last
 * block is exactly the text for its own size is one of ours, whatever was written before it.
 */
#ifndef CUPEL_IO_SCRATCH_H
#define CUPEL_IO_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/target.h"

#define SCRATCH_MARK_BYTES 4096
#define SCRATCH_ALIGNMENT  4096 /* sizes are multiples of it */

/* Who wants to know how far filling is, and who may stop it. */
struct fill_watch {
    target_fill_progress *progress; /* or NULL */
    void *context;
    const volatile int *stop; /* or NULL */
};

/* True when the file of `file_size` bytes carries the mark; *size is then what may be measured. */
bool scratch_marked(int fd, uint64_t file_size, uint64_t *size);

/*
 * The mark alone says little: who makes swap or a filesystem in the file leaves its last block as
 * it is. True when the `size` bytes before it are what cupel writes, or were never written, as far
 * as samples show: the first and the last MiB, where headers lie, powers of two, where filesystems
 * keep copies of theirs, and 64 blocks elsewhere. A block that cannot be read is none of ours. fd
 * is without O_DIRECT.
 */
bool scratch_holds_noise(int fd, uint64_t size, uint64_t seed);

/*
 * Make the empty (or smaller) file `size` bytes long, with the mark behind them. What was a mark
 * before stays in place as data: fill it. Errors as scratch_fill.
 */
int scratch_extend(int fd, const char *path, uint64_t size, struct err *e);

/*
 * Fill with noise whatever in [begin, end) was never written, or all of it when `all`, and make it
 * durable. The open file may have O_DIRECT. ERR_TARGET when writing fails or the filesystem is
 * full, ERR_UNDECIDED when stopped.
 */
int scratch_fill(int fd, const char *path, uint64_t begin, uint64_t end, bool all, uint64_t seed,
                 const struct fill_watch *watch, struct err *e);

#endif
