/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kinds of a machine's components, one row each. Every node of the inventory has one of them.
 *
 * NODE_KIND(identifier, name, title, shown, traits)
 *   name    for CSV and JSON
 *   title   for the text report
 *   shown   keys of the values that the tree shows after a node's name, in this order
 *   traits  properties of this kind that other parts of the program use
 */
#ifndef CUPEL_TABLES_NODE_KINDS_H
#define CUPEL_TABLES_NODE_KINDS_H

enum node_trait {
    KIND_CARRIES_DISK = 1, /* it carries exactly one disk: its facts belong to the disk as well */
    KIND_LINKS_DISK = 2,   /* its link may be a disk's link */
    KIND_HALF_DUPLEX = 4, /* reads and writes share the line (USB storage waits for each command) */
    KIND_PLUGGED = 8,     /* plugged in by users: not part of the machine that is qualified */
    KIND_STAYS = 16,      /* it does not come and go: if it is missing it has failed */
    KIND_STARTS_PATH = 32, /* a data path may begin at it */
    KIND_IN_TREE = 64,     /* always has a line in the report's tree of devices */
    KIND_IN_SECTION = 128, /* never has a line there: another section of the report, or its disk,
                              shows it */
};

#define NODE_KIND_ROWS(NODE_KIND)                                                                  \
    NODE_KIND(NODE_OTHER, "other", "", "", 0)                                                      \
    NODE_KIND(NODE_MACHINE, "machine", "machine", "product hypervisor", KIND_IN_SECTION)           \
    NODE_KIND(NODE_BOARD, "board", "board", "board_vendor board_name bios_version bios_date",      \
              KIND_IN_SECTION)                                                                     \
    NODE_KIND(NODE_KERNEL, "kernel", "kernel", "kernel clocksource", KIND_IN_SECTION)              \
    NODE_KIND(NODE_CPU, "cpu", "processors",                                                       \
              "model sockets cores online governor frequency_driver turbo idle_driver",            \
              KIND_IN_SECTION)                                                                     \
    NODE_KIND(NODE_CPU_PACKAGE, "cpu_package", "socket", "cores threads cpus", KIND_IN_SECTION)    \
    NODE_KIND(NODE_CPU_CORE, "cpu_core", "core", "governor frequency", KIND_IN_SECTION)            \
    NODE_KIND(NODE_MEMORY, "memory", "memory", "size", KIND_IN_SECTION)                            \
    NODE_KIND(NODE_DIMM, "dimm", "memory module", "size type speed speed_max", KIND_IN_SECTION)    \
    NODE_KIND(NODE_NUMA, "numa_node", "NUMA node", "cpus memory", KIND_IN_TREE)                    \
    NODE_KIND(NODE_PCI_HOST, "pci_host", "PCI host bridge", "", 0)                                 \
    NODE_KIND(NODE_PCI_BRIDGE, "pci_bridge", "PCI bridge", "device_name negotiated", 0)            \
    NODE_KIND(NODE_PCI_DEVICE, "pci_device", "PCI device", "device_name negotiated",               \
              KIND_LINKS_DISK | KIND_STAYS)                                                        \
    NODE_KIND(NODE_USB, "usb_device", "USB device", "product negotiated",                          \
              KIND_LINKS_DISK | KIND_HALF_DUPLEX | KIND_PLUGGED)                                   \
    NODE_KIND(NODE_ATA_PORT, "ata_port", "SATA port", "negotiated",                                \
              KIND_CARRIES_DISK | KIND_LINKS_DISK | KIND_HALF_DUPLEX)                              \
    NODE_KIND(NODE_SCSI_HOST, "scsi_host", "SCSI host", "driver", 0)                               \
    NODE_KIND(NODE_SAS_EXPANDER, "sas_expander", "SAS expander", "model", 0)                       \
    NODE_KIND(NODE_SAS_PORT, "sas_port", "SAS port", "negotiated",                                 \
              KIND_CARRIES_DISK | KIND_LINKS_DISK)                                                 \
    NODE_KIND(NODE_NVME, "nvme_controller", "NVMe controller", "model firmware health",            \
              KIND_CARRIES_DISK | KIND_STAYS | KIND_STARTS_PATH | KIND_IN_TREE)                    \
    NODE_KIND(NODE_VIRTIO, "virtio_device", "virtio device", "", 0)                                \
    NODE_KIND(NODE_DISK, "disk", "disk", "model size zone_size scheduler write_cache health",      \
              KIND_STAYS | KIND_STARTS_PATH | KIND_IN_TREE)                                        \
    NODE_KIND(NODE_PARTITION, "partition", "partition", "size",                                    \
              KIND_IN_SECTION | KIND_STARTS_PATH)                                                  \
    NODE_KIND(NODE_RAID, "raid", "md array", "level members size state",                           \
              KIND_STARTS_PATH | KIND_IN_TREE)                                                     \
    NODE_KIND(NODE_MAPPER, "mapper", "device mapper volume", "type name members size",             \
              KIND_STARTS_PATH | KIND_IN_TREE)                                                     \
    NODE_KIND(NODE_LOOP, "loop", "loop device", "backing_file size",                               \
              KIND_STARTS_PATH | KIND_IN_TREE)                                                     \
    NODE_KIND(NODE_MEMORY_DISK, "memory_disk", "disk in memory", "size", KIND_STARTS_PATH)         \
    NODE_KIND(NODE_FILESYSTEM, "filesystem", "filesystem", "type mount_point", KIND_IN_TREE)       \
    NODE_KIND(NODE_REMOTE, "remote", "remote host", "protocol address", KIND_IN_TREE)              \
    NODE_KIND(NODE_NETWORK, "network_interface", "network interface", "driver negotiated duplex",  \
              KIND_STARTS_PATH)                                                                    \
    NODE_KIND(NODE_BOND, "bond", "network bond", "mode members active negotiated",                 \
              KIND_STARTS_PATH | KIND_IN_TREE)                                                     \
    NODE_KIND(NODE_COMPONENT, "component", "component of --graph", "", KIND_IN_SECTION)            \
    NODE_KIND(NODE_SENSOR, "sensor_chip", "sensors", "temperature", KIND_IN_SECTION)

#define NODE_KIND_IDENTIFIER(identifier, ...) identifier,
enum node_kind { NODE_KIND_ROWS(NODE_KIND_IDENTIFIER) NODE_KINDS };
#undef NODE_KIND_IDENTIFIER

#endif
