/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text format: bounds that are bucket edges, escapes, and unknown values left out. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "report/prometheus/prometheus.h"
#include "stat/basic/histogram.h"

static void check_bounds(void)
{
    for (size_t i = 0; i < EXPOSED_BOUNDS; i++) {
        const uint64_t bound = exposed_bound_ns(i);
        CHECK(i == 0 || bound > exposed_bound_ns(i - 1));
        CHECK_INT((uint64_t)histogram_edge(histogram_bucket(bound)), bound);
        CHECK(histogram_bucket(bound - 1) < histogram_bucket(bound));
    }
    CHECK_INT(exposed_bound_ns(0), 1024);
    CHECK_INT(exposed_bound_ns(1), 1536);
    CHECK_INT(exposed_bound_ns(EXPOSED_BOUNDS - 1), UINT64_C(1) << 35);
}

static void check_ops(void)
{
    const struct exposed_op op = {.op = "read",
                                  .group = "a\"b\\c\nd\x1b\xff",
                                  .ios = 12,
                                  .bytes = UINT64_C(18446744073709551615),
                                  .latency_seconds = 0.25,
                                  .latencies = 11,
                                  .below = {[0] = 3, [1] = 4}};
    const struct exposition x = {.by = "host", .ops = &op, .op_count = 1};
    struct text out = {0};
    prometheus_print(&x, &out);
    CHECK(!out.failed && out.data);
    CHECK(strstr(out.data, "cupel_io_latency_seconds_bucket{op=\"read\",host=\"a\\\"b\\\\c\\nd??\","
                           "le=\"1.024e-06\"} 3\n"));
    CHECK(strstr(out.data, ",le=\"1.536e-06\"} 4\n"));
    CHECK(strstr(out.data, ",le=\"+Inf\"} 11\n"));
    CHECK(strstr(out.data, "d??\"} 18446744073709551615\n"));
    CHECK(strstr(out.data, "# TYPE cupel_io_latency_seconds histogram\n"));
    CHECK(!strstr(out.data, "cupel_interval") && !strstr(out.data, "cupel_sla"));
    text_free(&out);
}

static void check_followed(void)
{
    const struct result_clause clauses[] = {{.text = "read.p99<1ms", .verdict = CLAUSE_PASSED},
                                            {.text = "iops>\"5\"", .verdict = CLAUSE_FAILED},
                                            {.text = "errors=0", .verdict = CLAUSE_UNDECIDED}};
    const struct followed followed = {.any = true,
                                      .last = {.end_ns = UINT64_C(1795507200250000000),
                                               .io_rate = 1500,
                                               .byte_rate = NAN,
                                               .p50 = 1e6,
                                               .p90 = 2e6,
                                               .p99 = NAN,
                                               .p999 = 4e6,
                                               .max = 8e6},
                                      .in_state = {[FOLLOWED_SILENT] = 2},
                                      .clauses = clauses,
                                      .clause_count = 3};
    const struct exposition x = {.followed = &followed};
    struct text out = {0};
    prometheus_print(&x, &out);
    CHECK(!out.failed && out.data);
    CHECK(strstr(out.data, "cupel_interval_latency_seconds{quantile=\"0.5\"} 0.001\n"));
    CHECK(!strstr(out.data, "quantile=\"0.99\""));
    CHECK(strstr(out.data, "\ncupel_interval_iops 1500\n"));
    CHECK(!strstr(out.data, "bytes_per_second"));
    CHECK(strstr(out.data, "cupel_interval_end_timestamp_seconds 1795507200.25\n"));
    CHECK(strstr(out.data, "cupel_records{state=\"silent\"} 2\n"));
    CHECK(strstr(out.data, "cupel_sla_clause{clause=\"read.p99<1ms\"} 1\n"));
    CHECK(strstr(out.data, "cupel_sla_clause{clause=\"iops>\\\"5\\\"\"} 0\n"));
    CHECK(!strstr(out.data, "errors=0"));
    CHECK(!strstr(out.data, "cupel_io_"));
    text_free(&out);
}

int main(void)
{
    check_bounds();
    check_ops();
    check_followed();
    return check_result();
}
