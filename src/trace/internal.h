/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/trace share. */
#ifndef CUPEL_TRACE_INTERNAL_H
#define CUPEL_TRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/endian.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/pool.h"
#include "base/span.h"
#include "tables/cupel_trace.h"
#include "trace/input.h"
#include "trace/trace.h"

/* ---- the files of a trace ---- */

/* Which files a trace is: those named, or the per-processor files of blktrace that a folder or the
   beginning of their names stands for. Owner: trace_paths_find, then trace_paths_free. */

struct trace_paths {
    size_t count;
    const char **path;
    struct pool names;
};

/* ERR_USAGE when there are none or too many. */
int trace_paths_find(struct trace_paths *found, const char *const paths[], size_t count,
                     struct err *e);
void trace_paths_free(struct trace_paths *found);

/* ---- from the stages of a request to one event ---- */

/*
 * From the stages of a request, as the kernel's block layer records them, to one event: it is asked
 * for (queue), given to the driver (issue), done (complete). Bios that were merged into one request
 * are done when it is; what was split is done when its last part is. The response time runs from
 * the last issue of the first part to the completion.
 *
 * Events come out in the order they were asked for. One whose completion never comes waits until
 * MATCH_REQUESTS further ones were asked for, and then has no response time; so memory is bounded.
 * Owner: match_create, then match_free. One thread at a time.
 */

#define MATCH_REQUESTS 65536

/* A record before it is matched is a trace_event with its stage in response_ns. */
enum match_stage { MATCH_QUEUE, MATCH_ISSUE, MATCH_COMPLETE };
#define MATCH_STAGE       3u /* the bits of the stage */
#define MATCH_FLUSH_FIRST 4u /* the device's cache is flushed before it: a flush of its own */

struct match;

struct match *match_create(void); /* NULL: no memory */
void match_free(struct match *m);

/* False: a completion whose request nobody saw. There is room after match_give returned false. */
bool match_take(struct match *m, const struct trace_event *record);

/* The next event when it is done, or when it must make room, or in any case when `all`. */
bool match_give(struct match *m, struct trace_event *event, bool all);

/* ---- the devices of a trace ---- */

/* The devices and files of a trace, found by name: a table of fixed size. One thread at a time. */

#define DEVICES_SLOTS   (4 * TRACE_DEVICES_MAX)
#define DEVICES_NO_ROOM (-1)
#define DEVICES_LONG    (-2)

/* A struct of zeros has no devices. */
struct devices {
    struct trace_device device[TRACE_DEVICES_MAX];
    char key[TRACE_DEVICES_MAX][sizeof((struct trace_device *)0)->name]; /* what it is found by */
    uint8_t key_length[TRACE_DEVICES_MAX];
    uint16_t slot[DEVICES_SLOTS]; /* index + 1 of the device whose key's hash leads here; 0: free */
    size_t count;
    size_t last; /* the one that was found last */
};

/* The index of the device of this key, which is made when it is new, and has the key as its name,
   fit to be printed; DEVICES_NO_ROOM when the table is full, DEVICES_LONG when the key is too long
   for it. */
int devices_find(struct devices *d, struct span key);

/* The same for a device of Linux, "8,16". */
int devices_find_number(struct devices *d, uint64_t major, uint64_t minor);

/* ---- a trace being read, and its format ---- */

/*
 * The way of an event: a format reads it from the input (next), the window puts it in order of time
 * (time_order_window.c), records of a request's stages become one event with a response time
 * (block_request_match.c), and trace_read makes its time relative and gives it out. A format counts
 * what it leaves out by trace_skip and goes on.
 */

#define TRACE_FILES_MAX  512 /* of one trace: a file for each processor */
#define TRACE_NOTES_MAX  16
#define TRACE_NOTE_BYTES 200
#define TRACE_HEAD_BYTES 4096 /* what a format is recognised by */

struct match;
struct window;
struct columns;

/* Why a line is left out: `what` "text" `verdict`, such as: offset "12x" is no number. */
struct line_skip {
    enum trace_skip reason;
    const char *what;
    struct span text; /* empty: it is missing */
    const char *verdict;
};

enum line_kind { LINE_EVENT, LINE_NOTHING, LINE_FAULT };

/* The context that the line of a text is read in. */
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
                           struct line_skip *skip);
    const struct columns *columns;
    bool several; /* may be several files */
    bool matched; /* `next` gives stages of requests */
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
    bool attempts; /* are given out as well */
    struct trace_host host;
    char notes[TRACE_NOTES_MAX][TRACE_NOTE_BYTES];
    size_t note_count, notes_left_out;

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

/* False: the range makes no sense; `skip` has the reason. */
bool trace_event_fits(const struct trace_event *event, struct line_skip *skip);

