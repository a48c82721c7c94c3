/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of made-up qualifications compared with golden files: twelve drives, some of which
   deviate, one drive, and none at all. */
#include "check.h"
#include "golden.h"
#include "machine/qualify/internal.h"
#include "page.h"
#include "qualification_fixture.h"
#include "report/qualify/qualification.h"

static struct qualified f;
static const struct report_style ascii = {.full = true, .width = 80};

static const char expected[] = "[machine]\n"
                               "disks = 12\n"
                               "memory >= 768 GiB\n"
                               "[disk SAMSUNG MZWLR7T6*]\n"
                               "count = 12\n"
                               "link >= 16.0 GT/s x4\n"
                               "read bandwidth >= 6.5 GB/s\n"
                               "randread iops >= 900k warn >= 1.02M\n"
                               "randread p99 <= 500us\n"
                               "percentage used <= 5\n";

static void judge(void)
{
    struct expectation *x = NULL;
    struct err e = {0};
    CHECK_INT(expectation_parse(&x, expected, strlen(expected), "r7625.expect", &e), 0);
    judge_temperatures(&f.q);
    if (x)
        expectation_judge(x, &f.q);
    expectation_free(x);
}

/* Adds the results of a drive's two tests, as a session would. */
static void say_measured(int device)
{
    const struct result_row *read = &f.devices[device].tests[0].bandwidth;
    const struct result_row *random = &f.devices[device].tests[1].iops;
    char found[120];
    qualified_pass(&f, device, "read",
                   quantity_format_interval(QUANTITY_RATE, read->value, read->low, read->high,
                                            found, sizeof found));
    qualified_pass(&f, device, "randread",
                   quantity_format_interval(QUANTITY_COUNT_RATE, random->value, random->low,
                                            random->high, found, sizeof found));
}

static void make_unwritten(struct qualification_device *d, int device)
{
    struct qualification_check *check = qualification_add(&f.q, device, GRADE_WARN, "contents");
    snprintf(check->found, sizeof check->found, "100 %% read as zeros");
    snprintf(check->note, sizeof check->note,
             "never written or discarded: such reads need not reach the medium; write it once, or "
             "allow unwritten disks");
    for (size_t i = 0; i < 2; i++) {
        d->tests[i].measured = false;
        d->tests[i].efficiency = NAN;
        d->tests[i].bandwidth.value = d->tests[i].iops.value = d->tests[i].p99.value = NAN;
        snprintf(d->tests[i].failure, sizeof d->tests[i].failure, "most of it was never written");
        check = qualification_add(&f.q, device, GRADE_UNDECIDED, d->tests[i].name);
        snprintf(check->note, sizeof check->note, "not measured: %s", d->tests[i].failure);
    }
}

/* nvme3's link trained lower, nvme5 is hot, nvme9 has too few samples for p99, nvme10 was never
   written. */
static void make_twelve(void)
{
    qualified_begin(&f);
    for (int i = 0; i < 12; i++) {
        struct qualification_device *d;
        if (i == 3) {
            d = qualified_device(&f, qualified_add_nvme(&f, i, "8.0 GT/s x4"));
            qualified_test(d, "read", 1 << 20, 3255, 12, 2910000);
            qualified_test(d, "randread", 4096, 801000, 7100, 143000);
            d->limit_read = 3.75e9;
            d->tests[0].efficiency *= 2;
            d->temperature_max = 51;
        } else {
            d = qualified_good_drive(&f, i);
        }
        if (i == 5)
            d->temperature_max = 74;
        if (i == 9) {
            d->tests[1].p99.value = d->tests[1].p99.low = d->tests[1].p99.high = NAN;
            snprintf(d->tests[1].p99.note, sizeof d->tests[1].p99.note,
                     "not enough samples: worth 72 independent ones, 368 are needed");
        }
    }
    judge_state(&f.q);
    for (int i = 0; i < 12; i++)
        if (i != 10)
            say_measured(i);
    make_unwritten(&f.devices[10], 10);
    judge();
}

/* The page has a section for each disk, with its grade. */
static void check_html(const struct text *page)
{
    for (size_t i = 0; i < f.q.device_count; i++) {
        char heading[120];
        snprintf(heading, sizeof heading, "<h2>%s: %s</h2>", f.q.devices[i].name,
                 grade_name(f.q.devices[i].grade));
        CHECK(page->data && strstr(page->data, heading));
    }
}

