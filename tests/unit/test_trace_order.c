/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of events: within the window, beyond it, over the files of several processors; and the
   stages of requests that become events: merges, splits, failures, what is missing. */
#include "source/trace/internal.h"
#include "tests/unit/trace_check.h"
#include "tests/unit/trace_samples.h"

/* ---------------------------------------------------------------- the window */

static int compare_times(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns)
                                    : (x->number > y->number) - (x->number < y->number);
}

/* Compared with a stable sort, with many equal times; filled and emptied at random. */
static void window_sorts(uint64_t spread)
{
    enum { EVENTS = 50000 };
    struct random random;
    struct window *w = window_create();
    struct trace_event *events = calloc(EVENTS, sizeof *events), event;
    random_seed(&random, 3, spread);
    for (uint64_t i = 0; i < EVENTS; i++) {
        events[i].number = i + 1;
        events[i].time_ns = i / 3 + random_below(&random, spread);
        window_push(w, &events[i]);
    }
    qsort(events, EVENTS, sizeof *events, compare_times);
    for (size_t i = 0; i < EVENTS; i++) {
        CHECK(window_pop(w, &event));
        CHECK_INT(event.number, events[i].number);
    }
    CHECK(!window_pop(w, &event));
    free(events);
    window_free(w);
}

/* Makes `count` lines whose times are swapped so that each is at most `distance` lines late. */
static const char *disordered(size_t count, size_t distance)
{
    const char *path = trace_path("disordered");
    FILE *f = fopen(path, "we");
    for (size_t i = 0; f && i < count; i++) {
        size_t block = i - i % distance, reversed = block + distance - 1 - i % distance;
        fprintf(f, "1,R,%zu,512,%zu\n", i * 512, 1000000 + (reversed < count ? reversed : i));
    }
    if (f)
        fclose(f);
    return path;
}

static void order(void)
{
    struct read r;
    read_trace(&r, disordered(100000, 1000), NULL);
    CHECK_INT(r.count, 100000);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_REORDERED), 0);
    for (size_t i = 0; i < r.count; i++) {
        CHECK_INT(r.events[i].time_ns, i * 1000);
        CHECK_INT(r.events[i].offset / 512, i - i % 1000 + 999 - i % 1000);
    }
    read_end(&r);
}

/* Later than the window reaches: no event is lost, time never goes back, and it is counted. */
static void late(void)
{
    struct read r;
    const char *path = disordered(300000, 150000);
    read_trace(&r, path, NULL);
    CHECK_INT(r.error.code, ERR_NONE);
    CHECK_INT(r.count, 300000);
    CHECK_INT(read_left_out(&r), 0);
    uint64_t late_ones = read_skipped(&r, TRACE_SKIP_REORDERED);
    CHECK(late_ones >= 2 * (150000 - WINDOW_EVENTS) - 2 && late_ones < 300000);
    for (size_t i = 1; i < r.count; i++)
        CHECK(r.events[i].time_ns >= r.events[i - 1].time_ns);
    CHECK(strstr(trace_skipped(r.trace, TRACE_SKIP_REORDERED)->first_words, "65536 events"));
    read_end(&r);
    read_trace(&r, path, &(struct trace_options){.strict = true});
    CHECK_INT(r.error.code, ERR_USAGE);
    CHECK(strstr(r.error.msg, "disordered: event ") != NULL);
    CHECK(strstr(r.error.msg, "is earlier than what was read long before it") != NULL);
    struct trace_event event;
    struct err again = {0};
    CHECK_INT(trace_read(r.trace, &event, 1, &again), -1); /* and stays so */
    CHECK_STR(again.msg, r.error.msg);
    read_end(&r);
}

/* ---------------------------------------------------------------- several files */

