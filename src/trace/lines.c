/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Line by line through a text. */
#include "trace/internal.h"

#include <string.h>

#define RECOGNISED_SHARE 4 /* at least one line of so many */

static enum line_kind read_line(const struct trace_format *format, struct line_reader *r,
                                struct span line, struct trace_event *event, struct fault *fault)
{
    return format->line ? format->line(r, line, event, fault)
                        : columns_line(format->columns, r, line, event, fault);
}

/* A name of columns stands before the first event, and has no digits. */
static bool is_header(struct span line)
{
    for (size_t i = 0; i < line.length; i++)
        if (scan_is_digit(line.text[i]))
            return false;
    return true;
}

static bool is_event_of(const struct trace_format *format, struct span line)
{
    struct line_reader trial = {NULL, NULL};
    struct trace_event event;
    struct fault fault;
    return (format->columns || format->line) && !format->mark &&
           read_line(format, &trial, line, &event, &fault) == LINE_EVENT;
}

static bool is_foreign(const struct trace *t, struct span line)
{
    for (size_t i = 0; i < trace_format_count; i++)
        if (trace_formats[i] != t->format && is_event_of(trace_formats[i], line))
            return true;
    return false;
}

unsigned lines_recognise(const struct trace_format *format, const unsigned char *head,
                         size_t length)
{
    const char *p = (const char *)head, *end = p + length;
    unsigned lines = 0, events = 0;
    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (!line_end)
            line_end = end;
        struct span line = span_trimmed((struct span){p, (size_t)(line_end - p)});
        if (line.length && *line.text != '#') {
            lines++;
            events += is_event_of(format, line);
        }
        p = line_end + 1;
    }
    return events * RECOGNISED_SHARE >= lines ? events : 0;
}

/* Goes to the end of a line that is too long. */
static int skip_long(struct trace *t, struct input *in)
{
    t->number++;
    for (;;) {
        const unsigned char *end = memchr(input_bytes(in), '\n', input_left(in));
        if (end) {
            input_take(in, (size_t)(end - input_bytes(in)) + 1);
            break;
        }
        input_take(in, input_left(in));
        if (in->ended)
            break;
        if (input_fill(in, 1, &t->fault))
            return -1;
    }
    return trace_skip(t, TRACE_SKIP_MALFORMED, 1, in->name, t->number, "it is longer than %d bytes",
                      LINE_BYTES);
}

/* What is left is shorter than a line may be and has no end. */
static int last_line(struct trace *t, struct input *in, struct span *line)
{
    line->text = (const char *)input_bytes(in);
    line->length = input_left(in);
    input_take(in, line->length);
    if (line->length == 0)
        return 0;
    t->number++;
    t->cut_line = true;
    return 1;
}

int lines_read(struct trace *t, struct span *line)
{
    struct input *in = t->inputs;
    for (;;) {
        const char *begin = (const char *)input_bytes(in);
        size_t left = input_left(in), look = left <= LINE_BYTES ? left : LINE_BYTES + 1;
        const char *end = memchr(begin, '\n', look);
        if (end) {
            *line = (struct span){begin, (size_t)(end - begin)};
            input_take(in, line->length + 1);
            line->length -= line->length && end[-1] == '\r';
            t->number++;
            return 1;
        }
        if (left > LINE_BYTES) {
            if (skip_long(t, in))
                return -1;
        } else if (in->ended) {
            return last_line(t, in, line);
        } else if (input_fill(in, left + 1, &t->fault)) {
            return -1;
        }
    }
}

static int skip_line(struct trace *t, struct span line, struct fault *fault)
{
    char words[FAULT_BYTES];
    if (fault->reason == TRACE_SKIP_MALFORMED && t->number == 1 && is_header(line))
        return 0;
    if (fault->reason == TRACE_SKIP_MALFORMED && t->cut_line)
        fault->reason = TRACE_SKIP_TRUNCATED;
    else if (fault->reason == TRACE_SKIP_MALFORMED && is_foreign(t, line))
        fault->reason = TRACE_SKIP_FOREIGN;
    return trace_skip(t, fault->reason, 1, t->inputs->name, t->number, "%s",
                      fault_words(words, fault));
}

/* The input's end, where a compressed one may break off. */
static int end_of_lines(struct trace *t)
{
    const struct input *in = t->inputs;
    if (!in->broken)
        return 0;
    return trace_skip(t, TRACE_SKIP_TRUNCATED, 1, in->name, t->number + 1, "%s", in->broken);
}

int lines_next(struct trace *t, struct trace_event *event)
{
    struct line_reader reader = {&t->devices, t->state};
    struct span line;
    for (;;) {
        int status = lines_read(t, &line);
        if (status <= 0)
            return status ? status : end_of_lines(t);
        if (line.length == 0 || *line.text == '#')
            continue;
        if (t->cut_line && t->inputs->broken) {
            t->number--; /* what is left of a line that the compressed data breaks off in */
            return end_of_lines(t);
        }
        struct fault fault;
        enum line_kind kind = read_line(t->format, &reader, line, event, &fault);
        if (kind == LINE_EVENT) {
            event->number = t->number;
            return 1;
        }
        if (kind == LINE_FAULT && skip_line(t, line, &fault))
            return -1;
    }
}
