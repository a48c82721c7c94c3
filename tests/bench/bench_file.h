/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file to read from, made and filled like cupel's own scratch files, and then left in peace. */
#ifndef TESTS_BENCH_BENCH_FILE_H
#define TESTS_BENCH_BENCH_FILE_H

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "io/target/target.h"

#define BENCH_FILE_REST 3 /* seconds; filling it keeps a device busy for a while */

static inline int bench_file_open(struct target *t, const char *path, uint64_t bytes)
{
    struct err e;
    struct target_request request = {
        .path = path, .read = true, .direct = true, .size = bytes, .seed = 1};
    if (target_open(t, &request, NULL, NULL, NULL, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return -1;
    }
    fsync(t->fd);
    nanosleep(&(struct timespec){.tv_sec = BENCH_FILE_REST}, NULL);
    return 0;
}

#endif
