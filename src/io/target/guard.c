/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out who uses a block device: searches the kernel's tables for every device that shares
   bytes with it, and every program that has such a device open for writing. */
#include "io/target/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "base/file/mountinfo.h"
#include "io/target/internal.h"

/* ---- block devices ---- */

#define NO_DESTROY "--destroy will not override this"

static int check_mount(void *context, char *line, struct err *e)
{
    struct guard_search *s = context;
    struct mountinfo mount;
    if (!mountinfo_parse(line, &mount))
        return 0;
    const struct guard_related *r = guard_find(s, mount.device);
    /* The device number of a btrfs mount is not that of a block device, so the mount's source is
       compared as well. */
    struct stat st;
    if (!r && mount.source[0] == '/' && !stat(mount.source, &st) && S_ISBLK(st.st_mode))
        r = guard_find(s, st.st_rdev);
    if (!r)
        return 0;
    char text[128];
    return err_set(e, ERR_UNSAFE, "%s: %s holds a mounted filesystem (%s); " NO_DESTROY, s->path,
                   guard_subject(r, text), mount.point);
}

static int check_device_swap(void *context, char *line, struct err *e)
{
    struct guard_search *s = context;
    struct stat st;
    char text[128];
    bool found;
    if (!guard_swap_path(line, &st, &found) || !found)
        return 0;
    const struct guard_related *r = S_ISBLK(st.st_mode) ? guard_find(s, st.st_rdev) : NULL;
    if (r)
        return err_set(e, ERR_UNSAFE, "%s: %s is in use as swap; " NO_DESTROY, s->path,
                       guard_subject(r, text));
    for (unsigned i = 0; i < s->count && S_ISREG(st.st_mode); i++) {
        r = &s->related[i];
        const struct loop *l = r->loop;
        if (l && loop_is_on_file(l, st.st_dev, st.st_ino))
            return err_set(e, ERR_UNSAFE, "%s: the file below %s is in use as swap; " NO_DESTROY,
                           s->path, guard_subject(r, text));
    }
    return 0;
}

static int check_related(const struct guard_search *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct guard_related *r = &s->related[i];
        if (r->relation == GUARD_HOLDER || r->relation == GUARD_LOOP_ABOVE)
            return err_set(s->e, ERR_UNSAFE, "%s: %s is built on it (%s); " NO_DESTROY, s->path,
                           r->name,
                           r->relation == GUARD_HOLDER ? "device mapper, LVM, md or the like"
                                                       : "a loop device");
    }
    /* Asks the kernel whether a device that has the same bytes under another name is claimed at
       present. */
    for (unsigned i = 0; i < s->count && !*s->root; i++) {
        const struct guard_related *r = &s->related[i];
        if (!(r->follow & GUARD_CLAIM))
            continue;
        int fd = device_number_open(r->name, false, r->device, O_RDONLY | O_EXCL | O_NONBLOCK);
        char text[128];
        if (fd >= 0)
            close(fd);
        else if (errno == EBUSY)
            return err_set(s->e, ERR_UNSAFE, "%s: the kernel says that %s is in use; " NO_DESTROY,
                           s->path, guard_subject(r, text));
        /* a device with one of these errors cannot be used by anybody */
        else if (errno != ENXIO && errno != ENOMEDIUM)
            return err_set(s->e, ERR_UNSAFE,
                           "%s: whether %s is in use cannot be asked: /dev/%s: %s", s->path,
                           guard_subject(r, text), r->name,
                           errno == ENODEV ? "it is another device" : strerror(errno));
    }
    return 0;
}

/* ---- programs that write ---- */

static const struct guard_related *find_backing(const struct guard_search *s, const struct stat *st)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct loop *l = s->related[i].loop;
        if (l && loop_is_on_file(l, st->st_dev, st->st_ino))
            return &s->related[i];
    }
    return NULL;
}

/* Returns the related device that is the open file, or the loop device whose bytes are in that
   file. */
static const struct guard_related *find_open(struct guard_search *s, const struct stat *st)
{
    dev_t block;
    switch (st->st_mode & S_IFMT) {
    case S_IFBLK:
        return guard_find(s, st->st_rdev);
    case S_IFCHR:
        return guard_block_device_of(st->st_rdev, &block) ? guard_find(s, block) : NULL;
    case S_IFREG:
        return find_backing(s, st);
    default:
        return NULL;
    }
}

struct device_writers {
    struct guard_search *search;
    const struct guard_related *found;
};

static bool is_related(void *context, const struct stat *st)
{
    struct device_writers *w = context;
    const struct guard_related *r = find_open(w->search, st);
    w->found = r ? r : w->found;
    return r != NULL;
}

static int check_writers(struct guard_search *s)
{
    struct device_writers writers = {.search = s};
    struct open_search o = {.is_it = is_related, .context = &writers, .devices = true};
    char text[128];
    if (*s->root)
        return 0;
    switch (open_writers_find(&o)) {
    case NO_WRITERS:
        return 0;
    case SOME_WRITERS:
        return err_set(s->e, ERR_UNSAFE,
                       "%s: %s is open for writing by %s (process %d); end that first; " NO_DESTROY,
                       s->path, guard_subject(writers.found, text), o.program, (int)o.process);
    default:
        return guard_cannot_see(s->path, s->sight, s->e);
    }
}

int guard_unused(const char *root, dev_t device, const char *path, struct guard_sight *sight,
                 struct err *e)
{
    static const struct {
        const char *table;
        bool required;
        guard_check_line *check;
    } tables[] = {
        {"/proc/self/mountinfo", true, check_mount},
        /* not required, because process 1 may be hidden; but it may see mounts that this process
           does not see */
        {"/proc/1/mountinfo", false, check_mount},
        {"/proc/swaps", false, check_device_swap},
    };
    /* too large for the stack if that is small (ulimit -s) */
    struct guard_search *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "finding who uses %s", path);
    s->root = root;
    s->path = path;
    s->sight = sight;
    s->e = e;
    int status = guard_relate(s, device);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
        status = guard_check_table(root, tables[i].table, tables[i].required, path, tables[i].check,
                                   s, e);
    if (!status)
        status = check_related(s);
    if (!status)
        status = check_writers(s);
    loops_free(&s->loops);
    free(s);
    return status;
}

bool guard_overlap(const char *root, dev_t device, dev_t other, char words[128])
{
    struct err ignored = {0};
    struct guard_search *s = guard_search_around(root, device, &ignored);
    if (!s)
        return false;
    const struct guard_related *found = guard_find(s, other);
    if (found) {
        char text[128];
        snprintf(words, 128, "%s", guard_subject(found, text));
    }
    guard_search_end(s);
    return found != NULL;
}

bool guard_keeps_in_file(const char *root, dev_t device, dev_t filesystem, ino_t inode)
{
    struct err ignored = {0};
    struct guard_search *s = guard_search_around(root, device, &ignored);
    bool found = false;
    for (unsigned i = 0; s && i < s->count; i++) {
        const struct loop *l = s->related[i].loop;
        found |= l && loop_is_on_file(l, filesystem, inode);
    }
    if (s)
        guard_search_end(s);
    return found;
}
