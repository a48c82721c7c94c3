/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of the sessions of a search for a rate: a probe from each, and the result of all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/invariant.h"
#include "io/io.h"
#include "many/repeat/find_rate.h"
#include "many/repeat/internal.h"
#include "tables/metrics.h"

/* If slots were in use for less than this share of the time, the target did not cause the delay. */
#define WAITED_LITTLE 0.3

struct find_rate *find_rate_new(const struct plan *plan, struct err *e)
{
    struct find_rate *f = calloc(1, sizeof *f);
    if (f) {
        f->plan = *plan;
        f->result = calloc(1, sizeof *f->result);
        f->common = calloc(1, sizeof *f->common);
        f->search = (struct rate_search){.saturation = NAN,
                                         .width = plan->statistics.target_width,
                                         .alpha = 1 - plan->statistics.confidence};
    }
    if (f && f->result && f->common)
        return f;
    find_rate_free(f);
    err_no_memory(e, "a search");
    return NULL;
}

void find_rate_free(struct find_rate *f)
{
    if (!f)
        return;
    inventory_free(&f->hardware);
    free(f->result);
    free(f->common);
    free(f);
}

/* Rounds a rate to four digits, for people to read, and the same in every format. */
double find_rate_round(double rate)
{
    double unit = pow(10, floor(log10(rate)) - 3);
    return fmax(round(rate / unit) * unit, 0.01);
}

/* Takes over a session's ending that ends the whole search. */
static void take_ending(struct find_rate *f, const struct result *r, const char *what)
{
    if (r->verdict == VERDICT_FAILED) {
        f->ending = FIND_RATE_FAILED;
        f->code = ERR_TARGET;
        snprintf(f->message, sizeof f->message, "%.40s: %.190s", what, r->failure);
    } else if (r->verdict == VERDICT_INTERRUPTED) {
        f->ending = FIND_RATE_INTERRUPTED;
    } else if (r->verdict == VERDICT_CUT_SHORT || r->verdict == VERDICT_DAMAGED) {
        f->ending = FIND_RATE_CUT_SHORT;
    }
}

/* Returns the value for all operations, or for the only one. */
static double value_of(const struct result *r, enum metric_id metric)
{
    const struct result_row *row = result_find(r, metric, "all");
    for (size_t i = 0; !row && i < r->row_count; i++)
        if (r->rows[i].metric == metric)
            row = &r->rows[i];
    return row ? row->value : NAN;
}

/*
 * Keeps what the report shows beside the probes: one session's rows, without its individual data.
 */
static void keep_common(struct find_rate *f, const struct result *from)
{
    struct result *to = f->common;
    *to = *from;
    to->series_count = to->histogram_count = to->round_count = to->phase_count = 0;
    to->has_issue_error = false;
    to->periods = NULL;
    to->period_count = 0;
    to->priorities = NULL;
    to->priority_count = 0;
    to->timeline.count = to->timeline.gauge_count = 0;
    to->hardware = NULL;
}

void find_rate_take_trial(struct find_rate *f, struct session *session)
{
    session_result(session, f->result);
    f->search.saturation = value_of(f->result, METRIC_IOPS);
    take_ending(f, f->result, "without a rate");
    if (f->ending == FIND_RATE_GOES_ON && !(f->search.saturation > 0) &&
        verdict_is_imprecise(f->result->verdict)) {
        f->ending = FIND_RATE_LIMIT; /* a busy machine had no time for it */
        f->search.saturation = NAN;
    } else if (f->ending == FIND_RATE_GOES_ON && !(f->search.saturation > 0)) {
        f->ending = FIND_RATE_FAILED;
        f->code = ERR_TARGET;
        snprintf(f->message, sizeof f->message, "nothing was completed in the first session");
    }
    keep_common(f, f->result);
    f->hardware = session_take_hardware(session);
}

/* Returns the distance of a clause's value from its limit; above 0: beyond it. */
static double margin_of(const struct result_clause *c)
{
    return c->value > 0 && c->limit > 0 ? log(c->value / c->limit) : NAN;
}

