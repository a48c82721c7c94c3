/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes: the options that each one sets, conflicting options, and that a record keeps the mode. */
#include "check.h"

#include "run/plan/plan_iozone_mode.h"

static struct plan with_mode(const char *name)
{
    struct plan p;
    plan_init(&p);
    snprintf(p.mode, sizeof p.mode, "%s", name);
    plan_take_mode(&p, (struct mode_given){0});
    return p;
}

static void test_each(void)
{
    static const struct {
        const char *name, *engine;
        enum plan_pattern pattern;
        bool writes, direct;
        enum io_pass buffered_pass;
    } modes[] = {
        {"initialwrite", "readwrite", PATTERN_SEQUENTIAL, true, true, IO_PASS_NEW_FILE},
        {"rewrite", "readwrite", PATTERN_SEQUENTIAL, true, true, IO_PASS_AS_IT_IS},
        {"read", "readwrite", PATTERN_SEQUENTIAL, false, true, IO_PASS_UNCACHED},
        {"reread", "readwrite", PATTERN_SEQUENTIAL, false, true, IO_PASS_AS_IT_IS},
        {"randread", "readwrite", PATTERN_RANDOM, false, true, IO_PASS_AS_IT_IS},
        {"randwrite", "readwrite", PATTERN_RANDOM, true, true, IO_PASS_AS_IT_IS},
        {"backwardread", "readwrite", PATTERN_BACKWARD, false, true, IO_PASS_AS_IT_IS},
        {"recordrewrite", "readwrite", PATTERN_SAME, true, true, IO_PASS_AS_IT_IS},
        {"strideread", "readwrite", PATTERN_STRIDE, false, true, IO_PASS_AS_IT_IS},
        {"fwrite", "stdio", PATTERN_SEQUENTIAL, true, false, IO_PASS_NEW_FILE},
        {"fread", "stdio", PATTERN_SEQUENTIAL, false, false, IO_PASS_UNCACHED},
        {"pwrite", "sync", PATTERN_SEQUENTIAL, true, true, IO_PASS_AS_IT_IS},
        {"pread", "sync", PATTERN_SEQUENTIAL, false, true, IO_PASS_UNCACHED},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct err e = {0};
        struct plan p = with_mode(modes[i].name), back;
        CHECK_INT(plan_check(&p, &e), 0);
        CHECK_STR(p.engine, modes[i].engine);
        CHECK_INT(p.pattern, modes[i].pattern);
        CHECK_NEAR(p.write_share, modes[i].writes, 0);
        CHECK_NEAR(p.random_share, modes[i].pattern == PATTERN_RANDOM, 0);
        CHECK_INT(p.direct, modes[i].direct);
        struct text text = {0};
        char words[300];
        plan_write(&p, &text);
        CHECK_INT(plan_read(&back, text.data, text.length, &e), 0);
        CHECK_STR(back.mode, modes[i].name);
        CHECK_INT(back.pattern, modes[i].pattern);
        text_free(&text);
        plan_describe(&back, words, sizeof words);
        CHECK(!strncmp(words, modes[i].name, strlen(modes[i].name)));
        p.direct = false;
        CHECK_INT(plan_pass(&p), modes[i].buffered_pass);
        CHECK_INT(plan_check(&p, &e), 0);
    }
}

static void refused(struct plan p, const char *words)
{
    struct err e = {0};
    CHECK_INT(plan_check(&p, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, words) != NULL);
    if (!strstr(e.msg, words))
        fprintf(stderr, "    \"%s\" is not in \"%s\"\n", words, e.msg);
}

