/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up results for the tests of src/report: one that is decided after a warm-up, and the changes
 * for other verdicts. They are made by sums and products only, so that every C library gives the
 * same values.
 */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "facts/analysis.h"
#include "facts/inventory.h"
#include "facts/result.h"

#define FIXTURE_SLICES  600
#define FIXTURE_BUCKETS 400
#define FIXTURE_STATES  30

struct fixture {
    struct result result;
    double iops[FIXTURE_SLICES], bandwidth[FIXTURE_SLICES];
    size_t changepoints[16];
    double edges[FIXTURE_BUCKETS + 1];
    uint64_t counts[FIXTURE_BUCKETS];
    struct inventory hardware;
    double state_begin[FIXTURE_STATES], state_end[FIXTURE_STATES];
    float states[RESULT_GAUGES_MAX][3][FIXTURE_STATES]; /* low, mean, high */
};

/* Returns noise in [-1, 1), the same on every machine. */
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
        if (metric < METRIC_LATENCY_P50)
            result_set_prediction(row, value - 1.5 * arm, value + 1.5 * arm);
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
    fixture_row(r, METRIC_EFFICIENCY, 0.02073, 0.00009, 588, 402.7);
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

/* Fills a latency histogram: a body around 52 us, a second peak near 110 us, and a thin tail up to
   10 ms. */
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
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        r->settings.rows[r->settings.count++] = settings[i];
}

struct fixture_fact {
    const char *key, *value, *unit;
    enum fact_status status;
};

/* Adds a node with its facts; a key of NULL ends the list. */
static inline int fixture_node(struct inventory *v, enum node_kind kind, const char *name,
                               int parent, const struct fixture_fact facts[])
{
    int node = inventory_add_node(v, kind, name, NULL, parent);
    for (size_t i = 0; facts && facts[i].key; i++)
        inventory_add(v, node, facts[i].key, facts[i].value, facts[i].unit, "fixture",
                      facts[i].status);
    return node;
}

#define FIXTURE_FACTS(...)                                                                         \
    (const struct fixture_fact[])                                                                  \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static inline void fixture_hardware(struct inventory *v)
{
    int machine = fixture_node(v, NODE_MACHINE, "machine", INVENTORY_NONE,
                               FIXTURE_FACTS({"product", "Dell Inc. PowerEdge R7625", "", FACT_OK},
                                             {"hypervisor", "none", "", FACT_OK},
                                             {"busy", "3.1", "%", FACT_OK}));
    fixture_node(v, NODE_KERNEL, "kernel", machine,
                 FIXTURE_FACTS({"kernel", "6.1.0-18-amd64", "", FACT_OK},
                               {"clocksource", "tsc", "", FACT_OK}));
    fixture_node(v, NODE_CPU, "cpu", machine,
                 FIXTURE_FACTS({"model", "AMD EPYC 9354 32-Core Processor", "", FACT_OK},
                               {"sockets", "2", "", FACT_OK}, {"online", "128", "", FACT_OK},
                               {"governor", "", "", FACT_ABSENT}));
    fixture_node(v, NODE_MEMORY, "memory", machine,
                 FIXTURE_FACTS({"size", "540092628992", "bytes", FACT_OK}));
    int host = fixture_node(v, NODE_PCI_HOST, "pci0000:40", machine, NULL);
    int bridge = fixture_node(v, NODE_PCI_BRIDGE, "0000:40:01.1", host, NULL);
    int card =
        fixture_node(v, NODE_PCI_DEVICE, "0000:41:00.0", bridge,
                     FIXTURE_FACTS({"device_name", "Samsung PM1733", "", FACT_OK},
                                   {"capable", "16.0 GT/s x4", "", FACT_OK},
                                   {"negotiated", "16.0 GT/s x2", "", FACT_OK},
                                   {"limit", "3545000000", "bytes/s", FACT_OK},
                                   {"limit_capable", "7090000000", "bytes/s", FACT_OK},
                                   {"degraded", "yes", "", FACT_OK},
                                   {"degraded_reason", "two lanes do not work", "", FACT_OK}));
    int nvme = fixture_node(v, NODE_NVME, "nvme0", card,
                            FIXTURE_FACTS({"model", "SAMSUNG MZWLJ1T9HBJR", "", FACT_OK},
                                          {"firmware", "EPK9CB5Q", "", FACT_OK},
                                          {"health", "", "", FACT_DENIED}));
    fixture_node(v, NODE_DISK, "nvme0n1", nvme,
                 FIXTURE_FACTS({"model", "SAMSUNG MZWLJ1T9HBJR", "", FACT_OK},
                               {"size", "1920383410176", "bytes", FACT_OK},
                               {"scheduler", "none", "", FACT_OK},
                               {"write_cache", "write, \"back\"", "", FACT_OK}));
    fixture_node(v, NODE_NETWORK, "eth0", host, FIXTURE_FACTS({"degraded", "yes", "", FACT_OK}));
}

