/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generated requests: the same seed gives the same ones, they are inside the region, and shares are
   as requested. */
#include "check.h"

#include "run/loop/worker.h"
#include "run/plan/plan_iozone_mode.h"

enum { REQUESTS = 20000, BLOCK = 4096, BLOCKS = 1000, OFFSET = 8192 };

static _Alignas(4096) unsigned char buffer[BLOCK];
static struct io_req requests[REQUESTS], others[REQUESTS];

static void fill(struct io_req to[], const struct plan *plan, unsigned job)
{
    struct workload w;
    workload_init(&w, plan, (uint64_t)BLOCKS * BLOCK, job, buffer, sizeof buffer);
    for (size_t i = 0; i < REQUESTS; i++)
        workload_next(&w, 0, &to[i]);
}

static size_t same_offsets(void)
{
    size_t same = 0;
    for (size_t i = 0; i < REQUESTS; i++)
        same += requests[i].offset == others[i].offset && requests[i].command == others[i].command;
    return same;
}

static struct plan a_mix(void)
{
    struct plan p;
    plan_init(&p);
    p.offset = OFFSET;
    p.write_share = 0.3;
    p.seed = 42;
    return p;
}

static void test_seed(void)
{
    struct plan p = a_mix();
    p.jobs = 2;
    fill(requests, &p, 0);
    fill(others, &p, 0);
    CHECK_INT(same_offsets(), REQUESTS);
    fill(others, &p, 1);
    CHECK(same_offsets() < REQUESTS / 100);
    p.seed++;
    fill(others, &p, 0);
    CHECK(same_offsets() < REQUESTS / 100);
}

static void test_region_and_shares(void)
{
    struct plan p = a_mix();
    size_t writes = 0, seen[BLOCKS] = {0}, untouched = 0;
    fill(requests, &p, 0);
    for (size_t i = 0; i < REQUESTS; i++) {
        uint64_t block = (requests[i].offset - OFFSET) / BLOCK;
        writes += requests[i].command == REQUEST_WRITE;
        CHECK(requests[i].length == BLOCK && requests[i].offset % BLOCK == 0);
        if (check_that(requests[i].offset >= OFFSET && block < BLOCKS, __FILE__, __LINE__,
                       "inside the region"))
            seen[block]++;
    }
    for (size_t i = 0; i < BLOCKS; i++)
        untouched += seen[i] == 0;
    /* 20 requests per block on average: a block gets none with probability exp(-20). */
    CHECK_INT(untouched, 0);
    /* Five standard deviations of a binomial. */
    CHECK(fabs((double)writes - 0.3 * REQUESTS) < 5 * sqrt(0.3 * 0.7 * REQUESTS));
}

static void test_sequential(void)
{
    struct plan p = a_mix();
    p.pattern = PATTERN_SEQUENTIAL;
    p.random_share = 0;
    p.write_share = 0;
    p.jobs = 4;
    fill(requests, &p, 1);
    for (size_t i = 0; i < REQUESTS; i++) {
        uint64_t block = (BLOCKS / 4 + i) % BLOCKS;
        if (requests[i].offset != OFFSET + block * BLOCK || requests[i].command != REQUEST_READ) {
            CHECK_INT(requests[i].offset, OFFSET + block * BLOCK);
            break;
        }
    }
    CHECK_INT(requests[0].offset, OFFSET + (uint64_t)BLOCKS / 4 * BLOCK);
}

/* A mixed pattern: the requested share of random offsets, the others continue sequentially. */
static void test_percentage_random(void)
{
    struct plan p = a_mix();
    p.random_share = 0.25;
    fill(requests, &p, 0);
    size_t sequential = 0;
    uint64_t next = OFFSET;
    for (size_t i = 0; i < REQUESTS; i++) {
        CHECK(requests[i].offset >= OFFSET && requests[i].offset < OFFSET + BLOCKS * BLOCK);
        if (requests[i].offset != next)
            continue;
        sequential++;
        next = OFFSET + (next - OFFSET + BLOCK) % (BLOCKS * BLOCK);
    }
    /* A random offset that meets the next one by chance makes the rest look late, and rarely. */
    CHECK(fabs((double)sequential - 0.75 * REQUESTS) < 0.02 * REQUESTS);
}

