/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the fields of a chunk one after the other; the checksum of the chunk was correct. Every
 * number has limits: a value that cannot have been written is refused, and never used.
 */
#ifndef CUPEL_BASE_DURABLE_PAYLOAD_H
#define CUPEL_BASE_DURABLE_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct payload {
    const unsigned char *at, *end; /* the part of the payload that is still to be read */
    unsigned version;              /* version of the format in the file's head */
    /* chunks before this one were lost, and its fields may depend on them */
    bool lossy;
    bool refused;
    struct err *why; /* reason of the first refusal */
};

void payload_refuse(struct payload *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Each of these reads one field; numbers are LEB128, other fields little endian. A returned text
   points into the payload. If a field lies beyond the end, or its value outside of the limits, the
   payload is refused and the function returns 0 or "". */
uint8_t payload_u8(struct payload *p);
uint32_t payload_u32(struct payload *p);
uint64_t payload_number(struct payload *p, uint64_t max);
bool payload_flag(struct payload *p); /* u8: 0 or 1 */
double payload_double(struct payload *p, double min, double max);
double payload_measure(struct payload *p, double min, double max); /* NaN: not known */
float payload_float(struct payload *p);                            /* finite, or NaN */
const char *payload_text(struct payload *p);

#endif
