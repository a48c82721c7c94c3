/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts that system calls, io_uring requests and io_submit requests share: the file, the
   requested bytes, and how an attempt counts. */
#include "program/observe/internal.h"

/* The kernel moves no more in one call, even if more is requested (MAX_RW_COUNT). */
#define ASKED_MAX 0x7ffff000u

bool calls_file_counts(int32_t file)
{
    return file >= 0;
}

static enum file_class class_of(int32_t file)
{
    return (enum file_class)(-1 - file);
}

enum recording_op calls_op(enum io_call_kind kind)
{
    return kind == IO_CALL_READ    ? RECORDING_READ
           : kind == IO_CALL_WRITE ? RECORDING_WRITE
                                   : RECORDING_FLUSH;
}

/* The file of one side of the call, or -1 - its class for a file that is not counted. */
int32_t calls_file(struct recorder *r, const struct io_call_begin *call, enum io_call_kind kind,
                   uint32_t process, int argument)
{
    enum file_class found = file_class_of(call);
    bool counted = found == FILE_REGULAR || found == FILE_BLOCK ||
                   (found == FILE_FOLDER && kind == IO_CALL_FLUSH);
    return counted ? files_find(&r->files, call, found, process, call->arguments[argument])
                   : -1 - (int32_t)found;
}

uint64_t calls_asked(enum io_length length, uint64_t bytes, uint64_t of_vectors)
{
    bool is_unknown = length == IO_LENGTH_UNKNOWN ||
                      (length == IO_LENGTH_VECTORS && of_vectors == IO_ASKED_UNKNOWN);
    if (length == IO_LENGTH_NONE || is_unknown)
        return is_unknown ? IO_ASKED_UNKNOWN : 0;
    uint64_t asked = length == IO_LENGTH_VECTORS ? of_vectors : bytes;
    return asked < ASKED_MAX ? asked : ASKED_MAX;
}

void calls_leave(struct recorder *r, const struct flight *f)
{
    if (f->own)
        level_leave(&r->calls);
}

void calls_count(struct recorder *r, int32_t index, enum recording_op op, const struct flight *f,
                 uint64_t offset, uint64_t end_ns, int64_t result)
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
