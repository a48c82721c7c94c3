/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one machine of a fleet from its qualification.json, or from a qualification in memory. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "base/text.h"
#include "machine/qualify/fleet.h"

/* ---- facts of a drive other than its numbers ---- */

static unsigned trouble_of(const char *what, const char *grade)
{
    static const struct {
        const char *what;
        enum fleet_trouble trouble;
    } rows[] = {{"throttling", FLEET_THROTTLED},    {"I/O errors", FLEET_ERRORS},
                {"media errors", FLEET_ERRORS},     {"PCIe errors", FLEET_ERRORS},
                {"SAS link errors", FLEET_ERRORS},  {"health", FLEET_ERRORS},
                {"controller state", FLEET_ERRORS}, {"link", FLEET_LINK},
                {"temperature", FLEET_HOT}};
    if (strcmp(grade, "fail") != 0 && strcmp(grade, "warn") != 0)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(what, rows[i].what))
            return rows[i].trouble;
    return 0;
}

static struct fleet_disk *disk_named(struct fleet *f, size_t machine, const char *name)
{
    for (size_t i = f->disk_count; i-- > 0 && f->disks[i].machine == machine;)
        if (!strcmp(f->disks[i].name, name))
            return &f->disks[i];
    return NULL;
}

static void add_trouble(struct fleet *f, size_t machine, const char *device, const char *what,
                        const char *grade)
{
    struct fleet_disk *d = disk_named(f, machine, device);
    unsigned *trouble = d ? &d->trouble : *device ? NULL : &f->machines[machine].trouble;
    if (trouble)
        *trouble |= trouble_of(what, grade);
}

/* Mixes a word into an FNV-1a hash, with an end mark after the word. */
static uint64_t mix(uint64_t hash, const char *word)
{
    do
        hash = (hash ^ (unsigned char)*word) * 0x100000001b3u;
    while (*word++);
    return hash;
}

static uint64_t conditions_of(const struct fleet_disk *d, const char *workload, const char *engine)
{
    char size[TEXT_DIGITS];
    uint64_t hash = mix(mix(0xcbf29ce484222325u, d->model), d->kind);
    hash = mix(hash, text_digits(size, d->size > 0 ? (uint64_t)fmin(d->size, 1e19) : 0));
    return mix(mix(hash, workload), engine) | 1;
}

static void set_value(struct fleet_disk *d, const char *test, const char *metric,
                      struct fleet_value value)
{
    for (size_t i = 0; i < FLEET_ROWS; i++)
        if (!strcmp(test, fleet_rows[i].test) &&
            !strcmp(metric, fleet_rows[i].name ? fleet_rows[i].name
                                               : metric_of(fleet_rows[i].metric)->name))
            d->values[i] = value;
}

/* ---- a report: members of its objects ---- */

/* A member of a JSON object: a text of `size` bytes, or a number if `size` is 0. */
struct member {
    const char *name;
    size_t offset, size;
};

#define WORDS(type, member, name)                                                                  \
    {                                                                                              \
        name, offsetof(struct type, member), sizeof((struct type *)0)->member                      \
    }
#define NUMBER(type, member, name)                                                                 \
    {                                                                                              \
        name, offsetof(struct type, member), 0                                                     \
    }

static const struct member machine_members[] = {WORDS(fleet_machine, product, "product"),
                                                WORDS(fleet_machine, serial, "serial"),
                                                WORDS(fleet_machine, date, "date"),
                                                WORDS(fleet_machine, version, "cupel"),
                                                {NULL, 0, 0}};

static const struct member disk_members[] = {
    WORDS(fleet_disk, name, "name"),
    WORDS(fleet_disk, kind, "kind"),
    WORDS(fleet_disk, model, "model"),
    WORDS(fleet_disk, serial, "serial"),
    WORDS(fleet_disk, firmware, "firmware"),
    WORDS(fleet_disk, link, "link"),
    WORDS(fleet_disk, slot, "slot"),
    WORDS(fleet_disk, place, "place"),
    NUMBER(fleet_disk, size, "size_bytes"),
    NUMBER(fleet_disk, temperature, "temperature_max_celsius"),
    {NULL, 0, 0}};

