/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what `smartctl -j` and `nvme ... -o json` printed, as facts of a captured machine. A
 * capture itself has no health of drives, because no command was sent to them. Sources:
 * smartctl(8), --json; nvme-smart-log(1), nvme-id-ctrl(1), nvme-list(1), --output-format=json.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/json/json_read.h"
#include "base/number_parse.h"
#include "hw/capture/capture.h"
#include "tables/ata_smart.h"
#include "tables/nvme_health.h"

#define FILE_MAX ((size_t)4 << 20)
#define KELVIN   273

/* A value in a file and the fact that it becomes. */
struct value_row {
    const char *place, *key, *unit;
    int zero; /* number that is subtracted; nvme prints temperatures in kelvin */
};

#define SMARTCTL_NVME "nvme_smart_health_information_log."

static const struct value_row smartctl_rows[] = {
    {"model_name", "model", NULL, 0},
    {"firmware_version", "firmware", NULL, 0},
    {"temperature.current", "temperature", "C", 0},
    {"power_on_time.hours", "power_on_hours", "h", 0},
    {"endurance_used.current_percent", "percentage_used", "%", 0},
    {"scsi_percentage_used_endurance_indicator", "percentage_used", "%", 0},
    {"scsi_error_counter_log.read.total_uncorrected_errors", "reported_uncorrectable", "", 0},
    {"scsi_error_counter_log.write.total_uncorrected_errors", "write_uncorrectable", "", 0},
    {"scsi_error_counter_log.verify.total_uncorrected_errors", "verify_uncorrectable", "", 0},
    {"scsi_grown_defect_list", "grown_defects", "", 0},
    {SMARTCTL_NVME "critical_warning", "critical_warning", "", 0},
    {SMARTCTL_NVME "available_spare", "available_spare", "%", 0},
    {SMARTCTL_NVME "available_spare_threshold", "available_spare_threshold", "%", 0},
    {SMARTCTL_NVME "percentage_used", "percentage_used", "%", 0},
    {SMARTCTL_NVME "media_errors", "media_errors", "", 0},
    {SMARTCTL_NVME "num_err_log_entries", "error_log_entries", "", 0},
    {SMARTCTL_NVME "power_on_hours", "power_on_hours", "h", 0},
    {SMARTCTL_NVME "unsafe_shutdowns", "unsafe_shutdowns", "", 0},
    {NULL, NULL, NULL, 0},
};

static const struct value_row nvme_log_rows[] = {
    {"critical_warning", "critical_warning", "", 0},
    {"critical_warning.value", "critical_warning", "", 0},
    {"temperature", "temperature", "C", KELVIN},
    {"avail_spare", "available_spare", "%", 0},
    {"spare_thresh", "available_spare_threshold", "%", 0},
    {"percent_used", "percentage_used", "%", 0},
    {"media_errors", "media_errors", "", 0},
    {"num_err_log_entries", "error_log_entries", "", 0},
    {"power_on_hours", "power_on_hours", "h", 0},
    {"unsafe_shutdowns", "unsafe_shutdowns", "", 0},
    {"thm_temp1_trans_count", "throttled_light", "", 0},
    {"thm_temp2_trans_count", "throttled_heavy", "", 0},
    {NULL, NULL, NULL, 0},
};

static const struct value_row nvme_identify_rows[] = {
    {"mn", "model", NULL, 0},
    {"fr", "firmware", NULL, 0},
    {"wctemp", "temperature_warning", "C", KELVIN},
    {"cctemp", "temperature_critical", "C", KELVIN},
    {NULL, NULL, NULL, 0},
};

static const struct value_row nvme_list_rows[] = {
    {"ModelNumber", "model", NULL, 0},
    {"Firmware", "firmware", NULL, 0},
    {NULL, NULL, NULL, 0},
};

/* A file, and the drive whose facts are read from it. */
struct drive {
    struct inventory *inventory;
    int node;
    const char *file; /* name of the file without folders */
    struct span text;
    struct text *passed_over;
};

/* Adds a line to `passed_over`: the machine of the capture does not have this drive. */
static void pass_over(const struct drive *d, struct span name)
{
    text_addf(d->passed_over, "%s is of %.*s, a drive that the capture does not have\n", d->file,
              (int)(name.length < 64 ? name.length : 64), name.text);
}

static bool find(const struct drive *d, const char *place, struct span *value)
{
    return json_find(d->text, span_of(place), value) == JSON_FOUND && value->length &&
           !strchr("{[", value->text[0]);
}

static bool find_number(const struct drive *d, const char *place, double *number)
{
    struct span value;
    return find(d, place, &value) && number_parse(value.text, value.length, number) == NUMBER_OK &&
           *number >= 0;
}

