/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of a file, of standard input, or of either when it is gzipped, through one large buffer.
 * What was compressed by other programs is refused with the command that helps.
 *
 * Owner: input_open, then input_close. After the opening nothing is allocated. One thread at a
 * time.
 */
#ifndef CUPEL_TRACE_INPUT_H
#define CUPEL_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gzip;

struct input {
    int fd;
    char name[80]; /* last part of the path, fit to be printed */
    unsigned char *buffer;
    size_t capacity;
    size_t begin, end;    /* what is there and not yet taken */
    bool ended;           /* no more will come */
    const char *broken;   /* why it ends too early, NULL when it does not */
    struct gzip *gzip;    /* NULL: not compressed */
    uint64_t bytes_read;  /* of the file, as it is on disk */
    uint64_t bytes_total; /* where it is known */
    bool is_sized;
};

/* ERR_USAGE when it cannot be read or is compressed by another program. ERR_MACHINE: no memory. */
int input_open(struct input *in, const char *path, size_t capacity, struct err *e);
void input_close(struct input *in);

/* Have at least `want` bytes, at most `capacity`, or all there are. Pointers into the buffer end
   here. ERR_USAGE when the file cannot be read on. */
int input_fill(struct input *in, size_t want, struct err *e);

static inline const unsigned char *input_bytes(const struct input *in)
{
    return in->buffer + in->begin;
}

static inline size_t input_left(const struct input *in)
{
    return in->end - in->begin;
}

static inline void input_take(struct input *in, size_t bytes)
{
    in->begin += bytes;
}

#endif
