/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures memory: a thread for each processor, arrays on each node, one job after the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "base/random.h"
#include "base/thread.h"
#include "base/units.h"
#include "machine/bench/bench_plan.h"
#include "machine/memory/internal.h"
#include "run/loop/numa_node.h"
#include "run/loop/placement.h"
#include "run/session/memory_need.h"

enum {
    CACHES = 4,     /* an array is this many times the caches (STREAM's rule) ... */
    CACHES_MIN = 2, /* ... and at least this many, where memory is short */
    ROOM_SHARE = 2, /* 1 / ROOM_SHARE of the free memory may be used */
    LINE = 64,      /* bytes between two loads of a chain */
    /* longest time in ns for which threads spin while they wait for each other */
    TOGETHER_NS = 200000
};

#define CACHE_ASSUMED  ((uint64_t)32 << 20)
#define HUGE_PAGE      ((size_t)2 << 20)
#define GIGA           1e9
#define ARRAYS_OF_NODE 4 /* arrays a, b, c (as in STREAM) and the array for the chain of loads */

/* ---- what a thread does ---- */

/* Returns true if the thread takes part in the job. */
static bool has_part(const struct worker *w, const struct job *job)
{
    const bool chain_alone = job->kind == JOB_CHAIN && !job->loaded;
    if (job->from >= 0 && (size_t)job->from != w->node)
        return false;
    return !chain_alone || w->number == 0;
}

/* Waits until all threads that a barrier woke have arrived, so that they begin together. Stops
   waiting after TOGETHER_NS, since some may have no processor. */
static void wait_for_others(struct worker *w, size_t count)
{
    struct memory_bench *b = w->bench;
    const uint64_t until = clock_raw_ns() + TOGETHER_NS;
    atomic_fetch_add(&b->arrived, 1);
    while (atomic_load(&b->arrived) < count && clock_raw_ns() < until)
        ;
}

/* Returns the index of the first number in an array that belongs to thread `number` of the node.
   The slice of a thread ends where that of the next one begins. */
static size_t slice_begin(const struct worker *w, size_t numbers, size_t number)
{
    const size_t blocks = numbers / MEMORY_KERNEL_NUMBERS;
    return blocks * number / w->count * MEMORY_KERNEL_NUMBERS;
}

/* Makes one chain of loads through all lines of the array, in random order (Sattolo's shuffle). */
static void make_chain(void **chain, size_t bytes)
{
    const size_t lines = bytes / LINE, step = LINE / sizeof *chain;
    struct random random;
    random_seed(&random, bytes, 0);
    for (size_t i = 0; i < lines; i++)
        chain[i * step] = &chain[i * step];
    for (size_t i = lines - 1; i > 0; i--) {
        void **one = &chain[i * step], **other = &chain[random_below(&random, i) * step];
        void *kept = *one;
        *one = *other;
        *other = kept;
    }
}

static void fill(struct worker *w)
{
    struct memory_bench *b = w->bench;
    for (size_t i = 0; i < b->places.node_count; i++) {
        struct node_arrays *node = &b->arrays[i];
        /* the memory of a node without processors is filled by the first node */
        const bool own = i < b->places.near_count ? i == w->node : w->node == 0;
        const size_t begin = slice_begin(w, b->numbers, w->number),
                     end = slice_begin(w, b->numbers, w->number + 1);
        for (size_t k = begin; own && k < end; k++) {
            node->a[k] = 1;
            node->b[k] = 2;
            node->c[k] = 0.5;
        }
        if (own && w->number == 0)
            make_chain(node->chain, b->numbers * sizeof(double));
    }
}

/* Follows the chain from where the last job left it. */
static void run_chain(struct node_arrays *node)
{
    void **at = node->chain;
    for (size_t i = 0; i < MEMORY_CHAIN_LOADS; i += 4) {
        at = *at;
        at = *at;
        at = *at;
        at = *at;
    }
    node->chain = at;
}

/* Reads the thread's slice of the array again and again until the loads of the chain are done. */
static void load_memory(struct worker *w, const struct node_arrays *node)
{
    struct memory_bench *b = w->bench;
    const size_t begin = slice_begin(w, b->numbers, w->number),
                 end = slice_begin(w, b->numbers, w->number + 1);
    while (!atomic_load_explicit(&b->stop_loads, memory_order_relaxed))
        for (size_t k = begin;
             k < end && !atomic_load_explicit(&b->stop_loads, memory_order_relaxed);
             k += MEMORY_KERNEL_NUMBERS)
            w->sum += b->kernels->run[MEMORY_READ](node->a + k, NULL, NULL, MEMORY_KERNEL_NUMBERS);
}

