/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Combines the begins and ends of system calls, io_uring requests and io_submit requests to I/Os on
 * files. A request of io_submit is combined from three calls: submitted, accepted, and returned by
 * io_getevents. All kinds share how a file is found, what bytes are requested, and how an attempt
 * counts.
 */
#include "program/observe/internal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The kernel moves at most this much in one call, even if more is requested (MAX_RW_COUNT). */
#define ASKED_MAX 0x7ffff000u

/* What calls_file returns for a descriptor without a file. */
enum { NOTHING = -1 - FILE_NONE };

static bool calls_file_counts(int32_t file)
{
    return file >= 0;
}

static enum file_class class_of(int32_t file)
{
    return (enum file_class)(-1 - file);
}

static enum recording_op calls_op(enum io_call_kind kind)
{
    return kind == IO_CALL_READ    ? RECORDING_READ
           : kind == IO_CALL_WRITE ? RECORDING_WRITE
                                   : RECORDING_FLUSH;
}

/*
 * Returns the file of one side of a call: the index of a counted file, or -1 - its class for a file
 * that is not counted.
 */
static int32_t calls_file(struct recorder *r, const struct io_call_begin *call,
                          enum io_call_kind kind, uint32_t process, int argument)
{
    enum file_class found = file_class_of(call);
    bool counted = found == FILE_REGULAR || found == FILE_BLOCK ||
                   (found == FILE_FOLDER && kind == IO_CALL_FLUSH);
    return counted ? files_find(&r->files, call, found, process, call->arguments[argument])
                   : -1 - (int32_t)found;
}

static uint64_t calls_asked(enum io_length length, uint64_t bytes, uint64_t of_vectors)
{
    bool is_unknown = length == IO_LENGTH_UNKNOWN ||
                      (length == IO_LENGTH_VECTORS && of_vectors == IO_ASKED_UNKNOWN);
    if (length == IO_LENGTH_NONE || is_unknown)
        return is_unknown ? IO_ASKED_UNKNOWN : 0;
    uint64_t asked = length == IO_LENGTH_VECTORS ? of_vectors : bytes;
    return asked < ASKED_MAX ? asked : ASKED_MAX;
}

/* Ends the call's time in flight. Only calls on files have one, since waiting on a pipe does not
   count. */
static void calls_leave(struct recorder *r, const struct flight *f)
{
    if (f->own)
        level_leave(&r->calls);
}

/* Counts the I/O on one of the files of a call that has ended. */
static void calls_count(struct recorder *r, int32_t index, enum recording_op op,
                        const struct flight *f, uint64_t offset, uint64_t end_ns, int64_t result)
{
    uint64_t moved = result > 0 && op != RECORDING_FLUSH ? (uint64_t)result : 0;
    if (!calls_file_counts(index)) {
        r->uncounted.calls[class_of(index)]++;
        r->uncounted.bytes[class_of(index)] += moved;
        return;
    }
    bool is_known = f->asked != IO_ASKED_UNKNOWN;
    const struct level_io io = {.op = op,
                                .begin_ns = f->begin_ns,
                                .end_ns = end_ns,
                                .asked = is_known ? f->asked : moved,
                                .moved = moved,
                                .failed = result < 0};
    if (op == RECORDING_READ && result == 0) {
        r->uncounted.end_of_file++;
        level_add_attempt(&r->calls, &io);
        trace_attempt(r, &io, io.asked);
        return;
    }
    r->uncounted.asked_unknown += !is_known;
    struct file *file = &r->files.rows[index];
    level_add(&r->calls, &io);
    series_add(&r->series, f->begin_ns, moved);
    stretches_add(&r->stretches, &io);
    file->sums.count[op]++;
    file->sums.bytes[op] += moved;
    file->next = offset + moved;
    if (!r->trace)
        return;
    struct level_io whole = io;
    whole.asked = io.failed ? io.asked : moved;
    if (io.asked > whole.asked)
        trace_attempt(r, &io, io.asked - whole.asked);
    if (op != RECORDING_FLUSH && whole.asked == 0)
        return; /* a trace has no place for a call without bytes */
    trace_io(r, trace_number_of(r, &file->trace, file->sums.name, file->sums.size), &whole,
             op == RECORDING_FLUSH ? 0 : offset, f->process, TRACE_SYSCALL, 0);
}

/* Makes the key of a request from its address in its process. It never equals the key of a thread.
 */
static uint64_t key_of(uint32_t process, uint64_t address)
{
    return ((address ^ (uint64_t)process << 42) * 0x9e3779b97f4a7c15u) | 1ull << 63;
}

/*
 * Handles io_submit at its begin. A request of it is an I/O from the begin of that call until
 * io_getevents returns it, which is when the program learns of its end. A request that the kernel
 * did not accept is not an I/O, with one exception: the first request of a call that failed counts
 * as an attempt, like any call that failed, and ends with io_submit.
 *
 * The call itself is in flight, too, but is not counted, because it only leads to its requests.
 */
static void submit_begins(struct recorder *r, const struct tracepoint_event *event,
                          const struct io_call_begin *call)
{
    int64_t requests = (int64_t)call->arguments[1];
    r->uncounted.aio_requests += requests > 0 ? (uint64_t)requests : 0;
    struct flight *f = flight_begin(&r->calls_in_flight, event->thread);
    if (f)
        f->number = call->number;
}

static void submit_request(struct recorder *r, const struct tracepoint_event *event,
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
    if (!row) /* no I/O: the request waits for a descriptor, or does nothing */
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

/* Handles the end of io_submit. The requests that the kernel did not accept are the last ones of
   the call, and io_getevents cannot have returned them. */
static void submit_ends(struct recorder *r, const struct tracepoint_event *event, int64_t taken)
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

static void submit_reaped(struct recorder *r, const struct tracepoint_event *event,
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

/* Counts requests and mappings that bypass the system calls, so that the report can mention them.
 */
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
        /* The offset, to which the argument points, is not known: assume that the I/O follows the
           last one. */
        return r->files.rows[file].next;
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
        r->uncounted.unmatched++; /* the event of the earlier call's end was lost */
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

/* Handles a request that io_uring takes. Its file is known only when it is done. */
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
    /* the request may use a descriptor of io_uring's own table */
    const uint64_t no_descriptor = UINT32_MAX;
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
