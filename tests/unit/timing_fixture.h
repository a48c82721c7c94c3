/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up results of requests with due times, out of that of report_fixture.h: an open loop,
   phases, one that was too much for the target, a replay. */
#ifndef TESTS_UNIT_TIMING_FIXTURE_H
#define TESTS_UNIT_TIMING_FIXTURE_H

#include "tests/unit/report_fixture.h"

#define TIMING_BUCKETS 200

struct timing_fixture {
    struct fixture base;
    double edges[TIMING_BUCKETS + 1];
    uint64_t issue_error[TIMING_BUCKETS];
    double original_edges[FIXTURE_BUCKETS + 1];
    uint64_t original_counts[FIXTURE_BUCKETS];
    double issued[2][FIXTURE_SLICES], queue[2][FIXTURE_SLICES], response[FIXTURE_SLICES];
};

static inline void timing_row(struct result *r, enum metric_id metric, const char *op, double value,
                              uint64_t n)
{
    result_add(r, metric, op, value)->n = n;
}

/* 20 ns to about 1.2 ms: most below 1 us. */
static inline void timing_issue_error(struct timing_fixture *f)
{
    struct result *r = &f->base.result;
    double edge = 20;
    for (size_t i = 0; i < TIMING_BUCKETS; i++) {
        double body = (double)i - 45;
        f->edges[i] = edge;
        f->issue_error[i] = (uint64_t)(20000 / (1 + body * body / 30));
        edge *= 1.057;
    }
    f->edges[TIMING_BUCKETS] = edge;
    r->issue_error = (struct result_histogram){
        .op = "all", .edges = f->edges, .counts = f->issue_error, .count = TIMING_BUCKETS};
    r->has_issue_error = true;
    r->waited_share = NAN;
    timing_row(r, METRIC_ISSUE_ERROR_P50, "all", 312, 300000);
    timing_row(r, METRIC_ISSUE_ERROR_P99, "all", 11200, 300000);
    timing_row(r, METRIC_ISSUE_ERROR_MAX, "all", 1.21e6, 300000);
    timing_row(r, METRIC_ISSUED_1US, "all", 0.9512, 300000);
    timing_row(r, METRIC_ISSUED_10US, "all", 0.98932, 300000);
    timing_row(r, METRIC_ISSUED_50US, "all", 0.99718, 300000);
    timing_row(r, METRIC_ISSUED_100US, "all", 0.99964, 300000);
    timing_row(r, METRIC_ISSUED_1MS, "all", 0.99999333, 300000);
}

static inline struct result_series timing_series(const char *name, const char *unit,
                                                 enum metric_kind kind, const double values[])
{
    return (struct result_series){.name = name,
                                  .unit = unit,
                                  .kind = kind,
                                  .values = values,
                                  .count = FIXTURE_SLICES,
                                  .slice_seconds = 0.1,
                                  .stable_end = FIXTURE_SLICES};
}

/* An open loop at 5,000 requests per second that the target keeps up with. */
static inline void timing_fill(struct timing_fixture *f)
{
    struct result *r = &f->base.result;
    fixture_fill(&f->base);
    r->timed = true;
    snprintf(r->workload, sizeof r->workload, "randread 4 KiB, 5k requests per second, poisson");
    snprintf(r->phase, sizeof r->phase, "flat");
    r->search = CHANGE_SEARCH_FULL;
    r->headline = METRIC_RESPONSE_TIME;
    for (size_t i = 0; i < r->row_count; i++) {
        struct result_row *row = &r->rows[i];
        if (row->metric == METRIC_IOPS || row->metric == METRIC_BANDWIDTH) {
            double scale = 4998.7 / 17942.31;
            row->value *= scale;
            row->low *= scale;
            row->high *= scale;
            result_set_prediction(row, row->next_low * scale, row->next_high * scale);
        }
    }
    timing_row(r, METRIC_SERVICE_TIME, "all", 53012, 300000);
    timing_row(r, METRIC_SERVICE_P50, "read", 50400, 300000);
    timing_row(r, METRIC_SERVICE_P99, "read", 109000, 300000);
    timing_row(r, METRIC_SERVICE_P999, "read", 1.02e6, 300000);
    timing_row(r, METRIC_SERVICE_MAX, "read", 9.2e6, 300000);
    timing_issue_error(f);
    timing_row(r, METRIC_RATE_ASKED, "all", 5000, 0);
    timing_row(r, METRIC_QUEUE_LENGTH, "all", 0.2653, 0);
    timing_row(r, METRIC_BACKLOG, "all", 0, 0);
    for (size_t i = 0; i < FIXTURE_SLICES; i++)
        f->response[i] = 55700 + 2000 * fixture_noise(i);
    r->series[0] = timing_series("response_time", "ns", METRIC_KIND_TIME, f->response);
    r->series_count = 1;
}

