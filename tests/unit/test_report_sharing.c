/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight drives behind two switches, one of which is oversubscribed: checks, expectations and
   report. */
#include "expectation_fixture.h"

#include "report/qualify/qualification.h"

static struct sharing s;

static void set(struct sharing_measured *m, double alone, double keeps)
{
    *m = (struct sharing_measured){.alone = alone,
                                   .together = alone * keeps,
                                   .ratio = keeps,
                                   .low = keeps - 0.01,
                                   .high = keeps + 0.01};
}

/* In sequential reads, drives of the first switch keep the share `first` of their rate, those of
   the second `second`. */
static void begin(double first, double second, double limit)
{
    qualified_begin(&f);
    s = (struct sharing){.confidence = 0.95,
                         .groups = 2,
                         .slots = 4,
                         .max_rounds = 12,
                         .round_seconds = 5,
                         .rounds = {6, 4},
                         .part_count = 2,
                         .block_size = {1 << 17, 4096}};
    for (int i = 0; i < 8; i++) {
        struct sharing_drive *d = &s.drives[s.drive_count++];
        qualified_device(&f, qualified_add_nvme(&f, i, "16.0 GT/s x4"));
        *d = (struct sharing_drive){.device = i, .group = (unsigned)i / 4, .part = {-1, -1}};
        snprintf(d->name, sizeof d->name, "nvme%dn1", i);
        double keeps = i < 4 ? first : second;
        set(&d->load[SHARING_READ], 7e9, keeps);
        set(&d->load[SHARING_RANDREAD], 1e6, 1);
        d->loss[SHARING_READ] = keeps > 0.96   ? SHARING_KEEPS
                                : keeps < 0.94 ? SHARING_LOSES
                                               : SHARING_UNDECIDED;
        d->loss[SHARING_RANDREAD] = SHARING_KEEPS;
        if (d->loss[SHARING_READ] == SHARING_LOSES)
            d->part[SHARING_READ] = i / 4;
    }
    for (int p = 0; p < 2; p++) {
        struct sharing_part *part = &s.parts[p];
        double keeps = p ? second : first;
        *part = (struct sharing_part){.count = 4, .limit = limit, .used = {NAN, NAN}};
        snprintf(part->name, sizeof part->name, "0000:c%d:00.0", p + 1);
        snprintf(part->words, sizeof part->words, "switch 0000:c%d:00.0 at root port 0000:c0:0%d.1",
                 p + 1, p + 1);
        for (size_t i = 0; i < 8; i++)
            part->member[i] = (int)i / 4 == p;
        set(&part->load[SHARING_READ], 28e9, keeps);
        set(&part->load[SHARING_RANDREAD], 4e6, 1);
        part->used[SHARING_READ] = 28e9 * keeps / limit;
        if (keeps < 0.94)
            part->blame[SHARING_READ] =
                part->used[SHARING_READ] > 0.85 ? SHARING_FULL : SHARING_UNKNOWN;
    }
    f.q.sharing = &s;
}

static size_t lines_of(const struct text *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->length; i++)
        lines += t->data[i] == '\n';
    return lines;
}

static void check_says(const char *format, bool full, size_t max_lines, const char *const words[])
{
    const struct report_style style = {.full = full, .width = 80};
    struct text out = {0};
    report_print(&qualification_report, &f.q, format, &style, &out);
    CHECK(lines_of(&out) <= max_lines);
    for (; *words; words++)
        if (!check_that(out.data && strstr(out.data, *words), __FILE__, __LINE__, *words))
            fprintf(stderr, "%s\n", out.data ? out.data : "nothing");
    text_free(&out);
}

