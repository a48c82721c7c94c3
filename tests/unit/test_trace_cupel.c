/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel's own trace format: everything written is read back; around damage and up to the last
   complete chunk all other events are read, and the events read plus the missing ones are those
   written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/crc32c.h"
#include "base/durable/leb128.h"
#include "source/trace/cupel_trace_write.h"
#include "source/trace/internal.h"
#include "tests/unit/trace_check.h"

static struct trace_writer *create(const char *name)
{
    struct trace_writer *w = NULL;
    struct err e = {0};
    unlink(trace_path(name));
    CHECK_INT(trace_writer_create(&w, trace_path(name), &e), 0);
    CHECK_STR(e.msg, "");
    if (!w)
        exit(EXIT_FAILURE);
    return w;
}

/* Makes events that use every bit and the limits of every number. */
static const struct trace_event corners[] = {
    {.time_ns = 0, .op = OPERATION_READ, .offset = 0, .length = 1, .response_ns = TRACE_UNKNOWN},
    {.time_ns = 0,
     .op = OPERATION_WRITE,
     .offset = INT64_MAX - 512,
     .length = 512,
     .response_ns = 0},
    {.time_ns = 1, .op = OPERATION_SYNC, .response_ns = UINT64_MAX - 1, .durable = 1},
    {.time_ns = 2, .op = OPERATION_TRIM, .offset = 1, .length = UINT32_MAX, .response_ns = 7},
    {.time_ns = 3,
     .op = OPERATION_WRITE,
     .offset = 3,
     .length = 511,
     .response_ns = 1,
     .failed = 1},
    {.time_ns = 3, .op = OPERATION_READ, .offset = 512, .length = 513, .level = TRACE_SYSCALL},
    {.time_ns = 4, .length = 4096, .process = UINT32_MAX, .device = 1},
    {.time_ns = 5, .length = 4096, .process = UINT32_MAX, .device = 1, .offset = 4096},
    {.time_ns = UINT64_MAX / 2, .length = 4096, .process = 1, .device = 2},
    /* not in the fixture, which is older */
    {.time_ns = UINT64_MAX / 2, .length = 4096, .process = 9, .device = 1, .foreign = 1},
    {.time_ns = UINT64_MAX / 2, .length = 512, .process = 9, .device = 1, .foreign = 1},
    {.time_ns = UINT64_MAX / 2 + 1, .length = 4096, .process = 1, .device = 2},
};
#define FIXTURE_CORNERS 9
#define CORNERS         (sizeof corners / sizeof *corners)

static void compare(const struct trace_event *got, const struct trace_event *expected)
{
    CHECK_INT(got->time_ns, expected->time_ns);
    CHECK_INT(got->op, expected->op);
    CHECK_INT(got->offset, expected->offset);
    CHECK_INT(got->length, expected->length);
    CHECK_INT(got->response_ns, expected->response_ns);
    CHECK_INT(got->process, expected->process);
    CHECK_INT(got->level, expected->level);
    CHECK_INT(got->durable, expected->durable);
    CHECK_INT(got->failed, expected->failed);
    CHECK_INT(got->foreign, expected->foreign);
}

/* A trace with more notes than fit says how many were left out. */
static void many_notes(void)
{
    struct read r;
    struct err e = {0};
    for (int more = 0; more < 3; more++) {
        struct trace_writer *w = create("notes");
        for (int i = 0; i < TRACE_NOTES_MAX + more; i++) {
            char text[20];
            snprintf(text, sizeof text, "note %d", i);
            trace_writer_note(w, text);
        }
        trace_writer_event(w, &corners[0]);
        CHECK_INT(trace_writer_close(w, &e), 0);
        read_trace(&r, trace_path("notes"), NULL);
        CHECK_INT(r.count, 1);
        CHECK_INT(trace_note_count(r.trace), TRACE_NOTES_MAX);
        CHECK_STR(trace_note(r.trace, TRACE_NOTES_MAX - 2), "note 14");
        CHECK_STR(trace_note(r.trace, TRACE_NOTES_MAX - 1),
                  more == 0   ? "note 15"
                  : more == 1 ? "2 more notes: there is no room for them"
                              : "3 more notes: there is no room for them");
        read_end(&r);
    }
}

