/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replay from its opening to its end: the session's side. */
#include "replay/replay_source.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "replay/internal.h"
#include "run/loop/placement.h"

/* Who waits for the look ahead is shown how far it is, and may stop it, this often. */
#define LOOK_EVERY_NS 50000000
/* What a pipe brings in this time has to do, before the start and for the rings. */
#define PIPE_SECONDS 2.0
/* A reader that waits for a pipe that long is left behind. */
#define STOP_SECONDS 0.5

enum { RING_MIN = 64, PROCESSES_TOTAL = 16384, PROCESSES_MIN = 64, STACK = 256 << 10 };

/* ---- opening ---- */

static int start_reader(struct replay *r, struct err *e)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    int failed = pthread_create(&r->thread, &attributes, replay_reader_main, r);
    pthread_attr_destroy(&attributes);
    if (failed)
        return err_set(e, ERR_MACHINE, "cannot start the thread that reads the trace: %s",
                       strerror(failed));
    r->has_thread = true;
    return 0;
}

static double monotonic_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A moment, or until the reader tells something; behind the mutex. */
static void wait_a_moment(struct replay *r)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_EVERY_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&r->changed, &r->mutex, &until);
}

/* Until enough is known; behind the mutex. ERR_UNDECIDED: stopped. */
static int wait_for_look(struct replay *r, const struct replay_watch *watch, struct err *e)
{
    double begun = monotonic_seconds();
    while (!r->looked) {
        wait_a_moment(r);
        if (watch && watch->stop && *watch->stop)
            return err_set(e, ERR_UNDECIDED, "stopped by a signal while the trace was looked at");
        if (monotonic_seconds() - begun > r->plan.limit_seconds)
            return err_set(e, ERR_UNDECIDED, "the limit came before the trace had been looked at");
        if (watch && watch->progress && !r->looked) {
            pthread_mutex_unlock(&r->mutex);
            watch->progress(watch->context, atomic_load(&r->progress));
            pthread_mutex_lock(&r->mutex);
        }
        if (!r->is_file && r->look.count && monotonic_seconds() - begun > PIPE_SECONDS)
            r->looked = true;
    }
    if (r->error.code) {
        *e = r->error;
        return -1;
    }
    return replay_look_close(r, e);
}

static struct replay *replay_new(const struct plan *plan)
{
    struct replay *r = calloc(1, sizeof *r);
    struct trace_event *events = calloc(REPLAY_AHEAD, sizeof *events);
    if (!r || !events) {
        free(r);
        free(events);
        return NULL;
    }
    r->plan = *plan;
    r->look.events = events;
    r->is_file = replay_is_file(plan->trace);
    atomic_init(&r->progress, NAN);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&r->mutex, NULL);
    return r;
}

int replay_open(struct replay **r, const struct plan *plan, const struct replay_watch *watch,
                struct err *e)
{
    struct replay *made = replay_new(plan);
    *r = NULL;
    if (!made)
        return err_set(e, ERR_MACHINE, "not enough memory for a replay");
    int status = start_reader(made, e);
    if (!status) {
        pthread_mutex_lock(&made->mutex);
        status = wait_for_look(made, watch, e);
        pthread_mutex_unlock(&made->mutex);
    }
    if (status)
        replay_close(made);
    else
        *r = made;
    return status;
}

uint32_t replay_largest(const struct replay *r)
{
    return r->largest;
}

bool replay_writes(const struct replay *r)
{
    return r->plan.allow_writes && (!r->look.all_seen || r->look.writes[r->level] > 0);
}

/* ---- starting ---- */

static uint64_t ring_capacity(unsigned workers)
{
    uint64_t capacity = REPLAY_AHEAD;
    while (capacity > RING_MIN && capacity * workers > REPLAY_AHEAD)
        capacity /= 2;
    return capacity;
}

static unsigned process_slots(unsigned workers)
{
    unsigned slots = PROCESSES_TOTAL / workers;
    return slots > PROCESSES_MIN ? slots : PROCESSES_MIN;
}

static int make_worker(struct replay *r, struct replay_worker *w)
{
    uint64_t capacity = ring_capacity(r->worker_count);
    w->replay = r;
    w->ring.capacity = capacity;
    w->ring.entries = arena_alloc(&r->memory, capacity, sizeof *w->ring.entries);
    if (r->plan.keep_order)
        w->order = replay_order_new((unsigned)capacity, process_slots(r->worker_count),
                                    r->plan.speed, &r->memory);
    return w->ring.entries && (w->order || !r->plan.keep_order) ? 0 : -1;
}

