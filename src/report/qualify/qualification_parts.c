/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges each part of a qualified machine: links, disks, memory, processors, network, sensors. */
#include "report/qualify/qualification.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static const char *const names[QUALIFICATION_PARTS] = {"links",      "disks",   "memory",
                                                       "processors", "network", "sensors"};

const char *qualification_part_name(enum qualification_part part)
{
    return names[part];
}

/* Returns the part that a check belongs to: that of the first row whose text begins the check's
   name. Otherwise a check of a disk belongs to the disks, and a check of the machine, such as its
   configuration, to no part (QUALIFICATION_PARTS). */
static enum qualification_part part_of(const struct qualification_check *check)
{
    static const struct {
        const char *begin;
        enum qualification_part part;
        bool of_machine; /* the row is only for checks of the machine, not of a disk */
    } rows[] = {{"link", PART_LINKS, false},
                {"PCIe errors", PART_LINKS, false},
                {"SAS link", PART_LINKS, false},
                {"degraded links", PART_LINKS, true},
                {"memory", PART_MEMORY, true},
                {"modules", PART_MEMORY, true},
                {"processor", PART_PROCESSORS, true},
                {"slowest processor", PART_PROCESSORS, true},
                {"power limit", PART_PROCESSORS, true},
                {"throttling", PART_PROCESSORS, true},
                {"machine state", PART_PROCESSORS, true},
                {"sockets", PART_PROCESSORS, true},
                {"cores", PART_PROCESSORS, true},
                {"microcode", PART_PROCESSORS, true},
                {"network", PART_NETWORK, true},
                {"temperature", PART_SENSORS, true},
                {"fan", PART_SENSORS, true},
                {"power", PART_SENSORS, true},
                {"disk", PART_DISKS, true},
                {"together", PART_DISKS, true},
                {"interrupted", PART_DISKS, true},
                {"device", PART_DISKS, true}};
    const bool of_machine = check->device < 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((of_machine || !rows[i].of_machine) &&
            !strncmp(check->what, rows[i].begin, strlen(rows[i].begin)))
            return rows[i].part;
    return of_machine ? QUALIFICATION_PARTS : PART_DISKS;
}

const char *qualification_verdict_word(enum grade grade)
{
    static const char *const words[] = {[GRADE_NONE] = "NOT DECIDED",
                                        [GRADE_PASS] = "PASS",
                                        [GRADE_WARN] = "WARN",
                                        [GRADE_UNDECIDED] = "NOT DECIDED",
                                        [GRADE_FAIL] = "FAIL"};
    return words[grade];
}

/* ---- what was found ---- */

static size_t nodes_with(const struct inventory *v, int kind, const char *key, const char *value)
{
    size_t count = 0;
    for (int node = 0; node < v->node_count; node++) {
        const char *found = inventory_value(v, node, key);
        count += (kind == NODE_KINDS || (int)v->nodes[node].kind == kind) && found &&
                 (!value || !strcmp(found, value));
    }
    return count;
}

static enum grade find_links(const struct qualification *q, char *to, size_t size)
{
    const size_t count = nodes_with(q->hardware, NODE_KINDS, "degraded", "no");
    snprintf(to, size,
             count ? "%zu as fast and as wide as both ends can" : "none reports its speed", count);
    return count ? GRADE_PASS : GRADE_NONE;
}

static enum grade find_disks(const struct qualification *q, char *to, size_t size)
{
    size_t measured = q->sharing ? q->device_count : 0;
    for (size_t i = 0; i < q->device_count && !q->sharing; i++)
        measured += !qualification_unmeasured(&q->devices[i]);
    snprintf(to, size, "%zu of %zu measured", measured, q->device_count);
    return measured ? GRADE_PASS : GRADE_NONE;
}

static enum grade find_memory(const struct qualification *q, char *to, size_t size)
{
    const struct qualification_memory *m = &q->memory;
    char rate[UNITS_BUFFER];
    int memory = 0;
    while (memory < q->hardware->node_count && q->hardware->nodes[memory].kind != NODE_MEMORY)
        memory++;
    const char *modules =
        memory < q->hardware->node_count ? inventory_value(q->hardware, memory, "modules") : NULL;
    size_t used = 0;
    if (modules)
        used = (size_t)snprintf(to, size, "%.8s modules, ", modules);
    if (m->measured && !isnan(m->limit))
        snprintf(to + used, size - used, "%s, %.0f %% of what the modules let through",
                 format_rate(rate, sizeof rate, m->bandwidth.value),
                 100 * m->bandwidth.value / m->limit);
    else if (m->measured)
        snprintf(to + used, size - used, "%s", format_rate(rate, sizeof rate, m->bandwidth.value));
    else
        snprintf(to + used, size - used, "not measured: --memory does it");
    return m->measured ? GRADE_PASS : GRADE_NONE;
}

