/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replay with dependencies: cases by hand; a target equal to the original gives the trace's own
   times; and random traces on random targets compared with a plain implementation of the rule. */
#include "check.h"

#include "base/random.h"
#include "run/replay/internal.h"

enum { EVENTS_MAX = 4000 };

/* An event, and its times in the replay. */
struct step {
    struct replay_entry entry;
    uint64_t service_ns; /* of the target in the replay */
    uint64_t due_ns, done_ns;
    bool issued;
};

struct replayed {
    struct step steps[EVENTS_MAX];
    unsigned count;
    unsigned max_in_flight;
};

static struct arena arena;

static struct replay_order *make(unsigned entries, unsigned processes, double speed)
{
    arena_free(&arena);
    CHECK_INT(arena_init(&arena, replay_order_bytes(entries, processes), NULL), 0);
    struct replay_order *o = replay_order_new(entries, processes, speed, &arena);
    CHECK(o != NULL);
    return o;
}

static void add(struct replayed *r, uint32_t process, uint64_t time_ns, uint64_t response_ns,
                uint64_t service_ns)
{
    r->steps[r->count] = (struct step){.entry = {.time_ns = time_ns,
                                                 .end_ns = time_ns + response_ns,
                                                 .offset = r->count, /* identifies the event */
                                                 .length = 4096,
                                                 .process = process,
                                                 .event = r->count},
                                       .service_ns = service_ns};
    r->count++;
}

/* Returns the first request in flight to complete, or NULL. */
static struct step *first_to_complete(struct replayed *r, const uint64_t tags[],
                                      unsigned *in_flight, uint64_t *tag)
{
    struct step *first = NULL;
    *in_flight = 0;
    for (unsigned i = 0; i < r->count; i++) {
        struct step *s = &r->steps[i];
        if (!s->issued || s->done_ns)
            continue;
        ++*in_flight;
        if (!first || s->due_ns + s->service_ns < first->due_ns + first->service_ns) {
            first = s;
            *tag = tags[i];
        }
    }
    return first;
}

/* Simulates a target that starts every request at its due time, or at once if it is late; events
   are added when there is room. */
static void replay(struct replayed *r, struct replay_order *o)
{
    static uint64_t tags[EVENTS_MAX];
    unsigned added = 0, left = r->count;
    uint64_t now_ns = 0;
    while (left > 0) {
        while (added < r->count && replay_order_add(o, &r->steps[added].entry))
            added++;
        struct generated_request next;
        unsigned in_flight;
        uint64_t tag = 0;
        bool any = replay_order_peek(o, &next);
        struct step *done = first_to_complete(r, tags, &in_flight, &tag);
        if (in_flight > r->max_in_flight)
            r->max_in_flight = in_flight;
        if (any && (!done || next.due_ns < done->due_ns + done->service_ns)) {
            struct step *s = &r->steps[next.offset];
            if (next.due_ns > now_ns)
                now_ns = next.due_ns;
            s->due_ns = now_ns;
            s->issued = true;
            tags[next.offset] = next.tag;
            replay_order_take(o);
            left--;
        } else if (done) {
            done->done_ns = now_ns = done->due_ns + done->service_ns;
            replay_order_completed(o, tag, done->done_ns);
        } else {
            CHECK(!"nothing is due and nothing in flight");
            return;
        }
    }
    CHECK_INT(replay_order_waiting(o), 0);
    for (unsigned i = 0; i < r->count; i++)
        if (!r->steps[i].done_ns)
            r->steps[i].done_ns = r->steps[i].due_ns + r->steps[i].service_ns;
}

static void again(struct replayed *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        r->steps[i].issued = false;
        r->steps[i].done_ns = 0;
    }
}

static void test_one_after_the_other(void)
{
    /* 10 of service, 5 of think time; the target takes 100 */
    static struct replayed r;
    r = (struct replayed){0};
    for (unsigned i = 0; i < 4; i++)
        add(&r, 1, 15 * i, 10, 100);
    replay(&r, make(16, 4, 1));
    for (unsigned i = 0; i < 4; i++)
        CHECK_INT(r.steps[i].due_ns, 105 * i);

    /* twice the speed halves the think time; as fast as possible has none */
    again(&r);
    replay(&r, make(16, 4, 5));
    CHECK_INT(r.steps[3].due_ns, 3 * 101);
    again(&r);
    replay(&r, make(16, 4, 0));
    CHECK_INT(r.steps[3].due_ns, 3 * 100);
}

