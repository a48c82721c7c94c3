/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes sequentially with a constant depth, and flushes in between. While `depth` writes are in
 * flight, as many further blocks are filled, so that the successor of a completed request is ready.
 */
#include <errno.h>
#include <linux/fs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/io.h"
#include "machine/accept/internal.h"

#define SAMPLE_SECONDS 1.0
#define WATCH_SECONDS  0.2
#define SLOTS(w)       (2 * (w)->depth) /* blocks in flight, and as many that are filled ahead */
#define FLUSH_SLOT(w)  ((uint16_t)SLOTS(w))

/* The state of the writing. */
struct writer {
    const struct sequential_write *w;
    struct clock clock;
    struct io_backend backend;
    unsigned char *buffers;
    uint16_t *free_slots; /* a stack */
    unsigned free_count;
    uint64_t *offsets; /* offset of the request in each slot; UINT64_MAX: no request */
    uint32_t *lengths;
    struct io_req *requests; /* filled, not yet in flight */
    struct io_done *done;
    unsigned waiting; /* number of requests in `requests` */
    unsigned in_flight;
    uint64_t next; /* the first byte that no request covers yet */
    bool pausing;
    bool flushing;       /* a flush is in flight */
    uint64_t flush_mark; /* everything before this offset had been written when the flush began */
    uint64_t flushed;
    struct sequential_sample samples[SEQUENTIAL_SAMPLES];
    /* number of samples, and of those that began before the flush in flight */
    unsigned sample_count, sample_mark;
    uint64_t sample_bytes;
    /* times in ticks; 0: never */
    uint64_t last_sample, last_flush, last_watch, last_done, last_report;
    double flush_seconds; /* seconds between flushes; longer if reports are slow */
    double rate;
};

static double since(const struct writer *s, uint64_t instant, uint64_t now)
{
    return now > instant ? (double)clock_ns(&s->clock, now - instant) * 1e-9 : 0;
}

/* Returns the offset up to which everything has been written: no request in flight or waiting
   begins before it. */
static uint64_t written_to(const struct writer *s)
{
    uint64_t lowest = s->next;
    for (unsigned slot = 0; slot < SLOTS(s->w); slot++)
        if (s->offsets[slot] < lowest)
            lowest = s->offsets[slot];
    return lowest;
}

/* ---- requests ---- */

/* Fills the next block, if a buffer is free. */
static bool fill_next(struct writer *s)
{
    const struct sequential_write *w = s->w;
    if (!s->free_count || s->next >= w->end || s->pausing || (w->stop && *w->stop))
        return false;
    uint16_t slot = s->free_slots[--s->free_count];
    uint64_t left = w->end - s->next;
    uint32_t length = left < w->block ? (uint32_t)left : w->block;
    w->fill(w->context, s->buffers + (size_t)slot * w->block, length, s->next);
    s->offsets[slot] = s->next;
    s->lengths[slot] = length;
    s->requests[s->waiting++] = (struct io_req){
        .offset = s->next, .length = length, .slot = slot, .command = REQUEST_WRITE};
    s->next += length;
    return true;
}

static void ask_flush(struct writer *s, uint64_t now)
{
    s->flushing = true;
    s->flush_mark = written_to(s);
    s->sample_mark = s->sample_count;
    s->last_flush = now;
    memmove(s->requests + 1, s->requests, s->waiting * sizeof *s->requests);
    s->requests[0] = (struct io_req){.slot = FLUSH_SLOT(s->w), .command = REQUEST_FLUSH};
    s->waiting++;
}

static int failed(const struct writer *s, const char *what, uint64_t offset, int error,
                  struct err *e)
{
    return err_set(e, ERR_TARGET, "%.200s: %s at byte %llu: %s%s", s->w->path, what,
                   (unsigned long long)offset, strerror(error),
                   accept_drive_state(s->w->fd, error));
}

/* ---- completions ---- */

