/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following records: when an interval is complete, hosts that become silent and come back, wrong
   clocks; and that the final result equals a merge of the same records. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "fake_io.h"
#include "many/merge/follow.h"
#include "many/merge/internal.h"
#include "report/follow/follow_screen.h"
#include "run/record/record.h"
#include "tree.h"

#define SECOND     UINT64_C(1000000000)
#define BEGIN      (UINT64_C(1700000000) * SECOND)
#define IOS        10u
#define HOSTS      3
#define STALE      (10 * SECOND)
#define LATENCY_NS 100000u

static struct tree tree;
static struct arena arena;

/* A session that writes its record. */
struct session_host {
    struct record_writer w;
    struct round round;
    struct batch batch;
    uint64_t next_ns, latency_ns;
};

static struct session_host hosts[HOSTS];

static void host_begin(struct session_host *h, const char *name, uint64_t begin_ns,
                       uint64_t latency_ns)
{
    struct host_identity identity = {.boot_known = false};
    struct plan plan;
    struct err e = {0};
    char folder[20], file[40], path[TREE_PATH];
    *h = (struct session_host){.next_ns = begin_ns, .latency_ns = latency_ns};
    plan_init(&plan);
    snprintf(identity.name, sizeof identity.name, "%s", name);
    snprintf(folder, sizeof folder, "/%s", name);
    snprintf(file, sizeof file, "/%s/record.cupel", name);
    tree_folder(&tree, folder);
    CHECK_INT(record_create(&h->w, tree_path(&tree, path, file), &arena, &e), 0);
    record_plan(&h->w, &plan);
    record_host(&h->w, &identity);
    record_slice_length(&h->w, 1.0 / INTERVAL_SLICES);
    record_begin_round(&h->w, &h->round);
    record_flush(&h->w);
}

/* Measures that many more seconds, with IOS reads per slice. */
static void host_measure(struct session_host *h, unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++, h->next_ns += SECOND) {
        batch_clear(&h->batch);
        h->batch.wall_ns = h->next_ns;
        h->batch.slice_count = INTERVAL_SLICES;
        for (unsigned k = 0; k < INTERVAL_SLICES * IOS; k++)
            count_io(&h->batch.slices[k / IOS], &h->batch.latency[OPERATION_READ], REQUEST_READ,
                     h->latency_ns, 4096);
        record_batch(&h->w, &h->batch);
    }
    record_flush(&h->w);
}

static void host_end(struct session_host *h)
{
    static struct contents c;
    c.verdict = VERDICT_MEASURED;
    c.block_layer.iops.value = NAN;
    record_end_round(&h->w, &h->round);
    record_end(&h->w, &c);
    record_close(&h->w);
}

static struct follow *open_follow(struct merge_plan *plan, const char *const *folder)
{
    struct follow *f = NULL;
    struct err e = {0};
    *plan = (struct merge_plan){.inputs = folder, .input_count = 1, .interval_ns = SECOND};
    plan_init(&plan->statistics);
    CHECK_INT(follow_open(&f, plan, STALE, &e), 0);
    return f;
}

static void look(struct follow *f, unsigned seconds)
{
    struct err e = {0};
    CHECK_INT(follow_look(f, seconds * SECOND, &e), 0);
}

/* Checks that the next interval is that one, with that many hosts in it. */
static void check_next(struct follow *f, unsigned second, unsigned of)
{
    struct followed_interval interval = {0};
    CHECK(follow_next(f, &interval));
    CHECK_INT(interval.begin_ns, BEGIN + second * SECOND);
    CHECK_INT(interval.ios, (uint64_t)of * INTERVAL_SLICES * IOS);
    CHECK(fabs(interval.seconds - 1) < 1e-9);
    CHECK(fabs(interval.io_rate - (double)interval.ios) < 1e-6);
    CHECK(interval.p99 > LATENCY_NS * 0.99 && interval.p99 < 2 * LATENCY_NS * 1.01);
}

static void check_none(struct follow *f)
{
    struct followed_interval interval;
    CHECK(!follow_next(f, &interval));
    CHECK(!follow_is_over(f));
}

static void check_states(struct follow *f, size_t running, size_t silent, size_t ended)
{
    struct followed now = {.records = 0};
    struct err e = {0};
    CHECK_INT(follow_describe(f, &now, &e), 0);
    CHECK_INT(now.in_state[FOLLOWED_RUNNING], running);
    CHECK_INT(now.in_state[FOLLOWED_SILENT], silent);
    CHECK_INT(now.in_state[FOLLOWED_ENDED], ended);
    CHECK_INT(now.records, running + silent + ended);
    CHECK_INT(now.hosts, now.records);
}