static inline void timing_saturate(struct timing_fixture *f)
{
    struct result *r = &f->base.result;
    r->verdict = VERDICT_SATURATED;
    r->saturated = true;
    r->waited_share = 0.963;
    for (size_t i = 0; i < r->row_count; i++) {
        struct result_row *row = &r->rows[i];
        if (row->metric == METRIC_RATE_ASKED)
            row->value = 20000;
        if (row->metric == METRIC_BACKLOG) {
            row->value = 77012;
            snprintf(row->note, sizeof row->note,
                     "at least; the oldest was due 6.26 s before the end");
        }
        if (row->metric == METRIC_IOPS)
            row->value = 12298, row->low = 12200, row->high = 12400, row->next_low = 12150,
            row->next_high = 12450;
        if (row->metric >= METRIC_ISSUED_1US && row->metric <= METRIC_ISSUED_1MS)
            row->value *= 0.05;
        if (row->metric == METRIC_RESPONSE_TIME)
            row->value = 3.1e9,
            row->low = row->high = row->confidence = row->next_low = row->next_high = NAN;
    }
    timing_row(r, METRIC_BACKLOG_GROWTH, "all", 7702, 0);
    timing_row(r, METRIC_SATURATION, "all", 12298, 0);
    for (size_t i = 0; i < FIXTURE_SLICES; i++)
        f->response[i] = 1e7 * (double)i;
}

static inline void timing_one_pass(struct result *r)
{
    r->verdict = VERDICT_COMPLETE;
    r->target_width = 0;
    snprintf(r->phase, sizeof r->phase, "no_steady_state");
    for (size_t i = 0; i < r->row_count; i++)
        r->rows[i].low = r->rows[i].high = r->rows[i].confidence = r->rows[i].effective_n =
            r->rows[i].next_low = r->rows[i].next_high = NAN;
    r->series[0].changepoint_count = 0;
}

static inline void timing_phases(struct timing_fixture *f)
{
    static const struct result_phase phases[] = {
        {0, 10, 5000, 5000, 4998.2, 55400, 53000, 3, true},
        {10, 60, 5000, 50000, 21540, 1.21e9, 81500, 612044, false},
        {70, 250, 1000, 1000, 3410, 890e6, 60100, 611020, true},
        {320, 5, 0, 0, 0, NAN, NAN, 0, true},
    };
    struct result *r = &f->base.result;
    timing_one_pass(r);
    r->saturated = true;
    snprintf(r->workload, sizeof r->workload, "randread 4 KiB, 4 phases, poisson");
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        r->phases[r->phase_count++] = phases[i];
    timing_row(r, METRIC_SATURATION, "all", 21800, 0);
}

static inline void timing_fidelity_row(struct result *r, const char *name, enum metric_kind kind,
                                       double original, double replay,
                                       enum fidelity_measure measure, double distance,
                                       const char *note)
{
    struct result_fidelity *row = &r->fidelity[r->fidelity_count++];
    *row = (struct result_fidelity){.kind = kind,
                                    .original = original,
                                    .replay = replay,
                                    .measure = measure,
                                    .distance = distance};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->note, sizeof row->note, "%s", note);
}

