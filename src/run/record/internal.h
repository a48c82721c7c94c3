/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/record share. */
#ifndef CUPEL_RUN_RECORD_INTERNAL_H
#define CUPEL_RUN_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "run/record/contents.h"
#include "run/record/record.h"

/* ---- the frame of the file: run/record/record.h has the layout ---- */

enum {
    RECORD_HEAD_BYTES = 24,
    RECORD_FRAME_BYTES = 16, /* of a chunk, around its payload */
    RECORD_OLD_HEAD_BYTES = 16,
    RECORD_OLD_FRAME_BYTES = 12, /* format 1 */
};

/* A row of RECORD_CHUNKS. */
struct record_kind_row {
    char name[5];
    uint32_t type;
    bool once; /* a second one is an error */
    const char *words;
};

extern const struct record_kind_row record_kinds[RECORD_KINDS];

/* RECORD_KINDS: there is none of that type. */
enum record_kind record_kind_of(uint32_t type);

/* ---- record_chunk.c: writing a chunk ---- */

/* False when there is no record to write to: then nothing is put, and the chunk not ended. Between
   begin and end at most 64 KiB are put. */
bool chunk_begin(struct record_writer *w, enum record_kind kind);
void chunk_end(struct record_writer *w);

/* The end of the record: LAST. */
void chunk_put_last(struct record_writer *w);

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n);
void chunk_put_u8(struct record_writer *w, uint8_t v);
void chunk_put_u32(struct record_writer *w, uint32_t v);
void chunk_put_number(struct record_writer *w, uint64_t v);      /* LEB128 */
void chunk_put_seconds(struct record_writer *w, double seconds); /* as whole ns */
void chunk_put_double(struct record_writer *w, double v); /* IEEE 754; NaN when it is infinite */
void chunk_put_float(struct record_writer *w, float v);
void chunk_put_text(struct record_writer *w, const char *s); /* ended by NUL */

/* ---- record_chunk.c: reading a payload whose checksum is right ---- */

/*
 * One reader a kind takes the fields one after the other, and puts them into the contents when
 * nothing was refused. Every number has limits: a value that no session can have measured is
 * refused, not computed with.
 */

/* No session is longer, and no time in it. */
#define PAYLOAD_SECONDS_MAX 1e9
#define PAYLOAD_NS_MAX      1000000000000000000u
#define PAYLOAD_COUNT_MAX   1000000000000000u    /* I/Os, blocks, slices */
#define PAYLOAD_BYTES_MAX   1000000000000000000u /* of a slice or a round */
#define PAYLOAD_RATE_MAX    1e18                 /* bytes/s, I/Os per second */

/* The rest of a chunk's payload. */
struct payload {
    const unsigned char *at, *end; /* of the file's bytes, which record_read owns */
    unsigned version;              /* of the record's format */
    bool lossy;                    /* chunks before this one were lost: it may need one of them */
    bool refused;
    struct err *why; /* of the first refusal */
};

void payload_refuse(struct payload *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Take one piece, as chunk_put_... wrote it. A text stays in the payload.
 * Past the end, or outside of the limits, the payload is refused and 0 or "" returned.
 */
uint8_t payload_u8(struct payload *p);
uint32_t payload_u32(struct payload *p);
uint64_t payload_number(struct payload *p, uint64_t max);
bool payload_flag(struct payload *p); /* u8 0 or 1 */
double payload_seconds(struct payload *p);
double payload_double(struct payload *p, double min, double max);
double payload_measure(struct payload *p, double min, double max); /* or NaN: not known */
float payload_float(struct payload *p);                            /* finite, or NaN */
const char *payload_text(struct payload *p);

/* ---- the readers ---- */

/* record_payload.c: put the payload of a chunk of this kind into `c`. ERR_USAGE: it is impossible.
 */
int payload_read(struct contents *c, enum record_kind kind, struct payload *p);

/* record_watch.c: readers of the watched machine's chunks. */
void record_read_gauge(struct contents *c, struct payload *p);
void record_read_part(struct contents *c, struct payload *p);
void record_read_path(struct contents *c, struct payload *p);
void record_read_sample(struct contents *c, struct payload *p);
void record_read_own(struct contents *c, struct payload *p);
void record_read_event(struct contents *c, struct payload *p);

#endif
