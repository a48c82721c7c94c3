/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a trace: events from its format, through the window and the matching, to the caller. */
#include "trace/internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SKIP_WORDS(identifier, words) words,
static const char *const skip_words[TRACE_SKIPS] = {TRACE_SKIP_ROWS(SKIP_WORDS)};
#undef SKIP_WORDS

const char *trace_skip_words(enum trace_skip reason)
{
    return skip_words[reason];
}

int trace_skip(struct trace *t, enum trace_skip reason, uint64_t count, const char *file,
               uint64_t number, const char *format, ...)
{
    struct trace_skips *skips = &t->skips[reason];
    bool first = skips->count == 0 && count > 0;
    skips->count += count;
    if (!first)
        return 0;
    va_list args;
    va_start(args, format);
    vsnprintf(skips->first_words, sizeof skips->first_words, format, args);
    va_end(args);
    skips->first_number = number;
    span_copy(skips->first_file, span_of(file));
    if (!t->strict)
        return 0;
    return err_set(&t->fault, ERR_USAGE, "%s: event %llu %s: %s", file, (unsigned long long)number,
                   skip_words[reason], skips->first_words);
}

bool trace_event_fits(const struct trace_event *event, struct fault *fault)
{
    static const struct span nothing = {"", 0};
    if (event->length == 0 && event->op != TRACE_FLUSH)
        return set_fault(fault, TRACE_SKIP_EMPTY, "its length", nothing, "is 0");
    if (event->offset > (uint64_t)INT64_MAX - event->length)
        return set_fault(fault, TRACE_SKIP_RANGE, "its end", nothing, "is beyond 2^63 bytes");
    return true;
}

char *fault_words(char to[FAULT_BYTES], const struct fault *fault)
{
    char text[48];
    if (fault->text.length)
        snprintf(to, FAULT_BYTES, "%s \"%s\" %s", fault->what,
                 span_printable(text, sizeof text, fault->text), fault->verdict);
    else
        snprintf(to, FAULT_BYTES, "%s %s", fault->what,
                 *fault->verdict ? fault->verdict : "is missing");
    return to;
}

/* Fills the window from the format. */
static int fill_window(struct trace *t)
{
    struct trace_event event;
    while (!t->ended && !window_is_full(t->window)) {
        int status = t->format->next ? t->format->next(t, &event) : lines_next(t, &event);
        if (status < 0)
            return -1;
        t->ended = status == 0;
        if (status)
            window_push(t->window, &event);
    }
    return 0;
}

/* The next in order of time: 1, 0 at the end, -1. A late one gets the time of the one before. */
static int next_in_order(struct trace *t, struct trace_event *event, bool *late)
{
    if (fill_window(t))
        return -1;
    if (!window_pop(t->window, event))
        return 0;
    *late = event->time_ns < t->now_ns;
    if (!*late) {
        t->now_ns = event->time_ns;
        return 1;
    }
    uint64_t behind = t->now_ns - event->time_ns;
    event->time_ns = t->now_ns;
    return trace_skip(t, TRACE_SKIP_REORDERED, 1, t->inputs->name, event->number,
                      "by %llu ns, and the window has %u events", (unsigned long long)behind,
                      WINDOW_EVENTS)
               ? -1
               : 1;
}

/* The same for stages of requests, which become whole events. */
static int next_matched(struct trace *t, struct trace_event *event)
{
    struct trace_event record;
    bool late;
    while (!match_give(t->match, event, false)) {
        int status = next_in_order(t, &record, &late);
        if (status < 0)
            return -1;
        if (status == 0)
            return match_give(t->match, event, true);
        if (!match_take(t->match, &record) &&
            trace_skip(t, TRACE_SKIP_UNMATCHED, 1, t->inputs->name, record.number,
                       "it ends at byte %llu of %s",
                       (unsigned long long)(record.offset + record.length),
                       t->devices.device[record.device].name))
            return -1;
    }
    return 1;
}

static void give_out(struct trace *t, struct trace_event *event)
{
    struct trace_device *device = &t->devices.device[event->device];
    uint64_t end = event->offset + event->length;
    if (end > device->end)
        device->end = end;
    if (t->given++ == 0)
        t->first_ns = event->time_ns;
    event->time_ns -= t->first_ns;
}

int trace_read(struct trace *t, struct trace_event events[], size_t most, struct err *e)
{
    size_t n = 0;
    while (n < most && t->fault.code == ERR_NONE) {
        bool late;
        int status = t->match ? next_matched(t, &events[n]) : next_in_order(t, &events[n], &late);
        if (status <= 0)
            break;
        give_out(t, &events[n++]);
    }
    if (n > 0 || t->fault.code == ERR_NONE)
        return (int)n; /* what came before an error is given first */
    if (e)
        *e = t->fault;
    return -1;
}

const char *trace_format_name(const struct trace *t)
{
    return t->title;
}

size_t trace_device_count(const struct trace *t)
{
    return t->devices.count;
}

const struct trace_device *trace_device(const struct trace *t, size_t i)
{
    return &t->devices.device[i];
}

const struct trace_skips *trace_skipped(const struct trace *t, enum trace_skip reason)
{
    return &t->skips[reason];
}

uint64_t trace_events_read(const struct trace *t)
{
    return t->given;
}

uint64_t trace_bytes_read(const struct trace *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->input_count; i++)
        bytes += t->inputs[i].bytes_read;
    return bytes;
}

uint64_t trace_bytes_total(const struct trace *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->input_count; i++) {
        if (!t->inputs[i].is_sized)
            return 0;
        bytes += t->inputs[i].bytes_total;
    }
    return bytes;
}

size_t trace_note_count(const struct trace *t)
{
    return t->note_count;
}

const char *trace_note(const struct trace *t, size_t i)
{
    return t->notes[i];
}
