/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading back: a file is written as preconditioning writes a drive, faults of every kind are put
 * into it at hundreds of places that are drawn anew in each run, and it is read through io_uring:
 * every fault is found, by its kind, and nothing else is. test_tally SEED repeats a run.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "io/io.h"
#include "io/readback/sector_read.h"
#include "io/readback/verify_tally.h"
#include "machine/accept/internal.h"

enum {
    SECTORS = 65536,
    BLOCK = 128 << 10,
    FAULTS = 420,
};

static struct random draw;
static unsigned long seed;
static struct stamp_run run = {.generation = 3, .sector_bytes = 512};
static struct tally tally;

static int open_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/verify_XXXXXX", folder ? folder : ".");
    int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* ---- written ---- */

static void fill(void *context, unsigned char *data, size_t length, uint64_t offset)
{
    stamp_fill(context, data, length, offset / 512);
}

static int reached(void *context, const struct sequential_reached *r, struct err *e)
{
    (void)context;
    (void)r;
    (void)e;
    return 0;
}

static int watch(void *context, uint64_t offset, double rate, struct err *e)
{
    (void)context;
    (void)offset;
    (void)rate;
    (void)e;
    return 0;
}

static bool write_file(int fd)
{
    struct err e = {0};
    const struct sequential_write w = {.ops = &io_uring,
                                       .fd = fd,
                                       .path = "file",
                                       .end = SECTORS * UINT64_C(512),
                                       .block = BLOCK,
                                       .depth = 8,
                                       .sample_bytes = BLOCK,
                                       .flush_seconds = 1,
                                       .answer_seconds = 60,
                                       .context = &run,
                                       .fill = fill,
                                       .reached = reached,
                                       .watch = watch};
    if (sequential_write(&w, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return false;
    }
    return true;
}

/* ---- read back, by a backend that may fail ---- */

static uint64_t bad_begin, bad_end; /* bytes that cannot be read */

/* io_uring, but for reads of these bytes. */
static int reap_faulty(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                       struct err *e);
static uint64_t offset_of_slot[64];

static int submit_faulty(struct io_backend *b, const struct io_req requests[], unsigned n,
                         struct err *e)
{
    for (unsigned i = 0; i < n; i++)
        offset_of_slot[requests[i].slot] = requests[i].offset;
    return io_uring.submit(b, requests, n, e);
}

static int reap_faulty(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                       struct err *e)
{
    int count = io_uring.reap_until(b, done, max, until, e);
    for (int i = 0; i < count; i++) {
        uint64_t offset = offset_of_slot[done[i].slot];
        if (offset < bad_end && offset + BLOCK > bad_begin) {
            done[i].error = EIO;
            done[i].bytes = 0;
        }
    }
    return count;
}

static int open_faulty(struct io_backend *b, const struct io_setup *setup, struct err *e);

static struct io_ops faulty = {.name = "faulty", .open = open_faulty};

static int open_faulty(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    if (io_uring.open(b, setup, e))
        return -1;
    b->ops = &faulty;
    return 0;
}

static uint64_t next_offset;
static unsigned failed_reads;

static bool next(void *context, uint64_t *offset, uint32_t *length)
{
    (void)context;
    if (next_offset == SECTORS * UINT64_C(512))
        return false;
    *offset = next_offset;
    *length = BLOCK;
    next_offset += BLOCK;
    return true;
}

static int take(void *context, const unsigned char *data, uint32_t length, uint64_t offset,
                int error, struct err *e)
{
    (void)context;
    (void)e;
    failed_reads += error == EIO;
    if (error)
        tally_take_unreadable(&tally, offset / 512, length / 512);
    else
        tally_take(&tally, data, length, offset / 512);
    return 0;
}

static bool next_may_have_begun;

static void read_file(int fd, uint64_t durable)
{
    struct err e = {0};
    const struct sector_read r = {.ops = &faulty,
                                  .fd = fd,
                                  .path = "file",
                                  .block = BLOCK,
                                  .depth = 16,
                                  .answer_seconds = 60,
                                  .next = next,
                                  .take = take};
    const struct tally_expected expected = {.run = run,
                                            .sectors = SECTORS,
                                            .durable = durable,
                                            .write_sectors = BLOCK / 512,
                                            .next_may_have_begun = next_may_have_begun};
    next_offset = failed_reads = 0;
    tally_begin(&tally, &expected);
    CHECK_INT(sector_read(&r, &e), 0);
    tally_end(&tally);
}

/* ---- faults ---- */

static void put(int fd, uint64_t lba, const unsigned char *sector)
{
    CHECK_INT(pwrite(fd, sector, 512, (off_t)(lba * 512)), 512);
}

static void put_stamped(int fd, uint64_t lba, uint64_t of, uint32_t generation, uint64_t salt)
{
    unsigned char sector[512];
    struct stamp_run other = run;
    other.generation = generation;
    other.salt += salt;
    stamp_fill(&other, sector, sizeof sector, of);
    put(fd, lba, sector);
}

static void flip(int fd, uint64_t lba)
{
    unsigned char sector[512];
    stamp_fill(&run, sector, sizeof sector, lba);
    sector[random_below(&draw, 512)] ^= (unsigned char)(1 << random_below(&draw, 8));
    put(fd, lba, sector);
}

static void tear(int fd, uint64_t lba)
{
    unsigned char sector[512], older[512];
    struct stamp_run before = run;
    before.generation--;
    stamp_fill(&run, sector, sizeof sector, lba);
    stamp_fill(&before, older, sizeof older, lba);
    size_t at = 8 * (1 + random_below(&draw, 63));
    memcpy(sector + at, older + at, 512 - at);
    put(fd, lba, sector);
}

static void inject(int fd, uint64_t lba, enum stamp_verdict kind)
{
    static const unsigned char zeros[512];
    switch (kind) {
    case STAMP_CORRUPT:
        flip(fd, lba);
        break;
    case STAMP_TORN:
        tear(fd, lba);
        break;
    case STAMP_STALE:
        put_stamped(fd, lba, lba, 1 + (uint32_t)random_below(&draw, 2), 0);
        break;
    case STAMP_MISDIRECTED:
        put_stamped(fd, lba, (lba + 1 + random_below(&draw, 2000)) % SECTORS, run.generation, 0);
        break;
    case STAMP_FOREIGN:
        put_stamped(fd, lba, lba, 1, 1 + random_u64(&draw) / 2);
        break;
    default:
        put(fd, lba, zeros);
    }
}

/* Of every kind, each at places of its own. */
static void all_kinds(int fd)
{
    static const enum stamp_verdict kinds[] = {STAMP_CORRUPT,     STAMP_TORN,    STAMP_STALE,
                                               STAMP_MISDIRECTED, STAMP_FOREIGN, STAMP_ZEROS};
    static unsigned char is[SECTORS];
    uint64_t count[STAMP_VERDICTS] = {0}, writes = 0, in_write = 0;
    memset(is, STAMP_GOOD, sizeof is);
    for (int i = 0; i < FAULTS; i++) {
        uint64_t lba = random_below(&draw, SECTORS);
        enum stamp_verdict kind = kinds[i % 6];
        if (is[lba] != STAMP_GOOD)
            continue;
        is[lba] = (unsigned char)kind;
        count[kind]++;
        inject(fd, lba, kind);
    }
    read_file(fd, SECTORS);
    for (size_t i = 0; i < 6; i++)
        CHECK_INT(tally.sectors[kinds[i]], count[kinds[i]]);
    CHECK_INT(tally_faults(&tally) + tally.sectors[STAMP_GOOD], SECTORS);
    CHECK_INT(tally.bits_flipped, count[STAMP_CORRUPT]);
    CHECK_INT(tally.range_dropped, 0);
    uint64_t seen = 0;
    for (size_t i = 0; i < tally.range_count; i++)
        for (uint64_t k = 0; k < tally.ranges[i].sectors; k++, seen++)
            CHECK_INT(is[tally.ranges[i].lba + k], tally.ranges[i].kind);
    CHECK_INT(seen, tally_faults(&tally));
    for (uint64_t lba = 0; lba < SECTORS; lba++) {
        in_write += is[lba] == STAMP_STALE;
        if ((lba + 1) % (BLOCK / 512) == 0) {
            writes += in_write > 0;
            in_write = 0;
        }
    }
    CHECK_INT(tally.torn_writes, writes);
    if (check_failures)
        fprintf(stderr, "seed %lu\n", seed);
}

/* Data not known to be flushed may be older, and torn; it may not be of another place. */
static void after_a_power_loss(int fd)
{
    CHECK(write_file(fd));
    for (uint64_t lba = 40000; lba < SECTORS; lba++)
        put_stamped(fd, lba, lba, run.generation - 1, 0);
    tear(fd, 40000);
    read_file(fd, 39000);
    CHECK_INT(tally_faults(&tally), 0);
    CHECK_INT(tally.in_flight, SECTORS - 40000);
    CHECK_INT(tally.in_flight_torn, 1);
    CHECK_INT(tally.torn_writes, 0);
    CHECK_INT(tally.sectors[STAMP_GOOD], 40000);
    flip(fd, 50000);
    put_stamped(fd, 50001, 7, run.generation, 0);
    put_stamped(fd, 50002, 50002, run.generation - 2, 0);
    read_file(fd, 39000);
    CHECK_INT(tally.sectors[STAMP_CORRUPT], 1);
    CHECK_INT(tally.sectors[STAMP_MISDIRECTED], 1);
    CHECK_INT(tally.sectors[STAMP_STALE], 1);
    CHECK_INT(tally_faults(&tally), 3);
    read_file(fd, 40001); /* one of them was flushed */
    CHECK_INT(tally.sectors[STAMP_TORN], 1);
    read_file(fd, SECTORS);
    CHECK_INT(tally.sectors[STAMP_STALE], SECTORS - 40000 - 3);
    CHECK_INT(tally.torn_writes, 1); /* 40000 is in the middle of a write */
}

/* A whole pass was flushed, and the power failed before the first flush of the next one. */
static void next_pass_had_begun(int fd)
{
    CHECK(write_file(fd));
    for (uint64_t lba = 0; lba < 3000; lba++)
        put_stamped(fd, lba, lba, run.generation + 1, 0);
    read_file(fd, SECTORS);
    CHECK(tally_faults(&tally) == 3000);
    next_may_have_begun = true;
    read_file(fd, SECTORS);
    CHECK_INT(tally_faults(&tally), 0);
    CHECK_INT(tally.in_flight, 3000);
    put_stamped(fd, 100, 7, run.generation + 1, 0);
    put_stamped(fd, 101, 101, run.generation + 2, 0);
    flip(fd, 102);
    read_file(fd, SECTORS);
    CHECK_INT(tally_faults(&tally), 3);
    next_may_have_begun = false;
}

/* The first pass, over unknown data. */
static void in_the_first_pass(int fd)
{
    static const unsigned char zeros[512];
    run.generation = 1;
    CHECK(write_file(fd));
    for (uint64_t lba = 60000; lba < 60400; lba++)
        put(fd, lba, zeros);
    put_stamped(fd, 60400, 60400, 4, 99);
    read_file(fd, 60000);
    CHECK_INT(tally_faults(&tally), 0);
    CHECK_INT(tally.in_flight, 401);
    read_file(fd, 60001);
    CHECK_INT(tally.sectors[STAMP_ZEROS], 1);
}

static void wraps_around(int fd)
{
    char places[64];
    enum { REAL = 20000 };
    run.generation = 2;
    for (uint64_t lba = 0; lba < SECTORS; lba++)
        put_stamped(fd, lba, lba % REAL + (SECTORS - 1 - lba % REAL) / REAL * REAL, 2, 0);
    put_stamped(fd, 5, 30, 2, 0); /* and one that is misdirected beside it */
    read_file(fd, SECTORS);
    CHECK_INT(tally.expected.run.wrap_sectors, REAL);
    CHECK_INT(tally.sectors[STAMP_MISDIRECTED], 1);
    CHECK_INT(tally.sectors[STAMP_WRAPPED], SECTORS - 1 - REAL);
    CHECK_STR(tally_places(&tally, STAMP_MISDIRECTED, places, sizeof places), "LBA 5");
    CHECK_INT(tally.sectors[STAMP_GOOD], REAL);
}

/* A range found at another place is not a wrap: the rest of the drive would not be good then. */
static void misplaced(int fd)
{
    CHECK(write_file(fd));
    for (uint64_t lba = 1000; lba < 6000; lba++)
        put_stamped(fd, lba, lba + 9000, run.generation, 0);
    read_file(fd, SECTORS);
    CHECK_INT(tally.expected.run.wrap_sectors, 0);
    CHECK_INT(tally.sectors[STAMP_MISDIRECTED], 5000);
    CHECK_INT(tally.sectors[STAMP_WRAPPED], 0);
}

static void cannot_be_read(int fd)
{
    char places[64];
    CHECK(write_file(fd));
    bad_begin = 3 * BLOCK + 10;
    bad_end = 5 * BLOCK;
    read_file(fd, SECTORS);
    bad_end = 0;
    CHECK_INT(failed_reads, 2);
    CHECK_INT(tally.sectors[TALLY_UNREADABLE], 512);
    CHECK_INT(tally.sectors[STAMP_GOOD], SECTORS - 512);
    CHECK_INT(tally.range_count, 1);
    CHECK_STR(tally_places(&tally, TALLY_UNREADABLE, places, sizeof places), "LBA 768-1279");
}

static void words(void)
{
    char places[64];
    unsigned char sector[512] = {0};
    const struct tally_expected expected = {
        .run = run, .sectors = SECTORS, .durable = SECTORS, .write_sectors = 1};
    tally_begin(&tally, &expected);
    for (uint64_t lba = 0; lba < 4000; lba += 2)
        tally_take(&tally, sector, sizeof sector, lba);
    tally_end(&tally);
    CHECK_INT(tally.sectors[STAMP_ZEROS], 2000);
    CHECK_INT(tally.range_dropped, 2000 - TALLY_RANGES);
    tally_places(&tally, STAMP_ZEROS, places, sizeof places);
    CHECK(strncmp(places, "LBA 0, 2, 4, 6,", 15) == 0);
    CHECK(strstr(places, " and at least "));
    CHECK_NEAR(tally_bound(3e17), 9.9857e-18, 1e-4);
    CHECK_NEAR(tally_bound(0), 1, 0);
    CHECK_NEAR(tally_bound(1), 1, 0);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoul(argv[1], NULL, 10) : (unsigned long)time(NULL);
    random_seed(&draw, seed, 0);
    run.serial_hash = stamp_serial_hash("X1");
    run.salt = random_u64(&draw);
    faulty.submit = submit_faulty;
    faulty.reap_until = reap_faulty;
    faulty.close = io_uring.close;
    words();
    int fd = open_file();
    if (check_is_emulated() || fd < 0 || !write_file(fd)) {
        fprintf(stderr, "no file that io_uring writes\n");
        return CHECK_SKIPPED;
    }
    read_file(fd, SECTORS);
    CHECK_INT(tally.sectors[STAMP_GOOD], SECTORS);
    all_kinds(fd);
    after_a_power_loss(fd);
    next_pass_had_begun(fd);
    in_the_first_pass(fd);
    wraps_around(fd);
    misplaced(fd);
    cannot_be_read(fd);
    close(fd);
    return check_result();
}
