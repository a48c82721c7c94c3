/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log with group commit: messages that arrive during a write are written together, sequentially,
   when that write has completed; then each sender gets an answer. */
#include "source/generator/internal.h"

#include "base/units.h"

struct sender {
    uint32_t stream, value;
};

struct log {
    uint64_t begin, span; /* the log's part of the region, in bytes */
    uint64_t position;
    uint32_t align, max; /* `max`: the largest number of messages in one write */
    /* a circular buffer of senders; those whose messages are being written come first */
    struct sender *waiting;
    uint32_t capacity, first, count, writing;
};

static unsigned log_capacity(const struct stream_spec *spec, unsigned copy, unsigned copies)
{
    (void)spec, (void)copy, (void)copies;
    return 1;
}

/* Returns the number of messages that can wait: one for each transaction of the copy. */
static uint32_t senders_of(const struct workload_spec *workload)
{
    uint32_t senders = 0;
    for (unsigned i = 0; i < workload->stream_count; i++)
        if (workload->streams[i].kind == STREAM_TRANSACTION)
            senders += stream_transaction.capacity(&workload->streams[i], 0, 1);
    return senders;
}

static size_t log_bytes(const struct workload_spec *workload, const struct stream_spec *spec,
                        unsigned capacity)
{
    (void)spec, (void)capacity;
    return arena_bytes(1, sizeof(struct log)) +
           arena_bytes(senders_of(workload), sizeof(struct sender));
}

static int log_init(struct stream *s, struct arena *arena, struct err *e)
{
    const struct stream_spec *spec = s->spec;
    struct log *log = s->state = arena_alloc(arena, 1, sizeof *log);
    uint32_t capacity = senders_of(s->workload), align = stream_spec_log_align(spec);
    struct sender *waiting = log ? arena_alloc(arena, capacity, sizeof *waiting) : NULL;
    if (!waiting)
        return err_no_memory(e, "a group commit log");
    uint32_t largest = spec->sizes[0].bytes;
    const struct address_extent extent =
        stream_extent(s, spec->region_from, spec->region_to, align, 0);
    uint64_t span = extent.end - extent.begin;
    char has[UNITS_BUFFER], needs[UNITS_BUFFER];
    if (span < largest)
        return err_set(e, ERR_USAGE, "its part of the region has %s, too little for writes of %s",
                       format_size(has, sizeof has, (double)span),
                       format_size(needs, sizeof needs, largest));
    *log = (struct log){.begin = extent.begin,
                        .span = span,
                        .align = align,
                        .max = largest / align * align / spec->log_bytes_per_message,
                        .waiting = waiting,
                        .capacity = capacity};
    log->position = span / align * extent.copy / extent.copies * align;
    if (!log->max)
        return err_set(e, ERR_USAGE, "a record of %u bytes is larger than its largest write",
                       spec->log_bytes_per_message);
    return 0;
}

static void write_waiting(struct stream *s, struct log *log, uint64_t now_ns)
{
    log->writing = log->count < log->max ? log->count : log->max;
    uint64_t bytes = (uint64_t)log->writing * s->spec->log_bytes_per_message;
    struct request_shape request = {
        .length = (uint32_t)((bytes + log->align - 1) / log->align * log->align)};
    request.kind = stream_kind(s, 1, request.length);
    if (log->position + request.length > log->span)
        log->position = 0;
    request.offset = log->begin + log->position;
    log->position += request.length;
    stream_request(s, now_ns, &request, 0);
}

static void log_handle(struct stream *s, const struct stream_event *event)
{
    struct log *log = s->state;
    switch (event->kind) {
    case EVENT_BEGIN:
        log->count = log->writing = 0;
        break;
    case EVENT_MESSAGE:
        log->waiting[(log->first + log->count++) % log->capacity] =
            (struct sender){.stream = event->from, .value = (uint32_t)event->value};
        if (!log->writing)
            write_waiting(s, log, event->now_ns);
        break;
    case EVENT_COMPLETION:
        for (; log->writing; log->writing--, log->count--) {
            const struct sender *sender = &log->waiting[log->first];
            stream_send(s, sender->stream, event->now_ns, sender->value, event->error);
            log->first = log->first + 1 == log->capacity ? 0 : log->first + 1;
        }
        if (log->count)
            write_waiting(s, log, event->now_ns);
        break;
    case EVENT_ARRIVAL:
        break;
    }
}

const struct stream_ops stream_log = {
    .name = "log",
    .help = "gathers what transactions tell it and writes it in sequence, then answers them",
    .capacity = log_capacity,
    .bytes = log_bytes,
    .init = log_init,
    .handle = log_handle,
};
