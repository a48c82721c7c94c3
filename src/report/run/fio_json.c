/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints a result as fio's JSON+. Counts, rates and latencies cover the stable segment, as fio's
 * cover the time after its ramp_time. Means equal those of the report.
 */
#include "fio/json/fio_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/run/formats.h"

#define KIB 1024.0

static double value_of(const struct result *r, enum metric_id metric, const char *op)
{
    const struct result_row *row = result_find(r, metric, op);
    return row ? row->value : NAN;
}

/* Returns the end of the measurement in ns since 1970; 0: not known. */
static uint64_t end_of(const struct result *r)
{
    const char *date = facts_find(&r->settings, "origin", "date");
    double elapsed = value_of(r, METRIC_ELAPSED, "all");
    struct tm utc = {0};
    if (!date || !strptime(date, "%Y-%m-%d %H:%M:%S", &utc))
        return 0;
    return ((uint64_t)timegm(&utc) + (uint64_t)(isfinite(elapsed) ? elapsed : 0)) * 1000000000u;
}

/* Fills in an operation's latencies. Those above the last bucket are only counted in `over`. */
static void fill_latency(const struct result *r, const char *op, struct histogram *to)
{
    const struct result_row *min = result_find(r, METRIC_LATENCY_MIN, op);
    const struct result_row *max = result_find(r, METRIC_LATENCY_MAX, op);
    *to = (struct histogram){0};
    for (size_t h = 0; h < r->histogram_count; h++)
        for (size_t i = 0; i < HISTOGRAM_BUCKETS && !strcmp(r->histograms[h].op, op); i++)
            to->count[i] = i < r->histograms[h].count ? r->histograms[h].counts[i] : 0;
    uint64_t counted = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        counted += to->count[i];
    if (!counted || !min || !max)
        return;
    to->n = max->n > counted ? max->n : counted;
    to->over = to->n - counted;
    to->min = (uint64_t)min->value;
    to->max = (uint64_t)max->value;
}

/* Returns statistics over the slices of a series. Used for results without totals, such as those of
   several sessions or a merge. A series covers all operations, so this is right only for results
   with a single operation. */
static struct fio_json_samples samples_of(const struct result *r, enum metric_id metric,
                                          double unit)
{
    struct fio_json_samples s = {.min = INFINITY};
    double squares = 0;
    for (size_t i = 0; i < r->series_count; i++) {
        const struct result_series *series = &r->series[i];
        if (strcmp(series->name, metric_of(metric)->name) != 0)
            continue;
        for (size_t k = series->stable_begin; k < series->stable_end && k < series->count; k++) {
            double x = series->values[k] / unit, delta = x - s.mean;
            s.min = fmin(s.min, x);
            s.max = fmax(s.max, x);
            s.mean += delta / (double)++s.n;
            squares += delta * (x - s.mean);
        }
    }
    s.sd = s.n > 1 ? sqrt(squares / (double)(s.n - 1)) : 0;
    return s.n ? s : (struct fio_json_samples){0};
}

static const struct result_total *total_of(const struct result *r, const char *op)
{
    for (size_t i = 0; i < r->total_count; i++)
        if (!strcmp(r->totals[i].op, op))
            return &r->totals[i];
    return NULL;
}

/* Converts a spread. fio computes its deviation over samples of bwavgtime in one direction; this
   deviation is over slices. */
static struct fio_json_samples samples_of_spread(const struct result_spread *s, double unit)
{
    return (struct fio_json_samples){.n = s->n,
                                     .min = s->min / unit,
                                     .max = s->max / unit,
                                     .mean = s->mean / unit,
                                     .sd = s->sd / unit};
}

