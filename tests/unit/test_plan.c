/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan: presets, conflicting options, and the text form that restores every bit. */
#include "check.h"

#include "io/io.h"
#include "run/plan/plan.h"

static struct plan round_trip(const struct plan *p)
{
    struct text lines = {0};
    struct plan back;
    struct err e = {0};
    plan_write(p, &lines);
    CHECK(!lines.failed);
    memset(&back, 0x55, sizeof back);
    if (!check_that(plan_read(&back, lines.data, lines.length, &e) == 0, __FILE__, __LINE__,
                    "plan_read"))
        fprintf(stderr, "    %s\n", e.msg);
    text_free(&lines);
    return back;
}

static void test_round_trip(void)
{
    struct plan p;
    plan_init(&p);
    snprintf(p.target, sizeof p.target, "a = b%%\n\twith \x7f and \xc3\xa9");
    p.pattern = PATTERN_RANDOM;
    p.random_share = 1.0 / 3;
    p.write_share = 0.1 + 0.2;
    p.block_size = 65536;
    p.iodepth = 64;
    p.jobs = 7;
    p.offset = (1ull << 50) + 512;
    p.size = UINT64_MAX >> (REQUEST_OPERATION_BITS + 1);
    p.seed = UINT64_MAX;
    snprintf(p.engine, sizeof p.engine, "null");
    snprintf(p.script, sizeof p.script, "0.5s@const:1us; exp:2us");
    p.destroy = p.overwrite = p.allow_unwritten = true;
    snprintf(p.destroy_serial, sizeof p.destroy_serial, "S64 HNE0%%T");
    p.statistics.changepoint = CHANGEPOINT_NONE;
    p.statistics.interval = INTERVAL_PILOT;
    p.statistics.target_width = 0.1 / 3;
    p.statistics.confidence = 0.987654321987654321;
    p.statistics.autocorrelation_limit = 0.123456789;
    p.statistics.minimum_subsessions = 4000000000u;
    p.ending.minimum_seconds = 1e-7;
    p.ending.limit_seconds = 12345.678901234567;
    p.cpus_given = true;
    p.cpus[0] = 0xfedcba9876543210u;
    p.cpus[15] = 1ull << 63;
    p.realtime = p.measure_overhead = false;
    p.clock_gettime = true;

    struct plan back = round_trip(&p);
    CHECK_STR(back.target, p.target);
    CHECK_STR(back.script, p.script);
    CHECK(back.random_share == p.random_share && back.write_share == p.write_share);
    CHECK(back.statistics.target_width == p.statistics.target_width &&
          back.statistics.confidence == p.statistics.confidence);
    CHECK(back.ending.minimum_seconds == p.ending.minimum_seconds &&
          back.ending.limit_seconds == p.ending.limit_seconds);
    CHECK(back.seed == p.seed && back.size == p.size && back.offset == p.offset);
    CHECK(memcmp(back.cpus, p.cpus, sizeof p.cpus) == 0);

    /* Fields missing in the list above are detected here: both texts must be identical. */
    struct text before = {0}, after = {0};
    plan_write(&p, &before);
    plan_write(&back, &after);
    CHECK_STR(after.data, before.data);
    text_free(&before);
    text_free(&after);
}

static void check_unreadable(const char *lines, const char *part)
{
    struct plan p;
    struct err e = {0};
    CHECK_INT(plan_read(&p, lines, strlen(lines), &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strstr(e.msg, part) != NULL, __FILE__, __LINE__, lines))
        fprintf(stderr, "    message \"%s\" has no \"%s\"\n", e.msg, part);
}

static void test_unreadable(void)
{
    check_unreadable("block_size=4096\nfuture=1\n", "\"future\"");
    check_unreadable("block_size\n", "without '='");
    check_unreadable("block_size=4294967296\n", "block_size");
    check_unreadable("block_size=-5\n", "block_size");
    check_unreadable("block_size=\n", "block_size");
    check_unreadable("confidence=nan\n", "confidence");
    check_unreadable("confidence=0.95x\n", "confidence");
    check_unreadable("pattern=zigzag\n", "pattern");
    check_unreadable("direct=2\n", "direct");
    check_unreadable("sqpoll=7\n", "sqpoll");
    check_unreadable("target=%4\n", "target");
    check_unreadable("target=%00\n", "target");
    check_unreadable("engine=a-name-beyond-its-room\n", "engine");
    check_unreadable("cpus=12\n", "cpus");
    check_unreadable("jobs=0\n", "--numjobs 0");

    struct plan p;
    struct err e = {0};
    CHECK_INT(plan_read(&p, "seed=1\0\n", 8, &e), -1);
    CHECK_INT(plan_read(&p, "", 0, &e), 0);
    CHECK_INT(plan_read(&p, "iodepth=9", 9, &e), 0);
    CHECK_INT(p.iodepth, 9);
}

