/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of the common PCI classes. Source: PCI Code and ID Assignment Specification, section 1
 * (class codes). The first matching row is used, so specific rows come first.
 *
 * PCI_CLASS(code, mask, name)
 *   code  base class, sub-class and programming interface, one byte each
 *   mask  the bits that must equal those of code
 */
#ifndef CUPEL_TABLES_PCI_CLASS_H
#define CUPEL_TABLES_PCI_CLASS_H

#define PCI_CLASS_ROWS(PCI_CLASS)                                                                  \
    PCI_CLASS(0x010000, 0xffff00, "SCSI controller")                                               \
    PCI_CLASS(0x010100, 0xffff00, "IDE controller")                                                \
    PCI_CLASS(0x010400, 0xffff00, "RAID controller")                                               \
    PCI_CLASS(0x010601, 0xffffff, "SATA controller (AHCI)")                                        \
    PCI_CLASS(0x010600, 0xffff00, "SATA controller")                                               \
    PCI_CLASS(0x010700, 0xffff00, "SAS controller")                                                \
    PCI_CLASS(0x010802, 0xffffff, "NVMe controller")                                               \
    PCI_CLASS(0x010800, 0xffff00, "non-volatile memory controller")                                \
    PCI_CLASS(0x010000, 0xff0000, "mass storage controller")                                       \
    PCI_CLASS(0x020000, 0xffff00, "Ethernet controller")                                           \
    PCI_CLASS(0x020700, 0xffff00, "InfiniBand controller")                                         \
    PCI_CLASS(0x020000, 0xff0000, "network controller")                                            \
    PCI_CLASS(0x030000, 0xffff00, "VGA controller")                                                \
    PCI_CLASS(0x030200, 0xffff00, "3D controller")                                                 \
    PCI_CLASS(0x030000, 0xff0000, "display controller")                                            \
    PCI_CLASS(0x040300, 0xffff00, "audio device")                                                  \
    PCI_CLASS(0x040000, 0xff0000, "multimedia device")                                             \
    PCI_CLASS(0x050200, 0xffff00, "CXL memory device")                                             \
    PCI_CLASS(0x050000, 0xff0000, "memory controller")                                             \
    PCI_CLASS(0x060000, 0xffff00, "host bridge")                                                   \
    PCI_CLASS(0x060100, 0xffff00, "ISA bridge")                                                    \
    PCI_CLASS(0x060400, 0xffff00, "PCI bridge")                                                    \
    PCI_CLASS(0x060700, 0xffff00, "CardBus bridge")                                                \
    PCI_CLASS(0x060000, 0xff0000, "bridge")                                                        \
    PCI_CLASS(0x070000, 0xffff00, "serial controller")                                             \
    PCI_CLASS(0x070000, 0xff0000, "communication controller")                                      \
    PCI_CLASS(0x080500, 0xffff00, "SD host controller")                                            \
    PCI_CLASS(0x080600, 0xffff00, "IOMMU")                                                         \
    PCI_CLASS(0x080000, 0xff0000, "system peripheral")                                             \
    PCI_CLASS(0x0c0330, 0xffffff, "USB controller (xHCI)")                                         \
    PCI_CLASS(0x0c0320, 0xffffff, "USB controller (EHCI)")                                         \
    PCI_CLASS(0x0c0300, 0xffff00, "USB controller")                                                \
    PCI_CLASS(0x0c0400, 0xffff00, "Fibre Channel controller")                                      \
    PCI_CLASS(0x0c0500, 0xffff00, "SMBus controller")                                              \
    PCI_CLASS(0x0c0000, 0xff0000, "serial bus controller")                                         \
    PCI_CLASS(0x0d0000, 0xff0000, "wireless controller")                                           \
    PCI_CLASS(0x100000, 0xff0000, "encryption controller")                                         \
    PCI_CLASS(0x110000, 0xff0000, "signal processing controller")                                  \
    PCI_CLASS(0x120000, 0xff0000, "processing accelerator")

#endif
