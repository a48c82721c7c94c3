/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe namespaces: the LBA formats of the disks that the block prober has found. */
#include "hw/disk/internal.h"

#include <stdio.h>
#include <string.h>

#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

static void ask(const struct nvme_admin *admin, struct inventory *v, int disk, uint32_t nsid)
{
    uint8_t identify[NVME_IDENTIFY_BYTES];
    enum fact_status status =
        nvme_admin_send(admin, NVME_IDENTIFY_NAMESPACE, nsid, identify, sizeof identify, NULL);
    if (status == FACT_OK)
        nvme_add_namespace(v, disk, identify);
    else
        nvme_admin_add_missing(v, disk, NVME_IDENTIFY_NAMESPACE, status);
}

/*
 * The disk behind a namespace's folder at its controller: "nvme0n1" for itself, and for the path
 * "nvme0c2n1" of a namespace with several paths. INVENTORY_NONE when it is none.
 */
static int disk_of(const struct inventory *v, const char *name)
{
    static const char digits[] = "0123456789";
    char disk[64];
    size_t head = strncmp(name, "nvme", 4) ? 0 : 4 + strspn(name + 4, digits);
    const char *rest = name + head;
    if (!head || !*rest)
        return INVENTORY_NONE;
    if (*rest == 'c')
        rest += 1 + strspn(rest + 1, digits);
    if (*rest != 'n' || rest[1 + strspn(rest + 1, digits)])
        return INVENTORY_NONE;
    snprintf(disk, sizeof disk, "%.*s%s", (int)head, name, rest);
    return inventory_find(v, disk);
}

/* Several controllers may lead to one disk: the first is asked. */
static bool is_asked(const struct inventory *v, int disk)
{
    return inventory_fact(v, disk, "lba_formats");
}

void nvme_ask_namespaces(const struct nvme_admin *admin, struct probe *p, const char *controller)
{
    char path[128], folder[256];
    struct sysroot_names names;
    snprintf(path, sizeof path, "/sys/class/nvme/%s", controller);
    sysroot_list(p->root, path, &names);
    for (size_t i = 0; i < names.count; i++) {
        uint64_t nsid;
        int disk = disk_of(p->inventory, names.names[i]);
        if (disk == INVENTORY_NONE || is_asked(p->inventory, disk))
            continue;
        snprintf(folder, sizeof folder, "%s/%s", path, names.names[i]);
        if (attribute_number(p->root, folder, "nsid", &nsid) && nsid < UINT32_MAX)
            ask(admin, p->inventory, disk, (uint32_t)nsid);
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