/* The stages of many requests, distributed over processors at random: each file is in order. */
static void processors(void)
{
    enum { FILES = 7, EVENTS = 4000 };
    struct read r, one;
    FILE *f[FILES];
    struct random random, choice;
    struct trace_event event = {0};
    random_seed(&random, 5, 0);
    random_seed(&choice, 6, 0);
    for (int i = 0; i < FILES; i++) {
        char name[40];
        snprintf(name, sizeof name, "disk.blktrace.%d", i);
        f[i] = fopen(trace_path(name), "we");
    }
    unlink(trace_path("one"));
    sample_write(&sample_formats[1], trace_path("one"), EVENTS, 5);
    for (int i = 0; i < EVENTS; i++) {
        sample_next(&random, &event);
        for (int stage = 0; stage < SAMPLE_STAGES; stage++) {
            int to = (int)random_below(&choice, FILES - 1); /* one stays empty */
            sample_blktrace_record(f[to], &event, stage, false);
        }
    }
    for (int i = 0; i < FILES; i++)
        fclose(f[i]);
    read_trace(&one, trace_path("one"), NULL);

    read_trace(&r, trace_path("disk"), NULL);
    CHECK_STR(r.error.msg, "");
    CHECK_INT(r.count, EVENTS);
    CHECK_INT(read_left_out(&r), 0);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_REORDERED), 0);
    CHECK_INT(trace_bytes_total(r.trace), EVENTS * 5 * 48);
    for (size_t i = 0; i < r.count && i < one.count; i++) {
        CHECK_INT(r.events[i].time_ns, one.events[i].time_ns);
        CHECK_INT(r.events[i].response_ns, one.events[i].response_ns);
    }
    read_end(&r);

    read_trace(&r, trace_folder_path, NULL);
    CHECK_INT(r.count, EVENTS);
    read_end(&r);
    const char *two[] = {trace_path("disk.blktrace.1"), trace_path("disk.blktrace.0")};
    read_several(&r, two, 2, NULL);
    CHECK(r.count > 0 && r.count < EVENTS);
    read_end(&r);
    read_end(&one);
}

/* ---------------------------------------------------------------- stages of requests */

static bool take(struct match *m, enum match_stage stage, uint64_t time_ns, enum operation op,
                 uint64_t offset, uint32_t length)
{
    const struct trace_event record = {.time_ns = time_ns,
                                       .op = (uint8_t)op & 3,
                                       .offset = offset,
                                       .length = length,
                                       .response_ns = stage};
    return match_take(m, &record);
}

static void gives(struct match *m, uint64_t time_ns, uint64_t offset, uint64_t response_ns)
{
    struct trace_event event;
    CHECK(match_give(m, &event, false));
    CHECK_INT(event.time_ns, time_ns);
    CHECK_INT(event.offset, offset);
    CHECK_INT(event.response_ns, response_ns);
}

static void gives_nothing(struct match *m)
{
    struct trace_event event;
    CHECK(!match_give(m, &event, false));
}

static void merges_and_splits(void)
{
    struct match *m = match_create();
    /* Three requests merged in another order, one of them at the front. */
    take(m, MATCH_QUEUE, 10, OPERATION_WRITE, 8192, 4096);
    take(m, MATCH_QUEUE, 11, OPERATION_WRITE, 12288, 512);
    take(m, MATCH_QUEUE, 12, OPERATION_WRITE, 4096, 4096);
    take(m, MATCH_ISSUE, 20, OPERATION_WRITE, 4096, 8704);
    gives_nothing(m);
    CHECK(take(m, MATCH_COMPLETE, 50, OPERATION_WRITE, 4096, 8704));
    gives(m, 10, 8192, 30);
    gives(m, 11, 12288, 30);
    gives(m, 12, 4096, 30);
    gives_nothing(m);
    /* A request split in three, completed in another order, the last part in two steps. */
    take(m, MATCH_QUEUE, 100, OPERATION_READ, 0, 12288);
    take(m, MATCH_ISSUE, 101, OPERATION_READ, 0, 4096);
    take(m, MATCH_ISSUE, 102, OPERATION_READ, 4096, 4096);
    take(m, MATCH_ISSUE, 103, OPERATION_READ, 8192, 4096);
    CHECK(take(m, MATCH_COMPLETE, 110, OPERATION_READ, 8192, 4096));
    CHECK(take(m, MATCH_COMPLETE, 120, OPERATION_READ, 0, 4096));
    CHECK(take(m, MATCH_COMPLETE, 125, OPERATION_READ, 4096, 512));
    gives_nothing(m);
    CHECK(take(m, MATCH_COMPLETE, 131, OPERATION_READ, 4608, 3584));
    gives(m, 100, 0, 30);
    /* Requeued because the driver was busy, then issued again. */
    take(m, MATCH_QUEUE, 200, OPERATION_READ, 0, 512);
    take(m, MATCH_ISSUE, 201, OPERATION_READ, 0, 512);
    take(m, MATCH_ISSUE, 205, OPERATION_READ, 0, 512);
    CHECK(take(m, MATCH_COMPLETE, 210, OPERATION_READ, 0, 512));
    gives(m, 200, 0, 5);
    /* Only queue and completion events. */
    take(m, MATCH_QUEUE, 300, OPERATION_READ, 0, 512);
    CHECK(take(m, MATCH_COMPLETE, 340, OPERATION_READ, 0, 512));
    gives(m, 300, 0, 40);
    match_free(m);
}

