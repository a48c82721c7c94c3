/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads power, temperature and throttling again and again while something else is measured. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "machine/processors/internal.h"

#define FIRST_STEP 0.5 /* seconds between two samples; it doubles when there is no more room */

struct heat_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool over;
    const char *root;
    struct processor_heat first, last;
    double begin, last_seconds, step;
    struct heat_history *history;
};

/* Makes one sample of each two neighbours. */
static void halve(struct heat_watch *w)
{
    struct heat_history *h = w->history;
    for (size_t i = 0; i < h->count / 2; i++) {
        const struct heat_sample *a = &h->samples[2 * i], *b = &h->samples[2 * i + 1];
        h->samples[i] = (struct heat_sample){b->seconds, (a->watts + b->watts) / 2,
                                             fmax(a->celsius, b->celsius)};
    }
    h->count /= 2;
    w->step *= 2;
}

static void take_sample(struct heat_watch *w)
{
    struct processor_heat now;
    const double seconds = seconds_of_clock(CLOCK_MONOTONIC) - w->begin;
    processor_heat_read(w->root, &now);
    if (w->history->count == HEAT_SAMPLES_MAX)
        halve(w);
    w->history->samples[w->history->count++] = (struct heat_sample){
        seconds, processor_watts(&w->last, &now, seconds - w->last_seconds), now.celsius};
    w->last = now;
    w->last_seconds = seconds;
}

static void *watch(void *argument)
{
    struct heat_watch *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const double at = (double)until.tv_sec + (double)until.tv_nsec * 1e-9 + w->step;
        until = (struct timespec){(time_t)at, (long)((at - floor(at)) * 1e9)};
        if (pthread_cond_timedwait(&w->end, &w->lock, &until) == ETIMEDOUT)
            take_sample(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void release(struct heat_watch *w)
{
    pthread_cond_destroy(&w->end);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct heat_watch *heat_watch_begin(const char *root, struct heat_history *history)
{
    struct heat_watch *w = calloc(1, sizeof *w);
    *history = (struct heat_history){.watts = NAN, .celsius = NAN, .watts_limit = NAN};
    if (!w)
        return NULL;
    w->root = root;
    w->history = history;
    w->step = FIRST_STEP;
    w->begin = seconds_of_clock(CLOCK_MONOTONIC);
    processor_heat_read(root, &w->first);
    w->last = w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->end, &clock);
    pthread_condattr_destroy(&clock);
    if (thread_start(&w->thread, 0, watch, w)) {
        release(w);
        return NULL;
    }
    return w;
}

void heat_watch_end(struct heat_watch *w)
{
    if (!w)
        return;
    struct heat_history *h = w->history;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->end);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    take_sample(w);
    h->watts = processor_watts(&w->first, &w->last, w->last_seconds);
    h->watts_limit = processor_watts_limit(&w->last);
    for (size_t i = 0; i < h->count; i++)
        h->celsius = fmax(h->celsius, h->samples[i].celsius);
    h->counts = w->last.counts_heat;
    h->by_heat = w->last.throttled_by_heat - w->first.throttled_by_heat;
    h->by_power = w->last.throttled_by_power - w->first.throttled_by_power;
    h->energy_denied = w->last.energy_denied;
    release(w);
}
