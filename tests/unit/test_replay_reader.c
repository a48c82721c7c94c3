/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of a replay: what it reads before the start, slow and endless pipes, bad input, and an
   end at any time. */
#include "replay_check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#define GI ((uint64_t)1 << 30)

enum { MANY = 80000 }; /* more than is read before the start */

static struct trace_event events[MANY];

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Makes one write, one long request and one far address, all after the part that is read first. */
static void make_surprise(unsigned devices)
{
    for (unsigned i = 0; i < MANY; i++)
        events[i] = (struct trace_event){.time_ns = i * 1000u,
                                         .offset = 4096,
                                         .length = 4096,
                                         .device = (uint16_t)(i % devices),
                                         .response_ns = TRACE_UNKNOWN};
    events[MANY - 9].op = OPERATION_WRITE;
    events[MANY - 8].length = 400000;
    events[MANY - 7].offset = 8 * GI - 4096;
    write_trace(events, MANY);
}

static uint64_t offset_of_last(const struct plan *plan, uint64_t target_size, unsigned from_end)
{
    struct replay *r = open_good(plan);
    struct generated_request next = {0};
    start_one(r, target_size, 1, NULL);
    for (unsigned i = 0; i <= MANY - from_end; i++)
        next_request(replay_source(r, 0), &next);
    replay_close(r);
    return next.offset;
}

static void test_what_is_looked_at(void)
{
    make_surprise(1);
    struct plan plan = replay_plan();
    plan.replay.allow_writes = true;
    struct replay *r = open_good(&plan);
    CHECK(replay_writes(r)); /* nobody knows yet */
    CHECK_INT(replay_largest(r), 65536);
    replay_close(r);

    /* --map scale has to know the largest address, so the whole trace is read before */
    plan.replay.mapping = MAP_SCALE;
    r = open_good(&plan);
    CHECK_INT(replay_largest(r), 512 << 10);
    replay_close(r);
    CHECK_INT(offset_of_last(&plan, GI, 7), GI - 4096);
    /* then it is not read twice, and the long request is split into 7 parts */
    plan.replay.extent = 16 * GI;
    CHECK_INT(offset_of_last(&plan, GI, 1), (GI / 2 - 256) / 4096 * 4096);

    /* where one device's share ends and the next begins must be known, too */
    make_surprise(2);
    plan = replay_plan();
    CHECK(offset_of_last(&plan, 16 * GI, 7) >= 7 * GI);
}

/* The observer gets every event once, in order, before it is issued. */
struct seen {
    unsigned count, wrong;
};

static void observe(void *context, const struct trace_event *event, uint64_t due_ns)
{
    struct seen *seen = context;
    seen->wrong += event->time_ns != seen->count * 1000ull || due_ns != event->time_ns / 2;
    seen->count++;
}

static void test_observer(void)
{
    make_surprise(1);
    struct plan plan = replay_plan();
    plan.replay.speed = 2;
    struct replay *r = open_good(&plan);
    struct seen seen = {0};
    struct replay_observer observer = {observe, &seen};
    struct generated_request next;
    start_one(r, GI, 2, &observer);
    while (next_request(replay_source(r, 0), &next) && next_request(replay_source(r, 1), &next))
        ;
    CHECK_INT(seen.count, MANY);
    CHECK_INT(seen.wrong, 0);
    replay_close(r);
}

static const char bad_middle[] = "128166372003061629,hm,1,Read,4096,8192,100\n"
                                 "128166372003061630,hm,1,Read,8192,oops,100\n"
                                 "128166372003061639,hm,1,Write,12288,4096,100\n";

struct said {
    char words[2000];
    unsigned warnings;
};

static void note_words(void *context, bool warning, const char *words)
{
    struct said *said = context;
    size_t used = strlen(said->words);
    snprintf(said->words + used, sizeof said->words - used, "%s\n", words);
    said->warnings += warning;
}

static void test_bad_events(void)
{
    write_text(bad_middle);
    struct plan plan = replay_plan();
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    struct generated_request next;
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK(next_request(replay_source(r, 0), &next));
    CHECK_INT(next.due_ns, 1000);
    CHECK(!next_request(replay_source(r, 0), &next));
    CHECK(replay_counts(r)->ended);
    struct said said = {0};
    replay_describe(r, note_words, &said);
    CHECK_INT(replay_counts(r)->events, 2);
    CHECK(strstr(said.words, "trace, event 2: it cannot be read") != NULL);
    CHECK(strstr(said.words, "oops") != NULL);
    CHECK(strstr(said.words, "1 write was issued as reads") != NULL);
    CHECK_INT(said.warnings, 2);
    replay_close(r);

    plan.replay.strict = true;
    open_refused(&plan, "event 2");
    /* also if it comes late: a file is read completely before anything is issued */
    FILE *f = fopen(trace_path, "w");
    for (unsigned i = 0; f && i < MANY; i++)
        fprintf(f, "%llu,hm,1,Read,4096,4096,100\n", 128166372003061629ull + i);
    if (f) {
        fputs("nonsense\n", f);
        fclose(f);
    }
    open_refused(&plan, "event 80001");
}

static void test_nothing_to_replay(void)
{
    struct plan plan = replay_plan();
    write_text("");
    open_refused(&plan, "trace: it is empty");
    write_text("this is no trace of anything\n");
    open_refused(&plan, "trace: no trace in a format that is known");
    unlink(trace_path);
    open_refused(&plan, trace_path);
    snprintf(plan.replay.trace, sizeof plan.replay.trace, "/nonexistent/trace");
    open_refused(&plan, "/nonexistent/trace");
    plan = replay_plan();
    struct trace_event discard = {.op = OPERATION_TRIM, .offset = 0, .length = 4096};
    write_trace(&discard, 1);
    open_refused(&plan, "no read, write or flush");
}

