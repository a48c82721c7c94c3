/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps of sectors: every kind of damage is detected and named, alone and two at once. Each run
 * draws new damage from a seed that is printed with a failure; test_stamp SEED repeats it.
 */
#include "check.h"

#include <stdint.h>
#include <time.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/random.h"
#include "io/stamp/stamp.h"

#define KIND(verdict) (1u << (verdict))

static const uint32_t sizes[] = {512, 4096};
static struct random draw;
static unsigned long seed;

static struct stamp_run run_of(uint32_t sector_bytes, uint32_t generation)
{
    return (struct stamp_run){.serial_hash = stamp_serial_hash("S5H9NS0N123456"),
                              .salt = 0x0123456789abcdefu,
                              .generation = generation,
                              .sector_bytes = sector_bytes};
}

static struct stamp_run drawn_run(void)
{
    return (struct stamp_run){.serial_hash = random_u64(&draw),
                              .salt = random_u64(&draw),
                              .generation = 2 + (uint32_t)random_below(&draw, 30),
                              .sector_bytes = sizes[random_below(&draw, 2)]};
}

static uint64_t drawn_lba(void)
{
    return random_below(&draw, UINT64_C(1) << (1 + random_below(&draw, 40)));
}

/* The same bytes on every machine and in every version, because a drive may be verified years
   later. */
static void format(void)
{
    static const struct {
        uint32_t bytes, crc;
        uint64_t first;
    } known[] = {{512, 0xe3c4a7dd, 0x5871103ad9b4d790}, {4096, 0x17ea6a73, 0x5871103fd9b4d790}};
    for (size_t i = 0; i < 2; i++) {
        unsigned char sector[4096];
        struct stamp_run run = run_of(known[i].bytes, 3);
        stamp_fill(&run, sector, known[i].bytes, 0x123456789a);
        CHECK_INT(load_le64(sector), known[i].first);
        CHECK_INT(load_le32(sector + known[i].bytes - 4), known[i].crc);
        CHECK_INT(crc32c(0, sector, known[i].bytes - 4), known[i].crc);
    }
    CHECK(stamp_serial_hash("") != 0);
    CHECK(stamp_serial_hash("a ") != stamp_serial_hash("a"));
    CHECK(stamp_serial_hash("ab") != stamp_serial_hash("ba"));
}

