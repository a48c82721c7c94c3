/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger of writes against a device that is played: many writes are open at a time, reach the
 * medium at some instant between their begin and their end, and some fail in part. Nothing is found
 * wrong then; and of faults that are put in each is found, by its kind. test_ledger SEED repeats a
 * run.
 */
#include "check.h"

#include <stdint.h>
#include <time.h>

#include "base/random.h"
#include "io/readback/verify_ledger.h"

enum { BLOCK = 4096, SECTOR = 512, BLOCKS = 64, BASE = 3 * BLOCK, OPEN = 24 };

static struct random draw;
static unsigned char medium[BLOCKS * BLOCK];
static struct ledger ledger;
static struct tally tally;

/* A write in flight. */
struct flight {
    bool used, applied, fails;
    uint64_t block;
    unsigned blocks;
    unsigned char data[2 * BLOCK];
};
static struct flight flights[OPEN];

static void begin(struct flight *f, unsigned percent_failing)
{
    f->blocks = random_below(&draw, 8) ? 1 : 2;
    f->block = random_below(&draw, BLOCKS - 1);
    f->used = true;
    f->applied = false;
    f->fails = random_below(&draw, 100) < percent_failing;
    ledger_stamp(&ledger, f->data, (size_t)f->blocks * BLOCK, BASE + f->block * BLOCK);
}

/* A failed write leaves a part of its data. */
static void apply(struct flight *f)
{
    size_t length = (size_t)f->blocks * BLOCK;
    if (f->fails)
        length = (size_t)random_below(&draw, length);
    memcpy(medium + f->block * BLOCK, f->data, length);
    f->applied = true;
}

static void end(struct flight *f)
{
    if (!f->applied)
        apply(f);
    ledger_end(&ledger, (size_t)f->blocks * BLOCK, BASE + f->block * BLOCK, !f->fails);
    f->used = false;
}

static void play(unsigned steps, unsigned percent_failing)
{
    for (unsigned i = 0; i < steps; i++) {
        struct flight *f = &flights[random_below(&draw, OPEN)];
        if (!f->used)
            begin(f, percent_failing);
        else if (!f->applied && random_below(&draw, 2))
            apply(f);
        else
            end(f);
    }
    for (unsigned i = 0; i < OPEN; i++)
        if (flights[i].used)
            end(&flights[i]);
}

static void start(void)
{
    struct err e = {0};
    memset(medium, 0, sizeof medium);
    CHECK(!ledger_init(&ledger, "drive", BASE, sizeof medium, BLOCK, SECTOR, &e));
}

static void read_all(void)
{
    const struct tally_expected expected = {.run = ledger.run, .sectors = 1 << 20};
    tally_begin(&tally, &expected);
    for (uint64_t i = 0; i < BLOCKS; i++)
        if (ledger_is_known(&ledger, i))
            ledger_check(&ledger, &tally, medium + i * BLOCK, BLOCK, BASE + i * BLOCK);
    tally_end(&tally);
}

static void test_nothing_is_wrong(void)
{
    for (unsigned round = 0; round < 300; round++) {
        start();
        play(40 + (unsigned)random_below(&draw, 4000), round % 3 ? 0 : 2);
        read_all();
        const struct ledger_sums sums = ledger_sum(&ledger);
        CHECK_INT(tally_faults(&tally), 0);
        CHECK_INT((tally.sectors[STAMP_GOOD] + tally.in_flight) * SECTOR, sums.known);
        CHECK(round % 3 == 0 || sums.open == 0);
        ledger_free(&ledger);
    }
}

/* Writes each block once; `again`: twice, with the first data in old[]. */
static unsigned char old[BLOCKS * BLOCK];
static void write_each(unsigned times)
{
    start();
    for (unsigned n = 0; n < times; n++) {
        memcpy(old, medium, sizeof old);
        for (uint64_t i = 0; i < BLOCKS; i++) {
            ledger_stamp(&ledger, medium + i * BLOCK, BLOCK, BASE + i * BLOCK);
            ledger_end(&ledger, BLOCK, BASE + i * BLOCK, true);
        }
    }
}

