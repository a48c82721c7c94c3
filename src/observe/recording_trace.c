/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace of a recording: files and devices get numbers as they come up. */
#include "observe/internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* The last number is for everything that finds none of its own. */
enum { LAST = TRACE_DEVICES_MAX - 1 };

uint16_t trace_number_of(struct recorder *r, uint16_t *known, const char *name, uint64_t size)
{
    if (*known != FILES_NO_TRACE)
        return *known;
    if (r->trace_devices > LAST)
        return *known = LAST;
    *known = r->trace_devices++;
    /* The end of a long path says more than its beginning. */
    size_t length = strlen(name), max = sizeof((struct trace_device *)0)->name - 1;
    if (*known == LAST)
        trace_writer_device(r->trace, *known, "(other files)", 0);
    else
        trace_writer_device(r->trace, *known, length > max ? name + length - max : name, size);
    return *known;
}

void trace_io(struct recorder *r, uint16_t number, const struct level_io *io, uint64_t offset,
              uint32_t process, enum trace_level level, unsigned marks)
{
    static const enum trace_op ops[RECORDING_ALL] = {TRACE_READ, TRACE_WRITE, TRACE_FLUSH,
                                                     TRACE_DISCARD};
    const struct trace_event event = {
        .time_ns = io->begin_ns > r->begin_ns ? io->begin_ns - r->begin_ns : 0,
        .offset = offset,
        .response_ns = io->end_ns > io->begin_ns ? io->end_ns - io->begin_ns : 0,
        .length = io->asked < UINT32_MAX ? (uint32_t)io->asked : UINT32_MAX,
        .process = process,
        .device = number,
        .op = (uint8_t)ops[io->op],
        .level = level & 1,
        .durable = (marks & TRACE_IO_DURABLE) != 0,
        .failed = io->failed,
        .foreign = (marks & TRACE_IO_FOREIGN) != 0,
    };
    trace_writer_event(r->trace, &event);
    r->trace_events++;
}

void trace_finish(struct recorder *r)
{
    char text[256];
    struct utsname name;
    if (!r->trace)
        return;
    if (uname(&name) == 0) {
        snprintf(text, sizeof text, "recorded on %s, Linux %s", name.nodename, name.release);
        trace_writer_note(r->trace, text);
    }
    trace_writer_note(r->trace, r->recording.result.target);
    uint64_t elsewhere = submit_unseen(&r->uncounted);
    if (!r->sees_rings)
        elsewhere += r->uncounted.ring_requests;
    if (elsewhere > 0) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " requests through io_uring and io_submit are in it as block requests "
                 "only",
                 elsewhere);
        trace_writer_note(r->trace, text);
    }
    if (r->lost > 0)
        trace_writer_lost(r->trace, r->lost);
    if (trace_writer_close(r->trace, &r->trace_fault))
        r->trace_fault.code = ERR_TARGET;
    r->trace = NULL;
}
