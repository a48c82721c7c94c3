/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges clauses of --sla and --precise by the measurement so far. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/invariant.h"
#include "base/units.h"
#include "run/result/internal.h"
#include "run/result/never_issued.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/limit_verdict.h"
#include "stat/estimate/percentile.h"

/* The data that all clauses of a session are judged with. */
struct clause_context {
    struct contents *c;
    const struct judged *j;
    struct due_requests due;
    double alpha; /* allowed chance of a wrong verdict for one clause */
};

static enum metric_kind kind_of(enum clause_subject subject)
{
#define METRIC_OF_SUBJECT(subject, metric) [subject] = (metric),
    static const enum metric_id metrics[CLAUSE_SUBJECTS] = {
        CLAUSE_METRIC_ROWS(METRIC_OF_SUBJECT)[CLAUSE_PERCENTILE] = METRIC_LATENCY_P99,
        [CLAUSE_ERRORS] = METRIC_ERRORS,
    };
#undef METRIC_OF_SUBJECT
    return metric_of(metrics[subject])->kind;
}

static int op_of(const struct clause *c)
{
    return operation_by_name(c->op);
}

/*
 * Returns the direction of an efficiency clause: if it names none, the only one that the plan has.
 */
static int direction_of(const struct clause_context *x, const struct clause *c)
{
    int op = op_of(c);
    return op != JUDGED_ALL                              ? op
           : judged_op_used(&x->c->plan, OPERATION_READ) ? OPERATION_READ
                                                         : OPERATION_WRITE;
}

static struct estimate estimate_of(const struct clause_context *x, const struct clause *c)
{
    const struct judged *j = x->j;
    int op = op_of(c);
    struct estimate efficiency;
    if (c->subject == CLAUSE_EFFICIENCY)
        efficiency = judged_efficiency(j, &x->c->watch, direction_of(x, c));
    const struct estimate *e = c->subject == CLAUSE_EFFICIENCY  ? &efficiency
                               : c->subject == CLAUSE_IOPS      ? &j->iops[op]
                               : c->subject == CLAUSE_BANDWIDTH ? &j->bandwidth[op]
                               : c->subject == CLAUSE_MEAN      ? &j->response_time[op]
                                                                : &j->bps;
    if (judged_is_widened(j))
        return *e;
    struct judge_config config = plan_judge_config(&x->c->plan, true);
    struct stop_rule rule = judge_stop_rule(&config);
    return stop_widened(e, &rule);
}

static struct latency_source latencies_of(const struct clause_context *x, const struct clause *c)
{
    struct latency_source from = {
        .measurement = &x->c->measurement, .op = op_of(c), .time = c->time};
    from.remembers = x->j->response_time[from.op].memory > 0;
    judged_stretches(x->c, x->j, &from.begin, &from.end);
    return from;
}

/* Stores the verdict. `seconds` is the length of the time that was judged. */
static void take_verdict(struct result_clause *to, const struct limit_verdict *v, double seconds)
{
    to->verdict = v->verdict == SEQUENTIAL_PASS   ? CLAUSE_PASSED
                  : v->verdict == SEQUENTIAL_FAIL ? CLAUSE_FAILED
                                                  : CLAUSE_UNDECIDED;
    to->more_seconds = (v->more - 1) * seconds;
    to->unseen = limit_verdict_unseen(seconds);
    if (v->lack)
        snprintf(to->note, sizeof to->note, "%s", v->lack);
}

/* Lets a clause pass only after a time in which a level that is as rare as the user assumes would
   have occurred. */
static void apply_assumed_memory(const struct plan *plan, struct result_clause *to)
{
    const double memory = plan->ending.assumed_memory_seconds;
    char words[UNITS_BUFFER];
    if (!(memory > 0) || to->verdict != CLAUSE_PASSED || !(to->unseen > 0))
        return;
    if (to->unseen >= memory) {
        to->unseen = memory;
        to->unseen_by = UNSEEN_ASSUMED;
        return;
    }
    to->verdict = CLAUSE_UNDECIDED;
    to->more_seconds = LIMIT_UNSEEN_LENGTHS * (memory - to->unseen);
    snprintf(to->note, sizeof to->note, "a level that comes once in %s may not have come yet",
             format_time(words, sizeof words, memory * 1e9));
}

