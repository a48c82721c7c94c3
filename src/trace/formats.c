/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All formats of traces, in the order they are tried: of two that fit as well, the first is taken.
 */
#include "trace/internal.h"

#include <string.h>

#define ROWS(ROW)                                                                                  \
    ROW(cupel)                                                                                     \
    ROW(blktrace) ROW(iolog) ROW(blkparse) ROW(msr) ROW(alibaba) ROW(tencent) ROW(spc) ROW(fiu)

#define FORMAT(row) &trace_format_##row,
const struct trace_format *const trace_formats[] = {ROWS(FORMAT)};
#undef FORMAT

#define NAME(row) #row,
static const char *const names[] = {ROWS(NAME) NULL};
#undef NAME
const size_t trace_format_count = sizeof names / sizeof *names - 1;

const char *const *trace_format_names(void)
{
    return names;
}

#define CERTAIN UINT32_MAX

static unsigned score(const struct trace_format *format, const unsigned char *head, size_t length)
{
    if (format->recognise)
        return format->recognise(head, length);
    if (format->mark) {
        size_t mark_length = strlen(format->mark);
        return length >= mark_length && memcmp(head, format->mark, mark_length) == 0 ? CERTAIN : 0;
    }
    return lines_recognise(format, head, length);
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

static const struct trace_format *by_name(const char *name, struct err *e)
{
    char list[128];
    for (size_t i = 0; i < trace_format_count; i++)
        if (strcmp(name, names[i]) == 0)
            return trace_formats[i];
    err_set(e, ERR_USAGE, "%s: no format of traces; known: %s", name,
            list_names(list, sizeof list));
    return NULL;
}

const struct trace_format *trace_format_of(const struct input *in, const char *name, struct err *e)
{
    if (name)
        return by_name(name, e);
    const unsigned char *head = input_bytes(in);
    size_t length = input_left(in) < TRACE_HEAD_BYTES ? input_left(in) : TRACE_HEAD_BYTES;
    const struct trace_format *best = NULL;
    unsigned best_score = 0;
    for (size_t i = 0; i < trace_format_count; i++) {
        unsigned its_score = score(trace_formats[i], head, length);
        if (its_score > best_score) {
            best = trace_formats[i];
            best_score = its_score;
        }
    }
    if (!best) {
        char list[128], seen[48];
        const unsigned char *line_end = memchr(head, '\n', length);
        struct span first = {(const char *)head, line_end ? (size_t)(line_end - head) : length};
        err_set(e, ERR_USAGE, "%s: no trace in a format that is known (%s); it begins with \"%s\"",
                in->name, list_names(list, sizeof list),
                span_printable(seen, sizeof seen, span_trimmed(first)));
    }
    return best;
}
