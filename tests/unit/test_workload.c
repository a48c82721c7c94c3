/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: the same seed makes the same ones, inside the region, in the shares that were asked
 * for. */
#include "check.h"

#include "run/loop/worker.h"

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
        same += requests[i].offset == others[i].offset && requests[i].op == others[i].op;
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
        writes += requests[i].op == IO_WRITE;
        CHECK(requests[i].length == BLOCK && requests[i].offset % BLOCK == 0);
        if (check_that(requests[i].offset >= OFFSET && block < BLOCKS, __FILE__, __LINE__,
                       "inside the region"))
            seen[block]++;
    }
    for (size_t i = 0; i < BLOCKS; i++)
        untouched += seen[i] == 0;
    /* 20 requests a block on average: a block without one has probability exp(-20). */
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
        if (requests[i].offset != OFFSET + block * BLOCK || requests[i].op != IO_READ) {
            CHECK_INT(requests[i].offset, OFFSET + block * BLOCK);
            break;
        }
    }
    CHECK_INT(requests[0].offset, OFFSET + (uint64_t)BLOCKS / 4 * BLOCK);
}

/* A mixed pattern: random offsets in the share that was asked for, the others go on one by one. */
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
        writes += requests[i].op == IO_WRITE;
    CHECK_INT(writes, REQUESTS);
    p.write_share = 0;
    fill(requests, &p, 0);
    for (size_t i = 0; i < REQUESTS; i++)
        writes += requests[i].op == IO_WRITE;
    CHECK_INT(writes, REQUESTS);

    /* A region of one block, and a rest smaller than a block that is never touched. */
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

/* Two writes, also of one offset and of two jobs, never have the same data. */
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

int main(void)
{
    test_seed();
    test_region_and_shares();
    test_sequential();
    test_percentage_random();
    test_extremes();
    test_data();
    return check_result();
}
