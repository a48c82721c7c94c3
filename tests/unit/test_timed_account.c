/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The accounting of the timed loop, with simulated times: a tick is a nanosecond, a slice 100. */
#include "timed_fixture.h"

#include "run/loop/internal.h"
#include <errno.h>

static struct timed_fixture f;
static struct timed *t;

static void begin(void)
{
    static struct listed none;
    fixture_init(&f, &io_null, 8, NULL, &none, &listed_ops);
    f.clock = (struct clock){.counter = false, .multiplier = (uint64_t)1 << 32};
    f.order = (struct round_order){
        .begin_ticks = 1000, .end_ticks = 100000, .slice_ticks = 100, .recording = true};
    t = f.worker.timed;
    timed_account_begin(&f.worker);
}

static void end(void)
{
    f.worker.started = false;
    fixture_end(&f);
}

static void issue(uint16_t slot, enum request_command op, uint32_t length, uint64_t due,
                  uint64_t at)
{
    t->slots[slot] = (struct timed_slot){
        .request = {.length = length, .command = (uint8_t)op, .offset = 8192}, .due = due};
    f.worker.slot_offset[slot] = 8192;
    struct io_req r = {.length = length, .slot = slot, .command = (uint8_t)op};
    timed_account_issued(&f.worker, &r, 1, at);
}

static void complete(uint16_t slot, uint64_t issued, uint64_t at, uint32_t bytes, int error)
{
    struct io_done done;
    struct io_req r = {.slot = slot, .command = t->slots[slot].request.command};
    io_done_set(&done, &r, issued, at, bytes, error);
    timed_account_completed(&f.worker, &done);
}

static const struct interval *interval(void)
{
    return interval_ring_peek(&f.worker.intervals);
}

static void finish(uint64_t at)
{
    timed_account_advance(&f.worker, at);
    timed_account_end(&f.worker);
    CHECK(interval_ring_publish(&f.worker.intervals));
}

/*
 *        1000      1100      1200      1300
 *   A       [1010-----1130]                       due 1005
 *   B            [1050---------------1250]        due 1050
 *   C                                     [1260-1290]  due 1200: late
 */
static void check_slices(void)
{
    begin();
    issue(0, REQUEST_READ, 4096, 1005, 1010);
    issue(1, REQUEST_WRITE, 512, 1050, 1050);
    complete(0, 1010, 1130, 4096, 0);
    complete(1, 1050, 1250, 512, 0);
    issue(2, REQUEST_READ, 8192, 1200, 1260);
    timed_account_backlog(&f.worker, 3);
    timed_account_backlog(&f.worker, 2);
    complete(2, 1260, 1290, 8192, 0);
    finish(1310);

    const struct interval *i = interval();
    const struct slice_timing *s = i->timing->slices;
    CHECK_INT(s[0].issued, 2);
    CHECK_INT(s[1].issued, 0);
    CHECK_INT(s[2].issued, 1);
    CHECK_INT(s[0].in_flight_ns, 90 + 50);
    CHECK_INT(s[1].in_flight_ns, 30 + 100);
    CHECK_INT(s[2].in_flight_ns, 50 + 30);
    CHECK_INT(s[0].late_max_ns, 5);
    CHECK_INT(s[2].late_max_ns, 60);
    CHECK_INT(s[2].backlog_max, 3);
    CHECK_INT(s[1].service_ns[OPERATION_READ], 120);
    CHECK_INT(s[2].service_ns[OPERATION_WRITE], 200);
    CHECK_INT(s[2].service_ns[OPERATION_READ], 30);
    CHECK_INT(i->slices[0].op[OPERATION_READ].ios, 0);
    CHECK_INT(i->slices[1].op[OPERATION_READ].ios, 1);
    CHECK_INT(i->slices[1].op[OPERATION_READ].bytes, 4096);
    CHECK_INT(i->slices[1].op[OPERATION_READ].latency_ns, 125);
    CHECK_INT(i->slices[2].op[OPERATION_WRITE].latency_ns, 200);
    CHECK_INT(i->slices[2].op[OPERATION_READ].latency_ns, 90);
    CHECK_INT(i->slices[0].asked_bytes, 0); /* counted when the I/O completes */
    CHECK_INT(i->slices[1].asked_bytes, 4096);
    CHECK_INT(i->slices[2].asked_bytes, 512 + 8192);
    CHECK_INT(i->busy_ticks[0], 90);
    CHECK_INT(i->busy_ticks[1], 100);
    CHECK_INT(i->busy_ticks[2], 50 + 30);
    CHECK_INT(i->busy_ticks[3], 0);
    CHECK_INT(i->timing->issue_error.count[0], 1);
    CHECK_INT(i->timing->issue_error.count[5], 1);
    CHECK_INT(i->timing->issue_error.count[60], 1);
    CHECK_INT(i->timing->issue_error.max, 60);
    CHECK_INT(i->latency[OPERATION_READ]->min, 90);
    CHECK_INT(i->latency[OPERATION_READ]->max, 125);
    CHECK_INT(i->timing->service[OPERATION_READ]->min, 30);
    end();
}

