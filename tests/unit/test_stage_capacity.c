/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fake capacities: drives that wrap around, that lose data beyond their end, that return zeros or
   an old block for it, and that return it from a cache for a while; and honest drives. */
#include "check.h"

#include <fcntl.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "machine/accept/internal.h"

enum { CACHED = 256 };

struct drive {
    int fd; /* a sparse file with the written data */
    uint64_t real;
    bool wraps, damaged;
    uint64_t cached[CACHED]; /* LBAs beyond the end that it still returns, and their data */
    unsigned char data[CACHED][CAPACITY_BLOCK];
    unsigned cache_next;
    uint64_t written;
};

static int file_write(struct drive *d, const unsigned char *data, uint32_t length, uint64_t lba)
{
    return pwrite(d->fd, data, length, (off_t)(lba * 512)) == (ssize_t)length ? 0 : -1;
}

static int write_drive(void *context, const unsigned char *data, uint32_t length, uint64_t lba,
                       struct err *e)
{
    struct drive *d = context;
    (void)e;
    d->written += length;
    if (d->wraps)
        return file_write(d, data, length, lba % d->real);
    if (length == CAPACITY_BLOCK) {
        d->cached[d->cache_next % CACHED] = lba;
        memcpy(d->data[d->cache_next++ % CACHED], data, length);
    } else {
        for (unsigned i = 0; i < length / CAPACITY_BLOCK; i++)
            d->cached[d->cache_next++ % CACHED] = UINT64_MAX;
    }
    return lba + length / 512 <= d->real ? file_write(d, data, length, lba) : 0;
}

static int read_drive(void *context, unsigned char *data, uint32_t length, uint64_t lba,
                      bool *failed, struct err *e)
{
    struct drive *d = context;
    (void)e;
    for (unsigned i = 0; i < CACHED; i++)
        if (d->cached[i] == lba) {
            memcpy(data, d->data[i], length);
            return 0;
        }
    memset(data, 0, length);
    *failed = d->damaged && lba / 8 % 5 == 0;
    if (d->wraps || lba < d->real)
        return pread(d->fd, data, length, (off_t)(lba % d->real * 512)) < 0 ? -1 : 0;
    return 0;
}

static int flush(void *context, struct err *e)
{
    (void)context;
    (void)e;
    return 0;
}

static int watch(void *context, double share, struct err *e)
{
    (void)context;
    (void)e;
    return share >= 0 && share <= 1 ? 0 : -1;
}

static struct drive drive;

static void probe(uint64_t says, uint64_t real, bool wraps, struct capacity_found *found)
{
    static unsigned char buffer[CAPACITY_BUFFER];
    const char *folder = getenv("TMPDIR");
    struct err e = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/capacity_XXXXXX", folder ? folder : ".");
    drive.fd = mkstemp(path);
    unlink(path);
    drive.real = real;
    drive.wraps = wraps;
    drive.cache_next = 0;
    drive.written = 0;
    memset(drive.cached, 0xff, sizeof drive.cached);
    struct capacity_probe p = {
        .run = {.serial_hash = 1, .salt = (uint64_t)time(NULL), .sector_bytes = 512},
        .sectors = says,
        .dense = 8 << 11,
        .buffer = buffer,
        .context = &drive,
        .write = write_drive,
        .read = read_drive,
        .flush = flush,
        .watch = watch};
    random_seed(&p.random, p.run.salt, says ^ real);
    CHECK_INT(capacity_probe(&p, found, &e), 0);
    close(drive.fd);
    CHECK(drive.written < 64 << 20); /* in minutes, however large it says it is */
}

#define GIB (UINT64_C(1) << 21) /* sectors */

int main(void)
{
    struct capacity_found f;
    static const uint64_t real[] = {GIB, 3 * GIB + 12345 * 8, 7 * GIB - 8, GIB / 2 + 8,
                                    8 * GIB - (GIB >> 8)};
    probe(8 * GIB, 8 * GIB, false, &f);
    CHECK_INT(f.real, 0);
    CHECK_INT(f.wrong, 0);
    CHECK(f.samples > 1000);
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        probe(8 * GIB, real[i], true, &f);
        CHECK(f.wraps);
        CHECK_INT(f.real, real[i]);
        probe(8 * GIB, real[i], false, &f);
        CHECK(!f.wraps && !f.scattered);
        CHECK(f.real >= real[i] && f.real - real[i] < 4096);
        CHECK(f.known < real[i] && real[i] - f.known < 4096);
    }
    probe(8 * GIB, 8 * GIB - 8, false, &f); /* only the last block */
    CHECK_INT(f.real, 8 * GIB - 8);
    probe(8 * GIB, 4 << 11, false, &f); /* less than the size of what is written */
    CHECK(f.real >= 4 << 11 && f.real < 6 << 11);
    drive.damaged = true;
    probe(8 * GIB, 8 * GIB, false, &f);
    CHECK_INT(f.real, 0);
    CHECK(f.scattered);
    CHECK_INT(f.failed, f.wrong);
    CHECK(f.wrong > 100 && f.wrong < 400);
    return check_result();
}
