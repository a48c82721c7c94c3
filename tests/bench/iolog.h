/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of random reads of 4 KiB of one file, as fio's iolog of version 3: in whole us. */
#ifndef TESTS_BENCH_IOLOG_H
#define TESTS_BENCH_IOLOG_H

#include <stdint.h>
#include <stdio.h>

#include "base/random.h"

#define IOLOG_BLOCK 4096

/* due_ns NULL: all at once. -1 with a message. */
static inline int iolog_write(const char *path, const char *file, uint64_t file_bytes,
                              const uint64_t due_ns[], size_t count)
{
    struct random random;
    random_seed(&random, 2, 0);
    FILE *f = fopen(path, "we");
    if (!f) {
        perror(path);
        return -1;
    }
    fprintf(f, "fio version 3 iolog\n0 %s add\n0 %s open\n", file, file);
    uint64_t us = 0;
    for (size_t i = 0; i < count; i++) {
        us = due_ns ? due_ns[i] / 1000 : 0;
        uint64_t block = random_below(&random, file_bytes / IOLOG_BLOCK);
        fprintf(f, "%llu %s read %llu %d\n", (unsigned long long)us, file,
                (unsigned long long)block * IOLOG_BLOCK, IOLOG_BLOCK);
    }
    fprintf(f, "%llu %s close\n", (unsigned long long)us, file);
    if (fclose(f)) {
        perror(path);
        return -1;
    }
    return 0;
}

#endif
