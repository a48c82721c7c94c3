/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/machine/processors. */
#ifndef CUPEL_MACHINE_PROCESSORS_INTERNAL_H
#define CUPEL_MACHINE_PROCESSORS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "machine/processors/processors.h"
#include "run/loop/target_processors.h"

/* ---- full_load.c: what the processors do ---- */

/* Multiplies and adds in the widest registers for about 20 us. Returns the number of floating point
   operations, and in *sum a result, which is the same each time. */
typedef double load_function(double *sum);
double load_piece(double *sum);
const char *load_words(void); /* "AVX-512" */

/* Makes LOAD_CHAIN additions. Each depends on the one before and takes one cycle. */
#define LOAD_CHAIN 100000
void load_chain(void);

/* ---- processor_pairs.c: which processors hand each other a cache line ---- */

#define PROCESSORS_MEASURED_MAX 4096
#define PROCESSOR_PAIRS_MAX     16

struct processor_pair {
    int from, to; /* processors */
};

/*
 * Chooses pairs of processors: the first processors of all last-level caches with each other or, if
 * all share one cache, the first processors of all cores. If there are too many caches or cores,
 * some at even distances are taken and *left_out is set. The two threads of the first core are a
 * pair as well. *of_caches: there are several caches. Returns the number of pairs.
 */
size_t processor_pairs_choose(const char *root, const struct spread_processor processors[],
                              size_t count, struct processor_pair pairs[PROCESSOR_PAIRS_MAX],
                              bool *of_caches, bool *left_out);

/* Measures the time in ns that a cache line takes from one processor to the other: the median of
   several batches of hand-overs. ERR_MACHINE: a thread cannot be started. */
int processor_pair_latency(const struct processor_pair *pair, double *ns, struct err *e);

/* ---- processor_burn.c ---- */

/* Like processor_burn, with another function. */
int processor_burn_with(load_function *piece, double seconds, const volatile sig_atomic_t *stop,
                        struct processor_burn *result, struct err *e);

/* ---- processor_bench.c ---- */

/* How the cycles of a thread are counted. */
enum cycles_source { CYCLES_COUNTER, CYCLES_APERF, CYCLES_CHAIN };

struct processor_thread {
    struct processor_bench *bench;
    pthread_t thread;
    int cpu;
    /* results of the thread's last round: clock in Hz, floating point operations per second */
    double clock, rate;
    enum cycles_source source;
};

#define PROCESSOR_INDICES_MAX (EXECUTION_INDICES_MAX - UNIT_INDICES_MAX - 1)

struct processor_bench {
    struct spread_processor processors[PROCESSORS_MEASURED_MAX];
    size_t count;
    struct processor_thread *threads;
    size_t slowest; /* index of the thread with the lowest clock in the first rounds */
    struct processor_pair pairs[PROCESSOR_PAIRS_MAX];
    size_t pair_count;
    bool pairs_of_caches, pairs_left_out;
    enum cycles_source source;
    atomic_size_t arrived;
    struct exec_index indices[PROCESSOR_INDICES_MAX];
    size_t index_count;
};

#endif
