/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the queue of requests, and handles the events from which requests come. */
#include "source/generator/generators.h"
#include "source/generator/internal.h"
#include "source/generator/phases.h"

/* Number of arrivals that one call of generators_peek handles: LATE_AT_ONCE when they are overdue,
   AHEAD_AT_ONCE if the next request is due later than TIME_FOR_IT_NS. One arrival takes 50 to 150
   ns. */
#define LATE_AT_ONCE   16
#define AHEAD_AT_ONCE  2
#define TIME_FOR_IT_NS 600

/* The kinds of streams, indexed by enum stream_kind_id. */
const struct stream_ops *const stream_kinds[STREAM_KINDS + 1] = {
    [STREAM_OPEN] = &stream_open,
    [STREAM_CLOSED] = &stream_closed,
    [STREAM_TRANSACTION] = &stream_transaction,
    [STREAM_LOG] = &stream_log,
    [STREAM_FILAMENT] = &stream_filament,
};

/* ---- memory ---- */

/* Returns the number of the copy to which the n-th stream of this worker belongs. */
static unsigned copy_of(const struct generators_setup *setup, unsigned n)
{
    return setup->first + n / setup->spec->stream_count * setup->step;
}

/* The stream has `of` copies; this copy has the number `copy`, from 0. If copy >= of, this copy of
   the workload does not contain the stream. */
struct part {
    unsigned copy, of;
};

/* Returns the part for the n-th stream of this worker. A stream with `jobs` is only in as many
   copies of the workload as `jobs` says. Such streams are distributed over the copies in turn: if
   their jobs add up to the number of copies, each copy has exactly one of them. */
static struct part part_of(const struct generators_setup *setup, unsigned n)
{
    unsigned index = n % setup->spec->stream_count, before = 0;
    const struct stream_spec *streams = setup->spec->streams;
    struct part p = {.copy = copy_of(setup, n), .of = setup->copies};
    if (!streams[index].jobs)
        return p;
    for (unsigned i = 0; i < index; i++)
        before += streams[i].jobs;
    p.copy = (p.copy + setup->copies - before % setup->copies) % setup->copies;
    p.of = streams[index].jobs < setup->copies ? streams[index].jobs : setup->copies;
    return p;
}

static unsigned capacity_of(const struct generators_setup *setup, unsigned n)
{
    const struct stream_spec *stream = &setup->spec->streams[n % setup->spec->stream_count];
    struct part p = part_of(setup, n);
    return p.copy < p.of ? stream_kinds[stream->kind]->capacity(stream, p.copy, p.of) : 0;
}

struct demand {
    unsigned streams;
    uint32_t requests, messages;
    size_t kinds; /* bytes for the `state` of all streams */
};

static struct demand demand_of(const struct generators_setup *setup)
{
    unsigned copies =
        setup->first < setup->copies ? (setup->copies - setup->first - 1) / setup->step + 1 : 0;
    struct demand d = {.streams = copies * setup->spec->stream_count};
    for (unsigned n = 0; n < d.streams; n++) {
        const struct stream_spec *stream = &setup->spec->streams[n % setup->spec->stream_count];
        unsigned capacity = capacity_of(setup, n);
        d.requests += capacity;
        d.messages += stream->kind == STREAM_TRANSACTION ? capacity : 0;
        d.messages += stream->kind == STREAM_FILAMENT;
        d.kinds += stream_kinds[stream->kind]->bytes(setup->spec, stream, capacity);
    }
    return d;
}

size_t generators_bytes(const struct generators_setup *setup)
{
    struct demand d = demand_of(setup);
    return arena_bytes(1, sizeof(struct generators)) +
           arena_bytes(d.streams, sizeof(struct stream)) + heap_bytes(d.requests) +
           heap_bytes(d.streams) + heap_bytes(d.messages) +
           arena_bytes(d.requests, sizeof(struct generated_request)) +
           arena_bytes(d.requests, sizeof(uint32_t)) +
           arena_bytes(d.messages, sizeof(struct message)) +
           arena_bytes(d.messages, sizeof(uint32_t)) + d.kinds;
}

int generators_init(struct generators **generators, const struct generators_setup *setup,
                    struct arena *arena, struct err *e)
{
    struct demand d = demand_of(setup);
    struct generators *g = arena_alloc(arena, 1, sizeof *g);
    if (!g)
        return err_no_memory(e, "generators");
    uint64_t length = phases_length(&setup->spec->phases);
    *g = (struct generators){.spec = setup->spec,
                             .stream_count = d.streams,
                             .end_ns = length ? length : UINT64_MAX,
                             .seed = setup->seed};
    if (d.streams > UINT16_MAX)
        return err_set(e, ERR_USAGE, "%u streams for one worker: at most %u are possible",
                       d.streams, UINT16_MAX);
    g->streams = arena_alloc(arena, d.streams, sizeof *g->streams);
    g->pool = arena_alloc(arena, d.requests, sizeof *g->pool);
    g->free_requests = arena_alloc(arena, d.requests, sizeof *g->free_requests);
    g->posted = arena_alloc(arena, d.messages, sizeof *g->posted);
    g->free_messages = arena_alloc(arena, d.messages, sizeof *g->free_messages);
    if (!g->streams || !g->pool || !g->free_requests || !g->posted || !g->free_messages ||
        heap_init(&g->requests, d.requests, arena) || heap_init(&g->arrivals, d.streams, arena) ||
        heap_init(&g->messages, d.messages, arena))
        return err_no_memory(e, "generators");
    for (unsigned n = 0; n < d.streams; n++) {
        const struct stream_spec *spec = &g->spec->streams[n % g->spec->stream_count];
        struct stream *s = &g->streams[n];
        struct part part = part_of(setup, n);
        *s = (struct stream){.spec = spec,
                             .ops = stream_kinds[spec->kind],
                             .generators = g,
                             .workload = g->spec,
                             .region = setup->region,
                             .increment = setup->increment,
                             .seed = setup->seed,
                             .index = n,
                             .copy = part.copy % part.of,
                             .copies = part.of,
                             .capacity = capacity_of(setup, n)};
        s->room = s->capacity;
        if (s->ops->init(s, arena, e))
            return err_context(e, "stream %s", spec->name);
    }
    *generators = g;
    return 0;
}

