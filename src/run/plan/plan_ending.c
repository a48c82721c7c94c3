/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the options and rules for what ends a session, and checks the limits of --sla and
   --find-rate, the widths of --precise, and the times. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "facts/clause.h"
#include "facts/operation.h"
#include "io/io.h"
#include "run/plan/internal.h"
#include "stat/estimate/limit_verdict.h"

#define DURATIONS_LIMITS "--min-time, --limit and --runtime go from 0 to 1000000000 seconds"
#define INTERVALS_LIMITS "--every goes from 0 to 1000000000 seconds"

/* clang-format off */
const struct option_row plan_fields_ending[] = {
    {FIELD_AS(TIME, minimum_seconds, ending.minimum_seconds), OPTION(DURATION, "min-time", "TIME"), LIMITS(0, 86400),
     .section = "When it ends", KEPT(0, 1e9), .limits = DURATIONS_LIMITS, .value = "5s",
     .help = "Least time to measure for; the preset sets it otherwise."},
    {FIELD_AS(TIME, limit_seconds, ending.limit_seconds), OPTION(DURATION, "limit", "TIME"), LIMITS(0.1, MONTH_SECONDS),
     KEPT(0, 1e9), .limits = DURATIONS_LIMITS, .value = "10m",
     .help = "Longest time for the whole session; reached before the precision, the exit status is "
             "5 and the result holds what was reached."},

    {FIELD_AS(TIME, runtime_seconds, ending.runtime_seconds), OPTION(ENDING, "runtime", "TIME"), LIMITS(0.1, MONTH_SECONDS),
     KEPT(0, 1e9), .limits = DURATIONS_LIMITS, .value_words = "until the interval is narrow enough",
     .help = "Measure exactly that long, however narrow the interval is by then; the exit status is "
             "0. --limit is then for the whole session, and at least long enough."},
    {FIELD_AS(TEXT, precise, ending.precise), OPTION(ENDING, "precise", "WIDTHS"), .words = WORDS_WIDTHS, .value_words = "--ci, of the mean",
     .help = "Precision of several things, all of which have to be reached: iops:5%,read.p99:10% "
             "are full widths of intervals over their values, as iops:+-2.5% is. Possible are iops, bandwidth, bps, "
             "mean (response time) and any percentile, of read, write or all."},
    {FIELD_AS(TEXT, sla, ending.sla), OPTION(SLA, "sla", "CLAUSES"), .words = WORDS_CLAUSES, .section = "When it ends", .value_words = "none",
     .help = "Limits to judge: read.p99<500us, iops>200k, errors=0. Measures until every clause "
             "has passed or failed at the confidence level, which holds however often one looks, or "
             "until --limit. The exit status is 0 when all pass, 1 when one fails, 5 when one is "
             "undecided. Also bandwidth>1GB/s, bps, mean, service.p99, issue_error.p99, "
             "efficiency>90%; of intervals: read.p99<500us per 10s in 95%; and max<45ms, the longest "
             "request of this session, which promises nothing of the next."},
    {FIELD_AS(FLAG, stop_on_violation, ending.stop_on_violation), OPTION(SLA, "stop-on-violation", NULL),
     .help = "End as soon as a clause of --sla fails, with --runtime too: at max<45ms within a moment of "
             "the first request over it, which the report shows with when it was, its offset and what the machine did."},
    {FIELD_AS(TIME, assumed_memory_seconds, ending.assumed_memory_seconds), OPTION(SLA, "assume-memory", "TIME"), LIMITS(0.1, MONTH_SECONDS),
     KEPT(0, 1e9), .limits = "--assume-memory goes from 0 to 1000000000 seconds", .value_words = "nothing",
     .help = "Assume that no level of the target comes less often than once in this time. A clause "
             "then passes after three times this time at the earliest, when such a level has come in "
             "95 of 100 sessions, and the report states the assumption in place of what cannot be "
             "excluded."},
    {FIELD_AS(SHARE, sla_confidence, ending.sla_confidence), LIMITS(0, 0.99999999), .limits = "--sla has a confidence below 100 %"},

    {FIELD_AS(TEXT, find_rate, ending.find_rate), OPTION(FIND_RATE, "find-rate", "CLAUSES"), .words = WORDS_CLAUSES, .value_words = "none",
     .help = "Search the highest rate of requests that keeps these limits, as in read.p99<1ms: "
             "several sessions with --rate_iops at rates that a fitted curve of latency against "
             "rate places. The answer is a rate that holds and a rate that fails, both right at "
             "--confidence, at most --ci apart. --limit is for all sessions together. The exit "
             "status is 1 when the limits hold at no rate, 5 when the two stay too far apart."},

    {FIELD(UNSIGNED, repeat.sessions), OPTION(REPEAT, "repeat", "K"),
     .section = "Several sessions, for a claim about the machine",
     LIMITS(2, PLAN_SESSIONS_MAX), KEPT(0, PLAN_SESSIONS_MAX),
     .limits = "2 to " STRING(PLAN_SESSIONS_MAX) " sessions are possible",
     .value_words = "one session",
     .help = "Run K independent sessions and make one interval over them, with what lies between "
             "sessions and within them. The interval of one session is of that stretch of time: "
             "levels of real devices wander from one session to the next. 5 or more are best. "
             "--limit is then for all of them together, if it is given."},
    {FIELD(TIME, repeat.every_seconds), OPTION(REPEAT, "every", "TIME"), LIMITS(0, MONTH_SECONDS),
     KEPT(0, 1e9), .limits = INTERVALS_LIMITS, .value = "0",
     .help = "Time from the start of a session of --repeat to the start of the next; one that takes "
             "longer is followed at once. 0: one after the other, which share the weather of "
             "that one stretch of time."},
    {FIELD(TIME, repeat.limit_seconds), LIMITS(0, 1e12), .limits = INTERVALS_LIMITS},
    {FIELD(UNSIGNED, repeat.index)},
    {FIELD(TIME, repeat.begin_seconds), LIMITS(0, 1e12), .limits = INTERVALS_LIMITS},
    {FIELD(UNSIGNED, repeat.id)},
    {0},
};

