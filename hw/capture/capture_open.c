/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the argument of --sysroot: a folder is used directly, a capture is unpacked into a new
   folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder_remove.h"
#include "hw/capture/capture.h"
#include "hw/capture/internal.h"

/* Makes the folder into which the capture is unpacked, below TMPDIR. If TMPDIR is not set, makes it
   in memory, where thousands of small files take no time and disturb no disk, or below /tmp. */
static int make_folder(struct capture *c, struct err *e)
{
    const char *chosen = getenv("TMPDIR");
    if (chosen && chosen[0] != '/')
        chosen = NULL;
    const char *const places[] = {chosen ? chosen : "/dev/shm", chosen ? NULL : "/tmp"};
    int error = 0;
    const char *below = NULL;
    for (size_t i = 0; i < 2 && places[i]; i++) {
        below = places[i];
        int length = snprintf(c->folder, sizeof c->folder, "%s/cupel-capture-XXXXXX", below);
        if (length < (int)sizeof c->folder && mkdtemp(c->folder)) {
            c->fd = folder_open(c->folder);
            return 0;
        }
        error = length < (int)sizeof c->folder ? errno : ENAMETOOLONG;
        c->folder[0] = '\0';
    }
    return err_set(e, ERR_MACHINE, "cannot unpack a capture below %.200s: %s; TMPDIR says where to",
                   below, strerror(error));
}

/* Recognises a compressed file by its first bytes, so that it gets its own message. */
static bool is_compressed(int fd)
{
    static const char *const marks[] = {"\x1f\x8b",
                                        "\xfd"
                                        "7zXZ",
                                        "BZh", "\x28\xb5\x2f\xfd"};
    char first[8];
    ssize_t length = pread(fd, first, sizeof first, 0);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t bytes = strlen(marks[i]);
        if (length >= (ssize_t)bytes && !memcmp(first, marks[i], bytes))
            return true;
    }
    return false;
}

static int unpack(struct capture *c, const char *file, struct err *e)
{
    struct stat s;
    int status, fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s))
        status = err_set(e, ERR_USAGE, "cannot read the system root %s: %s", file, strerror(errno));
    else if (!S_ISREG(s.st_mode))
        status =
            err_set(e, ERR_USAGE, "the system root %s is neither a folder nor a capture", file);
    else if (is_compressed(fd))
        status = err_set(e, ERR_USAGE, "%s is compressed: decompress it first", file);
    else
        status = make_folder(c, e) || tar_unpack(file, fd, c->folder, e) ? -1 : 0;
    if (fd >= 0)
        close(fd);
    return status;
}

/* Returns 0 if the folder can be listed, ENOENT if it does not exist, otherwise the errno. */
static int folder_problem(const struct sysroot *root, const char *path)
{
    char full[PATH_MAX];
    struct stat s;
    if (stat(sysroot_path(root, full, sizeof full, path), &s))
        return errno == ENOTDIR ? ENOENT : errno;
    if (!S_ISDIR(s.st_mode))
        return ENOENT;
    return access(full, R_OK | X_OK) ? errno : 0;
}

/* Checks that the tree has /sys or /proc. */
static int check_machine(const struct sysroot *root, const char *named, struct err *e)
{
    int sys = folder_problem(root, "/sys"), proc = folder_problem(root, "/proc");
    int problem = sys == ENOENT ? proc : sys;
    if (!sys || !proc)
        return 0;
    if (problem == ENOENT)
        return err_set(e, ERR_USAGE, "the system root %s holds neither sys nor proc", named);
    return err_set(e, ERR_USAGE, "cannot read the system root %s: %s", named, strerror(problem));
}

/* Archives often hold a single folder with everything in it. Enters the folder when there is
   nothing else. */
static void enter_only_folder(struct sysroot *root)
{
    struct sysroot_names names;
    struct sysroot inner;
    char path[sizeof root->prefix];
    if (sysroot_list(root, "/", &names) == FACT_OK && names.count == 1 &&
        strlen(root->prefix) + 1 + strlen(names.names[0]) < sizeof path) {
        sysroot_join(path, sizeof path, root->prefix, names.names[0]);
        if (!sysroot_open(&inner, path, NULL))
            *root = inner;
    }
    sysroot_names_free(&names);
}

int capture_open(struct capture *c, const char *folder_or_file, struct err *e)
{
    struct stat s;
    const char *folder = folder_or_file;
    *c = (struct capture){0};
    if (!folder_or_file || !strcmp(folder_or_file, "/"))
        return sysroot_open(&c->root, NULL, e);
    if (stat(folder_or_file, &s))
        return err_set(e, ERR_USAGE, "cannot read the system root %s: %s", folder_or_file,
                       strerror(errno));
    int status = 0;
    if (!S_ISDIR(s.st_mode)) {
        status = unpack(c, folder_or_file, e);
        folder = c->folder;
    }
    if (!status && !sysroot_open(&c->root, folder, e)) {
        if (folder_problem(&c->root, "/sys") == ENOENT &&
            folder_problem(&c->root, "/proc") == ENOENT)
            enter_only_folder(&c->root);
        if (!check_machine(&c->root, folder_or_file, e))
            return 0;
    }
    capture_close(c);
    return -1;
}

void capture_close(struct capture *c)
{
    if (c->folder[0])
        folder_remove(c->fd, c->folder, NULL);
    *c = (struct capture){0};
}
