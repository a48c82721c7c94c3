/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of the io_uring backend, and whether polling really polls. */
#include "io/ring/internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/device/poll_queues.h"

/* True when the device that the target is or lies on has queues that are polled. */
static bool target_polls(int fd)
{
    struct stat st;
    return !fstat(fd, &st) &&
           device_has_poll_queues("", S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
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
    if (r->setup.flushes)
        return err_set(e, ERR_MACHINE, "a flush cannot be polled for; use --iopoll off");
    if (!r->setup.direct)
        return err_set(e, ERR_MACHINE, "polled completions need --direct 1");
    if (!target_polls(r->setup.fd))
        return err_set(e, ERR_MACHINE,
                       "the device has no poll queues (queue/io_poll 0); use --iopoll off");
    if (make(r, IORING_SETUP_IOPOLL, e))
        return -1;
    int status = ring_probe_read(r, io_trial_length(&r->setup));
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
