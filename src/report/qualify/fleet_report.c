/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the report of a fleet: a document with the verdict, the slow drives and machines with
 * their causes, and the reports that were left out; CSV and JSON.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/layout/csv_key.h"
#include "report/layout/fields.h"
#include "report/layout/screen_fit.h"
#include "report/qualify/internal.h"

/* A line of CSV, or an object of JSON. It has the fields of each member that is not NULL. */
struct line {
    const char *row, *metric;
    const struct fleet_machine *machine;
    const struct fleet_disk *disk;
    /* the slow drive or machine; for a note, only its text in `cause`; or NULL */
    const struct fleet_slow *slow;
    const struct fleet_value *value;
};

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Returns the name by which people find the machine: its serial number, or else the folder of its
   report. */
static const char *name_of(const struct fleet_machine *m)
{
    return m->serial[0] ? m->serial : m->folder;
}

/*
 * Describes a slow drive or machine, without a line end: "SRV7 bay 3 S6EX1 (nvme3n1): randread IOPS
 * 20.3 % lower (19.1 to 21.4 %) than 159 peers: link ...".
 */
static void fleet_add_slow_words(const struct fleet *f, const struct fleet_slow *s,
                                 struct text *out)
{
    char row[64];
    const struct fleet_disk *d = &f->disks[s->disk];
    bool is_time =
        s->row >= 0 && metric_of(fleet_rows[s->row].metric)->better == METRIC_BETTER_LOWER;
    text_add(out, name_of(&f->machines[s->machine]));
    if (s->whole_machine)
        text_addf(out, ": its %zu drives together:", s->drives);
    else if (d->is_part)
        text_add(out, ":");
    else
        text_addf(out, " %s%s%s (%s):", d->slot, d->slot[0] ? " " : "",
                  d->serial[0] ? d->serial : "without a serial number", d->name);
    text_addf(out, " %s %.1f %% %s (%.1f to %.1f) than %zu %s",
              fleet_row_name(s->row, row, sizeof row), 100 * s->share, is_time ? "longer" : "lower",
              100 * s->low, 100 * s->high, s->peers,
              s->whole_machine || d->is_part ? "machines" : "peers");
    text_addf(out, ": %s", s->cause[0] ? s->cause : "nothing else differs from the peers");
}

static void add_verdict(const struct fleet *f, struct document *out)
{
    struct text words = {0};
    size_t machines = 0, drives = 0, parts = 0;
    for (size_t i = 0; i < f->slow_count; i++)
        *(f->slow[i].whole_machine            ? &machines
          : f->disks[f->slow[i].disk].is_part ? &parts
                                              : &drives) += 1;
    bool undecided = fleet_is_undecided(f);
    const char *lead = f->slow_count ? "SLOW: " : undecided ? "NOT DECIDED: " : "PASS: ";
    enum tone tone = f->slow_count ? TONE_RED : undecided ? TONE_YELLOW : TONE_GREEN;
    if (machines)
        text_addf(&words, "%zu machine%s as a whole", machines, plural(machines));
    if (drives)
        text_addf(&words, "%s%zu drive%s", machines ? " and " : "", drives, plural(drives));
    if (parts)
        text_addf(&words, "%smemory or processors of %zu machine%s",
                  machines + drives ? " and " : "", parts, plural(parts));
    if (f->slow_count)
        text_addf(&words, " slower than the peers, of");
    else
        text_add(&words,
                 f->hidden ? "no drive can be named, of" : "no drive is slower than its peers, of");
    text_addf(&words, " %zu drive%s in %zu machine%s", f->disk_count - f->part_count,
              plural(f->disk_count - f->part_count), f->machine_count, plural(f->machine_count));
    if (f->hidden)
        text_addf(&words,
                  "; %zu drives lie far below the rest, too many to be odd ones: two levels, or a "
                  "slow group",
                  f->hidden);
    if (f->fallen)
        text_addf(&words, "; of %zu drive%s no test stands: it failed or was interrupted",
                  f->fallen, plural(f->fallen));
    if (f->unread)
        text_addf(&words, "; %zu report%s could not be read", f->unread, plural(f->unread));
    document_paragraph_from(out, lead, tone, &words);
}

