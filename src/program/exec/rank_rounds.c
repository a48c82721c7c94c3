/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rounds of a program that begin and end together with those of other ranks (run/launch). The
 * program of the first round that counts is started at the instant of the common start, after its
 * preparation; each rank then goes at its own pace.
 */
#include "program/exec/internal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "run/launch/start_instant.h"

/* While waiting: interval of progress reports, and of checks of the stop flag. */
#define PAUSE_NS 50000000
/* The waiting for other ranks ends this long before the instant of the common start. */
#define AWAKE_NS 20000000

void exec_session_launch_fact(struct exec_session *s, const char *key, const char *value)
{
    if (s->launch_count == sizeof s->launch / sizeof *s->launch)
        return;
    struct fact *fact = &s->launch[s->launch_count++];
    snprintf(fact->key, sizeof fact->key, "%s", key);
    snprintf(fact->value, sizeof fact->value, "%s", value);
}

static void show(const struct rank_rounds *c, uint32_t ready)
{
    const struct exec_session *s = c->session;
    char stage[COMMON_BEGIN_STAGE];
    common_begin_stage(&c->begin, s->plan.start, ready, stage);
    const struct exec_progress now = {.stage = stage,
                                      .rounds = s->series.count,
                                      .limit_seconds = s->plan.limit_seconds,
                                      .left_seconds = NAN};
    if (c->observer && c->observer->progress)
        c->observer->progress(c->observer->context, &now);
}

/* Waits until shortly before the instant of the common start, or until a signal. */
static int wait_on(struct rank_rounds *c, struct gathering *gathering, struct err *e)
{
    struct common_begin *b = &c->begin;
    double next_look = 0;
    uint32_t ready = 0;
    bool was_in_time = false;
    while (!*c->stop) {
        const double now = seconds_of_clock(CLOCK_MONOTONIC);
        if (gathering && now >= next_look) {
            next_look = now + gathering_pause_seconds(&c->session->plan.start->launcher);
            if (common_begin_look(b, gathering, &ready, e))
                return -1;
        }
        const int64_t left =
            b->instant_ns ? b->instant_ns - start_instant_now() - AWAKE_NS : PAUSE_NS;
        if (left <= 0 || b->late) {
            b->late |= !was_in_time && b->instant_ns < start_instant_now();
            return 0;
        }
        was_in_time |= b->instant_ns != 0;
        show(c, ready);
        nanosleep(&(struct timespec){.tv_nsec = left < PAUSE_NS ? left : PAUSE_NS}, NULL);
    }
    return 0;
}

/* Waits for the instant of the common start, which is near. */
static void await_instant(const struct rank_rounds *c)
{
    const int64_t left = c->begin.instant_ns - start_instant_now();
    if (left > COMMON_BEGIN_SPIN_NS && left < 2 * AWAKE_NS)
        nanosleep(&(struct timespec){.tv_nsec = left - COMMON_BEGIN_SPIN_NS}, NULL);
    while (start_instant_now() < c->begin.instant_ns && !*c->stop)
        continue;
}

static void add_fact(void *context, const char *key, const char *value)
{
    struct rank_rounds *c = context;
    exec_session_launch_fact(c->session, key, value);
    if (c->record)
        exec_record_launch_fact(c->record, key, value);
}

static void add_note(struct rank_rounds *c, const char *words)
{
    if (*words)
        program_watch_note(&c->session->machine, "%s", words);
}

/* Reports when this rank begins, which is now. */
static void report_begin(struct rank_rounds *c)
{
    const struct common_start *start = c->session->plan.start;
    char words[COMMON_BEGIN_WORDS];
    if (c->begin.late)
        add_note(c, common_begin_late_words(&c->begin, "rank", common_begin_remedy(start), words));
    if (common_begin_set(&c->begin, start_instant_now()))
        add_note(c, common_begin_set_words(&c->begin, "rank", words));
    add_note(c, common_begin_missing_words(&c->begin, start, words));
    common_begin_facts(&c->begin, add_fact, c);
}

/* Waits until the first round that counts may begin: `await` of struct exec_program. Fails if the
   folder of the ranks cannot be used. */
static int await_start(void *context, struct err *e)
{
    struct rank_rounds *c = context;
    const struct exec_plan *plan = &c->session->plan;
    struct gathering *gathering;
    if (c->begun || c->session->series.round_count < plan->warmup)
        return 0;
    c->begun = true;
    if (!common_start_waits(plan->start))
        return 0;
    const double before = seconds_of_clock(CLOCK_MONOTONIC);
    if (common_begin_open(&c->begin, plan->start, &gathering, e))
        return -1;
    program_watch_pause(c->watch, true);
    const int status = wait_on(c, gathering, e);
    const bool begins = !status && !*c->stop;
    if (gathering && begins && !c->begin.late && !plan->rounds)
        c->begin.end = common_end_open(gathering);
    gathering_close(gathering, begins);
    program_watch_pause(c->watch, false);
    if (begins && !c->begin.late)
        await_instant(c);
    if (begins)
        report_begin(c);
    c->waited_seconds = seconds_of_clock(CLOCK_MONOTONIC) - before;
    return status;
}

void rank_rounds_open(struct rank_rounds *c, struct exec_record *record)
{
    struct exec_program *program = &c->session->plan.program;
    c->record = record;
    program->await = await_start;
    program->await_context = c;
    common_start_facts(c->session->plan.start, add_fact, c);
}

bool rank_rounds_may_end(struct rank_rounds *c, double elapsed)
{
    const double round_seconds = elapsed / (double)c->session->series.round_count;
    const double left = c->session->plan.limit_seconds - elapsed;
    return common_begin_may_end(&c->begin, elapsed) ||
           left < 2 * round_seconds + COMMON_END_AHEAD_SECONDS;
}

bool rank_rounds_all_have_enough(struct rank_rounds *c, double elapsed)
{
    const struct common_begin *b = &c->begin;
    return b->end && b->enough_seconds > 0 && !(b->all_seconds > 0) &&
           common_begin_may_end(&c->begin, elapsed);
}

void rank_rounds_close(struct rank_rounds *c)
{
    char lost[COMMON_BEGIN_WORDS];
    add_note(c, common_begin_close(&c->begin, add_fact, c, lost));
}
