/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SCSI commands that may be sent to disks to ask for their health; all of them only read.
 * Commands are only in this file, so nothing else is ever sent for it.
 *
 * SCSI_COMMAND(identifier, length, seconds, command_length, source, command...)
 *   length          bytes of data that the disk may write; 0: none
 *   seconds         after them the kernel gives the command up, and resets the disk's link. Ten are
 *                   long enough for a drive that first stores its counters; to collect a list of
 *                   defects takes longer
 *   command_length  bytes of the command
 *   command         its bytes (the command descriptor block)
 *
 * ATA drives get their commands as ATA PASS-THROUGH (16), SAT-4 12.2.2: protocol in byte 1 (06h no
 * data, 08h data in by PIO, bit 0: a command of 48 bits); byte 2 is 20h when the drive's registers
 * are to come back in sense data, 0Eh when the count is in blocks of 512 bytes; features in byte 4,
 * count in 6, LBA 7:0 in 8, 15:8 in 10, 23:16 in 12, the ATA command in 14. Log pages: SPC-4 6.6,
 * current cumulative values. MODE SENSE: SPC-4 6.12, current values, without block descriptors.
 * READ DEFECT DATA: SBC-3 5.16 and 5.17, the head of the grown list.
 */
#ifndef CUPEL_TABLES_SCSI_COMMANDS_H
#define CUPEL_TABLES_SCSI_COMMANDS_H

/* clang-format off */
#define SCSI_COMMAND_ROWS(SCSI_COMMAND)                                                            \
    SCSI_COMMAND(ATA_CHECK_POWER_MODE, 0, 10, 16, "ATA CHECK POWER MODE",                          \
                 0x85, 0x06, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe5, 0)                       \
    SCSI_COMMAND(ATA_IDENTIFY_DEVICE, 512, 10, 16, "ATA IDENTIFY DEVICE",                          \
                 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0)                       \
    SCSI_COMMAND(ATA_SMART_STATUS, 0, 10, 16, "ATA SMART RETURN STATUS",                           \
                 0x85, 0x06, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0)              \
    SCSI_COMMAND(ATA_SMART_DATA, 512, 10, 16, "ATA SMART READ DATA",                               \
                 0x85, 0x08, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0, 0)              \
    SCSI_COMMAND(ATA_SOLID_STATE_STATISTICS, 512, 10, 16, "ATA device statistics, solid state",    \
                 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 0x04, 0, 0x07, 0, 0, 0, 0x2f, 0)                 \
    SCSI_COMMAND(SCSI_TEST_UNIT_READY, 0, 10, 6, "SCSI TEST UNIT READY",                           \
                 0x00, 0, 0, 0, 0, 0)                                                              \
    SCSI_COMMAND(SCSI_REQUEST_SENSE, 252, 10, 6, "SCSI REQUEST SENSE",                             \
                 0x03, 0, 0, 0, 252, 0)                                                            \
    SCSI_COMMAND(SCSI_PAGES_LOG, 252, 10, 10, "SCSI LOG SENSE, supported pages",                   \
                 0x4d, 0, 0x40 | 0x00, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_WRITE_ERRORS_LOG, 252, 10, 10, "SCSI LOG SENSE, write errors",               \
                 0x4d, 0, 0x40 | 0x02, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_READ_ERRORS_LOG, 252, 10, 10, "SCSI LOG SENSE, read errors",                 \
                 0x4d, 0, 0x40 | 0x03, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_VERIFY_ERRORS_LOG, 252, 10, 10, "SCSI LOG SENSE, verify errors",             \
                 0x4d, 0, 0x40 | 0x05, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_NON_MEDIUM_LOG, 252, 10, 10, "SCSI LOG SENSE, non-medium errors",            \
                 0x4d, 0, 0x40 | 0x06, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_TEMPERATURE_LOG, 252, 10, 10, "SCSI LOG SENSE, temperature",                 \
                 0x4d, 0, 0x40 | 0x0d, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_START_STOP_LOG, 252, 10, 10, "SCSI LOG SENSE, start-stop cycles",            \
                 0x4d, 0, 0x40 | 0x0e, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_SOLID_STATE_LOG, 252, 10, 10, "SCSI LOG SENSE, solid state media",           \
                 0x4d, 0, 0x40 | 0x11, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_BACKGROUND_SCAN_LOG, 16384, 10, 10, "SCSI LOG SENSE, background scan",       \
                 0x4d, 0, 0x40 | 0x15, 0, 0, 0, 0, 0x40, 0x00, 0)                                  \
    SCSI_COMMAND(SCSI_EXCEPTIONS_LOG, 252, 10, 10, "SCSI LOG SENSE, informational exceptions",     \
                 0x4d, 0, 0x40 | 0x2f, 0, 0, 0, 0, 0, 252, 0)                                      \
    SCSI_COMMAND(SCSI_CACHING_PAGE, 252, 10, 10, "SCSI MODE SENSE, caching",                       \
                 0x5a, 0x08, 0x08, 0, 0, 0, 0, 0, 252, 0)                                          \
    SCSI_COMMAND(SCSI_DEFECTS_12, 8, 60, 12, "SCSI READ DEFECT DATA (12)",                         \
                 0xb7, 0x0c, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0)                                         \
    SCSI_COMMAND(SCSI_DEFECTS_10, 4, 60, 10, "SCSI READ DEFECT DATA (10)",                         \
                 0x37, 0, 0x0c, 0, 0, 0, 0, 0, 4, 0)
/* clang-format on */

#endif