static struct limit limit_of(const struct clause_context *x, const struct clause *c)
{
    return (struct limit){c->limit, c->relation == CLAUSE_ABOVE, x->alpha};
}

/* Returns false if the path has no limit, or if the limit was refuted; the note then has the
   reason. */
static bool efficiency_is_possible(const struct estimate *e, struct result_clause *to)
{
    const char *why = isnan(e->mean) ? "the limit of the data path is not known"
                      : e->low > WATCH_REFUTED
                          ? "more was measured than the data path says it lets through"
                          : NULL;
    if (why)
        snprintf(to->note, sizeof to->note, "%s", why);
    return !why;
}

/* Judges a clause about a mean. Returns true if the limit is far from everything that was seen. */
static bool judge_mean(const struct clause_context *x, const struct clause *c,
                       struct result_clause *to)
{
    struct estimate e = estimate_of(x, c);
    struct limit limit = limit_of(x, c);
    struct limit_verdict verdict = limit_verdict_of_mean(&e, &limit);
    to->value = e.mean;
    if (c->subject == CLAUSE_EFFICIENCY && !efficiency_is_possible(&e, to))
        return false;
    take_verdict(to, &verdict, (double)e.n * x->j->slice_seconds);
    return verdict.far;
}

/* Returns the share of values above `ns`, and the number of independent values. */
static struct exceedance exceedance_beyond(const struct clause_context *x,
                                           const struct latency_source *from, double ns)
{
    struct arena *scratch = &x->c->scratch;
    size_t mark = arena_mark(scratch), n = from->end - from->begin;
    double *above = arena_alloc(scratch, n, sizeof *above);
    double *count = arena_alloc(scratch, n, sizeof *count);
    latency_counts_above(from, ns, above, count);
    struct exceedance e = exceedance_of(above, count, n, x->c->plan.statistics.confidence, scratch);
    arena_reset(scratch, mark);
    return e;
}

/* Returns true for times that begin at the due instant, for which requests that were never issued
   count as the longest of all. */
static bool counts_never_issued(const struct clause *c)
{
    return c->time != CLAUSE_SERVICE &&
           (c->subject == CLAUSE_PERCENTILE || c->subject == CLAUSE_MEAN);
}

/* Returns the share of the completed requests that corresponds to the clause's share; a result
   above 1 means that the percentile falls among requests that were never issued. */
static double share_of(const struct clause_context *x, const struct clause *c)
{
    return counts_never_issued(c) ? due_share_of_completed(&x->due, c->share) : c->share;
}

/* Handles a percentile that falls among requests that were never issued: it is longer than
   everything measured, and its length is unknown. */
static bool is_never_issued(const struct clause_context *x, const struct clause *c,
                            const struct histogram *total, struct result_clause *to)
{
    if (!(share_of(x, c) > 1))
        return false;
    to->value = NAN;
    if (c->relation == CLAUSE_BELOW && total->n && (double)total->max >= c->limit)
        to->verdict = CLAUSE_FAILED;
    due_words(&x->due, to->note, sizeof to->note);
    return true;
}

/* Returns true if the limit is far from the percentile of each part of the time, from the stable
   segment to the end. Overwrites the histogram. */
static bool is_far(const struct latency_source *of, double share, double value, double limit,
                   struct histogram *part)
{
    struct latency_source from = *of;
    const size_t n = measurement_stretches(of->measurement) - of->begin;
    double low = NAN, high = NAN;
    for (size_t i = 0; i < ESTIMATE_PARTS && n >= ESTIMATE_PARTS; i++) {
        from.begin = of->begin + i * n / ESTIMATE_PARTS;
        from.end = of->begin + (i + 1) * n / ESTIMATE_PARTS;
        latency_total(&from, part);
        const double quantile = part->n ? histogram_quantile(part, share) : (double)NAN;
        low = fmin(low, quantile); /* if one argument is NaN, fmin and fmax return the other */
        high = fmax(high, quantile);
    }
    return limit_is_far(value, low, high, limit);
}

/* Judges a clause about a percentile. Returns true if the limit is far from everything that was
   seen. */
