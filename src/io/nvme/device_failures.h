/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The failures that a device reported, counted by kind (NVMe status): struct io_statuses of
 * io/io.h. Nothing is allocated. One thread at a time for each list.
 */
#ifndef CUPEL_IO_NVME_DEVICE_FAILURES_H
#define CUPEL_IO_NVME_DEVICE_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/nvme/nvme.h"
#include "io/io.h"

/* Count an NVMe status that passthrough returned; 0 (success) is not counted. */
void io_statuses_add(struct io_statuses *s, uint16_t status);

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

#endif
