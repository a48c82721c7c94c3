/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads zones, resets and finishes them: BLKREPORTZONE, BLKRESETZONE, BLKFINISHZONE. */
#include "io/zone/zones.h"

#include <errno.h>
#include <linux/blkzoned.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/file.h"
#include "io/device/block_device.h"

enum { SECTOR = 512, ZONES_AT_ONCE = 64 };

struct zone_report {
    struct blk_zone_report head;
    struct blk_zone zone[ZONES_AT_ONCE];
};

static void take_zone(const struct zone_report *report, unsigned i, struct zone *to)
{
    const struct blk_zone *from = &report->zone[i];
    uint64_t capacity = report->head.flags & BLK_ZONE_REP_CAPACITY ? from->capacity : from->len;
    *to = (struct zone){.start = from->start * SECTOR,
                        .capacity = capacity * SECTOR,
                        .condition = from->cond,
                        .conventional = from->type == BLK_ZONE_TYPE_CONVENTIONAL};
    /* The write pointer of a full or lost zone (read-only, offline) is not valid. */
    if (to->condition == ZONE_FULL)
        to->written = to->capacity;
    else if (!to->conventional && !zone_is_lost(to) && from->wp >= from->start)
        to->written = (from->wp - from->start) * SECTOR;
    if (to->written > to->capacity)
        to->written = to->capacity;
}

static int ask(int fd, uint64_t start, unsigned n, struct zone_report *report)
{
    memset(&report->head, 0, sizeof report->head);
    report->head.sector = start / SECTOR;
    report->head.nr_zones = n < ZONES_AT_ONCE ? n : ZONES_AT_ONCE;
    return syscall(SYS_ioctl, fd, BLKREPORTZONE, report) ? errno : 0;
}

int zone_device_open(struct zone_device *d, int fd, dev_t device, const char *path, struct err *e)
{
    char queue[96], line[32];
    uint32_t sectors = 0, count = 0;
    if (syscall(SYS_ioctl, fd, BLKGETZONESZ, &sectors) ||
        syscall(SYS_ioctl, fd, BLKGETNRZONES, &count) || !sectors || !count)
        return err_set(e, ERR_MACHINE, "%s: --zonemode zbd: it is not zoned: leave --zonemode out",
                       path);
    snprintf(queue, sizeof queue, "/sys/dev/block/%u:%u/queue", major(device), minor(device));
    /* a partition: its queue is in the folder above */
    if (!sysfs_line(queue, "zoned", line, sizeof line))
        snprintf(queue, sizeof queue, "/sys/dev/block/%u:%u/../queue", major(device),
                 minor(device));
    *d = (struct zone_device){.fd = fd,
                              .zone_size = (uint64_t)sectors * SECTOR,
                              .zone_count = count,
                              .open_max = (unsigned)sysfs_number(queue, "max_open_zones"),
                              .active_max = (unsigned)sysfs_number(queue, "max_active_zones")};
    return 0;
}

int zone_device_report(const struct zone_device *d, unsigned first, unsigned n, struct zone to[],
                       struct err *e)
{
    struct zone_report report;
    for (unsigned have = 0; have < n;) {
        int error = ask(d->fd, (first + have) * d->zone_size, n - have, &report);
        if (error || !report.head.nr_zones)
            return err_set(e, ERR_TARGET, "the zones from %u on cannot be read: %s", first + have,
                           error ? strerror(error) : "the device reports none");
        for (unsigned i = 0; i < report.head.nr_zones && have < n; i++)
            take_zone(&report, i, &to[have++]);
    }
    return 0;
}

static int device_act(void *context, enum zone_action action, uint64_t start, uint64_t length)
{
    const struct zone_device *d = context;
    struct blk_zone_range range = {.sector = start / SECTOR, .nr_sectors = length / SECTOR};
    unsigned long request = action == ZONE_RESET ? BLKRESETZONE : BLKFINISHZONE;
    return syscall(SYS_ioctl, d->fd, request, &range) ? errno : 0;
}

static int device_look(void *context, struct zone *zone)
{
    const struct zone_device *d = context;
    struct zone_report report;
    int error = ask(d->fd, zone->start, 1, &report);
    if (!error && !report.head.nr_zones)
        error = EIO;
    if (!error)
        take_zone(&report, 0, zone);
    return error;
}

const struct zone_ops zone_device_ops = {.act = device_act, .look = device_look};

const char *zone_condition_name(enum zone_condition condition)
{
    switch (condition) {
    case ZONE_NOT_WRITE_POINTER:
        return "conventional";
    case ZONE_EMPTY:
        return "empty";
    case ZONE_IMPLICITLY_OPEN:
    case ZONE_EXPLICITLY_OPEN:
        return "open";
    case ZONE_CLOSED:
        return "closed";
    case ZONE_READ_ONLY:
        return "read-only";
    case ZONE_FULL:
        return "full";
    default:
        return "offline";
    }
}
