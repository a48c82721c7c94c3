/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up results for the tests of src/report: one that is decided after a warm-up, and what the
 * other verdicts change in it. Sums and products only, so that every C library gives the same.
 */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/analysis.h"
#include "base/result.h"

#define FIXTURE_SLICES  600
#define FIXTURE_BUCKETS 400

struct fixture {
    struct result result;
    double iops[FIXTURE_SLICES], bandwidth[FIXTURE_SLICES];
    size_t changepoints[16];
    double edges[FIXTURE_BUCKETS + 1];
    uint64_t counts[FIXTURE_BUCKETS];
};

/* Noise in [-1, 1), the same on every machine. */
static inline double fixture_noise(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static inline void fixture_row(struct result *r, enum metric_id metric, double value, double arm,
                               uint64_t n, double effective_n)
{
    struct result_row *row = result_add(r, metric, "read", value);
    row->n = n;
    row->effective_n = effective_n;
    if (!isnan(arm)) {
        row->low = value - arm;
        row->high = value + arm;
        row->confidence = 0.95;
    }
}

static inline void fixture_metrics(struct result *r)
{
    fixture_row(r, METRIC_IOPS, 17942.31, 74.2, 588, 402.7);
    fixture_row(r, METRIC_BANDWIDTH, 17942.31 * 4096, 74.2 * 4096, 588, 402.7);
    fixture_row(r, METRIC_RESPONSE_TIME, 55731.8, 231.4, 1055008, 411.2);
    fixture_row(r, METRIC_BPS, 143538.5, 593.6, 588, 402.7);
    fixture_row(r, METRIC_ERRORS, 0, NAN, 1055008, NAN);
    fixture_row(r, METRIC_ELAPSED, 60.2, NAN, 0, NAN);
    fixture_row(r, METRIC_LATENCY_P50, 52100, 180, 1055008, 61230);
    fixture_row(r, METRIC_LATENCY_P90, 63900, 310, 1055008, 50112);
    fixture_row(r, METRIC_LATENCY_P95, 70400, 520, 1055008, 48003);
    fixture_row(r, METRIC_LATENCY_P99, 118700, 2900, 1055008, 31871);
    fixture_row(r, METRIC_LATENCY_P999, 1204000, 96000, 1055008, 9120);
    fixture_row(r, METRIC_LATENCY_P9999, NAN, NAN, 1055008, 9120);
    snprintf(r->rows[r->row_count - 1].note, sizeof r->rows[0].note, "not enough samples");
    fixture_row(r, METRIC_LATENCY_MIN, 41210, NAN, 1055008, NAN);
    fixture_row(r, METRIC_LATENCY_MAX, 9812000, NAN, 1055008, NAN);
    fixture_row(r, METRIC_OVERHEAD, 42.6, NAN, 200000, NAN);
}

static inline void fixture_series(struct fixture *f)
{
    struct result *r = &f->result;
    for (size_t i = 0; i < FIXTURE_SLICES; i++) {
        double level = i < 12 ? 12400 + 300 * (double)i : 17942;
        f->iops[i] = level + 420 * fixture_noise(i);
        f->bandwidth[i] = 4096 * f->iops[i];
    }
    f->changepoints[0] = 12;
    struct result_series series = {.name = "iops",
                                   .unit = "1/s",
                                   .kind = METRIC_KIND_COUNT_RATE,
                                   .values = f->iops,
                                   .count = FIXTURE_SLICES,
                                   .slice_seconds = 0.1,
                                   .stable_begin = 12,
                                   .stable_end = FIXTURE_SLICES,
                                   .changepoints = f->changepoints,
                                   .changepoint_count = 1};
    r->series[0] = series;
    series.name = "bandwidth";
    series.unit = "B/s";
    series.kind = METRIC_KIND_BYTE_RATE;
    series.values = f->bandwidth;
    r->series[1] = series;
    r->series_count = 2;
}

/* A body around 52 us, a second peak near 110 us, and a thin tail up to 10 ms. */
static inline void fixture_histogram(struct fixture *f)
{
    double edge = 40000;
    for (size_t i = 0; i < FIXTURE_BUCKETS; i++) {
        double body = (double)i - 18, second = (double)i - 68;
        double height = 60000 / (1 + body * body / 20) + 3000 / (1 + second * second / 16);
        f->edges[i] = edge;
        f->counts[i] = i < 370 ? (uint64_t)height / (1 + i * i / 3000) / (i > 150 ? 40 : 1) : 0;
        edge *= 1.015;
    }
    f->edges[FIXTURE_BUCKETS] = edge;
    struct result_histogram histogram = {
        .edges = f->edges, .counts = f->counts, .count = FIXTURE_BUCKETS};
    snprintf(histogram.op, sizeof histogram.op, "read");
    f->result.histograms[0] = histogram;
    f->result.histogram_count = 1;
}

static inline void fixture_rounds(struct result *r)
{
    static const double seconds[] = {0.05, 0.15, 2, 18, 40};
    double begin = 0;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        struct result_round *round = &r->rounds[r->round_count++];
        *round = (struct result_round){.begin_seconds = begin,
                                       .seconds = seconds[i],
                                       .trial = i < 2,
                                       .ios = (uint64_t)(17942 * seconds[i]),
                                       .bytes = 4096 * (uint64_t)(17942 * seconds[i]),
                                       .iops = 17942,
                                       .bandwidth = 17942 * 4096.0,
                                       .response_time_ns = 55731.8};
        begin += seconds[i];
    }
}

