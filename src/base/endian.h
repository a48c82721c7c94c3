/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes numbers of a fixed byte order at any address, no matter what the machine's own
   order is. Compilers turn each function into a single load or store. */
#ifndef CUPEL_BASE_ENDIAN_H
#define CUPEL_BASE_ENDIAN_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t load_le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_le32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load_le64(const unsigned char *p)
{
    return load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

static inline uint16_t load_be16(const unsigned char *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t load_be64(const unsigned char *p)
{
    return (uint64_t)load_be32(p) << 32 | load_be32(p + 4);
}

/* Returns a little-endian number of `count` bytes; of more than 8 bytes, the low 64 bits. */
static inline uint64_t load_le(const unsigned char *p, size_t count)
{
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static inline uint64_t load_be(const unsigned char *p, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | p[i];
    return value;
}

static inline void store_le16(unsigned char *p, uint16_t value)
{
    p[0] = (unsigned char)value;
    p[1] = (unsigned char)(value >> 8);
}

static inline void store_le32(unsigned char *p, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(value >> 8 * i);
}

static inline void store_le64(unsigned char *p, uint64_t value)
{
    store_le32(p, (uint32_t)value);
    store_le32(p + 4, (uint32_t)(value >> 32));
}

static inline void store_be16(unsigned char *p, uint16_t value)
{
    p[0] = (unsigned char)(value >> 8);
    p[1] = (unsigned char)value;
}

static inline void store_be32(unsigned char *p, uint32_t value)
{
    store_be16(p, (uint16_t)(value >> 16));
    store_be16(p + 2, (uint16_t)value);
}

#endif
