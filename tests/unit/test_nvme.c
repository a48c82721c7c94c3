/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prober on NVMe controllers and namespaces in trees: local, over a fabric, with several paths,
   garbage. */
#include "check.h"
#include "facts_check.h"
#include "hw/disk/internal.h"
#include "hw/probers.h"
#include "nvme_script.h"
#include "tree.h"

#define PCI "/sys/devices/pci0000:40/0000:40:01.1"

static void put_controller(const struct tree *t, const char *name, const char *folder)
{
    char path[256], target[256];
    snprintf(path, sizeof path, "/sys/class/nvme/%s", name);
    snprintf(target, sizeof target, "../../..%s/%s", folder, name);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    tree_folder(t, path);
}

static void local(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v, .commands = true};
    put_controller(&t, "nvme0", PCI "/0000:41:00.0/nvme");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/model", "Fast 3.84TB                  \n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/firmware_rev", "GDC5602Q\n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/transport", "pcie\n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/address", "0000:41:00.0\n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/state", "live\n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/queue_count", "129\n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/numa_node", "1\n");
    tree_file(&t, PCI "/0000:41:00.0/nvme/nvme0/serial", "S6X1\n");
    tree_file(&t, "/sys/class/nvme/other", "");
    int device =
        inventory_add_node(&v, NODE_PCI_DEVICE, "0000:41:00.0", PCI "/0000:41:00.0", probe_top(&p));
    look_at_nvme(&p);
    int node = inventory_find(&v, "nvme0");
    CHECK_INT(v.node_count, 3);
    CHECK_INT(v.nodes[node].parent, device);
    CHECK_INT(v.nodes[node].kind, NODE_NVME);
    FACT_IS(&v, node, "model", "Fast 3.84TB");
    FACT_IS(&v, node, "firmware", "GDC5602Q");
    FACT_IS(&v, node, "transport", "pcie");
    FACT_IS(&v, node, "address", "0000:41:00.0");
    FACT_IS(&v, node, "state", "live");
    FACT_IS(&v, node, "queue_count", "129");
    FACT_IS(&v, node, "numa_node", "1");
    NO_FACT(&v, node, "serial");
    NO_FACT(&v, node, "health"); /* nothing is sent for a tree, even if commands are permitted */
    CHECK(!nvme_may_ask(&p, node));

    struct sysroot here = {0};
    struct probe live = {.root = &here, .inventory = &v, .commands = true};
    CHECK(nvme_may_ask(&live, node));
    live.commands = false;
    CHECK(!nvme_may_ask(&live, node));
    inventory_free(&v);
    p.serials = true;
    look_at_nvme(&p);
    FACT_IS(&v, inventory_find(&v, "nvme0"), "serial", "S6X1");
    inventory_free(&v);
    tree_end(&t);
}

static void fabric_and_faults(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_controller(&t, "nvme1", "/sys/devices/virtual/nvme-fabrics/ctl");
    tree_file(&t, "/sys/class/nvme/nvme1/model", "Linux\n");
    tree_file(&t, "/sys/class/nvme/nvme1/transport", "tcp\n");
    tree_file(&t, "/sys/class/nvme/nvme1/address", "traddr=10.0.0.2,trsvcid=4420\n");
    tree_file(&t, "/sys/class/nvme/nvme1/state", "connecting\n");
    tree_file(&t, "/sys/class/nvme/nvme1/numa_node", "-1\n");
    put_controller(&t, "nvme2", PCI "/0000:42:00.0/nvme");
    tree_bytes(&t, "/sys/class/nvme/nvme2/model", "\xff\x00\xfe\n", 4);
    tree_file(&t, "/sys/class/nvme/nvme2/queue_count", "many\n");
    tree_deny(&t, "/sys/class/nvme/nvme2/state");
    tree_link(&t, "/sys/class/nvme/nvme3", "../../devices/gone/nvme3");
    look_at_nvme(&p);
    int node = inventory_find(&v, "nvme1");
    CHECK_INT(v.nodes[node].parent, inventory_find(&v, "machine"));
    FACT_IS(&v, node, "transport", "tcp");
    FACT_IS(&v, node, "address", "traddr=10.0.0.2,trsvcid=4420");
    NO_FACT(&v, node, "numa_node");
    struct sysroot here = {0};
    struct probe live = {.root = &here, .inventory = &v, .commands = true};
    CHECK(!nvme_may_ask(&live, node)); /* not live: a command would wait */

    node = inventory_find(&v, "nvme2");
    FACT_STATUS(&v, node, "model", FACT_INVALID);
    FACT_STATUS(&v, node, "queue_count", FACT_INVALID);
    FACT_STATUS(&v, node, "state", FACT_DENIED);
    FACT_STATUS(&v, node, "transport", FACT_ABSENT);
    inventory_free(&v);
    tree_end(&t);
}

