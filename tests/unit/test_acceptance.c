/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict on new drives: a reason to fail is always reported, whatever else was found. */
#include "check.h"
#include "facts/accept/acceptance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/accept/acceptance_report.h"

static struct acceptance_disk disk;
static struct acceptance all = {.disks = &disk, .disk_count = 1};

static enum err_code status(void)
{
    struct err e = {0};
    acceptance_judge(&all);
    return acceptance_status(&all, &e);
}

static void check_many_findings(void)
{
    disk = (struct acceptance_disk){0};
    for (int i = 0; i < ACCEPTANCE_FINDINGS + 20; i++)
        acceptance_add(&disk, GRADE_WARN, "precondition", "it was hot, %d", i);
    CHECK_INT(status(), ERR_NONE);
    acceptance_add(&disk, GRADE_FAIL, "verify", "a sector is corrupt");
    CHECK_INT(disk.finding_count, ACCEPTANCE_FINDINGS);
    CHECK_INT(disk.finding_dropped, 21);
    CHECK_INT(status(), ERR_TARGET);
    CHECK_INT(all.verdict, GRADE_FAIL);
    CHECK_STR(disk.why, "verify: a sector is corrupt");
}

static void check_status(void)
{
    disk = (struct acceptance_disk){.stage_count = 2};
    disk.stages[0] = (struct acceptance_stage){.name = "precondition", .status = STAGE_DONE};
    disk.stages[1] = (struct acceptance_stage){.name = "verify", .status = STAGE_PLANNED};
    CHECK_INT(status(), ERR_UNDECIDED);
    disk.stages[1].status = STAGE_FAILED;
    disk.stages[1].code = ERR_MACHINE;
    CHECK_INT(status(), ERR_MACHINE);
    disk.stages[1].code = ERR_NONE; /* of a journal that was damaged */
    CHECK_INT(status(), ERR_UNDECIDED);
    snprintf(disk.stages[1].words, sizeof disk.stages[1].words, "it was stopped");
    CHECK_INT(status(), ERR_UNDECIDED);
    CHECK_STR(disk.why, "verify: it was stopped");
    /* Words that already name the stage or one of its tests: the name is not repeated. */
    snprintf(disk.stages[1].words, sizeof disk.stages[1].words, "verify: it was stopped");
    CHECK_INT(status(), ERR_UNDECIDED);
    CHECK_STR(disk.why, "verify: it was stopped");
    disk.stages[1].code = ERR_USAGE;
    acceptance_add(&disk, GRADE_FAIL, "", "media errors: 0 before, 5 after");
    CHECK_INT(status(), ERR_TARGET);
    disk.stages[1].status = STAGE_DONE;
    disk.finding_count = 0;
    CHECK_INT(status(), ERR_NONE);
}

/* The plot's axis has a unit that fits its numbers, and the plot has one title. */
static void check_page(void)
{
    static struct acceptance_point points[] = {{.written = 3e8, .rate = 2e8, .celsius = NAN},
                                               {.written = 8e8, .rate = 1e8, .celsius = NAN}};
    static const struct report_style style = {.width = 80};
    struct text page = {0};
    disk = (struct acceptance_disk){.stage_count = 1, .points = points, .point_count = 2};
    disk.stages[0] = (struct acceptance_stage){.name = "precondition", .status = STAGE_DONE};
    disk.celsius_max = NAN;
    report_print(&acceptance_report, &all, "html", &style, &page);
    CHECK(page.data && strstr(page.data, "MB written") && !strstr(page.data, "bytes written"));
    CHECK(page.data && !strstr(page.data, "against what was written"));
    text_free(&page);
}

int main(void)
{
    check_page();
    check_many_findings();
    check_status();
    return check_result();
}
