/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains why a SCSI command ended as it did: sense data, and statuses in words. Pure; any
   thread. */
#ifndef CUPEL_BASE_SCSI_SCSI_H
#define CUPEL_BASE_SCSI_SCSI_H

#include <scsi/sg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/nvme/nvme.h"

/*
 * SCSI sense data: why a command ended as it did, and the registers of the ATA drive that it was
 * sent to.
 *
 * Decodes both formats of SPC-4 4.5 (descriptors: 72h, 73h; fixed: 70h, 71h), and ATA registers by
 * SAT-4 12.2.2.6 and 12.2.2.7. Pure; it may get any bytes.
 */

enum scsi_sense_key {
    SENSE_NONE = 0,
    SENSE_RECOVERED = 1,
    SENSE_NOT_READY = 2,
    SENSE_ILLEGAL_REQUEST = 5,
    SENSE_UNIT_ATTENTION = 6,
};

/* Additional sense codes. */
enum scsi_sense_code {
    SENSE_WARNING = 0x0b,
    SENSE_NO_SUCH_COMMAND = 0x20,
    SENSE_FAILURE_PREDICTED = 0x5d,
    SENSE_LOW_POWER = 0x5e,
};

struct scsi_sense {
    /* false: there was no sense data, or its format is unknown; all other fields are then 0 */
    bool known;
    uint8_t key, code, qualifier;
    bool has_registers; /* the ATA drive's registers after the command are known */
    uint8_t status, count, lba_mid, lba_high;
    bool has_progress; /* the disk is at work, and `progress` / 65536 of it are done */
    uint16_t progress;
};

struct scsi_sense scsi_sense_read(const uint8_t *bytes, size_t length);

/*
 * How a command failed, as one number, which differs from every NVMe status. 0 is success. A
 * failure has bit 31 (SCSI_FAILED), its kind in bits 25:24, and depending on the kind: the sense
 * key in 19:16, the additional sense code in 15:8 and its qualifier in 7:0; or the SCSI status; or
 * the status of the host adapter.
 */
#define SCSI_FAILED 0x80000000u
enum scsi_failure_kind { SCSI_FAILURE_SENSE, SCSI_FAILURE_STATUS, SCSI_FAILURE_HOST };

/* Returns the failure of a command that the kernel has completed. A recovered error counts as
   success, because the data are there. */
uint32_t scsi_failure_of(const struct sg_io_hdr *command);

static inline bool is_scsi_failure(uint32_t failure)
{
    return failure & SCSI_FAILED;
}

/* These functions are for a failure other than 0. scsi_failure_errno returns the errno that the
   kernel's block layer would return; scsi_failure_may_succeed_again returns true if a retry is
   worth it. */
const char *scsi_failure_name(uint32_t failure); /* returns "Unrecovered read error" */
const char *scsi_failure_type(uint32_t failure); /* returns "medium error" or "host adapter" */
enum nvme_status_class scsi_failure_class(uint32_t failure);
int scsi_failure_errno(uint32_t failure);
bool scsi_failure_may_succeed_again(uint32_t failure);

/* Writes the failure to `to`, as in "Unrecovered read error (medium error, 3h/11h/00h)". 120 bytes
   suffice. Returns `to`. */
char *scsi_failure_words(uint32_t failure, char *to, size_t size);

#endif
