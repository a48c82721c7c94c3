/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every metric that a report can have, one row each: a new row here appears in text and in CSV. The
 * metrics before the first latency are the main ones, which the report's first screen shows.
 *
 * METRIC(identifier, name, unit, kind, better, title, meaning)
 *   name, unit  for CSV
 *   kind        how a value is written for people: COUNT_RATE, BYTE_RATE, TIME, COUNT, SECONDS,
 *               SHARE
 *   better      HIGHER, LOWER or NEITHER
 *   title       for the text report
 *   meaning     the definition, for help and documentation
 *
 * BPS: He, Sun, Yin, "BPS: a performance metric of I/O system", section III (requested blocks of
 * 512 bytes, successful or not, over the union of the time in which at least one I/O was in
 * flight).
 */
#ifndef CUPEL_TABLES_METRICS_H
#define CUPEL_TABLES_METRICS_H

#define METRIC_ROWS(METRIC)                                                                        \
    METRIC(METRIC_IOPS, "iops", "1/s", COUNT_RATE, HIGHER, "IOPS",                                 \
           "I/Os completed per second: mean of equal time slices of the stable segment")           \
    METRIC(METRIC_BANDWIDTH, "bandwidth", "B/s", BYTE_RATE, HIGHER, "bandwidth",                   \
           "bytes moved per second: mean of equal time slices of the stable segment")              \
    METRIC(METRIC_RESPONSE_TIME, "response_time", "ns", TIME, LOWER, "response time",              \
           "mean time from submission to completion of an I/O")                                    \
    METRIC(METRIC_BPS, "bps", "block/s", COUNT_RATE, HIGHER, "BPS",                                \
           "512-byte blocks asked for over the union of the time with I/O in flight")              \
    METRIC(METRIC_LATENCY_P50, "lat_p50", "ns", TIME, LOWER, "p50", "median latency")              \
    METRIC(METRIC_LATENCY_P90, "lat_p90", "ns", TIME, LOWER, "p90", "90th percentile of latency")  \
    METRIC(METRIC_LATENCY_P95, "lat_p95", "ns", TIME, LOWER, "p95", "95th percentile of latency")  \
    METRIC(METRIC_LATENCY_P99, "lat_p99", "ns", TIME, LOWER, "p99", "99th percentile of latency")  \
    METRIC(METRIC_LATENCY_P999, "lat_p99.9", "ns", TIME, LOWER, "p99.9",                           \
           "99.9th percentile of latency")                                                         \
    METRIC(METRIC_LATENCY_P9999, "lat_p99.99", "ns", TIME, LOWER, "p99.99",                        \
           "99.99th percentile of latency")                                                        \
    METRIC(METRIC_LATENCY_MIN, "lat_min", "ns", TIME, LOWER, "min", "shortest latency")            \
    METRIC(METRIC_LATENCY_MAX, "lat_max", "ns", TIME, LOWER, "max", "longest latency")             \
    METRIC(METRIC_SERVICE_TIME, "service_time", "ns", TIME, LOWER, "service time",                 \
           "mean time from issue to completion, of requests whose response time is from due "      \
           "instant to completion")                                                                \
    METRIC(METRIC_SERVICE_P50, "service_p50", "ns", TIME, LOWER, "service p50",                    \
           "median time from issue to completion")                                                 \
    METRIC(METRIC_SERVICE_P99, "service_p99", "ns", TIME, LOWER, "service p99",                    \
           "99th percentile of the time from issue to completion")                                 \
    METRIC(METRIC_SERVICE_P999, "service_p99.9", "ns", TIME, LOWER, "service p99.9",               \
           "99.9th percentile of the time from issue to completion")                               \
    METRIC(METRIC_SERVICE_MAX, "service_max", "ns", TIME, LOWER, "service max",                    \
           "longest time from issue to completion")                                                \
    METRIC(METRIC_ISSUE_ERROR_P50, "issue_error_p50", "ns", TIME, LOWER, "issue error p50",        \
           "median of how long after its due instant a request was issued")                        \
    METRIC(METRIC_ISSUE_ERROR_P99, "issue_error_p99", "ns", TIME, LOWER, "issue error p99",        \
           "99th percentile of how long after its due instant a request was issued")               \
    METRIC(METRIC_ISSUE_ERROR_MAX, "issue_error_max", "ns", TIME, LOWER, "issue error max",        \
           "the latest issue of a request after its due instant")                                  \
    METRIC(METRIC_ISSUED_1US, "issued_within_1us", "1", SHARE, HIGHER, "issued within 1 us",       \
           "share of requests issued within 1 us of their due instant")                            \
    METRIC(METRIC_ISSUED_10US, "issued_within_10us", "1", SHARE, HIGHER, "within 10 us",           \
           "share of requests issued within 10 us of their due instant")                           \
    METRIC(METRIC_ISSUED_50US, "issued_within_50us", "1", SHARE, HIGHER, "within 50 us",           \
           "share of requests issued within 50 us of their due instant")                           \
    METRIC(METRIC_ISSUED_100US, "issued_within_100us", "1", SHARE, HIGHER, "within 100 us",        \
           "share of requests issued within 100 us of their due instant")                          \
    METRIC(METRIC_ISSUED_1MS, "issued_within_1ms", "1", SHARE, HIGHER, "within 1 ms",              \
           "share of requests issued within 1 ms of their due instant")                            \
    METRIC(METRIC_RATE_ASKED, "rate_asked", "1/s", COUNT_RATE, NEITHER, "rate asked",              \
           "requests per second that fell due")                                                    \
    METRIC(METRIC_QUEUE_LENGTH, "queue_length", "1", COUNT_RATE, NEITHER, "queue length",          \
           "mean number of requests in flight")                                                    \
    METRIC(METRIC_BACKLOG, "backlog", "1", COUNT, LOWER, "backlog",                                \
           "requests that were due and not issued, at the end")                                    \
    METRIC(METRIC_NEVER_ISSUED, "never_issued", "1", COUNT, LOWER, "never issued",                 \
           "requests that were due and never issued: later than everything that was measured")     \
    METRIC(METRIC_BACKLOG_GROWTH, "backlog_growth", "1/s", COUNT_RATE, LOWER, "backlog grows",     \
           "requests per second by which the backlog grew: what the target did not keep up with")  \
    METRIC(METRIC_SATURATION, "saturation", "1/s", COUNT_RATE, HIGHER, "saturation",               \
           "the rate above which the target does not keep up with what falls due")                 \
    METRIC(METRIC_ERRORS, "errors", "1", COUNT, LOWER, "errors", "failed or short I/Os")           \
    METRIC(METRIC_ELAPSED, "elapsed", "s", SECONDS, NEITHER, "elapsed",                            \
           "time from the first round's start to the last one's end")                              \
    METRIC(METRIC_OVERHEAD, "overhead", "ns", TIME, LOWER, "own cost",                             \
           "processor time this program adds to each I/O, measured on the null backend")           \
    METRIC(METRIC_EFFICIENCY, "efficiency", "1", SHARE, HIGHER, "efficiency",                      \
           "bandwidth over the limit of the data path in that direction")                          \
    METRIC(METRIC_BLOCK_LAYER_IOPS, "block_layer_iops", "1", SHARE, HIGHER, "uring: IOPS",         \
           "IOPS of the same workload through the kernel's block layer (uring) over those past "   \
           "it (nvme-uring)")                                                                      \
    METRIC(METRIC_BLOCK_LAYER_CPU, "block_layer_cpu", "1", SHARE, LOWER, "uring: CPU",             \
           "processor time for an I/O through the kernel's block layer (uring) over that past it " \
           "(nvme-uring)")                                                                         \
    METRIC(METRIC_SESSIONS, "sessions", "1", COUNT, NEITHER, "sessions",                           \
           "sessions that the mean is over (--repeat)")                                            \
    METRIC(METRIC_SESSION_SD, "session_sd", "1", SHARE, LOWER, "sd of sessions",                   \
           "standard deviation of session means over their mean")                                  \
    METRIC(METRIC_SESSION_WITHIN, "session_within", "1", SHARE, LOWER, "sd within",                \
           "standard deviation of a session's mean as its own interval states it, over the mean")  \
    METRIC(METRIC_SESSION_BETWEEN, "session_between", "1", SHARE, LOWER, "sd between",             \
           "standard deviation of the levels of sessions, without what lies within them, over "    \
           "the mean")                                                                             \
    METRIC(METRIC_SESSION_INTRACLASS, "session_intraclass", "1", SHARE, NEITHER, "intraclass",     \
           "share of the variance of session means that lies between sessions")                    \
    METRIC(METRIC_SESSIONS_HOLDING, "sessions_holding", "1", COUNT, HIGHER, "own intervals hold",  \
           "sessions whose own interval holds the mean of all sessions")                           \
    METRIC(METRIC_SESSIONS_REQUIRED, "sessions_required", "1", COUNT, LOWER, "sessions needed",    \
           "sessions after which the interval is expected to be as narrow as asked")               \
    METRIC(                                                                                        \
        METRIC_PREDICTIONS_HELD, "predictions_held", "1", COUNT, HIGHER, "predictions held",       \
        "predictions that sessions of this disk and workload made for the next one, and that it "  \
        "bore out, of the last n that were checked")                                               \
    METRIC(METRIC_HIGHEST_RATE, "highest_rate", "1/s", COUNT_RATE, HIGHER, "highest rate",         \
           "requests per second between a rate that keeps the limits of --find-rate and one that " \
           "breaks them; the value is where the fitted curve meets the limits")

