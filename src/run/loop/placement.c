/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pinning, priority and locked memory. */
#include "run/loop/placement.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

void placement_apply(int cpu, bool realtime, bool *realtime_granted, char *note, size_t size)
{
    note[0] = '\0';
    if (cpu >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((size_t)cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one))
            snprintf(note, size, "worker could not be pinned to CPU %d: %s", cpu, strerror(errno));
    }
    *realtime_granted = false;
    if (realtime)
        *realtime_granted = placement_begin_realtime(pthread_self());
}

bool placement_begin_realtime(pthread_t thread)
{
    struct sched_param priority = {.sched_priority = 1};
    return !pthread_setschedparam(thread, SCHED_FIFO, &priority);
}

void placement_end_realtime(pthread_t thread)
{
    struct sched_param ordinary = {0};
    pthread_setschedparam(thread, SCHED_OTHER, &ordinary);
}

static int nth_cpu(const cpu_set_t *set, unsigned n)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, set) && n-- == 0)
            return cpu;
    return -1;
}

static int wanted_cpus(const struct plan *plan, const cpu_set_t *allowed, cpu_set_t *wanted,
                       struct err *e)
{
    CPU_ZERO(wanted);
    for (int cpu = 0; cpu < PLAN_CPUS_MAX; cpu++) {
        if (!(plan->cpus[cpu / 64] >> (cpu % 64) & 1))
            continue;
        if (cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, allowed))
            return err_set(e, ERR_USAGE,
                           "--cpus: this process may not use CPU %d (it has %d in all)", cpu,
                           CPU_COUNT(allowed));
        CPU_SET((size_t)cpu, wanted);
    }
    return 0;
}

int placement_choose(const struct plan *plan, unsigned number, int *cpu, struct err *e)
{
    cpu_set_t allowed, wanted;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) {
        *cpu = -1;
        return 0;
    }
    if (plan->cpus_given) {
        if (wanted_cpus(plan, &allowed, &wanted, e))
            return -1;
        *cpu = nth_cpu(&wanted, number % (unsigned)CPU_COUNT(&wanted));
        return 0;
    }
    *cpu = nth_cpu(&allowed, (number + 1) % (unsigned)CPU_COUNT(&allowed));
    return 0;
}

unsigned placement_processors(const struct plan *plan)
{
    cpu_set_t allowed, wanted;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return 1;
    struct err ignored;
    if (plan->cpus_given && !wanted_cpus(plan, &allowed, &wanted, &ignored))
        allowed = wanted;
    int count = CPU_COUNT(&allowed);
    return count > 0 ? (unsigned)count : 1;
}

uint64_t placement_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool placement_lock_memory(void)
{
    return !mlockall(MCL_CURRENT);
}
