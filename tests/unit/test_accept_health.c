/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings of an acceptance on health counters that changed between its first and last stage. */
#include "check.h"

#include <string.h>

#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

static const char good[] =
    "when=after health=good reported_uncorrectable=0 write_uncorrectable=0 verify_uncorrectable=0"
    " grown_defects=2 background_scan_errors=0 non_medium_errors=7 read_corrected=100"
    " start_stop_cycles=9 drive_write_cache=on write_cache=write%20back";

static struct acceptance_disk compare(const char *after_fields)
{
    struct acceptance_disk disk = {0};
    const struct accept_line before = {.event = "health", .fields = good},
                             after = {.event = "health", .fields = after_fields};
    accept_health_compare(&disk, &before, &after);
    return disk;
}

static void one_change(const char *changed, enum grade grade, const char *words)
{
    char fields[600], key[64];
    (void)snprintf(key, sizeof key, " %.*s=", (int)strcspn(changed, "="), changed);
    const char *at = strstr(good, key) + 1, *end = at + strcspn(at, " ");
    (void)snprintf(fields, sizeof fields, "%.*s%s%s", (int)(at - good), good, changed, end);
    const struct acceptance_disk disk = compare(fields);
    CHECK_INT((long long)disk.finding_count, 1);
    CHECK_INT(disk.findings[0].grade, grade);
    CHECK_STR(disk.findings[0].words, words);
}

int main(void)
{
    CHECK_INT((long long)compare(good).finding_count, 0);
    one_change("reported_uncorrectable=1", GRADE_FAIL, "uncorrectable errors: 0 before, 1 after");
    one_change("write_uncorrectable=3", GRADE_FAIL,
               "uncorrectable write errors: 0 before, 3 after");
    one_change("verify_uncorrectable=1", GRADE_FAIL,
               "uncorrectable errors of verifying: 0 before, 1 after");
    one_change("grown_defects=5", GRADE_FAIL, "grown defects: 2 before, 5 after");
    one_change("background_scan_errors=1", GRADE_FAIL,
               "blocks that its background scan reports: 0 before, 1 after");
    one_change("non_medium_errors=8", GRADE_NONE,
               "errors that are not of the medium: 7 before, 8 after");
    one_change("read_corrected=120", GRADE_NONE, "corrected read errors: 100 before, 120 after");
    one_change("start_stop_cycles=10", GRADE_NONE, "start-stop cycles: 9 before, 10 after");
    one_change("drive_write_cache=off", GRADE_WARN,
               "write cache, as the drive says: on before, off after");
    one_change("write_cache=write%20through", GRADE_WARN,
               "write cache, as the kernel knows it: write back before, write through after");
    return check_result();
}
