/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the requests of a closed loop: a fixed number of requests is in flight, and when one has
   completed, the next one follows after a pause. */
#include "source/generator/internal.h"

struct closed {
    struct shape shape;
};

static unsigned closed_capacity(const struct stream_spec *spec, unsigned copy, unsigned copies)
{
    uint64_t whole = spec->concurrency;
    return (unsigned)(whole * (copy + 1) / copies - whole * copy / copies);
}

static size_t closed_bytes(const struct workload_spec *workload, const struct stream_spec *spec,
                           unsigned capacity)
{
    (void)workload, (void)capacity;
    return arena_bytes(1, sizeof(struct closed)) + address_bytes(&spec->address);
}

static int closed_init(struct stream *s, struct arena *arena, struct err *e)
{
    struct closed *closed = s->state = arena_alloc(arena, 1, sizeof *closed);
    if (!closed)
        return err_no_memory(e, "a closed loop");
    return stream_shape_init(s, &closed->shape, arena, e);
}

/* Returns the stream that issues the next request: one of the streams with a flow, drawn by weight;
   for a stream without a flow, the stream itself. */
static struct closed *draw_closed(struct stream *s)
{
    const struct workload_spec *spec = s->generators->spec;
    struct stream *streams = s - s->index % spec->stream_count;
    double total = 0;
    for (unsigned i = 0; i < spec->stream_count; i++)
        total += spec->streams[i].flow;
    if (s->spec->flow <= 0 || total <= s->spec->flow)
        return s->state;
    double left = random_unit(&s->random) * total;
    unsigned last = s->index % spec->stream_count;
    for (unsigned i = 0; i < spec->stream_count; i++) {
        if (spec->streams[i].flow <= 0)
            continue;
        last = i;
        left -= spec->streams[i].flow;
        if (left < 0)
            break;
    }
    return streams[last].state;
}

static void think_and_ask(struct stream *s, uint64_t now_ns)
{
    uint64_t due_ns = now_ns + duration_draw(&s->spec->think, &s->random);
    if (due_ns >= s->generators->end_ns)
        return;
    struct request_shape request = shape_draw(&draw_closed(s)->shape, &s->random);
    stream_request(s, due_ns, &request, 0);
}

static void closed_handle(struct stream *s, const struct stream_event *event)
{
    if (event->kind == EVENT_COMPLETION)
        think_and_ask(s, event->now_ns);
    else if (event->kind == EVENT_BEGIN)
        for (unsigned i = 0; i < s->capacity; i++)
            think_and_ask(s, 0);
}

const struct stream_ops stream_closed = {
    .name = "closed",
    .help = "so many requests at once, each followed by the next after a pause",
    .capacity = closed_capacity,
    .bytes = closed_bytes,
    .init = closed_init,
    .handle = closed_handle,
};
