/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts the sessions of several ranks together. Once everything is prepared, the first measured
 * round begins at an instant of the wall clock that was given (--start-at) or that the ranks agree
 * on in a folder (--start-together).
 */
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "run/launch/rank_common_begin.h"
#include "run/launch/rank_gathering.h"
#include "run/launch/start_instant.h"
#include "run/loop/placement.h"
#include "run/session/running.h"

/* Interval at which a waiting session shows progress and checks whether it must stop. */
#define PAUSE_NS 50000000
/* The waiting ends this long before the instant, so that the machine can be examined once more. */
#define AWAKE_NS 20000000
/* For many targets whose requests share threads (run/loop/processor_carrier.h), each target adds
   this to AWAKE_NS, because they examine the machine one after the other. */
#define AWAKE_EACH_NS 3000000
/* The longest wait for the next batch: below a second, so that one nanosleep is enough. */
#define ALIGN_MAX_NS INT64_C(1000000000)
#define ALIGN_TRIES  3
/* The wall clock is read between two readings of the ticks. Of this many readings, the one with the
   two closest ticks is used. */
#define CLOCK_LOOKS 8

/* A wait for the start, until shortly before the instant. */
struct wait {
    struct session *s;
    /* how the ranks agree on the instant; NULL: the user gave the instant, or the session waits for
       other targets of this process (s->meeting) */
    struct gathering *gathering;
    double next_look_seconds;
    uint32_t ready;
};

/* Returns the wall clock in ns at an instant in ticks that is near the present. */
static int64_t wall_at(const struct session *s, uint64_t ticks)
{
    uint64_t best = UINT64_MAX, mid = 0;
    int64_t wall = 0;
    for (int i = 0; i < CLOCK_LOOKS; i++) {
        uint64_t before = clock_ticks(&s->clock);
        int64_t now = start_instant_now();
        uint64_t width = clock_ticks(&s->clock) - before;
        if (width >= best)
            continue;
        best = width;
        mid = before + width / 2;
        wall = now;
    }
    return ticks >= mid ? wall + (int64_t)clock_ns(&s->clock, ticks - mid)
                        : wall - (int64_t)clock_ns(&s->clock, mid - ticks);
}

static int64_t left_ns(const struct session *s)
{
    return s->begin.common.instant_ns - start_instant_now();
}

static bool fail(struct session *s, const struct err *error)
{
    s->contents.verdict = VERDICT_FAILED;
    snprintf(s->contents.failure, sizeof s->contents.failure, "%.230s", error->msg);
    return false;
}

/* Finds out how many ranks or targets are ready, and whether the instant of the start is known.
   Returns false if there will be no common start: the folder cannot be used, or a target failed. */
static bool look(struct wait *w)
{
    struct session *s = w->s;
    struct err error = {0};
    if (s->meeting) {
        w->ready = (uint32_t)meeting_ready(s->meeting);
        s->begin.common.instant_ns = meeting_instant(s->meeting);
        return !meeting_is_broken(s->meeting);
    }
    if (!w->gathering || session_seconds(s) < w->next_look_seconds)
        return true;
    w->next_look_seconds = session_seconds(s) + gathering_pause_seconds(&s->start->launcher);
    return !common_begin_look(&s->begin.common, w->gathering, &w->ready, &error) || fail(s, &error);
}

static void show(const struct wait *w)
{
    struct session *s = w->s;
    char stage[COMMON_BEGIN_STAGE];
    if (s->meeting && !s->begin.common.instant_ns)
        snprintf(stage, sizeof stage, "waiting for other targets, %" PRIu32 " of %zu ready",
                 w->ready, s->meeting->count);
    else
        common_begin_stage(&s->begin.common, s->start, w->ready, stage);
    session_show(s, stage);
}

/* Gives this thread real-time priority, if permitted, so that a busy machine (workers of another
   session may keep it busy) does not make it late. The thread sleeps most of the time. If the
   workers share threads with those of other sessions (carried), the thread stays as it is: the
   round is ordered before the instant, so the thread need not be awake then, and many such threads
   would keep the processors from the workers. */
static void become_punctual(struct session *s)
{
    const struct sched_param above_workers = {.sched_priority = 2};
    s->begin.punctual = s->contents.plan.realtime && !s->carried &&
                        !pthread_setschedparam(pthread_self(), SCHED_FIFO, &above_workers);
}

void session_end_punctuality(struct session *s)
{
    if (s->begin.punctual)
        placement_end_realtime(pthread_self());
    s->begin.punctual = false;
}

/* Returns how long before the instant the waiting ends. */
static int64_t awake_ns(const struct session *s)
{
    return AWAKE_NS + (s->carried ? (int64_t)s->meeting->count * AWAKE_EACH_NS : 0);
}

static bool wait_on(struct wait *w)
{
    struct session *s = w->s;
    bool was_in_time = false;
    for (;;) {
        if (session_stopped(s)) {
            s->contents.verdict = VERDICT_INTERRUPTED;
            return false;
        }
        if (!look(w))
            return false;
        int64_t left = s->begin.common.instant_ns ? left_ns(s) - awake_ns(s) : PAUSE_NS;
        if (left <= 0 || s->begin.common.late) {
            s->begin.common.late |= !was_in_time && left_ns(s) < 0;
            return true;
        }
        was_in_time |= s->begin.common.instant_ns != 0;
        show(w);
        nanosleep(&(struct timespec){.tv_nsec = left < PAUSE_NS ? left : PAUSE_NS}, NULL);
    }
}