static void test_extremes(void)
{
    struct plan p = a_mix();
    size_t writes = 0;
    p.write_share = 1;
    fill(requests, &p, 0);
    for (size_t i = 0; i < REQUESTS; i++)
        writes += requests[i].command == REQUEST_WRITE;
    CHECK_INT(writes, REQUESTS);
    p.write_share = 0;
    fill(requests, &p, 0);
    for (size_t i = 0; i < REQUESTS; i++)
        writes += requests[i].command == REQUEST_WRITE;
    CHECK_INT(writes, REQUESTS);

    /* A region of one block, and a remainder smaller than a block, which is never touched. */
    struct workload w;
    struct io_req request;
    for (int pattern = 0; pattern < 2; pattern++) {
        p.pattern = pattern ? PATTERN_RANDOM : PATTERN_SEQUENTIAL;
        p.random_share = pattern;
        workload_init(&w, &p, BLOCK + BLOCK / 2, 0, buffer, sizeof buffer);
        for (int i = 0; i < 10; i++) {
            workload_next(&w, 0, &request);
            CHECK_INT(request.offset, OFFSET);
        }
    }
}

/* Two writes never have the same data, also at one offset or by two jobs. */
static void test_data(void)
{
    struct plan p = a_mix();
    static unsigned char first[BLOCK];
    struct workload w;
    struct io_req request;
    p.pattern = PATTERN_SEQUENTIAL;
    p.random_share = 0;
    p.write_share = 1;
    p.jobs = 2;
    workload_init(&w, &p, BLOCK * 2, 0, buffer, sizeof buffer);
    workload_next(&w, 0, &request);
    memcpy(first, buffer, BLOCK);
    for (int i = 0; i < 4; i++) {
        workload_next(&w, 0, &request);
        CHECK(memcmp(first, buffer, BLOCK) != 0);
        CHECK(memcmp(buffer, buffer + BLOCK / 2, BLOCK / 2) != 0);
    }
    workload_init(&w, &p, BLOCK * 2, 1, buffer, sizeof buffer);
    for (int i = 0; i < 2; i++) {
        workload_next(&w, 0, &request);
        CHECK(memcmp(first, buffer, BLOCK) != 0);
    }
}

/* Checks the blocks of the first `n` requests of a pattern in a region of `blocks`. */
static void check_blocks(enum plan_pattern pattern, unsigned job, unsigned jobs, uint64_t blocks,
                         const uint64_t expected[], size_t n)
{
    struct plan p;
    struct workload w;
    plan_init(&p);
    p.pattern = pattern;
    p.random_share = 0;
    p.offset = OFFSET;
    p.jobs = jobs;
    workload_init(&w, &p, BLOCK * blocks, job, buffer, sizeof buffer);
    for (size_t i = 0; i < n; i++) {
        workload_next(&w, 0, &requests[0]);
        CHECK_INT((requests[0].offset - OFFSET) / BLOCK, expected[i]);
    }
}

static void test_modes_patterns(void)
{
    check_blocks(PATTERN_BACKWARD, 0, 1, 4, (uint64_t[]){3, 2, 1, 0, 3, 2}, 6);
    check_blocks(PATTERN_BACKWARD, 0, 2, 4, (uint64_t[]){1, 0, 3, 2, 1, 0}, 6);
    check_blocks(PATTERN_BACKWARD, 1, 2, 4, (uint64_t[]){3, 2, 1, 0, 3, 2}, 6);
    check_blocks(PATTERN_BACKWARD, 0, 1, 1, (uint64_t[]){0, 0, 0}, 3);
    check_blocks(PATTERN_SAME, 0, 2, 8, (uint64_t[]){0, 0, 0}, 3);
    check_blocks(PATTERN_SAME, 1, 2, 8, (uint64_t[]){4, 4, 4}, 3);
    check_blocks(PATTERN_STRIDE, 0, 1, 40, (uint64_t[]){0, 17, 34, 1, 18, 35, 2, 19, 36}, 9);
    check_blocks(PATTERN_STRIDE, 0, 1, 3, (uint64_t[]){0, 1, 2, 0, 1}, 5);
    check_blocks(PATTERN_STRIDE, 0, 1, 1, (uint64_t[]){0, 0}, 2);
    check_blocks(PATTERN_STRIDE, 1, 2, 40, (uint64_t[]){20, 37, 4, 21, 38, 5}, 6);
}

