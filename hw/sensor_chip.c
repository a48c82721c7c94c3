/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a chip tells: temperatures with their limits, fans, power, voltages and currents. */
#include "hw/sensor_chip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A subfeature that becomes the fact FEATURE + suffix. */
struct sensor_row {
    sensors_feature_type feature;
    sensors_subfeature_type subfeature;
    const char *suffix, *unit;
};

/* Of two with the same suffix the first that is there counts. */
static const struct sensor_row rows[] = {
    {SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_INPUT, "", "C"},
    {SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_MAX, "_max", "C"},
    {SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_CRIT, "_critical", "C"},
    {SENSORS_FEATURE_FAN, SENSORS_SUBFEATURE_FAN_INPUT, "", "rpm"},
    {SENSORS_FEATURE_FAN, SENSORS_SUBFEATURE_FAN_MIN, "_min", "rpm"},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_INPUT, "", "W"},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_AVERAGE, "", "W"},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_CAP, "_cap", "W"},
    {SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_MAX, "_max", "W"},
    {SENSORS_FEATURE_IN, SENSORS_SUBFEATURE_IN_INPUT, "", "V"},
    {SENSORS_FEATURE_CURR, SENSORS_SUBFEATURE_CURR_INPUT, "", "A"},
};
#define ROWS (sizeof rows / sizeof *rows)

static const sensors_subfeature_type alarms[] = {
    SENSORS_SUBFEATURE_TEMP_ALARM,
    SENSORS_SUBFEATURE_TEMP_MAX_ALARM,
    SENSORS_SUBFEATURE_TEMP_CRIT_ALARM,
    SENSORS_SUBFEATURE_TEMP_EMERGENCY_ALARM,
};

/* ---- the chip's own temperature: that of the feature nearest to its limit ---- */

struct temperature {
    double value, maximum, critical; /* NaN: not told */
    char source[PROBE_FOLDER];
};

/* Drivers fill in 0, -273 or 65261 where a device has no limit. */
static bool is_limit(double limit)
{
    return limit > 0 && limit < 1000;
}

static bool is_temperature_limit(const struct sensor_row *row)
{
    return row->feature == SENSORS_FEATURE_TEMP && row->subfeature != SENSORS_SUBFEATURE_TEMP_INPUT;
}

static double margin(const struct temperature *t)
{
    return (isnan(t->maximum) ? t->critical : t->maximum) - t->value;
}

static bool is_nearer(const struct temperature *a, const struct temperature *b)
{
    double of_a = margin(a), of_b = margin(b);
    if (isnan(a->value) || isnan(b->value))
        return isnan(b->value) && !isnan(a->value);
    if (isnan(of_a) && isnan(of_b))
        return a->value > b->value;
    return isnan(of_b) || of_a < of_b;
}

/* ---- values ---- */

struct chip {
    struct probe *probe;
    const sensors_chip_name *name;
    int node;
    const char *folder;
    struct temperature nearest;
};

/* The file's path. Writes to `to` (PROBE_FOLDER bytes), returns it. */
static char *file_of(const struct chip *c, const char *file, char *to)
{
    int length = snprintf(to, PROBE_FOLDER, "%s/%s", c->folder, file);
    if (length < 0 || length >= PROBE_FOLDER)
        to[0] = '\0';
    return to;
}

/* What a sensor can mean at all. */
static bool is_plausible(const sensors_subfeature *sub, double value)
{
    sensors_quantity quantity = sensors_get_subfeature_quantity(sub->type);
    double least = quantity == SENSORS_QUANTITY_TEMP  ? -274
                   : quantity == SENSORS_QUANTITY_RPM ? 0
                                                      : -1e9;
    return value >= least && value <= 1e9;
}

/* The library does not tell why it cannot read: we look ourselves then. */
static enum fact_status read_value(const struct chip *c, const sensors_subfeature *sub,
                                   double *value)
{
    const struct sysroot *root = c->probe->root;
    char path[PROBE_FOLDER], text[64];
    file_of(c, sub->name, path);
    if (root->watcher)
        root->watcher->saw(root->watcher->context, path);
    if (sensors_get_value(c->name, sub->number, value) == 0)
        return is_plausible(sub, *value) ? FACT_OK : FACT_INVALID;
    enum fact_status status = sysroot_line(root, path, text, sizeof text);
    return status == FACT_OK ? FACT_INVALID : status;
}

static bool has_flag(const struct chip *c, const sensors_feature *feature,
                     sensors_subfeature_type type, bool *told)
{
    double value;
    const sensors_subfeature *sub = sensors_get_subfeature(c->name, feature, type);
    if (!sub || read_value(c, sub, &value) != FACT_OK)
        return false;
    *told = true;
    return value > 0;
}

