/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads blocks with a constant number of reads in flight. */
#include "io/readback/sector_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define WATCH_SECONDS 0.2

struct reader {
    const struct sector_read *r;
    struct clock clock;
    struct io_backend backend;
    unsigned char *buffers;
    struct io_req *slots;   /* [iodepth], the request of each slot */
    struct io_req *waiting; /* requests that the backend has not taken yet */
    struct io_done *done;
    uint16_t *free_slots;
    unsigned free_count, waiting_count, in_flight;
    bool at_end;
    uint64_t bytes;
    uint64_t last_done, last_watch; /* ticks */
};

static double since(const struct reader *s, uint64_t instant, uint64_t now)
{
    return now > instant ? (double)clock_ns(&s->clock, now - instant) * 1e-9 : 0;
}

static void ask(struct reader *s)
{
    const struct sector_read *r = s->r;
    while (s->free_count && !s->at_end && !(r->stop && *r->stop)) {
        struct io_req request = {.command = REQUEST_READ};
        if (!r->next(r->context, &request.offset, &request.length)) {
            s->at_end = true;
            return;
        }
        request.slot = s->free_slots[--s->free_count];
        s->slots[request.slot] = request;
        s->waiting[s->waiting_count++] = request;
    }
}

static int take(struct reader *s, const struct io_done *d, struct err *e)
{
    const struct sector_read *r = s->r;
    const struct io_req *request = &s->slots[d->slot];
    int error = d->error ? d->error : d->bytes != request->length ? EIO : 0;
    s->in_flight--;
    s->free_slots[s->free_count++] = d->slot;
    s->bytes += error ? 0 : request->length;
    if (error == ENODEV || error == ENXIO || error == ENOMEDIUM)
        return err_set(e, ERR_TARGET, "%.200s: a read failed at byte %llu: %s; the drive is gone",
                       r->path, (unsigned long long)request->offset, strerror(error));
    return r->take(r->context, s->buffers + (size_t)d->slot * r->block, request->length,
                   request->offset, error, e);
}

static int submit(struct reader *s, struct err *e)
{
    if (!s->waiting_count)
        return 0;
    int sent = s->backend.ops->submit(&s->backend, s->waiting, s->waiting_count, e);
    if (sent < 0)
        return -1;
    s->waiting_count -= (unsigned)sent;
    s->in_flight += (unsigned)sent;
    memmove(s->waiting, s->waiting + sent, s->waiting_count * sizeof *s->waiting);
    return 0;
}

static int exchange(struct reader *s, struct err *e)
{
    const struct sector_read *r = s->r;
    if (submit(s, e))
        return -1;
    uint64_t until =
        clock_ticks(&s->clock) + clock_ticks_of_ns(&s->clock, (uint64_t)(WATCH_SECONDS * 1e9));
    int count = s->backend.ops->reap_until(&s->backend, s->done, r->depth, until, e);
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++)
        if (take(s, &s->done[i], e))
            return -1;
    uint64_t now = clock_ticks(&s->clock);
    if (count)
        s->last_done = now;
    if (since(s, s->last_done, now) > r->answer_seconds)
        return err_set(e, ERR_TARGET,
                       "%.200s: it has not answered for %.0f s; %u requests are still with it",
                       r->path, r->answer_seconds, s->in_flight);
    if (r->watch && since(s, s->last_watch, now) >= WATCH_SECONDS) {
        s->last_watch = now;
        r->watch(r->context, s->bytes);
    }
    return 0;
}

static int read_all(struct reader *s, struct err *e)
{
    const struct sector_read *r = s->r;
    s->last_done = s->last_watch = clock_ticks(&s->clock);
    for (;;) {
        ask(s);
        if (!s->in_flight && !s->waiting_count)
            break;
        if (exchange(s, e))
            return -1;
    }
    if (!s->at_end)
        return err_set(e, ERR_UNDECIDED, "%.200s: stopped after %llu bytes were read", r->path,
                       (unsigned long long)s->bytes);
    return 0;
}

static int reserve(struct reader *s, struct err *e)
{
    unsigned depth = s->r->depth;
    s->slots = calloc(depth, sizeof *s->slots);
    s->waiting = calloc(depth, sizeof *s->waiting);
    s->done = calloc(depth, sizeof *s->done);
    s->free_slots = calloc(depth, sizeof *s->free_slots);
    s->buffers = aligned_alloc(4096, (size_t)depth * s->r->block);
    if (!s->slots || !s->waiting || !s->done || !s->free_slots || !s->buffers)
        return err_no_memory(e, "%u buffers of %u bytes", depth, s->r->block);
    for (unsigned slot = 0; slot < depth; slot++)
        s->free_slots[s->free_count++] = (uint16_t)(depth - 1 - slot);
    return 0;
}

int sector_read(const struct sector_read *r, struct err *e)
{
    struct reader s = {.r = r};
    clock_calibrate(&s.clock, 40, false);
    int status = reserve(&s, e);
    const struct io_setup setup = {.clock = &s.clock,
                                   .fd = r->fd,
                                   .direct = !r->buffered,
                                   .nvme = r->nvme,
                                   .scsi = r->scsi,
                                   .iodepth = r->depth,
                                   .buffers = s.buffers,
                                   .buffer_stride = r->block,
                                   .iopoll = IO_OFF};
    if (!status)
        status = r->ops->open(&s.backend, &setup, e);
    if (!status) {
        status = read_all(&s, e);
        s.backend.ops->close(&s.backend);
    }
    free(s.buffers);
    free(s.free_slots);
    free(s.done);
    free(s.waiting);
    free(s.slots);
    return status;
}
