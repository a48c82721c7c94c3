/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The failures that a device reported by its own name, counted by kind: struct io_statuses of
 * io/io.h. Nothing is allocated. One thread at a time for each list.
 */
#ifndef CUPEL_IO_NVME_DEVICE_FAILURES_H
#define CUPEL_IO_NVME_DEVICE_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "io/io.h"
#include "nvme/nvme.h"

/* Count one NVMe status as passthrough returned it; 0 (success) counts nothing. */
void io_statuses_add(struct io_statuses *s, uint16_t status);

/* Add all counts of `from`, for workers together. */
void io_statuses_merge(struct io_statuses *s, const struct io_statuses *from);

/* How many commands failed in this way, and how many in all. */
uint64_t io_statuses_of(const struct io_statuses *s, enum nvme_status_class which);
uint64_t io_statuses_total(const struct io_statuses *s);

/*
 * "12 x Unrecovered Read Error (media and data integrity, 2h/81h), do not retry; 1 x ...", the most
 * frequent first; "" when nothing failed. Kinds that find no room end as "and 3 more kinds".
 * Writes to `to`, returns it.
 */
char *io_statuses_words(const struct io_statuses *s, char *to, size_t size);

#endif
