/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kinds of things a machine is made of, one row each. A node of the inventory has one of them.
 *
 * NODE_KIND(identifier, name, title, shown)
 *   name   as it stands in CSV and JSON
 *   title  the words of the text report
 *   shown  the keys whose values stand beside a node's name in the tree, in that order
 */
#ifndef CUPEL_TABLES_NODE_KINDS_H
#define CUPEL_TABLES_NODE_KINDS_H

#define NODE_KIND_ROWS(NODE_KIND)                                                                  \
    NODE_KIND(NODE_OTHER, "other", "", "")                                                         \
    NODE_KIND(NODE_MACHINE, "machine", "machine", "product hypervisor")                            \
    NODE_KIND(NODE_BOARD, "board", "board", "board_vendor board_name bios_version bios_date")      \
    NODE_KIND(NODE_KERNEL, "kernel", "kernel", "kernel clocksource")                               \
    NODE_KIND(NODE_CPU, "cpu", "processors",                                                       \
              "model sockets cores online governor frequency_driver turbo idle_driver")            \
    NODE_KIND(NODE_CPU_PACKAGE, "cpu_package", "socket", "cores threads cpus")                     \
    NODE_KIND(NODE_CPU_CORE, "cpu_core", "core", "governor frequency")                             \
    NODE_KIND(NODE_MEMORY, "memory", "memory", "size")                                             \
    NODE_KIND(NODE_NUMA, "numa_node", "NUMA node", "cpus memory")                                  \
    NODE_KIND(NODE_PCI_HOST, "pci_host", "PCI host bridge", "")                                    \
    NODE_KIND(NODE_PCI_BRIDGE, "pci_bridge", "PCI bridge", "device_name negotiated")               \
    NODE_KIND(NODE_PCI_DEVICE, "pci_device", "PCI device", "device_name negotiated")               \
    NODE_KIND(NODE_USB, "usb_device", "USB device", "product negotiated")                          \
    NODE_KIND(NODE_ATA_PORT, "ata_port", "SATA port", "negotiated")                                \
    NODE_KIND(NODE_SCSI_HOST, "scsi_host", "SCSI host", "driver")                                  \
    NODE_KIND(NODE_SAS_EXPANDER, "sas_expander", "SAS expander", "model")                          \
    NODE_KIND(NODE_SAS_PORT, "sas_port", "SAS port", "negotiated")                                 \
    NODE_KIND(NODE_NVME, "nvme_controller", "NVMe controller", "model firmware health")            \
    NODE_KIND(NODE_VIRTIO, "virtio_device", "virtio device", "")                                   \
    NODE_KIND(NODE_DISK, "disk", "disk", "model size scheduler write_cache health")                \
    NODE_KIND(NODE_PARTITION, "partition", "partition", "size")                                    \
    NODE_KIND(NODE_RAID, "raid", "md array", "level members size state")                           \
    NODE_KIND(NODE_MAPPER, "mapper", "device mapper volume", "type name members size")             \
    NODE_KIND(NODE_LOOP, "loop", "loop device", "backing_file size")                               \
    NODE_KIND(NODE_MEMORY_DISK, "memory_disk", "disk in memory", "size")                           \
    NODE_KIND(NODE_FILESYSTEM, "filesystem", "filesystem", "type mount_point")                     \
    NODE_KIND(NODE_REMOTE, "remote", "remote storage", "protocol address")                         \
    NODE_KIND(NODE_NETWORK, "network_interface", "network interface", "driver negotiated duplex")  \
    NODE_KIND(NODE_BOND, "bond", "network bond", "mode members active negotiated")                 \
    NODE_KIND(NODE_SENSOR, "sensor_chip", "sensors", "temperature")

#define NODE_KIND_IDENTIFIER(identifier, ...) identifier,
enum node_kind { NODE_KIND_ROWS(NODE_KIND_IDENTIFIER) NODE_KINDS };
#undef NODE_KIND_IDENTIFIER

#endif
