/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prepares a file before each pass over it. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/io.h"

int io_pass_prepare(const struct io_setup *setup)
{
    const off_t begin = (off_t)setup->pass_begin;
    if (setup->pass == IO_PASS_NEW_FILE)
        return ftruncate(setup->fd, begin) ? errno : 0;
    return posix_fadvise(setup->fd, begin, 0, POSIX_FADV_DONTNEED);
}
