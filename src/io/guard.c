/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who uses a block device: first every device that has bytes in common with it is listed, by
 * walking sysfs upward, downward and sideways as `relations` says, then the tables are searched for
 * each.
 */
#include "io/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/device_number.h"
#include "base/octal_escape.h"
#include "io/guard_tables.h"
#include "io/loops.h"

#define RELATED_MAX 256

#define WWID_BYTES 256

/* BELOW is under a loop device: the same bytes. SLAVE is under dm or md, which may use a part. */
enum relation {
    ITSELF,
    PARTITION,
    WHOLE_DISK,
    OTHER_PATH,
    HOLDER,
    LOOP_ABOVE,
    SAME_FILE,
    BELOW,
    BELOW_PART,
    SLAVE,
    SLAVE_PART,
};

/* Where the walk goes on from a related device. */
enum {
    PARTITIONS = 1, /* its own */
    DISK = 2,       /* the one that it is a partition of */
    PATHS = 4,      /* disks of the same wwid */
    HOLDERS = 8,    /* built on it by dm, md, bcache */
    LOOPS = 16,     /* loop devices on it */
    LOWER = 32,     /* what it is built on */
    CLAIM = 64,     /* the kernel is asked whether somebody has claimed it */
};

/* `part`, `path`: what its partitions or its disk, and other paths to it, are to the target. */
static const struct {
    const char *subject;
    unsigned follow;
    enum relation part, path;
} relations[] = {
    [ITSELF] = {"it", PARTITIONS | DISK | PATHS | HOLDERS | LOOPS | LOWER, PARTITION, OTHER_PATH},
    [PARTITION] = {"its partition %s", HOLDERS | LOOPS, PARTITION, OTHER_PATH},
    [WHOLE_DISK] = {"%s, the disk it is a part of,", HOLDERS | LOOPS | LOWER, PARTITION,
                    OTHER_PATH},
    [OTHER_PATH] = {"%s, another way to the same disk (its wwid is the same),",
                    PARTITIONS | HOLDERS | LOOPS, OTHER_PATH, OTHER_PATH},
    [HOLDER] = {"%s, which is built on it,", HOLDERS | LOOPS, HOLDER, HOLDER},
    [LOOP_ABOVE] = {"%s, which is built on it,", HOLDERS | LOOPS, HOLDER, HOLDER},
    [SAME_FILE] = {"%s, a loop device on the same file,", PARTITIONS | HOLDERS | LOOPS | CLAIM,
                   SAME_FILE, SAME_FILE},
    [BELOW] = {"%s, which it is built on,",
               PARTITIONS | DISK | PATHS | HOLDERS | LOOPS | LOWER | CLAIM, BELOW_PART, OTHER_PATH},
    [BELOW_PART] = {"%s, of the disk it is built on,", HOLDERS | LOOPS | LOWER, BELOW_PART,
                    BELOW_PART},
    [SLAVE] = {"%s, which it is built on,", PARTITIONS | DISK | PATHS | LOOPS | LOWER, SLAVE_PART,
               SLAVE_PART},
    [SLAVE_PART] = {"%s, of the disk it is built on,", LOOPS | LOWER, SLAVE_PART, SLAVE_PART},
};

struct related {
    dev_t device;
    char name[64];
    enum relation relation;
    unsigned follow, followed;
    const struct loop *loop; /* it is one of these, or NULL */
};

struct search {
    const char *root;
    const char *path;
    struct err *e;
    struct loops loops;
    unsigned count;
    struct related related[RELATED_MAX];
};

#define NO_OVERRIDE "--destroy will not override this"

/* "its partition sdb1", as the subject of a message. */
static const char *subject(const struct related *r, char text[128])
{
    const char *format = relations[r->relation].subject, *hole = strstr(format, "%s");
    if (!hole)
        return format;
    snprintf(text, 128, "%.*s%s%s", (int)(hole - format), format, r->name, hole + 2);
    return text;
}

static int cannot_look(const struct search *s, const char *what)
{
    return guard_cannot_look(s->path, what, s->e);
}

