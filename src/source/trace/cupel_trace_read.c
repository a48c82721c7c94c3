/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads cupel's own trace format chunk by chunk, and skips damaged chunks. */
#include <stdio.h>
#include <string.h>

#include "base/durable/leb128.h"
#include "base/machine/clock_error.h"
#include "base/text.h"
#include "source/trace/internal.h"

struct state {
    uint64_t expected; /* number of the next event if no event is missing */
    uint64_t promised; /* highest event number according to the chunk headers so far */
    bool ended;        /* the END chunk was read, or the truncation was reported */
    bool damaged;      /* there is damage between the last chunk and the current position */
    struct cupel_before before;
    const unsigned char *p, *end; /* unread part of the chunk's payload, in the input's buffer */
    /* bytes of the chunk in the buffer, taken from the input when the chunk is done */
    size_t chunk_bytes;
    uint32_t events_left;  /* events left in the chunk */
    uint32_t device_known; /* index of the device that was found last, plus 1 */
    int device;
    bool has_attempt;
    struct trace_event attempt; /* the attempt that was read last, to be returned next */
};

static int cupel_begin(struct trace *t)
{
    struct input *in = t->inputs;
    struct state *state = t->state;
    const unsigned char *p = input_bytes(in);
    if (input_left(in) < CUPEL_HEADER_BYTES || memcmp(p, CUPEL_MAGIC, CUPEL_MAGIC_BYTES) != 0)
        return err_set(&t->fault, ERR_USAGE, "%s: it does not begin as cupel's traces do",
                       in->name);
    uint32_t seed;
    if (chunk_head_is_intact(&cupel_form, p, &seed) && load_le32(p + 8) != CUPEL_TRACE_VERSION)
        return err_set(&t->fault, ERR_USAGE,
                       "%s: it is of version %u of cupel's trace format; this cupel reads %u",
                       in->name, load_le32(p + 8), CUPEL_TRACE_VERSION);
    state->expected = 1;
    input_take(in, CUPEL_HEADER_BYTES);
    return 0;
}

/* Searches for the header of the next chunk. Returns 1; 0 at the end; -1 after an error. */
static int find_chunk(struct trace *t, struct chunk *c)
{
    struct state *state = t->state;
    struct input *in = t->inputs;
    for (;;) {
        if (input_fill(in, CUPEL_CHUNK_BYTES, &t->fault))
            return -1;
        size_t left = input_left(in), i = 0;
        while (i + CUPEL_CHUNK_BYTES <= left) {
            if (chunk_header(&cupel_form, input_bytes(in) + i, 0, c)) {
                input_take(in, i);
                state->damaged = state->damaged || i > 0;
                return 1;
            }
            i++;
        }
        input_take(in, i);
        state->damaged = state->damaged || i > 0;
        if (in->ended && input_left(in) < CUPEL_CHUNK_BYTES)
            return 0;
    }
}

static int skip_events(struct trace *t, enum trace_skip reason, uint64_t events, const char *words)
{
    const struct state *state = t->state;
    return trace_skip(t, reason, events, t->inputs->name, state->expected, "%s", words);
}

static int end_of_file(struct trace *t)
{
    const struct state *state = t->state;
    const struct input *in = t->inputs;
    if (state->ended)
        return input_left(in) == 0 && !state->damaged
                   ? 0
                   : skip_events(t, TRACE_SKIP_FOREIGN, 1, "something follows the trace's end");
    if (state->promised >= state->expected &&
        skip_events(t, TRACE_SKIP_MALFORMED, state->promised - state->expected + 1,
                    "it is in a piece that is damaged"))
        return -1;
    return skip_events(t, TRACE_SKIP_TRUNCATED, 1,
                       in->broken ? in->broken : "the recording or its copy has no end");
}

/* Compares the chunk's number with the expected one, and counts missing events. Returns 1 if the
   chunk is to be read, 0 if it is to be skipped, or -1 after an error. */
