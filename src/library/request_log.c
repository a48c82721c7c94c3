/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes records of requests. The library opens no file: the program writes the records. */
#include "facts/log/request_log.h"

#include <string.h>

#include "base/endian.h"
#include "include/cupel.h"

void cupel_log_head(unsigned char record[CUPEL_LOG_BYTES], const char *host)
{
    memset(record, 0, CUPEL_LOG_BYTES);
    memcpy(record, REQUEST_LOG_MARK, REQUEST_LOG_MARK_BYTES);
    store_le32(record + REQUEST_LOG_MARK_BYTES, REQUEST_LOG_VERSION);
    if (host)
        memcpy(record + REQUEST_LOG_HOST, host, strnlen(host, REQUEST_LOG_HOST_BYTES));
}

void cupel_log_request(unsigned char record[CUPEL_LOG_BYTES],
                       const struct cupel_logged_request *request)
{
    store_le64(record, request->begin_ns);
    store_le64(record + 8, request->end_ns);
    store_le64(record + 16, request->bytes);
    store_le32(record + 24, request->process);
    store_le16(record + 28, request->operation);
    store_le16(record + 30, request->failed);
}
