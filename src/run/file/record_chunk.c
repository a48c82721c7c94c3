/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of a record's chunks, and the pieces that chunks are written with. */
#include "run/file/internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

/* A batch at its largest is below 40 KiB and a plan below 8 KiB. */
#define LARGEST_CHUNK (64 * 1024)

#define ONCE true
#define MANY false
#define KIND_ROW(name, times, words)                                                               \
    [RECORD_##name] = {#name, RECORD_TYPE(#name[0], #name[1], #name[2], #name[3]), times, words},
const struct record_kind_row record_kinds[RECORD_KINDS] = {RECORD_CHUNKS(KIND_ROW)};

enum record_kind record_kind_of(uint32_t type)
{
    enum record_kind kind = 0;
    while (kind < RECORD_KINDS && record_kinds[kind].type != type)
        kind++;
    return kind;
}

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n)
{
    if (n > w->capacity - w->used)
        return; /* cannot happen: chunk_begin made room for the largest */
    memcpy(w->buffer + w->used, bytes, n);
    w->used += n;
}

void chunk_put_u8(struct record_writer *w, uint8_t v)
{
    chunk_put_bytes(w, &v, 1);
}

void chunk_put_u32(struct record_writer *w, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        chunk_put_u8(w, (uint8_t)(v >> (8 * i)));
}

void chunk_put_number(struct record_writer *w, uint64_t v)
{
    while (v >= 0x80) {
        chunk_put_u8(w, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    chunk_put_u8(w, (uint8_t)v);
}

void chunk_put_seconds(struct record_writer *w, double seconds)
{
    chunk_put_number(w, (uint64_t)(seconds * 1e9 + 0.5));
}

void chunk_put_double(struct record_writer *w, double v)
{
    uint64_t bits;
    v = isfinite(v) ? v : (double)NAN;
    memcpy(&bits, &v, sizeof bits);
    for (int i = 0; i < 8; i++)
        chunk_put_u8(w, (uint8_t)(bits >> (8 * i)));
}

void chunk_put_float(struct record_writer *w, float v)
{
    uint32_t bits;
    v = isfinite(v) ? v : NAN;
    memcpy(&bits, &v, sizeof bits);
    chunk_put_u32(w, bits);
}

void chunk_put_text(struct record_writer *w, const char *s)
{
    chunk_put_bytes(w, s, strlen(s) + 1);
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

bool chunk_begin(struct record_writer *w, enum record_kind kind)
{
    if (w->fd < 0)
        return false;
    if (w->capacity - w->used < LARGEST_CHUNK)
        record_flush(w);
    w->chunk = w->used;
    w->kind = kind;
    chunk_put_u32(w, record_kinds[kind].type);
    chunk_put_u32(w, 0);
    chunk_put_u32(w, w->number);
    return true;
}

void chunk_end(struct record_writer *w)
{
    size_t bytes = w->used - w->chunk;
    uint32_t length = (uint32_t)(bytes + 4 - RECORD_FRAME_BYTES);
    for (int i = 0; i < 4; i++)
        w->buffer[w->chunk + 4 + (size_t)i] = (unsigned char)(length >> (8 * i));
    chunk_put_u32(w, crc32c(w->seed, w->buffer + w->chunk, bytes));
    w->all = crc32c(w->all, w->buffer + w->used - 4, 4);
    w->number++;
    w->counts[w->kind]++;
}

void chunk_put_last(struct record_writer *w)
{
    if (!chunk_begin(w, RECORD_LAST))
        return;
    chunk_put_number(w, w->number);
    chunk_put_u32(w, w->all);
    for (enum record_kind kind = 0; kind < RECORD_KINDS; kind++) {
        if (!w->counts[kind])
            continue;
        chunk_put_u32(w, record_kinds[kind].type);
        chunk_put_number(w, w->counts[kind]);
    }
    chunk_end(w);
}
