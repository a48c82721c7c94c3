/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timed loop in a real thread: everything is issued once, in order, at its time, and slow
 * completions, a full queue or an idle hour are no reason not to.
 * Real-time: which loops keep the priority.
 * Timed: medians of how late requests are issued, and how long a thread sleeps. */
#include "busy_machine.h"
#include "timed_fixture.h"

#include "run/loop/internal.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static struct timed_fixture f;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static bool start(const struct io_ops *ops, unsigned iodepth, const char *script,
                  struct listed *source, const struct request_source_ops *source_ops)
{
    struct err e = {0};
    fixture_init(&f, ops, iodepth, script, source, source_ops);
    if (worker_start(&f.worker, &e)) {
        CHECK_STR(e.msg, "");
        return false;
    }
    return true;
}

static uint64_t sum_ios(void)
{
    return f.sums.slices.op[OPERATION_READ].ios + f.sums.slices.op[OPERATION_WRITE].ios;
}

static uint64_t sum_errors(void)
{
    return f.sums.slices.op[OPERATION_READ].errors + f.sums.slices.op[OPERATION_WRITE].errors;
}

/* Checks what must hold after every round. */
static void check_conserved(const struct listed *source, uint64_t flushes)
{
    const struct worker *w = &f.worker;
    CHECK_INT(sum_ios() + sum_errors() + flushes, source->completed);
    CHECK_INT(f.sums.timing.issued + flushes, source->completed);
    CHECK_INT(count_of(&f.sums.whole->issue_error) + flushes, source->completed);
    CHECK_INT(count_of(&f.sums.latency[OPERATION_READ]), f.sums.slices.op[OPERATION_READ].ios);
    CHECK_INT(count_of(f.sums.whole->service[OPERATION_READ]),
              f.sums.slices.op[OPERATION_READ].ios);
    CHECK_INT(count_of(f.sums.whole->service[OPERATION_WRITE]),
              f.sums.slices.op[OPERATION_WRITE].ios);
    CHECK_INT(f.sums.last_index + 1, f.sums.intervals);
    CHECK(w->ended_ticks > 0 && !w->error.code);
    for (int op = 0; op < OPERATIONS; op++)
        CHECK(f.sums.timing.service_ns[op] <= f.sums.slices.op[op].latency_ns);
}

static void check_on_time(void)
{
    struct listed source = listed_reads(1500, 300000);
    if (!start(&io_null, 64, NULL, &source, &listed_ops))
        return;
    const struct timed_statistics *s = timed_statistics(&f.worker);
    CHECK(s->wake_p50_ns <= s->wake_p99_ns);
    CHECK(s->pre_spin_first_ns >= 20000 && s->pre_spin_first_ns <= 2000000);
    for (int round = 0; round < 2; round++) {
        fixture_round(&f, 60);
        CHECK(f.worker.exhausted && !f.worker.halt);
        CHECK_INT(source.completed, 1500);
        CHECK(source.order_kept);
        check_conserved(&source, 0);
        CHECK_INT(f.sums.slices.op[OPERATION_READ].bytes, 1500 * 4096);
        CHECK_INT(f.sums.slices.asked_bytes, 1500 * 4096);
        /* The margins are wide because the machine may be busy. */
        CHECK(quantile_of(&f.sums.whole->issue_error, .5) < 1e6 || machine_is_busy());
        CHECK(f.sums.whole->issue_error.min < 20000);
        CHECK(s->slept_ns + s->spun_ns > 100000000);
        CHECK_INT(s->never_issued, 0);
        CHECK(fabs(s->clock_drift_ppm) < 1000);
    }
    CHECK(s->sleeps > 0 && s->late_wakes <= s->sleeps);
    fixture_end(&f);
    free(source.requests);
}

static void check_spin(enum timed_spin spin)
{
    struct listed source = listed_reads(50, 2000000);
    struct err e = {0};
    fixture_init(&f, &io_null, 4, NULL, &source, &listed_ops);
    f.plan.spin = spin;
    CHECK_INT(timed_init(&f.worker, &f.plan, &f.arena), 0); /* again with this setting */
    CHECK_INT(worker_start(&f.worker, &e), 0);
    const struct timed_statistics *s = timed_statistics(&f.worker);
    fixture_round(&f, 60);
    check_conserved(&source, 0);
    if (spin == SPIN_ALWAYS)
        CHECK(s->slept_ns == 0 && s->spun_ns > 50000000);
    else
        CHECK(s->slept_ns > 50000000 && s->pre_spin_ns == 0);
    fixture_end(&f);
    free(source.requests);
}

