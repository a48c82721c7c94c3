/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Context of the target: its block device and, for a file, the filesystem. */
#include "hw/context.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/span.h"
#include "hw/context_attribute.h"
#include "hw/mount.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* Below the disk's folder. SCSI, NVMe, MMC and virtio name the same thing differently. */
static const struct context_attribute disk_rows[] = {
    {"model", ATTRIBUTE_TEXT, {"device/model", "device/name"}, 0, NULL},
    {"vendor", ATTRIBUTE_TEXT, {"device/vendor", "device/device/vendor"}, 0, NULL},
    {"firmware", ATTRIBUTE_TEXT, {"device/firmware_rev", "device/rev", "device/fwrev"}, 0, NULL},
    {"size", ATTRIBUTE_NUMBER, {"size"}, 512, "bytes"},
    {"rotational", ATTRIBUTE_YES_NO, {"queue/rotational"}, 0, NULL},
    {"scheduler", ATTRIBUTE_CHOICE, {"queue/scheduler"}, 0, NULL},
    {"nr_requests", ATTRIBUTE_NUMBER, {"queue/nr_requests"}, 1, ""},
    {"queue_depth", ATTRIBUTE_NUMBER, {"device/queue_depth"}, 1, ""},
    {"write_cache", ATTRIBUTE_TEXT, {"queue/write_cache"}, 0, NULL},
    {"io_poll", ATTRIBUTE_YES_NO, {"queue/io_poll"}, 0, NULL},
    {"logical_block_size", ATTRIBUTE_NUMBER, {"queue/logical_block_size"}, 1, "bytes"},
    {"physical_block_size", ATTRIBUTE_NUMBER, {"queue/physical_block_size"}, 1, "bytes"},
    {"max_transfer", ATTRIBUTE_NUMBER, {"queue/max_sectors_kb"}, 1024, "bytes"},
    {"zoned", ATTRIBUTE_TEXT, {"queue/zoned"}, 0, NULL},
};

static const struct context_attribute partition_rows[] = {
    {"partition_start", ATTRIBUTE_NUMBER, {"start"}, 512, "bytes"},
    {"partition_size", ATTRIBUTE_NUMBER, {"size"}, 512, "bytes"},
};

static bool exists(const struct sysroot *root, const char *folder, const char *name)
{
    char path[256], full[PATH_MAX];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return !stat(sysroot_path(root, full, sizeof full, path), &s);
}

/* ---- the block device ---- */

static bool scan_name(void *context, char *line)
{
    static const char key[] = "DEVNAME=";
    if (strncmp(line, key, sizeof key - 1) != 0)
        return true;
    span_printable(context, sizeof((struct fact *)0)->node, span_of(line + sizeof key - 1));
    return false;
}

/* The kernel's name of the device in a folder: "sda1"; `name` stays as it is when that is not told.
 */
static void read_name(const struct sysroot *root, const char *folder, char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/uevent", folder);
    sysroot_each_line(root, path, scan_name, name);
}

/* "sda1, sdb1", from the folder's slaves. */
static void list_members(const struct sysroot *root, const char *folder, char *to, size_t size)
{
    char path[256];
    struct sysroot_names slaves;
    snprintf(path, sizeof path, "%s/slaves", folder);
    sysroot_list(root, path, &slaves);
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < slaves.count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s", i ? ", " : "", slaves.names[i]);
    sysroot_names_free(&slaves);
}

static void read_member(const struct sysroot *root, const char *folder, const char *file, char *to,
                        size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    sysroot_line(root, path, to, size);
}

/* The kind of a device mapper volume is the head of its UUID: "LVM-...", "CRYPT-LUKS2-...". */
static void describe_mapper(const struct sysroot *root, const char *folder, char *to, size_t size)
{
    char name[128], uuid[128], members[256];
    read_member(root, folder, "dm/name", name, sizeof name);
    read_member(root, folder, "dm/uuid", uuid, sizeof uuid);
    uuid[strcspn(uuid, "-")] = '\0';
    list_members(root, folder, members, sizeof members);
    snprintf(to, size, "device mapper %s%s%s%s%s", uuid, uuid[0] ? " " : "", name,
             members[0] ? " on " : "", members);
}

static void describe_raid(const struct sysroot *root, const char *folder, char *to, size_t size)
{
    char level[32], members[256];
    read_member(root, folder, "md/level", level, sizeof level);
    list_members(root, folder, members, sizeof members);
    snprintf(to, size, "md %s of %s", level, members);
}

static void describe_loop(const struct sysroot *root, const char *folder, char *to, size_t size)
{
    char file[1024];
    read_member(root, folder, "loop/backing_file", file, sizeof file);
    snprintf(to, size, "loop device on %s", file);
}

static void describe_zram(const struct sysroot *root, const char *folder, char *to, size_t size)
{
    char algorithms[256], *open, *close;
    read_member(root, folder, "comp_algorithm", algorithms, sizeof algorithms);
    open = strchr(algorithms, '[');
    close = open ? strchr(open, ']') : NULL;
    if (close)
        *close = '\0';
    snprintf(to, size, "compressed memory, %s", close ? open + 1 : algorithms);
}

struct composition {
    const char *mark; /* the file or folder that only this kind of device has */
    void (*describe)(const struct sysroot *root, const char *folder, char *to, size_t size);
};

