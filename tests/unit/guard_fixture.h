/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up machine for the tests of the guard: devices in a sysfs of the test's own, mounts, swap.
 */
#ifndef TESTS_UNIT_GUARD_FIXTURE_H
#define TESTS_UNIT_GUARD_FIXTURE_H

#include "check.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "io/target/guard.h"

static char root[40];

static inline char *below(const char *path, char to[600])
{
    snprintf(to, 600, "%s%s", root, path);
    return to;
}

static inline void make_folders(const char *path)
{
    char full[600];
    for (char *slash = below(path, full) + strlen(root) + 1; (slash = strchr(slash, '/'));
         slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    mkdir(full, 0755);
}

static inline void write_file(const char *path, const char *text)
{
    char full[600];
    FILE *f = fopen(below(path, full), "we");
    CHECK(f != NULL);
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}

/* Makes a device in sysfs: its folder with `dev` and `holders`, and the link with its number. */
static inline void make_device(const char *folder, const char *number)
{
    char path[512], link[600], target[600];
    snprintf(path, sizeof path, "/sys/%s/holders", folder);
    make_folders(path);
    snprintf(path, sizeof path, "/sys/%s/dev", folder);
    write_file(path, number);
    snprintf(path, sizeof path, "/sys/dev/block/%s", number);
    snprintf(target, sizeof target, "../../%s", folder);
    CHECK_INT(symlink(target, below(path, link)), 0);
}

static inline void make_holder(const char *folder, const char *name)
{
    char path[512], link[600], target[600];
    snprintf(path, sizeof path, "/sys/%s/holders/%s", folder, name);
    snprintf(target, sizeof target, "%s/sys/block/%s", root, name);
    CHECK_INT(symlink(target, below(path, link)), 0);
}

static inline void mounts(const char *lines)
{
    write_file("/proc/self/mountinfo", lines);
}

static inline void check_used(unsigned major_number, unsigned minor_number, const char *path,
                              const char *message)
{
    struct err e = {0};
    CHECK_INT(guard_unused(root, makedev(major_number, minor_number), path, NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_STR(e.msg, message);
}

static inline void check_free(unsigned major_number, unsigned minor_number)
{
    struct err e = {0};
    if (guard_unused(root, makedev(major_number, minor_number), "/dev/x", NULL, &e)) {
        CHECK_STR(e.msg, "");
    }
}

#define OTHER_MOUNTS                                                                               \
    "20 1 0:5 / /proc rw,relatime - proc proc rw\n"                                                \
    "21 1 7:0 / /snap ro - squashfs /dev/loop0 ro\n"

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static inline void make_root(void)
{
    snprintf(root, sizeof root, "/tmp/cupel-guard-XXXXXX");
    if (!mkdtemp(root))
        exit(CHECK_SKIPPED);
}

static inline void remove_root(void)
{
    CHECK_INT(nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
