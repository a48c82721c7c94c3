/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds in sysfs the SCSI disk to which a device node belongs, and what the kernel knows about
   it. */
#include "io/scsi/scsi_unit.h"

#include <dirent.h>
#include <limits.h>
#include <linux/major.h>
#include <scsi/scsi.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"
#include "base/units.h"
#include "io/device/block_device.h"

#define TYPE_HOST_MANAGED 20 /* a zoned disk */
#define SECTOR            512u
#define SEGMENT_BYTES     4096u /* one page: pages of a buffer may be apart in memory */
#define TIMEOUT_SECONDS   30    /* the kernel's default, used if sysfs states no timeout */
#define TIMEOUT_MAX       3600

/* Finds the only entry of a folder of sysfs. Returns false when the folder has none. */
static bool sole_entry(const char *folder, char name[SCSI_NAME_BYTES])
{
    bool found = false;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && !found && (entry = readdir(d));)
        if (entry->d_name[0] != '.' && strlen(entry->d_name) < SCSI_NAME_BYTES) {
            snprintf(name, SCSI_NAME_BYTES, "%s", entry->d_name);
            found = true;
        }
    if (d)
        closedir(d);
    return found;
}

/* Finds the device in DISK/device/KIND ("block", "scsi_generic"): its name and device number. */
static bool find_node(const char *disk, const char *kind, char name[SCSI_NAME_BYTES], dev_t *number)
{
    char folder[PATH_MAX], file[PATH_MAX];
    if (file_path(folder, "%s/device/%s", disk, kind) && sole_entry(folder, name) &&
        file_path(file, "%s/%s/dev", folder, name) && device_number_read(file, number))
        return true;
    *name = '\0';
    *number = 0;
    return false;
}

bool scsi_is_generic(const char *root, dev_t device)
{
    char folder[PATH_MAX];
    return major(device) == SCSI_GENERIC_MAJOR &&
           file_path(folder, "%s/sys/dev/char/%u:%u/device", root, major(device), minor(device)) &&
           sysfs_number(folder, "scsi_level") > 0;
}

int scsi_block_device_of(const char *root, dev_t device, dev_t *block, char name[SCSI_NAME_BYTES],
                         struct err *e)
{
    char node[PATH_MAX];
    if (file_path(node, "%s/sys/dev/char/%u:%u", root, major(device), minor(device)) &&
        find_node(node, "block", name, block))
        return 0;
    return err_set(e, ERR_UNSAFE,
                   "no block device of this SCSI device is in sysfs, so it cannot be shown that "
                   "nothing uses it");
}

bool scsi_is_same_unit(int a, int b)
{
    struct {
        /* `place`: channel, target and unit; `number`: the host's unique number */
        uint32_t place, number;
    } id[2];
    int host[2];
    return !syscall(SYS_ioctl, a, SCSI_IOCTL_GET_IDLUN, &id[0]) &&
           !syscall(SYS_ioctl, b, SCSI_IOCTL_GET_IDLUN, &id[1]) &&
           !syscall(SYS_ioctl, a, SCSI_IOCTL_GET_BUS_NUMBER, &host[0]) &&
           !syscall(SYS_ioctl, b, SCSI_IOCTL_GET_BUS_NUMBER, &host[1]) &&
           id[0].place == id[1].place && id[0].number == id[1].number && host[0] == host[1];
}

static void unit_refuse(struct scsi_unit *u, const char *reason)
{
    snprintf(u->why_not, sizeof u->why_not, "%.*s", (int)sizeof u->why_not - 1, reason);
}

