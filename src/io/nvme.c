/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nvme backend: passthrough commands by ioctl, one request at a time. Requests beyond the first
 * wait in a queue of our own and have their time stamps taken around their own commands.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/nvme_io.h"

struct nvme_state {
    struct io_setup setup;
    struct nvme_device device;
    nvme_send_function *send;
    void *context;
    unsigned char *metadata; /* of one request, or NULL; nobody looks at it */
    bool wrote;
    unsigned head, queued;
    struct io_req queue[]; /* a ring of iodepth places */
};

static int check_target(const struct nvme_namespace *n, struct err *e)
{
    if (!n || !n->is_nvme)
        return err_set(e, ERR_USAGE, "%s%s; nvme needs one (/dev/nvme0n1 or /dev/ng0n1)",
                       "passthrough is for whole NVMe namespaces: ",
                       n && n->why_not[0] ? n->why_not : "the target is none");
    if (!n->usable)
        return err_set(e, ERR_MACHINE, "%s; --ioengine uring goes through the block layer",
                       n->why_not);
    return 0;
}

int nvme_open_through(struct io_backend *b, const struct io_setup *setup, nvme_send_function *send,
                      void *context, struct err *e)
{
    const struct nvme_namespace *n = setup->nvme;
    if (check_target(n, e))
        return -1;
    size_t metadata = nvme_metadata_bytes(n, setup->buffer_stride);
    struct nvme_state *s = calloc(1, sizeof *s + setup->iodepth * sizeof s->queue[0]);
    if (s && metadata)
        s->metadata = calloc(1, metadata);
    if (!s || (metadata && !s->metadata)) {
        free(s);
        return err_set(e, ERR_MACHINE, "no memory for %u requests", setup->iodepth);
    }
    s->setup = *setup;
    s->device.fd = n->block_fd >= 0 ? n->block_fd : n->generic_fd;
    s->send = send ? send : nvme_send;
    s->context = send ? context : &s->device;
    b->ops = &io_nvme;
    b->state = s;
    b->statuses = (struct io_statuses){0};
    snprintf(b->description, sizeof b->description, "NVMe commands by ioctl, one at a time: %.155s",
             n->description);
    return 0;
}

static int nvme_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    return nvme_open_through(b, setup, NULL, NULL, e);
}

static int nvme_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                       struct err *e)
{
    (void)e;
    struct nvme_state *s = b->state;
    unsigned iodepth = s->setup.iodepth;
    unsigned taken = n < iodepth - s->queued ? n : iodepth - s->queued;
    for (unsigned i = 0; i < taken; i++) {
        unsigned tail = s->head + s->queued++;
        s->queue[tail < iodepth ? tail : tail - iodepth] = requests[i];
    }
    return (int)taken;
}

static void perform(struct io_backend *b, const struct io_req *request, struct io_done *done)
{
    struct nvme_state *s = b->state;
    const struct io_setup *setup = &s->setup;
    unsigned char *buffer = setup->buffers + request->slot * setup->buffer_stride;
    uint64_t t_sub = clock_ticks(setup->clock);
    int error = nvme_perform(setup->nvme, s->send, s->context, request, buffer,
                             setup->buffer_stride, s->metadata, &b->statuses);
    uint64_t t_cpl = clock_ticks(setup->clock);
    s->wrote |= request->op == IO_WRITE;
    io_done_set(done, request, t_sub, t_cpl, error ? 0 : request->length, error);
}

static int nvme_reap(struct io_backend *b, struct io_done done[], unsigned least, unsigned most,
                     struct err *e)
{
    (void)e;
    struct nvme_state *s = b->state;
    unsigned wanted = least ? least : 1;
    if (wanted > s->queued)
        wanted = s->queued;
    if (wanted > most)
        wanted = most;
    for (unsigned i = 0; i < wanted; i++) {
        perform(b, &s->queue[s->head], &done[i]);
        s->head = s->head + 1 < s->setup.iodepth ? s->head + 1 : 0;
        s->queued--;
    }
    return (int)wanted;
}

/* What was written is to survive the end of the run, as after a close of the block device. */
static void nvme_close(struct io_backend *b)
{
    struct nvme_state *s = b->state;
    if (s->wrote && s->setup.nvme->write_cache == 1) {
        struct nvme_passthru_cmd64 flush;
        nvme_build_flush(s->setup.nvme, &flush);
        s->send(s->context, &flush);
    }
    free(s->metadata);
    free(s);
    b->state = NULL;
}

const struct io_ops io_nvme = {
    .name = "nvme",
    .help = "NVMe commands by ioctl, past the block layer: one request at a time",
    .needs_target = true,
    .open = nvme_open,
    .submit = nvme_submit,
    .reap = nvme_reap,
    .exchange = io_submit_and_reap,
    .close = nvme_close,
};
