/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks sysfs and ioctls for the properties of block devices: alignment, poll queues, NVMe
   namespaces. */
#include "io/device/block_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"
#include "base/file/kernel_stat.h"

#define ASSUMED_BLOCK 4096
#define SEGMENT_BYTES 4096 /* a segment is one page, because a buffer's pages may lie anywhere */

static const char digits[] = "0123456789";

bool sysfs_line(const char *folder, const char *name, char *line, size_t size)
{
    char path[PATH_MAX];
    *line = '\0';
    return file_path(path, "%s/%s", folder, name) && file_first_line(path, line, size);
}

uint64_t sysfs_number(const char *folder, const char *name)
{
    char line[32];
    return sysfs_line(folder, name, line, sizeof line) ? strtoull(line, NULL, 10) : 0;
}

static bool sysfs_says(const char *folder, const char *name, const char *word)
{
    char line[32];
    return sysfs_line(folder, name, line, sizeof line) && !strcmp(line, word);
}

/* Stores the last part of the path that a symbolic link leads to; "" when it is not a link. */
static void link_name(const char *path, char name[NVME_NAME_BYTES])
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(name, NVME_NAME_BYTES, "%.*s", NVME_NAME_BYTES - 1, slash ? slash + 1 : target);
}

/* Stores the subsystem of a device's folder in sysfs, such as "nvme"; "" when the folder has
   none. */
static void sysfs_subsystem(const char *folder, char name[NVME_NAME_BYTES])
{
    char path[PATH_MAX];
    *name = '\0';
    if (file_path(path, "%s/subsystem", folder))
        link_name(path, name);
}

/* Constants of Linux 6.11, in the kernel's layout: older headers lack them. */
#define STATX_ATOMIC       0x10000u
#define STATX_ATOMIC_LEAST 0xa8
#define STATX_ATOMIC_MOST  0xac

int atomic_write_sizes(int fd, uint32_t *least, uint32_t *most, struct err *e)
{
    unsigned char s[256] = {0};
    uint32_t mask;
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_ATOMIC, s))
        return err_set(e, ERR_MACHINE, "statx failed: %s", strerror(errno));
    memcpy(&mask, s, sizeof mask);
    memcpy(least, s + STATX_ATOMIC_LEAST, sizeof *least);
    memcpy(most, s + STATX_ATOMIC_MOST, sizeof *most);
    if (!(mask & STATX_ATOMIC))
        return err_set(e, ERR_MACHINE,
                       "statx reports no atomic writes: its filesystem has none, or the kernel is "
                       "older than Linux 6.11");
    return *most ? 0
                 : err_set(e, ERR_MACHINE,
                           "it has no atomic writes: the device or its filesystem does none "
                           "(queue/atomic_write_unit_max_bytes is 0)");
}

/* Finds the folder of the device's queue in sysfs. A partition uses the queue of its disk, whose
   folder is the one above. */
static bool find_queue(const char *root, dev_t device, char queue[PATH_MAX])
{
    for (int partition = 0; partition < 2; partition++)
        if (file_path(queue, "%s/sys/dev/block/%u:%u/%squeue", root, major(device), minor(device),
                      partition ? "../" : "") &&
            !access(queue, F_OK))
            return true;
    return false;
}

uint32_t direct_block_size(int fd)
{
    int bytes = 0;
    if (!syscall(SYS_ioctl, fd, BLKSSZGET, &bytes) && bytes > 0)
        return (uint32_t)bytes;
    struct kernel_statx s = {0};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_DIOALIGN, &s))
        return ASSUMED_BLOCK;
    /* A user-mode emulator may pass on the kernel's mask but leave out the newer fields. The
       mount's number reveals that: it is never 0 in a complete answer. */
    bool is_whole = s.stx_mnt_id || !(s.stx_mask & STATX_MNT_ID);
    if ((s.stx_mask & STATX_DIOALIGN) && is_whole)
        return s.stx_dio_offset_align;
    char queue[PATH_MAX];
    if (!find_queue("", makedev(s.stx_dev_major, s.stx_dev_minor), queue))
        return ASSUMED_BLOCK;
    const uint64_t size = sysfs_number(queue, "logical_block_size");
    return size ? (uint32_t)size : ASSUMED_BLOCK;
}

bool device_is_host_managed(const char *root, dev_t device)
{
    char queue[PATH_MAX];
    return find_queue(root, device, queue) && sysfs_says(queue, "zoned", "host-managed");
}

