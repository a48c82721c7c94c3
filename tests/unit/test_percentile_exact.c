/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percentiles of a round on a real file compared with the exact ones of the same completions: every
   latency from the backend is kept and sorted. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

#include "run/loop/worker_group.h"
#include "stat/basic/histogram.h"

enum { RAW_MAX = 4000000, FILE_BYTES = 16 << 20 };

static struct arena arena;
static struct clock the_clock;
static struct histogram total;
static uint64_t raw[RAW_MAX];
static size_t raw_count;

static const struct io_ops *inner_ops, keeping;

static int keeping_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    struct io_backend *inner = calloc(1, sizeof *inner);
    if (!inner || inner_ops->open(inner, setup, e)) {
        free(inner);
        return -1;
    }
    b->ops = &keeping;
    b->state = inner;
    return 0;
}

static int keeping_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                          struct err *e)
{
    return inner_ops->submit(b->state, requests, n, e);
}

static int keeping_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                        struct err *e)
{
    int got = inner_ops->reap(b->state, done, min, max, e);
    for (int i = 0; i < got && raw_count < RAW_MAX; i++)
        raw[raw_count++] = clock_ns(&the_clock, done[i].t_cpl - done[i].t_sub);
    return got;
}

static void keeping_close(struct io_backend *b)
{
    inner_ops->close(b->state);
    free(b->state);
}

static const struct io_ops keeping = {.name = "keeping",
                                      .needs_target = true,
                                      .open = keeping_open,
                                      .submit = keeping_submit,
                                      .reap = keeping_reap,
                                      .exchange = io_submit_and_reap,
                                      .close = keeping_close};

static void on_batch(void *context, const struct batch *b)
{
    (void)context;
    const struct interval_histogram *h = &b->latency[OPERATION_READ];
    total.over += h->over;
    total.n += h->over;
    total.min = h->min < total.min ? h->min : total.min;
    total.max = h->max > total.max ? h->max : total.max;
    for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++) {
        total.count[k] += h->count[k];
        total.n += h->count[k];
    }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_backend(const struct io_ops *ops, unsigned iodepth, int fd)
{
    struct plan plan;
    struct group g;
    struct err e = {0};
    plan_init(&plan);
    plan.iodepth = iodepth;
    plan.realtime = plan.direct = false;
    inner_ops = ops;
    raw_count = 0;
    histogram_clear(&total);
    arena_reset(&arena, 0);
    struct group_setup setup = {
        .plan = &plan, .ops = &keeping, .clock = &the_clock, .fd = fd, .region = FILE_BYTES};
    if (group_init(&g, &setup, &arena, &e) || group_start(&g, &e)) {
        check_part_skipped(e.msg);
        return;
    }
    static volatile sig_atomic_t stop;
    struct round_request request = {.seconds = 0.5,
                                    .slice_seconds = 0.01,
                                    .recording = true,
                                    .stop = &stop,
                                    .on_batch = on_batch};
    struct round_outcome o;
    CHECK_INT(group_run_round(&g, &request, &o, &e), 0);
    group_stop(&g);
    CHECK(raw_count > 1000 && raw_count < RAW_MAX);
    CHECK_INT(total.n, raw_count);
    if (!raw_count || total.n != raw_count)
        return;
    qsort(raw, raw_count, sizeof *raw, ascending);
    const double shares[] = {0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
    printf("%s, iodepth %u: %zu completions;", ops->name, iodepth, raw_count);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double exact = (double)raw[histogram_nearest_rank(raw_count, shares[i]) - 1];
        double ours = histogram_quantile(&total, shares[i]);
        printf(" %g %.0f/%.0f", 100 * shares[i], ours, exact);
        CHECK(fabs(ours - exact) <= fmax(exact / 64, 1));
    }
    puts("");
    CHECK(total.min == raw[0] && total.max == raw[raw_count - 1]);
}

int main(void)
{
    struct err e;
    struct plan largest;
    plan_init(&largest);
    largest.iodepth = 32;
    char name[] = "exact.XXXXXX", *block = calloc(1, FILE_BYTES);
    int fd = mkstemp(name);
    clock_calibrate(&the_clock, 20, false);
    if (arena_init(&arena, group_bytes(&largest), &e) || fd < 0 || !block) {
        puts("no memory or file");
        return CHECK_SKIPPED;
    }
    unlink(name);
    CHECK(write(fd, block, FILE_BYTES) == FILE_BYTES);
    check_backend(&io_sync, 1, fd);
    check_backend(&io_uring, 1, fd);
    check_backend(&io_uring, 32, fd);
    free(block);
    close(fd);
    arena_free(&arena);
    return check_result();
}