/* Only loops that sleep keep real-time priority: a loop that does not sleep gives it up. */
static void check_priority(enum timed_spin spin, int policy)
{
    struct listed source = listed_reads(300, 2000000);
    struct err e = {0};
    fixture_init(&f, &io_null, 4, NULL, &source, &listed_ops);
    f.plan.spin = spin;
    CHECK_INT(timed_init(&f.worker, &f.plan, &f.arena), 0);
    f.worker.realtime = true;
    CHECK_INT(worker_start(&f.worker, &e), 0);
    if (f.worker.realtime_granted) {
        fixture_round(&f, 60);
        check_conserved(&source, 0);
        struct sched_param parameters;
        int found = -1;
        CHECK_INT(pthread_getschedparam(f.worker.thread, &found, &parameters), 0);
        CHECK_INT(found, policy);
    } else {
        check_part_skipped("real-time priority is not permitted");
    }
    fixture_end(&f);
    free(source.requests);
}

/* A loop whose pre-spin has grown longer than the gaps, 820 us of 600, keeps it, since it sleeps
   more. */
static void check_priority_is_kept(void)
{
    struct listed source = listed_reads(550, 600000);
    struct err e = {0};
    fixture_init(&f, &io_null, 4, NULL, &source, &listed_ops);
    CHECK_INT(timed_init(&f.worker, &f.plan, &f.arena), 0);
    f.worker.realtime = true;
    CHECK_INT(worker_start(&f.worker, &e), 0);
    struct timed *t = f.worker.timed;
    for (unsigned i = 0; i < WAKE_SAMPLES; i++)
        wake_latency_add(&t->wakes, 200000);
    t->wakes.reviewed = t->wakes.count;
    t->statistics.pre_spin_ns = t->statistics.pre_spin_first_ns = 820000;
    t->pre_spin = timed_ticks(t, 820000);
    if (f.worker.realtime_granted) {
        fixture_round(&f, 60);
        check_conserved(&source, 0);
        struct sched_param parameters;
        int found = -1;
        CHECK_INT(pthread_getschedparam(f.worker.thread, &found, &parameters), 0);
        CHECK_INT(found, SCHED_FIFO);
        CHECK_INT(t->statistics.gave_back_priority, 0);
        CHECK(t->statistics.sleeps > 0);
    } else {
        check_part_skipped("real-time priority is not permitted");
    }
    fixture_end(&f);
    free(source.requests);
}

/* 30 ms each, a request every ms: they do not wait for each other; otherwise the median would
   exceed 4 s. */
