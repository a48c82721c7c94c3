/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a ring: the best flags this kernel takes, registration, and whether polling really polls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "io/uring_state.h"

#define SQPOLL_IDLE_MS 50

/* In the order in which they are tried: older kernels refuse the newer ones with EINVAL. */
static const struct ring_flags {
    unsigned flags;
    bool kernel_submits;
    const char *name;
} ring_flags[] = {
    {IORING_SETUP_SQPOLL, true, "SQPOLL"},
    {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG, false,
     "DEFER_TASKRUN"},
    {IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, false, "COOP_TASKRUN"},
    {0, false, "plain ring"},
};

static int refuse_ring(int error, struct err *e)
{
    switch (error) {
    case ENOSYS:
        return err_set(e, ERR_MACHINE, "this kernel has no io_uring; use --ioengine sync");
    case EPERM:
    case EACCES:
        return err_set(e, ERR_MACHINE,
                       "io_uring is forbidden here (kernel.io_uring_disabled or a seccomp filter); "
                       "use --ioengine sync");
    case ENOMEM:
        return err_set(e, ERR_MACHINE,
                       "no memory for an io_uring; raise the memlock limit or lower --iodepth");
    default:
        return err_set(e, ERR_MACHINE, "cannot set up an io_uring: %s", strerror(error));
    }
}

/* Make the ring; which row of ring_flags it became, or -1. */
static int make_ring(struct uring_state *s, bool iopoll, struct err *e)
{
    bool sqpoll = s->setup.sqpoll == IO_ON;
    int status = -EINVAL;
    for (unsigned i = 0; i < sizeof ring_flags / sizeof *ring_flags; i++) {
        if (ring_flags[i].kernel_submits != sqpoll)
            continue;
        struct io_uring_params p = {.flags = ring_flags[i].flags, .sq_thread_idle = SQPOLL_IDLE_MS};
        if (iopoll)
            p.flags |= IORING_SETUP_IOPOLL;
        status = io_uring_queue_init_params(s->setup.iodepth, &s->ring, &p);
        if (status == 0)
            return (int)i;
        if (status != -EINVAL)
            break;
    }
    return refuse_ring(-status, e);
}

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

static void register_all(struct uring_state *s)
{
    struct iovec *v = calloc(s->setup.iodepth, sizeof *v);
    if (v) {
        for (unsigned i = 0; i < s->setup.iodepth; i++)
            v[i] = (struct iovec){.iov_base = s->setup.buffers + i * s->setup.buffer_stride,
                                  .iov_len = s->setup.buffer_stride};
        s->fixed_buffers = io_uring_register_buffers(&s->ring, v, s->setup.iodepth) == 0;
        free(v);
    }
    s->fixed_file = io_uring_register_files(&s->ring, &s->setup.fd, 1) == 0;
    io_uring_register_ring_fd(&s->ring); /* saves a little per call; nothing depends on it */
}

/* One read, and how it ended: only the completion tells whether a polled read works. */
static int probe_read(struct uring_state *s)
{
    size_t stride = s->setup.buffer_stride;
    s->slots[0].request =
        (struct io_req){.length = stride < 4096 ? (uint32_t)stride : 4096, .op = IO_READ};
    s->unsent = 0;
    if (!uring_queue(s, 0))
        return -EBUSY;
    s->unsent = 0;
    int status = io_uring_submit(&s->ring);
    struct io_uring_cqe *cqe;
    if (status >= 0)
        status = io_uring_wait_cqe(&s->ring, &cqe);
    if (status < 0)
        return status;
    status = cqe->res;
    io_uring_cqe_seen(&s->ring, cqe);
    return status;
}

/* A ring that polls, or -1 with the reason. */
static int try_polled(struct uring_state *s, struct err *e)
{
    if (!s->setup.direct)
        return err_set(e, ERR_MACHINE, "polled completions need --direct 1");
    if (!device_polls(s->setup.fd))
        return err_set(e, ERR_MACHINE,
                       "the device has no queues to poll (queue/io_poll is 0); use --iopoll off");
    int row = make_ring(s, true, e);
    if (row < 0)
        return -1;
    register_all(s);
    int status = probe_read(s);
    if (status >= 0)
        return row;
    io_uring_queue_exit(&s->ring);
    return err_set(e, ERR_MACHINE, "a polled read failed: %s; use --iopoll off", strerror(-status));
}

static const char *registered(const struct uring_state *s)
{
    if (s->fixed_buffers)
        return s->fixed_file ? "registered buffers and file" : "registered buffers";
    return s->fixed_file ? "registered file" : "nothing registered";
}

int uring_setup(struct uring_state *s, struct io_backend *b, struct err *e)
{
    int row = -1;
    if (s->setup.iopoll != IO_OFF) {
        row = try_polled(s, s->setup.iopoll == IO_ON ? e : NULL);
        if (row < 0 && s->setup.iopoll == IO_ON)
            return -1;
        s->polled = row >= 0;
    }
    if (row < 0) {
        row = make_ring(s, false, e);
        if (row < 0)
            return -1;
        register_all(s);
    }
    s->kernel_submits = ring_flags[row].kernel_submits;
    snprintf(b->description, sizeof b->description, "io_uring, %s, %s, completions by %s%s",
             registered(s), ring_flags[row].name, s->polled ? "polling" : "interrupt",
             s->setup.direct ? ", O_DIRECT" : ", through the page cache");
    return 0;
}