/* ---- pipes ---- */

struct feeder {
    pthread_t thread;
    unsigned first, second; /* lines written at once, and after a pause */
    long pause_ms;
    bool stay; /* open until told */
    _Atomic bool stop;
};

static void feed_lines(FILE *f, unsigned from, unsigned count)
{
    for (unsigned i = from; i < from + count; i++)
        fprintf(f, "%llu,hm,1,Read,%u,4096,100\n", 128166372003061629ull + 10ull * i, i * 4096);
    fflush(f);
}

static void *feed(void *argument)
{
    struct feeder *feeder = argument;
    FILE *f = fopen(trace_path, "w");
    if (!f)
        return NULL;
    feed_lines(f, 0, feeder->first);
    for (long i = 0; i < feeder->pause_ms && !feeder->stop; i++)
        pause_ns(1000000);
    feed_lines(f, feeder->first, feeder->second);
    while (feeder->stay && !feeder->stop)
        pause_ns(1000000);
    fclose(f);
    return NULL;
}

static void begin_feeding(struct feeder *feeder)
{
    unlink(trace_path);
    if (mkfifo(trace_path, 0600) || pthread_create(&feeder->thread, NULL, feed, feeder))
        exit(1);
}

static void end_feeding(struct feeder *feeder)
{
    feeder->stop = true;
    pthread_join(feeder->thread, NULL);
    unlink(trace_path);
}

static void test_pipe(void)
{
    struct feeder feeder = {.first = 140000, .second = 70000, .pause_ms = 500};
    begin_feeding(&feeder);
    struct plan plan = replay_plan();
    plan.replay.mapping = MAP_SCALE; /* a pipe cannot be read twice */
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    struct request_source source = replay_source(r, 0);
    struct generated_request next;
    unsigned count = 0;
    double begun = seconds();
    source.ops->begin(source.state);
    for (;;) {
        uint64_t now_ns = (uint64_t)((seconds() - begun) * 1e9);
        enum source_state state = source.ops->peek(source.state, now_ns, &next);
        if (state == SOURCE_ENDED)
            break;
        if (state == SOURCE_WAITING) {
            CHECK(next.due_ns > now_ns && next.due_ns < now_ns + 1000000);
            pause_ns(50000);
            continue;
        }
        source.ops->take(source.state);
        count++;
    }
    CHECK_INT(count, 210000);
    const struct replay_counts *c = replay_counts(r);
    CHECK(c->ended);
    /* late events were due long before: the cause is the reader, that is the pipe */
    CHECK(c->starved_ns > 50000000 && c->starved_ns < 5000000000u);
    struct said said = {0};
    replay_describe(r, note_words, &said);
    CHECK(strstr(said.words, "slower than replaying it") != NULL);
    CHECK(strstr(said.words, "--extent") != NULL);
    replay_close(r);
    end_feeding(&feeder);
}

/* A pipe that brings little and stays open: the replay begins with that, and can be closed. */
static void test_endless_pipe(void)
{
    struct feeder feeder = {.first = 140000, .second = 10, .pause_ms = 60000, .stay = true};
    begin_feeding(&feeder);
    struct plan plan = replay_plan();
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    struct generated_request next;
    CHECK(next_request(replay_source(r, 0), &next));
    double begun = seconds();
    CHECK(!replay_counts(r)->ended);
    replay_close(r);
    CHECK(seconds() - begun < 5);
    end_feeding(&feeder);
}

/* A pipe that brings nothing, and a user who stops the replay. */
static void *stop_soon(void *argument)
{
    volatile sig_atomic_t *stop = argument;
    pause_ns(200000000);
    *stop = 2;
    return NULL;
}

static void count_progress(void *context, double share)
{
    (void)share;
    ++*(unsigned *)context;
}

static void test_stopped_while_looking(void)
{
    struct feeder feeder = {.stay = true};
    begin_feeding(&feeder);
    struct plan plan = replay_plan();
    volatile sig_atomic_t stop = 0;
    unsigned shown = 0;
    struct replay_watch watch = {&stop, count_progress, &shown};
    pthread_t stopper;
    pthread_create(&stopper, NULL, stop_soon, (void *)&stop);
    struct replay *r = NULL;
    struct err e = {0};
    double begun = seconds();
    CHECK_INT(replay_open(&r, &plan, &watch, &e), -1);
    CHECK_INT(e.code, ERR_UNDECIDED);
    CHECK(seconds() - begun < 5);
    CHECK(shown > 0);
    pthread_join(stopper, NULL);
    end_feeding(&feeder);
}

/* Closed before it was started, and with full rings. */
static void test_closed_early(void)
{
    make_surprise(1);
    struct plan plan = replay_plan();
    replay_close(open_good(&plan));
    struct replay *r = open_good(&plan);
    start_one(r, GI, 4, NULL);
    replay_stop(r);
    const struct replay_counts *c = replay_counts(r);
    CHECK(!c->ended);
    CHECK_INT(c->taken, 0);
    CHECK(c->requests > 60000 && c->requests < MANY);
    replay_close(r);
    replay_close(NULL);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* for the feeding processes, when a replay ends first */
    replay_folder();
    test_what_is_looked_at();
    test_observer();
    test_bad_events();
    test_nothing_to_replay();
    test_pipe();
    test_endless_pipe();
    test_stopped_while_looking();
    test_closed_early();
    replay_folder_end();
    return check_result();
}
