/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of a recording: the paper's Figure 2, percentiles, depth; and slices that grow. */
#include "program/observe/internal.h"
#include "tests/unit/check.h"

static struct level level;
static struct histogram scratch;
static struct series series;

static void add(enum recording_op op, uint64_t begin, uint64_t end, uint64_t bytes)
{
    level_add(&level,
              &(struct level_io){
                  .op = op, .begin_ns = begin, .end_ns = end, .asked = bytes, .moved = bytes});
}

/* R1, R2 and R3 overlap in [t1, t6), R4 is alone in [t7, t8): BPS = B / (t6 - t1 + t8 - t7). */
static void test_figure_2(void)
{
    struct recording_level to = {0};
    level_init(&level);
    add(RECORDING_READ, 100000, 190000, 4096);
    add(RECORDING_READ, 120000, 210000, 512);
    add(RECORDING_WRITE, 150000, 260000, 1000);
    add(RECORDING_WRITE, 300000, 345000, 8192);
    level_report(&level, &scratch, &to);
    CHECK_NEAR(to.blocks, (4096 + 512 + 1000 + 8192) / 512.0, 1e-12); /* divided once */
    CHECK_NEAR(to.busy_seconds, (160000 + 45000) / 1e9, 1e-12);
    CHECK_INT(to.op[RECORDING_READ].count, 2);
    CHECK_INT(to.op[RECORDING_WRITE].bytes, 9192);
    CHECK_INT(to.op[RECORDING_ALL].count, 4);
    CHECK_INT(to.op[RECORDING_ALL].bytes, 4096 + 512 + 9192);
    CHECK_NEAR(to.op[RECORDING_READ].mean_ns, 90000, 1e-12);
    CHECK_NEAR(to.op[RECORDING_ALL].mean_ns, (90000 * 2 + 110000 + 45000) / 4.0, 1e-12);
    CHECK_NEAR(to.op[RECORDING_ALL].max_ns, 110000, 1e-12);
    CHECK_NEAR(to.depth_mean, 335000 / 205000.0, 1e-9);
    CHECK(isnan(to.op[RECORDING_FLUSH].mean_ns) && isnan(to.op[RECORDING_FLUSH].max_ns));
    CHECK(isnan(to.op[RECORDING_FLUSH].percentile_ns[0]));
}

static void test_failures_and_depth(void)
{
    struct recording_level to = {0};
    level_init(&level);
    level_begin(&level);
    level_begin(&level);
    level_begin(&level);
    level_leave(&level);
    level_begin(&level);
    level_add(&level, &(struct level_io){
                          .op = RECORDING_READ, .end_ns = 50, .asked = 8192, .failed = true});
    level_add(&level, &(struct level_io){.op = RECORDING_READ, .begin_ns = 9, .end_ns = 3});
    level_report(&level, &scratch, &to);
    CHECK_INT(to.depth_max, 3);
    CHECK_INT(to.op[RECORDING_READ].failed, 1);
    CHECK_INT(to.op[RECORDING_READ].bytes, 0);
    CHECK_NEAR(to.blocks, 16, 1e-12); /* counts as requested, though it failed */
    /* an end before the begin has no duration */
    CHECK_NEAR(to.op[RECORDING_READ].min_ns, 0, 1e-12);
    level_add_attempt(&level, &(struct level_io){.begin_ns = 100, .end_ns = 160, .asked = 256});
    level_report(&level, &scratch, &to);
    CHECK_NEAR(to.blocks, 16.5, 1e-12);
    CHECK_NEAR(to.busy_seconds, 110e-9, 1e-9);
    CHECK_INT(to.op[RECORDING_ALL].count, 2);
    for (int i = 0; i < 4; i++)
        level_leave(&level);
    CHECK_INT(level.in_flight, 0);
}

static void test_percentiles(void)
{
    struct recording_level to = {0};
    level_init(&level);
    for (uint64_t i = 1; i <= 1000; i++)
        add(RECORDING_READ, i * 1000000, i * 1000000 + i * 100, 512);
    level_report(&level, &scratch, &to);
    const double shares[] = {0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
    for (int i = 0; i < RECORDING_PERCENTILES; i++)
        CHECK_NEAR(to.op[RECORDING_READ].percentile_ns[i], ceil(shares[i] * 1000) * 100, 0.016);
}

/* However long the recording gets, no I/O is lost from the slices. */
static void test_series(void)
{
    static double iops[SERIES_SLICES], bandwidth[SERIES_SLICES];
    const uint64_t begin = 5000000000u, step = 37000000;
    series_init(&series, begin);
    series_add(&series, begin - 100, 512); /* before the begin: counts at the begin */
    uint64_t time = begin;
    for (int i = 0; i < 5000; i++, time += step)
        series_add(&series, time, 4096);
    size_t count = series_rates(&series, time, iops, bandwidth);
    double slice = (double)series.slice_ns / 1e9, ios = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        ios += iops[i] * slice;
        bytes += bandwidth[i] * slice;
    }
    uint64_t left_out = series.ios[count] + (count + 1 < SERIES_SLICES ? series.ios[count + 1] : 0);
    CHECK_INT(series.slice_ns, 64000000); /* 185 s in at most 4096 slices */
    CHECK_NEAR(ios + (double)left_out, 5001, 1e-9);
    CHECK_NEAR(bytes + 4096.0 * (double)left_out, 5000 * 4096 + 512, 1e-9);
    CHECK_NEAR((double)count * slice, (double)(time - begin) / 1e9, 0.001);

    series_init(&series, begin); /* shorter than a slice: relative to the time that passed */
    series_add(&series, begin + 10, 1000);
    CHECK_INT(series_rates(&series, begin + 200000, iops, bandwidth), 1);
    CHECK_NEAR(iops[0], 5000, 1e-9);
    series_init(&series, begin);
    CHECK_INT(series_rates(&series, begin, iops, bandwidth), 0);
}

int main(void)
{
    test_figure_2();
    test_failures_and_depth();
    test_percentiles();
    test_series();
    return check_result();
}
