/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds memory, its error counters, and the NUMA nodes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "base/units.h"
#include "hw/machine/cpu_list.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

#define MEMINFO     "/proc/meminfo"
#define EDAC_FOLDER "/sys/devices/system/edac/mc"
#define NODE_FOLDER "/sys/devices/system/node"

/* ---- lines "MemTotal: 65536 kB"; files of a NUMA node have "Node 0 " before them ---- */

struct amount {
    const char *label;
    enum fact_status status;
    uint64_t bytes;
};

struct amounts {
    struct amount *rows;
    size_t count, left;
};

static bool scan_amounts(void *context, char *line)
{
    struct amounts *scan = context;
    for (size_t i = 0; i < scan->count; i++) {
        struct amount *amount = &scan->rows[i];
        char *label = strstr(line, amount->label);
        if (amount->status != FACT_ABSENT || !label || (label != line && label[-1] != ' '))
            continue;
        char *text = label + strlen(amount->label), *unit = strstr(text, " kB");
        uint64_t kilobytes;
        if (unit)
            *unit = '\0';
        struct span digits = span_trimmed(span_of(text));
        bool valid = unit && !parse_unsigned(digits.text, &kilobytes, NULL) &&
                     !__builtin_mul_overflow(kilobytes, 1024u, &amount->bytes);
        amount->status = valid ? FACT_OK : FACT_INVALID;
        return --scan->left;
    }
    return true;
}

/* Reads amounts. A label that is missing in the file is absent; a file without any of the labels is
   invalid. */
static void read_amounts(const struct sysroot *root, const char *path, struct amount *rows,
                         size_t count)
{
    struct amounts scan = {.rows = rows, .count = count, .left = count};
    for (size_t i = 0; i < count; i++)
        rows[i].status = FACT_ABSENT;
    enum fact_status status = sysroot_each_line(root, path, scan_amounts, &scan);
    if (status == FACT_OK && scan.left == count)
        status = FACT_INVALID;
    for (size_t i = 0; status != FACT_OK && i < count; i++)
        if (rows[i].status == FACT_ABSENT)
            rows[i].status = status;
}

static void add_amount(struct inventory *v, int node, const char *key, const char *source,
                       const struct amount *amount)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, amount->bytes);
    inventory_add(v, node, key, digits, "bytes", source, amount->status);
}

/* ---- the machine's memory ---- */

/* Adds the labels of a controller's modules with errors: "CPU1_DIMM_B1 (7)". */
static void name_modules(struct probe *p, const char *controller, struct text *to)
{
    struct sysroot_names names;
    char folder[96];
    snprintf(folder, sizeof folder, EDAC_FOLDER "/%.32s", controller);
    sysroot_list(p->root, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        static const char *const files[] = {"dimm_ce_count", "dimm_ue_count"};
        char path[192], label[64];
        uint64_t errors = 0, count;
        if (strncmp(names.names[i], "dimm", 4) != 0)
            continue;
        for (size_t k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "%s/%.40s/%s", folder, names.names[i], files[k]);
            if (counter_read(p->root, path, &count) == FACT_OK)
                errors += count;
        }
        snprintf(path, sizeof path, "%s/%.40s/dimm_label", folder, names.names[i]);
        if (errors && sysroot_line(p->root, path, label, sizeof label) == FACT_OK && *label)
            text_addf(to, "%s%s (%" PRIu64 ")", to->length ? ", " : "", label, errors);
    }
    sysroot_names_free(&names);
}

static void add_memory(struct probe *p, int top)
{
    struct amount rows[] = {
        {.label = "MemTotal:"}, {.label = "MemAvailable:"}, {.label = "SwapTotal:"}};
    static const char *const keys[] = {"size", "available", "swap"};
    int node = inventory_add_node(p->inventory, NODE_MEMORY, "memory", NULL, top);
    read_amounts(p->root, MEMINFO, rows, sizeof rows / sizeof *rows);
    add_amount(p->inventory, top, "memory", MEMINFO, &rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_amount(p->inventory, node, keys[i], MEMINFO, &rows[i]);
    struct sysroot_names names;
    struct counter correctable = {0}, uncorrectable = {0};
    struct text modules = {0};
    enum fact_status status = sysroot_list(p->root, EDAC_FOLDER, &names);
    if (status != FACT_OK)
        correctable.trouble = uncorrectable.trouble = status;
    for (size_t i = 0; i < names.count; i++) {
        char path[PROBE_FOLDER];
        if (strncmp(names.names[i], "mc", 2) != 0)
            continue;
        snprintf(path, sizeof path, EDAC_FOLDER "/%s/ce_count", names.names[i]);
        counter_add(&correctable, p->root, path);
        snprintf(path, sizeof path, EDAC_FOLDER "/%s/ue_count", names.names[i]);
        counter_add(&uncorrectable, p->root, path);
        name_modules(p, names.names[i], &modules);
    }
    sysroot_names_free(&names);
    counter_fact(&correctable, p->inventory, node, "edac_correctable", EDAC_FOLDER "/mc*/ce_count",
                 false);
    counter_fact(&uncorrectable, p->inventory, node, "edac_uncorrectable",
                 EDAC_FOLDER "/mc*/ue_count", false);
    if (modules.length)
        inventory_add(p->inventory, node, "edac_modules", modules.data, "",
                      EDAC_FOLDER "/mc*/dimm*", FACT_OK);
    p->inventory->failed |= modules.failed;
    text_free(&modules);
}

/* ---- NUMA nodes ---- */

/* Adds the first line of a file of the node, if `looks_right` accepts it. */
static void add_line(struct probe *p, int node, const char *key, const char *folder,
                     const char *file, bool (*looks_right)(const char *text))
{
    char path[PROBE_FOLDER], text[1024];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    enum fact_status status = sysroot_line(p->root, path, text, sizeof text);
    if (status == FACT_OK && !looks_right(text))
        status = FACT_INVALID;
    bool none = status == FACT_OK && !*text;
    inventory_add(p->inventory, node, key, none ? "none" : text, "", path, status);
}

/* Returns true for a list of processors. An empty one means memory without processors, for example
   on CXL. */
static bool is_processor_list(const char *text)
{
    struct processors list;
    return processors_parse(text, &list);
}

static bool is_numbers(const char *text)
{
    return *text && text[strspn(text, "0123456789 ")] == '\0';
}

/* Returns true for "node" and digits, such as "node0". */
static bool is_numa_node(const char *name)
{
    size_t digits = strncmp(name, "node", 4) ? 0 : strspn(name + 4, "0123456789");
    return digits && !name[4 + digits];
}

void look_at_memory(struct probe *p)
{
    int top = probe_top(p);
    struct sysroot_names names;
    add_memory(p, top);
    sysroot_list(p->root, NODE_FOLDER, &names);
    for (size_t i = 0; i < names.count; i++) {
        if (!is_numa_node(names.names[i]))
            continue;
        const char *name = names.names[i];
        char folder[128], path[144];
        struct amount total = {.label = "MemTotal:"};
        snprintf(folder, sizeof folder, NODE_FOLDER "/%.64s", name);
        int node = inventory_add_node(p->inventory, NODE_NUMA, name, folder, top);
        add_line(p, node, "cpus", folder, "cpulist", is_processor_list);
        snprintf(path, sizeof path, "%s/meminfo", folder);
        read_amounts(p->root, path, &total, 1);
        add_amount(p->inventory, node, "memory", path, &total);
        add_line(p, node, "distances", folder, "distance", is_numbers);
    }
    sysroot_names_free(&names);
}