enum metric_kind {
    METRIC_KIND_COUNT_RATE,
    METRIC_KIND_BYTE_RATE,
    METRIC_KIND_TIME,
    METRIC_KIND_COUNT,
    METRIC_KIND_SECONDS,
    METRIC_KIND_SHARE,
    METRIC_KIND_NUMBER /* for a column of numbers: without a unit */
};
enum metric_better { METRIC_BETTER_HIGHER, METRIC_BETTER_LOWER, METRIC_BETTER_NEITHER };

#define METRIC_IDENTIFIER(identifier, ...) identifier,
enum metric_id { METRIC_ROWS(METRIC_IDENTIFIER) METRIC_COUNT };
#undef METRIC_IDENTIFIER

/*
 * The latency percentiles of a report, in ascending order.
 * PERCENTILE(metric, share)
 */
/* The mean that is shown beside percentiles. */
#define METRIC_LATENCY_MEAN METRIC_RESPONSE_TIME

/* The metrics of a group of I/Os, each with its member of struct result_group (facts/merged.h). */
#define GROUP_METRIC_ROWS(ROW)                                                                     \
    ROW(METRIC_IOPS, io_rate)                                                                      \
    ROW(METRIC_BANDWIDTH, byte_rate)                                                               \
    ROW(METRIC_RESPONSE_TIME, mean_ns)                                                             \
    ROW(METRIC_LATENCY_MAX, max)                                                                   \
    ROW(METRIC_ERRORS, errors)                                                                     \
    ROW(METRIC_ELAPSED, seconds)

