/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the requests of an open loop: requests are issued at their arrival times, even if earlier
 * ones have not completed.
 */
#include "source/generator/internal.h"

#define OPEN_AHEAD 256

struct open {
    struct arrivals arrivals;
    struct shape shape;
    uint64_t drawn; /* number of requests drawn so far */
    /* state of the addresses before each of the last OPEN_AHEAD requests */
    struct address_mark before[OPEN_AHEAD];
};

static unsigned open_capacity(const struct stream_spec *spec, unsigned copy, unsigned copies)
{
    (void)spec, (void)copy, (void)copies;
    return OPEN_AHEAD;
}

static size_t open_bytes(const struct workload_spec *workload, const struct stream_spec *spec,
                         unsigned capacity)
{
    (void)workload, (void)capacity;
    return arena_bytes(1, sizeof(struct open)) + address_bytes(&spec->address);
}

static int open_init(struct stream *s, struct arena *arena, struct err *e)
{
    struct open *open = s->state = arena_alloc(arena, 1, sizeof *open);
    if (!open)
        return err_no_memory(e, "an open loop");
    if (arrivals_init(&open->arrivals, s, &s->workload->phases, e))
        return -1;
    return stream_shape_init(s, &open->shape, arena, e);
}

static void open_handle(struct stream *s, const struct stream_event *event)
{
    struct open *open = s->state;
    if (event->kind == EVENT_BEGIN) {
        /*
         * Undo the draws of requests that were not taken: they are drawn again, and sequential
         * positions have no gaps.
         */
        for (uint64_t not_taken = event->value; not_taken; not_taken--)
            address_back(&open->shape.address, &open->before[--open->drawn % OPEN_AHEAD]);
        arrivals_begin(&open->arrivals);
    } else if (event->kind == EVENT_ARRIVAL) {
        open->before[open->drawn++ % OPEN_AHEAD] = address_mark(&open->shape.address);
        struct request_shape request = shape_draw(&open->shape, &s->random);
        stream_request(s, event->now_ns, &request, 0);
    } else {
        return;
    }
    uint64_t next_ns;
    if (arrivals_next(&open->arrivals, &s->random, &next_ns))
        stream_arrive(s, next_ns);
}

const struct stream_ops stream_open = {
    .name = "open",
    .help = "requests at a rate, whatever became of those before",
    .capacity = open_capacity,
    .taken_is_over = true,
    .bytes = open_bytes,
    .init = open_init,
    .handle = open_handle,
};
