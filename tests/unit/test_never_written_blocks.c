/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampling a device for blocks that were never written: which blocks are read, and the treatment of
   read errors. */
#include "check.h"

#include <errno.h>

#include "io/target/never_written_blocks.h"

enum { BLOCK = 4096, BLOCKS = 10000 };

struct device {
    unsigned reads, zeros, failures; /* in every 10 consecutive blocks */
    unsigned seen[256];              /* how often each of the equal parts was sampled */
    unsigned wrong;
    size_t block;
};

static int read_device(void *context, void *buffer, size_t length, uint64_t offset)
{
    struct device *d = context;
    uint64_t number = offset / d->block;
    d->reads++;
    d->wrong += length != d->block || offset % d->block || number >= BLOCKS ||
                (uintptr_t)buffer % UNWRITTEN_SAMPLE;
    if (number / (BLOCKS / 256) < 256)
        d->seen[number / (BLOCKS / 256)]++;
    memset(buffer, 0, length);
    if (number % 10 >= d->zeros)
        ((unsigned char *)buffer)[length - 1] = 7; /* one byte differs from zero */
    return number % 10 >= 10 - d->failures ? EIO : 0;
}

static double sample(struct device *d)
{
    const struct unwritten_source source = {.read = read_device, .context = d, .block = d->block};
    struct err e = {0};
    double share = -1;
    CHECK_INT(unwritten_share_sampled(&source, BLOCKS * (uint64_t)d->block, 3, &share, &e), 0);
    CHECK_INT(e.code, ERR_NONE);
    CHECK_INT(d->reads, 256);
    CHECK_INT(d->wrong, 0);
    return share;
}

static void shares(void)
{
    struct device d = {.block = BLOCK};
    CHECK_NEAR(sample(&d), 0, 1e-12);
    for (unsigned i = 0; i < 256; i++)
        CHECK_INT(d.seen[i], 1); /* samples are spread over the whole device */
    d = (struct device){.block = BLOCK, .zeros = 10};
    CHECK_NEAR(sample(&d), 1, 1e-12);
    d = (struct device){.block = 65536, .zeros = 5};
    CHECK_NEAR(sample(&d), 0.5, 0.2);
}

static void failures(void)
{
    /* Unreadable blocks do not count: 5 of 8 are zeros. */
    struct device d = {.block = BLOCK, .zeros = 5, .failures = 2};
    CHECK_NEAR(sample(&d), 0.625, 0.15);
    d = (struct device){.block = BLOCK, .failures = 10};
    const struct unwritten_source source = {.read = read_device, .context = &d, .block = BLOCK};
    struct err e = {0};
    double share = -1;
    CHECK_INT(unwritten_share_sampled(&source, (uint64_t)BLOCKS * BLOCK, 3, &share, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "reading at byte ") == e.msg);
    CHECK_NEAR(share, 0, 1e-12);
    /* Smaller than one block: there is nothing to sample. */
    d.reads = 0;
    CHECK_INT(unwritten_share_sampled(&source, BLOCK - 1, 3, &share, &e), 0);
    CHECK_INT(d.reads, 0);
    CHECK_INT(unwritten_share_of_device(-1, 1 << 20, 3, &share, &e), -1);
    CHECK(strstr(e.msg, "Bad file descriptor") != NULL);
}

int main(void)
{
    shares();
    failures();
    return check_result();
}
