/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs carriers: one thread for a processor, which issues the due requests of many workers. */
#include "run/loop/processor_carrier.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "run/loop/internal.h"
#include "run/loop/placement.h"
#include "run/loop/timed_loop.h"

#define LANES_MAX 256
#define STACK     (256 << 10)

/* The thread does not sleep for less than this. */
#define SLEEP_MIN_NS 20000u

static int sleep_only(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                      struct err *e)
{
    (void)done;
    (void)max;
    (void)e;
    clock_sleep_until(b->state, until);
    return 0;
}

/* Operations of the carrier's own worker, with which timed_prepare measures how late the thread
   wakes up. */
static const struct io_ops sleeping = {.reap_until = sleep_only};

struct carrier {
    struct carrier *next;
    int cpu;
    struct worker self; /* the worker that waits: it has no target, and issues nothing */
    struct timed timed;
    struct io_done completion;
    struct clock clock;
    /* event descriptor: wakes the thread when a worker is asked to do something (an order) */
    int wake;

    pthread_mutex_t mutex;
    /* [asked_count], workers that have an order, the oldest order first */
    struct worker *asked[LANES_MAX];
    unsigned asked_count;
    unsigned taken; /* number of workers that have this carrier and are not closed */
    bool quit;
    atomic_bool posted; /* an order was added, or the thread must end */

    /* [count]: the workers that have a round; for each the instant of its next step (ticks), and
       the thread's processor time when its round began */
    unsigned count;
    struct worker *lane[LANES_MAX];
    uint64_t at[LANES_MAX];
    uint64_t cpu_ns[LANES_MAX];
};

struct carriers {
    pthread_mutex_t mutex;
    struct carrier *first;
};

struct carriers *carriers_new(void)
{
    struct carriers *c = calloc(1, sizeof *c);
    if (c)
        pthread_mutex_init(&c->mutex, NULL);
    return c;
}

static void post(struct carrier *c)
{
    atomic_store(&c->posted, true);
    while (write(c->wake, &(uint64_t){1}, sizeof(uint64_t)) < 0 && errno == EINTR)
        ;
}

void carrier_ask(struct worker *w, enum carried_work work)
{
    struct carrier *c = w->carrier;
    pthread_mutex_lock(&c->mutex);
    w->work = work;
    c->asked[c->asked_count++] = w;
    pthread_mutex_unlock(&c->mutex);
    post(c);
}

static void end_lane(struct carrier *c, unsigned i)
{
    struct worker *w = c->lane[i];
    w->cpu_ns = (placement_cpu_ns() - c->cpu_ns[i]) / c->count;
    c->count--;
    c->lane[i] = c->lane[c->count];
    c->at[i] = c->at[c->count];
    c->cpu_ns[i] = c->cpu_ns[c->count];
    atomic_store_explicit(&w->running, false, memory_order_release);
    sem_post(&w->finished);
}

static void open_lane(struct carrier *c, struct worker *w)
{
    struct timed_statistics *s = &w->timed->statistics;
    w->realtime_granted = c->self.realtime_granted;
    memcpy(w->placement_note, c->self.placement_note, sizeof w->placement_note);
    timed_carry(w);
    worker_open(w);
    s->pre_spin_ns = s->pre_spin_first_ns = c->timed.statistics.pre_spin_ns;
    s->wake_p50_ns = c->timed.statistics.wake_p50_ns;
    s->wake_p99_ns = c->timed.statistics.wake_p99_ns;
    sem_post(&w->finished);
}

static void do_work(struct carrier *c, struct worker *w)
{
    switch (w->work) {
    case CARRIED_OPEN:
        open_lane(c, w);
        return;
    case CARRIED_ROUND:
        c->lane[c->count] = w;
        c->at[c->count] = 0;
        c->cpu_ns[c->count++] = placement_cpu_ns();
        timed_begin(w);
        return;
    case CARRIED_CLOSE:
        if (w->backend.state)
            w->ops->close(&w->backend);
        pthread_mutex_lock(&c->mutex);
        c->taken--;
        pthread_mutex_unlock(&c->mutex);
        sem_post(&w->finished);
        return;
    }
}

/* Carries out the orders since the last call. Returns false if the thread must end. */
static bool take_orders(struct carrier *c)
{
    struct worker *w[LANES_MAX];
    atomic_store(&c->posted, false);
    pthread_mutex_lock(&c->mutex);
    unsigned n = c->asked_count;
    memcpy(w, c->asked, n * sizeof(struct worker *));
    c->asked_count = 0;
    bool quit = c->quit;
    pthread_mutex_unlock(&c->mutex);
    for (unsigned i = 0; i < n; i++)
        do_work(c, w[i]);
    return !quit;
}

/* Takes the completions of all workers. A worker that had one may have an earlier next step. */
static void reap_all(struct carrier *c)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->lane[i]->timed->in_flight && timed_reap(c->lane[i]))
            c->at[i] = 0;
}

/* Sleeps until `until`, a completion or an order. */
static void doze(struct carrier *c, struct pollfd fds[], nfds_t n, uint64_t until, uint64_t now)
{
    struct timed *t = &c->timed;
    uint64_t left = clock_ns(&c->clock, until - now), ignored;
    struct timespec limit = {.tv_sec = (time_t)(left / 1000000000u),
                             .tv_nsec = (long)(left % 1000000000u)};
    int ready = ppoll(fds, n, c->count ? &limit : NULL, NULL);
    uint64_t woke = clock_ticks(&c->clock);
    t->statistics.slept_ns += clock_ns(&c->clock, woke - now);
    if (ready > 0) {
        if (fds[0].revents && read(c->wake, &ignored, sizeof ignored) < 0)
            atomic_store(&c->posted, true);
        reap_all(c);
    } else if (woke >= until) {
        t->statistics.sleeps++;
        if (t->realtime || !c->self.realtime_granted)
            wake_latency_add(&t->wakes, clock_ns(&c->clock, woke - until));
    }
}