static bool judge_percentile(const struct clause_context *x, const struct clause *c,
                             struct result_clause *to)
{
    struct latency_source from = latencies_of(x, c);
    /* a histogram of the report serves as memory here; the report computes it again */
    struct histogram *total = &x->c->latency[0];
    latency_total(&from, total);
    if (is_never_issued(x, c, total, to))
        return false;
    const double share = share_of(x, c);
    to->value = histogram_quantile(total, share);
    size_t stretches = total->n ? from.end - from.begin : 0;
    struct exceedance most[LIMIT_THRESHOLDS] = {0}, least[LIMIT_THRESHOLDS] = {0};
    for (int i = 0; i < LIMIT_THRESHOLDS && stretches; i++) {
        double factor = ldexp(1, i); /* 1, 2, 4 */
        double bucket = histogram_edge(histogram_bucket((uint64_t)(c->limit / factor)));
        most[i] = exceedance_beyond(x, &from, bucket - 1);
        least[i] = exceedance_beyond(x, &from, c->limit * factor);
    }
    const double wider[LIMIT_WIDE] = {fmin(0.5, LIMIT_WIDER * (1 - share)), 0.5};
    struct exceedance wide[LIMIT_WIDE] = {0};
    for (int i = 0; i < LIMIT_WIDE && stretches; i++)
        wide[i] = exceedance_beyond(x, &from, histogram_quantile(total, 1 - wider[i]));
    const bool far = is_far(&from, share, to->value, c->limit, total);
    struct limit limit = limit_of(x, c);
    struct limit_verdict verdict =
        limit_verdict_of_percentile(most, least, LIMIT_THRESHOLDS, far ? NULL : wide, share,
                                    to->value < c->limit, stretches, &limit);
    take_verdict(to, &verdict, latency_seconds(&from));
    return far;
}

/* Judges the longest of all measured requests: a fact about this session, with a steady level or
 * without.
 */
static void judge_max(const struct clause_context *x, const struct clause *c,
                      struct result_clause *to)
{
    struct latency_source all = latencies_of(x, c);
    /* a histogram of the report serves as memory here; the report computes it again */
    struct histogram *total = &x->c->latency[0];
    char count[UNITS_BUFFER];
    all.begin = 0;
    all.end = measurement_stretches(&x->c->measurement);
    latency_total(&all, total);
    if (!total->n || is_never_issued(x, c, total, to))
        return;
    to->value = (double)total->max;
    to->verdict = to->value < c->limit ? CLAUSE_PASSED : CLAUSE_FAILED;
    snprintf(to->note, sizeof to->note, "the longest of %s requests%s",
             format_count(count, sizeof count, (double)total->n),
             to->verdict == CLAUSE_PASSED ? " here; it promises nothing of the next session" : "");
}

/* Judges errors: a number of errors is exact, a share is estimated over the slices. */
static void judge_errors(const struct clause_context *x, const struct clause *c,
                         struct result_clause *to)
{
    const struct measurement *m = &x->c->measurement;
    double *failed = x->c->series.numerator, *all = x->c->series.denominator;
    double errors = 0;
    int of = op_of(c);
    for (size_t i = 0; i < m->slice_count; i++) {
        failed[i] = all[i] = 0;
        for (int op = 0; op < OPERATIONS; op++) {
            const struct slice_op *s = &m->slices[i].op[op];
            if (of != JUDGED_ALL && of != op)
                continue;
            failed[i] += (double)s->errors;
            all[i] += (double)(s->errors + s->ios);
        }
    }
    for (size_t i = 0; i < m->round_count; i++)
        for (int op = 0; op < OPERATIONS; op++)
            if (of == JUDGED_ALL || of == op)
                errors += (double)m->rounds[i].total.op[op].errors;
    to->value = errors;
    if (!c->limit_is_share) {
        bool kept = c->relation == CLAUSE_EQUAL ? errors <= 0 : errors < c->limit;
        to->verdict = kept ? CLAUSE_PASSED : CLAUSE_FAILED;
        return;
    }
    struct exceedance e = exceedance_of(failed, all, m->slice_count,
                                        x->c->plan.statistics.confidence, &x->c->scratch);
    to->kind = METRIC_KIND_SHARE;
    to->value = e.share;
    struct limit limit = limit_of(x, c);
    struct limit_verdict verdict = limit_verdict_of_share(e.share, e.effective_n, &limit);
    take_verdict(to, &verdict, (double)m->slice_count * x->j->slice_seconds);
}