/* ---- events ---- */

static void work_off_arrival(struct generators *g)
{
    struct stream_event event = {.kind = EVENT_ARRIVAL, .now_ns = heap_first(&g->arrivals)->at_ns};
    struct stream *s = &g->streams[heap_pop(&g->arrivals)];
    s->room--;
    s->ops->handle(s, &event);
}

void generators_begin(struct generators *g)
{
    heap_clear(&g->requests);
    heap_clear(&g->arrivals);
    heap_clear(&g->messages);
    g->free_request_count = g->requests.capacity;
    g->free_message_count = g->messages.capacity;
    for (uint32_t i = 0; i < g->free_request_count; i++)
        g->free_requests[i] = g->free_request_count - 1 - i;
    for (uint32_t i = 0; i < g->free_message_count; i++)
        g->free_messages[i] = g->free_message_count - 1 - i;
    g->in_flight = 0;
    g->round++;
    for (unsigned n = 0; n < g->stream_count; n++) {
        struct stream *s = &g->streams[n];
        struct stream_event event = {.kind = EVENT_BEGIN, .value = s->capacity - s->room};
        uint64_t number = n % g->spec->stream_count + (uint64_t)s->copy * STREAMS_MAX;
        random_seed(&s->random, g->seed, number << 32 | (uint32_t)g->round);
        s->room = s->capacity;
        s->stalled = false;
        if (s->capacity)
            s->ops->handle(s, &event);
    }
    while (g->arrivals.count)
        work_off_arrival(g);
}

enum generators_state generators_peek(struct generators *g, uint64_t now_ns,
                                      struct generated_request *next)
{
    while (g->messages.count && g->messages.items->at_ns <= now_ns) {
        uint64_t at_ns = g->messages.items->at_ns;
        uint32_t slot = heap_pop(&g->messages);
        const struct message *message = &g->posted[slot];
        const struct stream_event event = {.kind = EVENT_MESSAGE,
                                           .now_ns = at_ns,
                                           .value = message->value,
                                           .from = message->from,
                                           .error = message->error};
        struct stream *s = &g->streams[message->to];
        g->free_messages[g->free_message_count++] = slot;
        s->ops->handle(s, &event);
    }
    /*
     * Arrivals that may lead to an earlier request than the first one in the queue are handled
     * first.
     */
    while (g->arrivals.count &&
           (!g->requests.count || g->arrivals.items->at_ns <= g->requests.items->at_ns))
        work_off_arrival(g);
    for (unsigned i = 0; i < LATE_AT_ONCE && g->arrivals.count; i++) {
        bool late = g->arrivals.items->at_ns <= now_ns;
        bool time_for_it = i < AHEAD_AT_ONCE && g->requests.count &&
                           g->requests.items->at_ns > now_ns + TIME_FOR_IT_NS;
        if (!late && !time_for_it)
            break;
        work_off_arrival(g);
    }
    uint64_t message_ns = g->messages.count ? g->messages.items->at_ns : UINT64_MAX;
    if (g->requests.count && g->requests.items->at_ns <= message_ns) {
        *next = g->pool[g->requests.items->what];
        return GENERATORS_REQUEST;
    }
    *next = (struct generated_request){.due_ns = message_ns};
    /* The workload lasts until the end of the phases, even if no more arrivals come in them. */
    bool goes_on = g->end_ns != UINT64_MAX && now_ns < g->end_ns;
    return g->messages.count || g->in_flight || goes_on ? GENERATORS_WAITING : GENERATORS_ENDED;
}

void generators_take(struct generators *g)
{
    uint32_t slot = heap_pop(&g->requests);
    struct stream *s = &g->streams[g->pool[slot].stream];
    g->free_requests[g->free_request_count++] = slot;
    g->in_flight++;
    if (s->ops->taken_is_over)
        stream_give_back(s);
}

void generators_completed(struct generators *g, const struct generated_request *request,
                          uint64_t completed_ns, int error)
{
    struct stream *s = &g->streams[request->stream];
    const struct stream_event event = {
        .kind = EVENT_COMPLETION, .now_ns = completed_ns, .value = request->tag, .error = error};
    g->in_flight--;
    s->ops->handle(s, &event);
}

uint64_t generators_backlog(const struct generators *g, uint64_t now_ns, bool *at_least)
{
    *at_least = g->arrivals.count && g->arrivals.items->at_ns <= now_ns;
    for (unsigned n = 0; n < g->stream_count && !*at_least; n++)
        *at_least = g->streams[n].stalled && g->streams[n].stalled_ns <= now_ns;
    return heap_due(&g->requests, now_ns);
}
