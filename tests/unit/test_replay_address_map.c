/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target addresses of a trace's events: each mapping at its edges, and never outside the
   target. */
#include "check.h"

#include "base/random.h"
#include "run/replay/replay_source.h"

#define KI ((uint64_t)1 << 10)
#define MI ((uint64_t)1 << 20)
#define GI ((uint64_t)1 << 30)

static struct replay_map make(enum replay_mapping mapping, uint64_t target, uint32_t block,
                              const uint64_t sizes[], size_t devices)
{
    struct replay_map map;
    struct err e = {0};
    CHECK_INT(replay_map_init(&map, mapping, target, block, sizes, devices, &e), 0);
    return map;
}

/* Returns the offset of an event on the target, or UINT64_MAX if it cannot be placed. */
static uint64_t at(const struct replay_map *map, unsigned device, uint64_t offset, uint32_t length)
{
    struct trace_event event = {.offset = offset, .length = length, .device = (uint16_t)device};
    uint64_t to = 0;
    uint32_t bytes = 0;
    return replay_map(map, &event, &to, &bytes) ? to : UINT64_MAX;
}

static uint32_t length_of(const struct replay_map *map, uint32_t length)
{
    struct trace_event event = {.length = length};
    uint64_t to = 0;
    uint32_t bytes = 0;
    replay_map(map, &event, &to, &bytes);
    return bytes;
}

static void test_one_device_that_fits(void)
{
    const uint64_t size[] = {GI};
    for (int mapping = MAP_WRAP; mapping <= MAP_NONE; mapping++) {
        struct replay_map map = make((enum replay_mapping)mapping, GI, 512, size, 1);
        CHECK_INT(at(&map, 0, 0, 4096), 0);
        CHECK_INT(at(&map, 0, 512, 512), 512);
        CHECK_INT(at(&map, 0, 12 * KI, 8192), 12 * KI);
        CHECK_INT(at(&map, 0, GI - 4096, 4096), GI - 4096);
    }
}

/* A discard is reduced to whole blocks inside the discarded range; other requests are extended. */
static void test_discards_shrink(void)
{
    const uint64_t size[] = {GI};
    static const struct {
        uint64_t offset, to;
        uint32_t length, bytes; /* 0: no place */
    } cases[] = {{0, 0, 4096, 4096}, {512, 4096, 8192, 4096}, {4096, 4096, 8191, 4096},
                 {4608, 0, 4096, 0}, {512, 0, 3584, 0},       {4095, 4096, 4097, 4096}};
    for (int mapping = MAP_WRAP; mapping <= MAP_NONE; mapping++) {
        const struct replay_map map = make((enum replay_mapping)mapping, GI, 4096, size, 1);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct trace_event discard = {
                .op = OPERATION_TRIM, .offset = cases[i].offset, .length = cases[i].length};
            uint64_t to = 0;
            uint32_t bytes = 0;
            const bool placed = replay_map(&map, &discard, &to, &bytes);
            CHECK_INT(placed, cases[i].bytes > 0);
            CHECK(!placed || (to == cases[i].to && bytes == cases[i].bytes));
        }
    }
}

static void test_wrap_of_one_device(void)
{
    const uint64_t size[] = {4 * GI};
    struct replay_map map = make(MAP_WRAP, GI, 512, size, 1);
    CHECK_INT(at(&map, 0, GI, 4096), 0);
    CHECK_INT(at(&map, 0, 3 * GI + 8192, 4096), 8192);
    /* a request across the end is moved back so that it ends there */
    CHECK_INT(at(&map, 0, GI - 4096, 8192), GI - 8192);
    CHECK_INT(at(&map, 0, 2 * GI - 512, 4096), GI - 4096);
    /* also when the trace has more than was known before */
    CHECK_INT(at(&map, 0, 9 * GI + 4096, 4096), 4096);
}