/* The members of the report, a test, a metric and a check together: a name has the same meaning in
   all of them. */
struct parts {
    double schema;
    char kind[16], name[32], workload[80], engine[32], verdict[32], undecided[80], metric[32];
    double value, low, high, confidence;
    char device[64], what[64], grade[16];
};

static const struct member part_members[] = {
    NUMBER(parts, schema, "schema"),      WORDS(parts, kind, "kind"),
    WORDS(parts, name, "name"),           WORDS(parts, workload, "workload"),
    WORDS(parts, engine, "engine"),       WORDS(parts, verdict, "verdict"),
    WORDS(parts, undecided, "undecided"), WORDS(parts, metric, "metric"),
    NUMBER(parts, value, "value"),        NUMBER(parts, low, "ci_low"),
    NUMBER(parts, high, "ci_high"),       NUMBER(parts, confidence, "confidence"),
    WORDS(parts, device, "device"),       WORDS(parts, what, "what"),
    WORDS(parts, grade, "grade"),         {NULL, 0, 0}};

/* Members that are missing become "" or NaN. Returns false if the object is cut off. */
static bool read_members(struct span object, const struct member members[], void *to)
{
    struct json_walk walk = json_walk_of(object);
    struct span name, value;
    const double none = NAN;
    for (const struct member *m = members; m->name; m++)
        memcpy((char *)to + m->offset, m->size ? (const void *)"" : &none,
               m->size ? 1 : sizeof none);
    while (json_next(&walk, &name, &value))
        for (const struct member *m = members; m->name; m++) {
            char *place = (char *)to + m->offset;
            double number = NAN;
            if (!span_is(name, m->name))
                continue;
            if (m->size) {
                span_printable(place, m->size, value);
            } else {
                number_parse(value.text, value.length, &number);
                memcpy(place, &number, sizeof number);
            }
        }
    return !walk.broken;
}

/* ---- a report: its lists ---- */

/* Calls `read` with each element of an object's list. A missing list counts as empty. Returns false
   if the list or an element is damaged. */
static bool read_list(struct span object, const char *list, struct fleet *f, const struct parts *of,
                      bool (*read)(struct fleet *f, struct span element, const struct parts *of))
{
    struct span elements, element, name;
    if (json_find(object, span_of(list), &elements) != JSON_FOUND)
        return true;
    struct json_walk walk = json_walk_of(elements);
    while (json_next(&walk, &name, &element))
        if (!read(f, element, of))
            return false;
    return !walk.broken;
}

/* Adds a metric to the last disk of the last machine. */
static bool read_metric(struct fleet *f, struct span element, const struct parts *test)
{
    struct parts metric;
    struct fleet_disk *d = &f->disks[f->disk_count - 1];
    if (!read_members(element, part_members, &metric))
        return false;
    set_value(d, test->name, metric.metric,
              (struct fleet_value){metric.value, metric.low, metric.high, metric.confidence,
                                   conditions_of(d, test->workload, test->engine)});
    return true;
}

static bool read_test(struct fleet *f, struct span element, const struct parts *none)
{
    struct parts test;
    (void)none;
    if (!read_members(element, part_members, &test))
        return false;
    bool stands = strcmp(test.verdict, verdict_name(VERDICT_INTERRUPTED)) != 0 &&
                  strcmp(test.verdict, verdict_name(VERDICT_FAILED)) != 0 && !test.undecided[0];
    f->disks[f->disk_count - 1].fallen |= !stands;
    return !stands || read_list(element, "metrics", f, &test, read_metric);
}

/* More disks than any machine has. The time to compare them grows with the square of their
   number. */
#define MACHINE_DISKS_MAX 4096

static bool has_too_many(const struct fleet *f)
{
    return f->disk_count > MACHINE_DISKS_MAX &&
           f->disks[f->disk_count - 1 - MACHINE_DISKS_MAX].machine == f->machine_count - 1;
}

static bool read_disk(struct fleet *f, struct span element, const struct parts *none)
{
    struct fleet_disk *d = fleet_add_disk(f, f->machine_count - 1);
    return d && !has_too_many(f) && read_members(element, disk_members, d) &&
           read_list(element, "tests", f, none, read_test);
}

