/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nvme backend: passthrough commands by ioctl, one request at a time. */
#include <stdio.h>
#include <stdlib.h>

#include "io/nvme/nvme_io.h"
#include "io/ring/serial_queue.h"

struct nvme_state {
    /* first, because serial_submit uses b->state as a struct serial_queue */
    struct serial_queue queue;
    struct io_setup setup;
    struct nvme_device device;
    nvme_send_function *send;
    void *context;
    /* Metadata of one request, or NULL. Metadata that reads return are not used. Writes send zeros,
       never metadata that a read returned for another LBA. */
    unsigned char *metadata_read, *metadata_zero;
    bool wrote;
};

static void passthrough_release(struct nvme_state *s)
{
    serial_queue_release(&s->queue);
    free(s->metadata_read);
    free(s->metadata_zero);
    free(s);
}

static void passthrough_perform(struct io_backend *b, const struct io_req *request,
                                struct io_done *done)
{
    struct nvme_state *s = b->state;
    const struct io_setup *setup = &s->setup;
    const bool write = request_sends_data(request->command);
    unsigned char *buffer = setup->buffers + request->slot * setup->buffer_stride;
    uint64_t t_sub = clock_ticks(setup->clock);
    int error =
        nvme_perform(setup->nvme, s->send, s->context, request, buffer, setup->buffer_stride,
                     write ? s->metadata_zero : s->metadata_read, &b->statuses);
    uint64_t t_cpl = clock_ticks(setup->clock);
    s->wrote |= request_changes_data(request->command);
    io_done_set(done, request, t_sub, t_cpl, error ? 0 : request->length, error);
}

int nvme_open_through(struct io_backend *b, const struct io_setup *setup, nvme_send_function *send,
                      void *context, struct err *e)
{
    const struct nvme_namespace *n = setup->nvme;
    if (nvme_namespace_check(n, e))
        return -1;
    struct nvme_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a backend");
    size_t metadata = nvme_metadata_bytes(n, setup->buffer_stride);
    int status = serial_queue_reserve(&s->queue, setup, e);
    if (!status && metadata) {
        s->metadata_read = calloc(1, metadata);
        s->metadata_zero = calloc(1, metadata);
        if (!s->metadata_read || !s->metadata_zero)
            status = err_no_memory(e, "metadata");
    }
    if (status) {
        passthrough_release(s);
        return -1;
    }
    s->queue.perform = passthrough_perform;
    s->setup = *setup;
    s->device.fd = n->block_fd >= 0 ? n->block_fd : n->generic_fd;
    s->send = send ? send : nvme_send;
    s->context = send ? context : &s->device;
    b->ops = &io_nvme;
    b->state = s;
    b->statuses = (struct io_statuses){0};
    b->flush = (struct io_flush){0};
    snprintf(b->description, sizeof b->description, "NVMe commands by ioctl, one at a time: %.155s",
             n->description);
    return 0;
}

static int nvme_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    return nvme_open_through(b, setup, NULL, NULL, e);
}

/* Flushes the drive's cache, because written data must survive the end of the run and no other code
   does so: closing a block device writes back the page cache, but does not flush the drive. */
static void nvme_close(struct io_backend *b)
{
    struct nvme_state *s = b->state;
    if (s->wrote)
        nvme_flush(s->setup.nvme, s->send, s->context, b);
    passthrough_release(s);
    b->state = NULL;
}

const struct io_ops io_nvme = {
    .name = "nvme",
    .help = "NVMe commands by ioctl, past the block layer: one request at a time",
    .needs_target = true,
    .needs_namespace = true,
    .bypasses_block_layer = true,
    .serial = true,
    .trims = true,
    .trims_ranges = true,
    .parallel = "nvme-uring",
    .open = nvme_open,
    .submit = serial_submit,
    .reap = serial_reap,
    .reap_until = serial_reap_until,
    .exchange = io_submit_and_reap,
    .close = nvme_close,
};
