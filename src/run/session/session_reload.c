/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a session from its record, and judges it by other clauses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "run/session/running.h"

/* Returns the number of requests of that operation, failed ones included. */
static uint64_t requests_of(const struct measurement *m, int op)
{
    uint64_t requests = 0;
    for (size_t i = 0; i < m->round_count; i++)
        requests += m->rounds[i].total.op[op].ios + m->rounds[i].total.op[op].errors;
    return requests;
}

static uint64_t requests_with_bytes(const struct measurement *m)
{
    uint64_t n = 0;
    for (int op = 0; op < OPERATIONS; op++)
        n += operation_has_bytes(op) ? requests_of(m, op) : 0;
    return n;
}

/* Returns true if the record's verdict follows from its readings. An open verdict needs no
   readings. */
static bool is_borne_out(struct session *s)
{
    const struct contents *c = &s->contents;
    const struct measurement *m = &c->measurement;
    double measured = (double)m->original_slices * m->slice_seconds;
    switch (c->verdict) {
    case VERDICT_PRECISE:
    case VERDICT_DECIDED:
        return session_is_precise(s);
    case VERDICT_BEST_POSSIBLE:
        return !session_is_precise(s) && session_is_out_of_reach(s);
    case VERDICT_MEASURED:
        return c->plan.ending.runtime_seconds > 0 &&
               measured > c->plan.ending.runtime_seconds - m->slice_seconds;
    case VERDICT_COMPLETE:
        /* A part of a trace may consist of flushes only. */
        return plan_is_one_pass(&c->plan) &&
               (c->plan.replay.devices[0] || requests_with_bytes(m) > 0);
    default:
        return true;
    }
}

int session_load(struct session **session, const char *record_path, struct err *e)
{
    return session_load_for(session, record_path, "", e);
}

int session_load_for(struct session **session, const char *record_path, const char *sla,
                     struct err *e)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a record");
    const unsigned operations = OPERATION_SET_ALL;
    size_t bytes = contents_bytes(operations, true) +
                   contents_jobs_bytes(MEASUREMENT_JOBS, operations) + fidelity_bytes() + (1 << 16);
    int failed = arena_init_untouched(&s->arena, bytes, e) ||
                 contents_init(&s->contents, operations, true, &s->arena, e) ||
                 contents_keep_jobs(&s->contents, MEASUREMENT_JOBS, operations, &s->arena, e);
    if (!failed)
        contents_watch_clauses(&s->contents, sla);
    if (failed || record_read(&s->contents, record_path, e)) {
        session_free(s);
        return -1;
    }
    if (!is_borne_out(s))
        s->contents.verdict = VERDICT_UNCONFIRMED;
    *session = s;
    return 0;
}

/* Checks that intervals of that length were measured. */
static int check_periods(const struct measurement *m, const struct clause *c, struct err *e)
{
    const struct clause_periods *p = measurement_periods(m, c->text);
    char length[UNITS_BUFFER];
    if (!p || clause_periods_groups(p))
        return 0;
    if (p->undated)
        return err_set(e, ERR_USAGE,
                       "--sla %s: the record does not have the time of day of its readings: ask "
                       "about the whole run, without 'per'",
                       c->text);
    if (p->too_long)
        return err_set(e, ERR_USAGE,
                       "--sla %s: the record has latencies of %s together: an interval is a "
                       "multiple of that, as in 'p99<500us per 10s in 95%%'",
                       c->text,
                       format_time(length, sizeof length, (double)measurement_batch_ns(m, 1)));
    return err_set(e, ERR_USAGE,
                   "--sla %s: the record holds no whole interval of that length: ask for shorter "
                   "ones, as in 'p99<500us per 1s in 95%%'",
                   c->text);
}

int session_judge_by(struct session *s, const char *sla, struct err *e)
{
    const struct measurement *m = &s->contents.measurement;
    struct plan asked = s->contents.plan;
    struct clauses clauses;
    asked.repeat.sessions = 0; /* a record holds a single session */
    if (snprintf(asked.ending.sla, sizeof asked.ending.sla, "%s", sla) >=
        (int)sizeof asked.ending.sla)
        return err_set(e, ERR_USAGE, "--sla: no more than %zu characters",
                       sizeof asked.ending.sla - 1);
    if (plan_check(&asked, e))
        return -1;
    if (clauses_parse_limits(&clauses, sla, e))
        return err_context(e, "--sla");
    if (m->slice_count == 0)
        return err_set(e, ERR_USAGE,
                       "--sla needs readings, and the record ends before the first of them: judge "
                       "another record");
    for (size_t i = 0; i < clauses.count; i++) {
        const struct clause *c = &clauses.clause[i];
        const int op = operation_by_name(c->op);
        if (op != OPERATION_ALL && !requests_of(m, op))
            return err_set(
                e, ERR_USAGE, "--sla %s: the record holds no %ss, ask about %s.", c->text, c->op,
                operation_names[op == OPERATION_WRITE ? OPERATION_READ : OPERATION_WRITE]);
        if (c->period_ns && check_periods(m, c, e))
            return -1;
    }
    /* this confidence was for the record's own clauses */
    s->contents.plan.ending.sla_confidence = 0;
    snprintf(s->contents.judged_by, sizeof s->contents.judged_by, "%s", sla);
    return 0;
}
