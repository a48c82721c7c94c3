/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all probers, and what they share. */
#include "hw/prober.h"

#include <stdio.h>
#include <string.h>

#include "hw/probers.h"

const struct prober probers[] = {
    {"board", "board, BIOS and product name (DMI)", look_at_board},
    {"kernel", "kernel, its command line, hypervisor", look_at_kernel},
    {"cpu", "processors, topology, frequency, idle states, mitigations", look_at_cpu},
    {"memory", "memory and NUMA nodes, error counters", look_at_memory},
    {"pci", "PCI devices and PCI Express links", look_at_pci},
    {"usb", "USB devices and their links", look_at_usb},
    {"ata", "SATA ports and their links", look_at_ata},
    {"sas", "SAS hosts, expanders, ports and their links", look_at_sas},
    {"nvme", "NVMe controllers, health", look_at_nvme},
    {"block", "disks, partitions, md, dm, LVM, multipath", look_at_block},
    {"nvme_namespaces", "LBA formats of NVMe namespaces", look_at_nvme_namespaces},
    {"disk_health", "health of SATA, SAS and SCSI disks", look_at_disk_health},
    {"network", "network interfaces, bonds, their links", look_at_network},
    {"sensors", "temperatures, fans, power, throttling", look_at_sensors},
    {NULL, NULL, NULL},
};

int probe_all(struct probe *p, struct err *e)
{
    probe_top(p);
    for (const struct prober *prober = probers; prober->name; prober++)
        prober->look(p);
    if (p->inventory->failed)
        return err_set(e, ERR_MACHINE, "not enough memory for the inventory of this machine");
    return 0;
}

int probe_top(struct probe *p)
{
    int top = inventory_find(p->inventory, "machine");
    return top != INVENTORY_NONE
               ? top
               : inventory_add_node(p->inventory, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
}

int probe_add_below(struct probe *p, enum node_kind kind, const char *name, const char *folder)
{
    static const char devices[] = "/sys/devices/";
    bool known = !strncmp(folder, devices, sizeof devices - 1);
    int parent = known ? inventory_above(p->inventory, folder) : INVENTORY_NONE;
    return inventory_add_node(p->inventory, kind, name, known ? folder : NULL,
                              parent == INVENTORY_NONE ? probe_top(p) : parent);
}

int probe_add_device(struct probe *p, enum node_kind kind, const char *name, const char *path,
                     char *folder)
{
    folder[0] = '\0';
    if (sysroot_folder(p->root, path, folder, PROBE_FOLDER) != FACT_OK)
        return INVENTORY_NONE;
    return probe_add_below(p, kind, name, folder);
}
