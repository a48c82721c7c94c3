/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the bytes of a file through one buffer; zlib decompresses gzipped files. */
#include "source/trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file/input_files.h"
#include "base/span.h"

/* Compressed formats that are not supported, and the programs that decompress them. */
static const struct {
    const char *program;
    unsigned char magic[4];
    uint8_t length;
} compressors[] = {
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4},
    {"xz", {0xfd, '7', 'z', 'X'}, 4},
    {"bzip2", {'B', 'Z', 'h'}, 3},
    {"lz4", {0x04, 0x22, 0x4d, 0x18}, 4},
};

/* Calls read(2) again after signals, and counts the bytes. */
static int read_raw(struct input *in, unsigned char *to, size_t max, size_t *got, struct err *e)
{
    ssize_t n;
    do
        n = read(in->fd, to, max);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_set(e, ERR_USAGE, "%s: it cannot be read: %s", in->name, strerror(errno));
    in->bytes_read += (uint64_t)n;
    *got = (size_t)n;
    return 0;
}

/*
 * ---- gzip (RFC 1952): all members of a file are read one after the other; zlib checks length and
 * CRC of each ----
 */

#define GZIP_WINDOW (15 + 16) /* largest window; expects gzip's header */

struct gzip {
    z_stream stream;
    bool between; /* a member has ended, and another may follow */
    size_t raw_bytes;
    unsigned char raw[]; /* same size as the input's buffer */
};

/* Moves the compressed bytes that the input's buffer already contains to raw[]. */
static int gzip_begin(struct input *in, struct err *e)
{
    struct gzip *g = calloc(1, sizeof *g + in->capacity);
    if (!g || inflateInit2(&g->stream, GZIP_WINDOW) != Z_OK) {
        free(g);
        return err_no_memory(e, "decompressing %s", in->name);
    }
    g->raw_bytes = in->capacity;
    memcpy(g->raw, input_bytes(in), input_left(in));
    g->stream.next_in = g->raw;
    g->stream.avail_in = (unsigned)input_left(in);
    in->begin = in->end = 0;
    in->ended = false;
    in->gzip = g;
    return 0;
}

/* Skips zeros after a member, which fill the block of a tape. Returns true if another member
   follows. Anything else after a member is an error. */
static bool gzip_next_member(struct input *in, struct gzip *g)
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

/* Reads up to `max` decompressed bytes. *got is 0 at the end; if the data end too early, in->broken
   is the reason. */
static int gzip_read(struct input *in, unsigned char *to, size_t max, size_t *got, struct err *e)
{
    struct gzip *g = in->gzip;
    g->stream.next_out = to;
    g->stream.avail_out = (unsigned)max;
    *got = 0;
    while (!in->broken && g->stream.avail_out == max) {
        if (!g->stream.avail_in) {
            size_t raw = 0;
            if (read_raw(in, g->raw, g->raw_bytes, &raw, e))
                return -1;
            g->stream.next_in = g->raw;
            g->stream.avail_in = (unsigned)raw;
            if (!raw) {
                if (!g->between)
                    in->broken = "the compressed data breaks off";
                break;
            }
        }
        if (g->between && !gzip_next_member(in, g))
            continue;
        int status = inflate(&g->stream, Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            g->between = true;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            in->broken = "the compressed data is damaged";
    }
    *got = max - g->stream.avail_out;
    return 0;
}

/* ---- the file ---- */

int input_fill(struct input *in, size_t want, struct err *e)
{
    if (input_left(in) >= want || in->ended)
        return 0;
    memmove(in->buffer, in->buffer + in->begin, input_left(in));
    in->end -= in->begin;
    in->begin = 0;
    while (in->end < want && !in->ended) {
        unsigned char *to = in->buffer + in->end;
        size_t room = in->capacity - in->end, got = 0;
        if (in->gzip ? gzip_read(in, to, room, &got, e) : read_raw(in, to, room, &got, e))
            return -1;
        in->end += got;
        in->ended = got == 0;
    }
    return 0;
}

int input_open(struct input *in, const char *path, size_t capacity, struct err *e)
{
    *in = (struct input){.capacity = capacity};
    const bool standard = strcmp(path, "-") == 0;
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const char *words = standard ? "standard input" : path, *slash = strrchr(words, '/');
    struct stat status;
    if (in->fd < 0 || fstat(in->fd, &status))
        return err_set(e, ERR_USAGE, "%s: it cannot be opened: %s", words, strerror(errno));
    input_files_add(in->fd);
    span_printable(in->name, sizeof in->name, span_of(slash && slash[1] ? slash + 1 : words));
    in->is_sized = S_ISREG(status.st_mode);
    if (in->is_sized)
        in->bytes_total = (uint64_t)status.st_size;
    in->buffer = malloc(capacity);
    if (!in->buffer)
        return err_no_memory(e, "reading %s", path);
    if (input_fill(in, sizeof compressors->magic, e))
        return -1;
    const unsigned char *head = input_bytes(in);
    const size_t left = input_left(in);
    for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++)
        if (left >= compressors[i].length &&
            memcmp(head, compressors[i].magic, compressors[i].length) == 0)
            return err_set(e, ERR_USAGE,
                           "%s: it is compressed by %s: decompress it first: %s -d FILE", path,
                           compressors[i].program, compressors[i].program);
    if (left >= 3 && memcmp(head, "\x1f\x8b\x08", 3) == 0)
        return gzip_begin(in, e);
    return 0;
}

void input_close(struct input *in)
{
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    if (in->gzip)
        inflateEnd(&in->gzip->stream);
    free(in->gzip);
    free(in->buffer);
    *in = (struct input){.fd = -1};
}