/* A stride visits every block once before it repeats one. */
static void test_stride_meets_all(void)
{
    struct plan p;
    struct workload w;
    size_t seen[BLOCKS] = {0};
    plan_init(&p);
    p.pattern = PATTERN_STRIDE;
    p.random_share = 0;
    workload_init(&w, &p, (uint64_t)BLOCKS * BLOCK, 0, buffer, sizeof buffer);
    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++) {
        workload_next(&w, 0, &requests[0]);
        CHECK_INT(seen[requests[0].offset / BLOCK]++, i >= BLOCKS);
    }
}

/* Every job that writes a new file begins at the file's begin. */
static void test_new_files(void)
{
    struct plan p;
    struct workload w;
    plan_init(&p);
    strcpy(p.mode, "initialwrite");
    plan_take_mode(&p, (struct mode_given){0});
    p.jobs = 2;
    workload_init(&w, &p, BLOCK * 3, 1, buffer, sizeof buffer);
    for (uint64_t i = 0; i < 7; i++) {
        workload_next(&w, 0, &requests[0]);
        CHECK_INT(requests[0].offset, i % 3 * BLOCK);
        CHECK_INT(requests[0].command, REQUEST_WRITE);
    }
}

/* In a mixed workload each job has requests of one kind, random or sequential. */
static void test_jobs_in_turns(void)
{
    for (unsigned sequential = 0; sequential < 2; sequential++)
        for (unsigned job = 0; job < 4; job++) {
            struct plan p;
            struct workload w;
            uint64_t in_order = 0, before = UINT64_MAX;
            plan_init(&p);
            strcpy(p.mode, sequential ? "mixedsequential" : "mixedworkload");
            p.jobs = 4;
            plan_take_mode(&p, (struct mode_given){0});
            workload_init(&w, &p, (uint64_t)BLOCKS * BLOCK, job, buffer, sizeof buffer);
            for (unsigned i = 0; i < 1000; i++) {
                workload_next(&w, 0, &requests[0]);
                CHECK_INT(requests[0].command, job % 2 ? REQUEST_WRITE : REQUEST_READ);
                in_order += requests[0].offset == before + BLOCK;
                before = requests[0].offset;
            }
            CHECK(sequential ? in_order > 900 : in_order < 500);
        }
}

/* A flush follows after every given number of the job's writes; the writes are the same as without
   flushes. */
static void test_flushes(void)
{
    struct plan p = a_mix();
    size_t at = 0, writes = 0, flushes = 0;
    fill(others, &p, 0);
    p.fdatasync = 3;
    fill(requests, &p, 0);
    for (size_t i = 0; i < REQUESTS; i++) {
        const struct io_req *r = &requests[i];
        if (r->command == REQUEST_FLUSH) {
            flushes++;
            CHECK(r->length == 0 && writes == 3 * flushes &&
                  requests[i - 1].command == REQUEST_WRITE);
            continue;
        }
        CHECK(r->command == others[at].command && r->offset == others[at].offset &&
              r->length == BLOCK);
        at++;
        writes += r->command == REQUEST_WRITE;
    }
    CHECK(writes / 3 == flushes && flushes > 1000);
    p.fdatasync = 0;
    p.fsync = 1;
    p.write_share = 1;
    fill(requests, &p, 0);
    for (size_t i = 0; i < REQUESTS; i++)
        CHECK_INT(requests[i].command, i % 2 ? REQUEST_FLUSH : REQUEST_WRITE);
}

/* In each job's share every block is trimmed once before any is trimmed again; the seed gives the
   order. */
