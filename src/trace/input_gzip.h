/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading gzip (RFC 1952), all members of a file one after the other. Owner: input.c. */
#ifndef CUPEL_TRACE_INPUT_GZIP_H
#define CUPEL_TRACE_INPUT_GZIP_H

#include <stdbool.h>

#include "trace/input.h"

bool gzip_is(const unsigned char *head, size_t length);

/* The compressed bytes that are already in the input's buffer are moved out of it. */
int gzip_begin(struct input *in, struct err *e);

/* Up to `most` bytes; *got 0 at the end, where in->broken may tell that it came too early. */
int gzip_read(struct input *in, unsigned char *to, size_t most, size_t *got, struct err *e);

void gzip_end(struct gzip *g);

#endif
