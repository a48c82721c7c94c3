/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes cupel's own trace format, one chunk at a time. */
#include "source/trace/cupel_trace_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/durable/leb128.h"
#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "base/invariant.h"
#include "base/span.h"
#include "source/trace/internal.h"

#define TEXT_MAX_BYTES 1024 /* bytes of the longest name or note */
#define NUMBERS_MAX    4    /* maximum number of numbers before the text of a record */
#define RECORD_MAX     (1 + NUMBERS_MAX * LEB128_MAX + LEB128_MAX + TEXT_MAX_BYTES)
/* Time span of the events in one chunk at most: a crash loses no more than this. */
#define CHUNK_AGE_NS 1000000000u

const struct chunk_form cupel_form = {.mark = CUPEL_MAGIC,
                                      .head_bytes = CUPEL_HEADER_BYTES,
                                      .head = CHUNK_HEAD_SEALED,
                                      .header_bytes = CUPEL_CHUNK_BYTES,
                                      .marker = CUPEL_CHUNK_MARKER,
                                      .type_at = 4,
                                      .length_at = 8,
                                      .number_at = 16,
                                      .count_at = 12,
                                      .header_is_sealed = true,
                                      .payload_max = CUPEL_PAYLOAD_BYTES};

struct trace_writer {
    int fd;
    struct err fault; /* the first error */
    const char *path;
    uint64_t written;      /* number of events in chunks before the current one */
    _Atomic uint64_t kept; /* number of events of `written` that are in the file */
    uint64_t dropped;
    uint64_t chunk_began_ns;
    struct chunk chunk;
    struct cupel_before before;
    unsigned char bytes[CUPEL_CHUNK_BYTES + CUPEL_PAYLOAD_BYTES];
    char path_copy[];
};

static void put_out(struct trace_writer *w, const unsigned char *bytes, size_t length)
{
    if (w->fault.code == ERR_NONE)
        (void)write_all(w->fd, bytes, length, w->path, &w->fault);
}

static void begin_chunk(struct trace_writer *w)
{
    w->chunk = (struct chunk){.type = CUPEL_CHUNK_EVENTS, .number = w->written + 1};
    w->before = (struct cupel_before){0};
}

static void end_chunk(struct trace_writer *w)
{
    const struct chunk *c = &w->chunk;
    put_out(w, w->bytes, chunk_seal(&cupel_form, 0, w->bytes, c));
    if (w->fault.code != ERR_NONE)
        w->dropped += c->count;
    else
        atomic_fetch_add(&w->kept, c->count);
    w->written += c->count;
    begin_chunk(w);
}

uint64_t trace_writer_kept(const struct trace_writer *w)
{
    return atomic_load(&w->kept);
}

/* Returns the place for the next record. If the current chunk has no space left, writes that chunk
   first. */
static unsigned char *room_for_record(struct trace_writer *w)
{
    if (w->chunk.length + RECORD_MAX > CUPEL_PAYLOAD_BYTES)
        end_chunk(w);
    return w->bytes + CUPEL_CHUNK_BYTES + w->chunk.length;
}

static void take_room(struct trace_writer *w, const unsigned char *end)
{
    w->chunk.length = (size_t)(end - w->bytes - CUPEL_CHUNK_BYTES);
}

int trace_writer_create(struct trace_writer **w, const char *path, struct err *e)
{
    unsigned char header[CUPEL_HEADER_BYTES];
    struct trace_writer *new = calloc(1, sizeof *new + strlen(path) + 1);
    *w = NULL;
    if (!new)
        return err_no_memory(e, "writing the trace %s", path);
    int status = 0;
    if (strcmp(path, "-") == 0) {
        new->fd = STDOUT_FILENO;
        new->path = "standard output";
        if (isatty(new->fd))
            status = err_set(e, ERR_USAGE, "-: a trace is binary and does not go to a terminal");
    } else {
        span_copy(new->path_copy, span_of(path));
        new->path = new->path_copy;
        new->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (new->fd < 0)
            status =
                err_set(e, ERR_USAGE, "%s: the trace cannot be made: %s", path, strerror(errno));
    }
    if (status) {
        free(new);
        return -1;
    }
    chunk_head_seal(&cupel_form, header, CUPEL_TRACE_VERSION);
    put_out(new, header, sizeof header);
    begin_chunk(new);
    *w = new;
    return 0;
}

/* Adds a record that is not an event. */
static void put_record(struct trace_writer *w, unsigned char kind, const uint64_t numbers[],
                       size_t count, const char *text)
{
    unsigned char body[NUMBERS_MAX * LEB128_MAX + TEXT_MAX_BYTES], *end = body;
    for (size_t i = 0; i < count; i++)
        end = leb128_put(end, numbers[i]);
    size_t length = strnlen(text, TEXT_MAX_BYTES);
    memcpy(end, text, length);
    end += length;
    unsigned char *to = room_for_record(w);
    *to++ = kind;
    to = leb128_put(to, (uint64_t)(end - body));
    memcpy(to, body, (size_t)(end - body));
    take_room(w, to + (end - body));
}

