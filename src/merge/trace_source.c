/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of cupel record: every I/O of a program or device with its begin and end. What the program
 * asked the kernel for counts, where the trace has it; otherwise what reached the devices.
 */
#include "merge/internal.h"

#include <string.h>

#include "tables/cupel_trace.h"
#include "trace/trace.h"

#define EVENTS 256

static bool recognise_trace(const char *path, const char *head, size_t length)
{
    (void)path;
    return length >= CUPEL_MAGIC_BYTES && !memcmp(head, CUPEL_MAGIC, CUPEL_MAGIC_BYTES);
}

struct reading {
    struct merge *m;
    const char *path;
    struct trace_host host; /* after the first pass: with the clock at the end as well */
    enum trace_level level;
    uint64_t endless, flushes; /* events without a completion; without bytes */
    struct busy_gatherer busy;
};

static int open_trace(struct reading *r, struct trace **t, struct err *e)
{
    const struct trace_options options = {.attempts = true};
    return trace_open(t, &r->path, 1, &options, e);
}

/* What the whole file says before any event can be placed: its clocks, and whether it has calls. */
static int look_through(struct reading *r, struct err *e)
{
    struct trace_event events[EVENTS];
    struct trace *t;
    int n;
    if (open_trace(r, &t, e))
        return -1;
    r->level = TRACE_BLOCK;
    while ((n = trace_read(t, events, EVENTS, e)) > 0)
        for (int i = 0; i < n; i++)
            if (events[i].level == TRACE_SYSCALL)
                r->level = TRACE_SYSCALL;
    r->host = *trace_host(t);
    merge_current(r->m)->cut_short = trace_skipped(t, TRACE_SKIP_TRUNCATED)->count > 0;
    merge_current(r->m)->damaged = trace_skipped(t, TRACE_SKIP_LOST)->count > 0;
    trace_close(t);
    return n;
}

static void take_host(struct reading *r)
{
    struct merge_source *s = merge_current(r->m);
    s->host = merge_string(r->m, r->host.identity.name, strlen(r->host.identity.name));
    if (r->host.identity.boot_known)
        memcpy(s->clock, r->host.identity.boot, sizeof s->clock);
    s->time = r->host.clock_count ? TIME_ABSOLUTE : TIME_RELATIVE;
    s->clock_error_ns = r->host.clock_count ? r->host.first.error_ns : SOURCE_UNKNOWN_ERROR;
}

/* An attempt asked for bytes that were not moved: it counts in BPS, and is no I/O. */
static int take_event(struct reading *r, const struct trace_event *event, uint64_t begin_ns,
                      struct err *e)
{
    static const enum merge_op ops[TRACE_OPS] = {
        [TRACE_READ] = MERGE_READ, [TRACE_WRITE] = MERGE_WRITE, [TRACE_DISCARD] = MERGE_TRIM};
    const uint64_t end_ns = begin_ns + event->response_ns;
    const struct slice asked = {.asked_bytes = event->length};
    if (busy_gather(r->m, &r->busy, end_ns, event->response_ns, true, e))
        return -1;
    if (event->op == TRACE_FLUSH) {
        r->flushes++;
        return 0;
    }
    return event->attempt ? merge_add_slice(r->m, end_ns, end_ns + 1, &asked, e)
                          : merge_add_value(r->m, ops[event->op], end_ns, event->response_ns,
                                            event->length, !event->failed, e);
}

static int take_events(struct reading *r, struct trace *t, struct err *e)
{
    struct trace_event events[EVENTS];
    const uint64_t origin_ns = trace_begin_ns(t);
    int n, status = 0;
    while (!status && (n = trace_read(t, events, EVENTS, e)) != 0) {
        status = n < 0 ? -1 : 0;
        for (int i = 0; i < n && !status; i++) {
            uint64_t begin_ns = origin_ns + events[i].time_ns;
            if (events[i].level != r->level)
                continue;
            if (events[i].response_ns == TRACE_UNKNOWN) {
                r->endless++;
                continue;
            }
            trace_wall_ns(&r->host, begin_ns, &begin_ns);
            status = take_event(r, &events[i], begin_ns, e);
        }
    }
    return status;
}

static int read_trace(struct merge *m, const char *path, struct err *e)
{
    struct reading r = {.m = m, .path = path};
    struct trace *t = NULL;
    if (look_through(&r, e))
        return -1;
    take_host(&r);
    int status = busy_gatherer_begin(&r.busy, e) || open_trace(&r, &t, e);
    if (!status)
        status = take_events(&r, t, e) || busy_gatherer_end(m, &r.busy, e);
    if (t)
        trace_close(t);
    busy_gatherer_free(&r.busy);
    if (r.endless)
        merge_note(m, false, "%.120s: %llu I/Os whose completion was not recorded are left out",
                   path, (unsigned long long)r.endless);
    if (r.flushes)
        merge_note(m, false,
                   "%.120s: %llu flushes count in the time with I/O in flight, and nowhere else",
                   path, (unsigned long long)r.flushes);
    return status ? -1 : 0;
}

const struct merge_format merge_format_trace = {
    .name = "cupel trace", .recognise = recognise_trace, .read = read_trace};