/* Checks that every source and every interval is the same. */
static void check_like_merge(const struct merge *m, const struct merge_plan *plan)
{
    struct merge *other = NULL;
    struct err e = {0};
    CHECK_INT(merge_run(&other, plan, &e), 0);
    if (!other)
        return;
    CHECK_INT(m->source_count, other->source_count);
    CHECK_INT(m->timeline.count, other->timeline.count);
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *a = &m->sources[i], *b = &other->sources[i];
        CHECK(!strcmp(a->host, b->host) && !memcmp(a->identity, b->identity, sizeof a->identity));
        CHECK_INT(a->begin_ns, b->begin_ns);
        CHECK_INT(a->end_ns, b->end_ns);
        CHECK_INT(a->op[OPERATION_READ].sum.ios, b->op[OPERATION_READ].sum.ios);
        CHECK_INT(a->op[OPERATION_READ].latency.n, b->op[OPERATION_READ].latency.n);
        CHECK_INT(a->op[OPERATION_READ].latency.used, b->op[OPERATION_READ].latency.used);
        CHECK_INT(a->cut_short, b->cut_short);
    }
    for (size_t i = 0; i < m->timeline.count; i++) {
        CHECK_INT(m->timeline.intervals[i]->number, other->timeline.intervals[i]->number);
        CHECK_INT(m->timeline.intervals[i]->op[OPERATION_READ].n,
                  other->timeline.intervals[i]->op[OPERATION_READ].n);
    }
    merge_free(other);
}

/* The screen fits a terminal, and the line contains the necessary values. */
static void check_pages(struct follow *f)
{
    const struct report_style style = {.full = true, .width = 80};
    struct followed now = {.records = 0};
    struct err e = {0};
    struct text screen = {0}, line = {0};
    size_t lines = 0, columns = 0;
    CHECK_INT(follow_describe(f, &now, &e), 0);
    follow_screen(&now, &style, &screen);
    follow_line(&now, &now.last, &line);
    for (size_t i = 0; i < screen.length; i++) {
        columns = screen.data[i] == '\n' ? 0 : columns + 1;
        lines += screen.data[i] == '\n';
        CHECK(columns <= 80);
    }
    CHECK(lines <= 22);
    CHECK(strstr(screen.data, "WATCHING: ") && strstr(screen.data, "silent: b for 10.0 s"));
    CHECK(strstr(screen.data, "2 hosts: 1 running, 1 silent"));
    CHECK(strstr(screen.data, "b 200 us, a 100 us"));
    CHECK(strstr(line.data, "2023-11-14T22:13:25Z  IOPS 50") == line.data);
    CHECK(strstr(line.data, "2 hosts: 1 running, 1 silent; silent: b for 10.0 s\n"));
    text_free(&screen);
    text_free(&line);
}

static void check_two_hosts(void)
{
    struct merge_plan plan;
    struct err e = {0};
    const char *const folder = tree.folder;
    struct follow *f = open_follow(&plan, &folder);
    struct merge *m = NULL;
    look(f, 0);
    check_none(f);
    CHECK(!follow_has_readings(f));
    host_begin(&hosts[0], "a", BEGIN, LATENCY_NS);
    host_begin(&hosts[1], "b", BEGIN, 2 * LATENCY_NS);
    look(f, 1);
    check_none(f);
    /* the slower host decides */
    host_measure(&hosts[0], 3);
    host_measure(&hosts[1], 1);
    look(f, 2);
    check_next(f, 0, 2);
    check_none(f);
    look(f, 3);
    check_none(f);
    host_measure(&hosts[1], 2);
    look(f, 4);
    check_next(f, 1, 2);
    check_next(f, 2, 2);
    check_none(f);
    check_states(f, 2, 0, 0);
    /* b stays silent: after 10 s the others continue without it */
    host_measure(&hosts[0], 2);
    look(f, 10);
    check_none(f);
    host_measure(&hosts[0], 1);
    look(f, 14);
    check_next(f, 3, 1);
    check_next(f, 4, 1);
    check_next(f, 5, 1);
    check_none(f);
    check_states(f, 1, 1, 0);
    check_pages(f);
    /* it comes back: its new data counts, and intervals shown already do not change */
    host_measure(&hosts[1], 5);
    host_measure(&hosts[0], 1);
    look(f, 15);
    check_states(f, 2, 0, 0);
    check_next(f, 6, 2);
    check_none(f);
    /* a host that has ended is not waited for */
    host_end(&hosts[0]);
    look(f, 16);
    check_states(f, 1, 0, 1);
    check_next(f, 7, 1);
    host_end(&hosts[1]);
    look(f, 17);
    CHECK(follow_is_over(f));
    CHECK_INT(follow_end(f, &m, &e), 0);
    check_like_merge(m, &plan);
    merge_free(m);
    follow_free(f);
}