void trace_writer_device(struct trace_writer *w, uint16_t device, const char *name, uint64_t size)
{
    put_record(w, CUPEL_RECORD_DEVICE, (const uint64_t[]){device, size}, 2, name);
}

void trace_writer_note(struct trace_writer *w, const char *text)
{
    put_record(w, CUPEL_RECORD_NOTE, NULL, 0, text);
}

void trace_writer_lost(struct trace_writer *w, uint64_t events)
{
    put_record(w, CUPEL_RECORD_LOST, &events, 1, "");
}

void trace_writer_host(struct trace_writer *w, const struct host_identity *host)
{
    uint64_t boot[2] = {0};
    if (host->boot_known)
        for (int i = 0; i < 2; i++)
            boot[i] = load_le64(host->boot + 8 * i);
    put_record(w, CUPEL_RECORD_HOST, boot, 2, host->name);
}

void trace_writer_clock(struct trace_writer *w, const struct trace_clock *clock)
{
    const uint64_t numbers[] = {clock->time_ns, clock->wall_ns,
                                leb128_fold((uint64_t)clock->error_ns)};
    put_record(w, CUPEL_RECORD_CLOCK, numbers, sizeof numbers / sizeof *numbers, "");
}

void trace_writer_attempt(struct trace_writer *w, const struct trace_event *attempt)
{
    const uint64_t numbers[] = {attempt->time_ns, attempt->response_ns, attempt->length,
                                attempt->op};
    put_record(w, CUPEL_RECORD_ATTEMPT, numbers, sizeof numbers / sizeof *numbers, "");
}

static unsigned char *put_event(struct cupel_before *before, const struct trace_event *event,
                                unsigned char *to)
{
    bool same = event->device == before->device && event->process == before->process;
    bool responded = event->response_ns != TRACE_UNKNOWN;
    uint64_t *before_end = event->device < CUPEL_DEVICES ? &before->end[event->device] : NULL;
    INVARIANT(event->op <= CUPEL_EVENT_OP, "the first byte of an event has its operation");
    if (event->foreign != before->foreign) {
        *to++ = CUPEL_RECORD_FOREIGN;
        to = leb128_put(leb128_put(to, 1), event->foreign);
    }
    *to++ = (unsigned char)((event->op & CUPEL_EVENT_OP) | (event->level ? CUPEL_EVENT_LEVEL : 0) |
                            (event->durable ? CUPEL_EVENT_DURABLE : 0) |
                            (event->failed ? CUPEL_EVENT_FAILED : 0) |
                            (responded ? CUPEL_EVENT_RESPONSE : 0) | (same ? CUPEL_EVENT_SAME : 0));
    to = leb128_put(to, leb128_fold(event->time_ns - before->time_ns));
    if (!same)
        to = leb128_put(leb128_put(to, event->device), event->process);
    to = leb128_put(to, leb128_fold(event->offset - (before_end ? *before_end : 0)));
    to = leb128_put(to, event->length % 512 ? (uint64_t)event->length * 2 + 1
                                            : (uint64_t)event->length / 512 * 2);
    if (responded)
        to = leb128_put(to, event->response_ns);
    before->time_ns = event->time_ns;
    before->device = event->device;
    before->process = event->process;
    before->foreign = event->foreign;
    if (before_end)
        *before_end = event->offset + event->length;
    return to;
}

void trace_writer_event(struct trace_writer *w, const struct trace_event *event)
{
    if (w->fault.code != ERR_NONE) {
        w->dropped++;
        return;
    }
    if (w->chunk.count && event->time_ns > w->chunk_began_ns &&
        event->time_ns - w->chunk_began_ns > CHUNK_AGE_NS)
        end_chunk(w);
    unsigned char *to = room_for_record(w);
    if (w->chunk.count++ == 0)
        w->chunk_began_ns = event->time_ns;
    take_room(w, put_event(&w->before, event, to));
}

void trace_writer_remove(const struct trace_writer *w)
{
    if (w->path == w->path_copy)
        file_remove(w->fd, AT_FDCWD, w->path);
}

void trace_writer_flush(struct trace_writer *w)
{
    if (w->chunk.length)
        end_chunk(w);
}

int trace_writer_close(struct trace_writer *w, struct err *e)
{
    trace_writer_flush(w);
    w->chunk.type = CUPEL_CHUNK_END;
    end_chunk(w);
    bool is_file = w->path == w->path_copy;
    if (is_file && close(w->fd) && w->fault.code == ERR_NONE)
        err_set(&w->fault, ERR_TARGET, "%s: the trace cannot be written: %s", w->path,
                strerror(errno));
    int status = w->fault.code == ERR_NONE ? 0 : -1;
    if (status && e) {
        *e = w->fault;
        if (w->dropped)
            err_context(e, "%llu events are not in the trace", (unsigned long long)w->dropped);
    }
    free(w);
    return status;
}
