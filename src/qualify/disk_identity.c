/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk by the kernel's number and its serial number. */
#include "qualify/measure.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "hw/disk/block.h"
#include "hw/prober.h"
#include "qualify/disks.h"

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

static int check_serial(const struct disk_identity *d, const struct sysroot *root, dev_t number,
                        const char *serial, struct err *e)
{
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
    return check_serial(d, root, number, serial, e);
}
