/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for all formats: read the lines of a text, find the devices of a trace, and count, by
   reason, events that are left out or changed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "source/trace/internal.h"

/* ---- events that are left out or changed ---- */

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

bool trace_event_fits(const struct trace_event *event, struct line_skip *skip)
{
    static const struct span nothing = {"", 0};
    if (event->length == 0 && event->op != OPERATION_SYNC)
        return set_line_skip(skip, TRACE_SKIP_EMPTY, "its length", nothing, "is 0");
    if (event->offset > (uint64_t)INT64_MAX - event->length)
        return set_line_skip(skip, TRACE_SKIP_RANGE, "its end", nothing, "is beyond 2^63 bytes");
    return true;
}

char *line_skip_words(char to[LINE_SKIP_BYTES], const struct line_skip *skip)
{
    char text[48];
    if (skip->text.length)
        snprintf(to, LINE_SKIP_BYTES, "%s \"%s\" %s", skip->what,
                 span_printable(text, sizeof text, skip->text), skip->verdict);
    else
        snprintf(to, LINE_SKIP_BYTES, "%s %s", skip->what,
                 *skip->verdict ? skip->verdict : "is missing");
    return to;
}

const struct trace_skips *trace_skipped(const struct trace *t, enum trace_skip reason)
{
    return &t->skips[reason];
}

/* ---- lines ---- */

/* Moves to the end of a line that is too long. */
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
            /* The last line has no line end, and is not too long. */
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

/* ---- devices, by a hash of their names ---- */

static bool has_key(const struct devices *d, size_t i, struct span key)
{
    return d->key_length[i] == key.length && memcmp(d->key[i], key.text, key.length) == 0;
}

int devices_find(struct devices *d, struct span key)
{
    if (key.length >= sizeof *d->key)
        return DEVICES_LONG;
    if (d->count && has_key(d, d->last, key))
        return (int)d->last;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < key.length; i++)
        hash = (hash ^ (unsigned char)key.text[i]) * 0x100000001b3u;
    size_t slot = (size_t)(hash >> 32) % DEVICES_SLOTS;
    for (; d->slot[slot]; slot = (slot + 1) % DEVICES_SLOTS)
        if (has_key(d, d->slot[slot] - 1u, key)) {
            d->last = d->slot[slot] - 1u;
            return (int)d->last;
        }
    if (d->count == TRACE_DEVICES_MAX)
        return DEVICES_NO_ROOM;
    d->last = d->count++;
    d->slot[slot] = (uint16_t)d->count;
    span_copy(d->key[d->last], key);
    d->key_length[d->last] = (uint8_t)key.length;
    span_printable(d->device[d->last].name, sizeof d->device->name, key);
    return (int)d->last;
}

int devices_find_number(struct devices *d, uint64_t major, uint64_t minor)
{
    char name[2 * TEXT_DIGITS], digits[TEXT_DIGITS];
    char *end = span_copy(name, span_of(text_digits(digits, major)));
    *end++ = ',';
    end = span_copy(end, span_of(text_digits(digits, minor)));
    return devices_find(d, (struct span){name, (size_t)(end - name)});
}
