/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks that the kernel shows twice, by their world wide names. */
#include "qualify/internal.h"

#include <stdio.h>
#include <string.h>

#include "qualify/disks.h"

/* Names that begin otherwise are made up of model and serial number, and not always well. */
static bool read_world_wide_name(const struct sysroot *root, const char *disk, char *to,
                                 size_t size)
{
    static const char *const files[] = {"wwid", "device/wwid"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[160];
        snprintf(path, sizeof path, "/sys/block/%.80s/%s", disk, files[i]);
        if (sysroot_line(root, path, to, size) == FACT_OK &&
            (!strncmp(to, "naa.", 4) || !strncmp(to, "eui.", 4)))
            return true;
    }
    return false;
}

static bool same_value(const struct inventory *v, int node, int other, const char *key)
{
    const struct inventory_fact *a = disk_fact(v, node, key), *b = disk_fact(v, other, key);
    return a && b && a->status == FACT_OK && b->status == FACT_OK && a->value[0] &&
           !strcmp(a->value, b->value);
}

bool disk_is_same(const struct inventory *v, const struct sysroot *root, int node, int other)
{
    char a[160], b[160];
    if (node == other)
        return true;
    return same_value(v, node, other, "serial") && same_value(v, node, other, "size") &&
           read_world_wide_name(root, v->nodes[node].name, a, sizeof a) &&
           read_world_wide_name(root, v->nodes[other].name, b, sizeof b) && !strcmp(a, b);
}