static void test_oversubscribed(void)
{
    begin(0.54, 1, 15e9);
    judge_sharing(&f.q, &s);
    const struct qualification_check *part = find_check("shared part");
    CHECK(part != NULL);
    if (part) {
        CHECK_INT(part->device, -1);
        CHECK_INT(part->grade, GRADE_WARN);
        CHECK_STR(part->found, "switch 0000:c1:00.0 at root port 0000:c0:01.1: 4 disks keep 0.54");
        CHECK(strstr(part->note, "it is oversubscribed, its limit is 15 GB/s") != NULL);
    }
    CHECK_INT(f.q.grade, GRADE_WARN);
    CHECK_INT(qualification_status(&f.q), ERR_NONE);
    CHECK_INT(f.devices[0].grade, GRADE_NONE);
    CHECK_INT(f.devices[4].grade, GRADE_PASS);
    check_says("text", false, 22,
               (const char *const[]){"WARN: Dell Inc. PowerEdge R7625",
                                     "0000:c1:00.0      4    28 GB/s 15.1 GB/s  0.54   15 GB/s",
                                     "oversubscribed", "nothing lost",
                                     "nvme0n1         7 GB/s 3.78 GB/s  0.54", "nvme7n1",
                                     "4 lose when all are busy", NULL});
    check_says(
        "text", true, 400,
        (const char *const[]){"Alone and together", "(0.53 to 0.55)", "nvme0n1, nvme1n1,",
                              "  0000:c1:00.0, read 15.1 GB/s of 15 GB/s (101 %): oversubscribed\n"
                              "  |- nvme0n1, read 3.78 GB/s of 7 GB/s alone: loses\n",
                              NULL});
    check_says("csv", true, 400,
               (const char *const[]){"\nmeasurement,nvme0n1,", ",read together over alone,,1,0.54,",
                                     "\nshared part,0000:c1:00.0,", "oversubscribed", NULL});
    check_says(
        "json", true, 4000,
        (const char *const[]){"\"together\":", "\"rounds_together\":", "\"oversubscribed\"", NULL});
    check_says("html", true, 100000,
               (const char *const[]){"All disks together over each alone: sequential read",
                                     "<b>Data paths</b>", ">oversubscribed</text>", ">loses</text>",
                                     NULL});
    qualified_end(&f);
}

static void test_expected(void)
{
    begin(0.54, 1, 15e9);
    f.q.device_count = 1;
    judge_sharing(&f.q, &s);
    /* The disk fails its expectation, whichever part is the cause. */
    struct expectation *x = parse("[disk]\ntogether >= 0.95\n");
    if (x)
        expectation_judge(x, &f.q);
    CHECK_INT(f.devices[0].grade, GRADE_FAIL);
    CHECK_INT(qualification_status(&f.q), ERR_FAILED);
    expectation_free(x);
    f.q.device_count = 2;
    check_grade("[disk]\ntogether >= 50 %", "together", GRADE_PASS, "");
    check_grade("[disk]\ntogether >= 0.54", "together", GRADE_UNDECIDED,
                "inside the 95 % interval");
    /* Without --together this is not judged; with it, single tests are not. */
    check_grade("[disk]\nrandread p99 <= 500us", "randread p99", GRADE_NONE, "not asked for");
    f.q.sharing = NULL;
    check_grade("[disk]\ntogether >= 0.95", "together", GRADE_NONE, "not asked for");
    check_mistake("[disk]\ntogether >= 95\n", "x:2:13: ", "a share is expected");
    qualified_end(&f);
}

static void test_others(void)
{
    /* Not decided. */
    begin(0.95, 1, 15e9);
    judge_sharing(&f.q, &s);
    CHECK_INT(f.devices[0].grade, GRADE_UNDECIDED);
    CHECK_INT(qualification_status(&f.q), ERR_UNDECIDED);
    qualified_end(&f);
    /* The part's known limit is not the cause. */
    begin(0.54, 1, 100e9);
    judge_sharing(&f.q, &s);
    const struct qualification_check *part = find_check("shared part");
    CHECK(part && strstr(part->note, "its known limit of 100 GB/s is not reached"));
    qualified_end(&f);
    /* No part explains the loss. */
    begin(0.54, 1, 15e9);
    for (size_t i = 0; i < 8; i++)
        s.drives[i].part[SHARING_READ] = -1;
    s.parts[0].blame[SHARING_READ] = SHARING_FREE;
    judge_sharing(&f.q, &s);
    CHECK_INT(f.devices[0].grade, GRADE_WARN);
    CHECK(find_check("shared part") == NULL);
    qualified_end(&f);
    /* A drive that disappeared has failed; a single drive has none to be compared with. */
    begin(1, 1, 15e9);
    snprintf(s.drives[3].failure, sizeof s.drives[3].failure, "No such device");
    judge_sharing(&f.q, &s);
    CHECK_INT(f.devices[3].grade, GRADE_FAIL);
    CHECK_INT(f.devices[2].grade, GRADE_PASS);
    CHECK_INT(qualification_status(&f.q), ERR_FAILED);
    qualified_end(&f);
    begin(1, 1, 15e9);
    f.q.device_count = s.drive_count = 1;
    s.part_count = 0;
    s.drives[0].loss[SHARING_READ] = s.drives[0].loss[SHARING_RANDREAD] = SHARING_NOT_MEASURED;
    judge_sharing(&f.q, &s);
    CHECK_INT(f.q.grade, GRADE_WARN);
    CHECK_INT(qualification_status(&f.q), ERR_NONE);
    CHECK(find_check("together") && strstr(find_check("together")->note, "no other"));
    qualified_end(&f);
}

int main(void)
{
    test_oversubscribed();
    test_expected();
    test_others();
    return check_result();
}
