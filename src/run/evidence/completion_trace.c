/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/evidence/completion_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/machine/clock_error.h"
#include "base/machine/host_identity.h"
#include "base/thread.h"
#include "run/plan/plan.h"
#include "source/trace/cupel_trace_write.h"

#define PAUSE_NS    2000000
#define STACK       (256 << 10)
#define LOWEST_NICE 19

/*
 * Counts requests that readers of the trace cannot sort. The trace has events in order of
 * completion, and readers sort them by their begin within a window of COMPLETION_TRACE_WINDOW
 * events. So a request is late if a request that is more than a window before it in the file began
 * later. To find late requests, it is enough to keep the latest begin of all requests that far
 * back, with a resolution of 1/16 window.
 */
#define STEPS       16
#define STEP_EVENTS (COMPLETION_TRACE_WINDOW / STEPS)
_Static_assert(COMPLETION_TRACE_WINDOW == TRACE_WINDOW_EVENTS, "as a reader has it");

struct lateness {
    uint64_t latest_ns;        /* latest begin so far */
    uint64_t at_step[STEPS];   /* latest_ns at the last STEPS steps */
    uint64_t before_window_ns; /* latest_ns one step before the oldest of at_step[] */
    uint64_t events, late;
};

static void lateness_add(struct lateness *l, uint64_t begin_ns)
{
    if (l->events % STEP_EVENTS == 0) {
        uint64_t *step = &l->at_step[l->events / STEP_EVENTS % STEPS];
        l->before_window_ns = *step;
        *step = l->latest_ns;
    }
    l->events++;
    l->late += begin_ns < l->before_window_ns;
    if (begin_ns > l->latest_ns)
        l->latest_ns = begin_ns;
}

struct completion_trace {
    struct trace_writer *file;
    /* the file that receives the requests during rounds that are not kept, or NULL */
    struct trace_writer *scratch;
    const struct clock *clock;
    uint64_t zero_ticks;
    uint64_t hangs_ns;
    struct worker *workers; /* NULL: not started */
    unsigned count;
    struct heap heads; /* oldest request of each ring */
    struct heap_item items[PLAN_JOBS_MAX];
    uint64_t ends[PLAN_JOBS_MAX]; /* position at which the current drain of each ring ends */
    struct lateness lateness;     /* used only by the writing thread while it runs */
    /* number of requests taken from the rings for the file; written by the thread */
    _Atomic uint64_t taken;
    uint64_t lost_before;    /* losses in the rings before the scratch file began */
    uint64_t lost_in_trials; /* losses in the rings while a scratch file was in use */
    atomic_bool quit;
    pthread_t thread;
    char path[1100];
};

static void put_clock(struct completion_trace *t)
{
    struct clock_error now;
    clock_error_read(&now, "");
    const struct trace_clock shown = {.time_ns =
                                          clock_ns(t->clock, clock_ticks(t->clock) - t->zero_ticks),
                                      .wall_ns = now.wall_ns,
                                      .error_ns = now.error_ns};
    trace_writer_clock(t->file, &shown);
}

int completion_trace_create(struct completion_trace **to, const struct completion_trace_request *r,
                            struct err *e)
{
    struct host_identity host;
    struct completion_trace *t = calloc(1, sizeof *t);
    if (!t)
        return err_no_memory(e, "writing the trace %s", r->path);
    snprintf(t->path, sizeof t->path, "%s", r->path);
    if (trace_writer_create(&t->file, t->path, e)) {
        free(t);
        return -1;
    }
    t->clock = r->clock;
    t->zero_ticks = r->zero_ticks;
    t->hangs_ns = r->hangs_seconds * (uint64_t)1000000000;
    t->heads = (struct heap){.items = t->items, .capacity = PLAN_JOBS_MAX};
    host_identity_read(&host, "");
    trace_writer_host(t->file, &host);
    put_clock(t);
    *to = t;
    return 0;
}

static struct trace_event event_of(const struct completion_trace *t,
                                   const struct finished_request *r)
{
    const uint64_t since = r->begin > t->zero_ticks ? r->begin - t->zero_ticks : 0;
    return (struct trace_event){.time_ns = clock_ns(t->clock, since),
                                .offset = r->offset,
                                .response_ns = clock_ns(t->clock, r->end - r->begin),
                                .length = r->length,
                                .process = r->worker + 1u,
                                .op = (uint8_t)request_operation(r->command),
                                .level = TRACE_SYSCALL,
                                .durable = r->command == REQUEST_WRITE_DURABLE,
                                .failed = r->failed};
}

static void write_requests(struct completion_trace *t, struct finished_ring *ring, uint64_t from,
                           uint64_t to)
{
    struct trace_writer *file = t->scratch ? t->scratch : t->file;
    const uint64_t count = to - from;
    for (; from != to; from++) {
        const struct trace_event event = event_of(t, finished_ring_at(ring, from));
        trace_writer_event(file, &event);
        if (!t->scratch)
            lateness_add(&t->lateness, event.time_ns);
    }
    if (!t->scratch)
        atomic_fetch_add_explicit(&t->taken, count, memory_order_relaxed);
    atomic_store_explicit(&ring->tail, to, memory_order_release);
}

/*
 * Writes all requests that are in the rings now, in the order of completion. Returns their number.
 */
