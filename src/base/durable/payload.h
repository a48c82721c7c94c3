/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of a chunk whose checksum is correct, taken one after the other. Every number has
 * limits: a value that cannot have been written is refused, and never used.
 */
#ifndef CUPEL_BASE_DURABLE_PAYLOAD_H
#define CUPEL_BASE_DURABLE_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct payload {
    const unsigned char *at, *end; /* the rest of the payload */
    unsigned version;              /* of the file's format */
    bool lossy;                    /* chunks before this one were lost: it may depend on them */
    bool refused;
    struct err *why; /* reason of the first refusal */
};

void payload_refuse(struct payload *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* These take one field; numbers are LEB128, others little endian. A text stays in the payload.
   Beyond the end or outside of the limits, the payload is refused and 0 or "" returned. */
uint8_t payload_u8(struct payload *p);
uint32_t payload_u32(struct payload *p);
uint64_t payload_number(struct payload *p, uint64_t max);
bool payload_flag(struct payload *p); /* u8: 0 or 1 */
double payload_double(struct payload *p, double min, double max);
double payload_measure(struct payload *p, double min, double max); /* NaN: not known */
float payload_float(struct payload *p);                            /* finite, or NaN */
const char *payload_text(struct payload *p);

#endif
