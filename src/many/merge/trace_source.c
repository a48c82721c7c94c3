/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads traces of cupel record, in which every I/O is an event. For a program, its system calls are
 * counted, as in the report of the recording; for a device, its requests. Time in flight is exact,
 * including reads at a file's end, and so are bytes that were requested but not moved.
 *
 * A trace is read twice, because the state of the clock is stored at its end.
 */
#include "many/merge/internal.h"

#include <string.h>

#include "source/trace/trace.h"
#include "tables/cupel_trace.h"

#define RESPONSE_MAX 86400000000000u       /* a day; a longer response is a mistake */
#define INSTANT_MAX  10000000000000000000u /* an instant in the year 2286 */

enum { EVENTS_AT_A_TIME = 256, STRETCHES_AT_A_TIME = 256, NOTE_OF_TARGET = 1 };

static const struct trace_options with_attempts = {.attempts = true};

struct trace_reader {
    struct merge *m;
    const char *path;
    struct trace_host host; /* complete after the first pass */
    enum trace_level level; /* level of the events that are merged */
    uint64_t begin_ns;
    uint64_t endless; /* events without a completion */
    /* times with I/O in flight; the last one still grows */
    struct merge_stretch stretches[STRETCHES_AT_A_TIME];
    size_t stretch_count;
};

static bool recognise_trace(const char *path, const char *head, size_t length)
{
    (void)path;
    return length >= CUPEL_MAGIC_BYTES && !memcmp(head, CUPEL_MAGIC, CUPEL_MAGIC_BYTES);
}

static const char *keep(struct trace_reader *r, const char *text)
{
    return merge_string(r->m, text, strlen(text));
}

static void describe(struct trace_reader *r, const struct trace *t)
{
    struct merge_source *s = merge_current(r->m);
    const struct host_identity *host = &r->host.identity;
    s->host = keep(r, host->name);
    if (host->boot_known)
        memcpy(s->clock, host->boot, sizeof s->clock);
    s->clock_error_ns = r->host.clock_count ? r->host.first.error_ns : CLOCK_ERROR_UNKNOWN;
    s->time = r->host.clock_count ? TIME_ABSOLUTE : TIME_RELATIVE;
    if (trace_note_count(t) > NOTE_OF_TARGET)
        s->label = keep(r, trace_note(t, NOTE_OF_TARGET));
    if (r->level == TRACE_BLOCK && trace_device_count(t) > 0)
        s->device = keep(r, trace_device(t, 0)->name);
    s->cut_short = trace_skipped(t, TRACE_SKIP_TRUNCATED)->count > 0;
    s->damaged = trace_skipped(t, TRACE_SKIP_MALFORMED)->count > 0;
    uint64_t lost = trace_skipped(t, TRACE_SKIP_LOST)->count;
    if (lost > 0)
        merge_note(r->m, true,
                   "%.60s: %llu events were lost while it was recorded: its rates are too low",
                   r->path, (unsigned long long)lost);
}

/* Reads the whole trace, for the facts at its end and to find the levels of its events. */
static int look_through(struct trace_reader *r, struct err *e)
{
    struct trace_event events[EVENTS_AT_A_TIME];
    struct trace *t;
    int count;
    if (trace_open(&t, &r->path, 1, &with_attempts, e))
        return -1;
    r->level = TRACE_BLOCK;
    while ((count = trace_read(t, events, EVENTS_AT_A_TIME, e)) > 0)
        for (int i = 0; i < count; i++)
            if (events[i].level == TRACE_SYSCALL)
                r->level = TRACE_SYSCALL;
    r->host = *trace_host(t);
    r->begin_ns = trace_begin_ns(t);
    if (!count)
        describe(r, t);
    trace_close(t);
    return count;
}

/* Returns ns since 1970, or since the recording began if the absolute time is unknown. */
static uint64_t instant_of(const struct trace_reader *r, uint64_t time_ns)
{
    uint64_t wall_ns = r->begin_ns + time_ns;
    trace_wall_ns(&r->host, r->begin_ns + time_ns, &wall_ns);
    return wall_ns;
}

static int add_stretches(struct trace_reader *r, struct err *e)
{
    size_t count = r->stretch_count;
    r->stretch_count = 0;
    return merge_add_stretches(r->m, r->stretches, count, e);
}

/* Adds an event's time in flight; events come in the order of their begins. */
static int add_flight(struct trace_reader *r, uint64_t begin_ns, uint64_t end_ns, struct err *e)
{
    struct merge_stretch *last = r->stretch_count ? &r->stretches[r->stretch_count - 1] : NULL;
    if (last && begin_ns <= last->end_ns) {
        if (end_ns > last->end_ns)
            last->end_ns = end_ns;
        last->busy_ns = last->end_ns - last->begin_ns;
        return 0;
    }
    if (r->stretch_count == STRETCHES_AT_A_TIME && add_stretches(r, e))
        return -1;
    r->stretches[r->stretch_count++] = (struct merge_stretch){begin_ns, end_ns, end_ns - begin_ns};
    return 0;
}

static int add_event(struct trace_reader *r, const struct trace_event *event, struct err *e)
{
    if (event->response_ns > RESPONSE_MAX) {
        r->endless++;
        return 0;
    }
    const uint64_t begin_ns = instant_of(r, event->time_ns);
    const uint64_t end_ns = begin_ns + event->response_ns;
    if (begin_ns > INSTANT_MAX)
        return err_set(e, ERR_USAGE, "%s: event %llu has an instant that no clock shows", r->path,
                       (unsigned long long)event->number);
    if (end_ns > begin_ns && add_flight(r, begin_ns, end_ns, e))
        return -1;
    if (event->attempt) {
        const struct slice asked = {.asked_bytes = event->length};
        return merge_add_slice(r->m, end_ns - 1, end_ns, &asked, e);
    }
    const bool moves = operation_has_bytes(event->op);
    return merge_add_value(r->m, (enum operation)event->op, end_ns, end_ns - begin_ns,
                           moves ? event->length : 0, !event->failed, e);
}

static int add_events(struct trace_reader *r, struct err *e)
{
    struct trace_event events[EVENTS_AT_A_TIME];
    struct trace *t;
    int count, status = 0;
    if (trace_open(&t, &r->path, 1, &with_attempts, e))
        return -1;
    while (!status && (count = trace_read(t, events, EVENTS_AT_A_TIME, e)) != 0) {
        status = count < 0 ? -1 : 0;
        for (int i = 0; i < count && !status; i++)
            if (events[i].level == r->level)
                status = add_event(r, &events[i], e);
    }
    trace_close(t);
    return status ? -1 : add_stretches(r, e);
}

static int read_trace(struct merge *m, const char *path, struct err *e)
{
    struct trace_reader r = {.m = m, .path = path};
    if (look_through(&r, e) || add_events(&r, e))
        return -1;
    if (r.endless > 0)
        merge_note(m, false, "%.120s: %llu I/Os whose completion was not recorded are left out",
                   path, (unsigned long long)r.endless);
    return 0;
}

const struct merge_format merge_format_trace = {
    .name = "cupel trace", .recognise = recognise_trace, .read = read_trace};