static void do_job(struct worker *w, const struct job *job)
{
    struct memory_bench *b = w->bench;
    struct node_arrays *node = &b->arrays[job->to >= 0 ? (size_t)job->to : w->node];
    const size_t begin = slice_begin(w, b->numbers, w->number),
                 end = slice_begin(w, b->numbers, w->number + 1);
    w->begin = clock_raw_ns();
    if (job->kind == JOB_FILL) {
        fill(w);
    } else if (job->kind == JOB_KERNEL) {
        w->sum += b->kernels->run[job->kernel](node->a + begin, node->b + begin, node->c + begin,
                                               end - begin);
    } else if (w->number == 0 && (job->from >= 0 || w->node == 0)) {
        run_chain(node);
        atomic_store(&b->stop_loads, true);
    } else {
        load_memory(w, node);
    }
    w->end = clock_raw_ns();
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct memory_bench *b = w->bench;
    bool realtime;
    char note[80];
    placement_apply(w->cpu, false, &realtime, note, sizeof note);
    for (unsigned seen = 0;; seen++) {
        pthread_mutex_lock(&b->lock);
        while (b->generation == seen)
            pthread_cond_wait(&b->go, &b->lock);
        const struct job job = b->job;
        pthread_mutex_unlock(&b->lock);
        w->begin = w->end = 0;
        if (job.kind == JOB_END)
            return NULL;
        if (has_part(w, &job)) {
            wait_for_others(w, job.from >= 0 ? w->count : b->places.processor_count);
            do_job(w, &job);
        }
        pthread_mutex_lock(&b->lock);
        if (++b->finished == b->started)
            pthread_cond_signal(&b->done);
        pthread_mutex_unlock(&b->lock);
    }
}

static void give_job(struct memory_bench *b, const struct job *job)
{
    atomic_store(&b->arrived, 0);
    atomic_store(&b->stop_loads, false);
    pthread_mutex_lock(&b->lock);
    b->job = *job;
    b->finished = 0;
    b->generation++;
    pthread_cond_broadcast(&b->go);
    pthread_mutex_unlock(&b->lock);
}

/* Lets all threads do the job. Returns the seconds from the first begin to the last end. */
static double memory_job(struct memory_bench *b, const struct job *job)
{
    give_job(b, job);
    pthread_mutex_lock(&b->lock);
    while (b->finished < b->started)
        pthread_cond_wait(&b->done, &b->lock);
    pthread_mutex_unlock(&b->lock);
    uint64_t begin = UINT64_MAX, end = 0;
    for (size_t i = 0; i < b->started; i++) {
        const struct worker *w = &b->workers[i];
        if (!w->begin)
            continue;
        begin = w->begin < begin ? w->begin : begin;
        end = w->end > end ? w->end : end;
    }
    return (double)(end - begin) * 1e-9;
}

/* Starts the threads. ERR_MACHINE: not all could be started. memory_threads_end must follow in any
   case. */
static int memory_threads_start(struct memory_bench *b, struct err *e)
{
    const struct memory_places *p = &b->places;
    const unsigned count = (unsigned)p->processor_count;
    INVARIANT(count, "without a processor no thread is started");
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->go, NULL);
    pthread_cond_init(&b->done, NULL);
    b->workers = calloc(count, sizeof *b->workers);
    if (!b->workers)
        return err_no_memory(e, "the threads that measure");
    for (size_t i = 0; i < count; i++) {
        struct worker *w = &b->workers[i];
        *w = (struct worker){.bench = b, .cpu = p->processors[i].cpu};
        while (p->nodes[w->node] != p->processors[i].node)
            w->node++;
        for (size_t k = 0; k < count; k++) {
            w->number += k < i && p->processors[k].node == p->processors[i].node;
            w->count += p->processors[k].node == p->processors[i].node;
        }
        const int error = thread_start(&w->thread, 0, work, w);
        if (error)
            return err_set(e, ERR_MACHINE, "thread %zu of %u cannot be started: %s", i + 1, count,
                           strerror(error));
        b->started++;
    }
    return 0;
}

static void memory_threads_end(struct memory_bench *b)
{
    give_job(b, &(struct job){.kind = JOB_END});
    for (size_t i = 0; i < b->started; i++)
        pthread_join(b->workers[i].thread, NULL);
    free(b->workers);
}

/* ---- readings ---- */

/* Returns the first thread of a node. */
static struct worker *first_of(struct memory_bench *b, int node)
{
    for (size_t i = 0; i < b->started; i++)
        if (b->workers[i].node == (size_t)node)
            return &b->workers[i];
    return b->workers;
}

static double read_latency(struct memory_bench *b, const struct job *job)
{
    const struct worker *w = first_of(b, job->from >= 0 ? job->from : 0);
    memory_job(b, job);
    return (double)(w->end - w->begin) / MEMORY_CHAIN_LOADS;
}

