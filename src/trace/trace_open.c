/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a trace: its files, its format, and all memory that reading it will need. */
#include "trace/internal.h"
#include <stdlib.h>

#define BUFFER_BYTES         (256 * 1024)
#define BUFFER_BYTES_SEVERAL (128 * 1024) /* there may be hundreds; room for the longest record */

#define NO_MEMORY "not enough memory to read a trace"

static int open_inputs(struct trace *t, const struct trace_paths *paths)
{
    t->inputs = calloc(paths->count, sizeof *t->inputs);
    if (!t->inputs)
        return err_set(&t->fault, ERR_MACHINE, NO_MEMORY);
    const size_t capacity = paths->count > 1 ? BUFFER_BYTES_SEVERAL : BUFFER_BYTES;
    for (size_t i = 0; i < paths->count; i++) {
        t->input_count = i + 1;
        if (input_open(&t->inputs[i], paths->path[i], capacity, &t->fault) ||
            input_fill(&t->inputs[i], TRACE_HEAD_BYTES, &t->fault))
            return -1;
    }
    return 0;
}

/* Files of processors that had nothing to do are empty: not so all of them. */
static const struct trace_format *choose_format(struct trace *t, const char *name)
{
    const struct input *filled = t->inputs;
    for (size_t i = 0; i < t->input_count && !input_left(filled); i++)
        filled = &t->inputs[i];
    if (!input_left(filled)) {
        err_set(&t->fault, ERR_USAGE, "%s: %s", filled->name,
                filled->broken ? filled->broken : "it is empty");
        return NULL;
    }
    const struct trace_format *format = trace_format_of(filled, name, &t->fault);
    if (format && t->input_count > 1 && !format->several) {
        err_set(&t->fault, ERR_USAGE,
                "%s: a trace in several files must be one of blktrace; this is %s", filled->name,
                format->title);
        return NULL;
    }
    return format;
}

static int reserve(struct trace *t, const struct trace_format *format)
{
    t->format = format;
    t->title = format->title;
    t->window = window_create();
    t->match = format->matched ? match_create() : NULL;
    t->state = calloc(1, format->state_bytes + 1);
    if (!t->window || !t->state || (format->matched && !t->match))
        return err_set(&t->fault, ERR_MACHINE, NO_MEMORY);
    return 0;
}

/* All that can fail, with the error in t->fault. */
static int prepare(struct trace *t, const struct trace_paths *paths,
                   const struct trace_options *options)
{
    t->strict = options->strict;
    if (open_inputs(t, paths))
        return -1;
    const struct trace_format *format = choose_format(t, options->format);
    if (!format || reserve(t, format))
        return -1;
    return format->begin ? format->begin(t) : 0;
}

int trace_open(struct trace **t, const char *const paths[], size_t count,
               const struct trace_options *options, struct err *e)
{
    struct trace_paths found;
    static const struct trace_options usual = {0};
    struct trace *new = calloc(1, sizeof *new);
    *t = NULL;
    if (!new)
        return err_set(e, ERR_MACHINE, NO_MEMORY);
    if (trace_paths_find(&found, paths, count, e) ||
        prepare(new, &found, options ? options : &usual)) {
        if (e && new->fault.code != ERR_NONE)
            *e = new->fault;
        trace_paths_free(&found);
        trace_close(new);
        return -1;
    }
    trace_paths_free(&found);
    *t = new;
    return 0;
}

void trace_close(struct trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->input_count; i++)
        input_close(&t->inputs[i]);
    free(t->inputs);
    window_free(t->window);
    match_free(t->match);
    free(t->state);
    free(t);
}
