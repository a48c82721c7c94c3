/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures processors: a thread for each, all of which work at the same time, then pair by pair. */
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/thread.h"
#include "base/units.h"
#include "machine/bench/bench_plan.h"
#include "machine/processors/internal.h"
#include "run/loop/numa_node.h"
#include "run/loop/placement.h"

enum {
    FIRST_ROUNDS = 5,      /* rounds by which the slowest processor is chosen */
    LOAD_NS = 40000000,    /* time in which all processors multiply and add */
    CHAIN_NS = 10000000,   /* ns in which the threads then run chains, if no cycles are counted */
    TOGETHER_NS = 50000000 /* threads wait for each other for at most this time */
};

#define GIGA 1e9

/* ---- cycles of a thread: the kernel's counters, or none where they are not permitted ---- */

struct cycles {
    enum cycles_source source;
    int fd; /* perf event that counts cycles; -1 for CYCLES_CHAIN */
};

#define MSR_FOLDER "/sys/bus/event_source/devices/msr"

static void cycles_close(struct cycles *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* Reads the cycles of the thread so far, and the time in ns in which they were counted. */
static void cycles_read(const struct cycles *c, double *cycles, double *ns)
{
    uint64_t values[2] = {0};
    if (c->fd >= 0 && read(c->fd, values, sizeof values) == (ssize_t)sizeof values) {
        *cycles = (double)values[0];
        *ns = (double)values[1];
        return;
    }
    *cycles = 0;
    *ns = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) * 1e9;
}

static int open_event(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof attr,
                                   .config = config,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens the APERF event. The kernel gives its type in one file and "event=0x01" in another. */
static int open_aperf(void)
{
    char type[32], event[64];
    uint64_t number;
    if (!file_first_line(MSR_FOLDER "/type", type, sizeof type) ||
        parse_unsigned(type, &number, NULL) ||
        !file_first_line(MSR_FOLDER "/events/aperf", event, sizeof event) ||
        strncmp(event, "event=", 6) != 0)
        return -1;
    return open_event((uint32_t)number, strtoull(event + 6, NULL, 0));
}

/* Returns true if the counter moves. In a virtual machine it may open and stay at 0. */
static bool counts(const struct cycles *c)
{
    double before, after, ns;
    cycles_read(c, &before, &ns);
    load_chain();
    cycles_read(c, &after, &ns);
    return after - before >= LOAD_CHAIN / 2.0;
}

/* Opens the best counter of the calling thread that the kernel permits. */
static struct cycles cycles_open(void)
{
    struct cycles c = {CYCLES_COUNTER, open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)};
    if (c.fd >= 0 && counts(&c))
        return c;
    cycles_close(&c);
    c = (struct cycles){CYCLES_APERF, open_aperf()};
    if (c.fd >= 0 && counts(&c))
        return c;
    cycles_close(&c);
    return (struct cycles){CYCLES_CHAIN, -1};
}

static const char *cycles_words(enum cycles_source source)
{
    static const char *const words[] = {
        [CYCLES_COUNTER] = "cycles counted",
        [CYCLES_APERF] = "cycles by APERF",
        [CYCLES_CHAIN] = "cycles by timed additions, for no counter is permitted"};
    return words[source];
}

/* ---- a thread's round ---- */

/* Waits until all threads have arrived, so that they begin together. Stops waiting after
   TOGETHER_NS, since some may have no processor. */
static void wait_for_others(struct processor_bench *b)
{
    const uint64_t until = clock_raw_ns() + TOGETHER_NS;
    atomic_fetch_add(&b->arrived, 1);
    while (atomic_load(&b->arrived) < b->count && clock_raw_ns() < until)
        ;
}

/* Works until the time `until`. Returns the operations per second of the thread's processor
   time. */
static double work_rate(uint64_t until, load_function *piece)
{
    double sum;
    const double begin = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID);
    double done = 0;
    do
        done += piece(&sum);
    while (clock_raw_ns() < until);
    return done / (seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) - begin);
}

static double chain_piece(double *sum)
{
    *sum = 0;
    load_chain();
    return LOAD_CHAIN;
}

static void *run_thread(void *argument)
{
    struct processor_thread *t = argument;
    bool realtime;
    char note[80];
    double before, after, ns_before, ns_after;
    placement_apply(t->cpu, false, &realtime, note, sizeof note);
    struct cycles cycles = cycles_open();
    t->source = cycles.source;
    wait_for_others(t->bench);
    const uint64_t begin = clock_raw_ns();
    cycles_read(&cycles, &before, &ns_before);
    t->rate = work_rate(begin + LOAD_NS, load_piece);
    cycles_read(&cycles, &after, &ns_after);
    t->clock = cycles.source == CYCLES_CHAIN ? work_rate(begin + LOAD_NS + CHAIN_NS, chain_piece)
                                             : (after - before) / (ns_after - ns_before) * GIGA;
    cycles_close(&cycles);
    return NULL;
}

/* Lets all processors work. */
static int work(struct processor_bench *b, struct err *e)
{
    size_t started = 0;
    int error = 0;
    atomic_store(&b->arrived, 0);
    for (; started < b->count && !error; started += !error)
        error = thread_start(&b->threads[started].thread, 0, run_thread, &b->threads[started]);
    for (size_t i = 0; i < started; i++)
        pthread_join(b->threads[i].thread, NULL);
    if (error)
        return err_set(e, ERR_MACHINE, "thread %zu of %zu cannot be started: %s", started + 1,
                       b->count, strerror(error));
    return 0;
}

