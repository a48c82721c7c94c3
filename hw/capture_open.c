/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening what --sysroot names: a folder as it is, a capture unpacked into a folder of its own. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "hw/capture.h"
#include "hw/tar_unpack.h"

#define FOLDERS_OPEN 16

/* 0, or an errno. */
static int make_folder_below(struct capture *c, const char *below)
{
    int length = snprintf(c->folder, sizeof c->folder, "%s/cupel-capture-XXXXXX", below);
    int error = length < (int)sizeof c->folder ? 0 : ENAMETOOLONG;
    if (!error && mkdtemp(c->folder))
        return 0;
    if (!error)
        error = errno;
    c->folder[0] = '\0';
    return error;
}

/* Where TMPDIR says; else in memory, where thousands of small files take no time and disturb no
   disk. */
static int make_folder(struct capture *c, struct err *e)
{
    const char *below = getenv("TMPDIR");
    bool told = below && below[0] == '/';
    if (!told && !make_folder_below(c, "/dev/shm"))
        return 0;
    if (!told)
        below = "/tmp";
    int error = make_folder_below(c, below);
    if (!error)
        return 0;
    return err_set(e, ERR_MACHINE, "cannot unpack a capture below %.200s: %s; TMPDIR says where to",
                   below, strerror(error));
}

/* What begins like a compressed file is told apart from garbage. */
static bool is_compressed(const char *data, size_t length)
{
    static const char *const marks[] = {"\x1f\x8b",
                                        "\xfd"
                                        "7zXZ",
                                        "BZh", "\x28\xb5\x2f\xfd"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t bytes = strlen(marks[i]);
        if (length >= bytes && !memcmp(data, marks[i], bytes))
            return true;
    }
    return false;
}

static int unpack(struct capture *c, const char *file, struct err *e)
{
    char *data;
    size_t length;
    if (file_read_all(file, TAR_MOST_BYTES, &data, &length, e))
        return -1;
    int status = is_compressed(data, length)
                     ? err_set(e, ERR_USAGE, "%s is compressed: decompress it first", file)
                     : make_folder(c, e);
    if (!status)
        status = tar_unpack(file, data, length, c->folder, e);
    free(data);
    return status;
}

int capture_open(struct capture *c, const char *folder_or_file, struct err *e)
{
    struct stat s;
    *c = (struct capture){0};
    if (!folder_or_file)
        return sysroot_open(&c->root, NULL, e);
    if (stat(folder_or_file, &s))
        return err_set(e, ERR_USAGE, "cannot read the system root %s: %s", folder_or_file,
                       strerror(errno));
    if (S_ISDIR(s.st_mode))
        return sysroot_open(&c->root, folder_or_file, e);
    if (!S_ISREG(s.st_mode))
        return err_set(e, ERR_USAGE, "the system root %s is neither a folder nor a capture",
                       folder_or_file);
    if (!unpack(c, folder_or_file, e) && !sysroot_open(&c->root, c->folder, e))
        return 0;
    capture_close(c);
    return -1;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *place)
{
    (void)s;
    (void)kind;
    (void)place;
    return remove(path);
}

void capture_close(struct capture *c)
{
    if (c->folder[0])
        nftw(c->folder, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
    *c = (struct capture){0};
}
