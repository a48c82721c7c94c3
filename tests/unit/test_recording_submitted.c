/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of io_submit: from submission until io_getevents returned them; requests that the kernel
   did not accept; and requests whose end was not recorded. */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/unit/recording_fixture.h"

enum { NOBODY = 0x7fffffff }; /* a process that does not exist, so that /proc is not read */

static struct recorder *r;
static uint64_t now;

static void send_of(uint32_t process, uint32_t thread, const void *raw, size_t size)
{
    const struct tracepoint_event event = {.tracepoint = TRACEPOINT_OUTPUT,
                                           .time_ns = now += 1000,
                                           .process = process,
                                           .thread = thread,
                                           .raw = raw,
                                           .raw_size = (uint32_t)size};
    calls_event(r, &event);
}

static void send(const void *raw, size_t size)
{
    send_of(NOBODY, 1, raw, size);
}

static struct io_call_begin request_of(uint32_t operation, uint64_t address, uint64_t place)
{
    struct io_call_begin request = {.mark = TRACEPOINT_OUTPUT_MARK,
                                    .part = IO_SUBMIT_BEGIN,
                                    .number = operation,
                                    .inode = 7,
                                    .device = 254u << 20,
                                    .mode = S_IFREG,
                                    .filesystem = EXT4_SUPER_MAGIC,
                                    .size = 1 << 20,
                                    .arguments = {address, 100 * place, 100, 3, place}};
    snprintf(request.path[0], sizeof request.path[0], "file");
    snprintf(request.path[1], sizeof request.path[1], "/");
    return request;
}

/* Calls io_submit with `count` reads of 100 bytes, whose control blocks begin at that address. */
static void submit(uint64_t address, unsigned count)
{
    const struct io_call_begin call = {
        .mark = TRACEPOINT_OUTPUT_MARK, .number = SYS_io_submit, .arguments = {0, count}};
    send(&call, sizeof call);
    for (unsigned i = 0; i < count; i++) {
        struct io_call_begin request = request_of(IOCB_CMD_PREAD, address + 64 * i, i);
        send(&request, sizeof request);
    }
}

static void submitted(int64_t taken)
{
    const struct io_call_end end = {.mark = TRACEPOINT_OUTPUT_MARK,
                                    .part = IO_CALL_END,
                                    .number = SYS_io_submit,
                                    .result = taken};
    send(&end, sizeof end);
}

static void reap_by(uint32_t process, uint64_t address, int64_t result)
{
    const struct io_submit_end end = {.mark = TRACEPOINT_OUTPUT_MARK,
                                      .part = IO_SUBMIT_END,
                                      .count = 1,
                                      .ends = {{address, result}}};
    send_of(process, 2, &end, sizeof end); /* any thread of the process */
}

static void reap(uint64_t address, int64_t result)
{
    reap_by(NOBODY, address, result);
}

static uint64_t reads(void)
{
    return r->files.count ? r->files.rows[0].sums.count[RECORDING_READ] : 0;
}

