/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the processes of a trace, the dependencies of their requests, and a heap of processes whose
   next request is ready. */
#include "run/replay/internal.h"

#include "base/heap.h"

enum {
    NONE = UINT32_MAX,
    /* Maximum number of requests of a process on which later ones may depend. If there are more, as
       in traces with wrong response times, only the latest completion is kept. */
    TAKEN_MAX = 1024
};

/* A request, from its addition until no later request of its process depends on it. */
struct node {
    struct replay_entry entry;
    uint64_t due_ns;  /* due time in the replay, once known */
    uint64_t done_ns; /* completion in the replay, once `done` */
    uint32_t next;    /* next node of the same list */
    uint32_t process; /* index of its process */
    bool done;
};

struct process {
    uint32_t key;
    uint32_t next_in_bucket;
    uint32_t waiting, last_waiting; /* list of requests that are not taken, in the trace's order */
    uint32_t taken;                 /* list of taken requests that the next one may depend on */
    uint32_t in_flight;             /* requests of `taken` that have not completed */
    uint32_t taken_count;           /* length of `taken` */
    /* `known`: the process had a request; `ready`: the process is in the heap */
    bool used, known, ready;
    /* due time in the replay, and issue time in the trace, of the request that was taken last */
    uint64_t due_ns, time_ns;
    bool folded; /* completed requests were dropped, and only their latest completion is kept */
    uint64_t folded_end_ns, folded_done_ns;
};

struct replay_order {
    struct node *nodes;
    struct process *processes;
    uint32_t *buckets; /* hash table that finds a process by its key */
    struct heap ready; /* processes whose next request is ready; ties keep the trace's order */
    unsigned node_count, process_count;
    uint32_t free; /* list of free nodes */
    uint32_t hand; /* index where the search for an idle process continues */
    unsigned waiting;
    bool completed_since_folding;
    bool all_active; /* the last search found no idle process, and none has become idle since */
    double scale;    /* 1 / speed, or 0 */
};

size_t replay_order_bytes(unsigned entries, unsigned processes)
{
    return arena_bytes(1, sizeof(struct replay_order)) + arena_bytes(entries, sizeof(struct node)) +
           arena_bytes(processes, sizeof(struct process)) +
           arena_bytes(processes, sizeof(uint32_t)) + heap_bytes(processes);
}

struct replay_order *replay_order_new(unsigned entries, unsigned processes, double speed,
                                      struct arena *arena)
{
    struct replay_order *o = arena_alloc(arena, 1, sizeof *o);
    struct node *nodes = arena_alloc(arena, entries, sizeof *nodes);
    struct process *slots = arena_alloc(arena, processes, sizeof *slots);
    uint32_t *buckets = arena_alloc(arena, processes, sizeof *buckets);
    struct heap ready;
    if (!o || !nodes || !slots || !buckets || heap_init(&ready, processes, arena))
        return NULL;
    *o = (struct replay_order){.nodes = nodes,
                               .processes = slots,
                               .buckets = buckets,
                               .ready = ready,
                               .node_count = entries,
                               .process_count = processes,
                               .scale = speed > 0 ? 1 / speed : 0};
    for (unsigned i = 0; i < entries; i++)
        nodes[i].next = i + 1 < entries ? i + 1 : NONE;
    for (unsigned i = 0; i < processes; i++)
        buckets[i] = NONE;
    return o;
}

static void free_node(struct replay_order *o, uint32_t index)
{
    o->nodes[index].next = o->free;
    o->free = index;
}

/* ---- the rule ---- */

static bool depends(const struct node *later, const struct node *before)
{
    return before->entry.end_ns <= later->entry.time_ns &&
           before->entry.event != later->entry.event;
}

static uint64_t scaled(const struct replay_order *o, uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (uint64_t)((double)(to_ns - from_ns) * o->scale) : 0;
}

/* Makes the process ready if everything that its next request depends on has completed. */
static void look_at(struct replay_order *o, uint32_t index)
{
    struct process *p = &o->processes[index];
    if (p->ready || p->waiting == NONE)
        return;
    struct node *node = &o->nodes[p->waiting];
    bool any = p->folded;
    uint64_t end_ns = p->folded_end_ns, done_ns = p->folded_done_ns;
    for (uint32_t i = p->taken; i != NONE; i = o->nodes[i].next) {
        const struct node *before = &o->nodes[i];
        if (!depends(node, before))
            continue;
        if (!before->done)
            return;
        if (!any || before->entry.end_ns > end_ns)
            end_ns = before->entry.end_ns;
        if (!any || before->done_ns > done_ns)
            done_ns = before->done_ns;
        any = true;
    }
    if (!p->known)
        node->due_ns = scaled(o, 0, node->entry.time_ns);
    else if (any)
        node->due_ns = done_ns + scaled(o, end_ns, node->entry.time_ns);
    else
        node->due_ns = p->due_ns + scaled(o, p->time_ns, node->entry.time_ns);
    if (p->known && node->due_ns < p->due_ns)
        node->due_ns = p->due_ns;
    p->ready = true;
    heap_push_item(
        &o->ready,
        (struct heap_item){.at_ns = node->due_ns, .order = node->entry.event, .what = index});
}

/* ---- processes ---- */

static uint32_t *bucket_of(struct replay_order *o, uint32_t key)
{
    return &o->buckets[(uint32_t)(key * 2654435761u) % o->process_count];
}

static bool is_idle(const struct process *p)
{
    return p->waiting == NONE && p->in_flight == 0;
}

/* Drops the completed requests of a process and keeps only their latest completion, so that others
   can use the nodes. */
