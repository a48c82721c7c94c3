/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as a source of requests: every event gives its requests once and in order, whether it is
   changed, split, left out or distributed over workers, and the counts say so. */
#include "replay_check.h"

#include "base/random.h"

#define GI ((uint64_t)1 << 30)

enum { MANY = 150000 };

static struct trace_event events[MANY];

static struct trace_event event(uint64_t time_ns, enum operation op, uint64_t offset,
                                uint32_t length)
{
    return (struct trace_event){.time_ns = time_ns,
                                .op = (uint8_t)op,
                                .offset = offset,
                                .length = length,
                                .response_ns = TRACE_UNKNOWN};
}

static void make_many(unsigned processes)
{
    struct random random;
    uint64_t time_ns = 0;
    random_seed(&random, 3, 0);
    for (unsigned i = 0; i < MANY; i++) {
        time_ns += 1 + random_below(&random, 2000);
        events[i] = event(time_ns, random_below(&random, 4) ? OPERATION_READ : OPERATION_WRITE,
                          (uint64_t)i * 4096, 4096);
        events[i].process = 1 + (uint32_t)random_below(&random, processes);
        events[i].response_ns = 1000;
    }
    write_trace(events, MANY);
}

/* More events than the rings hold, at a given speed; one worker gets all of them in order. */
static void test_all_of_it(double speed)
{
    struct plan plan = replay_plan();
    plan.replay.speed = speed;
    struct replay *r = open_good(&plan);
    CHECK_INT(replay_largest(r), 65536);
    CHECK(!replay_writes(r));
    start_one(r, GI, 1, NULL);
    struct request_source source = replay_source(r, 0);
    struct generated_request next;
    source.ops->begin(source.state);
    CHECK(source.ops->at_once == !(speed > 0));
    unsigned wrong = 0, count = 0;
    for (; next_request(source, &next) && count < MANY; count++) {
        uint64_t since = events[count].time_ns - events[0].time_ns;
        uint64_t due = speed > 0 ? (uint64_t)((double)since / speed) : DUE_AT_ONCE;
        wrong += next.due_ns != due || next.offset != events[count].offset || next.length != 4096 ||
                 next.command != REQUEST_READ;
        if (count == 1000)
            CHECK(replay_done_share(r) > 0 && replay_done_share(r) < 0.5);
    }
    CHECK_INT(count, MANY);
    CHECK_INT(wrong, 0);
    const struct replay_counts *c = replay_counts(r);
    unsigned writes = 0;
    for (unsigned i = 0; i < MANY; i++)
        writes += events[i].op == OPERATION_WRITE;
    CHECK(c->ended);
    CHECK_INT(c->events, MANY);
    CHECK_INT(c->requests, MANY);
    CHECK_INT(c->taken, MANY);
    CHECK_INT(c->turned_reads, writes);
    CHECK_INT(c->span_ns, events[MANY - 1].time_ns - events[0].time_ns);
    CHECK_NEAR(replay_done_share(r), 1, 1e-12);
    CHECK_INT(replay_error(r)->code, ERR_NONE);
    replay_close(r);
}

struct sharing {
    uint8_t seen[MANY];
    unsigned count, twice, disordered, strayed;
    unsigned of_process[64]; /* the worker of each process, or UINT32_MAX */
    uint64_t taken[8], last[8];
};

/* If requests keep their times, each worker's are in order; a process belongs to one worker. */
static void note_request(struct sharing *s, unsigned worker, bool keep_order, uint64_t offset)
{
    uint64_t i = offset / 4096;
    if (i >= MANY || s->seen[i]++) {
        s->twice++;
        return;
    }
    unsigned *owner = &s->of_process[events[i].process % 64];
    s->strayed += keep_order && *owner != UINT32_MAX && *owner != worker;
    s->disordered += !keep_order && s->taken[worker] && i < s->last[worker];
    *owner = worker;
    s->last[worker] = i;
    s->taken[worker]++;
    s->count++;
}