/* Every row can be stored, read back and refused. */
static void test_fields(void)
{
    size_t count = 0;
    while (plan_fields()[count].key)
        count++;
    CHECK(count < PLAN_FIELDS_MAX); /* with the maximum number, some may have been left out */
    for (const struct option_row *field = plan_fields(); field->key; field++) {
        struct plan p = {0};
        struct err e = {0};
        CHECK(field->width > 0 && field->offset + field->width <= sizeof p);
        CHECK((field->name != NULL) == (field->group != 0));
        CHECK(!field->value || option_store_value(field, field->value, &p, &e) == 0);
        CHECK(field->name || field->min >= field->max || !strncmp(field->limits, "--", 2));
        for (const struct option_row *other = plan_fields(); other < field; other++)
            CHECK(strcmp(other->key, field->key) != 0 &&
                  (other->offset + other->width <= field->offset ||
                   field->offset + field->width <= other->offset));
    }
    CHECK_STR(plan_field("bssplit")->key, "sizes");
    CHECK(plan_field("sizes") == NULL);
}

/* Lines added to the defaults, and the expected refusal. */
static const struct {
    const char *lines, *part;
} refused[] = {
    {"block_size=4095", "multiple of 512"},
    {"block_size=511", "512 bytes to 64 MiB"},
    {"block_size=67109376", "512 bytes to 64 MiB"},
    {"offset=100", "--offset 100"},
    {"size=2048", "smaller than one block"},
    {"iodepth=0", "--iodepth 0"},
    {"iodepth=5000", "--iodepth 5000"},
    {"jobs=257", "--numjobs 257"},
    {"iodepth=4096\nblock_size=1048576\njobs=2", "4 GiB"},
    {"engine=sync\niodepth=2", "--ioengine sync"},
    {"script=const:1us", "--null-script"},
    {"engine=sync\nsqpoll=1", "--sqpoll on"},
    {"engine=nvme\niodepth=2", "--ioengine nvme-uring"},
    {"engine=nvme\niopoll=1", "--iopoll on"},
    {"engine=nvme\ndirect=0", "page cache"},
    {"engine=nvme-uring\ndirect=0", "page cache"},
    {"iopoll=1\ndirect=0", "--iopoll on"},
    {"pattern=sequential", "--percentage_random"},
    {"confidence=1", "--confidence"},
    {"target_width=0", "--ci 0: a share above 0"},
    {"jobs=1000000", "--numjobs 1000000: 1 to 256 are possible"},
    {"autocorrelation_limit=7", "--autocorr 7: 0.001 to 1 are possible"},
    {"repeat.sessions=1", "--repeat 1: 2 to 1000 sessions are possible"},
    {"repeat.index=1", "--repeat 0: 2 to 1000 sessions are possible"},
    {"monitor_rate=51", "--monitor-rate from 0 to 50"},
    {"write_share=2", "--rwmixread and --percentage_random go from 0 to 100"},
};

static void test_check(void)
{
    struct plan p;
    plan_init(&p);
    CHECK_INT(plan_check(&p, NULL), 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_unreadable(refused[i].lines, refused[i].part);
    p.statistics.target_width = NAN;
    CHECK_INT(plan_check(&p, NULL), -1);
}

static void test_presets(void)
{
    struct plan p;
    struct err e = {0};
    plan_init(&p);
    CHECK_STR(p.statistics.preset, "normal");
    CHECK_INT(plan_apply_preset(&p, "strict", &e), 0);
    CHECK_STR(p.statistics.preset, "strict");
    CHECK_NEAR(p.statistics.autocorrelation_limit, 0.1, 1e-15);
    CHECK_INT(p.statistics.minimum_subsessions, 200);
    CHECK_INT(plan_apply_preset(&p, "hasty", &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_STR(p.statistics.preset, "strict");

    struct judge_config config = plan_judge_config(&p, true);
    CHECK(config.higher_is_better && config.changepoint == CHANGEPOINT_PELT);
    CHECK(config.minimum_subsessions == 200 && config.target_width == p.statistics.target_width);
    CHECK(config.estimate.confidence == p.statistics.confidence);
    CHECK(config.estimate.autocorrelation_limit == p.statistics.autocorrelation_limit);
}

static void check_description(const struct plan *p, const char *expected)
{
    char words[200];
    plan_describe(p, words, sizeof words);
    CHECK_STR(words, expected);
}

static void test_describe(void)
{
    struct plan p;
    plan_init(&p);
    check_description(&p, "randread 4 KiB, iodepth 1, 1 job");
    p.iodepth = 32;
    p.jobs = 2;
    check_description(&p, "randread 4 KiB, iodepth 32, 2 jobs");
    p.write_share = 0.3;
    p.random_share = 0.5;
    p.size = 1ull << 30;
    p.offset = 1u << 20;
    p.direct = false;
    check_description(&p, "randrw (70 % read) (50 % random) 4 KiB, iodepth 32, 2 jobs, 1 GiB, from "
                          "1 MiB, buffered");
    p.pattern = PATTERN_SEQUENTIAL;
    p.write_share = 1;
    p.size = p.offset = 0;
    check_description(&p, "write 4 KiB, iodepth 32, 2 jobs, buffered");
}

int main(void)
{
    test_round_trip();
    test_unreadable();
    test_fields();
    test_check();
    test_presets();
    test_describe();
    return check_result();
}
