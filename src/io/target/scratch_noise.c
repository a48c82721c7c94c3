/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a file that cupel made still holds nothing but the noise that cupel writes. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "io/target/internal.h"
#include "io/target/never_written_blocks.h"

enum { BLOCK = SCRATCH_ALIGNMENT, EDGE = 1 << 20, ELSEWHERE = 64 };

/* An unwritten_visit: does the stretch hold the block? */
struct block_place {
    uint64_t at;
    bool covered;
};

static int visit(void *context, uint64_t begin, uint64_t end, struct err *e)
{
    (void)e;
    struct block_place *place = context;
    place->covered |= begin <= place->at && end >= place->at + BLOCK;
    return 0;
}

static bool was_never_written(int fd, uint64_t at)
{
    struct block_place place = {.at = at};
    unwritten_walk(fd, at + BLOCK, visit, &place, NULL);
    return place.covered;
}

static bool holds_noise(int fd, uint64_t at)
{
    static const unsigned char zeros[BLOCK];
    unsigned char block[BLOCK];
    if (pread(fd, block, BLOCK, (off_t)at) != BLOCK)
        return false;
    uint64_t before;
    return write_data_is_noise(block, BLOCK, at == 0) ||
           (!memcmp(block, zeros, BLOCK) && was_never_written(fd, at)) ||
           scratch_marked(fd, at + BLOCK, &before); /* it was growing when it was interrupted */
}

static bool stretch_holds_noise(int fd, uint64_t begin, uint64_t end)
{
    bool ok = true;
    for (uint64_t at = begin; ok && at < end; at += BLOCK)
        ok = holds_noise(fd, at);
    return ok;
}

static bool samples_hold_noise(int fd, uint64_t size, uint64_t seed)
{
    uint64_t part = size / BLOCK / ELSEWHERE;
    struct random random;
    bool ok = true;
    random_seed(&random, seed, 0x6e6f697365);
    for (uint64_t at = EDGE; ok && at < size; at *= 2)
        ok = holds_noise(fd, at);
    for (unsigned i = 0; ok && i < ELSEWHERE; i++)
        ok = holds_noise(fd, (i * part + random_below(&random, part)) * BLOCK);
    return ok;
}

bool scratch_holds_noise(int fd, uint64_t size, uint64_t seed)
{
    bool small = size <= 2 * (uint64_t)EDGE;
    bool ok = stretch_holds_noise(fd, 0, small ? size : EDGE) &&
              (small || stretch_holds_noise(fd, size - EDGE, size));
    if (ok && !small) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
        ok = samples_hold_noise(fd, size, seed);
    }
    /* Measured through the page cache, a run begins with none of it there. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return ok;
}
