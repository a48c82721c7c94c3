/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations: every mistake is reported with line and column, whole intervals are judged, and a
   file made from a machine is met by that machine. */
#include "expectation_fixture.h"

/* ---- mistakes ---- */

static void check_mistakes(void)
{
    check_mistake("", "x:0:1: ", "expects nothing");
    check_mistake("# only\n\n", "x:2:1: ", "expects nothing");
    check_mistake("disks = 24\n", "x:1:1: ", "a section comes first");
    check_mistake("[machine\n", "x:1:9: ", "ends with ]");
    check_mistake("[server]\n", "x:1:2: ", "[machine], [disk]");
    check_mistake("[machine big]\n", "x:1:10: ", "nothing after");
    check_mistake("[machine]\n[machine]\n",
                  "x:1:1: ", "; 2:1: this section is there already, in line 1");
    check_mistake("[disk nvme]\ncount=1\n[disk  NVMe ]\n", "x:3:1: ", "already, in line 1");
    check_mistake("[machine]\n  discs = 24\n", "x:2:3: ", "it has disks, memory");
    check_mistake("[disk]\nread speed >= 1 GB/s\n", "x:2:1: ", "bandwidth, iops, response time");
    check_mistake("[disk]\nbandwidth >= 1 GB/s\n", "x:2:1: ", "[disk] has no \"bandwidth\"");
    check_mistake("[disk]\ncount\n", "x:2:6: ", "=, >= or <=");
    check_mistake("[disk]\ncount 12\n", "x:2:1: ", "no \"count 12\"");
    check_mistake("[disk]\ncount > 12\n", "x:2:7: ", "=, >= or <=");
    check_mistake("[disk]\n= 12\n", "x:2:1: ", "a name is expected");
    check_mistake("[disk]\ncount = \n", "x:2:8: ", "a whole number");
    check_mistake("[disk]\ncount = 1.5\n", "x:2:9: ", "a whole number");
    check_mistake("[disk]\ncount = 12 pieces\n", "x:2:12: ", "a whole number");
    check_mistake("[disk]\ncount = -3\n", "x:2:9: ", "a whole number");
    check_mistake("[disk]\nread bandwidth >= 6.5 Gb/s\n", "x:2:23: ", "GB/s");
    check_mistake("[disk]\nread bandwidth >= fast\n", "x:2:19: ", "GB/s");
    check_mistake("[disk]\nread bandwidth = 6.5 GB/s\n", "x:2:16: ", ">= or <=");
    check_mistake("[disk]\nsize >= 7\n", "x:2:10: ", "with its unit");
    check_mistake("[disk]\nrandread p99 <= 500\n", "x:2:20: ", "with its unit");
    check_mistake("[disk]\nlink >= 16.0 GT/s xx\n", "x:2:20: ", "16.0 GT/s x4");
    check_mistake("[disk]\nlink >= 16.0 GT/s x4 fast\n", "x:2:21: ", "16.0 GT/s x4");
    check_mistake("[disk]\nlink >= x4\n", "x:2:9: ", "16.0 GT/s x4");
    check_mistake("[disk]\nmodel >= SAMSUNG\n", "x:2:7: ", "compared with =");
    check_mistake("[disk]\nmodel = # none\n", "x:2:8: ", "shell pattern");
    check_mistake("[disk]\ncount = 12 warn = 13\n", "x:2:12: ", "warn needs");
    check_mistake("[disk]\ncount >= 12 warn <= 13\n", "x:2:18: ", "with >=");
    check_mistake("[disk]\ncount >= 12 warn >= 12\n", "x:2:21: ", "has to be more than 12");
    check_mistake("[disk]\ncount <= 12 warn <= 13\n", "x:2:21: ", "has to be less than 12");
    check_mistake("[disk]\ncount >= 12 warn\n", "x:2:17: ", "=, >= or <=");
    check_mistake("[disk]\nlink >= 16.0 GT/s x4 warn >= 8.0 GT/s x4\n", "x:2:30: ", "more than");
    check_mistake("[disk]\ncount = 12\n\ncount = 13\n", "x:4:1: ", "already, in line 2");
    check_mistake("[disk]\nmodel == X\n", "x:2:8: ", "and then a value");
    check_mistake("[disk]\ncount =< 2\n", "x:2:8: ", "and then a value");
    check_mistake("[disk]\nlink >= 16.0 GT/s x4 warn >= 16.0 GT/s x4\n", "x:2:30: ", "more than");
    check_mistake("[disk]\nsize >= 8 TB\n\nsize <= 7 TB\n", "x:4:9: ", "this and line 2");
    check_mistake("[disk]\nsize = 8 TB\nsize >= 9 TB\n", "x:3:9: ", "this and line 2");
    check_mistake("[disk]\nlink <= 8.0 GT/s x4\nlink >= 16.0 GT/s x4\n", "x:3:9: ", "line 2");
    check_mistake("[machine]\n\n[disk]\ncount = 1\n", "x:1:1: ", "expects nothing");
    check_mistake("[machine]\ndisks = 1\n[disk nvme]\n", "x:3:1: ", "count >= 1");
    check_mistake("[disk]\n\x01\n", "x:2:1: ", "no text");
    /* each mistake once; below a wrong heading nothing is read */
    check_mistake("a\nb\n[disk]\ncount > 1\ncount = x\n[disk", "x:1:1: a section comes first",
                  "; 4:7: =, >= or <= is expected here; 5:9: a whole number");
    check_mistake("[disc]\ncount = 1\n[machine]\ndisks = y\n", "x:1:2: ", "; 4:9: a whole number");
    check_mistake("[disk]\nsiz = 1\nsiz = 1\n[machine]\nx = 1\ny = 2\n", "x:2:1: [disk] has no",
                  "; 3:1, too; 5:1, too; 6:1, too");
}

