/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes one job of fio's JSON+. Keys, their order and their units are the same as in fio 3.33. */
#include "fio/json/fio_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/version.h"

#define SECOND_NS 1000000000u
#define MS_NS     1000000u

static double known(double value)
{
    return isfinite(value) ? value : 0;
}

/* ---- latencies ---- */

/* Returns the middle of a bucket, rounded as in fio. */
static uint64_t middle_of(size_t bucket)
{
    uint64_t low = (uint64_t)histogram_edge(bucket), end = (uint64_t)histogram_edge(bucket + 1);
    return low + (end - low) / 2;
}

/* Returns the standard deviation from the mean; values beyond the last bucket count as the
   maximum. */
static double deviation_of(const struct histogram *h, double mean)
{
    double squares = (double)h->over * pow((double)h->max - mean, 2);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->count[i])
            squares += (double)h->count[i] * pow((double)middle_of(i) - mean, 2);
    return h->n ? sqrt(squares / (double)h->n) : 0;
}

static void add_percentiles(struct json *j, const struct histogram *h)
{
    static const double percents[] = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                      80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
    json_begin_object(j, "percentile");
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        char key[16];
        snprintf(key, sizeof key, "%.6f", percents[i]);
        json_unsigned(j, key, (uint64_t)llround(histogram_quantile(h, percents[i] / 100)));
    }
    json_end_object(j);
}

static void add_bins(struct json *j, const struct histogram *h)
{
    char key[TEXT_DIGITS];
    uint64_t last = h->over;
    json_begin_object(j, "bins");
    for (size_t i = 0; i < FIO_BUCKETS - 1; i++)
        if (h->count[i])
            json_unsigned(j, text_digits(key, middle_of(i)), h->count[i]);
    for (size_t i = FIO_BUCKETS - 1; i < HISTOGRAM_BUCKETS; i++)
        last += h->count[i];
    if (last)
        json_unsigned(j, text_digits(key, middle_of(FIO_BUCKETS - 1)), last);
    json_end_object(j);
}

/* `h` is NULL when there are no samples. */
static void add_latency(struct json *j, const char *name, const struct histogram *h, double mean,
                        bool with_bins)
{
    bool any = h && h->n;
    json_begin_object(j, name);
    json_unsigned(j, "min", any ? h->min : 0);
    json_unsigned(j, "max", any ? h->max : 0);
    /* for several sessions, only the mean of their latencies is known */
    json_number(j, "mean", known(mean));
    json_number(j, "stddev", any ? deviation_of(h, known(mean)) : 0);
    json_unsigned(j, "N", any ? h->n : 0);
    if (any && with_bins) {
        add_percentiles(j, h);
        add_bins(j, h);
    }
    json_end_object(j);
}

/* ---- one operation ---- */

static void add_rates(struct json *j, const struct fio_json_op *op)
{
    json_unsigned(j, "bw_min", (uint64_t)op->kb.min);
    json_unsigned(j, "bw_max", (uint64_t)op->kb.max);
    json_number(j, "bw_agg", op->kb.n ? 100 : 0);
    json_number(j, "bw_mean", op->kb.mean);
    json_number(j, "bw_dev", op->kb.sd);
    json_unsigned(j, "bw_samples", op->kb.n);
    json_unsigned(j, "iops_min", (uint64_t)op->rate.min);
    json_unsigned(j, "iops_max", (uint64_t)op->rate.max);
    json_number(j, "iops_mean", op->rate.mean);
    json_number(j, "iops_stddev", op->rate.sd);
    json_unsigned(j, "iops_samples", op->rate.n);
}

static void add_op(struct json *j, const char *name, const struct fio_json_op *op)
{
    json_begin_object(j, name);
    json_unsigned(j, "io_bytes", op->bytes);
    json_unsigned(j, "io_kbytes", op->bytes / 1024);
    json_unsigned(j, "bw_bytes", (uint64_t)known(op->bytes_rate));
    json_unsigned(j, "bw", (uint64_t)(known(op->bytes_rate) / 1024));
    json_number(j, "iops", known(op->iops));
    json_unsigned(j, "runtime", (uint64_t)llround(known(op->seconds) * 1000));
    json_unsigned(j, "total_ios", op->ios);
    json_unsigned(j, "short_ios", 0);
    json_unsigned(j, "drop_ios", 0);
    add_latency(j, "slat_ns", NULL, 0, false);
    add_latency(j, "clat_ns", op->latency, op->latency_mean, true);
    add_latency(j, "lat_ns", op->latency, op->latency_mean, false);
    add_rates(j, op);
    json_end_object(j);
}

/* Writes the object for flushes, which in fio has only latencies. */
static void add_sync(struct json *j, const struct fio_json_op *op)
{
    json_begin_object(j, operation_names[OPERATION_SYNC]);
    json_unsigned(j, "total_ios", op->ios);
    add_latency(j, "lat_ns", op->latency, op->latency_mean, true);
    json_end_object(j);
}

/* ---- the whole job ---- */

