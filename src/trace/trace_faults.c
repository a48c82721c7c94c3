/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a trace: events that are left out or changed, counted by reason. */
#include "trace/internal.h"

#include <stdarg.h>
#include <stdio.h>

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

const struct trace_skips *trace_skipped(const struct trace *t, enum trace_skip reason)
{
    return &t->skips[reason];
}
