/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watch on the machine: which bytes count for which part, means and peaks, the timeline, the
   record. */
#include "check.h"

#include <unistd.h>

#include "run/record/record.h"

enum { ARRAY, DISK_A, DISK_B, LINK_A, LINK_B, BRIDGE, PARTS };

static struct arena arena;
static struct contents live, loaded;
static struct monitor monitor;
static struct result result;

/* An array on two disks, each behind a link of its own, and a bridge that both share:
   md0 -> a, b; a -> link_a, b -> link_b; link_a, link_b -> bridge. */
static void make_path(struct watch *w)
{
    static const char *const names[PARTS] = {"md0", "a", "b", "link_a", "link_b", "bridge"};
    static const double limits[PARTS] = {NAN, NAN, NAN, 1000, 1000, 1500};
    static const int edges[][2] = {{ARRAY, DISK_A},  {ARRAY, DISK_B},  {DISK_A, LINK_A},
                                   {DISK_B, LINK_B}, {LINK_A, BRIDGE}, {LINK_B, BRIDGE}};
    struct inventory v = {0};
    static struct data_path path;
    path = (struct data_path){.limit_read = 1500,
                              .limit_write = 1500,
                              .limiting_read = BRIDGE,
                              .limiting_write = -1,
                              .complete = true};
    for (int i = 0; i < PARTS; i++) {
        int node = inventory_add_node(&v, i == DISK_A || i == DISK_B ? NODE_DISK : NODE_PCI_DEVICE,
                                      names[i], NULL, INVENTORY_NONE);
        path.parts[path.part_count++] =
            (struct data_path_part){.node = node,
                                    .limit_read = limits[i],
                                    .limit_write = limits[i],
                                    .is_target_device = i == DISK_A || i == DISK_B};
    }
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        path.edges[path.edge_count++] =
            (struct data_path_edge){.from = edges[i][0], .to = edges[i][1]};
    watch_path(w, &v, &path);
    inventory_free(&v);
}

enum { A_BUSY, A_READ, A_WRITE, B_READ, B_WRITE, CORE, INTERRUPTS, OTHER, HEAT, GAUGES };

static void make_gauges(void)
{
    static const char *const rows[GAUGES][2] = {
        {"a", "busy"},          {"a", "read"},    {"a", "write"},
        {"b", "read"},          {"b", "write"},   {"cpu1", "busy"},
        {"cpu1", "interrupts"}, {"cpu0", "busy"}, {"chip", "temperature"}};
    monitor = (struct monitor){0};
    for (int i = 0; i < GAUGES; i++) {
        struct gauge *g = &monitor.gauges[monitor.gauge_count++];
        *g = (struct gauge){.node = INVENTORY_NONE, .limit = NAN};
        snprintf(g->name, sizeof g->name, "%s", rows[i][0]);
        snprintf(g->key, sizeof g->key, "%s", rows[i][1]);
    }
}

static void set(int gauge, double value)
{
    struct gauge *g = &monitor.gauges[gauge];
    g->low = g->value = g->high = value;
}

static const struct result_part *part(const char *name)
{
    for (size_t i = 0; i < result.part_count; i++)
        if (!strcmp(result.parts[i].name, name))
            return &result.parts[i];
    CHECK(false);
    return &result.parts[0];
}

static void sample(struct record_writer *w, double seconds, bool counts)
{
    struct watch_sample s = watch_take(&monitor, seconds, counts);
    watch_add(&live.watch, &s);
    record_sample(w, &live.watch, &s);
}

