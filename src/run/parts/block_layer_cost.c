/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of the kernel's block layer. The workload of a session that bypassed it
 * (nvme-uring) is run again through that layer (uring), in pairs of rounds in alternating order:
 * A B B A. The ratio of their means is judged from the pairs' differences, so that the inverse
 * ratio has the inverse interval.
 *
 * It reads and writes as the session did: the same requests in the same region of a namespace.
 * The target's rules have opened the namespace, and keep it claimed during the run if it is
 * written.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/device_number.h"
#include "io/device/block_device.h"
#include "run/loop/placement.h"
#include "run/parts/internal.h"
#include "stat/compare/ratio.h"

#define PAIRS          12
#define ROUND_SECONDS  0.25
#define SETTLE_SECONDS 0.1 /* length of each of two rounds before the pairs, one each way */
#define REASON_BYTES   160 /* reason why the cost was not measured; "": it was, or not requested */
#define NEEDED_SECONDS (2 * PAIRS * ROUND_SECONDS + 2 * SETTLE_SECONDS)

static const char stage[] = "measuring what the block layer costs";

/* Opens the namespace's block device for direct I/O. The caller closes it. */
static int open_block_device(const struct session *s, struct err *e)
{
    const struct target *t = &s->target;
    int flags = (s->contents.plan.write_share > 0 ? O_RDWR : O_RDONLY) | O_DIRECT, fd;
    char name[64] = "its descriptor";
    struct stat st;
    dev_t block;
    if (t->nvme.block_fd >= 0) {
        fd = fcntl(t->nvme.block_fd, F_DUPFD_CLOEXEC, 0);
    } else {
        if (fstat(t->fd, &st))
            return err_set(e, ERR_MACHINE, "%s", strerror(errno));
        if (nvme_block_device_of("", st.st_rdev, &block, name, e))
            return -1;
        fd = device_number_open(name, false, t->nvme.block_device, flags);
    }
    return fd >= 0 ? fd : err_set(e, ERR_MACHINE, "%s: %s", name, strerror(errno));
}

/* Starts workers like the session's, on the same processors, that use the block layer. */
static int start_workers(struct session *s, int fd, struct group *g, struct err *e)
{
    bool polls = s->group.workers[0].backend.polls;
    struct group_setup setup = {.plan = &s->arranged,
                                .ops = s->ops->through_block_layer,
                                .clock = &s->clock,
                                .fd = fd,
                                .direct = true,
                                .heartbeat = &s->heartbeat,
                                .region = s->region,
                                .sqpoll = s->sqpoll,
                                .iopoll = polls ? IO_ON : IO_OFF};
    if (group_init(g, &setup, &s->arena, e) || group_start(g, e))
        return -1;
    for (unsigned i = 0; i < g->count; i++)
        if (s->group.workers[i].spins && g->workers[i].realtime_granted)
            placement_end_realtime(g->workers[i].thread);
    return 0;
}

static struct like_round run_like_round(struct session *s, struct group *g, double seconds)
{
    const struct like_request request = {
        .group = g, .seconds = seconds, .recording = true, .stage = stage};
    return session_like_round(s, &request);
}

/* Returns the ratio of the rounds through the block layer to those that bypass it. */
static struct block_layer_ratio ratio_of_pairs(struct session *s, const double through[],
                                               const double past[])
{
    const struct ratio_config config = {
        .confidence = s->contents.plan.statistics.confidence, .once = true, .paired = true};
    struct ratio r = ratio_of_series(through, PAIRS, past, PAIRS, &config, &s->arena);
    return ratio_is_bounded(&r) ? (struct block_layer_ratio){r.value, r.low, r.high}
                                : (struct block_layer_ratio){NAN, NAN, NAN};
}

/* Runs the pairs. Returns the reason why they do not count, or NULL. */
static const char *measure_pairs(struct session *s, struct group *through)
{
    double iops[2][PAIRS], cpu[2][PAIRS]; /* [0]: through the block layer, [1]: bypassing it */
    run_like_round(s, &s->group, SETTLE_SECONDS);
    run_like_round(s, through, SETTLE_SECONDS);
    for (int i = 0; i < PAIRS; i++) {
        struct like_round a, b;
        if (i % 2)
            b = run_like_round(s, through, ROUND_SECONDS);
        a = run_like_round(s, &s->group, ROUND_SECONDS);
        if (!(i % 2))
            b = run_like_round(s, through, ROUND_SECONDS);
        iops[0][i] = b.iops;
        iops[1][i] = a.iops;
        cpu[0][i] = b.cpu_seconds;
        cpu[1][i] = a.cpu_seconds;
        if (!isfinite(log(b.iops / a.iops)) || !isfinite(log(b.cpu_seconds / a.cpu_seconds)))
            return "a round did not run to its end, or nothing completed in it";
    }
    struct block_layer *to = &s->contents.block_layer;
    to->iops = ratio_of_pairs(s, iops[0], iops[1]);
    /* with SQPOLL, the kernel's thread of the idle ring uses its processor for a while longer, so
       processor times cannot be compared */
    if (s->sqpoll != IO_ON)
        to->cpu = ratio_of_pairs(s, cpu[0], cpu[1]);
    to->pairs = PAIRS;
    return NULL;
}

static void compare(struct session *s)
{
    char *reason = s->own[SESSION_PART_BLOCK_LAYER];
    const struct plan *plan = &s->contents.plan;
    const char *why_not = session_parts_why_once(s);
    struct err e = {0};
    if (!session_compares(s) || !s->ops->through_block_layer || !plan->compare_block_layer ||
        s->stuck || session_stopped(s))
        return;
    if (!s->target.nvme.block_device) {
        why_not = "the namespace has no block device";
    } else if (session_seconds_left(s) < NEEDED_SECONDS) {
        why_not = "--limit leaves no time for it";
    } else if (plan_flush_every(plan) && s->group.workers[0].backend.polls) {
        why_not = "completions were polled for, and through it a flush cannot be";
    } else if (!why_not) {
        struct group through;
        size_t mark = arena_mark(&s->arena);
        int fd = open_block_device(s, &e);
        if (fd < 0 || start_workers(s, fd, &through, &e)) {
            why_not = e.msg;
        } else {
            why_not = measure_pairs(s, &through);
            if (!s->stuck)
                group_stop(&through);
        }
        if (!s->stuck) { /* if workers hang, their threads and memory are left as they are */
            if (fd >= 0)
                close(fd);
            arena_reset(&s->arena, mark);
        }
    }
    if (why_not)
        snprintf(reason, REASON_BYTES, "not measured: %.140s", why_not);
}

static void report(struct session *s)
{
    const char *reason = s->own[SESSION_PART_BLOCK_LAYER];
    if (s->contents.block_layer.pairs > 0)
        session_setting(s, "overhead", "cost of block layer",
                        "%g pairs of like rounds through it (uring) and past it (nvme-uring)",
                        s->contents.block_layer.pairs);
    else if (*reason)
        session_setting(s, "overhead", "cost of block layer", "%s", reason);
}

const struct session_part part_block_layer = {.bytes = REASON_BYTES,
                                              .on = {[ON_COMPARE] = compare, [ON_REPORT] = report}};
