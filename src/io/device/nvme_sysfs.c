/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where sysfs has an NVMe namespace, and what it says of its queues. */
#include "io/device/nvme_sysfs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/device_number.h"
#include "io/device/poll_queues.h"

#define SEGMENT_BYTES 4096 /* the buffers' pages may lie anywhere in memory */

static bool read_line(const char *folder, const char *name, char line[32])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool ok = fgets(line, 32, f) != NULL;
    fclose(f);
    return ok;
}

static uint64_t read_number(const char *folder, const char *name)
{
    char line[32];
    return read_line(folder, name, line) ? strtoull(line, NULL, 10) : 0;
}

/* The last part of where a symbolic link leads; "" when it is none. */
static void link_name(const char *path, char name[NVME_NAME_BYTES])
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(name, NVME_NAME_BYTES, "%.*s", NVME_NAME_BYTES - 1, slash ? slash + 1 : target);
}

void sysfs_subsystem(const char *folder, char name[NVME_NAME_BYTES])
{
    char path[PATH_MAX];
    *name = '\0';
    if (snprintf(path, sizeof path, "%s/subsystem", folder) < (int)sizeof path)
        link_name(path, name);
}

/* The instance of "nvme0n12" (prefix "nvme") or "ng0n12" ("ng"): "12". NULL for any other name, as
   those of partitions and of single paths, "nvme0n12p1" and "nvme0c1n12". */
static const char *instance_of(const char *name, const char *prefix)
{
    static const char digits[] = "0123456789";
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

/* The entry of `folder` with that prefix and instance, and its number; none: "" and 0. */
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
        if (snprintf(path, sizeof path, "%s/%s/dev", folder, entry->d_name) >= (int)sizeof path ||
            !device_number_read(path, device))
            continue; /* one that is hidden has no number */
        snprintf(name, NVME_NAME_BYTES, "%.63s", entry->d_name);
        break;
    }
    if (d)
        closedir(d);
}

/* What the queue of the block device says, for it is the same as the generic device's. */
static void read_queue(const char *root, const char *folder, struct nvme_place *place)
{
    char queue[PATH_MAX];
    if (!*place->block ||
        snprintf(queue, sizeof queue, "%s/%s/queue", folder, place->block) >= (int)sizeof queue)
        return;
    uint64_t most = read_number(queue, "max_hw_sectors_kb") * 1024;
    uint64_t segments = read_number(queue, "max_segments") * SEGMENT_BYTES;
    place->transfer_max = segments && (!most || segments < most) ? segments : most;
    place->poll_queues = device_has_poll_queues(root, place->block_device);
}

/* Is `own` the folder of a namespace's device, by the subsystem? A name alone says nothing. */
static bool is_namespace(const char *own, bool character)
{
    char device[PATH_MAX], subsystem[NVME_NAME_BYTES];
    if (snprintf(device, sizeof device, "%s%s", own, character ? "" : "/device") >=
        (int)sizeof device)
        return false;
    sysfs_subsystem(device, subsystem);
    if (character)
        return !strcmp(subsystem, "nvme-generic");
    return !strcmp(subsystem, "nvme") || !strcmp(subsystem, "nvme-subsystem");
}

static bool is_partition(const char *own)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/partition", own) >= (int)sizeof path || access(path, F_OK))
        return false;
    return snprintf(path, sizeof path, "%s/..", own) < (int)sizeof path &&
           is_namespace(path, false);
}

enum nvme_place_kind nvme_place_of(const char *root, bool character, dev_t device,
                                   struct nvme_place *place)
{
    char own[PATH_MAX], parent[PATH_MAX + 4], name[NVME_NAME_BYTES];
    if (snprintf(own, sizeof own, "%s/sys/dev/%s/%u:%u", root, character ? "char" : "block",
                 major(device), minor(device)) >= (int)sizeof own)
        return NVME_PLACE_OTHER;
    if (access(own, F_OK))
        return NVME_PLACE_UNSEEN;
    if (!character && is_partition(own))
        return NVME_PLACE_PARTITION;
    link_name(own, name);
    const char *instance = instance_of(name, character ? "ng" : "nvme");
    if (!instance || !is_namespace(own, character))
        return NVME_PLACE_OTHER;

    *place = (struct nvme_place){0};
    snprintf(parent, sizeof parent, "%s/..", own);
    find_sibling(parent, "nvme", instance, place->block, &place->block_device);
    find_sibling(parent, "ng", instance, place->generic, &place->generic_device);
    /* It must find itself, or sysfs is not as it should be. */
    if ((character ? place->generic_device : place->block_device) != device)
        return NVME_PLACE_OTHER;
    read_queue(root, parent, place);
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