/* An I/O in flight during several intervals; and time without events. */
static void check_long(void)
{
    begin();
    issue(0, REQUEST_READ, 4096, 1020, 1020);
    timed_account_advance(&f.worker, 1450);
    timed_account_advance(&f.worker, 1440); /* a time in the past is ignored */
    timed_account_advance(&f.worker, 2275);
    complete(0, 1020, 2280, 4096, 0);
    finish(2300);
    uint64_t in_flight = 0, busy = 0, index = 0;
    for (const struct interval *i; (i = interval()); index++) {
        CHECK_INT(i->index, index);
        CHECK(!i->after_loss);
        for (unsigned k = 0; k < INTERVAL_SLICES; k++) {
            uint64_t number = index * INTERVAL_SLICES + k;
            uint64_t expected = number == 0 ? 80 : number < 12 ? 100 : number == 12 ? 80 : 0;
            CHECK_INT(i->timing->slices[k].in_flight_ns, expected);
            in_flight += i->timing->slices[k].in_flight_ns;
        }
        for (unsigned k = 0; k < INTERVAL_SLICES; k++) {
            CHECK_INT(i->busy_ticks[k], i->timing->slices[k].in_flight_ns);
            busy += i->busy_ticks[k];
        }
        CHECK_INT(i->in_flight_since, index < 2 ? 1020 : UINT64_MAX);
        interval_ring_release(&f.worker.intervals);
    }
    CHECK_INT(index, 3);
    CHECK_INT(in_flight, 1260);
    CHECK_INT(busy, 1260);
    end();
}

/* The worker had no processor for longer than the ring holds: no interval is lost. */
static void check_away(void)
{
    begin();
    issue(0, REQUEST_READ, 4096, 1020, 1020);
    complete(0, 1020, 91020, 4096, 0);
    finish(91050);
    uint64_t busy = 0, last = 0, first = 0;
    for (const struct interval *i; (i = interval());) {
        CHECK(!i->after_loss);
        last = i->index;
        for (unsigned k = 0; k < INTERVAL_SLICES; k++)
            busy += i->busy_ticks[k];
        /* the others are not published, from which the collector sees that they are empty */
        if (first++ == 0) {
            CHECK_INT(busy, 480);
            CHECK_INT(i->in_flight_since, 1020);
        }
        interval_ring_release(&f.worker.intervals);
    }
    CHECK_INT(last, (91020 - 1000) / 500);
    CHECK_INT(busy, 480 + 20);
    end();
}

/* Nobody takes intervals from the ring: the slices of that time are lost, but no I/O. */
static void check_loss(void)
{
    begin();
    uint64_t n = 0;
    for (uint64_t at = 1000; at < 1000 + 500 * (FIXTURE_INTERVALS + 10); at += 250, n++) {
        issue(0, REQUEST_READ, 4096, at, at);
        complete(0, at, at + 10, 4096, 0);
    }
    timed_account_end(&f.worker);
    const struct interval *last = interval_ring_current(&f.worker.intervals);
    uint64_t counted = count_of(last->latency[OPERATION_READ]),
             errors = count_of(&last->timing->issue_error);
    uint64_t service = count_of(last->timing->service[OPERATION_READ]);
    for (const struct interval *i; (i = interval());) {
        counted += count_of(i->latency[OPERATION_READ]);
        errors += count_of(&i->timing->issue_error);
        service += count_of(i->timing->service[OPERATION_READ]);
        interval_ring_release(&f.worker.intervals);
    }
    CHECK(f.worker.loss);
    CHECK_INT(counted, n);
    CHECK_INT(errors, n);
    CHECK_INT(service, n);
    end();
}

