/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread that issues the requests of many workers in the order of their due times, even if one
   target does not answer. The test checks no times: a round that the machine delayed at its begin
   is repeated. */
#include "timed_fixture.h"

#include "run/loop/processor_carrier.h"

#include <stdatomic.h>
#include <time.h>

#define WORKERS  5
#define EACH     200 /* requests of each worker */
#define REQUESTS (WORKERS * EACH)
#define GAP_NS   500000u
#define AHEAD_NS 300000000u
#define TRIES    20

static struct timed_fixture f[WORKERS];
static struct listed sources[WORKERS];
static struct carriers *carriers;

/* ---- issued requests; offsets number the requests in the order of their due times ---- */

static struct {
    bool is_issued[REQUESTS];
    unsigned count, lowest; /* lowest: the first number that is not issued yet */
    unsigned out_of_order;  /* calls whose first request was not the lowest one */
} issued;

static int note_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                       struct err *e)
{
    const int taken = io_null.submit(b, requests, n, e);
    if (taken > 0)
        issued.out_of_order += requests[0].offset / 4096 != issued.lowest;
    for (int i = 0; i < taken; i++) {
        issued.is_issued[requests[i].offset / 4096] = true;
        issued.count++;
    }
    while (issued.lowest < REQUESTS && issued.is_issued[issued.lowest])
        issued.lowest++;
    return taken;
}

/* ---- a target that does not answer until it is released ---- */

static atomic_bool answers;

static int hang_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                     struct err *e)
{
    return atomic_load(&answers) ? io_null.reap(b, done, min, max, e) : 0;
}

/* ---- sources that record when they are first asked ---- */

static atomic_uint asked;

static enum source_state peek_and_note(void *state, uint64_t now_ns, struct generated_request *next)
{
    struct listed *l = state;
    if (!l->taken && !l->last_due && now_ns < l->requests[0].due_ns) {
        l->last_due = 1;
        atomic_fetch_add(&asked, 1);
    }
    return listed_peek(state, now_ns, next);
}

/* Gives every worker one of each WORKERS requests, in another order each time. */
static void share_requests_out(void)
{
    for (unsigned k = 0; k < WORKERS; k++)
        sources[k] = listed_reads(EACH, 0);
    for (unsigned i = 0; i < REQUESTS; i++) {
        const unsigned turn = i / WORKERS, to = (i % WORKERS * (1 + turn % 4) + turn) % WORKERS;
        sources[to].requests[turn].due_ns = (uint64_t)(i + 1) * GAP_NS;
        sources[to].requests[turn].offset = (uint64_t)i * 4096;
    }
}

static bool begin_workers(const struct io_ops *ops, const struct io_ops *of_first,
                          const struct request_source_ops *source_ops)
{
    struct err e = {0};
    bool all = true;
    carriers = carriers_new();
    CHECK(carriers != NULL);
    share_requests_out();
    for (unsigned k = 0; k < WORKERS; k++) {
        fixture_init(&f[k], k ? ops : of_first, 256, NULL, &sources[k], source_ops);
        f[k].worker.clock = &f[0].clock;
        f[k].worker.order = &f[0].order;
        f[k].worker.carriers = carriers;
        all &= check_that(!worker_start(&f[k].worker, &e), __FILE__, __LINE__, e.msg);
        CHECK(pthread_equal(f[k].worker.thread, f[0].worker.thread));
    }
    return all;
}

static void end_workers(void)
{
    for (unsigned k = 0; k < WORKERS; k++) {
        fixture_end(&f[k]);
        free(sources[k].requests);
    }
    carriers_free(carriers);
}

static void begin_round(void)
{
    struct round_order *order = &f[0].order;
    order->recording = true;
    order->slice_ticks = clock_ticks_of_ns(&f[0].clock, FIXTURE_SLICE_NS);
    order->begin_ticks = clock_ticks(&f[0].clock) + clock_ticks_of_ns(&f[0].clock, AHEAD_NS);
    order->end_ticks = order->begin_ticks + clock_ticks_of_ns(&f[0].clock, UINT64_C(60000000000));
    for (unsigned k = 0; k < WORKERS; k++)
        worker_round(&f[k].worker);
}

/* Every call begins with the request with the earliest due time of all not yet issued, however late
   the thread is. */
static void test_order(void)
{
    struct io_ops noting = io_null;
    struct request_source_ops noted = listed_ops;
    noting.submit = note_submit;
    noted.peek = peek_and_note;
    if (!begin_workers(&noting, &noting, &noted))
        return;
    for (unsigned try = 0; try < TRIES; try++) {
        memset(&issued, 0, sizeof issued);
        atomic_store(&asked, 0);
        begin_round();
        for (unsigned k = 0; k < WORKERS; k++) {
            worker_wait(&f[k].worker);
            fixture_collect(&f[k]);
        }
        if (atomic_load(&asked) == WORKERS)
            break;
    }
    CHECK_INT(atomic_load(&asked), WORKERS);
    CHECK_INT(issued.count, REQUESTS);
    CHECK_INT(issued.out_of_order, 0);
    for (unsigned k = 0; k < WORKERS; k++)
        CHECK_INT(sources[k].completed, EACH);
    end_workers();
}

/* The other targets issue all their requests and end; the first one ends when it answers. */
static void test_one_hangs(void)
{
    struct io_ops hanging = io_null;
    hanging.reap = hang_reap;
    atomic_store(&answers, false);
    if (!begin_workers(&io_null, &hanging, &listed_ops))
        return;
    begin_round();
    for (unsigned k = 1; k < WORKERS; k++) {
        worker_wait(&f[k].worker);
        CHECK(f[k].worker.exhausted);
        CHECK_INT(sources[k].completed, EACH);
    }
    while (!atomic_load(&f[0].worker.exhausted))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    CHECK(atomic_load(&f[0].worker.running));
    CHECK_INT(sources[0].taken, EACH);
    CHECK_INT(sources[0].completed, 0);
    atomic_store(&answers, true);
    worker_wait(&f[0].worker);
    CHECK_INT(sources[0].completed, EACH);
    end_workers();
}

int main(void)
{
    test_order();
    test_one_hangs();
    return check_result();
}