static uint32_t at_most(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

/* Reads what the driver sd found out about the disk when it attached it. */
static void read_driver(struct scsi_unit *u, const char *disk)
{
    char folder[PATH_MAX], driver[PATH_MAX], name[SCSI_NAME_BYTES], line[32];
    u->write_cache = true;
    if (!file_path(folder, "%s/device/scsi_disk", disk) || !sole_entry(folder, name) ||
        !file_path(driver, "%s/%s", folder, name))
        return;
    if (sysfs_line(driver, "cache_type", line, sizeof line))
        u->write_cache = strncmp(line, "write back", 10) == 0;
    u->forced_writes = sysfs_number(driver, "FUA") == 1;
    u->write_same_max = at_most(sysfs_number(driver, "max_write_same_blocks"), UINT32_MAX);
    /* "unmap": the disk reports logical block provisioning by UNMAP, with its limits */
    if (sysfs_line(driver, "provisioning_mode", line, sizeof line) && !strcmp(line, "unmap"))
        u->unmap_max =
            at_most(sysfs_number(disk, "queue/discard_max_hw_bytes") / u->block_size, UINT32_MAX);
}

static void read_limits(struct scsi_unit *u, const char *disk)
{
    uint64_t most = sysfs_number(disk, "queue/max_hw_sectors_kb") * 1024;
    const uint64_t segments = sysfs_number(disk, "queue/max_segments") * SEGMENT_BYTES;
    const uint64_t seconds = sysfs_number(disk, "device/timeout");
    if (segments && segments < most)
        most = segments;
    u->transfer_max =
        at_most(most - most % u->block_size, UINT32_MAX / u->block_size * u->block_size);
    u->timeout_ms = 1000 * (!seconds ? TIMEOUT_SECONDS : at_most(seconds, TIMEOUT_MAX));
}

static void describe_unit(struct scsi_unit *u)
{
    char most[UNITS_BUFFER];
    snprintf(u->description, sizeof u->description,
             "%s, block %u B, at most %s per command, write cache %s", u->block_name, u->block_size,
             format_size(most, sizeof most, u->transfer_max), u->write_cache ? "on" : "off");
}

void scsi_unit_find(struct scsi_unit *u, const char *root, bool character, dev_t device)
{
    char disk[PATH_MAX], file[PATH_MAX];
    struct err e = {0};
    u->usable = false;
    u->generic = character;
    if (character && !scsi_is_generic(root, device)) {
        unit_refuse(u, "it is no SCSI disk");
        return;
    }
    u->block_device = device;
    if (character && scsi_block_device_of(root, device, &u->block_device, u->block_name, &e)) {
        unit_refuse(u, e.msg);
        return;
    }
    if (!file_path(disk, "%s/sys/dev/block/%u:%u", root, major(u->block_device),
                   minor(u->block_device)) ||
        !file_path(file, "%s/partition", disk))
        return;
    if (!access(file, F_OK)) {
        unit_refuse(u, "it is a partition: a command would reach the whole disk");
        return;
    }
    const uint64_t type = sysfs_number(disk, "device/type");
    if (!sysfs_number(disk, "device/scsi_level") ||
        !find_node(disk, "block", u->block_name, &u->block_device) ||
        (type != TYPE_DISK && type != TYPE_HOST_MANAGED)) {
        unit_refuse(u, "it is no SCSI disk");
        return;
    }
    u->block_size = at_most(sysfs_number(disk, "queue/logical_block_size"), 1u << 16);
    if (u->block_size < SECTOR || u->block_size % SECTOR || !sysfs_number(disk, "size")) {
        unit_refuse(u, "it has no capacity (no medium, or not ready)");
        return;
    }
    find_node(disk, "scsi_generic", u->generic_name, &u->generic_device);
    u->blocks = sysfs_number(disk, "size") / (u->block_size / SECTOR);
    read_limits(u, disk);
    read_driver(u, disk);
    if (!u->transfer_max) {
        unit_refuse(u, "sysfs does not say how much one command may move");
        return;
    }
    describe_unit(u);
    u->usable = true;
}

void scsi_unit_open(struct scsi_unit *u, int fd)
{
    struct stat st;
    *u = SCSI_UNIT_NONE;
    u->fd = fd;
    if (!fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
        scsi_unit_find(u, "", S_ISCHR(st.st_mode), st.st_rdev);
    else
        unit_refuse(u, "it is no SCSI disk");
}

int scsi_unit_check(const struct scsi_unit *u, struct err *e)
{
    if (u && u->usable)
        return 0;
    return err_set(e, ERR_USAGE, "SCSI commands are for whole SCSI disks (/dev/sda, /dev/sg0): %s",
                   u && u->why_not[0] ? u->why_not : "the target is not one");
}
