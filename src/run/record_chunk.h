/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kinds of a record's chunks, and the pieces that chunks are written with (run/record.h has the
 * layout). Private to src/run/record_*.c. Between chunk_begin and chunk_end at most 64 KiB are put.
 */
#ifndef CUPEL_RUN_RECORD_CHUNK_H
#define CUPEL_RUN_RECORD_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "run/record.h"

enum {
    RECORD_HEAD_BYTES = 24,
    RECORD_FRAME_BYTES = 16, /* of a chunk, around its payload */
    RECORD_OLD_HEAD_BYTES = 16,
    RECORD_OLD_FRAME_BYTES = 12, /* format 1 */
};

/* What RECORD_CHUNKS says of a kind. */
struct record_kind_row {
    char name[5];
    uint32_t type;
    bool once; /* a second one is an error */
    const char *words;
};

extern const struct record_kind_row record_kinds[RECORD_KINDS];

/* RECORD_KINDS: there is none of that type. */
enum record_kind record_kind_of(uint32_t type);

/* The end of the record: LAST. */
void chunk_put_last(struct record_writer *w);

/* False when there is no record to write to: then nothing is put, and the chunk not ended. */
bool chunk_begin(struct record_writer *w, enum record_kind kind);
void chunk_end(struct record_writer *w);

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n);
void chunk_put_u8(struct record_writer *w, uint8_t v);
void chunk_put_u32(struct record_writer *w, uint32_t v);
void chunk_put_number(struct record_writer *w, uint64_t v);      /* LEB128 */
void chunk_put_seconds(struct record_writer *w, double seconds); /* as whole ns */
void chunk_put_double(struct record_writer *w, double v); /* IEEE 754; NaN when it is infinite */
void chunk_put_float(struct record_writer *w, float v);
void chunk_put_text(struct record_writer *w, const char *s); /* ended by NUL */

#endif
