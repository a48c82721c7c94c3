/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/source/trace share. */
#ifndef CUPEL_SOURCE_TRACE_INTERNAL_H
#define CUPEL_SOURCE_TRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/durable/chunk_file.h"
#include "base/endian.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/pool.h"
#include "base/span.h"
#include "source/trace/input.h"
#include "source/trace/trace.h"
#include "tables/cupel_trace.h"

/* ---- stages of a request become one event ---- */

/*
 * Combines the records of a request that the kernel's block layer writes at each stage into one
 * event. The stages are queue (a program requests it), issue (it goes to the driver) and
 * complete. Bios that were merged into one request complete with that request; a request that was
 * split completes with its last part. The response time runs from the last issue of the first
 * part to the completion.
 *
 * Events are returned in the order in which they were queued. A request without a completion
 * waits until about MATCH_REQUESTS further requests were queued, and is then returned without a
 * response time, so that memory is bounded. The caller creates a struct match with match_create
 * and frees it with match_free. One thread at a time.
 */

#define MATCH_REQUESTS 65536

/*
 * Stage of a record. Until it is matched, a record is a trace_event with its stage in response_ns.
 */
enum match_stage { MATCH_QUEUE, MATCH_ISSUE, MATCH_COMPLETE };
#define MATCH_STAGE 3u /* mask of the bits that contain the record's stage */
/* added to the stage: the device's cache is flushed first, which is a separate event */
#define MATCH_FLUSH_FIRST 4u

struct match;

struct match *match_create(void); /* NULL: no memory */
void match_free(struct match *m);

/* Takes a record. There is always room after match_give has returned false. Returns false for a
   completion without a known request. */
bool match_take(struct match *m, const struct trace_event *record);

/*
 * Returns the oldest event in *event if it is complete, if its place in the table is needed, or if
 * `all` is set; otherwise returns false.
 */
bool match_give(struct match *m, struct trace_event *event, bool all);

/* ---- the devices of a trace ---- */

/*
 * The devices and files of a trace, found by name in a table of fixed size. One thread at a time.
 */

#define DEVICES_SLOTS   (4 * TRACE_DEVICES_MAX)
#define DEVICES_NO_ROOM (-1)
#define DEVICES_LONG    (-2)

/* The devices of a trace. A struct of zeros contains no device. */
struct devices {
    struct trace_device device[TRACE_DEVICES_MAX];
    char key[TRACE_DEVICES_MAX][sizeof((struct trace_device *)0)->name]; /* key of each device */
    uint8_t key_length[TRACE_DEVICES_MAX];
    uint16_t slot[DEVICES_SLOTS]; /* index + 1 of the device with this hash; 0: free */
    size_t count;
    size_t last; /* index of the device that was found last */
};

/*
 * Returns the index of the device with this key. A new device is added, with the key in printable
 * form as its name. Returns DEVICES_NO_ROOM if the table is full, DEVICES_LONG if the key is too
 * long.
 */
int devices_find(struct devices *d, struct span key);

/* Like devices_find, for a device of Linux, "8,16". */
int devices_find_number(struct devices *d, uint64_t major, uint64_t minor);

/* ---- a trace that is being read, and its format ---- */

/*
 * The path of an event: a format reads it from the input (next); the window sorts it by time
 * (window_push); if it is a stage of a request, the stages are combined into one event with a
 * response time (block_request_match.c); trace_read makes its time relative and returns it. A
 * format counts the events that it leaves out by trace_skip, and continues.
 */

#define TRACE_FILES_MAX  512 /* files of one trace: one for each processor */
#define TRACE_NOTES_MAX  16
#define TRACE_NOTE_BYTES 200
#define TRACE_HEAD_BYTES 4096 /* number of bytes by which a format is recognised */

struct match;
struct window;
struct columns;

/*
 * The reason why a line is left out; the message consists of `what`, "text" and the reason, as in:
 * offset "12x" is no number.
 */
struct line_skip {
    enum trace_skip reason;
    const char *what;
    struct span text; /* the field; empty if it is missing */
    const char *verdict;
};

enum line_kind { LINE_EVENT, LINE_NOTHING, LINE_FAULT };

/* The context for reading a line of a text. */
struct line_reader {
    struct devices *devices; /* NULL: the line is only checked */
    void *state;             /* data of the format */
};

