/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of requests: frequencies compared with theory, the order of sequential ones, the limits
   of the extent. */
#include "check.h"
#include "goodness.h"
#include "source/generator/internal.h"

#define BLOCK 4096u
#define BEGIN (10u * BLOCK)

static struct arena arena;

static struct address begin_address(struct address_spec spec, uint64_t blocks, uint32_t align)
{
    struct address a;
    struct err e = {0};
    const struct address_extent extent = {.begin = BEGIN,
                                          .end = BEGIN + blocks * BLOCK,
                                          .align = align,
                                          .largest = BLOCK,
                                          .copies = 1,
                                          .seed = 3};
    CHECK_INT(address_init(&a, &spec, 0, &extent, &arena, &e), 0);
    return a;
}

static uint64_t next_block(struct address *a, struct random *r)
{
    uint64_t offset = address_next(a, r, BLOCK);
    CHECK(offset >= BEGIN && (offset - BEGIN) % BLOCK == 0);
    CHECK(offset + BLOCK <= a->begin + a->span);
    return (offset - BEGIN) / BLOCK;
}

/* P(k) = k^-theta / H for ranks; the last cell contains all further ranks. */
static void test_zipf_ranks(void)
{
    enum { RANKS = 50, DRAWS = 400000 };
    static const struct {
        double theta;
        uint64_t n;
    } cases[] = {{.5, 1000},     {.99, 100000}, {1, 1000}, {1, 1000000},
                 {1.2, 1000000}, {3, 200},      {.01, 60}, {8, 51}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double seen[RANKS + 1] = {0}, expected[RANKS + 1] = {0}, harmonic = 0;
        struct zipf z;
        struct random r;
        random_seed(&r, 8, c);
        zipf_init(&z, cases[c].n, cases[c].theta);
        for (uint64_t k = cases[c].n; k >= 1; k--) {
            harmonic += pow((double)k, -cases[c].theta);
        }
        for (uint64_t k = 1; k <= cases[c].n; k++) {
            expected[k <= RANKS ? k - 1 : RANKS] +=
                DRAWS * pow((double)k, -cases[c].theta) / harmonic;
        }
        for (int i = 0; i < DRAWS; i++) {
            uint64_t rank = zipf_rank(&z, &r);
            CHECK(rank < cases[c].n);
            seen[rank < RANKS ? rank : RANKS]++;
        }
        size_t cells = 1; /* ranks that are expected at least five times */
        while (cells <= RANKS && expected[cells] >= 5) {
            cells++;
        }
        for (size_t i = cells; i <= RANKS; i++) {
            seen[cells - 1] += seen[i];
            expected[cells - 1] += expected[i];
        }
        if (cells > 1 && !(pearson(seen, expected, cells) < PEARSON_LIMIT)) {
            fprintf(stderr, "theta %g, n %llu\n", cases[c].theta, (unsigned long long)cases[c].n);
            CHECK(false);
        }
    }
}

/* Regions of a petabyte need no table, and the first ranks still have the right share. */
static void test_zipf_large(void)
{
    enum { DRAWS = 200000 };
    const uint64_t n = 1ull << 40;
    const double theta = .8;
    struct zipf z;
    struct random r;
    double below = 0;
    random_seed(&r, 2, 0);
    zipf_init(&z, n, theta);
    for (int i = 0; i < DRAWS; i++) {
        below += zipf_rank(&z, &r) < n / 1024;
    }
    /* Sums by the Euler-Maclaurin formula: n^(1-theta)/(1-theta) + zeta(theta); zeta(.8) =
       -4.43753841. */
    double zeta = -4.4375384158955677;
    double part = pow((double)(n / 1024), 1 - theta) / (1 - theta) + zeta;
    double all = pow((double)n, 1 - theta) / (1 - theta) + zeta;
    double share = part / all;
    CHECK(fabs(below / DRAWS - share) < 4 * sqrt(share * (1 - share) / DRAWS));
}