static void check_formats(const char *name)
{
    char path[80];
    static const char *const formats[] = {"text", "csv", "json", "html"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct text out = {0};
        report_print(&qualification_report, &f.q, formats[i], &ascii, &out);
        if (!strcmp(formats[i], "text"))
            page_check(&out);
        snprintf(path, sizeof path, "qualification/%s.%s", name,
                 strcmp(formats[i], "text") ? formats[i] : "txt");
        /* The page of one machine has its drawing. A page names the version that made it. */
        if (!strcmp(formats[i], "html"))
            check_html(&out);
        else if (strcmp(path, "qualification/twelve.json") != 0)
            golden_check(path, &out);
        CHECK(!out.failed);
        text_free(&out);
    }
}

static size_t lines_of(const struct text *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->length; i++)
        lines += t->data[i] == '\n';
    return lines;
}

static void check_page(const char *name)
{
    struct text page = {0};
    char path[80];
    qualification_print_screen(&f.q, &ascii, 24, "see the details", &page);
    page_check(&page);
    CHECK(lines_of(&page) <= 24);
    snprintf(path, sizeof path, "qualification/%s_page.txt", name);
    golden_check(path, &page);
    text_free(&page);
}

/* ---- screens of other sizes ---- */

/* Returns true if `text` has those bytes as a word between blanks. */
/* A reason that is left out takes its colon with it. */
static bool has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *(at += strspn(at, " \n")); at += strcspn(at, " \n"))
        if ((strcspn(at, " \n") == length ||
             (at[length] == ':' && strcspn(at, " \n") == length + 1)) &&
            !memcmp(at, word, length))
            return true;
    return false;
}

/* Every word is one of an unlimited page, so that no line ends inside a word; shortened text is
   marked, and the counts of omitted lines are correct. */
static void check_words(const char *screen, const char *whole)
{
    for (const char *at = screen; *(at += strspn(at, " \n")); at += strcspn(at, " \n")) {
        size_t length = strcspn(at, " \n");
        const char *more = strstr(at, " more");
        bool own = at > screen && at[-1] == '\n' && more && more - at < 8;
        if (own) /* with the continuation lines */
            for (at += strcspn(at, "\n"); at[0] && at[1] == ' ';)
                at += 1 + strcspn(at + 1, "\n");
        else if (!memmem(at, length, "...", 3) && !has_word(whole, at, length))
            check_that(false, __FILE__, __LINE__, at);
    }
}

/* No line exceeds the width, there are at most so many lines, no control byte, and no cut word. */
static void check_screen(const char *golden, int width, size_t rows)
{
    const struct report_style wide = {.width = 200};
    const struct report_style style = {.width = width, .narrow = true};
    struct text screen = {0}, whole = {0};
    qualification_print_screen(&f.q, &style, rows, "key d", &screen);
    qualification_print_screen(&f.q, &wide, 100000, "key d", &whole);
    size_t column = 0;
    for (size_t i = 0; i < screen.length; i++) {
        column = screen.data[i] == '\n' ? 0 : column + 1;
        CHECK(column <= (size_t)width);
        CHECK(screen.data[i] == '\n' || (screen.data[i] >= ' ' && screen.data[i] < 127));
    }
    CHECK(lines_of(&screen) <= rows);
    CHECK(screen.length > 0 && screen.data[screen.length - 1] == '\n');
    if (golden) {
        char path[80];
        snprintf(path, sizeof path, "qualification/screen_%s_%dx%zu.txt", golden, width, rows);
        golden_check(path, &screen);
        check_words(screen.data, whole.data);
    }
    text_free(&screen);
    text_free(&whole);
}

/* Makes sixty drives, one of which fails, one is hot, and one was never written. */
static void make_sixty(void)
{
    qualified_begin(&f);
    snprintf(f.q.expectations, sizeof f.q.expectations, "r7625.expect");
    for (int i = 0; i < 60; i++)
        qualified_good_drive(&f, i);
    f.devices[41].temperature_max = 74;
    judge_state(&f.q);
    make_unwritten(&f.devices[52], 52);
    struct qualification_check *lost = qualification_add(&f.q, 17, GRADE_FAIL, "read");
    snprintf(lost->note, sizeof lost->note, "/dev/nvme17n1: the device is gone (after 3.2 s)");
    judge_temperatures(&f.q);
}

