/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe: controllers, with what the kernel shows and what they answer when they may be asked;
   namespaces, and the paths to them. */
#include "hw/disk/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

#define CLASS           "/sys/class/nvme"
#define NVME_SUBSYSTEMS "/sys/devices/virtual/nvme-subsystem/"
/* The unit of MDTS is the controller's smallest page, CAP.MPSMIN, a register that the kernel does
   not show. It must be 4096: no smaller page exists, and Linux supports no controller that needs a
   larger one. */
#define CONTROLLER_PAGE 4096

static const struct attribute rows[] = {
    {"model", ATTRIBUTE_TEXT, {"model"}, 0, NULL, false},
    {"firmware", ATTRIBUTE_TEXT, {"firmware_rev"}, 0, NULL, true},
    {"transport", ATTRIBUTE_TEXT, {"transport"}, 0, NULL, false},
    {"address", ATTRIBUTE_TEXT, {"address"}, 0, NULL, true},
    {"state", ATTRIBUTE_TEXT, {"state"}, 0, NULL, false},
    {"queue_count", ATTRIBUTE_NUMBER, {"queue_count"}, 0, NULL, true},
};

static const struct attribute serial_rows[] = {
    {"serial", ATTRIBUTE_TEXT, {"serial"}, 0, NULL, false},
};

/* ---- names ---- */

static const char *skip_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits ? text + digits : NULL;
}

/* The rest of a name after "nvme" and a number; NULL for other names. */
static const char *after_nvme(const char *name)
{
    return strncmp(name, "nvme", 4) != 0 ? NULL : skip_number(name + 4);
}

bool nvme_is_path(const char *name)
{
    const char *rest = after_nvme(name);
    rest = rest && *rest == 'c' ? skip_number(rest + 1) : NULL;
    rest = rest && *rest == 'n' ? skip_number(rest + 1) : NULL;
    return rest && !*rest;
}

bool nvme_is_controller(const char *name)
{
    const char *rest = after_nvme(name);
    return rest && !*rest && rest - name < 4 + 10;
}

bool nvme_may_ask(const struct probe *p, int node)
{
    const char *state = inventory_value(p->inventory, node, "state");
    return p->commands && !p->root->prefix[0] && (!state || !strcmp(state, "live"));
}

/* ---- commands ---- */

void nvme_ask_controller(const struct nvme_admin *admin, struct inventory *v, int node)
{
    uint8_t identify[NVME_IDENTIFY_BYTES], log[NVME_HEALTH_BYTES];
    uint32_t power = 0;
    /* The power state is read first, because other commands may wake the controller. */
    enum fact_status power_status = nvme_admin_send(admin, NVME_POWER_STATE, 0, NULL, 0, &power);
    enum fact_status status =
        nvme_admin_send(admin, NVME_IDENTIFY_CONTROLLER, 0, identify, sizeof identify, NULL);
    bool retain = status == FACT_OK && nvme_retains_events(identify);
    if (status == FACT_OK)
        nvme_add_controller(v, node, identify, CONTROLLER_PAGE);
    else
        nvme_admin_add_missing(v, node, NVME_IDENTIFY_CONTROLLER, status);

    if (power_status == FACT_OK && status == FACT_OK)
        nvme_add_power_state(v, node, identify, power);
    else
        nvme_admin_add_missing(v, node, NVME_POWER_STATE,
                               power_status == FACT_OK ? status : power_status);

    status = nvme_admin_send(admin, retain ? NVME_HEALTH_LOG_RETAINING : NVME_HEALTH_LOG, 0, log,
                             sizeof log, NULL);
    if (status == FACT_OK)
        nvme_add_health(v, node, log);
    else
        nvme_admin_add_missing(v, node, NVME_HEALTH_LOG, status);
}

/* ---- controllers ---- */

void look_at_nvme(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, CLASS, &names);
    for (size_t i = 0; i < names.count; i++) {
        if (!nvme_is_controller(names.names[i]))
            continue;
        const char *name = names.names[i];
        char path[128], folder[PROBE_FOLDER];
        struct sysroot near;
        uint64_t numa_node;
        sysroot_join(path, sizeof path, CLASS, name);
        int node = probe_add_device(p, NODE_NVME, name, path, folder);
        if (node == INVENTORY_NONE)
            continue;
        sysroot_near_open(&near, p->root, path);
        attributes_add(&near, p->inventory, node, path, rows, ATTRIBUTE_COUNT(rows));
        if (p->serials)
            attributes_add(&near, p->inventory, node, path, serial_rows,
                           ATTRIBUTE_COUNT(serial_rows));
        /* The file has -1 where the machine has no NUMA node for it. */
        if (attribute_number(&near, path, "numa_node", &numa_node))
            inventory_add_number(p->inventory, node, "numa_node", numa_node, "", path);
        sysroot_near_close(&near);
        if (!nvme_may_ask(p, node))
            continue;
        struct nvme_admin admin;
        nvme_admin_open(&admin, name);
        nvme_ask_controller(&admin, p->inventory, node);
        nvme_admin_close(&admin);
    }
    sysroot_names_free(&names);
}

