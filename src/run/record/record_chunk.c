/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of a record's chunks, and the writing and reading of their fields. */
#include "run/record/internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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

enum record_kind record_kind_of(uint32_t type)
{
    enum record_kind kind = 0;
    while (kind < RECORD_KINDS && record_kinds[kind].type != type)
        kind++;
    return kind;
}

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

void chunk_put_u32(struct record_writer *w, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        chunk_put_u8(w, (uint8_t)(v >> (8 * i)));
}

void chunk_put_number(struct record_writer *w, uint64_t v)
{
    unsigned char bytes[LEB128_MAX];
    chunk_put_bytes(w, bytes, (size_t)(leb128_put(bytes, v) - bytes));
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
    if (w->capacity - w->used < RECORD_CHUNK_MAX + RECORD_FRAME_BYTES)
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

/* ---- reading ---- */

void payload_refuse(struct payload *p, const char *format, ...)
{
    char words[200];
    va_list args;
    if (p->refused)
        return;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    p->refused = true;
    err_set(p->why, ERR_USAGE, "%s", words);
}

static void refuse_short(struct payload *p)
{
    payload_refuse(p, "it is shorter than its kind asks for");
}

uint8_t payload_u8(struct payload *p)
{
    if (p->at == p->end) {
        refuse_short(p);
        return 0;
    }
    return *p->at++;
}

uint32_t payload_u32(struct payload *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)payload_u8(p) << (8 * i);
    return v;
}

uint64_t payload_number(struct payload *p, uint64_t max)
{
    uint64_t v = 0;
    if (!leb128_get(&p->at, p->end, &v)) {
        if (p->end - p->at < LEB128_MAX)
            refuse_short(p);
        else
            payload_refuse(p, "a number has more than 64 bits");
        p->at = p->end;
    }
    if (v <= max)
        return v;
    payload_refuse(p, "it has %llu where at most %llu is possible", (unsigned long long)v,
                   (unsigned long long)max);
    return 0;
}

bool payload_flag(struct payload *p)
{
    uint8_t v = payload_u8(p);
    if (v > 1)
        payload_refuse(p, "it has %u where 0 and 1 are possible", v);
    return v == 1;
}

double payload_seconds(struct payload *p)
{
    return (double)payload_number(p, PAYLOAD_NS_MAX) * 1e-9;
}

double payload_measure(struct payload *p, double min, double max)
{
    uint64_t bits = payload_u32(p);
    double value;
    bits |= (uint64_t)payload_u32(p) << 32;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value) || (value >= min && value <= max))
        return value;
    payload_refuse(p, "it has %g where %g to %g is possible", value, min, max);
    return 0;
}

double payload_double(struct payload *p, double min, double max)
{
    double value = payload_measure(p, min, max);
    if (!isnan(value))
        return value;
    payload_refuse(p, "it has no number where %g to %g is possible", min, max);
    return 0;
}

float payload_float(struct payload *p)
{
    const float max = 1e24F;
    uint32_t bits = payload_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value) || fabsf(value) <= max)
        return value;
    payload_refuse(p, "it has %g where at most %g is possible", (double)value, (double)max);
    return 0;
}

const char *payload_text(struct payload *p)
{
    const unsigned char *nul = memchr(p->at, 0, (size_t)(p->end - p->at));
    if (!nul) {
        refuse_short(p);
        return "";
    }
    const char *text = (const char *)p->at;
    p->at = nul + 1;
    return text;
}