static void same_bytes(void)
{
    struct match *m = match_create();
    /* A read and a write of the same range are distinguished, and so are lengths. */
    take(m, MATCH_QUEUE, 10, OPERATION_WRITE, 4096, 4096);
    take(m, MATCH_QUEUE, 11, OPERATION_READ, 4096, 4096);
    take(m, MATCH_QUEUE, 12, OPERATION_READ, 4096, 8192);
    take(m, MATCH_ISSUE, 20, OPERATION_READ, 4096, 4096);
    take(m, MATCH_ISSUE, 21, OPERATION_READ, 4096, 8192);
    take(m, MATCH_ISSUE, 22, OPERATION_WRITE, 4096, 4096);
    take(m, MATCH_COMPLETE, 32, OPERATION_WRITE, 4096, 4096);
    take(m, MATCH_COMPLETE, 40, OPERATION_READ, 4096, 4096);
    take(m, MATCH_COMPLETE, 50, OPERATION_READ, 4096, 8192);
    gives(m, 10, 4096, 10);
    gives(m, 11, 4096, 20);
    gives(m, 12, 4096, 29);
    /* A request whose completion was lost does not take that of a later one. */
    take(m, MATCH_QUEUE, 100, OPERATION_READ, 0, 512);
    take(m, MATCH_ISSUE, 101, OPERATION_READ, 0, 512);
    take(m, MATCH_QUEUE, 900, OPERATION_READ, 0, 512);
    take(m, MATCH_ISSUE, 901, OPERATION_READ, 0, 512);
    CHECK(take(m, MATCH_COMPLETE, 905, OPERATION_READ, 0, 512));
    struct trace_event event;
    CHECK(match_give(m, &event, true) && event.response_ns == TRACE_UNKNOWN);
    gives(m, 900, 0, 4);
    match_free(m);
}

static void without_asking(void)
{
    struct match *m = match_create();
    /* A trace of issues and completions alone. */
    CHECK(take(m, MATCH_ISSUE, 5, OPERATION_READ, 0, 4096));
    CHECK(take(m, MATCH_COMPLETE, 9, OPERATION_READ, 0, 4096));
    gives(m, 5, 0, 4);
    CHECK(!take(m, MATCH_COMPLETE, 10, OPERATION_READ, 0, 4096)); /* twice */
    /* If a trace has queue events, an issue without one begins no request. */
    take(m, MATCH_QUEUE, 20, OPERATION_READ, 8192, 512);
    CHECK(take(m, MATCH_ISSUE, 21, OPERATION_READ, 0, 4096));
    CHECK(!take(m, MATCH_COMPLETE, 22, OPERATION_READ, 0, 4096));
    take(m, MATCH_COMPLETE, 23, OPERATION_READ, 8192, 512);
    gives(m, 20, 8192, 3);
    gives_nothing(m);
    match_free(m);
}

/* Requests that never complete: the number in flight is bounded, and no event is lost. */
static void never_done(void)
{
    struct match *m = match_create();
    struct trace_event event;
    uint64_t given = 0, asked = 0;
    for (uint64_t i = 0; i < 4 * MATCH_REQUESTS; i++) {
        while (match_give(m, &event, false))
            CHECK_INT(event.time_ns, given++);
        /* All at the same place, the worst for looking things up. */
        take(m, MATCH_QUEUE, asked++, OPERATION_READ, 0, 512);
    }
    CHECK(given + MATCH_REQUESTS >= asked);
    while (match_give(m, &event, true)) {
        CHECK_INT(event.time_ns, given++);
        CHECK(event.response_ns == TRACE_UNKNOWN);
    }
    CHECK_INT(given, asked);
    CHECK(!take(m, MATCH_COMPLETE, asked, OPERATION_READ, 0, 512));
    match_free(m);
}

/* More parts than there is room for are not distinguished, without harm. */
static void too_many_parts(void)
{
    struct match *m = match_create();
    struct trace_event event;
    take(m, MATCH_QUEUE, 1, OPERATION_READ, 0, UINT32_MAX);
    for (uint64_t i = 0; i < 3 * MATCH_REQUESTS; i++)
        take(m, MATCH_ISSUE, 2 + i, OPERATION_READ, 512 * i, 512);
    CHECK(!match_give(m, &event, false));
    CHECK(match_give(m, &event, true) && event.length == UINT32_MAX);
    take(m, MATCH_QUEUE, 10, OPERATION_READ, 0, 512);
    take(m, MATCH_COMPLETE, 15, OPERATION_READ, 0, 512);
    gives(m, 10, 0, 5); /* all is free again */
    match_free(m);
}

int main(void)
{
    trace_folder();
    window_sorts(1);
    window_sorts(100);
    window_sorts(100000);
    order();
    late();
    processors();
    merges_and_splits();
    same_bytes();
    without_asking();
    never_done();
    too_many_parts();
    trace_folder_end();
    return check_result();
}