static void check_slow_completions(void)
{
    struct listed source = listed_reads(300, 1000000);
    if (!start(&io_null, 256, "const:30ms", &source, &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK_INT(source.completed, 300);
    CHECK(source.order_kept);
    check_conserved(&source, 0);
    CHECK(quantile_of(&f.sums.whole->issue_error, .5) < 1e9);
    CHECK(f.sums.whole->service[OPERATION_READ]->min >= 29900000);
    CHECK_INT(timed_statistics(&f.worker)->no_slot_ns, 0);
    /* Little's law: the time in flight equals the sum of all service times. */
    CHECK_NEAR((double)f.sums.timing.in_flight_ns, (double)f.sums.timing.service_ns[OPERATION_READ],
               .02);
    fixture_end(&f);
    free(source.requests);
}

/* Four slots of 10 ms do 400/s; 2000/s are due. */
static void check_backlog(void)
{
    struct listed source = listed_reads(100000, 500000);
    if (!start(&io_null, 4, "const:10ms", &source, &listed_ops))
        return;
    fixture_round(&f, .5);
    const struct timed_statistics *s = timed_statistics(&f.worker);
    CHECK(!f.worker.exhausted);
    check_conserved(&source, 0);
    CHECK(source.completed <= 4 * 51 && source.completed >= 20);
    CHECK_INT(source.taken, source.completed);
    CHECK(s->never_issued == s->end_backlog && !s->end_backlog_at_least);
    CHECK(s->end_backlog + source.taken >= 990); /* 996 fell due in half a second */
    CHECK(s->end_late_ns > 200000000);
    CHECK(s->no_slot_ns > 200000000);
    CHECK(f.sums.timing.backlog_max >= s->end_backlog / 2);
    CHECK(f.sums.timing.late_max_ns > 200000000);
    CHECK(f.sums.slices.op[OPERATION_READ].latency_ns >
          5 * f.sums.timing.service_ns[OPERATION_READ]);
    CHECK_NEAR((double)f.sums.timing.in_flight_ns, (double)f.sums.timing.service_ns[OPERATION_READ],
               .05);
    CHECK(f.sums.busy_ticks <= f.worker.ended_ticks - f.order.begin_ticks);
    fixture_end(&f);
    free(source.requests);
}

/* Requests in flight when the source ends are waited for and counted. */
static void check_drains(void)
{
    struct listed source = listed_reads(20, 10000);
    if (!start(&io_null, 32, "const:80ms", &source, &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK(f.worker.exhausted);
    CHECK_INT(source.completed, 20);
    check_conserved(&source, 0);
    CHECK(clock_ns(&f.clock, f.worker.ended_ticks - f.order.begin_ticks) >= 80000000);
    fixture_end(&f);
    free(source.requests);
}

/* Nothing is due for an hour: the round ends when told to. */
static void check_halt(void)
{
    struct listed source = listed_reads(2, 3600000000000);
    if (!start(&io_null, 8, NULL, &source, &listed_ops))
        return;
    fixture_begin_round(&f, 7200);
    sleep_ms(50);
    uint64_t told = clock_raw_ns();
    atomic_store(&f.worker.halt, true);
    worker_wait(&f.worker);
    CHECK(clock_raw_ns() - told < 5000000000);
    fixture_collect(&f);
    CHECK_INT(source.completed, 1);
    CHECK(!f.worker.exhausted);
    check_conserved(&source, 0);
    fixture_end(&f);
    free(source.requests);
}

/* Slices without I/O are published as well. */
static void check_idle_slices(void)
{
    struct listed source = listed_reads(2, 400000000);
    if (!start(&io_null, 8, NULL, &source, &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK_INT(source.completed, 2);
    check_conserved(&source, 0); /* no interval is left out */
    CHECK(f.sums.intervals >= 8);
    fixture_end(&f);
    free(source.requests);
}

static void check_at_once(const struct io_ops *ops, unsigned iodepth, const char *script)
{
    struct listed source = listed_reads(2000, 0);
    for (uint64_t i = 0; i < source.count; i++)
        source.requests[i].due_ns = DUE_AT_ONCE;
    if (!start(ops, iodepth, script, &source, &listed_at_once))
        return;
    fixture_round(&f, 60);
    CHECK(f.worker.exhausted);
    CHECK_INT(source.completed, 2000);
    check_conserved(&source, 0);
    CHECK_INT(f.sums.whole->issue_error.max, 0);
    CHECK_INT(f.sums.timing.service_ns[OPERATION_READ],
              f.sums.slices.op[OPERATION_READ].latency_ns);
    if (script) { /* all slots are in use, all the time */
        double ns = (double)clock_ns(&f.clock, f.worker.ended_ticks - f.order.begin_ticks);
        CHECK((double)f.sums.timing.in_flight_ns > .5 * iodepth * ns);
    }
    fixture_end(&f);
    free(source.requests);
}

/* A backend that accepts every second request offered. */
static int stingy_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                         struct err *e)
{
    static unsigned calls;
    return calls++ % 2 ? io_null.submit(b, requests, n < 2 ? n : n / 2, e) : 0;
}

static void check_stingy_backend(bool at_once)
{
    struct io_ops stingy = io_null;
    struct listed source = listed_reads(500, 100000);
    stingy.submit = stingy_submit;
    for (uint64_t i = 0; i < source.count; i++)
        source.requests[i].due_ns = i / 10 * 1000000; /* ten at a time */
    if (!start(&stingy, 64, NULL, &source, at_once ? &listed_at_once : &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK(f.worker.exhausted);
    CHECK_INT(source.completed, 500);
    CHECK(source.order_kept);
    check_conserved(&source, 0);
    fixture_end(&f);
    free(source.requests);
}

/* Each request is due 2 ms after the previous one completed. */
static void check_closed(void)
{
    struct listed source = listed_reads(40, 0);
    source.think_ns = 2000000;
    if (!start(&io_null, 4, "const:1ms", &source, &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK_INT(source.completed, 40);
    CHECK(source.order_kept);
    check_conserved(&source, 0);
    CHECK(clock_ns(&f.clock, f.worker.ended_ticks - f.order.begin_ticks) >= 40 * 3000000 - 2000000);
    CHECK(f.sums.timing.in_flight_ns <= clock_ns(&f.clock, f.sums.busy_ticks) * 1001 / 1000 + 1000);
    fixture_end(&f);
    free(source.requests);
}

static void check_failed_ios(void)
{
    struct listed source = listed_reads(1000, 100000);
    if (!start(&io_null, 64, "const:200us+fail:0.1+short:0.1", &source, &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK_INT(source.completed, 1000);
    check_conserved(&source, 0);
    CHECK(sum_errors() > 100 && sum_errors() < 300);
    CHECK_INT(f.worker.failed, sum_errors());
    CHECK(!f.worker.fatal);
    CHECK_INT(f.worker.failure.asked, 4096);
    CHECK(f.worker.failure.error == EIO ? f.worker.failure.moved == 0
                                        : f.worker.failure.moved == 2048);
    CHECK_INT(f.sums.slices.asked_bytes, 1000 * 4096);
    fixture_end(&f);

    /* Every request fails: the round does not continue forever. */
    source.count = 1000;
    if (!start(&io_null, 64, "fail:1", &source, &listed_ops))
        return;
    fixture_round(&f, 60);
    CHECK(f.worker.fatal && f.worker.halt);
    CHECK(source.completed >= 100 && source.completed < 1000);
    check_conserved(&source, 0);
    fixture_end(&f);
    free(source.requests);
}

/* Writes, durable writes and flushes of a file, one at a time or many. */
static void check_all_operations(const struct io_ops *ops)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        check_part_skipped("no file without a name in /tmp");
        return;
    }
    struct listed source = listed_reads(200, 200000);
    static const uint8_t cycle[] = {REQUEST_WRITE, REQUEST_WRITE_DURABLE, REQUEST_FLUSH,
                                    REQUEST_READ};
    CHECK_INT(ftruncate(fd, 1024 * 4096), 0);
    for (uint64_t i = 0; i < source.count; i++) {
        source.requests[i].command = cycle[i % 4];
        if (source.requests[i].command == REQUEST_FLUSH)
            source.requests[i].length = 0;
    }
    fixture_init(&f, ops, 16, NULL, &source, &listed_ops);
    f.worker.setup.fd = fd;
    f.worker.setup.flushes = true;
    struct err e = {0};
    CHECK_INT(worker_start(&f.worker, &e), 0);
    CHECK_STR(e.msg, "");
    fixture_round(&f, 60);
    CHECK_INT(source.completed, 200);
    CHECK_INT(source.failed, 0);
    check_conserved(&source, 50);
    CHECK_INT(f.sums.slices.op[OPERATION_WRITE].ios, 100);
    CHECK_INT(f.sums.slices.op[OPERATION_READ].ios, 50);
    CHECK_INT(f.sums.slices.asked_bytes, 150 * 4096);
    if (ops->serial)
        CHECK(f.sums.timing.in_flight_ns <= clock_ns(&f.clock, f.sums.busy_ticks) + 1000);

    /* The data depends on the offset and the number of the write. */
    static unsigned char expected[4096], found[4096];
    write_data_fill(expected, 4096, 0, 0);
    CHECK_INT(pread(fd, found, 4096, 0), 4096);
    CHECK(!memcmp(found, expected, 4096));
    write_data_fill(expected, 4096, 5 * 4096, 3);
    CHECK_INT(pread(fd, found, 4096, 5 * 4096), 4096);
    CHECK(!memcmp(found, expected, 4096));
    fixture_end(&f);
    close(fd);
    free(source.requests);
}

/* Every stamped write is ended, with any command; nothing else is. */
static void check_stamped(void)
{
    struct listed source = listed_reads(200, 200000);
    struct ledger ledger;
    struct err e = {0};
    static const uint8_t cycle[] = {REQUEST_WRITE, REQUEST_WRITE_DURABLE, REQUEST_WRITE_ZEROES,
                                    REQUEST_READ};
    for (uint64_t i = 0; i < source.count; i++)
        source.requests[i].command = cycle[i % 4];
    CHECK_INT(ledger_init(&ledger, "null", 0, 1024 * 4096, 4096, 512, &e), 0);
    fixture_init(&f, &io_null, 16, NULL, &source, &listed_ops);
    f.worker.ledger = &ledger;
    CHECK_INT(worker_start(&f.worker, &e), 0);
    fixture_round(&f, 60);
    CHECK_INT(source.completed, 200);
    CHECK_INT(f.sums.slices.op[OPERATION_WRITE].ios, 150);
    CHECK_INT(ledger_sum(&ledger).known, 100 * 4096);
    CHECK_INT(ledger_sum(&ledger).open, 0);
    fixture_end(&f);
    ledger_free(&ledger);
    free(source.requests);
}

/* Records for the collector: all of them while there is room; the others are counted. */
static void check_records(void)
{
    struct listed source = listed_reads(FIXTURE_RECORDS + 500, 20000);
    fixture_init(&f, &io_null, 64, NULL, &source, &listed_ops);
    struct err e = {0};
    struct worker *w = &f.worker;
    w->records.shared = true;
    CHECK_INT(worker_start(w, &e), 0);
    fixture_round(&f, 60);
    check_conserved(&source, 0);
    CHECK_INT(atomic_load(&w->records.head), FIXTURE_RECORDS);
    CHECK_INT(atomic_load(&w->lost), 500);
    for (unsigned i = 1; i < FIXTURE_RECORDS; i++)
        CHECK(w->records.records[i].t_cpl >= w->records.records[i - 1].t_cpl);
    fixture_end(&f);
    free(source.requests);
}

/* A processor whose counter is ahead: the worker's times are still on the first worker's clock. */
static void check_skew(void)
{
    struct listed source = listed_reads(100, 500000);
    fixture_init(&f, &io_null, 64, NULL, &source, &listed_ops);
    struct err e = {0};
    struct worker *w = &f.worker;
    w->records.shared = true;
    w->skew_ns = 5000000000;
    w->skew_within_ns = 100;
    f.ahead_ns = 5000000000;
    CHECK_INT(worker_start(w, &e), 0);
    fixture_round(&f, 60);
    check_conserved(&source, 0);
    CHECK_INT(timed_statistics(w)->skew_ns, 5000000000);
    CHECK_INT(timed_statistics(w)->skew_within_ns, 100);
    CHECK_INT(source.completed, 100);
    CHECK(quantile_of(&f.sums.whole->issue_error, .5) < 1e6 || machine_is_busy());
    uint64_t first = w->records.records[0].t_sub, now = clock_ticks(&f.clock);
    CHECK(first >= f.order.begin_ticks + clock_ticks_of_ns(&f.clock, 1999000));
    CHECK(w->ended_ticks >= first &&
          w->ended_ticks <= now - clock_ticks_of_ns(&f.clock, 4999000000));
    fixture_end(&f);
    free(source.requests);
}

int main(void)
{
    check_on_time();
    check_spin(SPIN_ALWAYS);
    check_spin(SPIN_NEVER);
    check_priority(SPIN_AUTO, SCHED_FIFO);
    check_priority(SPIN_ALWAYS, SCHED_OTHER);
    check_priority_is_kept();
    check_slow_completions();
    check_backlog();
    check_drains();
    check_halt();
    check_idle_slices();
    check_at_once(&io_null, 32, "const:1ms");
    check_at_once(&io_null, 8, NULL);
    check_stingy_backend(false);
    check_stingy_backend(true);
    check_closed();
    check_failed_ios();
    check_all_operations(&io_sync);
    check_all_operations(&io_uring);
    check_stamped();
    check_records();
    check_skew();
    return check_result();
}
