/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a capture: runs the probers with a watcher, then puts the files that they looked at into a
 * tar archive.
 *
 * The archive gets its name only when it is complete, and never replaces another file. Where the
 * filesystem allows it, the file has no name until then (O_TMPFILE), so that nothing is left even
 * when the process is killed; elsewhere its name is NAME.part-XXXXXX until then.
 */
#include "hw/capture/capture.h"

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

#include "base/file/file.h"
#include "hw/capture/internal.h"
#include "hw/pci/pci.h"

struct capture_file {
    const char *name; /* owned by the caller */
    int fd;
    char part[PATH_MAX]; /* temporary name until the file is complete; "": it has no name */
};

/* The value of RENAME_NOREPLACE. It is defined in linux/fs.h, which cannot be included because it
   clashes with the C library's headers. */
#define RENAME_NO_OTHER 1u

#define OWN_FILE_FORMAT "/proc/self/fd/%d"
#define OWN_FILE        32

#define CONTENTS_USUALLY ((size_t)64 << 10)
#define CONTENTS_MAX     ((size_t)16 << 20)

static int exists_already(const char *name, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s exists already and is not overwritten: choose a new name",
                   name);
}

static int cannot_make(const char *name, int error, struct err *e)
{
    return err_set(e, ERR_USAGE, "cannot make %.300s: %s", name, strerror(error));
}

static int cannot_write(const char *name, struct err *e)
{
    return err_set(e, ERR_TARGET, "cannot write %.300s: %s", name, strerror(errno));
}

/*
 * Opens the file, before there is anything to write, so that a wrong name is reported at once.
 * ERR_USAGE: the name exists, or no file can be made there. After an error there is nothing to
 * close.
 */
static int capture_file_open(struct capture_file *f, const char *name, struct err *e)
{
    struct stat s;
    *f = (struct capture_file){.name = name};
    if (!lstat(name, &s))
        return exists_already(name, e);
    if (errno != ENOENT)
        return cannot_make(name, errno, e);
    /* A file without a name can only be given one later through /proc. */
    char folder[PATH_MAX], own[OWN_FILE];
    const char *slash = strrchr(name, '/');
    int length = slash == name ? 1 : (int)(slash ? slash - name : 0);
    snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? name : ".");
    f->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (f->fd >= 0) {
        snprintf(own, sizeof own, OWN_FILE_FORMAT, f->fd);
        if (!access(own, F_OK))
            return 0;
        close(f->fd);
    }
    if (snprintf(f->part, sizeof f->part, "%s.part-XXXXXX", name) >= (int)sizeof f->part)
        return cannot_make(name, ENAMETOOLONG, e);
    f->fd = mkostemp(f->part, O_CLOEXEC);
    return f->fd < 0 ? cannot_make(name, errno, e) : 0;
}

/*
 * Writes all bytes, flushes them and gives the file its name. ERR_TARGET: writing failed;
 * ERR_USAGE: the name was taken meanwhile. Call it once.
 */
static int capture_file_keep(struct capture_file *f, const void *data, size_t length, struct err *e)
{
    if (write_all(f->fd, data, length, f->name, e))
        return -1;
    if (fsync(f->fd))
        return cannot_write(f->name, e);
    if (!f->part[0]) {
        char own[OWN_FILE];
        snprintf(own, sizeof own, OWN_FILE_FORMAT, f->fd);
        if (!linkat(AT_FDCWD, own, AT_FDCWD, f->name, AT_SYMLINK_FOLLOW))
            return 0;
        return errno == EEXIST ? exists_already(f->name, e) : cannot_write(f->name, e);
    }
    /* Some filesystems cannot rename without replacing. On these, a check comes first that no file
       has the name. */
    struct stat s;
    if (syscall(SYS_renameat2, AT_FDCWD, f->part, AT_FDCWD, f->name, RENAME_NO_OTHER)) {
        if (errno == EEXIST || !lstat(f->name, &s))
            return exists_already(f->name, e);
        if (rename(f->part, f->name))
            return cannot_write(f->name, e);
    }
    f->part[0] = '\0';
    return 0;
}

/* Removes the file unless it was kept. */
static void capture_file_close(struct capture_file *f)
{
    if (f->part[0])
        unlink(f->part);
    close(f->fd);
}

/* ---- writing into the archive ---- */

struct capturing {
    const struct sysroot *root;
    const struct capture_request *request;
    struct capture_mask mask;
    struct tar_writer tar;
    char *contents; /* buffer for one file, CONTENTS_MAX bytes */
};

static struct span masked(struct capturing *c, struct span text, struct text *store)
{
    if (c->request->serials)
        return text;
    mask_text(&c->mask, text, MASK_LONG_NUMBERS, store);
    return (struct span){store->data ? store->data : "", store->length};
}

