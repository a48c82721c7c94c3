/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a capture: probe with a watcher, then put what was looked at into a tar. */
#include "hw/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "hw/capture_look.h"
#include "hw/capture_private.h"
#include "hw/tar_name.h"
#include "hw/tar_unpack.h"
#include "hw/tar_write.h"

#define CONTENTS_USUALLY ((size_t)64 << 10)
#define CONTENTS_MOST    ((size_t)16 << 20)
#define SHORTEST_HOST    3 /* shorter names are parts of too many others */

/* RENAME_NOREPLACE of linux/fs.h, which clashes with the C library's headers. */
#define RENAME_NO_OTHER 1u

static int no_memory(struct err *e)
{
    return err_set(e, ERR_MACHINE, "not enough memory for the capture");
}

/* ---- into the tar ---- */

struct capturing {
    const struct sysroot *root;
    bool serials;
    struct capture_mask mask;
    struct tar_writer tar;
    char *contents; /* of one file, CONTENTS_MOST bytes */
};

static struct span masked(struct capturing *c, struct span text, struct text *store)
{
    if (c->serials)
        return text;
    mask_text(&c->mask, text, MASK_LONG_NUMBERS, store);
    return (struct span){store->data ? store->data : "", store->length};
}

/* The name in the archive: without the first '/'. */
static bool take_name(struct capturing *c, const char *path, char name[TAR_NAME])
{
    struct text store = {0};
    struct span shown = masked(c, span_of(path + 1), &store);
    bool fits = !store.failed && !tar_take_name(name, (struct span){"", 0}, shown) && name[0];
    text_free(&store);
    return fits;
}

/* What a reader would take for damage is left out. */
static void add_link(struct capturing *c, const char *full, const char *name)
{
    char target[PATH_MAX], checked[TAR_NAME];
    struct text store = {0};
    ssize_t length = readlink(full, target, sizeof target);
    if (length <= 0 || length == (ssize_t)sizeof target)
        return;
    struct span shown = masked(c, (struct span){target, (size_t)length}, &store);
    if (!store.failed && !tar_take_target(checked, name, shown))
        tar_add_link(&c->tar, name, checked);
    text_free(&store);
}

static void add_contents(struct capturing *c, const char *path, const char *name, struct span s)
{
    struct text store = {0};
    if (c->serials)
        tar_add_file(&c->tar, name, 0444, s.text, s.length);
    else if (capture_private_contents(&c->mask, path, s, &store))
        tar_add_file(&c->tar, name, 0444, store.data ? store.data : "", store.length);
    c->tar.bytes.failed |= store.failed;
    text_free(&store);
}

/* The size that sysfs tells is not that of the contents: they are read first. The kernel refuses to
   read a sysctl of /proc/sys with room for megabytes, so the first try is a modest one. */
static enum fact_status read_contents(const struct capturing *c, const char *path, size_t *length)
{
    enum fact_status status = sysroot_bytes(c->root, path, c->contents, CONTENTS_USUALLY, length);
    if (status == FACT_OK && *length == CONTENTS_USUALLY)
        status = sysroot_bytes(c->root, path, c->contents, CONTENTS_MOST, length);
    return status;
}

static void add_file(struct capturing *c, const char *path, const char *name)
{
    size_t length;
    switch (read_contents(c, path, &length)) {
    case FACT_OK:
        add_contents(c, path, name, (struct span){c->contents, length});
        break;
    case FACT_DENIED:
        tar_add_file(&c->tar, name, 0, "", 0);
        break;
    case FACT_INVALID:
        tar_add_file(&c->tar, name, 0444, CAPTURE_UNREADABLE, strlen(CAPTURE_UNREADABLE));
        break;
    case FACT_ABSENT:
        break;
    }
}

static void add_path(struct capturing *c, const char *path)
{
    char full[PATH_MAX], name[TAR_NAME];
    struct stat s;
    bool follows = !strncmp(path, "/proc/", 6); /* as capture_paths does */
    sysroot_path(c->root, full, sizeof full, path);
    if ((follows ? stat(full, &s) : lstat(full, &s)) || !take_name(c, path, name))
        return;
    if (S_ISLNK(s.st_mode))
        add_link(c, full, name);
    else if (S_ISDIR(s.st_mode))
        tar_add_folder(&c->tar, name);
    else if (S_ISREG(s.st_mode))
        add_file(c, path, name);
}

