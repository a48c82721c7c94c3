/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the quantities in which drives are compared, and fills the growing lists of a fleet. */
#include "facts/fleet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const struct fleet_row fleet_rows[FLEET_ROWS] = {
    {"read", METRIC_BANDWIDTH, 0.05, true, NULL},
    {"randread", METRIC_IOPS, 0.05, true, NULL},
    {"randread", METRIC_LATENCY_P99, 0.25, false, NULL},
    {"write", METRIC_BANDWIDTH, 0.05, true, NULL},
    {"randwrite", METRIC_IOPS, 0.05, true, NULL},
    {"memory", METRIC_BANDWIDTH, 0.05, false, NULL},
    {"processors", METRIC_IOPS, 0.05, false, "clock"},
};

void fleet_free(struct fleet *f)
{
    free(f->machines);
    free(f->disks);
    free(f->notes);
    free(f->slow);
    *f = (struct fleet){0};
}

static void *grown(struct fleet *f, void *list, size_t *count, size_t *room, size_t size)
{
    if (!array_grow(&list, size, *count, room)) {
        f->failed = true;
        return NULL;
    }
    memset((char *)list + *count * size, 0, size);
    ++*count;
    return list;
}

struct fleet_machine *fleet_add_machine(struct fleet *f)
{
    struct fleet_machine *list =
        grown(f, f->machines, &f->machine_count, &f->machine_room, sizeof *list);
    if (!list)
        return NULL;
    f->machines = list;
    return &list[f->machine_count - 1];
}

struct fleet_disk *fleet_add_disk(struct fleet *f, size_t machine)
{
    struct fleet_disk *list = grown(f, f->disks, &f->disk_count, &f->disk_room, sizeof *list);
    if (!list)
        return NULL;
    f->disks = list;
    struct fleet_disk *d = &list[f->disk_count - 1];
    d->machine = machine;
    d->temperature = NAN;
    for (size_t i = 0; i < FLEET_ROWS; i++)
        d->values[i] = (struct fleet_value){.value = NAN, .low = NAN, .high = NAN};
    return d;
}

void fleet_note(struct fleet *f, bool unread, const char *folder, const char *format, ...)
{
    struct fleet_note *list = grown(f, f->notes, &f->note_count, &f->note_room, sizeof *list);
    if (!list)
        return;
    f->notes = list;
    struct fleet_note *note = &list[f->note_count - 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note->words, sizeof note->words, format, arguments);
    va_end(arguments);
    snprintf(note->folder, sizeof note->folder, "%s", folder);
    note->unread = unread;
    f->unread += unread;
}

bool fleet_is_undecided(const struct fleet *f)
{
    return !f->slow_count &&
           (f->unread || f->hidden || f->fallen || !(f->judged + f->parts_judged));
}

const char *fleet_row_name(int row, char *to, size_t size)
{
    if (row < 0)
        snprintf(to, size, "mean of the rates");
    else
        snprintf(to, size, "%s %s", fleet_rows[row].test,
                 fleet_rows[row].name ? fleet_rows[row].name
                                      : metric_of(fleet_rows[row].metric)->title);
    return to;
}
