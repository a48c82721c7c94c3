/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes stamped sectors, and finds the writing from which a word comes. */
#include <endian.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "io/stamp/internal.h"

/* ---- checks ---- */

/*
 * Explains a sector that is not the expected one. Every word is assigned to the first writing that
 * explains it, in this order: writings of this LBA, writings that words of data name, writings of
 * other runs, and last a sector that was never written. A word that no writing explains is corrupt:
 * the number of its wrong bits is that against the nearest of the writings found.
 */

enum {
    MAX_WORDS = STAMP_MAX_SECTOR / 8,
    MAX_OWNERS = 16,
    NOBODY = 0xff,
    /* number of this LBA's generations that are compared as whole sectors; older ones are found by
       their words */
    GENERATIONS_TRIED = 32,
};

struct owner {
    struct stamp_writing writing;
    bool filler; /* the words have the fill byte `byte`, and come from no writing */
    unsigned char byte;
    unsigned words;
};

/* A sector whose words are being assigned to writings. */
struct dissection {
    const struct stamp_run *run;
    const unsigned char *sector;
    uint64_t lba;
    unsigned n; /* number of words in the sector */
    struct owner owners[MAX_OWNERS];
    unsigned owner_count;
    unsigned char owner_of[MAX_WORDS];
};

const char *stamp_verdict_name(enum stamp_verdict verdict)
{
    static const char *const names[STAMP_VERDICTS] = {
        [STAMP_GOOD] = "good",       [STAMP_CORRUPT] = "corrupt",
        [STAMP_STALE] = "stale",     [STAMP_MISDIRECTED] = "misdirected",
        [STAMP_TORN] = "torn",       [STAMP_WRAPPED] = "wrapped",
        [STAMP_FOREIGN] = "foreign", [STAMP_ZEROS] = "zeros",
    };
    return names[verdict];
}

static uint64_t word_at(const unsigned char *sector, unsigned i)
{
    return load_le64(sector + (size_t)8 * i);
}

static struct stamp_writing own(const struct dissection *d, uint64_t lba, uint32_t generation)
{
    return (struct stamp_writing){.serial_hash = d->run->serial_hash,
                                  .salt = d->run->salt,
                                  .lba = lba,
                                  .generation = generation};
}

static void give_all(struct dissection *d, struct owner owner, const unsigned char *written)
{
    if (d->owner_count == MAX_OWNERS)
        return;
    for (unsigned i = 0; i < d->n; i++)
        if (d->owner_of[i] == NOBODY && word_at(d->sector, i) == word_at(written, i)) {
            d->owner_of[i] = (unsigned char)d->owner_count;
            owner.words++;
        }
    if (owner.words)
        d->owners[d->owner_count++] = owner;
}

/* Assigns all words that this writing explains to it. */
static void give_to_writing(struct dissection *d, struct stamp_writing writing)
{
    unsigned char written[STAMP_MAX_SECTOR];
    stamp_sector(&writing, written, d->run->sector_bytes);
    give_all(d, (struct owner){.writing = writing}, written);
}

static void give_to_this_lba(struct dissection *d)
{
    uint32_t generation = d->run->generation;
    for (unsigned i = 0; i < GENERATIONS_TRIED && generation > 0; i++, generation--)
        give_to_writing(d, own(d, d->lba, generation));
}

/* Assigns words to the writings that they name. Two neighbouring words that name the same writing
   are no coincidence, nor is a single word that names this LBA. */
static void give_to_named(struct dissection *d, struct stamp_writing run)
{
    uint64_t secret = stamp_secret(run.serial_hash, run.salt);
    bool foreign = run.salt != d->run->salt || run.serial_hash != d->run->serial_hash;
    for (unsigned i = STAMP_FIRST_DATA; i + STAMP_AFTER_DATA < d->n; i++) {
        if (d->owner_of[i] != NOBODY)
            continue;
        struct stamp_writing w = stamp_of_word(secret, word_at(d->sector, i), i);
        struct stamp_writing next = {0};
        if (i + STAMP_AFTER_DATA + 1 < d->n)
            next = stamp_of_word(secret, word_at(d->sector, i + 1), i + 1);
        bool this_lba = !foreign && w.lba == d->lba && w.generation <= d->run->generation;
        if (!w.generation || !(this_lba || (next.lba == w.lba && next.generation == w.generation)))
            continue;
        w.serial_hash = run.serial_hash;
        w.salt = run.salt;
        give_to_writing(d, w);
    }
}

