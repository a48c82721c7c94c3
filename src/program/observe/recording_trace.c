/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the trace of a recording. Files and devices get numbers when they first occur. */
#include "base/clock.h"
#include "base/machine/clock_error.h"
#include "program/observe/internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* Files and devices share this number when no other number is left. */
enum { LAST = TRACE_DEVICES_MAX - 1 };

uint16_t trace_number_of(struct recorder *r, uint16_t *known, const char *name, uint64_t size)
{
    if (*known != FILES_NO_TRACE)
        return *known;
    if (r->trace_devices > LAST)
        return *known = LAST;
    *known = r->trace_devices++;
    /* A long path is cut at its beginning, because its end says more. */
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
    const struct trace_event event = {
        .time_ns = io->begin_ns > r->begin_ns ? io->begin_ns - r->begin_ns : 0,
        .offset = offset,
        .response_ns = io->end_ns > io->begin_ns ? io->end_ns - io->begin_ns : 0,
        .length = io->asked < UINT32_MAX ? (uint32_t)io->asked : UINT32_MAX,
        .process = process,
        .device = number,
        .op = (uint8_t)io->op,
        .level = level & 1,
        .durable = (marks & TRACE_IO_DURABLE) != 0,
        .failed = io->failed,
        .foreign = (marks & TRACE_IO_FOREIGN) != 0,
    };
    trace_writer_event(r->trace, &event);
    r->trace_events++;
}

void trace_attempt(struct recorder *r, const struct level_io *io, uint64_t bytes)
{
    if (!r->trace)
        return;
    const struct trace_event attempt = {
        .time_ns = io->begin_ns > r->begin_ns ? io->begin_ns - r->begin_ns : 0,
        .response_ns = io->end_ns > io->begin_ns ? io->end_ns - io->begin_ns : 0,
        .length = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
        .op = (uint8_t)io->op,
    };
    trace_writer_attempt(r->trace, &attempt);
}

/* Asks the kernel and chronyd for bounds of the clock's error, which may take a moment. */
static void ask_for_error(struct recorder *r)
{
    struct clock_error clock;
    clock_error_read(&clock, "");
    clock_error_ask_chrony(&clock, "");
    r->clock_error_ns = clock.error_ns;
}

void trace_name_host(struct recorder *r)
{
    struct host_identity host;
    if (!r->trace)
        return;
    host_identity_read(&host, "");
    trace_writer_host(r->trace, &host);
    ask_for_error(r);
}

void trace_look_at_clock(struct recorder *r)
{
    struct clock_error clock;
    if (!r->trace)
        return;
    uint64_t before = clock_raw_ns();
    clock_error_read(&clock, "");
    /* the wall clock was read at an unknown instant between the two readings of clock_raw_ns */
    uint64_t half = (clock_raw_ns() - before) / 2;
    int64_t error = r->clock_error_ns < 0 ? clock.error_ns : r->clock_error_ns;
    const struct trace_clock shown = {.time_ns = before + half - r->begin_ns,
                                      .wall_ns = clock.wall_ns,
                                      .error_ns = error < 0 ? error : error + (int64_t)half};
    trace_writer_clock(r->trace, &shown);
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
    ask_for_error(r);
    trace_look_at_clock(r);
    if (r->lost > 0)
        trace_writer_lost(r->trace, r->lost);
    if (trace_writer_close(r->trace, &r->trace_fault))
        r->trace_fault.code = ERR_TARGET;
    r->trace = NULL;
}
