/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls the backend for the timed loop: assigns slots, makes data, issues requests, takes
   completions. */
#include "run/loop/internal.h"

/*
 * Counts requests with due times at their issue and at their completion, and the time in between.
 */

/* Returns the longest time that is walked through slice by slice. After a longer stop of the
   processor's clock, slices are skipped, because nothing completed in them. */
static uint64_t longest_walk(const struct worker *w)
{
    return (uint64_t)w->intervals.capacity / 2 * INTERVAL_SLICES * w->order->slice_ticks;
}

static void enter_slice(struct worker *w)
{
    struct timed *t = w->timed;
    t->slice_in_flight = 0;
    if (w->loss || !w->interval->timing) {
        t->discarded = (struct slice_timing){0};
        t->slice = &t->discarded;
        return;
    }
    t->slice = &w->interval->timing->slices[w->slice_number % INTERVAL_SLICES];
}

void timed_account_begin(struct worker *w)
{
    struct timed *t = w->timed;
    account_begin_round(w);
    t->next_backlog = 0;
    enter_slice(w);
}

/* Advances the time to `until`, which is in the slice or is its end. The number in flight stays the
   same. */
static void pass_time(struct worker *w, uint64_t until)
{
    struct timed *t = w->timed;
    uint64_t passed = until - w->busy_until;
    if (t->in_flight) {
        *w->busy += passed;
        t->slice_in_flight += passed * t->in_flight;
    }
    w->busy_until = until;
}

void timed_account_end(struct worker *w)
{
    w->timed->slice->in_flight_ns += clock_ns(w->clock, w->timed->slice_in_flight);
    w->timed->slice_in_flight = 0;
}

static void leave_slice(struct worker *w, uint64_t enter)
{
    timed_account_end(w);
    account_advance_slice(w, enter, w->timed->in_flight ? w->timed->busy_since : UINT64_MAX);
    enter_slice(w);
}

static __attribute__((noinline)) void walk_slices(struct worker *w, uint64_t now)
{
    if (now - w->slice_end > longest_walk(w)) {
        pass_time(w, w->slice_end);
        leave_slice(w, now);
    }
    while (now >= w->slice_end) {
        uint64_t end = w->slice_end;
        pass_time(w, end);
        leave_slice(w, end);
    }
}

void timed_account_advance(struct worker *w, uint64_t now)
{
    if (now <= w->busy_until)
        return;
    if (__builtin_expect(now >= w->slice_end, 0))
        walk_slices(w, now);
    pass_time(w, now);
}

static inline void add_latency(struct interval_histogram *h, uint64_t ns)
{
    size_t bucket = histogram_bucket(ns);
    if (ns < h->min)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
    if (__builtin_expect(bucket < HISTOGRAM_BUCKETS, 1))
        h->count[bucket]++;
    else
        h->over++;
}

void timed_account_issued(struct worker *w, const struct io_req requests[], unsigned n,
                          uint64_t issued)
{
    struct timed *t = w->timed;
    timed_account_advance(w, issued);
    if (!t->in_flight)
        t->busy_since = issued;
    t->in_flight += n;
    for (unsigned i = 0; i < n; i++) {
        struct timed_slot *slot = &t->slots[requests[i].slot];
        if (t->at_once)
            slot->due = issued;
        if (!operation_has_bytes((int)request_operation(requests[i].command)))
            continue;
        uint64_t late = issued > slot->due ? clock_ns(w->clock, issued - slot->due) : 0;
        t->slice->issued++;
        if (late > t->slice->late_max_ns)
            t->slice->late_max_ns = late;
        if (w->interval->timing)
            add_latency(&w->interval->timing->issue_error, late);
    }
}

/* Counts a request that completed in full, with its response time (since it was due) and its
   service time (since it was issued). */
