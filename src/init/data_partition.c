/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data partition by the volume identifier in its boot sector. */
#include "init/data_partition.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tables/boot_image.h"

#define SECTOR       512
#define NAME_BYTES   64
#define DEVICES_MOST 1024

/* ---- one boot sector ---- */

static unsigned little_endian_16(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint32_t little_endian_32(const unsigned char *p)
{
    return little_endian_16(p) | (uint32_t)little_endian_16(p + 2) << 16;
}

/* A partition table ends in the same mark, but has code where FAT has its geometry. */
static bool is_fat(const unsigned char *sector)
{
    unsigned bytes_per_sector = little_endian_16(sector + 11), per_cluster = sector[13];
    return sector[510] == 0x55 && sector[511] == 0xaa && (sector[0] == 0xeb || sector[0] == 0xe9) &&
           (bytes_per_sector == 512 || bytes_per_sector == 1024 || bytes_per_sector == 2048 ||
            bytes_per_sector == 4096) &&
           per_cluster != 0 && (per_cluster & (per_cluster - 1)) == 0 && sector[16] != 0;
}

/* FAT32 alone has no 16-bit count of sectors per table. Behind the mark 28h or 29h stands the
   identifier. */
static bool is_data_partition(const unsigned char *sector)
{
    if (!is_fat(sector))
        return false;
    const unsigned char *mark = sector + (little_endian_16(sector + 22) == 0 ? 66 : 38);
    return (*mark == 0x28 || *mark == 0x29) && little_endian_32(mark + 1) == DATA_PARTITION_ID;
}

static bool read_sector(const char *path, unsigned char sector[SECTOR])
{
    /* A drive without a medium is not waited for. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = pread(fd, sector, SECTOR, 0);
    close(fd);
    return got == SECTOR;
}

/* ---- all block devices ---- */

/* A block device as sysfs has it: the folder that its link in class/block leads to. */
struct block_device {
    char name[NAME_BYTES], disk[NAME_BYTES];
    bool usb;
};

static bool has_size(const char *folder)
{
    char path[PATH_MAX], *text;
    int length = snprintf(path, sizeof path, "%s/size", folder);
    if (length < 0 || (size_t)length >= sizeof path ||
        file_read_all(path, (size_t)1 << 16, &text, NULL, NULL))
        return false;
    bool any = strtoull(text, NULL, 10) > 0;
    free(text);
    return any;
}

static bool has_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* A partition is inside its disk's folder: .../block/sda/sda1. */
static bool look_at_device(struct block_device *d, const char *class, const char *name)
{
    char link[PATH_MAX], folder[PATH_MAX];
    int length = snprintf(link, sizeof link, "%s/%s", class, name);
    if (length < 0 || (size_t)length >= sizeof link || strlen(name) >= sizeof d->name ||
        !realpath(link, folder) || !has_size(folder))
        return false;
    *d = (struct block_device){.usb = strstr(folder, "/usb") != NULL};
    memcpy(d->name, name, strlen(name));
    bool is_partition = has_file(folder, "partition");
    char *end = strrchr(folder, '/');
    if (is_partition)
        *end = '\0';
    const char *disk = strrchr(folder, '/') + 1;
    if (strlen(disk) >= sizeof d->disk)
        return false;
    memcpy(d->disk, disk, strlen(disk));
    return true;
}

static int by_bus_and_name(const void *a, const void *b)
{
    const struct block_device *x = a, *y = b;
    return x->usb != y->usb ? (x->usb ? -1 : 1) : strverscmp(x->name, y->name);
}

/* Returns how many; *devices is freed by the caller. */
static size_t list_devices(const char *sys, struct block_device **devices)
{
    char class[PATH_MAX];
    size_t count = 0;
    snprintf(class, sizeof class, "%s/class/block", sys);
    *devices = calloc(DEVICES_MOST, sizeof **devices);
    DIR *dir = *devices ? opendir(class) : NULL;
    if (!dir)
        return 0;
    const struct dirent *entry;
    while (count < DEVICES_MOST && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && look_at_device(&(*devices)[count], class, entry->d_name))
            count++;
    closedir(dir);
    qsort(*devices, count, sizeof **devices, by_bus_and_name);
    return count;
}

static bool holds_data(const struct block_device *d, const char *dev)
{
    unsigned char sector[SECTOR];
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dev, d->name);
    return read_sector(path, sector) && is_data_partition(sector);
}

bool data_partition_find(struct data_partition *p, const char *sys, const char *dev)
{
    struct block_device *devices;
    size_t count = list_devices(sys, &devices);
    const struct block_device *chosen = NULL;
    *p = (struct data_partition){.folder = DATA_FOLDER};
    for (size_t i = 0; i < count; i++) {
        if (chosen && !devices[i].usb)
            break;
        if (!holds_data(&devices[i], dev))
            continue;
        if (chosen) {
            snprintf(p->note, sizeof p->note,
                     "%s is a data partition too and is not used: only one stick should be plugged",
                     devices[i].name);
            break;
        }
        int length = snprintf(p->device, sizeof p->device, "%s/%s", dev, devices[i].name);
        if (length > 0 && (size_t)length < sizeof p->device)
            chosen = &devices[i];
    }
    if (chosen) {
        memcpy(p->disk, chosen->disk, sizeof p->disk);
        p->found = true;
    }
    free(devices);
    return p->found;
}