static void test_kinds(void)
{
    write_each(2);
    unsigned char *at = medium;
    at[5 * SECTOR + 77] ^= 16;                               /* corrupt */
    memcpy(at + 16 * SECTOR, old + 16 * SECTOR, 8 * SECTOR); /* stale: a whole block */
    memcpy(at + 24 * SECTOR, old + 24 * SECTOR, 2 * SECTOR); /* stale: a part of it */
    memcpy(at + 32 * SECTOR, at + 100 * SECTOR, 3 * SECTOR); /* misdirected */
    memcpy(at + 40 * SECTOR, old + 40 * SECTOR, SECTOR / 2); /* torn */
    memset(at + 48 * SECTOR, 0, 4 * SECTOR);                 /* never arrived */
    read_all();
    CHECK_INT(tally.sectors[STAMP_CORRUPT], 1);
    CHECK_INT(tally.bits_flipped, 1);
    CHECK_INT(tally.sectors[STAMP_STALE], 10);
    CHECK_INT(tally.sectors[STAMP_MISDIRECTED], 3);
    CHECK_INT(tally.sectors[STAMP_TORN], 1);
    CHECK_INT(tally.sectors[STAMP_ZEROS], 4);
    CHECK_INT(tally_faults(&tally), 19);
    CHECK_INT(tally.torn_writes, 1);
    CHECK_INT(tally.ranges[0].lba, (BASE / SECTOR) + 5);
    ledger_free(&ledger);
}

/* Writes overlap earlier ones often. */
static void test_newer_elsewhere(void)
{
    write_each(1);
    for (int i = 0; i < 9; i++) {
        ledger_stamp(&ledger, medium, BLOCK, BASE);
        ledger_end(&ledger, BLOCK, BASE, true);
    }
    memcpy(medium + 8 * BLOCK, medium, BLOCK);
    read_all();
    CHECK_INT(tally.sectors[STAMP_MISDIRECTED], 8);
    CHECK_INT(tally_faults(&tally), 8);
    CHECK_INT(tally.ranges[0].distance, -8 * 8);

    /* A stamp of this place and of a write that was never made: no write of this run explains it.
     */
    struct stamp_run never = ledger.run;
    never.generation = 7;
    stamp_fill(&never, medium + 8 * BLOCK, BLOCK, (BASE + 8 * BLOCK) / SECTOR);
    read_all();
    CHECK_INT(tally.sectors[STAMP_FOREIGN], 8);
    CHECK_INT(tally_faults(&tally), 8);
    ledger_free(&ledger);
}

/* Two overlapping writes: in each sector either one is correct, and the data before both is not. */
static void test_overlap(void)
{
    unsigned char a[BLOCK], b[BLOCK];
    for (unsigned kept = 0; kept < 3; kept++) {
        write_each(1);
        memcpy(old, medium, sizeof old);
        ledger_stamp(&ledger, a, BLOCK, BASE);
        ledger_stamp(&ledger, b, BLOCK, BASE);
        CHECK(!ledger_is_known(&ledger, 0));
        ledger_end(&ledger, BLOCK, BASE, true);
        ledger_end(&ledger, BLOCK, BASE, true);
        memcpy(medium, kept == 0 ? a : kept == 1 ? b : old, BLOCK);
        read_all();
        CHECK_INT(tally.sectors[STAMP_STALE], kept == 2 ? BLOCK / SECTOR : 0);
        CHECK_INT(tally_faults(&tally), kept == 2 ? BLOCK / SECTOR : 0);
        CHECK_INT(ledger_sum(&ledger).several, BLOCK);
        ledger_free(&ledger);
    }
}

