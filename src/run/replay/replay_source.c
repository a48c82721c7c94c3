/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's side of a replay, from opening to end. */
#include "run/replay/replay_source.h"
#include "base/clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/loop/placement.h"
#include "run/replay/internal.h"

/* Interval at which the waiting session is shown the survey's progress and may stop it. */
#define WAKE_EVERY_NS 50000000
/* The events that a pipe delivers in this time must suffice for the survey, and for the rings. */
#define PIPE_SECONDS 2.0
/* A reader that waits for a pipe longer than this is abandoned. */
#define STOP_SECONDS 0.5

enum { RING_MIN = 64, PROCESSES_TOTAL = 16384, PROCESSES_MIN = 64, STACK = 256 << 10 };

/* ---- opening ---- */

/* Waits a moment, or until the reader reports something. The mutex is held. */
static void wait_a_moment(struct replay *r)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAKE_EVERY_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&r->changed, &r->mutex, &until);
}

/* Waits until enough of the trace is known. The mutex is held. ERR_UNDECIDED: stopped. */
static int wait_for_survey(struct replay *r, const struct replay_watch *watch, struct err *e)
{
    double begun = seconds_of_clock(CLOCK_MONOTONIC);
    while (!r->surveyed) {
        wait_a_moment(r);
        if (watch && watch->stop && *watch->stop)
            return err_set(e, ERR_UNDECIDED, "stopped by a signal while the trace was looked at");
        if (seconds_of_clock(CLOCK_MONOTONIC) - begun > r->plan.limit_seconds)
            return err_set(e, ERR_UNDECIDED, "the limit came before the trace had been looked at");
        if (watch && watch->progress && !r->surveyed) {
            pthread_mutex_unlock(&r->mutex);
            watch->progress(watch->context, atomic_load(&r->progress));
            pthread_mutex_lock(&r->mutex);
        }
        if (!r->is_file && r->survey.count &&
            seconds_of_clock(CLOCK_MONOTONIC) - begun > PIPE_SECONDS)
            r->surveyed = true;
    }
    if (r->error.code) {
        *e = r->error;
        return -1;
    }
    return replay_survey_conclude(r, e);
}

int replay_open(struct replay **opened, const struct plan *plan, const struct replay_watch *watch,
                struct err *e)
{
    struct replay *r = calloc(1, sizeof *r);
    struct trace_event *events = calloc(REPLAY_AHEAD, sizeof *events);
    *opened = NULL;
    if (!r || !events) {
        free(r);
        free(events);
        return err_no_memory(e, "a replay");
    }
    r->plan = *plan;
    r->survey.events = events;
    r->is_file = replay_is_file(plan->trace);
    atomic_init(&r->progress, NAN);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&r->mutex, NULL);

    pthread_attr_t stack;
    pthread_attr_init(&stack);
    pthread_attr_setstacksize(&stack, STACK);
    int failed = pthread_create(&r->thread, &stack, replay_reader_main, r), status;
    pthread_attr_destroy(&stack);
    if (failed) {
        status = err_set(e, ERR_MACHINE, "cannot start the thread that reads the trace: %s",
                         strerror(failed));
    } else {
        r->has_thread = true;
        pthread_mutex_lock(&r->mutex);
        status = wait_for_survey(r, watch, e);
        pthread_mutex_unlock(&r->mutex);
    }
    if (status)
        replay_close(r);
    else
        *opened = r;
    return status;
}

uint32_t replay_largest(const struct replay *r)
{
    return r->largest;
}

bool replay_writes(const struct replay *r)
{
    return r->plan.allow_writes && (!r->survey.all_seen || r->survey.writes[r->level] > 0);
}

/* ---- starting ---- */

