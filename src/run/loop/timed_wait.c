/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for a due instant: sleeps until shortly before it, then reads the clock. */
#include <math.h>
#include <string.h>
#include <sys/prctl.h>

#include "run/loop/internal.h"
#include "run/loop/placement.h"

/* ---- the last sleeps, and percentiles of their lateness ---- */

void wake_latency_add(struct wake_latency *w, uint64_t late_ns)
{
    w->late_ns[w->count++ % WAKE_SAMPLES] = late_ns < UINT32_MAX ? (uint32_t)late_ns : UINT32_MAX;
}

uint64_t wake_latency_percentile(const struct wake_latency *w, double share)
{
    uint32_t sorted[WAKE_SAMPLES] = {0};
    unsigned n = w->count < WAKE_SAMPLES ? (unsigned)w->count : WAKE_SAMPLES;
    if (!n)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i;
        for (; at && sorted[at - 1] > w->late_ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = w->late_ns[i];
    }
    unsigned rank = (unsigned)ceil(share * n);
    return sorted[rank < 1 ? 0 : rank > n ? n - 1 : rank - 1];
}

uint64_t wake_latency_pre_spin(const struct wake_latency *w)
{
    uint64_t usual = wake_latency_percentile(w, .5) * 4,
             nearly_all = wake_latency_percentile(w, .97) * 2;
    uint64_t ns = (nearly_all < usual ? nearly_all : usual) + PRE_SPIN_MIN_NS;
    return ns < PRE_SPIN_MAX_NS ? ns : PRE_SPIN_MAX_NS;
}

/* ---- waiting ---- */

#define WAKE_TRIALS        96u
#define WAKE_TRIAL_NS      150000u
#define WAKE_TRIAL_MORE_NS 20000u

/* The loop does not sleep for less than this time. */
#define SLEEP_MIN_NS 20000u

/* Cost of a reap that brings completions: the initial value, and the maximum. */
#define REAP_GUARD_NS     3000u
#define REAP_GUARD_MAX_NS 20000u

/* Reading both clocks, or a review of priority and pre-spin, takes at most this time. */
#define LOOK_NS 2000u

/* No wait is longer than this, because the user may want to stop. */
#define WAIT_MAX_NS 100000000u

/*
 * Interval and limits of the review of priority and pre-spin. A loop with real-time priority may be
 * awake for at most AWAKE_MAX_SHARE of the time; otherwise the kernel stalls it (placement.h), and
 * it starves the threads that complete its I/O. Giving the priority back costs more than a short
 * pre-spin: without it other threads take the processor for milliseconds. So the pre-spin is
 * shortened first, as far as it is still useful, but at most SHORTENED_MAX times in a row, which
 * takes less than the second over which the kernel counts. Below AWAKE_AGAIN_SHARE the pre-spin may
 * grow again.
 */
#define REVIEW_EVERY_NS   100000000u
#define AWAKE_MAX_SHARE   0.85
#define AWAKE_AGAIN_SHARE 0.7
#define SHORTENED_MAX     6u
#define REVIEW_SLEEPS_MIN 8u

/* A pre-spin is useful if at least this share of wake-ups is late by no more than its length. */
#define USEFUL_SHARE 0.75

/* Two clock readings of a spinning loop are nanoseconds apart. If this much time is between them,
   another thread had the processor. */
#define TAKEN_MIN_NS 100000u

static void set_pre_spin(struct worker *w, uint64_t ns)
{
    struct timed *t = w->timed;
    if (t->spin == SPIN_NEVER)
        ns = 0;
    if (ns > t->pre_spin_max_ns)
        ns = t->pre_spin_max_ns;
    t->pre_spin = timed_ticks(t, ns);
    t->statistics.pre_spin_ns = ns;
}

void timed_prepare(struct worker *w)
{
    struct timed *t = w->timed;
    struct timed_statistics *s = &t->statistics;
    prctl(PR_SET_TIMERSLACK, 1ul);
    clock_track_init(&t->track, w->clock);
    t->reap_guard = timed_ticks(t, REAP_GUARD_NS);
    t->realtime = w->realtime_granted;
    t->pre_spin_max_ns = PRE_SPIN_MAX_NS;
    for (unsigned i = 0; i < WAKE_TRIALS; i++) {
        uint64_t until =
            clock_ticks(w->clock) + timed_ticks(t, WAKE_TRIAL_NS + i % 16 * WAKE_TRIAL_MORE_NS);
        struct err ignored;
        w->ops->reap_until(&w->backend, w->completions, 1, until, &ignored);
        uint64_t now = clock_ticks(w->clock);
        if (now >= until)
            wake_latency_add(&t->wakes, clock_ns(w->clock, now - until));
    }
    s->wake_p50_ns = wake_latency_percentile(&t->wakes, .5);
    s->wake_p99_ns = wake_latency_percentile(&t->wakes, .99);
    set_pre_spin(w, wake_latency_pre_spin(&t->wakes));
    s->pre_spin_first_ns = s->pre_spin_ns;
}

