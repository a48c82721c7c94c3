/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace that a session writes of its own requests: it has exactly the requests of the traced
   rounds, with the histograms' latencies; requests without room are counted as lost; the list of
   the slowest requests is correct. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/evidence/completion_trace.h"
#include "run/loop/worker_group.h"
#include "run/session/session.h"
#include "source/trace/trace.h"

static struct arena arena;
static struct clock the_clock;
static char path[] = "/tmp/cupel-completions.XXXXXX";

static struct interval_histogram batches[OPERATIONS];

static void on_batch(void *context, const struct batch *b)
{
    (void)context;
    for (int op = 0; op < OPERATIONS; op++)
        interval_histogram_add(&batches[op], &b->latency[op]);
}

static bool start(struct group *g, const struct plan *plan)
{
    struct err e = {0};
    struct group_setup setup = {.plan = plan,
                                .ops = &io_null,
                                .clock = &the_clock,
                                .fd = -1,
                                .traced = true,
                                .region = 1 << 30};
    arena_reset(&arena, 0);
    if (group_init(g, &setup, &arena, &e))
        return false;
    CHECK(arena.used <= group_bytes(plan));
    return group_start(g, &e) == 0;
}

static struct plan plan_of(const char *script, unsigned jobs, unsigned iodepth)
{
    struct plan plan;
    plan_init(&plan);
    plan.jobs = jobs;
    plan.iodepth = iodepth;
    plan.realtime = false;
    plan.write_share = 0.5;
    snprintf(plan.script, sizeof plan.script, "%s", script);
    snprintf(plan.completions, sizeof plan.completions, "%s", path);
    return plan;
}

static struct round_outcome run_round(struct group *g, bool traced)
{
    struct err e = {0};
    struct round_outcome o;
    struct round_request request = {.seconds = 0.15,
                                    .slice_seconds = 0.01,
                                    .recording = true,
                                    .counts = traced,
                                    .traced = traced,
                                    .on_batch = on_batch};
    memset(batches, 0, sizeof batches);
    for (int op = 0; op < OPERATIONS; op++)
        batches[op].min = UINT64_MAX;
    CHECK_INT(group_run_round(g, &request, &o, &e), 0);
    return o;
}

/* Sums and histograms read back from a trace. */
struct read_back {
    uint64_t ios[OPERATIONS], bytes[OPERATIONS], response_ns[OPERATIONS], failed, processes;
    uint64_t count[OPERATIONS][HISTOGRAM_BUCKETS];
    uint64_t skipped, late;
    uint64_t longest_ns, longest_offset;
};

static void read_trace(struct read_back *r)
{
    static struct trace_event events[512];
    const char *const paths[] = {path};
    const struct trace_options options = {0};
    struct trace *t;
    struct err e = {0};
    *r = (struct read_back){0};
    CHECK_INT(trace_open(&t, paths, 1, &options, &e), 0);
    for (int n; (n = trace_read(t, events, 512, &e)) != 0;) {
        CHECK(n > 0);
        for (int i = 0; i < n; i++) {
            const struct trace_event *event = &events[i];
            int op = event->op == OPERATION_WRITE;
            CHECK(event->level == TRACE_SYSCALL);
            r->failed += event->failed;
            r->processes |= (uint64_t)1 << event->process;
            if (event->failed)
                continue;
            r->ios[op]++;
            r->bytes[op] += event->length;
            r->response_ns[op] += event->response_ns;
            r->count[op][histogram_bucket(event->response_ns)]++;
            if (event->response_ns <= r->longest_ns)
                continue;
            r->longest_ns = event->response_ns;
            r->longest_offset = event->offset;
        }
    }
    for (int reason = 0; reason < TRACE_SKIPS; reason++)
        r->skipped += trace_skipped(t, (enum trace_skip)reason)->count;
    r->late = trace_skipped(t, TRACE_SKIP_REORDERED)->count;
    CHECK_INT(trace_device_count(t), 1);
    CHECK_STR(trace_device(t, 0)->name, "the target");
    CHECK_INT(trace_device(t, 0)->size, 1 << 30);
    trace_close(t);
}

