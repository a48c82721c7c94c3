/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The session's side of a replay, from opening to end, and the reader's thread, which turns events
 * of the trace into requests in the workers' rings.
 */
#include "run/replay/replay_source.h"
#include "base/clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/io.h"
#include "run/loop/placement.h"
#include "run/replay/internal.h"

enum { BATCH = 256 };

/* first pause while a ring is full; pauses grow while workers take little */
#define PAUSE_MIN_NS 1000000
/* longest pause, so that a fast worker cannot empty a ring meanwhile */
#define PAUSE_MAX_NS 16000000

/* Interval at which the waiting session is shown the survey's progress and may stop it. */
#define WAKE_EVERY_NS 50000000
/* The events that a pipe delivers in this time must suffice for the survey, and for the rings. */
#define PIPE_SECONDS 2.0
/* A reader that waits for a pipe longer than this is abandoned. */
#define STOP_SECONDS 0.5

enum { RING_MIN = 64, PROCESSES_TOTAL = 16384, PROCESSES_MIN = 64, STACK = 256 << 10 };

/* Sets a flag for which the session waits, and gives the session a copy of the counts. */
static void publish(struct replay *r, bool *flag)
{
    pthread_mutex_lock(&r->mutex);
    *flag = true;
    r->published = r->counts;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

/* ---- the workers' rings ---- */

static bool has_room(struct replay_ring *ring, uint64_t tail, uint64_t room)
{
    if (ring->capacity - (tail - ring->head_seen) >= room)
        return true;
    ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
    return ring->capacity - (tail - ring->head_seen) >= room;
}

/* Puts an entry into the ring. If the ring is full, waits until a quarter of it is free: this needs
   few wake-ups, and plenty is left for the worker. */
static void ring_put(struct replay *r, struct replay_ring *ring, const struct replay_entry *entry)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    bool full = !has_room(ring, tail, 1);
    if (full && !r->primed)
        publish(r, &r->primed);
    const uint64_t wanted = ring->capacity / 4;
    long pause_ns = PAUSE_MIN_NS;
    while (full && !has_room(ring, tail, wanted) && !atomic_load(&r->stop)) {
        struct timespec pause = {.tv_nsec = pause_ns};
        uint64_t head = ring->head_seen;
        nanosleep(&pause, NULL);
        if (!has_room(ring, tail, wanted) && ring->head_seen - head < ring->capacity / 16 &&
            pause_ns < PAUSE_MAX_NS)
            pause_ns *= 2;
    }
    if (!has_room(ring, tail, 1))
        return; /* the replay was stopped */
    ring->entries[tail & (ring->capacity - 1)] = *entry;
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    r->counts.requests++;
}

/* ---- one event ---- */

/* Returns the process that waits for the event, or its device if the trace has no processes. */
static uint32_t process_of(const struct trace_event *event)
{
    return event->process ? event->process : 0x80000000u | event->device;
}

static struct replay_worker *worker_of(struct replay *r, const struct trace_event *event,
                                       unsigned target)
{
    unsigned of_target = (r->worker_count - target + r->target_count - 1) / r->target_count;
    unsigned turn = r->turn[target];
    if (r->plan.replay.keep_order)
        turn = process_of(event) * 2654435761u >> 16;
    else
        r->turn[target] = (turn + 1) % of_target;
    return &r->workers[target + turn % of_target * r->target_count];
}

/* Hands out an event of the level that is replayed. Its time counts from the first such event. */
static void hand_out_event(struct replay *r, const struct trace_event *event)
{
    unsigned target = event->device % r->target_count;
    struct replay_entry entry = {
        .event = r->event, .process = process_of(event), .command = REQUEST_READ};
    const bool writes = r->plan.replay.allow_writes, discards = event->op == OPERATION_TRIM;
    if ((discards && r->no_discards) || (event->op == OPERATION_SYNC && !writes)) {
        r->counts.left_out[event->op]++;
        return;
    }
    if (discards)
        entry.command = REQUEST_TRIM;
    else if (event->op == OPERATION_SYNC)
        entry.command = REQUEST_FLUSH;
    else if (event->op == OPERATION_WRITE && writes)
        entry.command = event->durable ? REQUEST_WRITE_DURABLE : REQUEST_WRITE;
    if (operation_has_bytes(event->op) &&
        (!event->length || !replay_map(&r->maps[target], event, &entry.offset, &entry.length))) {
        if (!r->counts.unplaced++)
            r->counts.unplaced_first = event->number;
        return;
    }
    r->event++;
    r->counts.turned_reads += event->op == OPERATION_WRITE && entry.command == REQUEST_READ;

    /* If dependencies are kept, the entry has the trace's times: replay_order scales them. */
    double speed = r->plan.replay.speed;
    uint64_t due_ns =
        speed == 1 || speed <= 0 ? event->time_ns : (uint64_t)((double)event->time_ns / speed);
    if (r->plan.replay.keep_order) {
        entry.time_ns = entry.end_ns = event->time_ns;
        if (event->response_ns != TRACE_UNKNOWN && event->response_ns < UINT64_MAX - event->time_ns)
            entry.end_ns += event->response_ns;
    } else {
        entry.time_ns = speed > 0 ? due_ns : DUE_AT_ONCE;
        atomic_store_explicit(&r->last_due_ns, due_ns, memory_order_relaxed);
    }
    if (r->observer.event)
        r->observer.event(r->observer.context, event, due_ns);

    /* A long event becomes several requests that are due at the same time; a discard needs no
       buffer, and stays whole. */
    struct replay_worker *w = worker_of(r, event, target);
    const uint64_t end = entry.offset + entry.length, max = discards ? UINT32_MAX : r->largest;
    r->counts.split += entry.length > max;
    do {
        uint64_t left = end - entry.offset;
        entry.length = (uint32_t)(left < max ? left : max);
        ring_put(r, &w->ring, &entry);
        entry.offset += entry.length;
    } while (entry.offset < end);
}

