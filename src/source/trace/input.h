/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the bytes of a file or of standard input through one large buffer, and decompresses gzip.
 * Files of other compressors are refused with a message that names the command to use.
 *
 * The caller opens a file with input_open and closes it with input_close. Nothing is allocated
 * after opening. One thread at a time.
 */
#ifndef CUPEL_SOURCE_TRACE_INPUT_H
#define CUPEL_SOURCE_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gzip;

struct input {
    int fd;
    char name[80]; /* last part of the path, printable */
    unsigned char *buffer;
    size_t capacity;
    size_t begin, end;    /* the bytes of the buffer that are read and not taken yet */
    bool ended;           /* the end was read: no more bytes follow those in the buffer */
    const char *broken;   /* reason why the data end too early, or NULL */
    struct gzip *gzip;    /* state of the decompression; NULL: the file is not compressed */
    uint64_t bytes_read;  /* bytes of the file as stored, which may be compressed */
    uint64_t bytes_total; /* size of the file, valid if is_sized */
    bool is_sized;
};

/* Opens a file with a buffer of `capacity` bytes. ERR_USAGE: the file cannot be read, or was
   compressed by another program than gzip. ERR_MACHINE: no memory. */
int input_open(struct input *in, const char *path, size_t capacity, struct err *e);
void input_close(struct input *in);

/* Reads until at least `want` bytes are in the buffer (at most `capacity`), or all remaining bytes.
   Pointers into the buffer become invalid. ERR_USAGE: reading the file failed. */
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
