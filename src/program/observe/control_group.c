/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a control group by its path: the number and the level by which the kernel knows it. */
#include "program/observe/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file/mountinfo.h"

/* The mount point of the control groups of version 2. */
struct groups_mount {
    char point[PATH_MAX];
    unsigned depth; /* level of the mounted folder below the root of the hierarchy */
};

static unsigned depth_of(const char *path)
{
    unsigned depth = 0;
    for (const char *at = path; *at; at++)
        depth += *at == '/' && at[1] != '\0' && at[1] != '/';
    return depth;
}

/* Returns the part of a path below the folder, "" or "/..."; NULL if the path does not lie there.
 */
static const char *below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    bool is_below = !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
    return is_below ? path + length : NULL;
}

/* Finds the mount of control groups on which the path lies; the first one if the path is NULL. */
static bool find_mount(struct groups_mount *m, const char *path)
{
    char line[PATH_MAX + 1024];
    struct mountinfo mount;
    bool found = false;
    FILE *f = fopen("/proc/self/mountinfo", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        found = mountinfo_parse(line, &mount) && !strcmp(mount.type, "cgroup2") &&
                (!path || below(path, mount.point));
        if (found) {
            snprintf(m->point, sizeof m->point, "%s", mount.point);
            m->depth = depth_of(mount.root);
        }
    }
    if (f)
        fclose(f);
    return found;
}

/* Returns true if this process is in no namespace of control groups. Within one it cannot see the
   level of a group below the root of all groups. */
static bool sees_all_groups(void)
{
    const ino_t of_machine = 0xeffffffb; /* PROC_CGROUP_INIT_INO of Linux */
    struct stat s;
    return stat("/proc/self/ns/cgroup", &s) || s.st_ino == of_machine;
}

static int check_kind(int folder, const char *path, struct err *e)
{
    struct statfs s;
    if (fstatfs(folder, &s))
        return err_set(e, ERR_MACHINE, "--cgroup %s: %s", path, strerror(errno));
    if ((unsigned long)s.f_type == CGROUP2_SUPER_MAGIC)
        return 0;
    if ((unsigned long)s.f_type == CGROUP_SUPER_MAGIC)
        return err_set(e, ERR_USAGE,
                       "--cgroup %s: a control group of version 1, whose members the kernel does "
                       "not name in its events; one of version 2 is needed",
                       path);
    return err_set(e, ERR_USAGE, "--cgroup %s: not a control group", path);
}

/* Finds the group. ERR_USAGE: there is no such group, or it is not of version 2; ERR_MACHINE: the
   machine has no groups of version 2, or they cannot be seen from here. */
static int find(struct recorder *r, struct err *e)
{
    struct control_group *g = &r->group;
    const char *path = r->plan->cgroup;
    struct groups_mount mount;
    char full[2 * PATH_MAX], link[64];
    struct stat s;
    *g = (struct control_group){.folder = -1};
    if (!find_mount(&mount, NULL))
        return err_set(e, ERR_MACHINE, "--cgroup: no control groups of version 2 are mounted");
    if (!sees_all_groups())
        return err_set(
            e, ERR_MACHINE,
            "--cgroup: control groups cannot be recorded from within a namespace of them "
            "(a container): run cupel outside of it");
    snprintf(full, sizeof full, "%s%s%s", path[0] == '/' ? "" : mount.point,
             path[0] == '/' ? "" : "/", path);
    g->folder = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (g->folder < 0)
        return err_set(e, ERR_USAGE, "--cgroup %s: %s", full, strerror(errno));
    if (check_kind(g->folder, full, e))
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", g->folder);
    ssize_t length = readlink(link, g->path, sizeof g->path - 1);
    g->path[length > 0 ? length : 0] = '\0';
    if (length <= 0 || fstat(g->folder, &s) || !find_mount(&mount, g->path))
        return err_set(e, ERR_MACHINE, "--cgroup %s: its place cannot be found", full);
    g->number = s.st_ino;
    g->level = mount.depth + depth_of(below(g->path, mount.point));
    return 0;
}

static int begin(struct recorder *r, struct err *e)
{
    return io_calls_follow_scope(r->io_calls, e);
}

static bool is_gone(struct recorder *r)
{
    return faccessat(r->group.folder, "cgroup.procs", F_OK, 0) != 0;
}

static void release(struct recorder *r)
{
    struct control_group *g = &r->group;
    if (g->folder >= 0)
        close(g->folder);
    g->folder = -1;
}

const struct recorded_kind recorded_group = {
    .find = find, .begin = begin, .have_ended = is_gone, .release = release};
