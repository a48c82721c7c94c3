/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drives of one model in one machine, where the odd one out is a warning; and the report of a
 * qualification as a fleet reads it.
 */
#include "machine/qualify/fleet.h"

#include "check.h"
#include "machine/qualify/internal.h"
#include "qualification_fixture.h"
#include "report/qualify/qualification.h"

/* Makes `count` drives of one model, the third of which reaches `share` of the others' rates. */
static void make(struct qualified *f, int count, double share, const char *link)
{
    qualified_begin(f);
    for (int i = 0; i < count; i++) {
        struct qualification_device *d =
            qualified_device(f, qualified_add_nvme(f, i, i == 2 ? link : "16.0 GT/s x4"));
        double rate = (i == 2 ? share : 1) * (1 + 0.002 * (i % 4));
        qualified_test(d, "read", 1 << 20, 6600 * rate, 21, 1410000);
        qualified_test(d, "randread", 4096, 1048000 * rate, 9300, 97100);
        d->temperature_max = 58 + i % 3;
    }
}

static void check_machine(void)
{
    static struct qualified f;
    struct err e = {0};
    make(&f, 8, 0.8, "8.0 GT/s x4");
    CHECK_INT(judge_peers(&f.q, &e), 0);
    qualified_expect(&f.q, 2, "odd one out", GRADE_WARN, "lower",
                     "link 8.0 GT/s x4, its peers 16.0 GT/s x4");
    size_t named = 0;
    for (size_t i = 0; i < f.q.check_count; i++)
        named += !strcmp(f.q.checks[i].what, "odd one out");
    CHECK_INT(named, 1);
    qualified_end(&f);
    /* All drives are alike: there is no warning. */
    make(&f, 8, 1, "16.0 GT/s x4");
    CHECK_INT(judge_peers(&f.q, &e), 0);
    CHECK_INT(f.q.check_count, 0);
    qualified_end(&f);
    /* Too few, and two. */
    make(&f, 4, 0.5, "16.0 GT/s x4");
    CHECK_INT(judge_peers(&f.q, &e), 0);
    qualified_expect(&f.q, -1, "odd one out", GRADE_NONE, "too few peers", "five are needed");
    CHECK(f.q.grade < GRADE_WARN);
    qualified_end(&f);
}

/* The report read back equals the qualification. */
static void check_report(void)
{
    static struct qualified f;
    struct fleet read = {0}, added = {0};
    struct text report = {0};
    const struct report_style style = {.width = 80};
    struct err e = {0};
    make(&f, 8, 0.8, "8.0 GT/s x4");
    snprintf(f.devices[3].place, sizeof f.devices[3].place, "NUMA node 1");
    note_check(&f.q, 2, GRADE_WARN, "throttling", "", "while measuring");
    report_print(&qualification_report, &f.q, "json", &style, &report);
    CHECK(fleet_read_report(&read, report.data, report.length, "here"));
    fleet_add_qualification(&added, &f.q);
    CHECK_INT(read.disk_count, 8);
    CHECK_INT(added.disk_count, 8);
    CHECK_STR(read.machines[0].folder, "here");
    CHECK_STR(read.machines[0].product, f.q.product);
    for (size_t i = 0; i < read.disk_count && i < added.disk_count; i++) {
        const struct fleet_disk *a = &read.disks[i], *b = &added.disks[i];
        CHECK_STR(a->name, b->name);
        CHECK_STR(a->kind, b->kind);
        CHECK_STR(a->model, b->model);
        CHECK_STR(a->serial, b->serial);
        CHECK_STR(a->firmware, b->firmware);
        CHECK_STR(a->link, b->link);
        CHECK_STR(a->slot, b->slot);
        CHECK_STR(a->place, b->place);
        CHECK_NEAR(a->size, b->size, 1e-12);
        CHECK_NEAR(a->temperature, b->temperature, 1e-12);
        CHECK_INT(a->trouble, b->trouble);
        for (size_t row = 0; row < FLEET_ROWS; row++) {
            CHECK(a->values[row].conditions == b->values[row].conditions);
            if (!isnan(b->values[row].value))
                CHECK_NEAR(a->values[row].low, b->values[row].low, 1e-12);
        }
    }
    CHECK_INT(read.disks[2].trouble, FLEET_THROTTLED);
    CHECK_INT(fleet_judge(&read, &e), 0);
    CHECK_INT(read.slow_count, 1);
    CHECK_INT(fleet_status(&read), ERR_FAILED);
    if (read.slow_count == 1) {
        CHECK_INT(read.slow[0].disk, 2);
        CHECK(read.slow[0].low < 0.2 && read.slow[0].high > 0.19);
        CHECK(strstr(read.slow[0].cause, "it throttled") != NULL);
    }
    /* Each incomplete report is a note, and never a part of a machine. */
    for (size_t length = 0; length < report.length; length += 97) {
        CHECK(!fleet_read_report(&added, report.data, length, "cut"));
        CHECK_INT(added.machine_count, 1);
        CHECK_INT(added.disk_count, 8);
    }
    fleet_free(&read);
    fleet_free(&added);
    text_free(&report);
    qualified_end(&f);
}