/* Adds the memory or the processors, whose report has the form of a disk's. */
static bool read_component(struct fleet *f, struct span element, const struct parts *none)
{
    if (!read_disk(f, element, none))
        return false;
    f->disks[f->disk_count - 1].is_part = true;
    f->part_count++;
    return true;
}

static bool read_check(struct fleet *f, struct span element, const struct parts *none)
{
    struct parts check;
    (void)none;
    if (!read_members(element, part_members, &check))
        return false;
    add_trouble(f, f->machine_count - 1, check.device, check.what, check.grade);
    return true;
}

/* Returns NULL, or the reason why the text is not a report. */
static const char *read_machine(struct fleet *f, struct fleet_machine *m, struct span text)
{
    struct parts report = {.schema = NAN};
    if (!json_is_value(text))
        return "it is cut off or no JSON";
    if (!read_members(text, machine_members, m) || !read_members(text, part_members, &report) ||
        strcmp(report.kind, QUALIFICATION_KIND) != 0)
        return "it is the report of no qualification";
    if (!(report.schema >= 1 && report.schema < 2))
        return "it has another schema than 1: a newer cupel reads it";
    if (!read_list(text, "devices", f, NULL, read_disk) ||
        !read_list(text, "components", f, NULL, read_component) ||
        !read_list(text, "checks", f, NULL, read_check))
        return has_too_many(f) ? "it lists more than 4096 drives"
                               : "its list of devices or checks is damaged";
    return NULL;
}

bool fleet_read_report(struct fleet *f, const char *text, size_t length, const char *folder)
{
    struct fleet_machine *m = fleet_add_machine(f);
    size_t machine = f->machine_count - 1, disks = f->disk_count, parts = f->part_count;
    if (!m)
        return false;
    const char *why = read_machine(f, m, span_trimmed((struct span){text, length}));
    snprintf(m->folder, sizeof m->folder, "%s", folder);
    if (!why)
        return true;
    f->machine_count = machine;
    f->disk_count = disks;
    f->part_count = parts;
    fleet_note(f, true, folder, "%s", why);
    return false;
}

/* ---- a qualification in memory ---- */

/* where a device holds the values of a fleet's disk, in the order of disk_members */
static const size_t device_offsets[] = {
    offsetof(struct qualification_device, name),     offsetof(struct qualification_device, kind),
    offsetof(struct qualification_device, model),    offsetof(struct qualification_device, serial),
    offsetof(struct qualification_device, firmware), offsetof(struct qualification_device, link),
    offsetof(struct qualification_device, slot),     offsetof(struct qualification_device, place)};

void fleet_add_qualification(struct fleet *f, const struct qualification *q)
{
    struct fleet_machine *m = fleet_add_machine(f);
    for (size_t i = 0; m && i < q->device_count; i++) {
        const struct qualification_device *from = &q->devices[i];
        struct fleet_disk *d = fleet_add_disk(f, f->machine_count - 1);
        if (!d)
            return;
        for (size_t k = 0; k < sizeof device_offsets / sizeof *device_offsets; k++)
            snprintf((char *)d + disk_members[k].offset, disk_members[k].size, "%s",
                     (const char *)from + device_offsets[k]);
        d->temperature = from->temperature_max;
        d->size = (double)from->size;
        for (size_t t = 0; t < from->test_count; t++) {
            const struct qualification_test *test = &from->tests[t];
            for (size_t k = 0;
                 test->measured && !qualification_undecided(test) && k < QUALIFICATION_ROWS; k++) {
                const struct result_row *row = qualification_row(test, k);
                set_value(d, test->name, metric_of(row->metric)->name,
                          (struct fleet_value){row->value, row->low, row->high, row->confidence,
                                               conditions_of(d, test->workload, test->engine)});
            }
        }
    }
    for (size_t i = 0; m && i < q->check_count; i++)
        add_trouble(f, f->machine_count - 1,
                    q->checks[i].device < 0 ? "" : q->devices[q->checks[i].device].name,
                    q->checks[i].what, grade_name(q->checks[i].grade));
}