/* Adds a fact, unless the node has this fact already, from the files in the capture. */
static void add(const struct drive *d, const char *key, const char *value, const char *unit)
{
    if (!inventory_value(d->inventory, d->node, key))
        inventory_add(d->inventory, d->node, key, value, unit, d->file, FACT_OK);
}

static void add_rows(const struct drive *d, const struct value_row *rows)
{
    for (; rows->place; rows++) {
        struct span value;
        char text[64];
        double number;
        if (!find(d, rows->place, &value))
            continue;
        if (!rows->unit)
            add(d, rows->key, span_printable(text, sizeof text, span_trimmed(value)), "");
        else if (number_parse(value.text, value.length, &number) == NUMBER_OK &&
                 number > rows->zero - 1 && number < 1e18) {
            snprintf(text, sizeof text, "%.0f", number - rows->zero);
            add(d, rows->key, text, rows->unit);
        }
    }
}

/* ---- health in words ---- */

#define WARNING_ROW(bit, text) [bit] = (text),
static const char *const warnings[8] = {NVME_WARNING_ROWS(WARNING_ROW)};
#undef WARNING_ROW

static void add_health(const struct drive *d, const char *warning_place, const char *used_place)
{
    char words[320] = "";
    struct span passed;
    double warning = 0, used = 0;
    size_t length = 0;
    const bool has_log = find_number(d, warning_place, &warning);
    const bool has_status = find(d, "smart_status.passed", &passed);
    find_number(d, used_place, &used);
    for (unsigned bit = 0; bit < 8; bit++)
        if ((unsigned)warning >> bit & 1 && length < sizeof words)
            length +=
                (size_t)snprintf(words + length, sizeof words - length, "%s%s", length ? ", " : "",
                                 warnings[bit] ? warnings[bit] : "unknown warning");
    if (!length && has_status && span_is(passed, "false"))
        length = (size_t)snprintf(words, sizeof words, "failing: the drive predicts it (SMART)");
    if (!length && used >= 100)
        length = (size_t)snprintf(words, sizeof words, "rated life used up");
    if (has_log || has_status)
        add(d, "health", length ? words : "good", "");
}

/* ---- attributes of ATA drives ---- */

struct counter_row {
    unsigned id;
    const char *key;
    unsigned bytes;
    double max;
    const char *unit;
};

#define COUNTER_ROW(...) {__VA_ARGS__},
static const struct counter_row counters[] = {SMART_COUNTER_ROWS(COUNTER_ROW)};
#undef COUNTER_ROW

static void add_attributes(const struct drive *d)
{
    struct span table, name, row;
    if (json_find(d->text, span_of("ata_smart_attributes.table"), &table) != JSON_FOUND)
        return;
    for (struct json_walk walk = json_walk_of(table); json_next(&walk, &name, &row);) {
        const struct drive of_row = {d->inventory, d->node, d->file, row, d->passed_over};
        double id, raw;
        if (!find_number(&of_row, "id", &id) || !find_number(&of_row, "raw.value", &raw) ||
            raw >= 0x1p48)
            continue;
        for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
            char text[32];
            const uint64_t value = (uint64_t)raw & ((UINT64_C(1) << 8 * counters[i].bytes) - 1);
            if ((unsigned)id != counters[i].id ||
                (counters[i].max > 0 && (double)value > counters[i].max))
                continue;
            snprintf(text, sizeof text, "%llu", (unsigned long long)value);
            add(d, counters[i].key, text, counters[i].unit);
        }
    }
}

/* ---- which drive ---- */

/* Returns true if `name` is the name of the disk, or of its controller, as "nvme0" for the disk
   "nvme0n1": the disk's name then continues with a letter after the controller's number. */
static bool names_drive(const struct inventory *v, int node, const char *name, size_t length)
{
    const char *own = v->nodes[node].name;
    return v->nodes[node].kind == NODE_DISK && !strncmp(own, name, length) &&
           (!own[length] ||
            (isdigit((unsigned char)name[length - 1]) && isalpha((unsigned char)own[length])));
}

/* Returns the node that has the health of the drive with that name, "sda", "nvme0" or "nvme0n1":
   its controller, if the tree has one. `itself`: the disk's own node instead. */
static int node_of(const struct inventory *v, struct span name, bool itself)
{
    char text[64];
    int node = INVENTORY_NONE;
    if (!name.length || name.length >= sizeof text)
        return INVENTORY_NONE;
    span_copy(text, name);
    for (int i = 0; node == INVENTORY_NONE && i < v->node_count; i++)
        if (names_drive(v, i, text, name.length))
            node = i;
    if (node == INVENTORY_NONE || itself)
        return node;
    const int parent = v->nodes[node].parent;
    return node_kind_is(v->nodes[parent].kind, KIND_CARRIES_DISK) &&
                   node_kind_is(v->nodes[parent].kind, KIND_STARTS_PATH)
               ? parent
               : node;
}

