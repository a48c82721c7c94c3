/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists the file formats of other programs, one a row: how a file is recognised, and which of its
 * rows and columns to read. Sources: the manuals of hyperfine, pytest-benchmark, Google Benchmark,
 * Criterion.rs (book/user_guide/csv_output), k6 (results-output), elbencho (--help-all, --livecsv)
 * and sacct(1).
 */
#include <string.h>

#include "cmd/column/internal.h"

static const struct column_format formats[] = {
    {.program = "hyperfine",
     .marks = "results.0.command",
     .records = "results",
     .column = "times",
     .names = "command",
     .unit = "s",
     .timed = "*"},
    {.program = "pytest-benchmark",
     .marks = "benchmarks.0.stats",
     .records = "benchmarks",
     .column = "stats.data",
     .names = "name",
     .unit = "s",
     .timed = "stats.*",
     .remedy = "pytest --benchmark-save-data keeps every round"},
    {.program = "Google Benchmark",
     .marks = "benchmarks.0.real_time",
     .records = "benchmarks",
     .column = "real_time",
     .where = "run_type!=aggregate",
     .names = "name",
     .unit = "=time_unit",
     .timed = "*_time",
     .remedy = "--benchmark_repetitions=N without --benchmark_report_aggregates_only keeps "
               "every repetition"},
    {.program = "Google Benchmark",
     .marks = "name;iterations;real_time;cpu_time;time_unit",
     .column = "real_time",
     .where = "name!=*_mean,name!=*_median,name!=*_stddev,name!=*_cv",
     .names = "name",
     .unit = "=time_unit",
     .timed = "*_time"},
    {.program = "Criterion.rs",
     .marks = "iters;times",
     .records = "",
     .column = "times/iters",
     .unit = "ns",
     .timed = "times/iters"},
    {.program = "Criterion.rs",
     .marks = "mean.point_estimate;std_dev.point_estimate",
     .records = "",
     .beside = "sample.json"},
    {.program = "Criterion.rs",
     .marks = "sample_measured_value;unit;iteration_count",
     .column = "sample_measured_value/iteration_count",
     .unit = "=unit",
     .timed = "sample_measured_value*"},
    {.program = "k6",
     .marks = "metric_name;timestamp;metric_value",
     .column = "metric_value",
     .names = "metric_name",
     .name = "http_req_duration",
     .unit = "ms",
     .timed = "http_req_[!f]*"},
    {.program = "k6",
     .marks = "type;metric;data.type",
     .records = "",
     .column = "data.value",
     .where = "type=Point",
     .names = "metric",
     .name = "http_req_duration",
     .unit = "ms",
     .timed = "http_req_[!f]*"},
    {.program = "k6",
     .marks = "metrics.iterations",
     .records = "metrics",
     .column = "http_req_duration.avg",
     .unit = "ms",
     .timed = "http_req_[!f]*",
     .remedy =
         "choose METRIC.VALUE, as in --column 'http_req_duration.p(95)'; k6 run --out csv=FILE "
         "keeps every request"},
    {.program = "elbencho",
     .marks = "ISO Date;Phase;Rank;MixType",
     .where = "Rank=Total",
     .names = "Phase"},
    {.program = "sacct",
     .marks = "JobID",
     .where = "JobID!=*.*",
     .remedy = "values of steps are chosen by --where 'JobID=*.batch' or 'JobID=*.0'"},
};

static bool has_marks(const char *marks, find_field *has, const void *context)
{
    struct operand field;
    bool all = true;
    while (all && *marks) {
        size_t length = strcspn(marks, ";");
        all = has(context, (struct span){marks, length}, &field);
        marks += length + (marks[length] == ';');
    }
    return all;
}

const struct column_format *column_format_of(bool json, find_field *has, const void *context)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (json == (formats[i].records != NULL) && has_marks(formats[i].marks, has, context))
            return &formats[i];
    return NULL;
}