static void sysfs_path(const struct search *s, dev_t device, const char *below, char to[PATH_MAX])
{
    snprintf(to, PATH_MAX, "%s/sys/dev/block/%u:%u%s", s->root, major(device), minor(device),
             below);
}

static struct related *find(struct search *s, dev_t device)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->related[i].device == device)
            return &s->related[i];
    return NULL;
}

static const struct loop *find_loop(const struct search *s, dev_t device)
{
    for (size_t i = 0; i < s->loops.count; i++)
        if (s->loops.rows[i].device == device)
            return &s->loops.rows[i];
    return NULL;
}

/* One that is listed already keeps its name, and is followed wherever either relation leads. */
static int add(struct search *s, dev_t device, const char *name, enum relation relation)
{
    struct related *r = find(s, device);
    if (!r && s->count == RELATED_MAX)
        return err_set(s->e, ERR_UNSAFE, "%s: it has too many partitions and holders to check them",
                       s->path);
    if (!r) {
        r = &s->related[s->count++];
        *r = (struct related){.device = device, .relation = relation, .loop = find_loop(s, device)};
        snprintf(r->name, sizeof r->name, "%s", name);
    }
    r->follow |= relations[relation].follow;
    return 0;
}

/* Add the devices that have a folder in `folder`, those with a file named `only_with` in them if
 * given. */
static int add_folders(struct search *s, const char *folder, const char *only_with,
                       enum relation relation)
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
            status = add(s, device, entry->d_name, relation);
        else
            status = cannot_look(s, file);
    }
    closedir(d);
    return status;
}

static bool is_partition(const struct search *s, dev_t device)
{
    char file[PATH_MAX];
    sysfs_path(s, device, "/partition", file);
    return !access(file, F_OK);
}

static int add_partitions(struct search *s, dev_t device, enum relation relation)
{
    char folder[PATH_MAX];
    sysfs_path(s, device, "", folder);
    return is_partition(s, device) ? 0 : add_folders(s, folder, "partition", relation);
}

static int add_disk(struct search *s, dev_t device, enum relation relation)
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
    return add(s, disk, name, relation);
}

/* The identity of the disk whose folder this is: NVMe shows it there, SCSI below. */
static bool read_wwid(const char *folder, char wwid[WWID_BYTES])
{
    static const char *const places[] = {"wwid", "device/wwid"};
    *wwid = '\0';
    for (unsigned i = 0; i < 2 && !*wwid; i++) {
        char file[PATH_MAX];
        if (snprintf(file, sizeof file, "%s/%s", folder, places[i]) >= (int)sizeof file)
            continue;
        FILE *f = fopen(file, "re");
        if (!f)
            continue;
        if (!fgets(wwid, WWID_BYTES, f))
            *wwid = '\0';
        fclose(f);
        wwid[strcspn(wwid, "\n")] = '\0';
    }
    return *wwid;
}

/* A disk that is another way to ours, and its partitions. One without a number is hidden by the
   kernel: nobody can use it. */
static int add_other_path(struct search *s, const char *folder, const char *name,
                          enum relation relation)
{
    char file[PATH_MAX];
    dev_t device;
    if (snprintf(file, sizeof file, "%s/dev", folder) >= (int)sizeof file)
        return cannot_look(s, folder);
    if (access(file, F_OK))
        return 0;
    if (!device_number_read(file, &device))
        return cannot_look(s, file);
    if (find(s, device)) /* our own disk */
        return 0;
    if (add(s, device, name, relation))
        return -1;
    return add_folders(s, folder, "partition", relation);
}

/* Where the kernel does not join several paths to a disk, each has a block device of its own, and a
   claim on one says nothing of the others. */
static int add_other_paths(struct search *s, dev_t device, enum relation relation)
{
    char disk[PATH_MAX], folder[PATH_MAX], all[PATH_MAX], own[WWID_BYTES], other[WWID_BYTES];
    sysfs_path(s, device, "/partition", folder);
    sysfs_path(s, device, access(folder, F_OK) ? "" : "/..", disk);
    if (!read_wwid(disk, own))
        return 0;
    snprintf(all, sizeof all, "%s/sys/class/block", s->root);
    DIR *d = opendir(all);
    if (!d)
        return cannot_look(s, all);
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(d));) {
        if (entry->d_name[0] == '.' ||
            snprintf(folder, sizeof folder, "%s/%s", all, entry->d_name) >= (int)sizeof folder)
            continue;
        if (read_wwid(folder, other) && !strcmp(own, other))
            status = add_other_path(s, folder, entry->d_name, relation);
    }
    closedir(d);
    return status;
}

