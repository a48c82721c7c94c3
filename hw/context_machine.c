/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Context of the machine: kernel, processors, frequency control, mitigations, memory. */
#include "hw/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "base/units.h"
#include "hw/context_attribute.h"
#include "hw/processors.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const struct context_attribute machine_rows[] = {
    {"kernel", ATTRIBUTE_TEXT, {"proc/sys/kernel/osrelease"}, 0, NULL},
    {"kernel_version", ATTRIBUTE_TEXT, {"proc/sys/kernel/version"}, 0, NULL},
    {"kernel_command_line", ATTRIBUTE_TEXT, {"proc/cmdline"}, 0, NULL},
    {"clocksource",
     ATTRIBUTE_TEXT,
     {"sys/devices/system/clocksource/clocksource0/current_clocksource"},
     0,
     NULL},
};

static const struct context_attribute smt_rows[] = {
    {"smt_active", ATTRIBUTE_YES_NO, {"sys/devices/system/cpu/smt/active"}, 0, NULL},
};

/* In kHz; of the first processor that is online. */
static const struct context_attribute cpufreq_rows[] = {
    {"frequency_driver", ATTRIBUTE_TEXT, {"scaling_driver"}, 0, NULL},
    {"frequency_min", ATTRIBUTE_NUMBER, {"scaling_min_freq"}, 1000, "Hz"},
    {"frequency_max", ATTRIBUTE_NUMBER, {"scaling_max_freq"}, 1000, "Hz"},
};

/* ---- memory and virtualisation ---- */

struct memory_scan {
    bool found;
    uint64_t kilobytes;
};

static bool scan_memory(void *context, char *line)
{
    struct memory_scan *scan = context;
    static const char key[] = "MemTotal:";
    if (strncmp(line, key, sizeof key - 1) != 0)
        return true;
    char *unit = strstr(line, " kB");
    if (unit)
        *unit = '\0';
    struct span digits = span_trimmed(span_of(line + sizeof key - 1));
    scan->found = unit && !parse_unsigned(digits.text, &scan->kilobytes, NULL) &&
                  scan->kilobytes < UINT64_MAX / 1024;
    return false;
}

static void add_memory(const struct sysroot *root, struct facts *facts)
{
    static const char source[] = "/proc/meminfo";
    struct memory_scan scan = {0};
    enum fact_status status = sysroot_each_line(root, source, scan_memory, &scan);
    if (scan.found)
        context_attribute_add_number(facts, "machine", "memory", scan.kilobytes * 1024, "bytes", source);
    else
        facts_add(facts, "machine", "memory", "", "bytes", source,
                  status == FACT_OK ? FACT_INVALID : status);
}

/* "Dell Inc. PowerEdge R760": what the firmware calls the machine, real or virtual. */
static void add_product(const struct sysroot *root, struct facts *facts)
{
    static const char source[] = "/sys/class/dmi/id/product_name";
    char vendor[128], product[128], both[260];
    enum fact_status status = sysroot_line(root, source, product, sizeof product);
    sysroot_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof vendor);
    snprintf(both, sizeof both, "%s %s", vendor, product);
    context_attribute_add_text(facts, "machine", "product", both, source, status);
}

static void add_hypervisor(const struct sysroot *root, const struct cpuinfo *info,
                           struct facts *facts)
{
    static const char type_file[] = "/sys/hypervisor/type";
    char type[64];
    enum fact_status status = sysroot_line(root, type_file, type, sizeof type);
    if (status == FACT_OK)
        context_attribute_add_text(facts, "machine", "hypervisor", type, type_file, status);
    else if (info->tells_hypervisor)
        context_attribute_add_text(facts, "machine", "hypervisor", info->hypervisor ? "yes" : "none",
                           "/proc/cpuinfo", FACT_OK);
    else
        facts_add(facts, "machine", "hypervisor", "", "", type_file, status);
}

/* ---- processors ---- */