/* Finds the interval of a clause's value, from the row of the same metric. */
static void find_interval(const struct result *r, const struct clause *c, struct result_probe *to)
{
    static const struct {
        enum metric_id metric;
        double share;
    } percentiles[] = {
#define ROW(metric, share) {metric, share},
        PERCENTILE_ROWS(ROW)
#undef ROW
    };
    enum metric_id metric = METRIC_COUNT;
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
        if (c->subject == CLAUSE_PERCENTILE && fabs(percentiles[i].share - c->share) < 1e-9)
            metric = percentiles[i].metric;
    metric = c->subject == CLAUSE_MEAN ? METRIC_RESPONSE_TIME : metric;
    for (size_t i = 0; i < r->row_count && c->time == CLAUSE_RESPONSE; i++)
        if (r->rows[i].metric == metric && (!c->op[0] || !strcmp(r->rows[i].op, c->op))) {
            to->low = r->rows[i].low;
            to->high = r->rows[i].high;
            return;
        }
}

static enum rate_verdict verdict_of(const struct find_rate *f, const struct result *r)
{
    const struct io_ops *ops = io_backend_by_name(f->plan.engine);
    size_t passed = 0, failed = 0;
    for (size_t i = 0; i < r->clause_count; i++) {
        passed += r->clauses[i].verdict == CLAUSE_PASSED;
        failed += r->clauses[i].verdict == CLAUSE_FAILED;
    }
    if (r->verdict == VERDICT_SATURATED)
        return r->waited_share < WAITED_LITTLE && !(ops && ops->serial) ? RATE_NOT_ISSUED
                                                                        : RATE_FAILS;
    /* The evidence is valid at any time, so also at the session's limit. */
    if (r->verdict != VERDICT_DECIDED && r->verdict != VERDICT_LIMIT)
        return RATE_UNDECIDED;
    return failed ? RATE_FAILS : passed == r->clause_count ? RATE_HOLDS : RATE_UNDECIDED;
}

void find_rate_take(struct find_rate *f, struct session *session)
{
    const struct result *r = f->result;
    const struct plan *plan = session_plan(session);
    struct clauses clauses = {0};
    struct err e;
    char what[40];
    session_result(session, f->result);
    snprintf(what, sizeof what, "probe %zu", f->search.count + 1);
    take_ending(f, r, what);
    if (f->search.count == RATE_PROBES_MAX || f->ending != FIND_RATE_GOES_ON)
        return;
    struct result_probe *to = &f->probes[f->search.count];
    *to = (struct result_probe){.number = f->search.count + 1,
                                .rate = plan->rate_iops,
                                .iops = value_of(r, METRIC_IOPS),
                                .response_ns = value_of(r, METRIC_RESPONSE_TIME),
                                .backlog = value_of(r, METRIC_BACKLOG),
                                .backlog_growth = value_of(r, METRIC_BACKLOG_GROWTH),
                                .seconds = session_length(session),
                                .confidence = plan->statistics.confidence,
                                .verdict = verdict_of(f, r),
                                .ended = r->verdict,
                                .low = NAN,
                                .high = NAN};
    /* The deciding clause is the one nearest to its limit, or farthest beyond it. */
    double margin = NAN;
    INVARIANT(!clauses_parse_limits(&clauses, plan->ending.sla, &e), "plan_check has parsed --sla");
    for (size_t i = 0; i < r->clause_count && i < clauses.count; i++) {
        double of = margin_of(&r->clauses[i]);
        if (i && !(of > margin || isnan(margin)))
            continue;
        margin = of;
        to->clause = r->clauses[i];
        to->low = to->high = NAN;
        find_interval(r, &clauses.clause[i], to);
    }
    /* a backlog grows with time: its response times depend on the length of the probe */
    bool piles_up = r->verdict == VERDICT_SATURATED;
    const struct rate_probe probe = {to->rate, to->verdict, piles_up ? INFINITY : margin};
    double held = rate_search_answer(&f->search).holds;
    rate_search_add(&f->search, &probe);
    bool is_best = probe.verdict == RATE_HOLDS && probe.rate > held;
    bool is_lowest = !(held > 0) && (f->search.count == 1 || probe.rate < f->common_rate);
    if (is_best || is_lowest) {
        keep_common(f, r);
        f->common_rate = probe.rate;
    }
}

/* ---- the folder ---- */

void find_rate_path(char to[REPEAT_PATH], const char *folder, const char *name, const char *rest)
{
    snprintf(to, REPEAT_PATH, "%.1020s/%s%s", folder, name, rest);
}

void find_rate_name(char to[FIND_RATE_NAME], size_t index)
{
    snprintf(to, FIND_RATE_NAME, "rate-%03u", (unsigned)(index + 1) % 1000);
}

