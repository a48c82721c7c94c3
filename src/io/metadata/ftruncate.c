/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ftruncate backend: each write sets the file's size to the request's offset. */
#include <fcntl.h>
#include <unistd.h>

#include "io/metadata/file_call.h"

static int ftruncate_call(const struct io_setup *setup, const struct io_req *request)
{
    return ftruncate(setup->fd, (off_t)request->offset);
}

static int ftruncate_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    return file_call_open(b, setup, &io_ftruncate, ftruncate_call, "ftruncate, one at a time", e);
}

const struct io_ops io_ftruncate = {
    .name = "ftruncate",
    .help = "ftruncate: each write sets the size of the file to its offset; one at a time, no data",
    .needs_target = true,
    .serial = true,
    .resizes = true,
    .open = ftruncate_open,
    .submit = serial_submit,
    .reap = serial_reap,
    .reap_until = serial_reap_until,
    .exchange = io_submit_and_reap,
    .close = file_call_close,
};