/* A sensor that says itself that it is broken or not connected. */
static bool is_faulty(const struct chip *c, const sensors_feature *feature)
{
    bool told = false;
    return (feature->type == SENSORS_FEATURE_TEMP &&
            has_flag(c, feature, SENSORS_SUBFEATURE_TEMP_FAULT, &told)) ||
           (feature->type == SENSORS_FEATURE_FAN &&
            has_flag(c, feature, SENSORS_SUBFEATURE_FAN_FAULT, &told));
}

/* Plain digits: three decimals at most. */
static void format_value(char *to, size_t size, double value)
{
    snprintf(to, size, "%.3f", value);
    char *end = to + strlen(to);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
    if (!strcmp(to, "-0"))
        snprintf(to, size, "0");
}

static void add_value(struct chip *c, const char *key, double value, const char *unit,
                      const char *source, enum fact_status status)
{
    char digits[32] = "";
    if (status == FACT_OK)
        format_value(digits, sizeof digits, value);
    inventory_add(c->probe->inventory, c->node, key, digits, unit, source, status);
}

static void note_temperature(struct temperature *t, const struct sensor_row *row, double value,
                             const char *source)
{
    if (row->subfeature == SENSORS_SUBFEATURE_TEMP_MAX)
        t->maximum = value;
    if (row->subfeature == SENSORS_SUBFEATURE_TEMP_CRIT)
        t->critical = value;
    if (row->subfeature != SENSORS_SUBFEATURE_TEMP_INPUT)
        return;
    t->value = value;
    snprintf(t->source, sizeof t->source, "%s", source);
}

static void add_label(struct chip *c, const sensors_feature *feature)
{
    char path[PROBE_FOLDER], key[64], label[80];
    snprintf(key, sizeof key, "%.40s_label", feature->name);
    if (sysroot_line(c->probe->root, file_of(c, key, path), label, sizeof label) == FACT_OK)
        inventory_add(c->probe->inventory, c->node, key, label, "", path, FACT_OK);
}

static void add_alarm(struct chip *c, const sensors_feature *feature)
{
    bool told = false, alarm = false;
    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
        alarm = has_flag(c, feature, alarms[i], &told) || alarm;
    if (!told)
        return;
    char key[64], path[PROBE_FOLDER];
    snprintf(key, sizeof key, "%.40s_alarm", feature->name);
    inventory_add(c->probe->inventory, c->node, key, alarm ? "yes" : "no", "",
                  file_of(c, key, path), FACT_OK);
}

static void add_feature(struct chip *c, const sensors_feature *feature)
{
    struct temperature t = {.value = NAN, .maximum = NAN, .critical = NAN};
    const char *added = NULL; /* the suffix of the last fact */
    bool faulty = is_faulty(c, feature);
    for (size_t i = 0; i < ROWS; i++) {
        const sensors_subfeature *sub =
            rows[i].feature == feature->type
                ? sensors_get_subfeature(c->name, feature, rows[i].subfeature)
                : NULL;
        if (!sub || (added && !strcmp(added, rows[i].suffix)))
            continue;
        char key[64], path[PROBE_FOLDER];
        double value = NAN;
        enum fact_status status = read_value(c, sub, &value);
        if (faulty && !*rows[i].suffix && status == FACT_OK)
            status = FACT_INVALID;
        if (status == FACT_OK && is_temperature_limit(&rows[i]) && !is_limit(value))
            continue;
        added = rows[i].suffix;
        snprintf(key, sizeof key, "%.40s%s", feature->name, rows[i].suffix);
        add_value(c, key, value, rows[i].unit, file_of(c, sub->name, path), status);
        if (!*rows[i].suffix)
            add_label(c, feature);
        if (status == FACT_OK)
            note_temperature(&t, &rows[i], value, path);
    }
    if (feature->type == SENSORS_FEATURE_TEMP)
        add_alarm(c, feature);
    if (is_nearer(&t, &c->nearest))
        c->nearest = t;
}

static void add_temperature(struct chip *c)
{
    const struct temperature *t = &c->nearest;
    if (isnan(t->value))
        return;
    add_value(c, "temperature", t->value, "C", t->source, FACT_OK);
    if (!isnan(t->maximum))
        add_value(c, "temperature_max", t->maximum, "C", t->source, FACT_OK);
    if (!isnan(t->critical))
        add_value(c, "temperature_critical", t->critical, "C", t->source, FACT_OK);
}

void sensor_chip_add_facts(struct probe *p, int node, const sensors_chip_name *name,
                           const char *folder)
{
    struct chip c = {
        .probe = p, .name = name, .node = node, .folder = folder, .nearest = {.value = NAN}};
    const sensors_feature *feature;
    int number = 0;
    while ((feature = sensors_get_features(name, &number)))
        add_feature(&c, feature);
    add_temperature(&c);
}
