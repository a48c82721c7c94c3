/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the target once more, for one worker alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file_identity.h"
#include "io/position/internal.h"

int position_open(const struct io_setup *setup, struct err *e)
{
    int flags = fcntl(setup->fd, F_GETFL);
    int fd = flags < 0 ? -1 : file_reopen(setup->fd, "", flags & (O_ACCMODE | O_DIRECT | O_SYNC));
    if (fd < 0)
        return err_set(e, ERR_TARGET,
                       "the target cannot be opened a second time, for a position of its own: %s",
                       errno == ENOENT ? "is /proc mounted?" : strerror(errno));
    return fd;
}

void position_describe(struct io_backend *b, const struct io_setup *setup, const char *calls)
{
    snprintf(b->description, sizeof b->description, "%s, one at a time%s%s", calls,
             io_trim_words(setup), setup->direct ? ", O_DIRECT" : ", through the page cache");
}
