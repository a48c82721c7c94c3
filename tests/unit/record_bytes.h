/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records as bytes, for tests that damage them: the chunks of one, and one made of chosen chunks
 * with right checksums.
 */
#ifndef TESTS_UNIT_RECORD_BYTES_H
#define TESTS_UNIT_RECORD_BYTES_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

enum { RECORD_BYTES_MAX = 1 << 20, RECORD_HEAD = 16, CHUNK_FRAME = 12 };

struct record_bytes {
    size_t size;
    unsigned char bytes[RECORD_BYTES_MAX];
};

static inline void test_path(char *to, size_t size, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(to, size, "%s/%s.%d", folder ? folder : "/tmp", name, (int)getpid());
}

static inline bool record_bytes_load(struct record_bytes *r, const char *path)
{
    FILE *file = fopen(path, "rb");
    r->size = file ? fread(r->bytes, 1, sizeof r->bytes, file) : 0;
    if (file)
        fclose(file);
    return r->size > 0 && r->size < sizeof r->bytes;
}

static inline bool bytes_store(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool stored = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && stored;
}

static inline void put_le32(unsigned char *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(v >> (8 * i));
}

static inline uint32_t get_le32(const unsigned char *from)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)from[i] << (8 * i);
    return v;
}

/* The whole length of the chunk at `at`. */
static inline size_t chunk_bytes(const struct record_bytes *r, size_t at)
{
    return get_le32(r->bytes + at + 4) + (size_t)CHUNK_FRAME;
}

static inline void record_bytes_begin(struct record_bytes *r, uint32_t version)
{
    memcpy(r->bytes, "CUPELREC", 8);
    put_le32(r->bytes + 8, version);
    put_le32(r->bytes + 12, 0);
    r->size = RECORD_HEAD;
}

static inline void record_bytes_add(struct record_bytes *r, const char type[4], const void *payload,
                                    size_t length)
{
    if (length + CHUNK_FRAME > sizeof r->bytes - r->size)
        return;
    unsigned char *at = r->bytes + r->size;
    memcpy(at, type, 4);
    put_le32(at + 4, (uint32_t)length);
    if (length)
        memcpy(at + 8, payload, length);
    put_le32(at + 8 + length, crc32c(0, at, length + 8));
    r->size += length + CHUNK_FRAME;
}

#endif
