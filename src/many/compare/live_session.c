/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the rounds of a comparison as short sessions of cupel's own I/O, or as replays of a whole
   trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "many/compare/live_rounds.h"
#include "run/session/session.h"

/* A session may take this multiple of its time plus this number of seconds, for trial rounds,
   rounds and filling a scratch file. If it takes longer, it hangs and is ended. */
#define LIMIT_TIMES   4
#define LIMIT_SECONDS 300

/* shared by all sources of one target */
struct shared_target {
    struct session_shared *sessions;
    const struct plan *opened; /* the plan whose session opened the target, or NULL */
    size_t users;
};

struct session_state {
    struct plan plan; /* the plan of the user; a profile may decide its share of writes */
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    struct shared_target *target;
    struct result result;
};

/* ---- the readings of a round ---- */

/* Returns whether all rounds have the same requests, and take as long as the target needs for
   them. */
static bool is_equal_work(const struct plan *p)
{
    return plan_is_replay(p) && (p->replay.keep_order || !(p->replay.speed > 0));
}

static struct live_value *add_value(struct live_round *round, const struct result_row *row,
                                    bool equal_work)
{
    const struct metric *metric = metric_of(row->metric);
    struct live_value *v = &round->values[round->count++];
    *v = (struct live_value){.kind = metric->kind,
                             .has_unit = true,
                             .higher_is_better = metric->better == METRIC_BETTER_HIGHER,
                             .value = row->value};
    v->harmonic = equal_work && v->higher_is_better;
    return v;
}

/* Stores the rows of a result. The quantity that decides when the rounds end comes first: the time
   of equal work, or the result's headline. */
static void take_rows(const struct result *r, bool equal_work, struct live_round *round)
{
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    if (equal_work && elapsed && elapsed->value > 0)
        snprintf(add_value(round, elapsed, true)->metric, sizeof round->values[0].metric, "%s",
                 metric_of(METRIC_ELAPSED)->name);
    for (int headline = 1; headline >= 0; headline--)
        for (size_t i = 0; i < r->row_count && round->count < LIVE_VALUES; i++) {
            const struct result_row *row = &r->rows[i];
            char name[sizeof round->values[0].metric];
            if (r->backlog && metric_is_response(row->metric))
                continue;
            if ((row->metric == r->headline) == headline &&
                (headline ? row->value >= 0 : row->value > 0) &&
                compare_row_name(r, row, name, sizeof name))
                memcpy(add_value(round, row, equal_work)->metric, name, sizeof name);
        }
}

/* Fails a round in whose steady part no request completed: a stall says nothing about the target's
   speed. */
static void take_stall(struct live_round *round)
{
    if (!round->why[0] && round->count && !(round->values[0].value > 0))
        snprintf(round->why, sizeof round->why, "its steady part holds no request that completed");
}

/* Stores why the readings of a round are left out. A round that the comparison's limit ended has
   not failed. */
static void take_ending(const struct result *r, bool by_limit, struct live_round *round)
{
    bool too_long = r->verdict == VERDICT_LIMIT;
    const char *why = r->verdict == VERDICT_FAILED       ? r->failure
                      : r->verdict == VERDICT_BOTTLENECK ? r->invalid
                      : r->verdict == VERDICT_SUSPENDED  ? "cupel was stopped meanwhile"
                      : too_long && !by_limit            ? "it took too long to prepare"
                                                         : "";
    round->stopped = r->verdict == VERDICT_INTERRUPTED || (too_long && by_limit);
    round->left_out = r->verdict == VERDICT_SUSPENDED;
    snprintf(round->why, sizeof round->why, "%.190s", why);
}

/* ---- the target ---- */

static bool writes(const struct plan *p)
{
    return plan_is_replay(p) ? p->replay.allow_writes : p->write_share > 0;
}

/* Returns whether both plans open the target alike, with the same permission to write. Whether a
   trace writes is seen only while it is read. */
static bool opens_alike(const struct plan *a, const struct plan *b)
{
    bool same_kind = writes(a) && (plan_is_replay(a) || plan_is_replay(b))
                         ? !strcmp(a->replay.trace, b->replay.trace)
                         : (a->write_share < 1) == (b->write_share < 1);
    return same_kind && a->size == b->size && a->offset == b->offset && a->direct == b->direct &&
           a->sync == b->sync && plan_action(a) == plan_action(b) && a->entries == b->entries &&
           (!plan_action(a) || a->jobs == b->jobs) && writes(a) == writes(b) &&
           a->destroy == b->destroy && a->overwrite == b->overwrite &&
           a->allow_unwritten == b->allow_unwritten && a->allow_unseen == b->allow_unseen &&
           !strcmp(a->destroy_serial, b->destroy_serial);
}