/* Assigns words that contain only the fill byte. Only words at the beginning or the end of a sector
   count as never written: zeros in the middle are damage. */
static void give_to_filler(struct dissection *d, unsigned char byte)
{
    uint64_t full = byte ? ~UINT64_C(0) : 0;
    struct owner filler = {.filler = true, .byte = byte};
    unsigned begin = 0, end = d->n;
    while (begin < d->n && word_at(d->sector, begin) == full)
        begin++;
    while (end > begin && word_at(d->sector, end - 1) == full)
        end--;
    for (unsigned i = 0; i < d->n; i++)
        if ((i < begin || i >= end) && d->owner_of[i] == NOBODY && d->owner_count < MAX_OWNERS) {
            d->owner_of[i] = (unsigned char)d->owner_count;
            filler.words++;
        }
    if (filler.words)
        d->owners[d->owner_count++] = filler;
}

static unsigned bits_between(uint64_t a, uint64_t b)
{
    return (unsigned)__builtin_popcountll(a ^ b);
}

/* For a sector without an intact word: finds the writing of this LBA from which the fewest bits
   differ. */
static void find_damaged(struct dissection *d, struct stamp_found *found)
{
    unsigned best = ~0u;
    uint32_t nearest = d->run->generation, generation = d->run->generation;
    for (unsigned i = 0; i < GENERATIONS_TRIED && generation > 0; i++, generation--) {
        unsigned char written[STAMP_MAX_SECTOR];
        struct stamp_writing w = own(d, d->lba, generation);
        stamp_sector(&w, written, d->run->sector_bytes);
        unsigned bits = 0;
        for (unsigned k = 0; k < d->n; k++)
            bits += bits_between(word_at(d->sector, k), word_at(written, k));
        if (bits < best) {
            best = bits;
            nearest = generation;
        }
    }
    /* more than 3 of 8 bits differ; random data differ in 4 of 8 */
    found->unrecognised = best > d->run->sector_bytes * 3;
    if (found->unrecognised)
        nearest = d->run->generation;
    d->owners[d->owner_count++] = (struct owner){.writing = own(d, d->lba, nearest)};
}

/*
 * Counts the wrong bits of unexplained words, each against the nearest of the writings found.
 */
static void count_flipped(const struct dissection *d, struct stamp_found *found)
{
    unsigned char nearest[MAX_WORDS];
    memset(nearest, 64, sizeof nearest);
    uint64_t flips[MAX_WORDS] = {0};
    for (unsigned o = 0; o < d->owner_count; o++) {
        unsigned char written[STAMP_MAX_SECTOR];
        if (d->owners[o].filler)
            memset(written, d->owners[o].byte, d->run->sector_bytes);
        else
            stamp_sector(&d->owners[o].writing, written, d->run->sector_bytes);
        for (unsigned i = 0; i < d->n; i++) {
            uint64_t flipped = word_at(d->sector, i) ^ word_at(written, i);
            unsigned bits = bits_between(flipped, 0);
            if (d->owner_of[i] == NOBODY && bits < nearest[i]) {
                nearest[i] = (unsigned char)bits;
                flips[i] = flipped;
            }
        }
    }
    for (unsigned i = 0; i < d->n; i++) {
        if (!flips[i])
            continue;
        if (!found->bits_flipped)
            found->first_byte = 8 * i + (unsigned)__builtin_ctzll(flips[i]) / 8;
        found->last_byte = 8 * i + 7 - (unsigned)__builtin_clzll(flips[i]) / 8;
        found->bits_flipped += bits_between(flips[i], 0);
    }
}

static bool is_foreign(const struct dissection *d, const struct owner *o)
{
    return !o->filler &&
           (o->writing.salt != d->run->salt || o->writing.serial_hash != d->run->serial_hash ||
            o->writing.generation > d->run->generation);
}

static unsigned kinds_of_owner(const struct dissection *d, const struct owner *o)
{
    if (o->filler)
        return 0;
    if (is_foreign(d, o))
        return 1u << STAMP_FOREIGN;
    if (o->writing.lba == d->lba)
        return 0;
    uint64_t distance = o->writing.lba > d->lba ? o->writing.lba - d->lba : d->lba - o->writing.lba;
    bool wrapped = d->run->wrap_sectors && distance % d->run->wrap_sectors == 0;
    return 1u << (wrapped ? STAMP_WRAPPED : STAMP_MISDIRECTED);
}

