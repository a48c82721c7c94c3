/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for all kinds of generators: queue requests, arrivals and messages; compute a stream's
   part of the region, and the shapes of its requests. */
#include "source/generator/internal.h"

void stream_request(struct stream *s, uint64_t due_ns, const struct request_shape *shape,
                    uint64_t tag)
{
    struct generators *g = s->generators;
    uint32_t slot = g->free_requests[--g->free_request_count];
    g->pool[slot] = (struct generated_request){.due_ns = due_ns,
                                               .offset = shape->offset,
                                               .length = shape->length,
                                               .command = shape->kind.command,
                                               .kind = shape->kind.index,
                                               .stream = (uint16_t)s->index,
                                               .tag = tag};
    heap_push(&g->requests, due_ns, slot);
}

void stream_arrive(struct stream *s, uint64_t at_ns)
{
    if (s->room) {
        heap_push(&s->generators->arrivals, at_ns, s->index);
    } else {
        s->stalled = true;
        s->stalled_ns = at_ns;
    }
}

void stream_give_back(struct stream *s)
{
    s->room++;
    if (s->stalled) {
        s->stalled = false;
        heap_push(&s->generators->arrivals, s->stalled_ns, s->index);
    }
}

void stream_send(struct stream *s, unsigned to, uint64_t at_ns, uint64_t value, int error)
{
    struct generators *g = s->generators;
    unsigned first_of_copy = s->index - s->index % g->spec->stream_count;
    uint32_t slot = g->free_messages[--g->free_message_count];
    g->posted[slot] = (struct message){
        .to = first_of_copy + to, .from = s->index - first_of_copy, .error = error, .value = value};
    heap_push(&g->messages, at_ns, slot);
}

static uint64_t share_of(uint64_t region, double share, uint32_t unit)
{
    uint64_t at = share >= 1 ? region : (uint64_t)((double)region * share);
    return at / unit * unit;
}

struct address_extent stream_extent(const struct stream *s, double from, double to,
                                    uint32_t largest, unsigned step)
{
    uint32_t unit = s->spec->align ? s->spec->align : largest;
    unit = unit ? unit : 1;
    uint64_t number = (uint64_t)(s->spec - s->workload->streams) + 1;
    const uint64_t own = s->increment * s->copy;
    return (struct address_extent){.begin = own + share_of(s->region, from, unit),
                                   .end = own + share_of(s->region, to, unit),
                                   .align = s->spec->align,
                                   .largest = largest,
                                   .copy = s->increment ? 0 : s->copy,
                                   .copies = s->increment ? 1 : s->copies,
                                   .seed = s->seed + (number << 32) + step};
}

void sizes_init(struct sizes *sizes, const struct size_spec spec[], unsigned count)
{
    double total = 0, below = 0;
    *sizes = (struct sizes){0};
    for (unsigned i = 0; i < count; i++)
        total += spec[i].weight;
    for (unsigned i = 0; i < count; i++) {
        if (spec[i].weight <= 0)
            continue;
        below += spec[i].weight / total;
        sizes->bytes[sizes->count] = spec[i].bytes;
        sizes->threshold[sizes->count++] = below < 1 ? (uint64_t)(below * 0x1p64) : UINT64_MAX;
    }
}

int stream_shape_init(const struct stream *s, struct shape *shape, struct arena *arena,
                      struct err *e)
{
    const struct stream_spec *spec = s->spec;
    const struct address_extent extent =
        stream_extent(s, spec->region_from, spec->region_to, stream_spec_largest(spec), 0);
    *shape = (struct shape){.writes = chance_of(spec->write_share)};
    for (unsigned op = 0; op < 2; op++) {
        const struct size_spec *sizes;
        const unsigned count = stream_spec_sizes(spec, op, &sizes);
        sizes_init(&shape->sizes[op], sizes, count);
        kind_draw_init(&shape->kinds[op], s->workload, spec, op);
    }
    return address_init(&shape->address, &spec->address, spec->sequential_share, &extent, arena, e);
}