/* Adds a link, unless its target is one that tar_next refuses, such as an absolute path. */
static void capture_add_link(struct capturing *c, const char *full, const char *name)
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
    if (c->request->serials)
        tar_add_file(&c->tar, name, 0444, s.text, s.length);
    else if (capture_private_contents(&c->mask, path, s, &store))
        tar_add_file(&c->tar, name, 0444, store.data ? store.data : "", store.length);
    c->tar.bytes.failed |= store.failed;
    text_free(&store);
}

static void add_path(struct capturing *c, const char *path)
{
    char full[PATH_MAX], name[TAR_NAME];
    struct stat s;
    /* links are followed below /proc, as in capture_paths.c */
    bool follows = !strncmp(path, "/proc/", 6);
    sysroot_path(c->root, full, sizeof full, path);
    if (follows ? stat(full, &s) : lstat(full, &s))
        return;
    /* The name in the archive has no '/' at its beginning. */
    struct text store = {0};
    struct span shown = masked(c, span_of(path + 1), &store);
    bool fits = !store.failed && !tar_take_name(name, (struct span){"", 0}, shown) && name[0];
    text_free(&store);
    if (!fits)
        return;
    if (S_ISLNK(s.st_mode))
        capture_add_link(c, full, name);
    else if (S_ISDIR(s.st_mode))
        tar_add_folder(&c->tar, name);
    else if (S_ISREG(s.st_mode)) {
        /* sysfs does not show the true size of a file, so the contents are read first. The kernel
           refuses to read a sysctl of /proc/sys into a buffer of megabytes, so the first attempt
           uses a small one. */
        size_t length;
        enum fact_status status =
            sysroot_bytes(c->root, path, c->contents, CONTENTS_USUALLY, &length);
        if (status == FACT_OK && length == CONTENTS_USUALLY)
            status = sysroot_bytes(c->root, path, c->contents, CONTENTS_MAX, &length);
        switch (status) {
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
}

static bool is_stopped(const struct capturing *c)
{
    return c->request->stop && *c->request->stop;
}

static int make_tar(struct capturing *c, const struct capture_paths *paths, struct err *e)
{
    time_t now = time(NULL);
    c->tar.time = now > 0 ? now : 0;
    c->contents = malloc(CONTENTS_MAX);
    if (!c->contents)
        return err_no_memory(e, "the capture");
    mask_take_host(&c->mask, c->root);
    for (size_t i = 0; i < paths->kept.table.count && !c->tar.bytes.failed && !is_stopped(c); i++)
        add_path(c, paths->kept.paths[i]);
    /* Adds a pci.ids file with the names of this machine's PCI devices, so that they have the same
       names when the capture is read on another machine. */
    struct pci_tree tree = {0};
    struct pci_names names;
    struct text list = {0};
    const struct probe probe = {.root = c->root, .pci_ids = c->request->pci_ids};
    pci_tree_from_sysfs(&tree, c->root);
    if (tree.count) {
        pci_names_open(&names, &probe, &tree);
        pci_names_write(&names, &list);
        pci_names_close(&names);
    }
    if (list.length)
        tar_add_file(&c->tar, PCI_NAMES_FILE + 1, 0444, list.data, list.length);
    c->tar.bytes.failed |= list.failed;
    text_free(&list);
    pci_tree_free(&tree);
    tar_end(&c->tar);
    free(c->contents);
    if (is_stopped(c))
        return err_set(e, ERR_UNDECIDED, "stopped by a signal: there is no capture %s",
                       c->request->file);
    if (c->tar.bytes.failed || c->mask.failed)
        return err_no_memory(e, "the capture");
    if (c->tar.bytes.length > TAR_MAX_BYTES || paths->kept.table.count > TAR_MAX_ENTRIES)
        return err_set(e, ERR_MACHINE, "this machine has more devices than a capture can hold");
    return 0;
}

/* ---- the whole capture ---- */

int capture_write(const struct sysroot *root, const struct capture_request *request, struct err *e)
{
    struct sysroot silent = *root;
    struct capturing c = {.root = &silent, .request = request};
    struct capture_paths paths = {.root = &silent};
    struct capture_file file;
    silent.watcher = NULL;
    if (capture_file_open(&file, request->file, e))
        return -1;
    int status = capture_paths_find(&paths, request->serials, e);
    if (!status)
        status = make_tar(&c, &paths, e);
    if (!status)
        status = capture_file_keep(&file, c.tar.bytes.data, c.tar.bytes.length, e);
    capture_paths_free(&paths);
    capture_file_close(&file);
    text_free(&c.tar.bytes);
    capture_mask_free(&c.mask);
    return status;
}
