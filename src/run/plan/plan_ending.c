/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what ends a session: the limits of --sla and --find-rate, the widths of --precise, and its
   times. */
#include <string.h>

#include "base/units.h"
#include "facts/clause.h"
#include "facts/operation.h"
#include "io/io.h"
#include "run/plan/internal.h"

/* Checks that a clause is about something that this workload has. */
static int check_clause(const struct plan *p, const struct clause *c, const char *option,
                        struct err *e)
{
    if (c->time != CLAUSE_RESPONSE && !plan_is_timed(p))
        return err_set(e, ERR_USAGE,
                       "--%s %s: service times and issue errors are apart from response times "
                       "where requests fall due (--rate_iops): leave '%s' out",
                       option, c->text, c->time == CLAUSE_SERVICE ? "service." : "issue_error.");
    bool known = !plan_is_replay(p) && !p->profile[0];
    const bool reads = p->write_share < 1, writes = plan_writes_data(p);
    const int op = operation_by_name(c->op);
    if (op == OPERATION_SYNC && !plan_flush_every(p))
        return err_set(e, ERR_USAGE,
                       "--%s %s: this workload has no flushes: --fdatasync N has one after every N "
                       "writes",
                       option, c->text);
    if (op == OPERATION_TRIM && p->trims == TRIMS_NONE && !plan_is_replay(p))
        return err_set(e, ERR_USAGE, "--%s %s: this workload has no trims (--rw)", option, c->text);
    if (c->subject == CLAUSE_EFFICIENCY && p->trims != TRIMS_NONE && op != OPERATION_WRITE)
        return err_set(e, ERR_USAGE,
                       "--%s %s: trims move no data over the path whose limit is known: they have "
                       "iops, bandwidth, mean, percentiles and errors",
                       option, c->text);
    if (!operation_has_bytes(op) &&
        (c->subject == CLAUSE_BANDWIDTH || c->subject == CLAUSE_EFFICIENCY))
        return err_set(e, ERR_USAGE,
                       "--%s %s: a flush moves no data: it has iops, mean, percentiles and errors",
                       option, c->text);
    if (!plan_has_bytes(p) && !plan_action(p) &&
        (c->subject == CLAUSE_BANDWIDTH || c->subject == CLAUSE_BPS ||
         c->subject == CLAUSE_EFFICIENCY))
        return err_set(e, ERR_USAGE,
                       "--%s %s: --ioengine %s moves no bytes: it has iops, mean, percentiles and "
                       "errors",
                       option, c->text, p->engine);
    if (plan_action(p) && (c->subject == CLAUSE_BANDWIDTH || c->subject == CLAUSE_BPS ||
                           c->subject == CLAUSE_EFFICIENCY))
        return err_set(e, ERR_USAGE,
                       "--%s %s: %ss move no bytes: they have iops, mean, percentiles and errors",
                       option, c->text, plan_action(p)->name);
    if (known && ((!strcmp(c->op, "read") && !reads) || (!strcmp(c->op, "write") && !writes)))
        return err_set(e, ERR_USAGE, "--%s %s: this workload only %s (--rw)", option, c->text,
                       reads    ? "reads"
                       : writes ? "writes"
                                : "trims");
    return 0;
}

/* Checks a clause about efficiency: each direction has its own limit, and the record must contain
   it. */
static int check_efficiency(const struct plan *p, const struct clause *c, struct err *e)
{
    bool mixed = plan_is_replay(p) || p->profile[0] || (p->write_share > 0 && p->write_share < 1);
    if (c->subject != CLAUSE_EFFICIENCY)
        return 0;
    if (mixed && !c->op[0])
        return err_set(e, ERR_USAGE,
                       "--sla %s: reads and writes have limits of their own: say which, as in "
                       "read.efficiency>90%%",
                       c->text);
    if (p->monitor_cost <= 0)
        return err_set(e, ERR_USAGE,
                       "--sla %s: the limit of the data path is watched, which --monitor-cost 0 "
                       "turns off: leave it out",
                       c->text);
    return 0;
}

/* Checks that an interval of a clause fits into the run. */
static int check_clause_period(const struct plan *p, const struct clause *c, struct err *e)
{
    const double run = p->runtime_seconds > 0 ? p->runtime_seconds : p->limit_seconds;
    char period[UNITS_BUFFER], length[UNITS_BUFFER];
    if (!((double)c->period_ns / 1e9 > run))
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--sla %s: an interval of %s is longer than the run of %s (%s): choose a shorter "
        "one, as in 'p99<500us per 1s in 95%%'",
        c->text, format_time(period, sizeof period, (double)c->period_ns),
        format_time(length, sizeof length, run * 1e9),
        p->runtime_seconds > 0 ? "--runtime" : "--limit");
}

/* Checks that a higher rate breaks the limits, and a lower one meets them. */
static int check_find_rate(const struct plan *p, struct err *e)
{
    struct clauses all;
    struct plan probe = *p;
    probe.rate_iops = 1; /* the requests of a probe have due times */
    if (clauses_parse_limits(&all, p->find_rate, e))
        return err_context(e, "--find-rate");
    for (size_t i = 0; i < all.count; i++) {
        const struct clause *c = &all.clause[i];
        if (c->period_ns)
            return err_set(e, ERR_USAGE,
                           "--find-rate %s: a probe is judged as a whole, not by intervals: leave "
                           "'per' out, as in read.p99<1ms",
                           c->text);
        bool grows = c->subject == CLAUSE_MEAN || c->subject == CLAUSE_PERCENTILE ||
                     c->subject == CLAUSE_ERRORS;
        if (!grows || c->relation == CLAUSE_ABOVE)
            return err_set(e, ERR_USAGE,
                           "--find-rate %s: a higher rate does not break it; limits such as "
                           "read.p99<1ms, mean<500us or errors<0.1%% are possible",
                           c->text);
        if (check_clause(&probe, c, "find-rate", e))
            return -1;
    }
    return 0;
}

/* Checks that the run is long enough for percentiles over time. */
static int check_period(const struct plan *p, struct err *e)
{
    const double run = p->runtime_seconds > 0 ? p->runtime_seconds : p->limit_seconds;
    char period[UNITS_BUFFER], length[UNITS_BUFFER];
    if (!(p->period_seconds > run))
        return 0;
    return err_set(e, ERR_USAGE,
                   "--interval %s is longer than the run of %s (%s): choose a shorter one, as in "
                   "--interval 1s",
                   format_time(period, sizeof period, p->period_seconds * 1e9),
                   format_time(length, sizeof length, run * 1e9),
                   p->runtime_seconds > 0 ? "--runtime" : "--limit");
}

int plan_check_ending(const struct plan *p, struct err *e)
{
    static const char *const options[] = {"sla", "precise"};
    for (int i = 0; i < 2; i++) {
        const char *text = i ? p->precise : p->sla;
        struct clauses all = {.count = 0};
        if (!text[0])
            continue;
        if ((i ? clauses_parse_widths : clauses_parse_limits)(&all, text, e))
            return err_context(e, "--%s", options[i]);
        for (size_t k = 0; k < all.count; k++)
            if (check_clause(p, &all.clause[k], options[i], e) ||
                check_efficiency(p, &all.clause[k], e) || check_clause_period(p, &all.clause[k], e))
                return -1;
    }
    if (p->find_rate[0] && check_find_rate(p, e))
        return -1;
    if (plan_trims_in_order(p) && p->precise[0])
        return err_set(e, ERR_USAGE,
                       "--rw %s trims every block once, which is the end: --precise does not go "
                       "with it",
                       plan_pattern_name(p));
    return check_period(p, e);
}