static inline void timing_fidelity(struct result *r)
{
    const enum metric_kind count = METRIC_KIND_COUNT, rate = METRIC_KIND_COUNT_RATE,
                           time = METRIC_KIND_TIME;
    const enum fidelity_measure none = FIDELITY_NONE;
    timing_fidelity_row(r, "requests", count, 300000, 300012, none, NAN,
                        "12 of the trace were too long for one request and were split");
    timing_fidelity_row(r, "duration", METRIC_KIND_SECONDS, 59.98, 60.02, none, NAN, "");
    timing_fidelity_row(r, "requests per second", rate, 5001.7, 4998.5, none, NAN, "");
    timing_fidelity_row(r, "requests per 1 s", rate, 4998, 4998.5, none, NAN, "");
    timing_fidelity_row(r, "requests per 1 s: most", count, 12804, 12811, none, NAN, "");
    timing_fidelity_row(r, "requests per 1 s: dispersion", rate, 2140.2, 2139.7, none, NAN, "");
    timing_fidelity_row(r, "requests per 1 s: distribution", rate, NAN, NAN, FIDELITY_KS, 0.0167,
                        "");
    timing_fidelity_row(r, "requests per 1 s: over time", rate, NAN, NAN, FIDELITY_CORRELATION,
                        0.99961, "");
    timing_fidelity_row(r, "requests per 100 ms: most", count, 1702, 1699, none, NAN, "");
    timing_fidelity_row(r, "queue length", rate, 1.371, 0.2812, none, NAN, "");
    timing_fidelity_row(r, "queue length: fullest 100 ms", rate, 12.4, 3.02, none, NAN, "");
    timing_fidelity_row(r, "response time", time, 274100, 55730, FIDELITY_EARTH_MOVER, 218900,
                        "the trace has those of 97.2 % of its requests");
    timing_fidelity_row(r, "response time: p50", time, 251000, 52100, none, NAN, "");
    timing_fidelity_row(r, "response time: p99", time, NAN, 118700, none, NAN, "");
    timing_fidelity_row(r, "response time: distribution", time, NAN, NAN, FIDELITY_KS, 0.912, "");
    timing_fidelity_row(r, "issue error: p50", time, NAN, 312, none, NAN, "");
    timing_fidelity_row(r, "issue error: within 10 us", METRIC_KIND_SHARE, NAN, 0.98932, none, NAN,
                        "");
}

/* Bursts every ten seconds, on a target that is five times as fast as the trace's. */
static inline void timing_replay(struct timing_fixture *f)
{
    struct result *r = &f->base.result;
    timing_one_pass(r);
    snprintf(r->workload, sizeof r->workload,
             "replay of hm_1.csv.gz (MSR Cambridge CSV), writes as reads");
    timing_fidelity(r);
    for (size_t i = 0; i < FIXTURE_SLICES; i++) {
        double level = i % 100 < 20 ? 12000 : 3200 + 5 * (double)(i % 100);
        f->issued[0][i] = level;
        f->issued[1][i] = level + (i % 100 >= 20 && i % 100 < 30 ? 2000 : 0);
        f->queue[0][i] = level * 274e-6;
        f->queue[1][i] = f->issued[1][i] * 56e-6;
    }
    r->series[1] = timing_series("issued", "1/s", METRIC_KIND_COUNT_RATE, f->issued[1]);
    r->series[2] = timing_series("queue_length", "1", METRIC_KIND_COUNT_RATE, f->queue[1]);
    r->series_count = 3;
    r->original[0] = timing_series("issued", "1/s", METRIC_KIND_COUNT_RATE, f->issued[0]);
    r->original[1] = timing_series("queue_length", "1", METRIC_KIND_COUNT_RATE, f->queue[0]);
    r->original_count = 2;
    for (size_t i = 0; i <= FIXTURE_BUCKETS; i++)
        f->original_edges[i] = 5 * f->base.edges[i];
    memcpy(f->original_counts, f->base.counts, sizeof f->original_counts);
    r->original_histograms[0] = (struct result_histogram){.op = "write",
                                                          .edges = f->original_edges,
                                                          .counts = f->original_counts,
                                                          .count = FIXTURE_BUCKETS};
    r->original_histogram_count = 1;
}

#endif
