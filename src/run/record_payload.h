/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading the payloads of a record's chunks, once their checksums are right: one reader a kind
 * (run/record.h). Private to src/run/record_*.c. A payload points into the file's bytes, which its
 * reader owns.
 *
 * A reader takes its fields one after the other and puts them into the contents when nothing was
 * refused. Every number has limits: what no session can have measured is refused, not computed
 * with.
 */
#ifndef CUPEL_RUN_RECORD_PAYLOAD_H
#define CUPEL_RUN_RECORD_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "run/contents.h"
#include "run/record.h"

/* No session is longer, and what lasts is no longer than that. */
#define PAYLOAD_SECONDS_MAX 1e9
#define PAYLOAD_NS_MAX      1000000000000000000u
#define PAYLOAD_COUNT_MAX   1000000000000000u    /* I/Os, blocks, slices */
#define PAYLOAD_BYTES_MAX   1000000000000000000u /* of a slice or a round */
#define PAYLOAD_RATE_MAX    1e18                 /* bytes/s, I/Os per second */

/* What is left of a chunk's payload. */
struct payload {
    const unsigned char *at, *end;
    unsigned version; /* of the record's format */
    bool lossy;       /* chunks before this one were lost: it may lack what it builds on */
    bool refused;
    struct err *why; /* of the first refusal */
};

void payload_refuse(struct payload *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Take one piece, as chunk_put_... wrote it (run/record_chunk.h). A text stays in the payload.
 * Past the end, or outside of the limits, the payload is refused and 0 or "" returned.
 */
uint8_t payload_u8(struct payload *p);
uint32_t payload_u32(struct payload *p);
uint64_t payload_number(struct payload *p, uint64_t most);
bool payload_flag(struct payload *p); /* u8 0 or 1 */
double payload_seconds(struct payload *p);
double payload_double(struct payload *p, double least, double most);
double payload_measure(struct payload *p, double least, double most); /* or NaN: not known */
float payload_float(struct payload *p);                               /* finite, or NaN */
const char *payload_text(struct payload *p);

/* record_watch.c: chunks of what was watched. */
void payload_read_gauge(struct contents *c, struct payload *p);
void payload_read_part(struct contents *c, struct payload *p);
void payload_read_path(struct contents *c, struct payload *p);
void payload_read_sample(struct contents *c, struct payload *p);
void payload_read_own(struct contents *c, struct payload *p);
void payload_read_event(struct contents *c, struct payload *p);

/* Put into `c` what a chunk of this kind says. ERR_USAGE: it cannot be. */
int payload_read(struct contents *c, enum record_kind kind, struct payload *p);

#endif