bool device_discards(const char *root, dev_t device, uint64_t *granularity)
{
    char queue[PATH_MAX];
    const bool found = find_queue(root, device, queue);
    *granularity = found ? sysfs_number(queue, "discard_granularity") : 0;
    return found && sysfs_number(queue, "discard_max_bytes") > 0;
}

uint64_t device_piece_bytes(const char *root, dev_t device)
{
    char queue[PATH_MAX];
    if (!find_queue(root, device, queue))
        return 0;
    const uint64_t max = sysfs_number(queue, "max_sectors_kb") * 1024;
    const uint64_t segments = sysfs_number(queue, "max_segments") * SEGMENT_BYTES;
    return segments && segments < max ? segments : max;
}

bool device_has_request_queues(const char *root, dev_t device)
{
    char queue[PATH_MAX], queues[PATH_MAX];
    return find_queue(root, device, queue) && file_path(queues, "%s/../mq", queue) &&
           !access(queues, F_OK);
}

/* ---- poll queues ---- */

/* Returns true if the driver may have polled queues. Only PCIe controllers depend on the driver's
   parameter: with other transports each controller has its own setting. */
static bool driver_may_poll(const char *root, const char *controller)
{
    char folder[PATH_MAX];
    if (!sysfs_says(controller, "transport", "pcie"))
        return true;
    return file_path(folder, "%s/sys/module/nvme/parameters", root) &&
           !sysfs_says(folder, "poll_queues", "0");
}

/* Returns true if `name` ("nvme2c3n1") is a path to the namespace that is called `head`
   ("nvme2n1"). */
static bool is_path_of(const char *name, const char *head)
{
    size_t subsystem = 4 + strspn(head + 4, digits);
    if (strncmp(name, head, subsystem) != 0 || name[subsystem] != 'c')
        return false;
    size_t controller = strspn(name + subsystem + 1, digits);
    return controller && !strcmp(name + subsystem + 1 + controller, head + subsystem);
}

/* Returns true if all paths through this controller are polled. Their number is added to *count. */
static bool controller_polls(const char *root, const char *controller, const char *head,
                             unsigned *count)
{
    bool all = true;
    DIR *d = opendir(controller);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char folder[PATH_MAX];
        if (!is_path_of(entry->d_name, head))
            continue;
        ++*count;
        all = all && file_path(folder, "%s/%s/queue", controller, entry->d_name) &&
              sysfs_says(folder, "io_poll", "1") && driver_may_poll(root, controller);
    }
    if (d)
        closedir(d);
    return all;
}

/* Returns true if every path through every controller of the subsystem is polled. */
static bool all_paths_poll(const char *root, const char *subsystem, const char *head)
{
    unsigned paths = 0;
    bool all = true;
    DIR *d = opendir(subsystem);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char controller[PATH_MAX];
        const char *name = entry->d_name; /* "nvme3": a controller's folder, or a link to it */
        size_t number = strncmp(name, "nvme", 4) != 0 ? 0 : strspn(name + 4, digits);
        if (!number || name[4 + number])
            continue;
        all = file_path(controller, "%s/%s", subsystem, name) &&
              controller_polls(root, controller, head, &paths) && all;
    }
    if (d)
        closedir(d);
    return all && paths > 0;
}

bool device_has_poll_queues(const char *root, dev_t device)
{
    char path[PATH_MAX], disk[PATH_MAX], unused[PATH_MAX], subsystem[NVME_NAME_BYTES];
    if (!file_path(path, "%s/sys/dev/block/%u:%u", root, major(device), minor(device)) ||
        !realpath(path, disk) || !file_path(path, "%s/queue", disk))
        return false;
    /* A partition has no queue: it uses the queue of its disk, whose folder is the one above. */
    if (!realpath(path, unused))
        *strrchr(disk, '/') = '\0';
    if (!sysfs_says(disk, "queue/io_poll", "1") || !file_path(path, "%s/device", disk))
        return false;
    sysfs_subsystem(path, subsystem);
    if (!strcmp(subsystem, "nvme-subsystem"))
        return all_paths_poll(root, path, strrchr(disk, '/') + 1);
    return strcmp(subsystem, "nvme") != 0 || driver_may_poll(root, path);
}

/* ---- NVMe namespaces ---- */

/* Returns the instance in "nvme0n12" (prefix "nvme") or "ng0n12" ("ng"): "12". NULL for any other
   name, such as those of partitions ("nvme0n12p1") and of single paths ("nvme0c1n12"). */