/* "db7" of db7.example.org. */
static void take_host(struct capturing *c)
{
    char *host = c->mask.host;
    sysroot_line(c->root, "/proc/sys/kernel/hostname", host, sizeof c->mask.host);
    host[strcspn(host, ".")] = '\0';
    if (strlen(host) < SHORTEST_HOST || !strcmp(host, "localhost"))
        host[0] = '\0';
}

static int make_tar(struct capturing *c, const struct capture_paths *paths, struct err *e)
{
    time_t now = time(NULL);
    c->tar.time = now > 0 ? now : 0;
    c->contents = malloc(CONTENTS_MOST);
    if (!c->contents)
        return no_memory(e);
    take_host(c);
    for (size_t i = 0; i < paths->kept.count && !c->tar.bytes.failed; i++)
        add_path(c, paths->kept.paths[i]);
    tar_end(&c->tar);
    free(c->contents);
    if (c->tar.bytes.failed || c->mask.failed)
        return no_memory(e);
    if (c->tar.bytes.length > TAR_MOST_BYTES || paths->kept.count > TAR_MOST_ENTRIES)
        return err_set(e, ERR_MACHINE, "this machine has more devices than a capture can hold");
    return 0;
}

/* ---- into the file ---- */

static int exists_already(const char *file, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s exists already and is not overwritten: choose a new name",
                   file);
}

/* Some filesystems cannot rename and refuse at once: there the look comes first. */
static int rename_to_new(const char *from, const char *to, struct err *e)
{
    struct stat s;
    if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NO_OTHER))
        return 0;
    if (errno == EEXIST || !lstat(to, &s))
        return exists_already(to, e);
    if (!rename(from, to))
        return 0;
    return err_set(e, ERR_TARGET, "cannot write %s: %s", to, strerror(errno));
}

static int write_and_close(int fd, const struct text *tar, const char *part, struct err *e)
{
    int status = write_all(fd, tar->data, tar->length, part, e);
    if (!status && fsync(fd))
        status = err_set(e, ERR_TARGET, "cannot write %s: %s", part, strerror(errno));
    if (close(fd) && !status)
        status = err_set(e, ERR_TARGET, "cannot write %s: %s", part, strerror(errno));
    return status;
}

/* Open before anything is probed, so that a wrong name is told at once. */
static int open_part(const char *file, char *part, size_t size, struct err *e)
{
    struct stat s;
    if (!lstat(file, &s))
        return exists_already(file, e);
    if (snprintf(part, size, "%s.part", file) >= (int)size)
        return err_set(e, ERR_USAGE, "cannot write %.200s: the name is too long", file);
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return err_set(e, ERR_USAGE, "%s is there, left by another capture: remove it", part);
    if (fd < 0)
        return err_set(e, ERR_USAGE, "cannot write %s: %s", part, strerror(errno));
    return fd;
}

static int probe_into(struct capturing *c, struct err *e)
{
    struct capture_paths paths = {.root = c->root};
    int status = capture_look(&paths, c->serials, e);
    if (!status)
        status = make_tar(c, &paths, e);
    capture_paths_free(&paths);
    return status;
}

int capture_write(const struct sysroot *root, const char *file, bool serials, struct err *e)
{
    char part[PATH_MAX];
    struct sysroot silent = *root;
    struct capturing c = {.root = &silent, .serials = serials};
    silent.watcher = NULL;
    int fd = open_part(file, part, sizeof part, e);
    if (fd < 0)
        return -1;
    int status = probe_into(&c, e);
    if (status)
        close(fd);
    else
        status = write_and_close(fd, &c.tar.bytes, part, e);
    if (!status)
        status = rename_to_new(part, file, e);
    if (status)
        unlink(part);
    text_free(&c.tar.bytes);
    capture_mask_free(&c.mask);
    return status;
}
