/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of a file through one buffer. */
#include "trace/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/span.h"

/* What is not decompressed here, and the program that does it. */
static const struct {
    const char *program;
    unsigned char magic[4];
} compressors[] = {
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}},
    {"xz", {0xfd, '7', 'z', 'X'}},
    {"bzip2", {'B', 'Z', 'h', 0}},
    {"lz4", {0x04, 0x22, 0x4d, 0x18}},
};

static bool begins_with(const struct input *in, const unsigned char magic[4])
{
    size_t length = magic[3] ? 4 : 3;
    return input_left(in) >= length && memcmp(input_bytes(in), magic, length) == 0;
}

static int refuse_others(const struct input *in, const char *path, struct err *e)
{
    for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++)
        if (begins_with(in, compressors[i].magic))
            return err_set(e, ERR_USAGE,
                           "%s: it is compressed by %s: %s -dc FILE | cupel replay - ...", path,
                           compressors[i].program, compressors[i].program);
    return 0;
}

int input_read_raw(struct input *in, unsigned char *to, size_t most, size_t *got, struct err *e)
{
    ssize_t n;
    do
        n = read(in->fd, to, most);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_set(e, ERR_USAGE, "%s: it cannot be read: %s", in->name, strerror(errno));
    in->bytes_read += (uint64_t)n;
    *got = (size_t)n;
    return 0;
}

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
        if (in->gzip ? gzip_read(in, to, room, &got, e) : input_read_raw(in, to, room, &got, e))
            return -1;
        in->end += got;
        in->ended = got == 0;
    }
    return 0;
}

static int open_file(struct input *in, const char *path, struct err *e)
{
    struct stat status;
    if (strcmp(path, "-") == 0) {
        in->fd = STDIN_FILENO;
        path = "standard input";
    } else {
        in->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    const char *slash = strrchr(path, '/');
    span_printable(in->name, sizeof in->name, span_of(slash && slash[1] ? slash + 1 : path));
    if (in->fd < 0 || fstat(in->fd, &status))
        return err_set(e, ERR_USAGE, "%s: it cannot be opened: %s", path, strerror(errno));
    in->is_sized = S_ISREG(status.st_mode);
    if (in->is_sized)
        in->bytes_total = (uint64_t)status.st_size;
    return 0;
}

int input_open(struct input *in, const char *path, size_t capacity, struct err *e)
{
    *in = (struct input){.capacity = capacity};
    if (open_file(in, path, e))
        return -1;
    in->buffer = malloc(capacity);
    if (!in->buffer)
        return err_set(e, ERR_MACHINE, "%s: not enough memory to read it", path);
    if (input_fill(in, sizeof compressors->magic, e) || refuse_others(in, path, e))
        return -1;
    if (gzip_is(input_bytes(in), input_left(in)))
        return gzip_begin(in, e);
    return 0;
}

void input_close(struct input *in)
{
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    gzip_end(in->gzip);
    free(in->buffer);
    *in = (struct input){.fd = -1};
}