static inline void fixture_part(struct result *r, const char *name, enum node_kind kind,
                                double limit, double used, double utilisation)
{
    struct result_part *part = &r->parts[r->part_count];
    *part = (struct result_part){.kind = kind,
                                 .on_path = true,
                                 .depth = (unsigned)r->part_count,
                                 .limit_read = limit,
                                 .limit_write = limit,
                                 .used_read = used,
                                 .used_write = isnan(used) ? NAN : 0,
                                 .utilisation = utilisation,
                                 .saturated = isnan(utilisation) ? NAN : 0,
                                 .peak = utilisation * 1.02};
    snprintf(part->name, sizeof part->name, "%s", name);
    snprintf(part->measure, sizeof part->measure, "bytes");
    if (r->part_count > 0)
        r->edges[r->edge_count++] =
            (struct result_edge){(unsigned)r->part_count - 1, (unsigned)r->part_count};
    r->part_count++;
}

static inline void fixture_path(struct result *r)
{
    const double rate = 17942.31 * 4096;
    fixture_part(r, "nvme0n1", NODE_DISK, NAN, rate, 0.612);
    r->parts[0].under_test = true;
    snprintf(r->parts[0].measure, sizeof r->parts[0].measure, "busy time");
    fixture_part(r, "nvme0", NODE_NVME, NAN, NAN, NAN);
    fixture_part(r, "0000:41:00.0", NODE_PCI_DEVICE, 3545e6, rate, rate / 3545e6);
    fixture_part(r, "0000:40:01.1", NODE_PCI_BRIDGE, NAN, rate, NAN);
    fixture_part(r, "pci0000:40", NODE_PCI_HOST, NAN, NAN, NAN);
    r->path_limit_read = r->path_limit_write = 3545e6;
    r->limiting_read = r->limiting_write = 2;
    r->path_complete = true;
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        struct result_part *part = &r->parts[r->part_count++];
        *part = (struct result_part){.kind = NODE_CPU_CORE,
                                     .limit_read = NAN,
                                     .limit_write = NAN,
                                     .used_read = NAN,
                                     .used_write = NAN,
                                     .bottleneck = cpu == 1,
                                     .saturated = cpu == 1 ? 0.943 : 0,
                                     .utilisation = cpu == 1 ? 0.962 : 0.031,
                                     .peak = cpu == 1 ? 0.998 : 0.12};
        snprintf(part->name, sizeof part->name, "cpu%u", cpu);
        snprintf(part->measure, sizeof part->measure, "processor time");
    }
}

static inline void fixture_gauge(struct fixture *f, const char *node, const char *key,
                                 const char *unit, double limit, double level, double slope)
{
    struct result_timeline *t = &f->result.timeline;
    struct result_gauge *g = &t->gauges[t->gauge_count];
    float(*states)[FIXTURE_STATES] = f->states[t->gauge_count++];
    for (size_t i = 0; i < FIXTURE_STATES; i++) {
        double value = level + slope * (double)i;
        states[0][i] = (float)(value * 0.99);
        states[1][i] = (float)value;
        states[2][i] = (float)(value * 1.01);
    }
    *g = (struct result_gauge){
        .limit = limit, .low = states[0], .mean = states[1], .high = states[2]};
    snprintf(g->node, sizeof g->node, "%s", node);
    snprintf(g->key, sizeof g->key, "%s", key);
    snprintf(g->unit, sizeof g->unit, "%s", unit);
}

