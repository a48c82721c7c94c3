/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds targets that are the same under different names. */
#include "many/together/together.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "io/target/guard.h"

/* If the status is that of a generic device (an NVMe namespace as a character device), replaces its
   type and number by those of the block device. */
static void find_block(const char *root, struct stat *st)
{
    struct err ignored = {0};
    dev_t block;
    char name[64];
    if (S_ISCHR(st->st_mode) && !guard_generic_device(root, st->st_rdev, &block, name, &ignored)) {
        st->st_rdev = block;
        st->st_mode = (st->st_mode & ~(mode_t)S_IFMT) | S_IFBLK;
    }
}

/* Compares a file with a device: a loop device contains its file, and a disk contains the files of
   its filesystem. */
static void compare_file(const char *root, const struct stat *file, dev_t device, char words[160])
{
    char relation[128];
    if (guard_keeps_in_file(root, device, file->st_dev, file->st_ino))
        snprintf(words, 160, "the bytes of the device are in the file");
    else if (guard_overlap(root, device, file->st_dev, relation) ||
             guard_overlap(root, file->st_dev, device, relation))
        snprintf(words, 160, "the file lies on the device");
}

/* Returns true for two paths that do not exist yet and are the same name in the same folder. */
static bool is_one_place(const char *const names[2])
{
    struct stat folder[2];
    const char *base[2];
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        const char *slash = strrchr(names[i], '/');
        const int length = slash ? (int)(slash - names[i]) + 1 : 1;
        base[i] = slash ? slash + 1 : names[i];
        if (!file_path(path, "%.*s", length, slash ? names[i] : ".") || stat(path, &folder[i]))
            return false;
    }
    return folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino &&
           !strcmp(base[0], base[1]);
}

/* Compares two targets. `words` gets the reason why they are the same; "" if they differ. */
static void compare(const char *root, const char *const names[2], char words[160])
{
    struct stat a, b;
    char relation[128];
    words[0] = '\0';
    if (!strcmp(names[0], names[1])) {
        snprintf(words, 160, "it is given twice");
        return;
    }
    const bool is_new[] = {stat(names[0], &a) != 0, stat(names[1], &b) != 0};
    if (is_new[0] && is_new[1] && is_one_place(names))
        snprintf(words, 160, "they are two names of one file");
    if (is_new[0] || is_new[1])
        return;
    find_block(root, &a);
    find_block(root, &b);
    if (S_ISBLK(a.st_mode) != S_ISBLK(b.st_mode)) {
        const bool first = S_ISBLK(a.st_mode);
        const struct stat *file = first ? &b : &a;
        if (S_ISREG(file->st_mode))
            compare_file(root, file, first ? a.st_rdev : b.st_rdev, words);
        return;
    }
    const bool same = S_ISBLK(a.st_mode) || S_ISCHR(a.st_mode)
                          ? a.st_rdev == b.st_rdev
                          : a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    if (same)
        snprintf(words, 160, "they are two names of one %s", S_ISBLK(a.st_mode) ? "disk" : "file");
    else if (S_ISBLK(a.st_mode) && (guard_overlap(root, a.st_rdev, b.st_rdev, relation)))
        snprintf(words, 160, "the second is %s to the first", relation);
    else if (S_ISBLK(a.st_mode) && (guard_overlap(root, b.st_rdev, a.st_rdev, relation)))
        snprintf(words, 160, "the first is %s to the second", relation);
}

int together_distinct(const char *root, const char *const names[], size_t count, bool writes,
                      struct err *e)
{
    char words[160];
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            compare(root, (const char *const[]){names[i], names[k]}, words);
            if (words[0])
                return err_set(e, writes ? ERR_UNSAFE : ERR_USAGE,
                               "%.140s and %.140s: %s; nothing was %s", names[i], names[k], words,
                               writes ? "written" : "measured");
        }
    return 0;
}
