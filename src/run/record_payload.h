/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the chunks of a record say, once their checksums are right: one reader a type
 * (run/record.h). Private to src/run/record_*.c. A payload points into the file's bytes, which its
 * reader owns.
 */
#ifndef CUPEL_RUN_RECORD_PAYLOAD_H
#define CUPEL_RUN_RECORD_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "run/contents.h"

/* What is left of a chunk's payload. `short_of` is set by any read past its end. */
struct payload {
    const unsigned char *at, *end;
    bool short_of;
};

/* Take one piece, as chunk_put_... wrote it (run/record_chunk.h). A text stays in the payload. */
uint8_t payload_u8(struct payload *p);
uint32_t payload_u32(struct payload *p);
uint64_t payload_number(struct payload *p);
double payload_seconds(struct payload *p);
double payload_double(struct payload *p);
float payload_float(struct payload *p);
const char *payload_text(struct payload *p);

/* record_watch.c: a chunk of what was watched. False: the type is none of these. */
bool payload_read_watch(struct contents *c, uint32_t type, struct payload *p);

/* Put into `c` what a chunk of this type says. Unknown types are skipped. ERR_USAGE: nonsense. */
int payload_read(struct contents *c, uint32_t type, struct payload *p, struct err *e);

#endif
