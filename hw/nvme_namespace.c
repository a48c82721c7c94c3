/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe namespaces: the LBA formats of the disks that the block prober has found. */
#include "hw/nvme.h"

#include <stdio.h>
#include <string.h>

#include "hw/attribute.h"
#include "hw/nvme_facts.h"
#include "hw/probers.h"

void nvme_ask_namespace(const struct nvme_admin *admin, struct inventory *v, int disk,
                        uint32_t nsid)
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
    char disk[64];
    unsigned subsystem, controller, number;
    int used = 0;
    if (sscanf(name, "nvme%9uc%9un%9u%n", &subsystem, &controller, &number, &used) == 3)
        snprintf(disk, sizeof disk, "nvme%un%u", subsystem, number);
    else if (sscanf(name, "nvme%9un%9u%n", &subsystem, &number, &used) == 2)
        snprintf(disk, sizeof disk, "%s", name);
    return used && !name[used] ? inventory_find(v, disk) : INVENTORY_NONE;
}

/* Several controllers may lead to one disk: the first is asked. */
static bool is_asked(const struct inventory *v, int disk)
{
    return inventory_fact(v, disk, "lba_formats");
}

static void look_at_namespaces_of(struct probe *p, const char *controller)
{
    char path[128];
    struct nvme_admin admin = {.fd = -1};
    struct sysroot_names names;
    snprintf(path, sizeof path, "/sys/class/nvme/%s", controller);
    sysroot_list(p->root, path, &names);
    enum fact_status status = FACT_INVALID; /* not opened yet */
    for (size_t i = 0; i < names.count; i++) {
        uint64_t nsid;
        char folder[256];
        int disk = disk_of(p->inventory, names.names[i]);
        if (disk == INVENTORY_NONE || is_asked(p->inventory, disk))
            continue;
        snprintf(folder, sizeof folder, "%s/%s", path, names.names[i]);
        if (!attribute_number(p->root, folder, "nsid", &nsid) || nsid >= UINT32_MAX)
            continue;
        if (status == FACT_INVALID)
            status = nvme_admin_open(&admin, controller);
        if (status == FACT_OK)
            nvme_ask_namespace(&admin, p->inventory, disk, (uint32_t)nsid);
        else
            nvme_admin_add_missing(p->inventory, disk, NVME_IDENTIFY_NAMESPACE, status);
    }
    nvme_admin_close(&admin);
    sysroot_names_free(&names);
}

void look_at_nvme_namespaces(struct probe *p)
{
    struct inventory *v = p->inventory;
    int count = v->node_count;
    for (int node = 0; node < count; node++)
        if (v->nodes[node].kind == NODE_NVME && nvme_may_ask(p, node) &&
            nvme_is_controller(v->nodes[node].name))
            look_at_namespaces_of(p, v->nodes[node].name);
}