static void test_against(void)
{
    struct plan p = with_mode("fread");
    p.direct = true;
    refused(p, "--direct 0 only");
    p = with_mode("pwrite");
    strcpy(p.engine, "readwrite");
    refused(p, "--mode pwrite is about sync, not about --ioengine readwrite");
    p = with_mode("reread");
    p.rate_iops = 1000;
    refused(p, "--mode and --rate_iops exclude each other");
    p = with_mode("reread");
    strcpy(p.sizes, "4k/50:8k/50");
    refused(p, "--mode and --bssplit exclude each other");
    p = with_mode("initialwrite");
    strcpy(p.engine, "uring");
    p.iodepth = 8;
    refused(p, "--mode initialwrite prepares the file before each pass");
    p = with_mode("read");
    strcpy(p.engine, "uring");
    p.direct = false;
    refused(p, "--mode read with --direct 0 prepares");
    p = with_mode("initialwrite");
    p.offset = 4096;
    refused(p, "without --offset");
    p = with_mode("");
    p.pattern = PATTERN_BACKWARD;
    p.random_share = 0;
    refused(p, "this pattern belongs to a --mode");
}

/* Many requests in flight need another backend, where a mode does not require certain system calls.
 */
static void test_depth(void)
{
    struct err e = {0};
    struct plan p;
    plan_init(&p);
    strcpy(p.mode, "backwardread");
    p.iodepth = 8;
    plan_take_mode(&p, (struct mode_given){0});
    CHECK_STR(p.engine, "auto");
    CHECK_INT(plan_check(&p, &e), 0);
    strcpy(p.mode, "fwrite");
    plan_take_mode(&p, (struct mode_given){0});
    refused(p, "--ioengine stdio has one I/O at a time, not --iodepth 8");
}

/* Given options are not changed: plan_check refuses those that conflict with the mode. */
static void test_given(void)
{
    struct plan p;
    plan_init(&p);
    strcpy(p.mode, "fwrite");
    strcpy(p.engine, "sync");
    plan_take_mode(&p, (struct mode_given){.engine = true, .direct = true});
    CHECK_STR(p.engine, "sync");
    CHECK(p.direct);
    refused(p, "--mode fwrite is about stdio");
}

/* Jobs of a mixed workload alternately read and write, as IOzone's threads do; a single job reads.
 */
static void test_mixed(void)
{
    static const struct {
        const char *name, *words;
        unsigned jobs;
        double share;
        enum plan_pattern pattern;
    } mixes[] = {
        {"mixedworkload", "mixedworkload (0 of 1 jobs write)", 1, 0, PATTERN_RANDOM},
        {"mixedworkload", "mixedworkload (1 of 2 jobs writes)", 2, 0.5, PATTERN_RANDOM},
        {"mixedsequential", "mixedsequential (2 of 5 jobs write)", 5, 0.4, PATTERN_SEQUENTIAL},
    };
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        struct err e = {0};
        struct plan p, back;
        struct text text = {0};
        char words[300];
        plan_init(&p);
        snprintf(p.mode, sizeof p.mode, "%s", mixes[i].name);
        p.jobs = mixes[i].jobs;
        plan_take_mode(&p, (struct mode_given){0});
        CHECK_INT(plan_check(&p, &e), 0);
        CHECK_STR(p.engine, "readwrite");
        CHECK_INT(p.pattern, mixes[i].pattern);
        CHECK_NEAR(p.write_share, mixes[i].share, 1e-12);
        plan_write(&p, &text);
        CHECK_INT(plan_read(&back, text.data, text.length, &e), 0);
        text_free(&text);
        for (unsigned job = 0; job < mixes[i].jobs; job++)
            CHECK_NEAR(plan_write_share_of_job(&back, job), job % 2, 0);
        plan_describe(&back, words, sizeof words);
        CHECK(!strncmp(words, mixes[i].words, strlen(mixes[i].words)));
    }
    struct plan plain;
    plan_init(&plain);
    plain.write_share = 0.3;
    CHECK_NEAR(plan_write_share_of_job(&plain, 1), 0.3, 0);
}

int main(void)
{
    test_mixed();
    test_each();
    test_against();
    test_depth();
    test_given();
    return check_result();
}
