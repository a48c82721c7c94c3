/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BPS of a real program whose calls are known exactly: this test runs itself as that program.
 * Requested bytes count for every attempt on a file: complete, short, at the end of the file,
 * failed, in vectors, through io_uring and io_submit.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "program/observe/recorder.h"
#include "source/trace/trace.h"
#include "tests/unit/check.h"

enum { FILE_BYTES = 5000, SMALL_READS = 1001, VECTORS = 65, PART = 10 };

static char folder[] = "/tmp/cupel-asked.XXXXXX";
static char buffer[8192];
static uint64_t asked; /* bytes requested by the program, as far as a recording can know */
static unsigned failures;

static void expect(ssize_t got, ssize_t expected, uint64_t bytes)
{
    failures += got != expected;
    asked += bytes;
}

static void vectors_of(struct iovec v[], int count, size_t bytes)
{
    for (int i = 0; i < count; i++)
        v[i] = (struct iovec){buffer + (size_t)i * bytes, bytes};
}

/* One request with vectors through io_uring; nothing is requested if that is not permitted. */
static void ask_ring(int fd, const struct iovec v[], unsigned count, uint64_t bytes)
{
    struct io_uring ring;
    struct io_uring_cqe *done;
    if (io_uring_queue_init(4, &ring, 0))
        return;
    struct io_uring_sqe *request = io_uring_get_sqe(&ring);
    io_uring_prep_readv(request, fd, v, count, FILE_BYTES - 100);
    if (io_uring_submit(&ring) == 1 && io_uring_wait_cqe(&ring, &done) == 0) {
        expect(done->res, 100, bytes);
        io_uring_cqe_seen(&ring, done);
    }
    io_uring_queue_exit(&ring);
}

/* Requests of io_submit by direct system calls; on a file all of them complete in order. */
static void ask_submit(int in, int out, struct iovec v[], size_t vectors_bytes)
{
    enum { REQUESTS = 8 };
    aio_context_t context = 0;
    if (syscall(SYS_io_setup, 64, &context))
        return;
    const struct {
        int fd, operation;
        void *data;
        uint64_t bytes;
        int64_t offset;
        ssize_t result;
        uint64_t asked;
    } rows[REQUESTS] = {
        {in, IOCB_CMD_PREAD, buffer, 256, 0, 256, 256},
        {in, IOCB_CMD_PREAD, buffer, 4096, FILE_BYTES - 100, 100, 4096},
        {in, IOCB_CMD_PREAD, buffer, 512, FILE_BYTES, 0, 512},
        {in, IOCB_CMD_PREAD, (void *)8, 700, 0, -EFAULT, 700},
        {out, IOCB_CMD_PWRITE, buffer, 333, 5, 333, 333},
        {in, IOCB_CMD_PREADV, v, 3, FILE_BYTES - 100, 100, vectors_bytes},
        {out, IOCB_CMD_PWRITEV, v, 2, 0, (ssize_t)vectors_bytes * 2 / 3, vectors_bytes * 2 / 3},
        {out, IOCB_CMD_FDSYNC, NULL, 0, 0, 0, 0},
    };
    struct iocb requests[REQUESTS] = {0}, bad = {0}, *list[REQUESTS + 1];
    struct io_event done[REQUESTS];
    for (unsigned i = 0; i < REQUESTS; i++) {
        requests[i].aio_data = i;
        requests[i].aio_lio_opcode = (uint16_t)rows[i].operation;
        requests[i].aio_fildes = (uint32_t)rows[i].fd;
        requests[i].aio_buf = (uintptr_t)rows[i].data;
        requests[i].aio_nbytes = rows[i].bytes;
        requests[i].aio_offset = rows[i].offset;
        list[i] = &requests[i];
    }
    bad = requests[0]; /* not opened for writing: the kernel accepts the requests before it */
    bad.aio_lio_opcode = IOCB_CMD_PWRITE;
    list[REQUESTS] = &bad;
    expect(syscall(SYS_io_submit, context, REQUESTS + 1, list), REQUESTS, 0);
    expect(syscall(SYS_io_submit, context, 1, list + REQUESTS), -1, 256);
    long count = 1, all = 0; /* io_getevents may return fewer than requested */
    for (; all < REQUESTS && (count > 0 || errno == EINTR); all += count > 0 ? count : 0) {
        count = syscall(SYS_io_getevents, context, 1, REQUESTS, done, NULL);
        for (long i = 0; i < count; i++)
            expect((ssize_t)done[i].res, rows[done[i].data].result, rows[done[i].data].asked);
    }
    expect(all, REQUESTS, 0);
    syscall(SYS_io_destroy, context);
}

