/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges changes of the machine during the measurement: heat, throttling, errors, lost devices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hw/monitor/inventory_change.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/internal.h"

#define CHANGES_MAX 128

/* The changes that are judged. Other changes do not affect whether the machine is good. */
static const struct change_row {
    const char *key;
    enum grade grade;
    const char *what;
} change_rows[] = {
    {"present", GRADE_FAIL, "device"},
    {"state", GRADE_FAIL, "controller state"},
    {"negotiated", GRADE_FAIL, "link"},
    {"media_errors", GRADE_FAIL, "media errors"},
    {"critical_warning", GRADE_FAIL, "health"},
    {"health", GRADE_FAIL, "health"},
    {"reallocated_sectors", GRADE_WARN, "media errors"},
    {"pending_sectors", GRADE_FAIL, "media errors"},
    {"reported_uncorrectable", GRADE_FAIL, "media errors"},
    {"write_uncorrectable", GRADE_FAIL, "media errors"},
    {"verify_uncorrectable", GRADE_FAIL, "media errors"},
    {"grown_defects", GRADE_FAIL, "media errors"},
    {"offline_uncorrectable", GRADE_FAIL, "media errors"},
    {"aer_fatal", GRADE_FAIL, "PCIe errors"},
    {"aer_nonfatal", GRADE_FAIL, "PCIe errors"},
    {"aer_correctable", GRADE_WARN, "PCIe errors"},
    {"edac_uncorrectable", GRADE_FAIL, "memory errors"},
    {"edac_correctable", GRADE_WARN, "memory errors"},
    {"invalid_dword_count", GRADE_WARN, "SAS link errors"},
    {"loss_of_dword_sync_count", GRADE_WARN, "SAS link errors"},
    {"throttled_light", GRADE_WARN, "throttling"},
    {"throttled_heavy", GRADE_WARN, "throttling"},
    {"core_throttle_count", GRADE_WARN, "throttling"},
    {"package_throttle_count", GRADE_WARN, "throttling"},
    {"turbo", GRADE_WARN, "machine state"},
    {"online", GRADE_WARN, "machine state"},
    {"frequency_max", GRADE_WARN, "machine state"},
    {"on_battery", GRADE_WARN, "power"},
};

/* ---- links ---- */

static bool is_whole(const struct inventory *v, int node)
{
    const char *degraded = inventory_value(v, node, "degraded");
    return degraded && !strcmp(degraded, "no");
}

static void clear_link(struct qualification *q, int device, const char *what,
                       const struct inventory *after, int node)
{
    const char *now = inventory_value(after, node, "negotiated");
    for (size_t i = 0; i < q->check_count && now; i++) {
        struct qualification_check *check = &q->checks[i];
        if (check->device != device || check->grade < GRADE_WARN || strcmp(check->what, what) != 0)
            continue;
        snprintf(check->note, sizeof check->note, "%.80s before, while it was idle", check->found);
        snprintf(check->found, sizeof check->found, "%s", now);
        qualification_replace(q, check, GRADE_PASS);
    }
}

/* ---- all changes ---- */

static void note_change(struct qualification *q, const struct change *change,
                        const struct inventory *after)
{
    const struct change_row *row = change_rows, *end = row + sizeof change_rows / sizeof *row;
    while (row < end && strcmp(row->key, change->key) != 0)
        row++;
    if (row == end)
        return;
    int node = inventory_find(q->hardware, change->node), owner = disk_owner(q, node);
    if (!strcmp(change->key, "negotiated") && is_whole(after, inventory_find(after, change->node)))
        return; /* no fault: the link was idle, and now has its full speed */
    /* Loop devices, interfaces and USB devices may come and go; drives and cards may not. */
    enum node_kind kind = node == INVENTORY_NONE ? NODE_OTHER : q->hardware->nodes[node].kind;
    if (!strcmp(change->key, "present") && owner < 0 && !node_kind_is(kind, KIND_STAYS))
        return;
    /* The check already begins with the name of its device. */
    size_t length = strlen(change->node);
    bool named = owner >= 0 && !strcmp(q->devices[owner].name, change->node) &&
                 !strncmp(change->text, change->node, length) && change->text[length] == ':';
    note_check(q, owner, row->grade, row->what, "", "while measuring: %s",
               change->text + (named ? length + 2 : 0));
}

void judge_changes(struct qualification *q, const struct inventory *after)
{
    struct change changes[CHANGES_MAX];
    size_t count = changes_find(q->hardware, after, changes, CHANGES_MAX);
    /* A link may slow down while it is idle, so its state after the tests counts. */
    for (size_t i = 0; i < q->device_count; i++) {
        struct qualification_device *d = &q->devices[i];
        int node = disk_link(after, inventory_find(after, d->name));
        const char *now = inventory_value(after, node, "negotiated");
        if (now)
            snprintf(d->link, sizeof d->link, "%s", now);
        if (is_whole(after, node) && !inventory_value(after, node, "limited_by"))
            clear_link(q, (int)i, "link", after, node);
    }
    for (int node = 0; node < after->node_count; node++) {
        char what[40];
        snprintf(what, sizeof what, "link of %.30s", after->nodes[node].name);
        if (is_whole(after, node) && !inventory_value(after, node, "limited_by"))
            clear_link(q, -1, what, after, node);
    }
    for (size_t i = 0; i < count && i < CHANGES_MAX; i++)
        note_change(q, &changes[i], after);
}

/* ---- temperature ---- */

void judge_temperatures(struct qualification *q)
{
    static const char *const limits[] = {"temperature_warning", "temperature_max",
                                         "temperature_critical"};
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        /* The limit is the drive's own warning threshold, or else the sensor's highest
           temperature. */
        int thermometer = disk_thermometer(q->hardware, inventory_find(q->hardware, d->name));
        double limit = NAN;
        for (size_t k = 0; isnan(limit) && k < sizeof limits / sizeof *limits; k++)
            limit = inventory_number(q->hardware, thermometer, limits[k]);
        char found[80], words[80] = "";
        if (isnan(d->temperature_max)) {
            note_check(q, (int)i, GRADE_NONE, "temperature", "not known", "no sensor reports it");
            continue;
        }
        snprintf(found, sizeof found, "%.0f C at most, %.0f C before", d->temperature_max,
                 d->temperature_begin);
        bool measured = !qualification_unmeasured(d);
        if (!isnan(limit))
            snprintf(words, sizeof words, "its limit is %.0f C%s", limit,
                     measured ? "" : "; it was not measured under load");
        else
            snprintf(words, sizeof words, "its limit is not known");
        note_replaceable(q, (int)i,
                         d->temperature_max >= limit ? GRADE_WARN
                         : measured && !isnan(limit) ? GRADE_PASS
                                                     : GRADE_NONE,
                         "temperature", found, "%s", words);
    }
}
