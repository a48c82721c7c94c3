/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NVMe admin commands that may be sent. Opcodes are only in this file, so no other command ever
 * reaches a device. The commands of NVME_COMMAND_ROWS read. Those of NVME_PURGE_ROWS, at the end,
 * destroy everything on a drive; they are sent in another way (nvme_purge_attach) and have one
 * caller: cupel accept --purge.
 *
 * NVME_COMMAND(identifier, opcode, cdw10, length, scope, source, keys)
 *   cdw10   what is requested; for a log page also its length: dwords minus one in bits 31:16
 *   length  bytes of data that the controller writes, exactly
 *   scope   which namespace the command is for
 *   keys    the facts that it gives, which are absent or denied when it fails
 *
 * Sections are those of the NVM Express Base Specification 2.0c. Bit 15 of Get Log Page retains the
 * asynchronous event (since 1.3), so that reading the log does not take the event from a program
 * that waits for it.
 */
#ifndef CUPEL_TABLES_NVME_COMMANDS_H
#define CUPEL_TABLES_NVME_COMMANDS_H

#define NVME_HEALTH_KEYS                                                                           \
    "health critical_warning temperature available_spare available_spare_threshold "               \
    "percentage_used media_errors error_log_entries power_on_hours unsafe_shutdowns"

#define NVME_COMMAND_ROWS(NVME_COMMAND)                                                            \
    NVME_COMMAND(NVME_IDENTIFY_CONTROLLER, 0x06, 0x00000001, 4096, NVME_SCOPE_NONE,                \
                 "5.17 Identify, CNS 01h", "mdts temperature_warning temperature_critical")        \
    NVME_COMMAND(NVME_IDENTIFY_NAMESPACE, 0x06, 0x00000000, 4096, NVME_SCOPE_ONE,                  \
                 "5.17 Identify, CNS 00h", "lba_formats lba_format")                               \
    NVME_COMMAND(NVME_HEALTH_LOG, 0x02, 0x007f0002, 512, NVME_SCOPE_ALL,                           \
                 "5.16 Get Log Page, log 02h", NVME_HEALTH_KEYS)                                   \
    NVME_COMMAND(NVME_HEALTH_LOG_RETAINING, 0x02, 0x007f8002, 512, NVME_SCOPE_ALL,                 \
                 "5.16 Get Log Page, log 02h", NVME_HEALTH_KEYS)                                   \
    NVME_COMMAND(NVME_POWER_STATE, 0x0a, 0x00000002, 0, NVME_SCOPE_NONE,                           \
                 "5.15 Get Features, feature 02h, current", "power_state")                         \
    NVME_COMMAND(NVME_VOLATILE_WRITE_CACHE, 0x0a, 0x00000006, 0, NVME_SCOPE_NONE,                  \
                 "5.15 Get Features, feature 06h, current", "")                                    \
    NVME_COMMAND(NVME_IDENTIFY_ACTIVE, 0x06, 0x00000002, 4096, NVME_SCOPE_NONE,                    \
                 "5.17 Identify, CNS 02h", "")                                                     \
    NVME_COMMAND(NVME_IDENTIFY_ALLOCATED, 0x06, 0x00000010, 4096, NVME_SCOPE_NONE,                 \
                 "5.17 Identify, CNS 10h", "")                                                     \
    NVME_COMMAND(NVME_SANITIZE_LOG, 0x02, 0x007f0081, 512, NVME_SCOPE_ALL,                         \
                 "5.16 Get Log Page, log 81h", "")

/*
 * Commands that destroy. NVME_PURGE(identifier, opcode, cdw10, free, scope, source): `free` are the
 * bits of cdw10 that the caller chooses: the format that the namespace has already.
 */
#define NVME_PURGE_ROWS(NVME_PURGE)                                                                \
    NVME_PURGE(NVME_PURGE_FORMAT, 0x80, 0x00000200, 0x000031ff, NVME_SCOPE_ONE,                    \
               "5.14 Format NVM, user data erase")                                                 \
    NVME_PURGE(NVME_PURGE_BLOCKS, 0x84, 0x00000002, 0, NVME_SCOPE_NONE,                            \
               "5.24 Sanitize, block erase")                                                       \
    NVME_PURGE(NVME_PURGE_KEY, 0x84, 0x00000004, 0, NVME_SCOPE_NONE, "5.24 Sanitize, crypto erase")

#endif