/* Runs the job of an index and returns its value, in ns or GB/s. */
static double take_reading(struct memory_bench *b, const struct measure *m)
{
    if (m->job.kind == JOB_CHAIN)
        return read_latency(b, &m->job);
    const size_t nodes = m->job.from >= 0 ? 1 : b->places.near_count;
    return (double)(b->numbers * nodes) * m->bytes_per_number / memory_job(b, &m->job) / GIGA;
}

int memory_bench_round(void *context, double values[], struct err *e)
{
    struct memory_bench *b = context;
    (void)e;
    for (size_t i = 0; i < b->index_count; i++)
        values[i] = take_reading(b, &b->measures[i]);
    return 0;
}

double memory_bench_reading(struct memory_bench *b, const char *name)
{
    for (size_t i = 0; i < b->index_count; i++)
        if (!strcmp(b->indices[i].name, name))
            return take_reading(b, &b->measures[i]);
    return NAN;
}

/* ---- what is measured ---- */

static void add_index(struct memory_bench *b, const char *name, const char *op,
                      const struct measure *m)
{
    const bool latency = m->job.kind == JOB_CHAIN;
    struct exec_index *index = &b->indices[b->index_count];
    *index = (struct exec_index){
        .scale = 1,
        .type = latency ? INDEX_ORDINARY : INDEX_RATIO, /* rates over equal amounts of work */
        .better = latency ? METRIC_BETTER_LOWER : METRIC_BETTER_HIGHER,
        /* The latency under load scatters widely, so the session does not wait until it is precise.
         */
        .target_width = m->job.loaded ? EXEC_INDEX_REPORTED : 0,
        .above_zero = true};
    snprintf(index->name, sizeof index->name, "%s", name);
    snprintf(index->op, sizeof index->op, "%s", op);
    snprintf(index->unit, sizeof index->unit, "%s", latency ? "ns" : "GB/s");
    b->measures[b->index_count++] = *m;
}

static void add_indices(struct memory_bench *b)
{
    static const struct {
        const char *name;
        enum memory_kernel_name kernel;
        double bytes;
    } kernels[] = {{"read", MEMORY_READ, 8},           {"write", MEMORY_WRITE, 8},
                   {"write_nt", MEMORY_WRITE_PAST, 8}, {"copy", MEMORY_COPY, 16},
                   {"copy_nt", MEMORY_COPY_PAST, 16},  {"triad", MEMORY_TRIAD, 24},
                   {"triad_nt", MEMORY_TRIAD_PAST, 24}};
    const struct memory_places *p = &b->places;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        add_index(
            b, kernels[i].name, "all",
            &(struct measure){{JOB_KERNEL, kernels[i].kernel, -1, -1, false}, kernels[i].bytes});
    add_index(b, "latency", "all", &(struct measure){.job = {JOB_CHAIN, 0, 0, 0, false}});
    if (p->processor_count > 1)
        add_index(b, "latency_loaded", "all",
                  &(struct measure){.job = {JOB_CHAIN, 0, -1, -1, true}});
    /* Measures every path between two nodes, or only within each node if there are too many paths.
     */
    const size_t paths = p->near_count * p->node_count;
    b->pairs_left_out = b->index_count + 2 * paths > MEMORY_INDICES_MAX;
    for (size_t from = 0; from < p->near_count && p->node_count > 1; from++)
        for (size_t to = 0; to < p->node_count; to++) {
            char op[8];
            const struct job job = {JOB_KERNEL, MEMORY_READ, (int)from, (int)to, false},
                             chain = {JOB_CHAIN, 0, (int)from, (int)to, false};
            if ((b->pairs_left_out && from != to) || b->index_count + 2 > MEMORY_INDICES_MAX)
                continue;
            snprintf(op, sizeof op, "%hhu-%hhu", (unsigned char)p->nodes[from],
                     (unsigned char)p->nodes[to]);
            add_index(b, "read", op, &(struct measure){job, 8});
            add_index(b, "latency", op, &(struct measure){.job = chain});
        }
}

const struct exec_index *memory_bench_indices(const struct memory_bench *b, size_t *count)
{
    *count = b->index_count;
    return b->indices;
}

char *memory_bench_words(const struct memory_bench *b, char *to, size_t size)
{
    char bytes[UNITS_BUFFER];
    const struct memory_places *p = &b->places;
    const size_t used =
        (size_t)snprintf(to, size,
                         "memory: %s, %zu thread%s on %zu node%s, arrays of %s on each, %.0f %% in "
                         "huge pages; *_nt: "
                         "non-temporal stores",
                         b->kernels->name, p->processor_count, p->processor_count == 1 ? "" : "s",
                         p->near_count, p->near_count == 1 ? "" : "s",
                         format_size(bytes, sizeof bytes, (double)(b->numbers * sizeof(double))),
                         100 * b->huge_share);
    if (used < size)
        snprintf(to + used, size - used, "%s%s%s",
                 p->processor_count == 1 ? "; loaded latency needs a second processor" : "",
                 p->cache_known ? "" : "; caches not known",
                 b->pairs_left_out && p->node_count > 1 ? "; too many nodes for all pairs" : "");
    return to;
}

