/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes stamped sectors, and finds the LBA and generation with which a word was written.
   stamp_check.c judges a sector. */
#include <endian.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "io/stamp/internal.h"

/* "CUPS", then version 1; the byte that is 0 here is replaced by log2 of the sector's size. */
#define MAGIC UINT64_C(0x0001000053505543)

#define STEP       UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR     UINT64_C(0xd6e8feb86659fd93)
#define FACTOR_INV UINT64_C(0xcfee444d8b59a89b)
#define MIX_1      UINT64_C(0xbf58476d1ce4e5b9)
#define MIX_1_INV  UINT64_C(0x96de1b173f119089)
#define MIX_2      UINT64_C(0x94d049bb133111eb)
#define MIX_2_INV  UINT64_C(0x319642b2d24d8ec3)

static void store(unsigned char *p, uint64_t value)
{
    value = htole64(value);
    memcpy(p, &value, sizeof value);
}

static uint64_t rotated(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

/* The finaliser of splitmix64 (Steele, Lea, Flood, 2014), which is a bijection. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * MIX_1;
    x = (x ^ x >> 27) * MIX_2;
    return x ^ x >> 31;
}

/* Inverts x ^ x >> by: returns x, given that value, for shifts of 22 to 63 bits. */
static uint64_t unshifted(uint64_t x, unsigned by)
{
    return x ^ x >> by ^ (2 * by < 64 ? x >> 2 * by : 0);
}

static uint64_t unmix(uint64_t x)
{
    x = unshifted(x, 31) * MIX_2_INV;
    x = unshifted(x, 27) * MIX_1_INV;
    return unshifted(x, 30);
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 32) * FACTOR;
    return x ^ x >> 29;
}

static uint64_t unscramble(uint64_t x)
{
    x = unshifted(x, 29) * FACTOR_INV;
    return x ^ x >> 32;
}

uint64_t stamp_secret(uint64_t serial_hash, uint64_t salt)
{
    return mix(salt + rotated(mix(serial_hash), 32));
}

static uint64_t identity(uint64_t lba, uint32_t generation)
{
    return lba << 16 | generation;
}

/* Returns the difference between the inputs of neighbouring words. It is odd and depends on the
   secret, so that neighbouring words yield the same LBA and generation only if they are decoded
   with the secret that made them. */
static uint64_t step_of(uint64_t secret)
{
    return (secret ^ STEP) | 1;
}

static void stamp_with(uint64_t secret, const struct stamp_writing *w, unsigned char *sector,
                       uint32_t bytes)
{
    unsigned n = bytes / 8;
    uint64_t key = mix(identity(w->lba, w->generation) + secret) ^ secret;
    uint64_t step = step_of(secret), x = key;
    for (unsigned i = 0; i < n; i++, x += step)
        store(sector + (size_t)8 * i, scramble(x));

    uint64_t first = scramble(key + STAMP_FIRST_DATA * step);
    uint64_t last = scramble(key + (n - STAMP_AFTER_DATA - 1) * step);
    uint64_t log2_bytes = (uint64_t)__builtin_ctz(bytes);
    store(sector, (MAGIC | log2_bytes << 32) ^ rotated(first, 11));
    store(sector + 8, w->serial_hash ^ rotated(first, 23));
    store(sector + 16, w->salt ^ rotated(first, 37));
    store(sector + 24, identity(w->lba, w->generation) ^ rotated(first, 53));
    store(sector + bytes - 24, w->serial_hash ^ rotated(last, 23));
    store(sector + bytes - 16, w->salt ^ rotated(last, 37));
    store_le32(sector + bytes - 4, crc32c(0, sector, bytes - 4));
}

void stamp_sector(const struct stamp_writing *writing, unsigned char *sector, uint32_t bytes)
{
    stamp_with(stamp_secret(writing->serial_hash, writing->salt), writing, sector, bytes);
}

void stamp_fill(const struct stamp_run *run, unsigned char *data, size_t length, uint64_t first_lba)
{
    struct stamp_writing w = {.serial_hash = run->serial_hash,
                              .salt = run->salt,
                              .lba = first_lba,
                              .generation = run->generation};
    uint64_t secret = stamp_secret(w.serial_hash, w.salt);
    for (size_t at = 0; at + run->sector_bytes <= length; at += run->sector_bytes, w.lba++)
        stamp_with(secret, &w, data + at, run->sector_bytes);
}

/* Compares words, because memcmp of a small C library compares byte by byte. */
bool stamp_is_written(const struct stamp_run *run, const unsigned char *sector, uint64_t lba)
{
    unsigned char expected[STAMP_MAX_SECTOR];
    uint64_t difference = 0;
    stamp_fill(run, expected, run->sector_bytes, lba);
    for (uint32_t at = 0; at < run->sector_bytes; at += 8)
        difference |= load_le64(sector + at) ^ load_le64(expected + at);
    return difference == 0;
}

struct stamp_writing stamp_of_word(uint64_t secret, uint64_t word, unsigned i)
{
    uint64_t key = unscramble(word) - i * step_of(secret);
    uint64_t from = unmix(key ^ secret) - secret;
    return (struct stamp_writing){.lba = from >> 16, .generation = (uint32_t)(from & 0xffff)};
}

struct stamp_writing stamp_of_header(const unsigned char *sector)
{
    uint64_t first = load_le64(sector + (size_t)8 * STAMP_FIRST_DATA);
    return (struct stamp_writing){
        .serial_hash = load_le64(sector + 8) ^ rotated(first, 23),
        .salt = load_le64(sector + 16) ^ rotated(first, 37),
    };
}

struct stamp_writing stamp_of_end(const unsigned char *sector, unsigned n)
{
    const unsigned char *end = sector + (size_t)8 * n;
    uint64_t last = load_le64(end - (size_t)8 * (STAMP_AFTER_DATA + 1));
    return (struct stamp_writing){
        .serial_hash = load_le64(end - 24) ^ rotated(last, 23),
        .salt = load_le64(end - 16) ^ rotated(last, 37),
    };
}

/* Hashes every byte of the serial number, from which the caller has removed leading and inner
   spaces. */
uint64_t stamp_serial_hash(const char *serial)
{
    uint64_t hash = mix(strlen(serial) + STEP);
    for (; *serial; serial++)
        hash = mix(hash ^ (unsigned char)*serial);
    return hash;
}
