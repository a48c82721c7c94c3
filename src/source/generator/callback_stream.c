/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the requests of a stream by calling a function of the calling program. */
#include "source/generator/callback_stream.h"
#include "source/generator/internal.h"

struct filament_state {
    bool timer;      /* a timer event is pending */
    uint64_t now_ns; /* the instant of the event that is being handled */
};

static unsigned filament_capacity(const struct stream_spec *spec, unsigned copy, unsigned copies)
{
    (void)copy, (void)copies;
    return spec->filament->queue;
}

static size_t filament_bytes(const struct workload_spec *workload, const struct stream_spec *spec,
                             unsigned capacity)
{
    (void)workload, (void)spec, (void)capacity;
    return arena_bytes(1, sizeof(struct filament_state));
}

static int filament_init(struct stream *s, struct arena *arena, struct err *e)
{
    s->state = arena_alloc(arena, 1, sizeof(struct filament_state));
    return s->state ? 0 : err_no_memory(e, "a filament");
}

static void filament_handle(struct stream *s, const struct stream_event *event)
{
    const struct filament *f = s->spec->filament;
    struct filament_state *state = s->state;
    struct filament_event given = {
        .now_ns = event->now_ns, .copy = s->copy, .copies = s->copies, .region = s->region};
    state->now_ns = event->now_ns;
    if (event->kind != EVENT_COMPLETION)
        state->timer = false;
    if (event->kind == EVENT_COMPLETION) {
        given.kind = FILAMENT_COMPLETION;
        given.tag = event->value;
        given.error = event->error;
    } else {
        given.kind = event->kind == EVENT_BEGIN ? FILAMENT_BEGIN : FILAMENT_TIMER;
    }
    f->handle(f->context, s, &given);
}

/* The memory for the arrival is free again when generators_take takes the request (see
   taken_is_over). */
enum filament_answer filament_request(struct stream *s, const struct filament_request *r)
{
    const struct stream_spec *spec = s->spec;
    const struct request_shape shape = {
        .offset = r->offset, .length = r->length, .kind = stream_kind(s, r->op, r->length)};
    if (!r->length || r->length > spec->sizes[0].bytes || r->length > s->region ||
        r->offset > s->region - r->length || r->offset % spec->align || r->length % spec->align ||
        r->op > 1 || (r->op && !(spec->write_share > 0)))
        return FILAMENT_INVALID;
    if (!s->room)
        return FILAMENT_FULL;
    s->room--;
    stream_request(s, r->due_ns, &shape, r->tag);
    return FILAMENT_TAKEN;
}

bool filament_timer(struct stream *s, uint64_t at_ns)
{
    struct filament_state *state = s->state;
    if (state->timer)
        return false;
    state->timer = true;
    stream_send(s, s->index % s->workload->stream_count,
                at_ns > state->now_ns ? at_ns : state->now_ns + 1, 0, 0);
    return true;
}

const struct stream_ops stream_filament = {
    .name = "filament",
    .help = "a function of a program that uses the library",
    .capacity = filament_capacity,
    .taken_is_over = true,
    .bytes = filament_bytes,
    .init = filament_init,
    .handle = filament_handle,
};