static inline void fixture_state(struct fixture *f)
{
    struct result *r = &f->result;
    for (size_t i = 0; i < FIXTURE_STATES; i++) {
        f->state_begin[i] = 2 * (double)i;
        f->state_end[i] = 2 * (double)i + 2;
    }
    r->timeline.begin = f->state_begin;
    r->timeline.end = f->state_end;
    r->timeline.count = FIXTURE_STATES;
    fixture_gauge(f, "cpu", "frequency", "Hz", NAN, 3.25e9, -2e7);
    fixture_gauge(f, "cpu1", "busy", "share", NAN, 0.96, 0);
    fixture_gauge(f, "nvme0", "temperature", "C", 70, 45, 1);
    fixture_gauge(f, "nvme0n1", "read", "bytes/s", NAN, 7.35e7, 0);
    fixture_gauge(f, "memory", "stalled", "share", NAN, NAN, 0);
    fixture_gauge(f, "nvme0n1", "write", "bytes/s", NAN, 0, 0);
    fixture_gauge(f, "eth0", "write", "bytes/s", NAN, 0, 0);
    f->states[3][1][4] = NAN;
    r->events[0].seconds = 41.3;
    snprintf(r->events[0].text, sizeof r->events[0].text,
             "nvme0: its PCIe link changed from 16.0 GT/s x4 to 16.0 GT/s x2");
    r->events[1].seconds = NAN;
    snprintf(r->events[1].text, sizeof r->events[1].text, "cpu: the governor, \"powersave\"");
    r->event_count = 2;
}

/* Adds labels with markup, line ends and control characters. */
static inline void fixture_label(struct result *r)
{
    struct err e;
    CHECK_INT(labels_add(&r->labels, "ticket=INC-4711", &e), 0);
    CHECK_INT(labels_add(&r->labels, "who=</script>\"; \\ \xc3\x84", &e), 0);
}

/* Adds options of every type. */
static void fixture_fill_options(struct result *r)
{
    struct option_values *o = &r->options;
    struct option_value *value;
    option_value_set_text(o, option_values_add(o, "rw", ""), "randread", OPTION_VALUE_TEXT);
    value = option_values_add(o, "bs", "_bytes");
    value->kind = OPTION_VALUE_COUNT;
    value->is.count = 4096;
    value = option_values_add(o, "min-time", "_seconds");
    value->kind = OPTION_VALUE_NUMBER;
    value->is.number = 0.5;
    value = option_values_add(o, "direct", "");
    value->kind = OPTION_VALUE_FLAG;
    value->is.flag = true;
    option_values_add(o, "runtime", "_seconds");
    option_value_set_text(o, option_values_add(o, "cpus", ""), "0 2 ", OPTION_VALUE_LIST);
}

static inline void fixture_fill(struct fixture *f)
{
    inventory_free(&f->hardware);
    memset(f, 0, sizeof *f);
    struct result *r = &f->result;
    r->verdict = VERDICT_PRECISE;
    snprintf(r->target, sizeof r->target, "/dev/nvme0n1");
    snprintf(r->workload, sizeof r->workload, "randread 4 KiB, iodepth 1, 1 job");
    r->headline = METRIC_IOPS;
    snprintf(r->headline_op, sizeof r->headline_op, "read");
    r->key = (struct result_key){.rw = "randread",
                                 .block_size = 4096,
                                 .iodepth = 1,
                                 .jobs = 1,
                                 .date = "2026-11-22T09:03:40Z"};
    fixture_fill_options(r);
    r->target_width = 0.10;
    snprintf(r->phase, sizeof r->phase, "warmup");
    r->claim = level_claim_unknown();
    fixture_metrics(r);
    fixture_series(f);
    fixture_histogram(f);
    fixture_rounds(r);
    fixture_context(r);
    fixture_hardware(&f->hardware);
    r->hardware = &f->hardware;
    fixture_path(r);
    fixture_state(f);
    result_note(r, true,
                "real-time priority was not permitted: other programs may have taken the "
                "processor while this one measured (run it as root, or with CAP_SYS_NICE)");
    result_note(r, false, "io_uring completes without polling: the device has no poll queues");
}