/* Judges a clause on a pass that is measured as a whole, whose numbers are exact. */
static void judge_whole(const struct clause *c, struct result_clause *to)
{
    bool kept = c->relation == CLAUSE_ABOVE ? to->value > c->limit : to->value < c->limit;
    to->verdict = isnan(to->value) ? CLAUSE_UNDECIDED : kept ? CLAUSE_PASSED : CLAUSE_FAILED;
    to->more_seconds = to->verdict ? 0 : INFINITY;
    snprintf(to->note, sizeof to->note, "of this pass, measured whole");
}

static bool came_to_its_end(enum verdict verdict)
{
    return verdict != VERDICT_INTERRUPTED && verdict != VERDICT_FAILED &&
           verdict != VERDICT_CUT_SHORT && verdict != VERDICT_SUSPENDED;
}

/* Returns true if more due requests were never issued than the clause's limit permits to be late,
   so that it cannot pass. */
static bool is_withheld(const struct clause_context *x, const struct clause *c)
{
    const double late = c->subject == CLAUSE_PERCENTILE ? 1 - c->share : DUE_NOTED_SHARE;
    return x->due.never_issued > late * x->due.due;
}

/*
 * Withholds a passed verdict if the measurement does not represent the future: if response times
 * grow with a backlog, if the session did not come to its end, or if the target has no stable level
 * or is at another level at the end, unless the limit is far from all levels. Clauses about facts
 * (such as the longest request) need no level. A failed verdict always stands. A part of a pass
 * decides nothing except facts that break a limit.
 */
static void withhold_verdict(const struct clause_context *x, const struct clause *c, bool far,
                             struct result_clause *to)
{
    const struct contents *contents = x->c;
    bool is_response = c->time == CLAUSE_RESPONSE &&
                       (c->subject == CLAUSE_PERCENTILE || c->subject == CLAUSE_MEAN);
    bool fact = clause_is_fact(c) || (c->subject == CLAUSE_ERRORS && !c->period_ns),
         failed = to->verdict == CLAUSE_FAILED;
    /* Both verdicts mean that the level lasts; VERDICT_PRECISE is set before the session's end. */
    bool lasts = contents->verdict == VERDICT_PRECISE || contents->verdict == VERDICT_DECIDED ||
                 x->j->headline.stable_end == contents->measurement.slice_count;
    const char *reason = NULL;
    char never_issued[sizeof to->note];
    if (counts_never_issued(c) && !failed && is_withheld(x, c))
        reason = due_words(&x->due, never_issued, sizeof never_issued);
    else if (plan_is_one_pass(&contents->plan))
        reason = contents->verdict == VERDICT_COMPLETE || (fact && failed)
                     ? NULL
                     : "the pass did not come to its end";
    else if (contents->verdict == VERDICT_DAMAGED && !failed)
        reason = "the record is damaged";
    else if (!came_to_its_end(contents->verdict) && !failed)
        reason = "the session did not come to its end";
    else if (!failed && contents->timing.saturated && is_response)
        reason = "the backlog grows, and response times with it";
    else if (!fact && !failed)
        reason = far                                             ? NULL
                 : x->j->headline.phase == PHASE_NO_STEADY_STATE ? "there is no steady level"
                 : !lasts ? "the target was at another level at the end"
                          : NULL;
    if (!reason || !to->verdict)
        return;
    to->verdict = CLAUSE_UNDECIDED;
    to->more_seconds = INFINITY;
    snprintf(to->note, sizeof to->note, "%s", reason);
}

/* Judges a clause that has a limit. Returns true if the limit is far from everything that was seen.
 */
static bool judge_limit(const struct clause_context *x, const struct clause *c,
                        struct result_clause *to)
{
    bool far = false;
    bool whole = plan_is_one_pass(&x->c->plan) && c->subject != CLAUSE_ERRORS && !c->period_ns &&
                 !clause_is_max(c);
    if (c->period_ns) {
        judge_periods(x->c, x->j, c, x->alpha, to);
    } else if (clause_is_max(c)) {
        judge_max(x, c, to);
    } else if (whole && c->subject == CLAUSE_PERCENTILE) {
        struct latency_source from = latencies_of(x, c);
        latency_total(&from, &x->c->latency[0]);
        if (is_never_issued(x, c, &x->c->latency[0], to))
            return false;
        to->value = histogram_quantile(&x->c->latency[0], share_of(x, c));
    } else if (whole) {
        to->value = estimate_of(x, c).mean;
    } else if (c->subject == CLAUSE_PERCENTILE) {
        far = judge_percentile(x, c, to);
    } else if (c->subject == CLAUSE_ERRORS) {
        judge_errors(x, c, to);
    } else {
        far = judge_mean(x, c, to);
    }
    if (whole)
        judge_whole(c, to);
    return far;
}