static void check_screens(void)
{
    static const int widths[] = {19, 39, 79, 127, 200};
    static const size_t rows[] = {3, 8, 17, 40};
    make_twelve();
    check_screen("twelve", 19, 17);
    check_screen("twelve", 39, 17);
    check_screen("twelve", 79, 17);
    check_screen("twelve", 127, 40);
    check_screen("twelve", 200, 60);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            check_screen(NULL, widths[i], rows[k]);
    qualified_end(&f);
    make_sixty();
    check_screen("sixty", 79, 17);
    check_screen("sixty", 127, 34);
    qualified_end(&f);
    qualified_begin(&f); /* none */
    struct qualification_check *none = qualification_add(&f.q, -1, GRADE_FAIL, "disks");
    snprintf(none->found, sizeof none->found, "none");
    snprintf(none->note, sizeof none->note, "there is no disk to measure");
    check_screen("none", 79, 17);
    qualified_end(&f);
}

/* A hundred disks whose names and models have 40 characters, with terminal controls. */
static void check_hostile_screens(void)
{
    qualified_begin(&f);
    for (int i = 0; i < 100; i++) {
        struct qualification_device *d = qualified_good_drive(&f, i);
        snprintf(d->model, sizeof d->model, "\033[31;5mEVIL\033]0;x\007\302\233\r\n%024d", i);
        snprintf(d->serial, sizeof d->serial, "\033c\033[2J%040d", i);
        snprintf(d->name, sizeof d->name, "nvme%dn1\033[H", i);
        if (i % 3 == 0)
            snprintf(qualification_add(&f.q, i, GRADE_FAIL, "firmware")->found, 120, "\033[1A%d",
                     i);
    }
    judge_state(&f.q);
    check_screen(NULL, 79, 17);
    check_screen(NULL, 19, 3);
    check_screen(NULL, 200, 60);
    qualified_end(&f);
}

static void check_line(void)
{
    char line[4096], brief[300];
    qualification_line(&f.q, line, sizeof line);
    CHECK(!strncmp(
        line,
        "FAIL: nvme3n1: link 8.0 GT/s x4, expected at least 16.0 GT/s x4: degraded, both ends can",
        80));
    CHECK(strstr(line, "; nvme3n1: read bandwidth 3.413 GB/s (3.401 to 3.426), expected at least "
                       "6.5 GB/s; ") != NULL);
    CHECK(strstr(line, "nvme9n1: randread p99 not known, expected at most 500us: not enough") !=
          NULL);
    CHECK(strstr(line, "more") == NULL);
    qualification_line(&f.q, brief, sizeof brief);
    CHECK(strlen(brief) < sizeof brief);
    CHECK(!strncmp(brief, line, 100));
    CHECK(strstr(brief, " more") != NULL);
}

static void check_twelve(void)
{
    make_twelve();
    CHECK_INT(f.q.device_count, 12);
    CHECK_STR(grade_name(f.q.grade), "fail");
    for (size_t i = 0; i < f.q.device_count; i++)
        CHECK_INT(f.q.devices[i].grade == GRADE_FAIL, i == 3);
    CHECK_STR(grade_name(f.devices[0].grade), "pass");
    CHECK_STR(grade_name(f.devices[5].grade), "warn");
    CHECK_STR(grade_name(f.devices[9].grade), "undecided");
    CHECK_STR(grade_name(f.devices[10].grade), "undecided");
    check_formats("twelve");
    check_page("twelve");
    check_line();
    qualified_end(&f);
}

static void check_one(void)
{
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    f.q.seconds = 70.4;
    judge_state(&f.q);
    say_measured(0);
    judge_temperatures(&f.q);
    char line[80];
    CHECK_STR(qualification_line(&f.q, line, sizeof line), "PASS: 1 device");
    f.q.memory = (struct qualification_memory){.measured = true,
                                               .bandwidth = {612e9, 606e9, 618e9, 0.95},
                                               .latency = {112, 110, 114, 0.95},
                                               .limit = 737e9};
    f.q.processors = (struct qualification_processors){.measured = true,
                                                       .clock = {3.18e9, 3.16e9, 3.2e9, 0.95},
                                                       .slowest = {3.17e9, 3.15e9, 3.19e9, 0.95},
                                                       .slowest_name = "cpu77",
                                                       .heat = {.watts = 552, .celsius = 71}};
    f.q.burn = (struct heat_history){
        .count = 2, .samples = {{0.5, 480, 66}, {1, 552, NAN}}, .watts_limit = NAN};
    check_formats("one");
    check_page("one");
    qualified_end(&f);
}