static void round_trip(void)
{
    struct read r;
    struct err e = {0};
    struct trace_writer *w = create("corners");
    trace_writer_note(w, "cupel record -- fio");
    trace_writer_note(w, "Linux\n6.1");
    trace_writer_device(w, 0, "8,16", 1 << 30);
    trace_writer_device(w, 1, "/data/\033[1mname", 0);
    for (size_t i = 0; i < CORNERS; i++)
        trace_writer_event(w, &corners[i]);
    trace_writer_lost(w, 12);
    trace_writer_lost(w, 30);
    CHECK_INT(trace_writer_close(w, &e), 0);

    read_trace(&r, trace_path("corners"), NULL);
    CHECK_STR(trace_format_name(r.trace), "cupel trace");
    CHECK_INT(r.count, CORNERS);
    for (size_t i = 0; i < r.count; i++) {
        compare(&r.events[i], &corners[i]);
        CHECK_INT(r.events[i].number, i + 1);
    }
    CHECK_INT(trace_device_count(r.trace), 3);
    CHECK_STR(trace_device(r.trace, 0)->name, "8,16");
    CHECK_INT(trace_device(r.trace, 0)->size, 1 << 30);
    CHECK_INT(trace_device(r.trace, 0)->end, INT64_MAX);
    CHECK_STR(trace_device(r.trace, 1)->name, "/data/?[1mname");
    CHECK_STR(trace_device(r.trace, r.events[CORNERS - 1].device)->name, "#2");
    CHECK_INT(trace_note_count(r.trace), 2);
    CHECK_STR(trace_note(r.trace, 0), "cupel record -- fio");
    CHECK_STR(trace_note(r.trace, 1), "Linux?6.1");
    CHECK_INT(read_skipped(&r, TRACE_SKIP_LOST), 42);
    CHECK_INT(read_left_out(&r), 42);
    read_end(&r);
}

/* ---------------------------------------------------------------- damage */

#define EVENTS  40000
#define DEVICES 5

static struct trace_event event_at(uint64_t i)
{
    return (struct trace_event){.time_ns = i * 10000,
                                .offset = i * 7919 % 100003 * 512,
                                .length = 4096,
                                .response_ns = 100000 + i % 1000,
                                .process = 100 + (uint32_t)(i % 3),
                                .device = (uint16_t)(i % DEVICES),
                                .op = i % 2 ? OPERATION_WRITE : OPERATION_READ,
                                .foreign = i % 700 < 300};
}

static unsigned char *whole;
static size_t whole_length;

static void write_whole(void)
{
    struct trace_writer *w = create("whole");
    struct err e = {0};
    for (uint16_t i = 0; i < DEVICES; i++)
        trace_writer_device(w, i, "disk", 1 << 30);
    for (uint64_t i = 0; i < EVENTS; i++) {
        const struct trace_event event = event_at(i);
        trace_writer_event(w, &event);
    }
    CHECK_INT(trace_writer_close(w, &e), 0);
    whole = trace_load(trace_path("whole"), &whole_length);
    CHECK(whole_length > 8 * 65536 && whole_length < EVENTS * 20);
}

/* Reads `length` bytes of a damaged copy, and checks that all events read are as written, in order.
 */
static uint64_t read_damaged(struct read *r, const unsigned char *bytes, size_t length)
{
    read_trace(r, trace_file("damaged", bytes, length), NULL);
    CHECK_STR(r->error.msg, "");
    uint64_t first_number = r->count ? r->events[0].number - 1 : 0, last = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct trace_event expected = event_at(r->events[i].number - 1);
        CHECK(r->events[i].number > last);
        last = r->events[i].number;
        CHECK_INT(r->events[i].time_ns + first_number * 10000, expected.time_ns);
        CHECK_INT(r->events[i].offset, expected.offset);
        CHECK_INT(r->events[i].process, expected.process);
        CHECK_INT(r->events[i].response_ns, expected.response_ns);
    }
    return r->count + read_left_out(r);
}