static void test_trims_in_order(void)
{
    enum { TRIMMED = 1003, JOBS = 3 };
    struct plan p;
    struct workload w;
    unsigned met[TRIMMED] = {0}, same = 0;
    plan_init(&p);
    p.trims = TRIMS_ALONE;
    p.write_share = 1;
    p.jobs = JOBS;
    CHECK(plan_trims_in_order(&p) && plan_is_one_pass(&p));
    CHECK_INT(plan_operations(&p), 1u << REQUEST_TRIM);
    for (unsigned job = 0; job < JOBS; job++) {
        const unsigned share = TRIMMED * (job + 1) / JOBS - TRIMMED * job / JOBS;
        workload_init(&w, &p, (uint64_t)BLOCK * TRIMMED, job, buffer, sizeof buffer);
        for (unsigned i = 0; i < share; i++) {
            workload_next(&w, 0, &requests[i]);
            CHECK(requests[i].command == REQUEST_TRIM && requests[i].length == BLOCK && !w.over);
            const uint64_t block = requests[i].offset / BLOCK;
            CHECK(block < TRIMMED && requests[i].offset % BLOCK == 0);
            met[block]++;
            same += block == TRIMMED * job / JOBS + i;
        }
        workload_next(&w, 0, &others[0]);
        CHECK(w.over && w.left_out == 1);
    }
    for (unsigned i = 0; i < TRIMMED; i++)
        CHECK_INT(met[i], 1);
    CHECK(same < TRIMMED / 20);

    /* for a time: the second pass has the same blocks as the first */
    p.ending.runtime_seconds = 1;
    p.jobs = 1;
    workload_init(&w, &p, (uint64_t)BLOCK * 100, 0, buffer, sizeof buffer);
    for (unsigned i = 0; i < 200; i++)
        workload_next(&w, 0, &requests[i]);
    for (unsigned i = 0; i < 100; i++)
        CHECK_INT(requests[i].offset, requests[i + 100].offset);
    CHECK(!w.over);
}

/* A slot writes the block that it has trimmed, whatever other slots do. */
static void test_trims_before_writes(void)
{
    static uint64_t trimmed[4];
    struct plan p;
    struct workload w;
    struct random random;
    struct io_req last[4] = {{0}}, next;
    plan_init(&p);
    p.trims = TRIMS_BEFORE_WRITES;
    p.write_share = 1;
    p.iodepth = 4;
    workload_init(&w, &p, (uint64_t)BLOCK * 100, 0, buffer, sizeof buffer);
    w.stamped = true; /* the buffer has room for one slot */
    w.trimmed = trimmed;
    random_seed(&random, 3, 0);
    for (unsigned i = 0; i < 1000; i++) {
        const uint16_t slot = (uint16_t)random_below(&random, 4);
        workload_next(&w, slot, &next);
        const bool writes = last[slot].length && last[slot].command == REQUEST_TRIM;
        CHECK_INT(next.command, writes ? REQUEST_WRITE : REQUEST_TRIM);
        CHECK(!writes || next.offset == last[slot].offset);
        CHECK_INT(next.length, BLOCK);
        last[slot] = next;
    }
}

/* Each range of a trim is a block of its own, and all blocks are trimmed. */
static void test_ranges(void)
{
    static unsigned char ranges[2 * IO_RANGES_AT] __attribute__((aligned(64)));
    enum { TRIMMED = 800, RANGES = 8 };
    unsigned met[TRIMMED] = {0};
    struct plan p;
    struct workload w;
    struct io_req next;
    plan_init(&p);
    p.trims = TRIMS_ALONE;
    p.write_share = 1;
    p.num_range = RANGES;
    workload_init(&w, &p, (uint64_t)BLOCK * TRIMMED, 0, ranges, sizeof ranges);
    for (unsigned i = 0; i < TRIMMED / RANGES; i++) {
        const struct io_range *range = (const struct io_range *)(ranges + IO_RANGES_AT);
        workload_next(&w, 0, &next);
        CHECK(next.command == REQUEST_TRIM && next.length == RANGES * BLOCK &&
              next.kind == RANGES - 1);
        CHECK_INT(next.offset, range[0].offset);
        for (unsigned k = 0; k < RANGES; k++) {
            CHECK_INT(range[k].length, BLOCK);
            met[range[k].offset / BLOCK]++;
        }
    }
    for (unsigned i = 0; i < TRIMMED; i++)
        CHECK_INT(met[i], 1);
}

int main(void)
{
    test_trims_in_order();
    test_trims_before_writes();
    test_ranges();
    test_seed();
    test_region_and_shares();
    test_sequential();
    test_percentage_random();
    test_extremes();
    test_data();
    test_modes_patterns();
    test_jobs_in_turns();
    test_stride_meets_all();
    test_new_files();
    test_flushes();
    return check_result();
}
