/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds block devices by their numbers in the kernel's events, and their names and sizes in /sys.
 */
#include "program/observe/internal.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"

static uint32_t kernel_number(dev_t device)
{
    return (uint32_t)(major(device) << 20 | minor(device));
}

/* Makes the path /sys/dev/block/MAJOR:MINOR/WHAT. */
static void path_of(char *to, size_t size, uint32_t number, const char *what)
{
    snprintf(to, size, "/sys/dev/block/%u:%u/%s", number >> 20, number & 0xfffff, what);
}

static bool exists(uint32_t number, const char *what)
{
    char path[96];
    path_of(path, sizeof path, number, what);
    return access(path, F_OK) == 0;
}

static uint64_t number_in(uint32_t number, const char *what)
{
    char path[96], text[32];
    path_of(path, sizeof path, number, what);
    return file_first_line(path, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

uint64_t device_bytes(uint32_t number)
{
    return number_in(number, "size") * 512;
}

static uint32_t disk_of(uint32_t number)
{
    char path[96];
    dev_t disk;
    path_of(path, sizeof path, number, "../dev");
    return exists(number, "partition") && device_number_read(path, &disk) ? kernel_number(disk)
                                                                          : number;
}

static int add_device(struct devices *d, uint32_t number)
{
    if (d->closed || d->count == RECORDING_DEVICES_MAX)
        return -1;
    struct device *row = &d->rows[d->count];
    char path[96], link[PATH_MAX];
    path_of(path, sizeof path, number, "");
    path[strlen(path) - 1] = '\0';
    ssize_t length = readlink(path, link, sizeof link - 1);
    link[length > 0 ? length : 0] = '\0';
    if (length > 0)
        snprintf(row->name, sizeof row->name, "%s", basename(link));
    else
        snprintf(row->name, sizeof row->name, "%u:%u", number >> 20, number & 0xfffff);
    row->size = device_bytes(number);
    row->trace = FILES_NO_TRACE;
    row->level = &d->levels[d->count];
    level_init(row->level);
    return (int)d->count++;
}

static int known_row(const struct devices *d, uint32_t number, int *row)
{
    for (size_t i = 0; i < d->number_count; i++) {
        if (d->numbers[i].number == number) {
            *row = d->numbers[i].row;
            return 0;
        }
    }
    return -1;
}

static void remember(struct devices *d, uint32_t number, int row)
{
    if (d->number_count == DEVICE_NUMBERS_MAX)
        return;
    d->numbers[d->number_count].number = number;
    d->numbers[d->number_count++].row = row;
}

int recorded_device(struct devices *d, uint32_t number)
{
    int row;
    if (!known_row(d, number, &row))
        return row;
    uint32_t disk = disk_of(number);
    if (known_row(d, disk, &row)) {
        row = add_device(d, disk);
        remember(d, disk, row);
    }
    if (disk != number)
        remember(d, number, row);
    return row;
}

int device_look_up(const char *path, struct device_named *named, struct err *e)
{
    struct stat s;
    if (stat(path, &s))
        return err_set(e, ERR_USAGE, "%s: %s", path, strerror(errno));
    if (!S_ISBLK(s.st_mode))
        return err_set(e, ERR_USAGE,
                       "%s: not a block device; the I/O of a program on files is recorded with -- "
                       "CMD",
                       path);
    uint32_t number = kernel_number(s.st_rdev);
    if (!exists(number, "size"))
        return err_set(e, ERR_MACHINE, "%s: /sys does not describe it", path);
    *named = (struct device_named){.disk = disk_of(number), .begin = number_in(number, "start")};
    named->end = named->begin + number_in(number, "size");
    named->has_requests = exists(named->disk, "mq");
    return 0;
}
