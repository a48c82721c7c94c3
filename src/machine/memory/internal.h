/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/machine/memory. */
#ifndef CUPEL_MACHINE_MEMORY_INTERNAL_H
#define CUPEL_MACHINE_MEMORY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/memory/memory.h"
#include "run/loop/target_processors.h"

/* ---- bandwidth_kernels.c: the loops that move memory ---- */

/* A kernel stores to a, and reads b and c if it needs them; the read kernel reads a and returns its
   sum. n is a multiple of MEMORY_KERNEL_NUMBERS, and all arrays begin at a page. */
typedef double memory_kernel(double *a, const double *b, const double *c, size_t n);
#define MEMORY_KERNEL_NUMBERS 512

struct memory_kernels {
    const char *name; /* "AVX-512" */
    memory_kernel *run[MEMORY_KERNELS];
};

/* Returns set i, counted from the narrowest registers on; NULL: this processor has no wider
   ones. */
const struct memory_kernels *memory_kernels_at(size_t i);
const struct memory_kernels *memory_kernels_widest(void);

/* ---- memory_places.c: processors, nodes and caches, from /sys below `root` ---- */

#define MEMORY_PROCESSORS_MAX 4096
#define MEMORY_NODES_MAX      64

struct memory_places {
    struct spread_processor processors[MEMORY_PROCESSORS_MAX]; /* sorted by node */
    size_t processor_count;
    /* nodes with memory; the first near_count of them have processors */
    int nodes[MEMORY_NODES_MAX];
    size_t node_count, near_count;
    uint64_t cache_bytes; /* bytes of all last-level caches of the processors together */
    bool cache_known;
};

/* Completes *places, in which the processors and their nodes are set: sorts the processors, and
   finds the nodes with memory and the caches. */
void memory_places_complete(const char *root, struct memory_places *places);

/* ---- memory_bench.c: a thread for each processor; all threads do one job after the other ---- */

enum {
    MEMORY_INDICES_MAX = EXECUTION_INDICES_MAX - UNIT_INDICES_MAX - 1,
    MEMORY_CHAIN_LOADS = 1 << 17 /* loads of one reading, each of which depends on the one before */
};

struct node_arrays {
    void *mapped;
    size_t length;
    double *a, *b, *c;
    void **chain; /* the element at which the next chain of loads begins */
};

enum job_kind { JOB_FILL, JOB_KERNEL, JOB_CHAIN, JOB_END };

struct job {
    enum job_kind kind;
    enum memory_kernel_name kernel;
    /* index of the node whose threads work, and of the node whose memory they use; -1: each node
       works on its own memory */
    int from, to;
    bool loaded; /* for JOB_CHAIN: the other threads read at the same time */
};

struct worker {
    struct memory_bench *bench;
    pthread_t thread;
    int cpu;
    /* index of the thread's node; the thread's index among the node's threads; number of these
       threads */
    size_t node, number, count;
    uint64_t begin, end; /* begin and end of the thread's last job, ns; 0: it took no part */
    double sum;
};

struct measure {
    struct job job;
    double bytes_per_number; /* bytes that a kernel moves for each number of an array */
};

struct memory_bench {
    struct memory_places places;
    const struct memory_kernels *kernels;
    struct node_arrays arrays[MEMORY_NODES_MAX];
    size_t numbers; /* length of each array in numbers */
    struct worker *workers;
    size_t started;
    pthread_mutex_t lock; /* protects job, generation and finished */
    pthread_cond_t go, done;
    struct job job;
    unsigned generation; /* number of the job */
    size_t finished;     /* number of threads that have finished the job */
    atomic_size_t arrived;
    atomic_bool stop_loads;
    struct exec_index indices[MEMORY_INDICES_MAX];
    struct measure measures[MEMORY_INDICES_MAX];
    size_t index_count;
    double huge_share;
    bool pairs_left_out;
};

/* ---- edac.c: errors that the kernel counted for each memory module ---- */

#define EDAC_MODULES_MAX 256

struct edac_counts {
    size_t count;
    struct edac_module {
        char label[48];
        uint64_t errors; /* corrected or not */
    } modules[EDAC_MODULES_MAX];
};

/* Reads the counters below `root` ("" for this machine). If the kernel has no driver, there are no
   modules. */
void edac_counts_read(struct edac_counts *c, const char *root);

/* Writes the labels of the modules with more errors than before, separated by commas. */
void edac_counts_grown(const struct edac_counts *before, const struct edac_counts *after, char *to,
                       size_t size);

#endif