/* Notes that it is too late to begin with the others, or which of them were not waited for. */
static void note_start(struct session *s)
{
    char words[COMMON_BEGIN_WORDS];
    if (s->begin.common.late)
        contents_note(&s->contents, true, "%s",
                      s->meeting
                          ? common_begin_late_words(&s->begin.common, "target",
                                                    "the processors have too much to do", words)
                          : common_begin_late_words(&s->begin.common, "rank",
                                                    common_begin_remedy(s->start), words));
    if (s->start && *common_begin_missing_words(&s->begin.common, s->start, words))
        contents_note(&s->contents, true, "%s", words);
}

bool session_await_start(struct session *s)
{
    struct wait w = {.s = s};
    struct err error = {0};
    if (!s->meeting && !common_start_waits(s->start))
        return true;
    const double began = session_seconds(s);
    record_flush(&s->record);
    if (s->meeting)
        meeting_reach(s->meeting, s->member, MEETING_READY);
    else if (common_begin_open(&s->begin.common, s->start, &w.gathering, &error))
        return fail(s, &error);
    become_punctual(s);
    bool goes_on = wait_on(&w);
    const struct plan *plan = &s->contents.plan;
    if (w.gathering && goes_on && !s->begin.common.late && !plan_is_one_pass(plan) &&
        !(plan->ending.runtime_seconds > 0))
        s->begin.common.end = common_end_open(w.gathering);
    gathering_close(w.gathering, goes_on);
    const double waited = session_seconds(s) - began;
    s->begin.waited_seconds += waited;
    s->progress.limit_seconds += waited;
    if (!goes_on || s->begin.common.late)
        session_end_punctuality(s);
    if (!goes_on)
        return false;
    note_start(s);
    s->begin.awaited = true;
    return true;
}

/* Waits until a round that is ordered now would begin at the instant, which is near. */
static void await(const struct session *s, int64_t instant_ns)
{
    instant_ns -= (int64_t)group_ahead_ns(&s->group);
    int64_t left = instant_ns - start_instant_now();
    if (left > COMMON_BEGIN_SPIN_NS && left < ALIGN_MAX_NS + COMMON_BEGIN_SPIN_NS)
        nanosleep(&(struct timespec){.tv_nsec = left - COMMON_BEGIN_SPIN_NS}, NULL);
    left = instant_ns - wall_at(s, clock_ticks(&s->clock));
    if (left <= 0)
        return;
    const uint64_t until = clock_ticks(&s->clock) + clock_ticks_of_ns(&s->clock, (uint64_t)left);
    while (clock_ticks(&s->clock) < until && !session_stopped(s))
        continue;
}

/* Waits until the instant at which the session starts the workers. Returns the round's
   begin in ticks; 0: it begins at once. */
static uint64_t await_instant(struct session *s)
{
    if (!s->begin.awaited || s->begin.common.late)
        return 0;
    if (!s->carried) {
        await(s, s->begin.common.instant_ns);
        return 0;
    }
    const uint64_t now = clock_ticks(&s->clock);
    const int64_t left = s->begin.common.instant_ns - wall_at(s, now);
    return left > 0 ? now + clock_ticks_of_ns(&s->clock, (uint64_t)left) : 0;
}

/* Waits until a batch of a round that is ordered now begins at a multiple of its length on the wall
   clock: up to a second, but less than one batch. */
static void await_batch(struct session *s, double batch_seconds)
{
    const struct plan *plan = &s->contents.plan;
    const int64_t batch_ns = llround(batch_seconds * 1e9);
    bool is_at_an_instant = s->begin.awaited && !s->begin.common.late;
    if (!plan_is_timed(plan) || !(plan->statistics.period_seconds > 0) || is_at_an_instant ||
        batch_ns <= 0 || batch_ns > ALIGN_MAX_NS)
        return;
    /* If this thread got a processor too late, the round would begin in the middle of a batch. The
       wait is then repeated. */
    for (int64_t try = 0, waited_ns = 0; try < ALIGN_TRIES && waited_ns < ALIGN_MAX_NS; try++) {
        int64_t earliest = start_instant_now() + (int64_t)group_ahead_ns(&s->group);
        int64_t instant = (earliest / batch_ns + 1) * batch_ns;
        await(s, instant);
        waited_ns += instant - earliest;
        if (start_instant_now() + (int64_t)group_ahead_ns(&s->group) < instant + batch_ns / 8 ||
            session_stopped(s))
            return;
    }
}

uint64_t session_await_round(struct session *s, double batch_seconds)
{
    const uint64_t begin = await_instant(s);
    await_batch(s, batch_seconds);
    return begin;
}

void session_note_begin(struct session *s, uint64_t begin_ticks)
{
    if (!s->begin.awaited)
        return;
    s->begin.awaited = false;
    session_end_punctuality(s);
    char words[COMMON_BEGIN_WORDS];
    if (common_begin_set(&s->begin.common, wall_at(s, begin_ticks)))
        contents_note(
            &s->contents, true, "%s",
            common_begin_set_words(&s->begin.common, s->meeting ? "target" : "rank", words));
}

bool session_may_end(struct session *s)
{
    return common_begin_may_end(&s->begin.common, session_seconds(s)) ||
           session_seconds_left(s) <
               ROUND_ENDS_SLICES * s->contents.measurement.slice_seconds + COMMON_END_AHEAD_SECONDS;
}

/* Reports how long this rank waited for the others, and for which ranks it did not wait. */
static void end_together(struct session *s)
{
    char lost[COMMON_BEGIN_WORDS];
    if (*common_begin_close(&s->begin.common, session_launch_setting, s, lost))
        contents_note(&s->contents, true, "%s", lost);
}

const struct session_part part_common_end = {.on = {[ON_REPORT] = end_together},
                                             .end = end_together};