static void test_without_response_times(void)
{
    static struct replayed r;
    r = (struct replayed){0};
    add(&r, 1, 0, 0, 40);
    add(&r, 1, 10, 0, 40);
    add(&r, 1, 10, 0, 40);
    add(&r, 2, 20, 0, 40);
    replay(&r, make(16, 4, 1));
    CHECK_INT(r.steps[1].due_ns, 50);
    CHECK_INT(r.steps[2].due_ns, 90);
    CHECK_INT(r.steps[3].due_ns, 20); /* another process is independent: at its own time */
    CHECK_INT(r.max_in_flight, 2);
}

static void test_overlap_is_kept(void)
{
    /* two at once, then one that waited for both, 30 after the later one */
    static struct replayed r;
    r = (struct replayed){0};
    add(&r, 1, 0, 100, 10);
    add(&r, 1, 40, 20, 500);
    add(&r, 1, 130, 10, 10);
    replay(&r, make(16, 4, 1));
    CHECK_INT(r.steps[0].due_ns, 0);
    CHECK_INT(r.steps[1].due_ns, 40); /* although the first one completed long before */
    CHECK_INT(r.steps[2].due_ns, 540 + 30);

    /* a depth of two, each new request after one completion: never more than two in flight */
    r = (struct replayed){0};
    add(&r, 1, 0, 100, 1000);
    add(&r, 1, 0, 110, 1000);
    for (unsigned i = 0; i < 20; i++)
        add(&r, 1, 101 + 55 * i, 54 + 54, 1000 + i);
    replay(&r, make(64, 4, 1));
    CHECK_INT(r.max_in_flight, 2);
}

static void test_parts_do_not_wait_for_each_other(void)
{
    static struct replayed r;
    r = (struct replayed){0};
    for (unsigned i = 0; i < 3; i++) {
        add(&r, 1, 0, 0, 50 + i);
        r.steps[i].entry.event = 0;
    }
    add(&r, 1, 10, 0, 1);
    replay(&r, make(16, 4, 1));
    CHECK_INT(r.steps[1].due_ns, 0);
    CHECK_INT(r.steps[2].due_ns, 0);
    CHECK_INT(r.steps[3].due_ns, 52 + 10);
}

static void random_trace(struct replayed *r, struct random *random, unsigned count,
                         unsigned processes, bool same_target)
{
    uint64_t time_ns = 0;
    *r = (struct replayed){0};
    while (r->count < count) {
        time_ns += random_below(random, 2000);
        uint64_t response_ns = 1 + random_below(random, 10000);
        add(r, 1 + (uint32_t)random_below(random, processes), time_ns, response_ns,
            same_target ? response_ns : 1 + random_below(random, 30000));
    }
}

/* If every request takes as long as in the trace, the replay equals the trace. */
static void test_an_identical_target(void)
{
    static struct replayed r;
    struct random random;
    random_seed(&random, 11, 0);
    for (unsigned processes = 1; processes < 40; processes += 13) {
        random_trace(&r, &random, 2000, processes, true);
        replay(&r, make(4096, 64, 1));
        unsigned other = 0;
        for (unsigned i = 0; i < r.count; i++)
            other += r.steps[i].due_ns != r.steps[i].entry.time_ns;
        CHECK_INT(other, 0);
    }
}

