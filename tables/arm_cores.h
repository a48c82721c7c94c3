/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of ARM cores for servers, boards and laptops, by the fields of MIDR_EL1 that /proc/cpuinfo
 * shows as "CPU implementer" and "CPU part". The numbers are those of the kernel's cputype.h and
 * the cores' technical reference manuals.
 *
 * ARM_CORE(implementer, part, name)
 */
#ifndef CUPEL_TABLES_ARM_CORES_H
#define CUPEL_TABLES_ARM_CORES_H

#define ARM_CORE_ROWS(ARM_CORE)                                                                    \
    ARM_CORE(0x41, 0xd03, "ARM Cortex-A53")                                                        \
    ARM_CORE(0x41, 0xd04, "ARM Cortex-A35")                                                        \
    ARM_CORE(0x41, 0xd05, "ARM Cortex-A55")                                                        \
    ARM_CORE(0x41, 0xd07, "ARM Cortex-A57")                                                        \
    ARM_CORE(0x41, 0xd08, "ARM Cortex-A72")                                                        \
    ARM_CORE(0x41, 0xd09, "ARM Cortex-A73")                                                        \
    ARM_CORE(0x41, 0xd0a, "ARM Cortex-A75")                                                        \
    ARM_CORE(0x41, 0xd0b, "ARM Cortex-A76")                                                        \
    ARM_CORE(0x41, 0xd0c, "ARM Neoverse-N1")                                                       \
    ARM_CORE(0x41, 0xd0d, "ARM Cortex-A77")                                                        \
    ARM_CORE(0x41, 0xd40, "ARM Neoverse-V1")                                                       \
    ARM_CORE(0x41, 0xd41, "ARM Cortex-A78")                                                        \
    ARM_CORE(0x41, 0xd44, "ARM Cortex-X1")                                                         \
    ARM_CORE(0x41, 0xd46, "ARM Cortex-A510")                                                       \
    ARM_CORE(0x41, 0xd47, "ARM Cortex-A710")                                                       \
    ARM_CORE(0x41, 0xd48, "ARM Cortex-X2")                                                         \
    ARM_CORE(0x41, 0xd49, "ARM Neoverse-N2")                                                       \
    ARM_CORE(0x41, 0xd4d, "ARM Cortex-A715")                                                       \
    ARM_CORE(0x41, 0xd4e, "ARM Cortex-X3")                                                         \
    ARM_CORE(0x41, 0xd4f, "ARM Neoverse-V2")                                                       \
    ARM_CORE(0x41, 0xd80, "ARM Cortex-A520")                                                       \
    ARM_CORE(0x41, 0xd81, "ARM Cortex-A720")                                                       \
    ARM_CORE(0x41, 0xd82, "ARM Cortex-X4")                                                         \
    ARM_CORE(0x41, 0xd84, "ARM Neoverse-V3")                                                       \
    ARM_CORE(0x41, 0xd8e, "ARM Neoverse-N3")                                                       \
    ARM_CORE(0x43, 0x0a1, "Cavium ThunderX")                                                       \
    ARM_CORE(0x43, 0x0af, "Cavium ThunderX2")                                                      \
    ARM_CORE(0x46, 0x001, "Fujitsu A64FX")                                                         \
    ARM_CORE(0x48, 0xd01, "HiSilicon TSV110")                                                      \
    ARM_CORE(0xc0, 0xac3, "Ampere-1")                                                              \
    ARM_CORE(0xc0, 0xac4, "Ampere-1a")

#endif
