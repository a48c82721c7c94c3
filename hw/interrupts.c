/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interrupts of a path's devices: which core serves them. */
#include "hw/interrupts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MOST 256

struct interrupt {
    unsigned long number;
    unsigned long long count; /* served so far, by all cores */
};

struct scan {
    const struct inventory *inventory;
    const struct data_path *path;
    struct interrupt found[LINES_MOST];
    size_t count;
};

/* "nvme0" in "nvme0q3" but not in "nvme01q3": a name ends where its digits end. */
static bool names_device(const char *action, const char *device)
{
    size_t length = strlen(device);
    if (!length)
        return false;
    for (const char *p = strstr(action, device); p; p = strstr(p + 1, device)) {
        bool begins = p == action || !isalnum((unsigned char)p[-1]);
        if (begins && !isdigit((unsigned char)p[length]))
            return true;
    }
    return false;
}

static bool serves_path(const struct scan *s, const char *action)
{
    for (size_t i = 0; i < s->path->part_count; i++) {
        const struct inventory_node *n = &s->inventory->nodes[s->path->parts[i].node];
        bool device = n->kind == NODE_NVME || n->kind == NODE_NETWORK || n->kind == NODE_VIRTIO ||
                      n->kind == NODE_PCI_DEVICE || n->kind == NODE_SCSI_HOST ||
                      n->kind == NODE_DISK;
        const char *driver = inventory_value(s->inventory, s->path->parts[i].node, "driver");
        if (device && names_device(action, n->name))
            return true;
        if (n->kind == NODE_SCSI_HOST && driver && names_device(action, driver))
            return true;
    }
    return false;
}

/* "  36:    12   0   PCI-MSI 512000-edge   nvme0q1": counts, then words. */
static bool scan_line(void *context, char *line)
{
    struct scan *s = context;
    char *end;
    unsigned long number = strtoul(line, &end, 10);
    if (end == line || *end != ':' || s->count == LINES_MOST)
        return s->count < LINES_MOST;
    unsigned long long total = 0;
    char *p = end + 1;
    for (;;) {
        p += strspn(p, " ");
        if (!isdigit((unsigned char)*p))
            break;
        unsigned long long count = strtoull(p, &end, 10);
        if (*end != ' ') /* "512000-edge" */
            break;
        total += count;
        p = end;
    }
    if (serves_path(s, p))
        s->found[s->count++] = (struct interrupt){number, total};
    return true;
}

static int by_count(const void *a, const void *b)
{
    const struct interrupt *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/* The first core of the list: the kernel uses one of them at a time. */
static int core_of(const struct sysroot *root, unsigned long number)
{
    char path[96], text[128];
    snprintf(path, sizeof path, "/proc/irq/%lu/effective_affinity_list", number);
    if (sysroot_line(root, path, text, sizeof text) != FACT_OK || !isdigit((unsigned char)text[0]))
        return -1;
    unsigned long core = strtoul(text, NULL, 10);
    return core < 65536 ? (int)core : -1;
}

size_t interrupts_cores(const struct sysroot *root, const struct inventory *v,
                        const struct data_path *path, int cores[], size_t most)
{
    struct scan s = {.inventory = v, .path = path};
    size_t count = 0;
    sysroot_each_line(root, "/proc/interrupts", scan_line, &s);
    qsort(s.found, s.count, sizeof *s.found, by_count);
    for (size_t i = 0; i < s.count && count < most; i++) {
        int core = core_of(root, s.found[i].number);
        bool known = core < 0;
        for (size_t k = 0; k < count; k++)
            known |= cores[k] == core;
        if (!known)
            cores[count++] = core;
    }
    return count;
}
