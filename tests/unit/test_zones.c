/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zones without a device: write pointers, limits, resets, the threshold, reads. The device is an
   array that refuses what a zoned device refuses. */
#include "check.h"

#include <errno.h>

#include "io/zone/zones.h"

enum { COUNT = 20, SIZE = 1000, CAPACITY = 850, BLOCK = 100, JOBS = 4 };

static struct zone zones_at[COUNT];
static unsigned open_at[COUNT];
static uint64_t blocks_at[COUNT + 1];

/* The device. */
static struct {
    uint64_t written[COUNT];
    bool active[COUNT];
    unsigned limit, refused, resets, finishes;
    bool reset_fails;
} device;

static unsigned count_active(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < COUNT; i++)
        n += device.active[i];
    return n;
}

static int act(void *context, enum zone_action action, uint64_t start, uint64_t length)
{
    (void)context;
    unsigned i = (unsigned)(start / SIZE);
    if (start % SIZE || length != SIZE || device.reset_fails)
        return EIO;
    device.active[i] = false;
    device.written[i] = action == ZONE_RESET ? 0 : CAPACITY;
    device.resets += action == ZONE_RESET;
    device.finishes += action == ZONE_FINISH;
    return 0;
}

static int look(void *context, struct zone *zone)
{
    (void)context;
    zone->written = device.written[zone->start / SIZE];
    return 0;
}

static const struct zone_ops ops = {.act = act, .look = look};

/* A write as the device accepts it: at the write pointer, within its limits. */
static bool device_takes(uint64_t offset)
{
    unsigned i = (unsigned)(offset / SIZE);
    if (i >= COUNT || offset % SIZE != device.written[i] || device.written[i] + BLOCK > CAPACITY ||
        (!device.active[i] && device.limit && count_active() >= device.limit)) {
        device.refused++;
        return false;
    }
    device.active[i] = true;
    device.written[i] += BLOCK;
    if (device.written[i] == CAPACITY)
        device.active[i] = false;
    return true;
}

static struct zones make_zones(unsigned limit)
{
    memset(&device, 0, sizeof device);
    device.limit = limit;
    for (unsigned i = 0; i < COUNT; i++)
        zones_at[i] =
            (struct zone){.start = i * SIZE, .capacity = CAPACITY, .condition = ZONE_EMPTY};
    return (struct zones){.at = zones_at,
                          .count = COUNT,
                          .zone_size = SIZE,
                          .end = (uint64_t)COUNT * SIZE,
                          .block = BLOCK,
                          .open_limit = limit,
                          .active_limit = limit,
                          .ops = &ops,
                          .open = open_at,
                          .blocks = blocks_at};
}

static void check_pointers(const struct zones *z)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        CHECK_INT(z->at[i].written, device.written[i]);
        sum += device.written[i];
    }
    CHECK_INT(z->written, sum);
    CHECK_INT(device.refused, 0);
}

/* Jobs write in turn, each with a write in flight while the others do theirs. */
static void write_many(struct zones *z, bool sequential, unsigned writes)
{
    struct random r;
    struct zone_job jobs[JOBS] = {{0}};
    random_seed(&r, 1, 2);
    for (unsigned k = 0; k < JOBS; k++)
        jobs[k].next = COUNT * k / JOBS;
    for (unsigned i = 0; i < writes; i++) {
        struct zone_job *job = &jobs[i % JOBS];
        zones_give_back(z, job, false);
        uint64_t at = zones_take(z, job, sequential, &r);
        for (unsigned k = 0; k < JOBS; k++)
            CHECK(k == i % JOBS || !jobs[k].has || jobs[k].taken != job->taken);
        CHECK(device_takes(at));
        CHECK(!z->open_limit || z->open_count <= z->open_limit);
    }
    for (unsigned k = 0; k < JOBS; k++)
        zones_give_back(z, &jobs[k], false);
}

static void test_sequential(void)
{
    struct zones z = make_zones(0);
    zones_init(&z);
    write_many(&z, true, 8 * COUNT); /* all of it, once */
    check_pointers(&z);
    CHECK_INT(device.resets, 0);
    CHECK_INT(device.finishes, COUNT); /* 8 blocks of 100 in 850, and a rest */
    CHECK_INT(z.open_count, 0);
    write_many(&z, true, 8 * COUNT);
    check_pointers(&z);
    CHECK_INT(device.resets, COUNT);
    CHECK_INT(z.times[ZONE_RESET].count, COUNT);
    CHECK_INT(z.times[ZONE_FINISH].count, 2 * COUNT);
}

static void test_random_within_limits(void)
{
    for (unsigned limit = JOBS; limit < 8; limit++) {
        struct zones z = make_zones(limit);
        zones_init(&z);
        write_many(&z, false, 5000);
        check_pointers(&z);
        CHECK(z.open_most == limit && count_active() <= limit);
        CHECK(device.resets > 100);
    }
}

