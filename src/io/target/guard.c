/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who uses a block device: the tables are searched for every device that has bytes in common with
 * it. */
#include "io/target/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/device_number.h"
#include "base/octal_escape.h"
#include "io/target/internal.h"

#define NO_OVERRIDE "--destroy will not override this"

/* The related device that a path of the tables names, or NULL. */
static const struct guard_related *find_by_path(struct guard_search *s, const char *path)
{
    struct stat st;
    if (path[0] != '/' || stat(path, &st) || !S_ISBLK(st.st_mode))
        return NULL;
    return guard_find(s, st.st_rdev);
}

/* The related loop device that lies on the file of that path, or NULL. */
static const struct guard_related *find_by_file(const struct guard_search *s, const char *path)
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
    struct guard_search *s = context;
    /* 36 35 98:0 /root /mount/point options ... - type source options */
    char *rest = line, *fields[5];
    unsigned n = 0;
    while (n < 5 && rest)
        fields[n++] = strsep(&rest, " ");
    dev_t device;
    if (!rest || !device_number_parse(fields[2], &device))
        return 0;
    const char *mount_point = octal_unescape(fields[4]);

    const struct guard_related *r = guard_find(s, device);
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
                   guard_subject(r, text), mount_point);
}

static int check_swap_line(void *context, char *line, struct err *e)
{
    struct guard_search *s = context;
    const char *path = guard_swap_path(line);
    char text[128];
    const struct guard_related *r = path ? find_by_path(s, path) : NULL;
    if (r)
        return err_set(e, ERR_UNSAFE, "%s: %s is in use as swap; " NO_OVERRIDE, s->path,
                       guard_subject(r, text));
    r = path ? find_by_file(s, path) : NULL;
    return r ? err_set(e, ERR_UNSAFE, "%s: the file below %s is in use as swap; " NO_OVERRIDE,
                       s->path, guard_subject(r, text))
             : 0;
}

static int check_holders(const struct guard_search *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct guard_related *r = &s->related[i];
        if (r->relation == GUARD_HOLDER || r->relation == GUARD_LOOP_ABOVE)
            return err_set(s->e, ERR_UNSAFE, "%s: %s is built on it (%s); " NO_OVERRIDE, s->path,
                           r->name,
                           r->relation == GUARD_HOLDER ? "device mapper, LVM, md or the like"
                                                       : "a loop device");
    }
    return 0;
}

/* The kernel's word on what has the same bytes under another name, for this moment. */
static int check_claims(const struct guard_search *s)
{
    for (unsigned i = 0; i < s->count && !*s->root; i++) {
        const struct guard_related *r = &s->related[i];
        if (!(r->follow & GUARD_CLAIM))
            continue;
        int fd = device_number_open(r->name, false, r->device, O_RDONLY | O_EXCL | O_NONBLOCK);
        char text[128];
        if (fd >= 0)
            close(fd);
        else if (errno == EBUSY)
            return err_set(s->e, ERR_UNSAFE, "%s: the kernel says that %s is in use; " NO_OVERRIDE,
                           s->path, guard_subject(r, text));
    }
    return 0;
}

static int check(struct guard_search *s, dev_t device)
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
    if (guard_relate(s, device))
        return -1;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (guard_check_table(s->root, tables[i].table, tables[i].required, s->path,
                              tables[i].check, s, s->e))
            return -1;
    return check_holders(s) || check_claims(s) ? -1 : 0;
}

int guard_unused(const char *root, dev_t device, const char *path, struct err *e)
{
    struct guard_search *s = calloc(1, sizeof *s); /* too large for a small stack (ulimit -s) */
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
