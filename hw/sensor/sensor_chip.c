/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the facts of a sensor chip: temperatures with their limits, fans, power, voltages and
   currents. */
#include "hw/sensor/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"
#include "base/text.h"

#define SUBFEATURES_MAX 64
#define FEATURE_MAX     40 /* bytes of a name */
#define KEY_MAX         64

/* A subfeature that becomes the fact FEATURE + suffix. The number in the file is `scale` times the
   value in the unit (the kernel's Documentation/hwmon/sysfs-interface.rst). */
struct sensor_row {
    sensors_feature_type feature;
    sensors_subfeature_type subfeature;
    const char *suffix, *unit;
    double scale, min;
};

/* Of two rows with the same suffix, the first one that exists is used. */
static const struct sensor_row rows[] = {
    {SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_INPUT, "", "C", 1e3, -274},
    {SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_MAX, "_max", "C", 1e3, -274},
    {SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_CRIT, "_critical", "C", 1e3, -274},
    {SENSORS_FEATURE_FAN, SENSORS_SUBFEATURE_FAN_INPUT, "", "rpm", 1, 0},
    {SENSORS_FEATURE_FAN, SENSORS_SUBFEATURE_FAN_MIN, "_min", "rpm", 1, 0},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_INPUT, "", "W", 1e6, -1e9},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_AVERAGE, "", "W", 1e6, -1e9},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_CAP, "_cap", "W", 1e6, -1e9},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_MAX, "_max", "W", 1e6, -1e9},
    {SENSORS_FEATURE_IN, SENSORS_SUBFEATURE_IN_INPUT, "", "V", 1e3, -1e9},
    {SENSORS_FEATURE_CURR, SENSORS_SUBFEATURE_CURR_INPUT, "", "A", 1e3, -1e9},
};
#define ROWS      (sizeof rows / sizeof *rows)
#define VALUE_MAX 1e9

static const sensors_subfeature_type alarms[] = {
    SENSORS_SUBFEATURE_TEMP_ALARM,      SENSORS_SUBFEATURE_TEMP_MAX_ALARM,
    SENSORS_SUBFEATURE_TEMP_CRIT_ALARM, SENSORS_SUBFEATURE_TEMP_EMERGENCY_ALARM,
    SENSORS_SUBFEATURE_FAN_ALARM,       SENSORS_SUBFEATURE_FAN_MIN_ALARM,
    SENSORS_SUBFEATURE_FAN_MAX_ALARM,
};

/* Flags by which a sensor reports that it is broken or not connected. */
static const sensors_subfeature_type faults[] = {
    SENSORS_SUBFEATURE_TEMP_FAULT,
    SENSORS_SUBFEATURE_FAN_FAULT,
};

/* ---- the chip's own temperature: that of the feature nearest to its limit ---- */

struct temperature {
    double value, maximum, critical; /* NaN: not known */
    char source[PROBE_FOLDER];
};

static double margin_to_limit(const struct temperature *t)
{
    return (isnan(t->maximum) ? t->critical : t->maximum) - t->value;
}

static bool is_nearer(const struct temperature *a, const struct temperature *b)
{
    double of_a = margin_to_limit(a), of_b = margin_to_limit(b);
    if (isnan(a->value) || isnan(b->value))
        return isnan(b->value) && !isnan(a->value);
    if (isnan(of_a) && isnan(of_b))
        return a->value > b->value;
    return isnan(of_b) || of_a < of_b;
}

/* ---- values ---- */

struct chip {
    const struct sysroot *root; /* root, with the chip's folder kept open */
    struct inventory *inventory;
    int node;
    const char *folder;
    struct temperature nearest;
};

/* A feature of the chip, and its data from the library. */
struct feature {
    const char *name;
    sensors_feature_type type;
    const sensors_subfeature *subfeatures[SUBFEATURES_MAX];
    size_t count;
};

static const sensors_subfeature *find_subfeature(const struct feature *f,
                                                 sensors_subfeature_type type)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->subfeatures[i]->type == type)
            return f->subfeatures[i];
    return NULL;
}

/* Writes the file's path to `to` (PROBE_FOLDER bytes), and returns it. */
static char *file_of(const struct chip *c, const char *file, char *to)
{
    return sysroot_join(to, PROBE_FOLDER, c->folder, file);
}

/* Writes FEATURE + suffix, for a key or a file, to `to` (KEY_MAX bytes), and returns it. */
static char *name_of(const struct feature *f, const char *suffix, char *to)
{
    size_t length = strnlen(f->name, FEATURE_MAX);
    memcpy(to, f->name, length);
    memcpy(to + length, suffix, strlen(suffix) + 1);
    return to;
}

/* Reads the file directly, because the library searches for the chip again at every value, and does
   not report why it cannot read. */
static enum fact_status read_file(const struct chip *c, const sensors_subfeature *sub,
                                  double *value)
{
    char path[PROBE_FOLDER], text[64];
    enum fact_status status = sysroot_line(c->root, file_of(c, sub->name, path), text, sizeof text);
    if (status != FACT_OK)
        return status;
    struct span digits = span_trimmed(span_of(text));
    return number_parse(digits.text, digits.length, value) == NUMBER_OK ? FACT_OK : FACT_INVALID;
}