/* Several workers share the events, each in order, none lost and none twice. */
static void test_workers(unsigned workers, bool keep_order)
{
    static struct sharing s;
    struct plan plan = replay_plan();
    plan.replay.keep_order = keep_order;
    plan.replay.speed = 0;
    struct replay *r = open_good(&plan);
    start_one(r, GI, workers, NULL);
    memset(&s, 0, sizeof s);
    memset(s.of_process, 0xff, sizeof s.of_process);
    unsigned ended = 0, last_ended = 1;
    for (unsigned w = 0; w < workers; w++)
        replay_source(r, w).ops->begin(replay_source(r, w).state);
    while (ended != last_ended || ended < workers) {
        last_ended = ended;
        ended = 0;
        for (unsigned w = 0; w < workers; w++) {
            struct request_source source = replay_source(r, w);
            struct generated_request next;
            enum source_state state = source.ops->peek(source.state, 0, &next);
            ended += state == SOURCE_ENDED;
            if (state == SOURCE_WAITING)
                pause_ns(20000);
            if (state != SOURCE_REQUEST)
                continue;
            source.ops->take(source.state);
            if (source.ops->completed)
                source.ops->completed(source.state, &next, 0, 0);
            note_request(&s, w, keep_order, next.offset);
        }
    }
    CHECK_INT(s.count, MANY);
    CHECK_INT(s.twice, 0);
    CHECK_INT(s.disordered, 0);
    CHECK_INT(s.strayed, 0);
    for (unsigned w = 0; w < workers; w++)
        CHECK(keep_order || llabs((long long)s.taken[w] - MANY / workers) <= 1);
    CHECK(replay_counts(r)->ended);
    replay_close(r);
}

static void test_operations(bool allowed, bool skips)
{
    struct trace_event all[] = {
        event(0, OPERATION_READ, 0, 4096),      event(10, OPERATION_WRITE, 4096, 4096),
        event(20, OPERATION_WRITE, 8192, 512),  event(30, OPERATION_SYNC, 0, 0),
        event(40, OPERATION_TRIM, 4096, 65536), event(50, OPERATION_READ, GI - 4096, 8192),
    };
    all[2].durable = 1;
    write_trace(all, sizeof all / sizeof *all);
    struct plan plan = replay_plan();
    plan.replay.allow_writes = allowed;
    plan.replay.skip_discards = skips;
    struct replay *r = open_good(&plan);
    const bool discards = allowed && !skips;
    CHECK(replay_writes(r) == allowed);
    CHECK(replay_discards(r) == discards && replay_has_discards(r) == discards);
    start_one(r, GI, 1, NULL);
    const uint8_t expected[] = {REQUEST_READ,  REQUEST_WRITE, REQUEST_WRITE_DURABLE,
                                REQUEST_FLUSH, REQUEST_TRIM,  REQUEST_READ};
    const uint8_t skipping[] = {REQUEST_READ, REQUEST_WRITE, REQUEST_WRITE_DURABLE, REQUEST_FLUSH,
                                REQUEST_READ};
    const uint8_t readers[] = {REQUEST_READ, REQUEST_READ, REQUEST_READ, REQUEST_READ};
    const uint8_t *commands = discards ? expected : allowed ? skipping : readers;
    const unsigned all_commands = discards ? 6 : allowed ? 5 : 4;
    struct generated_request next;
    unsigned count = 0;
    while (next_request(replay_source(r, 0), &next) && count < all_commands) {
        CHECK_INT(next.command, commands[count]);
        CHECK(next.length > 0 || next.command == REQUEST_FLUSH);
        if (next.command == REQUEST_TRIM)
            CHECK(next.offset == 4096 && next.length == 65536);
        count++;
    }
    CHECK_INT(count, all_commands);
    CHECK_INT(next.offset, GI - 8192);
    const struct replay_counts *c = replay_counts(r);
    CHECK_INT(c->events, 6);
    CHECK_INT(c->turned_reads, allowed ? 0 : 2);
    CHECK_INT(c->left_out[OPERATION_SYNC], allowed ? 0 : 1);
    CHECK_INT(c->left_out[OPERATION_TRIM], !discards);
    replay_close(r);
}

/* A trace with only discards writes; a large discard stays one request; on a target without
   discards they are left out. */
static void test_discards_alone(void)
{
    struct trace_event one = event(0, OPERATION_TRIM, 0, 512u << 20);
    struct generated_request next;
    struct plan plan = replay_plan();
    write_trace(&one, 1);
    plan.replay.allow_writes = true;
    struct replay *r = open_good(&plan);
    CHECK(replay_writes(r) && replay_has_discards(r));
    start_one(r, GI, 1, NULL);
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK(next.command == REQUEST_TRIM && next.length == 512u << 20);
    CHECK(!next_request(replay_source(r, 0), &next));
    CHECK_INT(replay_counts(r)->split, 0);
    replay_close(r);
    r = open_good(&plan);
    replay_leave_out_discards(r);
    start_one(r, GI, 1, NULL);
    CHECK(!next_request(replay_source(r, 0), &next));
    CHECK_INT(replay_counts(r)->left_out[OPERATION_TRIM], 1);
    replay_close(r);
}

/* Writing is permitted, but the whole trace is known to contain no write. */
static void test_nothing_is_written(void)
{
    struct trace_event one = event(0, OPERATION_READ, 0, 4096);
    write_trace(&one, 1);
    struct plan plan = replay_plan();
    plan.replay.allow_writes = true;
    struct replay *r = open_good(&plan);
    CHECK(!replay_writes(r));
    replay_close(r);
}

