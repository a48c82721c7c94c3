/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the timed loop of a worker: issues the requests that are due, and waits for the next. */
#include "run/loop/timed_loop.h"
#include "run/loop/clock_skew.h"
#include "run/loop/internal.h"

/* Interval at which the backlog is read. */
#define BACKLOG_EVERY_NS 100000u

/* Due requests delay the upkeep by at most this time. */
#define LOOK_OVERDUE_NS 100000000u

size_t timed_bytes(const struct plan *plan)
{
    return arena_bytes(1, sizeof(struct timed)) +
           arena_bytes(plan->iodepth, sizeof(struct timed_slot)) +
           arena_bytes(plan->iodepth, sizeof(uint16_t));
}

int timed_init(struct worker *w, const struct plan *plan, struct arena *arena)
{
    struct timed *t = arena_alloc(arena, 1, sizeof *t);
    if (!t)
        return -1;
    t->spin = plan->spin;
    t->slots = arena_alloc(arena, plan->iodepth, sizeof *t->slots);
    t->free = arena_alloc(arena, plan->iodepth, sizeof *t->free);
    w->timed = t;
    return t->slots && t->free ? 0 : -1;
}

const struct timed_statistics *timed_statistics(const struct worker *w)
{
    return &w->timed->statistics;
}

void timed_begin(struct worker *w)
{
    struct timed *t = w->timed;
    struct timed_statistics *s = &t->statistics;
    t->skew = clock_skew_correction(w->clock, w->skew_ns, w->skew_within_ns);
    s->skew_ns = t->skew ? w->skew_ns : 0;
    s->skew_within_ns = w->skew_within_ns;
    s->never_issued = s->end_backlog = s->end_late_ns = 0;
    s->end_backlog_at_least = false;
    t->at_once = w->source.ops->at_once;
    t->usable = w->in_flight_max ? w->in_flight_max : w->setup.iodepth;
    if (w->ops->serial)
        t->usable = 1;
    t->waiting = t->in_flight = 0;
    t->draining = false;
    t->is_prepared = false;
    t->blocked = t->busy_from = t->busy_until = 0;
    t->free_count = 0;
    for (unsigned slot = w->setup.iodepth; slot; slot--)
        t->free[t->free_count++] = (uint16_t)(slot - 1);
    clock_track_begin(&t->track, w->order->begin_ticks, t->skew);
    timed_wait_begin(w);
    timed_account_begin(w);
    w->source.ops->begin(w->source.state);
}

static bool is_over(const struct worker *w, uint64_t now)
{
    return now >= round_end(w->order) || atomic_load_explicit(&w->halt, memory_order_relaxed);
}

static enum source_state peek(const struct worker *w, uint64_t now, struct generated_request *next,
                              uint64_t *due)
{
    const struct timed *t = w->timed;
    enum source_state state =
        w->source.ops->peek(w->source.state, clock_track_ns(&t->track, now), next);
    *due = state == SOURCE_ENDED ? UINT64_MAX : clock_track_ticks(&t->track, next->due_ns);
    return state;
}

static uint64_t backlog(const struct worker *w, uint64_t now, bool *at_least)
{
    *at_least = false;
    return w->timed->waiting +
           w->source.ops->backlog(w->source.state, clock_track_ns(&w->timed->track, now), at_least);
}

/* Notes that more requests are due than can be issued. */
static void note_backlog(struct worker *w, uint64_t now)
{
    struct timed *t = w->timed;
    if (now < t->next_backlog)
        return;
    bool at_least;
    timed_account_backlog(w, backlog(w, now, &at_least));
    t->next_backlog = now + timed_ticks(t, BACKLOG_EVERY_NS);
}

/* Waits for a completion, because all slots are in use and a request is due. */
static int wait_for_slot(struct worker *w, uint64_t now)
{
    struct timed *t = w->timed;
    if (!t->blocked)
        t->blocked = now;
    note_backlog(w, now);
    int got = timed_sleep(w, timed_wait_end(w, w->slice_end, now), now);
    timed_account_advance(w, timed_now(w));
    return got;
}

/* Assigns slots to the requests that are due, in order (*next first), and issues them. */
static int issue_due(struct worker *w, struct generated_request *next, uint64_t due, uint64_t now)
{
    struct timed *t = w->timed;
    unsigned in_use = w->setup.iodepth - t->free_count;
    unsigned room = t->usable > in_use ? t->usable - in_use : 0;
    if (!room)
        return wait_for_slot(w, now);
    if (due < t->busy_until)
        t->statistics.no_slot_ns +=
            clock_ns(w->clock, t->busy_until - (due > t->busy_from ? due : t->busy_from));
    bool more = true;
    for (unsigned n = 0; more && room && n < TIMED_BATCH; n++, room--) {
        timed_assign(w, next, due);
        w->source.ops->take(w->source.state);
        more = peek(w, now, next, &due) == SOURCE_REQUEST && due <= now;
    }
    if (more && !room)
        note_backlog(w, now);
    return timed_send(w, 0);
}

/* Makes the due instant of a request the instant of the carrier's next step, even if it has passed:
   another worker may have a request that was due before. */
static int step_at(struct worker *w, uint64_t due)
{
    w->timed->until = w->timed->step_due = due;
    return 0;
}

