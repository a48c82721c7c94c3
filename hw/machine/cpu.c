/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All processors together: model, number, microcode, vulnerabilities. The rest is in cpu_*.c. */
#include "hw/machine/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"
#include "tables/arm_cores.h"

#define CPUINFO "/proc/cpuinfo"

#define CORE(implementer, part, name) {implementer, part, name},

static void read_processors(struct cpu_survey *s)
{
    s->online_status = processors_online(s->root, &s->online);
    if (s->online_status == FACT_OK) {
        cpuinfo_read_first(s->root, &s->info);
        return;
    }
    cpuinfo_read(s->root, &s->info);
    s->online.count = s->info.count < PROCESSORS_MAX ? s->info.count : PROCESSORS_MAX;
    for (size_t i = 0; i < s->online.count; i++)
        s->online.numbers[i] = (unsigned short)i;
}

/* Has the text a form such as "0x2b000590"? */
static bool is_microcode_version(const char *text)
{
    size_t digits = strncmp(text, "0x", 2) ? 0 : strspn(text + 2, "0123456789abcdef");
    return digits && !text[2 + digits];
}

/* ARM kernels show numbers, which are replaced by the core's name where it is known. */
static void name_core(struct cpuinfo *info)
{
    static const struct {
        unsigned long implementer, part;
        const char *name;
    } cores[] = {ARM_CORE_ROWS(CORE)};
    unsigned long implementer = strtoul(info->implementer, NULL, 16);
    unsigned long part = strtoul(info->part, NULL, 16);
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (cores[i].implementer == implementer && cores[i].part == part)
            snprintf(info->model, sizeof info->model, "%s", cores[i].name);
}

/* Adds a fact for each vulnerability that affects this processor; the others are counted. */
static void add_vulnerabilities(struct cpu_survey *s)
{
    static const char folder[] = CPU_FOLDER "/vulnerabilities";
    struct sysroot_names names;
    uint64_t unaffected = 0;
    enum fact_status status = sysroot_list(s->root, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        char path[CPU_PATH], key[80], text[512];
        snprintf(path, sizeof path, "%s/%.64s", folder, names.names[i]);
        snprintf(key, sizeof key, "vulnerability_%.64s", names.names[i]);
        enum fact_status answer = sysroot_line(s->root, path, text, sizeof text);
        if (answer == FACT_OK && !strcmp(text, "Not affected"))
            unaffected++;
        else
            inventory_add(s->inventory, s->node, key, text, "", path, answer);
    }
    sysroot_names_free(&names);
    if (status == FACT_OK)
        inventory_add_number(s->inventory, s->node, "not_affected", unaffected, "", folder);
    else
        inventory_add(s->inventory, s->node, "not_affected", "", "", folder, status);
}

void look_at_cpu(struct probe *p)
{
    struct cpu_survey *s = calloc(1, sizeof *s);
    if (!s) {
        p->inventory->failed = true;
        return;
    }
    struct sysroot near;
    sysroot_near_open(&near, p->root, CPU_FOLDER);
    s->root = &near;
    s->inventory = p->inventory;
    s->node = inventory_add_node(p->inventory, NODE_CPU, "cpu", CPU_FOLDER, probe_top(p));
    read_processors(s);
    if (*s->info.implementer)
        name_core(&s->info);
    enum fact_status status = s->info.status;
    if (status == FACT_OK && !*s->info.model)
        status = FACT_ABSENT;
    inventory_add(s->inventory, s->node, "model", s->info.model, "", CPUINFO, status);
    static const char offline[] = CPU_FOLDER "/offline";
    char list[1024];
    if (s->online.count)
        inventory_add_number(s->inventory, s->node, "online", s->online.count, "",
                             s->online_status == FACT_OK ? PROCESSORS_ONLINE_FILE : CPUINFO);
    else
        inventory_add(s->inventory, s->node, "online", "", "", PROCESSORS_ONLINE_FILE,
                      s->online_status);
    if (sysroot_line(s->root, offline, list, sizeof list) == FACT_OK && *list)
        inventory_add(s->inventory, s->node, "offline", list, "", offline, FACT_OK);
    /* ARM processors have no microcode. */
    char path[CPU_PATH], version[32];
    cpu_path(path, s->online.count ? s->online.numbers[0] : 0, "microcode/version");
    status = sysroot_line(s->root, path, version, sizeof version);
    if (status == FACT_ABSENT && *s->info.microcode) {
        snprintf(version, sizeof version, "%s", s->info.microcode);
        snprintf(path, sizeof path, "%s", CPUINFO);
        status = FACT_OK;
    }
    if (status == FACT_OK && !is_microcode_version(version))
        status = FACT_INVALID;
    if (status != FACT_ABSENT)
        inventory_add(s->inventory, s->node, "microcode", version, "", path, status);
    cpu_topology_add(s);
    cpu_frequency_add(s);
    cpu_idle_add(s);
    add_vulnerabilities(s);
    power_add_limits(p);
    sysroot_near_close(&near);
    free(s);
}