static void one_byte(void)
{
    unsigned char *copy = malloc(whole_length);
    for (size_t at = CUPEL_HEADER_BYTES; copy && at < whole_length; at += 40009) {
        struct read r;
        memcpy(copy, whole, whole_length);
        copy[at] ^= 0x55;
        CHECK_INT(read_damaged(&r, copy, whole_length), EVENTS);
        CHECK(r.count > EVENTS * 7 / 10 && r.count < EVENTS);
        CHECK(read_skipped(&r, TRACE_SKIP_MALFORMED) == EVENTS - r.count);
        read_end(&r);
    }
    free(copy);
}

/* Damage in the heads of the file and of the first chunk. */
static void every_header_byte(void)
{
    unsigned char *copy = malloc(whole_length);
    for (size_t at = 8; copy && at < CUPEL_HEADER_BYTES + CUPEL_CHUNK_BYTES; at++) {
        struct read r;
        memcpy(copy, whole, whole_length);
        copy[at] ^= 0x80;
        CHECK_INT(read_damaged(&r, copy, whole_length), EVENTS);
        CHECK(at >= CUPEL_HEADER_BYTES ? r.count < EVENTS : r.count == EVENTS);
        read_end(&r);
    }
    free(copy);
}

/* A part is missing, or doubled, or other data is in between. */
static void moved(void)
{
    struct read r;
    unsigned char *copy = malloc(2 * whole_length);
    size_t half = whole_length / 2;
    if (!copy)
        return;
    memcpy(copy, whole, half);
    memcpy(copy + half, whole + half + 100000, whole_length - half - 100000);
    CHECK_INT(read_damaged(&r, copy, whole_length - 100000), EVENTS);
    CHECK(r.count > EVENTS / 2);
    read_end(&r);

    memcpy(copy, whole, half);
    memset(copy + half, 0xe1, 5000);
    memcpy(copy + half + 5000, whole + half, whole_length - half);
    CHECK_INT(read_damaged(&r, copy, whole_length + 5000), EVENTS);
    read_end(&r);

    memcpy(copy, whole, whole_length);
    memcpy(copy + whole_length, whole, whole_length);
    read_damaged(&r, copy, 2 * whole_length);
    CHECK_INT(r.count, EVENTS);
    CHECK(read_skipped(&r, TRACE_SKIP_FOREIGN) >= EVENTS);
    read_end(&r);
    free(copy);
}

/* The recording was killed, or the copy broke off. */
static void cut(void)
{
    for (size_t length = CUPEL_HEADER_BYTES; length < whole_length; length += 29989) {
        struct read r;
        uint64_t sum = read_damaged(&r, whole, length);
        CHECK(sum > r.count && sum <= EVENTS);
        CHECK(read_skipped(&r, TRACE_SKIP_TRUNCATED) > 0);
        CHECK_INT(sum, r.count + read_skipped(&r, TRACE_SKIP_TRUNCATED));
        CHECK((double)r.count + 7000 > (double)length / (double)whole_length * EVENTS);
        read_end(&r);
    }
    struct read r;
    /* the end chunk is incomplete */
    CHECK_INT(read_damaged(&r, whole, whole_length - 1), EVENTS + 1);
    CHECK_INT(r.count, EVENTS);
    read_end(&r);
    read_trace(&r, trace_path("damaged"), &(struct trace_options){.strict = true});
    CHECK_STR(r.error.msg, "damaged: event 40001 breaks off: the recording or its copy has no end");
    read_end(&r);
}

/* ---------------------------------------------------------------- the writer */

