/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps processors awake by threads of the lowest priority. */
#include "program/observe/tracepoint/tracepoint.h"

#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

struct place {
    struct awake *awake;
    size_t cpu;
    atomic_bool taken;
};

static void *stay_awake(void *argument)
{
    struct place *place = argument;
    struct awake *a = place->awake;
    struct sched_param none = {.sched_priority = 0};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(place->cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    /* 5 is SCHED_IDLE. The C library's function refuses this policy, so the kernel is called
       directly. */
    syscall(SYS_sched_setscheduler, 0, 5, &none);
    atomic_store(&place->taken, true);
    while (!atomic_load_explicit(&a->over, memory_order_relaxed)) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
    return NULL;
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
        if (pthread_create(&a->threads[a->count], NULL, stay_awake, &place))
            return;
        a->count++;
        /* Waits until the thread has read its place, which takes a moment. */
        while (!atomic_load(&place.taken))
            sched_yield();
    }
}

void awake_end(struct awake *a)
{
    atomic_store(&a->over, true);
    while (a->count > 0)
        pthread_join(a->threads[--a->count], NULL);
}
