/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of io_submit, combined from three calls: submitted, accepted, and returned by
   io_getevents. */
#include "program/observe/internal.h"

#include <fcntl.h>
#include <sys/syscall.h>

/* A request's key is made from its address in its process, and never equals the key of a thread. */
static uint64_t key_of(uint32_t process, uint64_t address)
{
    return ((address ^ (uint64_t)process << 42) * 0x9e3779b97f4a7c15u) | 1ull << 63;
}

/* The call itself is in flight, too, but is not counted: it only leads to its requests. */
void submit_begins(struct recorder *r, const struct tracepoint_event *event,
                   const struct io_call_begin *call)
{
    int64_t requests = (int64_t)call->arguments[1];
    r->uncounted.aio_requests += requests > 0 ? (uint64_t)requests : 0;
    struct flight *f = flight_begin(&r->calls_in_flight, event->thread);
    if (f)
        f->number = call->number;
}

void submit_request(struct recorder *r, const struct tracepoint_event *event,
                    const struct io_call_begin *request)
{
    const struct io_ring_row *row = io_submit_row_of(request->number);
    const uint64_t key = key_of(event->process, request->arguments[0]);
    r->uncounted.aio_seen++;
    struct flight *f = flight_find(&r->calls_in_flight, key);
    if (f) {
        r->uncounted.aio_reused++;
        calls_leave(r, f);
    }
    f = flight_begin(&r->calls_in_flight, key);
    if (!f) {
        r->uncounted.crowded++;
        return;
    }
    f->begin_ns = event->time_ns;
    f->process = event->process;
    f->number = request->number;
    f->place = (uint32_t)request->arguments[4];
    struct flight *call = flight_find(&r->calls_in_flight, event->thread);
    if (call && call->number == SYS_io_submit) {
        f->before = call->before;
        call->before = key;
    }
    if (!row) /* it waits for a descriptor, or does nothing */
        return;
    f->file = calls_file(r, request, row->kind, event->process, 3);
    f->offset = row->kind == IO_CALL_WRITE && (request->flags & O_APPEND) ? request->size
                                                                          : request->arguments[1];
    f->asked = calls_asked(row->length, request->arguments[2], request->arguments[2]);
    f->own = calls_file_counts(f->file);
    if (f->own)
        level_begin(&r->calls);
}

/* Counts the request if it is an I/O, and removes it. */
static void request_ends(struct recorder *r, struct flight *f, uint64_t end_ns, int64_t result)
{
    const struct io_ring_row *row = io_submit_row_of(f->number);
    r->uncounted.aio_ended++;
    calls_leave(r, f);
    if (row)
        calls_count(r, f->file, calls_op(row->kind), f, f->offset, end_ns, result);
    flight_remove(&r->calls_in_flight, f);
}

/* Requests that the kernel did not accept are the last ones of the call, and cannot have been
   returned. */
void submit_ends(struct recorder *r, const struct tracepoint_event *event, int64_t taken)
{
    struct flight *call = flight_find(&r->calls_in_flight, event->thread), *f;
    if (!call || call->number != SYS_io_submit)
        return;
    uint64_t key = call->before;
    flight_remove(&r->calls_in_flight, call);
    while (key && (f = flight_find(&r->calls_in_flight, key)) && (int64_t)f->place >= taken) {
        key = f->before;
        if (taken < 0 && f->place == 0) {
            request_ends(r, f, event->time_ns, taken);
            continue;
        }
        r->uncounted.aio_refused++;
        calls_leave(r, f);
        flight_remove(&r->calls_in_flight, f);
    }
}

void submit_reaped(struct recorder *r, const struct tracepoint_event *event,
                   const struct io_submit_end *end)
{
    for (uint32_t i = 0; i < end->count; i++) {
        uint64_t key = key_of(event->process, end->ends[i].request);
        struct flight *f = flight_find(&r->calls_in_flight, key);
        if (f)
            request_ends(r, f, event->time_ns, end->ends[i].result);
        else
            r->uncounted.unmatched++;
    }
}