/* Waits a moment for the next step, which is due at `until`: sleeps if there is enough time,
   otherwise looks for completions once. */
static void rest(struct carrier *c, uint64_t until, uint64_t now)
{
    struct timed *t = &c->timed;
    struct pollfd fds[LANES_MAX + 1] = {{.fd = c->wake, .events = POLLIN}};
    nfds_t n = 1;
    bool must_ask = t->spin == SPIN_ALWAYS && c->count;
    if (c->count && now >= t->next_look_round)
        timed_look_round(&c->self, now);
    if (until <= now + t->pre_spin + timed_ticks(t, SLEEP_MIN_NS))
        must_ask = true;
    for (unsigned i = 0; i < c->count && !must_ask; i++) {
        const struct worker *w = c->lane[i];
        if (!w->timed->in_flight)
            continue;
        must_ask = w->backend.polls || w->backend.completion_fd <= 0;
        fds[n++] = (struct pollfd){.fd = w->backend.completion_fd, .events = POLLIN};
    }
    if (!must_ask)
        doze(c, fds, n, c->count ? until - t->pre_spin : until, now);
    else if (until > now + t->reap_guard)
        reap_all(c);
}

static void step(struct carrier *c, unsigned i)
{
    if (!timed_step(c->lane[i], &c->at[i]))
        end_lane(c, i);
}

/* Returns the index of the worker with the earliest step; c->count if there is no worker. Scanning
   the few instants, which are adjacent in memory and change at any completion, is cheaper than
   keeping them sorted. */
static unsigned earliest(const struct carrier *c)
{
    unsigned first = 0;
    for (unsigned i = 1; i < c->count; i++)
        if (c->at[i] < c->at[first])
            first = i;
    return first;
}

static void prepare(struct carrier *c)
{
    struct worker *w = &c->self;
    placement_apply(c->cpu, w->realtime, &w->realtime_granted, w->placement_note,
                    sizeof w->placement_note);
    timed_prepare(w);
    clock_track_begin(&c->timed.track, clock_ticks(&c->clock), 0);
    timed_wait_begin(w);
}

static void *carry(void *argument)
{
    struct carrier *c = argument;
    prepare(c);
    sem_post(&c->self.finished);
    for (;;) {
        if (atomic_load_explicit(&c->posted, memory_order_acquire) && !take_orders(c))
            return NULL;
        uint64_t now = clock_ticks(&c->clock);
        unsigned first = earliest(c);
        if (first < c->count && c->at[first] <= now)
            step(c, first);
        else
            rest(c, c->count ? c->at[first] : UINT64_MAX, now);
    }
}

static void drop(struct carrier *c)
{
    if (c->wake >= 0)
        close(c->wake);
    sem_destroy(&c->self.finished);
    free(c);
}

/* Starts the thread of this worker's processor. Returns NULL with the error. */
static struct carrier *new_carrier(const struct worker *w, struct err *e)
{
    struct carrier *c = calloc(1, sizeof *c);
    if (!c) {
        err_no_memory(e, "the thread of a processor");
        return NULL;
    }
    c->cpu = w->cpu;
    c->clock = *w->clock;
    c->timed.spin = w->timed->spin;
    c->self = (struct worker){.clock = &c->clock,
                              .ops = &sleeping,
                              .backend = {.state = &c->clock},
                              .completions = &c->completion,
                              .realtime = w->realtime,
                              .timed = &c->timed};
    pthread_mutex_init(&c->mutex, NULL);
    sem_init(&c->self.finished, 0, 0);
    c->wake = eventfd(0, EFD_CLOEXEC);
    int failed = c->wake < 0 ? errno : 0;
    if (!failed)
        failed = thread_start(&c->self.thread, STACK, carry, c);
    if (failed) {
        err_set(e, ERR_MACHINE, "cannot start a thread for processor %d: %s", c->cpu,
                strerror(failed));
        drop(c);
        return NULL;
    }
    worker_wait(&c->self);
    return c;
}

int carriers_take(struct carriers *all, struct worker *w, struct err *e)
{
    int status = 0;
    pthread_mutex_lock(&all->mutex);
    struct carrier *c = all->first;
    while (c && c->cpu != w->cpu)
        c = c->next;
    if (!c && (c = new_carrier(w, e))) {
        c->next = all->first;
        all->first = c;
    }
    if (!c) {
        status = -1;
    } else {
        pthread_mutex_lock(&c->mutex);
        if (c->taken == LANES_MAX)
            status =
                err_set(e, ERR_MACHINE, "more than %d workers on processor %d", LANES_MAX, c->cpu);
        else
            c->taken++;
        pthread_mutex_unlock(&c->mutex);
    }
    pthread_mutex_unlock(&all->mutex);
    if (status)
        return -1;
    w->carrier = c;
    w->thread = c->self.thread;
    return 0;
}

void carriers_free(struct carriers *all)
{
    if (!all)
        return;
    for (struct carrier *c = all->first, *next; c; c = next) {
        next = c->next;
        pthread_mutex_lock(&c->mutex);
        c->quit = !c->taken;
        pthread_mutex_unlock(&c->mutex);
        if (!c->quit)
            continue;
        post(c);
        pthread_join(c->self.thread, NULL);
        drop(c);
    }
    pthread_mutex_destroy(&all->mutex);
    free(all);
}
