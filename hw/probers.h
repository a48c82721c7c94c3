/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All probers, one row each, in the order in which they run. Each row declares its function.
 *
 * PROBER(look, name, looks_at, finds_disks)
 *   look         the function
 *   name         the prober's name
 *   looks_at     the hardware, for the help
 *   finds_disks  the prober is needed to list all disks and to name each of them
 */
#ifndef CUPEL_HW_PROBERS_H
#define CUPEL_HW_PROBERS_H

#include "hw/prober.h"

#define PROBER_ROWS(PROBER)                                                                        \
    PROBER(look_at_unseen, "unseen", "what of /sys and /proc cannot be seen here", true)           \
    PROBER(look_at_board, "board", "board, BIOS and product name (DMI)", false)                    \
    PROBER(look_at_kernel, "kernel", "kernel, its command line, hypervisor", false)                \
    PROBER(look_at_cpu, "cpu", "processors, topology, frequency, idle states, mitigations", false) \
    PROBER(look_at_memory, "memory", "memory and NUMA nodes, error counters", false)               \
    PROBER(look_at_dimms, "dimms", "memory modules, their slots, channels and speed (SMBIOS)",     \
           false)                                                                                  \
    PROBER(look_at_pci, "pci", "PCI devices and PCI Express links", true)                          \
    PROBER(look_at_usb, "usb", "USB devices and their links", true)                                \
    PROBER(look_at_ata, "ata", "SATA ports and their links", true)                                 \
    PROBER(look_at_sas, "sas", "SAS hosts, expanders, ports and their links", true)                \
    PROBER(look_at_nvme, "nvme", "NVMe controllers, health", true)                                 \
    PROBER(look_at_block, "block", "disks, partitions, md, dm, LVM, multipath", true)              \
    PROBER(look_at_nvme_namespaces, "nvme_namespaces", "LBA formats of NVMe namespaces", false)    \
    PROBER(look_at_disk_health, "disk_health", "health of SATA, SAS and SCSI disks", false)        \
    PROBER(look_at_network, "network", "network interfaces, bonds, their links", false)            \
    PROBER(look_at_sensors, "sensors", "temperatures, fans, power, throttling", false)

#define PROBER_DECLARE(look, ...) void look(struct probe *p);
PROBER_ROWS(PROBER_DECLARE)
#undef PROBER_DECLARE

#endif