static int place_chunk(struct trace *t, const struct chunk *c)
{
    struct state *state = t->state;
    if (c->number < state->expected || state->ended) {
        if (c->type == CUPEL_CHUNK_EVENTS)
            return skip_events(t, TRACE_SKIP_FOREIGN, c->count, "its piece is of another trace");
        return 0;
    }
    uint64_t missing = c->number - state->expected;
    if (state->damaged && missing == 0 &&
        skip_events(t, TRACE_SKIP_MALFORMED, 1, "damage between two pieces"))
        return -1;
    if (missing &&
        skip_events(t, TRACE_SKIP_MALFORMED, missing, "it is in a piece that is damaged"))
        return -1;
    state->damaged = false;
    state->expected = c->number;
    state->promised = c->number + c->count - 1;
    state->ended = c->type == CUPEL_CHUNK_END;
    return c->type == CUPEL_CHUNK_EVENTS;
}

/* Finds the next intact chunk. Returns 1; 0 at the end; -1 after an error. */
static int next_chunk(struct trace *t)
{
    struct state *state = t->state;
    struct input *in = t->inputs;
    struct chunk c;
    int status;
    input_take(in, state->chunk_bytes);
    state->chunk_bytes = 0;
    while ((status = find_chunk(t, &c)) > 0) {
        const size_t bytes = c.bytes;
        if (input_fill(in, bytes, &t->fault) || (status = place_chunk(t, &c)) < 0)
            return -1;
        if (status && input_left(in) < bytes) {
            /* set, because otherwise end_of_file would report the truncation again */
            state->ended = true;
            input_take(in, input_left(in));
            return skip_events(t, TRACE_SKIP_TRUNCATED, c.count ? c.count : 1,
                               "the piece that it is in is not whole");
        }
        c.payload = input_bytes(in) + CUPEL_CHUNK_BYTES;
        if (status && !chunk_is_intact(&cupel_form, 0, &c)) {
            /* The chunk's length may be damaged, too, so the search goes on directly after this
               header. */
            input_take(in, CUPEL_CHUNK_BYTES);
            state->damaged = true;
            continue;
        }
        if (!status) {
            input_take(in, bytes < input_left(in) ? bytes : input_left(in));
            continue;
        }
        state->p = c.payload;
        state->end = c.payload + c.length;
        state->chunk_bytes = bytes;
        state->events_left = c.count;
        state->before = (struct cupel_before){0};
        return 1;
    }
    return status < 0 ? -1 : end_of_file(t);
}

/* Finds a device by its key, "#7"; its name comes in a separate record. */
static int find_device(struct trace *t, uint64_t device)
{
    struct state *state = t->state;
    if (device > UINT16_MAX)
        return DEVICES_NO_ROOM;
    if (state->device_known != device + 1) {
        char key[TEXT_DIGITS + 1] = "#";
        text_digits(key + 1, device);
        state->device = devices_find(&t->devices, span_of(key));
        state->device_known = (uint32_t)device + 1;
    }
    return state->device;
}

static void take_host(struct trace *t, const unsigned char *p, const unsigned char *end)
{
    struct host_identity *host = &t->host.identity;
    uint64_t boot[2];
    if (!leb128_get(&p, end, &boot[0]) || !leb128_get(&p, end, &boot[1]))
        return;
    for (int i = 0; i < 2; i++)
        store_le64(host->boot + 8 * i, boot[i]);
    host->boot_known = boot[0] || boot[1];
    span_printable(host->name, sizeof host->name,
                   (struct span){(const char *)p, (size_t)(end - p)});
}