static int report(struct writer *s, struct err *e)
{
    const struct sequential_write *w = s->w;
    uint64_t now = clock_ticks(&s->clock);
    const struct sequential_reached r = {.flushed = s->flush_mark,
                                         .seconds = since(s, s->last_report, now),
                                         .samples = s->samples,
                                         .sample_count = s->sample_mark};
    s->flushing = false;
    s->flushed = s->flush_mark;
    s->last_report = now;
    int status = w->reached(w->context, &r, e);
    s->sample_count -= s->sample_mark;
    memmove(s->samples, s->samples + s->sample_mark, s->sample_count * sizeof *s->samples);
    s->sample_mark = 0;
    /* Reports go to another medium, which may be slow. They may take a hundredth of the time. */
    s->flush_seconds = fmax(w->flush_seconds, 100 * since(s, now, clock_ticks(&s->clock)));
    return status;
}

static int take(struct writer *s, const struct io_done *d, struct err *e)
{
    s->in_flight--;
    if (d->slot == FLUSH_SLOT(s->w))
        return d->error ? failed(s, "a flush failed", s->flush_mark, d->error, e) : report(s, e);
    uint64_t offset = s->offsets[d->slot];
    if (d->error)
        return failed(s, "a write failed", offset, d->error, e);
    if (d->bytes != s->lengths[d->slot])
        return failed(s, "a write came back incomplete", offset, EIO, e);
    s->offsets[d->slot] = UINT64_MAX;
    s->free_slots[s->free_count++] = d->slot;
    s->sample_bytes += d->bytes;
    return 0;
}

static int look_at_time(struct writer *s, uint64_t now, struct err *e)
{
    const struct sequential_write *w = s->w;
    double seconds = since(s, s->last_sample, now);
    if (s->sample_count < SEQUENTIAL_SAMPLES && s->sample_bytes &&
        (seconds >= fmax(SAMPLE_SECONDS, w->sample_seconds) ||
         s->sample_bytes >= w->sample_bytes) &&
        seconds < 4000) {
        s->samples[s->sample_count++] = (struct sequential_sample){
            .bytes = s->sample_bytes, .microseconds = (uint32_t)(seconds * 1e6)};
        s->rate = (double)s->sample_bytes / seconds;
        s->sample_bytes = 0;
        s->last_sample = now;
    }
    if (since(s, s->last_watch, now) >= WATCH_SECONDS) {
        s->last_watch = now;
        bool was = s->pausing;
        int wait = w->watch(w->context, s->next, s->rate, e);
        if (wait < 0)
            return -1;
        s->pausing = wait > 0;
        if (was && !s->pausing) /* a pause belongs to no sample */
            s->last_sample = now;
    }
    bool due = since(s, s->last_flush, now) >= s->flush_seconds ||
               s->sample_count >= SEQUENTIAL_SAMPLES / 2;
    if (due && !s->flushing && written_to(s) > s->flushed)
        ask_flush(s, now);
    return 0;
}

/* ---- the loop ---- */

static int submit(struct writer *s, struct err *e)
{
    unsigned room = s->w->depth + s->flushing - s->in_flight;
    unsigned ready = s->waiting < room ? s->waiting : room;
    if (!ready)
        return 0;
    int sent = s->backend.ops->submit(&s->backend, s->requests, ready, e);
    if (sent < 0)
        return -1;
    s->waiting -= (unsigned)sent;
    s->in_flight += (unsigned)sent;
    memmove(s->requests, s->requests + sent, s->waiting * sizeof *s->requests);
    return 0;
}