void memory_bench_plan(struct memory_bench *b, const struct plan *plan, struct exec_plan *to)
{
    static const char *const words[] = {"memory", NULL};
    machine_bench_plan(
        &(struct machine_bench){words, memory_bench_round, b, b->indices, b->index_count}, plan,
        to);
    memory_bench_words(b, to->command, sizeof to->command);
}

/* ---- memory and threads ---- */

/* Returns the share of the arrays that lies in huge pages. */
static double huge_share(const struct memory_bench *b)
{
    static const char label[] = "AnonHugePages:";
    char line[256];
    double kilobytes = 0, bytes = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, label, sizeof label - 1)) {
            kilobytes = strtod(line + sizeof label - 1, NULL);
            break;
        }
    if (f)
        fclose(f);
    for (size_t i = 0; i < b->places.node_count; i++)
        bytes += (double)b->arrays[i].length;
    return fmin(kilobytes * 1024 / bytes, 1);
}

static int map_arrays(struct memory_bench *b, struct err *e)
{
    const size_t bytes = b->numbers * sizeof(double);
    for (size_t i = 0; i < b->places.node_count; i++) {
        struct node_arrays *node = &b->arrays[i];
        node->length = ARRAYS_OF_NODE * bytes + HUGE_PAGE;
        node->mapped = mmap(NULL, node->length, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (node->mapped == MAP_FAILED) {
            node->mapped = NULL;
            return err_no_memory(e, "the arrays that are measured");
        }
        void *first = (char *)node->mapped + HUGE_PAGE - (uintptr_t)node->mapped % HUGE_PAGE;
        madvise(first, ARRAYS_OF_NODE * bytes, MADV_HUGEPAGE);
        numa_bind_memory(first, ARRAYS_OF_NODE * bytes, b->places.nodes[i]);
        node->a = first;
        node->b = node->a + b->numbers;
        node->c = node->b + b->numbers;
        node->chain = (void **)(node->c + b->numbers);
    }
    return 0;
}

/* Chooses the length of the arrays. */
static int choose_length(struct memory_bench *b, struct err *e)
{
    const struct memory_places *p = &b->places;
    const uint64_t cache = p->cache_known ? p->cache_bytes : CACHE_ASSUMED;
    const uint64_t all = ARRAYS_OF_NODE * p->node_count; /* arrays */
    const struct memory_room room = memory_room_find("");
    uint64_t bytes = CACHES * cache / p->near_count;
    const uint64_t least = CACHES_MIN * cache / p->near_count;
    if (room.bytes / ROOM_SHARE / all < bytes)
        bytes = room.bytes / ROOM_SHARE / all;
    if (bytes < least) {
        char need[UNITS_BUFFER], have[UNITS_BUFFER];
        return err_set(
            e, ERR_MACHINE,
            "--memory needs %s, for arrays that are larger than the caches, and may take "
            "half of %s (%s): raise the limit, or end other programs",
            format_size(need, sizeof need, (double)(least * all)),
            format_size(have, sizeof have, (double)room.bytes), room.limit);
    }
    bytes = bytes > HUGE_PAGE ? bytes / HUGE_PAGE * HUGE_PAGE : HUGE_PAGE;
    b->numbers = bytes / sizeof(double);
    return 0;
}

int memory_bench_open(struct memory_bench **bench, struct err *e)
{
    struct memory_bench *b = calloc(1, sizeof *b);
    *bench = NULL;
    if (!b)
        return err_no_memory(e, "measuring memory");
    b->kernels = memory_kernels_widest();
    b->places.processor_count = numa_processors("", b->places.processors, MEMORY_PROCESSORS_MAX);
    memory_places_complete("", &b->places);
    int status = b->places.processor_count
                     ? choose_length(b, e)
                     : err_set(e, ERR_MACHINE, "the processors of this process are not known");
    if (!status)
        status = map_arrays(b, e);
    if (!status)
        status = memory_threads_start(b, e);
    if (status) {
        memory_bench_close(b);
        return -1;
    }
    add_indices(b);
    memory_job(b, &(struct job){.kind = JOB_FILL, .from = -1, .to = -1});
    b->huge_share = huge_share(b);
    *bench = b;
    return 0;
}

void memory_bench_close(struct memory_bench *b)
{
    if (!b)
        return;
    memory_threads_end(b);
    for (size_t i = 0; i < b->places.node_count; i++)
        if (b->arrays[i].mapped)
            munmap(b->arrays[i].mapped, b->arrays[i].length);
    free(b);
}
