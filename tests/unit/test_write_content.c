/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of writes that compress or repeat, in the requested share, checked with a compressor and
   a count of distinct blocks. */
#include "check.h"

#include "io/target/target.h"
#include "io/target/write_content.h"

enum { MIB = 1 << 20, BLOCK = 4096, BLOCKS = 1024 };

static unsigned char data[BLOCKS * BLOCK];
static struct write_maker maker;

/* Bytes that gzip makes of it. */
static double compressed(size_t bytes)
{
    char path[200], command[300], count[32] = "";
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/cupel-content-XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    CHECK(f && fwrite(data, 1, bytes, f) == bytes && fclose(f) == 0);
    snprintf(command, sizeof command, "gzip -c <'%s' | wc -c", path);
    fflush(NULL);
    f = popen(command, "r");
    CHECK(f && fgets(count, sizeof count, f) && pclose(f) == 0);
    remove(path);
    return strtod(count, NULL);
}

/* Writes of these sizes, one after the other. */
static void write_all(const struct write_content *c, unsigned worker, size_t bytes, size_t block)
{
    write_maker_init(&maker, c, worker);
    for (size_t at = 0; at < bytes; at += block)
        write_maker_fill(&maker, data + at, bytes - at < block ? bytes - at : block);
}

static void test_compression(void)
{
    static const unsigned percents[] = {0, 25, 50, 75, 100};
    static const uint32_t chunks[] = {512, 4096, 0};
    static const size_t blocks[] = {BLOCK, 65536, 1000};
    for (size_t p = 0; p < sizeof percents / sizeof *percents; p++)
        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
            struct write_content c = {
                .fixed_percent = percents[p], .chunk = chunks[i], .workers = 1};
            write_all(&c, 0, MIB, blocks[i]);
            double left = compressed(MIB) / MIB;
            if (!check_that(fabs(left - 1 + percents[p] / 100.0) < .03, __FILE__, __LINE__,
                            "it compresses by that share"))
                fprintf(stderr, "    %u %% in %u bytes: %g is left\n", percents[p], chunks[i],
                        left);
            CHECK_INT(write_data_is_noise(data, BLOCK, true), !percents[p]);
        }
}

/* The layout: random data and then fixed bytes in every chunk, also in the last one. */
static void test_chunks(void)
{
    struct write_content c = {.fixed_percent = 25, .chunk = 64, .workers = 1};
    write_content_set_fixed(&c, (const unsigned char *)"abc", 3);
    CHECK_INT(c.fixed_bytes, WRITE_FIXED_BYTES / 3 * 3);
    data[150] = 0x55;
    write_maker_init(&maker, &c, 0);
    write_maker_fill(&maker, data, 150);
    CHECK(!memcmp(data + 48, "abcabcabcabcabca", 16));
    CHECK(!memcmp(data + 112, "abcabcabcabcabca", 16));
    CHECK(memcmp(data + 128, "abc", 3) != 0 && memcmp(data, data + 64, 48) != 0);
    CHECK_INT(data[150], 0x55);

    c.fixed_percent = 100;
    c.chunk = 0;
    write_maker_fill(&maker, data, 2000);
    for (size_t i = 0; i < 2000; i++)
        CHECK(data[i] == (unsigned char)"abc"[i % 3]);
    CHECK(!write_data_is_noise(data, 2000, true));
}

static int compare_blocks(const void *a, const void *b)
{
    return memcmp(a, b, BLOCK);
}

static size_t count_distinct(size_t blocks)
{
    size_t distinct = blocks > 0;
    qsort(data, blocks, BLOCK, compare_blocks);
    for (size_t i = 1; i < blocks; i++)
        distinct += memcmp(data + i * BLOCK, data + (i - 1) * BLOCK, BLOCK) != 0;
    return distinct;
}

static void check_copies(const struct write_content *c, size_t block)
{
    write_all(c, 0, sizeof data, block);
    double copies = 1 - (double)count_distinct(BLOCKS) / BLOCKS, asked = c->copy_percent / 100.0;
    /* Five standard deviations of a binomial, and the first block, which is not a copy. */
    if (!check_that(fabs(copies - asked) < 5 * sqrt(asked * (1 - asked) / BLOCKS) + 1.5 / BLOCKS,
                    __FILE__, __LINE__, "that share repeats"))
        fprintf(stderr, "    %u %% of blocks in writes of %zu: %g\n", c->copy_percent, block,
                copies);
}

static void test_copies(void)
{
    static const unsigned percents[] = {0, 10, 50, 90, 100};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        struct write_content c = {.unit = BLOCK, .copy_percent = percents[i], .workers = 1};
        check_copies(&c, BLOCK);
        check_copies(&c, 16 * BLOCK);
        c.fixed_percent = 50;
        c.chunk = 512;
        check_copies(&c, BLOCK);
        c.working_set = 64;
        if (percents[i] < 100)
            check_copies(&c, BLOCK);
    }
}

/* Copies are only of the first blocks, of all workers. */
static void test_working_set(void)
{
    enum { SET = 8, EACH = 200 };
    struct write_content c = {
        .unit = BLOCK, .copy_percent = 50, .working_set = SET, .workers = 2, .salt = 3};
    static unsigned char set[SET][BLOCK];
    for (unsigned i = 0; i < SET; i++) {
        struct write_content first = {.workers = 2, .salt = 3};
        write_maker_init(&maker, &first, i % 2);
        for (unsigned k = 0; k <= i / 2; k++)
            write_maker_fill(&maker, set[i], BLOCK);
    }
    size_t in_set = 0, of_other = 0;
    for (unsigned worker = 0; worker < 2; worker++) {
        write_all(&c, worker, (size_t)EACH * BLOCK, BLOCK);
        for (unsigned i = 0; i < EACH; i++)
            for (unsigned k = 0; k < SET; k++)
                if (!memcmp(data + (size_t)i * BLOCK, set[k], BLOCK)) {
                    in_set++;
                    of_other += k % 2 != worker;
                }
    }
    CHECK(in_set > 150 && in_set < 260);
    CHECK(of_other > 50 && of_other < 150);
}

/* Workers, and sessions with another salt, share no blocks. */
static void test_apart(void)
{
    struct write_content c = {.unit = BLOCK, .copy_percent = 100, .workers = 2, .salt = 1};
    for (unsigned i = 0; i < 4; i++) {
        c.salt = i / 2;
        write_maker_init(&maker, &c, i % 2);
        write_maker_fill(&maker, data + (size_t)i * BLOCK, BLOCK);
    }
    CHECK_INT(count_distinct(4), 4);
}

int main(void)
{
    test_compression();
    test_chunks();
    test_copies();
    test_working_set();
    test_apart();
    return check_result();
}
