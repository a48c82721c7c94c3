/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds blocks that were never written: in files by extent maps, in devices by samples. */
#include "io/target/never_written_blocks.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "io/device/block_device.h"

#define EXTENTS_PER_CALL 256
#define SAMPLES          256
#define SAMPLE_LIMIT_NS  2000000000u

struct extent_request {
    struct fiemap map;
    struct fiemap_extent extents[EXTENTS_PER_CALL];
};

/* Progress of a walk: everything before `at` has been visited or is written. */
struct walk {
    uint64_t at, size;
    unwritten_visit *visit;
    void *context;
    struct err *e;
};

static int visit_up_to(struct walk *w, uint64_t end)
{
    if (end > w->size)
        end = w->size;
    if (end <= w->at)
        return 0;
    uint64_t begin = w->at;
    w->at = end;
    return w->visit(w->context, begin, end, w->e);
}

static void skip_to(struct walk *w, uint64_t at)
{
    if (at > w->at)
        w->at = at;
}

/* Returns 0 or -1 like unwritten_walk; 1: the filesystem has no extent maps. */
static int walk_extents(int fd, struct walk *w, struct extent_request *q)
{
    bool last = false;
    while (!last && w->at < w->size) {
        uint64_t start = w->at;
        q->map = (struct fiemap){.fm_start = start,
                                 .fm_length = w->size - start,
                                 .fm_flags = FIEMAP_FLAG_SYNC,
                                 .fm_extent_count = EXTENTS_PER_CALL};
        /* musl and glibc declare ioctl differently, so the system call is made directly */
        if (syscall(SYS_ioctl, fd, FS_IOC_FIEMAP, &q->map))
            return 1;
        unsigned n = q->map.fm_mapped_extents;
        last = n == 0;
        for (unsigned i = 0; i < n; i++) {
            const struct fiemap_extent *x = &q->extents[i];
            uint64_t end = x->fe_logical + x->fe_length;
            if (visit_up_to(w, x->fe_logical))
                return -1;
            if (!(x->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
                skip_to(w, end);
            else if (visit_up_to(w, end))
                return -1;
            last |= x->fe_flags & FIEMAP_EXTENT_LAST;
        }
        /* ends the walk if it makes no progress, which an inconsistent map can cause */
        last |= w->at == start;
    }
    return visit_up_to(w, w->size);
}

int unwritten_walk(int fd, uint64_t size, unwritten_visit *visit, void *context, struct err *e)
{
    struct walk w = {.size = size, .visit = visit, .context = context, .e = e};
    struct extent_request *q = malloc(sizeof *q);
    int status = q ? walk_extents(fd, &w, q) : 1;
    free(q);
    if (status != 1)
        return status;
    while (w.at < w.size) {
        off_t hole = lseek(fd, (off_t)w.at, SEEK_HOLE);
        if (hole < 0 || (uint64_t)hole >= w.size)
            return 0;
        skip_to(&w, (uint64_t)hole);
        off_t data = lseek(fd, hole, SEEK_DATA);
        if (visit_up_to(&w, data < 0 ? w.size : (uint64_t)data))
            return -1;
    }
    return 0;
}

int unwritten_share_sampled(const struct unwritten_source *source, uint64_t size, uint64_t seed,
                            double *share, struct err *e)
{
    uint64_t blocks = size / source->block;
    unsigned samples = blocks < SAMPLES ? (unsigned)blocks : SAMPLES;
    *share = 0;
    if (!samples)
        return 0;
    unsigned char *buffer = aligned_alloc(UNWRITTEN_SAMPLE, source->block);
    if (!buffer)
        return err_no_memory(e, "one block");

    /* The device is divided into equal parts, and one block of each is read. The parts are visited
       in scattered order, because the time may run out. */
    struct random random;
    random_seed(&random, seed, 0x7a65726f);
    uint64_t end = clock_raw_ns() + SAMPLE_LIMIT_NS;
    unsigned zeros = 0, seen = 0, step = samples > 97 ? 97 : 1;
    int error = 0;
    uint64_t offset = 0;
    for (unsigned i = 0; i < samples && clock_raw_ns() < end; i++) {
        uint64_t part = (uint64_t)i * step % samples;
        uint64_t first = blocks / samples * part;
        offset = (first + random_below(&random, blocks / samples)) * source->block;
        error = source->read(source->context, buffer, source->block, offset);
        if (error)
            continue;
        seen++;
        zeros += buffer[0] == 0 && !memcmp(buffer, buffer + 1, source->block - 1);
    }
    free(buffer);
    *share = seen ? (double)zeros / seen : 0;
    if (!seen && error)
        return err_set(e, ERR_TARGET, "reading at byte %llu failed: %s", (unsigned long long)offset,
                       strerror(error));
    return 0;
}

static int read_descriptor(void *context, void *buffer, size_t length, uint64_t offset)
{
    const int *fd = context;
    ssize_t got = pread(*fd, buffer, length, (off_t)offset);
    if (got < 0)
        return errno;
    return (size_t)got == length ? 0 : ENXIO; /* the end came early */
}

int unwritten_share_of_device(int fd, uint64_t size, uint64_t seed, double *share, struct err *e)
{
    uint32_t block = direct_block_size(fd);
    struct unwritten_source source = {.read = read_descriptor,
                                      .context = &fd,
                                      .block = block > UNWRITTEN_SAMPLE ? block : UNWRITTEN_SAMPLE};
    return unwritten_share_sampled(&source, size, seed, share, e);
}
