/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of the nvme-uring backend: what this kernel and this namespace take, found by reads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "io/nvme/internal.h"
#include "io/nvme/nvme_io.h"

#define COMMAND_FLAGS (IORING_SETUP_SQE128 | IORING_SETUP_CQE32)

/* The answers of kernels that do not know what they were asked for. */
static bool is_unknown(int result)
{
    return result == -EINVAL || result == -EOPNOTSUPP || result == -ENOTTY;
}

static int refuse(const struct nvme_uring *u, int result, struct err *e)
{
    if (result == -EACCES || result == -EPERM)
        return err_set(e, ERR_MACHINE,
                       "passthrough to %s is not permitted: it needs CAP_SYS_ADMIN (before Linux "
                       "6.2, whoever may open the device)",
                       u->nvme->generic_path);
    if (is_unknown(result))
        return err_set(e, ERR_MACHINE,
                       "%s (%s; Linux 5.19 and later take NVMe commands through io_uring)",
                       nvme_refusal_words(EINVAL), strerror(-result));
    return err_set(e, ERR_MACHINE, "a first NVMe command failed: %s", strerror(-result));
}

/* Read one block. What cannot even be built is not a read. */
static int probe(struct nvme_uring *u)
{
    int result = ring_probe_read(&u->ring, u->nvme->block_size);
    if (u->slots[0].error)
        result = -u->slots[0].error;
    u->slots[0] = (struct nvme_uring_slot){0};
    return result;
}

/*
 * Make the ring and read. A status of the device is an answer as well: commands get there. Kernels
 * before 6.1 refuse registered buffers in commands.
 */
static int try_ring(struct nvme_uring *u, unsigned flags, struct err *e)
{
    struct ring *r = &u->ring;
    const struct ring_request request = {
        .fd = u->nvme->generic_fd,
        .entries = u->commands,
        .flags = COMMAND_FLAGS | flags,
        .piece = nvme_part_bytes(u->nvme, (uint32_t)u->ring.setup.buffer_stride, 0)};
    if (ring_make(r, &request, e))
        return -1;
    int result = probe(u);
    if (is_unknown(result) && r->fixed_buffers) {
        io_uring_unregister_buffers(&r->uring);
        r->fixed_buffers = false;
        r->buffers_error = -result;
        result = probe(u);
    }
    if (result >= 0)
        return 0;
    ring_drop(r);
    return refuse(u, result, e);
}

bool nvme_uring_may_poll(const char *release)
{
    char *point;
    unsigned long version = strtoul(release, &point, 10);
    unsigned long level = *point == '.' ? strtoul(point + 1, NULL, 10) : 0;
    return version > 6 || (version == 6 && level >= 8);
}

/* Without queues that are polled a ring that polls works too, by interrupts. */
static int try_polled(struct nvme_uring *u, struct err *e)
{
    struct utsname name;
    if (!u->nvme->poll_queues)
        return err_set(e, ERR_MACHINE,
                       "the NVMe driver has no poll queues (nvme.poll_queues, queue/io_poll); "
                       "use --iopoll off");
    if (uname(&name) || !nvme_uring_may_poll(name.release))
        return err_set(e, ERR_MACHINE,
                       "this kernel may crash when NVMe commands are polled (those before Linux "
                       "6.8 do); use --iopoll off");
    return try_ring(u, IORING_SETUP_IOPOLL, e);
}

static void describe(const struct nvme_uring *u, struct io_backend *b)
{
    char registered[80], kind[64];
    ring_describe_registered(&u->ring, registered, sizeof registered);
    ring_describe_kind(&u->ring, kind, sizeof kind);
    snprintf(b->description, sizeof b->description, "NVMe commands by io_uring, %s, %s", registered,
             kind);
    b->polls = u->ring.polled;
}

int nvme_uring_setup(struct nvme_uring *u, struct io_backend *b, struct err *e)
{
    enum io_choice iopoll = u->ring.setup.iopoll;
    bool must_poll = iopoll == IO_ON;
    bool made = iopoll != IO_OFF && !try_polled(u, must_poll ? e : NULL);
    if (!made && (must_poll || try_ring(u, 0, e)))
        return -1;
    describe(u, b);
    return 0;
}
