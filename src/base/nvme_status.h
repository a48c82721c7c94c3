/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVMe status codes in words, from tables/nvme_status.h.
 *
 * A status is what passthrough returns: bits 7:0 the code, 10:8 its type, 12:11 the retry delay,
 * 13 "more", 14 "do not retry" (the completion's status field without the phase bit). Codes that
 * have no row are told by their type. Pure; any thread.
 */
#ifndef CUPEL_BASE_NVME_STATUS_H
#define CUPEL_BASE_NVME_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What counts as one kind: type, code, and whether a retry is worth it. */
#define NVME_STATUS_KIND         0x47ffu
#define NVME_STATUS_DO_NOT_RETRY 0x4000u

enum nvme_status_class {
    NVME_STATUS_MEDIA,   /* the medium, or the data on it */
    NVME_STATUS_ABORTED, /* the command was taken back before it was done */
    NVME_STATUS_PATH,    /* the way to the device */
    NVME_STATUS_COMMAND, /* what was sent does not fit the device or its state */
    NVME_STATUS_OTHER,   /* the device itself, and what is not known */
    NVME_STATUS_CLASSES
};

/* "Unrecovered Read Error"; of a code without a row "Vendor Specific Status" or "Unknown Status".
 */
const char *nvme_status_name(uint16_t status);

/* "media and data integrity": the type's name. */
const char *nvme_status_type(uint16_t status);

enum nvme_status_class nvme_status_class(uint16_t status);

/* "media errors", "aborted commands", "path errors", "refused commands", "other errors". */
const char *nvme_status_class_name(enum nvme_status_class which);

/* The errno that the kernel's block layer gives for it; 0 for success. */
int nvme_status_errno(uint16_t status);

/* "Unrecovered Read Error (media and data integrity, 2h/81h), do not retry". Writes to `to`,
   returns it; 120 bytes hold any. */
char *nvme_status_words(uint16_t status, char *to, size_t size);

#endif