static void add_processor_count(const struct cpuinfo *info, enum fact_status online_status,
                                const struct processors *online, struct facts *facts)
{
    if (online_status == FACT_OK)
        context_attribute_add_number(facts, "cpu", "online", online->count, "", PROCESSORS_ONLINE_FILE);
    else if (info->count)
        context_attribute_add_number(facts, "cpu", "online", info->count, "", "/proc/cpuinfo");
    else
        facts_add(facts, "cpu", "online", "", "", PROCESSORS_ONLINE_FILE, online_status);
}

/* The governor of all processors, or how many have that of the first. */
static void add_governor(const struct sysroot *root, const struct processors *online,
                         const char *folder, struct facts *facts)
{
    char source[112], first[64], other[64], path[112], value[128];
    snprintf(source, sizeof source, "%s/scaling_governor", folder);
    enum fact_status status = sysroot_line(root, source, first, sizeof first);
    size_t same = 0, told = 0;
    for (size_t i = 0; status == FACT_OK && i < online->count; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
                 (unsigned)online->numbers[i]);
        if (sysroot_line(root, path, other, sizeof other) != FACT_OK)
            continue;
        told++;
        same += !strcmp(first, other);
    }
    if (same < told)
        snprintf(value, sizeof value, "%s on %zu of %zu processors", first, same, told);
    else
        snprintf(value, sizeof value, "%s", first);
    context_attribute_add_text(facts, "cpu", "governor", value, source, status);
}

static void add_frequency(const struct sysroot *root, struct facts *facts)
{
    const char *source;
    double hertz = processors_frequency_hz(root, &source);
    char digits[40];
    snprintf(digits, sizeof digits, "%.0f", hertz);
    if (isfinite(hertz))
        facts_add(facts, "cpu", "frequency", digits, "Hz", source, FACT_OK);
    else
        facts_add(facts, "cpu", "frequency", "", "Hz", source, FACT_ABSENT);
}

static void add_processors(const struct sysroot *root, const struct cpuinfo *info,
                           struct facts *facts)
{
    struct processors online;
    enum fact_status online_status = processors_online(root, &online);
    context_attribute_add_text(facts, "cpu", "model", info->model, "/proc/cpuinfo",
                       info->status == FACT_OK && !info->model[0] ? FACT_ABSENT : info->status);
    add_processor_count(info, online_status, &online, facts);
    context_attributes_add(root, "cpu", "", smt_rows, COUNT(smt_rows), facts);

    char folder[64];
    snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%u/cpufreq",
             online.count ? (unsigned)online.numbers[0] : 0);
    add_governor(root, &online, folder, facts);
    context_attributes_add(root, "cpu", folder, cpufreq_rows, COUNT(cpufreq_rows), facts);
    add_frequency(root, facts);
}

/* ---- mitigations ---- */

/* A row for each vulnerability that affects this processor; those that do not are counted. */
static void add_mitigations(const struct sysroot *root, struct facts *facts)
{
    static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
    struct sysroot_names names;
    enum fact_status status = sysroot_list(root, folder, &names);
    if (status != FACT_OK) {
        facts_add(facts, "mitigations", "vulnerabilities", "", "", folder, status);
        return;
    }
    uint64_t unaffected = 0;
    for (size_t i = 0; i < names.count; i++) {
        char path[128], text[512];
        snprintf(path, sizeof path, "%s/%s", folder, names.names[i]);
        status = sysroot_line(root, path, text, sizeof text);
        if (status == FACT_OK && !strcmp(text, "Not affected"))
            unaffected++;
        else
            context_attribute_add_text(facts, "mitigations", names.names[i], text, path, status);
    }
    context_attribute_add_number(facts, "mitigations", "not_affected", unaffected, "", folder);
}

void context_machine(const struct sysroot *root, struct facts *facts)
{
    struct cpuinfo info;
    cpuinfo_read(root, &info);
    context_attributes_add(root, "machine", "", machine_rows, COUNT(machine_rows), facts);
    add_memory(root, facts);
    add_product(root, facts);
    add_hypervisor(root, &info, facts);
    add_processors(root, &info, facts);
    add_mitigations(root, facts);
}