/* Failed and short requests, and flushes. */
static void check_failures_and_flushes(void)
{
    begin();
    issue(0, REQUEST_READ, 4096, 1001, 1002);
    issue(1, REQUEST_WRITE_DURABLE, 4096, 1002, 1002);
    issue(2, REQUEST_FLUSH, 0, 1003, 1003);
    issue(3, REQUEST_FLUSH, 0, 1003, 1003);
    complete(0, 1002, 1010, 512, 0); /* short */
    complete(1, 1002, 1020, 4096, 0);
    complete(2, 1003, 1030, 0, 0);
    complete(3, 1003, 1040, 0, EIO);
    finish(1050);
    const struct interval *i = interval();
    CHECK_INT(i->slices[0].op[OPERATION_READ].ios, 0);
    CHECK_INT(i->slices[0].op[OPERATION_READ].errors, 1);
    CHECK_INT(i->slices[0].op[OPERATION_WRITE].ios, 1);
    CHECK_INT(i->slices[0].op[OPERATION_WRITE].errors, 1); /* the flush that failed */
    CHECK_INT(i->timing->slices[0].issued, 2);
    CHECK_INT(count_of(&i->timing->issue_error), 2);
    CHECK_INT(i->slices[0].asked_bytes, 8192);
    CHECK_INT(i->busy_ticks[0], 1040 - 1002);
    CHECK_INT(f.worker.failed, 2);
    CHECK_INT(f.worker.failure.moved, 512);
    CHECK_INT(f.worker.failure.asked, 4096);
    CHECK_INT(f.worker.failure.offset, 8192);
    CHECK_INT(f.worker.failure.error, 0);
    CHECK(!f.worker.fatal);
    end();

    begin(); /* a device that is gone ends the round at once, other errors after many */
    issue(0, REQUEST_READ, 4096, 1001, 1002);
    complete(0, 1002, 1003, 0, ENODEV);
    CHECK(f.worker.fatal && f.worker.halt);
    end();
    begin();
    for (unsigned n = 1; n <= 99; n++) {
        issue(0, REQUEST_READ, 4096, 1001, 1002);
        complete(0, 1002, 1003, 0, EIO);
    }
    CHECK(!f.worker.fatal);
    issue(0, REQUEST_READ, 4096, 1001, 1002);
    complete(0, 1002, 1003, 4096, 0);
    for (unsigned n = 1; n <= 100; n++) {
        CHECK(!f.worker.fatal);
        issue(0, REQUEST_READ, 4096, 1001, 1002);
        complete(0, 1002, 1003, 0, EIO);
    }
    CHECK(f.worker.fatal);
    end();
}

/* Records for the collector of several workers have the requested length, whatever was moved. */
static void check_records(void)
{
    begin();
    f.worker.records.shared = true;
    issue(0, REQUEST_READ, 4096, 1001, 1002);
    issue(1, REQUEST_WRITE, 256, 1002, 1002);
    issue(2, REQUEST_FLUSH, 0, 1003, 1003);
    issue(3, REQUEST_READ, 8192, 1003, 1003);
    const int errors[] = {EIO, 0, 0, 0};
    const uint32_t moved[] = {0, 256, 0, 512}, asked[] = {4096, 256, 0, 8192};
    struct io_done done[4];
    for (uint16_t slot = 0; slot < 4; slot++) {
        struct io_req r = {.slot = slot, .command = t->slots[slot].request.command};
        io_done_set(&done[slot], &r, 1002, 1010, moved[slot], errors[slot]);
    }
    timed_account_records(&f.worker, done, 4);
    CHECK_INT(f.worker.records.head, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(f.worker.records.records[i].bytes, asked[i]);
        CHECK_INT(done[i].bytes, moved[i]);
    }
    end();
}

int main(void)
{
    check_slices();
    check_long();
    check_away();
    check_loss();
    check_failures_and_flushes();
    check_records();
    return check_result();
}
