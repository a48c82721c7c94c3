/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the cores that serve the interrupts of a path's devices. */
#include "hw/path/data_path.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/sysroot/attribute.h"

#define INTERRUPTS_MAX 1024
#define CORES_MAX      65536

struct interrupt {
    uint64_t number;
    unsigned long long count; /* number of interrupts served so far, by all cores */
};

struct scan {
    struct interrupt found[INTERRUPTS_MAX];
    size_t count;
};

static void count_interrupt(struct scan *s, uint64_t number)
{
    if (number && s->count < INTERRUPTS_MAX)
        s->found[s->count++].number = number;
}

/* Reads a line such as " 36: 12 0 PCI-MSI 512000-edge nvme0q1": a count for each core, then
   words. */
static bool scan_line(void *context, char *line)
{
    struct scan *s = context;
    char *end;
    uint64_t number = strtoull(line, &end, 10);
    if (end == line || *end != ':')
        return true;
    unsigned long long total = 0;
    for (char *p = end + 1; p += strspn(p, " "), isdigit((unsigned char)*p); p = end) {
        unsigned long long count = strtoull(p, &end, 10);
        if (*end != ' ' && *end != '\0') /* not a count, but part of a word such as "512000-edge" */
            break;
        total += count;
    }
    for (size_t i = 0; i < s->count; i++)
        if (s->found[i].number == number)
            s->found[i].count = total;
    return true;
}

static int by_count(const void *a, const void *b)
{
    const struct interrupt *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

size_t interrupts_cores(const struct sysroot *root, const struct inventory *v,
                        const struct data_path *path, int cores[], size_t max)
{
    struct scan s = {0};
    size_t count = 0;
    for (size_t i = 0; i < path->part_count; i++) {
        const struct inventory_node *n = &v->nodes[path->parts[i].node];
        char folder[128], file[160];
        struct sysroot_names names;
        uint64_t pin;
        if (n->kind != NODE_PCI_DEVICE)
            continue;
        /* A device with message signalled interrupts does not use the interrupt of its pin. */
        snprintf(folder, sizeof folder, "/sys/bus/pci/devices/%.60s", n->name);
        sysroot_list(root, sysroot_join(file, sizeof file, folder, "msi_irqs"), &names);
        for (size_t k = 0; k < names.count; k++)
            count_interrupt(&s, strtoull(names.names[k], NULL, 10));
        if (!names.count && attribute_number(root, folder, "irq", &pin))
            count_interrupt(&s, pin);
        sysroot_names_free(&names);
    }
    if (s.count)
        sysroot_each_line(root, "/proc/interrupts", scan_line, &s);
    qsort(s.found, s.count, sizeof *s.found, by_count);
    for (size_t i = 0; i < s.count && count < max && s.found[i].count; i++) {
        char file[96], text[128];
        snprintf(file, sizeof file, "/proc/irq/%" PRIu64 "/effective_affinity_list",
                 s.found[i].number);
        /* Takes the first core of the list, since the kernel uses one of them at a time. */
        if (sysroot_line(root, file, text, sizeof text) != FACT_OK ||
            !isdigit((unsigned char)text[0]))
            continue;
        unsigned long core = strtoul(text, NULL, 10);
        bool known = core >= CORES_MAX;
        for (size_t k = 0; k < count; k++)
            known |= cores[k] == (int)core;
        if (!known)
            cores[count++] = (int)core;
    }
    return count;
}
