/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --metrics: writes the file, and runs the process that writes it while a session measures. */
#include "cmd/monitoring/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "report/prometheus/prometheus.h"

enum { OPS_MAX = 2 };

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

/* Writes or replaces the file. Does nothing for "". Fails with ERR_TARGET or ERR_MACHINE. */
static int metrics_write(const struct exposition *x, const char *path, struct err *e)
{
    struct text out = {0};
    const struct place place = place_of(path);
    if (!*path)
        return 0;
    prometheus_print(x, &out);
    if (!out.failed && !out.length) /* there are no figures yet */
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

/* Returns the figures of an operation. Latencies are those of the stable segment; the numbers of
   I/Os cover all measured rounds. */
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

/* ---- while a session measures ---- */

/* A message to the writing process, small enough to be written to a pipe completely or not at all.
   Its names are pointers to constants, which are also valid in that process, as it is a copy of
   this one. */
struct message {
    size_t count;
    struct exposed_op ops[OPS_MAX];
};
_Static_assert(sizeof(struct message) <= PIPE_BUF, "a message is one write");

/* Writes the file again and again until the measuring process has ended in any way. Failures are
   ignored, because the measuring process writes the file itself at the end and reports them. */
static _Noreturn void serve(int from, const char *path, const struct labels *labels)
{
    struct message m;
    struct err ignored;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    while (read(from, &m, sizeof m) == (ssize_t)sizeof m) {
        const struct exposition x = {.ops = m.ops, .op_count = m.count, .labels = labels};
        metrics_write(&x, path, &ignored);
    }
    _exit(0);
}

int metrics_writer_begin(struct metrics_writer *w, const char *path, const struct labels *labels,
                         struct err *e)
{
    int ends[2];
    *w = (struct metrics_writer){.pipe = -1};
    if (!*path)
        return 0;
    if (pipe2(ends, O_CLOEXEC))
        return err_set(e, ERR_MACHINE, "--metrics: no pipe can be made: %s", strerror(errno));
    w->process = fork();
    if (w->process == 0) {
        close(ends[1]);
        serve(ends[0], path, labels);
    }
    close(ends[0]);
    if (w->process < 0) {
        close(ends[1]);
        return err_set(e, ERR_MACHINE, "--metrics: no process can be made: %s", strerror(errno));
    }
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    w->pipe = ends[1];
    return 0;
}

void metrics_writer_send(const struct metrics_writer *w, const struct exposed_op ops[],
                         size_t count)
{
    struct message m = {.count = count < OPS_MAX ? count : OPS_MAX};
    if (w->pipe < 0)
        return;
    memcpy(m.ops, ops, m.count * sizeof *ops);
    ssize_t left_out = write(w->pipe, &m, sizeof m);
    (void)left_out;
}

void metrics_writer_end(struct metrics_writer *w)
{
    if (w->pipe < 0)
        return;
    close(w->pipe);
    while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR)
        ;
    w->pipe = -1;
}