static const char *instance_of(const char *name, const char *prefix)
{
    size_t head = strlen(prefix);
    if (strncmp(name, prefix, head) != 0)
        return NULL;
    size_t number = strspn(name + head, digits);
    const char *rest = name + head + number;
    if (!number || *rest != 'n')
        return NULL;
    size_t instance = strspn(rest + 1, digits);
    return instance && !rest[1 + instance] ? rest + 1 : NULL;
}

/* Finds the entry of `folder` with that prefix and instance, and its device number; "" and 0 when
   there is none. */
static void find_sibling(const char *folder, const char *prefix, const char *instance,
                         char name[NVME_NAME_BYTES], dev_t *device)
{
    DIR *d = opendir(folder);
    *name = '\0';
    *device = 0;
    for (struct dirent *entry; d && (entry = readdir(d));) {
        const char *own = instance_of(entry->d_name, prefix);
        char path[PATH_MAX];
        if (!own || strcmp(own, instance) != 0 || strlen(entry->d_name) >= NVME_NAME_BYTES)
            continue;
        if (!file_path(path, "%s/%s/dev", folder, entry->d_name) ||
            !device_number_read(path, device))
            continue; /* A hidden device has no device number. */
        snprintf(name, NVME_NAME_BYTES, "%.63s", entry->d_name);
        break;
    }
    if (d)
        closedir(d);
}

/* Returns true if `own` is the folder of a namespace's device. The subsystem in sysfs shows this; a
   name alone could be another device's. */
static bool is_namespace(const char *own, bool character)
{
    char device[PATH_MAX], subsystem[NVME_NAME_BYTES];
    if (!file_path(device, "%s%s", own, character ? "" : "/device"))
        return false;
    sysfs_subsystem(device, subsystem);
    if (character)
        return !strcmp(subsystem, "nvme-generic");
    return !strcmp(subsystem, "nvme") || !strcmp(subsystem, "nvme-subsystem");
}

enum nvme_place_kind nvme_place_of(const char *root, bool character, dev_t device,
                                   struct nvme_place *place)
{
    char own[PATH_MAX], path[PATH_MAX + 16], parent[PATH_MAX + 4], name[NVME_NAME_BYTES];
    if (!file_path(own, "%s/sys/dev/%s/%u:%u", root, character ? "char" : "block", major(device),
                   minor(device)))
        return NVME_PLACE_OTHER;
    if (access(own, F_OK))
        return NVME_PLACE_UNSEEN;
    snprintf(parent, sizeof parent, "%s/..", own);
    snprintf(path, sizeof path, "%s/partition", own);
    if (!character && !access(path, F_OK) && is_namespace(parent, false))
        return NVME_PLACE_PARTITION;
    link_name(own, name);
    const char *instance = instance_of(name, character ? "ng" : "nvme");
    if (!instance || !is_namespace(own, character))
        return NVME_PLACE_OTHER;

    *place = (struct nvme_place){0};
    find_sibling(parent, "nvme", instance, place->block, &place->block_device);
    find_sibling(parent, "ng", instance, place->generic, &place->generic_device);
    /* The search must find the device that it started from; otherwise sysfs is not as expected. */
    if ((character ? place->generic_device : place->block_device) != device)
        return NVME_PLACE_OTHER;

    /* The limits are read from the queue of the block device, which the generic device uses as
       well. */
    char queue[PATH_MAX];
    if (*place->block && file_path(queue, "%s/%s/queue", parent, place->block)) {
        uint64_t max = sysfs_number(queue, "max_hw_sectors_kb") * 1024;
        uint64_t segments = sysfs_number(queue, "max_segments") * SEGMENT_BYTES;
        place->transfer_max = segments && (!max || segments < max) ? segments : max;
        place->poll_queues = device_has_poll_queues(root, place->block_device);
    }
    return NVME_PLACE_NAMESPACE;
}

int nvme_block_device_of(const char *root, dev_t device, dev_t *block, char name[64], struct err *e)
{
    struct nvme_place place;
    if (nvme_place_of(root, true, device, &place) != NVME_PLACE_NAMESPACE)
        return err_set(e, ERR_UNSAFE, "sysfs does not show it as an NVMe namespace");
    if (!*place.block)
        return err_set(e, ERR_UNSAFE,
                       "no block device of this namespace is in sysfs, so it cannot be shown that "
                       "nothing uses it");
    *block = place.block_device;
    memcpy(name, place.block, sizeof place.block);
    return 0;
}
