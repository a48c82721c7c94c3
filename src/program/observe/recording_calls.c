/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls: combines their begins and ends to I/Os on files. */
#include "program/observe/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* A descriptor without a file: see calls_file. */
enum { NOTHING = -1 - FILE_NONE };

/* Counts requests that bypass the calls, which the report must mention. */
static void note_requests(struct recorder *r, const struct io_call_row *row,
                          const struct io_call_begin *call)
{
    if (row->kind == IO_CALL_RING)
        r->uncounted.ring_requests += (uint32_t)call->arguments[1];
    else if ((call->arguments[3] & MAP_ANONYMOUS) || !(call->arguments[3] & MAP_SHARED) ||
             file_class_of(call) > FILE_BLOCK)
        return;
    else if (call->arguments[2] & PROT_WRITE)
        r->uncounted.writing_maps++;
    else
        r->uncounted.reading_maps++;
}

static uint64_t offset_of(const struct recorder *r, const struct io_call_row *row,
                          const struct io_call_begin *call, int32_t file, bool writes)
{
    int pointer = writes ? row->write_pointer : row->read_pointer;
    if (pointer >= 0 && call->arguments[pointer] && calls_file_counts(file))
        return r->files.rows[file].next; /* the offset in memory is not known: assume that it
                                            follows on the last one */
    if (writes && (call->flags & O_APPEND))
        return call->size;
    if (row->offset >= 0 && call->arguments[row->offset] != UINT64_MAX)
        return call->arguments[row->offset];
    return call->position;
}

static void call_begins(struct recorder *r, const struct tracepoint_event *event,
                        const struct io_call_begin *call)
{
    const struct io_call_row *row = io_call_row_of(call->number);
    if (!row)
        return;
    if (call->compat) {
        r->uncounted.foreign++;
        return;
    }
    if (row->kind >= IO_CALL_RING && row->kind != IO_CALL_AIO) {
        note_requests(r, row, call);
        return;
    }
    struct flight *f = flight_find(&r->calls_in_flight, event->thread);
    if (call->part != IO_CALL_FIRST) { /* the second file of the call */
        if (!f || f->number != call->number)
            return;
        f->second = calls_file(r, call, row->kind, event->process, row->write_file);
        f->second_offset = offset_of(r, row, call, f->second, true);
        return;
    }
    if (f) {
        r->uncounted.unmatched++; /* the event of its end was lost */
        calls_leave(r, f);
    }
    if (row->kind == IO_CALL_AIO) {
        submit_begins(r, event, call);
        return;
    }
    f = flight_begin(&r->calls_in_flight, event->thread);
    if (!f) {
        r->uncounted.crowded++;
        return;
    }
    int argument = row->read_file >= 0 ? row->read_file : row->write_file;
    f->begin_ns = event->time_ns;
    f->process = event->process;
    f->number = call->number;
    f->file = calls_file(r, call, row->kind, event->process, argument);
    f->offset = offset_of(r, row, call, f->file, row->read_file < 0);
    f->asked = calls_asked(row->length, call->arguments[2], call->arguments[1]);
    f->second = NOTHING;
    f->own = calls_file_counts(f->file);
    if (f->own)
        level_begin(&r->calls);
}

static void call_ends(struct recorder *r, const struct tracepoint_event *event,
                      const struct io_call_end *end)
{
    const struct io_call_row *row = io_call_row_of(end->number);
    if (row && row->kind == IO_CALL_AIO)
        submit_ends(r, event, end->result);
    if (!row || row->kind >= IO_CALL_RING)
        return;
    struct flight *f = flight_find(&r->calls_in_flight, event->thread);
    if (!f || f->number != end->number) {
        r->uncounted.unmatched++;
        return;
    }
    calls_leave(r, f);
    switch (row->kind) {
    case IO_CALL_READ:
        calls_count(r, f->file, RECORDING_READ, f, f->offset, event->time_ns, end->result);
        break;
    case IO_CALL_WRITE:
        calls_count(r, f->file, RECORDING_WRITE, f, f->offset, event->time_ns, end->result);
        break;
    case IO_CALL_FLUSH:
        calls_count(r, f->file, RECORDING_FLUSH, f, 0, event->time_ns, end->result);
        break;
    case IO_CALL_MOVE:
        calls_count(r, f->file, RECORDING_READ, f, f->offset, event->time_ns, end->result);
        if (end->result > 0 || !calls_file_counts(f->file))
            calls_count(r, f->second, RECORDING_WRITE, f, f->second_offset, event->time_ns,
                        end->result);
        break;
    default:
        break;
    }
    flight_remove(&r->calls_in_flight, f);
}

/* ---- io_uring ---- */

/* The file of a request is known when it is done. */
static void ring_begins(struct recorder *r, const struct tracepoint_event *event,
                        const struct io_call_begin *request)
{
    const struct io_ring_row *row = io_ring_row_of(request->number);
    struct flight *f = row ? flight_begin(&r->calls_in_flight, request->arguments[0]) : NULL;
    if (!f) {
        r->uncounted.crowded += row != NULL;
        return;
    }
    f->begin_ns = event->time_ns;
    f->process = event->process;
    f->number = request->number;
    f->offset = request->arguments[1];
    f->asked = calls_asked(row->length, request->arguments[2], request->arguments[2]);
    r->uncounted.ring_seen++;
    level_begin(&r->calls);
}

static void ring_ends(struct recorder *r, const struct tracepoint_event *event,
                      const struct io_call_begin *request)
{
    const struct io_ring_row *row = io_ring_row_of(request->number);
    struct flight *f = flight_find(&r->calls_in_flight, request->arguments[0]);
    if (!row || !f || f->number != request->number) {
        r->uncounted.ring_again += row != NULL;
        return;
    }
    level_leave(&r->calls);
    const uint64_t no_descriptor = UINT32_MAX; /* it may be one of io_uring's own descriptors */
    struct io_call_begin file = *request;
    file.arguments[0] = no_descriptor;
    int32_t index = calls_file(r, &file, row->kind, event->process, 0);
    uint64_t offset = f->offset == UINT64_MAX ? request->position : f->offset;
    calls_count(r, index, calls_op(row->kind), f, offset, event->time_ns,
                (int32_t)request->arguments[1]);
    flight_remove(&r->calls_in_flight, f);
}

void calls_event(struct recorder *r, const struct tracepoint_event *event)
{
    struct io_call_begin begin;
    struct io_call_end end;
    struct io_submit_end reaped;
    if (io_call_end_of(event, &end)) {
        call_ends(r, event, &end);
        return;
    }
    if (io_submit_end_of(event, &reaped)) {
        submit_reaped(r, event, &reaped);
        return;
    }
    if (!io_call_begin_of(event, &begin))
        return;
    processes_add(r, event->process);
    switch (begin.part) {
    case IO_CALL_MORE:
        files_add_path(&r->files, &begin);
        break;
    case IO_RING_BEGIN:
        ring_begins(r, event, &begin);
        break;
    case IO_SUBMIT_BEGIN:
        submit_request(r, event, &begin);
        break;
    case IO_RING_END:
        ring_ends(r, event, &begin);
        break;
    default:
        call_begins(r, event, &begin);
    }
}