static struct span last_part(struct span path)
{
    for (size_t i = path.length; i-- > 0;)
        if (path.text[i] == '/')
            return (struct span){path.text + i + 1, path.length - i - 1};
    return path;
}

/* Returns the node of the drive that the file's name contains, as in "smart-log-nvme0.json",
   because nvme prints no device name. */
static int node_in_file_name(const struct inventory *v, const char *file)
{
    int node = INVENTORY_NONE;
    while (*file && node == INVENTORY_NONE) {
        size_t length = 0;
        while (isalnum((unsigned char)file[length]))
            length++;
        if (length && isdigit((unsigned char)file[length - 1]))
            node = node_of(v, (struct span){file, length}, false);
        file += length + (file[length] != '\0');
    }
    return node;
}

static void read_smartctl(struct drive *d)
{
    struct span name;
    if (!find(d, "device.name", &name))
        return;
    d->node = node_of(d->inventory, last_part(name), false);
    if (d->node == INVENTORY_NONE) {
        pass_over(d, last_part(name));
        return;
    }
    add_rows(d, smartctl_rows);
    add_attributes(d);
    add_health(d, SMARTCTL_NVME "critical_warning", SMARTCTL_NVME "percentage_used");
}

static void read_nvme_list(const struct drive *d)
{
    struct span devices, name, row, path;
    if (json_find(d->text, span_of("Devices"), &devices) != JSON_FOUND)
        return;
    for (struct json_walk walk = json_walk_of(devices); json_next(&walk, &name, &row);) {
        struct drive one = {d->inventory, INVENTORY_NONE, d->file, row, d->passed_over};
        if (!find(&one, "DevicePath", &path))
            continue;
        one.node = node_of(d->inventory, last_part(path), true);
        if (one.node != INVENTORY_NONE)
            add_rows(&one, nvme_list_rows);
        else
            pass_over(&one, last_part(path));
    }
}

/* Reads what nvme printed about one drive, without the drive's name. */
static void read_nvme(struct drive *d)
{
    struct span value;
    const bool is_log = find(d, "percent_used", &value);
    if (!is_log && !find(d, "mn", &value))
        return;
    d->node = node_in_file_name(d->inventory, d->file);
    if (d->node == INVENTORY_NONE) {
        text_addf(d->passed_over,
                  "%s names no drive of the capture: name the file after its drive, as in "
                  "smart-log-nvme0.json\n",
                  d->file);
        return;
    }
    add_rows(d, is_log ? nvme_log_rows : nvme_identify_rows);
    if (is_log)
        add_health(
            d, find(d, "critical_warning", &value) ? "critical_warning" : "critical_warning.value",
            "percent_used");
}

static void read_file(struct inventory *v, const char *path, const char *file,
                      struct text *passed_over)
{
    char *text;
    size_t length;
    struct stat s;
    /* skips pipes: reading one would wait for its writer */
    if (stat(path, &s) || !S_ISREG(s.st_mode))
        return;
    if (file_read_all(path, FILE_MAX, &text, &length, NULL))
        return;
    struct drive d = {v, INVENTORY_NONE, file, {text, length}, passed_over};
    if (json_is_value(span_trimmed(d.text))) {
        read_smartctl(&d);
        read_nvme_list(&d);
        if (d.node == INVENTORY_NONE)
            read_nvme(&d);
    }
    free(text);
}

/* Reads the files of a folder whose names begin with `prefix` and end in .json. */
static void read_folder(struct inventory *v, const char *folder, const char *prefix,
                        struct text *passed_over)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const size_t length = strlen(name);
        char path[PATH_MAX];
        if (length > 5 && !strcmp(name + length - 5, ".json") &&
            !strncmp(name, prefix, strlen(prefix)) &&
            snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
            read_file(v, path, name, passed_over);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void capture_read_health(struct inventory *v, const char *capture, struct text *passed_over)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    size_t length = strlen(capture);
    while (length > 1 && capture[length - 1] == '/')
        length--;
    const struct span whole = {capture, length}, last = last_part(whole);
    if (length >= sizeof path || last.length > NAME_MAX || !last.length)
        return;
    span_copy(path, whole);
    read_folder(v, path, "", passed_over); /* reads nothing if the capture is a file */
    span_copy(name, last);
    if (last.length > 4 && !strcmp(name + last.length - 4, ".tar"))
        name[last.length - 4] = '\0';
    path[length - last.length] = '\0';
    read_folder(v, *path ? path : ".", name, passed_over);
}