/* Disks are found from the controllers' folders, and each is asked once, with its namespace's
   number. */
static void namespaces(void)
{
    struct tree t;
    struct inventory v = {0};
    uint8_t identify[NVME_IDENTIFY_BYTES] = {0};
    size_t sent;
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v, .commands = true};
    put_controller(&t, "nvme0", PCI "/0000:41:00.0/nvme");
    tree_file(&t, "/sys/class/nvme/nvme0/nvme0n1/nsid", "1\n");
    tree_file(&t, "/sys/class/nvme/nvme0/nvme0n2/nsid", "17\n");
    /* there is no disk with that name */
    tree_file(&t, "/sys/class/nvme/nvme0/nvme0n3/nsid", "3\n");
    tree_file(&t, "/sys/class/nvme/nvme0/nvme0n4/nsid", "what\n");
    tree_file(&t, "/sys/class/nvme/nvme0/nvmexn1/nsid", "9\n");
    tree_file(&t, "/sys/class/nvme/nvme0/hwmon0/name", "nvme\n");
    put_controller(&t, "nvme4", PCI "/0000:44:00.0/nvme");
    tree_file(&t, "/sys/class/nvme/nvme4/nvme3c4n1/nsid", "5\n");
    tree_file(&t, "/sys/class/nvme/nvme4/nvme0c4n1/nsid", "1\n"); /* asked already */
    const char *const disks[] = {"nvme0n1", "nvme0n2", "nvme0n4", "nvme3n1", "ng0n1"};
    for (size_t i = 0; i < sizeof disks / sizeof *disks; i++)
        inventory_add_node(&v, NODE_DISK, disks[i], NULL, probe_top(&p));

    identify[128 + 2] = 12;
    const struct nvme_step steps[] = {
        {0x06, 1, 0, 4096, 0, identify, 0},
        {0x06, 17, 0, 4096, 0x400b, NULL, 0}, /* invalid namespace */
        {0x06, 5, 0, 4096, -1, NULL, 0},      /* EPERM */
    };
    struct nvme_script script = nvme_script(steps, 3, &sent);
    nvme_ask_namespaces(&script.admin, &p, "nvme0");
    CHECK_INT(sent, 2);
    nvme_ask_namespaces(&script.admin, &p, "nvme4");
    CHECK_INT(sent, 3);
    FACT_IS(&v, inventory_find(&v, "nvme0n1"), "lba_formats", "4096+0");
    FACT_IS(&v, inventory_find(&v, "nvme0n1"), "lba_format", "4096+0");
    FACT_STATUS(&v, inventory_find(&v, "nvme0n2"), "lba_format", FACT_ABSENT);
    FACT_STATUS(&v, inventory_find(&v, "nvme3n1"), "lba_format", FACT_DENIED);
    NO_FACT(&v, inventory_find(&v, "nvme0n4"), "lba_format");
    CHECK_INT(inventory_find(&v, "nvme0n3"), INVENTORY_NONE);
    look_at_nvme(&p);
    look_at_nvme_namespaces(&p); /* sends nothing, because it is a tree */
    NO_FACT(&v, inventory_find(&v, "nvme0n4"), "lba_format");
    inventory_free(&v);
    tree_end(&t);
}

static void names(void)
{
    CHECK(nvme_is_controller("nvme0"));
    CHECK(nvme_is_controller("nvme123"));
    CHECK(!nvme_is_controller("nvme"));
    CHECK(!nvme_is_controller("nvme0n1"));
    CHECK(!nvme_is_controller("nvme0#2"));
    CHECK(!nvme_is_controller("nvme-fabrics"));
    CHECK(!nvme_is_controller("../sda"));
}

/* This machine's devices, if any: no crash, and only known statuses. */
static void here(void)
{
    struct sysroot root = {0};
    struct inventory v = {0};
    struct probe p = {.root = &root, .inventory = &v}; /* the test sends nothing to a device */
    look_at_nvme(&p);
    look_at_nvme_namespaces(&p);
    CHECK(!v.failed);
    inventory_free(&v);
}

int main(void)
{
    local();
    fabric_and_faults();
    namespaces();
    names();
    here();
    return check_result();
}
