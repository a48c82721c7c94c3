/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NVMe I/O commands that may be sent. Opcodes are only in this file, so no other command ever
 * reaches a device.
 *
 * NVME_IO_COMMAND(identifier, opcode, request, optional, protection, source)
 *
 * request: the requests that become this command (source/request_kind.h). optional: the bit of ONCS
 * by which the controller says that it has it; 0: every controller has. protection: what it does
 * with protection information, in bits of command dword 12 that src/io/nvme/nvme_io.c names.
 *
 * Sections are those of the NVM Command Set Specification 1.0c and, for flush, of the NVM Express
 * Base Specification 2.0c.
 */
#ifndef CUPEL_TABLES_NVME_IO_COMMANDS_H
#define CUPEL_TABLES_NVME_IO_COMMANDS_H

#define NVME_IO_COMMAND_ROWS(NVME_IO_COMMAND)                                                      \
    NVME_IO_COMMAND(NVME_IO_FLUSH, 0x00, REQUEST_FLUSH, 0, 0, "7.1 Flush")                         \
    NVME_IO_COMMAND(NVME_IO_WRITE, 0x01, REQUEST_WRITE, 0, PROTECTION_ALL, "3.2.6 Write")          \
    NVME_IO_COMMAND(NVME_IO_READ, 0x02, REQUEST_READ, 0, PROTECTION_ALL, "3.2.4 Read")             \
    NVME_IO_COMMAND(NVME_IO_WRITE_UNCORRECTABLE, 0x04, REQUEST_WRITE_UNCORRECTABLE, 1 << 1, 0,     \
                    "3.2.7 Write Uncorrectable")                                                   \
    NVME_IO_COMMAND(NVME_IO_WRITE_ZEROES, 0x08, REQUEST_WRITE_ZEROES, 1 << 3, PROTECTION_ACTION,   \
                    "3.2.8 Write Zeroes")                                                          \
    NVME_IO_COMMAND(NVME_IO_VERIFY, 0x0c, REQUEST_VERIFY, 1 << 7,                                  \
                    PROTECTION_GUARD | PROTECTION_REFERENCE, "3.2.5 Verify")                       \
    NVME_IO_COMMAND(NVME_IO_DATASET, 0x09, REQUEST_TRIM, 1 << 2, 0, "3.2.3 Dataset Management")

#endif
