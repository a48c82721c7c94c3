/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip by zlib, which checks length and CRC of each member. */
#include "trace/internal.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct gzip {
    z_stream stream;
    bool between; /* a member has ended; another one may follow */
    size_t raw_bytes;
    unsigned char raw[]; /* as large as the input's buffer */
};

#define GZIP_WINDOW (15 + 16) /* the largest window, and the header of gzip instead of zlib's */

bool gzip_is(const unsigned char *head, size_t length)
{
    return length >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

int gzip_begin(struct input *in, struct err *e)
{
    struct gzip *g = calloc(1, sizeof *g + in->capacity);
    if (!g || inflateInit2(&g->stream, GZIP_WINDOW) != Z_OK) {
        free(g);
        return err_set(e, ERR_MACHINE, "%s: not enough memory to decompress it", in->name);
    }
    g->raw_bytes = in->capacity;
    size_t there = in->end - in->begin;
    memcpy(g->raw, in->buffer + in->begin, there);
    g->stream.next_in = g->raw;
    g->stream.avail_in = (unsigned)there;
    in->begin = in->end = 0;
    in->ended = false;
    in->gzip = g;
    return 0;
}

static int refill(struct input *in, struct gzip *g, struct err *e)
{
    size_t got;
    if (input_read_raw(in, g->raw, g->raw_bytes, &got, e))
        return -1;
    g->stream.next_in = g->raw;
    g->stream.avail_in = (unsigned)got;
    return 0;
}

/* Behind a member: zeros fill blocks of tapes, another member goes on, and nothing else may be. */
static bool next_member(struct input *in, struct gzip *g)
{
    while (g->stream.avail_in && *g->stream.next_in == 0) {
        g->stream.next_in++;
        g->stream.avail_in--;
    }
    if (!g->stream.avail_in)
        return false;
    if (*g->stream.next_in != 0x1f) {
        in->broken = "something else follows the compressed data";
        return false;
    }
    g->between = false;
    inflateReset(&g->stream);
    return true;
}

static void take_status(struct input *in, struct gzip *g, int status)
{
    if (status == Z_STREAM_END)
        g->between = true;
    else if (status != Z_OK && status != Z_BUF_ERROR)
        in->broken = "the compressed data is damaged";
}

int gzip_read(struct input *in, unsigned char *to, size_t most, size_t *got, struct err *e)
{
    struct gzip *g = in->gzip;
    g->stream.next_out = to;
    g->stream.avail_out = (unsigned)most;
    *got = 0;
    while (!in->broken && g->stream.avail_out == most) {
        if (!g->stream.avail_in) {
            if (refill(in, g, e))
                return -1;
            if (!g->stream.avail_in) {
                if (!g->between)
                    in->broken = "the compressed data breaks off";
                break;
            }
        }
        if (g->between && !next_member(in, g))
            continue;
        take_status(in, g, inflate(&g->stream, Z_NO_FLUSH));
    }
    *got = most - g->stream.avail_out;
    return 0;
}

void gzip_end(struct gzip *g)
{
    if (g)
        inflateEnd(&g->stream);
    free(g);
}
