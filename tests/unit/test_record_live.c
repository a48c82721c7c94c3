/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of a session of several workers with due times, read by a scan while it grows: host
   and clock, busy intervals that add up to the busy time, and batches by the wall clock. */
#include "check.h"
#include "record_bytes.h"

#include <pthread.h>
#include <stdatomic.h>

#include "run/record/record_scan.h"
#include "run/session/session.h"

static struct sysroot root;
static char path[300];
static atomic_bool has_ended;

/* What one reader has read. */
struct seen {
    unsigned batches, hosts, clocks, stretches, aligned, waits;
    bool in_order, sums_agree, whole;
    uint64_t ios, latencies;
};

static void take_batch(struct seen *seen, const struct record_batch *b)
{
    uint64_t of_slices = 0, of_stretches = 0, reached = b->begin_ns;
    for (unsigned i = 0; i < b->slice_count; i++) {
        of_slices += b->slices[i].busy_ns;
        seen->ios += b->slices[i].op[OPERATION_READ].ios;
    }
    for (unsigned i = 0; i < b->stretch_count; i++) {
        seen->in_order &= b->stretches[i].begin_ns >= reached;
        reached = b->stretches[i].end_ns;
        of_stretches += b->stretches[i].busy_ns;
    }
    seen->sums_agree &= of_slices == of_stretches;
    seen->stretches += b->stretch_count;
    seen->latencies += b->latency[OPERATION_READ].n;
    seen->batches++;
    /* its middle is near the middle of the wall-clock batch that it stands for */
    uint64_t middle = (b->begin_ns + b->length_ns / 2) % b->length_ns;
    seen->aligned += middle > b->length_ns / 4 && middle < b->length_ns / 4 * 3;
}

/* Reads from before the record exists until its end. */
static void *follow(void *result)
{
    struct seen *seen = result;
    struct record_scan *scan = NULL;
    struct record_item item;
    struct err e = {0};
    enum record_scan_state state = RECORD_SCAN_WAIT;
    const struct timespec pause = {.tv_nsec = 5000000};
    *seen = (struct seen){.in_order = true, .sums_agree = true};
    while (!scan && record_scan_open(&scan, path, true, &e) && !has_ended)
        nanosleep(&pause, NULL);
    while (scan && state != RECORD_SCAN_END && state != RECORD_SCAN_FAILED) {
        bool is_last = has_ended;
        state = record_scan_next(scan, &item, &e);
        if (state == RECORD_SCAN_WAIT) {
            seen->waits++;
            if (is_last)
                break;
            nanosleep(&pause, NULL);
        }
        if (state != RECORD_SCAN_ITEM)
            continue;
        seen->hosts += item.kind == RECORD_ITEM_HOST && item.host->boot_known;
        seen->clocks += item.kind == RECORD_ITEM_CLOCK && item.clock->wall_ns > 0;
        if (item.kind == RECORD_ITEM_BATCH)
            take_batch(seen, item.batch);
    }
    struct record_damage d = scan ? record_scan_damage(scan) : (struct record_damage){0};
    seen->whole = state == RECORD_SCAN_END && d.ended && !d.left_out && !d.missing && !d.rest;
    record_scan_close(scan);
    return NULL;
}

static struct plan plan_of(unsigned jobs, double rate)
{
    struct plan plan;
    struct err e;
    plan_init(&plan);
    plan_apply_preset(&plan, "quick", &e);
    snprintf(plan.engine, sizeof plan.engine, "null");
    snprintf(plan.script, sizeof plan.script, "const:300us");
    plan.jobs = jobs;
    plan.rate_iops = rate;
    plan.iodepth = 64;
    plan.ending.runtime_seconds = 1.5;
    plan.statistics.period_seconds = 0.5;
    plan.measure_overhead = false;
    plan.realtime = false;
    plan.watch.cost = 0;
    return plan;
}

/* Returns the share of batches that are aligned with those of the wall clock. */
static double check_session(unsigned jobs, double rate)
{
    static struct result result;
    struct plan plan = plan_of(jobs, rate);
    struct session *session = NULL;
    struct seen seen;
    struct err e = {0};
    pthread_t follower;
    unlink(path);
    has_ended = false;
    CHECK_INT(pthread_create(&follower, NULL, follow, &seen), 0);
    int failed = session_run(&session, &plan, &root, path, NULL, NULL, &e);
    has_ended = true;
    pthread_join(follower, NULL);
    if (!check_that(!failed, __FILE__, __LINE__, e.msg))
        return 0;
    session_result(session, &result);
    CHECK(seen.whole && seen.in_order && seen.sums_agree);
    CHECK(seen.waits > 0);
    CHECK_INT(seen.hosts, 1);
    CHECK(seen.clocks >= 2);
    CHECK(seen.batches >= 10 && seen.ios > 100);
    CHECK(seen.latencies >= seen.ios);
    CHECK(seen.stretches >= seen.batches / 2);
    session_free(session);
    return (double)seen.aligned / seen.batches;
}

int main(void)
{
    struct err e;
    test_path(path, sizeof path, "record_live");
    CHECK_INT(sysroot_open(&root, NULL, &e), 0);
    /* Requests with due times wait for the clock, for which a machine may once be too busy. */
    double aligned = fmax(check_session(1, 2000), check_session(3, 3000));
    for (int i = 0; i < 3 && aligned < 1; i++)
        aligned = check_session(3, 3000);
    CHECK(aligned >= 1);
    CHECK(check_session(2, 0) >= 1); /* requests without due times do not wait */
    unlink(path);
    return check_result();
}