static int make_workers(struct replay *r, struct err *e)
{
    uint64_t capacity = REPLAY_AHEAD;
    unsigned processes = PROCESSES_TOTAL / r->worker_count;
    if (processes < PROCESSES_MIN)
        processes = PROCESSES_MIN;
    while (capacity > RING_MIN && capacity * r->worker_count > REPLAY_AHEAD)
        capacity /= 2;
    size_t each = arena_bytes(1, sizeof(struct replay_worker)) +
                  arena_bytes(capacity, sizeof(struct replay_entry)) +
                  (r->plan.keep_order ? replay_order_bytes((unsigned)capacity, processes) : 0);
    if (arena_init(&r->memory,
                   r->worker_count * each + arena_bytes(r->target_count, sizeof *r->maps), e))
        return -1;
    r->maps = arena_alloc(&r->memory, r->target_count, sizeof *r->maps);
    r->workers = arena_alloc(&r->memory, r->worker_count, sizeof *r->workers);
    bool made = r->maps && r->workers;
    for (unsigned i = 0; made && i < r->worker_count; i++) {
        struct replay_worker *w = &r->workers[i];
        w->replay = r;
        w->next_due_ns = UINT64_MAX;
        w->ring.capacity = capacity;
        w->ring.entries = arena_alloc(&r->memory, capacity, sizeof *w->ring.entries);
        if (r->plan.keep_order)
            w->order = replay_order_new((unsigned)capacity, processes, r->plan.speed, &r->memory);
        made = w->ring.entries && (w->order || !r->plan.keep_order);
    }
    return made ? 0 : err_no_memory(e, "%u workers", r->worker_count);
}

/* Moves the reader away from the processors of the workers, if there are others: it would take time
   from a worker that spins. */
static void keep_off_workers(struct replay *r, unsigned first)
{
    cpu_set_t others;
    if (sched_getaffinity(0, sizeof others, &others))
        return;
    for (unsigned i = 0; i < r->worker_count; i++) {
        int cpu = -1;
        if (!placement_choose(&r->plan, first + i, &cpu, NULL) && cpu >= 0)
            CPU_CLR((size_t)cpu, &others);
    }
    if (CPU_COUNT(&others) > 0)
        pthread_setaffinity_np(r->thread, sizeof others, &others);
}

int replay_start(struct replay *r, const struct replay_targets *targets, unsigned workers,
                 const struct replay_observer *observer, struct err *e)
{
    const struct replay_survey *s = &r->survey;
    if (!targets->count || targets->count > REPLAY_TARGETS_MAX || workers < targets->count)
        return err_set(e, ERR_USAGE, "%u targets need at least one job each, and %u are possible",
                       targets->count, REPLAY_TARGETS_MAX);
    r->target_count = targets->count;
    r->worker_count = workers;
    if (observer)
        r->observer = *observer;
    if (make_workers(r, e))
        return -1;
    for (unsigned target = 0; target < targets->count; target++) {
        uint64_t sizes[TRACE_DEVICES_MAX] = {0};
        for (size_t i = target; i < s->devices; i += targets->count) {
            /* The extent that was asked for, or the one that the trace states, or the end of its
               last request. */
            uint64_t end = s->end[r->level][i];
            uint64_t known = s->size[i] > end ? s->size[i] : end;
            sizes[i] = !end ? 0 : r->plan.extent ? r->plan.extent : known;
        }
        if (replay_map_init(&r->maps[target], r->plan.mapping, targets->sizes[target],
                            targets->block, sizes, s->devices, e))
            return -1;
    }
    keep_off_workers(r, targets->first_processor);
    pthread_mutex_lock(&r->mutex);
    r->started = true;
    pthread_cond_broadcast(&r->changed);
    double begun = seconds_of_clock(CLOCK_MONOTONIC);
    while (!r->primed && seconds_of_clock(CLOCK_MONOTONIC) - begun < PIPE_SECONDS)
        wait_a_moment(r);
    pthread_mutex_unlock(&r->mutex);
    return 0;
}

/* ---- the end ---- */

/* Asks the reader to end. It sees `stop` soon, unless it waits for a pipe that delivers nothing. */
void replay_stop(struct replay *r)
{
    if (!r->has_thread)
        return;
    pthread_mutex_lock(&r->mutex);
    atomic_store(&r->stop, true);
    pthread_cond_broadcast(&r->changed);
    double begun = seconds_of_clock(CLOCK_MONOTONIC);
    while (!r->done && seconds_of_clock(CLOCK_MONOTONIC) - begun < STOP_SECONDS)
        wait_a_moment(r);
    bool done = r->done;
    pthread_mutex_unlock(&r->mutex);
    if (!done)
        return;
    pthread_join(r->thread, NULL);
    r->has_thread = false;
}

/* Closes the replay. The later of the two, session or thread, frees it. */
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
