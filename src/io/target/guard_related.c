/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks sysfs upward, downward and sideways, as `relations` says, from a device to all devices that
   share its bytes. */
#include <dirent.h>
#include <limits.h>
#include <linux/major.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/file.h"
#include "io/device/block_device.h"
#include "io/target/internal.h"

#define WWID_BYTES 256

/* For each relation to the target: its words in a message, and the relations that the walk follows
   from such a device. `part` is the relation that its partitions or its disk have to the target,
   `path` the relation of other paths to it. */
static const struct {
    const char *subject;
    unsigned follow;
    enum guard_relation part, path;
} relations[] = {
    [GUARD_ITSELF] = {"it",
                      GUARD_PARTITIONS | GUARD_DISK | GUARD_PATHS | GUARD_HOLDERS | GUARD_LOOPS |
                          GUARD_LOWER,
                      GUARD_PARTITION, GUARD_OTHER_PATH},
    [GUARD_PARTITION] = {"its partition %s", GUARD_HOLDERS | GUARD_LOOPS, GUARD_PARTITION,
                         GUARD_OTHER_PATH},
    [GUARD_WHOLE_DISK] = {"%s, the disk it is a part of,",
                          GUARD_HOLDERS | GUARD_LOOPS | GUARD_LOWER, GUARD_PARTITION,
                          GUARD_OTHER_PATH},
    [GUARD_OTHER_PATH] = {"%s, another way to the same disk (its wwid is the same),",
                          GUARD_PARTITIONS | GUARD_HOLDERS | GUARD_LOOPS | GUARD_CLAIM,
                          GUARD_OTHER_PATH, GUARD_OTHER_PATH},
    [GUARD_HOLDER] = {"%s, which is built on it,", GUARD_HOLDERS | GUARD_LOOPS, GUARD_HOLDER,
                      GUARD_HOLDER},
    [GUARD_LOOP_ABOVE] = {"%s, which is built on it,", GUARD_HOLDERS | GUARD_LOOPS, GUARD_HOLDER,
                          GUARD_HOLDER},
    [GUARD_SAME_FILE] = {"%s, a loop device on the same file,",
                         GUARD_PARTITIONS | GUARD_HOLDERS | GUARD_LOOPS | GUARD_CLAIM,
                         GUARD_SAME_FILE, GUARD_SAME_FILE},
    [GUARD_BELOW] = {"%s, which it is built on,",
                     GUARD_PARTITIONS | GUARD_DISK | GUARD_PATHS | GUARD_HOLDERS | GUARD_LOOPS |
                         GUARD_LOWER | GUARD_CLAIM,
                     GUARD_BELOW_PART, GUARD_OTHER_PATH},
    [GUARD_BELOW_PART] = {"%s, of the disk it is built on,",
                          GUARD_HOLDERS | GUARD_LOOPS | GUARD_LOWER, GUARD_BELOW_PART,
                          GUARD_BELOW_PART},
    [GUARD_SLAVE] = {"%s, which it is built on,",
                     GUARD_PARTITIONS | GUARD_DISK | GUARD_PATHS | GUARD_LOOPS | GUARD_LOWER,
                     GUARD_SLAVE_PART, GUARD_SLAVE_PART},
    [GUARD_SLAVE_PART] = {"%s, of the disk it is built on,", GUARD_LOOPS | GUARD_LOWER,
                          GUARD_SLAVE_PART, GUARD_SLAVE_PART},
};

const char *guard_subject(const struct guard_related *r, char text[128])
{
    const char *format = relations[r->relation].subject, *hole = strstr(format, "%s");
    if (!hole)
        return format;
    snprintf(text, 128, "%.*s%s%s", (int)(hole - format), format, r->name, hole + 2);
    return text;
}

static int cannot_look(const struct guard_search *s, const char *what)
{
    return guard_cannot_look(s->path, what, s->e);
}

static void sysfs_path(const struct guard_search *s, dev_t device, const char *below,
                       char to[PATH_MAX])
{
    snprintf(to, PATH_MAX, "%s/sys/dev/block/%u:%u%s", s->root, major(device), minor(device),
             below);
}

struct guard_related *guard_find(struct guard_search *s, dev_t device)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->related[i].device == device)
            return &s->related[i];
    return NULL;
}

/* Adds a device. A device that is listed already keeps its name and relation; the walk then follows
   both its old and its new relation. */