/* Partly written zones are written first, and count. */
static void test_partly_written(void)
{
    struct zones z = make_zones(5);
    for (unsigned i = 0; i < 5; i++) {
        z.at[3 * i].condition = i % 2 ? ZONE_CLOSED : ZONE_IMPLICITLY_OPEN;
        z.at[3 * i].written = device.written[3 * i] = 300;
        device.active[3 * i] = true;
    }
    zones_init(&z);
    CHECK_INT(z.open_count, 5);
    CHECK_INT(z.active_count, 5);
    write_many(&z, false, 3000);
    check_pointers(&z);
}

static void test_threshold(void)
{
    struct zones z = make_zones(0);
    z.threshold = 0.3;
    z.reset_every = 4;
    zones_init(&z);
    write_many(&z, false, 4000);
    check_pointers(&z);
    CHECK(z.written > 2 * SIZE && z.written < 12 * SIZE);
    CHECK(z.times[ZONE_RESET].count > 700); /* of empty zones none */
}

static void test_failures(void)
{
    struct random r;
    struct zone_job job = {0};
    struct zones z = make_zones(0);
    random_seed(&r, 3, 4);
    zones_init(&z);
    uint64_t at = zones_take(&z, &job, true, &r);
    CHECK_INT(at, 0);
    device.written[0] = 200; /* another program wrote there */
    zones_give_back(&z, &job, true);
    CHECK_INT(zones_take(&z, &job, true, &r), 200);
    CHECK(device_takes(200));
    zones_give_back(&z, &job, false);
    check_pointers(&z);

    /* After a failed reset the state is read from the device. */
    z.at[0].written = device.written[0] = CAPACITY;
    z.written = CAPACITY;
    z.at[0].condition = ZONE_FULL;
    device.reset_fails = true;
    job = (struct zone_job){0};
    CHECK_INT(zones_take(&z, &job, true, &r), CAPACITY);
    CHECK_INT(z.times[ZONE_RESET].failed, 1);
    CHECK_INT(z.times[ZONE_RESET].error, EIO);
    zones_give_back(&z, &job, true);

    /* No zone can be written: the end of the device. */
    for (unsigned i = 0; i < COUNT; i++)
        z.at[i].condition = i % 2 ? ZONE_READ_ONLY : ZONE_OFFLINE;
    CHECK_INT(zones_take(&z, &job, false, &r), COUNT * SIZE);
    CHECK(!job.has);
}

static void test_conventional(void)
{
    struct random r;
    struct zones z = make_zones(1);
    struct zone_job job = {0};
    random_seed(&r, 5, 6);
    z.at[0].conventional = true;
    z.at[0].condition = ZONE_NOT_WRITE_POINTER;
    z.count = 1;
    zones_init(&z);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t at = zones_take(&z, &job, false, &r);
        CHECK(at % BLOCK == 0 && at + BLOCK <= CAPACITY);
        zones_give_back(&z, &job, false);
    }
    for (unsigned i = 0; i < 20; i++) { /* again from its begin */
        CHECK_INT(zones_take(&z, &job, true, &r), i % 8 * BLOCK);
        zones_give_back(&z, &job, false);
    }
    CHECK_INT(z.written, 0);
    CHECK_INT(device.resets + device.finishes, 0);
}

static void test_reads(void)
{
    struct random r;
    struct zones z = make_zones(0);
    random_seed(&r, 7, 8);
    zones_init(&z);
    CHECK_INT(zones_count_readable(&z), 0);
    CHECK(zones_read_among_writes(&z, &r) == ZONES_NOWHERE);
    z.at[2].written = 250;
    z.at[5].written = CAPACITY;
    z.at[7].written = 800;
    z.at[7].condition = ZONE_OFFLINE;
    CHECK_INT(zones_count_readable(&z), 2 + 8);
    CHECK_INT(zones_readable(&z, 0), 2 * SIZE);
    CHECK_INT(zones_readable(&z, 1), 2 * SIZE + BLOCK);
    CHECK_INT(zones_readable(&z, 2), 5 * SIZE);
    CHECK_INT(zones_readable(&z, 9), 5 * SIZE + 7 * BLOCK);
    for (unsigned i = 0; i < 200; i++) {
        uint64_t at = zones_read_among_writes(&z, &r);
        CHECK(at / SIZE == 2 || at / SIZE == 5);
        CHECK(at % SIZE + BLOCK <= z.at[at / SIZE].written);
    }
    z.beyond = true;
    CHECK_INT(zones_count_readable(&z), 8 * (COUNT - 1));
}

int main(void)
{
    test_sequential();
    test_random_within_limits();
    test_partly_written();
    test_threshold();
    test_failures();
    test_conventional();
    test_reads();
    return check_result();
}