static struct fleet_disk *add_disk(struct fleet *f, size_t machine, uint64_t conditions)
{
    struct fleet_disk *d = fleet_add_disk(f, machine);
    snprintf(d->name, sizeof d->name, "nvme%zun1", f->disk_count);
    snprintf(d->link, sizeof d->link, "%s", conditions == 3 ? "8.0 GT/s x4" : "16.0 GT/s x4");
    d->values[4].conditions = conditions;
    return d;
}

static void set_rate(struct fleet_disk *d, size_t row, double rate)
{
    d->values[row] =
        (struct fleet_value){rate, rate * 0.999, rate * 1.001, 0.95, d->values[4].conditions};
}

/* A machine that is slow only in tests that were measured for writes; its first drive is of another
   model, was measured differently, and is not slow. */
static void check_mixed_machine(void)
{
    struct fleet f = {0};
    struct err e = {0};
    for (size_t m = 0; m < 16; m++) {
        CHECK(fleet_add_machine(&f) != NULL);
        set_rate(add_disk(&f, m, 3), 0, 500);
        for (size_t i = 0; i < 4; i++) {
            double rate = (m == 5 ? 0.8 : 1) * (1 + 0.003 * (double)((7 * m + 5 * i) % 11));
            struct fleet_disk *d = add_disk(&f, m, 7);
            set_rate(d, 3, 4000 * rate);
            set_rate(d, 4, 200000 * rate);
            if (m == 5)
                snprintf(d->link, sizeof d->link, "16.0 GT/s x2");
        }
    }
    CHECK_INT(fleet_judge(&f, &e), 0);
    CHECK_INT(f.slow_count, 1);
    if (f.slow_count == 1) {
        CHECK(f.slow[0].whole_machine);
        CHECK_INT(f.slow[0].machine, 5);
        CHECK_INT(f.slow[0].drives, 4);
        CHECK_INT(f.disks[f.slow[0].disk].values[4].conditions, 7);
        CHECK_STR(f.slow[0].cause, "link 16.0 GT/s x2, its peers 16.0 GT/s x4");
        CHECK(!f.disks[25].slow);
        f.slow[0].row = -1; /* the mean has no test of row 0 */
        CHECK_INT(fleet_row_of(&f, &f.slow[0]), 3);
        fleet_find_cause(&f, &f.slow[0]);
        CHECK_STR(f.slow[0].cause, "link 16.0 GT/s x2, its peers 16.0 GT/s x4");
    }
    fleet_free(&f);
}

int main(void)
{
    check_machine();
    check_report();
    check_mixed_machine();
    return check_result();
}