static void fold(struct replay_order *o, struct process *p)
{
    uint32_t *link = &p->taken;
    while (*link != NONE) {
        uint32_t index = *link;
        const struct node *node = &o->nodes[index];
        if (!node->done) {
            link = &o->nodes[index].next;
            continue;
        }
        if (!p->folded || node->entry.end_ns > p->folded_end_ns)
            p->folded_end_ns = node->entry.end_ns;
        if (!p->folded || node->done_ns > p->folded_done_ns)
            p->folded_done_ns = node->done_ns;
        p->folded = true;
        *link = node->next;
        free_node(o, index);
        p->taken_count--;
    }
}

/* Returns a slot that was never used or whose process is idle; NONE if all processes are active. */
static uint32_t find_slot(struct replay_order *o)
{
    for (unsigned i = 0; i < o->process_count && !o->all_active; i++) {
        uint32_t index = o->hand;
        struct process *p = &o->processes[index];
        o->hand = (o->hand + 1) % o->process_count;
        if (!p->used)
            return index;
        if (is_idle(p)) {
            fold(o, p);
            uint32_t *link = bucket_of(o, p->key);
            while (*link != index)
                link = &o->processes[*link].next_in_bucket;
            *link = p->next_in_bucket;
            return index;
        }
    }
    o->all_active = true;
    return NONE;
}

static uint32_t process_of(struct replay_order *o, uint32_t key)
{
    uint32_t index = *bucket_of(o, key);
    while (index != NONE && o->processes[index].key != key)
        index = o->processes[index].next_in_bucket;
    if (index != NONE || (index = find_slot(o)) == NONE)
        return index;
    uint32_t *bucket = bucket_of(o, key);
    o->processes[index] = (struct process){.key = key,
                                           .next_in_bucket = *bucket,
                                           .waiting = NONE,
                                           .last_waiting = NONE,
                                           .taken = NONE,
                                           .used = true};
    *bucket = index;
    return index;
}

/* ---- the interface ---- */

bool replay_order_add(struct replay_order *o, const struct replay_entry *entry)
{
    /* without a completion since the last folding, nothing can be freed */
    if (o->free == NONE && o->completed_since_folding) {
        o->completed_since_folding = false;
        for (unsigned i = 0; i < o->process_count; i++)
            if (o->processes[i].used && is_idle(&o->processes[i]))
                fold(o, &o->processes[i]);
    }
    uint32_t process = o->free != NONE ? process_of(o, entry->process) : NONE;
    uint32_t index = o->free; /* folding may have freed nodes */
    if (process == NONE)
        return false;
    struct process *p = &o->processes[process];
    o->free = o->nodes[index].next;
    o->nodes[index] = (struct node){.entry = *entry, .next = NONE, .process = process};
    if (p->waiting == NONE)
        p->waiting = index;
    else
        o->nodes[p->last_waiting].next = index;
    p->last_waiting = index;
    o->waiting++;
    look_at(o, process);
    return true;
}

bool replay_order_peek(const struct replay_order *o, struct generated_request *next)
{
    if (!o->ready.count)
        return false;
    uint32_t index = o->processes[heap_first(&o->ready)->what].waiting;
    const struct node *node = &o->nodes[index];
    *next = (struct generated_request){.due_ns = node->due_ns,
                                       .offset = node->entry.offset,
                                       .length = node->entry.length,
                                       .command = node->entry.command,
                                       .tag = index};
    return true;
}

void replay_order_take(struct replay_order *o)
{
    if (!o->ready.count)
        return;
    uint32_t process = heap_pop(&o->ready);
    struct process *p = &o->processes[process];
    uint32_t index = p->waiting;
    struct node *node = &o->nodes[index];
    p->ready = false;
    p->waiting = node->next;
    /* Later requests of the process cannot depend on the requests that this one depended on. */
    p->folded = false;
    for (uint32_t *link = &p->taken; *link != NONE;) {
        uint32_t before = *link;
        if (!depends(node, &o->nodes[before])) {
            link = &o->nodes[before].next;
            continue;
        }
        *link = o->nodes[before].next;
        free_node(o, before);
        p->taken_count--;
    }
    node->next = p->taken;
    p->taken = index;
    p->in_flight++;
    p->taken_count++;
    p->known = true;
    p->due_ns = node->due_ns;
    p->time_ns = node->entry.time_ns;
    o->waiting--;
    look_at(o, process);
}

void replay_order_completed(struct replay_order *o, uint64_t tag, uint64_t completed_ns)
{
    if (tag >= o->node_count)
        return;
    struct node *node = &o->nodes[tag];
    node->done = true;
    node->done_ns = completed_ns;
    struct process *p = &o->processes[node->process];
    p->in_flight--;
    o->completed_since_folding = true;
    o->all_active = false;
    if (p->taken_count > TAKEN_MAX + 2 * p->in_flight)
        fold(o, p);
    look_at(o, node->process);
}

unsigned replay_order_waiting(const struct replay_order *o)
{
    return o->waiting;
}

uint64_t replay_order_backlog(const struct replay_order *o, uint64_t now_ns)
{
    return heap_due(&o->ready, now_ns);
}

/* A worker's side of a replay: takes requests from its ring, in the order of their due times. */

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

/* Called if the ring is empty. If `ended` is set, looks once more, because entries that were put in
   before `ended` was set may become visible only then. */
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

/* Ends a time in which the worker waited for the reader. The delay that the reader caused begins
   when the worker found nothing or when the request was due, whichever is later. */
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
   if entries remain because the table is full. */
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
    (void)error; /* the error is ignored, because a program would also continue after it */
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
    return (struct request_source){ops[r->plan.replay.keep_order][r->plan.replay.speed <= 0],
                                   &r->workers[worker]};
}