/* Returns true if any of these flags is set. *known: at least one of them exists. */
static bool has_flag(const struct chip *c, const struct feature *f,
                     const sensors_subfeature_type *types, size_t count, bool *known)
{
    bool set = false;
    for (size_t i = 0; i < count; i++) {
        double value;
        const sensors_subfeature *sub = find_subfeature(f, types[i]);
        if (!sub || read_file(c, sub, &value) != FACT_OK)
            continue;
        *known = true;
        set = set || value > 0;
    }
    return set;
}

/* Adds a value in decimal digits, with at most three decimals. */
static void add_value(const struct chip *c, const char *key, double value, const char *unit,
                      const char *source, enum fact_status status)
{
    char digits[32] = "";
    if (status == FACT_OK && value >= 0 && value == floor(value)) {
        text_digits(digits, (uint64_t)value);
    } else if (status == FACT_OK) {
        snprintf(digits, sizeof digits, "%.3f", value);
        char *end = digits + strlen(digits);
        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            end[-1] = '\0';
        if (!strcmp(digits, "-0"))
            snprintf(digits, sizeof digits, "0");
    }
    inventory_add(c->inventory, c->node, key, digits, unit, source, status);
}

static void add_label(const struct chip *c, const struct feature *f)
{
    char path[PROBE_FOLDER], key[KEY_MAX], label[80];
    name_of(f, "_label", key);
    if (sysroot_line(c->root, file_of(c, key, path), label, sizeof label) == FACT_OK)
        inventory_add(c->inventory, c->node, key, label, "", path, FACT_OK);
}

static void add_alarm(const struct chip *c, const struct feature *f)
{
    bool known = false, alarm = has_flag(c, f, alarms, sizeof alarms / sizeof *alarms, &known);
    if (!known)
        return;
    char key[KEY_MAX], path[PROBE_FOLDER];
    name_of(f, "_alarm", key);
    inventory_add(c->inventory, c->node, key, alarm ? "yes" : "no", "", file_of(c, key, path),
                  FACT_OK);
}

static void add_feature(struct chip *c, const struct feature *f)
{
    struct temperature t = {.value = NAN, .maximum = NAN, .critical = NAN};
    const char *added = NULL; /* suffix of the fact that was added last */
    bool known, faulty = has_flag(c, f, faults, sizeof faults / sizeof *faults, &known);
    for (size_t i = 0; i < ROWS; i++) {
        const struct sensor_row *row = &rows[i];
        const sensors_subfeature *sub =
            row->feature == f->type ? find_subfeature(f, row->subfeature) : NULL;
        if (!sub || (added && !strcmp(added, row->suffix)))
            continue;
        char key[KEY_MAX], path[PROBE_FOLDER];
        double value = NAN;
        enum fact_status status = read_file(c, sub, &value);
        value /= row->scale;
        bool plausible = value >= row->min && value <= VALUE_MAX;
        if (status == FACT_OK && (!plausible || (faulty && !*row->suffix)))
            status = FACT_INVALID;
        /* Drivers fill in 0, -273 or 65261 where a device has no limit. */
        bool is_temperature_limit = row->feature == SENSORS_FEATURE_TEMP && *row->suffix;
        if (status == FACT_OK && is_temperature_limit && !(value > 0 && value < 1000))
            continue;
        added = row->suffix;
        add_value(c, name_of(f, row->suffix, key), value, row->unit, file_of(c, sub->name, path),
                  status);
        if (!*row->suffix)
            add_label(c, f);
        if (status != FACT_OK)
            continue;
        if (row->subfeature == SENSORS_SUBFEATURE_TEMP_MAX)
            t.maximum = value;
        if (row->subfeature == SENSORS_SUBFEATURE_TEMP_CRIT)
            t.critical = value;
        if (row->subfeature == SENSORS_SUBFEATURE_TEMP_INPUT) {
            t.value = value;
            snprintf(t.source, sizeof t.source, "%s", path);
        }
    }
    add_alarm(c, f);
    if (is_nearer(&t, &c->nearest))
        c->nearest = t;
}

void sensor_chip_add_facts(struct probe *p, int node, const sensors_chip_name *name,
                           const char *folder)
{
    struct sysroot near;
    sysroot_near_open(&near, p->root, folder);
    struct chip c = {.root = &near,
                     .inventory = p->inventory,
                     .node = node,
                     .folder = folder,
                     .nearest = {.value = NAN}};
    const sensors_feature *found;
    int number = 0;
    while ((found = sensors_get_features(name, &number))) {
        struct feature f = {.name = found->name, .type = found->type};
        int sub_number = 0;
        const sensors_subfeature *sub;
        while (f.count < SUBFEATURES_MAX &&
               (sub = sensors_get_all_subfeatures(name, found, &sub_number)) != NULL)
            f.subfeatures[f.count++] = sub;
        add_feature(&c, &f);
    }
    const struct temperature *t = &c.nearest;
    if (!isnan(t->value)) {
        add_value(&c, "temperature", t->value, "C", t->source, FACT_OK);
        if (!isnan(t->maximum))
            add_value(&c, "temperature_max", t->maximum, "C", t->source, FACT_OK);
        if (!isnan(t->critical))
            add_value(&c, "temperature_critical", t->critical, "C", t->source, FACT_OK);
    }
    sysroot_near_close(&near);
}
