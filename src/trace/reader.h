/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of this room share: a trace being read, and what a format is.
 *
 * The way of an event: a format reads it from the input (next), the window puts it in order of time
 * (window.h), records of a request's stages become one event with a response time (match.h), and
 * trace_read makes its time relative and gives it out. A format tells what it leaves out by
 * trace_skip and goes on.
 */
#ifndef CUPEL_TRACE_READER_H
#define CUPEL_TRACE_READER_H

#include "base/span.h"
#include "trace/devices.h"
#include "trace/input.h"
#include "trace/trace.h"

#define TRACE_FILES_MAX  512 /* of one trace: a file for each processor */
#define TRACE_NOTES_MAX  16
#define TRACE_NOTE_BYTES 200
#define TRACE_HEAD_BYTES 4096 /* what a format is recognised by */

struct match;
struct window;
struct columns;

/* What is wrong with a line: `what` "text" `verdict`, such as: offset "12x" is no number. */
struct fault {
    enum trace_skip reason;
    const char *what;
    struct span text; /* empty: it is missing */
    const char *verdict;
};

enum line_kind { LINE_EVENT, LINE_NOTHING, LINE_FAULT };

/* What the line of a text is read with. */
struct line_reader {
    struct devices *devices; /* NULL: only to see whether the line fits */
    void *state;             /* of the format */
};

struct trace_format {
    const char *name;  /* for --format */
    const char *title; /* for people */
    const char *mark;  /* a text that it begins with, or NULL */
    size_t state_bytes;

    /* How well the first bytes fit, 0: not at all. NULL: by `mark`, or by how many lines fit. */
    unsigned (*recognise)(const unsigned char *head, size_t length);
    int (*begin)(struct trace *t);
    /* The next event, its time as the trace has it: 1, 0 at the end, -1 with the error in t->fault.
       NULL: by lines. */
    int (*next)(struct trace *t, struct trace_event *event);

    /* Of a text: what a line is. The event has all but its number. NULL: by `columns`. */
    enum line_kind (*line)(struct line_reader *r, struct span line, struct trace_event *event,
                           struct fault *fault);
    const struct columns *columns;
    bool several; /* may be several files */
    bool matched; /* `next` gives stages of requests: match.h */
};

extern const struct trace_format trace_format_cupel, trace_format_blktrace, trace_format_blkparse,
    trace_format_iolog, trace_format_msr, trace_format_spc, trace_format_alibaba,
    trace_format_tencent, trace_format_fiu;

struct trace {
    const struct trace_format *format;
    const char *title;
    void *state; /* of the format; zeros at first */
    bool strict;
    struct err fault; /* why the trace cannot be read on; code 0: it can */

    struct input *inputs;
    size_t input_count;
    uint64_t number; /* of the line, or record, that was read last; when there is one file */
    bool cut_line;   /* the last line had no end */

    struct devices devices;
    struct trace_skips skips[TRACE_SKIPS];
    char notes[TRACE_NOTES_MAX][TRACE_NOTE_BYTES];
    size_t note_count;

    struct window *window;
    struct match *match; /* NULL when the format has whole events */
    bool ended;          /* the format has no more */
    uint64_t now_ns;     /* of the last event that left the window, as the trace has it */
    uint64_t first_ns;   /* of the first event given out */
    uint64_t given;
};

/*
 * Count `count` events that are left out or changed, the first of them the `number`th of `file`.
 * Returns 0, or -1 with the error in t->fault where that is a reason to end (strict).
 */
int trace_skip(struct trace *t, enum trace_skip reason, uint64_t count, const char *file,
               uint64_t number, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* A range that makes sense? Fills `fault` and returns false when it does not. */
bool trace_event_fits(const struct trace_event *event, struct fault *fault);

/* Text for trace_skips.first_words. Returns `to`. */
#define FAULT_BYTES 120
char *fault_words(char to[FAULT_BYTES], const struct fault *fault);

static inline bool set_fault(struct fault *fault, enum trace_skip reason, const char *what,
                             struct span text, const char *verdict)
{
    *fault = (struct fault){reason, what, text, verdict};
    return false;
}

#endif