/* The program. Exits with 0 if everything went as expected, and leaves the sum in a file. */
static int work(void)
{
    struct iovec v[VECTORS];
    int in = open("in", O_RDONLY), out = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < SMALL_READS; i++) /* an odd number of half blocks */
        expect(pread(in, buffer, 256, i % 16 * 256), 256, 256);
    expect(pread(in, buffer, 4096, FILE_BYTES - 100), 100, 4096);
    expect(pread(in, buffer, 512, FILE_BYTES), 0, 512);
    expect(pread(-1, buffer, 4096, 0), -1, 0); /* there is no file */
    expect(pread(in, (void *)8, 4096, 0), -1, 4096);
    /* not opened for writing, but still an attempt on a file */
    expect(write(in, buffer, 700), -1, 700);
    expect(pwrite(out, buffer, 10, 0), 10, 10);

    vectors_of(v, 3, 200);
    expect(readv(in, v, 3), 600, 600);
    expect(preadv(in, v, 3, FILE_BYTES - 100), 100, 600);
    expect(writev(out, v, 2), 400, 400);
    expect(writev(in, v, 3), -1, 600);
    vectors_of(v, VECTORS, PART);
    expect(preadv(in, v, VECTORS - 1, FILE_BYTES - 100), 100, (VECTORS - 1) * PART);
    expect(preadv(in, v, VECTORS, 0), VECTORS * PART, VECTORS * PART); /* more than are read */
    expect(readv(in, (struct iovec *)8, 3), -1, 0);                    /* no vectors there */
    vectors_of(v, 3, 200);
    ask_ring(in, v, 3, 600);
    ask_submit(in, out, v, 600);

    off_t begin = 0;
    expect(sendfile(out, in, &begin, 1 << 20), FILE_BYTES, 2 * FILE_BYTES); /* both files' bytes */
    int sum = open("sum", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    asked += sizeof asked;
    failures += write(sum, &asked, sizeof asked) != (ssize_t)sizeof asked;
    return failures ? 1 : 0;
}

/* Returns the same sum from the trace, in which bytes that a call did not move are attempts. */
static double sum_of_trace(void)
{
    struct trace *t;
    struct err e = {0};
    struct trace_event event;
    const char *const path = "trace";
    const struct trace_options options = {.strict = true, .attempts = true};
    double sum = 0;
    CHECK_INT(trace_open(&t, &path, 1, &options, &e), 0);
    while (t && trace_read(t, &event, 1, &e) == 1)
        sum += event.level == TRACE_SYSCALL ? event.length : 0;
    CHECK_STR(e.msg, "");
    CHECK(trace_host(t)->clock_count == 2 && trace_host(t)->identity.name[0]);
    trace_close(t);
    return sum;
}

static unsigned has_submit(void)
{
    aio_context_t context = 0;
    return !syscall(SYS_io_setup, 1, &context) && !syscall(SYS_io_destroy, context);
}

static uint64_t read_sum(void)
{
    uint64_t sum = 0;
    int fd = open("sum", O_RDONLY);
    CHECK_INT(read(fd, &sum, sizeof sum), sizeof sum);
    close(fd);
    return sum;
}

static bool has_note(const struct result *r, const char *words)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (strstr(r->notes[i].text, words))
            return true;
    return false;
}

static void check_recording(const struct recorder *r)
{
    const struct recording *a = recording_of(r);
    const struct result_row *bps = result_find(&a->result, METRIC_BPS, "all");
    CHECK(!has_note(&a->result, "the program failed"));
    if (a->lost) { /* lost events cannot be compared */
        check_part_skipped("events were lost");
        return;
    }
    double sum = (double)read_sum();
#ifdef __SANITIZE_ADDRESS__ /* the sanitizer's run-time reads files of /proc in the program, and   \
                               requests little */
    CHECK(a->calls.blocks * 512 >= sum && a->calls.blocks * 512 < sum + (1 << 16));
    sum = a->calls.blocks * 512;
#endif
    CHECK_NEAR(a->calls.blocks * 512, sum, 1e-12);
    CHECK_NEAR(sum_of_trace(), sum, 1e-12);
    CHECK(bps && a->calls.busy_seconds > 0);
    CHECK_NEAR(bps->value, sum / 512 / a->calls.busy_seconds, 1e-12);
    const unsigned more = has_submit(); /* of each, as many */
    CHECK_INT(a->calls.op[RECORDING_READ].failed, 2 + more);
    CHECK_INT(a->calls.op[RECORDING_WRITE].failed, 2 + more);
    CHECK(
        has_note(&a->result, more ? "found the end of a file: 2;" : "found the end of a file: 1;"));
    CHECK(!more || has_note(&a->result, "9 requests went through io_submit"));
    CHECK(has_note(&a->result, "with the bytes that they moved: 4;"));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "work"))
        return work();
    char *command[] = {(char[]){"/proc/self/exe"}, (char[]){"work"}, NULL};
    const struct recording_plan plan = {
        .command = command, .trace = "trace", .output_to_errors = true};
    struct recorder *r;
    struct err e = {0};
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    int in = open("in", O_WRONLY | O_CREAT, 0600);
    CHECK_INT(write(in, buffer, FILE_BYTES), FILE_BYTES);
    close(in);
    if (recorder_run(&r, &plan, &e)) {
        CHECK_INT(e.code, ERR_MACHINE);
        check_part_skipped(e.msg);
    } else {
        check_recording(r);
    }
    recorder_free(r);
    const char *names[] = {"in", "out", "sum", "trace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    CHECK(chdir("/") == 0 && rmdir(folder) == 0);
    return check_result();
}