static int add_holders(struct search *s, dev_t device)
{
    char folder[PATH_MAX];
    sysfs_path(s, device, "/holders", folder);
    return add_folders(s, folder, NULL, HOLDER);
}

/* What dm or md is built on. Partitions have no such folder. */
static int add_slaves(struct search *s, dev_t device)
{
    char folder[PATH_MAX];
    sysfs_path(s, device, "/slaves", folder);
    return access(folder, F_OK) ? 0 : add_folders(s, folder, NULL, SLAVE);
}

static int add_loops_on(struct search *s, dev_t device)
{
    for (size_t i = 0; i < s->loops.count; i++) {
        const struct loop *l = &s->loops.rows[i];
        if (l->kind == LOOP_ON_DEVICE && l->backing == device &&
            add(s, l->device, l->name, LOOP_ABOVE))
            return -1;
    }
    return 0;
}

/* The device that a loop device lies on, or the other loop devices of its file. */
static int add_below_loop(struct search *s, const struct loop *loop)
{
    char link[PATH_MAX], target[PATH_MAX];
    if (loop->kind == LOOP_ON_DEVICE) {
        sysfs_path(s, loop->backing, "", link);
        return realpath(link, target) ? add(s, loop->backing, strrchr(target, '/') + 1, BELOW)
                                      : cannot_look(s, link);
    }
    for (size_t i = 0; i < s->loops.count; i++) {
        const struct loop *other = &s->loops.rows[i];
        if (other != loop && loops_overlap(loop, other) &&
            add(s, other->device, other->name, SAME_FILE))
            return -1;
    }
    return 0;
}

/* From one related device to the next ones. */
static int follow(struct search *s, const struct related *from, unsigned where)
{
    dev_t device = from->device;
    enum relation part = relations[from->relation].part, path = relations[from->relation].path;
    if ((where & DISK) && add_disk(s, device, part == PARTITION ? WHOLE_DISK : part))
        return -1;
    if ((where & PARTITIONS) && add_partitions(s, device, part))
        return -1;
    if ((where & PATHS) && add_other_paths(s, device, path))
        return -1;
    if ((where & HOLDERS) && add_holders(s, device))
        return -1;
    if ((where & LOOPS) && add_loops_on(s, device))
        return -1;
    if ((where & LOWER) && add_slaves(s, device))
        return -1;
    return (where & LOWER) && from->loop ? add_below_loop(s, from->loop) : 0;
}

/* The list grows while it is walked, until nothing is left to follow. */
static int walk(struct search *s)
{
    bool grown = true;
    while (grown) {
        grown = false;
        for (unsigned i = 0; i < s->count; i++) {
            struct related *r = &s->related[i];
            unsigned left = r->follow & ~r->followed;
            r->followed |= left;
            grown |= left != 0;
            if (left && follow(s, r, left))
                return -1;
        }
    }
    return 0;
}

static int read_loops(struct search *s)
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
    return 0;
}

/* ---- the tables ---- */

/* The related device that a path of the tables names, or NULL. */
static const struct related *find_by_path(struct search *s, const char *path)
{
    struct stat st;
    if (path[0] != '/' || stat(path, &st) || !S_ISBLK(st.st_mode))
        return NULL;
    return find(s, st.st_rdev);
}

/* The related loop device that lies on the file of that path, or NULL. */
static const struct related *find_by_file(const struct search *s, const char *path)
{
    struct stat st;
    if (path[0] != '/' || stat(path, &st) || !S_ISREG(st.st_mode))
        return NULL;
    for (unsigned i = 0; i < s->count; i++) {
        const struct loop *l = s->related[i].loop;
        if (l && l->kind == LOOP_ON_FILE && l->backing == st.st_dev && l->inode == st.st_ino)
            return &s->related[i];
    }
    return NULL;
}