/* 1 s at 400 + 500 bytes/s read, then 3 s at 800 + 600: means 700 and 575. */
static void check_values(void)
{
    CHECK_INT(result.part_count, PARTS + 2);
    CHECK_INT(result.edge_count, 6);
    CHECK_NEAR(result.path_limit_read, 1500, 0);
    CHECK_INT(result.limiting_read, BRIDGE);
    CHECK_INT(result.limiting_write, -1);
    CHECK_NEAR(part("a")->used_read, 700, 1e-6);
    CHECK_NEAR(part("link_a")->used_read, 700, 1e-6);
    CHECK_NEAR(part("link_b")->used_read, 575, 1e-6);
    CHECK_NEAR(part("bridge")->used_read, 1275, 1e-6);
    CHECK_NEAR(part("bridge")->used_write, 0, 0);
    CHECK_NEAR(part("md0")->used_read, 1275, 1e-6);
    CHECK(isnan(part("md0")->utilisation));
    CHECK_NEAR(part("link_a")->utilisation, 0.7, 1e-6);
    CHECK_NEAR(part("link_a")->peak, 0.8, 1e-6);
    CHECK(!part("link_a")->bottleneck);
    CHECK_NEAR(part("bridge")->utilisation, 0.85, 1e-6); /* 1275 of 1500 */
    CHECK_NEAR(part("bridge")->peak, 1400.0 / 1500, 1e-6);
    CHECK(part("bridge")->bottleneck);
    CHECK_NEAR(part("bridge")->saturated, 0.75, 1e-9); /* 3 of 4 s */
    CHECK_NEAR(part("link_a")->saturated, 0, 0);       /* at 80 %, not above */
    CHECK_NEAR(part("a")->utilisation, 1, 1e-6);
    /* a disk may be busy: it is the part under test */
    CHECK(!part("a")->bottleneck && part("a")->under_test);
    CHECK_STR(part("a")->measure, "busy time");
    CHECK_NEAR(part("cpu1")->utilisation, 0.95, 1e-6);
    CHECK(part("cpu1")->bottleneck && !part("cpu1")->on_path);
    CHECK_NEAR(part("cpu0")->utilisation, 0.99, 1e-6);
    CHECK(part("cpu0")->bottleneck); /* it is not known whose time it is */
    CHECK_INT(result.event_count, 1);
    CHECK_STR(result.events[0].text, "something happened");
    CHECK_INT(result.timeline.gauge_count, GAUGES);
    CHECK_INT(result.timeline.count, 2); /* time outside of measured rounds is not on it */
    CHECK_NEAR(result.timeline.begin[0], 10, 1e-12);
    CHECK_NEAR(result.timeline.end[1], 14, 1e-12);
    CHECK_NEAR((double)result.timeline.gauges[HEAT].mean[1], 50, 1e-6);
    CHECK_NEAR((double)result.timeline.gauges[A_READ].mean[1], 800, 1e-6);
}

