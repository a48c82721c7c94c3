/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The falloc backend: reads and writes allocate their range, trims punch a hole into it. */
#include <fcntl.h>
#include <linux/falloc.h>
#include <unistd.h>

#include "io/metadata/file_call.h"

static int falloc_call(const struct io_setup *setup, const struct io_req *request)
{
    static const int modes[OPERATIONS] = {[OPERATION_READ] = FALLOC_FL_KEEP_SIZE,
                                          [OPERATION_TRIM] =
                                              FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE};
    return fallocate(setup->fd, modes[request_operation(request->command)], (off_t)request->offset,
                     (off_t)request->length);
}

static int falloc_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    return file_call_open(b, setup, &io_falloc, falloc_call, "fallocate, one at a time", e);
}

const struct io_ops io_falloc = {
    .name = "falloc",
    .help = "fallocate: reads and writes allocate, trims punch holes; one at a time, no data",
    .needs_target = true,
    .serial = true,
    .trims = true,
    .allocates = true,
    .open = falloc_open,
    .submit = serial_submit,
    .reap = serial_reap,
    .reap_until = serial_reap_until,
    .exchange = io_submit_and_reap,
    .close = file_call_close,
};