uint64_t timed_wait_end(const struct worker *w, uint64_t until, uint64_t now)
{
    uint64_t most = now + timed_ticks(w->timed, WAIT_MAX_NS);
    return until < most ? until : most;
}

void timed_wait_begin(struct worker *w)
{
    struct timed *t = w->timed;
    t->shortened = 0;
    t->next_look_round = 0;
    /* a carrier reviews its own priority and pre-spin */
    t->next_review = t->carried ? UINT64_MAX : 0;
}

/* Returns the end of the current interval. The loop must be awake then, to publish the interval. */
static uint64_t interval_end(const struct worker *w)
{
    uint64_t left = INTERVAL_SLICES - 1 - w->slice_number % INTERVAL_SLICES;
    return w->slice_end + left * w->order->slice_ticks;
}

/* Returns the next instant at which there is something to do, apart from completions. */
uint64_t timed_next_instant(const struct worker *w, uint64_t due, uint64_t now)
{
    uint64_t until = interval_end(w);
    if (due < until)
        until = due;
    if (round_end(w->order) < until)
        until = round_end(w->order);
    return timed_wait_end(w, until, now);
}

/* Adjusts the pre-spin to the measured lateness of wake-ups. If it has become so long that the loop
   hardly sleeps, there is nothing to measure: it is shortened until the loop sleeps again. */
static void review_pre_spin(struct worker *w, uint64_t sleeps)
{
    struct timed *t = w->timed;
    uint64_t ns = t->statistics.pre_spin_ns, first = t->statistics.pre_spin_first_ns;
    if (wake_latency_is_news(&t->wakes))
        set_pre_spin(w, wake_latency_pre_spin(&t->wakes));
    else if (sleeps < REVIEW_SLEEPS_MIN && ns > first)
        set_pre_spin(w, ns - (ns - first) / 4 - 1);
}

/* Shortens the pre-spin if the loop then sleeps more and still usually wakes up in time. Returns
   false if that is not possible. */
static bool shorten_pre_spin(struct worker *w)
{
    struct timed *t = w->timed;
    uint64_t now = t->statistics.pre_spin_ns,
             least = wake_latency_percentile(&t->wakes, USEFUL_SHARE);
    if (least < PRE_SPIN_MIN_NS)
        least = PRE_SPIN_MIN_NS;
    if (t->spin != SPIN_AUTO || t->at_once || now <= least || t->shortened == SHORTENED_MAX)
        return false;
    t->shortened++;
    t->pre_spin_max_ns = now - now / 3 > least ? now - now / 3 : least;
    set_pre_spin(w, now);
    return true;
}

/* Gives back or takes real-time priority. A thread that is awake may still be waiting for its
   processor, so the share of processor time decides. */
static void review_priority(struct worker *w, double cpu_share, double slept_share)
{
    struct timed *t = w->timed;
    if (t->realtime && cpu_share > AWAKE_MAX_SHARE) {
        if (shorten_pre_spin(w))
            return;
        placement_end_realtime(pthread_self());
        t->realtime = false;
        t->statistics.gave_back_priority++;
        return;
    }
    t->shortened = 0;
    if (1 - slept_share >= AWAKE_AGAIN_SHARE)
        return;
    t->pre_spin_max_ns += t->pre_spin_max_ns / 16;
    if (t->pre_spin_max_ns > PRE_SPIN_MAX_NS)
        t->pre_spin_max_ns = PRE_SPIN_MAX_NS;
    if (!t->realtime && w->realtime_granted)
        t->realtime = placement_begin_realtime(pthread_self());
}

static void review(struct worker *w, uint64_t now)
{
    struct timed *t = w->timed;
    uint64_t every = timed_ticks(t, REVIEW_EVERY_NS), cpu_ns = placement_cpu_ns();
    if (t->next_review) {
        double passed = (double)clock_ns(w->clock, now + every - t->next_review);
        review_pre_spin(w, t->statistics.sleeps - t->reviewed_sleeps);
        review_priority(w, (double)(cpu_ns - t->reviewed_cpu_ns) / passed,
                        (double)(t->statistics.slept_ns - t->reviewed_slept_ns) / passed);
    }
    t->reviewed_sleeps = t->statistics.sleeps;
    t->reviewed_slept_ns = t->statistics.slept_ns;
    t->reviewed_cpu_ns = cpu_ns;
    t->next_review = now + every;
}

