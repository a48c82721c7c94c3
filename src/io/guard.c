/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses a block device: first everything related to it is listed, then the tables are searched.
 */
#include "io/guard.h"

#include <dirent.h>
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

#define RELATED_MAX 256

#define WWID_BYTES 256

enum relation { ITSELF, PARTITION, WHOLE_DISK, OTHER_PATH, HOLDER };

struct related {
    dev_t device;
    char name[64];
    enum relation relation;
};

struct search {
    const char *root;
    const char *path;
    struct err *e;
    unsigned count;
    struct related related[RELATED_MAX];
};

#define NO_OVERRIDE "--destroy will not override this"

/* "its partition sdb1", as the subject of a message. */
static const char *subject(const struct related *r, char text[96])
{
    static const char *const formats[] = {
        [ITSELF] = "it",
        [PARTITION] = "its partition %s",
        [WHOLE_DISK] = "%s, the disk it is a part of,",
        [OTHER_PATH] = "%s, another way to the same disk (its wwid is the same),",
        [HOLDER] = "%s, which is built on it,",
    };
    if (r->relation == ITSELF)
        return formats[ITSELF];
    const char *format = formats[r->relation];
    const char *hole = strstr(format, "%s");
    snprintf(text, 96, "%.*s%s%s", (int)(hole - format), format, r->name, hole + 2);
    return text;
}

static int cannot_look(const struct search *s, const char *what)
{
    return err_set(s->e, ERR_UNSAFE,
                   "%s: %s cannot be read, so it cannot be shown that nothing uses the device",
                   s->path, what);
}

static void sysfs_path(const struct search *s, dev_t device, const char *below, char to[PATH_MAX])
{
    snprintf(to, PATH_MAX, "%s/sys/dev/block/%u:%u%s", s->root, major(device), minor(device),
             below);
}

static const struct related *find(const struct search *s, dev_t device)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->related[i].device == device)
            return &s->related[i];
    return NULL;
}

static int add(struct search *s, dev_t device, const char *name, enum relation relation)
{
    if (find(s, device))
        return 0;
    if (s->count == RELATED_MAX)
        return err_set(s->e, ERR_UNSAFE, "%s: it has too many partitions and holders to check them",
                       s->path);
    struct related *r = &s->related[s->count++];
    r->device = device;
    r->relation = relation;
    snprintf(r->name, sizeof r->name, "%s", name);
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

static int add_partitions_or_disk(struct search *s, dev_t device)
{
    char folder[PATH_MAX], file[PATH_MAX];
    sysfs_path(s, device, "/partition", file);
    if (access(file, F_OK)) {
        sysfs_path(s, device, "", folder);
        return add_folders(s, folder, "partition", PARTITION);
    }
    dev_t disk;
    char name[64] = "disk", target[PATH_MAX];
    sysfs_path(s, device, "/../dev", file);
    if (!device_number_read(file, &disk))
        return cannot_look(s, file);
    sysfs_path(s, device, "/..", file);
    if (realpath(file, target))
        snprintf(name, sizeof name, "%.63s", strrchr(target, '/') + 1);
    return add(s, disk, name, WHOLE_DISK);
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
static int add_other_path(struct search *s, const char *folder, const char *name)
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
    if (add(s, device, name, OTHER_PATH))
        return -1;
    return add_folders(s, folder, "partition", OTHER_PATH);
}

/* Where the kernel does not join several paths to a disk, each has a block device of its own, and a
   claim on one says nothing of the others. */
static int add_other_paths(struct search *s, dev_t device)
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
            status = add_other_path(s, folder, entry->d_name);
    }
    closedir(d);
    return status;
}

/* The list grows while it is walked: holders of holders are found as well. */
static int add_holders(struct search *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        char folder[PATH_MAX];
        sysfs_path(s, s->related[i].device, "/holders", folder);
        if (add_folders(s, folder, NULL, HOLDER))
            return -1;
    }
    return 0;
}

/* The related device that a path of the tables names, or NULL. */
static const struct related *find_by_path(const struct search *s, const char *path)
{
    struct stat st;
    if (path[0] != '/' || stat(path, &st) || !S_ISBLK(st.st_mode))
        return NULL;
    return find(s, st.st_rdev);
}

static int check_mount_line(const struct search *s, char *line)
{
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
    char text[96];
    return err_set(s->e, ERR_UNSAFE, "%s: %s holds a mounted filesystem (%s); " NO_OVERRIDE,
                   s->path, subject(r, text), mount_point);
}

static int check_swap_line(const struct search *s, char *line)
{
    char *rest = NULL;
    char *name = strtok_r(line, " \t", &rest);
    const struct related *r = name ? find_by_path(s, octal_unescape(name)) : NULL;
    if (!r)
        return 0;
    char text[96];
    return err_set(s->e, ERR_UNSAFE, "%s: %s is in use as swap; " NO_OVERRIDE, s->path,
                   subject(r, text));
}

/* Check every line of a table. A table that is not there is an error only when `required`. */
static int check_table(const struct search *s, const char *table, bool required,
                       int (*check)(const struct search *s, char *line))
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s%s", s->root, table);
    FILE *f = fopen(file, "re");
    if (!f)
        return required ? cannot_look(s, file) : 0;
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    while (status == 0 && getline(&line, &room, f) > 0)
        status = check(s, line);
    free(line);
    fclose(f);
    return status;
}

static int check_holders(const struct search *s)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->related[i].relation == HOLDER)
            return err_set(
                s->e, ERR_UNSAFE,
                "%s: %s is built on it (device mapper, LVM, md or the like); " NO_OVERRIDE, s->path,
                s->related[i].name);
    return 0;
}

int guard_unused(const char *root, dev_t device, const char *path, struct err *e)
{
    struct search s = {.root = root, .path = path, .e = e};
    if (add(&s, device, "", ITSELF) || add_partitions_or_disk(&s, device) ||
        add_other_paths(&s, device) || add_holders(&s))
        return -1;
    /* Process 1 may see mounts that this process does not; it may also be hidden from us. */
    if (check_table(&s, "/proc/self/mountinfo", true, check_mount_line) ||
        check_table(&s, "/proc/1/mountinfo", false, check_mount_line) ||
        check_table(&s, "/proc/swaps", false, check_swap_line))
        return -1;
    return check_holders(&s);
}