static enum grade find_processors(const struct qualification *q, char *to, size_t size)
{
    const struct qualification_processors *p = &q->processors;
    size_t used = 0;
    if (!p->measured) {
        snprintf(to, size, "not measured: --processors does it");
        return GRADE_NONE;
    }
    used = (size_t)snprintf(to, size, "%.2f GHz under load", p->clock.value / 1e9);
    if (p->slowest_name[0])
        used += (size_t)snprintf(to + used, size - used, ", the slowest (%s) %.2f GHz",
                                 p->slowest_name, p->slowest.value / 1e9);
    if (!isnan(p->heat.watts))
        snprintf(to + used, size - used, ", %.0f W", p->heat.watts);
    return GRADE_PASS;
}

static enum grade find_network(const struct qualification *q, char *to, size_t size)
{
    const size_t ports = nodes_with(q->hardware, NODE_NETWORK, "state", NULL),
                 up = nodes_with(q->hardware, NODE_NETWORK, "state", "up");
    double fastest = 0;
    for (int node = 0; node < q->hardware->node_count; node++)
        if (q->hardware->nodes[node].kind == NODE_NETWORK)
            fastest = fmax(fastest, inventory_number(q->hardware, node, "speed"));
    size_t used =
        (size_t)snprintf(to, size, ports ? "%zu of %zu ports up" : "there is no port", up, ports);
    if (fastest > 0)
        snprintf(to + used, size - used, ", the fastest with %.4g Gbit/s", fastest / 1e9);
    return up ? GRADE_PASS : GRADE_NONE;
}

static enum grade find_sensors(const struct qualification *q, char *to, size_t size)
{
    const size_t count = nodes_with(q->hardware, NODE_KINDS, "temperature", NULL);
    double hottest = NAN;
    for (int node = 0; node < q->hardware->node_count; node++)
        hottest = fmax(hottest, inventory_number(q->hardware, node, "temperature"));
    if (count)
        snprintf(to, size, "%zu temperature%s, the highest %.0f C", count, count == 1 ? "" : "s",
                 hottest);
    else
        snprintf(to, size, "no sensor reports a temperature");
    return count ? GRADE_PASS : GRADE_NONE;
}

/* ---- a verdict ---- */

/* Writes a check: "nvme3n1 (slot 23): link" or "memory errors: 7, corrected, CPU1_DIMM_B1". */
static void add_check(const struct qualification *q, const struct qualification_check *check,
                      char *to, size_t size)
{
    const struct qualification_device *d = check->device < 0 ? NULL : &q->devices[check->device];
    if (d)
        snprintf(to, size, "%.64s%s%s%s: %s", d->name, d->slot[0] ? " (" : "", d->slot,
                 d->slot[0] ? ")" : "", check->what);
    else
        snprintf(to, size, "%s%s%.60s%s%.90s", check->what, check->found[0] ? ": " : "",
                 check->found, check->note[0] ? ", " : "", check->note);
}

struct qualification_part_verdict qualification_part_judge(const struct qualification *q,
                                                           enum qualification_part part)
{
    static enum grade (*const find[QUALIFICATION_PARTS])(const struct qualification *, char *,
                                                         size_t) = {
        find_links, find_disks, find_memory, find_processors, find_network, find_sensors};
    struct qualification_part_verdict v = {.grade = GRADE_NONE};
    const struct qualification_check *gravest = NULL;
    size_t deviations = 0;
    const enum grade found = find[part](q, v.words, sizeof v.words);
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        if (part_of(check) != part)
            continue;
        v.grade = check->grade > v.grade ? check->grade : v.grade;
        deviations += check->grade >= GRADE_WARN;
        if (check->grade >= GRADE_WARN && (!gravest || check->grade > gravest->grade))
            gravest = check;
    }
    if (!gravest) {
        v.grade = found;
        return v;
    }
    add_check(q, gravest, v.words, sizeof v.words);
    const size_t used = strlen(v.words);
    if (deviations > 1)
        snprintf(v.words + used, sizeof v.words - used, "; and %zu more", deviations - 1);
    return v;
}
