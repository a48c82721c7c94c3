/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the marks of files that cupel makes, fills the files with noise, and checks that they
   still contain only that noise. */
#include "io/target/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "io/target/never_written_blocks.h"

/* Largest and smallest number of bytes that a fill writes at a time. A slow or busy disk gets
   smaller writes, so that the progress is shown often enough. */
#define CHUNK         (4u << 20)
#define CHUNK_MIN     (256u << 10)
#define CHUNK_SECONDS 0.2
/* Interval of the progress display while a file is being flushed. */
#define SYNC_SHOW_NS 100000000

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

/* Sets the error for a write to `path` that failed. Always returns -1. */
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

/* Returns the errno for a write that stopped before `end`, because the kernel sets none for a short
   write. */
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
        return err_no_memory(e, "one block");
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id)
        id = 0;
    write_mark(mark, size, id);
    int status = 0;
    errno = 0; /* cleared, because a short read or write does not set errno */
    if (ftruncate(fd, (off_t)(size + SCRATCH_MARK_BYTES)))
        status = write_failed(path, errno, size, e);
    else if (pwrite(fd, mark, SCRATCH_MARK_BYTES, (off_t)size) != SCRATCH_MARK_BYTES || fsync(fd))
        status = write_failed(path, errno ? errno : short_write_error(size + SCRATCH_MARK_BYTES),
                              size, e);
    free(mark);
    return status;
}

/* State of a fill. */
struct filling {
    int fd;
    const char *path;
    unsigned char *chunk;
    uint64_t seed;
    uint64_t end;  /* end of the range to fill, for the progress */
    uint64_t done; /* bytes written */
    double began;  /* CLOCK_MONOTONIC */
    size_t length; /* number of bytes of the next write */
    const struct fill_watch *watch;
};

/* Returns true if the time of the watch has passed and enough is written. */
static bool is_filled(const struct filling *f)
{
    return f->watch->seconds > 0 && f->done >= SCRATCH_MIN_BYTES &&
           seconds_of_clock(CLOCK_MONOTONIC) - f->began > f->watch->seconds;
}

static void choose_length(struct filling *f, double took)
{
    if (took < CHUNK_SECONDS / 2 && f->length < CHUNK)
        f->length *= 2;
    else if (took > CHUNK_SECONDS && f->length > CHUNK_MIN)
        f->length /= 2;
}

/* Fills [begin, end) with noise. unwritten_walk calls it for each range that was never written. */
static int fill_stretch(void *context, uint64_t begin, uint64_t end, struct err *e)
{
    struct filling *f = context;
    begin -= begin % SCRATCH_ALIGNMENT;
    end += (SCRATCH_ALIGNMENT - end % SCRATCH_ALIGNMENT) % SCRATCH_ALIGNMENT;
    while (begin < end && !is_filled(f)) {
        if (f->watch->stop && *f->watch->stop)
            return err_set(e, ERR_UNDECIDED, "%s: stopped while it was being filled", f->path);
        const double before = seconds_of_clock(CLOCK_MONOTONIC);
        size_t length = end - begin < f->length ? (size_t)(end - begin) : f->length;
        write_data_fill(f->chunk, length, begin, f->seed);
        for (size_t at = 0; at < length;) {
            ssize_t n = pwrite(f->fd, f->chunk + at, length - at, (off_t)(begin + at));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return write_failed(f->path, errno, begin + at, e);
            /* A short write may end within a block, which direct I/O cannot continue: that block is
               written again. */
            size_t whole =
                at + (size_t)n == length ? (size_t)n : (size_t)n - (size_t)n % SCRATCH_ALIGNMENT;
            if (!whole)
                return write_failed(f->path, short_write_error(begin + length), begin + at, e);
            at += whole;
        }
        begin += length;
        f->done += length;
        choose_length(f, seconds_of_clock(CLOCK_MONOTONIC) - before);
        if (f->watch->progress)
            f->watch->progress(f->watch->context, begin < f->end ? begin : f->end, f->end);
    }
    return 0;
}

/* An fsync that runs in a separate thread, so that progress can be shown meanwhile. */
struct syncing {
    int fd, error;
    atomic_bool done;
};

static void *sync_file(void *argument)
{
    struct syncing *s = argument;
    s->error = fsync(s->fd) ? errno : 0;
    atomic_store(&s->done, true);
    return NULL;
}

/* 0 or an errno. */
static int sync_shown(const struct filling *f, uint64_t filled)
{
    struct syncing s = {.fd = f->fd};
    pthread_t thread;
    if (!f->watch->progress || pthread_create(&thread, NULL, sync_file, &s)) {
        sync_file(&s);
        return s.error;
    }
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = SYNC_SHOW_NS}, NULL);
        if (atomic_load(&s.done))
            break;
        f->watch->progress(f->watch->context, filled, f->end);
    }
    pthread_join(thread, NULL);
    return s.error;
}

static int fill(struct filling *f, uint64_t begin, bool all, struct err *e)
{
    f->began = seconds_of_clock(CLOCK_MONOTONIC);
    f->length = CHUNK_MIN;
    f->chunk = aligned_alloc(SCRATCH_ALIGNMENT, CHUNK);
    if (!f->chunk)
        return err_no_memory(e, "%u bytes", CHUNK);
    int status =
        all ? fill_stretch(f, begin, f->end, e) : unwritten_walk(f->fd, f->end, fill_stretch, f, e);
    free(f->chunk);
    if (status)
        return -1;
    int error = f->done ? sync_shown(f, all ? begin + f->done : f->end) : 0;
    if (error)
        return write_failed(f->path, error, f->end, e);
    /* Drop the file from the page cache: a run through the cache must begin without it. */
    posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}

int scratch_fill(int fd, const char *path, uint64_t begin, uint64_t end, bool all, uint64_t seed,
                 const struct fill_watch *watch, struct err *e)
{
    struct fill_watch whole = *watch;
    whole.seconds = 0;
    struct filling f = {.fd = fd, .path = path, .seed = seed, .end = end, .watch = &whole};
    return fill(&f, begin, all, e);
}

int scratch_fill_new(int fd, const char *path, uint64_t *end, uint64_t seed,
                     const struct fill_watch *watch, struct err *e)
{
    struct filling f = {.fd = fd, .path = path, .seed = seed, .end = *end, .watch = watch};
    int status = fill(&f, 0, true, e);
    *end = f.done < *end ? f.done : *end;
    return status;
}

/* ---- the check that they still contain only that noise ---- */

enum { BLOCK = SCRATCH_ALIGNMENT, EDGE = 1 << 20, ELSEWHERE = 64 };

/* context of visit_block, which finds out whether an unwritten range contains the block at `at` */
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
    /* an earlier mark is accepted: it stays if cupel was interrupted while it extended the file */
    return place.covered || scratch_marked(fd, at + BLOCK, &before);
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
    /* Drop the file from the page cache: a run through the cache must begin without it. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return ok;
}
