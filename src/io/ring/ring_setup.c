/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a ring: chooses the best flags that this kernel accepts and a CPU for its thread, registers
   buffers and file, and describes the result. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/ring/ring.h"

#define SQPOLL_IDLE_MS 50

/*
 * One reap takes at most this share (1/n) of the queue. If a reap took all completions that have
 * come, finishing and submitting would alternate, and the device would run empty: on a virtio disk
 * at iodepth 32, an eighth gave 15 % more IOPS for less processor time than either all at once or
 * one by one.
 */
#define REAP_DIVISOR 8

/* Flags in the order in which they are tried: older kernels refuse newer flags with EINVAL. */
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

int ring_reserve(struct ring *r, const struct ring_ops *ops, const struct io_setup *setup,
                 unsigned entries, struct err *e)
{
    r->ops = ops;
    r->setup = *setup;
    r->share = (setup->iodepth + REAP_DIVISOR - 1) / REAP_DIVISOR;
    r->slots = calloc(setup->iodepth, sizeof *r->slots);
    r->unsent_slots = calloc(entries, sizeof *r->unsent_slots);
    if (r->slots && r->unsent_slots)
        return 0;
    ring_release(r);
    return err_no_memory(e, "%u requests", setup->iodepth);
}

void ring_release(struct ring *r)
{
    free(r->unsent_slots);
    free(r->slots);
    r->unsent_slots = NULL;
    r->slots = NULL;
}

static int refuse_ring(int error, unsigned flags, struct err *e)
{
    switch (error) {
    case EINVAL:
        if (flags & IORING_SETUP_SQE128)
            return err_set(e, ERR_MACHINE,
                           "this kernel takes no commands through io_uring (Linux 5.19 and later "
                           "do)");
        break;
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
        break;
    }
    return err_set(e, ERR_MACHINE, "cannot set up an io_uring: %s", strerror(error));
}

static unsigned next_cpu(const cpu_set_t *set, unsigned cpu)
{
    do
        cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, set));
    return cpu;
}

/*
 * Chooses a CPU for the kernel's SQPOLL thread. By default the thread would stay on the CPU to
 * which its worker is pinned, and the worker would keep it from running there. Workers have
 * consecutive CPUs, so the CPU `workers` places after the worker's is free.
 */
static int choose_sqpoll_cpu(struct ring *r, struct err *e)
{
    cpu_set_t allowed, own;
    unsigned workers = r->setup.workers ? r->setup.workers : 1;
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) ||
        sched_getaffinity(0, sizeof own, &own))
        return err_set(e, ERR_MACHINE, "cannot find a CPU for SQPOLL: %s; use --sqpoll off",
                       strerror(errno));
    unsigned count = (unsigned)CPU_COUNT(&allowed);
    r->sq_cpu = r->setup.sqpoll_cpu;
    if (r->setup.sqpoll_placed)
        return CPU_ISSET(r->sq_cpu, &allowed)
                   ? 0
                   : err_set(e, ERR_USAGE,
                             "--sqthread_poll_cpu: this process may not use CPU %u (it has %u in "
                             "all)",
                             r->sq_cpu, count);
    if (count < 2 * workers)
        return err_set(e, ERR_MACHINE,
                       "SQPOLL needs a CPU of its own beside each worker's, %u in all, and this "
                       "process may use %u; use --sqpoll off",
                       2 * workers, count);
    int here = CPU_COUNT(&own) == 1 ? (int)next_cpu(&own, CPU_SETSIZE - 1) : sched_getcpu();
    r->sq_cpu = here < 0 ? 0 : (unsigned)here;
    for (unsigned i = 0; i < workers; i++)
        r->sq_cpu = next_cpu(&allowed, r->sq_cpu);
    return 0;
}

