/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which disks are asked for their health, by what the kernel shows of them. */
#include "block_machine.h"
#include "facts_check.h"
#include "hw/disk/internal.h"

static struct machine m;

#define SATA "/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0"
#define SAS  "/sys/devices/pci0000:00/0000:05:00.0/host6/port-6:0/end_device-6:0/target6:0:2/6:0:2:0"
#define USB  "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host9/target9:0:0/9:0:0:0"

/* A disk at a SCSI address whose folder is `device`. */
static void add_disk(const char *device, const char *name, const char *vendor, unsigned number)
{
    char above[TREE_PATH], link[TREE_PATH], path[TREE_PATH];
    const char *address = strrchr(device, '/') + 1;
    machine_device(&m, machine_path(above, "%s/block", device), name, 8, number);
    machine_path(link, "%s/block/%s/device", device, name);
    machine_path(path, "../../../%s", address);
    tree_link(&m.tree, link, path);
    machine_put(&m, device, "vendor", vendor);
    machine_put(&m, device, "model", "Disk\n");
    machine_put(&m, device, "state", "running\n");
    machine_path(path, "/sys/class/scsi_host/host%lu/state", strtoul(address, NULL, 10));
    tree_file(&m.tree, path, "running\n");
}

static enum disk_asking asking_of(const char *name)
{
    inventory_free(&m.inventory);
    m.inventory = (struct inventory){0};
    machine_look(&m);
    return disk_asking_of(&m.tree.root, &m.inventory, inventory_find(&m.inventory, name));
}

static void which(void)
{
    machine_begin(&m);
    add_disk(SATA, "sda", "ATA     \n", 0);
    add_disk(SAS, "sdb", "SEAGATE \n", 16);
    add_disk(USB, "sdc", "ATA     \n", 32);
    CHECK_INT(asking_of("sda"), DISK_ASK_ATA);
    CHECK_INT(asking_of("sdb"), DISK_ASK_SCSI);
    CHECK_INT(asking_of("sdc"), DISK_NOT_ASKED);
    machine_put(&m, USB, "vpd_pg89", "page");
    CHECK_INT(asking_of("sdc"), DISK_ASK_ATA);
    machine_put(&m, SAS, "vpd_pg89", "page"); /* a SATA drive that a RAID adapter has renamed */
    CHECK_INT(asking_of("sdb"), DISK_ASK_ATA);
    machine_partition(&m, SATA "/block/sda", "sda1", 1);
    CHECK_INT(asking_of("sda1"), DISK_NOT_ASKED);
    machine_end(&m);
}

static void trouble(void)
{
    machine_begin(&m);
    add_disk(SATA, "sda", "ATA     \n", 0);
    machine_put(&m, SATA, "power/runtime_status", "active\n");
    CHECK_INT(asking_of("sda"), DISK_ASK_ATA);
    machine_put(&m, SATA, "power/runtime_status", "suspended\n");
    CHECK_INT(asking_of("sda"), DISK_SWITCHED_OFF);
    machine_put(&m, SATA, "power/runtime_status", "unsupported\n");
    machine_put(&m, SATA, "state", "offline\n");
    CHECK_INT(asking_of("sda"), DISK_NOT_WELL);
    machine_put(&m, SATA, "state", "running\n");
    tree_file(&m.tree, "/sys/class/scsi_host/host0/state", "recovery\n");
    CHECK_INT(asking_of("sda"), DISK_NOT_WELL);
    tree_remove(&m.tree, "/sys/class/scsi_host/host0/state");
    CHECK_INT(asking_of("sda"), DISK_NOT_WELL);
    machine_end(&m);
}

/* Nothing is sent for a tree, though it may be, nor where the user forbids it. */
static void not_permitted(void)
{
    machine_begin(&m);
    m.probe.commands = true;
    add_disk(SATA, "sda", "ATA     \n", 0);
    machine_look(&m);
    int node = inventory_find(&m.inventory, "sda");
    CHECK_INT(disk_asking(&m.probe, node), DISK_NOT_ASKED);
    look_at_disk_health(&m.probe);
    NO_FACT(&m.inventory, node, "health");
    m.probe.commands = false;
    CHECK_INT(disk_asking(&m.probe, node), DISK_NOT_ASKED);
    machine_end(&m);
}

int main(void)
{
    which();
    trouble();
    not_permitted();
    return check_result();
}
