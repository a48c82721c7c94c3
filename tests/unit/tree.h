/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine of the test's own: files, links and folders in a temporary folder that is read through
 * a sysroot. Paths start with '/' and mean the machine's ("/sys/class/net/eth0/mtu"); folders above
 * them are made. What cannot be made ends the program: the test could not say anything then.
 *
 * Owner: tree_begin, then tree_end, which removes all of it. One thread.
 */
#ifndef TESTS_UNIT_TREE_H
#define TESTS_UNIT_TREE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "hw/sysroot/sysroot.h"

#define TREE_PATH  1024
#define TREE_DEPTH 256 /* musl's nftw goes no deeper than it may have files open */

struct tree {
    char folder[256];
    struct sysroot root; /* opened on the folder */
};

static inline void tree_fail(const char *what, const char *path)
{
    fprintf(stderr, "tree.h: %s %s: %s\n", what, path, strerror(errno));
    exit(EXIT_FAILURE);
}

static inline void tree_begin(struct tree *t)
{
    const char *below = getenv("TMPDIR");
    struct err e = {0};
    *t = (struct tree){0};
    if (below == NULL || *below == '\0') {
        below = "/tmp";
    }
    snprintf(t->folder, sizeof t->folder, "%s/cupel-tree.XXXXXX", below);
    if (mkdtemp(t->folder) == NULL) {
        tree_fail("cannot make", t->folder);
    }
    if (sysroot_open(&t->root, t->folder, &e) != 0) {
        fprintf(stderr, "tree.h: %s\n", e.msg);
        exit(EXIT_FAILURE);
    }
}

/* The path on this machine. Writes to `to` (TREE_PATH bytes), returns it. */
static inline char *tree_path(const struct tree *t, char *to, const char *path)
{
    int length = snprintf(to, TREE_PATH, "%s%s", t->folder, path);
    if (length < 0 || length >= TREE_PATH) {
        errno = ENAMETOOLONG;
        tree_fail("cannot name", path);
    }
    return to;
}

/* The folder itself and all above it. */
static inline void tree_folder(const struct tree *t, const char *path)
{
    char full[TREE_PATH];
    tree_path(t, full, path);
    for (char *slash = full + strlen(t->folder) + 1;; slash++) {
        char end = *slash;
        if (end != '/' && end != '\0') {
            continue;
        }
        *slash = '\0';
        if (mkdir(full, 0755) != 0 && errno != EEXIST) {
            tree_fail("cannot make", full);
        }
        if (end == '\0') {
            return;
        }
        *slash = '/';
    }
}

static inline void tree_folder_above(const struct tree *t, const char *path)
{
    char above[TREE_PATH];
    snprintf(above, sizeof above, "%s", path);
    char *slash = strrchr(above, '/');
    if (slash != NULL && slash != above) {
        *slash = '\0';
        tree_folder(t, above);
    }
}

/* A file with these bytes, in place of what was there. */
static inline void tree_bytes(const struct tree *t, const char *path, const void *bytes,
                              size_t count)
{
    char full[TREE_PATH];
    tree_folder_above(t, path);
    tree_path(t, full, path);
    if (unlink(full) != 0 && errno != ENOENT) {
        tree_fail("cannot replace", full);
    }
    FILE *file = fopen(full, "w");
    if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
        tree_fail("cannot write", full);
    }
}

static inline void tree_file(const struct tree *t, const char *path, const char *text)
{
    tree_bytes(t, path, text, strlen(text));
}

/* The same with a text made by printf. */
static inline void tree_filef(const struct tree *t, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void tree_filef(const struct tree *t, const char *path, const char *format, ...)
{
    char text[16384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tree_file(t, path, text);
}

/* A symbolic link; the target is stored as it is, relative like the kernel's. */
static inline void tree_link(const struct tree *t, const char *path, const char *target)
{
    char full[TREE_PATH];
    tree_folder_above(t, path);
    if (symlink(target, tree_path(t, full, path)) != 0) {
        tree_fail("cannot link", full);
    }
}

/* What is there may be read by nobody from now on; a file is made when there is none. */
static inline void tree_deny(const struct tree *t, const char *path)
{
    char full[TREE_PATH];
    if (access(tree_path(t, full, path), F_OK) != 0) {
        tree_file(t, path, "");
    }
    if (chmod(full, 0) != 0) {
        tree_fail("cannot deny", full);
    }
}

static inline int tree_remove_one(const char *path, const struct stat *status, int kind,
                                  struct FTW *place)
{
    (void)status;
    (void)place;
    if (kind == FTW_DNR) {
        (void)chmod(path, 0700);
    }
    return remove(path);
}

/* Remove a file, a link, or a folder with all below it. */
static inline void tree_remove(const struct tree *t, const char *path)
{
    char full[TREE_PATH];
    if (nftw(tree_path(t, full, path), tree_remove_one, TREE_DEPTH, FTW_DEPTH | FTW_PHYS) != 0) {
        tree_fail("cannot remove", full);
    }
}

static inline void tree_end(struct tree *t)
{
    tree_remove(t, "");
    t->folder[0] = '\0';
}

#endif