static int add_related(struct guard_search *s, dev_t device, const char *name,
                       enum guard_relation relation)
{
    struct guard_related *r = guard_find(s, device);
    if (!r && s->count == GUARD_RELATED_MAX)
        return err_set(s->e, ERR_UNSAFE, "%s: it has too many partitions and holders to check them",
                       s->path);
    if (!r) {
        r = &s->related[s->count++];
        *r = (struct guard_related){.device = device, .relation = relation};
        snprintf(r->name, sizeof r->name, "%s", name);
        for (size_t i = 0; i < s->loops.count && !r->loop; i++)
            if (s->loops.rows[i].device == device)
                r->loop = &s->loops.rows[i];
    }
    r->follow |= relations[relation].follow;
    return 0;
}

/* Adds the devices that have a subfolder in `folder`; with `only_with`, only those whose subfolder
   contains a file of that name. */
static int add_folders(struct guard_search *s, const char *folder, const char *only_with,
                       enum guard_relation relation)
{
    DIR *d = opendir(folder);
    if (!d)
        return cannot_look(s, folder);
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(d));) {
        char file[PATH_MAX];
        dev_t device;
        if (entry->d_name[0] == '.')
            continue;
        if (only_with) {
            snprintf(file, sizeof file, "%s/%s/%s", folder, entry->d_name, only_with);
            if (access(file, F_OK))
                continue;
        }
        snprintf(file, sizeof file, "%s/%s/dev", folder, entry->d_name);
        if (device_number_read(file, &device))
            status = add_related(s, device, entry->d_name, relation);
        else
            status = cannot_look(s, file);
    }
    closedir(d);
    return status;
}

static bool is_partition(const struct guard_search *s, dev_t device)
{
    char file[PATH_MAX];
    sysfs_path(s, device, "/partition", file);
    return !access(file, F_OK);
}

/* Adds the disk of which the device is a partition. */
static int add_disk(struct guard_search *s, dev_t device, enum guard_relation relation)
{
    char file[PATH_MAX], target[PATH_MAX], name[64] = "disk";
    dev_t disk;
    if (!is_partition(s, device))
        return 0;
    sysfs_path(s, device, "/../dev", file);
    if (!device_number_read(file, &disk))
        return cannot_look(s, file);
    sysfs_path(s, device, "/..", file);
    if (realpath(file, target))
        snprintf(name, sizeof name, "%.63s", strrchr(target, '/') + 1);
    return add_related(s, disk, name, relation);
}

/* Reads the wwid of a disk from its folder: NVMe has the file there, SCSI one level below. */
static bool read_wwid(const char *folder, char wwid[WWID_BYTES])
{
    sysfs_line(folder, "wwid", wwid, WWID_BYTES);
    if (!*wwid)
        sysfs_line(folder, "device/wwid", wwid, WWID_BYTES);
    return *wwid;
}

/*
 * Adds other paths to the same disk, and their partitions. Where the kernel does not join several
 * paths, each path is a block device, and a claim on one of these does not appear on the others.
 */
static int add_other_paths(struct guard_search *s, dev_t device, enum guard_relation relation)
{
    char disk[PATH_MAX], folder[PATH_MAX], all[PATH_MAX], file[PATH_MAX];
    char own[WWID_BYTES], other[WWID_BYTES];
    sysfs_path(s, device, is_partition(s, device) ? "/.." : "", disk);
    if (!read_wwid(disk, own))
        return 0;
    snprintf(all, sizeof all, "%s/sys/class/block", s->root);
    DIR *d = opendir(all);
    if (!d)
        return cannot_look(s, all);
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(d));) {
        if (entry->d_name[0] == '.' || !file_path(folder, "%s/%s", all, entry->d_name) ||
            !read_wwid(folder, other) || strcmp(own, other) != 0)
            continue;
        if (!file_path(file, "%s/dev", folder))
            status = cannot_look(s, folder);
        else if (access(file, F_OK))
            continue; /* the kernel hides this device, so nobody can use it */
        else if (!device_number_read(file, &device))
            status = cannot_look(s, file);
        else if (!guard_find(s, device)) /* not the disk itself, and not listed yet */
            status = add_related(s, device, entry->d_name, relation) ||
                             add_folders(s, folder, "partition", relation)
                         ? -1
                         : 0;
    }
    closedir(d);
    return status;
}

static bool lie_on_one_file(const struct loop *a, const struct loop *b)
{
    return loop_is_on_file(a, b->backing, b->inode) || loop_is_on_file(b, a->backing, a->inode) ||
           (b->upper_inode && loop_is_on_file(a, b->upper, b->upper_inode));
}

/* Returns true when both loop devices lie on the same file or device, and their parts of it
   overlap. */
static bool loops_overlap(const struct loop *a, const struct loop *b)
{
    const bool on_one = a->kind == LOOP_ON_FILE
                            ? lie_on_one_file(a, b)
                            : a->kind != LOOP_UNKNOWN && a->backing == b->backing;
    return a->kind == b->kind && on_one && a->begin < b->end && b->begin < a->end;
}

