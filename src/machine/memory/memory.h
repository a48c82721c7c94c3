/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures memory: how many bytes a second the processors read, write, copy and combine (STREAM's
 * kernels), and how long one load takes, alone and beside loads of all other processors.
 *
 * Bytes are counted as STREAM counts them: what the program names, not the reading of lines that
 * are about to be written. Therefore each kernel that writes is there twice: with ordinary stores
 * ("copy"), and with stores past the caches ("copy_nt"), which need no such reading. There is one
 * thread for each processor that this process may use, at work on the memory of its own NUMA node.
 * With several nodes the path from each node to each other one is measured too.
 */
#ifndef CUPEL_MACHINE_MEMORY_MEMORY_H
#define CUPEL_MACHINE_MEMORY_MEMORY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "program/exec/exec.h"

enum memory_kernel_name {
    MEMORY_READ,
    MEMORY_WRITE,
    MEMORY_WRITE_PAST,
    MEMORY_COPY,
    MEMORY_COPY_PAST,
    MEMORY_TRIAD,
    MEMORY_TRIAD_PAST,
    MEMORY_KERNELS
};

struct memory_bench;

/*
 * Starts the threads and maps the arrays, each of at least four times the last-level caches, or as
 * large as memory permits. ERR_MACHINE: not even twice the caches fit into the memory that this
 * process may use, or threads cannot be started. The caller closes it with memory_bench_close.
 */
int memory_bench_open(struct memory_bench **bench, struct err *e);
void memory_bench_close(struct memory_bench *bench);

/* Takes one reading of each index, in GB/s, or in ns for a load. `context` is the bench. Serves as
   `measure` of an exec_program (program/exec/exec.h). */
int memory_bench_round(void *context, double values[], struct err *e);

/* Takes one reading of the first index with that name; NaN: no index has it. */
double memory_bench_reading(struct memory_bench *bench, const char *name);

/* Returns the indices of a round, for struct exec_program. */
const struct exec_index *memory_bench_indices(const struct memory_bench *bench, size_t *count);

/* Makes the plan of a session of such rounds, as precise as `plan` asks. The bench must outlive
   it. */
struct plan;
void memory_bench_plan(struct memory_bench *bench, const struct plan *plan, struct exec_plan *to);

/* Writes what is measured, in one line: "AVX-512, 2 threads on 1 node, 3 arrays of 128 MiB, 100 %
   in huge pages". Returns `to`. */
char *memory_bench_words(const struct memory_bench *bench, char *to, size_t size);

#endif
