/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of the log pages of SCSI disks that become facts (SPC-4 7.3, SBC-3 6.4). The rows of a
 * page stand together.
 *
 * SCSI_LOG_VALUE(command, page, parameter, at, bytes, key, unit)
 *   parameter  its code
 *   at, bytes  the value in the parameter, most significant byte first; 0 bytes: all of it, up to 8
 */
#ifndef CUPEL_TABLES_SCSI_LOG_VALUES_H
#define CUPEL_TABLES_SCSI_LOG_VALUES_H

#define SCSI_LOG_VALUE_ROWS(SCSI_LOG_VALUE)                                                        \
    SCSI_LOG_VALUE(SCSI_READ_ERRORS_LOG, 0x03, 0x0003, 0, 0, "read_corrected", "")                 \
    SCSI_LOG_VALUE(SCSI_READ_ERRORS_LOG, 0x03, 0x0006, 0, 0, "reported_uncorrectable", "")         \
    SCSI_LOG_VALUE(SCSI_WRITE_ERRORS_LOG, 0x02, 0x0003, 0, 0, "write_corrected", "")               \
    SCSI_LOG_VALUE(SCSI_WRITE_ERRORS_LOG, 0x02, 0x0006, 0, 0, "write_uncorrectable", "")           \
    SCSI_LOG_VALUE(SCSI_VERIFY_ERRORS_LOG, 0x05, 0x0003, 0, 0, "verify_corrected", "")             \
    SCSI_LOG_VALUE(SCSI_VERIFY_ERRORS_LOG, 0x05, 0x0006, 0, 0, "verify_uncorrectable", "")         \
    SCSI_LOG_VALUE(SCSI_NON_MEDIUM_LOG, 0x06, 0x0000, 0, 0, "non_medium_errors", "")               \
    SCSI_LOG_VALUE(SCSI_START_STOP_LOG, 0x0e, 0x0004, 0, 4, "start_stop_cycles", "")               \
    SCSI_LOG_VALUE(SCSI_START_STOP_LOG, 0x0e, 0x0006, 0, 4, "load_cycles", "")                     \
    SCSI_LOG_VALUE(SCSI_SOLID_STATE_LOG, 0x11, 0x0001, 3, 1, "percentage_used", "%")

#endif
