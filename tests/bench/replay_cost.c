/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What replaying costs: as fast as possible beside `cupel run` at the same depth and beside fio,
 * memory by the trace's length, and by how much a replay at the trace's own times is too late at
 * its end, as seen from outside.
 *
 *   replay_cost CUPEL FOLDER     a file of 1 GiB and traces are made in FOLDER and removed
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_file.h"
#include "csv_row.h"
#include "figure.h"
#include "fio.h"
#include "iolog.h"
#include "spin_loop.h"

#define FILE_BYTES    ((uint64_t)1 << 30)
#define PAIRS         7
#define FIO_EVERY     3
#define ASAP_EVENTS   200000
#define SHORT_EVENTS  100000
#define LONG_EVENTS   4000000
#define GROWTH_KIB    256.0
#define RATE_MIN      1e6 /* events a second */
#define TIMED_RATE    1000.0
#define TIMED_EVENTS  20000 /* 20 s */
#define RATE_OF_RUN   0.97
#define LOOKS_MAX     (TIMED_EVENTS * 2)
#define LOOK_PAUSE_NS 100000
#define DRIFT_MAX_MS  1.0

struct bench {
    char *cupel;
    char file[1100], trace[1100];
    struct target target;
};

static char output[1 << 20];

static double run_rate(struct bench *b)
{
    char *argv[] = {b->cupel, "run",        b->file, "--rw",       "randread", "--bs",
                    "4k",     "--iodepth",  "32",    "--ioengine", "uring",    "--preset",
                    "quick",  "--ci",       "100%",  "--min-time", "2s",       "--limit",
                    "20s",    "--overhead", "0",     "--format",   "csv",      NULL};
    struct child_cost cost;
    return csv_run(argv, output, sizeof output, &cost) ? 0 : csv_value(output, "iops");
}

static double replay_rate(struct bench *b)
{
    char *argv[] = {b->cupel, "replay",     b->trace, b->file,    "--speed", "asap", "--iodepth",
                    "32",     "--ioengine", "uring",  "--format", "csv",     NULL};
    struct child_cost cost;
    return csv_run(argv, output, sizeof output, &cost) ? 0 : csv_value(output, "iops");
}

static double fio_rate(struct bench *b)
{
    char log[1200], file[1200], text[8192];
    snprintf(log, sizeof log, "--read_iolog=%s", b->trace);
    snprintf(file, sizeof file, "--filename=%s", b->file);
    char *argv[] = {"fio",
                    "--output-format=terse",
                    "--terse-version=3",
                    "--name=b",
                    "--thread",
                    "--bs=4k",
                    "--readonly",
                    "--direct=1",
                    "--ioengine=libaio",
                    "--iodepth=32",
                    "--replay_no_stall=1",
                    log,
                    file,
                    "--size=1g",
                    NULL};
    struct child_cost cost;
    if (child_run(argv, text, sizeof text, 0, &cost))
        return 0;
    const char *terse = strstr(text, "3;fio");
    double ios = fio_field(terse, FIO_READ_KIB) * 1024 / FIO_BLOCK;
    return ios / (fio_field(terse, FIO_READ_MS) * 1e-3);
}

static int compare_rates(struct bench *b)
{
    double run[PAIRS], replay[PAIRS], fio[PAIRS], replay_beside[PAIRS];
    unsigned with_fio = 0;
    if (iolog_write(b->trace, b->file, FILE_BYTES, NULL, ASAP_EVENTS))
        return -1;
    for (int i = 0; i < PAIRS; i++) {
        double a = i % 2 ? replay_rate(b) : run_rate(b);
        double c = i % 2 ? run_rate(b) : replay_rate(b);
        run[i] = i % 2 ? c : a;
        replay[i] = i % 2 ? a : c;
        if (!(a > 0 && c > 0))
            return -1;
        if (i % FIO_EVERY)
            continue;
        fio[with_fio] = fio_rate(b);
        replay_beside[with_fio] = replay[i];
        if (!(fio[with_fio++] > 0))
            return -1;
    }
    unlink(b->trace);
    struct figure f = {"replay asap, depth 32", "1/s",      0, "cupel run",
                       FIGURE_AT_LEAST,         RATE_OF_RUN};
    figure_pairs(&f, replay, run, PAIRS);
    f.reference = "fio read_iolog, no_stall";
    f.target = 1;
    figure_pairs(&f, replay_beside, fio, with_fio);
    return 0;
}

static int replay_null(struct bench *b, size_t events, struct child_cost *cost)
{
    char *argv[] = {b->cupel, "replay",    b->trace, "--ioengine", "null", "--speed",
                    "asap",   "--iodepth", "32",     "--format",   "csv",  NULL};
    if (iolog_write(b->trace, b->file, FILE_BYTES, NULL, events) ||
        csv_run(argv, output, sizeof output, cost))
        return -1;
    unlink(b->trace);
    return 0;
}

