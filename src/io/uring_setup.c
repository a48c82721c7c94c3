/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of the io_uring backend, and whether polling really polls. */
#include "io/uring_setup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* True when the device that the target is or lies on has queues that can be polled. */
static bool device_polls(int fd)
{
    struct stat st;
    if (fstat(fd, &st))
        return false;
    dev_t device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
    for (int partition = 0; partition < 2; partition++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%squeue/io_poll", major(device),
                 minor(device), partition ? "../" : "");
        FILE *f = fopen(path, "re");
        if (!f)
            continue;
        int answer = fgetc(f);
        fclose(f);
        return answer == '1';
    }
    return false;
}

static int make(struct ring *r, unsigned flags, struct err *e)
{
    const struct ring_request request = {.fd = r->setup.fd,
                                         .entries = r->setup.iodepth,
                                         .flags = flags,
                                         .piece = r->setup.buffer_stride};
    return ring_make(r, &request, e);
}

/* A ring that polls, or -1 with the reason. */
static int try_polled(struct ring *r, struct err *e)
{
    if (!r->setup.direct)
        return err_set(e, ERR_MACHINE, "polled completions need --direct 1");
    if (!device_polls(r->setup.fd))
        return err_set(e, ERR_MACHINE,
                       "the device has no poll queues (queue/io_poll 0); use --iopoll off");
    if (make(r, IORING_SETUP_IOPOLL, e))
        return -1;
    size_t stride = r->setup.buffer_stride;
    int status = ring_probe_read(r, stride < 4096 ? (uint32_t)stride : 4096);
    if (status >= 0)
        return 0;
    ring_drop(r);
    return err_set(e, ERR_MACHINE, "a polled read failed: %s; use --iopoll off", strerror(-status));
}

static void describe(const struct ring *r, struct io_backend *b)
{
    char registered[80], kind[64];
    ring_describe_registered(r, registered, sizeof registered);
    ring_describe_kind(r, kind, sizeof kind);
    snprintf(b->description, sizeof b->description, "io_uring, %s, %s%s", registered, kind,
             r->setup.direct ? ", O_DIRECT" : ", through the page cache");
    b->polls = r->polled;
}

int uring_setup(struct ring *r, struct io_backend *b, struct err *e)
{
    bool must_poll = r->setup.iopoll == IO_ON;
    bool made = r->setup.iopoll != IO_OFF && !try_polled(r, must_poll ? e : NULL);
    if (!made && (must_poll || make(r, 0, e)))
        return -1;
    describe(r, b);
    return 0;
}