static void test_splitting(void)
{
    struct trace_event all[] = {event(0, OPERATION_READ, 4096, (5 << 20) / 2),
                                event(10, OPERATION_READ, 0, 200000),
                                event(20, OPERATION_READ, 0, 512)};
    write_trace(all, 3);
    struct plan plan = replay_plan();
    struct replay *r = open_good(&plan);
    CHECK_INT(replay_largest(r), 1 << 20);
    start_one(r, GI, 2, NULL);
    struct generated_request next[3];
    for (int i = 0; i < 3; i++)
        CHECK(next_request(replay_source(r, 0), &next[i]));
    CHECK_INT(next[0].offset, 4096);
    CHECK_INT(next[0].length, 1 << 20);
    CHECK_INT(next[1].offset, 4096 + (1 << 20));
    CHECK_INT(next[2].length, 1 << 19);
    CHECK_INT(next[2].due_ns, 0);
    CHECK(next_request(replay_source(r, 1), &next[0]));
    CHECK_INT(next[0].length, (200000 + 511) / 512 * 512);
    CHECK(next_request(replay_source(r, 0), &next[0]));
    CHECK(!next_request(replay_source(r, 0), &next[0]));
    CHECK(!next_request(replay_source(r, 1), &next[0]));
    CHECK_INT(replay_counts(r)->split, 1);
    CHECK_INT(replay_counts(r)->requests, 5);
    replay_close(r);

    write_trace(&all[1], 1);
    r = open_good(&plan);
    CHECK_INT(replay_largest(r), 256 << 10);
    replay_close(r);
}

static void test_levels(void)
{
    struct trace_event all[] = {event(0, OPERATION_READ, 4096, 4096),
                                event(7, OPERATION_READ, 8192, 8192),
                                event(30, OPERATION_READ, 0, 512)};
    all[0].level = TRACE_SYSCALL;
    write_trace(all, 3);
    struct plan plan = replay_plan();
    struct generated_request next;
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK_INT(next.offset, 8192);
    CHECK_INT(next.due_ns, 0); /* the first one of this level */
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK_INT(next.due_ns, 23);
    CHECK(!next_request(replay_source(r, 0), &next));
    CHECK_INT(replay_counts(r)->level_left_out, 1);
    replay_close(r);

    snprintf(plan.replay.level, sizeof plan.replay.level, "syscall");
    r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK_INT(next.offset, 4096);
    CHECK(!next_request(replay_source(r, 0), &next));
    replay_close(r);

    write_trace(&all[1], 2);
    open_refused(&plan, "--level syscall: it holds events of the level block only");
    write_trace(all, 1);
    plan.replay.level[0] = '\0';
    r = open_good(&plan);
    replay_close(r);
}

static void test_unplaced(void)
{
    struct trace_event all[] = {event(0, OPERATION_READ, 0, 4096),
                                event(5, OPERATION_READ, GI, 4096),
                                event(6, OPERATION_READ, 4096, 4096)};
    write_trace(all, 3);
    struct plan plan = replay_plan();
    plan.replay.mapping = MAP_NONE;
    struct replay *r = open_good(&plan);
    struct generated_request next;
    start_one(r, GI, 1, NULL);
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK_INT(next.offset, 4096);
    CHECK(!next_request(replay_source(r, 0), &next));
    CHECK_INT(replay_counts(r)->unplaced, 1);
    CHECK_INT(replay_counts(r)->unplaced_first, 2);
    CHECK(replay_counts(r)->ended);
    replay_close(r);
}