/* ---- namespaces: the LBA formats of the disks that the block prober has found ---- */

/*
 * The disk of a namespace's folder at its controller: "nvme0n1" itself, and also for the path
 * "nvme0c2n1" of a namespace with several paths. INVENTORY_NONE when there is no disk.
 */
static int disk_of_namespace(const struct inventory *v, const char *name)
{
    char disk[64];
    const char *head = after_nvme(name), *rest = head;
    if (rest && *rest == 'c')
        rest = skip_number(rest + 1);
    if (!rest || *rest != 'n' || !skip_number(rest + 1) || *skip_number(rest + 1))
        return INVENTORY_NONE;
    snprintf(disk, sizeof disk, "%.*s%s", (int)(head - name), name, rest);
    return inventory_find(v, disk);
}

void nvme_ask_namespaces(const struct nvme_admin *admin, struct probe *p, const char *controller)
{
    char path[128], folder[256];
    struct sysroot_names names;
    snprintf(path, sizeof path, "/sys/class/nvme/%s", controller);
    sysroot_list(p->root, path, &names);
    for (size_t i = 0; i < names.count; i++) {
        uint64_t nsid;
        int disk = disk_of_namespace(p->inventory, names.names[i]);
        if (disk == INVENTORY_NONE ||
            inventory_fact(p->inventory, disk,
                           "lba_formats")) /* already asked through another controller */
            continue;
        snprintf(folder, sizeof folder, "%s/%s", path, names.names[i]);
        if (!attribute_number(p->root, folder, "nsid", &nsid) || nsid >= UINT32_MAX)
            continue;
        uint8_t identify[NVME_IDENTIFY_BYTES];
        enum fact_status status = nvme_admin_send(admin, NVME_IDENTIFY_NAMESPACE, (uint32_t)nsid,
                                                  identify, sizeof identify, NULL);
        if (status == FACT_OK)
            nvme_add_namespace(p->inventory, disk, identify);
        else
            nvme_admin_add_missing(p->inventory, disk, NVME_IDENTIFY_NAMESPACE, status);
    }
    sysroot_names_free(&names);
}

void look_at_nvme_namespaces(struct probe *p)
{
    const struct inventory *v = p->inventory;
    for (int node = 0; node < v->node_count; node++) {
        struct nvme_admin admin;
        if (v->nodes[node].kind != NODE_NVME || !nvme_may_ask(p, node) ||
            !nvme_is_controller(v->nodes[node].name))
            continue;
        nvme_admin_open(&admin, v->nodes[node].name);
        nvme_ask_namespaces(&admin, p, v->nodes[node].name);
        nvme_admin_close(&admin);
    }
}

/* ---- the paths of a namespace ---- */

struct paths {
    const struct block_device *namespace;
    struct text list;
    int first; /* node of the first controller that has a path */
};

static void add_path(struct paths *paths, const char *controller)
{
    const struct inventory *v = paths->namespace->probe->inventory;
    text_addf(&paths->list, "%s%s", paths->list.length ? ", " : "", controller);
    int node = inventory_find(v, controller);
    if (paths->first == INVENTORY_NONE && node != INVENTORY_NONE &&
        v->nodes[node].kind == NODE_NVME)
        paths->first = node;
}

/* Cuts off the last part. Returns the part that is the last one afterwards. */
static const char *folder_above(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    slash = strrchr(folder, '/');
    return slash ? slash + 1 : folder;
}

/* "nvme0c1n1" is a path to "nvme0n1"; its folder lies in that of its controller. */
static void find_listed_paths(struct paths *paths, const struct sysroot_names *all)
{
    const struct block_device *d = paths->namespace;
    const char *rest = after_nvme(d->name);
    size_t head = rest ? (size_t)(rest - d->name) : 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->names[i];
        if (strncmp(name, d->name, head) != 0 || name[head] != 'c' || !nvme_is_path(name) ||
            strcmp(strrchr(name, 'n'), rest) != 0)
            continue;
        char link[BLOCK_FILE / 2], folder[PROBE_FOLDER], key[BLOCK_FILE];
        snprintf(link, sizeof link, BLOCK_CLASS "/%s", name);
        if (sysroot_folder(d->probe->root, link, folder, sizeof folder) != FACT_OK)
            continue;
        const char *controller = folder_above(folder);
        add_path(paths, controller);
        /* The state of Asymmetric Namespace Access: "optimized", "inaccessible" ... */
        snprintf(key, sizeof key, "path_%s", controller);
        const struct attribute row = {key, ATTRIBUTE_TEXT, {"ana_state"}, 0, NULL, true};
        attributes_add(d->probe->root, d->probe->inventory, d->node, link, &row, 1);
    }
}

void nvme_add_paths(const struct block_device *d, const struct sysroot_names *all)
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
        /* Where the kernel lists no paths, all controllers of the subsystem are taken. */
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
