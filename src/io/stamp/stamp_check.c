/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out what is wrong with a sector: stale, torn, misdirected, wrapped, foreign, corrupt. */
#include <string.h>

#include "base/endian.h"
#include "io/stamp/internal.h"

/*
 * Explains a sector that is not the expected one. A writing is a combination of run, LBA and
 * generation. Every word is assigned to the first writing that explains it, in this order: writings
 * of this LBA, writings that words of data name, writings of other runs, and last a sector that was
 * never written. A word that no writing explains is corrupt: its wrong bits are counted against the
 * nearest of the writings that were found.
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
    bool filler; /* the words consist of the fill byte `byte`, and no write made them */
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

/* Assigns to this writing all words that it explains. */
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
   are no coincidence, and neither is a single word that names this LBA. */
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
    /* if more than 3 of 8 bits differ, nothing is recognised; random data differ in 4 of 8 */
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