const struct option_rule plan_rules_ending[] = {
    EXCLUDES("phases @traced", "precise runtime", "phases and traces are measured once, from begin to end"),
    EXCLUDES("runtime", "precise", "both say when to end"),
    NEEDS("stop-on-violation", "sla", "it ends at a clause that fails"),
    EXCLUDES("sla precise", "repeat", "this ends one session, and --repeat has several"),
    {0},
};
/* clang-format on */

/* Checks that a clause concerns something that this workload has. */
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

/* Checks a clause about efficiency: each direction has a separate limit, which the record must
   contain. */
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
    if (p->watch.cost <= 0)
        return err_set(e, ERR_USAGE,
                       "--sla %s: the limit of the data path is watched, which --monitor-cost 0 "
                       "turns off: leave it out",
                       c->text);
    return 0;
}

/* Checks that an interval of a clause fits into the run. */
static int check_clause_period(const struct plan *p, const struct clause *c, struct err *e)
{
    const double run =
        p->ending.runtime_seconds > 0 ? p->ending.runtime_seconds : p->ending.limit_seconds;
    char period[UNITS_BUFFER], length[UNITS_BUFFER];
    if (!((double)c->period_ns / 1e9 > run))
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--sla %s: an interval of %s is longer than the run of %s (%s): choose a shorter "
        "one, as in 'p99<500us per 1s in 95%%'",
        c->text, format_time(period, sizeof period, (double)c->period_ns),
        format_time(length, sizeof length, run * 1e9),
        p->ending.runtime_seconds > 0 ? "--runtime" : "--limit");
}

/* Checks that the run is long enough for a clause to pass: LIMIT_UNSEEN_LENGTHS times the assumed
   memory. */
static int check_memory(const struct plan *p, struct err *e)
{
    const double run =
        p->ending.runtime_seconds > 0 ? p->ending.runtime_seconds : p->ending.limit_seconds;
    const double least = LIMIT_UNSEEN_LENGTHS * p->ending.assumed_memory_seconds;
    char memory[UNITS_BUFFER], least_words[UNITS_BUFFER], length[UNITS_BUFFER];
    if (!(least > run) || plan_is_one_pass(p))
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--assume-memory %s: a clause passes after %s at the earliest, and the run takes "
        "%s (%s): make it longer",
        format_time(memory, sizeof memory, p->ending.assumed_memory_seconds * 1e9),
        format_time(least_words, sizeof least_words, least * 1e9),
        format_time(length, sizeof length, run * 1e9),
        p->ending.runtime_seconds > 0 ? "--runtime" : "--limit");
}

