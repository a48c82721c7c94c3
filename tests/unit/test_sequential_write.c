/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sequential writes to a simulated drive: completions in any order, slow flushes, failures, no
 * answers. Data reported as flushed was written before its flush began.
 */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "io/io.h"
#include "machine/accept/internal.h"

enum { BLOCK = 4096, DEPTH = 8, BLOCKS = 400, SIZE = BLOCKS * BLOCK - 1024 };

static struct drive {
    struct io_setup kept;
    struct io_req queue[DEPTH + 1];
    unsigned queued, most;
    struct random random;
    unsigned char data[SIZE];
    unsigned writes_of[BLOCKS];
    uint64_t durable; /* everything before it was written when the flush in flight began */
    uint64_t fail_at; /* byte offset; UINT64_MAX: nowhere */
    int error;
    bool silent, short_write, flush_fails;
} drive;

static uint64_t written_to(void)
{
    uint64_t at = 0;
    while (at < BLOCKS && drive.writes_of[at])
        at++;
    return at * BLOCK < SIZE ? at * BLOCK : SIZE;
}

static const struct io_ops drive_ops;

static int drive_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    (void)e;
    drive.kept = *setup;
    b->ops = &drive_ops;
    return 0;
}

static int drive_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                        struct err *e)
{
    (void)b, (void)e;
    unsigned taken = 0;
    while (taken < n && drive.queued < DEPTH + 1) {
        if (requests[taken].command == REQUEST_FLUSH)
            drive.durable = written_to();
        drive.queue[drive.queued++] = requests[taken++];
    }
    drive.most = drive.queued > drive.most ? drive.queued : drive.most;
    return (int)taken;
}

static void complete(const struct io_req *r, struct io_done *done)
{
    int error = 0;
    if (r->command == REQUEST_FLUSH)
        error = drive.flush_fails ? EIO : 0;
    else if (r->offset <= drive.fail_at && drive.fail_at < r->offset + r->length)
        error = drive.error;
    if (r->command == REQUEST_WRITE && !error) {
        memcpy(drive.data + r->offset, drive.kept.buffers + r->slot * drive.kept.buffer_stride,
               r->length);
        drive.writes_of[r->offset / BLOCK]++;
    }
    uint32_t bytes =
        error || r->command == REQUEST_FLUSH ? 0 : r->length - (drive.short_write ? 512 : 0);
    io_done_set(done, r, 0, 0, bytes, error);
}

static int drive_reap_until(struct io_backend *b, struct io_done done[], unsigned max,
                            uint64_t until, struct err *e)
{
    (void)b, (void)e, (void)max;
    if (drive.silent || !drive.queued) {
        clock_sleep_until(drive.kept.clock, until);
        return 0;
    }
    unsigned i = (unsigned)random_below(&drive.random, drive.queued);
    struct io_req r = drive.queue[i];
    drive.queue[i] = drive.queue[--drive.queued];
    complete(&r, done);
    return 1;
}

static void drive_close(struct io_backend *b)
{
    (void)b;
    drive.queued = 0;
}

static const struct io_ops drive_ops = {.name = "made up",
                                        .open = drive_open,
                                        .submit = drive_submit,
                                        .reap_until = drive_reap_until,
                                        .close = drive_close};

/* ---- the writer ---- */

static volatile sig_atomic_t stop;
static uint64_t flushed, stop_after, sampled;
static unsigned reports, waits;
static int report_error;

static void fill(void *context, unsigned char *data, size_t length, uint64_t offset)
{
    (void)context;
    for (size_t i = 0; i < length; i++)
        data[i] = (unsigned char)((offset + i) * 2654435761u >> 13);
}

static int reached(void *context, const struct sequential_reached *r, struct err *e)
{
    (void)context;
    CHECK(r->flushed <= drive.durable);
    CHECK(r->flushed >= flushed);
    flushed = r->flushed;
    reports++;
    for (unsigned i = 0; i < r->sample_count; i++)
        sampled += r->samples[i].bytes;
    if (stop_after && flushed >= stop_after)
        stop = SIGTERM;
    return report_error ? err_set(e, ERR_TARGET, "the folder is full") : 0;
}