static void take_clock(struct trace *t, const unsigned char *p, const unsigned char *end)
{
    struct trace_host *host = &t->host;
    struct trace_clock clock;
    uint64_t error;
    if (!leb128_get(&p, end, &clock.time_ns) || !leb128_get(&p, end, &clock.wall_ns) ||
        !leb128_get(&p, end, &error))
        return;
    clock.error_ns = (int64_t)leb128_unfold(error);
    if (clock.error_ns < 0)
        clock.error_ns = CLOCK_ERROR_UNKNOWN;
    if (host->clock_count++ == 0)
        host->first = clock;
    /* If one of the two errors is unknown, the common error is unknown. */
    bool unknown = host->first.error_ns < 0 || clock.error_ns < 0;
    int64_t larger = clock.error_ns > host->first.error_ns ? clock.error_ns : host->first.error_ns;
    host->last = clock;
    host->first.error_ns = host->last.error_ns = unknown ? CLOCK_ERROR_UNKNOWN : larger;
}

/* Reads an attempt, which is a call that moved no bytes, or the bytes of a short call that were not
   moved. Returns false if its values are not possible. */
static bool take_attempt(struct state *state, const unsigned char *p, const unsigned char *end)
{
    uint64_t time, response, length, op;
    if (!leb128_get(&p, end, &time) || !leb128_get(&p, end, &response) ||
        !leb128_get(&p, end, &length) || !leb128_get(&p, end, &op) || length > UINT32_MAX ||
        op >= OPERATIONS)
        return false;
    state->attempt = (struct trace_event){.time_ns = time,
                                          .response_ns = response,
                                          .number = state->expected,
                                          .length = (uint32_t)length,
                                          .op = (uint8_t)op,
                                          .level = TRACE_SYSCALL,
                                          .attempt = 1};
    return true;
}

/* Stores a note. If there is no room, the last note is replaced by the number of notes left out. */
static void take_note(struct trace *t, struct span text)
{
    if (t->note_count < TRACE_NOTES_MAX) {
        span_printable(t->notes[t->note_count++], TRACE_NOTE_BYTES, text);
        return;
    }
    /* two notes are left out the first time: this one, and the one that the number replaces */
    t->notes_left_out += t->notes_left_out ? 1 : 2;
    snprintf(t->notes[TRACE_NOTES_MAX - 1], TRACE_NOTE_BYTES,
             "%zu more notes: there is no room for them", t->notes_left_out);
}

/* Reads a record that is not an event. Returns 1; 0 if its values are not possible; -1 after an
   error. */
static int take_record(struct trace *t, unsigned char kind)
{
    struct state *state = t->state;
    uint64_t length;
    if (!leb128_get(&state->p, state->end, &length) || length > (uint64_t)(state->end - state->p))
        return 0;
    const unsigned char *p = state->p, *end = p + length;
    state->p = end;
    const struct span text = {(const char *)p, length};
    uint64_t number, size;
    switch (kind) {
    case CUPEL_RECORD_DEVICE:
        if (leb128_get(&p, end, &number) && leb128_get(&p, end, &size)) {
            const struct span name = {(const char *)p, (size_t)(end - p)};
            int i = find_device(t, number);
            if (i < 0)
                return 1;
            t->devices.device[i].size = size;
            if (name.length)
                span_printable(t->devices.device[i].name, sizeof t->devices.device->name, name);
        }
        return 1;
    case CUPEL_RECORD_NOTE:
        take_note(t, text);
        return 1;
    case CUPEL_RECORD_HOST:
        take_host(t, p, end);
        return 1;
    case CUPEL_RECORD_CLOCK:
        take_clock(t, p, end);
        return 1;
    case CUPEL_RECORD_ATTEMPT:
        state->has_attempt = t->attempts && take_attempt(state, p, end);
        return 1;
    case CUPEL_RECORD_FOREIGN:
        if (leb128_get(&p, end, &number))
            state->before.foreign = number != 0;
        return 1;
    case CUPEL_RECORD_LOST:
        return leb128_get(&p, end, &number) &&
                       skip_events(t, TRACE_SKIP_LOST, number, "the recording could not keep up")
                   ? -1
                   : 1;
    default:
        return 1;
    }
}

