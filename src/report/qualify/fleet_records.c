/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fleet as CSV, JSON and a page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/csv_key.h"
#include "report/layout/fields.h"
#include "report/qualify/internal.h"

/* One line: each member that is set contributes its own table of fields. */
struct line {
    const char *row, *metric;
    const struct fleet_machine *machine;
    const struct fleet_disk *disk;
    const struct fleet_slow *slow; /* its cause also holds the words of a note */
    const struct fleet_value *value;
};

static const struct field row_fields[] = {FIELD_BOTH(line, row), FIELD_LAST};
static const struct field machine_fields[] = {FIELD_BOTH(fleet_machine, folder),
                                              FIELD(fleet_machine, serial, "machine", "machine"),
                                              FIELD_BOTH(fleet_machine, product), FIELD_LAST};
static const struct field disk_fields[] = {
    FIELD(fleet_disk, name, "disk", "disk"),
    FIELD_BOTH(fleet_disk, slot),
    FIELD_BOTH(fleet_disk, place),
    FIELD_BOTH(fleet_disk, model),
    FIELD_BOTH(fleet_disk, serial),
    FIELD_BOTH(fleet_disk, firmware),
    FIELD_BOTH(fleet_disk, link),
    FIELD(fleet_disk, temperature, "temperature_max", "temperature_max_celsius"),
    FIELD_LAST};
static const struct field metric_fields[] = {FIELD_BOTH(line, metric), FIELD_LAST};
static const struct field slow_fields[] = {FIELD(fleet_slow, share, "slower", "slower_share"),
                                           FIELD(fleet_slow, low, "ci_low", "ci_low"),
                                           FIELD(fleet_slow, high, "ci_high", "ci_high"),
                                           FIELD(fleet_slow, p, "p_value", "p_value"),
                                           FIELD_BOTH(fleet_slow, peers),
                                           FIELD_LAST};
static const struct field value_fields[] = {
    FIELD_BOTH(fleet_value, value), FIELD(fleet_value, low, "value_low", "value_low"),
    FIELD(fleet_value, high, "value_high", "value_high"), FIELD_LAST};
static const struct field cause_fields[] = {FIELD_BOTH(fleet_slow, cause), FIELD_LAST};

enum { TABLES = 7 };
static const struct field *const tables[TABLES] = {row_fields,    machine_fields, disk_fields,
                                                   metric_fields, slow_fields,    value_fields,
                                                   cause_fields};

/* Adds a line as CSV, or as an object of `j`. */
static void add_line(const struct line *l, struct text *csv, struct json *j)
{
    const struct labels no_labels = {.text = ""};
    struct result_key key = {.rw = ""};
    snprintf(key.date, sizeof key.date, "%s", l->machine->date);
    const void *const records[TABLES] = {l, l->machine, l->disk, l, l->slow, l->value, l->slow};
    if (j)
        json_begin_object(j, NULL);
    for (size_t i = 0; i < TABLES; i++)
        if (j)
            json_fields(j, tables[i], records[i]);
        else
            csv_add_fields(csv, tables[i], records[i]);
    if (j)
        json_end_object(j);
    else
        csv_end_row(csv, l->disk->name, &key, &no_labels);
}

enum rows { ROWS_SLOW, ROWS_DISK, ROWS_NOTE };

static void add_lines(const struct fleet *f, enum rows rows, struct text *csv, struct json *j)
{
    char name[64];
    const struct fleet_machine no_machine = {.serial = ""};
    const struct fleet_disk no_disk = {.temperature = NAN};
    const struct fleet_value no_value = {.value = NAN, .low = NAN, .high = NAN};
    struct fleet_slow no_slow = {.share = NAN, .low = NAN, .high = NAN, .p = NAN};
    struct line l = {"slow", name, &no_machine, &no_disk, &no_slow, &no_value};
    for (size_t i = 0; rows == ROWS_SLOW && i < f->slow_count; i++) {
        l.slow = &f->slow[i];
        l.machine = &f->machines[l.slow->machine];
        l.disk = l.slow->whole_machine ? &no_disk : &f->disks[l.slow->disk];
        fleet_row_name(l.slow->row, name, sizeof name);
        add_line(&l, csv, j);
    }
    l.row = "disk";
    for (size_t i = 0; rows == ROWS_DISK && i < f->disk_count * FLEET_ROWS; i++) {
        l.disk = &f->disks[i / FLEET_ROWS];
        l.machine = &f->machines[l.disk->machine];
        l.value = &l.disk->values[i % FLEET_ROWS];
        fleet_row_name((int)(i % FLEET_ROWS), name, sizeof name);
        if (!isnan(l.value->value))
            add_line(&l, csv, j);
    }
    name[0] = '\0';
    for (size_t i = 0; rows == ROWS_NOTE && i < f->note_count; i++) {
        struct fleet_machine of = no_machine;
        snprintf(of.folder, sizeof of.folder, "%s", f->notes[i].folder);
        snprintf(no_slow.cause, sizeof no_slow.cause, "%s", f->notes[i].words);
        l.row = f->notes[i].unread ? "unread" : "note";
        l.machine = &of;
        add_line(&l, csv, j);
    }
}

static void print_csv(const void *what, struct text *out)
{
    const struct fleet *f = what;
    for (size_t i = 0; i < TABLES; i++)
        csv_add_names(out, tables[i]);
    csv_end_header(out);
    for (enum rows rows = ROWS_SLOW; rows <= ROWS_NOTE; rows++)
        add_lines(f, rows, out, NULL);
}

static const struct field fleet_fields[] = {FIELD_JSON(fleet, folder),
                                            FIELD(fleet, machine_count, NULL, "machines"),
                                            FIELD_JSON(fleet, judged),
                                            FIELD(fleet, few, NULL, "too_few_peers"),
                                            FIELD_JSON(fleet, unmeasured),
                                            FIELD(fleet, levels, NULL, "of_two_levels"),
                                            FIELD_JSON(fleet, unread),
                                            FIELD(fleet, hidden, NULL, "too_many_slow"),
                                            FIELD(fleet, fallen, NULL, "no_test_stands"),
                                            FIELD_LAST};

static const struct field power_fields[] = {FIELD(fleet_power, share, NULL, "slower_share"),
                                            FIELD_JSON(fleet_power, confidence),
                                            FIELD_JSON(fleet_power, drives), FIELD_LAST};

static void json_power(struct json *j, const struct fleet *f)
{
    char name[64];
    json_begin_array(j, "detectable");
    for (size_t i = 0; i < f->power_count; i++) {
        json_begin_object(j, NULL);
        json_string(j, "metric", fleet_row_name(f->power[i].row, name, sizeof name));
        json_fields(j, power_fields, &f->power[i]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void print_json(const void *what, struct text *out)
{
    const struct fleet *f = what;
    static const char *const lists[] = {"slow", "disks", "notes"};
    struct json j = json_report(out, "fleet");
    json_fields(&j, fleet_fields, f);
    json_power(&j, f);
    for (enum rows rows = ROWS_SLOW; rows <= ROWS_NOTE; rows++) {
        json_begin_array(&j, lists[rows]);
        add_lines(f, rows, out, &j);
        json_end_array(&j);
    }
    json_end_object(&j);
}

const struct report_kind fleet_report = {fleet_document, print_csv, print_json, NULL};
