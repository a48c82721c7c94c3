/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices with several paths to them: NVMe's own multipath, and that of device mapper. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hw/disk/internal.h"

#define NVME_SUBSYSTEMS "/sys/devices/virtual/nvme-subsystem/"

static const char *skip_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits ? text + digits : NULL;
}

/* What follows "nvme" and a number, NULL when the name is another. */
static const char *after_nvme(const char *name)
{
    return strncmp(name, "nvme", 4) != 0 ? NULL : skip_number(name + 4);
}

bool block_is_nvme_path(const char *name)
{
    const char *rest = after_nvme(name);
    rest = rest && *rest == 'c' ? skip_number(rest + 1) : NULL;
    rest = rest && *rest == 'n' ? skip_number(rest + 1) : NULL;
    return rest && !*rest;
}

/* ---- the paths of an NVMe namespace ---- */

struct paths {
    const struct block_device *namespace;
    struct text list;
    int first; /* the node of the first controller that has one */
};

static void add_path(struct paths *paths, const char *controller)
{
    const struct inventory *v = paths->namespace->probe->inventory;
    text_add(&paths->list, paths->list.length ? ", " : "");
    text_add(&paths->list, controller);
    int node = inventory_find(v, controller);
    if (paths->first == INVENTORY_NONE && node != INVENTORY_NONE &&
        v->nodes[node].kind == NODE_NVME)
        paths->first = node;
}

/* The state of Asymmetric Namespace Access: "optimized", "inaccessible" ... */
static void add_path_state(const struct block_device *d, const char *path, const char *controller)
{
    char key[BLOCK_FILE], folder[BLOCK_FILE / 2];
    snprintf(key, sizeof key, "path_%s", controller);
    snprintf(folder, sizeof folder, BLOCK_CLASS "/%s", path);
    const struct attribute row = {key, ATTRIBUTE_TEXT, {"ana_state"}, 0, NULL, true};
    attributes_add(d->probe->root, d->probe->inventory, d->node, folder, &row, 1);
}

/* Take the last part off. Returns what is the last part then. */
static const char *folder_above(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    slash = strrchr(folder, '/');
    return slash ? slash + 1 : folder;
}

/* "nvme0c1n1" is a path to "nvme0n1"; its folder lies in its controller's. */
static void find_listed_paths(struct paths *paths, const struct sysroot_names *all)
{
    const struct block_device *d = paths->namespace;
    const char *rest = after_nvme(d->name);
    size_t head = rest ? (size_t)(rest - d->name) : 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->names[i];
        if (strncmp(name, d->name, head) != 0 || name[head] != 'c' || !block_is_nvme_path(name) ||
            strcmp(strrchr(name, 'n'), rest) != 0)
            continue;
        char link[BLOCK_FILE / 2], folder[PROBE_FOLDER];
        snprintf(link, sizeof link, BLOCK_CLASS "/%s", name);
        if (sysroot_folder(d->probe->root, link, folder, sizeof folder) != FACT_OK)
            continue;
        const char *controller = folder_above(folder);
        add_path(paths, controller);
        add_path_state(d, name, controller);
    }
}

void block_add_nvme_paths(const struct block_device *d, const struct sysroot_names *all)
{
    static const struct attribute policy = {
        "path_policy", ATTRIBUTE_TEXT, {"device/iopolicy"}, 0, NULL, true};
    if (strncmp(d->folder, NVME_SUBSYSTEMS, sizeof NVME_SUBSYSTEMS - 1) != 0 ||
        !after_nvme(d->name))
        return;
    struct inventory *v = d->probe->inventory;
    struct paths paths = {.namespace = d, .first = INVENTORY_NONE};
    char folder[PROBE_FOLDER];
    snprintf(folder, sizeof folder, "%s", d->folder);
    folder_above(folder);
    find_listed_paths(&paths, all);
    if (!paths.list.length) {
        /* Where the kernel lists no paths: all controllers of the subsystem. */
        struct sysroot_names names;
        sysroot_list(paths.namespace->probe->root, folder, &names);
        for (size_t i = 0; i < names.count; i++) {
            const char *rest = after_nvme(names.names[i]);
            if (rest && !*rest)
                add_path(&paths, names.names[i]);
        }
        sysroot_names_free(&names);
    }
    if (paths.list.failed)
        v->failed = true;
    inventory_add(v, d->node, "paths", paths.list.data, "", folder,
                  paths.list.length ? FACT_OK : FACT_ABSENT);
    attributes_add(d->probe->root, v, d->node, d->path, &policy, 1);
    if (paths.first != INVENTORY_NONE)
        inventory_move(v, d->node, paths.first);
    text_free(&paths.list);
}

/* ---- the paths of device mapper multipath ---- */

/* "running, active/optimized": what the kernel knows of the path's device; what multipathd thinks
   of it is not in /sys. */
void block_add_mapper_path(const struct block_device *d, const char *member)
{
    static const char *const access_files[] = {"device/access_state", "ana_state"};
    char key[BLOCK_FILE / 2], source[BLOCK_FILE], path[BLOCK_FILE], state[64], access[64];
    snprintf(key, sizeof key, "path_%s", member);
    snprintf(source, sizeof source, BLOCK_CLASS "/%s/device/state", member);
    enum fact_status status = sysroot_line(d->probe->root, source, state, sizeof state);
    enum fact_status known = FACT_ABSENT;
    for (size_t i = 0; known == FACT_ABSENT && i < ATTRIBUTE_COUNT(access_files); i++) {
        snprintf(path, sizeof path, BLOCK_CLASS "/%s/%s", member, access_files[i]);
        known = sysroot_line(d->probe->root, path, access, sizeof access);
    }
    if (status == FACT_OK && known == FACT_OK)
        inventory_addf(d->probe->inventory, d->node, key, "", source, "%s, %s", state, access);
    else
        inventory_add(d->probe->inventory, d->node, key, state, "", source, status);
}