static void killed(void)
{
    struct read r;
    struct trace_writer *w = create("killed");
    size_t length;
    /* Two events a second: events older than a second are in the file. */
    for (uint64_t i = 0; i < 10; i++) {
        struct trace_event event = event_at(i);
        event.time_ns = i * 500000000;
        trace_writer_event(w, &event);
    }
    unsigned char *bytes = trace_load(trace_path("killed"), &length);
    read_trace(&r, trace_file("copy", bytes, length), NULL);
    CHECK_INT(r.count, 9);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_TRUNCATED), 1);
    read_end(&r);
    free(bytes);
    CHECK_INT(trace_writer_close(w, NULL), 0);
    read_trace(&r, trace_path("killed"), NULL);
    CHECK_INT(r.count, 10);
    CHECK_INT(read_left_out(&r), 0);
    read_end(&r);
}

static void refusals(void)
{
    struct trace_writer *w;
    struct err e = {0};
    CHECK_INT(trace_writer_create(&w, trace_path("whole"), &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "whole: the trace cannot be made: File exists") != NULL);
    CHECK_INT(trace_writer_create(&w, trace_path("no/such/folder"), &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
}

/* A full disk: standard output is /dev/full for a while. */
static void full_disk(void)
{
    struct trace_writer *w;
    struct err e = {0};
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0 || kept < 0) {
        check_part_skipped("/dev/full is not there");
        return;
    }
    dup2(full, STDOUT_FILENO);
    int status = trace_writer_create(&w, "-", &e);
    for (uint64_t i = 0; status == 0 && i < 10; i++) {
        const struct trace_event event = event_at(i);
        trace_writer_event(w, &event);
    }
    status = trace_writer_close(w, &e);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(full);
    CHECK_INT(status, -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_STR(e.msg, "10 events are not in the trace: cannot write standard output: No space left "
                     "on device; make room and run again");
}

/* Written through a pipe: no seeking. */
static void to_standard_output(void)
{
    struct trace_writer *w;
    struct err e = {0};
    struct read r;
    unlink(trace_path("out"));
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int out = open(trace_path("out"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    CHECK_INT(trace_writer_create(&w, "-", &e), 0);
    const struct trace_event event = event_at(1);
    trace_writer_event(w, &event);
    CHECK_INT(trace_writer_close(w, &e), 0);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(out);
    read_trace(&r, trace_path("out"), NULL);
    CHECK_INT(r.count, 1);
    read_end(&r);
}

static void versions(void)
{
    struct trace *t = NULL;
    struct err e = {0};
    unsigned char header[CUPEL_HEADER_BYTES];
    memcpy(header, whole, sizeof header);
    header[8] = 2;
    store_le32(header + 12, crc32c(0, header, 12));
    const char *path = trace_file("version", header, sizeof header);
    CHECK_INT(trace_open(&t, &path, 1, NULL, &e), -1);
    CHECK_STR(e.msg, "version: it is of version 2 of cupel's trace format; this cupel reads 1");
}

/* A file that version 1 wrote must be read by every later one: tests/fixtures/traces. */
static void fixture(void)
{
    struct read r;
    read_trace(&r, "tests/fixtures/traces/version1.cupel", NULL);
    CHECK_STR(r.error.msg, "");
    CHECK_INT(r.count, FIXTURE_CORNERS);
    for (size_t i = 0; i < r.count; i++)
        compare(&r.events[i], &corners[i]);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_LOST), 42);
    read_end(&r);
}

static void varints(void)
{
    static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
    unsigned char bytes[LEB128_MAX + 1];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const unsigned char *end = leb128_put(bytes, numbers[i]), *p = bytes;
        uint64_t value = 0;
        CHECK(leb128_get(&p, end, &value) && value == numbers[i] && p == end);
        p = bytes;
        CHECK(!leb128_get(&p, end - 1, &value));
        CHECK(leb128_unfold(leb128_fold(numbers[i])) == numbers[i]);
    }
    CHECK(leb128_fold((uint64_t)-1) == 1 && leb128_fold(1) == 2);
    memset(bytes, 0xff, sizeof bytes);
    uint64_t value;
    const unsigned char *p = bytes;
    CHECK(!leb128_get(&p, bytes + sizeof bytes, &value)); /* more than 64 bits */
}

/* Host, clocks and attempts are kept, and older readers see the same events. */
static void host_and_attempts(void)
{
    struct err e = {0};
    struct trace_writer *w = create("host");
    const struct host_identity host = {
        .name = "node7", .boot = {1, 2, 3, [15] = 0xff}, .boot_known = true};
    trace_writer_host(w, &host);
    trace_writer_clock(w, &(struct trace_clock){1000, 1700000000000000000, 5000});
    const struct trace_event event = {
        .time_ns = 7000, .length = 100, .response_ns = 50, .level = TRACE_SYSCALL};
    const struct trace_event attempt = {.time_ns = 9000, .length = 412, .response_ns = 60};
    trace_writer_event(w, &event);
    trace_writer_attempt(w, &attempt);
    trace_writer_clock(w, &(struct trace_clock){1000001000, 1700000001000200000, 9000});
    CHECK_INT(trace_writer_close(w, &e), 0);

    for (int attempts = 0; attempts < 2; attempts++) {
        struct trace *t;
        struct trace_event got[4];
        const char *const path = trace_path("host");
        const struct trace_options options = {.strict = true, .attempts = attempts};
        CHECK_INT(trace_open(&t, &path, 1, &options, &e), 0);
        CHECK_INT(trace_read(t, got, 4, &e), 1 + attempts);
        CHECK_INT(got[0].length, 100);
        CHECK_INT(trace_begin_ns(t), 7000);
        if (attempts) {
            CHECK(got[1].attempt && got[1].op == OPERATION_READ);
            CHECK_INT(got[1].time_ns, 2000);
            CHECK_INT(got[1].length, 412);
            CHECK_INT(got[1].response_ns, 60);
        }
        CHECK_INT(trace_read(t, got, 4, &e), 0);
        const struct trace_host *h = trace_host(t);
        CHECK_STR(h->identity.name, "node7");
        CHECK(h->identity.boot_known && !memcmp(h->identity.boot, host.boot, sizeof host.boot));
        CHECK_INT(h->clock_count, 2);
        CHECK_INT(h->first.error_ns, 9000); /* the larger one */
        uint64_t wall;
        CHECK(trace_wall_ns(h, 1000, &wall));
        CHECK_INT(wall, 1700000000000000000);
        CHECK(trace_wall_ns(h, 0, &wall));
        CHECK_INT(wall, 1699999999999999000);
        CHECK(trace_wall_ns(h, 500001000, &wall)); /* half of the difference in drift */
        CHECK_INT(wall, 1700000000500100000);
        trace_close(t);
    }
    struct trace_host set = {.clock_count = 2, .first = {0, 5000, 0}, .last = {10, 9000000, 0}};
    uint64_t shown;
    CHECK(trace_wall_ns(&set, UINT64_MAX / 2, &shown) && shown == 5000 + UINT64_MAX / 2);

    w = create("host");
    trace_writer_clock(w, &(struct trace_clock){0, 1700000000000000000, 5000});
    trace_writer_event(w, &event);
    trace_writer_clock(w, &(struct trace_clock){9000, 1700000000000009000, -1});
    CHECK_INT(trace_writer_close(w, &e), 0);
    struct read r;
    read_trace(&r, trace_path("host"), NULL);
    CHECK_INT(trace_host(r.trace)->first.error_ns, -1); /* not synchronised the whole time */
    CHECK(!trace_host(r.trace)->identity.boot_known);
    read_end(&r);
}

int main(void)
{
    trace_folder();
    varints();
    round_trip();
    many_notes();
    host_and_attempts();
    fixture();
    write_whole();
    one_byte();
    every_header_byte();
    moved();
    cut();
    killed();
    refusals();
    full_disk();
    to_standard_output();
    versions();
    free(whole);
    trace_folder_end();
    return check_result();
}
