/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a qualification as CSV, and as JSON with everything that it contains and its machine. Has
   the tables of formats and of files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "report/inventory/inventory.h"
#include "report/layout/csv_key.h"
#include "report/layout/fields.h"
#include "report/layout/labels_shown.h"
#include "report/qualify/internal.h"
#include "report/run/formats.h"

/* ---- CSV: the columns are described in report/qualify/qualification.h ---- */

struct line {
    const char *row, *device, *model, *serial, *name, *grade, *unit;
    double value, low, high, confidence, n;
    const char *found, *expected, *note;
    double next_low, next_high;
    struct result_key key;
    const struct labels *labels;
};

static const struct field line_fields[] = {
    FIELD_CSV(line, row),
    FIELD_CSV(line, device),
    FIELD_CSV(line, model),
    FIELD_CSV(line, serial),
    FIELD_CSV(line, name),
    FIELD_CSV(line, grade),
    FIELD_CSV(line, unit),
    FIELD_CSV(line, value),
    FIELD(line, low, "ci_low", NULL),
    FIELD(line, high, "ci_high", NULL),
    FIELD_CSV(line, confidence),
    FIELD_CSV(line, n),
    FIELD_CSV(line, found),
    FIELD_CSV(line, expected),
    FIELD_CSV(line, note),
    FIELD_CSV(line, next_low),
    FIELD_CSV(line, next_high),
    FIELD_LAST,
};

/* Returns a line about a device, or, with `d` NULL, about the machine. Other members are empty. */
static struct line line_of(const struct qualification *q, const struct qualification_device *d,
                           const char *row, const char *name)
{
    struct line l = {.row = row,
                     .device = d ? d->name : "",
                     .model = d ? d->model : q->product,
                     .serial = d ? d->serial : q->board_serial,
                     .name = name,
                     .grade = "",
                     .unit = "",
                     .value = NAN,
                     .low = NAN,
                     .high = NAN,
                     .confidence = NAN,
                     .n = NAN,
                     .found = "",
                     .expected = "",
                     .note = "",
                     .next_low = NAN,
                     .next_high = NAN,
                     .labels = &q->labels};
    format_date_iso(l.key.date, sizeof l.key.date, q->date);
    return l;
}

static void csv_add_line(const struct line *l, struct text *out)
{
    csv_add_fields(out, line_fields, l);
    csv_end_row(out, l->device, &l->key, l->labels);
}

static void csv_add_verdict(const struct qualification *q, const struct qualification_device *d,
                            struct text *out)
{
    struct line l = line_of(q, d, d ? "device" : "machine", "verdict");
    l.grade = grade_name(d ? d->grade : q->grade);
    l.found = d ? d->firmware : q->date;
    l.expected = d ? "" : q->expectations;
    l.note = d                          ? ""
             : q->interrupted           ? "interrupted"
             : qualification_is_open(q) ? "not decided"
                                        : "";
    csv_add_line(&l, out);
}

static void csv_add_measured(const struct qualification *q, const struct qualification_device *d,
                             const char *name, const char *unit, double value,
                             const struct qualification_test *of, struct text *out)
{
    struct line l = line_of(q, d, "measurement", name);
    if (isnan(value))
        return;
    l.key = of ? of->key : l.key;
    l.unit = unit;
    l.value = value;
    csv_add_line(&l, out);
}

static void csv_add_test(const struct qualification *q, const struct qualification_device *d,
                         const struct qualification_test *t, struct text *out)
{
    char name[64];
    for (size_t i = 0; t->measured && i < QUALIFICATION_ROWS; i++) {
        const struct result_row *row = qualification_row(t, i);
        const struct metric *metric = metric_of(row->metric);
        snprintf(name, sizeof name, "%s %s", t->name, metric->name);
        struct line l = line_of(q, d, "measurement", name);
        l.unit = metric->unit;
        l.value = row->value;
        l.low = row->low;
        l.high = row->high;
        l.confidence = row->confidence;
        l.n = (double)row->n;
        l.found = verdict_name(t->verdict);
        l.note = row->note;
        l.next_low = row->next_low;
        l.next_high = row->next_high;
        l.key = t->key;
        csv_add_line(&l, out);
    }
    snprintf(name, sizeof name, "%s efficiency", t->name);
    csv_add_measured(q, d, name, "1", t->efficiency, t, out);
}