bool find_rate_is_folder(const char *folder)
{
    char path[REPEAT_PATH];
    find_rate_path(path, folder, FIND_RATE_TRIAL, "/record.cupel");
    return access(path, F_OK) == 0;
}

/* Returns the plan of the search, from that of its first probe. */
static struct plan plan_of_search(const struct plan *probe)
{
    struct plan plan = *probe;
    plan.statistics.confidence = 1 - (1 - probe->statistics.confidence) / rate_search_alpha(1, 0);
    plan.rate_iops = 0;
    plan.ending.sla[0] = '\0';
    return plan;
}

int find_rate_load(struct find_rate **found, const char *folder, struct err *e)
{
    char path[REPEAT_PATH], name[FIND_RATE_NAME];
    struct session *trial = NULL, *probe = NULL;
    struct find_rate *f = NULL;
    find_rate_name(name, 0);
    find_rate_path(path, folder, name, "/record.cupel");
    if (session_load(&probe, path, e))
        return -1;
    struct plan plan = plan_of_search(session_plan(probe));
    session_free(probe);
    find_rate_path(path, folder, FIND_RATE_TRIAL, "/record.cupel");
    if (session_load(&trial, path, e))
        return -1;
    f = find_rate_new(&plan, e);
    if (f)
        find_rate_take_trial(f, trial);
    session_free(trial);
    for (size_t i = 0; f && i < RATE_PROBES_MAX && f->ending == FIND_RATE_GOES_ON; i++) {
        find_rate_name(name, i);
        find_rate_path(path, folder, name, "/record.cupel");
        if (access(path, F_OK))
            break;
        int status = session_load(&probe, path, e);
        if (!status && strcmp(session_plan(probe)->ending.find_rate, plan.ending.find_rate) != 0)
            status =
                err_set(e, ERR_USAGE, "%s: it is not of the same search as the first probe", path);
        else if (!status)
            find_rate_take(f, probe);
        session_free(status ? NULL : probe);
        if (status) {
            find_rate_free(f);
            return -1;
        }
    }
    *found = f;
    return f ? 0 : -1;
}

/* ---- the result ---- */

static enum verdict verdict_over(const struct find_rate *f, const struct rate_answer *a)
{
    switch (f->ending) {
    case FIND_RATE_FAILED:
        return VERDICT_FAILED;
    case FIND_RATE_INTERRUPTED:
        return VERDICT_INTERRUPTED;
    case FIND_RATE_CUT_SHORT:
        return VERDICT_CUT_SHORT;
    default:
        return a->narrow || a->none || a->machine ? VERDICT_DECIDED : VERDICT_LIMIT;
    }
}

void find_rate_result(struct find_rate *f, struct result *r)
{
    struct rate_answer a = rate_search_answer(&f->search);
    f->view = (struct result_rates){.probes = f->probes,
                                    .count = f->search.count,
                                    .holds = a.holds,
                                    .fails = a.fails,
                                    .ceiling = a.ceiling,
                                    .estimate = rate_search_estimate(&f->search),
                                    .width = a.width,
                                    .asked = f->search.width,
                                    .confidence = 1 - f->search.alpha,
                                    .saturation = f->search.saturation,
                                    .narrow = a.narrow,
                                    .none = a.none,
                                    .machine = a.machine};
    snprintf(f->view.clauses, sizeof f->view.clauses, "%s", f->plan.ending.find_rate);
    *r = *f->common;
    r->hardware = &f->hardware;
    r->rates = &f->view;
    r->verdict = verdict_over(f, &a);
    snprintf(r->failure, sizeof r->failure, "%s", f->message);
    if (f->warning[0])
        result_note(r, true, "%s", f->warning);
    bool between = f->view.estimate > a.holds && f->view.estimate < a.fails;
    /* An open search has found where the answer lies, and not the answer. */
    const bool decided = a.narrow || a.none || a.machine;
    struct result_row *row = result_add(r, METRIC_HIGHEST_RATE, "all",
                                        !decided  ? (double)NAN
                                        : between ? f->view.estimate
                                                  : a.holds);
    row->low = a.holds;
    row->high = a.fails;
    row->confidence = f->view.confidence;
    row->n = f->search.count;
    snprintf(row->note, sizeof row->note, "%s%.80s", decided ? "" : "undecided: ", f->view.clauses);
}
