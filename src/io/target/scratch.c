/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that cupel makes: their mark, filling them with noise, and whether they still hold it. */
#include "io/target/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/random.h"
#include "base/units.h"
#include "io/target/never_written_blocks.h"

#define CHUNK (4u << 20)

static void write_mark(unsigned char mark[SCRATCH_MARK_BYTES], uint64_t size, uint64_t id)
{
    memset(mark, 0, SCRATCH_MARK_BYTES);
    snprintf((char *)mark, SCRATCH_MARK_BYTES,
             "cupel scratch file, version 1, size %" PRIu64 ", id %016" PRIx64 "\n"
             "The bytes before this block are noise that cupel wrote to measure storage with.\n"
             "It may overwrite them at any time. Nothing is lost when this file is removed.\n",
             size, id);
}

bool scratch_marked(int fd, uint64_t file_size, uint64_t *size)
{
    unsigned char found[SCRATCH_MARK_BYTES], expected[SCRATCH_MARK_BYTES];
    if (file_size <= SCRATCH_MARK_BYTES)
        return false;
    *size = file_size - SCRATCH_MARK_BYTES;
    if (pread(fd, found, sizeof found, (off_t)*size) != (ssize_t)sizeof found)
        return false;
    found[sizeof found - 1] = '\0';
    const char *id_text = strstr((const char *)found, ", id ");
    uint64_t id = id_text ? strtoull(id_text + 5, NULL, 16) : 0;
    write_mark(expected, *size, id);
    return !memcmp(found, expected, sizeof found);
}

/* Errors of writing to `path`, as a message. */
static int write_failed(const char *path, int error, uint64_t at, struct err *e)
{
    char size[UNITS_BUFFER];
    format_size(size, sizeof size, (double)at);
    if (error == ENOSPC || error == EDQUOT)
        return err_set(e, ERR_TARGET, "%s: the filesystem was full after %s; give a smaller --size",
                       path, size);
    if (error == EFBIG)
        return err_set(
            e, ERR_USAGE,
            "%s: the filesystem or a limit of this shell allows no file so large; give a "
            "smaller --size",
            path);
    return err_set(e, ERR_TARGET, "%s: writing at %s failed: %s", path, size, strerror(error));
}

/* Why a write that should have ended at `end` was short, which sets no errno. */
static int short_write_error(uint64_t end)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_FSIZE, &limit) && end > limit.rlim_cur ? EFBIG : ENOSPC;
}

int scratch_extend(int fd, const char *path, uint64_t size, struct err *e)
{
    uint64_t id;
    unsigned char *mark = aligned_alloc(SCRATCH_ALIGNMENT, SCRATCH_MARK_BYTES);
    if (!mark)
        return err_set(e, ERR_MACHINE, "no memory for one block");
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        id = 0;
    write_mark(mark, size, id);
    int status = 0;
    errno = 0; /* a short write sets none */
    if (ftruncate(fd, (off_t)(size + SCRATCH_MARK_BYTES)))
        status = write_failed(path, errno, size, e);
    else if (pwrite(fd, mark, SCRATCH_MARK_BYTES, (off_t)size) != SCRATCH_MARK_BYTES || fsync(fd))
        status = write_failed(path, errno ? errno : short_write_error(size + SCRATCH_MARK_BYTES),
                              size, e);
    free(mark);
    return status;
}

/* What a fill carries along. */
struct filling {
    int fd;
    const char *path;
    unsigned char *chunk;
    uint64_t seed;
    uint64_t end;  /* of what is to be filled, for the progress */
    uint64_t done; /* bytes written */
    const struct fill_watch *watch;
};