static void means_and_record(void)
{
    struct record_writer w;
    struct err e = {0};
    char path[200];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/watch.%d", folder ? folder : "/tmp", (int)getpid());
    unlink(path);
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&live.plan);
    make_path(&live.watch);
    make_gauges();
    watch_gauges(&live.watch, &monitor, WORKERS_WORK);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    record_plan(&w, &live.plan);
    record_watch(&w, &live.watch);
    set(A_BUSY, 1);
    set(CORE, 0.95);
    set(INTERRUPTS, 0.25);
    set(OTHER, 0.99);
    set(HEAT, 50);
    sample(&w, 10, true); /* the first sample only starts the time */
    set(A_READ, 400);
    set(B_READ, 500);
    sample(&w, 11, true);
    set(A_READ, 800);
    set(B_READ, 600);
    sample(&w, 14, true);
    set(A_READ, 99999);
    set(HEAT, NAN);
    sample(&w, 15, false);
    watch_own(&live.watch, "cpu1", 0.6); /* 60 % by a worker, 25 % by interrupts: above 80 % */
    record_own(&w, &live.watch);
    watch_event(&live.watch, 12.5, "something happened");
    record_events(&w, &live.watch);
    record_end(&w, &live);
    record_close(&w);
    CHECK_INT(w.error.code, 0);

    memset(&result, 0, sizeof result);
    watch_result(&live.watch, false, &result);
    check_values();
    CHECK_INT(contents_init(&loaded, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(record_read(&loaded, path, &e), 0);
    CHECK_STR(e.msg, "");
    memset(&result, 0, sizeof result);
    watch_result(&loaded.watch, false, &result);
    check_values();
    unlink(path);
}

/* A core that another program keeps busy does not count. */
static void foreign_program(void)
{
    struct err e = {0};
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    make_gauges();
    watch_gauges(&live.watch, &monitor, WORKERS_WORK);
    for (int i = 0; i < GAUGES; i++)
        set(i, NAN);
    set(CORE, 1);
    set(INTERRUPTS, 0.1);
    for (int i = 0; i < 3; i++) {
        struct watch_sample s = watch_take(&monitor, i, true);
        watch_add(&live.watch, &s);
    }
    watch_own(&live.watch, "cpu1", 0.4);
    memset(&result, 0, sizeof result);
    watch_result(&live.watch, false, &result);
    CHECK_NEAR(part("cpu1")->utilisation, 1, 1e-6);
    CHECK(!part("cpu1")->bottleneck);
}

/* ---- saturation over time ---- */

enum { BUSY, SERVING, WORKERS, BUSY_BY_OTHERS, SERVING_OTHERS, WORKERS_ELSEWHERE, CORE_GAUGES };

/* The core of a worker and one that another program uses, each with its three gauges, and the path.
 */
static void make_cores(const char *record_path, struct record_writer *w)
{
    static const char *const keys[] = {"busy", "interrupts", "workers"};
    struct err e = {0};
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&live.plan);
    monitor = (struct monitor){.gauge_count = CORE_GAUGES + 1};
    for (int i = 0; i < CORE_GAUGES; i++) {
        struct gauge *g = &monitor.gauges[i];
        *g = (struct gauge){.node = INVENTORY_NONE, .limit = NAN};
        snprintf(g->name, sizeof g->name, "cpu%d", i / 3);
        snprintf(g->key, sizeof g->key, "%s", keys[i % 3]);
        set(i, 0);
    }
    monitor.gauges[CORE_GAUGES] = (struct gauge){
        .node = INVENTORY_NONE, .name = "a", .key = "read", .unit = "bytes/s", .limit = NAN};
    make_path(&live.watch);
    watch_gauges(&live.watch, &monitor, WORKERS_WORK);
    unlink(record_path);
    CHECK_INT(record_create(w, record_path, &arena, &e), 0);
    record_plan(w, &live.plan);
    record_watch(w, &live.watch);
}

