/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists the numbers that well-known benchmarks print, with a row for each benchmark, so that their
 * indices need only its name. Rates are reported over a time that the benchmark's own options set,
 * so their means are arithmetic. Percentiles are reported but not waited for, because they take
 * many more rounds.
 */
#include <string.h>

#include "program/exec/internal.h"

#define MS_TO_NS 1e6

/* names without a prefix are metrics of tables/metrics.h, with the same meaning */
#define RATE(title, of, what, place)                                                               \
    {                                                                                              \
        .name = #title, .op = (of), .unit = (what), .source = (place), .scale = 1,                 \
        .better = METRIC_BETTER_HIGHER, .above_zero = true                                         \
    }
#define TIME(title, of, place, factor)                                                             \
    {                                                                                              \
        .name = #title, .op = (of), .unit = "ns", .source = (place), .scale = (factor),            \
        .better = METRIC_BETTER_LOWER                                                              \
    }
#define TIME_REPORTED(title, of, place, factor)                                                    \
    {                                                                                              \
        .name = (title), .op = (of), .unit = "ns", .source = (place), .scale = (factor),           \
        .better = METRIC_BETTER_LOWER, .target_width = EXEC_INDEX_REPORTED                         \
    }
#define FIO(op)                                                                                    \
    RATE(iops, op, "1/s", "jobs.0." op ".iops"),                                                   \
        RATE(bandwidth, op, "B/s", "jobs.0." op ".bw_bytes"),                                      \
        TIME(response_time, op, "jobs.0." op ".lat_ns.mean", 1),                                   \
        TIME_REPORTED("lat_p50", op, "jobs.0." op ".clat_ns.percentile.50.000000", 1),             \
        TIME_REPORTED("lat_p99", op, "jobs.0." op ".clat_ns.percentile.99.000000", 1),             \
        TIME_REPORTED("lat_p99.9", op, "jobs.0." op ".clat_ns.percentile.99.900000", 1)

/* clang-format off */
#define INDICES(...) (const struct exec_index[]){__VA_ARGS__, {.name = ""}}
/* clang-format on */

const struct exec_parser exec_parsers[] = {
    {"fio", "jobs.1", "it reports several jobs: give fio --group_reporting", INDICES(FIO("read"))},
    {"fio-write", "jobs.1", "it reports several jobs: give fio --group_reporting",
     INDICES(FIO("write"))},
    {"sysbench", NULL, NULL,
     INDICES(
         RATE(events, "all", "1/s", "text:events per second:|text2:transactions:|text:writes/s:"),
         TIME(response_time, "all", "text:avg:", MS_TO_NS),
         TIME_REPORTED("lat_p95", "all", "text:95th percentile:", MS_TO_NS))},
    {"pgbench", NULL, NULL,
     INDICES(RATE(transactions, "all", "1/s", "text:tps ="),
             TIME(response_time, "all", "text:latency average =", MS_TO_NS))},
    {"redis-benchmark", NULL, NULL,
     INDICES(RATE(requests, "all", "1/s", "1"), TIME(response_time, "all", "2", MS_TO_NS),
             TIME_REPORTED("lat_p50", "all", "4", MS_TO_NS),
             TIME_REPORTED("lat_p95", "all", "5", MS_TO_NS),
             TIME_REPORTED("lat_p99", "all", "6", MS_TO_NS))},
    {0},
};

const struct exec_parser *exec_parser_find(const char *name)
{
    for (const struct exec_parser *parser = exec_parsers; parser->name; parser++)
        if (!strcmp(parser->name, name))
            return parser;
    return NULL;
}
