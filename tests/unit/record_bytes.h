/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records as bytes, for tests that damage them: the chunks of a record, and records made of chosen
 * chunks with correct numbers and checksums.
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

enum { RECORD_BYTES_MAX = 1 << 20, RECORD_HEAD = 24, CHUNK_HEAD = 12, CHUNK_FRAME = 16 };

struct record_bytes {
    size_t size;
    uint32_t number; /* of chunks added */
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

static inline unsigned char *put_leb128(unsigned char *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (unsigned char)(v | 0x80);
    *to++ = (unsigned char)v;
    return to;
}

/* Returns the full length of the chunk at `at`, in bytes. */
static inline size_t chunk_bytes(const struct record_bytes *r, size_t at)
{
    return get_le32(r->bytes + at + 4) + (size_t)CHUNK_FRAME;
}

static inline void record_bytes_begin(struct record_bytes *r, uint32_t version)
{
    memcpy(r->bytes, "CUPELREC", 8);
    put_le32(r->bytes + 8, version);
    put_le32(r->bytes + 12, 12345);
    put_le32(r->bytes + 16, 67890);
    put_le32(r->bytes + 20, crc32c(0, r->bytes, 20));
    r->size = RECORD_HEAD;
    r->number = 0;
}

static inline void record_bytes_add(struct record_bytes *r, const char type[4], const void *payload,
                                    size_t length)
{
    if (length + CHUNK_FRAME > sizeof r->bytes - r->size)
        return;
    unsigned char *at = r->bytes + r->size;
    memcpy(at, type, 4);
    put_le32(at + 4, (uint32_t)length);
    put_le32(at + 8, r->number++);
    if (length)
        memcpy(at + CHUNK_HEAD, payload, length);
    put_le32(at + CHUNK_HEAD + length,
             crc32c(get_le32(r->bytes + 20), at, length + (size_t)CHUNK_HEAD));
    r->size += length + CHUNK_FRAME;
}

/* Copies the chunk at `at` of another record, with the number and the checksum that are correct
   here. */
static inline void record_bytes_copy(struct record_bytes *r, const struct record_bytes *from,
                                     size_t at)
{
    record_bytes_add(r, (const char *)from->bytes + at, from->bytes + at + CHUNK_HEAD,
                     get_le32(from->bytes + at + 4));
}

/* Adds a LAST chunk for the chunks added so far. */
static inline void record_bytes_end(struct record_bytes *r)
{
    unsigned char last[5 + 4 + 64 * 9], *to = last;
    uint32_t all = 0;
    for (size_t at = RECORD_HEAD; at < r->size; at += chunk_bytes(r, at))
        all = crc32c(all, r->bytes + at + chunk_bytes(r, at) - 4, 4);
    to = put_leb128(to, r->number);
    put_le32(to, all);
    to += 4;
    for (size_t at = RECORD_HEAD; at < r->size && to < last + 64 * 9; at += chunk_bytes(r, at)) {
        uint32_t count = 0;
        bool is_first = true;
        for (size_t other = RECORD_HEAD; other < r->size; other += chunk_bytes(r, other)) {
            bool same = memcmp(r->bytes + other, r->bytes + at, 4) == 0;
            is_first &= !(same && other < at);
            count += same;
        }
        if (!is_first)
            continue;
        memcpy(to, r->bytes + at, 4);
        to += 4;
        to = put_leb128(to, count);
    }
    record_bytes_add(r, "LAST", last, (size_t)(to - last));
}

#endif