/* Adds lines about the share of its throughput that a disk keeps when all disks are busy; or, with
   `d` NULL, about a shared part, whose name is in the column `device`. */
static void csv_add_kept(const struct qualification *q, const struct qualification_device *d,
                         const struct sharing_part *part, enum sharing_load load,
                         const struct sharing_measured *m, const char *found, struct text *out)
{
    char name[40] = "";
    struct line l = line_of(q, d, d ? "measurement" : "shared part", name);
    snprintf(name, sizeof name, "%s together over alone", sharing_load_name(load));
    if (part) {
        l.device = part->name;
        l.model = part->words;
        l.serial = "";
    }
    l.unit = "1";
    l.value = m->ratio;
    l.low = m->low;
    l.high = m->high;
    l.confidence = q->sharing->confidence;
    l.n = q->sharing->rounds[load];
    l.found = found;
    csv_add_line(&l, out);
    const struct {
        const char *name;
        double value;
    } rates[] = {{"alone", m->alone}, {"together", m->together}};
    l.low = l.high = l.confidence = (double)NAN;
    l.unit = load == SHARING_READ ? "B/s" : "1/s";
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        snprintf(name, sizeof name, "%s %s", sharing_load_name(load), rates[i].name);
        l.value = rates[i].value;
        csv_add_line(&l, out);
    }
}

static void csv_add_sharing(const struct qualification *q, struct text *out)
{
    const struct sharing *s = q->sharing;
    for (int load = 0; load < SHARING_LOADS; load++) {
        for (size_t i = 0; i < s->drive_count; i++) {
            const struct sharing_drive *d = &s->drives[i];
            if (d->loss[load] != SHARING_NOT_MEASURED)
                csv_add_kept(q, &q->devices[d->device], NULL, (enum sharing_load)load,
                             &d->load[load], sharing_loss_name(d->loss[load]), out);
        }
        for (size_t p = 0; p < s->part_count; p++)
            if (!isnan(s->parts[p].load[load].ratio))
                csv_add_kept(q, NULL, &s->parts[p], (enum sharing_load)load,
                             &s->parts[p].load[load], sharing_blame_name(s->parts[p].blame[load]),
                             out);
    }
}

static void qualification_csv(const void *what, struct text *out)
{
    const struct qualification *q = what;
    csv_add_names(out, line_fields);
    csv_end_header(out);
    csv_add_verdict(q, NULL, out);
    for (enum qualification_part part = 0; part < QUALIFICATION_PARTS; part++) {
        const struct qualification_part_verdict v = qualification_part_judge(q, part);
        struct line l = line_of(q, NULL, "part", qualification_part_name(part));
        l.grade = grade_name(v.grade);
        l.found = v.words;
        csv_add_line(&l, out);
    }
    for (size_t i = 0; i < q->device_count; i++)
        csv_add_verdict(q, &q->devices[i], out);
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        struct line l =
            line_of(q, check->device < 0 ? NULL : &q->devices[check->device], "check", check->what);
        l.grade = grade_name(check->grade);
        l.found = check->found;
        l.expected = check->expected;
        l.note = check->note;
        csv_add_line(&l, out);
    }
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        for (size_t t = 0; t < d->test_count; t++)
            csv_add_test(q, d, &d->tests[t], out);
        csv_add_measured(q, d, "size", "bytes", (double)d->size, NULL, out);
        csv_add_measured(q, d, "read limit", "B/s", d->limit_read, NULL, out);
        csv_add_measured(q, d, "temperature before", "C", d->temperature_begin, NULL, out);
        csv_add_measured(q, d, "temperature most", "C", d->temperature_max, NULL, out);
    }
    if (q->sharing)
        csv_add_sharing(q, out);
}

/* ---- JSON ---- */

static const char *machine_grade(const void *q)
{
    return grade_name(((const struct qualification *)q)->grade);
}

static const struct field machine_fields[] = {
    FIELD_WORDS(machine_grade, NULL, "grade"),
    FIELD_JSON(qualification, product),
    FIELD_JSON(qualification, machine),
    FIELD(qualification, board_serial, NULL, "serial"),
    FIELD_JSON(qualification, preset),
    FIELD(qualification, version, NULL, "cupel"),
    FIELD_JSON(qualification, expectations),
    FIELD_JSON(qualification, clauses),
    FIELD_JSON(qualification, clause_confidence),
    FIELD(qualification, seconds, NULL, "elapsed_seconds"),
    FIELD(qualification, dropped, NULL, "dropped_checks"),
    FIELD_JSON(qualification, chosen),
    FIELD_JSON(qualification, interrupted),
    FIELD_LAST,
};

