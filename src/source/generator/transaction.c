/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transactions: sequences of steps, of which many run at the same time. A transaction ends early if
   its request or log write fails. */
#include "source/generator/internal.h"

#define TRANSACTIONS_AT_ONCE 1024

struct transaction {
    /* random numbers of this transaction, separate from the stream's, so that its requests depend
       on its arrival and not on the order of completions */
    struct random random;
    unsigned step; /* index of the current step */
    struct request_shape requests[STEPS_MAX];
};

struct transactions {
    struct arrivals arrivals;
    struct shape steps[STEPS_MAX];
    /* for each step, index of the step whose request it repeats; -1: it repeats none */
    int same_as[STEPS_MAX];
    struct transaction *slots;
    uint32_t *free;
    uint32_t free_count;
};

static unsigned transaction_capacity(const struct stream_spec *spec, unsigned copy, unsigned copies)
{
    (void)spec, (void)copy, (void)copies;
    return TRANSACTIONS_AT_ONCE;
}

static size_t transaction_bytes(const struct workload_spec *workload,
                                const struct stream_spec *spec, unsigned capacity)
{
    (void)workload;
    size_t bytes = arena_bytes(1, sizeof(struct transactions)) +
                   arena_bytes(capacity, sizeof(struct transaction)) +
                   arena_bytes(capacity, sizeof(uint32_t));
    for (unsigned i = 0; i < spec->step_count; i++)
        bytes += address_bytes(&spec->steps[i].address);
    return bytes;
}

static bool is_request(const struct stream *s, unsigned step)
{
    return s->spec->steps[step].message_to < 0;
}

static int init_step(struct stream *s, struct transactions *t, unsigned step, struct arena *arena,
                     struct err *e)
{
    const struct step_spec *spec = &s->spec->steps[step];
    const struct size_spec one = {.bytes = spec->bytes, .weight = 1};
    t->same_as[step] = -1;
    if (!is_request(s, step))
        return 0;
    if (spec->address.kind == ADDRESS_SAME) {
        double number = spec->address.parameter;
        int same = number > 0 ? (int)number - 1 : (int)step - 1;
        while (same >= 0 && !is_request(s, (unsigned)same))
            same--;
        t->same_as[step] = same;
        if (same >= 0 && same < (int)step)
            return 0;
        return err_set(e, ERR_USAGE, "step %u: no request before it that it could repeat",
                       step + 1);
    }
    struct shape *shape = &t->steps[step];
    uint32_t largest = spec->bytes;
    for (unsigned i = 0; i < s->spec->size_count && !spec->bytes; i++)
        if (s->spec->sizes[i].bytes > largest)
            largest = s->spec->sizes[i].bytes;
    const struct address_extent extent =
        stream_extent(s, spec->region_from, spec->region_to, largest, step);
    *shape = (struct shape){.writes = chance_of(spec->op)};
    if (spec->bytes)
        sizes_init(&shape->sizes[spec->op], &one, 1);
    else
        sizes_init(&shape->sizes[spec->op], s->spec->sizes, s->spec->size_count);
    if (address_init(&shape->address, &spec->address, 0, &extent, arena, e))
        return err_context(e, "step %u", step + 1);
    return 0;
}

static int transaction_init(struct stream *s, struct arena *arena, struct err *e)
{
    struct transactions *t = s->state = arena_alloc(arena, 1, sizeof *t);
    if (t) {
        t->slots = arena_alloc(arena, s->capacity, sizeof *t->slots);
        t->free = arena_alloc(arena, s->capacity, sizeof *t->free);
    }
    if (!t || !t->slots || !t->free)
        return err_no_memory(e, "the transactions of a stream");
    if (arrivals_init(&t->arrivals, s, &s->workload->phases, e))
        return -1;
    for (unsigned step = 0; step < s->spec->step_count; step++)
        if (init_step(s, t, step, arena, e))
            return -1;
    return 0;
}

static void ask_for_next(struct stream *s, struct transactions *t)
{
    uint64_t at_ns;
    if (arrivals_next(&t->arrivals, &s->random, &at_ns))
        stream_arrive(s, at_ns);
}

/* Starts the next step at now_ns: queues its request, or sends a message to the log. */
static void do_step(struct stream *s, struct transactions *t, uint32_t slot, uint64_t now_ns)
{
    struct transaction *one = &t->slots[slot];
    unsigned step = one->step;
    const struct step_spec *spec = &s->spec->steps[step];
    uint64_t due_ns = now_ns + duration_draw(&spec->think, &one->random);
    if (!is_request(s, step)) {
        stream_send(s, (unsigned)spec->message_to, due_ns, slot, 0);
        return;
    }
    struct request_shape *request = &one->requests[step];
    if (t->same_as[step] < 0)
        *request = shape_draw(&t->steps[step], &one->random);
    else
        *request = one->requests[t->same_as[step]];
    request->kind = stream_kind(s, spec->op, request->length);
    stream_request(s, due_ns, request, slot);
}

static void transaction_handle(struct stream *s, const struct stream_event *event)
{
    struct transactions *t = s->state;
    uint32_t slot = (uint32_t)event->value;
    switch (event->kind) {
    case EVENT_BEGIN:
        t->free_count = s->capacity;
        for (uint32_t i = 0; i < s->capacity; i++)
            t->free[i] = s->capacity - 1 - i;
        arrivals_begin(&t->arrivals);
        ask_for_next(s, t);
        break;
    case EVENT_ARRIVAL:
        slot = t->free[--t->free_count];
        t->slots[slot].step = 0;
        t->slots[slot].random.state = random_u64(&s->random);
        do_step(s, t, slot, event->now_ns);
        ask_for_next(s, t);
        break;
    case EVENT_COMPLETION:
    case EVENT_MESSAGE: /* the log has written the transaction's message */
        if (!event->error && ++t->slots[slot].step < s->spec->step_count) {
            do_step(s, t, slot, event->now_ns);
        } else {
            t->free[t->free_count++] = slot;
            stream_give_back(s);
        }
        break;
    }
}

const struct stream_ops stream_transaction = {
    .name = "transaction",
    .help = "steps that follow each other, begun at a rate",
    .capacity = transaction_capacity,
    .bytes = transaction_bytes,
    .init = transaction_init,
    .handle = transaction_handle,
};
