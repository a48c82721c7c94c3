/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a record, chunk by chunk. */
#include "run/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

#define TYPE(name)                                                                                 \
    RECORD_TYPE((unsigned char)#name[0], (unsigned char)#name[1], (unsigned char)#name[2],         \
                (unsigned char)#name[3])

/* A batch at its largest is below 40 KiB and a plan below 8 KiB. */
#define LARGEST_CHUNK (64 * 1024)

static void put_bytes(struct record_writer *w, const void *bytes, size_t n)
{
    if (n > w->capacity - w->used)
        return; /* cannot happen: begin_chunk made room for the largest */
    memcpy(w->buffer + w->used, bytes, n);
    w->used += n;
}

static void put_u8(struct record_writer *w, uint8_t v)
{
    put_bytes(w, &v, 1);
}

static void put_u32(struct record_writer *w, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        put_u8(w, (uint8_t)(v >> (8 * i)));
}

static void put_number(struct record_writer *w, uint64_t v)
{
    while (v >= 0x80) {
        put_u8(w, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    put_u8(w, (uint8_t)v);
}

static void put_seconds(struct record_writer *w, double seconds)
{
    put_number(w, (uint64_t)(seconds * 1e9 + 0.5));
}

static void put_text(struct record_writer *w, const char *s)
{
    put_bytes(w, s, strlen(s) + 1);
}

void record_flush(struct record_writer *w)
{
    size_t written = 0;
    while (w->fd >= 0 && written < w->used) {
        ssize_t n = write(w->fd, w->buffer + written, w->used - written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            err_set(&w->error, ERR_TARGET, "%s: the record ends early: %s", w->path,
                    n ? strerror(errno) : "nothing more can be written");
            close(w->fd);
            w->fd = -1;
            break;
        }
        written += (size_t)n;
    }
    w->used = 0;
}

/* False when there is no record to write to. */
static bool begin_chunk(struct record_writer *w, uint32_t type)
{
    if (w->fd < 0)
        return false;
    if (w->capacity - w->used < LARGEST_CHUNK)
        record_flush(w);
    w->chunk = w->used;
    put_u32(w, type);
    put_u32(w, 0);
    return true;
}

static void end_chunk(struct record_writer *w)
{
    uint32_t length = (uint32_t)(w->used - w->chunk - 8);
    for (int i = 0; i < 4; i++)
        w->buffer[w->chunk + 4 + (size_t)i] = (unsigned char)(length >> (8 * i));
    put_u32(w, crc32c(0, w->buffer + w->chunk, length + 8));
}

int record_create(struct record_writer *w, const char *path, struct arena *arena, struct err *e)
{
    *w = (struct record_writer){.fd = -1};
    if (!path)
        return 0;
    w->buffer = arena_alloc(arena, RECORD_BUFFER, 1);
    w->capacity = RECORD_BUFFER;
    if (!w->buffer)
        return err_set(e, ERR_MACHINE, "not enough memory for the record's buffer");
    snprintf(w->path, sizeof w->path, "%s", path);
    w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (w->fd < 0)
        return err_set(e, ERR_USAGE, "%s: cannot make the record: %s", path, strerror(errno));
    put_bytes(w, "CUPELREC", 8);
    put_u32(w, RECORD_VERSION);
    put_u32(w, 0);
    return 0;
}

void record_plan(struct record_writer *w, const struct plan *plan)
{
    if (!begin_chunk(w, TYPE(PLAN)))
        return;
    struct text lines = {0};
    plan_write(plan, &lines);
    if (lines.data)
        put_bytes(w, lines.data, lines.length);
    text_free(&lines);
    end_chunk(w);
}

static void put_facts(struct record_writer *w, uint8_t list, const struct facts *facts)
{
    for (size_t i = w->facts_written[list]; i < facts->count; i++) {
        const struct fact *row = &facts->rows[i];
        if (!begin_chunk(w, TYPE(FACT)))
            return;
        put_u8(w, list);
        put_text(w, row->node);
        put_text(w, row->key);
        put_text(w, row->value);
        put_text(w, row->unit);
        put_text(w, row->source);
        put_u8(w, (uint8_t)row->status);
        end_chunk(w);
    }
    w->facts_written[list] = facts->count;
}

void record_facts(struct record_writer *w, const struct contents *c)
{
    put_facts(w, 0, &c->settings);
    put_facts(w, 1, &c->hardware);
}

void record_slice_length(struct record_writer *w, double seconds)
{
    if (!begin_chunk(w, TYPE(SLEN)))
        return;
    put_seconds(w, seconds);
    end_chunk(w);
}

void record_begin_round(struct record_writer *w, const struct round *round)
{
    if (!begin_chunk(w, TYPE(RBEG)))
        return;
    put_u8(w, round->trial);
    put_seconds(w, round->begin_seconds);
    end_chunk(w);
}

static void put_slice(struct record_writer *w, const struct slice *slice)
{
    for (int op = 0; op < IO_OPS; op++) {
        put_number(w, slice->op[op].ios);
        put_number(w, slice->op[op].bytes);
        put_number(w, slice->op[op].latency_ns);
        put_number(w, slice->op[op].errors);
    }
}

/* Only buckets in use, each as the distance from the last one and its count; 0 ends the list. */
static void put_histogram(struct record_writer *w, const struct interval_histogram *h)
{
    put_number(w, h->min);
    put_number(w, h->max);
    put_number(w, h->over);
    size_t last = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->count[i]) {
            put_number(w, i + 1 - last);
            put_number(w, h->count[i]);
            last = i + 1;
        }
    put_number(w, 0);
}

void record_batch(struct record_writer *w, const struct batch *batch)
{
    if (!begin_chunk(w, TYPE(BTCH)))
        return;
    put_number(w, batch->slice_count);
    for (unsigned i = 0; i < batch->slice_count; i++)
        put_slice(w, &batch->slices[i]);
    put_number(w, batch->blocks);
    put_number(w, batch->busy_ns);
    put_number(w, batch->lost_slices);
    for (int op = 0; op < IO_OPS; op++)
        put_histogram(w, &batch->latency[op]);
    end_chunk(w);
}

void record_end_round(struct record_writer *w, const struct round *round)
{
    if (!begin_chunk(w, TYPE(REND)))
        return;
    put_seconds(w, round->seconds);
    put_slice(w, &round->total);
    end_chunk(w);
}

static void put_overhead(struct record_writer *w, const struct overhead *overhead)
{
    if (!begin_chunk(w, TYPE(OVER)))
        return;
    double values[4] = {overhead->null_ns, overhead->recorded_iops, overhead->unrecorded_iops,
                        overhead->noise_share};
    for (int i = 0; i < 4; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], 8);
        put_u32(w, (uint32_t)bits);
        put_u32(w, (uint32_t)(bits >> 32));
    }
    end_chunk(w);
}

void record_end(struct record_writer *w, const struct contents *c)
{
    put_overhead(w, &c->overhead);
    for (size_t i = 0; i < c->note_count && begin_chunk(w, TYPE(NOTE)); i++) {
        put_u8(w, c->notes[i].warning);
        put_text(w, c->notes[i].text);
        end_chunk(w);
    }
    if (!begin_chunk(w, TYPE(DONE)))
        return;
    put_u8(w, (uint8_t)c->verdict);
    put_seconds(w, c->elapsed_seconds);
    put_number(w, c->records_seen);
    put_number(w, c->records_lost);
    put_text(w, c->failure);
    end_chunk(w);
    record_flush(w);
}

void record_close(struct record_writer *w)
{
    record_flush(w);
    if (w->fd >= 0 && close(w->fd))
        err_set(&w->error, ERR_TARGET, "%s: %s", w->path, strerror(errno));
    w->fd = -1;
}