static void hand_out(struct replay *r, const struct trace_event events[], size_t count)
{
    struct replay_counts *c = &r->counts;
    for (size_t i = 0; i < count && !atomic_load_explicit(&r->stop, memory_order_relaxed); i++) {
        struct trace_event event = events[i];
        if (event.level != r->level) {
            c->level_left_out++;
            continue;
        }
        c->foreign += event.foreign;
        if (event.foreign && r->own_only)
            continue;
        if (!c->events++)
            r->first_ns = r->plan.replay.devices[0] ? r->plan.replay.begin_ns : event.time_ns;
        event.time_ns -= event.time_ns > r->first_ns ? r->first_ns : event.time_ns;
        c->span_ns = event.time_ns;
        hand_out_event(r, &event);
    }
}

static void set_error(struct replay *r, const struct err *e)
{
    pthread_mutex_lock(&r->mutex);
    r->error = *e;
    pthread_mutex_unlock(&r->mutex);
}

static void replay_free(struct replay *r)
{
    if (r->trace)
        trace_close(r->trace);
    if (r->again)
        trace_close(r->again);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    arena_free(&r->memory);
    free(r->survey.events);
    free(r);
}

/* ---- the thread ---- */

/*
 * The reader's thread (replay_source.c). `argument` is the struct replay, which the thread frees at
 * its end if the session has left it.
 */
static void *replay_reader_main(void *argument)
{
    struct replay *r = argument;
    struct err e = {0};
    bool readable = !replay_trace_open(&r->trace, &r->plan, &e) && !replay_survey_ahead(r, &e);
    if (!readable)
        set_error(r, &e);
    /* after an error, the session runs only if a slow pipe made it begin before the error */
    bool wanted = readable || r->surveyed;
    publish(r, &r->surveyed);
    if (wanted) {
        pthread_mutex_lock(&r->mutex);
        while (!r->started && !atomic_load(&r->stop))
            pthread_cond_wait(&r->changed, &r->mutex);
        pthread_mutex_unlock(&r->mutex);
    }
    if (readable)
        replay_progress(r, r->trace);
    if (wanted && !atomic_load(&r->stop))
        hand_out(r, r->survey.events, r->survey.count);
    publish(r, &r->primed);
    /* The events after those that the survey has stored. */
    struct trace_event events[BATCH];
    while (readable && !r->survey.whole && !atomic_load(&r->stop)) {
        int count = trace_read(r->trace, events, BATCH, &e);
        if (count < 0)
            set_error(r, &e);
        if (count <= 0)
            break;
        hand_out(r, events, replay_keep_wanted(r, r->trace, events, (size_t)count));
        replay_progress(r, r->trace);
        pthread_mutex_lock(&r->mutex);
        r->published = r->counts;
        pthread_mutex_unlock(&r->mutex);
    }
    if (!atomic_load(&r->stop))
        atomic_store(&r->progress, 1.0);
    atomic_store_explicit(&r->ended, true, memory_order_release);

    pthread_mutex_lock(&r->mutex);
    r->done = true;
    bool left = r->left;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    if (left)
        replay_free(r);
    return NULL;
}

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

/* Waits until enough of the trace is known. The mutex is held. ERR_UNDECIDED: the user stopped it.
 */
static int wait_for_survey(struct replay *r, const struct replay_watch *watch, struct err *e)
{
    double begun = seconds_of_clock(CLOCK_MONOTONIC);
    while (!r->surveyed) {
        wait_a_moment(r);
        if (watch && watch->stop && *watch->stop)
            return err_set(e, ERR_UNDECIDED, "stopped by a signal while the trace was looked at");
        if (seconds_of_clock(CLOCK_MONOTONIC) - begun > r->plan.ending.limit_seconds)
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
    r->no_discards = !plan_replays_discards(plan);
    r->survey.events = events;
    r->is_file = replay_is_file(plan->replay.trace);
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
    return r->plan.replay.allow_writes && (!r->survey.all_seen || r->survey.writes[r->level] > 0);
}

bool replay_discards(const struct replay *r)
{
    return !r->no_discards && (!r->survey.all_seen || r->survey.discards[r->level] > 0);
}

bool replay_has_discards(const struct replay *r)
{
    return r->survey.discards[r->level] > 0;
}

void replay_leave_out_discards(struct replay *r)
{
    r->no_discards = true;
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
    size_t each =
        arena_bytes(1, sizeof(struct replay_worker)) +
        arena_bytes(capacity, sizeof(struct replay_entry)) +
        (r->plan.replay.keep_order ? replay_order_bytes((unsigned)capacity, processes) : 0);
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
        if (r->plan.replay.keep_order)
            w->order =
                replay_order_new((unsigned)capacity, processes, r->plan.replay.speed, &r->memory);
        made = w->ring.entries && (w->order || !r->plan.replay.keep_order);
    }
    return made ? 0 : err_no_memory(e, "%u workers", r->worker_count);
}

/* Moves the reader away from the processors of the workers, if there are others, because it would
   take time from a worker that spins. */
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
            /* The extent that the plan gives; otherwise the larger of the extent that the trace
               states and the end of its last request. */
            uint64_t end = s->end[r->level][i];
            uint64_t known = s->size[i] > end ? s->size[i] : end;
            sizes[i] = !end ? 0 : r->plan.replay.extent ? r->plan.replay.extent : known;
        }
        if (replay_map_init(&r->maps[target], r->plan.replay.mapping, targets->sizes[target],
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

/* Closes the replay. It is freed by the session or by the thread, whichever ends later. */
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
