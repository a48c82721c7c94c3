/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a trace: files, pipes, gzip with one or several members, complete or not. */
#include <sys/wait.h>

#include "tests/unit/trace_check.h"
#include "tests/unit/trace_samples.h"

#define EVENTS 20000

static unsigned char *plain;
static size_t plain_length;

/* Compresses `length` bytes as one member with gzip. */
static size_t compress_member(unsigned char *to, size_t room, const unsigned char *from,
                              size_t length)
{
    char command[1300];
    snprintf(command, sizeof command, "gzip -n <'%s'", trace_file("member", from, length));
    fflush(NULL);
    FILE *f = popen(command, "r");
    size_t used = f ? fread(to, 1, room, f) : 0;
    CHECK(f && pclose(f) == 0 && used > 18);
    return used;
}

static void same_as_plain(const char *path, const char *format)
{
    struct read r, other;
    read_trace(&other, trace_path("plain"), NULL);
    read_trace(&r, path, NULL);
    CHECK_STR(r.error.msg, "");
    CHECK_STR(trace_format_name(r.trace), format);
    CHECK_INT(r.count, EVENTS);
    CHECK_INT(read_left_out(&r), 0);
    CHECK(read_equal(&r, &other));
    read_end(&r);
    read_end(&other);
}

static void compressed(unsigned char *gz, size_t room)
{
    size_t half = plain_length / 3;
    size_t length = compress_member(gz, room, plain, plain_length);
    CHECK(length < plain_length);
    same_as_plain(trace_file("one.gz", gz, length), "MSR Cambridge CSV");
    memset(gz + length, 0, 1000); /* padding as at the end of a tape */
    same_as_plain(trace_file("one.gz", gz, length + 1000), "MSR Cambridge CSV");

    length = compress_member(gz, room, plain, half);
    length += compress_member(gz + length, room - length, plain + half, 0);
    length += compress_member(gz + length, room - length, plain + half, plain_length - half);
    same_as_plain(trace_file("three.gz", gz, length), "MSR Cambridge CSV");
}

/* Cut or damaged data is read up to there, with a message. */
static void broken(unsigned char *gz, size_t room)
{
    struct read r;
    size_t length = compress_member(gz, room, plain, plain_length);
    read_trace(&r, trace_file("cut.gz", gz, length / 2), NULL);
    CHECK_INT(r.error.code, ERR_NONE);
    CHECK(r.count > EVENTS / 3 && r.count < EVENTS * 2 / 3);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_TRUNCATED), 1);
    CHECK_INT(read_left_out(&r), 1);
    CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_TRUNCATED)->first_number, r.count + 1);
    CHECK_STR(trace_skipped(r.trace, TRACE_SKIP_TRUNCATED)->first_words,
              "the compressed data breaks off");
    read_end(&r);

    read_trace(&r, trace_file("cut.gz", gz, length - 1), NULL); /* within the checksum */
    CHECK_INT(r.count, EVENTS);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_TRUNCATED), 1);
    read_end(&r);

    gz[length - 6] ^= 1; /* the checksum */
    read_trace(&r, trace_file("bad.gz", gz, length), &(struct trace_options){.strict = true});
    CHECK(strstr(r.error.msg, "bad.gz: event 20001 breaks off: the compressed data is damaged"));
    read_end(&r);
    gz[length - 6] ^= 1;

    memcpy(gz + length, "more", 4);
    read_trace(&r, trace_file("more.gz", gz, length + 4), NULL);
    CHECK_INT(r.count, EVENTS);
    CHECK_STR(trace_skipped(r.trace, TRACE_SKIP_TRUNCATED)->first_words,
              "something else follows the compressed data");
    read_end(&r);

    struct trace *t;
    struct err e = {0};
    const char *path = trace_file("head.gz", gz, 12);
    CHECK_INT(trace_open(&t, &path, 1, NULL, &e), -1);
    CHECK_STR(e.msg, "head.gz: the compressed data breaks off");
}

/* Every format, compressed; blktrace's files each on their own. */
static void every_format(unsigned char *gz, size_t room)
{
    for (size_t i = 0; i < SAMPLE_FORMATS; i++) {
        struct read r, other;
        size_t length;
        unlink(trace_path("format"));
        sample_write(&sample_formats[i], trace_path("format"), 1000, 9);
        unsigned char *bytes = trace_load(trace_path("format"), &length);
        read_trace(&other, trace_path("format"), NULL);
        length = compress_member(gz, room, bytes, length);
        free(bytes);
        read_trace(&r, trace_file("format.gz", gz, length), NULL);
        CHECK_INT(r.count, 1000);
        CHECK_INT(read_left_out(&r), 0);
        CHECK(read_equal(&r, &other));
        read_end(&r);
        read_end(&other);
    }
}

/* Standard input, a few bytes at a time; its length is not known. */
static void from_pipe(const unsigned char *bytes, size_t length, size_t step)
{
    int ends[2];
    struct read r;
    fflush(NULL);
    if (pipe(ends))
        exit(EXIT_FAILURE);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < length; at += step)
            if (write(ends[1], bytes + at, length - at < step ? length - at : step) < 0)
                break;
        _exit(0);
    }
    close(ends[1]);
    int kept = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    read_trace(&r, "-", NULL);
    dup2(kept, STDIN_FILENO);
    close(kept);
    waitpid(child, NULL, 0);
    CHECK_INT(r.count, EVENTS);
    CHECK_INT(read_left_out(&r), 0);
    CHECK_INT(trace_bytes_read(r.trace), length);
    CHECK_INT(trace_bytes_total(r.trace), 0);
    read_end(&r);
}

int main(void)
{
    trace_folder();
    sample_write(&sample_formats[7], trace_path("plain"), EVENTS, 2);
    plain = trace_load(trace_path("plain"), &plain_length);
    size_t room = 2 * plain_length;
    unsigned char *gz = malloc(room);
    if (!gz)
        return EXIT_FAILURE;
    compressed(gz, room);
    broken(gz, room);
    every_format(gz, room);
    from_pipe(plain, plain_length, 977);
    from_pipe(plain, plain_length, 1 << 20);
    from_pipe(gz, compress_member(gz, room, plain, plain_length), 100);
    free(gz);
    free(plain);
    trace_folder_end();
    return check_result();
}
