/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the format of a trace. Text formats with one event per line are read here. */
#include "source/trace/internal.h"

#include <string.h>

#define CERTAIN          UINT32_MAX
#define RECOGNISED_SHARE 4 /* at least one line in this many can be read */

#define FORMAT(row) &trace_format_##row,
static const struct trace_format *const formats[] = {TRACE_FORMAT_ROWS(FORMAT)};
#undef FORMAT

#define NAME(row) #row,
static const char *const names[] = {TRACE_FORMAT_ROWS(NAME) NULL};
#undef NAME
enum { FORMATS = sizeof names / sizeof *names - 1 };

const char *const *trace_format_names(void)
{
    return names;
}

/* ---- events of lines ---- */

static enum line_kind read_event(const struct trace_format *format, struct line_reader *r,
                                 struct span line, struct trace_event *event,
                                 struct line_skip *skip)
{
    return format->line ? format->line(r, line, event, skip)
                        : columns_line(format->columns, r, line, event, skip);
}

/* Returns what a line would be in a format that is recognised by its lines. */
static enum line_kind kind_in(const struct trace_format *format, struct span line)
{
    struct line_reader trial = {NULL, NULL};
    struct trace_event event;
    struct line_skip skip;
    return (format->columns || format->line) && !format->mark
               ? read_event(format, &trial, line, &event, &skip)
               : LINE_FAULT;
}

static int skip_line(struct trace *t, struct span line, struct line_skip *skip)
{
    if (skip->reason == TRACE_SKIP_MALFORMED) {
        /* A line of column names may come before the first event. It has no digits. */
        bool has_digit = false;
        for (size_t i = 0; i < line.length; i++)
            has_digit = has_digit || scan_is_digit(line.text[i]);
        if (t->number == 1 && !has_digit)
            return 0;
        if (t->cut_line)
            skip->reason = TRACE_SKIP_TRUNCATED;
        for (size_t i = 0; i < FORMATS && skip->reason == TRACE_SKIP_MALFORMED; i++)
            if (formats[i] != t->format && kind_in(formats[i], line) == LINE_EVENT)
                skip->reason = TRACE_SKIP_FOREIGN;
    }
    char words[LINE_SKIP_BYTES];
    return trace_skip(t, skip->reason, 1, t->inputs->name, t->number, "%s",
                      line_skip_words(words, skip));
}

/* Handles the end of the input, where compressed data may break off. */
static int end_of_text(struct trace *t)
{
    const struct input *in = t->inputs;
    if (!in->broken)
        return 0;
    return trace_skip(t, TRACE_SKIP_TRUNCATED, 1, in->name, t->number + 1, "%s", in->broken);
}

int text_next(struct trace *t, struct trace_event *event)
{
    struct line_reader reader = {&t->devices, t->state};
    struct span line;
    for (;;) {
        int status = lines_read(t, &line);
        if (status <= 0)
            return status ? status : end_of_text(t);
        if (line.length == 0 || *line.text == '#')
            continue;
        if (t->cut_line && t->inputs->broken) {
            t->number--; /* the incomplete line at which compressed data break off */
            return end_of_text(t);
        }
        struct line_skip skip;
        enum line_kind kind = read_event(t->format, &reader, line, event, &skip);
        if (kind == LINE_EVENT) {
            event->number = t->number;
            return 1;
        }
        if (kind == LINE_FAULT && skip_line(t, line, &skip))
            return -1;
    }
}

/* ---- the format of a file ---- */

/* Returns the number of lines that can be read, as events or as what lies between them, such as the
   messages of blkparse; 0 if most lines cannot. */
static unsigned count_readable(const struct trace_format *format, const unsigned char *head,
                               size_t length)
{
    const char *p = (const char *)head, *end = p + length;
    unsigned lines = 0, readable = 0;
    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (!line_end)
            line_end = end;
        struct span line = span_trimmed((struct span){p, (size_t)(line_end - p)});
        if (line.length && *line.text != '#') {
            lines++;
            readable += kind_in(format, line) != LINE_FAULT;
        }
        p = line_end + 1;
    }
    return readable * RECOGNISED_SHARE >= lines ? readable : 0;
}

static char *list_names(char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (size_t i = 0; names[i] && used + strlen(names[i]) + 3 < size; i++) {
        char *end = span_copy(to + used, span_of(used ? ", " : ""));
        used = (size_t)(span_copy(end, span_of(names[i])) - to);
    }
    return to;
}

const struct trace_format *trace_format_of(const struct input *in, const char *name, struct err *e)
{
    char list[128];
    if (name) {
        for (size_t i = 0; i < FORMATS; i++)
            if (strcmp(name, names[i]) == 0)
                return formats[i];
        err_set(e, ERR_USAGE, "%s: no format of traces; known: %s", name,
                list_names(list, sizeof list));
        return NULL;
    }
    const unsigned char *head = input_bytes(in);
    size_t length = input_left(in) < TRACE_HEAD_BYTES ? input_left(in) : TRACE_HEAD_BYTES;
    const struct trace_format *best = NULL;
    unsigned best_score = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        const struct trace_format *f = formats[i];
        size_t mark = f->mark ? strlen(f->mark) : 0;
        unsigned score = f->recognise ? f->recognise(head, length)
                         : !mark      ? count_readable(f, head, length)
                         : length >= mark && memcmp(head, f->mark, mark) == 0 ? CERTAIN
                                                                              : 0;
        if (score > best_score) {
            best = f;
            best_score = score;
        }
    }
    if (!best) {
        char seen[48];
        const unsigned char *line_end = memchr(head, '\n', length);
        struct span first = {(const char *)head, line_end ? (size_t)(line_end - head) : length};
        err_set(e, ERR_USAGE,
                "%s: no trace in a format that is known (%s); it begins with \"%s\"; "
                "--trace-format says which it is, --columns what the columns of any other table "
                "are",
                in->name, list_names(list, sizeof list),
                span_printable(seen, sizeof seen, span_trimmed(first)));
    }
    return best;
}