/* ---- valid lines ---- */

static void check_forms(void)
{
    static const char *const good[] = {
        "\xef\xbb\xbf[machine]\r\ndisks = 24\r\nmemory >= 512 GiB # all of it\r\n",
        ("[disk nvme]\nmodel = SAMSUNG MZWLR7T6*\ncount=12\nlink >= 16.0 GT/s x4\nsize >= 7 TB\n"
         "firmware = EPK9CB5Q\ntemperature <= 70\nread  Bandwidth >= 6.5 GB/s   warn >= 6.8 GB/s\n"
         "randread iops >= 900k\nrandread p99 <= 500us\nwrite response time <= 2 ms\n"),
        "[disk]\nlink = 6.0 Gb/s\n[disk sata]\ncount >= 1\n[disk \"MODEL # 7*\"]\ncount >= 0",
        "[disk]\nsize >= 7 TB\nsize <= 8 TB warn <= 7.7 TB\nread efficiency >= 80 %\n",
        "[test randread]\np99 < 500us, iops > 200k # all disks\n\n errors=0\n[disk]\ncount=1\n",
        "[Test all NVMe]\nread.p99<1ms\n[test write SAMSUNG*]\nerrors<0.1%\n[test]\nbps>1k\n",
        "[machine]\nbios version = 1.6.*\ndegraded links = 0\nprocessor model = AMD EPYC 9354*\n",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expectation_free(parse(good[i]));
}

static void check_number(enum quantity quantity, const char *text, double expected)
{
    struct amount a;
    size_t at;
    const char *words;
    CHECK_INT(quantity_parse(quantity, span_of(text), &a, &at, &words), 0);
    CHECK_NEAR(a.number, expected, 1e-12);
}

static void check_interval(enum quantity quantity, double value, double low, double high,
                           const char *expected)
{
    char to[80];
    CHECK_STR(quantity_format_interval(quantity, value, low, high, to, sizeof to), expected);
}

static void check_quantities(void)
{
    check_number(QUANTITY_RATE, "6.5 GB/s", 6.5e9);
    check_number(QUANTITY_RATE, "500MiB/s", 500 * 0x1p20);
    check_number(QUANTITY_COUNT_RATE, "900k", 900e3);
    check_number(QUANTITY_COUNT_RATE, "1.2M", 1.2e6);
    check_number(QUANTITY_TIME, "500us", 500e3);
    check_number(QUANTITY_TIME, "1.5 ms", 1.5e6);
    check_number(QUANTITY_SIZE, "7 TB", 7e12);
    check_number(QUANTITY_SIZE, "512 GiB", 512 * 0x1p30);
    check_number(QUANTITY_TEMPERATURE, "70 C", 70);
    check_number(QUANTITY_PERCENT, "5 %", 5);
    check_number(QUANTITY_LINK, "12 Gbit/s x4", 12e9);
    check_number(QUANTITY_LINK, "480 Mbit/s", 480e6);
    check_interval(QUANTITY_RATE, 6.931e9, 6.902e9, 6.960e9, "6.931 GB/s (6.902 to 6.960)");
    check_interval(QUANTITY_RATE, 6.931e9, NAN, NAN, "6.93 GB/s");
    check_interval(QUANTITY_COUNT_RATE, 1.05e6, 0.95e6, 1.15e6, "1.05M IOPS (0.95M to 1.15M)");
    check_interval(QUANTITY_TIME, 97100, 95000, 99000, "97.1 us (95.0 to 99.0)");
}

static void check_reaches(const char *link, const char *least, bool expected)
{
    struct amount a, b;
    CHECK(quantity_read_link(link, &a) && quantity_read_link(least, &b));
    CHECK_INT(quantity_link_reaches(&a, &b), expected);
}

static void check_links(void)
{
    struct amount a;
    check_reaches("16.0 GT/s x4", "16.0 GT/s x4", true);
    check_reaches("32.0 GT/s x4", "16.0 GT/s x4", true);
    check_reaches("8.0 GT/s x8", "16.0 GT/s x4", false);
    check_reaches("16.0 GT/s x2", "16.0 GT/s x4", false);
    check_reaches("16.0 GT/s x2", "16.0 GT/s", true);
    check_reaches("6.0 Gbit/s", "3.0 Gb/s", true);
    check_reaches("12 Gbit/s x3 and 1 slower", "12 Gbit/s x4", false);
    check_reaches("12 Gbit/s", "8.0 GT/s x4", false);
    CHECK(!quantity_read_link("unknown", &a));
}

/* Every key is listed once with its meaning, in comment lines that fit a screen. */
static void check_help(void)
{
    struct text out = {0};
    struct expectation *x = NULL;
    expectation_help(&out);
    for (const struct expectation_key *key = expectation_keys; key->name; key++) {
        char line[40];
        snprintf(line, sizeof line, "\n#   %-16s ", key->name);
        check_that(strstr(out.data, line) != NULL, __FILE__, __LINE__, key->name);
        CHECK(key->meaning && key->meaning[0]);
        CHECK(strlen(quantity_example(key->quantity)) <= 13);
    }
    for (const char *at = out.data; *at; at += strcspn(at, "\n") + 1) {
        CHECK(*at == '#');
        if (strcspn(at, "\n") > 80)
            CHECK_STR(at, "");
    }
    CHECK(strstr(out.data, "3 %") && strstr(out.data, " memory, other\n"));
    CHECK_INT(expectation_parse(&x, out.data, out.length, "x", NULL), -1); /* only comments */
    for (int quantity = 0; quantity < QUANTITY_TEXT; quantity++) {
        struct amount a;
        size_t at;
        const char *words;
        CHECK_INT(quantity_parse((enum quantity)quantity,
                                 span_of(quantity_example((enum quantity)quantity)), &a, &at,
                                 &words),
                  0);
    }
    text_free(&out);
}

/* ---- judging ---- */

static void check_exact_values(void)
{
    check_grade("[machine]\ndisks = 1", "disks", GRADE_PASS, "");
    check_grade("[machine]\ndisks = 2", "disks", GRADE_FAIL, "");
    check_grade("[machine]\ndisks >= 1 warn >= 2", "disks", GRADE_WARN, "");
    check_grade("[machine]\nmemory >= 768 GiB", "memory", GRADE_PASS, "firmware and kernel");
    check_grade("[machine]\nmemory = 768 GiB", "memory", GRADE_PASS, "");
    check_grade("[machine]\nmemory >= 800 GiB", "memory", GRADE_FAIL, "");
    check_grade("[machine]\nmemory = 512 GiB", "memory", GRADE_FAIL, "");
    check_grade("[machine]\nprocessors = 128", "processors", GRADE_PASS, "");
    check_grade("[machine]\nbios version = 1.6.*", "bios version", GRADE_PASS, "");
    check_grade("[machine]\nbios version = 1.7.*", "bios version", GRADE_FAIL, "");
    check_grade("[machine]\nmicrocode = 0x1", "microcode", GRADE_UNDECIDED, "not reported");
    check_grade("[machine]\ndegraded links = 0", "degraded links", GRADE_PASS, "");
    check_grade("[disk]\nmodel = SAMSUNG MZWLR*", "model", GRADE_PASS, "");
    check_grade("[disk nvme]\nmodel = INTEL*", "model", GRADE_FAIL, "");
    check_grade("[disk]\nlink >= 16.0 GT/s x4", "link", GRADE_PASS, "");
    check_grade("[disk]\nlink >= 32.0 GT/s x4", "link", GRADE_FAIL, "");
    check_grade("[disk]\nlink >= 8.0 GT/s x4 warn >= 32.0 GT/s x4", "link", GRADE_WARN, "");
    check_grade("[disk]\nlink >= 6.0 Gbit/s", "link", GRADE_FAIL, "another kind");
    check_grade("[disk]\nsize >= 7.68 TB", "size", GRADE_PASS, "");
    check_grade("[disk]\nsize >= 7.68 TiB", "size", GRADE_FAIL, "");
    check_grade("[disk]\npercentage used <= 5", "percentage used", GRADE_PASS, "");
    check_grade("[disk]\npower on hours <= 100", "power on hours", GRADE_UNDECIDED, "not reported");
    check_grade("[disk]\ntemperature <= 60", "temperature", GRADE_PASS, "");
    check_grade("[disk]\ntemperature <= 60 warn <= 55", "temperature", GRADE_WARN, "");
}

/* The drive has 6.930 GB/s, with an interval from 6.908 to 6.952. */
static void check_measured_values(void)
{
    const char *what = "read bandwidth";
    check_grade("[disk]\nread bandwidth >= 6.9 GB/s", what, GRADE_PASS, "");
    CHECK_INT(qualification_status(&f.q), ERR_NONE);
    check_grade("[disk]\nread bandwidth >= 6.93 GB/s", what, GRADE_UNDECIDED, "not decided");
    CHECK(qualification_is_open(&f.q));
    CHECK_INT(qualification_status(&f.q), ERR_UNDECIDED);
    check_grade("[disk]\nread bandwidth >= 6.95 GB/s", what, GRADE_UNDECIDED, "not decided");
    check_grade("[disk]\nread bandwidth >= 6.96 GB/s", what, GRADE_FAIL, "");
    check_grade("[disk]\nread bandwidth <= 6.96 GB/s", what, GRADE_PASS, "");
    check_grade("[disk]\nread bandwidth <= 6.93 GB/s", what, GRADE_UNDECIDED, "not decided");
    check_grade("[disk]\nread bandwidth <= 6.90 GB/s", what, GRADE_FAIL, "");
    check_grade("[disk]\nread bandwidth >= 6.5 GB/s warn >= 6.8 GB/s", what, GRADE_PASS, "");
    check_grade("[disk]\nread bandwidth >= 6.5 GB/s warn >= 6.93 GB/s", what, GRADE_WARN,
                "limit of the warning");
    check_grade("[disk]\nread bandwidth >= 6.5 GB/s warn >= 7 GB/s", what, GRADE_WARN, "");
    check_grade("[disk]\nread bandwidth >= 6.93 GB/s warn >= 7 GB/s", what, GRADE_UNDECIDED,
                "not decided");
    check_grade("[disk]\nread bandwidth >= 7 GB/s warn >= 8 GB/s", what, GRADE_FAIL, "");
    check_grade("[disk]\nrandread p99 <= 500us", "randread p99", GRADE_PASS, "");
    check_grade("[disk]\nread efficiency >= 90", "read efficiency", GRADE_PASS, "");
    check_grade("[disk]\nread efficiency >= 92.4", "read efficiency", GRADE_UNDECIDED,
                "not decided");
}

static void check_unknown_values(void)
{
    struct result_row *p99 = &f.devices[0].tests[1].p99;
    struct result_row before = *p99;
    check_grade("[disk]\nwrite bandwidth >= 1 GB/s", "write bandwidth", GRADE_NONE, "not asked");
    p99->value = p99->low = p99->high = NAN;
    snprintf(p99->note, sizeof p99->note, "not enough samples");
    check_grade("[disk]\nrandread p99 <= 10s", "randread p99", GRADE_UNDECIDED,
                "not enough samples");
    *p99 = before;
    p99->low = p99->high = NAN;
    check_grade("[disk]\nrandread p99 <= 10s", "randread p99", GRADE_UNDECIDED, "not decided");
    *p99 = before;
    f.devices[0].tests[1].measured = false;
    snprintf(f.devices[0].tests[1].failure, sizeof f.devices[0].tests[1].failure, "it broke");
    check_grade("[disk]\nrandread p99 <= 10s", "randread p99", GRADE_UNDECIDED, "it broke");
    f.devices[0].tests[1].measured = true;
}

static void check_sections(void)
{
    check_grade("[disk nvme]\ncount = 1", "count of disks", GRADE_PASS, "");
    check_grade("[disk nvme]\ncount = 12", "count of disks", GRADE_FAIL, "");
    check_grade("[disk sata]\ncount = 0", "count of disks", GRADE_PASS, "");
    check_grade("[disk sata]\nsize >= 1 TB\n[disk nvme]\ncount = 1", "disks", GRADE_FAIL, "line 1");
    check_grade("[disk INTEL*]\ncount = 0", "expectation", GRADE_WARN, "no section");
    check_grade("[disk SAMSUNG*]\ncount = 1", "count of disks", GRADE_PASS, "");
    f.q.chosen = true;
    check_grade("[disk nvme]\ncount = 12", "count of disks", GRADE_NONE, "were named");
    check_grade("[machine]\ndisks = 12", "disks", GRADE_NONE, "were named");
    f.q.chosen = false;
}

/* A session that did not end well decides nothing. */
static void check_sessions(void)
{
    struct qualification_test *t = &f.devices[0].tests[0];
    const char *what = "read bandwidth", *met = "[disk]\nread bandwidth >= 1 GB/s",
               *missed = "[disk]\nread bandwidth >= 9 GB/s";
    static const struct {
        enum verdict verdict;
        const char *phase, *words;
    } bad[] = {{VERDICT_INTERRUPTED, "flat", "not decided: the test was interrupted"},
               {VERDICT_CUT_SHORT, "flat", "not decided: the test was interrupted"},
               {VERDICT_FAILED, "flat", "not decided: the test failed"},
               {VERDICT_LIMIT, "no_steady_state", "not decided: it reached no steady state"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        t->verdict = bad[i].verdict;
        snprintf(t->phase, sizeof t->phase, "%s", bad[i].phase);
        check_grade(met, what, GRADE_UNDECIDED, bad[i].words);
        check_grade(missed, what, GRADE_UNDECIDED, bad[i].words);
        check_grade("[disk]\nread efficiency >= 1", "read efficiency", GRADE_UNDECIDED,
                    bad[i].words);
    }
    t->verdict = VERDICT_LIMIT;
    snprintf(t->phase, sizeof t->phase, "flat");
    check_grade(met, what, GRADE_PASS, "");
    check_grade(missed, what, GRADE_FAIL, "");
    t->verdict = VERDICT_PRECISE;

    snprintf(t->disturbed, sizeof t->disturbed, "other programs used 95 %% of the processors");
    check_grade(met, what, GRADE_PASS, "");
    /* the whole interval is above the limit */
    check_grade(missed, what, GRADE_FAIL, "other programs used 95 %");
    CHECK_INT(qualification_status(&f.q), ERR_FAILED);
    check_grade("[disk]\nread p99 <= 1us", "read p99", GRADE_FAIL, "other programs used 95 %");
    check_grade("[disk]\nread bandwidth >= 6.93 GB/s", what, GRADE_UNDECIDED, "other programs");
    check_grade("[disk]\nread bandwidth <= 1 GB/s", what, GRADE_FAIL, ""); /* not for slowness */
    t->disturbed[0] = '\0';
}

static void check_copied_sizes(void)
{
    struct qualification_device *d = &f.devices[0];
    uint64_t before = d->size;
    d->size = 67108864;
    check_grade("[disk]\nsize >= 67.11 MB", "size", GRADE_PASS, "");
    check_grade("[disk]\nsize = 67.11 MB", "size", GRADE_PASS, "");
    check_grade("[disk]\nsize = 64 MiB", "size", GRADE_PASS, "");
    check_grade("[disk]\nsize >= 67.12 MB", "size", GRADE_FAIL, "");
    check_grade("[disk]\nsize >= 67108865 B", "size", GRADE_FAIL, "");
    CHECK_STR(find_check("size")->found, "67.10886 MB");
    CHECK_STR(find_check("size")->expected, "at least 67108865 B");
    d->size = 6600000000000; /* a size with one digit is not taken for a rounded number */
    check_grade("[disk]\nsize >= 7 TB", "size", GRADE_FAIL, "");
    d->size = before;
}

static void check_lanes(void)
{
    struct qualification_device *d = &f.devices[0];
    char before[sizeof d->link];
    memcpy(before, d->link, sizeof before);
    snprintf(d->link, sizeof d->link, "12 Gbit/s");
    check_grade("[disk]\nlink >= 12 Gbit/s x2", "link", GRADE_FAIL, "");
    check_grade("[disk]\nlink >= 12 Gbit/s x1", "link", GRADE_PASS, "");
    check_grade("[disk]\nlink >= 12 Gbit/s", "link", GRADE_PASS, "");
    snprintf(d->link, sizeof d->link, "16.0 GT/s");
    check_grade("[disk]\nlink >= 16.0 GT/s x4", "link", GRADE_UNDECIDED, "number of its lanes");
    memcpy(d->link, before, sizeof before);
}

/* A site's own expectation replaces the built-in check. */
static void check_replaced(void)
{
    static const char text[] = "[disk]\nmedia errors <= 5\ntemperature <= 60\n";
    struct expectation *x = parse(text);
    fact_add(&f.hardware, inventory_find(&f.hardware, "nvme0n1"), "media_errors", "3");
    f.q.check_count = 0;
    f.q.grade = f.devices[0].grade = GRADE_NONE;
    struct qualification_check *c = qualification_add(&f.q, 0, GRADE_FAIL, "media errors");
    snprintf(c->found, sizeof c->found, "3");
    snprintf(c->note, sizeof c->note, "since it was made");
    c->replaceable = true;
    judge_temperatures(&f.q);
    CHECK_STR(grade_name(f.devices[0].grade), "fail");
    expectation_judge(x, &f.q);
    CHECK_STR(grade_name(f.devices[0].grade), "pass");
    CHECK_STR(grade_name(f.q.grade), "pass");
    CHECK_STR(find_check("media errors")->expected, "at most 5");
    CHECK_STR(find_check("temperature")->expected, "at most 60 C");
    expectation_free(x);
}

/* ---- a file made from a machine ---- */

/* Makes every clause pass, as a session would. */
static void pass_clauses(const struct expectation *x)
{
    for (size_t i = 0; i < f.q.device_count; i++)
        for (size_t k = 0; k < f.devices[i].test_count; k++) {
            struct qualification_test *t = &f.devices[i].tests[k];
            struct clauses all = {0};
            char text[256];
            struct err e;
            CHECK_INT(expectation_clauses(x, &f.devices[i], t->name, text, sizeof text, &e), 0);
            CHECK_INT(clauses_parse_limits(&all, text, &e), 0);
            t->clause_count = all.count;
            for (size_t c = 0; c < all.count; c++) {
                t->clauses[c] = (struct result_clause){.verdict = CLAUSE_PASSED};
                snprintf(t->clauses[c].text, sizeof t->clauses[c].text, "%s", all.clause[c].text);
            }
        }
}

static void check_written(void)
{
    struct text out = {0};
    qualified_good_drive(&f, 1);
    qualified_good_drive(&f, 2)->tests[0].bandwidth.low = 5e9;
    expectation_write(&f.q, &out);
    CHECK(!out.failed);
    CHECK(strstr(out.data, "\ndisks = 3\n") != NULL);
    CHECK(strstr(out.data, "\n[disk SAMSUNG MZWLR7T6HBLA-00007]\ncount = 3\n") != NULL);
    CHECK(strstr(out.data, "\nread bandwidth >= 4.50 GB/s\n") != NULL);
    struct text predicted = {0};
    f.devices[2].tests[0].bandwidth.next_low = 4e9; /* a repetition may give less */
    expectation_write(&f.q, &predicted);
    CHECK(strstr(predicted.data, "\nread bandwidth >= 3.60 GB/s\n") != NULL);
    text_free(&predicted);
    CHECK(!strstr(out.data, "randread p99"));
    CHECK(strstr(out.data, "\n[test all SAMSUNG MZWLR7T6HBLA-00007]\nerrors = 0\n") != NULL);
    CHECK(strstr(out.data,
                 "\n[test randread SAMSUNG MZWLR7T6HBLA-00007]\np50 < 41.3us\np99 < 149us\n") !=
          NULL);
    CHECK(!strstr(out.data, "[test read ") && !strstr(out.data, "[test randwrite"));
    struct expectation *x = parse(out.data);
    pass_clauses(x);
    f.q.check_count = 0;
    f.q.grade = f.devices[0].grade = f.devices[1].grade = f.devices[2].grade = GRADE_NONE;
    if (x)
        expectation_judge(x, &f.q);
    CHECK_STR(grade_name(f.q.grade), "pass");
    char line[400];
    if (f.q.grade != GRADE_PASS)
        fprintf(stderr, "%s\n%s\n", qualification_line(&f.q, line, sizeof line), out.data);
    CHECK(f.q.check_count > 20);
    expectation_free(x);
    text_free(&out);
}

static void check_odd_model(const char *model, const char *kind)
{
    struct text out = {0};
    snprintf(f.devices[0].model, sizeof f.devices[0].model, "%s", model);
    snprintf(f.devices[0].kind, sizeof f.devices[0].kind, "%s", kind);
    expectation_write(&f.q, &out);
    struct expectation *x = parse(out.data);
    pass_clauses(x);
    f.q.check_count = 0;
    f.q.grade = f.devices[0].grade = GRADE_NONE;
    if (x)
        expectation_judge(x, &f.q);
    CHECK_STR(grade_name(f.devices[0].grade), "pass");
    expectation_free(x);
    text_free(&out);
}

int main(void)
{
    check_mistakes();
    check_forms();
    check_quantities();
    check_links();
    check_help();
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    check_exact_values();
    check_measured_values();
    check_unknown_values();
    check_sections();
    check_sessions();
    check_copied_sizes();
    check_lanes();
    check_replaced();
    check_written();
    static const char *const kinds[] = {"md", "dm", "memory", "other", "loop"};
    check_odd_model("ODD [x]* #7?", "nvme");
    check_odd_model("\"QUOTED\" # 7\"", "nvme");
    check_odd_model("nvme", "sata"); /* the name of a model here */
    f.q.device_count = 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_odd_model("", kinds[i]);
    qualified_end(&f);
    return check_result();
}