/* Finds the instant of the next step after requests were issued. */
static int find_next_step(struct worker *w)
{
    struct timed *t = w->timed;
    struct generated_request next;
    uint64_t now = timed_now(w), due;
    enum source_state state = peek(w, now, &next, &due);
    if (state == SOURCE_ENDED || t->waiting)
        return 0;
    return state == SOURCE_REQUEST && due <= now ? step_at(w, due)
                                                 : timed_wait(w, &next, state, due, now);
}

/* Issues the requests that are due, or waits for the next one. Returns false if no more requests
   will be issued. */
static inline bool issue_or_wait(struct worker *w)
{
    struct timed *t = w->timed;
    struct generated_request next;
    uint64_t now = timed_now(w), due;
    if (is_over(w, now))
        return false;
    if (now > t->next_look_round + timed_ticks(t, LOOK_OVERDUE_NS)) /* there was no time for upkeep
                                                                       until now */
        timed_look_round(w, now);
    if (t->waiting && timed_send(w, 0) < 0) /* requests that the backend has not accepted yet */
        return false;
    enum source_state state = peek(w, now, &next, &due);
    if (state == SOURCE_ENDED) {
        if (!t->waiting)
            atomic_store(&w->exhausted, true);
        return t->waiting;
    }
    bool is_due = state == SOURCE_REQUEST && due <= now;
    if (t->carried && is_due && due != t->step_due)
        return step_at(w, due) == 0;
    int status = is_due ? issue_due(w, &next, due, now) : timed_wait(w, &next, state, due, now);
    if (status >= 0 && t->carried && !t->until)
        status = find_next_step(w);
    return status >= 0;
}

/* The loop for as-fast-as-possible replay: all slots are in use, and one call issues requests and
   takes completions. */
static void run_at_once(struct worker *w)
{
    struct timed *t = w->timed;
    struct generated_request next;
    for (;;) {
        uint64_t now = timed_now(w), due = UINT64_MAX;
        if (is_over(w, now))
            return;
        if (now > t->next_look_round)
            timed_look_round(w, now);
        enum source_state state = SOURCE_REQUEST;
        while (w->setup.iodepth - t->free_count < t->usable &&
               (state = peek(w, now, &next, &due)) == SOURCE_REQUEST) {
            timed_assign(w, &next, now);
            w->source.ops->take(w->source.state);
        }
        if (state == SOURCE_ENDED && !t->waiting) {
            atomic_store(&w->exhausted, true);
            return;
        }
        /* If the source has no request now but must be asked again at `due`, no wait may last
           beyond that time. */
        bool later = state == SOURCE_WAITING && due != UINT64_MAX;
        int status = t->waiting ? timed_send(w, later ? 0 : 1) : 0;
        if (status == 0 && (later || !t->waiting))
            status = timed_sleep(w, timed_next_instant(w, due, now), now);
        if (status < 0)
            return;
    }
}

/* Notes the requests that were due and not issued at the end of the round. */
static void note_end(struct worker *w)
{
    struct timed *t = w->timed;
    struct timed_statistics *s = &t->statistics;
    uint64_t now = timed_now(w), due;
    struct generated_request next;
    if (w->exhausted || t->at_once)
        return;
    s->never_issued = s->end_backlog = backlog(w, now, &s->end_backlog_at_least);
    if (peek(w, now, &next, &due) == SOURCE_REQUEST && due < now)
        s->end_late_ns = clock_ns(w->clock, now - due);
    if (t->blocked)
        s->no_slot_ns += clock_ns(w->clock, now - t->blocked);
    t->blocked = 0;
}

static void drain(struct worker *w)
{
    struct timed *t = w->timed;
    while (t->in_flight && !w->error.code) {
        uint64_t now = timed_now(w);
        timed_account_advance(w, now);
        if (timed_reap_until(w, timed_wait_end(w, w->slice_end, now)) < 0)
            return;
    }
}

static void end_round(struct worker *w)
{
    timed_forget_waiting(w);
    w->timed->statistics.clock_drift_ppm = clock_track_drift_ppm(&w->timed->track);
    timed_account_end(w);
    account_end_round(w, w->busy_until);
}

void timed_round(struct worker *w)
{
    timed_begin(w);
    if (w->timed->at_once)
        run_at_once(w);
    else
        while (issue_or_wait(w))
            ;
    note_end(w);
    drain(w);
    end_round(w);
}

void timed_carry(struct worker *w)
{
    w->timed->carried = true;
    clock_track_init(&w->timed->track, w->clock);
}

bool timed_step(struct worker *w, uint64_t *next)
{
    struct timed *t = w->timed;
    t->until = 0;
    if (!t->draining && !issue_or_wait(w)) {
        note_end(w);
        t->draining = true;
    }
    uint64_t now = timed_now(w);
    if (t->draining) {
        timed_account_advance(w, now);
        if (!t->in_flight || w->error.code || timed_reap(w) < 0 || !t->in_flight) {
            end_round(w);
            return false;
        }
        t->until = timed_wait_end(w, w->slice_end, now);
    }
    *next = (t->until ? t->until : now) + (uint64_t)t->skew;
    return true;
}
