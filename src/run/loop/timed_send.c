/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timed loop's side of the backend: assigns slots, makes data, issues requests, takes
   completions. */
#include "run/loop/internal.h"

/* Returns the length that fits into the slot's buffer; if the source asks for more, the I/O becomes
   a short one. */
static uint32_t length_of(const struct worker *w, const struct generated_request *request)
{
    size_t room = w->setup.buffer_stride;
    if (request->command == REQUEST_TRIM)
        return request->length;
    return request->length < room ? request->length : (uint32_t)room;
}

static void fill(struct worker *w, const struct generated_request *request, uint16_t slot)
{
    struct workload *load = &w->workload;
    workload_fill(load, load->buffers + (size_t)slot * load->buffer_stride, length_of(w, request),
                  load->base + request->offset);
}

void timed_prepare_next(struct worker *w, const struct generated_request *request)
{
    struct timed *t = w->timed;
    if (!request_sends_data(request->command) || t->is_prepared || !t->free_count || w->ledger)
        return;
    fill(w, request, t->free[t->free_count - 1]);
    t->prepared = *request;
    t->is_prepared = true;
}

void timed_assign(struct worker *w, const struct generated_request *request, uint64_t due)
{
    struct timed *t = w->timed;
    uint16_t slot = t->free[--t->free_count];
    if (request_sends_data(request->command)) {
        bool ready = t->is_prepared && t->prepared.offset == request->offset &&
                     t->prepared.length == request->length;
        if (!ready)
            fill(w, request, slot);
        if (w->ledger)
            ledger_stamp(w->ledger, w->workload.buffers + (size_t)slot * w->workload.buffer_stride,
                         length_of(w, request), w->workload.base + request->offset);
        w->workload.writes++;
    }
    if (request->command == REQUEST_TRIM && w->workload.ranges > 1)
        workload_part_ranges(&w->workload,
                             w->workload.buffers + (size_t)slot * w->workload.buffer_stride,
                             w->workload.base + request->offset, request->length);
    t->is_prepared = false;
    t->slots[slot] = (struct timed_slot){.request = *request, .due = due};
    w->slot_offset[slot] = w->workload.base + request->offset;
    w->waiting[t->waiting++] =
        (struct io_req){.offset = w->slot_offset[slot],
                        .length = length_of(w, request),
                        .slot = slot,
                        .command = request->command,
                        .kind = request->command == REQUEST_TRIM ? (uint8_t)(w->workload.ranges - 1)
                                                                 : request->kind};
}

/* Frees a slot. No request waits for a slot any more. */
static void free_slot(struct worker *w, const struct io_done *done)
{
    struct timed *t = w->timed;
    unsigned at = t->free_count++;
    if (t->is_prepared) { /* the prepared request keeps the next slot */
        t->free[at] = t->free[at - 1];
        at--;
    }
    t->free[at] = done->slot;
    if (t->blocked) {
        t->statistics.no_slot_ns += clock_ns(w->clock, done->t_cpl - t->blocked);
        t->blocked = 0;
    }
}

static void end_writes(struct worker *w, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct io_done *done = &w->completions[i];
        const struct generated_request *request = &w->timed->slots[done->slot].request;
        uint32_t asked = length_of(w, request);
        if (request_sends_data(request->command))
            ledger_end(w->ledger, asked, w->slot_offset[done->slot],
                       !done->error && done->bytes == asked);
    }
}

void timed_forget_waiting(struct worker *w)
{
    struct timed *t = w->timed;
    for (unsigned i = 0; i < t->waiting && w->ledger; i++)
        if (request_sends_data(w->waiting[i].command))
            ledger_end(w->ledger, w->waiting[i].length, w->waiting[i].offset, false);
    t->waiting = 0;
}

static void complete(struct worker *w, unsigned n)
{
    struct timed *t = w->timed;
    const struct request_source *source = &w->source;
    if (w->ledger)
        end_writes(w, n);
    for (unsigned i = 0; i < n; i++) {
        w->completions[i].t_sub -= (uint64_t)t->skew;
        w->completions[i].t_cpl -= (uint64_t)t->skew;
    }
    timed_account_records(w, w->completions, n);
    for (unsigned i = 0; i < n; i++) {
        const struct io_done *done = &w->completions[i];
        timed_account_completed(w, done);
        if (source->ops->completed)
            source->ops->completed(source->state, &t->slots[done->slot].request,
                                   clock_track_ns(&t->track, done->t_cpl), done->error);
        free_slot(w, done);
    }
}

/* Notes that the backend has taken the first `sent` waiting requests. */
static void note_sent(struct worker *w, unsigned sent, uint64_t issued)
{
    struct timed *t = w->timed;
    timed_account_issued(w, w->waiting, sent, issued);
    t->waiting -= sent;
    for (unsigned i = 0; i < t->waiting; i++)
        w->waiting[i] = w->waiting[sent + i];
}

int timed_send(struct worker *w, unsigned min)
{
    struct timed *t = w->timed;
    struct io_backend *b = &w->backend;
    uint64_t before = timed_now(w);
    int sent = w->ops->submit(b, w->waiting, t->waiting, &w->error);
    if (sent < 0)
        return -1;
    int got = w->ops->reap(b, w->completions, min, w->setup.iodepth, &w->error);
    if (w->ops->serial && got > 0) { /* a serial backend had only one request */
        t->busy_from = w->completions[0].t_sub - (uint64_t)t->skew;
        t->busy_until = w->completions[0].t_cpl - (uint64_t)t->skew;
        note_sent(w, (unsigned)sent, t->busy_from);
    } else {
        uint64_t issued = b->handed_over - (uint64_t)t->skew;
        note_sent(w, (unsigned)sent, b->handed_over && issued > before ? issued : before);
    }
    if (got > 0)
        complete(w, (unsigned)got);
    return got;
}

int timed_reap(struct worker *w)
{
    int got = w->ops->reap(&w->backend, w->completions, 0, w->setup.iodepth, &w->error);
    if (got > 0)
        complete(w, (unsigned)got);
    return got;
}

int timed_reap_until(struct worker *w, uint64_t until)
{
    int got = w->ops->reap_until(&w->backend, w->completions, w->setup.iodepth,
                                 until + (uint64_t)w->timed->skew, &w->error);
    if (got > 0)
        complete(w, (unsigned)got);
    return got;
}
