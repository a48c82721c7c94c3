/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of I/O: one kind of event, whatever format it was written in, read as a stream.
 *
 * trace_open finds out the format by content (a row of src/trace/formats.c; a new format is one
 * file and one row) and whether it is gzipped. trace_read gives events in the order of their time.
 * Memory does not depend on the trace's length: what must be matched (issue and completion) or put
 * in order waits in tables of fixed size, and what does not fit them is given on as it is and
 * counted. Owner: who called trace_open calls trace_close; one thread at a time.
 *
 * Bad input never ends a program that can go on: an event that makes no sense is left out, counted
 * under its reason, and the first of each reason is kept with its number (struct trace_skips). With
 * `strict` the first one is an error (ERR_USAGE) that names file, event number and reason.
 */
#ifndef CUPEL_TRACE_TRACE_H
#define CUPEL_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/machine/host_identity.h"

enum trace_op { TRACE_READ, TRACE_WRITE, TRACE_FLUSH, TRACE_DISCARD, TRACE_OPS };

/* Where the event was seen: cupel's own format holds both; all others hold BLOCK, fio's iolog
   SYSCALL. */
enum trace_level { TRACE_BLOCK, TRACE_SYSCALL };

#define TRACE_UNKNOWN UINT64_MAX

/* So many events are put in order of their time at once: one that stands later gets the time of the
   one before. */
#define TRACE_WINDOW_EVENTS 65536

struct trace_event {
    uint64_t time_ns;     /* when it was issued, since the trace's first event */
    uint64_t offset;      /* bytes, within its device or file */
    uint64_t response_ns; /* from issue to completion; TRACE_UNKNOWN where the trace has none */
    uint64_t number;      /* of the event in its file, from 1: the line of a text, the record of a
                             binary */
    uint32_t length;      /* bytes; 0 for a flush without a range */
    uint32_t process;     /* who issued it: process or thread id; 0 unknown */
    uint16_t device;      /* index of trace_device() */
    uint8_t op;           /* enum trace_op */
    uint8_t level : 1;    /* enum trace_level */
    uint8_t durable : 1;  /* FUA: complete only when on the medium */
    uint8_t failed : 1;   /* the trace says that it failed */
    uint8_t attempt : 1;  /* it counts in BPS and is no I/O: see struct trace_options */
    uint8_t foreign : 1;  /* a program was recorded, and none of its processes handed this in */
};

/* A device or file of the trace. Known once an event of it was read. */
struct trace_device {
    char name[80]; /* "8,16", "hm.1", "/data1g" */
    uint64_t end;  /* bytes: the highest offset + length so far */
    uint64_t size; /* bytes, where the trace has it (cupel's own); 0: unknown */
};
#define TRACE_DEVICES_MAX 256 /* events of further ones are skipped and counted */

/* Why events are left out or changed: a row of TRACE_SKIP_ROWS each. */
#define TRACE_SKIP_ROWS(ROW)                                                                       \
    ROW(TRACE_SKIP_MALFORMED, "cannot be read")                                                    \
    ROW(TRACE_SKIP_TRUNCATED, "breaks off")                                                        \
    ROW(TRACE_SKIP_RANGE, "has a number out of range")                                             \
    ROW(TRACE_SKIP_EMPTY, "has a length of 0")                                                     \
    ROW(TRACE_SKIP_REORDERED, "is earlier than what was read long before it; issued at once")      \
    ROW(TRACE_SKIP_DEVICES, "is of one device too many")                                           \
    ROW(TRACE_SKIP_UNMATCHED, "is a completion without its issue")                                 \
    ROW(TRACE_SKIP_FOREIGN, "is of another format than what stands before it")                     \
    ROW(TRACE_SKIP_LOST, "was lost by whoever recorded the trace")
#define TRACE_SKIP_IDENTIFIER(identifier, words) identifier,
enum trace_skip { TRACE_SKIP_ROWS(TRACE_SKIP_IDENTIFIER) TRACE_SKIPS };
#undef TRACE_SKIP_IDENTIFIER

struct trace_skips {
    uint64_t count;
    uint64_t first_number; /* valid when count > 0 */
    char first_file[80];   /* last part of its path */
    char
        first_words[120]; /* what exactly, with line text or field: "offset \"12x\" is no number" */
};

/* The words of a reason: "event 17 of t.csv " + these. */
const char *trace_skip_words(enum trace_skip reason);

struct trace_options {
    bool strict;
    const char *format; /* name of a row of formats.c, or NULL: by content */
    bool attempts; /* give out what asked for bytes that were not moved, too: reads at a file's end,
                      and the rest of short calls (cupel's own) */
};

struct trace; /* a trace being read */

/*
 * Open the trace of paths[0..count). "-" is standard input (alone). Several paths, or a folder or
 * a name that is the beginning of NAME.blktrace.0, .1 ..., are the per-processor files of one
 * blktrace, merged by time. ERR_USAGE: cannot be read, empty, or no format that is known (the
 * message lists the known ones and what was seen instead).
 */
int trace_open(struct trace **t, const char *const paths[], size_t count,
               const struct trace_options *options, struct err *e);

/*
 * The next events, at most `max`, in order of time. Returns how many; 0 at the end; -1 with the
 * error (strict, or the file cannot be read on: ERR_USAGE).
 */
int trace_read(struct trace *t, struct trace_event events[], size_t max, struct err *e);

void trace_close(struct trace *t);

/* Call `each` with every file that a trace of that name is read from, until one call fails. */
int trace_files(const char *path, int (*each)(void *context, const char *file, struct err *e),
                void *context, struct err *e);

const char *trace_format_name(const struct trace *t); /* "blktrace", "MSR Cambridge CSV", ... */
size_t trace_device_count(const struct trace *t);
const struct trace_device *trace_device(const struct trace *t, size_t i);
const struct trace_skips *trace_skipped(const struct trace *t, enum trace_skip reason);
uint64_t trace_bytes_read(const struct trace *t);  /* of the file(s), for progress ... */
uint64_t trace_bytes_total(const struct trace *t); /* ... of these; 0: unknown (a pipe) */

/* What the wall clock showed at an instant of the recording. */
struct trace_clock {
    uint64_t
        time_ns; /* since the recording began, which is trace_begin_ns before the first event */
    uint64_t wall_ns; /* since 1970 */
    int64_t error_ns; /* bound of |wall clock - UTC|; CLOCK_ERROR_UNKNOWN */
};

/* Where it was recorded (cupel's own); what was read so far. */
struct trace_host {
    struct host_identity identity;
    size_t clock_count;
    struct trace_clock first, last; /* of the clock_count; all have the largest error */
};
const struct trace_host *trace_host(const struct trace *t);
uint64_t trace_begin_ns(const struct trace *t); /* from the recording's begin to the first event */

/* The recording's instant in ns since 1970, by its clocks: what they drifted apart between begin
   and end is spread evenly; a clock that was set counts as at the begin. False: it has none. */
bool trace_wall_ns(const struct trace_host *host, uint64_t time_ns, uint64_t *wall_ns);

/* Lines of text that the trace has about itself (cupel's own), those read so far. When there are
   more than fit, the last one says how many. */
size_t trace_note_count(const struct trace *t);
const char *trace_note(const struct trace *t, size_t i);

/* Names of the formats, in the order they are tried; NULL ends the list. For help and options. */
const char *const *trace_format_names(void);

#endif
