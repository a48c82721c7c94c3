/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast traces of each format are read, in lines or records (a block layer's event has five) a
 * second of processor time, and by how much memory grows when the trace is four times as long.
 *
 *   trace_parse FOLDER      traces are made in FOLDER, one at a time, and removed
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"
#include "tests/unit/trace_samples.h"

#define EVENTS         1000000u /* lines or records */
#define LONGER         4
#define RUNS           3
#define RATE_AT_LEAST  1e6
#define GROWTH_MAX_KIB 256.0

struct cost {
    double seconds; /* of a processor */
    long peak_rss_kib;
};

/* What the child does: the exit status tells whether all events came. */
static int read_all(const char *path, uint64_t events)
{
    static struct trace_event batch[256];
    struct trace *t;
    struct err e = {0};
    if (trace_open(&t, &path, 1, NULL, &e)) {
        fprintf(stderr, "trace_parse: %s\n", e.msg);
        return EXIT_FAILURE;
    }
    uint64_t read = 0;
    for (int n; (n = trace_read(t, batch, sizeof batch / sizeof *batch, &e)) > 0;)
        read += (uint64_t)n;
    trace_close(t);
    if (read == events)
        return EXIT_SUCCESS;
    fprintf(stderr, "trace_parse: %s: %" PRIu64 " events instead of %" PRIu64 "\n", path, read,
            events);
    return EXIT_FAILURE;
}

/* In a process of its own, whose peak of memory is that of reading alone. */
static int measure(const char *path, uint64_t events, struct cost *cost)
{
    pid_t child = fork();
    if (child == 0)
        _exit(read_all(path, events));
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        return -1;
    const struct timeval user = usage.ru_utime, system = usage.ru_stime;
    *cost = (struct cost){(double)(user.tv_sec + system.tv_sec) +
                              (double)(user.tv_usec + system.tv_usec) * 1e-6,
                          usage.ru_maxrss};
    return 0;
}

static int measure_best(const struct sample_format *format, const char *path, uint64_t events,
                        struct cost *best)
{
    int status = 0;
    *best = (struct cost){1e9, 0};
    unlink(path);
    sample_write(format, path, events, 1);
    for (int i = 0; i < RUNS && !status; i++) {
        struct cost cost = {0};
        status = measure(path, events, &cost);
        if (cost.seconds < best->seconds)
            best->seconds = cost.seconds;
        if (cost.peak_rss_kib > best->peak_rss_kib)
            best->peak_rss_kib = cost.peak_rss_kib;
    }
    unlink(path);
    return status;
}

static int bench(const struct sample_format *format, const char *path)
{
    struct cost few, many;
    char name[64];
    const uint64_t events = EVENTS / format->records;
    if (measure_best(format, path, events, &few) ||
        measure_best(format, path, LONGER * events, &many))
        return -1;
    snprintf(name, sizeof name, "read %s", format->name);
    const double rate = (double)(LONGER * events * format->records) / many.seconds;
    const struct figure f = {name, "1/s", 0, "target", FIGURE_AT_LEAST, 1};
    figure_print(&f, rate, RATE_AT_LEAST, rate / RATE_AT_LEAST, "");
    snprintf(name, sizeof name, "  memory's growth");
    figure_limit(name, "KiB", 0, (double)(many.peak_rss_kib - few.peak_rss_kib), GROWTH_MAX_KIB);
    return 0;
}

int main(int argc, char **argv)
{
    char path[1100];
    int status = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: trace_parse FOLDER\n");
        return 1;
    }
    snprintf(path, sizeof path, "%s/trace", argv[1]);
    for (size_t i = 0; i < SAMPLE_FORMATS; i++)
        if (bench(&sample_formats[i], path))
            status = 1;
    return status;
}