struct trace_format {
    const char *name;  /* name for --format */
    const char *title; /* name for reports */
    const char *mark;  /* text at the beginning of every file, or NULL */
    size_t state_bytes;

    /* Returns how well the first bytes fit the format; 0: not at all. NULL: `mark` decides, or the
       number of lines that fit. */
    unsigned (*recognise)(const unsigned char *head, size_t length);
    int (*begin)(struct trace *t);
    /* Reads the next event; its time is as stored in the trace. Returns 1; 0 at the end; -1 with
       the error in t->fault. NULL: the format is read line by line. */
    int (*next)(struct trace *t, struct trace_event *event);

    /* For text formats: reads a line and fills all members of the event except its number. NULL:
       the format has `columns`. */
    enum line_kind (*line)(struct line_reader *r, struct span line, struct trace_event *event,
                           struct line_skip *skip);
    const struct columns *columns;
    bool several; /* a trace of this format may consist of several files */
    bool matched; /* `next` returns stages of requests, which are then combined into events */
};

/* All formats in the order in which they are tried: if two fit equally well, the first one is
   used. */
#define TRACE_FORMAT_ROWS(ROW)                                                                     \
    ROW(cupel)                                                                                     \
    ROW(blktrace) ROW(iolog) ROW(blkparse) ROW(msr) ROW(alibaba) ROW(tencent) ROW(spc) ROW(fiu)
#define TRACE_FORMAT_DECLARATION(row) extern const struct trace_format trace_format_##row;
TRACE_FORMAT_ROWS(TRACE_FORMAT_DECLARATION)
#undef TRACE_FORMAT_DECLARATION

/* A table whose columns the user names; it is never recognised by its content. */
extern const struct trace_format trace_format_named_columns;

struct trace {
    const struct trace_format *format;
    const char *title;
    const char *columns; /* trace_options.columns, valid while the trace is opened; or NULL */
    void *state;         /* data of the format; all zeros at first */
    bool strict;
    struct err fault; /* why reading cannot continue; code 0: no error */

    struct input *inputs;
    size_t input_count;
    uint64_t number; /* number of the line or record that was read last, if there is one file */
    bool cut_line;   /* the last line had no line end */

    struct devices devices;
    struct trace_skips skips[TRACE_SKIPS];
    bool attempts; /* attempts are returned, too (trace_options.attempts) */
    struct trace_host host;
    char notes[TRACE_NOTES_MAX][TRACE_NOTE_BYTES];
    size_t note_count, notes_left_out;

    struct window *window;
    struct match *match; /* NULL if the events of the format need no matching */
    bool ended;          /* the format has no more events to read */
    uint64_t now_ns;     /* time of the last event that left the window, as stored in the trace */
    uint64_t first_ns;   /* time of the first event that was returned, as stored in the trace */
    uint64_t given;
};

/* Counts `count` events that are left out or changed; the first of them is event `number` of
   `file`. Returns 0, or -1 with the error in t->fault if that ends the reading (strict). */