static struct fio_json_op op_of(const struct result *r, const char *op, bool alone,
                                const struct histogram *latency)
{
    struct fio_json_op to = {.ios = latency->n,
                             .iops = value_of(r, METRIC_IOPS, op),
                             .bytes_rate = value_of(r, METRIC_BANDWIDTH, op),
                             .latency = latency,
                             .latency_mean = value_of(r, METRIC_RESPONSE_TIME, op)};
    const struct result_total *total = total_of(r, op);
    if (total && !to.ios) /* the result has no histograms */
        to.ios = total->ios;
    to.seconds = to.iops > 0 ? (double)to.ios / to.iops : 0;
    if (to.bytes_rate > 0)
        to.bytes = (uint64_t)llround(to.bytes_rate * to.seconds);
    if (total && total->iops.n) {
        to.rate = samples_of_spread(&total->iops, 1);
        to.kb = samples_of_spread(&total->bandwidth, KIB);
    } else if (alone) {
        to.rate = samples_of(r, METRIC_IOPS, 1);
        to.kb = samples_of(r, METRIC_BANDWIDTH, KIB);
    }
    return to;
}

/* Returns fio's name of the access pattern; "" for modes, traces and profiles, which fio does not
   have. */
static const char *pattern_of(const struct result *r)
{
    static const char *const patterns[] = {"read",      "write",        "rw",   "randread",
                                           "randwrite", "randrw",       "trim", "randtrim",
                                           "trimwrite", "randtrimwrite"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!strcmp(patterns[i], r->key.rw))
            return patterns[i];
    return "";
}

static size_t fill_options(const struct result *r, struct fio_json_option options[])
{
    size_t count = 0;
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {
        {"bs", r->key.block_size}, {"iodepth", r->key.iodepth}, {"numjobs", r->key.jobs}};
    options[count].name = "filename";
    snprintf(options[count++].value, sizeof options->value, "%.255s", r->target);
    options[count].name = "rw";
    snprintf(options[count++].value, sizeof options->value, "%s", pattern_of(r));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        options[count].name = numbers[i].name;
        options[count].value[0] = '\0';
        if (numbers[i].number)
            snprintf(options[count].value, sizeof options->value, "%llu",
                     (unsigned long long)numbers[i].number);
        count++;
    }
    return count;
}

/* Writes the name of the job: that of its section in a job file, or otherwise the workload. */
static void fill_name(const struct result *r, char *to, size_t size)
{
    const char *end = r->workload[0] == '[' ? strstr(r->workload, "] ") : NULL;
    if (end)
        snprintf(to, size, "%.*s", (int)(end - r->workload - 1), r->workload + 1);
    else
        snprintf(to, size, "%s", r->workload);
}

/* The values that a struct fio_json points to. */
struct job_values {
    char name[200]; /* workload name */
    struct fio_json_option options[8];
    struct histogram latency[OPERATIONS];
};

static struct fio_json job_of(const struct result *r, struct job_values *v)
{
    struct fio_json job = {.job = v->name, .options = v->options, .end_ns = end_of(r)};
    fill_name(r, v->name, sizeof v->name);
    job.option_count = fill_options(r, v->options);
    size_t moving = 0; /* number of operations with bytes that occurred */
    for (int op = 0; op < OPERATIONS; op++) {
        fill_latency(r, operation_names[op], &v->latency[op]);
        moving += operation_has_bytes(op) && v->latency[op].n;
    }
    for (int op = 0; op < OPERATIONS; op++) {
        job.ops[op] =
            op_of(r, operation_names[op], moving == 1 && v->latency[op].n, &v->latency[op]);
        job.seconds = fmax(job.seconds, job.ops[op].seconds);
    }
    return job;
}

void fio_json_print_results(const struct result *const results[], size_t count, struct text *out)
{
    struct fio_json *jobs = calloc(count, sizeof *jobs);
    struct job_values *values = calloc(count, sizeof *values);
    for (size_t i = 0; i < count && jobs && values; i++)
        jobs[i] = job_of(results[i], &values[i]);
    if (jobs && values)
        fio_json_print(jobs, count, out);
    else
        out->failed = true;
    free(jobs);
    free(values);
}

void result_fio_json(const void *what, struct text *out)
{
    const struct result *r = what;
    fio_json_print_results(&r, 1, out);
}
