/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/monitoring/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "report/prometheus/prometheus.h"

struct place {
    char folder[1024];
    const char *name;
};

static struct place place_of(const char *path)
{
    struct place place = {.folder = "."};
    const char *slash = strrchr(path, '/');
    place.name = slash ? slash + 1 : path;
    if (slash)
        snprintf(place.folder, sizeof place.folder, "%.*s", slash > path ? (int)(slash - path) : 1,
                 path);
    return place;
}

int metrics_check(const char *path, struct err *e)
{
    struct stat st;
    struct err why;
    const struct place place = place_of(path);
    if (!*path)
        return 0;
    if (!*place.name)
        return err_set(e, ERR_USAGE, "--metrics %s: that is no name of a file", path);
    if (stat(place.folder, &st))
        return err_set(e, ERR_USAGE, "--metrics %s: %s: %s", path, place.folder, strerror(errno));
    if (!file_may_be_written_over(path, PROMETHEUS_MARK, &why))
        return 0;
    return err_set(e, why.code, "--metrics %.300s", why.msg);
}

int metrics_write(const struct exposition *x, const char *path, struct err *e)
{
    struct text out = {0};
    const struct place place = place_of(path);
    if (!*path)
        return 0;
    prometheus_print(x, &out);
    if (!out.failed && !out.length) /* no figures are known yet */
        return 0;
    int status = out.failed ? err_no_memory(e, "the metrics in %s", path)
                            : write_file_over(place.folder, place.name, PROMETHEUS_MARK,
                                              out.data ? out.data : "", out.length, e);
    text_free(&out);
    return status;
}

int metrics_write_merge(const struct merge *m, enum merge_by by, const struct followed *followed,
                        const struct result *r, const char *path, struct err *e)
{
    struct exposed_op *ops = NULL;
    struct exposition x = {.by = merge_by_label(by), .followed = followed, .result = r};
    if (!*path)
        return 0;
    int status = merge_expose(m, by, &ops, &x.op_count, e);
    x.ops = ops;
    if (!status)
        status = metrics_write(&x, path, e);
    free(ops);
    return status;
}

/* Latencies are of the stable segment; the numbers of completed requests cover everything. */
static struct exposed_op op_of_result(const struct result *r, const struct result_total *total)
{
    struct exposed_op op = {
        .op = total->op, .ios = total->ios, .bytes = total->bytes, .errors = total->errors};
    const struct result_row *max = result_find(r, METRIC_LATENCY_MAX, total->op);
    const struct result_row *mean = result_find(r, METRIC_LATENCY_MEAN, total->op);
    op.latencies = max ? max->n : 0;
    if (mean && isfinite(mean->value))
        op.latency_seconds = mean->value * 1e-9 * (double)op.latencies;
    for (size_t i = 0; i < r->histogram_count; i++) {
        const struct result_histogram *h = &r->histograms[i];
        for (size_t k = 0; k < h->count && !strcmp(h->op, total->op); k++)
            for (size_t bound = EXPOSED_BOUNDS;
                 h->counts[k] && bound > 0 &&
                 h->edges[k + 1] <= (double)exposed_bound_ns(bound - 1);
                 bound--)
                op.below[bound - 1] += h->counts[k];
    }
    return op;
}

int metrics_write_result(const struct result *r, const char *path, struct err *e)
{
    struct exposed_op ops[RESULT_TOTALS_MAX];
    for (size_t i = 0; i < r->total_count; i++)
        ops[i] = op_of_result(r, &r->totals[i]);
    const struct exposition x = {.ops = ops, .op_count = r->total_count, .result = r};
    return metrics_write(&x, path, e);
}