/* Noise from `begin` to `end`; an unwritten_visit. */
static int fill_stretch(void *context, uint64_t begin, uint64_t end, struct err *e)
{
    struct filling *f = context;
    begin -= begin % SCRATCH_ALIGNMENT;
    end += (SCRATCH_ALIGNMENT - end % SCRATCH_ALIGNMENT) % SCRATCH_ALIGNMENT;
    while (begin < end) {
        if (f->watch->stop && *f->watch->stop)
            return err_set(e, ERR_UNDECIDED, "%s: stopped while it was being filled", f->path);
        size_t length = end - begin < CHUNK ? (size_t)(end - begin) : CHUNK;
        write_data_fill(f->chunk, length, begin, f->seed);
        for (size_t at = 0; at < length;) {
            ssize_t n = pwrite(f->fd, f->chunk + at, length - at, (off_t)(begin + at));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return write_failed(f->path, errno, begin + at, e);
            /* A short write ends off the grid of direct I/O: the rest of that block goes again. */
            size_t whole =
                at + (size_t)n == length ? (size_t)n : (size_t)n - (size_t)n % SCRATCH_ALIGNMENT;
            if (!whole)
                return write_failed(f->path, short_write_error(begin + length), begin + at, e);
            at += whole;
        }
        begin += length;
        f->done += length;
        if (f->watch->progress)
            f->watch->progress(f->watch->context, begin < f->end ? begin : f->end, f->end);
    }
    return 0;
}

int scratch_fill(int fd, const char *path, uint64_t begin, uint64_t end, bool all, uint64_t seed,
                 const struct fill_watch *watch, struct err *e)
{
    struct filling f = {.fd = fd,
                        .path = path,
                        .chunk = aligned_alloc(SCRATCH_ALIGNMENT, CHUNK),
                        .seed = seed,
                        .end = end,
                        .watch = watch};
    if (!f.chunk)
        return err_set(e, ERR_MACHINE, "no memory for %u bytes", CHUNK);
    int status =
        all ? fill_stretch(&f, begin, end, e) : unwritten_walk(fd, end, fill_stretch, &f, e);
    free(f.chunk);
    if (status)
        return -1;
    if (f.done && fsync(fd))
        return write_failed(path, errno, end, e);
    /* Measured through the page cache, a run begins with none of it there. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}

/* ---- do they still hold nothing but that noise? ---- */

enum { BLOCK = SCRATCH_ALIGNMENT, EDGE = 1 << 20, ELSEWHERE = 64 };

/* An unwritten_visit: does the stretch hold the block? */
struct block_place {
    uint64_t at;
    bool covered;
};

static int visit_block(void *context, uint64_t begin, uint64_t end, struct err *e)
{
    (void)e;
    struct block_place *place = context;
    place->covered |= begin <= place->at && end >= place->at + BLOCK;
    return 0;
}

static bool holds_noise(int fd, uint64_t at)
{
    unsigned char block[BLOCK];
    if (pread(fd, block, BLOCK, (off_t)at) != BLOCK)
        return false;
    if (write_data_is_noise(block, BLOCK, at == 0))
        return true;
    struct block_place place = {.at = at};
    if (!block[0] && !memcmp(block, block + 1, BLOCK - 1)) /* zeros */
        unwritten_walk(fd, at + BLOCK, visit_block, &place, NULL);
    uint64_t before;
    return place.covered ||
           scratch_marked(fd, at + BLOCK, &before); /* it was growing when it was interrupted */
}

static bool stretch_holds_noise(int fd, uint64_t begin, uint64_t end)
{
    bool ok = true;
    for (uint64_t at = begin; ok && at < end; at += BLOCK)
        ok = holds_noise(fd, at);
    return ok;
}

bool scratch_holds_noise(int fd, uint64_t size, uint64_t seed)
{
    bool small = size <= 2 * (uint64_t)EDGE;
    bool ok = stretch_holds_noise(fd, 0, small ? size : EDGE) &&
              (small || stretch_holds_noise(fd, size - EDGE, size));
    if (ok && !small) {
        uint64_t part = size / BLOCK / ELSEWHERE;
        struct random random;
        random_seed(&random, seed, 0x6e6f697365);
        posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
        for (uint64_t at = EDGE; ok && at < size; at *= 2)
            ok = holds_noise(fd, at);
        for (unsigned i = 0; ok && i < ELSEWHERE; i++)
            ok = holds_noise(fd, (i * part + random_below(&random, part)) * BLOCK);
    }
    /* Measured through the page cache, a run begins with none of it there. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return ok;
}