/* The rule, applied to all earlier events. */
static uint64_t expected_due(const struct replayed *r, unsigned i)
{
    const struct step *s = &r->steps[i], *before = NULL;
    uint64_t end_ns = 0, done_ns = 0;
    bool any = false;
    for (unsigned j = 0; j < i; j++)
        if (r->steps[j].entry.process == s->entry.process)
            before = &r->steps[j];
    if (!before)
        return s->entry.time_ns;
    for (unsigned j = 0; j < i; j++) {
        const struct step *other = &r->steps[j];
        if (other->entry.process != s->entry.process || other->entry.end_ns > s->entry.time_ns ||
            (other != before && other->entry.end_ns <= before->entry.time_ns))
            continue;
        if (other->entry.end_ns > end_ns)
            end_ns = other->entry.end_ns;
        if (other->done_ns > done_ns)
            done_ns = other->done_ns;
        any = true;
    }
    uint64_t due_ns = any ? done_ns + (s->entry.time_ns - end_ns)
                          : before->due_ns + (s->entry.time_ns - before->entry.time_ns);
    return due_ns > before->due_ns ? due_ns : before->due_ns;
}

static void test_random_targets(void)
{
    static struct replayed r;
    struct random random;
    random_seed(&random, 12, 0);
    for (unsigned processes = 1; processes < 60; processes += 19) {
        random_trace(&r, &random, 1500, processes, false);
        replay(&r, make(4096, 64, 1));
        unsigned other = 0, early = 0;
        for (unsigned i = 0; i < r.count; i++) {
            other += r.steps[i].due_ns != expected_due(&r, i);
            for (unsigned j = 0; j < i; j++)
                early += r.steps[j].entry.process == r.steps[i].entry.process &&
                         r.steps[j].entry.end_ns <= r.steps[i].entry.time_ns &&
                         r.steps[j].done_ns > r.steps[i].due_ns;
        }
        CHECK_INT(other, 0);
        CHECK_INT(early, 0);
    }
}

/* Small tables: everything is still issued, in order, and nothing before its dependencies. */
static void test_small_tables(void)
{
    static struct replayed r;
    struct random random;
    random_seed(&random, 13, 0);
    for (unsigned entries = 2; entries < 70; entries += 11) {
        random_trace(&r, &random, 1500, 50, false);
        replay(&r, make(entries, 8, 1));
        unsigned disordered = 0;
        for (unsigned i = 0; i < r.count; i++)
            for (unsigned j = 0; j < i; j++)
                disordered += r.steps[j].entry.process == r.steps[i].entry.process &&
                              r.steps[j].due_ns > r.steps[i].due_ns;
        CHECK_INT(disordered, 0);
    }
}

/* Impossible response times: everything overlaps with everything. */
static void test_endless_responses(void)
{
    static struct replayed r;
    r = (struct replayed){0};
    for (unsigned i = 0; i < EVENTS_MAX; i++)
        add(&r, 1, 10 * i, (uint64_t)1 << 60, 5);
    replay(&r, make(8192, 4, 1));
    CHECK_INT(r.steps[EVENTS_MAX - 1].due_ns, 10 * (EVENTS_MAX - 1));
}

static void test_backlog(void)
{
    struct replay_order *o = make(64, 64, 1);
    struct generated_request next;
    CHECK(!replay_order_peek(o, &next));
    for (unsigned i = 0; i < 40; i++) {
        struct replay_entry entry = {.time_ns = (i * 7 % 40) * 10, .process = i, .event = i};
        entry.end_ns = entry.time_ns;
        replay_order_add(o, &entry);
    }
    CHECK_INT(replay_order_waiting(o), 40);
    CHECK_INT(replay_order_backlog(o, 0), 1);
    CHECK_INT(replay_order_backlog(o, 199), 20);
    CHECK_INT(replay_order_backlog(o, 1000), 40);
    uint64_t last_ns = 0;
    for (unsigned i = 0; i < 40; i++) {
        CHECK(replay_order_peek(o, &next));
        CHECK(next.due_ns >= last_ns);
        last_ns = next.due_ns;
        replay_order_take(o);
    }
    CHECK_INT(replay_order_backlog(o, 1000), 0);
    replay_order_completed(o, UINT64_MAX, 1); /* an unknown tag: nothing happens */
}

int main(void)
{
    test_one_after_the_other();
    test_without_response_times();
    test_overlap_is_kept();
    test_parts_do_not_wait_for_each_other();
    test_an_identical_target();
    test_random_targets();
    test_small_tables();
    test_endless_responses();
    test_backlog();
    arena_free(&arena);
    return check_result();
}
