/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pins threads to processors, and gives them real-time priority and locked memory. */
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

/* Reads the processors of a mask. This process must be allowed to use all of them. */
static int wanted_cpus(const char *option, const uint64_t mask[], const cpu_set_t *allowed,
                       cpu_set_t *wanted, struct err *e)
{
    CPU_ZERO(wanted);
    for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX; cpu++) {
        if (!plan_mask_has(mask, cpu))
            continue;
        if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, allowed))
            return err_set(e, ERR_USAGE, "--%s: this process may not use CPU %u (it has %d in all)",
                           option, cpu, CPU_COUNT(allowed));
        CPU_SET(cpu, wanted);
    }
    return 0;
}

/* Finds the processors for workers: those of the plan's list, or all except those of the kernel's
   threads. */
static int find_cpus(const struct plan *plan, cpu_set_t *cpus, struct err *e)
{
    cpu_set_t allowed = *cpus, kernel;
    if (wanted_cpus("sqthread_poll_cpu", plan->sqpoll_cpus, &allowed, &kernel, e))
        return -1;
    if (plan->cpus_given)
        return wanted_cpus("cpus", plan->cpus, &allowed, cpus, e);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &kernel))
            CPU_CLR(cpu, cpus);
    return CPU_COUNT(cpus) ? 0
                           : err_set(e, ERR_USAGE,
                                     "--sqthread_poll_cpu: no processor is left for the workers, "
                                     "of %d that this process may use",
                                     CPU_COUNT(&allowed));
}

int placement_choose(const struct plan *plan, unsigned number, int *cpu, struct err *e)
{
    cpu_set_t cpus;
    *cpu = -1;
    if (sched_getaffinity(0, sizeof cpus, &cpus))
        return 0;
    if (find_cpus(plan, &cpus, e))
        return -1;
    number += !plan->cpus_given; /* the first processor is left to the collector */
    *cpu = nth_cpu(&cpus, number % (unsigned)CPU_COUNT(&cpus));
    return 0;
}

int placement_kernel_cpu(const struct plan *plan, unsigned number)
{
    unsigned count = 0;
    for (unsigned cpu = 0; cpu < PLAN_CPUS_MAX; cpu++)
        count += plan_mask_has(plan->sqpoll_cpus, cpu);
    for (unsigned cpu = 0, left = count ? number % count : 0; cpu < PLAN_CPUS_MAX && count; cpu++)
        if (plan_mask_has(plan->sqpoll_cpus, cpu) && left-- == 0)
            return (int)cpu;
    return -1;
}

unsigned placement_processors(const struct plan *plan)
{
    cpu_set_t cpus;
    struct err ignored;
    if (sched_getaffinity(0, sizeof cpus, &cpus))
        return 1;
    cpu_set_t allowed = cpus;
    if (find_cpus(plan, &cpus, &ignored))
        cpus = allowed;
    int count = CPU_COUNT(&cpus);
    return count > 0 ? (unsigned)count : 1;
}

uint64_t placement_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool placement_lock_memory(const void *begin, size_t length)
{
    return !(begin ? mlock(begin, length) : mlockall(MCL_CURRENT));
}
