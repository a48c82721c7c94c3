/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of workers in real threads: every I/O is counted exactly once, failures are kept, and a
 * round ends when it must.
 * Timed: how many slices a collector loses that does not run, and how soon a round ends. */
#include "busy_machine.h"
#include "check.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "run/loop/worker_group.h"

static struct arena arena;
static struct clock the_clock;

/* The null backend with a count of its requests, and failures on demand. */
static atomic_ullong issued, completed;
static atomic_uint least_max; /* number of completions to wait for */
static atomic_int error_now;  /* errno of the next completion, once */
static atomic_bool submit_fails;

static const struct io_ops counting;

static int counting_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct io_backend *inner = calloc(1, sizeof *inner);
    if (!inner || io_null.open(inner, setup, e)) {
        free(inner);
        return -1;
    }
    b->ops = &counting;
    b->state = inner;
    return 0;
}

static int counting_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                           struct err *e)
{
    if (atomic_load(&submit_fails))
        return err_set(e, ERR_TARGET, "the test's backend gave up");
    int taken = io_null.submit(b->state, requests, n, e);
    atomic_fetch_add(&issued, (unsigned long long)taken);
    return taken;
}

static int counting_reap(struct io_backend *b, struct io_done done[], unsigned least, unsigned most,
                         struct err *e)
{
    if (least > atomic_load(&least_max))
        atomic_store(&least_max, least);
    int got = io_null.reap(b->state, done, least, most, e);
    atomic_fetch_add(&completed, (unsigned long long)got);
    int error = got > 0 ? atomic_exchange(&error_now, 0) : 0;
    if (error) {
        done[0].error = (int16_t)error;
        done[0].bytes = 0;
    }
    return got;
}

static void counting_close(struct io_backend *b)
{
    io_null.close(b->state);
    free(b->state);
}

static const struct io_ops counting = {.name = "counting",
                                       .open = counting_open,
                                       .submit = counting_submit,
                                       .reap = counting_reap,
                                       .exchange = io_submit_and_reap,
                                       .close = counting_close};

/* What on_batch got, and when the test requests an end. */
struct seen {
    struct slice slices;
    uint64_t slice_count, lost_slices, latencies[OPERATIONS];
    double stop_after, stopped_at;
    int error_after;
    volatile sig_atomic_t stop;
};

static void on_batch(void *context, const struct batch *b)
{
    struct seen *seen = context;
    for (unsigned i = 0; i < b->slice_count; i++)
        slice_add(&seen->slices, &b->slices[i]);
    seen->slice_count += b->slice_count;
    seen->lost_slices += b->lost_slices;
    for (int op = 0; op < OPERATIONS; op++) {
        seen->latencies[op] += b->latency[op].over;
        for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++)
            seen->latencies[op] += b->latency[op].count[k];
    }
}

static void on_pause(void *context, double elapsed)
{
    struct seen *seen = context;
    if (!(seen->stop_after > 0) || elapsed < seen->stop_after || seen->stopped_at > 0)
        return;
    seen->stopped_at = elapsed;
    if (seen->error_after)
        atomic_store(&error_now, seen->error_after);
    else
        seen->stop = 1;
}

static struct plan plan_of(const char *script, unsigned jobs, unsigned iodepth)
{
    struct plan plan;
    plan_init(&plan);
    plan.jobs = jobs;
    plan.iodepth = iodepth;
    plan.realtime = false;
    snprintf(plan.script, sizeof plan.script, "%s", script);
    return plan;
}

static bool start(struct group *g, const struct plan *plan, struct err *e)
{
    struct group_setup setup = {
        .plan = plan, .ops = &counting, .clock = &the_clock, .fd = -1, .region = 1 << 30};
    arena_reset(&arena, 0);
    atomic_store(&issued, 0);
    atomic_store(&completed, 0);
    *e = (struct err){0};
    if (group_init(g, &setup, &arena, e))
        return false;
    CHECK(arena.used <= group_bytes(plan));
    return group_start(g, e) == 0;
}

