/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares SMART values and error counters before and after the work. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hw/prober.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"
#include "machine/qualify/disk_selection.h"

/* The health values that are compared, and the grade if they changed. Counters that also grow in a
   good drive while it is written (hours, wear) have no grade. */
static const struct health_row {
    const char *key, *words;
    enum grade grade; /* grade of a value that changed */
} rows[] = {
    {"health", "health", GRADE_FAIL},
    {"critical_warning", "critical warning", GRADE_FAIL},
    {"media_errors", "media errors", GRADE_FAIL},
    {"pending_sectors", "pending sectors", GRADE_FAIL},
    {"reported_uncorrectable", "uncorrectable errors", GRADE_FAIL},
    {"write_uncorrectable", "uncorrectable write errors", GRADE_FAIL},
    {"verify_uncorrectable", "uncorrectable errors of verifying", GRADE_FAIL},
    {"grown_defects", "grown defects", GRADE_FAIL},
    {"background_scan_errors", "blocks that its background scan reports", GRADE_FAIL},
    {"offline_uncorrectable", "uncorrectable sectors", GRADE_FAIL},
    {"reallocated_sectors", "reallocated sectors", GRADE_WARN},
    {"error_log_entries", "entries of the error log", GRADE_WARN},
    {"available_spare", "available spare", GRADE_WARN},
    {"unsafe_shutdowns", "unsafe shutdowns", GRADE_WARN},
    {"negotiated", "link", GRADE_WARN},
    {"drive_write_cache", "write cache, as the drive says", GRADE_WARN},
    {"write_cache", "write cache, as the kernel knows it", GRADE_WARN},
    {"percentage_used", "percentage used", GRADE_NONE},
    {"power_on_hours", "power-on hours", GRADE_NONE},
    {"non_medium_errors", "errors that are not of the medium", GRADE_NONE},
    {"read_corrected", "corrected read errors", GRADE_NONE},
    {"write_corrected", "corrected write errors", GRADE_NONE},
    {"verify_corrected", "corrected errors of verifying", GRADE_NONE},
    {"start_stop_cycles", "start-stop cycles", GRADE_NONE},
    {"load_cycles", "load cycles", GRADE_NONE},
    {"firmware", "firmware", GRADE_WARN},
};

enum { ROWS = sizeof rows / sizeof *rows };

int accept_health_keep(struct accept_disk *d, const char *when, struct err *e)
{
    struct inventory v = {0};
    struct probe probe = {.root = d->root, .inventory = &v, .commands = true, .serials = true};
    char fields[ACCEPT_LINE_MAX / 2], value[ACCEPT_QUOTED];
    size_t used = 0;
    if (probe_all(&probe, e)) {
        inventory_free(&v);
        return -1;
    }
    int node = inventory_find(&v, d->name);
    fields[0] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        const struct inventory_fact *fact = disk_fact(&v, node, rows[i].key);
        if (!fact || fact->status != FACT_OK)
            continue;
        accept_journal_quote(value, fact->value);
        if (used + strlen(rows[i].key) + strlen(value) + 3 < sizeof fields)
            used +=
                (size_t)snprintf(fields + used, sizeof fields - used, " %s=%s", rows[i].key, value);
    }
    inventory_free(&v);
    return accept_journal_add(d->journal, d->number, e, "health", "when=%s%s", when, fields);
}

void accept_health_compare(struct acceptance_disk *to, const struct accept_line *before,
                           const struct accept_line *after)
{
    char old[120], new[120];
    for (size_t i = 0; i < ROWS && before && after; i++) {
        bool had = accept_line_text(before, rows[i].key, old, sizeof old);
        bool has = accept_line_text(after, rows[i].key, new, sizeof new);
        if (had && has && strcmp(old, new) != 0)
            acceptance_add(to, rows[i].grade, "", "%s: %s before, %s after", rows[i].words, old,
                           new);
        else if (had && !has)
            acceptance_add(to, GRADE_WARN, "", "%s: %s before, not reported any more after",
                           rows[i].words, old);
    }
    if (after && accept_line_text(after, "health", new, sizeof new) && strcmp(new, "good") != 0)
        acceptance_add(to, GRADE_FAIL, "", "health: %s", new);
}
