/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream whose requests come from the user's function: its events, its queue, its limits. */
#include "source/generator/callback_stream.h"

#include "base/arena.h"
#include "source/generator/generators.h"
#include "tests/unit/check.h"

#define REGION (1u << 20)
#define BLOCK  4096u
#define QUEUE  4

/* The events that the function was called with, and what it requested. */
struct seen {
    int begins, timers, completions;
    uint64_t last_ns, last_tag;
    int last_error;
    enum filament_answer answers[8];
    bool timer_twice;
};

static struct generators *generators;
static struct arena arena;

/* Begins with a timer and more requests than the queue has room for; each completion requests
   another. */
static void handle(void *context, struct stream *stream, const struct filament_event *event)
{
    struct seen *seen = context;
    struct filament_request r = {.length = BLOCK};
    seen->last_ns = event->now_ns;
    switch (event->kind) {
    case FILAMENT_BEGIN:
        seen->begins++;
        for (unsigned i = 0; i < QUEUE + 1; i++) {
            r.due_ns = 1000 * (QUEUE - i); /* the last one requested is the first one due */
            r.offset = i * BLOCK;
            r.tag = i;
            seen->answers[i] = filament_request(stream, &r);
        }
        seen->timer_twice = filament_timer(stream, 2500) && filament_timer(stream, 2600);
        break;
    case FILAMENT_TIMER:
        seen->timers++;
        break;
    case FILAMENT_COMPLETION:
        seen->completions++;
        seen->last_tag = event->tag;
        seen->last_error = event->error;
        if (seen->completions > 1)
            break;
        r.due_ns = event->now_ns;
        r.offset = event->region - BLOCK;
        r.op = 1;
        r.tag = 77;
        filament_request(stream, &r);
        break;
    }
}

static void make(const struct filament *f, double write_share)
{
    static struct workload_spec spec;
    struct err e = {0};
    spec = (struct workload_spec){.stream_count = 1};
    spec.streams[0] = (struct stream_spec){.name = "f",
                                           .kind = STREAM_FILAMENT,
                                           .write_share = write_share,
                                           .region_to = 1,
                                           .sizes = {{2 * BLOCK, 1}},
                                           .size_count = 1,
                                           .align = BLOCK,
                                           .filament = f};
    CHECK_INT(workload_spec_largest(&spec), 2 * BLOCK);
    CHECK_INT(workload_spec_granularity(&spec), BLOCK);
    CHECK_INT(workload_spec_writes(&spec), write_share > 0);
    struct generators_setup setup = {
        .spec = &spec, .region = REGION, .seed = 1, .copies = 1, .step = 1};
    arena_free(&arena);
    CHECK_INT(arena_init(&arena, generators_bytes(&setup) + ARENA_ALIGNMENT, &e), 0);
    CHECK_INT(generators_init(&generators, &setup, &arena, &e), 0);
}

static void test_events(void)
{
    struct seen seen = {0};
    const struct filament f = {handle, &seen, QUEUE};
    struct generated_request next;
    make(&f, 0.5);
    generators_begin(generators);
    CHECK_INT(seen.begins, 1);
    for (int i = 0; i < QUEUE; i++)
        CHECK_INT(seen.answers[i], FILAMENT_TAKEN);
    CHECK_INT(seen.answers[QUEUE], FILAMENT_FULL);
    CHECK(!seen.timer_twice);

    /* In the order of due times; the timer comes in between, and not before its time. */
    for (uint64_t i = 1; i <= QUEUE; i++) {
        if (i == 3)
            CHECK_INT(generators_peek(generators, 2400, &next), GENERATORS_WAITING);
        if (i == 3)
            CHECK_INT(next.due_ns, 2500);
        CHECK_INT(seen.timers, 0 + (i > 3));
        CHECK_INT(generators_peek(generators, 1000 * i, &next), GENERATORS_REQUEST);
        CHECK_INT(next.due_ns, 1000 * i);
        CHECK_INT(next.tag, QUEUE - i);
        CHECK_INT(next.offset, (QUEUE - i) * BLOCK);
        generators_take(generators);
    }
    CHECK_INT(seen.timers, 1);
    CHECK_INT(generators_peek(generators, 5000, &next), GENERATORS_WAITING);
    generators_completed(generators, &next, 6000, 5);
    CHECK_INT(seen.last_error, 5);
    CHECK_INT(seen.last_ns, 6000);
    CHECK_INT(generators_peek(generators, 6000, &next), GENERATORS_REQUEST);
    CHECK_INT(next.tag, 77);
    CHECK_INT(next.command, 1);
    CHECK_INT(next.offset, REGION - BLOCK);
    generators_take(generators);
    for (int i = 0; i < QUEUE; i++)
        generators_completed(generators, &next, 7000, 0);
    CHECK_INT(seen.completions, QUEUE + 1);
    CHECK_INT(seen.last_tag, 77);
    CHECK_INT(generators_peek(generators, 8000, &next), GENERATORS_ENDED);

    generators_begin(generators); /* the next round starts from the beginning */
    CHECK_INT(seen.begins, 2);
    CHECK_INT(generators_peek(generators, 0, &next), GENERATORS_REQUEST);
    CHECK_INT(next.due_ns, 1000);
}

struct refusal {
    struct filament_request request;
    enum filament_answer of_writer, of_reader;
};

static const struct refusal refusals[] = {
    {{.offset = 0, .length = BLOCK}, FILAMENT_TAKEN, FILAMENT_TAKEN},
    {{.offset = REGION - 2 * BLOCK, .length = 2 * BLOCK}, FILAMENT_TAKEN, FILAMENT_TAKEN},
    {{.offset = 0, .length = BLOCK, .op = 1}, FILAMENT_TAKEN, FILAMENT_INVALID},
    {{.offset = 0, .length = 0}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = 0, .length = 3 * BLOCK}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = 512, .length = BLOCK}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = 0, .length = 512}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = REGION, .length = BLOCK}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = REGION - BLOCK, .length = 2 * BLOCK}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = UINT64_MAX - BLOCK + 1, .length = BLOCK}, FILAMENT_INVALID, FILAMENT_INVALID},
    {{.offset = 0, .length = BLOCK, .op = 2}, FILAMENT_INVALID, FILAMENT_INVALID},
};
#define REFUSALS (sizeof refusals / sizeof *refusals)

static void try_all(void *context, struct stream *stream, const struct filament_event *event)
{
    const bool *writes = context;
    CHECK_INT(event->kind, FILAMENT_BEGIN);
    for (size_t i = 0; i < REFUSALS; i++)
        CHECK_INT(filament_request(stream, &refusals[i].request),
                  *writes ? refusals[i].of_writer : refusals[i].of_reader);
}

static void test_refusals(void)
{
    static bool writes;
    const struct filament f = {try_all, &writes, REFUSALS};
    for (int i = 0; i < 2; i++) {
        writes = i;
        make(&f, writes ? 0.5 : 0);
        generators_begin(generators);
    }
}

int main(void)
{
    test_events();
    test_refusals();
    arena_free(&arena);
    return check_result();
}
