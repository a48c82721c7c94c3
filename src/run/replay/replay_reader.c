/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader's thread of a replay: turns events of the trace into requests in the workers' rings.
 */
#include <stdlib.h>
#include <time.h>

#include "io/io.h"
#include "run/replay/internal.h"

enum { BATCH = 256 };

/* first pause while a ring is full; pauses grow while workers take little */
#define PAUSE_MIN_NS 1000000
/* longest pause, so that a fast worker cannot empty a ring meanwhile */
#define PAUSE_MAX_NS 16000000

/* Sets a flag of the session and publishes the counts. */
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
    if (r->plan.keep_order)
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
    bool writes = r->plan.allow_writes;
    if (event->op == OPERATION_TRIM || (event->op == OPERATION_SYNC && !writes)) {
        r->counts.left_out[event->op]++;
        return;
    }
    if (event->op == OPERATION_SYNC)
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
    double speed = r->plan.speed;
    uint64_t due_ns =
        speed == 1 || speed <= 0 ? event->time_ns : (uint64_t)((double)event->time_ns / speed);
    if (r->plan.keep_order) {
        entry.time_ns = entry.end_ns = event->time_ns;
        if (event->response_ns != TRACE_UNKNOWN && event->response_ns < UINT64_MAX - event->time_ns)
            entry.end_ns += event->response_ns;
    } else {
        entry.time_ns = speed > 0 ? due_ns : DUE_AT_ONCE;
        atomic_store_explicit(&r->last_due_ns, due_ns, memory_order_relaxed);
    }
    if (r->observer.event)
        r->observer.event(r->observer.context, event, due_ns);

    /* A long event becomes several requests that are due at the same time. */
    struct replay_worker *w = worker_of(r, event, target);
    uint64_t end = entry.offset + entry.length;
    r->counts.split += entry.length > r->largest;
    do {
        uint64_t left = end - entry.offset;
        entry.length = (uint32_t)(left < r->largest ? left : r->largest);
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
            r->first_ns = r->plan.trace_devices[0] ? r->plan.trace_begin_ns : event.time_ns;
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

void replay_free(struct replay *r)
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

void *replay_reader_main(void *argument)
{
    struct replay *r = argument;
    struct err e = {0};
    bool readable = !replay_trace_open(&r->trace, &r->plan, &e) && !replay_survey_ahead(r, &e);
    if (!readable)
        set_error(r, &e);
    bool wanted = readable || r->surveyed; /* otherwise the session of a slow pipe went on before
                                              the error */
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
    /* The events that follow those kept by the survey. */
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
