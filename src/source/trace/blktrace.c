/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads blktrace's records, version 7 (struct blk_io_trace of linux/blktrace_api.h), in either byte
 * order: from one stream, or from one file per processor, merged by time. Messages and commands to
 * the device (PC) are skipped.
 */
#include "source/trace/internal.h"

#define MAGIC        0x65617400u /* the magic number without its last byte, which is the version */
#define VERSION      7u
#define RECORD_BYTES 48
#define SECTOR       512
#define ACTION_BITS  0xffu /* the action; a higher bit shows a control group */

enum { ACTION_QUEUE = 1, ACTION_ISSUE = 7, ACTION_COMPLETE = 8 };

/* Categories: bits in the upper half of the action. */
enum {
    CATEGORY_READ = 1 << 0,
    CATEGORY_WRITE = 1 << 1,
    CATEGORY_FLUSH = 1 << 2,
    CATEGORY_PC = 1 << 9,
    CATEGORY_NOTIFY = 1 << 10,
    CATEGORY_DISCARD = 1 << 13,
    CATEGORY_FUA = 1 << 15,
};

/* A file, and the next event that was read from it. */
struct stream {
    struct input *in;
    uint64_t number;
    bool has_event;
    struct trace_event event;
};

struct state {
    bool begun;
    struct heap next; /* indices of streams, ordered by the time of their events */
    struct heap_item next_items[TRACE_FILES_MAX];
    struct stream stream[TRACE_FILES_MAX];
    uint32_t device_number; /* number of the device that was found last; `device` is its index */
    int device;
};

static uint32_t load32(const unsigned char *p, bool big_endian)
{
    return big_endian ? load_be32(p) : load_le32(p);
}

static uint64_t load64(const unsigned char *p, bool big_endian)
{
    return big_endian ? load_be64(p) : load_le64(p);
}

static uint16_t load16(const unsigned char *p, bool big_endian)
{
    return big_endian ? load_be16(p) : load_le16(p);
}

/* Returns true if a record begins here; *big_endian becomes its byte order. */
static bool is_magic(const unsigned char *p, bool *big_endian)
{
    *big_endian = load_be32(p) == (MAGIC | VERSION);
    return *big_endian || load_le32(p) == (MAGIC | VERSION);
}

/* Returns the version of the record at p; 0 if there is no record. */
static unsigned version_at(const unsigned char *p)
{
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        uint32_t magic = load32(p, big_endian);
        if ((magic & ~0xffu) == MAGIC)
            return magic & 0xff;
    }
    return 0;
}

/*
 * Returns true if there is a record in the first bytes. It need not be at their start, which may be
 * damaged.
 */
static bool has_record(const unsigned char *head, size_t length)
{
    bool big_endian, found = false;
    for (size_t i = 0; i + 4 <= length && !found; i++)
        found = is_magic(head + i, &big_endian);
    return found;
}

static unsigned recognise(const unsigned char *head, size_t length)
{
    return length >= 4 && version_at(head) ? UINT32_MAX : has_record(head, length);
}

/* Converts a record to an event. Returns LINE_NOTHING if the record is not an I/O request. */
static enum line_kind decode(struct trace *t, const unsigned char *p, bool big_endian,
                             struct trace_event *event, struct line_skip *skip)
{
    static const struct span nothing = {"", 0};
    uint32_t action = load32(p + 28, big_endian);
    unsigned what = action & ACTION_BITS, category = action >> 16;
    uint64_t sector = load64(p + 16, big_endian);
    if (category & (CATEGORY_NOTIFY | CATEGORY_PC) ||
        (what != ACTION_QUEUE && what != ACTION_ISSUE && what != ACTION_COMPLETE))
        return LINE_NOTHING;
    *event = (struct trace_event){.time_ns = load64(p + 8, big_endian),
                                  .offset = sector * SECTOR,
                                  .length = load32(p + 24, big_endian),
                                  .process = load32(p + 32, big_endian),
                                  .failed = load16(p + 44, big_endian) != 0,
                                  .response_ns = what == ACTION_QUEUE   ? MATCH_QUEUE
                                                 : what == ACTION_ISSUE ? MATCH_ISSUE
                                                                        : MATCH_COMPLETE};
    event->op = category & CATEGORY_DISCARD ? OPERATION_TRIM
                : category & CATEGORY_WRITE ? OPERATION_WRITE
                                            : OPERATION_READ;
    event->durable = (category & CATEGORY_FUA) != 0;
    if (event->length == 0 && (category & CATEGORY_FLUSH || what != ACTION_QUEUE)) {
        event->op = OPERATION_SYNC;
        event->offset = 0;
    } else if (category & CATEGORY_FLUSH && event->op == OPERATION_WRITE) {
        event->response_ns |= MATCH_FLUSH_FIRST;
    }
    if (event->op != OPERATION_SYNC && sector > INT64_MAX / SECTOR) {
        set_line_skip(skip, TRACE_SKIP_RANGE, "the sector", nothing, "is too large");
        return LINE_FAULT;
    }
    if (!trace_event_fits(event, skip))
        return LINE_FAULT;
    const uint32_t number = load32(p + 36, big_endian);
    struct state *state = t->state;
    if (!t->devices.count || number != state->device_number) {
        state->device = devices_find_number(&t->devices, number >> 20, number & 0xfffff);
        state->device_number = number;
    }
    event->device = (uint16_t)state->device;
    if (state->device < 0) {
        set_line_skip(skip, TRACE_SKIP_DEVICES, "the device", nothing, "is new");
        return LINE_FAULT;
    }
    return LINE_EVENT;
}