/* Sends requests that are ready, and handles completions; with `wait` it waits for one. */
static int exchange(struct writer *s, bool wait, struct err *e)
{
    const struct io_ops *ops = s->backend.ops;
    if (submit(s, e))
        return -1;
    uint64_t until = wait ? clock_ticks(&s->clock) +
                                clock_ticks_of_ns(&s->clock, (uint64_t)(WATCH_SECONDS * 1e9))
                          : 0;
    int count = ops->reap_until(&s->backend, s->done, SLOTS(s->w) + 1, until, e);
    if (count < 0)
        return -1;
    uint64_t now = clock_ticks(&s->clock);
    if (count || !s->in_flight)
        s->last_done = now;
    for (int i = 0; i < count; i++)
        if (take(s, &s->done[i], e))
            return -1;
    if (since(s, s->last_done, now) > s->w->answer_seconds)
        return err_set(e, ERR_TARGET,
                       "%.200s: it has not answered for %.0f s; %u requests are still with it",
                       s->w->path, s->w->answer_seconds, s->in_flight);
    return look_at_time(s, now, e);
}

static bool is_over(const struct writer *s)
{
    const struct sequential_write *w = s->w;
    bool none_more = s->next == w->end || (w->stop && *w->stop);
    return none_more && !s->in_flight && !s->waiting;
}

static int write_all_of_it(struct writer *s, struct err *e)
{
    const struct sequential_write *w = s->w;
    while (!is_over(s)) {
        bool filled = fill_next(s);
        if (exchange(s, !filled, e))
            return -1;
    }
    /* the last sample counts, however short it is */
    uint64_t now = clock_ticks(&s->clock);
    double seconds = since(s, s->last_sample, now);
    if (s->sample_bytes && s->sample_count < SEQUENTIAL_SAMPLES)
        s->samples[s->sample_count++] = (struct sequential_sample){
            .bytes = s->sample_bytes, .microseconds = (uint32_t)(fmin(seconds, 4000) * 1e6)};
    ask_flush(s, now);
    while (s->in_flight || s->waiting)
        if (exchange(s, true, e))
            return -1;
    return s->next < w->end ? err_set(e, ERR_UNDECIDED, "%.200s: stopped at byte %llu", w->path,
                                      (unsigned long long)s->flushed)
                            : 0;
}

static int reserve(struct writer *s, struct err *e)
{
    unsigned slots = SLOTS(s->w) + 1;
    s->free_slots = calloc(slots, sizeof *s->free_slots);
    s->offsets = calloc(slots, sizeof *s->offsets);
    s->lengths = calloc(slots, sizeof *s->lengths);
    s->requests = calloc(slots, sizeof *s->requests);
    s->done = calloc(slots, sizeof *s->done);
    s->buffers = aligned_alloc(4096, (size_t)slots * s->w->block);
    if (!s->free_slots || !s->offsets || !s->lengths || !s->requests || !s->done || !s->buffers)
        return err_no_memory(e, "%u buffers of %u bytes", slots, s->w->block);
    for (unsigned slot = 0; slot < SLOTS(s->w); slot++) {
        s->free_slots[s->free_count++] = (uint16_t)(SLOTS(s->w) - 1 - slot);
        s->offsets[slot] = UINT64_MAX;
    }
    return 0;
}

int sequential_write(const struct sequential_write *w, struct err *e)
{
    struct writer *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "writing");
    *s = (struct writer){
        .w = w, .next = w->begin, .flushed = w->begin, .flush_seconds = w->flush_seconds};
    clock_calibrate(&s->clock, 40, false);
    int status = reserve(s, e);
    const struct io_setup setup = {.clock = &s->clock,
                                   .fd = w->fd,
                                   .direct = true,
                                   .iodepth = SLOTS(w) + 1,
                                   .buffers = s->buffers,
                                   .buffer_stride = w->block,
                                   .iopoll = IO_OFF,
                                   .flushes = true};
    if (!status)
        status = w->ops->open(&s->backend, &setup, e);
    if (!status) {
        s->last_sample = s->last_flush = s->last_done = s->last_report = clock_ticks(&s->clock);
        status = write_all_of_it(s, e);
        s->backend.ops->close(&s->backend);
    }
    free(s->buffers);
    free(s->done);
    free(s->requests);
    free(s->lengths);
    free(s->offsets);
    free(s->free_slots);
    free(s);
    return status;
}