static int queue_init(struct ring *r, unsigned entries, unsigned flags, struct err *e)
{
    bool sqpoll = r->setup.sqpoll == IO_ON;
    int status = -EINVAL;
    if (sqpoll && choose_sqpoll_cpu(r, e))
        return -1;
    for (unsigned i = 0; i < sizeof ring_flags / sizeof *ring_flags; i++) {
        if (ring_flags[i].kernel_submits != sqpoll)
            continue;
        struct io_uring_params p = {.flags = ring_flags[i].flags | flags,
                                    .sq_thread_cpu = sqpoll ? r->sq_cpu : 0,
                                    .sq_thread_idle = SQPOLL_IDLE_MS};
        status = io_uring_queue_init_params(entries, &r->uring, &p);
        if (status == 0) {
            r->kind = ring_flags[i].name;
            r->kernel_submits = sqpoll;
            return 0;
        }
        if (status != -EINVAL)
            break;
    }
    return refuse_ring(-status, flags, e);
}

int ring_make(struct ring *r, const struct ring_request *request, struct err *e)
{
    if (queue_init(r, request->entries, request->flags, e))
        return -1;
    r->polled = request->flags & IORING_SETUP_IOPOLL;
    r->unsent = r->entries = r->in_flight = 0;
    size_t stride = r->setup.buffer_stride, piece = request->piece;
    r->piece = piece;
    r->pieces = (unsigned)((stride + piece - 1) / piece);
    unsigned count = r->setup.iodepth * r->pieces;
    struct iovec *v = calloc(count, sizeof *v);
    for (unsigned i = 0; i < count && v; i++) {
        size_t begin = i % r->pieces * piece, rest = stride - begin;
        v[i] = (struct iovec){.iov_base = r->setup.buffers + i / r->pieces * stride + begin,
                              .iov_len = rest < piece ? rest : piece};
    }
    r->buffers_error = v ? -io_uring_register_buffers(&r->uring, v, count) : ENOMEM;
    r->fixed_buffers = r->buffers_error == 0;
    free(v);
    r->fixed_file = io_uring_register_files(&r->uring, &request->fd, 1) == 0;
    /* saves a little time per call; a failure does not matter */
    io_uring_register_ring_fd(&r->uring);
    return 0;
}

void ring_drop(struct ring *r)
{
    /* Unregister now, because the kernel tears a ring down later. Until then its locked memory
       would count against the next ring, and the target would stay open, so that it could not be
       opened with O_EXCL. */
    if (r->fixed_buffers)
        io_uring_unregister_buffers(&r->uring);
    if (r->fixed_file)
        io_uring_unregister_files(&r->uring);
    r->fixed_buffers = r->fixed_file = r->polled = r->kernel_submits = false;
    io_uring_queue_exit(&r->uring);
}

int ring_probe_read(struct ring *r, uint32_t length)
{
    r->slots[0].request = (struct io_req){.length = length, .command = REQUEST_READ};
    int status = r->ops->queue(r, 0) ? 0 : -EBUSY;
    if (status >= 0)
        status = io_uring_submit(&r->uring);
    if (status >= 0) {
        struct io_uring_cqe *cqe;
        while (io_uring_wait_cqe(&r->uring, &cqe)) /* a signal interrupts the wait, not the read */
            sched_yield();
        status = cqe->res;
        io_uring_cqe_seen(&r->uring, cqe);
    }
    r->unsent = r->entries = 0;
    return status;
}

void ring_describe_registered(const struct ring *r, char *to, size_t size)
{
    const char *file = r->fixed_file ? "registered file" : "nothing registered";
    if (r->fixed_buffers)
        snprintf(to, size, "registered buffers%s", r->fixed_file ? " and file" : "");
    else if (r->buffers_error == ENOMEM)
        snprintf(to, size, "%s, buffers beyond the memlock limit", file);
    else
        snprintf(to, size, "%s, buffers refused: %s", file, strerror(r->buffers_error));
}

void ring_describe_kind(const struct ring *r, char *to, size_t size)
{
    char cpu[20] = "";
    if (r->kernel_submits)
        snprintf(cpu, sizeof cpu, " on CPU %u", r->sq_cpu);
    snprintf(to, size, "%s%s, completions by %s", r->kind, cpu,
             r->polled ? "polling" : "interrupt");
}
