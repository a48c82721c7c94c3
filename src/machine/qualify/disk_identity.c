/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises a disk by the kernel's sequence number and its serial number, and two paths to one
   disk by its world wide name. */
#include "machine/qualify/measure_disk.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "hw/disk/block.h"
#include "hw/prober.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/internal.h"

static bool read_number(const char *path, dev_t *number)
{
    struct stat st;
    *number = 0;
    if (stat(path, &st) || !S_ISBLK(st.st_mode))
        return false;
    *number = st.st_rdev;
    return true;
}

static void read_sequence(const struct sysroot *root, dev_t number, char *to, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/diskseq", major(number), minor(number));
    sysroot_line(root, path, to, size);
}

void disk_identity_take(struct disk_identity *d, const struct sysroot *root, const char *path)
{
    dev_t number;
    *d = (struct disk_identity){0};
    snprintf(d->path, sizeof d->path, "%s", path);
    if (read_number(path, &number))
        read_sequence(root, number, d->sequence, sizeof d->sequence);
}

int disk_identity_check(const struct disk_identity *d, const struct sysroot *root,
                        const char *serial, struct err *e)
{
    char sequence[sizeof d->sequence];
    dev_t number;
    if (!read_number(d->path, &number))
        return err_set(e, ERR_UNSAFE, "%.200s is not there any more", d->path);
    read_sequence(root, number, sequence, sizeof sequence);
    if (strcmp(sequence, d->sequence) != 0)
        return err_set(e, ERR_UNSAFE,
                       "%.200s is not the disk any more that it was: it was taken away meanwhile",
                       d->path);
    struct inventory v = {0};
    struct probe probe = {
        .root = root, .inventory = &v, .pci_ids = "none", .commands = true, .serials = true};
    struct qualification_device now = {0};
    int status = probe_all(&probe, e), node = INVENTORY_NONE;
    if (!status)
        node = block_node(root, &v, number);
    if (node != INVENTORY_NONE)
        disk_describe(&v, node, &now);
    inventory_free(&v);
    if (status)
        return -1;
    if (node == INVENTORY_NONE)
        return err_set(e, ERR_UNSAFE, "%.200s is not there any more", d->path);
    if (strcmp(now.serial, serial) != 0)
        return err_set(e, ERR_UNSAFE, "%.200s is another disk now: its serial number is \"%.64s\"",
                       d->path, now.serial);
    return 0;
}

/* ---- two paths to one disk ---- */

/* Reads an NAA or EUI name. The kernel makes up other names from model and serial number, and these
   need not be unique. */
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
