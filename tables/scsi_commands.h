/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SCSI commands that may be sent to disks to ask for their health; all of them only read.
 * Commands are only in this file, so nothing else is ever sent by SG_IO.
 *
 * SCSI_COMMAND(identifier, length, command_length, source, command...)
 *   length          bytes of data that the disk may write; 0: none
 *   command_length  bytes of the command
 *   command         its bytes (the command descriptor block)
 *
 * ATA drives get their commands as ATA PASS-THROUGH (16), SAT-4 12.2.2: protocol in byte 1 (06h no
 * data, 08h data in by PIO, bit 0: a command of 48 bits); byte 2 is 20h when the drive's registers
 * are to come back in sense data, 0Eh when the count is in blocks of 512 bytes; features in byte 4,
 * count in 6, LBA 7:0 in 8, 15:8 in 10, 23:16 in 12, the ATA command in 14. Log pages: SPC-4 6.6,
 * current cumulative values.
 */
#ifndef CUPEL_TABLES_SCSI_COMMANDS_H
#define CUPEL_TABLES_SCSI_COMMANDS_H

/* clang-format off */
#define SCSI_COMMAND_ROWS(SCSI_COMMAND)                                                            \
    SCSI_COMMAND(ATA_CHECK_POWER_MODE, 0, 16, "ATA CHECK POWER MODE",                              \
                 0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe5, 0)                       \
    SCSI_COMMAND(ATA_IDENTIFY_DEVICE, 512, 16, "ATA IDENTIFY DEVICE",                              \
                 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0)                       \
    SCSI_COMMAND(ATA_SMART_STATUS, 0, 16, "ATA SMART RETURN STATUS",                               \
                 0x85, 0x06, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0)              \
    SCSI_COMMAND(ATA_SMART_DATA, 512, 16, "ATA SMART READ DATA",                                   \
                 0x85, 0x08, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0)              \
    SCSI_COMMAND(ATA_SOLID_STATE_STATISTICS, 512, 16, "ATA device statistics, solid state",        \
                 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 0x04, 0, 0x07, 0, 0, 0, 0x2f, 0)                 \
    SCSI_COMMAND(SCSI_TEST_UNIT_READY, 0, 6, "SCSI TEST UNIT READY",                               \
                 0x00, 0, 0, 0, 0, 0)                                                              \
    SCSI_COMMAND(SCSI_REQUEST_SENSE, 252, 6, "SCSI REQUEST SENSE",                                 \
                 0x03, 0, 0, 0, 252, 0)                                                            \
    SCSI_COMMAND(SCSI_EXCEPTIONS_LOG, 252, 10, "SCSI LOG SENSE, informational exceptions",         \
                 0x4d, 0, 0x40 | 0x2f, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_BACKGROUND_SCAN_LOG, 252, 10, "SCSI LOG SENSE, background scan",             \
                 0x4d, 0, 0x40 | 0x15, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_READ_ERRORS_LOG, 252, 10, "SCSI LOG SENSE, read errors",                     \
                 0x4d, 0, 0x40 | 0x03, 0, 0, 0, 0, 0, 252, 0)
/* clang-format on */

#endif
