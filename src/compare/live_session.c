/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds that are short sessions of cupel's own I/O. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/live.h"
#include "run/session/session.h"

/* A session that hangs is ended: rounds, trial rounds and filling a scratch file fit in. */
#define LIMIT_TIMES   4
#define LIMIT_SECONDS 300

/* What sources of one target share. */
struct shared_target {
    struct session_shared *sessions;
    size_t users;
};

struct session_state {
    const struct plan *plan;
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    struct shared_target *target;
    struct result result;
};

static void take_rows(const struct result *r, struct live_round *round)
{
    for (size_t i = 0; i < r->row_count && round->count < LIVE_VALUES; i++) {
        const struct result_row *row = &r->rows[i];
        struct live_value *v = &round->values[round->count];
        if (!compare_row_name(r, row, v->metric, sizeof v->metric) || !(row->value > 0))
            continue;
        v->kind = metric_of(row->metric)->kind;
        v->has_unit = true;
        v->higher_is_better = metric_of(row->metric)->better == METRIC_BETTER_HIGHER;
        v->value = row->value;
        round->count++;
    }
}

static int session_round(void *state, uint64_t number, uint64_t seed, double seconds,
                         struct live_round *round, struct err *e)
{
    (void)number;
    struct session_state *s = state;
    struct session *session;
    struct plan plan = *s->plan;
    plan.seed = seed;
    plan.measure_overhead = plan.compare_block_layer = false;
    if (!plan_is_one_pass(&plan)) {
        plan.runtime_seconds = seconds;
        plan.limit_seconds = LIMIT_TIMES * seconds + LIMIT_SECONDS;
    }
    if (session_run_shared(&session, &plan, s->root, NULL, s->stop, NULL, s->target->sessions, e))
        return -1;
    session_result(session, &s->result);
    const struct result *r = &s->result;
    round->stopped = r->verdict == VERDICT_INTERRUPTED;
    if (r->verdict == VERDICT_FAILED)
        snprintf(round->why, sizeof round->why, "%.190s", r->failure);
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    round->measured_seconds = elapsed ? elapsed->value : seconds;
    take_rows(r, round);
    session_free(session);
    return 0;
}

static int session_end(void *state, struct err *e)
{
    struct session_state *s = state;
    int status = 0;
    if (--s->target->users == 0) {
        status = session_shared_end(s->target->sessions, e);
        free(s->target);
    }
    free(s);
    return status;
}

static int check_plan(const struct live_source *source, const struct plan *p, struct err *e)
{
    if (p->governor[0] || p->scheduler[0] || p->cpu_idle_off)
        return err_set(e, ERR_USAGE,
                       "'%.80s': a setting of the machine would hold for every alternative: set it "
                       "beforehand",
                       source->name);
    return 0;
}

static bool is_same_target(const struct plan *a, const struct plan *b)
{
    return !strcmp(a->target, b->target) && a->size == b->size && a->offset == b->offset &&
           a->direct == b->direct && (a->write_share > 0) == (b->write_share > 0) &&
           (a->write_share < 1) == (b->write_share < 1);
}

int live_session_source(struct live_source *source, const struct plan *plan,
                        const struct sysroot *root, const volatile sig_atomic_t *stop,
                        const struct live_source before[], size_t count, struct err *e)
{
    if (check_plan(source, plan, e))
        return -1;
    struct session_state *s = calloc(1, sizeof *s);
    for (size_t i = 0; s && i < count; i++) {
        const struct session_state *other = before[i].state;
        if (before[i].round == session_round && is_same_target(other->plan, plan))
            s->target = other->target;
    }
    if (s && !s->target) {
        s->target = calloc(1, sizeof *s->target);
        if (s->target)
            s->target->sessions = session_shared_new();
    }
    if (!s || !s->target || !s->target->sessions) {
        if (s)
            free(s->target);
        free(s);
        return err_set(e, ERR_MACHINE, "there is no memory left for sessions");
    }
    s->target->users++;
    s->plan = plan;
    s->root = root;
    s->stop = stop;
    source->round = session_round;
    source->end = session_end;
    source->state = s;
    return 0;
}