/* Short, failed, or at the file's end: each one requested 100 bytes. */
static void test_counts(void)
{
    r = fixture_recorder(&fixture_of_program);
    submit(0x1000, 5);
    CHECK_INT(r->calls.in_flight, 5);
    reap(0x1000, 100); /* before io_submit returns */
    submitted(5);
    reap(0x1000 + 64, 40);
    reap(0x1000 + 128, -EIO);
    reap(0x1000 + 192, 0);
    CHECK_INT(r->calls.in_flight, 1);
    reap(0x1000 + 256, 100);
    CHECK_INT(r->calls.in_flight, 0);
    CHECK_INT(reads(), 4);
    CHECK_INT(r->files.rows[0].sums.bytes[RECORDING_READ], 240);
    CHECK_INT(r->calls.asked, 500);
    CHECK_INT(r->calls.failed[RECORDING_READ], 1);
    CHECK_INT(r->uncounted.end_of_file, 1);
    CHECK_INT(r->calls.depth_max, 5);
    CHECK_INT(r->calls.response[RECORDING_READ].max, 6000);
    CHECK_INT(busy_total(&r->calls.busy), 10000);
    CHECK_INT(r->files.rows[0].next, 500);
    CHECK_INT(submit_unseen(&r->uncounted), 0);

    struct io_call_begin request = request_of(IOCB_CMD_PWRITEV, 0x2000, 0);
    request.arguments[2] = 700; /* the sum of its vector's lengths */
    request.flags = O_APPEND;
    send(&request, sizeof request);
    reap(0x2000, 700);
    CHECK_INT(r->files.rows[0].sums.bytes[RECORDING_WRITE], 700);
    CHECK_INT(r->files.rows[0].next, (1 << 20) + 700);
    request = request_of(IOCB_CMD_FDSYNC, 0x2000, 0);
    send(&request, sizeof request);
    reap(0x2000, 0);
    CHECK_INT(r->files.rows[0].sums.count[RECORDING_FLUSH], 1);
    request.number = 5; /* it polls a descriptor */
    send(&request, sizeof request);
    reap(0x2000, 1);
    request = request_of(IOCB_CMD_PREAD, 0x2000, 0);
    request.mode = S_IFIFO;
    send(&request, sizeof request);
    CHECK_INT(r->calls.in_flight, 0);
    reap(0x2000, 50);
    CHECK_INT(r->uncounted.calls[FILE_PIPE], 1);
    CHECK_INT(r->calls.asked, 1200);
    CHECK_INT(r->calls_in_flight.count, 0);
    fixture_report(r);
    recorder_free(r);
}

/* Requests that the kernel did not accept are not I/Os, except for the first one of a failed call.
 */
static void test_refused(void)
{
    r = fixture_recorder(&fixture_of_program);
    submit(0x1000, 8);
    submitted(3);
    CHECK_INT(r->calls.in_flight, 3);
    CHECK_INT(reads(), 0);
    for (unsigned i = 0; i < 3; i++)
        reap(0x1000 + 64 * i, 100);
    CHECK_INT(reads(), 3);
    CHECK_INT(r->calls.asked, 300);
    submit(0x1000 + 3 * 64, 5);
    submitted(-EAGAIN);
    CHECK_INT(reads(), 4);
    CHECK_INT(r->calls.asked, 400);
    CHECK_INT(r->calls.failed[RECORDING_READ], 1);
    CHECK_INT(r->calls_in_flight.count, 0);
    CHECK_INT(r->calls.in_flight, 0);
    CHECK_INT(submit_unseen(&r->uncounted), 0);
    recorder_free(r);
}

static void test_unseen(void)
{
    r = fixture_recorder(&fixture_of_program);
    submit(0x1000, 2);
    submitted(2);
    reap_by(NOBODY - 1, 0x1000, 100); /* of another process, submitted before the recording */
    CHECK_INT(r->uncounted.unmatched, 1);
    submit(0x1000, 2); /* the program reads the results from the ring in memory */
    submitted(2);
    CHECK_INT(r->calls.in_flight, 2);
    CHECK_INT(r->uncounted.aio_reused, 2);
    reap(0x1000, 100);
    CHECK_INT(reads(), 1);
    CHECK_INT(submit_unseen(&r->uncounted), 3);
    struct io_call_begin call = {.mark = TRACEPOINT_OUTPUT_MARK,
                                 .number = SYS_io_submit,
                                 .arguments = {0, IO_SUBMIT_MAX + 10}};
    send(&call, sizeof call); /* without events for that many */
    call.arguments[1] = (uint64_t)-1;
    send(&call, sizeof call);
    CHECK_INT(submit_unseen(&r->uncounted), 3 + IO_SUBMIT_MAX + 10);
    struct io_submit_end bad = {
        .mark = TRACEPOINT_OUTPUT_MARK, .part = IO_SUBMIT_END, .count = IO_SUBMIT_ENDS + 1};
    send(&bad, sizeof bad);
    send(&bad, sizeof bad - 1);
    CHECK_INT(reads(), 1);
    fixture_report(r);
    const struct result *result = &recording_of(r)->result;
    bool has_warning = false;
    for (size_t i = 0; i < result->note_count; i++)
        has_warning = has_warning ||
                      (result->notes[i].warning && strstr(result->notes[i].text, "of io_submit"));
    CHECK(has_warning);
    recorder_free(r);
}

int main(void)
{
    test_counts();
    test_refused();
    test_unseen();
    return check_result();
}
