/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker's side of a replay: takes requests from its ring, in the order of their due times. */
#include "run/replay/internal.h"

/* A worker that waits for the reader asks again after this time. */
#define ASK_AGAIN_NS 20000u
#define NOT_STARVING UINT64_MAX

static const struct replay_entry *ring_first(struct replay_ring *ring, uint64_t *head)
{
    *head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (*head == ring->tail_seen)
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return *head != ring->tail_seen ? &ring->entries[*head & (ring->capacity - 1)] : NULL;
}

static void ring_drop(struct replay_ring *ring, uint64_t head)
{
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

/* Called if the ring is empty. Looks once more if `ended` is set, because entries put in before it
   are visible only then. */
static enum source_state nothing_there(struct replay_worker *w, uint64_t now_ns,
                                       struct generated_request *next)
{
    uint64_t head;
    if (atomic_load_explicit(&w->replay->ended, memory_order_acquire) &&
        !ring_first(&w->ring, &head))
        return SOURCE_ENDED;
    if (w->starving_since_ns == NOT_STARVING)
        w->starving_since_ns = now_ns;
    next->due_ns = now_ns + ASK_AGAIN_NS;
    return SOURCE_WAITING;
}

static void add_to(_Atomic uint64_t *sum, uint64_t value)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

/* Ends a time of starving. The reader is late since the worker found nothing, or since the request
   was due: the later of the two. */
static void end_starving(struct replay_worker *w, uint64_t now_ns, uint64_t due_ns)
{
    uint64_t from = due_ns > w->starving_since_ns ? due_ns : w->starving_since_ns;
    if (now_ns > from)
        add_to(&w->starved_ns, now_ns - from);
    w->starving_since_ns = NOT_STARVING;
}

static void begin(void *state)
{
    struct replay_worker *w = state;
    w->starving_since_ns = NOT_STARVING;
}

static enum source_state peek(void *state, uint64_t now_ns, struct generated_request *next)
{
    struct replay_worker *w = state;
    uint64_t head;
    const struct replay_entry *entry = ring_first(&w->ring, &head);
    if (__builtin_expect(!entry, 0)) {
        atomic_store_explicit(&w->next_due_ns, UINT64_MAX, memory_order_relaxed);
        return nothing_there(w, now_ns, next);
    }
    atomic_store_explicit(&w->next_due_ns, entry->time_ns, memory_order_relaxed);
    if (__builtin_expect(w->starving_since_ns != NOT_STARVING, 0))
        end_starving(w, now_ns, entry->time_ns);
    *next = (struct generated_request){.due_ns = entry->time_ns,
                                       .offset = entry->offset,
                                       .length = entry->length,
                                       .command = entry->command};
    return SOURCE_REQUEST;
}

static void take(void *state)
{
    struct replay_worker *w = state;
    uint64_t head = atomic_load_explicit(&w->ring.head, memory_order_relaxed);
    ring_drop(&w->ring, head);
    atomic_store_explicit(&w->taken, head + 1, memory_order_relaxed);
}

/* Counts due requests. Due times in a ring never decrease. */
static uint64_t backlog(void *state, uint64_t now_ns, bool *at_least)
{
    struct replay_worker *w = state;
    const struct replay_ring *ring = &w->ring;
    uint64_t first = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t low = first, high = atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t end = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (ring->entries[middle & (ring->capacity - 1)].time_ns <= now_ns)
            low = middle + 1;
        else
            high = middle;
    }
    *at_least = low == end && !atomic_load_explicit(&w->replay->ended, memory_order_acquire);
    return low - first;
}

static const struct request_source_ops timed_ops = {
    .begin = begin, .peek = peek, .take = take, .backlog = backlog};

static const struct request_source_ops at_once_ops = {
    .begin = begin, .peek = peek, .take = take, .backlog = backlog, .at_once = true};

/* ---- with dependencies ---- */

/* Moves entries from the ring to the table where requests wait for their dependencies. Returns true
   if entries remain for want of room. */
static bool sort_in(struct replay_worker *w)
{
    uint64_t head;
    const struct replay_entry *entry;
    while ((entry = ring_first(&w->ring, &head)) != NULL && replay_order_add(w->order, entry))
        ring_drop(&w->ring, head);
    return entry != NULL;
}

static void ordered_begin(void *state)
{
    begin(state);
    sort_in(state);
}

static enum source_state ordered_peek(void *state, uint64_t now_ns, struct generated_request *next)
{
    struct replay_worker *w = state;
    bool more = sort_in(w);
    if (replay_order_peek(w->order, next)) {
        if (w->starving_since_ns != NOT_STARVING)
            end_starving(w, now_ns, next->due_ns);
        return SOURCE_REQUEST;
    }
    if (!more && !replay_order_waiting(w->order))
        return nothing_there(w, now_ns, next);
    next->due_ns = UINT64_MAX;
    return SOURCE_WAITING;
}

static void ordered_take(void *state)
{
    struct replay_worker *w = state;
    replay_order_take(w->order);
    add_to(&w->taken, 1);
}

static void ordered_completed(void *state, const struct generated_request *request,
                              uint64_t completed_ns, int error)
{
    struct replay_worker *w = state;
    (void)error; /* a program would also continue after an error */
    replay_order_completed(w->order, request->tag, completed_ns);
}

static uint64_t ordered_backlog(void *state, uint64_t now_ns, bool *at_least)
{
    struct replay_worker *w = state;
    *at_least = false;
    return replay_order_backlog(w->order, now_ns);
}

static const struct request_source_ops ordered_ops = {.begin = ordered_begin,
                                                      .peek = ordered_peek,
                                                      .take = ordered_take,
                                                      .completed = ordered_completed,
                                                      .backlog = ordered_backlog};

static const struct request_source_ops ordered_at_once_ops = {.begin = ordered_begin,
                                                              .peek = ordered_peek,
                                                              .take = ordered_take,
                                                              .completed = ordered_completed,
                                                              .backlog = ordered_backlog,
                                                              .at_once = true};

struct request_source replay_source(struct replay *r, unsigned worker)
{
    static const struct request_source_ops *const ops[2][2] = {
        {&timed_ops, &at_once_ops}, {&ordered_ops, &ordered_at_once_ops}};
    return (struct request_source){ops[r->plan.keep_order][r->plan.speed <= 0],
                                   &r->workers[worker]};
}