static struct completion_trace *begin_trace_to(const char *to, unsigned hangs_seconds,
                                               struct worker *workers, unsigned count)
{
    struct completion_trace *trace = NULL;
    struct err e = {0};
    const struct completion_trace_request request = {.path = to,
                                                     .clock = &the_clock,
                                                     .zero_ticks = clock_ticks(&the_clock),
                                                     .hangs_seconds = hangs_seconds};
    const struct completion_trace_source source = {.workers = workers,
                                                   .count = count,
                                                   .target = "the target",
                                                   .target_size = 1 << 30,
                                                   .workload = "of a test"};
    CHECK_INT(completion_trace_create(&trace, &request, &e), 0);
    CHECK_INT(completion_trace_start(trace, &source, &e), 0);
    return trace;
}

static struct completion_trace *begin_trace(struct worker *workers, unsigned count)
{
    unlink(path);
    return begin_trace_to(path, 30, workers, count);
}

/* Rounds that are not traced, or are written to a scratch file, are not in the trace; all other
   requests are. */
static void check_trace(const char *script, unsigned jobs, unsigned iodepth)
{
    const struct plan plan = plan_of(script, jobs, iodepth);
    static struct read_back r;
    struct group g;
    struct err e = {0};
    CHECK(start(&g, &plan));
    struct completion_trace *trace = begin_trace(g.workers, g.count);
    (void)run_round(&g, false);
    CHECK_INT(completion_trace_scratch(trace, true, &e), 0);
    CHECK(run_round(&g, true).total.op[OPERATION_READ].ios > 0);
    CHECK_INT(completion_trace_scratch(trace, false, &e), 0);
    for (unsigned i = 0; i < jobs; i++)
        g.workers[i].slowest = (struct slowest){0};
    const struct round_outcome o = run_round(&g, true);
    group_stop(&g);
    const struct completion_trace_counts n = completion_trace_close(trace);
    CHECK_INT(n.error.code, ERR_NONE);
    CHECK_INT(n.lost, 0);
    read_trace(&r);
    CHECK_INT(r.skipped, 0);
    CHECK_INT(r.processes, ((1 << jobs) - 1) << 1);
    uint64_t all = r.failed;
    for (int op = 0; op <= REQUEST_WRITE; op++) {
        all += r.ios[op];
        CHECK(r.ios[op] > 0);
        CHECK_INT(r.ios[op], o.total.op[op].ios);
        CHECK_INT(r.bytes[op], o.total.op[op].bytes);
        CHECK_INT(r.response_ns[op], o.total.op[op].latency_ns);
        for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++)
            if (r.count[op][k] != batches[op].count[k])
                CHECK_INT(r.count[op][k], batches[op].count[k]);
    }
    CHECK_INT(r.failed, o.total.op[OPERATION_READ].errors + o.total.op[OPERATION_WRITE].errors);
    CHECK_INT(n.written, all);

    struct slowest slowest;
    group_slowest(&g, &slowest);
    CHECK_INT(slowest.count, all < SLOWEST_KEPT ? all : SLOWEST_KEPT);
    if (r.failed == 0) {
        CHECK_INT(clock_ns(&the_clock, slowest.at[0].end - slowest.at[0].begin), r.longest_ns);
        CHECK_INT(slowest.at[0].offset, r.longest_offset);
    }
    unlink(path);
}

/* Nobody empties the rings: they fill up, every further request is counted as lost, and the round
   is the same. */
static void check_full_rings(void)
{
    const struct plan plan = plan_of("", 1, 1);
    struct group g;
    CHECK(start(&g, &plan));
    const struct finished_ring *ring = &g.workers[0].traced;
    uint64_t ios = 0;
    for (int round = 0; round < 20 && atomic_load(&ring->lost) == 0; round++) {
        const struct round_outcome o = run_round(&g, true);
        ios += o.total.op[OPERATION_READ].ios + o.total.op[OPERATION_WRITE].ios;
    }
    CHECK(atomic_load(&ring->lost) > 0);
    CHECK_INT(atomic_load(&ring->head), ring->capacity);
    CHECK_INT(atomic_load(&ring->head) + atomic_load(&ring->lost), ios);
    group_stop(&g);
}

/* A worker with only a ring, for a quarter of the requests that it gets at once: the number of lost
   ones does not depend on how fast the trace is written. */