static uint64_t total_ios(const struct slice *s)
{
    return s->op[OPERATION_READ].ios + s->op[OPERATION_WRITE].ios;
}

static uint64_t total_errors(const struct slice *s)
{
    return s->op[OPERATION_READ].errors + s->op[OPERATION_WRITE].errors;
}

static struct round_request request_of(double seconds, struct seen *seen)
{
    return (struct round_request){.seconds = seconds,
                                  .slice_seconds = 0.01,
                                  .recording = true,
                                  .stop = &seen->stop,
                                  .on_batch = on_batch,
                                  .on_pause = on_pause,
                                  .context = seen};
}

static uint64_t failed_of(const struct group *g)
{
    uint64_t failed = 0;
    for (unsigned i = 0; i < g->count; i++)
        failed += g->workers[i].failed;
    return failed;
}

/* A job waits for as many completions as its plan says, and for single ones at the end of a round.
 */
static void check_batches(unsigned batch, unsigned least)
{
    struct plan plan = plan_of("", 1, 8);
    struct group g;
    struct err e;
    plan.batch = batch;
    CHECK(start(&g, &plan, &e));
    struct seen seen = {0};
    struct round_request request = request_of(0.05, &seen);
    struct round_outcome o;
    atomic_store(&least_max, 0);
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    CHECK_INT(atomic_load(&least_max), least);
    CHECK_INT(total_ios(&o.total), atomic_load(&issued));
    group_stop(&g);
}

/* Rounds of one group: each request is in one histogram and one total. */
static void check_counts(const char *script, unsigned jobs, unsigned iodepth, double write_share)
{
    struct plan plan = plan_of(script, jobs, iodepth);
    struct group g;
    struct err e;
    plan.write_share = write_share;
    CHECK(start(&g, &plan, &e));
    uint64_t lost_before = 0;
    for (int round = 0; round < 3; round++) {
        uint64_t failed_before = failed_of(&g);
        struct seen seen = {0};
        struct round_request request = request_of(0.15, &seen);
        struct round_outcome o;
        atomic_store(&issued, 0);
        CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
        CHECK(!o.stuck && o.seconds >= 0.15 && o.cpu_seconds > 0);
        uint64_t ios = total_ios(&o.total), errors = total_errors(&o.total);
        CHECK_INT(ios + errors, atomic_load(&issued));
        CHECK_INT(atomic_load(&issued), ios + errors);
        CHECK_INT(seen.latencies[OPERATION_READ], o.total.op[OPERATION_READ].ios);
        CHECK_INT(seen.latencies[OPERATION_WRITE], o.total.op[OPERATION_WRITE].ios);
        CHECK_INT(o.total.op[OPERATION_READ].bytes, o.total.op[OPERATION_READ].ios * 4096);
        CHECK_INT(failed_of(&g) - failed_before, errors);
        CHECK(seen.slice_count + seen.lost_slices <=
              (uint64_t)(o.seconds * 100) - 1); /* without the first */
        CHECK(total_ios(&seen.slices) <= ios);
        /* BPS is of the same I/Os as all else, as far as their records were kept. */
        uint64_t lost = group_records_lost(&g) - lost_before;
        uint64_t asked = total_ios(&seen.slices) + total_errors(&seen.slices);
        CHECK(seen.slices.asked_bytes <= 4096 * asked);
        CHECK(seen.slices.asked_bytes + 4096 * lost >= 4096 * asked);
        lost_before += lost;
        CHECK(seen.slices.busy_ns <= seen.slice_count * 10000000);
        CHECK(seen.slices.busy_ns > 0);
        if (write_share > 0)
            CHECK(o.total.op[OPERATION_WRITE].ios > 0 && o.total.op[OPERATION_READ].ios > 0);

        /* The same without recording. */
        request.recording = false;
        atomic_store(&issued, 0);
        CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
        CHECK_INT(o.counted, atomic_load(&issued));
        CHECK_INT(total_ios(&o.total), 0);
    }
    group_stop(&g);
}

