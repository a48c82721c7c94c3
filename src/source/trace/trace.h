/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of I/O, read as a stream of events that are the same for all formats.
 *
 * trace_open recognises the format by content (a row of TRACE_FORMAT_ROWS; a new format is one
 * file and one row), and gzip compression. trace_read returns events in order of time. Memory
 * does not depend on the trace's length: events that must be matched (issue and completion) or
 * sorted wait in tables of fixed size; if there is no room, events are returned unchanged and
 * counted. The caller of trace_open closes the trace with trace_close. One thread at a time.
 *
 * Bad input ends the reading only if it cannot continue: an event with impossible values is left
 * out and counted under its reason; for each reason the number of the first such event is stored
 * (struct trace_skips). With `strict` the first one is an error (ERR_USAGE) that names file,
 * event number and reason.
 */
#ifndef CUPEL_SOURCE_TRACE_TRACE_H
#define CUPEL_SOURCE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/machine/host_identity.h"
#include "facts/operation.h"

/* The level at which an event was recorded. cupel's own format has events of both levels; fio's
   iolog has only SYSCALL, all other formats only BLOCK. */
enum trace_level { TRACE_BLOCK, TRACE_SYSCALL };

#define TRACE_UNKNOWN UINT64_MAX

/* Number of events that are sorted by time together. An event that comes even later gets the time
   of the event before it. */
#define TRACE_WINDOW_EVENTS 65536

struct trace_event {
    uint64_t time_ns; /* issue time in ns since the trace's first event */
    uint64_t offset;  /* offset in the device or file, in bytes */
    /* ns from issue to completion; TRACE_UNKNOWN if the trace does not have it */
    uint64_t response_ns;
    /* number of the event in its file, from 1: its line in a text, its record in a binary file */
    uint64_t number;
    uint32_t length;     /* bytes; 0 for a flush without a range */
    uint32_t process;    /* process or thread id of the issuer; 0: unknown */
    uint16_t device;     /* index of the device, for trace_device() */
    uint8_t op;          /* enum operation */
    uint8_t level : 1;   /* enum trace_level */
    uint8_t durable : 1; /* FUA: the request is complete only when its data are on the medium */
    uint8_t failed : 1;  /* according to the trace, the request failed */
    uint8_t attempt : 1; /* the event counts in BPS but is not I/O: see struct trace_options */
    uint8_t foreign : 1; /* a program was recorded, and this request did not come from it */
};

/* A device or file of the trace. It is added when its first event is read. */
struct trace_device {
    char name[80]; /* such as "8,16", "hm.1", "/data1g" */
    uint64_t end;  /* highest offset + length so far, in bytes */
    uint64_t size; /* size in bytes, if the trace states it (cupel's own format); 0: unknown */
};
#define TRACE_DEVICES_MAX 256 /* events of further devices are skipped and counted */

/* The reasons why events are left out or changed, one row each. */
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
    char first_file[80];   /* file name of the first such event, without its folder */
    /* reason why the first such event was left out, with its text: "offset \"12x\" is no number" */
    char first_words[120];
};

/* Returns the words for a reason; they follow "event 17 of t.csv ". */
const char *trace_skip_words(enum trace_skip reason);

struct trace_options {
    bool strict;
    const char *format;  /* name of a format (row of formats.c); NULL: recognised by content */
    const char *columns; /* "time=1,op=3,...": columns of a table (named_columns.c); or NULL */
    /* also return attempts, which moved no bytes: reads at a file's end, and the bytes of short
       calls that were not moved (cupel's own format) */
    bool attempts;
};

struct trace; /* a trace that is being read */

/*
 * Opens the trace of paths[0..count). "-" is standard input (then the only path). Several paths, a
 * folder, or a name that is the beginning of NAME.blktrace.0, .1 ..., are the per-processor files
 * of one blktrace, merged by time. ERR_USAGE: it cannot be read, is empty, or has an unknown format
 * (the message lists the known formats and what was found instead).
 */
int trace_open(struct trace **t, const char *const paths[], size_t count,
               const struct trace_options *options, struct err *e);

/* Stores the next events, at most `max`, in order of time. Returns their number; 0 at the end; -1
   after an error (ERR_USAGE: reading the file failed, or with `strict` an event is bad). */
int trace_read(struct trace *t, struct trace_event events[], size_t max, struct err *e);

void trace_close(struct trace *t);

/* Calls `each` with every file of the trace with that name, until a call fails. */
int trace_files(const char *path, int (*each)(void *context, const char *file, struct err *e),
                void *context, struct err *e);

const char *trace_format_name(const struct trace *t); /* such as "blktrace", "MSR Cambridge CSV" */
size_t trace_device_count(const struct trace *t);
const struct trace_device *trace_device(const struct trace *t, size_t i);
const struct trace_skips *trace_skipped(const struct trace *t, enum trace_skip reason);
/* bytes of the files that were read so far, for progress */
uint64_t trace_bytes_read(const struct trace *t);
/* total bytes of the files; 0: unknown (a pipe) */
uint64_t trace_bytes_total(const struct trace *t);

/* The wall clock at one instant of the recording. */
struct trace_clock {
    uint64_t
        time_ns; /* ns since the recording began, which is trace_begin_ns before the first event */
    uint64_t wall_ns; /* wall clock, in ns since 1970 */
    int64_t error_ns; /* bound of |wall clock - UTC| in ns; or CLOCK_ERROR_UNKNOWN */
};

/* The host and the clocks of the recording (cupel's own format), as far as they were read so far.
 */
struct trace_host {
    struct host_identity identity;
    size_t clock_count;
    /* the first and the last of the recording's clock_count clock readings; both contain the
       largest error of all readings */
    struct trace_clock first, last;
};
const struct trace_host *trace_host(const struct trace *t);
/* ns from the recording's beginning to the first event */
uint64_t trace_begin_ns(const struct trace *t);

/*
 * Converts an instant of the recording to ns since 1970, by its clocks. The drift between the first
 * and the last clock is distributed evenly; if the clock was set in between, only the first one is
 * used. Returns false if the trace has no clocks.
 */
bool trace_wall_ns(const struct trace_host *host, uint64_t time_ns, uint64_t *wall_ns);

/* Returns the number of notes about the recording (cupel's own format) that were read so far. If
   some did not fit, the last note says how many. */
size_t trace_note_count(const struct trace *t);
const char *trace_note(const struct trace *t, size_t i);

/* Returns the names of the formats, for help and options, in the order in which they are tried,
   with NULL at the end. */
const char *const *trace_format_names(void);

#endif