static void add_head(struct json *j, uint64_t end_ns)
{
    char words[96], when[64] = "";
    time_t seconds = (time_t)(end_ns / SECOND_NS);
    struct tm utc;
    snprintf(words, sizeof words, "cupel-%s", cupel_version);
    json_string(j, "fio version", words);
    if (!end_ns)
        return;
    if (gmtime_r(&seconds, &utc))
        strftime(when, sizeof when, "%a %b %d %H:%M:%S %Y", &utc);
    json_unsigned(j, "timestamp", end_ns / SECOND_NS);
    json_unsigned(j, "timestamp_ms", end_ns / MS_NS);
    json_string(j, "time", when);
}

static void add_options(struct json *j, const struct fio_json *from)
{
    json_begin_object(j, "job options");
    for (size_t i = 0; i < from->option_count; i++)
        if (*from->options[i].value)
            json_string(j, from->options[i].name, from->options[i].value);
    json_end_object(j);
}

static void add_zeros(struct json *j, const char *name, const char *const keys[], size_t count)
{
    json_begin_object(j, name);
    for (size_t i = 0; i < count; i++)
        json_number(j, keys[i], 0);
    json_end_object(j);
}

static void add_depths(struct json *j)
{
    static const char *const level[] = {"1", "2", "4", "8", "16", "32", ">=64"};
    static const char *const submit[] = {"0", "4", "8", "16", "32", "64", ">=64"};
    add_zeros(j, "iodepth_level", level, sizeof level / sizeof *level);
    add_zeros(j, "iodepth_submit", submit, sizeof submit / sizeof *submit);
    add_zeros(j, "iodepth_complete", submit, sizeof submit / sizeof *submit);
}

/* Writes for each bound the percentage of all I/Os that took less than this bound and at least the
   one before. */
static void add_shares(struct json *j, const struct fio_json *from, const char *name, double unit)
{
    static const unsigned bounds[] = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000};
    enum { BOUNDS = sizeof bounds / sizeof *bounds };
    bool is_last = unit > 1e5;
    uint64_t counts[BOUNDS + 1] = {0}, total = 0;
    for (int op = 0; op < FIO_JSON_OPS; op++) {
        const struct histogram *h = op == OPERATION_SYNC ? NULL : from->ops[op].latency;
        total += h ? h->n : 0;
        counts[BOUNDS] += h ? h->over : 0;
        for (size_t i = 0; h && i < HISTOGRAM_BUCKETS; i++) {
            double value = (double)middle_of(i) / unit;
            size_t row = 0;
            while (row < BOUNDS && value >= bounds[row])
                row++;
            /* values below 1 unit are counted in the rows of the smaller unit, whose last bound is
               1000 */
            if (unit < 2 || value >= 1)
                counts[row] += h->count[i];
        }
    }
    json_begin_object(j, name);
    for (size_t row = 0; row < (is_last ? BOUNDS : BOUNDS - 1); row++) {
        char key[TEXT_DIGITS];
        json_number(j, text_digits(key, bounds[row]),
                    total ? 100 * (double)counts[row] / (double)total : 0);
    }
    if (is_last)
        json_number(j, ">=2000", total ? 100 * (double)counts[BOUNDS] / (double)total : 0);
    json_end_object(j);
}

static void add_job(struct json *j, const struct fio_json *from)
{
    static const int directions[] = {OPERATION_READ, OPERATION_WRITE, OPERATION_TRIM};
    json_string(j, "jobname", from->job);
    json_unsigned(j, "groupid", 0);
    json_unsigned(j, "error", 0);
    json_unsigned(j, "eta", 0);
    json_unsigned(j, "elapsed", (uint64_t)ceil(known(from->seconds)));
    add_options(j, from);
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        add_op(j, operation_names[directions[i]], &from->ops[directions[i]]);
    add_sync(j, &from->ops[OPERATION_SYNC]);
    json_unsigned(j, "job_runtime", (uint64_t)llround(known(from->seconds) * 1000));
    json_number(j, "usr_cpu", 0);
    json_number(j, "sys_cpu", 0);
    json_unsigned(j, "ctx", 0);
    json_unsigned(j, "majf", 0);
    json_unsigned(j, "minf", 0);
    add_depths(j);
    add_shares(j, from, "latency_ns", 1);
    add_shares(j, from, "latency_us", 1e3);
    add_shares(j, from, "latency_ms", 1e6);
    json_unsigned(j, "latency_depth", 0);
    json_unsigned(j, "latency_target", 0);
    json_number(j, "latency_percentile", 100);
    json_unsigned(j, "latency_window", 0);
}

void fio_json_print(const struct fio_json jobs[], size_t count, struct text *out)
{
    struct json j = json_on(out);
    uint64_t end_ns = 0;
    for (size_t i = 0; i < count; i++)
        end_ns = jobs[i].end_ns > end_ns ? jobs[i].end_ns : end_ns;
    json_begin_object(&j, NULL);
    add_head(&j, end_ns);
    json_begin_object(&j, "global options");
    json_end_object(&j);
    json_begin_array(&j, "jobs");
    for (size_t i = 0; i < count; i++) {
        json_begin_object(&j, NULL);
        add_job(&j, &jobs[i]);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_begin_array(&j, "disk_util");
    json_end_array(&j);
    json_end_object(&j);
    text_add(out, "\n");
}