int trace_skip(struct trace *t, enum trace_skip reason, uint64_t count, const char *file,
               uint64_t number, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Returns false if the event's range is not possible; `skip` becomes the reason. */
bool trace_event_fits(const struct trace_event *event, struct line_skip *skip);

/* Writes the text for trace_skips.first_words. Returns `to`. */
#define LINE_SKIP_BYTES 120
char *line_skip_words(char to[LINE_SKIP_BYTES], const struct line_skip *skip);

static inline bool set_line_skip(struct line_skip *skip, enum trace_skip reason, const char *what,
                                 struct span text, const char *verdict)
{
    *skip = (struct line_skip){reason, what, text, verdict};
    return false;
}

/* ---- columns ---- */

/* Formats with one event per line in columns: what each column means, and the line reader that all
   these formats use. */

enum column_kind {
    COLUMN_END,
    COLUMN_TIME,    /* in whole units */
    COLUMN_SECONDS, /* in seconds, with a fraction */
    COLUMN_OFFSET,
    COLUMN_LENGTH,
    COLUMN_RESPONSE,
    COLUMN_OP_WORD,  /* R, W, Read, Write in any case */
    COLUMN_OP_DIGIT, /* 0 read, 1 write */
    /* a device is named by two such columns, which are joined with the character `join` */
    COLUMN_DEVICE,
    COLUMN_PROCESS,
    /* skipped: any text, even with blanks, up to a place where two numbers and a letter follow */
    COLUMN_PROGRAM,
};

struct column {
    const char *name;
    uint8_t kind;
    uint32_t scale; /* size of the column's unit in ns or bytes */
};

#define COLUMNS_MAX 10

struct columns {
    char separator; /* ' ' means any number of blanks and tabs */
    char join;
    bool more; /* more columns may follow */
    struct column column[COLUMNS_MAX];
};

/* ---- cupel's own format (tables/cupel_trace.h) ---- */

/* The values of the previous event, relative to which the next one is encoded; zeros at the
   beginning of a chunk. */
struct cupel_before {
    uint64_t time_ns;
    uint64_t end[CUPEL_DEVICES];
    uint32_t process;
    uint16_t device;
    bool foreign;
};

/* The form of the chunks of cupel's own trace format. */
extern const struct chunk_form cupel_form;

/* ---- formats ---- */

/* Recognises the format by the first bytes, or finds it by `name` if that is given. ERR_USAGE: the
   format is unknown; the message lists the formats. */
const struct trace_format *trace_format_of(const struct input *in, const char *name, struct err *e);

/* Reads the next event of a text with one event per line, and counts faulty lines. Formats use it
   as struct trace_format.next. */
int text_next(struct trace *t, struct trace_event *event);

/* ---- the lines of a text ---- */

#define LINE_BYTES 4096 /* longer lines occur in no trace, and are skipped */

/*
 * Reads the next line without its end. Returns 1; 0 at the end; -1 with the error in t->fault.
 */
int lines_read(struct trace *t, struct span *line);

/* ---- numbers and words of a line ---- */

/* Readers of whole numbers and words in lines that do not end with '\0': fast and exact. */

enum scan_status { SCAN_OK, SCAN_NONE, SCAN_LARGE };

#define SCAN_SAFE_DIGITS 19 /* numbers with up to this many digits always fit 64 bits */

static inline bool scan_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Reads the digits at *p and moves *p past them. */
static inline enum scan_status scan_whole(const char **p, const char *end, uint64_t *value)
{
    const char *begin = *p, *at = begin;
    uint64_t v = 0;
    for (; at < end && scan_is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (at - begin < SCAN_SAFE_DIGITS)
            v = v * 10 + digit;
        else if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, digit, &v))
            return SCAN_LARGE;
    }
    *p = at;
    *value = v;
    return at > begin ? SCAN_OK : SCAN_NONE;
}

/* Reads seconds with an optional fraction, in ns. Digits after the ninth are ignored. */
static inline enum scan_status scan_seconds(const char **p, const char *end, uint64_t *ns)
{
    uint64_t seconds, fraction = 0;
    enum scan_status status = scan_whole(p, end, &seconds);
    if (status != SCAN_OK)
        return status;
    if (*p < end && **p == '.') {
        uint64_t unit = 1000000000;
        for ((*p)++; *p < end && scan_is_digit(**p); (*p)++) {
            unit /= 10;
            fraction += unit * (uint64_t)(**p - '0');
        }
    }
    if (__builtin_mul_overflow(seconds, 1000000000u, ns) ||
        __builtin_add_overflow(*ns, fraction, ns))
        return SCAN_LARGE;
    return SCAN_OK;
}

static inline bool scan_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *scan_blanks(const char *p, const char *end)
{
    while (p < end && scan_is_blank(*p))
        p++;
    return p;
}

/* Returns the text up to the next blank, and moves *p past it. */
static inline struct span scan_word(const char **p, const char *end)
{
    const char *begin = *p;
    while (*p < end && !scan_is_blank(**p))
        (*p)++;
    return (struct span){begin, (size_t)(*p - begin)};
}

/* ---- order by time ---- */

/*
 * The window sorts events by time; events with equal times keep their order. Nearly all traces
 * are nearly sorted, so events that are not earlier than the one before wait in a queue, and only
 * the other events in a heap.
 *
 * The caller creates a window with window_create and frees it with window_free. One thread at a
 * time.
 */

#define WINDOW_EVENTS TRACE_WINDOW_EVENTS

struct window;

struct window *window_create(void); /* NULL: no memory */
void window_free(struct window *w);

void window_push(struct window *w,
                 const struct trace_event *event); /* the window must not be full */
/* returns false if the window is empty */
bool window_pop(struct window *w, struct trace_event *event);

#endif
