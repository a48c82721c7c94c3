/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NVMe I/O commands that may be sent. Opcodes are only in this file, so no other command ever
 * reaches a device.
 *
 * NVME_IO_COMMAND(identifier, opcode, source)
 *
 * Sections are those of the NVM Command Set Specification 1.0c and, for flush, of the NVM Express
 * Base Specification 2.0c.
 */
#ifndef CUPEL_TABLES_NVME_IO_COMMANDS_H
#define CUPEL_TABLES_NVME_IO_COMMANDS_H

#define NVME_IO_COMMAND_ROWS(NVME_IO_COMMAND)                                                      \
    NVME_IO_COMMAND(NVME_IO_FLUSH, 0x00, "7.1 Flush")                                              \
    NVME_IO_COMMAND(NVME_IO_WRITE, 0x01, "3.2.6 Write")                                            \
    NVME_IO_COMMAND(NVME_IO_READ, 0x02, "3.2.4 Read")                                              \
    NVME_IO_COMMAND(NVME_IO_WRITE_UNCORRECTABLE, 0x04, "3.2.7 Write Uncorrectable")                \
    NVME_IO_COMMAND(NVME_IO_WRITE_ZEROES, 0x08, "3.2.8 Write Zeroes")                              \
    NVME_IO_COMMAND(NVME_IO_VERIFY, 0x0c, "3.2.5 Verify")                                          \
    NVME_IO_COMMAND(NVME_IO_DATASET, 0x09, "3.2.3 Dataset Management")

#endif