/* Ends the session before its precision is reached, after 60 s with readings of 10 ms. */
static inline void fixture_level(struct result *r, enum verdict verdict, enum level_state state)
{
    r->verdict = verdict;
    r->target_width = verdict == VERDICT_UNSETTLED ? 0.02 : 0.005;
    r->limit_seconds = 600;
    for (size_t i = 0; i < r->row_count && state != LEVEL_HOLDS; i++)
        /* without a level there is no prediction */
        r->rows[i].next_low = r->rows[i].next_high = NAN;
    r->claim = (struct level_claim){.state = state,
                                    .doubt = LEVEL_DOUBT_SLOW_END,
                                    .memory = 0.3,
                                    .reading_seconds = 0.1,
                                    .readings = 570,
                                    .low = 17100,
                                    .high = 18650,
                                    .change = 0.021,
                                    .change_readings = 190,
                                    .cycle_readings = 140,
                                    .needed_readings = 324000,
                                    .limit_width = 0.0061};
}

/* Adds percentiles, all but the last two with intervals. */
static inline void fixture_percentiles(struct analysis *a)
{
    static const struct analysis_percentile all[ANALYSIS_PERCENTILES] = {
        {"p50", 0.5, 99.8731, 99.5017, 100.302, 287.2, ""},
        {"p90", 0.9, 103.8021, 103.4113, 104.1209, 300, ""},
        {"p95", 0.95, 104.3312, 104.0102, 104.7713, 300, ""},
        {"p99", 0.99, 104.8712, 104.5102, 104.991, 300, "without one stall of 2 samples"},
        {"p99.9", 0.999, 104.991, NAN, NAN, 300,
         "no interval yet: too few independent samples; about 3400 values more"},
        {"p99.99", 0.9999, 104.991, NAN, NAN, 300, "no interval yet: one stall decides it"}};
    for (size_t i = 0; i < ANALYSIS_PERCENTILES; i++)
        a->percentiles[i] = all[i];
    a->percentile_count = ANALYSIS_PERCENTILES;
}

/* Returns the analysis of 400 readings: warm-up, level, cool-down. */
static inline struct analysis fixture_analysis(double values[400])
{
    static const size_t changepoints[] = {60, 360};
    for (size_t i = 0; i < 400; i++)
        values[i] = (i < 60 ? 80 : i < 360 ? 100 : 70) + 5 * fixture_noise(i);
    struct analysis a = {.source = "column.txt",
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
                         .next_low = 99.4086,
                         .next_high = 100.3957,
                         .target_width = 0.1,
                         .decided_width = 0.0068,
                         .asked = true,
                         .enough = true,
                         .required_n = 300,
                         .minimum_n = 50,
                         .min_n = 250,
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
                         .changepoint_method = "pelt",
                         .search = CHANGE_SEARCH_FULL,
                         .search_name = "full",
                         .claim = level_claim_unknown()};
    fixture_percentiles(&a);
    return a;
}

/* Adds clauses: one passes, one fails, one is undecided, one cannot be decided. */
static inline void fixture_analysis_clauses(struct analysis *a)
{
    const struct result_clause all[] = {
        {.text = "p99<110", .verdict = CLAUSE_PASSED, .value = 104.8712, .limit = 110},
        {.text = "mean>150", .verdict = CLAUSE_FAILED, .value = 99.90214, .limit = 150},
        {.text = "p50<100", .value = 99.8731, .limit = 100, .more_readings = 5210.3},
        {.text = "p99.9<104.991", .value = 104.991, .limit = 104.991, .more_readings = INFINITY}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct result_clause *to = &a->clauses[a->clause_count++];
        *to = all[i];
        to->kind = METRIC_KIND_NUMBER;
    }
}

#endif