static bool get_event(struct state *state, unsigned char tag, uint64_t *device,
                      struct trace_event *event)
{
    struct cupel_before *before = &state->before;
    const unsigned char **p = &state->p, *end = state->end;
    uint64_t time, process = before->process, offset, length;
    *device = before->device;
    *event = (struct trace_event){.response_ns = TRACE_UNKNOWN,
                                  .op = tag & CUPEL_EVENT_OP,
                                  .level = (tag & CUPEL_EVENT_LEVEL) != 0,
                                  .durable = (tag & CUPEL_EVENT_DURABLE) != 0,
                                  .failed = (tag & CUPEL_EVENT_FAILED) != 0,
                                  .foreign = before->foreign};
    if (!leb128_get(p, end, &time) ||
        (!(tag & CUPEL_EVENT_SAME) &&
         (!leb128_get(p, end, device) || !leb128_get(p, end, &process))) ||
        !leb128_get(p, end, &offset) || !leb128_get(p, end, &length) ||
        ((tag & CUPEL_EVENT_RESPONSE) && !leb128_get(p, end, &event->response_ns)))
        return false;
    length = length & 1 ? length >> 1 : (length >> 1) * 512;
    if (length > UINT32_MAX || *device > UINT16_MAX || process > UINT32_MAX)
        return false;
    uint64_t *before_end = *device < CUPEL_DEVICES ? &before->end[*device] : NULL;
    event->time_ns = before->time_ns + leb128_unfold(time);
    event->offset = (before_end ? *before_end : 0) + leb128_unfold(offset);
    event->length = (uint32_t)length;
    event->process = (uint32_t)process;
    before->time_ns = event->time_ns;
    before->device = (uint16_t)*device;
    before->process = event->process;
    if (before_end)
        *before_end = event->offset + event->length;
    return true;
}

/* Skips the remainder of a chunk whose payload is not valid. */
static int give_up_chunk(struct trace *t)
{
    struct state *state = t->state;
    uint32_t events = state->events_left;
    state->p = state->end;
    state->events_left = 0;
    int status =
        skip_events(t, TRACE_SKIP_MALFORMED, events ? events : 1, "its piece makes no sense");
    state->expected += events;
    return status;
}

/* Reads one event of the chunk. Returns 1; 0 if the event is skipped; -1 after an error. */
static int take_event(struct trace *t, unsigned char tag, struct trace_event *event)
{
    char words[LINE_SKIP_BYTES];
    struct line_skip skip;
    struct state *state = t->state;
    uint64_t device;
    if (state->events_left == 0 || !get_event(state, tag, &device, event))
        return give_up_chunk(t);
    int i = 0, status = 1;
    state->events_left--;
    event->number = state->expected;
    if (!trace_event_fits(event, &skip))
        status = skip_events(t, skip.reason, 1, line_skip_words(words, &skip));
    else if ((i = find_device(t, device)) < 0)
        status = skip_events(t, TRACE_SKIP_DEVICES, 1, "the device is new");
    else
        event->device = (uint16_t)i;
    state->expected++;
    return status;
}

static int cupel_next(struct trace *t, struct trace_event *event)
{
    struct state *state = t->state;
    for (;;) {
        while (state->p < state->end) {
            unsigned char tag = *state->p++;
            bool is_event = !(tag & 0x80);
            int status = is_event ? take_event(t, tag, event) : take_record(t, tag);
            if (!is_event && status >= 0)
                status = status ? 0 : give_up_chunk(t);
            if (state->has_attempt) {
                state->has_attempt = false;
                *event = state->attempt;
                return 1;
            }
            if (status)
                return status;
        }
        if (state->events_left && give_up_chunk(t))
            return -1;
        int status = next_chunk(t);
        if (status <= 0)
            return status;
    }
}

const struct trace_format trace_format_cupel = {.name = "cupel",
                                                .title = "cupel trace",
                                                .mark = CUPEL_MAGIC,
                                                .state_bytes = sizeof(struct state),
                                                .begin = cupel_begin,
                                                .next = cupel_next};
