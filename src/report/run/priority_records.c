/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of priorities.csv, and of the same in JSON. */
#include "report/run/formats.h"

const struct field priority_fields[] = {
    FIELD_BOTH(result_priority, op),
    FIELD_BOTH(result_priority, priority),
    FIELD_BOTH(result_priority, bytes),
    FIELD_BOTH(result_priority, n),
    FIELD_BOTH(result_priority, share),
    FIELD(result_priority, mean.value, "mean_ns", "mean"),
    FIELD(result_priority, mean.low, "mean_low_ns", "mean_low"),
    FIELD(result_priority, mean.high, "mean_high_ns", "mean_high"),
    FIELD(result_priority, p50.value, "p50_ns", "p50"),
    FIELD(result_priority, p50.low, "p50_low_ns", "p50_low"),
    FIELD(result_priority, p50.high, "p50_high_ns", "p50_high"),
    FIELD(result_priority, p99.value, "p99_ns", "p99"),
    FIELD(result_priority, p99.low, "p99_low_ns", "p99_low"),
    FIELD(result_priority, p99.high, "p99_high_ns", "p99_high"),
    FIELD(result_priority, p999.value, "p999_ns", "p999"),
    FIELD(result_priority, p999.low, "p999_low_ns", "p999_low"),
    FIELD(result_priority, p999.high, "p999_high_ns", "p999_high"),
    FIELD(result_priority, max, "max_ns", "max"),
    FIELD_BOTH(result_priority, than),
    FIELD(result_priority, mean_ratio.value, "mean_ratio", "mean_ratio"),
    FIELD(result_priority, mean_ratio.low, "mean_ratio_low", "mean_ratio_low"),
    FIELD(result_priority, mean_ratio.high, "mean_ratio_high", "mean_ratio_high"),
    FIELD(result_priority, p99_ratio.value, "p99_ratio", "p99_ratio"),
    FIELD(result_priority, p99_ratio.low, "p99_ratio_low", "p99_ratio_low"),
    FIELD(result_priority, p99_ratio.high, "p99_ratio_high", "p99_ratio_high"),
    FIELD_LAST};