#define SMALL_RING 4096
#define AT_ONCE    (4 * SMALL_RING)

static struct finished_request small_ring[SMALL_RING];
static struct worker by_hand = {.traced = {.at = small_ring, .capacity = SMALL_RING}};

/* Completes n requests, one after the other, the first of which began at that time. */
static void finish_from(unsigned n, uint64_t first_began)
{
    const uint64_t now = clock_ticks(&the_clock);
    uint64_t head;
    unsigned kept = finished_ring_room(&by_hand.traced, n, &head);
    for (unsigned i = 0; i < kept; i++)
        *finished_ring_at(&by_hand.traced, head + i) = (struct finished_request){
            .begin = i ? now + i : first_began, .end = now + i + 1, .length = 4096};
    atomic_store(&by_hand.traced.head, head + kept);
}

static void finish_by_hand(unsigned n)
{
    finish_from(n, clock_ticks(&the_clock));
}

/* Requests lost in rounds that go to a scratch file are not missing from the trace; others are. */
static void check_lost_in_trials(void)
{
    struct err e = {0};
    struct completion_trace *trace = begin_trace(&by_hand, 1);
    finish_by_hand(AT_ONCE);
    for (int trial = 0; trial < 3; trial++) {
        CHECK_INT(completion_trace_scratch(trace, true, &e), 0);
        finish_by_hand(AT_ONCE);
        CHECK_INT(completion_trace_scratch(trace, false, &e), 0);
        finish_by_hand(AT_ONCE);
    }
    const struct completion_trace_counts n = completion_trace_close(trace);
    CHECK_INT(n.error.code, ERR_NONE);
    CHECK(n.lost >= 4 * (AT_ONCE - SMALL_RING));
    CHECK_INT(n.written + n.lost, 4 * AT_ONCE);
    unlink(path);
}

/* Requests whose start a reader cannot determine are counted, and no others: one that takes as long
   as the smallest number of requests that exceeds a reader's window (to a step), and one that takes
   half as long. */
static void check_late(void)
{
    static struct read_back r;
    struct completion_trace *trace = begin_trace(&by_hand, 1);
    const unsigned window = TRACE_WINDOW_EVENTS / SMALL_RING;
    atomic_store(&by_hand.traced.lost, 0);
    uint64_t early = 0, half = 0;
    for (unsigned i = 0; i < 4 * window; i++) {
        const uint64_t now = clock_ticks(&the_clock);
        CHECK(completion_trace_settle(trace));
        early = i == window ? now : early;
        half = i == 2 * window ? now : half;
        finish_from(SMALL_RING, i == 5 * window / 2                          ? half
                                : i == 2 * window + 2 || i == 3 * window + 1 ? early
                                                                             : now);
    }
    const struct completion_trace_counts n = completion_trace_close(trace);
    CHECK_INT(n.lost, 0);
    CHECK_INT(n.written, 4 * TRACE_WINDOW_EVENTS);
    CHECK_INT(n.late, 2);
    read_trace(&r);
    CHECK_INT(r.late, 2);
    CHECK_INT(r.skipped, 2);
    unlink(path);
}

/* Nobody reads the pipe to which the trace is written: unwritten requests are lost, and when the
   pipe accepts data again, the thread continues correctly. */
static void check_hang(void)
{
    static struct completion_trace *trace; /* it stays */
    const struct finished_ring *ring = &by_hand.traced;
    const int shown = dup(STDOUT_FILENO);
    uint64_t ios = 0;
    int ends[2];
    fflush(stdout);
    CHECK_INT(pipe(ends), 0);
    CHECK(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= 1 << 20);
    CHECK_INT(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    atomic_store(&by_hand.traced.lost, 0);
    trace = begin_trace_to("-", 1, &by_hand, 1);
    do {
        finish_by_hand(AT_ONCE);
        ios += AT_ONCE;
    } while (completion_trace_settle(trace));
    const struct completion_trace_counts n = completion_trace_close(trace);
    CHECK(n.hangs);
    CHECK_INT(n.error.code, ERR_TARGET);
    CHECK(n.written > 0);
    CHECK_INT(n.written + n.lost, ios);

    signal(SIGPIPE, SIG_IGN);
    CHECK(atomic_load(&ring->tail) != atomic_load(&ring->head));
    close(ends[0]);
    for (int i = 0; i < 10000 && atomic_load(&ring->tail) != atomic_load(&ring->head); i++)
        usleep(1000);
    CHECK_INT(atomic_load(&ring->tail), atomic_load(&ring->head));
    dup2(shown, STDOUT_FILENO);
    close(shown);
    close(ends[1]);
}

static unsigned threads(void)
{
    unsigned n = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;)
        n += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n;
}