static inline void fixture_context(struct result *r)
{
    static const struct fact settings[] = {
        {"plan", "backend", "io_uring, registered buffers and file, DEFER_TASKRUN", "", "",
         FACT_OK},
        {"plan", "block size", "4096", "bytes", "", FACT_OK},
        {"plan", "range", "8589934592", "bytes", "", FACT_OK},
        {"plan", "seed", "1", "", "", FACT_OK},
        {"plan", "processors", "1, memory locked, priority SCHED_FIFO 1", "", "", FACT_OK},
        {"clock", "clock", "TSC", "", "", FACT_OK},
        {"clock", "clock frequency", "2495997000", "Hz", "", FACT_OK},
        {"statistics", "statistics",
         "preset normal: interval at most 10 % wide at 95 % confidence, at least 50 independent "
         "readings, change points by pelt, interval by spectral",
         "", "", FACT_OK},
    };
    static const struct fact hardware[] = {
        {"machine", "kernel", "Linux 6.1.0-18-amd64", "", "/proc/version", FACT_OK},
        {"machine", "memory", "16777216000", "bytes", "/proc/meminfo", FACT_OK},
        {"machine", "busy during the run", "3.1", "%", "/proc/stat", FACT_OK},
        {"cpu", "model", "Intel(R) Xeon(R) Platinum 8175M CPU @ 2.50GHz", "", "/proc/cpuinfo",
         FACT_OK},
        {"cpu", "governor", "", "", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
         FACT_ABSENT},
        {"cpu", "frequency", "", "Hz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
         FACT_ABSENT},
        {"nvme0n1", "model", "Amazon Elastic Block Store", "", "/sys/block/nvme0n1/device/model",
         FACT_OK},
        {"nvme0n1", "scheduler", "none", "", "/sys/block/nvme0n1/queue/scheduler", FACT_OK},
        {"nvme0n1", "write cache", "write, \"back\"", "", "/sys/block/nvme0n1/queue/write_cache",
         FACT_OK},
        {"nvme0n1", "serial number", "", "", "/sys/block/nvme0n1/device/serial", FACT_DENIED},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        r->settings.rows[r->settings.count++] = settings[i];
    for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++)
        r->hardware.rows[r->hardware.count++] = hardware[i];
}

static inline void fixture_fill(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    struct result *r = &f->result;
    r->verdict = VERDICT_PRECISE;
    snprintf(r->target, sizeof r->target, "/dev/nvme0n1");
    snprintf(r->workload, sizeof r->workload, "randread 4 KiB, iodepth 1, 1 job");
    r->headline = METRIC_IOPS;
    snprintf(r->headline_op, sizeof r->headline_op, "read");
    r->target_width = 0.10;
    snprintf(r->phase, sizeof r->phase, "warmup");
    fixture_metrics(r);
    fixture_series(f);
    fixture_histogram(f);
    fixture_rounds(r);
    fixture_context(r);
    result_note(r, true,
                "real-time priority was not permitted: other programs may have taken the "
                "processor while this one measured (run it as root, or with CAP_SYS_NICE)");
    result_note(r, false, "io_uring completes without polling: the device has no poll queues");
}

/* A column of 400 readings: warm-up, level, cool-down. */
static inline struct analysis fixture_analysis(double values[400])
{
    static const size_t changepoints[] = {60, 360};
    for (size_t i = 0; i < 400; i++)
        values[i] = (i < 60 ? 80 : i < 360 ? 100 : 70) + 5 * fixture_noise(i);
    return (struct analysis){.source = "column.txt",
                             .column = "",
                             .values = values,
                             .n = 400,
                             .stable_begin = 60,
                             .stable_end = 360,
                             .changepoints = changepoints,
                             .changepoint_count = 2,
                             .phase = "warmup",
                             .mean = 99.90214,
                             .low = 99.5731,
                             .high = 100.2312,
                             .confidence = 0.95,
                             .target_width = 0.1,
                             .decided_width = 0.0068,
                             .asked = true,
                             .enough = true,
                             .required_n = 300,
                             .minimum_n = 50,
                             .least_n = 250,
                             .autocorrelation = 0.0123,
                             .subsession_size = 1,
                             .effective_n = 291.4,
                             .sd = 2.8907,
                             .min = 95.0211,
                             .median = 99.8731,
                             .max = 104.991,
                             .harmonic_mean = 99.8186,
                             .mean_method = "arithmetic",
                             .interval_method = "spectral",
                             .changepoint_method = "pelt"};
}

#endif