static int watch(void *context, uint64_t offset, double rate, struct err *e)
{
    (void)context, (void)offset, (void)rate, (void)e;
    return waits && waits-- ? 1 : 0;
}

static int run(uint64_t begin, struct err *e)
{
    const struct sequential_write w = {.ops = &drive_ops,
                                       .fd = -1,
                                       .path = "drive",
                                       .begin = begin,
                                       .end = SIZE,
                                       .block = BLOCK,
                                       .depth = DEPTH,
                                       .sample_bytes = SIZE / 100,
                                       .flush_seconds = 0,
                                       .answer_seconds = 0.3,
                                       .fill = fill,
                                       .reached = reached,
                                       .watch = watch,
                                       .stop = &stop};
    *e = (struct err){0};
    flushed = begin;
    stop = 0;
    reports = 0;
    return sequential_write(&w, e);
}

static void clear(uint64_t seed)
{
    memset(&drive, 0, sizeof drive);
    random_seed(&drive.random, seed, 0);
    drive.fail_at = UINT64_MAX;
    stop_after = sampled = 0;
    report_error = 0;
    waits = 0;
}

static bool holds_all(uint64_t from)
{
    unsigned char expected;
    for (uint64_t i = from; i < SIZE; i++) {
        fill(NULL, &expected, 1, i);
        if (drive.data[i] != expected)
            return false;
    }
    return true;
}

/* ---- the tests ---- */

static void whole(void)
{
    struct err e;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        clear(seed);
        waits = (unsigned)(seed % 3);
        CHECK_INT(run(0, &e), 0);
        CHECK(holds_all(0));
        CHECK_INT((long long)flushed, SIZE);
        CHECK_INT((long long)sampled, SIZE);
        CHECK(reports > 10);
        CHECK(drive.most >= DEPTH);
        CHECK(drive.most <= DEPTH + 1); /* a flush is not counted */
        for (unsigned i = 0; i < BLOCKS; i++)
            CHECK_INT(drive.writes_of[i], 1);
    }
}

/* Stopped and resumed at the last reported place, as after a kill: all data is there. */
static void taken_up(void)
{
    struct err e;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        clear(seed);
        stop_after = seed * SIZE / 25 + 1;
        CHECK_INT(run(0, &e), -1);
        CHECK_INT(e.code, ERR_UNDECIDED);
        CHECK(flushed >= stop_after && flushed < SIZE);
        uint64_t at = flushed;
        memset(drive.data + at, 0xff, SIZE - at); /* data that was not flushed is lost */
        stop_after = 0;
        CHECK_INT(run(at, &e), 0);
        CHECK(holds_all(0));
        CHECK_INT((long long)sampled, SIZE);
    }
}

static void failures(void)
{
    struct err e;
    static const struct {
        int error;
        const char *words;
    } rows[] = {{EIO, "at byte"}, {ENODEV, "the drive is gone"}, {EROFS, "at byte"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clear(i + 1);
        drive.fail_at = SIZE / 2;
        drive.error = rows[i].error;
        CHECK_INT(run(0, &e), -1);
        CHECK_INT(e.code, ERR_TARGET);
        CHECK(strstr(e.msg, rows[i].words));
        CHECK(flushed <= SIZE / 2);
    }
    clear(5);
    drive.short_write = true;
    CHECK_INT(run(0, &e), -1);
    CHECK(strstr(e.msg, "incomplete"));
    clear(6);
    drive.flush_fails = true;
    CHECK_INT(run(0, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "flush"));
    CHECK_INT((long long)flushed, 0);
    clear(7);
    report_error = 1;
    CHECK_INT(run(0, &e), -1);
    CHECK_STR(e.msg, "the folder is full");
    clear(8);
    drive.silent = true;
    CHECK_INT(run(0, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "not answered"));
}

int main(void)
{
    whole();
    taken_up();
    failures();
    return check_result();
}