static const struct composition compositions[] = {
    {"dm", describe_mapper},
    {"md", describe_raid},
    {"loop/backing_file", describe_loop},
    {"comp_algorithm", describe_zram},
};

/* What a device that is no disk of its own is made of, in one line. */
static void add_composition(const struct sysroot *root, const char *node, const char *folder,
                            struct facts *facts)
{
    for (size_t i = 0; i < COUNT(compositions); i++) {
        if (!exists(root, folder, compositions[i].mark))
            continue;
        char text[1200], source[112];
        compositions[i].describe(root, folder, text, sizeof text);
        snprintf(source, sizeof source, "%s/%s", folder, compositions[i].mark);
        context_attribute_add_text(facts, node, "composition", text, source, FACT_OK);
        return;
    }
}

/* "nvme", "scsi", "virtio": the kind of bus that the disk hangs on. */
static void add_bus(const struct sysroot *root, const char *node, const char *folder,
                    struct facts *facts)
{
    char path[128], name[64];
    snprintf(path, sizeof path, "%s/device/subsystem", folder);
    enum fact_status status = sysroot_link(root, path, name, sizeof name);
    context_attribute_add_text(facts, node, "bus", name, path, status);
}

static void add_device(const struct sysroot *root, dev_t device, struct facts *facts)
{
    char folder[64], disk[80], number[32], name[sizeof facts->rows[0].node];
    snprintf(number, sizeof number, "%u:%u", major(device), minor(device));
    snprintf(folder, sizeof folder, "/sys/dev/block/%s", number);
    if (!exists(root, folder, "size")) {
        facts_add(facts, "storage", "device", "", "", folder, FACT_ABSENT);
        return;
    }
    snprintf(disk, sizeof disk, "%s", folder);
    snprintf(name, sizeof name, "%s", number);
    bool partition = exists(root, folder, "partition");
    if (partition) /* its folder lies in that of the disk */
        snprintf(disk, sizeof disk, "%s/..", folder);
    read_name(root, disk, name);

    context_attribute_add_text(facts, "storage", "device", name, disk, FACT_OK);
    context_attributes_add(root, name, disk, disk_rows, COUNT(disk_rows), facts);
    add_bus(root, name, disk, facts);
    add_composition(root, name, disk, facts);
    if (partition) {
        char part[sizeof name];
        snprintf(part, sizeof part, "%s", number);
        read_name(root, folder, part);
        context_attribute_add_text(facts, name, "partition", part, folder, FACT_OK);
        context_attributes_add(root, name, folder, partition_rows, COUNT(partition_rows), facts);
    }
}

/* ---- the filesystem ---- */

/* The path without symbolic links. That of a captured tree is taken as it is. */
static bool resolve(const struct sysroot *root, const char *path, char *to, size_t size)
{
    char resolved[PATH_MAX];
    bool here = !root->prefix[0];
    const char *text = here && realpath(path, resolved) ? resolved : path;
    int length = snprintf(to, size, "%s", text);
    return length > 0 && (size_t)length < size && to[0] == '/';
}

static bool is_block_device(const struct sysroot *root, const char *path)
{
    struct stat s;
    return !root->prefix[0] && !stat(path, &s) && S_ISBLK(s.st_mode);
}

/* Btrfs and others give files a device number of their own; the mount's source tells a real one. */
static dev_t device_of_source(const struct sysroot *root, const char *source)
{
    char path[384], text[32];
    dev_t device;
    const char *slash = strrchr(source, '/');
    if (strncmp(source, "/dev/", 5) != 0 || !slash[1])
        return makedev(0, 0);
    snprintf(path, sizeof path, "/sys/class/block/%s/dev", slash + 1);
    if (sysroot_line(root, path, text, sizeof text) != FACT_OK ||
        !device_number_parse(text, &device))
        return makedev(0, 0);
    return device;
}

static void add_filesystem(const struct mount *mount, enum fact_status status, struct facts *facts)
{
    static const char node[] = "filesystem";
    context_attribute_add_text(facts, node, "type", mount->type, MOUNT_FILE, status);
    if (status != FACT_OK)
        return;
    context_attribute_add_text(facts, node, "device", mount->source, MOUNT_FILE, status);
    context_attribute_add_text(facts, node, "mount_point", mount->point, MOUNT_FILE, status);
    context_attribute_add_text(facts, node, "mount_options", mount->options, MOUNT_FILE, status);
    if (mount->super_options[0])
        context_attribute_add_text(facts, node, "filesystem_options", mount->super_options, MOUNT_FILE,
                           status);
}

void context_storage(const struct sysroot *root, dev_t device, const char *path,
                     struct facts *facts)
{
    char resolved[PATH_MAX];
    struct mount mount = {0};
    bool on_filesystem = path && !is_block_device(root, path);
    enum fact_status status = FACT_ABSENT;
    if (on_filesystem && resolve(root, path, resolved, sizeof resolved))
        status = mount_find(root, resolved, device, &mount);
    on_filesystem = on_filesystem && strcmp(mount.type, "devtmpfs") != 0;
    if (on_filesystem && status == FACT_OK && major(device) == 0) {
        dev_t real = device_of_source(root, mount.source);
        device = major(real) ? real : device;
    }
    add_device(root, device, facts);
    if (on_filesystem)
        add_filesystem(&mount, status, facts);
}