static void test_wrap_shares(void)
{
    const uint64_t sizes[] = {GI, 3 * GI};
    struct replay_map map = make(MAP_WRAP, 8 * GI, 512, sizes, 2);
    /* each device's share of the target is proportional to its extent: 2 and 6 GiB */
    CHECK_INT(at(&map, 0, GI - 4096, 4096), GI - 4096);
    CHECK_INT(at(&map, 1, 0, 4096), 2 * GI);
    CHECK_INT(at(&map, 1, 3 * GI - 4096, 4096), 5 * GI - 4096);
    /* beyond the share: modulo, never in the other device's share */
    CHECK_INT(at(&map, 0, 2 * GI + 8192, 4096), 8192);
    CHECK_INT(at(&map, 1, 6 * GI, 4096), 2 * GI);

    map = make(MAP_WRAP, 400 * MI, 512, sizes, 2);
    CHECK_INT(at(&map, 0, 100 * MI, 4096), 0);
    CHECK_INT(at(&map, 1, 300 * MI + 4096, 4096), 100 * MI + 4096);
    /* longer than its share, but not than the target */
    CHECK(at(&map, 0, 0, 128 * MI) != UINT64_MAX);
    CHECK_INT(at(&map, 0, 0, 512 * MI), UINT64_MAX);
    /* an unknown device gets the whole target */
    CHECK_INT(at(&map, 7, 399 * MI, 4096), 399 * MI);
    CHECK_INT(at(&map, 7, 401 * MI, 4096), MI);
}

static void test_fold(void)
{
    const uint64_t sizes[] = {GI, GI, GI};
    struct replay_map map = make(MAP_FOLD, 2 * GI + 512 * MI, 512, sizes, 3);
    CHECK_INT(at(&map, 0, 4096, 4096), 4096);
    CHECK_INT(at(&map, 1, 4096, 4096), GI + 4096);
    CHECK_INT(at(&map, 2, 4096, 4096), 2 * GI + 4096);
    CHECK_INT(at(&map, 2, 512 * MI + 4096, 4096), 4096);
    /* a device that appears late comes after all others */
    CHECK_INT(at(&map, 3, 0, 4096), 512 * MI);
    CHECK_INT(at(&map, 0, UINT64_MAX - 4095, 4095), (UINT64_MAX - 4095) % (2 * GI + 512 * MI));
}

static void test_scale(void)
{
    const uint64_t size[] = {4 * GI};
    struct replay_map map = make(MAP_SCALE, GI, 512, size, 1);
    CHECK_INT(at(&map, 0, 0, 4096), 0);
    CHECK_INT(at(&map, 0, 2 * GI, 4096), GI / 2);
    CHECK_INT(at(&map, 0, 4 * GI - 4096, 4096), GI - 4096);
    /* aligned as before, up to 4 KiB */
    CHECK_INT(at(&map, 0, 4 * 4096 + 4096, 4096), 4096);
    CHECK_INT(at(&map, 0, 3 * 4096, 4096), 0);
    CHECK_INT(at(&map, 0, 16384 + 2048, 512), 4096);
    CHECK_INT(at(&map, 0, 16384 + 1024 * 3, 512) % 1024, 0);
    /* beyond the known extent: the last place */
    CHECK_INT(at(&map, 0, 100 * GI, 4096), GI - 4096);
    CHECK_INT(at(&map, 0, UINT64_MAX - 512, 512), GI - 512);
    /* a late device */
    CHECK_INT(at(&map, 1, 0, 4096), GI - 4096);

    map = make(MAP_SCALE, 16 * GI, 512, size, 1);
    CHECK_INT(at(&map, 0, GI, 4096), 4 * GI);
    const uint64_t nothing[] = {0};
    map = make(MAP_SCALE, GI, 512, nothing, 1);
    CHECK_INT(at(&map, 0, 5 * GI, 4096), 0);
}

static void test_scale_of_the_largest(void)
{
    const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX};
    struct replay_map map = make(MAP_SCALE, 7 * GI, 4096, sizes, 2);
    CHECK(at(&map, 0, UINT64_MAX - 8192, 4096) <= 7 * GI - 4096);
    CHECK(at(&map, 1, UINT64_MAX - 8192, 4096) <= 7 * GI - 4096);
    map = make(MAP_SCALE, (uint64_t)1 << 62, 512, sizes, 1);
    CHECK(at(&map, 0, UINT64_MAX - 8192, 4096) <= ((uint64_t)1 << 62) - 4096);
}

static void test_none(void)
{
    const uint64_t sizes[] = {GI, GI};
    struct replay_map map = make(MAP_NONE, GI + MI, 512, sizes, 2);
    CHECK_INT(at(&map, 0, GI - 4096, 4096), GI - 4096);
    CHECK_INT(at(&map, 1, MI - 4096, 4096), GI + MI - 4096);
    CHECK_INT(at(&map, 1, MI - 4096, 4097), UINT64_MAX);
    CHECK_INT(at(&map, 1, MI, 512), UINT64_MAX);
    CHECK_INT(at(&map, 1, UINT64_MAX - 512, 512), UINT64_MAX);
    CHECK_INT(at(&map, 2, 0, 512), UINT64_MAX);
}