static unsigned kinds_of(const struct dissection *d, const struct stamp_found *found)
{
    unsigned kinds = d->owner_count > 1 ? 1u << STAMP_TORN : 0;
    bool own_piece = false, newest = false;
    for (unsigned i = 0; i < d->owner_count; i++) {
        const struct owner *o = &d->owners[i];
        kinds |= kinds_of_owner(d, o);
        own_piece |= !o->filler && !is_foreign(d, o);
        newest |= !o->filler && o->writing.generation == d->run->generation;
    }
    if (own_piece && !newest)
        kinds |= 1u << STAMP_STALE;
    if (found->bits_flipped)
        kinds |= 1u << STAMP_CORRUPT;
    return kinds;
}

static void describe_pieces(const struct dissection *d, struct stamp_found *found)
{
    unsigned char piece = NOBODY;
    for (unsigned i = 0; i < d->n; i++) {
        if (d->owner_of[i] == NOBODY || d->owner_of[i] == piece)
            continue;
        piece = d->owner_of[i];
        if (++found->pieces == 2)
            found->torn_at = 8 * i;
    }
}

static void describe_other(const struct dissection *d, struct stamp_found *found)
{
    unsigned most = 0;
    for (unsigned i = 0; i < d->owner_count; i++) {
        const struct owner *o = &d->owners[i];
        bool expected = !is_foreign(d, o) && o->writing.lba == d->lba &&
                        o->writing.generation == d->run->generation;
        if (o->filler || expected || o->words < most)
            continue;
        most = o->words;
        found->lba = o->writing.lba;
        found->generation = o->writing.generation;
        found->serial_hash = o->writing.serial_hash;
        found->salt = o->writing.salt;
    }
}

static enum stamp_verdict first_of(unsigned kinds)
{
    static const enum stamp_verdict order[] = {STAMP_TORN,        STAMP_FOREIGN, STAMP_WRAPPED,
                                               STAMP_MISDIRECTED, STAMP_STALE,   STAMP_CORRUPT};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (kinds & 1u << order[i])
            return order[i];
    return STAMP_GOOD;
}

/* Returns true if all bytes are 0, or all are 0xff. */
static bool is_filler(const unsigned char *sector, size_t bytes)
{
    return (sector[0] == 0 || sector[0] == 0xff) && memcmp(sector, sector + 1, bytes - 1) == 0;
}

static enum stamp_verdict dissect(const struct stamp_run *run, const unsigned char *sector,
                                  uint64_t lba, struct stamp_found *found)
{
    if (is_filler(sector, run->sector_bytes)) {
        found->filler = sector[0];
        found->kinds = 1u << STAMP_ZEROS;
        return STAMP_ZEROS;
    }
    struct dissection d = {.run = run, .sector = sector, .lba = lba, .n = run->sector_bytes / 8};
    memset(d.owner_of, NOBODY, sizeof d.owner_of);
    give_to_this_lba(&d);
    give_to_named(&d, own(&d, 0, 0));
    give_to_named(&d, stamp_of_header(sector));
    give_to_named(&d, stamp_of_end(sector, d.n));
    if (d.owner_count) {
        give_to_filler(&d, 0);
        give_to_filler(&d, 0xff);
    } else {
        find_damaged(&d, found);
    }
    count_flipped(&d, found);
    describe_pieces(&d, found);
    describe_other(&d, found);
    found->kinds = kinds_of(&d, found);
    return first_of(found->kinds);
}

enum stamp_verdict stamp_check(const struct stamp_run *run, const unsigned char *sector,
                               uint64_t lba, struct stamp_found *found)
{
    struct stamp_found unused = {0};
    found = found ? found : &unused;
    *found = (struct stamp_found){0};
    return stamp_is_written(run, sector, lba) ? STAMP_GOOD : dissect(run, sector, lba, found);
}

/* "CUPS", then version 1; the sector's log2 of its size is put into the byte that is 0 here. */
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
   secret: neighbouring words name the same writing only under their own secret. */
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

/* Hashes every byte: the caller has removed leading and inner spaces. */
uint64_t stamp_serial_hash(const char *serial)
{
    uint64_t hash = mix(strlen(serial) + STEP);
    for (; *serial; serial++)
        hash = mix(hash ^ (unsigned char)*serial);
    return hash;
}
