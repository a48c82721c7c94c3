/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Option rows: parsing in every form, limits, defaults that match the plan's, and help that states
   them. */
#include "check.h"

#include "base/err.h"
#include "base/text.h"
#include "base/text_reader.h"
#include "cmd/column/column.h"
#include "cmd/options/command.h"
#include "cmd/options/fio_option.h"
#include "cmd/options/help.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "run/plan/plan.h"
#include "stat/estimate/estimate.h"
#include "tables/presets.h"

#define WORDS_MAX 32

/* Reads a command line of `cupel run`, split at blanks. */
static int read_line(const char *line, struct run_options *o, struct err *e)
{
    static char copy[512];
    char *words[WORDS_MAX];
    int count = 0;
    struct option_set set;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
        words[count++] = word;
    *e = (struct err){0};
    if (options_scan(&set, run_option_rows, words, count, e))
        return -1;
    return run_options_read(&set, o, e);
}

static struct run_options read_good(const char *line)
{
    struct run_options o;
    struct err e;
    if (!check_that(read_line(line, &o, &e) == 0, __FILE__, __LINE__, line))
        fprintf(stderr, "    %s\n", e.msg);
    return o;
}

/* Checks that the line is a usage error whose message contains `part`. */
static void check_refused(const char *line, const char *part)
{
    struct run_options o;
    struct err e;
    CHECK_INT(read_line(line, &o, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strchr(e.msg, '\n') == NULL);
    if (!check_that(strstr(e.msg, part) != NULL, __FILE__, __LINE__, line))
        fprintf(stderr, "    message \"%s\" has no \"%s\"\n", e.msg, part);
}

static void test_defaults_are_the_plan(void)
{
    struct plan plan;
    struct text expected = {0}, actual = {0};
    struct run_options o = read_good("");
    plan_init(&plan);
    plan_write(&plan, &expected);
    plan_write(&o.plan, &actual);
    CHECK_STR(actual.data, expected.data);
    text_free(&expected);
    text_free(&actual);
}

static void test_forms(void)
{
    struct run_options o = read_good("--bs 8k --iodepth=7 file --numjobs 3");
    CHECK_INT(o.plan.block_size, 8192);
    CHECK_INT(o.plan.iodepth, 7);
    CHECK_INT(o.plan.jobs, 3);
    CHECK_STR(o.plan.target, "file");

    o = read_good("--direct file");
    CHECK(o.plan.direct);
    CHECK_STR(o.plan.target, "file");
    CHECK(!read_good("--direct 0").plan.direct);
    CHECK(!read_good("--direct=0 file").plan.direct);
    CHECK(read_good("--destroy file").plan.destroy);

    o = read_good("-o out -- --name");
    CHECK_STR(o.folder, "out");
    CHECK_STR(o.plan.target, "--name");
    CHECK_STR(read_good("--output=x=y").folder, "x=y");
    CHECK_STR(read_good("-").plan.target, "-");

    CHECK_INT(read_good("--bs 4k --bs 1m --bs 2k").plan.block_size, 2048);
}

static void test_values(void)
{
    struct run_options o = read_good("--limit 1.5s --ci 5% --confidence 0.99 --seed "
                                     "18446744073709551615 --size 2g --offset 1m");
    CHECK_NEAR(o.plan.ending.limit_seconds, 1.5, 1e-12);
    CHECK_NEAR(o.plan.statistics.target_width, 0.05, 1e-15);
    CHECK_NEAR(o.plan.statistics.confidence, 0.99, 1e-15);
    CHECK(o.plan.seed == UINT64_MAX);
    CHECK(o.plan.size == 2ull << 30);
    CHECK(o.plan.offset == 1u << 20);

    o = read_good("--sqpoll on --iopoll off --ioengine uring --clock raw --changepoint edm "
                  "--interval pilot --overhead 0 --realtime 0");
    CHECK_INT(o.plan.sqpoll, 1);
    CHECK_INT(o.plan.iopoll, 0);
    CHECK_STR(o.plan.engine, "uring");
    CHECK(o.plan.clock_gettime && !o.plan.measure_overhead && !o.plan.realtime);
    CHECK_INT(o.plan.statistics.changepoint, CHANGEPOINT_EDM);
    CHECK_INT(o.plan.statistics.interval, INTERVAL_PILOT);

    o = read_good("--cpus 0-2,65,1023");
    CHECK(o.plan.cpus_given);
    CHECK(o.plan.cpus[0] == 7 && o.plan.cpus[1] == 2 && o.plan.cpus[15] == 1ull << 63);
    CHECK(!read_good("").plan.cpus_given);
}

static void test_patterns(void)
{
    struct run_options o = read_good("--rw randrw --rwmixread 70 --percentage_random 25");
    CHECK_INT(o.plan.pattern, PATTERN_RANDOM);
    CHECK_NEAR(o.plan.write_share, 0.3, 1e-12);
    CHECK_NEAR(o.plan.random_share, 0.25, 1e-12);
    o = read_good("--rw write");
    CHECK_INT(o.plan.pattern, PATTERN_SEQUENTIAL);
    CHECK(o.plan.write_share == 1 && o.plan.random_share == 0);
    o = read_good("--rw rw");
    CHECK_NEAR(o.plan.write_share, 0.5, 1e-12);
    check_refused("--rw read --rwmixread 70", "--rwmixread needs --rw rw or randrw: ");
    check_refused("--rw write --percentage_random 7",
                  "--percentage_random needs --rw randread, randwrite, ");
}

/* An explicit option takes precedence over a preset, before it or after it. */
static void test_presets(void)
{
    struct run_options o = read_good("--ci 3% --preset strict");
    CHECK_NEAR(o.plan.statistics.target_width, 0.03, 1e-15);
    CHECK_NEAR(o.plan.statistics.autocorrelation_limit, 0.1, 1e-15);
    CHECK_INT(o.plan.statistics.minimum_subsessions, 200);
    o = read_good("--preset quick --min-samples 77 --min-time 9s");
    CHECK_NEAR(o.plan.statistics.target_width, 0.2, 1e-15);
    CHECK_INT(o.plan.statistics.minimum_subsessions, 77);
    CHECK_NEAR(o.plan.ending.minimum_seconds, 9, 1e-12);
    CHECK_STR(o.plan.statistics.preset, "quick");
}

static void test_refusals(void)
{
    check_refused("--min-time 30s --limit 20s",
                  "--min-time 30 s is longer than the whole session may take (--limit 20 s): make "
                  "--limit longer, for example 60 s");
    read_good("--min-time 30s --limit 30s");
    read_good("--preset strict --limit 20s"); /* the verdict shows the preset's 30 s */
    check_refused("--bs 7", "--bs 7: it must be between 512 B and 64 MiB");
    check_refused("--rate_iops 0", "--rate_iops 0: it must be between 0.01 and 100000000");
    check_refused("--bs 65m", "between 512 B and 64 MiB");
    check_refused("--bs 4x", "4x");
    check_refused("--bs 1000", "multiple of 512");
    check_refused("--iodepth 0", "between 1 and 4096");
    check_refused("--iodepth -1", "--iodepth -1");
    check_refused("--iodepth 4294967297", "between 1 and 4096");
    check_refused("--ci 5", "5% or 0.05");
    check_refused("--ci 0", "between 0.01% and 100%");
    check_refused("--iodept 4", "did you mean --iodepth?");
    check_refused("--zzz", "unknown option --zzz");
    check_refused("-q", "unknown option -q");
    check_refused("--bs", "--bs needs a value");
    check_refused("--bs --iodepth 4", "--bs needs a value");
    check_refused("--rw randwrit", "did you mean randwrite?");
    check_refused("--ioengine magic", "one of auto, sync, readwrite, stdio, uring, nvme, "
                                      "nvme-uring, sg, tcp, falloc, ftruncate, filecreate, "
                                      "filestat, filedelete, dircreate, dirstat, dirdelete, null");
    check_refused("--destroy=1", "takes no value");
    check_refused("--direct=2", "0 or 1");
    check_refused("--cpus 3-1", "0-3,8");
    check_refused("--cpus 0,", "0-3,8");
    check_refused("--cpus 1024", "up to 1023");
    check_refused("--autocorr 0.1", "--autocorr needs --interval pilot");
    check_refused("--autocorr 0.1 --interval spectral", "--autocorr needs --interval pilot");
    CHECK_NEAR(read_good("--autocorr 0.3 --interval pilot --preset quick")
                   .plan.statistics.autocorrelation_limit,
               0.3, 1e-15);
    check_refused("--sqthread_poll_cpu 0", "--sqthread_poll_cpu needs --sqpoll on");
    check_refused("--sqpoll on --cpus 0-3 --sqthread_poll_cpu 2,5",
                  "--sqthread_poll_cpu 2: --cpus has workers there");
    CHECK_INT(read_good("--sqpoll on --cpus 1 --sqthread_poll_cpu 0,2").plan.sqpoll_cpus[0], 5);
    struct memory_policy policy;
    struct err e;
    struct plan plan = read_good("--numa_cpu_nodes 0,65 --numa_mem_policy bind:1-2").plan;
    CHECK(plan.numa_nodes[0] == 1 && plan.numa_nodes[1] == 2);
    CHECK(!plan_memory_policy(&plan, &policy, &e) && policy.kind == MEMORY_BIND && !policy.all);
    CHECK_INT(policy.nodes[0], 6);
    plan = read_good("--numa_mem_policy interleave:all").plan;
    CHECK(!plan_memory_policy(&plan, &policy, &e) && policy.kind == MEMORY_INTERLEAVE &&
          policy.all);
    read_good("--numa_mem_policy local");
    read_good("--numa_mem_policy default");
    read_good("--numa_mem_policy prefer:3");
    check_refused("--cpus 0 --numa_cpu_nodes 0", "--cpus and --numa_cpu_nodes exclude each other");
    static const char *const policies[] = {
        "near", "bind", "local:0", "bind:", "b:0", "bind:x", "prefer:0,1", "prefer:all"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        char line[60];
        snprintf(line, sizeof line, "--numa_mem_policy %s", policies[i]);
        check_refused(line, line);
    }
    check_refused("--preset fast", "one of quick, normal, strict");
    check_refused("--output=", "it is empty");
    check_refused("--a-name-that-is-longer-than-any-option-could-ever-be=3", "unknown option");
    CHECK_INT(read_good("--bs 1000 --direct 0").plan.block_size, 1000);
}

/* Options for the data of writes need writes, and each one needs the kind it refers to. */
static void test_data(void)
{
    struct run_options o =
        read_good("--rw write --buffer_compress_percentage 50 --dedupe_percentage "
                  "30 --dedupe_mode working_set --buffer_pattern \"ab\"0xff1-2");
    struct data_pattern pattern;
    struct err e;
    char words[100];
    CHECK_INT(plan_pattern_of_data(&o.plan, &pattern, &e), 0);
    CHECK_INT(pattern.count, 8);
    CHECK(!memcmp(pattern.bytes, "ab\x0f\xf1\xfe\xff\xff\xff", 8));
    CHECK_STR(plan_describe_data(&o.plan, words, sizeof words),
              ", 50 % of the data compresses, 30 % of the data repeats");
    o = read_good("--rw randrw --buffer_pattern 0xFF0x0110");
    CHECK_INT(plan_pattern_of_data(&o.plan, &pattern, &e), 0);
    CHECK(pattern.count == 3 && !memcmp(pattern.bytes, "\xff\x01\x10", 3));
    o = read_good("--mode rewrite --buffer_pattern 0");
    CHECK_INT(plan_pattern_of_data(&o.plan, &pattern, &e), 0);
    CHECK(pattern.count == 1 && pattern.bytes[0] == 0);
    read_good("--buffer_compress_percentage 0");
    read_good("--profile tpc-b --rate_iops 100 --zero_buffers");

    check_refused("--buffer_compress_percentage 50",
                  "--buffer_compress_percentage needs writes (--rw): a workload that only reads");
    check_refused("--rw rw --rwmixread 100 --zero_buffers", "only reads");
    check_refused("--rw write --buffer_compress_percentage 101", "between 0 and 100");
    check_refused("--rw write --buffer_compress_chunk 4k", "needs --buffer_compress_percentage");
    check_refused("--rw write --buffer_compress_percentage 9 --buffer_compress_chunk 63",
                  "64 bytes or more");
    check_refused("--rw write --dedupe_mode repeat", "needs --dedupe_percentage");
    check_refused("--rw write --dedupe_percentage 5 --dedupe_working_set_percentage 5",
                  "needs --dedupe_mode working_set");
    check_refused("--rw write --dedupe_percentage 100 --dedupe_mode working_set", "no copies");
    check_refused("--rw write --zero_buffers --dedupe_percentage 5",
                  "--zero_buffers and --dedupe_percentage exclude each other");
    check_refused("--rw write --buffer_pattern 0xff --dedupe_percentage 5", "all blocks alike");
    static const char *const bad[] = {"x", "0x", "\"ab", "\"\"", "4294967296", "0xffz", "'f'", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[80];
        snprintf(line, sizeof line, "--rw write --buffer_pattern %s", bad[i]);
        check_refused(line, "bytes are expected");
    }
    check_refused("--rw write --buffer_pattern 0xffz", "column 5");
}

/* Every fio option that cupel does not have gives advice in one line; options of cupel that the
   advice names exist. */
static void test_hints(void)
{
    struct option_row rows[OPTIONS_MAX + 1];
    options_expand(run_option_rows, rows);
    size_t hints = 0;
    for (; hints < FIO_OPTION_COUNT; hints++) {
        const struct fio_option *o = &fio_options[hints];
        struct err e = {0};
        bool ours = false;
        for (const struct option_row *row = rows; row->name; row++)
            ours = ours || option_names_equal(row->name, o->name);
        if (ours)
            continue;
        CHECK_INT(fio_option_hint(rows, o->name, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        CHECK(strstr(e.msg, o->name) && strstr(e.msg, o->words) && !strchr(e.msg, '\n'));
        for (size_t i = 0; i < hints; i++)
            CHECK(!option_names_equal(fio_options[i].name, o->name));
    }
    CHECK(hints > 200);

    check_refused("--filename x", "--filename is fio's: give the target as a word of its own");
    check_refused("--readwrite=read", "--readwrite is fio's: use --rw");
    check_refused("--output_format=json", "use --format");
    check_refused("--rwmixwrite 30",
                  "use --rwmixread (the share of reads: 100 less that of writes)");
    check_refused("--ramp-time=5", "--ramp_time is fio's, and not needed: warm-up is found");
    check_refused("--write_barrier=1", "--write_barrier is fio's, and cupel has nothing like it");
    check_refused("--end_fsync=1", "--end_fsync is fio's, and not needed");
    check_refused("--fsync=1", "--fsync needs writes (--rw): a workload that only reads has none");
    check_refused("--sync=2", "it must be one of none, sync, dsync");
    check_refused("--sg_write_mode=x", "of an engine that cupel does not have");
    check_refused("--verify_only", "what is read back was written by the same call");
    check_refused("-thread", "unknown option -thread");

    struct err e = {0};
    options_expand(command_probe.options, rows);
    CHECK_INT(fio_option_hint(rows, "iodepth_low", &e), 0);
}

/* A hyphen for an underscore in names and vice versa, and fio's values for cupel's. */
static void test_fio_spelling(void)
{
    CHECK_NEAR(read_good("--rate-iops 100").plan.rate_iops, 100, 0);
    CHECK_INT(read_good("--min_samples=70").plan.statistics.minimum_subsessions, 70);
    CHECK_STR(read_good("--ioengine psync").plan.engine, "sync");
    CHECK_STR(read_good("--ioengine=io_uring").plan.engine, "uring");
    CHECK_NEAR(read_good("--rw readwrite --rwmixread 30").plan.write_share, 0.7, 1e-12);
    CHECK_STR(read_good("--null_script const:1us --ioengine null").plan.script, "const:1us");
    check_refused("--ioengine libaio", "--ioengine libaio is fio's: use --ioengine uring");
    check_refused("--ioengine mmap", "--ioengine sync reaches the same target another way");
    check_refused("--rw randtrim --fsync 1", "a workload that only trims writes no data");
    check_refused("--rw trim --ioengine stdio --direct 0", "stdio has no trims");
    check_refused("--rw trimwrite --rate_iops 5", "in a closed loop of one size");
    check_refused("--rw trimwrite --verify", "what was trimmed reads as anything");
    check_refused("--rw trim --num_range 4 --ioengine sync", "one command with several ranges");
    check_refused("--rw randread --num_range 4", "--num_range needs --rw trim or randtrim");
    check_refused("--rw trim --iopoll on", "cannot be polled for");
    check_refused("--rw read --sla trim.p99<1ms", "this workload has no trims");
    check_refused("--rw trim --sla write.p99<1ms", "this workload only trims");
    check_refused("--rw trim --sla efficiency>1%", "trims move no data");
    check_refused("--ioengine ftruncate --rw read", "use --rw write or --rw randwrite");
    check_refused("--ioengine falloc --rw write --sync dsync",
                  "--ioengine falloc and --sync exclude each other");
    check_refused("--bs_", "unknown option --bs_");
}

static void test_nearest(void)
{
    CHECK_INT(typing_distance("iodepth", "iodepth"), 0);
    CHECK_INT(typing_distance("iodpeth", "iodepth"), 1);
    CHECK_INT(typing_distance("kitten", "sitting"), 3);
    CHECK_INT(typing_distance("", "abc"), 3);
    CHECK(typing_distance("a-word-of-more-than-thirty-one-letters", "b") > 1000);
    const char *best = NULL;
    nearest_offer("anlyze", "run", &best);
    CHECK(best == NULL);
    nearest_offer("anlyze", "analyze", &best);
    CHECK_STR(best, "analyze");
}

/* Every row's help states its name, default and limits, and defaults are within their limits. */
static void check_row(const struct option_row *row, const char *page)
{
    static _Alignas(max_align_t) char scratch[1 << 16]; /* larger than any command's struct */
    char term[80], number[40];
    struct text words = {0};
    struct err e;
    help_option_term(row, term, sizeof term);
    CHECK(strstr(page, term) != NULL);
    help_option_words(row, &words);
    if (row->kind != OPTION_LIST)
        CHECK(row->width > 0 && row->offset + row->width <= sizeof scratch);
    CHECK((row->argument == NULL) == (row->kind == OPTION_FLAG));
    CHECK(row->value == NULL || row->value_words == NULL);
    CHECK(row->value || row->value_words || row->kind == OPTION_FLAG);
    if (row->value) {
        CHECK(strstr(words.data, row->value) != NULL);
        CHECK_INT(option_store_text(row, row->value, &scratch, &e), 0);
    }
    if (row->min < row->max)
        CHECK(strstr(words.data, option_format_number(row, row->max, number, sizeof number)) !=
              NULL);
    for (const struct option_choice *c = row->choices; c && c->name; c++)
        CHECK(strstr(words.data, c->name) != NULL);
    text_free(&words);
}

static void check_columns(const char *page)
{
    for (const char *line = page; *line;) {
        size_t length = strcspn(line, "\n");
        if (length >= PAGE_COLUMNS)
            fprintf(stderr, "    too long: %.*s\n", (int)length, line);
        CHECK(length < PAGE_COLUMNS);
        line += length + (line[length] == '\n');
    }
}

static void test_pages(void)
{
    struct text all = {0};
    for (const struct command *const *c = commands; *c; c++) {
        struct text page = {0};
        struct option_row expanded[OPTIONS_MAX + 1];
        size_t rows = 0;
        help_command(*c, PAGE_PLAIN, &page);
        check_columns(page.data);
        for (const struct option_row *row = options_expand((*c)->options, expanded); row->name;
             row++, rows++)
            check_row(row, page.data);
        CHECK(rows < OPTIONS_MAX);
        CHECK(strstr(page.data, "\nEXIT STATUS\n") != NULL);
        CHECK(command_find((*c)->name) == *c);
        text_free(&page);
    }
    help_overview(commands, &all);
    check_columns(all.data);
    text_free(&all);
}

/* The text about presets is prose, but its numbers must be those of the table. */
static void test_preset_words(void)
{
    struct text page = {0};
    help_command(&command_run, PAGE_TROFF, &page);
    for (size_t i = 0; i < PRESET_COUNT; i++) {
        char words[120];
        snprintf(words, sizeof words, "%g%%, %u, %gs, %g (%s)", presets[i].target_width * 100,
                 presets[i].minimum_subsessions, presets[i].minimum_seconds,
                 presets[i].autocorrelation_limit, presets[i].name);
        if (!check_that(strstr(page.data, words) != NULL, __FILE__, __LINE__, words))
            fprintf(stderr, "    the help of --preset does not have it\n");
    }
    text_free(&page);
}

int main(void)
{
    test_defaults_are_the_plan();
    test_forms();
    test_values();
    test_patterns();
    test_presets();
    test_refusals();
    test_data();
    test_hints();
    test_fio_spelling();
    test_nearest();
    test_pages();
    test_preset_words();
    return check_result();
}