static void test_scatter(void)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 64, 1000, 65536, 100003};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        uint64_t n = sizes[c], near = 0;
        unsigned char *hit = calloc(n, 1);
        struct random key;
        struct scatter s;
        random_seed(&key, 5, c);
        scatter_init(&s, n, &key);
        uint64_t before = 0;
        for (uint64_t rank = 0; rank < n; rank++) {
            uint64_t at = scatter_of(&s, rank);
            CHECK(at < n && !hit[at]);
            hit[at < n ? at : 0] = 1;
            near += rank > 0 && (at > before ? at - before : before - at) <= n / 100;
            before = at;
        }
        CHECK(n < 1000 || (double)near < .1 * (double)n);
        free(hit);
    }
}

/* The most frequent blocks are Zipf's first ranks and are not adjacent. */
static void test_zipf_blocks(void)
{
    enum { BLOCKS = 1000, DRAWS = 200000 };
    static double count[BLOCKS];
    struct address a =
        begin_address((struct address_spec){.kind = ADDRESS_ZIPF, .parameter = 1.2}, BLOCKS, 0);
    struct random r;
    random_seed(&r, 1, 1);
    memset(count, 0, sizeof count);
    for (int i = 0; i < DRAWS; i++) {
        count[next_block(&a, &r)]++;
    }
    double harmonic = 0;
    for (int k = 1; k <= BLOCKS; k++) {
        harmonic += pow(k, -1.2);
    }
    uint64_t first = scatter_of(&a.scatter, 0), second = scatter_of(&a.scatter, 1);
    CHECK_NEAR(count[first], DRAWS / harmonic, .02);
    CHECK_NEAR(count[second], DRAWS / harmonic * pow(2, -1.2), .03);
}

/* A share 1 - h of the requests goes to a share h of the blocks, and recursively within these. */
static void test_pareto(void)
{
    enum { BLOCKS = 10000, DRAWS = 200000 };
    static double count[BLOCKS];
    struct address a =
        begin_address((struct address_spec){.kind = ADDRESS_PARETO, .parameter = .2}, BLOCKS, 0);
    struct random r;
    random_seed(&r, 1, 2);
    memset(count, 0, sizeof count);
    for (int i = 0; i < DRAWS; i++) {
        count[next_block(&a, &r)]++;
    }
    double fifth = 0, fifth_of_fifth = 0;
    for (uint64_t rank = 0; rank < BLOCKS / 5; rank++) {
        fifth += count[scatter_of(&a.scatter, rank)];
        fifth_of_fifth += rank < BLOCKS / 25 ? count[scatter_of(&a.scatter, rank)] : 0;
    }
    CHECK(fabs(fifth / DRAWS - .8) < 4 * sqrt(.16 / DRAWS));
    CHECK(fabs(fifth_of_fifth / DRAWS - .64) < 4 * sqrt(.24 / DRAWS));
}

static void test_hotspot(void)
{
    enum { BLOCKS = 1000, DRAWS = 100000 };
    double hot = 0, seen[20] = {0}, expected[20];
    struct address a = begin_address(
        (struct address_spec){.kind = ADDRESS_HOTSPOT, .parameter = .1, .second = .75}, BLOCKS, 0);
    struct random r;
    random_seed(&r, 1, 3);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t block = next_block(&a, &r);
        hot += block < 100;
        seen[block < 100 ? block / 10 : 10 + (block - 100) / 90]++;
    }
    for (size_t i = 0; i < 20; i++) {
        expected[i] = DRAWS * (i < 10 ? .075 : .025);
    }
    CHECK(fabs(hot / DRAWS - .75) < 4 * sqrt(.75 * .25 / DRAWS));
    CHECK(pearson(seen, expected, 20) < PEARSON_LIMIT);
}

static void test_uniform(void)
{
    enum { BLOCKS = 64, DRAWS = 64000 };
    double seen[BLOCKS] = {0}, expected[BLOCKS];
    struct address a = begin_address((struct address_spec){.kind = ADDRESS_UNIFORM}, BLOCKS, 0);
    struct random r;
    random_seed(&r, 1, 4);
    for (size_t i = 0; i < BLOCKS; i++) {
        expected[i] = DRAWS / BLOCKS;
    }
    for (int i = 0; i < DRAWS; i++) {
        seen[next_block(&a, &r)]++;
    }
    CHECK(pearson(seen, expected, BLOCKS) < PEARSON_LIMIT);
}

