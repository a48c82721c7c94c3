/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all probers. */
#include "hw/prober.h"

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
