/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures processors: the clock that each has while all of them multiply and add in their widest
 * registers, how much of that they do, and how long a cache line takes from one to another.
 *
 * There is one thread for each processor that this process may use. Its cycles are counted by the
 * processor itself (the kernel's `cycles`, or APERF) over the processor time of the thread. Where
 * neither is permitted, as in most virtual machines, a chain of additions that take one cycle each
 * is timed instead. No setting of the machine is changed.
 */
#ifndef CUPEL_MACHINE_PROCESSORS_PROCESSORS_H
#define CUPEL_MACHINE_PROCESSORS_PROCESSORS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/qualification.h"
#include "program/exec/exec.h"

struct processor_bench;

/* Runs the first rounds of the threads, by which the slowest processor is chosen. ERR_MACHINE:
   threads cannot be started. The caller closes it with processor_bench_close. */
int processor_bench_open(struct processor_bench **bench, struct err *e);
void processor_bench_close(struct processor_bench *bench);

/* Takes one reading of each index: GHz, GFLOP/s, ns. `context` is the bench. Serves as `measure` of
   an exec_program (program/exec/exec.h). */
int processor_bench_round(void *context, double values[], struct err *e);

/* Makes the plan of a session of such rounds, as precise as `plan` asks. The bench must outlive
   it. */
struct plan;
void processor_bench_plan(struct processor_bench *bench, const struct plan *plan,
                          struct exec_plan *to);

/* Returns the name of the processor whose clock is measured alone, in a buffer of at least 16
   bytes. */
char *processor_bench_slowest(const struct processor_bench *bench, char *to, size_t size);

/* Writes what is measured and how, in one line. Returns `to`. */
char *processor_bench_words(const struct processor_bench *bench, char *to, size_t size);

/* ---- the clocks that the processors should have ---- */

struct processor_clocks {
    double base, turbo;  /* Hz; NaN: not known */
    const char *base_of; /* source of the base clock: "cpufreq", "CPUID", "TSC" */
};

/* Reads the clocks of a processor below `root`. With "", which stands for this machine, CPUID and
   TSC are asked, too. */
struct processor_clocks processor_clocks_read(const char *root, int cpu);

/* ---- heat: power, temperature and throttling ---- */

#define PROCESSOR_PACKAGES_MAX 16

/* Energy, heat and throttling of all packages at one instant, as the kernel reports them. */
struct processor_heat {
    size_t packages; /* number of packages whose energy counter may be read */
    struct {
        double joules, range; /* energy counter, and the value at which it wraps */
        double limit;         /* long-term power limit, W; NaN: not known */
    } package[PROCESSOR_PACKAGES_MAX];
    double celsius;              /* temperature of the hottest sensor; NaN: there is none */
    uint64_t throttled_by_heat;  /* heat events of all cores and packages */
    uint64_t throttled_by_power; /* events in which a power limit lowered the clock */
    bool counts_heat, counts_power;
    bool energy_denied; /* the kernel does not let this user read the energy */
};

void processor_heat_read(const char *root, struct processor_heat *heat);

/* Returns the power of all packages in `seconds` between two readings, in W; NaN: not known. */
double processor_watts(const struct processor_heat *before, const struct processor_heat *after,
                       double seconds);

/* Returns the sum of the packages' long-term limits, in W; NaN: not known. */
double processor_watts_limit(const struct processor_heat *heat);

/* ---- a test of the processors' results ---- */

#define PROCESSOR_FAULTS_KEPT 16

struct processor_burn {
    /* number of computations, and number of those with an unusual result */
    uint64_t pieces, wrong;
    int cpus[PROCESSOR_FAULTS_KEPT]; /* the first processors that had wrong results */
    size_t kept;
};

/* Lets all processors compute for `seconds`, or until *stop. ERR_MACHINE: a thread cannot be
   started. */
int processor_burn(double seconds, const volatile sig_atomic_t *stop, struct processor_burn *result,
                   struct err *e);

/* Starts and ends a thread that fills in the history. `root` and `history` must outlive the watch.
   Returns NULL if the thread cannot be started; the history then stays empty, and heat_watch_end
   accepts NULL. */
struct heat_watch;
struct heat_watch *heat_watch_begin(const char *root, struct heat_history *history);
void heat_watch_end(struct heat_watch *watch);

#endif