static void add_circumstances(const struct fleet *f, struct document *out)
{
    struct text words = {0};
    const char *first = "", *last = "", *version = "";
    bool versions = false;
    for (size_t i = 0; i < f->machine_count; i++) {
        const struct fleet_machine *m = &f->machines[i];
        first = !*first || strcmp(m->date, first) < 0 ? m->date : first;
        last = strcmp(m->date, last) > 0 ? m->date : last;
        versions |= *version && strcmp(version, m->version) != 0;
        version = m->version;
    }
    text_addf(&words, "%zu drives judged", f->judged);
    if (f->part_count)
        text_addf(&words, ", %zu of %zu memories and processors", f->parts_judged, f->part_count);
    if (f->few)
        text_addf(&words, ", %zu not: fewer than 4 peers of their model that were measured alike",
                  f->few);
    if (f->unmeasured)
        text_addf(&words, ", %zu without a result that stands", f->unmeasured);
    if (f->levels)
        text_addf(
            &words,
            ", %zu are slow with more than a third of their group: that is two groups, not an "
            "odd one",
            f->levels);
    text_addf(&words, "; reports of %.10s to %.10s, %s %s", first, last,
              versions ? "of several versions of cupel, the last" : "cupel", version);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* Adds how small a difference the comparison would have found in each row. */
static void add_power(const struct fleet *f, struct document *out)
{
    struct text words = {0};
    char name[64];
    for (size_t i = 0; i < f->power_count; i++)
        text_addf(&words, "%s%s %.1f %%", i ? ", " : "",
                  fleet_row_name(f->power[i].row, name, sizeof name), 100 * f->power[i].share);
    if (words.length)
        text_addf(&words,
                  ": a drive slower by so much is named with a probability of %.0f %%; less may be "
                  "unseen",
                  100 * f->power[0].confidence);
    if (words.length)
        document_paragraph_from(out, "Could be found: ", TONE_PLAIN, &words);
}

/* Adds a paragraph if it and one more line fit on the screen; otherwise counts it in *left. */
static void add_item(const char *lead, enum tone tone, const char *words, size_t max_lines,
                     size_t *left, struct document *out)
{
    const size_t before = out->count;
    document_paragraph(out, lead, tone, words);
    if (max_lines < SIZE_MAX && (*left || document_lines(out, 0) >= max_lines)) {
        document_cut(out, before);
        ++*left;
    }
}

static void add_page(const struct fleet *f, size_t max_lines, struct document *out)
{
    size_t left = 0;
    add_verdict(f, out);
    add_circumstances(f, out);
    add_power(f, out);
    if (f->slow_count + f->note_count)
        document_end_row(out);
    for (size_t i = 0; i < f->slow_count; i++) {
        struct text words = {0};
        fleet_add_slow_words(f, &f->slow[i], &words);
        add_item("slow ", TONE_RED, layout_string(&words), max_lines, &left, out);
        out->failed |= words.failed;
        text_free(&words);
    }
    for (size_t i = 0; i < 2 * f->note_count; i++) { /* reports that could not be read come first */
        const struct fleet_note *note = &f->notes[i % f->note_count];
        char words[520];
        snprintf(words, sizeof words, "%s: %s", note->folder, note->words);
        if (note->unread == (i < f->note_count))
            add_item(note->unread ? "unread " : "note ", note->unread ? TONE_YELLOW : TONE_PLAIN,
                     words, max_lines, &left, out);
    }
    if (left)
        document_line(out, "and %zu more: --full", left);
}

static void fleet_document(const void *what, struct document *out)
{
    const struct fleet *f = what;
    document_title(out, "Fleet");
    out->form = HTML_PLAIN;
    add_page(f, out->style.full ? SIZE_MAX : SCREEN_LINES, out);
    if (out->style.full) {
        document_end_row(out);
        document_paragraph(
            out, "", TONE_PLAIN,
            "Peers are drives of one model and size that were measured alike. Of fleets whose "
            "drives differ as normal values do, or a little more widely, at most 5 of 100 have any "
            "wrong name. Intervals are of 95 %. A rate lower by less than 5 % or a "
            "p99 longer by less than 25 % is not named.");
    }
}

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

/* Adds a line to the CSV, or an object to `j`. */
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
