/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a ring: the best flags this kernel takes, registration, and whether polling really polls.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/uring_state.h"

#define SQPOLL_IDLE_MS 50

/* In the order in which they are tried: older kernels refuse the newer ones with EINVAL. */
static const struct ring_flags {
    unsigned flags;
    bool kernel_submits;
    const char *name;
} ring_flags[] = {
    {IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF, true, "SQPOLL"},
    {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG, false,
     "DEFER_TASKRUN"},
    {IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, false, "COOP_TASKRUN"},
    {0, false, "plain ring"},
};

static int refuse_ring(int error, struct err *e)
{
    switch (error) {
    case ENOSYS:
        return err_set(e, ERR_MACHINE,
                       "this kernel has no io_uring; use --ioengine sync with --iodepth 1");
    case EPERM:
    case EACCES:
        return err_set(e, ERR_MACHINE,
                       "io_uring is forbidden here: set kernel.io_uring_disabled to 0, allow it in "
                       "the seccomp filter, or use --ioengine sync with --iodepth 1");
    case ENOMEM:
        return err_set(e, ERR_MACHINE,
                       "no memory may be locked for an io_uring: raise the limit (ulimit -l), "
                       "or use --ioengine sync with --iodepth 1");
    default:
        return err_set(e, ERR_MACHINE, "cannot set up an io_uring: %s", strerror(error));
    }
}

static unsigned next_cpu(const cpu_set_t *set, unsigned cpu)
{
    do
        cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, set));
    return cpu;
}

/*
 * A CPU for the kernel's thread. Left alone it would stay on the one that its worker is pinned to,
 * and starve there. Workers stand on CPUs in a row, so that as many further on is free.
 */
static int choose_cpu(struct uring_state *s, struct err *e)
{
    cpu_set_t allowed, own;
    unsigned workers = s->setup.workers ? s->setup.workers : 1;
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) ||
        sched_getaffinity(0, sizeof own, &own))
        return err_set(e, ERR_MACHINE, "cannot find a CPU for SQPOLL: %s; use --sqpoll off",
                       strerror(errno));
    unsigned count = (unsigned)CPU_COUNT(&allowed);
    if (count < 2 * workers)
        return err_set(e, ERR_MACHINE,
                       "SQPOLL needs a CPU of its own beside each worker's, %u in all, and this "
                       "process may use %u; use --sqpoll off",
                       2 * workers, count);
    int here = CPU_COUNT(&own) == 1 ? (int)next_cpu(&own, CPU_SETSIZE - 1) : sched_getcpu();
    s->sq_cpu = here < 0 ? 0 : (unsigned)here;
    for (unsigned i = 0; i < workers; i++)
        s->sq_cpu = next_cpu(&allowed, s->sq_cpu);
    return 0;
}

/* Make the ring; which row of ring_flags it became, or -1. */
static int make_ring(struct uring_state *s, bool iopoll, struct err *e)
{
    bool sqpoll = s->setup.sqpoll == IO_ON;
    int status = -EINVAL;
    if (sqpoll && choose_cpu(s, e))
        return -1;
    for (unsigned i = 0; i < sizeof ring_flags / sizeof *ring_flags; i++) {
        if (ring_flags[i].kernel_submits != sqpoll)
            continue;
        struct io_uring_params p = {.flags = ring_flags[i].flags,
                                    .sq_thread_cpu = sqpoll ? s->sq_cpu : 0,
                                    .sq_thread_idle = SQPOLL_IDLE_MS};
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
    s->buffers_error = ENOMEM;
    if (v) {
        for (unsigned i = 0; i < s->setup.iodepth; i++)
            v[i] = (struct iovec){.iov_base = s->setup.buffers + i * s->setup.buffer_stride,
                                  .iov_len = s->setup.buffer_stride};
        s->buffers_error = -io_uring_register_buffers(&s->ring, v, s->setup.iodepth);
        s->fixed_buffers = s->buffers_error == 0;
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
                       "the device has no poll queues (queue/io_poll 0); use --iopoll off");
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

static void describe(const struct uring_state *s, const char *ring, struct io_backend *b)
{
    char registered[80], cpu[20] = "";
    const char *file = s->fixed_file ? "registered file" : "nothing registered";
    if (s->fixed_buffers)
        snprintf(registered, sizeof registered, "registered buffers%s",
                 s->fixed_file ? " and file" : "");
    else if (s->buffers_error == ENOMEM)
        snprintf(registered, sizeof registered, "%s, buffers beyond the memlock limit", file);
    else
        snprintf(registered, sizeof registered, "%s, buffers refused: %s", file,
                 strerror(s->buffers_error));
    if (s->kernel_submits)
        snprintf(cpu, sizeof cpu, " on CPU %u", s->sq_cpu);
    snprintf(b->description, sizeof b->description, "io_uring, %s, %s%s, completions by %s%s",
             registered, ring, cpu, s->polled ? "polling" : "interrupt",
             s->setup.direct ? ", O_DIRECT" : ", through the page cache");
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
    describe(s, ring_flags[row].name, b);
    b->polls = s->polled;
    return 0;
}