void timed_look_round(struct worker *w, uint64_t now)
{
    struct timed *t = w->timed;
    if (now >= t->track.next_look)
        clock_track_look(&t->track, t->skew);
    else if (now >= t->next_review)
        review(w, now);
    t->next_look_round = t->track.next_look < t->next_review ? t->track.next_look : t->next_review;
}

/* Adapts the guard to the duration of a reap, so that nearly all reaps fit. */
static void learn_reap(struct worker *w, uint64_t took)
{
    struct timed *t = w->timed;
    uint64_t most = timed_ticks(t, REAP_GUARD_MAX_NS);
    if (took > most)
        took = most;
    if (took > t->reap_guard)
        t->reap_guard += (took - t->reap_guard) / 4;
    else
        t->reap_guard -= (t->reap_guard - took) / 64;
}

static inline void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Notes that the processor was taken from a loop that only spins. */
static void note_taken(struct timed *t, const struct clock *clock, uint64_t ticks)
{
    struct timed_statistics *s = &t->statistics;
    uint64_t ns = clock_ns(clock, ticks);
    s->taken++;
    s->taken_max_ns = ns > s->taken_max_ns ? ns : s->taken_max_ns;
}

/*
 * Spins until `due`. Completions are taken meanwhile, but not shortly before `due`, because that
 * may need the kernel. Ends early after a completion, because the next request may then be another
 * one.
 */
static int spin(struct worker *w, uint64_t due, uint64_t begin)
{
    struct timed *t = w->timed;
    const uint64_t look = timed_ticks(t, LOOK_NS), taken = timed_ticks(t, TAKEN_MIN_NS);
    uint64_t now = begin;
    int got = 0;
    while (now < due && !got) {
        uint64_t left = due - now;
        if (left > look && now >= t->next_look_round) {
            timed_look_round(w, now);
        } else if (t->in_flight && left > t->reap_guard) {
            got = timed_reap(w);
            uint64_t after = timed_now(w);
            if (got > 0 || w->backend.polls)
                learn_reap(w, after - now);
            now = after;
            continue;
        } else {
            pause_processor();
            uint64_t after = timed_now(w);
            if (after > now + taken)
                note_taken(t, w->clock, after - now);
            now = after;
            continue;
        }
        now = timed_now(w);
    }
    t->statistics.spun_ns += clock_ns(w->clock, now - begin);
    return got;
}

int timed_sleep(struct worker *w, uint64_t until, uint64_t now)
{
    struct timed *t = w->timed;
    if (now >= t->next_look_round)
        timed_look_round(w, now);
    if (t->carried) {
        t->until = until;
        t->step_due = 0;
        return 0;
    }
    int got = timed_reap_until(w, until);
    t->statistics.slept_ns += clock_ns(w->clock, timed_now(w) - now);
    return got;
}

/* Sleeps until `until`, shortly before `due`. */
static int sleep_until(struct worker *w, uint64_t until, uint64_t due, uint64_t now)
{
    struct timed *t = w->timed;
    int got = timed_sleep(w, until, now);
    uint64_t woke = timed_now(w);
    if (got || woke < until)
        return got;
    t->statistics.sleeps++;
    t->statistics.late_wakes += woke > due;
    /* Without its real-time priority the loop would measure how long other threads keep the
       processor. */
    if (t->realtime || !w->realtime_granted)
        wake_latency_add(&t->wakes, clock_ns(w->clock, woke - until));
    return 0;
}

/* Waits until `due`, when the next request is due, or until an earlier completion or end of an
   interval. A worker that shares its thread (t->carried) only notes how long to wait. */
int timed_wait(struct worker *w, const struct generated_request *next, enum source_state state,
               uint64_t due, uint64_t now)
{
    struct timed *t = w->timed;
    uint64_t until = timed_next_instant(w, due, now);
    uint64_t ahead = until == due ? t->pre_spin : 0;
    if (state == SOURCE_REQUEST)
        timed_prepare_next(w, next);
    int got = 0;
    if (t->carried) {
        t->until = until;
        t->step_due = until == due ? due : 0;
        if (until > now + timed_ticks(t, LOOK_NS) && now >= t->next_look_round)
            timed_look_round(w, now);
    } else if (t->spin == SPIN_ALWAYS || until < now + ahead + timed_ticks(t, SLEEP_MIN_NS)) {
        got = spin(w, until, now);
    } else {
        got = sleep_until(w, until - ahead, due, now);
    }
    timed_account_advance(w, timed_now(w));
    return got;
}