/* Devices are assigned to targets in turn; each target has its own workers. */
static void test_several_targets(void)
{
    struct trace_event all[12];
    for (unsigned i = 0; i < 12; i++) {
        all[i] = event(i, OPERATION_READ, i * 4096, 4096);
        all[i].device = (uint16_t)(i % 3);
    }
    write_trace(all, 12);
    struct plan plan = replay_plan();
    struct replay *r = open_good(&plan);
    uint64_t sizes[] = {GI, 4 * GI};
    struct replay_targets targets = {.sizes = sizes, .count = 2, .block = 512};
    struct err e = {0};
    CHECK_INT(replay_start(r, &targets, 1, NULL, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_INT(replay_start(r, &targets, 3, NULL, &e), 0);
    unsigned count[3] = {0};
    struct generated_request next;
    for (unsigned w = 0; w < 3; w++)
        while (next_request(replay_source(r, w), &next))
            count[w]++;
    CHECK_INT(count[1], 4); /* device 1 alone */
    CHECK_INT(count[0], 4); /* devices 0 and 2, alternating with the third worker */
    CHECK_INT(count[2], 4);
    replay_close(r);
}

static void test_backlog(void)
{
    struct trace_event all[100];
    for (unsigned i = 0; i < 100; i++)
        all[i] = event(1000 * i, OPERATION_READ, 4096 * i, 4096);
    write_trace(all, 100);
    struct plan plan = replay_plan();
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    struct request_source source = replay_source(r, 0);
    bool at_least = true;
    CHECK_INT(source.ops->backlog(source.state, 0, &at_least), 1);
    CHECK_INT(source.ops->backlog(source.state, 50500, &at_least), 51);
    CHECK(!at_least);
    CHECK_INT(source.ops->backlog(source.state, 1000000, &at_least), 100);
    struct generated_request next;
    for (unsigned i = 0; i < 60; i++)
        next_request(source, &next);
    CHECK_INT(source.ops->backlog(source.state, 70000, &at_least), 11);
    CHECK_INT(source.ops->backlog(source.state, 10, &at_least), 0);
    replay_close(r);
}

struct said {
    unsigned warnings;
    char words[2000];
};

static void note_words(void *context, bool warning, const char *words)
{
    struct said *said = context;
    size_t used = strlen(said->words);
    said->warnings += warning;
    snprintf(said->words + used, sizeof said->words - used, "%s\n", words);
}

static void check_programs(bool all_programs, uint64_t requests, unsigned warnings,
                           const char *words)
{
    struct plan plan = replay_plan();
    struct generated_request next;
    struct said said = {0};
    plan.replay.all_programs = all_programs;
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    while (next_request(replay_source(r, 0), &next)) {
    }
    replay_describe(r, note_words, &said);
    CHECK_INT(replay_counts(r)->taken, requests);
    CHECK_INT(said.warnings, warnings);
    if (!check_that(strstr(said.words, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    said: %s\n", said.words);
    replay_close(r);
}

/* Requests that others submitted while a program was recorded are not the program's. */
static void test_other_programs(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        events[i] = event(i * 1000u, OPERATION_READ, i * 4096u, 4096);
        events[i].foreign = i % 10 > 0;
    }
    write_trace(events, 1000);
    check_programs(false, 100, 1, "900 requests that the recorded program did not hand in");
    check_programs(true, 1000, 0, "900 requests were not handed in by the recorded program");
    /* only write-back by the page cache: that is replayed rather than nothing */
    for (unsigned i = 0; i < 1000; i++)
        events[i].foreign = 1;
    write_trace(events, 1000);
    check_programs(false, 1000, 1, "all requests were replayed");
}

/* A replay that is on time ends with the last due time, however uneven the requests are. */
static void test_schedule(void)
{
    const struct trace_event all[] = {
        event(0, OPERATION_READ, 0, 4096),
        event(1000000, OPERATION_READ, 4096, 4096),
        event(2000000000, OPERATION_READ, 0, 4096),
        event(16000000000, OPERATION_READ, 4096, 4096),
    };
    struct plan plan = replay_plan();
    struct replay_schedule s;
    struct generated_request next;
    write_trace(all, sizeof all / sizeof *all);
    plan.replay.speed = 2;
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    struct request_source source = replay_source(r, 0);
    source.ops->begin(source.state);
    for (int i = 0; i < 2; i++)
        CHECK(next_request(source, &next));
    CHECK(source.ops->peek(source.state, 600000000, &next) == SOURCE_REQUEST);
    CHECK(replay_schedule(r, 0.6, &s));
    CHECK_NEAR(s.late_seconds, 0, 0);
    CHECK_NEAR(s.left_seconds, 7.4, 1e-9);
    CHECK(replay_schedule(r, 3, &s)); /* a request due after 1 s is still waiting */
    CHECK_NEAR(s.late_seconds, 2, 1e-9);
    CHECK_NEAR(s.left_seconds, 7, 1e-9);
    while (next_request(source, &next))
        ;
    CHECK(replay_schedule(r, 9, &s));
    CHECK_NEAR(s.late_seconds, 0, 0);
    CHECK_NEAR(s.left_seconds, 0, 0);
    replay_close(r);

    plan.replay.speed = 0;
    r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    CHECK(!replay_schedule(r, 1, &s));
    replay_close(r);
}

int main(void)
{
    replay_folder();
    make_many(20);
    test_all_of_it(1);
    test_all_of_it(2.5);
    test_all_of_it(0);
    test_workers(1, false);
    test_workers(4, false);
    test_workers(3, true);
    test_operations(false, false);
    test_operations(true, false);
    test_operations(true, true);
    test_discards_alone();
    test_nothing_is_written();
    test_splitting();
    test_levels();
    test_other_programs();
    test_unplaced();
    test_several_targets();
    test_backlog();
    test_schedule();
    replay_folder_end();
    return check_result();
}