/* The purpose of a round is reached: it ends as at its planned end, and every I/O is counted. */
struct enough {
    struct seen seen; /* first: on_batch has it */
    struct group *g;
};

static void end_when_enough(void *context, double elapsed)
{
    struct enough *enough = context;
    if (enough->seen.slice_count >= 10)
        group_end_round(enough->g, elapsed);
}

static void check_enough(unsigned jobs)
{
    struct plan plan = plan_of("const:200us", jobs, 2);
    struct group g;
    struct err e;
    struct enough enough = {.g = &g};
    struct round_request request = request_of(60, &enough.seen);
    struct round_outcome o;
    request.on_pause = end_when_enough;
    CHECK(start(&g, &plan, &e));
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    CHECK(!o.stuck && o.seconds < 30);
    CHECK(enough.seen.slice_count >= 10);
    CHECK_INT(total_ios(&o.total), atomic_load(&issued));
    group_stop(&g);
}

/* No time is left, or less: the round ends at once, and nothing hangs. */
static void check_no_time(void)
{
    static const double lengths[] = {0, -0.001, -100, -1e12};
    struct plan plan = plan_of("const:1ms", 2, 2);
    struct group g;
    struct err e;
    CHECK(start(&g, &plan, &e));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct seen seen = {0};
        struct round_request request = request_of(lengths[i], &seen);
        struct round_outcome o;
        int status = group_run_round(&g, &request, &o, &e);
        CHECK_INT(status, 0);
        CHECK(!o.stuck && o.seconds < 10);
        if (status)
            return; /* the group cannot be stopped */
    }
    group_stop(&g);
}

static void sleep_once(void *context, double elapsed)
{
    struct seen *seen = context;
    if (elapsed < 0.1 || seen->stopped_at > 0)
        return;
    seen->stopped_at = elapsed;
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
}

/* A collector that does not run for longer than the rings hold: the slices of that time are lost
   and reported, but no I/O is. */
static void check_late_collector(void)
{
    struct plan plan = plan_of("const:200us+fail:0.01", 2, 2);
    struct group g;
    struct err e;
    struct seen seen = {0};
    struct round_request request = request_of(0.9, &seen);
    struct round_outcome o;
    request.slice_seconds = 0.001;
    request.on_pause = sleep_once;
    CHECK(start(&g, &plan, &e));
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    CHECK_INT(total_ios(&o.total) + total_errors(&o.total), atomic_load(&issued));
    CHECK_INT(total_errors(&o.total), failed_of(&g));
    CHECK_INT(seen.latencies[OPERATION_READ], total_ios(&o.total));
    CHECK(seen.lost_slices > 100 || machine_is_busy());
    CHECK(seen.slice_count + seen.lost_slices <= 899);
    group_stop(&g);
}

static void check_failed_ios(void)
{
    struct plan plan = plan_of("const:200us+fail:0.05+short:0.05", 2, 4);
    struct group g;
    struct err e;
    struct seen seen = {0};
    struct round_request request = request_of(0.3, &seen);
    struct round_outcome o;
    CHECK(start(&g, &plan, &e));
    CHECK(group_first_failure(&g) == NULL);
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0); /* single failures are no error */
    uint64_t ios = total_ios(&o.total), errors = total_errors(&o.total);
    CHECK_INT(ios + errors, atomic_load(&issued));
    CHECK(fabs((double)errors / (double)(ios + errors) - 0.0975) < 0.06);
    const struct worker *w = group_first_failure(&g);
    CHECK(w && w->failed > 0 && !w->fatal);
    CHECK(w && w->failure.asked == 4096 && w->failure.offset < 1 << 30);
    CHECK(w && (w->failure.error == EIO ? w->failure.moved == 0 : w->failure.moved == 2048));
    group_stop(&g);
}

