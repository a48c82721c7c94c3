/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio's issue instants (issue_stamps.h), and the schedule that it meant to keep.
 *
 * A replay's schedule is its iolog, in whole microseconds. For rate_process=poisson fio draws the
 * schedule from generators with fixed seeds: it is the same in every run, does not depend on when
 * I/O is done, and is in whole microseconds too. It is learnt from one run in which reading takes
 * no time and every sleep ends when it shall; what this run is late by is forgiven to the others.
 */
#ifndef TESTS_BENCH_FIO_ISSUE_H
#define TESTS_BENCH_FIO_ISSUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "child.h"
#include "issue_stamps.h"

struct fio_issue {
    struct issue_stamps *stamps;
    int fd;
    const char *preload; /* path of stamp_issues.so */
    const char *file;
    unsigned long long file_bytes;
    int cpu;
    const struct clock *clock;
};

static inline int fio_issue_open(struct fio_issue *f)
{
    char number[16];
    f->fd = memfd_create("stamps", 0);
    if (f->fd < 0 || ftruncate(f->fd, sizeof *f->stamps)) {
        perror("memory for the stamps");
        return -1;
    }
    f->stamps =
        mmap(NULL, sizeof *f->stamps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, f->fd, 0);
    if (f->stamps == MAP_FAILED) {
        perror("memory for the stamps");
        return -1;
    }
    snprintf(number, sizeof number, "%d", f->fd);
    return setenv(ISSUE_STAMPS_VARIABLE, number, 1);
}

static inline void fio_issue_close(struct fio_issue *f)
{
    munmap(f->stamps, sizeof *f->stamps);
    close(f->fd);
}

/* A run with the options for the engine and those given (ended by NULL). */
static inline int fio_issue_run(const struct fio_issue *f, bool null, char *const options[])
{
    char file[1200], size[40], cpu[40], text[8192];
    snprintf(file, sizeof file, "--filename=%s", f->file);
    snprintf(size, sizeof size, "--size=%llu", f->file_bytes);
    snprintf(cpu, sizeof cpu, "--cpus_allowed=%d", f->cpu);
    char *argv[24] = {"fio",
                      "--output-format=terse",
                      "--name=b",
                      "--thread",
                      "--bs=4k",
                      "--readonly",
                      "--direct=1",
                      "--invalidate=0",
                      file,
                      size,
                      cpu,
                      null ? "--ioengine=psync" : "--ioengine=libaio",
                      null ? "--iodepth=1" : "--iodepth=64"};
    size_t n = 13;
    for (; *options && n < 23; options++)
        argv[n++] = *options;
    argv[n] = NULL;
    f->stamps->count = 0;
    f->stamps->null = null;
    setenv("LD_PRELOAD", f->preload, 1);
    struct child_cost cost;
    int status = child_run(argv, text, sizeof text, 0, &cost);
    unsetenv("LD_PRELOAD");
    if (!status && (f->stamps->count < 2 || f->stamps->count > ISSUE_STAMPS_MAX)) {
        fprintf(stderr, "fio issued %llu reads\n", (unsigned long long)f->stamps->count);
        return -1;
    }
    return status;
}

static inline int fio_issue_poisson(const struct fio_issue *f, bool null, double rate,
                                    double seconds)
{
    char iops[40], runtime[40];
    snprintf(iops, sizeof iops, "--rate_iops=%.0f", rate);
    snprintf(runtime, sizeof runtime, "--runtime=%.0f", seconds);
    char *options[] = {"--rw=randread",
                       "--norandommap",
                       iops,
                       "--rate_process=poisson",
                       "--time_based=1",
                       runtime,
                       f->stamps->virtual_time ? "--clocksource=clock_gettime" : NULL,
                       NULL};
    return fio_issue_run(f, null, options);
}

static inline int fio_issue_replay(const struct fio_issue *f, bool null, const char *iolog)
{
    char log[1200];
    snprintf(log, sizeof log, "--read_iolog=%s", iolog);
    char *options[] = {log, NULL};
    return fio_issue_run(f, null, options);
}

/* Since the first one. */
static inline double fio_issue_ns(const struct fio_issue *f, size_t i)
{
    return (double)clock_ns(f->clock, f->stamps->stamp[i] - f->stamps->stamp[0]);
}

/* Learn the schedule of fio_issue_poisson: how many of due_ns[] are known. 0: it failed. */
static inline size_t fio_issue_schedule(const struct fio_issue *f, double rate, double seconds,
                                        double due_ns[], size_t most)
{
    f->stamps->virtual_time = 1;
    int status = fio_issue_poisson(f, true, rate, seconds);
    f->stamps->virtual_time = 0;
    size_t n = status ? 0 : (size_t)f->stamps->count;
    n = n < most ? n : most;
    for (size_t i = 0; i < n; i++)
        due_ns[i] = (double)(f->stamps->stamp[i] - f->stamps->stamp[0]);
    return n;
}

#endif