/* Adds the device below a loop device, or the other loop devices of the same file. */
static int add_below_loop(struct guard_search *s, const struct loop *loop)
{
    char link[PATH_MAX], target[PATH_MAX];
    if (loop->kind == LOOP_ON_DEVICE) {
        sysfs_path(s, loop->backing, "", link);
        return realpath(link, target)
                   ? add_related(s, loop->backing, strrchr(target, '/') + 1, GUARD_BELOW)
                   : cannot_look(s, link);
    }
    for (size_t i = 0; i < s->loops.count; i++) {
        const struct loop *other = &s->loops.rows[i];
        if (other != loop && loops_overlap(loop, other) &&
            add_related(s, other->device, other->name, GUARD_SAME_FILE))
            return -1;
    }
    return 0;
}

/* Adds the devices that are related to a listed device, for the relations in `where`. */
static int follow_related(struct guard_search *s, const struct guard_related *from, unsigned where)
{
    char folder[PATH_MAX];
    dev_t device = from->device;
    enum guard_relation part = relations[from->relation].part,
                        path = relations[from->relation].path;
    if ((where & GUARD_DISK) &&
        add_disk(s, device, part == GUARD_PARTITION ? GUARD_WHOLE_DISK : part))
        return -1;
    sysfs_path(s, device, "", folder);
    if ((where & GUARD_PARTITIONS) && !is_partition(s, device) &&
        add_folders(s, folder, "partition", part))
        return -1;
    if ((where & GUARD_PATHS) && add_other_paths(s, device, path))
        return -1;
    sysfs_path(s, device, "/holders", folder);
    if ((where & GUARD_HOLDERS) && add_folders(s, folder, NULL, GUARD_HOLDER))
        return -1;
    for (size_t i = 0; i < s->loops.count && (where & GUARD_LOOPS); i++) {
        const struct loop *l = &s->loops.rows[i];
        if (l->kind == LOOP_ON_DEVICE && l->backing == device &&
            add_related(s, l->device, l->name, GUARD_LOOP_ABOVE))
            return -1;
    }
    if (!(where & GUARD_LOWER))
        return 0;
    /* The devices on which dm or md is built. Partitions have no such folder. */
    sysfs_path(s, device, "/slaves", folder);
    if (!access(folder, F_OK) && add_folders(s, folder, NULL, GUARD_SLAVE))
        return -1;
    return from->loop ? add_below_loop(s, from->loop) : 0;
}

bool guard_block_device_of(dev_t character, dev_t *block)
{
    char folder[PATH_MAX], name[64];
    struct err ignored = {0};
    snprintf(folder, sizeof folder, "/sys/dev/char/%u:%u/device/block", major(character),
             minor(character));
    if (major(character) == MEM_MAJOR || major(character) == TTY_MAJOR ||
        major(character) == TTYAUX_MAJOR ||
        (major(character) >= UNIX98_PTY_SLAVE_MAJOR && major(character) < 144))
        /* memory devices such as /dev/null, and terminals, are no disks; nearly every process has
           one open */
        return false;
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *entry; d && !found && (entry = readdir(d));) {
        char file[PATH_MAX];
        found = entry->d_name[0] != '.' && file_path(file, "%s/%s/dev", folder, entry->d_name) &&
                device_number_read(file, block);
    }
    if (d)
        closedir(d);
    return found || (target_is_generic(character) &&
                     !guard_generic_device("", character, block, name, &ignored));
}

int guard_relate(struct guard_search *s, dev_t device)
{
    char what[PATH_MAX];
    snprintf(what, sizeof what, "%s/sys/block", s->root);
    if (!loops_read(s->root, &s->loops))
        return cannot_look(s, what);
    for (size_t i = 0; i < s->loops.count; i++) {
        snprintf(what, sizeof what, "the backing file of %s", s->loops.rows[i].name);
        if (s->loops.rows[i].kind == LOOP_UNKNOWN)
            return cannot_look(s, what);
    }
    if (add_related(s, device, "", GUARD_ITSELF))
        return -1;
    /* The walk adds devices to the list, and is repeated until it finds no new one. */
    for (bool grown = true; grown;) {
        grown = false;
        for (unsigned i = 0; i < s->count; i++) {
            struct guard_related *r = &s->related[i];
            unsigned left = r->follow & ~r->followed;
            r->followed |= left;
            grown |= left != 0;
            if (left && follow_related(s, r, left))
                return -1;
        }
    }
    return 0;
}

struct guard_search *guard_search_around(const char *root, dev_t device, struct err *e)
{
    struct guard_search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->root = root;
    s->path = "";
    s->e = e;
    guard_relate(s, device);
    return s;
}

void guard_search_end(struct guard_search *s)
{
    loops_free(&s->loops);
    free(s);
}
