/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's description of a tracepoint's record (a "format" file): its number and fields. */
#ifndef CUPEL_TRACEPOINT_FORMAT_H
#define CUPEL_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* Where a field lies in the record. size 0: there is no such field. */
struct tracepoint_field {
    uint16_t offset, size;
    bool is_signed;
};

/* The number after "ID:", which every record of the tracepoint begins with; -1: there is none. */
int format_number(const char *text);

/* "field:unsigned int bytes; offset:28; size:4; signed:0;" for the name "bytes". */
struct tracepoint_field format_field(const char *text, const char *name);

#endif