/* Checks that each limit is one that a higher rate breaks and a lower rate meets. */
static int check_find_rate(const struct plan *p, struct err *e)
{
    struct clauses all;
    struct plan probe = *p;
    probe.rate_iops = 1; /* the requests of a probe have due times */
    if (clauses_parse_limits(&all, p->ending.find_rate, e))
        return err_context(e, "--find-rate");
    for (size_t i = 0; i < all.count; i++) {
        const struct clause *c = &all.clause[i];
        if (c->period_ns)
            return err_set(e, ERR_USAGE,
                           "--find-rate %s: a probe is judged as a whole, not by intervals: leave "
                           "'per' out, as in read.p99<1ms",
                           c->text);
        if (clause_is_max(c))
            return err_set(e, ERR_USAGE,
                           "--find-rate %s: the longest request of a probe promises nothing of the "
                           "next one; ask about a percentile, as in read.p99.9<1ms",
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
    const double run =
        p->ending.runtime_seconds > 0 ? p->ending.runtime_seconds : p->ending.limit_seconds;
    char period[UNITS_BUFFER], length[UNITS_BUFFER];
    if (!(p->statistics.period_seconds > run))
        return 0;
    return err_set(e, ERR_USAGE,
                   "--interval %s is longer than the run of %s (%s): choose a shorter one, as in "
                   "--interval 1s",
                   format_time(period, sizeof period, p->statistics.period_seconds * 1e9),
                   format_time(length, sizeof length, run * 1e9),
                   p->ending.runtime_seconds > 0 ? "--runtime" : "--limit");
}

int plan_take_width(struct plan *p, struct err *e)
{
    static const enum clause_subject subjects[] = {CLAUSE_BANDWIDTH, CLAUSE_MEAN, CLAUSE_IOPS};
    const char *width = p->statistics.absolute_width;
    struct clauses all;
    char clause[sizeof p->ending.precise] = "";
    struct err other_unit;
    if (!width[0])
        return 0;
    if (p->repeat.sessions || p->ending.find_rate[0])
        return err_set(e, ERR_USAGE,
                       "--ci %s: --repeat and --find-rate compare several sessions, whose width is "
                       "a share, as in 5%%",
                       width);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && !clause[0]; i++) {
        snprintf(clause, sizeof clause, "%s:%s", clause_subject_name(subjects[i]), width);
        if (clauses_parse_widths(&all, clause, &other_unit))
            clause[0] = '\0';
    }
    if (!clause[0])
        return err_set(e, ERR_USAGE,
                       "--ci %s: a share or a width of a bandwidth, a response time or IOPS is "
                       "needed, as in 5%%, 2MB/s, 50us or 500IOPS",
                       width);
    if (!plan_has_precision(p))
        return err_set(e, ERR_USAGE,
                       "--ci %s is for a session that ends by one width: leave --sla, --runtime or "
                       "--precise out%s%s",
                       width, p->ending.precise[0] ? ", or add it there: " : "",
                       p->ending.precise[0] ? clause : "");
    memcpy(p->ending.precise, clause, sizeof clause);
    p->statistics.absolute_width[0] = '\0';
    return 0;
}

int plan_refuse_width(const struct plan *p, struct err *e)
{
    return p->statistics.absolute_width[0]
               ? err_set(e, ERR_USAGE,
                         "--ci %s: nothing here has this unit; a share is needed, as in 5%%",
                         p->statistics.absolute_width)
               : 0;
}

int plan_check_ending(const struct plan *p, struct err *e)
{
    static const char *const options[] = {"sla", "precise"};
    for (int i = 0; i < 2; i++) {
        const char *text = i ? p->ending.precise : p->ending.sla;
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
    if (p->ending.find_rate[0] && check_find_rate(p, e))
        return -1;
    if (plan_trims_in_order(p) && p->ending.precise[0])
        return err_set(e, ERR_USAGE,
                       "--rw %s trims every block once, which is the end: --precise does not go "
                       "with it",
                       plan_pattern_name(p));
    return check_memory(p, e) || check_period(p, e) ? -1 : 0;
}