static void good(void)
{
    static unsigned char data[4096 * 33 + 3];
    for (int round = 0; round < 200; round++) {
        struct stamp_run run = drawn_run();
        uint64_t lba = drawn_lba();
        unsigned char *begin = data + round % 3;
        size_t length = (size_t)run.sector_bytes * (1 + random_below(&draw, 32));
        begin[length] = 0x5a;
        stamp_fill(&run, begin, length, lba);
        CHECK_INT(begin[length], 0x5a);
        for (size_t at = 0; at < length; at += run.sector_bytes, lba++) {
            struct stamp_found found;
            CHECK_INT(stamp_check(&run, begin + at, lba, &found), STAMP_GOOD);
            CHECK_INT(found.kinds, 0);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A compressing drive gains nothing, within a sector or over many: no six bytes occur twice (by
   chance once in 30,000 runs), and all byte values are equally frequent. */
static void incompressible(void)
{
    static unsigned char data[1 << 17];
    static uint64_t strings[sizeof data - 5];
    for (size_t i = 0; i < 2; i++) {
        struct stamp_run run = run_of(sizes[i], 1);
        stamp_fill(&run, data, sizeof data, 0);
        double squares = 0, expected = sizeof data / 256.0;
        unsigned count[256] = {0};
        for (size_t k = 0; k < sizeof data; k++)
            count[data[k]]++;
        for (size_t k = 0; k < 256; k++)
            squares += (count[k] - expected) * (count[k] - expected) / expected;
        CHECK(squares > 150 && squares < 400); /* 255 degrees of freedom, 6 deviations */

        size_t n = sizeof strings / sizeof *strings, repeated = 0;
        for (size_t k = 0; k < n; k++)
            strings[k] = load_le(data + k, 6);
        qsort(strings, n, sizeof *strings, by_value);
        for (size_t k = 1; k < n; k++)
            repeated += strings[k] == strings[k - 1];
        CHECK_INT(repeated, 0);
    }
}

/* Every single bit of a sector, flipped. */
static void every_bit(void)
{
    for (size_t i = 0; i < 2; i++) {
        unsigned char sector[4096];
        struct stamp_run run = run_of(sizes[i], 2);
        stamp_fill(&run, sector, sizes[i], 77);
        for (unsigned bit = 0; bit < 8 * sizes[i]; bit++) {
            struct stamp_found found;
            sector[bit / 8] ^= (unsigned char)(1 << bit % 8);
            enum stamp_verdict verdict = stamp_check(&run, sector, 77, &found);
            sector[bit / 8] ^= (unsigned char)(1 << bit % 8);
            if (!check_that(verdict == STAMP_CORRUPT && found.kinds == KIND(STAMP_CORRUPT) &&
                                found.bits_flipped == 1 && found.first_byte == bit / 8 &&
                                found.last_byte == bit / 8 && !found.unrecognised,
                            __FILE__, __LINE__, "one bit"))
                fprintf(stderr, "    bit %u: %s\n", bit, stamp_verdict_name(verdict));
        }
    }
}

/* Torn at every boundary of 8 bytes between every two of three generations, with either part first.
 */
static void every_boundary(void)
{
    for (size_t i = 0; i < 2; i++)
        for (uint32_t pair = 0; pair < 6; pair++) {
            unsigned char front[4096], back[4096];
            struct stamp_run run = run_of(sizes[i], 3), older = run;
            older.generation = 1 + pair % 3;
            stamp_fill(&older, front, sizes[i], 9);
            uint32_t first = older.generation;
            older.generation = 1 + (pair % 3 + 1 + pair / 3) % 3;
            stamp_fill(&older, back, sizes[i], 9);
            bool stale = first != 3 && older.generation != 3;
            for (unsigned at = 8; at < sizes[i]; at += 8) {
                struct stamp_found found;
                memcpy(back, front, at);
                CHECK_INT(stamp_check(&run, back, 9, &found), STAMP_TORN);
                CHECK_INT(found.kinds, KIND(STAMP_TORN) | (stale ? KIND(STAMP_STALE) : 0));
                CHECK_INT(found.torn_at, at);
                CHECK_INT(found.pieces, 2);
                CHECK_INT(found.bits_flipped, 0);
            }
        }
}

/* Kinds of damage: each function damages a sector of the run and returns the kinds that must be
   detected. */
struct injected {
    struct stamp_run run;
    uint64_t lba, other_lba;
    uint32_t generation; /* of the present content */
    unsigned char sector[4096];
    unsigned bits;
};

static void restamp(struct injected *x, const struct stamp_run *run, uint64_t lba,
                    uint32_t generation)
{
    struct stamp_run r = *run;
    r.generation = generation;
    stamp_fill(&r, x->sector, r.sector_bytes, lba);
}

static unsigned flip_bits(struct injected *x)
{
    unsigned char before[4096];
    memcpy(before, x->sector, x->run.sector_bytes);
    for (uint64_t n = 1 + random_below(&draw, 12); n > 0; n--) {
        uint64_t bit = random_below(&draw, (uint64_t)x->run.sector_bytes * 8);
        x->sector[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    x->bits = 0;
    for (uint32_t i = 0; i < x->run.sector_bytes; i++)
        x->bits += (unsigned)__builtin_popcount((unsigned)(before[i] ^ x->sector[i]));
    return x->bits ? KIND(STAMP_CORRUPT) : 0;
}

static uint64_t another_lba(struct injected *x)
{
    do
        x->other_lba = random_below(&draw, 2) ? drawn_lba() : x->lba + 1 + random_below(&draw, 64);
    while (x->other_lba == x->lba);
    return x->other_lba;
}

static unsigned misdirect(struct injected *x)
{
    restamp(x, &x->run, another_lba(x), x->run.generation);
    return KIND(STAMP_MISDIRECTED);
}

static unsigned age(struct injected *x)
{
    x->generation = 1 + (uint32_t)random_below(&draw, x->run.generation - 1);
    restamp(x, &x->run, x->lba, x->generation);
    return KIND(STAMP_STALE);
}

/* An older part at the front, at the end or in the middle. */
static unsigned tear(struct injected *x)
{
    struct injected older = *x;
    age(&older);
    size_t words = x->run.sector_bytes / 8;
    size_t begin = random_below(&draw, words), end = begin + 1 + random_below(&draw, words - begin);
    if (random_below(&draw, 2))
        begin = 0;
    else if (begin > 0)
        end = random_below(&draw, 2) ? words : end;
    if (begin == 0 && end == words)
        end--;
    memcpy(x->sector + 8 * begin, older.sector + 8 * begin, 8 * (end - begin));
    return KIND(STAMP_TORN);
}

static unsigned replace_run(struct injected *x)
{
    struct stamp_run other = x->run;
    uint64_t which = random_below(&draw, 3);
    other.serial_hash += which != 0 ? random_u64(&draw) : 0;
    other.salt += which != 1 ? random_u64(&draw) : 0;
    restamp(x, &other, x->lba, 1 + (uint32_t)random_below(&draw, 9));
    return KIND(STAMP_FOREIGN);
}

static unsigned erase(struct injected *x)
{
    memset(x->sector, random_below(&draw, 2) ? 0 : 0xff, x->run.sector_bytes);
    return KIND(STAMP_ZEROS);
}

static unsigned wrap_around(struct injected *x)
{
    x->run.wrap_sectors = 4096 + random_below(&draw, 1 << 30);
    restamp(x, &x->run, x->lba + x->run.wrap_sectors * (1 + random_below(&draw, 5)),
            x->run.generation);
    return KIND(STAMP_WRAPPED);
}

/* Half of it is new, and the rest was never written. */
static unsigned tear_erased(struct injected *x)
{
    size_t words = x->run.sector_bytes / 8, at = 1 + random_below(&draw, words - 1);
    bool front = random_below(&draw, 2);
    memset(x->sector + (front ? 0 : 8 * at), random_below(&draw, 2) ? 0 : 0xff,
           front ? 8 * at : 8 * (words - at));
    return KIND(STAMP_TORN);
}

static unsigned misdirect_old(struct injected *x)
{
    restamp(x, &x->run, another_lba(x), 1 + (uint32_t)random_below(&draw, x->run.generation - 1));
    return KIND(STAMP_MISDIRECTED) | KIND(STAMP_STALE);
}

/* Another sector of the run overlaps this one by at least 16 bytes. */
static unsigned overrun(struct injected *x)
{
    struct injected other = *x;
    misdirect(&other);
    x->other_lba = other.other_lba;
    size_t words = x->run.sector_bytes / 8, at = 8 + random_below(&draw, words - 16);
    bool front = random_below(&draw, 2);
    memcpy(x->sector + (front ? 0 : 8 * at), other.sector + (front ? 0 : 8 * at),
           front ? 8 * at : 8 * (words - at));
    return KIND(STAMP_TORN) | KIND(STAMP_MISDIRECTED);
}

/* Data of an earlier run beside the new data. */
static unsigned tear_foreign(struct injected *x)
{
    struct injected other = *x;
    unsigned kinds = replace_run(&other);
    size_t words = x->run.sector_bytes / 8, at = 8 + random_below(&draw, words - 16);
    bool front = random_below(&draw, 2);
    memcpy(x->sector + (front ? 0 : 8 * at), other.sector + (front ? 0 : 8 * at),
           front ? 8 * at : 8 * (words - at));
    return KIND(STAMP_TORN) | kinds;
}

typedef unsigned inject(struct injected *x);

static void inject_one(const char *name, inject *first, inject *second, enum stamp_verdict verdict)
{
    for (int round = 0; round < 500; round++) {
        struct injected x = {.run = drawn_run(), .lba = drawn_lba()};
        restamp(&x, &x.run, x.lba, x.run.generation);
        unsigned kinds = first(&x);
        kinds |= second ? second(&x) : 0;
        if ((second || first == flip_bits) && !x.bits)
            continue; /* the same bit flipped twice */
        struct stamp_found found;
        enum stamp_verdict is = stamp_check(&x.run, x.sector, x.lba, &found);
        bool ok = is == verdict && found.kinds == kinds && found.bits_flipped == x.bits;
        if (kinds & (KIND(STAMP_MISDIRECTED)))
            ok = ok && found.lba == x.other_lba;
        if (kinds == KIND(STAMP_STALE))
            ok = ok && found.generation == x.generation;
        if (!check_that(ok, __FILE__, __LINE__, name))
            fprintf(stderr,
                    "    seed %lu, round %d, sector of %u, generation %u: %s, kinds %x (expected "
                    "%x), %u bits (expected %u)\n",
                    seed, round, x.run.sector_bytes, x.run.generation, stamp_verdict_name(is),
                    found.kinds, kinds, found.bits_flipped, x.bits);
    }
}

/* Data that does not come from this run is corrupt, and none of it is recognised. */
static void garbage(void)
{
    for (int round = 0; round < 300; round++) {
        struct stamp_run run = drawn_run();
        unsigned char sector[4096];
        for (size_t i = 0; i < run.sector_bytes; i += 8)
            store_le64(sector + i, random_u64(&draw));
        struct stamp_found found;
        CHECK_INT(stamp_check(&run, sector, drawn_lba(), &found), STAMP_CORRUPT);
        CHECK(found.unrecognised);
        CHECK_INT(found.kinds, KIND(STAMP_CORRUPT));
    }
}

/* Damage in every word of eight bytes is still counted bit by bit. */
static void no_word_is_whole(void)
{
    struct stamp_run run = run_of(512, 4), older = run_of(512, 3);
    unsigned char sector[512];
    struct stamp_found found;
    stamp_fill(&older, sector, sizeof sector, 5);
    for (size_t i = 0; i < sizeof sector; i += 8)
        sector[i] ^= 0x11;
    CHECK_INT(stamp_check(&run, sector, 5, &found), STAMP_STALE);
    CHECK_INT(found.kinds, KIND(STAMP_STALE) | KIND(STAMP_CORRUPT));
    CHECK_INT(found.bits_flipped, 128);
    CHECK_INT(found.first_byte, 0);
    CHECK_INT(found.last_byte, 504);
    CHECK(!found.unrecognised);
}

static void wraps(void)
{
    int64_t distances[40];
    for (int round = 0; round < 300; round++) {
        uint64_t wrap = 4096 + random_below(&draw, 1 << 28);
        size_t count = 8 + random_below(&draw, 33);
        for (size_t i = 0; i < count; i++)
            distances[i] = (int64_t)(wrap * (1 + random_below(&draw, 7)));
        distances[0] = (int64_t)wrap;
        for (size_t i = 1; i < count / 4; i++) /* misdirected ones among them */
            distances[i] = -(int64_t)(1 + random_below(&draw, 1 << 30));
        CHECK_INT(stamp_wrap(distances, count), wrap);
        for (size_t i = 0; i < count; i++)
            distances[i] = (int64_t)(1 + random_below(&draw, 1 << 30));
        CHECK_INT(stamp_wrap(distances, count), 0);
    }
    for (size_t i = 0; i < 3; i++)
        distances[i] = 1 << 20;
    CHECK_INT(stamp_wrap(distances, 3), 0);
    CHECK_INT(stamp_wrap(distances, 0), 0);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoul(argv[1], NULL, 10) : (unsigned long)time(NULL);
    random_seed(&draw, seed, 0);
    format();
    good();
    incompressible();
    every_bit();
    every_boundary();
    inject_one("corrupt", flip_bits, NULL, STAMP_CORRUPT);
    inject_one("misdirected", misdirect, NULL, STAMP_MISDIRECTED);
    inject_one("stale", age, NULL, STAMP_STALE);
    inject_one("torn", tear, NULL, STAMP_TORN);
    inject_one("torn, erased", tear_erased, NULL, STAMP_TORN);
    inject_one("torn, foreign", tear_foreign, NULL, STAMP_TORN);
    inject_one("torn, misdirected", overrun, NULL, STAMP_TORN);
    inject_one("wrapped", wrap_around, NULL, STAMP_WRAPPED);
    inject_one("foreign", replace_run, NULL, STAMP_FOREIGN);
    inject_one("zeros", erase, NULL, STAMP_ZEROS);
    inject_one("misdirected, stale", misdirect_old, NULL, STAMP_MISDIRECTED);
    inject_one("misdirected, corrupt", misdirect, flip_bits, STAMP_MISDIRECTED);
    inject_one("stale, corrupt", age, flip_bits, STAMP_STALE);
    inject_one("wrapped, corrupt", wrap_around, flip_bits, STAMP_WRAPPED);
    garbage();
    no_word_is_whole();
    wraps();
    return check_result();
}
