/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slowest requests: which of them waited together, and what is said about the machine at that
   time. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/result/internal.h"

#define MS UINT64_C(1000000)

static struct contents *c;
static struct result *r;
static const struct round usual = {
    .total.op[OPERATION_READ] = {.ios = 1000, .latency_ns = 1000 * MS}};

static const double begins[] = {0, 2, 4}, ends[] = {2, 4, 6};
static const float hot[] = {60, 71, 65}, warm[] = {50, 50, 50}, events[] = {0, 3, 0},
                   busy[] = {0.4F, 0.9F, 0.4F}, workers[] = {0.4F, 0.3F, 0.4F},
                   writes[] = {0, 5e6F, 0};

static void add_gauge(const char *node, const char *key, double limit, const float *values)
{
    struct result_gauge *g = &r->timeline.gauges[r->timeline.gauge_count++];
    snprintf(g->node, sizeof g->node, "%s", node);
    snprintf(g->key, sizeof g->key, "%s", key);
    g->limit = limit;
    g->low = g->mean = g->high = values;
}

static void begin(void)
{
    memset(c, 0, sizeof *c);
    memset(r, 0, sizeof *r);
    r->total_count = 1;
    snprintf(r->totals[0].op, sizeof r->totals[0].op, "read");
    c->measurement.rounds[0] = usual;
    c->measurement.round_count = 1;
    r->timeline.begin = begins;
    r->timeline.end = ends;
}

static void watch(void)
{
    r->timeline.count = 3;
    add_gauge("nvme0", "temperature", 70, hot);
    add_gauge("cpu", "temperature", NAN, warm);
}

static void add_slow(uint64_t begin_ns, uint64_t latency_ns)
{
    c->slow[c->slow_count++] = (struct result_slow){
        .op = "read", .length = 4096, .job = 1, .begin_ns = begin_ns, .latency_ns = latency_ns};
}

/* Seventeen that wait for one thing, a single one before, and two that follow each other. */
static void check_stalls(void)
{
    begin();
    watch();
    for (uint64_t i = 0; i < 17; i++)
        add_slow(3200 * MS + i, (212 - i) * MS);
    add_slow(1000 * MS, 20 * MS);
    add_slow(5000 * MS, 10 * MS);
    add_slow(5009 * MS, 10 * MS);
    summary_add_slowest(r, c);
    CHECK_INT(r->slow_count, 20);
    CHECK_INT(r->stall_count, 3);
    CHECK_INT(r->stalls[0].requests, 17);
    CHECK(r->stalls[0].one_wait && r->stalls[0].stands_out);
    CHECK_NEAR(r->stalls[0].begin_seconds, 3.2, 1e-9);
    CHECK_NEAR(r->stalls[0].seconds, 0.212, 1e-6);
    CHECK_STR(r->stalls[0].beside, "temperature of nvme0 71 C, its limit is 70 C");
    CHECK_INT(r->stalls[1].requests, 1);
    CHECK_STR(r->stalls[1].beside, "temperature of nvme0 60 C");
    CHECK_INT(r->stalls[2].requests, 2);
    CHECK(!r->stalls[2].one_wait);
    for (size_t i = 0; i < 20; i++)
        CHECK_INT(r->slow[i].stall, i < 17 ? 1 : i < 18 ? 2 : 3);
}

/* Everything that was watched has its text. */
static void check_moment(void)
{
    begin();
    watch();
    add_gauge("cpu", "throttled", NAN, events);
    add_gauge("cpu3", "busy", NAN, busy);
    add_gauge("cpu3", "workers", NAN, workers);
    add_gauge("nvme0n1", "write", NAN, writes);
    r->part_count = 1;
    r->parts[0].under_test = true;
    snprintf(r->parts[0].name, sizeof r->parts[0].name, "nvme0n1");
    c->suspension_count = 1;
    c->suspensions[0] = (struct suspended){3.25, 0.5};
    r->event_count = 2;
    r->events[0] = (struct result_event){3.4, "its link trained again"};
    r->events[1] = (struct result_event){5.4, "much later"};
    add_slow(3200 * MS, 100 * MS);
    summary_add_slowest(r, c);
    CHECK_STR(r->stalls[0].beside,
              "temperature of nvme0 71 C, its limit is 70 C; cpu throttled for heat, 3 events/s; "
              "other programs had cpu3 for 60 % of the time; other programs wrote 5 MB/s to "
              "nvme0n1; this program was stopped for 0.50 s; its link trained again");
}

/* Unknown facts are reported as unknown. */
static void check_unwatched(void)
{
    begin();
    add_slow(3200 * MS, 5 * MS);
    summary_add_slowest(r, c);
    CHECK_STR(r->stalls[0].beside, "the machine was not watched");
    CHECK(!r->stalls[0].stands_out); /* only five times the mean */
    begin();
    watch();
    add_slow(9000 * MS, 50 * MS);
    summary_add_slowest(r, c);
    CHECK_STR(r->stalls[0].beside, "no sample of the machine within 0.5 s");
    CHECK(r->stalls[0].stands_out == false); /* a single request, and not long */
    begin();
    summary_add_slowest(r, c);
    CHECK(r->stall_count == 0 && !r->stalls[0].stands_out);
}

/* More stalls than are kept: the longest are kept, and requests of the others belong to none. */
static void check_many(void)
{
    begin();
    for (uint64_t i = 0; i < RESULT_SLOW_MAX; i++)
        add_slow((RESULT_SLOW_MAX - i) * 50 * MS, (RESULT_SLOW_MAX - i % 2 * 30) * (MS / 10));
    summary_add_slowest(r, c);
    CHECK_INT(r->stall_count, RESULT_STALLS_MAX);
    size_t in_none = 0;
    for (size_t i = 0; i < r->slow_count; i++) {
        uint32_t stall = r->slow[i].stall;
        in_none += stall == 0;
        if (stall)
            CHECK_NEAR(r->stalls[stall - 1].begin_seconds, (double)r->slow[i].begin_ns * 1e-9,
                       1e-12);
    }
    CHECK_INT(in_none, RESULT_SLOW_MAX - RESULT_STALLS_MAX);
}

int main(void)
{
    c = calloc(1, sizeof *c);
    r = calloc(1, sizeof *r);
    CHECK(c && r);
    if (!c || !r)
        return check_result();
    check_stalls();
    check_moment();
    check_unwatched();
    check_many();
    free(c);
    free(r);
    return check_result();
}