/* One clock is an hour behind: nobody waits for that host. One record breaks off, and then
   following ends. */
static void check_wrong_clock(void)
{
    struct merge_plan plan;
    struct err e = {0};
    const char *const folder = tree.folder;
    struct follow *f = open_follow(&plan, &folder);
    struct followed_interval interval;
    struct merge *m = NULL;
    host_begin(&hosts[0], "a", BEGIN, LATENCY_NS);
    host_begin(&hosts[1], "b", BEGIN, LATENCY_NS);
    host_begin(&hosts[2], "c", BEGIN - 3600 * SECOND, LATENCY_NS);
    for (int i = 0; i < HOSTS; i++)
        host_measure(&hosts[i], 2);
    look(f, 1);
    for (int i = 0; i < 2; i++) {
        CHECK(follow_next(f, &interval));
        CHECK_INT(interval.begin_ns, BEGIN - (3600 - (unsigned)i) * SECOND);
    }
    check_next(f, 0, 2);
    check_next(f, 1, 2);
    check_none(f);
    host_end(&hosts[0]);
    host_end(&hosts[1]);
    record_close(&hosts[2].w); /* killed */
    look(f, 2);
    CHECK(!follow_is_over(f));
    look(f, 12);
    CHECK(follow_is_over(f));
    check_states(f, 0, 1, 2);
    CHECK_INT(follow_end(f, &m, &e), 0);
    check_like_merge(m, &plan);
    size_t cut = 0;
    for (size_t i = 0; i < m->source_count; i++)
        cut += m->sources[i].cut_short;
    CHECK_INT(cut, 1);
    merge_free(m);
    follow_free(f);
}

/* A limit counts as broken after two intervals that break it, and as kept again after two that keep
   it. */
static void check_now(struct follow *f, bool p90, bool iops, unsigned since)
{
    const struct report_style style = {.full = true, .width = 80};
    struct followed now = {.records = 0};
    struct followed_interval interval;
    struct err e = {0};
    struct text screen = {0}, line = {0};
    look(f, 1);
    while (follow_next(f, &interval))
        continue;
    CHECK_INT(follow_describe(f, &now, &e), 0);
    CHECK_INT(now.limits->count, 4);
    CHECK_INT(now.of_limit[0].broken, p90);
    CHECK_INT(now.of_limit[1].broken, iops);
    /* too few readings; another length */
    CHECK(!now.of_limit[2].broken && !now.of_limit[3].broken);
    if (p90)
        CHECK_INT(now.of_limit[0].since_ns, BEGIN + since * SECOND);
    follow_screen(&now, &style, &screen);
    follow_line(&now, &now.last, &line);
    CHECK_INT(strstr(screen.data, "read.p90<1ms is broken now, since 22:13:25Z") != NULL, p90);
    CHECK_INT(strstr(line.data, "broken now: read.p90<1ms") != NULL, p90);
    text_free(&screen);
    text_free(&line);
}

static void check_limits(void)
{
    struct merge_plan plan = {.interval_ns = SECOND};
    struct err e = {0};
    const char *const folder = tree.folder;
    struct follow *f = NULL;
    struct session_host *h = &hosts[0];
    plan.inputs = &folder;
    plan.input_count = 1;
    plan_init(&plan.statistics);
    snprintf(plan.statistics.ending.sla, sizeof plan.statistics.ending.sla,
             "read.p90<1ms, iops>49, read.p99<1ms, read.p90<1ms per 3s in 90%%");
    CHECK_INT(follow_open(&f, &plan, STALE, &e), 0);
    host_begin(h, "a", BEGIN, LATENCY_NS);
    host_measure(h, 5);
    check_now(f, false, false, 0);
    h->latency_ns = 10000000;
    host_measure(h, 1);
    check_now(f, false, false, 0);
    host_measure(h, 1);
    check_now(f, true, false, 5);
    h->latency_ns = LATENCY_NS;
    host_measure(h, 1);
    check_now(f, true, false, 5);
    host_measure(h, 1);
    check_now(f, false, false, 0);
    host_end(h);
    follow_free(f);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init_untouched(&arena, 8 * RECORD_BUFFER, &e), 0);
    tree_begin(&tree);
    check_two_hosts();
    tree_end(&tree);
    tree_begin(&tree);
    check_wrong_clock();
    tree_end(&tree);
    tree_begin(&tree);
    check_limits();
    tree_end(&tree);
    arena_free(&arena);
    return check_result();
}
