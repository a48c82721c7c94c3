/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SCSI sense data: why a command ended as it did, and the registers of an ATA drive behind it.
 *
 * Both formats, SPC-4 4.5 (descriptors 72h, 73h; fixed 70h, 71h); ATA registers by SAT-4 12.2.2.6
 * and 12.2.2.7. Pure decoding of bytes that may be anything.
 */
#ifndef CUPEL_HW_SCSI_SENSE_H
#define CUPEL_HW_SCSI_SENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scsi_sense_key {
    SENSE_NONE = 0,
    SENSE_RECOVERED = 1,
    SENSE_NOT_READY = 2,
    SENSE_UNIT_ATTENTION = 6,
};

/* Additional sense codes. */
enum scsi_sense_code {
    SENSE_WARNING = 0x0b,
    SENSE_FAILURE_PREDICTED = 0x5d,
    SENSE_LOW_POWER = 0x5e,
};

struct scsi_sense {
    bool known; /* false: there was none, or none that is understood; all else is 0 then */
    uint8_t key, code, qualifier;
    bool has_registers; /* of the ATA drive, as the command left them */
    uint8_t status, count, lba_mid, lba_high;
};

struct scsi_sense scsi_sense_read(const uint8_t *bytes, size_t length);

/* Is it about a disk that is stopped or in standby, so that reading would make it spin? */
bool scsi_sense_is_asleep(const struct scsi_sense *sense);

#endif