/* The session and its record give exactly the same. */
static void finish(const char *record_path, struct record_writer *w)
{
    struct err e = {0};
    static struct result of_session;
    record_end(w, &live);
    record_close(w);
    CHECK_INT(w->error.code, 0);
    memset(&of_session, 0, sizeof of_session);
    watch_result(&live.watch, false, &of_session);
    CHECK_INT(contents_init(&loaded, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(record_read(&loaded, record_path, &e), 0);
    memset(&result, 0, sizeof result);
    watch_result(&loaded.watch, false, &result);
    CHECK_INT(of_session.part_count, result.part_count);
    for (size_t i = 0; i < result.part_count; i++) {
        const struct result_part *a = &of_session.parts[i], *b = &result.parts[i];
        CHECK(a->saturated == b->saturated || (isnan(a->saturated) && isnan(b->saturated)));
        CHECK_INT(a->bottleneck, b->bottleneck);
    }
    unlink(record_path);
}

/* Saturated during 5 of 9 s, in samples of various lengths: a mean of 57 %, and still the
   bottleneck. A link in 2 of 9 s is one, too; time between rounds does not count, nor does load by
   others. */
static void saturated_for_a_while(void)
{
    static const double lengths[] = {1, 0.6, 1.4, 0.25, 0.25, 0.5, 1, 1, 1, 0.5, 0.5, 0.5, 0.5};
    struct record_writer w;
    char path[200];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/watch.%d", folder ? folder : "/tmp", (int)getpid());
    make_cores(path, &w);
    double at = 3.3000000004;
    sample(&w, at, false);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double begin = at - 3.3;
        bool busy = begin < 4.9; /* until 5 s */
        set(BUSY, busy ? 1 : 0.04);
        set(SERVING, busy ? 0.1 : 0);
        set(WORKERS, busy ? 0.85 : 0.03);
        set(BUSY_BY_OTHERS, 1);
        set(WORKERS_ELSEWHERE, 0.3);
        set(CORE_GAUGES, begin > 6.9 ? 950 : 100); /* from 7 s on */
        at += lengths[i];
        sample(&w, at, true);
    }
    set(BUSY, 1);
    set(WORKERS, 1);
    set(CORE_GAUGES, 950);
    at += 30;
    sample(&w, at, false); /* the next round begins */
    finish(path, &w);
    CHECK_NEAR(part("cpu0")->saturated, 5.0 / 9, 1e-6);
    CHECK_NEAR(part("cpu0")->utilisation, (5 + 4 * 0.04) / 9, 1e-6);
    CHECK(part("cpu0")->bottleneck);
    CHECK_NEAR(part("cpu1")->utilisation, 1, 1e-6);
    CHECK_NEAR(part("cpu1")->saturated, 0, 0);
    CHECK(!part("cpu1")->bottleneck);
    CHECK_NEAR(part("link_a")->saturated, 2.0 / 9, 1e-6);
    CHECK(part("link_a")->bottleneck);
    CHECK_STR(result_bottleneck(&result, NULL)->name, "cpu0");
    CHECK_STR(result_bottleneck(&result, part("cpu0"))->name, "link_a");
    /* No counter measures b: its link shows the bridge's bytes. */
    CHECK_STR(result_bottleneck(&result, part("link_a"))->name, "link_b");
    CHECK(result_bottleneck(&result, part("link_b")) == NULL);

    /* A worker that only waits for its next due time is not a bottleneck; the link is. */
    watch_own(&live.watch, "cpu0", 0.5);
    memset(&result, 0, sizeof result);
    watch_result(&live.watch, true, &result);
    CHECK(!part("cpu0")->bottleneck && part("link_a")->bottleneck);
}

/* 16 % of the time is too little. Samples shorter than half a second are judged together. A part
   that exceeds its limit by more than clock errors explain has another limit. */
static void not_saturated(void)
{
    struct record_writer w;
    char path[200];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/watch.%d", folder ? folder : "/tmp", (int)getpid());
    make_cores(path, &w);
    for (int i = 0; i <= 100; i++) {
        set(BUSY, i % 2 ? 1 : 0.2);
        set(WORKERS, i % 2 ? 1 : 0.2);
        set(BUSY_BY_OTHERS, i > 84 ? 1 : 0.1);
        set(WORKERS_ELSEWHERE, i > 84 ? 1 : 0.1);
        set(CORE_GAUGES, i > 50 ? 1200 : 100); /* of 1000 */
        sample(&w, 1 + i * 0.125, i > 0);
    }
    finish(path, &w);
    CHECK_NEAR(part("cpu0")->utilisation, 0.6, 0.01);
    CHECK_NEAR(part("cpu0")->saturated, 0, 0);
    CHECK_NEAR(part("cpu1")->saturated, 0.16, 1e-6);
    CHECK_NEAR(part("cpu1")->peak, 1, 1e-6);
    CHECK_NEAR(part("link_a")->utilisation, 0.65, 0.01);
    CHECK(part("link_a")->saturated > 0.45);
    for (size_t i = 0; i < result.part_count; i++)
        CHECK(!result.parts[i].bottleneck || !strcmp(result.parts[i].name, "bridge"));
}

/* An hour of samples: the timeline stays within its room and keeps the first, the last, the lowest
   and the highest. */
static void folding(void)
{
    struct err e = {0};
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    make_gauges();
    watch_gauges(&live.watch, &monitor, WORKERS_WORK);
    for (int i = 0; i <= 36000; i++) {
        for (int g = 0; g < GAUGES; g++)
            set(g, NAN);
        set(HEAT, i == 20000 ? 99 : i == 30000 ? 1 : 40);
        struct watch_sample s = watch_take(&monitor, i * 0.1, true);
        watch_add(&live.watch, &s);
    }
    memset(&result, 0, sizeof result);
    watch_result(&live.watch, false, &result);
    const struct result_timeline *t = &result.timeline;
    CHECK(t->count > WATCH_INTERVALS / 3 && t->count <= WATCH_INTERVALS);
    CHECK_NEAR(t->begin[0], 0, 1e-9);
    CHECK_NEAR(t->end[t->count - 1], 3600, 1e-9);
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        low = fmin(low, (double)t->gauges[HEAT].low[i]);
        high = fmax(high, (double)t->gauges[HEAT].high[i]);
        sum += (double)t->gauges[HEAT].mean[i] * (t->end[i] - t->begin[i]);
        CHECK(i == 0 || fabs(t->begin[i] - t->end[i - 1]) < 1e-9);
    }
    CHECK_NEAR(low, 1, 0);
    CHECK_NEAR(high, 99, 0);
    CHECK_NEAR(sum / 3600, 40, 1e-3);
}

