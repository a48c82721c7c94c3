/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the fields of a payload one after the other, and checks its end and the limits of
   values. */
#include "base/durable/payload.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/durable/leb128.h"

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
