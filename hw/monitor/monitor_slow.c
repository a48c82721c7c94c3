/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that reads temperatures, because reading may block. */
#include "hw/monitor/internal.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

#define EVERY_SECONDS 1
#define WAIT_SECONDS  1 /* time to wait for a thread that should have answered */

struct monitor_slow {
    pthread_t thread;
    bool started;
    atomic_bool stop;
    sem_t wake, done; /* `wake` goes to the thread; `done` comes from it after every round */
    size_t count;
    int files[MONITOR_SLOW_FILES];
    _Atomic float values[MONITOR_SLOW_FILES];
};

static float read_degrees(int fd)
{
    char text[32], *end;
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    double value = strtod(text, &end);
    return end != text && isfinite(value) ? (float)(value * 1e-3) : NAN;
}

static struct timespec seconds_from_now(time_t seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += seconds;
    return t;
}

static void *read_temperatures(void *argument)
{
    struct monitor_slow *slow = argument;
    while (!atomic_load(&slow->stop)) {
        for (size_t i = 0; i < slow->count && !atomic_load(&slow->stop); i++)
            atomic_store(&slow->values[i], read_degrees(slow->files[i]));
        sem_post(&slow->done);
        struct timespec next = seconds_from_now(EVERY_SECONDS);
        sem_timedwait(&slow->wake, &next);
    }
    return NULL;
}

struct monitor_slow *monitor_slow_new(void)
{
    struct monitor_slow *slow = calloc(1, sizeof *slow);
    if (!slow)
        return NULL;
    sem_init(&slow->wake, 0, 0);
    sem_init(&slow->done, 0, 0);
    return slow;
}

int monitor_slow_add(struct monitor_slow *slow, int fd)
{
    if (!slow || slow->count == MONITOR_SLOW_FILES) {
        close(fd);
        return -1;
    }
    slow->files[slow->count] = fd;
    atomic_store(&slow->values[slow->count], NAN);
    return (int)slow->count++;
}

void monitor_slow_start(struct monitor_slow *slow)
{
    if (!slow || !slow->count)
        return;
    slow->started = !thread_start(&slow->thread, 0, read_temperatures, slow);
    struct timespec limit = seconds_from_now(WAIT_SECONDS);
    if (slow->started)
        sem_timedwait(&slow->done, &limit);
}

float monitor_slow_value(const struct monitor_slow *slow, int number)
{
    return atomic_load(&slow->values[number]);
}

void monitor_slow_stop(struct monitor_slow *slow)
{
    struct timespec limit = seconds_from_now(WAIT_SECONDS);
    if (!slow)
        return;
    atomic_store(&slow->stop, true);
    sem_post(&slow->wake);
    if (slow->started && pthread_timedjoin_np(slow->thread, NULL, &limit)) {
        pthread_detach(slow->thread);
        return;
    }
    for (size_t i = 0; i < slow->count; i++)
        close(slow->files[i]);
    sem_destroy(&slow->wake);
    sem_destroy(&slow->done);
    free(slow);
}
