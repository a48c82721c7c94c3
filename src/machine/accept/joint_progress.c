/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of several disks in one line. */
#include "machine/accept/internal.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/units.h"

#define REPORTS_NS UINT64_C(3000000000) /* a disk that reports less often is not at work */

/* ---- time left ---- */

static double left_of(const struct joint_disk *d)
{
    return d->writes + d->measures + d->now;
}

static void describe(struct joint_progress *p, char *to, size_t size)
{
    double writes[ACCEPT_DISKS_MAX], measures[ACCEPT_DISKS_MAX];
    char words[64], time[32];
    for (size_t i = 0; i < p->turns->count; i++) {
        const struct joint_disk *d = &p->disks[i];
        writes[i] = d->writes + (d->measuring ? 0 : d->now);
        measures[i] = d->measures + (d->measuring ? d->now : 0);
    }
    snprintf(to, size, "%s; %s left", turns_words(p->turns, words, sizeof words),
             format_time_left(time, sizeof time, turns_seconds(p->turns, writes, measures)));
}

/* Returns whether the other disks wait for this one. A disk that waits or does not answer reports
   nothing. */
static bool is_last(const struct joint_progress *p, const struct joint_disk *d)
{
    for (size_t i = 0; i < p->turns->count; i++) {
        const struct joint_disk *other = &p->disks[i];
        if (other->seen && d->seen - other->seen < REPORTS_NS && left_of(other) > left_of(d))
            return false;
    }
    return true;
}

/* ---- the functions of a disk's observer ---- */

static void show(void *context, const struct session_progress *now)
{
    struct joint_disk *d = context;
    struct joint_progress *p = d->all;
    const struct session_observer *to = p->request->observer;
    char words[100];
    pthread_mutex_lock(&p->lock);
    d->seen = clock_raw_ns();
    if (isfinite(now->left_seconds))
        d->now = now->left_seconds;
    if (is_last(p, d)) {
        struct session_progress shown = *now;
        shown.left_seconds = shown.bytes_rate = shown.mean = shown.rate = NAN;
        shown.measuring = false; /* there is room only for the name of its stage */
        describe(p, words, sizeof words);
        if (p->request->overall)
            p->request->overall(p->request->context, words);
        to->progress(to->context, &shown);
    }
    pthread_mutex_unlock(&p->lock);
}

static void notice(void *context, const char *words)
{
    struct joint_disk *d = context;
    const struct session_observer *to = d->all->request->observer;
    pthread_mutex_lock(&d->all->lock);
    to->notice(to->context, words);
    pthread_mutex_unlock(&d->all->lock);
}

void joint_progress_init(struct joint_progress *p)
{
    const struct session_observer *to = p->request->observer;
    pthread_mutex_init(&p->lock, NULL);
    for (size_t i = 0; i < p->turns->count; i++) {
        struct joint_disk *d = &p->disks[i];
        *d = (struct joint_disk){.all = p};
        if (to)
            d->observer = (struct session_observer){.progress = to->progress ? show : NULL,
                                                    .context = d,
                                                    .notice = to->notice ? notice : NULL};
    }
}

void joint_progress_stage(struct joint_progress *p, size_t disk, const char *words, double seconds,
                          bool measuring, double writes, double measures)
{
    struct joint_disk *d = &p->disks[disk];
    pthread_mutex_lock(&p->lock);
    d->writes = writes;
    d->measures = measures;
    d->now = isfinite(seconds) ? seconds : 0;
    d->measuring = measuring;
    if (words && p->request->stage)
        p->request->stage(p->request->context, words);
    pthread_mutex_unlock(&p->lock);
}