/* A round of a minute that ends early, by the user or because a device is gone. */
static void check_early_end(int error)
{
    struct plan plan = plan_of("const:100us", 2, 2);
    struct group g;
    struct err e;
    struct seen seen = {.stop_after = 0.22, .error_after = error};
    struct round_request request = request_of(60, &seen);
    struct round_outcome o;
    CHECK(start(&g, &plan, &e));
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    CHECK(o.seconds < 10);
    CHECK(total_ios(&o.total) > 0);
    CHECK_INT(total_ios(&o.total) + total_errors(&o.total), atomic_load(&issued));
    CHECK_INT(total_errors(&o.total), error ? 1 : 0);
    /* There is no slice after the end, which would look like a stall. */
    CHECK(seen.slice_count > 0);
    CHECK((double)(seen.slice_count + seen.lost_slices + 1) * 0.01 <= o.seconds);
    if (error) {
        const struct worker *w = group_first_failure(&g);
        CHECK(w && w->fatal && w->failure.error == error);
    }
    group_stop(&g);
}

/* All workers fail from some time on: the round of a minute ends, whatever the error. */
static void check_nothing_succeeds(const char *script)
{
    struct plan plan = plan_of(script, 2, 8);
    struct group g;
    struct err e;
    struct seen seen = {0};
    struct round_request request = request_of(60, &seen);
    struct round_outcome o;
    CHECK(start(&g, &plan, &e));
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    CHECK(o.seconds < 10);
    CHECK(total_ios(&o.total) > 100 && total_errors(&o.total) >= 100);
    CHECK_INT(total_ios(&o.total) + total_errors(&o.total), atomic_load(&issued));
    /* The first worker to give up ends the round for all. */
    CHECK(g.workers[0].fatal || g.workers[1].fatal);
    group_stop(&g);
}

/* Rare failures never count as a target that is gone, however many there are. */
static void check_rare_failures(void)
{
    struct plan plan = plan_of("const:1ms+fail:0.1", 2, 4);
    struct group g;
    struct err e;
    struct seen seen = {0};
    struct round_request request = request_of(1.5, &seen);
    struct round_outcome o;
    CHECK(start(&g, &plan, &e));
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    CHECK(o.seconds > 1.4 && total_errors(&o.total) > 200);
    const struct worker *w = group_first_failure(&g);
    CHECK(w && !w->fatal);
    group_stop(&g);
}

static void check_backend_errors(void)
{
    struct plan plan = plan_of("const:100us", 2, 1);
    struct group g;
    struct err e;
    struct seen seen = {0};
    struct round_request request = request_of(30, &seen);
    struct round_outcome o;
    CHECK(start(&g, &plan, &e));
    atomic_store(&submit_fails, true);
    CHECK_INT(group_run_round(&g, &request, &o, &e), -1);
    atomic_store(&submit_fails, false);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_STR(e.msg, "the test's backend gave up");
    CHECK(o.seconds < 10);
    group_stop(&g);

    plan = plan_of("gauss:1us", 3, 1); /* no backend can be opened */
    CHECK(!start(&g, &plan, &e));
    CHECK_INT(e.code, ERR_USAGE);
    group_stop(&g); /* nothing runs: no harm */

    plan = plan_of("const:100us", 1, 1);
    plan.cpus_given = true;
    plan.cpus[PLAN_CPUS_MAX / 64 - 1] = 1ull << 63;
    CHECK(!start(&g, &plan, &e));
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "--cpus") != NULL);
}

int main(void)
{
    struct err e;
    clock_calibrate(&the_clock, 20, false);
    CHECK_INT(arena_init(&arena, 256 << 20, &e), 0);
    check_counts("normal:200us,50us", 1, 1, 0);
    check_counts("exp:300us+fail:0.1+short:0.1", 3, 8, 0.5);
    check_counts("", 2, 4, 0);
    check_batches(5, 5);
    check_batches(1, 1);
    check_no_time();
    check_enough(1);
    check_enough(3);
    check_late_collector();
    check_failed_ios();
    check_rare_failures();
    check_early_end(0);
    check_early_end(ENODEV);
    check_nothing_succeeds("0.3s@const:500us; fail:1");
    check_nothing_succeeds("0.3s@const:500us; const:15ms+short:1");
    check_backend_errors();
    arena_free(&arena);
    return check_result();
}