/* Text for trace_skips.first_words. Returns `to`. */
#define LINE_SKIP_BYTES 120
char *line_skip_words(char to[LINE_SKIP_BYTES], const struct line_skip *skip);

static inline bool set_line_skip(struct line_skip *skip, enum trace_skip reason, const char *what,
                                 struct span text, const char *verdict)
{
    *skip = (struct line_skip){reason, what, text, verdict};
    return false;
}

/* ---- columns ---- */

/* Formats of one event a line in columns: what each column is, and the one reader of them all. */

enum column_kind {
    COLUMN_END,
    COLUMN_TIME,    /* whole units */
    COLUMN_SECONDS, /* with a fraction */
    COLUMN_OFFSET,
    COLUMN_LENGTH,
    COLUMN_RESPONSE,
    COLUMN_OP_WORD,  /* R, W, Read, Write in any case */
    COLUMN_OP_DIGIT, /* 0 read, 1 write */
    COLUMN_DEVICE,   /* two of them are joined by `join` */
    COLUMN_PROCESS,
    COLUMN_PROGRAM, /* any text before two numbers and a letter, even blanks; left out */
};

struct column {
    const char *name;
    uint8_t kind;
    uint32_t scale; /* ns or bytes of a unit */
};

#define COLUMNS_MAX 10

struct columns {
    char separator; /* ' ': any number of blanks and tabs */
    char join;
    bool more; /* may more follow? */
    struct column column[COLUMNS_MAX];
};

enum line_kind columns_line(const struct columns *c, struct line_reader *r, struct span line,
                            struct trace_event *event, struct line_skip *skip);

/* ---- cupel's own format (tables/cupel_trace.h) ---- */

/* The event that the next one is written as a difference to; zeros at the beginning of a chunk. */
struct cupel_before {
    uint64_t time_ns;
    uint64_t end[CUPEL_DEVICES];
    uint32_t process;
    uint16_t device;
    bool foreign;
};

struct cupel_chunk {
    uint32_t kind;
    uint32_t bytes;
    uint32_t events;
    uint64_t first;
    uint32_t payload_crc;
};

static inline unsigned char *cupel_put(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (unsigned char)(value | 0x80);
    *to++ = (unsigned char)value;
    return to;
}

/* The varint at *p; false when it does not end before `end` or is longer than 64 bits. */
static inline bool cupel_get(const unsigned char **p, const unsigned char *end, uint64_t *value)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint64_t byte = *(*p)++;
        if (shift == 63 && byte > 1)
            return false;
        v |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = v;
            return true;
        }
    }
    return false;
}

/* A difference as an unsigned number that is small when the difference is. */
static inline uint64_t cupel_fold(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t cupel_unfold(uint64_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

/* ---- formats ---- */

/* By its first bytes, or `name` where that is given. ERR_USAGE with the known ones. */
const struct trace_format *trace_format_of(const struct input *in, const char *name, struct err *e);

/* The next event of a text, a line an event, with what is wrong counted: struct trace_format.next.
 */
int text_next(struct trace *t, struct trace_event *event);

/* ---- the lines of a text ---- */

#define LINE_BYTES 4096 /* what is longer is no line of a trace */

/* The next line without its end: 1, 0 at the end, -1 with the error in t->fault. */
int lines_read(struct trace *t, struct span *line);

/* ---- numbers and words of a line ---- */

/* Whole numbers and words in lines that are not ended by '\0', fast and to the letter. */

enum scan_status { SCAN_OK, SCAN_NONE, SCAN_LARGE };

#define SCAN_SAFE_DIGITS 19 /* so many always fit 64 bits */

static inline bool scan_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The digits at *p, which moves past them. */
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

/* Seconds with an optional fraction, in ns; digits after the ninth are left out. */
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

/* Up to the next blank. */
static inline struct span scan_word(const char **p, const char *end)
{
    const char *begin = *p;
    while (*p < end && !scan_is_blank(**p))
        (*p)++;
    return (struct span){begin, (size_t)(*p - begin)};
}

/* ---- order of time ---- */

/*
 * The window in which events are put in order of time: those of equal times stay in the order they
 * came in. Nearly all traces are sorted nearly everywhere, so events that are not earlier than the
 * one before wait in a queue, and only the others in a heap.
 *
 * Owner: window_create, then window_free. One thread at a time.
 */

#define WINDOW_EVENTS TRACE_WINDOW_EVENTS

struct window;

struct window *window_create(void); /* NULL: no memory */
void window_free(struct window *w);

bool window_is_full(const struct window *w);
void window_push(struct window *w, const struct trace_event *event); /* it is not full */
bool window_pop(struct window *w, struct trace_event *event);        /* false: it is empty */

#endif