static void test_blocks(void)
{
    const uint64_t size[] = {GI};
    struct replay_map map = make(MAP_WRAP, GI, 4096, size, 1);
    CHECK_INT(at(&map, 0, 512, 512), 0);
    CHECK_INT(at(&map, 0, 4096 + 3584, 1024), 4096);
    CHECK_INT(length_of(&map, 512), 4096);
    CHECK_INT(length_of(&map, 4096), 4096);
    CHECK_INT(length_of(&map, 4097), 8192);
    CHECK_INT(length_of(&map, UINT32_MAX), UINT32_MAX / 4096 * 4096);
    map = make(MAP_WRAP, GI, 0, size, 1);
    CHECK_INT(at(&map, 0, 513, 3), 513);
    CHECK_INT(length_of(&map, 3), 3);
    /* a target that is not a multiple of 4 KiB does not change the alignment of wrapped addresses
     */
    map = make(MAP_WRAP, GI + 512, 512, size, 1);
    CHECK_INT(at(&map, 0, GI + 4096, 4096), 4096);
}

static void test_tiny_targets(void)
{
    struct replay_map map;
    struct err e = {0};
    const uint64_t size[] = {GI};
    CHECK_INT(replay_map_init(&map, MAP_WRAP, 4095, 4096, size, 1, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    for (int mapping = MAP_WRAP; mapping <= MAP_NONE; mapping++) {
        map = make((enum replay_mapping)mapping, 512, 512, size, 1);
        CHECK_INT(at(&map, 0, 0, 512), 0);
        CHECK_INT(at(&map, 0, 0, 1024), UINT64_MAX);
        CHECK_INT(at(&map, 0, 512 * 77, 512), mapping == MAP_NONE ? UINT64_MAX : 0);
    }
    /* more devices than places: instead of shares of size 0 each gets the whole target */
    uint64_t many[TRACE_DEVICES_MAX];
    for (int i = 0; i < TRACE_DEVICES_MAX; i++)
        many[i] = GI;
    map = make(MAP_WRAP, 64 * KI, 512, many, TRACE_DEVICES_MAX);
    for (unsigned i = 0; i < TRACE_DEVICES_MAX; i++)
        CHECK(at(&map, i, 12345 * 512, 4096) <= 60 * KI);
}

/* Whatever a trace contains, no request leaves the target, and all are in whole blocks. */
static void test_never_outside(void)
{
    struct random random;
    random_seed(&random, 5, 0);
    unsigned outside = 0, unaligned = 0, unplaced = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t r = random_u64(&random);
        uint32_t block = r & 1 ? 512 : 4096;
        uint64_t target = block + (random_u64(&random) >> (20 + (r >> 8) % 30));
        uint64_t sizes[3];
        for (int d = 0; d < 3; d++)
            sizes[d] = random_u64(&random) >> ((r >> (16 + 8 * d)) % 64);
        struct replay_map map;
        replay_map_init(&map, (enum replay_mapping)((r >> 1) % 4), target, block, sizes,
                        1 + (r >> 3) % 3, NULL);
        struct trace_event event = {
            .offset = random_u64(&random) >> (r >> 40) % 64,
            .length = 1 + (uint32_t)(random_u64(&random) >> (32 + (r >> 48) % 31)),
            .device = (uint16_t)((r >> 5) % 4)};
        if (event.offset > UINT64_MAX - event.length)
            event.offset = UINT64_MAX - event.length;
        uint64_t offset = 0;
        uint32_t length = 0;
        if (!replay_map(&map, &event, &offset, &length)) {
            unplaced++;
            continue;
        }
        outside += length > target || offset > target - length || length < event.length / 2;
        unaligned += offset % block || length % block || !length;
    }
    CHECK_INT(outside, 0);
    CHECK_INT(unaligned, 0);
    CHECK(unplaced > 1000 && unplaced < 150000);
}

int main(void)
{
    test_one_device_that_fits();
    test_discards_shrink();
    test_wrap_of_one_device();
    test_wrap_shares();
    test_fold();
    test_scale();
    test_scale_of_the_largest();
    test_none();
    test_blocks();
    test_tiny_targets();
    test_never_outside();
    return check_result();
}