/* Judges a width. Returns false, because a width is not a limit that can be far away. */
static bool judge_width(const struct clause_context *x, const struct clause *c,
                        struct result_clause *to)
{
    double seconds, longer;
    bool enough;
    to->kind = METRIC_KIND_SHARE;
    if (c->subject == CLAUSE_PERCENTILE) {
        struct latency_source from = latencies_of(x, c);
        struct histogram *total = &x->c->latency[0];
        latency_total(&from, total);
        if (is_never_issued(x, c, total, to))
            return false;
        struct percentile_intervals intervals = {total, from.end - from.begin, latency_counts_above,
                                                 &from, from.remembers};
        struct percentile p = percentile_of_intervals(
            &intervals, share_of(x, c), x->c->plan.statistics.confidence, &x->c->scratch);
        seconds = latency_seconds(&from);
        percentile_words(&p, seconds, "s", to->note, sizeof to->note);
        to->value = (p.high - p.low) / p.value; /* NaN if there is no confidence interval */
        to->limit = c->limit / (c->width_is_absolute ? p.value : 1);
        longer = p.lack ? p.more : (to->value / to->limit) * (to->value / to->limit);
        enough = to->value <= to->limit;
    } else {
        struct judge_config config = plan_judge_config(&x->c->plan, true);
        struct estimate e = estimate_of(x, c);
        to->limit = c->limit / (c->width_is_absolute ? fabs(e.mean) : 1);
        config.target_width = to->limit;
        struct stop_rule rule = judge_stop_rule(&config);
        to->value = relative_width(&e);
        seconds = (double)e.n * x->j->slice_seconds;
        longer = (to->value / to->limit) * (to->value / to->limit);
        enough = to->value <= to->limit && stop_independent_enough(&e, &rule) &&
                 stop_long_enough(&e, &rule);
        if (!enough && longer <= 1)
            longer = fmax(stop_required_n(&e, &rule) / (double)e.n, 1.1);
    }
    to->verdict = enough ? CLAUSE_PASSED : CLAUSE_UNDECIDED;
    to->more_seconds = enough ? 0 : (longer - 1) * seconds;
    return false;
}

bool judge_clauses(struct contents *c, const struct judged *j, struct result_clause to[],
                   size_t *count)
{
    struct clauses limits = {0}, widths = {0};
    struct err e;
    const char *sla = c->judged_by[0] ? c->judged_by : c->plan.ending.sla;
    INVARIANT(!sla[0] || !clauses_parse_limits(&limits, sla, &e),
              "whoever gave --sla has parsed it");
    INVARIANT(!c->plan.ending.precise[0] || c->judged_by[0] ||
                  !clauses_parse_widths(&widths, c->plan.ending.precise, &e),
              "plan_check has parsed --precise");
    size_t estimated = clauses_estimated(&limits);
    struct clause_context x = {c, j, due_requests_of(c),
                               (1 - plan_sla_confidence(&c->plan)) /
                                   (double)(estimated ? estimated : 1)};
    bool decided = true;
    *count = 0;
    for (size_t i = 0; i < limits.count + widths.count; i++) {
        bool is_width = i >= limits.count;
        const struct clause *clause =
            is_width ? &widths.clause[i - limits.count] : &limits.clause[i];
        struct result_clause *of = &to[(*count)++];
        *of = (struct result_clause){.is_width = is_width,
                                     .is_fact = clause_is_fact(clause),
                                     .kind = kind_of(clause->subject),
                                     .value = NAN,
                                     .limit = clause->limit,
                                     .more_seconds = INFINITY};
        snprintf(of->text, sizeof of->text, "%s", clause->text);
        const bool far = j->any && (is_width ? judge_width : judge_limit)(&x, clause, of);
        if (of->verdict)
            of->more_seconds = 0;
        withhold_verdict(&x, clause, far, of);
        apply_assumed_memory(&c->plan, of);
        if (of->verdict != CLAUSE_PASSED)
            of->unseen = 0;
        decided &= of->verdict != CLAUSE_UNDECIDED;
    }
    return decided;
}
