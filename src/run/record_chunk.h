/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pieces a record's chunks are written with (run/record.h tells the layout). Private to
 * src/run/record_*.c. Between chunk_begin and chunk_end at most 64 KiB are put.
 */
#ifndef CUPEL_RUN_RECORD_CHUNK_H
#define CUPEL_RUN_RECORD_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "run/record.h"

/* The type of a chunk by its four letters: CHUNK_TYPE(PLAN). */
#define CHUNK_TYPE(name)                                                                           \
    RECORD_TYPE((unsigned char)#name[0], (unsigned char)#name[1], (unsigned char)#name[2],         \
                (unsigned char)#name[3])

/* False when there is no record to write to: then nothing is put, and the chunk not ended. */
bool chunk_begin(struct record_writer *w, uint32_t type);
void chunk_end(struct record_writer *w);

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n);
void chunk_put_u8(struct record_writer *w, uint8_t v);
void chunk_put_u32(struct record_writer *w, uint32_t v);
void chunk_put_number(struct record_writer *w, uint64_t v);      /* LEB128 */
void chunk_put_seconds(struct record_writer *w, double seconds); /* as whole ns */
void chunk_put_double(struct record_writer *w, double v);        /* IEEE 754 */
void chunk_put_float(struct record_writer *w, float v);
void chunk_put_text(struct record_writer *w, const char *s); /* ended by NUL */

#endif
