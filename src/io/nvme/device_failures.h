/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the failures that a device reported by status (of NVMe or of SCSI), in the struct
 * io_statuses of io/io.h. Nothing is allocated. One thread at a time for each list.
 */
#ifndef CUPEL_IO_NVME_DEVICE_FAILURES_H
#define CUPEL_IO_NVME_DEVICE_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/nvme/nvme.h"
#include "base/scsi/scsi.h"
#include "io/io.h"

/* Counts a status that passthrough returned; 0 (success) is not counted. */
void io_statuses_add(struct io_statuses *s, uint32_t status);

/* Adds all counts of `from`; used to sum up the workers. */
void io_statuses_merge(struct io_statuses *s, const struct io_statuses *from);

/* io_statuses_of returns the number of commands whose failure belongs to the class `which`,
   io_statuses_total the number of all failed commands, io_statuses_further the number of failed
   commands whose status has no row. */
uint64_t io_statuses_of(const struct io_statuses *s, enum nvme_status_class which);
uint64_t io_statuses_total(const struct io_statuses *s);
uint64_t io_statuses_further(const struct io_statuses *s);

/*
 * Writes the counts to `to`, the most frequent first: "12 x Unrecovered Read Error (media and data
 * integrity, 2h/81h), do not retry; 1 x ..."; "" when nothing failed. Statuses that do not fit are
 * counted at the end, "and 3 more kinds", and so are failures whose status has no row, "25 x more
 * kinds". Returns `to`.
 */
char *io_statuses_words(const struct io_statuses *s, char *to, size_t size);

/* These return the class of a status, its errno, and its description (120 bytes suffice), from the
   table of the standard that the status belongs to. */
static inline enum nvme_status_class io_status_class(uint32_t status)
{
    return is_scsi_failure(status) ? scsi_failure_class(status)
                                   : nvme_status_class((uint16_t)status);
}

static inline int io_status_errno(uint32_t status)
{
    return is_scsi_failure(status) ? scsi_failure_errno(status)
                                   : nvme_status_errno((uint16_t)status);
}

static inline char *io_status_words(uint32_t status, char *to, size_t size)
{
    return is_scsi_failure(status) ? scsi_failure_words(status, to, size)
                                   : nvme_status_words((uint16_t)status, to, size);
}

#endif