#define NOBODY_ELSE 54321 /* a user without processes */

enum ending { MEASURED, NOT_MEASURED, THREADS_LEFT, FILE_LEFT, NOT_LIMITED };

/* Runs a session where the system gives at most `max` threads. */
static enum ending run_with_threads(unsigned max)
{
    const struct rlimit limit = {max, max};
    const struct sysroot root = {0};
    struct plan plan = plan_of("const:100us", 2, 1);
    struct session *session = NULL;
    struct err e = {0};
    snprintf(plan.engine, sizeof plan.engine, "null");
    plan.ending.runtime_seconds = 0.2;
    plan.measure_overhead = false;
    plan.watch.cost = 0;
    if (setrlimit(RLIMIT_NPROC, &limit) || setgid(NOBODY_ELSE) || setuid(NOBODY_ELSE))
        return NOT_LIMITED;
    if (!session_run(&session, &plan, &root, NULL, NULL, NULL, &e)) {
        session_free(session);
        return MEASURED;
    }
    /* threads are visible in /proc a little longer */
    for (int i = 0; i < 1000 && threads() > 1; i++)
        usleep(1000);
    return threads() > 1 ? THREADS_LEFT : access(path, F_OK) == 0 ? FILE_LEFT : NOT_MEASURED;
}

/* Whichever thread cannot be started: the threads before it have ended when the session has. */
static void check_missing_threads(void)
{
    enum ending ending = NOT_MEASURED;
    char folder[] = "/tmp/cupel-threads.XXXXXX", old[sizeof path];
    if (geteuid() != 0) {
        puts("threads that cannot be started: left out, it takes root to be a user without any");
        return;
    }
    memcpy(old, path, sizeof path);
    CHECK(mkdtemp(folder) != NULL);
    CHECK_INT(chown(folder, NOBODY_ELSE, NOBODY_ELSE), 0);
    snprintf(path, sizeof path, "%s/t", folder);
    for (unsigned max = 1; max < 20 && ending == NOT_MEASURED; max++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            _exit((int)run_with_threads(max));
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        ending = (enum ending)WEXITSTATUS(status);
        CHECK(ending != THREADS_LEFT);
        CHECK(ending != FILE_LEFT);
        CHECK(ending != NOT_LIMITED);
        CHECK(ending != MEASURED || max > 4); /* two workers, the heartbeat, the writer */
    }
    CHECK_INT(ending, MEASURED);
    unlink(path);
    rmdir(folder);
    memcpy(path, old, sizeof path);
}

/* The fastest request is replaced by a slower one; a request that is not slower than any is not
   listed. */
static void check_slowest(void)
{
    struct slowest s = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t length = 1 + i * 7919 % 1000; /* every latency from 1 to 1000 once */
        slowest_add(&s,
                    &(struct finished_request){.begin = i, .end = i + length, .offset = length});
    }
    slowest_sort(&s);
    CHECK_INT(s.count, SLOWEST_KEPT);
    CHECK_INT(s.floor, 1000 - SLOWEST_KEPT + 1);
    for (unsigned i = 0; i < s.count; i++)
        CHECK_INT(s.at[i].offset, 1000 - i);
}

int main(void)
{
    struct err e = {0};
    clock_calibrate(&the_clock, 20, false);
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    CHECK_INT(arena_init(&arena, (size_t)256 << 20, &e), 0);
    check_slowest();
    check_trace("uniform:50us,500us", 1, 4);
    check_trace("lognormal:200us,0.5", 3, 8);
    check_trace("uniform:50us,500us+fail:0.05+short:0.05", 2, 8);
    check_full_rings();
    check_lost_in_trials();
    check_missing_threads();
    check_late();
    check_hang();
    arena_free(&arena);
    return check_result();
}