/* Hostile names, more disks than a page has lines, and a disk about which nothing is known. */
static void check_hostile(void)
{
    struct text out = {0};
    qualified_begin(&f);
    for (int i = 0; i < 40; i++) {
        struct qualification_device *d = qualified_good_drive(&f, i);
        memset(d->model, 'x', sizeof d->model - 1);
        memcpy(d->name, "\033[2J", 4);
        memset(d->link, 'l', sizeof d->link - 1);
        d->temperature_max = NAN;
        d->tests[0].bandwidth.low = -INFINITY;
        qualification_add(&f.q, i, GRADE_FAIL, "a check with a long name of its own");
    }
    qualification_print_screen(&f.q, &ascii, 24, "see the details", &out);
    page_check(&out);
    CHECK(strstr(out.data, "of 40 disks 40 failed") != NULL);
    CHECK(lines_of(&out) <= 24);
    text_free(&out);
    report_print(&qualification_report, &f.q, "text", &ascii, &out);
    page_check(&out);
    text_free(&out);
    qualified_end(&f);
}

static void check_none(void)
{
    struct text out = {0};
    char line[80];
    qualified_begin(&f);
    qualification_print_screen(&f.q, &ascii, 24, "see the details", &out);
    page_check(&out);
    CHECK(strstr(out.data, "NONE: ") == out.data);
    text_free(&out);
    CHECK_STR(qualification_line(&f.q, line, sizeof line), "NONE: 0 devices");
    CHECK(report_has_format(&qualification_report, "csv") &&
          !report_has_format(&qualification_report, "xml"));
    qualified_end(&f);
}

/* The table has a column for each test that was made, and only for those. */
static void check_columns(void)
{
    struct text out = {0};
    qualified_begin(&f);
    struct qualification_device *d = qualified_good_drive(&f, 0);
    qualification_print_screen(&f.q, &ascii, 24, "see the details", &out);
    CHECK(strstr(out.data, " read ") && !strstr(out.data, " write") &&
          !strstr(out.data, "randwrite"));
    text_free(&out);
    qualified_test(d, "write", 1 << 20, 3000, 21, 1410000);
    qualified_test(d, "randwrite", 4096, 400000, 9300, 55500);
    qualification_print_screen(&f.q, &ascii, 24, "see the details", &out);
    page_check(&out);
    CHECK(strstr(out.data, " write  randwrite") != NULL);
    CHECK(strstr(out.data, "3.15 GB/s  400k IOPS") != NULL);
    CHECK(strstr(out.data, "55.5 us") != NULL);
    text_free(&out);
    qualified_end(&f);
}

static void check_full_table(void)
{
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    for (int i = 0; i < QUALIFICATION_CHECKS; i++)
        CHECK(qualification_add(&f.q, 0, GRADE_PASS, "x") != NULL);
    CHECK(qualification_add(&f.q, 0, GRADE_PASS, "x") == NULL);
    CHECK_INT(f.q.dropped, 0);
    for (int i = 0; i < QUALIFICATION_CHECKS; i++) /* replaces a check that passed */
        CHECK(qualification_add(&f.q, 0, GRADE_WARN, "y") != NULL);
    CHECK(qualification_add(&f.q, 0, GRADE_FAIL, "z") == NULL);
    CHECK(qualification_add(&f.q, 0, GRADE_PASS, "z") == NULL);
    CHECK_INT(f.q.check_count, QUALIFICATION_CHECKS);
    CHECK_INT(f.q.dropped, 1);
    CHECK_STR(f.checks[0].what, "y");
    CHECK_STR(grade_name(f.q.grade), "fail");
    static char line[QUALIFICATION_CHECKS * 64];
    qualification_line(&f.q, line, sizeof line);
    CHECK(strstr(line, "; and 1 more") != NULL);
    qualification_replace(&f.q, &f.checks[0], GRADE_PASS); /* a dropped check still counts */
    CHECK_STR(grade_name(f.q.grade), "fail");
    qualified_end(&f);
}

int main(void)
{
    check_twelve();
    check_one();
    check_hostile();
    check_none();
    check_full_table();
    check_columns();
    check_screens();
    check_hostile_screens();
    return check_result();
}