static uint64_t drain(struct completion_trace *t)
{
    uint64_t taken = 0;
    for (unsigned i = 0; i < t->count; i++) {
        struct finished_ring *ring = &t->workers[i].traced;
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
        t->ends[i] = atomic_load_explicit(&ring->head, memory_order_acquire);
        taken += t->ends[i] - tail;
        if (t->ends[i] != tail)
            heap_push(&t->heads, finished_ring_at(ring, tail)->end, i);
    }
    while (t->heads.count) {
        unsigned i = heap_pop(&t->heads);
        struct finished_ring *ring = &t->workers[i].traced;
        const struct heap_item *other = heap_first(&t->heads);
        const uint64_t until = other ? other->at_ns : UINT64_MAX;
        uint64_t from = atomic_load_explicit(&ring->tail, memory_order_relaxed), to = from + 1;
        while (to != t->ends[i] && to - from < 256 && finished_ring_at(ring, to)->end <= until)
            to++;
        write_requests(t, ring, from, to);
        if (to != t->ends[i])
            heap_push(&t->heads, finished_ring_at(ring, to)->end, i);
    }
    return taken;
}

static void *write_on(void *argument)
{
    struct completion_trace *t = argument;
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LOWEST_NICE);
    for (;;) {
        bool quit = atomic_load(&t->quit);
        if (!drain(t)) {
            if (quit)
                break;
            nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

int completion_trace_start(struct completion_trace *t, const struct completion_trace_source *source,
                           struct err *e)
{
    t->workers = source->workers;
    t->count = source->count;
    trace_writer_device(t->file, 0, source->target, source->target_size);
    trace_writer_note(t->file, source->workload);
    int failed = thread_start(&t->thread, STACK, write_on, t);
    if (!failed)
        return 0;
    t->workers = NULL;
    t->count = 0;
    return err_set(e, ERR_MACHINE, "cannot start the thread that writes the trace: %s",
                   strerror(failed));
}

static uint64_t left_in_rings(const struct completion_trace *t)
{
    uint64_t left = 0;
    for (unsigned i = 0; i < t->count; i++)
        left += atomic_load(&t->workers[i].traced.head) -
                atomic_load_explicit(&t->workers[i].traced.tail, memory_order_acquire);
    return left;
}

bool completion_trace_settle(struct completion_trace *t)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t before = UINT64_MAX, left, since = clock_raw_ns();
    while ((left = left_in_rings(t)) > 0) {
        if (left != before)
            since = clock_raw_ns();
        if (clock_raw_ns() - since > t->hangs_ns)
            return false;
        before = left;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Returns the number of requests for which the rings had no room. */
static uint64_t lost_in_rings(const struct completion_trace *t)
{
    uint64_t lost = 0;
    for (unsigned i = 0; i < t->count; i++)
        lost += atomic_load(&t->workers[i].traced.lost);
    return lost;
}

int completion_trace_scratch(struct completion_trace *t, bool begin, struct err *e)
{
    char path[sizeof t->path + 8];
    if (!completion_trace_settle(t))
        return err_set(e, ERR_TARGET, "%s: the trace cannot be written: its disk hangs", t->path);
    if (!begin) {
        struct trace_writer *scratch = t->scratch;
        t->scratch = NULL;
        t->lost_in_trials += lost_in_rings(t) - t->lost_before;
        return trace_writer_close(scratch, e);
    }
    snprintf(path, sizeof path, "%s.cost", t->path);
    if (trace_writer_create(&t->scratch, path, e))
        return -1;
    trace_writer_remove(t->scratch);
    t->lost_before = lost_in_rings(t);
    return 0;
}

/* Stops the thread. Returns true if it has ended or there was none. */
static bool stop_thread(struct completion_trace *t)
{
    if (!t->workers)
        return true;
    bool settled = completion_trace_settle(t);
    atomic_store(&t->quit, true);
    if (!settled)
        return false;
    pthread_join(t->thread, NULL);
    return true;
}

/* Returns the number of requests that were lost in rounds that are kept. */
static uint64_t lost_in_rounds(const struct completion_trace *t)
{
    return (t->scratch ? t->lost_before : lost_in_rings(t)) - t->lost_in_trials;
}

struct completion_trace_counts completion_trace_close(struct completion_trace *t)
{
    struct completion_trace_counts counts = {.hangs = !stop_thread(t)};
    const uint64_t lost = lost_in_rounds(t), left = t->scratch ? 0 : left_in_rings(t);
    const uint64_t all = atomic_load(&t->taken) + left + lost;
    if (!counts.hangs) {
        if (lost)
            trace_writer_lost(t->file, lost);
        put_clock(t);
        trace_writer_flush(t->file);
    }
    counts.written = trace_writer_kept(t->file);
    counts.lost = all - counts.written;
    if (counts.hangs) {
        err_set(&counts.error, ERR_TARGET, "%s: the trace cannot be written: its disk hangs",
                t->path);
        return counts;
    }
    counts.late = t->lateness.late;
    if (t->scratch) /* completion_trace_scratch could not close the file because its disk hung */
        (void)trace_writer_close(t->scratch, NULL);
    (void)trace_writer_close(t->file, &counts.error);
    free(t);
    return counts;
}

bool completion_trace_remove(struct completion_trace *t)
{
    if (!t)
        return true;
    trace_writer_remove(t->file);
    return !completion_trace_close(t).hangs;
}