static void count_success(struct worker *w, const struct io_done *done, enum operation op)
{
    struct timed *t = w->timed;
    const struct timed_slot *slot = &t->slots[done->slot];
    struct slice_op *to = &w->slice->op[op];
    uint64_t due = slot->due < done->t_sub ? slot->due : done->t_sub;
    uint64_t latency = clock_ns(w->clock, done->t_cpl - due);
    uint64_t service = clock_ns(w->clock, done->t_cpl - done->t_sub);
    to->ios++;
    to->bytes += w->ops->resizes ? 0 : done->bytes;
    to->latency_ns += latency;
    t->slice->service_ns[op] += service;
    add_latency(w->interval->latency[op], latency);
    if (w->interval->timing)
        add_latency(w->interval->timing->service[op], service);
    if (w->interval->kinds) {
        struct kind_latency *kind = &w->interval->kinds[slot->request.kind];
        kind->latency_ns += latency;
        add_latency(&kind->latency, latency);
    }
}

static void count_failure(struct worker *w, const struct io_done *done, enum operation op)
{
    const struct generated_request *request = &w->timed->slots[done->slot].request;
    w->slice->op[op].errors++;
    if (!w->failed++)
        w->failure = (struct io_failure){.error = done->error,
                                         .op = op,
                                         .offset = w->slot_offset[done->slot],
                                         .asked = request->length,
                                         .moved = done->bytes};
    if (account_is_fatal(done->error) || ++w->failed_in_a_row >= FAILED_IN_A_ROW)
        account_give_up(w);
}

/* Puts a request into the ring of finished requests, with its time since issue, and notes it among
   the slowest requests, with its time since the due instant. */
static void keep(struct worker *w, const struct io_done *done, bool failed)
{
    const struct timed_slot *slot = &w->timed->slots[done->slot];
    struct finished_request request = {.begin = done->t_sub,
                                       .end = done->t_cpl,
                                       .offset = w->slot_offset[done->slot],
                                       .length = slot->request.length,
                                       .worker = (uint16_t)w->number,
                                       .command = slot->request.command,
                                       .failed = failed};
    uint64_t head;
    if (w->traced.at && w->order->traced && finished_ring_room(&w->traced, 1, &head)) {
        *finished_ring_at(&w->traced, head) = request;
        atomic_store_explicit(&w->traced.head, head + 1, memory_order_release);
    }
    if (slot->due < request.begin)
        request.begin = slot->due;
    if (clock_ns(w->clock, request.end - request.begin) > w->slowest_floor_ns)
        account_slow(w, &request);
}

void timed_account_completed(struct worker *w, const struct io_done *done)
{
    struct timed *t = w->timed;
    const struct generated_request *request = &t->slots[done->slot].request;
    bool flush = !operation_has_bytes(done->op);
    bool failed = done->error || (!flush && done->bytes != request->length);
    keep(w, done, failed);
    timed_account_advance(w, done->t_cpl);
    t->in_flight--;
    if (!flush)
        w->slice->asked_bytes += w->ops->resizes ? 0 : request->length;
    if (failed) {
        count_failure(w, done, flush ? OPERATION_WRITE : (enum operation)done->op);
        return;
    }
    w->failed_in_a_row = 0;
    if (!flush && w->order->recording)
        count_success(w, done, (enum operation)done->op);
    w->counted++;
}

void timed_account_backlog(struct worker *w, uint64_t backlog)
{
    struct slice_timing *slice = w->timed->slice;
    if (backlog > slice->backlog_max)
        slice->backlog_max = backlog;
}

void timed_account_records(struct worker *w, const struct io_done done[], unsigned n)
{
    struct record_ring *ring = &w->records;
    if (!ring->shared || !w->order->recording)
        return;
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t room =
        ring->capacity - (head - atomic_load_explicit(&ring->tail, memory_order_acquire));
    unsigned kept = n < room ? n : (unsigned)room;
    for (unsigned i = 0; i < kept; i++) {
        const struct generated_request *request = &w->timed->slots[done[i].slot].request;
        struct io_done *record = &ring->records[head++ & (ring->capacity - 1)];
        *record = done[i];
        record->bytes = operation_has_bytes(done[i].op) ? request->length : 0;
    }
    atomic_store_explicit(&ring->head, head, memory_order_release);
    if (kept < n)
        atomic_fetch_add_explicit(&w->lost, n - kept, memory_order_relaxed);
}

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
    if (w->ops->serial && got > 0) { /* a serial backend did the one request during this call */
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