static int make_workers(struct replay *r, struct err *e)
{
    uint64_t capacity = ring_capacity(r->worker_count);
    size_t each = arena_bytes(1, sizeof(struct replay_worker)) +
                  arena_bytes(capacity, sizeof(struct replay_entry));
    if (r->plan.keep_order)
        each += replay_order_bytes((unsigned)capacity, process_slots(r->worker_count));
    if (arena_init(&r->memory,
                   r->worker_count * each + arena_bytes(r->target_count, sizeof *r->maps), e))
        return -1;
    r->maps = arena_alloc(&r->memory, r->target_count, sizeof *r->maps);
    r->workers = arena_alloc(&r->memory, r->worker_count, sizeof *r->workers);
    bool made = r->maps && r->workers;
    for (unsigned i = 0; made && i < r->worker_count; i++)
        made = !make_worker(r, &r->workers[i]);
    return made ? 0 : err_set(e, ERR_MACHINE, "not enough memory for %u workers", r->worker_count);
}

/* How far a device reaches: as it was asked for, as the trace tells, or as events have shown. */
static uint64_t extent_of(const struct replay *r, size_t device)
{
    const struct replay_look *look = &r->look;
    uint64_t end = look->end[r->level][device];
    if (!end || r->plan.extent)
        return end ? r->plan.extent : 0;
    return look->size[device] > end ? look->size[device] : end;
}

static int make_map(struct replay *r, unsigned target, const struct replay_targets *targets,
                    struct err *e)
{
    uint64_t sizes[TRACE_DEVICES_MAX] = {0};
    for (size_t i = target; i < r->look.devices; i += targets->count)
        sizes[i] = extent_of(r, i);
    return replay_map_init(&r->maps[target], r->plan.mapping, targets->sizes[target],
                           targets->block, sizes, r->look.devices, e);
}

/* The reader would take time from a worker that spins on the same processor: away from all of them,
   where there is another one. */
static void keep_off_workers(struct replay *r)
{
    cpu_set_t others;
    if (sched_getaffinity(0, sizeof others, &others))
        return;
    for (unsigned i = 0; i < r->worker_count; i++) {
        int cpu = -1;
        if (!placement_choose(&r->plan, i, &cpu, NULL) && cpu >= 0)
            CPU_CLR((size_t)cpu, &others);
    }
    if (CPU_COUNT(&others) > 0)
        pthread_setaffinity_np(r->thread, sizeof others, &others);
}

static void wait_until_filled(struct replay *r)
{
    pthread_mutex_lock(&r->mutex);
    r->started = true;
    pthread_cond_broadcast(&r->changed);
    double begun = monotonic_seconds();
    while (!r->primed && monotonic_seconds() - begun < PIPE_SECONDS)
        wait_a_moment(r);
    pthread_mutex_unlock(&r->mutex);
}

int replay_start(struct replay *r, const struct replay_targets *targets, unsigned workers,
                 const struct replay_observer *observer, struct err *e)
{
    if (!targets->count || targets->count > REPLAY_TARGETS_MAX || workers < targets->count)
        return err_set(e, ERR_USAGE, "%u targets need at least one job each, and %u are possible",
                       targets->count, REPLAY_TARGETS_MAX);
    r->target_count = targets->count;
    r->worker_count = workers;
    if (observer)
        r->observer = *observer;
    if (make_workers(r, e))
        return -1;
    for (unsigned i = 0; i < targets->count; i++)
        if (make_map(r, i, targets, e))
            return -1;
    keep_off_workers(r);
    wait_until_filled(r);
    return 0;
}

/* ---- the end ---- */

/* The reader may be waiting for a pipe that brings nothing; otherwise it sees `stop` soon. */
void replay_stop(struct replay *r)
{
    if (!r->has_thread)
        return;
    pthread_mutex_lock(&r->mutex);
    atomic_store(&r->stop, true);
    pthread_cond_broadcast(&r->changed);
    double begun = monotonic_seconds();
    while (!r->done && monotonic_seconds() - begun < STOP_SECONDS)
        wait_a_moment(r);
    bool done = r->done;
    pthread_mutex_unlock(&r->mutex);
    if (!done)
        return;
    pthread_join(r->thread, NULL);
    r->has_thread = false;
}

void replay_free(struct replay *r)
{
    if (r->trace)
        trace_close(r->trace);
    if (r->again)
        trace_close(r->again);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    arena_free(&r->memory);
    free(r->look.events);
    free(r);
}

/* Whoever is later, the session or the thread, frees. */
void replay_close(struct replay *r)
{
    if (!r)
        return;
    replay_stop(r);
    if (r->has_thread) {
        pthread_t thread = r->thread;
        pthread_mutex_lock(&r->mutex);
        bool done = r->done;
        r->left = !done;
        pthread_mutex_unlock(&r->mutex);
        if (!done) {
            pthread_detach(thread);
            return;
        }
        pthread_join(thread, NULL);
    }
    replay_free(r);
}