/* Called where no record begins: counts the damage once, and moves to the next record or to the
   end. */
static int find_record(struct trace *t, struct stream *s)
{
    struct input *in = s->in;
    uint64_t passed = 0;
    bool big_endian, found = false;
    while (!found) {
        if (input_fill(in, 4, &t->fault))
            return -1;
        size_t left = input_left(in), i = 0;
        if (left < 4) {
            passed += left;
            input_take(in, left);
            break;
        }
        for (; i + 4 <= left && !found; i += !found)
            found = is_magic(input_bytes(in) + i, &big_endian);
        passed += i;
        input_take(in, i);
    }
    return trace_skip(t, found ? TRACE_SKIP_MALFORMED : TRACE_SKIP_TRUNCATED, 1, in->name,
                      ++s->number, "%llu bytes are no record", (unsigned long long)passed);
}

/* Sets *bytes to the length of the stream's next record with its payload. Returns 1; 0 at the end;
   -1 after an error. */
static int whole_record(struct trace *t, struct stream *s, size_t *bytes, bool *big_endian)
{
    struct input *in = s->in;
    for (;;) {
        if (input_fill(in, RECORD_BYTES, &t->fault))
            return -1;
        if (input_left(in) < 4 || is_magic(input_bytes(in), big_endian))
            break;
        if (find_record(t, s))
            return -1;
    }
    if (input_left(in) == 0 && !in->broken)
        return 0;
    if (input_left(in) < RECORD_BYTES)
        return trace_skip(t, TRACE_SKIP_TRUNCATED, 1, in->name, s->number + 1, "%s",
                          in->broken ? in->broken : "its record is not whole");
    *bytes = RECORD_BYTES + load16(input_bytes(in) + 46, *big_endian);
    if (*bytes == RECORD_BYTES)
        return 1;
    if (input_fill(in, *bytes + 4, &t->fault))
        return -1;
    bool next_big_endian, is_last = input_left(in) == *bytes;
    if (!is_last &&
        (input_left(in) < *bytes + 4 || !is_magic(input_bytes(in) + *bytes, &next_big_endian)))
        /* No record follows after this length, so the length may be wrong: only the header is
           taken, and the search for the next record begins after it. */
        *bytes = RECORD_BYTES;
    return 1;
}

/* Reads the stream's next event. Returns -1 after an error. */
static int advance(struct trace *t, struct stream *s)
{
    s->has_event = false;
    while (!s->has_event) {
        size_t bytes = 0;
        bool big_endian = false;
        int status = whole_record(t, s, &bytes, &big_endian);
        if (status <= 0)
            return status;
        struct line_skip skip;
        char words[LINE_SKIP_BYTES];
        s->number++;
        enum line_kind kind = decode(t, input_bytes(s->in), big_endian, &s->event, &skip);
        input_take(s->in, bytes);
        s->event.number = s->number;
        s->has_event = kind == LINE_EVENT;
        if (kind == LINE_FAULT && trace_skip(t, skip.reason, 1, s->in->name, s->number, "%s",
                                             line_skip_words(words, &skip)))
            return -1;
    }
    return 0;
}

static int blktrace_begin(struct trace *t)
{
    struct state *state = t->state;
    state->next = (struct heap){.items = state->next_items, .capacity = TRACE_FILES_MAX};
    for (size_t i = 0; i < t->input_count; i++) {
        const struct input *in = state->stream[i].in = &t->inputs[i];
        size_t length = input_left(in) < TRACE_HEAD_BYTES ? input_left(in) : TRACE_HEAD_BYTES;
        unsigned version = length >= 4 ? version_at(input_bytes(in)) : 0;
        if (version && version != VERSION)
            return err_set(&t->fault, ERR_USAGE,
                           "%s: it is of version %u of blktrace's format; version %u is read",
                           in->name, version, VERSION);
        /* Empty files are skipped: they belong to processors that were idle. */
        if (length && !has_record(input_bytes(in), length))
            return err_set(&t->fault, ERR_USAGE, "%s: it is no file of blktrace", in->name);
    }
    return 0;
}

/* Reads the stream's next event and inserts the stream into the heap by its time. */
static int enter_next(struct trace *t, uint32_t index)
{
    struct state *state = t->state;
    const struct stream *s = &state->stream[index];
    if (advance(t, &state->stream[index]))
        return -1;
    if (s->has_event)
        heap_push_item(&state->next, (struct heap_item){s->event.time_ns, index, index});
    return 0;
}

static int blktrace_next(struct trace *t, struct trace_event *event)
{
    struct state *state = t->state;
    /* The first events are read here and not when the trace is opened, because skipped events are
       reported by trace_read. */
    const uint32_t not_begun = state->begun ? 0 : (uint32_t)t->input_count;
    state->begun = true;
    for (uint32_t i = 0; i < not_begun; i++)
        if (enter_next(t, i))
            return -1;
    if (!heap_first(&state->next))
        return 0;
    uint32_t earliest = heap_pop(&state->next);
    *event = state->stream[earliest].event;
    return enter_next(t, earliest) ? -1 : 1;
}

const struct trace_format trace_format_blktrace = {.name = "blktrace",
                                                   .title = "blktrace",
                                                   .state_bytes = sizeof(struct state),
                                                   .recognise = recognise,
                                                   .begin = blktrace_begin,
                                                   .next = blktrace_next,
                                                   .several = true,
                                                   .matched = true};
