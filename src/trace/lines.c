/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a text. */
#include "trace/internal.h"

#include <string.h>

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
            /* The rest has no end, and is shorter than a line may be. */
            *line = (struct span){begin, left};
            input_take(in, left);
            t->number += left > 0;
            t->cut_line = t->cut_line || left > 0;
            return left > 0;
        } else if (input_fill(in, left + 1, &t->fault)) {
            return -1;
        }
    }
}