/* Overlapping atomic writes: all sectors have the same one. */
static void test_whole(void)
{
    unsigned char a[BLOCK], b[BLOCK];
    for (unsigned parts = 0; parts < 2; parts++) {
        write_each(1);
        ledger.whole = true;
        ledger_stamp(&ledger, a, BLOCK, BASE);
        ledger_stamp(&ledger, b, BLOCK, BASE);
        ledger_end(&ledger, BLOCK, BASE, true);
        ledger_end(&ledger, BLOCK, BASE, true);
        memcpy(medium, a, BLOCK);
        if (parts)
            memcpy(medium + 3 * SECTOR, b + 3 * SECTOR, 2 * SECTOR);
        read_all();
        CHECK_INT(tally.sectors[STAMP_TORN], parts ? 2 : 0);
        CHECK_INT(tally_faults(&tally), parts ? 2 : 0);
        ledger_free(&ledger);
    }
}

static bool is_near(unsigned n, unsigned generation)
{
    return n + 60 > generation && n < generation + 60;
}

/* After the last generation comes the first, and what was there before is stale all the same. */
static void test_generations_begin_again(void)
{
    write_each(1);
    for (unsigned n = 0; n < STAMP_MAX_GENERATION + 9; n++) {
        memcpy(old, medium, BLOCK);
        ledger_stamp(&ledger, medium, BLOCK, BASE);
        if (n % 2) { /* open at the same time as the next one */
            ledger_stamp(&ledger, medium, BLOCK, BASE);
            ledger_end(&ledger, BLOCK, BASE, true);
        }
        ledger_end(&ledger, BLOCK, BASE, true);
        if (n % 64 == 0 || is_near(n, STAMP_MAX_GENERATION / 2) ||
            is_near(n, STAMP_MAX_GENERATION)) {
            read_all();
            CHECK_INT(tally_faults(&tally), 0);
        }
        if (is_near(n, STAMP_MAX_GENERATION / 3 * 2)) {
            unsigned char now[BLOCK];
            memcpy(now, medium, BLOCK);
            memcpy(medium, old, BLOCK);
            read_all();
            CHECK_INT(tally.sectors[STAMP_STALE], BLOCK / SECTOR);
            memcpy(medium, now, BLOCK);
        }
    }
    ledger_free(&ledger);
}

static void test_failed_and_crowded(void)
{
    unsigned char data[BLOCK];
    write_each(1);
    ledger_stamp(&ledger, data, BLOCK, BASE);
    ledger_end(&ledger, BLOCK, BASE, false);
    ledger_stamp(&ledger, data, BLOCK, BASE);
    ledger_end(&ledger, BLOCK, BASE, true);
    CHECK(!ledger_is_known(&ledger, 0));
    for (unsigned i = 0; i < 300; i++)
        ledger_stamp(&ledger, data, BLOCK, BASE + BLOCK);
    for (unsigned i = 0; i < 300; i++)
        ledger_end(&ledger, BLOCK, BASE + BLOCK, true);
    CHECK(!ledger_is_known(&ledger, 1));
    /* A block has parts of two writes. */
    ledger_stamp(&ledger, data, SECTOR, BASE + 2 * BLOCK + SECTOR);
    ledger_end(&ledger, SECTOR, BASE + 2 * BLOCK + SECTOR, true);
    CHECK(!ledger_is_known(&ledger, 2));
    CHECK_INT(ledger_sum(&ledger).open, 3 * BLOCK);
    CHECK_INT(ledger_sum(&ledger).known, (BLOCKS - 3) * BLOCK);
    ledger_free(&ledger);
}

int main(int argc, char **argv)
{
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 0) : (unsigned long)time(NULL);
    printf("seed %lu\n", seed);
    random_seed(&draw, seed, 0);
    test_nothing_is_wrong();
    test_kinds();
    test_newer_elsewhere();
    test_overlap();
    test_whole();
    test_generations_begin_again();
    test_failed_and_crowded();
    return check_result();
}
