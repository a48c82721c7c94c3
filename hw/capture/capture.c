/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a capture: probes with a watcher, then puts the files that were looked at into a tar
   archive. */
#include "hw/capture/capture.h"

#include "hw/capture/internal.h"
#include "hw/pci/pci.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CONTENTS_USUALLY ((size_t)64 << 10)
#define CONTENTS_MAX     ((size_t)16 << 20)

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

/* A link that a reader would consider damaged is left out. */
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
    bool follows = !strncmp(path, "/proc/", 6); /* as in capture_paths.c */
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
        /* The size that sysfs shows is not that of the contents, so the contents are read first.
           The kernel refuses to read a sysctl of /proc/sys into a buffer of megabytes, so the first
           attempt uses a small one. */
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
    /* Adds the names of the machine's PCI devices, so that they are the same elsewhere. */
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

/* ---- all of it ---- */

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
