/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls: from their begin and their end to I/Os on files. */
#include "observe/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* A descriptor is the index of a file that I/O is counted of, or else -1 - its class. */
enum { NOTHING = -1 - FILE_NONE };

/* The kernel takes no more in one call, whatever it is asked for (MAX_RW_COUNT). */
#define ASKED_MAX 0x7ffff000u

static bool is_counted(int32_t file)
{
    return file >= 0;
}

static enum file_class class_of(int32_t file)
{
    return (enum file_class)(-1 - file);
}

/* Requests that go past the calls, which the report must not be silent about. */
static void note_requests(struct recorder *r, const struct io_call_row *row,
                          const struct io_call_begin *call)
{
    if (row->kind == IO_CALL_RING)
        r->uncounted.ring_requests += (uint32_t)call->arguments[1];
    else if (row->kind == IO_CALL_AIO)
        r->uncounted.aio_requests += call->arguments[1];
    else if ((call->arguments[3] & MAP_ANONYMOUS) || !(call->arguments[3] & MAP_SHARED) ||
             file_class_of(call) > FILE_BLOCK)
        return;
    else if (call->arguments[2] & PROT_WRITE)
        r->uncounted.writing_maps++;
    else
        r->uncounted.reading_maps++;
}

/* The file of one side of the call, or -1 - its class. */
static int32_t find_file(struct recorder *r, const struct io_call_begin *call,
                         enum io_call_kind kind, uint32_t process, int argument)
{
    enum file_class found = file_class_of(call);
    bool counted = found == FILE_REGULAR || found == FILE_BLOCK ||
                   (found == FILE_FOLDER && kind == IO_CALL_FLUSH);
    return counted ? files_find(&r->files, call, found, process, call->arguments[argument])
                   : -1 - (int32_t)found;
}

static uint64_t offset_of(const struct recorder *r, const struct io_call_row *row,
                          const struct io_call_begin *call, int32_t file, bool writes)
{
    int pointer = writes ? row->write_pointer : row->read_pointer;
    if (pointer >= 0 && call->arguments[pointer] && is_counted(file))
        return r->files.rows[file].next; /* what it points to is not known: on from the last one */
    if (writes && (call->flags & O_APPEND))
        return call->size;
    if (row->offset >= 0 && call->arguments[row->offset] != UINT64_MAX)
        return call->arguments[row->offset];
    return call->position;
}

static uint64_t asked_of(enum io_length length, uint64_t bytes, uint64_t of_vectors)
{
    bool is_unknown = length == IO_LENGTH_UNKNOWN ||
                      (length == IO_LENGTH_VECTORS && of_vectors == IO_ASKED_UNKNOWN);
    if (length == IO_LENGTH_NONE || is_unknown)
        return is_unknown ? IO_ASKED_UNKNOWN : 0;
    uint64_t asked = length == IO_LENGTH_VECTORS ? of_vectors : bytes;
    return asked < ASKED_MAX ? asked : ASKED_MAX;
}

/* Only calls on files count as in flight: a wait at a pipe is none. */
static void leave(struct recorder *r, const struct flight *f)
{
    if (f->own)
        level_leave(&r->calls);
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
    if (row->kind >= IO_CALL_RING) {
        note_requests(r, row, call);
        return;
    }
    struct flight *f = flight_find(&r->calls_in_flight, event->thread);
    if (call->part != IO_CALL_FIRST) { /* the second file of the call */
        if (!f || f->number != call->number)
            return;
        f->second = find_file(r, call, row->kind, event->process, row->write_file);
        f->second_offset = offset_of(r, row, call, f->second, true);
        return;
    }
    if (f) {
        r->uncounted.unmatched++; /* its end was lost */
        leave(r, f);
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
    f->file = find_file(r, call, row->kind, event->process, argument);
    f->offset = offset_of(r, row, call, f->file, row->read_file < 0);
    f->asked = asked_of(row->length, call->arguments[2], call->arguments[1]);
    f->second = NOTHING;
    f->own = is_counted(f->file);
    if (f->own)
        level_begin(&r->calls);
}

/* One side of a call that ended. */
static void count_side(struct recorder *r, int32_t index, enum recording_op op,
                       const struct flight *f, uint64_t offset, uint64_t end_ns, int64_t result)
{
    uint64_t moved = result > 0 && op != RECORDING_FLUSH ? (uint64_t)result : 0;
    if (!is_counted(index)) {
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
    trace_io(r, trace_number_of(r, &file->trace, file->sums.name, file->sums.size), &whole,
             op == RECORDING_FLUSH ? 0 : offset, f->process, TRACE_SYSCALL, 0);
}

static void call_ends(struct recorder *r, const struct tracepoint_event *event,
                      const struct io_call_end *end)
{
    const struct io_call_row *row = io_call_row_of(end->number);
    if (!row || row->kind >= IO_CALL_RING)
        return;
    struct flight *f = flight_find(&r->calls_in_flight, event->thread);
    if (!f || f->number != end->number) {
        r->uncounted.unmatched++;
        return;
    }
    leave(r, f);
    switch (row->kind) {
    case IO_CALL_READ:
        count_side(r, f->file, RECORDING_READ, f, f->offset, event->time_ns, end->result);
        break;
    case IO_CALL_WRITE:
        count_side(r, f->file, RECORDING_WRITE, f, f->offset, event->time_ns, end->result);
        break;
    case IO_CALL_FLUSH:
        count_side(r, f->file, RECORDING_FLUSH, f, 0, event->time_ns, end->result);
        break;
    case IO_CALL_MOVE:
        count_side(r, f->file, RECORDING_READ, f, f->offset, event->time_ns, end->result);
        if (end->result > 0 || !is_counted(f->file))
            count_side(r, f->second, RECORDING_WRITE, f, f->second_offset, event->time_ns,
                       end->result);
        break;
    default:
        break;
    }
    flight_remove(&r->calls_in_flight, f);
}

/* What it is about is known when it is done. */
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
    f->asked = asked_of(row->length, request->arguments[2], request->arguments[2]);
    r->uncounted.ring_seen++;
    level_begin(&r->calls);
}

static void ring_ends(struct recorder *r, const struct tracepoint_event *event,
                      const struct io_call_begin *request)
{
    static const enum recording_op ops[] = {[IO_CALL_READ] = RECORDING_READ,
                                            [IO_CALL_WRITE] = RECORDING_WRITE,
                                            [IO_CALL_FLUSH] = RECORDING_FLUSH};
    const struct io_ring_row *row = io_ring_row_of(request->number);
    struct flight *f = flight_find(&r->calls_in_flight, request->arguments[0]);
    if (!row || !f || f->number != request->number) {
        r->uncounted.unmatched += row != NULL;
        return;
    }
    level_leave(&r->calls);
    const uint64_t no_descriptor = UINT32_MAX; /* it may be one of io_uring's own */
    struct io_call_begin file = *request;
    file.arguments[0] = no_descriptor;
    int32_t index = find_file(r, &file, row->kind, event->process, 0);
    uint64_t offset = f->offset == UINT64_MAX ? request->position : f->offset;
    count_side(r, index, ops[row->kind], f, offset, event->time_ns, (int32_t)request->arguments[1]);
    flight_remove(&r->calls_in_flight, f);
}

void calls_event(struct recorder *r, const struct tracepoint_event *event)
{
    struct io_call_begin begin;
    struct io_call_end end;
    if (io_call_end_of(event, &end)) {
        call_ends(r, event, &end);
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
    case IO_RING_END:
        ring_ends(r, event, &begin);
        break;
    default:
        call_begins(r, event, &begin);
    }
}
