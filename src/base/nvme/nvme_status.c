/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the words for NVMe status codes in a table. */
#include "base/nvme/nvme.h"

#include <errno.h>
#include <stdio.h>

#include "tables/nvme_status.h"

#define VENDOR_SPECIFIC 0xc0 /* codes from this one up are vendor specific, in every type */

struct status_row {
    uint16_t type_and_code;
    enum nvme_status_class which;
    int error;
    const char *name;
};

#define STATUS_ROW(type, code, class, error, name)                                                 \
    {(type) << 8 | (code), NVME_STATUS_##class, error, name},
static const struct status_row rows[] = {NVME_STATUS_ROWS(STATUS_ROW)};
#undef STATUS_ROW

static unsigned type_of(uint16_t status)
{
    return status >> 8 & 7;
}

static unsigned code_of(uint16_t status)
{
    return status & 0xff;
}

static const struct status_row *status_row_of(uint16_t status)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type_and_code == (status & 0x7ff))
            return &rows[i];
    return NULL;
}

const char *nvme_status_name(uint16_t status)
{
    const struct status_row *row = status_row_of(status);
    if (row)
        return row->name;
    return type_of(status) == 7 || code_of(status) >= VENDOR_SPECIFIC ? "Vendor Specific Status"
                                                                      : "Unknown Status";
}

const char *nvme_status_type(uint16_t status)
{
    static const char *const names[8] = {
        "generic",       "command specific", "media and data integrity", "path", "reserved type",
        "reserved type", "reserved type",    "vendor specific"};
    return names[type_of(status)];
}

enum nvme_status_class nvme_status_class(uint16_t status)
{
    static const enum nvme_status_class by_type[8] = {
        NVME_STATUS_OTHER, NVME_STATUS_COMMAND, NVME_STATUS_MEDIA, NVME_STATUS_PATH,
        NVME_STATUS_OTHER, NVME_STATUS_OTHER,   NVME_STATUS_OTHER, NVME_STATUS_OTHER};
    const struct status_row *row = status_row_of(status);
    return row ? row->which : by_type[type_of(status)];
}

const char *nvme_status_class_name(enum nvme_status_class which)
{
    static const char *const names[NVME_STATUS_CLASSES] = {
        [NVME_STATUS_MEDIA] = "media errors", [NVME_STATUS_ABORTED] = "aborted commands",
        [NVME_STATUS_PATH] = "path errors",   [NVME_STATUS_COMMAND] = "refused commands",
        [NVME_STATUS_OTHER] = "other errors",
    };
    return names[which];
}

int nvme_status_errno(uint16_t status)
{
    const struct status_row *row = status_row_of(status);
    return row ? row->error : EIO;
}

char *nvme_status_words(uint16_t status, char *to, size_t size)
{
    snprintf(to, size, "%s (%s, %xh/%02xh)%s", nvme_status_name(status), nvme_status_type(status),
             type_of(status), code_of(status),
             status & NVME_STATUS_DO_NOT_RETRY ? ", do not retry" : "");
    return to;
}
