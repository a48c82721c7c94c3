/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of the lowest priority. */
#include "observe/tracepoint/tracepoint.h"

#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *stay_awake(void *argument)
{
    struct awake *a = argument;
    while (!atomic_load_explicit(&a->over, memory_order_relaxed)) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
    return NULL;
}

/* The C library's own call refuses this policy, and the kernel knows its number: SCHED_IDLE is 5.
 */
static void give_way(void)
{
    struct sched_param none = {.sched_priority = 0};
    syscall(SYS_sched_setscheduler, 0, 5, &none);
}

struct place {
    struct awake *awake;
    size_t cpu;
    atomic_bool taken;
};

static void *begin_awake(void *argument)
{
    struct place *place = argument;
    struct awake *a = place->awake;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(place->cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    give_way();
    atomic_store(&place->taken, true);
    return stay_awake(a);
}

void awake_begin(struct awake *a)
{
    cpu_set_t allowed;
    a->count = 0;
    atomic_init(&a->over, false);
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && a->count < AWAKE_MAX; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        struct place place = {.awake = a, .cpu = cpu};
        atomic_init(&place.taken, false);
        if (pthread_create(&a->threads[a->count], NULL, begin_awake, &place))
            return;
        a->count++;
        while (!atomic_load(&place.taken)) /* it has read its place: a moment */
            sched_yield();
    }
}

void awake_end(struct awake *a)
{
    atomic_store(&a->over, true);
    while (a->count > 0)
        pthread_join(a->threads[--a->count], NULL);
}