/*
 * Returns whether both plans have one target. A block device is one target under all its names and
 * however it is opened: two plans that write it cannot hold it at once, so one releases it before
 * the other's round. In a folder, each way of opening has a scratch file of its own.
 */
static bool is_same_target(const struct plan *a, const struct plan *b)
{
    struct stat of_a, of_b;
    bool known = !stat(a->target, &of_a) && !stat(b->target, &of_b);
    if (known && S_ISBLK(of_a.st_mode) && S_ISBLK(of_b.st_mode))
        return of_a.st_rdev == of_b.st_rdev;
    return !strcmp(a->target, b->target) && opens_alike(a, b);
}

static int hand_over_target(struct shared_target *t, const struct plan *to, struct err *e)
{
    if (t->sessions && t->opened && !opens_alike(t->opened, to)) {
        struct session_shared *before = t->sessions;
        t->sessions = NULL;
        if (session_shared_end(before, e))
            return -1;
    }
    t->opened = to;
    if (!t->sessions)
        t->sessions = session_shared_new();
    return t->sessions ? 0 : err_no_memory(e, "sessions");
}

/* ---- a source ---- */

static int session_round(void *state, uint64_t number, uint64_t seed, double seconds,
                         struct live_round *round, struct err *e)
{
    (void)number;
    struct session_state *s = state;
    struct session *session;
    struct plan plan = s->plan;
    plan.seed = seed;
    plan.measure_overhead = plan.compare_block_layer = false;
    plan.ending.limit_seconds = round->seconds_left;
    if (!plan_is_one_pass(&plan)) {
        plan.ending.runtime_seconds = seconds;
        plan.ending.limit_seconds =
            fmin(round->seconds_left, LIMIT_TIMES * seconds + LIMIT_SECONDS);
    }
    if (hand_over_target(s->target, &s->plan, e) ||
        session_run_shared(&session, &plan, s->root, NULL, s->stop, NULL, s->target->sessions, e))
        return -1;
    session_result(session, &s->result);
    const struct result *r = &s->result;
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    round->measured_seconds = elapsed ? elapsed->value : seconds;
    take_ending(r, !(plan.ending.limit_seconds < round->seconds_left), round);
    take_rows(r, is_equal_work(&plan), round);
    round->backlog = r->backlog;
    take_stall(round);
    session_free(session);
    return 0;
}

static int session_end(void *state, struct err *e)
{
    struct session_state *s = state;
    int status = 0;
    if (--s->target->users == 0) {
        status = s->target->sessions ? session_shared_end(s->target->sessions, e) : 0;
        free(s->target);
    }
    free(s);
    return status;
}

static int check_plan(const struct live_source *source, const struct plan *p, struct err *e)
{
    struct stat st;
    if (plan_changes_settings(p))
        return err_set(e, ERR_USAGE,
                       "'%.80s': a setting of the machine would hold for every alternative: set it "
                       "beforehand",
                       source->name);
    if (!strcmp(p->replay.trace, "-") ||
        (!stat(p->replay.trace, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return err_set(e, ERR_USAGE,
                       "every round replays the trace anew, and a pipe brings it once: keep it in "
                       "a file");
    return 0;
}

int live_session_source(struct live_source *source, const struct plan *plan,
                        const struct sysroot *root, const volatile sig_atomic_t *stop,
                        const struct live_source before[], size_t count, struct err *e)
{
    static struct workload_spec spec; /* too large for a small stack (ulimit -s) */
    struct session_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "sessions");
    s->plan = *plan;
    s->root = root;
    s->stop = stop;
    if (check_plan(source, plan, e) ||
        (plan_is_timed(plan) && !plan_is_replay(plan) && plan_workload(&s->plan, &spec, e))) {
        free(s);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const struct session_state *other = before[i].state;
        if (before[i].round == session_round && is_same_target(&other->plan, &s->plan))
            s->target = other->target;
    }
    if (!s->target)
        s->target = calloc(1, sizeof *s->target);
    if (!s->target) {
        free(s);
        return err_no_memory(e, "sessions");
    }
    s->target->users++;
    source->round = session_round;
    source->end = session_end;
    source->state = s;
    return 0;
}
