/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Backends whose requests are one system call each on the target's descriptor, without data: falloc
 * and ftruncate. Queue, timestamps and flush are the same for both.
 */
#ifndef CUPEL_IO_METADATA_FILE_CALL_H
#define CUPEL_IO_METADATA_FILE_CALL_H

#include "io/io.h"
#include "io/ring/serial_queue.h"

/* Does one request, which is never a flush. Returns 0, or -1 with errno. */
typedef int file_call(const struct io_setup *setup, const struct io_req *request);

/* For io_ops.open and .close. ERR_MACHINE: no memory. */
int file_call_open(struct io_backend *b, const struct io_setup *setup, const struct io_ops *ops,
                   file_call *call, const char *description, struct err *e);
void file_call_close(struct io_backend *b);

#endif