/* Only the bridge has a counter, as a network interface before a server's array: the distribution
   of its bytes over the links is unknown. */
static void ways_that_meet(void)
{
    static struct watch w;
    make_path(&w);
    monitor = (struct monitor){.gauge_count = 1};
    monitor.gauges[0] = (struct gauge){.node = INVENTORY_NONE, .limit = NAN};
    snprintf(monitor.gauges[0].name, sizeof monitor.gauges[0].name, "bridge");
    snprintf(monitor.gauges[0].key, sizeof monitor.gauges[0].key, "read");
    watch_gauges(&w, &monitor, WORKERS_WORK);
    CHECK(w.parts[BRIDGE].reads.bits[0] == 1);
    for (int i = ARRAY; i < BRIDGE; i++)
        CHECK(w.parts[i].reads.bits[0] == 0);
}

/* Processors beside the path without room are counted and named. */
static void more_than_fit(void)
{
    enum { CORES = 200 };
    static struct watch w;
    char words[WATCH_LEFT_OUT_BYTES];
    make_path(&w);
    monitor = (struct monitor){0};
    for (int i = 0; i < CORES; i++) {
        struct gauge *g = &monitor.gauges[monitor.gauge_count++];
        *g = (struct gauge){.node = INVENTORY_NONE, .limit = NAN};
        snprintf(g->name, sizeof g->name, "cpu%d", i);
        snprintf(g->key, sizeof g->key, "busy");
    }
    watch_left_out_words(&w, false, words);
    CHECK_STR(words, "");
    watch_gauges(&w, &monitor, WORKERS_WORK);
    CHECK_INT(w.part_count, RESULT_PARTS_MAX);
    CHECK_INT(w.parts_left_out, PARTS + CORES - RESULT_PARTS_MAX);
    watch_left_out_words(&w, false, words);
    CHECK_STR(words, "14 more disks, processors or sensors: there is no room to watch them");
    watch_left_out_words(&w, true, words);
    CHECK(strstr(words, "the data path has more than the 160 parts that fit"));
}

int main(void)
{
    struct err e = {0};
    CHECK_INT(arena_init(&arena,
                         8 * contents_bytes(OPERATION_SET_ALL, false) + 4 * RECORD_BUFFER + 65536,
                         &e),
              0);
    means_and_record();
    foreign_program();
    saturated_for_a_while();
    not_saturated();
    folding();
    ways_that_meet();
    more_than_fit();
    arena_free(&arena);
    return check_result();
}
