/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets the sessions of one process, the members of a meeting, begin together and end together. */
#include "run/launch/session_meeting.h"

#include "run/launch/start_instant.h"

/* Time from the readiness of the last member to the common start. Waiting members check every 50
   ms, and need 20 ms to prepare the last part. Each member adds AHEAD_EACH_NS, because many members
   get the processors one after the other. */
#define AHEAD_NS      INT64_C(200000000)
#define AHEAD_EACH_NS INT64_C(5000000)

void meeting_init(struct meeting *m, size_t count)
{
    *m = (struct meeting){.mutex = PTHREAD_MUTEX_INITIALIZER, .count = count, .broken_by = count};
}

static bool all_reached(const struct meeting *m, enum meeting_phase phase)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->members[i].phase < phase)
            return false;
    return true;
}

static void go_to(struct meeting *m, size_t member, enum meeting_phase phase)
{
    if (m->members[member].phase < phase)
        m->members[member].phase = phase;
    if (!m->instant_ns && all_reached(m, MEETING_READY))
        m->instant_ns = start_instant_now() + AHEAD_NS + (int64_t)m->count * AHEAD_EACH_NS;
    m->over = all_reached(m, MEETING_ENDED);
}

void meeting_reach(struct meeting *m, size_t member, enum meeting_phase phase)
{
    pthread_mutex_lock(&m->mutex);
    go_to(m, member, phase);
    pthread_mutex_unlock(&m->mutex);
}

bool meeting_has_reached(struct meeting *m, enum meeting_phase phase)
{
    pthread_mutex_lock(&m->mutex);
    bool all = all_reached(m, phase);
    pthread_mutex_unlock(&m->mutex);
    return all;
}

void meeting_break(struct meeting *m, size_t member)
{
    pthread_mutex_lock(&m->mutex);
    if (m->broken_by == m->count)
        m->broken_by = member;
    pthread_mutex_unlock(&m->mutex);
    meeting_end(m, member, true);
}

bool meeting_is_broken(struct meeting *m)
{
    pthread_mutex_lock(&m->mutex);
    bool broken = m->broken_by < m->count;
    pthread_mutex_unlock(&m->mutex);
    return broken;
}

void meeting_end(struct meeting *m, size_t member, bool failed)
{
    struct meeting_member *self = &m->members[member];
    pthread_mutex_lock(&m->mutex);
    if (self->phase < MEETING_ENDED) {
        self->failed = failed;
        self->ended_ns = start_instant_now();
    }
    go_to(m, member, MEETING_ENDED);
    pthread_mutex_unlock(&m->mutex);
}

void meeting_fail(struct meeting *m, size_t member)
{
    struct meeting_member *self = &m->members[member];
    pthread_mutex_lock(&m->mutex);
    if (!self->failed)
        self->ended_ns = start_instant_now();
    self->failed = true;
    pthread_mutex_unlock(&m->mutex);
}

int64_t meeting_instant(struct meeting *m)
{
    pthread_mutex_lock(&m->mutex);
    int64_t instant_ns = m->instant_ns;
    pthread_mutex_unlock(&m->mutex);
    return instant_ns;
}

size_t meeting_ready(struct meeting *m)
{
    size_t ready = 0;
    pthread_mutex_lock(&m->mutex);
    for (size_t i = 0; i < m->count; i++)
        ready += m->members[i].phase >= MEETING_READY;
    pthread_mutex_unlock(&m->mutex);
    return ready;
}

bool meeting_lost(struct meeting *m, size_t member, int64_t before_ns, struct meeting_member *lost)
{
    bool any = false;
    pthread_mutex_lock(&m->mutex);
    for (size_t i = 0; i < m->count; i++) {
        const struct meeting_member *other = &m->members[i];
        if (i == member || !other->failed || other->ended_ns >= before_ns ||
            (any && lost->ended_ns <= other->ended_ns))
            continue;
        *lost = *other;
        any = true;
    }
    pthread_mutex_unlock(&m->mutex);
    return any;
}