#define PERCENTILE_ROWS(PERCENTILE)                                                                \
    PERCENTILE(METRIC_LATENCY_P50, 0.50)                                                           \
    PERCENTILE(METRIC_LATENCY_P90, 0.90)                                                           \
    PERCENTILE(METRIC_LATENCY_P95, 0.95)                                                           \
    PERCENTILE(METRIC_LATENCY_P99, 0.99)                                                           \
    PERCENTILE(METRIC_LATENCY_P999, 0.999)                                                         \
    PERCENTILE(METRIC_LATENCY_P9999, 0.9999)

/*
 * The metrics for clauses of --sla and --precise, except percentiles and errors. SUBJECT(subject,
 * metric)
 */
#define CLAUSE_METRIC_ROWS(SUBJECT)                                                                \
    SUBJECT(CLAUSE_IOPS, METRIC_IOPS)                                                              \
    SUBJECT(CLAUSE_BANDWIDTH, METRIC_BANDWIDTH)                                                    \
    SUBJECT(CLAUSE_BPS, METRIC_BPS)                                                                \
    SUBJECT(CLAUSE_MEAN, METRIC_RESPONSE_TIME)                                                     \
    SUBJECT(CLAUSE_EFFICIENCY, METRIC_EFFICIENCY)

#endif