static int check_mount_line(void *context, char *line, struct err *e)
{
    struct search *s = context;
    /* 36 35 98:0 /root /mount/point options ... - type source options */
    char *rest = line, *fields[5];
    unsigned n = 0;
    while (n < 5 && rest)
        fields[n++] = strsep(&rest, " ");
    dev_t device;
    if (!rest || !device_number_parse(fields[2], &device))
        return 0;
    const char *mount_point = octal_unescape(fields[4]);

    const struct related *r = find(s, device);
    char *type = strstr(rest, " - ");
    if (!r && type) {
        /* btrfs mounts have a device number of their own: there the source is looked at. */
        rest = type + 3;
        strsep(&rest, " ");
        char *source = strsep(&rest, " \n");
        r = source ? find_by_path(s, octal_unescape(source)) : NULL;
    }
    if (!r)
        return 0;
    char text[128];
    return err_set(e, ERR_UNSAFE, "%s: %s holds a mounted filesystem (%s); " NO_OVERRIDE, s->path,
                   subject(r, text), mount_point);
}

static int check_swap_line(void *context, char *line, struct err *e)
{
    struct search *s = context;
    const char *path = guard_swap_path(line);
    char text[128];
    const struct related *r = path ? find_by_path(s, path) : NULL;
    if (r)
        return err_set(e, ERR_UNSAFE, "%s: %s is in use as swap; " NO_OVERRIDE, s->path,
                       subject(r, text));
    r = path ? find_by_file(s, path) : NULL;
    return r ? err_set(e, ERR_UNSAFE, "%s: the file below %s is in use as swap; " NO_OVERRIDE,
                       s->path, subject(r, text))
             : 0;
}

static int check_holders(const struct search *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct related *r = &s->related[i];
        if (r->relation == HOLDER || r->relation == LOOP_ABOVE)
            return err_set(
                s->e, ERR_UNSAFE, "%s: %s is built on it (%s); " NO_OVERRIDE, s->path, r->name,
                r->relation == HOLDER ? "device mapper, LVM, md or the like" : "a loop device");
    }
    return 0;
}

/* The kernel's word on what has the same bytes under another name, for this moment. */
static int check_claims(const struct search *s)
{
    for (unsigned i = 0; i < s->count && !*s->root; i++) {
        const struct related *r = &s->related[i];
        if (!(r->follow & CLAIM))
            continue;
        int fd = device_number_open(r->name, false, r->device, O_RDONLY | O_EXCL | O_NONBLOCK);
        char text[128];
        if (fd >= 0)
            close(fd);
        else if (errno == EBUSY)
            return err_set(s->e, ERR_UNSAFE, "%s: the kernel says that %s is in use; " NO_OVERRIDE,
                           s->path, subject(r, text));
    }
    return 0;
}

static int check(struct search *s, dev_t device)
{
    static const struct {
        const char *table;
        bool required;
        guard_check_line *check;
    } tables[] = {
        {"/proc/self/mountinfo", true, check_mount_line},
        /* Process 1 may see mounts that this process does not; it may also be hidden from us. */
        {"/proc/1/mountinfo", false, check_mount_line},
        {"/proc/swaps", false, check_swap_line},
    };
    if (read_loops(s) || add(s, device, "", ITSELF) || walk(s))
        return -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (guard_check_table(s->root, tables[i].table, tables[i].required, s->path,
                              tables[i].check, s, s->e))
            return -1;
    return check_holders(s) || check_claims(s) ? -1 : 0;
}

int guard_unused(const char *root, dev_t device, const char *path, struct err *e)
{
    struct search *s = calloc(1, sizeof *s); /* too large for a small stack (ulimit -s) */
    if (!s)
        return err_set(e, ERR_MACHINE, "%s: there is no memory left to see who uses it", path);
    s->root = root;
    s->path = path;
    s->e = e;
    int status = check(s, device);
    loops_free(&s->loops);
    free(s);
    return status;
}
