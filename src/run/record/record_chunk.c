/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the kinds of a record's chunks, and writes and reads their fields. */
#include "run/record/internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/durable/leb128.h"
#include "base/invariant.h"

#define ONCE true
#define MANY false
#define KIND_ROW(name, times, words)                                                               \
    [RECORD_##name] = {#name, RECORD_TYPE(#name[0], #name[1], #name[2], #name[3]), times, words},
const struct record_kind_row record_kinds[RECORD_KINDS] = {RECORD_CHUNKS(KIND_ROW)};

#define FORM(head_size, head_kind, header_size, number)                                            \
    {                                                                                              \
        .mark = RECORD_MARK, .head_bytes = (head_size), .head = (head_kind),                       \
        .header_bytes = (header_size), .type_at = 0, .length_at = 4, .number_at = (number),        \
        .count_at = CHUNK_NOT_THERE, .payload_max = RECORD_CHUNK_MAX                               \
    }
const struct chunk_form record_form = FORM(24, CHUNK_HEAD_SEALED, 12, 8);
const struct chunk_form record_form_1 = FORM(16, CHUNK_HEAD_OPEN, 8, CHUNK_NOT_THERE);

/* ---- writing ---- */

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n)
{
    INVARIANT(n <= w->capacity - w->used, "chunk_begin has made room for the longest payload");
    memcpy(w->buffer + w->used, bytes, n);
    w->used += n;
}

void chunk_put_u8(struct record_writer *w, uint8_t v)
{
    chunk_put_bytes(w, &v, 1);
}

static void chunk_put_u32(struct record_writer *w, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        chunk_put_u8(w, (uint8_t)(v >> (8 * i)));
}

void chunk_put_number(struct record_writer *w, uint64_t v)
{
    unsigned char bytes[LEB128_MAX], *end = leb128_put(bytes, v);
    chunk_put_bytes(w, bytes, (size_t)(end - bytes));
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
    if (w->capacity - w->used < RECORD_CHUNK_MAX + 2 * record_form.header_bytes)
        record_flush(w);
    w->chunk = w->used;
    w->kind = kind;
    w->used += record_form.header_bytes;
    return true;
}

void chunk_end(struct record_writer *w)
{
    const struct chunk chunk = {.type = record_kinds[w->kind].type,
                                .number = w->number,
                                .length = w->used - w->chunk - record_form.header_bytes};
    INVARIANT(chunk.length <= RECORD_CHUNK_MAX, "no payload is longer than a reader takes");
    w->used = w->chunk + chunk_seal(&record_form, w->seed, w->buffer + w->chunk, &chunk);
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

/* ---- reading ---- */

double payload_seconds(struct payload *p)
{
    return (double)payload_number(p, PAYLOAD_NS_MAX) * 1e-9;
}
