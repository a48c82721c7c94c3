/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The failures that a device reported, counted by kind (a status of NVMe or of SCSI): struct
 * io_statuses of io/io.h. Nothing is allocated. One thread at a time for each list.
 */
#ifndef CUPEL_IO_NVME_DEVICE_FAILURES_H
#define CUPEL_IO_NVME_DEVICE_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/nvme/nvme.h"
#include "base/scsi/scsi.h"
#include "io/io.h"

/* Count a status that passthrough returned; 0 (success) is not counted. */
void io_statuses_add(struct io_statuses *s, uint32_t status);

/* Add all counts of `from`, to sum up workers. */
void io_statuses_merge(struct io_statuses *s, const struct io_statuses *from);

/* The number of commands that failed in this way, and of all that failed. */
uint64_t io_statuses_of(const struct io_statuses *s, enum nvme_status_class which);
uint64_t io_statuses_total(const struct io_statuses *s);

/*
 * "12 x Unrecovered Read Error (media and data integrity, 2h/81h), do not retry; 1 x ...", the most
 * frequent first; "" when nothing failed. Kinds that do not fit are counted at the end: "and 3 more
 * kinds". Writes to `to`, returns it.
 */
char *io_statuses_words(const struct io_statuses *s, char *to, size_t size);

/* The class of one status, its errno, and its words (120 bytes hold any), by the table of the
   standard that it belongs to. */
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
