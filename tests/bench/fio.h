/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run fio for a second of random 4 KiB reads and read its result from its terse output. */
#ifndef TESTS_BENCH_FIO_H
#define TESTS_BENCH_FIO_H

#include <stdlib.h>

#include "child.h"

#define FIO_BLOCK       4096
#define FIO_OPTIONS_MAX 24

struct fio_result {
    double iops;
    double cpu_ns; /* user and system time per I/O, as fio itself tells them */
};

/* The fields of terse format 3 that matter, counted from 0. */
enum { FIO_ERROR = 4, FIO_READ_KIB = 5, FIO_READ_MS = 8, FIO_USER = 87, FIO_SYSTEM = 88 };

static inline double fio_field(const char *terse, int number)
{
    for (; number && terse; number--) {
        terse = strchr(terse, ';');
        terse = terse ? terse + 1 : NULL;
    }
    return terse ? strtod(terse, NULL) : 0;
}

/* `options` is ended by NULL; they come after those for the workload. */
static inline int fio_run(const char *const options[], struct fio_result *result)
{
    static const char *const workload[] = {
        "fio",       "--output-format=terse", "--terse-version=3", "--name=bench", "--rw=randread",
        "--bs=4k",   "--norandommap",         "--time_based",      "--runtime=1",  "--thread",
        "--readonly"};
    const size_t common = sizeof workload / sizeof *workload;
    char *argv[FIO_OPTIONS_MAX + 1];
    memcpy(argv, workload, sizeof workload);
    size_t n = common;
    for (; *options && n < FIO_OPTIONS_MAX; options++, n++)
        memcpy(&argv[n], options, sizeof *options);
    argv[n] = NULL;

    char text[8192];
    struct child_cost cost;
    if (child_run(argv, text, sizeof text, 0, &cost))
        return -1;
    const char *terse = strstr(text, "3;fio");
    double ios = fio_field(terse, FIO_READ_KIB) * 1024 / FIO_BLOCK;
    double seconds = fio_field(terse, FIO_READ_MS) * 1e-3;
    if (fio_field(terse, FIO_ERROR) > 0 || !(ios > 0) || !(seconds > 0)) {
        fprintf(stderr, "fio measured nothing: %s\n", text);
        return -1;
    }
    double busy = (fio_field(terse, FIO_USER) + fio_field(terse, FIO_SYSTEM)) / 100;
    *result = (struct fio_result){.iops = ios / seconds, .cpu_ns = busy * seconds * 1e9 / ios};
    return 0;
}

#endif
