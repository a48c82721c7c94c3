/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which disks may work at a time. */
#include "machine/accept/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "run/loop/numa_node.h"

void turns_init(struct turns *t)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&t->lock, NULL);
    for (size_t i = 0; i < t->count; i++)
        t->disks[i].work = TURN_WRITES;
}

/* ---- processors ---- */

static unsigned users_of(const struct turns *t, int cpu)
{
    unsigned users = 0;
    for (size_t i = 0; i < t->count; i++)
        users += t->disks[i].cpus[cpu / 64] >> (cpu % 64) & 1;
    return users;
}

/* Finds the processors with at most this number of users among the other measuring disks. */
static size_t find_processors(const struct turns *t, unsigned users, struct spread_processor list[])
{
    size_t count = numa_processors(t->root, list, PLAN_CPUS_MAX), kept = 0;
    for (size_t i = 0; i < count; i++)
        if (users_of(t, list[i].cpu) <= users)
            list[kept++] = list[i];
    return kept;
}

static bool others_measure(const struct turns *t, size_t disk)
{
    bool found = false;
    for (size_t i = 0; i < t->count; i++)
        found |= i != disk && t->disks[i].work == TURN_MEASURES;
    return found;
}

/* Reserves processors for a disk that measures. Returns false if too few are free. A disk that
   measures alone, or on a machine that never has enough, is placed like any session. */
static bool take_processors(struct turns *t, size_t disk)
{
    struct spread_processor list[PLAN_CPUS_MAX];
    unsigned uses[PLAN_CPUS_MAX];
    int cpus[PLAN_JOBS_MAX];
    struct turn *turn = &t->disks[disk];
    size_t count = find_processors(t, 0, list);
    for (unsigned users = 1; count < t->workers && t->at_once == ACCEPT_ALL && users < t->count;
         users++)
        count = find_processors(t, users, list);
    if (count < t->workers)
        return t->at_once == ACCEPT_ALL || !others_measure(t, disk);
    struct spread_target target = {.node = turn->node, .workers = t->workers, .cpus = cpus};
    processor_spread(list, uses, count, &target, 1);
    for (unsigned i = 0; i < t->workers; i++)
        turn->cpus[cpus[i] / 64] |= UINT64_C(1) << cpus[i] % 64;
    turn->cpu_count = t->workers;
    return true;
}

unsigned turns_slots(const struct turns *t)
{
    struct spread_processor list[PLAN_CPUS_MAX];
    size_t count = numa_processors(t->root, list, PLAN_CPUS_MAX);
    return count > t->workers ? (unsigned)(count / t->workers) : 1;
}

/* ---- turns ---- */

/* Returns whether another disk is in the way of a disk that wants to measure: it writes or
   measures, or has waited longer. */
static bool is_in_the_way(const struct turns *t, size_t disk, size_t other)
{
    const struct turn *o = &t->disks[other];
    if (other == disk || o->work == TURN_OVER)
        return false;
    if (t->at_once == ACCEPT_ALL)
        return o->work == TURN_WRITES;
    return o->group == t->disks[disk].group && (o->work != TURN_WAITS || other < disk);
}

static bool is_its_turn(struct turns *t, size_t disk, enum turn_work work)
{
    for (size_t i = 0; i < disk && t->at_once == ACCEPT_ONE; i++)
        if (t->disks[i].work != TURN_OVER)
            return false;
    if (work == TURN_WRITES || t->at_once == ACCEPT_ONE)
        return true;
    for (size_t i = 0; i < t->count; i++)
        if (is_in_the_way(t, disk, i))
            return false;
    return t->count == 1 || take_processors(t, disk);
}

bool turns_begin(struct turns *t, size_t disk, enum turn_work work,
                 const volatile sig_atomic_t *stop)
{
    struct turn *turn = &t->disks[disk];
    bool may = true;
    pthread_mutex_lock(&t->lock);
    if (turn->work != TURN_MEASURES && work == TURN_MEASURES && t->at_once != ACCEPT_ONE) {
        turn->work = TURN_WAITS;
        pthread_cond_broadcast(&t->changed);
    }
    while (turn->work != TURN_MEASURES && !is_its_turn(t, disk, work)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++; /* a timeout, because no signal wakes the waiting thread */
        if ((may = !(stop && *stop)))
            pthread_cond_timedwait(&t->changed, &t->lock, &until);
        else
            break;
    }
    if (may && work == TURN_MEASURES)
        turn->work = TURN_MEASURES;
    pthread_mutex_unlock(&t->lock);
    return may;
}

void turns_end(struct turns *t, size_t disk)
{
    struct turn *turn = &t->disks[disk];
    pthread_mutex_lock(&t->lock);
    turn->work = TURN_OVER;
    memset(turn->cpus, 0, sizeof turn->cpus);
    turn->cpu_count = 0;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* ---- in words and seconds ---- */

char *turns_words(struct turns *t, char *to, size_t size)
{
    static const char *const words[] = {[TURN_WRITES] = "write",
                                        [TURN_WAITS] = "wait",
                                        [TURN_MEASURES] = "measure",
                                        [TURN_OVER] = "done"};
    size_t counts[TURN_OVER + 1] = {0};
    int used = snprintf(to, size, "%zu disks:", t->count);
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->count; i++) {
        const bool queues = t->at_once == ACCEPT_ONE && i && t->disks[i].work == TURN_WRITES &&
                            t->disks[i - 1].work != TURN_OVER;
        counts[queues ? TURN_WAITS : t->disks[i].work]++;
    }
    pthread_mutex_unlock(&t->lock);
    for (unsigned i = 0, any = 0; i <= TURN_OVER; i++)
        if (counts[i])
            used += snprintf(to + used, size - (size_t)used, "%s %zu %s", any++ ? "," : "",
                             counts[i], words[i]);
    return to;
}

bool turns_is_one_group(const struct turns *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (t->disks[i].group != t->disks[0].group)
            return false;
    return true;
}

double turns_seconds(const struct turns *t, const double writes[], const double measures[])
{
    double longest = 0, all = 0, least = INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        double write = 0, measure = 0;
        for (size_t k = 0; k < t->count; k++) {
            if (t->at_once != ACCEPT_APART || t->disks[k].group == t->disks[i].group) {
                const bool after = t->at_once == ACCEPT_ONE;
                write = after ? write + writes[k] : fmax(write, writes[k]);
                measure =
                    t->at_once == ACCEPT_ALL ? fmax(measure, measures[k]) : measure + measures[k];
            }
        }
        longest = fmax(longest, write + measure);
        least = fmin(least, writes[i]);
        all += measures[i];
    }
    /* disks that share nothing also take turns when there are too few processors */
    if (t->at_once == ACCEPT_APART && t->slots && t->count > 1)
        longest = fmax(longest, least + all / t->slots);
    return longest;
}