static const char *device_grade(const void *device)
{
    return grade_name(((const struct qualification_device *)device)->grade);
}

static const struct field device_fields[] = {
    FIELD_JSON(qualification_device, name),
    FIELD_WORDS(device_grade, NULL, "grade"),
    FIELD_JSON(qualification_device, kind),
    FIELD_JSON(qualification_device, model),
    FIELD_JSON(qualification_device, serial),
    FIELD_JSON(qualification_device, firmware),
    FIELD_JSON(qualification_device, link),
    FIELD_JSON(qualification_device, slot),
    FIELD_JSON(qualification_device, place),
    FIELD(qualification_device, size, NULL, "size_bytes"),
    FIELD(qualification_device, limit_read, NULL, "read_limit_bytes_per_second"),
    FIELD(qualification_device, temperature_begin, NULL, "temperature_before_celsius"),
    FIELD(qualification_device, temperature_max, NULL, "temperature_max_celsius"),
    FIELD_LAST,
};

static const char *test_verdict(const void *test)
{
    const struct qualification_test *t = test;
    return t->measured ? verdict_name(t->verdict) : "";
}

static const char *test_undecided(const void *test)
{
    const char *why = qualification_undecided(test);
    return why ? why : "";
}

static const struct field test_fields[] = {
    FIELD_JSON(qualification_test, name),
    FIELD_JSON(qualification_test, measured),
    FIELD_WORDS(test_verdict, NULL, "verdict"),
    FIELD_WORDS(test_undecided, NULL, "undecided"),
    FIELD_JSON(qualification_test, failure),
    FIELD_JSON(qualification_test, workload),
    FIELD_JSON(qualification_test, engine),
    FIELD(qualification_test, seconds, NULL, "elapsed_seconds"),
    FIELD(qualification_test, efficiency, NULL, "efficiency_share"),
    FIELD_LAST,
};

static const struct field metric_fields[] = {
    FIELD_JSON(result_row, value),
    FIELD(result_row, low, NULL, "ci_low"),
    FIELD(result_row, high, NULL, "ci_high"),
    FIELD_JSON(result_row, confidence),
    FIELD_JSON(result_row, n),
    FIELD_JSON(result_row, note),
    FIELD_JSON(result_row, next_low),
    FIELD_JSON(result_row, next_high),
    FIELD_LAST,
};

static const char *check_grade(const void *check)
{
    return grade_name(((const struct qualification_check *)check)->grade);
}

static const struct field check_fields[] = {
    FIELD_JSON(qualification_check, what),  FIELD_WORDS(check_grade, NULL, "grade"),
    FIELD_JSON(qualification_check, found), FIELD_JSON(qualification_check, expected),
    FIELD_JSON(qualification_check, note),  FIELD_LAST};

static void json_test(struct json *j, const struct qualification_test *t)
{
    json_begin_object(j, NULL);
    json_fields(j, test_fields, t);
    json_begin_array(j, "metrics");
    for (size_t i = 0; t->measured && i < QUALIFICATION_ROWS; i++) {
        const struct result_row *row = qualification_row(t, i);
        json_begin_object(j, NULL);
        json_string(j, "metric", metric_of(row->metric)->name);
        json_string(j, "unit", metric_of(row->metric)->unit);
        json_fields(j, metric_fields, row);
        json_end_object(j);
    }
    json_end_array(j);
    if (t->clause_count > 0)
        json_records(j, "clauses", clause_fields, t->clauses, t->clause_count, sizeof *t->clauses);
    json_end_object(j);
}

static const struct field kept_fields[] = {
    FIELD_JSON(sharing_measured, alone),
    FIELD_JSON(sharing_measured, together),
    FIELD_JSON(sharing_measured, ratio),
    FIELD(sharing_measured, low, NULL, "ci_low"),
    FIELD(sharing_measured, high, NULL, "ci_high"),
    FIELD_LAST,
};

static const struct field sharing_fields[] = {
    FIELD_JSON(sharing, groups),
    FIELD_JSON(sharing, slots),
    FIELD_JSON(sharing, max_rounds),
    FIELD_JSON(sharing, round_seconds),
    FIELD_JSON(sharing, planned_seconds),
    FIELD_JSON(sharing, confidence),
    FIELD_LAST,
};