int processor_bench_round(void *context, double values[], struct err *e)
{
    struct processor_bench *b = context;
    size_t n = 0;
    double clock = 0, rate = 0;
    if (work(b, e))
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        clock += b->threads[i].clock;
        rate += b->threads[i].rate;
    }
    values[n++] = clock / (double)b->count / GIGA;
    values[n++] = rate / GIGA;
    if (b->count > 1)
        values[n++] = b->threads[b->slowest].clock / GIGA;
    for (size_t i = 0; i < b->pair_count; i++) {
        const int attempts = 3;
        values[n] = NAN;
        for (int k = 0; k < attempts && isnan(values[n]); k++)
            if (processor_pair_latency(&b->pairs[i], &values[n], e))
                return -1;
        if (isnan(values[n]))
            return err_set(e, ERR_UNDECIDED,
                           "processors %d and %d were never at work at the same time: other "
                           "programs have them",
                           b->pairs[i].from, b->pairs[i].to);
        n++;
    }
    return 0;
}

/* ---- what is measured ---- */

static struct exec_index *add_index(struct processor_bench *b, const char *name, const char *op,
                                    const char *unit)
{
    struct exec_index *index = &b->indices[b->index_count++];
    *index = (struct exec_index){
        .scale = 1, .type = INDEX_ORDINARY, .better = METRIC_BETTER_HIGHER, .above_zero = true};
    snprintf(index->name, sizeof index->name, "%s", name);
    snprintf(index->op, sizeof index->op, "%s", op);
    snprintf(index->unit, sizeof index->unit, "%s", unit);
    return index;
}

static void add_indices(struct processor_bench *b)
{
    char op[24], name[48];
    add_index(b, "clock", "all", "GHz");
    add_index(b, "multiply_add", "all", "GFLOP/s");
    if (b->count > 1) {
        processor_bench_slowest(b, op, sizeof op);
        add_index(b, "clock_slowest", op, "GHz")->target_width = EXEC_INDEX_REPORTED;
    }
    for (size_t i = 0; i < b->pair_count; i++) {
        const size_t length =
            (size_t)snprintf(op, sizeof op, "%d-%d", b->pairs[i].from, b->pairs[i].to);
        const bool fits = length < sizeof b->indices->op;
        snprintf(name, sizeof name, "handover%s%s", fits ? "" : "_", fits ? "" : op);
        struct exec_index *index = add_index(b, name, fits ? op : "all", "ns");
        index->better = METRIC_BETTER_LOWER;
        index->target_width = EXEC_INDEX_REPORTED;
    }
}

char *processor_bench_slowest(const struct processor_bench *b, char *to, size_t size)
{
    snprintf(to, size, "cpu%d", b->threads[b->slowest].cpu);
    return to;
}

char *processor_bench_words(const struct processor_bench *b, char *to, size_t size)
{
    const struct processor_clocks clocks = processor_clocks_read("", b->threads[0].cpu);
    char base[24] = "", turbo[24] = "";
    if (!isnan(clocks.base))
        snprintf(base, sizeof base, ", base %.2f GHz", clocks.base / GIGA);
    if (!isnan(clocks.turbo))
        snprintf(turbo, sizeof turbo, ", turbo %.2f GHz", clocks.turbo / GIGA);
    snprintf(to, size, "processors: %zu at once, %s%s%s; %s%s%s%s", b->count, load_words(), base,
             turbo, cycles_words(b->source),
             b->count == 1 ? "; handover needs a second processor" : "",
             b->pairs_of_caches ? "; handover: from cache to cache" : "",
             b->pairs_left_out ? ", of 6" : "");
    return to;
}

void processor_bench_plan(struct processor_bench *b, const struct plan *plan, struct exec_plan *to)
{
    static const char *const words[] = {"processors", NULL};
    machine_bench_plan(
        &(struct machine_bench){words, processor_bench_round, b, b->indices, b->index_count}, plan,
        to);
    processor_bench_words(b, to->command, sizeof to->command);
}

/* ---- the bench ---- */

/* Chooses the slowest processor, whose clock is measured alone. The rounds that choose it are
   discarded, because the lowest of many readings is too low by chance. */
static int choose_slowest(struct processor_bench *b, struct err *e)
{
    double *sums = calloc(b->count + 1, sizeof *sums);
    if (!sums)
        return err_no_memory(e, "measuring processors");
    int status = 0;
    for (int round = 0; round < FIRST_ROUNDS && !status; round++) {
        status = work(b, e);
        for (size_t i = 0; i < b->count; i++)
            sums[i] += b->threads[i].clock;
    }
    for (size_t i = 1; i < b->count; i++)
        if (sums[i] < sums[b->slowest])
            b->slowest = i;
    b->source = b->threads[0].source;
    free(sums);
    return status;
}

int processor_bench_open(struct processor_bench **bench, struct err *e)
{
    struct processor_bench *b = calloc(1, sizeof *b);
    *bench = NULL;
    if (!b)
        return err_no_memory(e, "measuring processors");
    b->count = numa_processors("", b->processors, PROCESSORS_MEASURED_MAX);
    b->threads = calloc(b->count ? b->count : 1, sizeof *b->threads);
    int status = 0;
    if (!b->threads)
        status = err_no_memory(e, "the threads that measure processors");
    else if (!b->count)
        status = err_set(e, ERR_MACHINE, "the processors of this process are not known");
    for (size_t i = 0; b->threads && i < b->count; i++)
        b->threads[i] = (struct processor_thread){.bench = b, .cpu = b->processors[i].cpu};
    b->pair_count = processor_pairs_choose("", b->processors, b->count, b->pairs,
                                           &b->pairs_of_caches, &b->pairs_left_out);
    if (!status)
        status = choose_slowest(b, e);
    if (status) {
        processor_bench_close(b);
        return -1;
    }
    add_indices(b);
    *bench = b;
    return 0;
}

void processor_bench_close(struct processor_bench *b)
{
    if (!b)
        return;
    free(b->threads);
    free(b);
}