static int compare_memory(struct bench *b)
{
    struct child_cost small, large;
    if (replay_null(b, SHORT_EVENTS, &small) || replay_null(b, LONG_EVENTS, &large))
        return -1;
    double rate = LONG_EVENTS / large.seconds;
    struct figure f = {"replay null asap, whole", "1/s", 0, "target", FIGURE_AT_LEAST, 1};
    figure_print(&f, rate, RATE_MIN, rate / RATE_MIN, "");
    struct figure m = {"replay 4M events, peak RSS", "KiB", 0, "100k events", FIGURE_NO_TARGET, 0};
    figure_print(&m, (double)large.peak_rss_kib, (double)small.peak_rss_kib,
                 (double)large.peak_rss_kib / (double)small.peak_rss_kib, "");
    figure_limit("  memory's growth", "KiB", 0, (double)(large.peak_rss_kib - small.peak_rss_kib),
                 GROWTH_KIB);
    return 0;
}

/* What a process has had read from devices so far, by the instant at which that was seen. */
struct look {
    double seconds;
    long long bytes;
};

static long long bytes_read_by(pid_t pid)
{
    char path[64], line[128];
    long long bytes = -1;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "read_bytes:", 11))
            bytes = strtoll(line + 11, NULL, 10);
    if (f)
        fclose(f);
    return bytes;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == pid;
}

/* The instant at which all but the last `before` events had been issued. */
static double seen_at(const struct look looks[], size_t n, long long before)
{
    long long wanted = looks[n - 1].bytes - before * IOLOG_BLOCK;
    size_t i = 0;
    while (i < n - 1 && looks[i].bytes < wanted)
        i++;
    return looks[i].seconds;
}

/* Milliseconds by which the time between the first and last event differs from the trace's. */
static int drift_of(char *const argv[], double span_seconds, double *ms)
{
    static struct look looks[LOOKS_MAX];
    size_t n = 0;
    struct child c;
    if (child_start(&c, argv))
        return -1;
    while (!has_ended(c.pid)) {
        long long bytes = bytes_read_by(c.pid);
        if (n < LOOKS_MAX && (n == 0 || bytes != looks[n - 1].bytes))
            looks[n++] = (struct look){child_now(), bytes};
        nanosleep(&(struct timespec){.tv_nsec = LOOK_PAUSE_NS}, NULL);
    }
    struct child_cost cost = child_finish(&c, output, sizeof output);
    if (cost.status != 0 || n < TIMED_EVENTS / 2) {
        fprintf(stderr, "%s %s ended with status %d, %zu changes seen: %s\n", argv[0], argv[1],
                cost.status, n, output);
        return -1;
    }
    double took = looks[n - 1].seconds - seen_at(looks, n, TIMED_EVENTS - 1);
    *ms = fabs(took - span_seconds) * 1e3; /* our looks are no nearer than their pauses */
    return 0;
}

static int compare_drift(struct bench *b)
{
    static uint64_t due_ns[TIMED_EVENTS];
    char log[1200], file[1200];
    spin_poisson(due_ns, TIMED_EVENTS, TIMED_RATE, 1);
    if (iolog_write(b->trace, b->file, FILE_BYTES, due_ns, TIMED_EVENTS))
        return -1;
    double span = (double)(due_ns[TIMED_EVENTS - 1] / 1000 - due_ns[0] / 1000) * 1e-6;
    snprintf(log, sizeof log, "--read_iolog=%s", b->trace);
    snprintf(file, sizeof file, "--filename=%s", b->file);
    char *cupel[] = {b->cupel, "replay",   b->trace, b->file, "--ioengine",
                     "uring",  "--format", "csv",    NULL};
    char *fio[] = {
        "fio",        "--output-format=terse", "--name=b",     "--thread", "--bs=4k", "--readonly",
        "--direct=1", "--ioengine=libaio",     "--iodepth=64", log,        file,      "--size=1g",
        NULL};
    double ours, others;
    if (drift_of(cupel, span, &ours))
        return -1;
    double late = csv_value(output, "issue_error_p50"), most = csv_value(output, "issue_error_max");
    if (drift_of(fio, span, &others))
        return -1;
    unlink(b->trace);
    printf("  replay of 20 s at 1000/s: it says itself: late by %.2f us in the median, %.0f us at "
           "most\n",
           late / 1e3, most / 1e3);
    figure_limit("replay 20 s, late at its end", "ms", 2, ours, DRIFT_MAX_MS);
    struct figure f = {"the same", "ms", 2, "fio read_iolog", FIGURE_AT_MOST, 1};
    figure_print(&f, ours, others, ours / others, "");
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench b;
    if (argc != 3) {
        fprintf(stderr, "usage: replay_cost CUPEL FOLDER\n");
        return 1;
    }
    b.cupel = argv[1];
    snprintf(b.file, sizeof b.file, "%s/replay.data", argv[2]);
    snprintf(b.trace, sizeof b.trace, "%s/replay.iolog", argv[2]);
    if (bench_file_open(&b.target, b.file, FILE_BYTES))
        return 1;
    int status = compare_rates(&b) || compare_memory(&b) || compare_drift(&b);
    target_close(&b.target);
    unlink(b.file);
    unlink(b.trace);
    return status ? 1 : 0;
}