static void json_drive(struct json *j, const struct sharing *s, size_t drive)
{
    const struct sharing_drive *d = &s->drives[drive];
    json_begin_object(j, NULL);
    json_string(j, "name", d->name);
    json_unsigned(j, "group", d->group);
    json_number(j, "limit_bytes_per_second", d->limit);
    json_string(j, "failure", d->failure);
    for (int load = 0; load < SHARING_LOADS; load++) {
        json_begin_object(j, sharing_load_name((enum sharing_load)load));
        json_fields(j, kept_fields, &d->load[load]);
        json_string(j, "verdict", sharing_loss_name(d->loss[load]));
        json_string(j, "part", d->part[load] < 0 ? "" : s->parts[d->part[load]].name);
        json_numbers(j, "rounds_alone", s->alone[load][drive], s->rounds[load]);
        json_numbers(j, "rounds_together", s->together[load][drive], s->rounds[load]);
        json_end_object(j);
    }
    json_end_object(j);
}

static void json_part(struct json *j, const struct sharing *s, const struct sharing_part *part)
{
    json_begin_object(j, NULL);
    json_string(j, "name", part->name);
    json_string(j, "words", part->words);
    json_number(j, "limit_bytes_per_second", part->limit);
    json_begin_array(j, "drives");
    for (size_t i = 0; i < s->drive_count; i++)
        if (part->member[i])
            json_string(j, NULL, s->drives[i].name);
    json_end_array(j);
    for (int load = 0; load < SHARING_LOADS; load++) {
        json_begin_object(j, sharing_load_name((enum sharing_load)load));
        json_fields(j, kept_fields, &part->load[load]);
        json_number(j, "used_share", part->used[load]);
        json_string(j, "verdict", sharing_blame_name(part->blame[load]));
        json_end_object(j);
    }
    json_end_object(j);
}

static void json_sharing(struct json *j, const struct sharing *s)
{
    json_begin_object(j, "together");
    json_fields(j, sharing_fields, s);
    json_begin_array(j, "drives");
    for (size_t i = 0; i < s->drive_count; i++)
        json_drive(j, s, i);
    json_end_array(j);
    json_begin_array(j, "parts");
    for (size_t p = 0; p < s->part_count; p++)
        json_part(j, s, &s->parts[p]);
    json_end_array(j);
    json_end_object(j);
}

/* Adds the verdict on each part of the machine. */
static void json_parts(struct json *j, const struct qualification *q)
{
    json_begin_array(j, "parts");
    for (enum qualification_part part = 0; part < QUALIFICATION_PARTS; part++) {
        const struct qualification_part_verdict v = qualification_part_judge(q, part);
        json_begin_object(j, NULL);
        json_string(j, "name", qualification_part_name(part));
        json_string(j, "grade", grade_name(v.grade));
        json_string(j, "words", v.words);
        json_end_object(j);
    }
    json_end_array(j);
}

static void qualification_json(const void *what, struct text *out)
{
    const struct qualification *q = what;
    struct json j = json_report(out, QUALIFICATION_KIND);
    char date[32];
    json_string(&j, "date", format_date_iso(date, sizeof date, q->date));
    json_labels(&j, &q->labels);
    json_fields(&j, machine_fields, q);
    json_bool(&j, "undecided", qualification_is_open(q));
    json_parts(&j, q);
    json_begin_array(&j, "devices");
    for (size_t i = 0; i < q->device_count; i++) {
        const struct qualification_device *d = &q->devices[i];
        json_begin_object(&j, NULL);
        json_fields(&j, device_fields, d);
        json_begin_array(&j, "tests");
        for (size_t t = 0; t < d->test_count; t++)
            json_test(&j, &d->tests[t]);
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    qualification_json_components(&j, q);
    json_begin_array(&j, "checks");
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        json_begin_object(&j, NULL);
        json_string(&j, "device", check->device < 0 ? "" : q->devices[check->device].name);
        json_fields(&j, check_fields, check);
        json_end_object(&j);
    }
    json_end_array(&j);
    if (q->sharing)
        json_sharing(&j, q->sharing);
    inventory_add_json(q->hardware, "hardware", &j);
    json_end_object(&j);
}

const struct report_kind qualification_report = {qualification_document, qualification_csv,
                                                 qualification_json, NULL};