static void test_sequential(void)
{
    struct random r = {0};
    struct address a = begin_address((struct address_spec){.kind = ADDRESS_SEQUENTIAL}, 5, 0);
    for (uint64_t i = 0; i < 23; i++) {
        CHECK_INT(next_block(&a, &r), i % 5);
    }
    CHECK(r.state == 0); /* uses no random number */

    /* Copies of a sequential stream begin at different places. */
    const struct address_spec spec = {.kind = ADDRESS_SEQUENTIAL};
    struct address_extent extent = {.end = 100 * BLOCK, .largest = BLOCK, .copies = 4};
    for (unsigned copy = 0; copy < 4; copy++) {
        extent.copy = copy;
        CHECK_INT(address_init(&a, &spec, 0, &extent, &arena, NULL), 0);
        CHECK_INT(address_next(&a, &r, BLOCK), copy * 25 * BLOCK);
    }
}

static void test_streams(void)
{
    struct random r = {0};
    struct address a =
        begin_address((struct address_spec){.kind = ADDRESS_STREAMS, .parameter = 4}, 100, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        CHECK_INT(next_block(&a, &r), (i % 4 * 25 + i / 4) % 100);
    }
}

/* Every block occurs once before any is repeated. */
static void test_stride(void)
{
    static const struct {
        uint64_t blocks, stride;
    } cases[] = {{100, 10}, {103, 10}, {7, 3}, {5, 8}, {64, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct random r = {0};
        unsigned hits[128] = {0};
        uint64_t before = 0;
        struct address a =
            begin_address((struct address_spec){.kind = ADDRESS_STRIDE,
                                                .parameter = (double)(cases[c].stride * BLOCK)},
                          cases[c].blocks, 0);
        for (uint64_t i = 0; i < 3 * cases[c].blocks; i++) {
            uint64_t block = next_block(&a, &r);
            hits[block]++;
            if (i > 0 && block > before) {
                CHECK(block - before == cases[c].stride || block < cases[c].stride);
            }
            before = block;
            CHECK(hits[block] == i / cases[c].blocks + 1);
        }
    }
}

/* Leaving an aligned group of 8 * 2^k blocks has climb^(k+1) times the probability of landing
   outside it; in the long run all blocks are equally frequent. */
/* A backward stride mirrors a forward one. */
static void test_backwards(void)
{
    struct random r;
    struct address forth =
        begin_address((struct address_spec){.kind = ADDRESS_STRIDE, .parameter = 3 * BLOCK}, 7, 0);
    struct address back = begin_address(
        (struct address_spec){.kind = ADDRESS_STRIDE, .parameter = -3.0 * BLOCK}, 7, 0);
    random_seed(&r, 1, 1);
    for (int i = 0; i < 30; i++)
        CHECK_INT(next_block(&back, &r), 6 - next_block(&forth, &r));
}

/* A number of blocks, then a gap; after the last strip comes the first. */
static void test_strips(void)
{
    static const uint64_t expected[] = {0, 1, 5, 6, 10, 11, 0, 1, 5};
    struct random r;
    struct address a = begin_address(
        (struct address_spec){.kind = ADDRESS_STRIPS, .parameter = 2 * BLOCK, .second = 3 * BLOCK},
        12, 0);
    random_seed(&r, 1, 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CHECK_INT(next_block(&a, &r), expected[i]);
}

/* The numbers of the list, repeatedly; or each time further on, as far as there is room. */
static void test_sequence(void)
{
    static const uint64_t fixed[] = {2, 0, 1, 2, 0, 1, 2};
    static const uint64_t moving[] = {2, 0, 1, 5, 3, 4, 2, 0};
    struct random r;
    struct address_spec spec = {
        .kind = ADDRESS_SEQUENCE, .sequence = {2, 0, 1}, .sequence_count = 3};
    struct address a = begin_address(spec, 8, 0);
    random_seed(&r, 1, 1);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        CHECK_INT(next_block(&a, &r), fixed[i]);
    spec.parameter = 3;
    a = begin_address(spec, 8, 0);
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        CHECK_INT(next_block(&a, &r), moving[i]);

    /* Drawn addresses are taken back, also across the end of the list. */
    struct address_mark mark = address_mark(&a);
    CHECK_INT(next_block(&a, &r), 1);
    CHECK_INT(next_block(&a, &r), 5);
    address_back(&a, &mark);
    CHECK_INT(next_block(&a, &r), 1);

    struct err e = {0};
    struct address_extent small = {.end = 2 * BLOCK, .largest = BLOCK, .copies = 1};
    CHECK_INT(address_init(&a, &spec, 0, &small, &arena, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "has 2 blocks, and its sequence goes to number 2"));
}

/* Each zone gets its share of the requests, and its blocks are equally frequent. */
static void test_zoned(void)
{
    enum { DRAWS = 200000, BLOCKS = 100 };
    struct random r;
    struct address_spec spec = {
        .kind = ADDRESS_ZONED, .zones = {{.5f, .05f}, {.3f, .15f}, {.2f, .8f}}, .zone_count = 3};
    struct address a = begin_address(spec, BLOCKS, 0);
    double seen[BLOCKS] = {0}, expected[BLOCKS];
    random_seed(&r, 4, 4);
    for (int i = 0; i < BLOCKS; i++)
        expected[i] = DRAWS * (i < 5 ? .5 / 5 : i < 20 ? .3 / 15 : .2 / 80);
    for (int i = 0; i < DRAWS; i++)
        seen[next_block(&a, &r)]++;
    CHECK(pearson(seen, expected, BLOCKS) < PEARSON_LIMIT);

    /* Zones that are smaller than a block get one block. */
    spec.zones[0].region = .001f;
    spec.zones[2].region = .849f;
    a = begin_address(spec, 3, 0);
    CHECK(a.zone_end[0] == 1 && a.zone_end[1] == 2 && a.zone_end[2] == 3);
}

static void test_walk(void)
{
    enum { BLOCKS = 1024, DRAWS = 400000 };
    const double climb = .44;
    double left[5] = {0}, expected[5], met[16] = {0}, even[16];
    struct address a =
        begin_address((struct address_spec){.kind = ADDRESS_WALK, .parameter = climb}, BLOCKS, 0);
    struct random r;
    random_seed(&r, 1, 5);
    uint64_t before = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t block = next_block(&a, &r);
        for (unsigned k = 0; k < 5; k++) {
            left[k] += block / (8u << k) != before / (8u << k);
        }
        met[block / 64]++;
        before = block;
    }
    for (unsigned k = 0; k < 5; k++) {
        /* With a climb over c of the 7 levels at most: from c levels up, all but 2^(k-c) end
           outside. */
        expected[k] = 0;
        for (unsigned c = k + 1; c <= 7; c++) {
            double exactly = pow(climb, c) * (c < 7 ? 1 - climb : 1);
            expected[k] += exactly * (1 - pow(2, (double)k - c));
        }
        double sd = sqrt(expected[k] * (1 - expected[k]) / DRAWS);
        CHECK(fabs(left[k] / DRAWS - expected[k]) < 4 * sd);
    }
    for (size_t i = 0; i < 16; i++) {
        even[i] = DRAWS / 16.0;
        CHECK_NEAR(met[i], even[i], .25);
    }
}

/* One of any kind. */
static struct address_spec spec_of_kind(int kind, double bytes, double streams)
{
    bool in_bytes = kind == ADDRESS_STRIDE || kind == ADDRESS_STRIPS;
    return (struct address_spec){.kind = (enum address_kind)kind,
                                 .parameter = in_bytes                  ? bytes
                                              : kind == ADDRESS_STREAMS ? streams
                                                                        : .4,
                                 .second = kind == ADDRESS_STRIPS ? bytes : .5,
                                 .sequence = {1, 0},
                                 .sequence_count = 2,
                                 .zones = {{.5f, .25f}, {.5f, .75f}},
                                 .zone_count = 2};
}

/* All kinds of addresses stay within the extent and are aligned. */
static void test_limits(void)
{
    static const uint32_t sizes[] = {512, 4096, 12288, 65536};
    for (int kind = 0; kind < ADDRESS_SAME; kind++) {
        for (unsigned aligned = 0; aligned < 2; aligned++) {
            struct address a;
            struct random r;
            struct err e = {0};
            const struct address_spec spec = spec_of_kind(kind, 131072, 3);
            const struct address_extent extent = {.begin = 65536,
                                                  .end = 65536 * 12 + 4096 * 5,
                                                  .align = aligned ? 4096 : 0,
                                                  .largest = 65536,
                                                  .copy = 1,
                                                  .copies = 3,
                                                  .seed = 9};
            CHECK_INT(address_init(&a, &spec, .2, &extent, &arena, &e), 0);
            random_seed(&r, 7, (uint64_t)kind);
            for (int i = 0; i < 20000; i++) {
                uint32_t length = sizes[random_below(&r, 4)];
                uint64_t offset = address_next(&a, &r, length);
                CHECK(offset >= extent.begin && offset + length <= extent.end);
                CHECK(offset % (aligned ? 4096 : 512) == 0);
            }
        }
    }
    struct address a;
    struct err e = {0};
    const struct address_spec uniform = {.kind = ADDRESS_UNIFORM};
    const struct address_extent small = {.end = 4095, .largest = 4096, .copies = 1};
    CHECK_INT(address_init(&a, &uniform, 0, &small, &arena, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "4 KiB") != NULL);
}

/* Draws that were taken back come again, followed by the same draws as without that. */
static void test_back(void)
{
    for (int kind = 0; kind < ADDRESS_SAME; kind++) {
        struct address a;
        struct random r;
        struct address_mark marks[50];
        uint64_t drawn[50];
        const struct address_spec spec = spec_of_kind(kind, 40960, 7);
        const struct address_extent extent = {.end = 400 * BLOCK, .largest = BLOCK, .copies = 1};
        CHECK_INT(address_init(&a, &spec, .3, &extent, &arena, NULL), 0);
        random_seed(&r, 7, (uint64_t)kind);
        for (int i = 0; i < 33; i++) {
            address_next(&a, &r, BLOCK);
        }
        struct random same = r;
        for (int i = 0; i < 50; i++) {
            marks[i] = address_mark(&a);
            drawn[i] = address_next(&a, &r, BLOCK);
        }
        for (int i = 50; i-- > 0;) {
            address_back(&a, &marks[i]);
        }
        for (int i = 0; i < 50; i++) {
            CHECK_INT(address_next(&a, &same, BLOCK), drawn[i]);
        }
    }
}

static void test_sizes(void)
{
    enum { DRAWS = 100000 };
    const struct size_spec spec[] = {{4096, 60}, {8192, 0}, {65536, 25}, {512, 15}};
    double seen[3] = {0}, expected[3] = {.6 * DRAWS, .25 * DRAWS, .15 * DRAWS};
    struct sizes sizes;
    struct random r;
    random_seed(&r, 3, 3);
    sizes_init(&sizes, spec, 4);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t bytes = sizes_draw(&sizes, &r);
        CHECK(bytes != 8192);
        seen[bytes == 4096 ? 0 : bytes == 65536 ? 1 : 2]++;
    }
    CHECK(pearson(seen, expected, 3) < PEARSON_LIMIT);
}

int main(void)
{
    struct err e = {0};
    CHECK_INT(arena_init(&arena, 1 << 20, &e), 0);
    test_zipf_ranks();
    test_zipf_large();
    test_scatter();
    test_zipf_blocks();
    test_pareto();
    test_hotspot();
    test_uniform();
    test_sequential();
    test_streams();
    test_stride();
    test_backwards();
    test_strips();
    test_sequence();
    test_zoned();
    test_walk();
    test_limits();
    test_back();
    test_sizes();
    arena_free(&arena);
    return check_result();
}
