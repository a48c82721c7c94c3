/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a search for a rate, one session after the other until something ends it, or loads a search
   from its folder. */
#include "many/repeat/find_rate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/invariant.h"
#include "base/units.h"
#include "io/io.h"
#include "many/repeat/internal.h"
#include "tables/metrics.h"

/* Length of the first session, which has no rate and only decides the rate of the first probe. */
#define TRIAL_SECONDS 1.0
/* Rate of the first session if its profile needs a rate. */
#define TRIAL_RATE 1e6
/*
 * Longest probe: a share of the whole search, but at least PROBE_TIMES times the shortest one.
 */
#define PROBE_SHARE 0.2
#define PROBE_TIMES 3
/* A verdict needs a minimum number of readings. The shortest probe has about this many requests. */
#define SHORTEST_REQUESTS 5000
/* A session also needs time for trial rounds and preparation. */
#define PREPARE_SECONDS 1.0

/* If slots were in use for less than this share of the time, this machine and not the target caused
   the delay. */
#define WAITED_LITTLE 0.3

#define FIND_RATE_TRIAL "saturation"
#define FIND_RATE_NAME  16

/* ---- what is known so far ---- */

static struct find_rate *find_rate_new(const struct plan *plan, struct err *e)
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
static double find_rate_round(double rate)
{
    double unit = pow(10, floor(log10(rate)) - 3);
    return fmax(round(rate / unit) * unit, 0.01);
}

/* If a session's ending ends the whole search, makes it the ending of the search. */
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

/* Returns the value for all operations, or for the only operation. */
static double value_of(const struct result *r, enum metric_id metric)
{
    const struct result_row *row = result_find(r, metric, "all");
    for (size_t i = 0; !row && i < r->row_count; i++)
        if (r->rows[i].metric == metric)
            row = &r->rows[i];
    return row ? row->value : NAN;
}

/*
 * Keeps what the report shows in addition to the probes: one session's rows, without its individual
 * data.
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

static void find_rate_take_trial(struct find_rate *f, struct session *session)
{
    session_result(session, f->result);
    f->search.saturation = value_of(f->result, METRIC_IOPS);
    take_ending(f, f->result, "without a rate");
    if (f->ending == FIND_RATE_GOES_ON && !(f->search.saturation > 0) &&
        verdict_is_imprecise(f->result->verdict)) {
        f->ending = FIND_RATE_LIMIT; /* a busy machine left no time for the session */
        f->search.saturation = NAN;
    } else if (f->ending == FIND_RATE_GOES_ON && !(f->search.saturation > 0)) {
        f->ending = FIND_RATE_FAILED;
        f->code = ERR_TARGET;
        snprintf(f->message, sizeof f->message, "nothing was completed in the first session");
    }
    keep_common(f, f->result);
    f->hardware = session_take_hardware(session);
}

/* Returns the logarithm of a clause's value over its limit; above 0: the value exceeds the limit.
 */
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
    /* The verdict of a clause is valid at any time, so also when the session reaches its limit. */
    if (r->verdict != VERDICT_DECIDED && r->verdict != VERDICT_LIMIT)
        return RATE_UNDECIDED;
    return failed ? RATE_FAILS : passed == r->clause_count ? RATE_HOLDS : RATE_UNDECIDED;
}

static void find_rate_take(struct find_rate *f, struct session *session)
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
    /* The deciding clause is the clause whose value is nearest to its limit, or farthest beyond it.
     */
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
    /* a backlog grows with time, so its response times only show how long the probe was */
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

/* ---- the search ---- */

static void find_rate_path(char to[REPEAT_PATH], const char *folder, const char *name,
                           const char *rest)
{
    snprintf(to, REPEAT_PATH, "%.1020s/%s%s", folder, name, rest);
}

static void find_rate_name(char to[FIND_RATE_NAME], size_t index)
{
    snprintf(to, FIND_RATE_NAME, "rate-%03u", (unsigned)(index + 1) % 1000);
}

struct searching {
    struct find_rate *found;
    const struct repeat_request *request;
    struct session_shared *shared;
    double began; /* seconds on CLOCK_BOOTTIME */
    char stage[80], what[48];
    bool first;
};

static double seconds_left(const struct searching *s)
{
    return s->found->plan.ending.limit_seconds - (seconds_of_clock(CLOCK_BOOTTIME) - s->began);
}

static void show_session(void *context, const struct session_progress *now)
{
    struct searching *s = context;
    struct session_progress shown = *now;
    snprintf(s->stage, sizeof s->stage, "%s: %.30s", s->what, now->stage);
    shown.stage = s->stage;
    s->request->observer->progress(s->request->observer->context, &shown);
}

/* Shows only the first session's notices, because they are the same in every session. */
static void notice_first(void *context, const char *words)
{
    const struct searching *s = context;
    if (s->first && s->request->observer->notice)
        s->request->observer->notice(s->request->observer->context, words);
}

static void keep_first_error(struct find_rate *found, const struct err *why)
{
    if (!found->keep_error.code)
        found->keep_error = *why;
}

/* Runs one session, and keeps it in its own folder. Returns -1 if it could not begin. */
static int run_one(struct searching *s, const struct plan *plan, const char *name,
                   struct session **session, struct err *e)
{
    const struct repeat_request *request = s->request;
    struct session_observer observer = {show_session, s, notice_first,
                                        request->observer && request->observer->live, false};
    struct err why = {0};
    char folder[REPEAT_PATH] = "", record[REPEAT_PATH] = "";
    if (request->folder) {
        find_rate_path(folder, request->folder, name, "");
        find_rate_path(record, request->folder, name, "/record.cupel");
        if (dir_make_new(folder, e)) {
            e->code = ERR_TARGET;
            return -1;
        }
    }
    int status = session_run_shared(
        session, plan, request->root, record[0] ? record : NULL, request->stop,
        request->observer && request->observer->progress ? &observer : NULL, s->shared, e);
    s->first = false;
    if (status) {
        if (folder[0])
            rmdir(folder); /* only an empty folder is removed, and this one is new */
        return -1;
    }
    session_result(*session, s->found->result);
    if (folder[0] && request->keep &&
        request->keep(request->context, folder, s->found->result, &why))
        keep_first_error(s->found, &why);
    return 0;
}

/* Measures how much the target completes without a limit. Returns -1 if the session could not
   begin. */
static int run_trial(struct searching *s, struct err *e)
{
    struct session *session;
    struct plan plan = s->found->plan;
    plan.ending.find_rate[0] = '\0';
    plan.ending.runtime_seconds = TRIAL_SECONDS;
    plan.measure_overhead = false;
    plan.rate_iops = plan.profile[0] ? TRIAL_RATE : 0;
    snprintf(s->what, sizeof s->what, "without a rate");
    if (run_one(s, &plan, FIND_RATE_TRIAL, &session, e))
        return -1;
    find_rate_take_trial(s->found, session);
    session_free(session);
    return 0;
}

static struct plan plan_of_probe(const struct searching *s, double rate)
{
    const struct find_rate *found = s->found;
    size_t index = found->search.count;
    struct plan plan = found->plan;
    double shortest = fmax(plan.ending.minimum_seconds, SHORTEST_REQUESTS / rate) + PREPARE_SECONDS;
    plan.rate_iops = rate;
    snprintf(plan.ending.sla, sizeof plan.ending.sla, "%s", plan.ending.find_rate);
    plan.statistics.confidence = 1 - rate_search_alpha(found->search.alpha, index);
    plan.seed = repeat_seed(plan.seed, (uint32_t)index + 1);
    plan.ending.limit_seconds = fmin(
        seconds_left(s), fmax(PROBE_SHARE * plan.ending.limit_seconds, PROBE_TIMES * shortest));
    return plan;
}

/* Runs probes until the answer is narrow enough, or something ends the search. */
static void run_probes(struct searching *s)
{
    struct find_rate *found = s->found;
    double rate;
    while (found->ending == FIND_RATE_GOES_ON && rate_search_next(&found->search, &rate)) {
        char name[FIND_RATE_NAME], number[UNITS_BUFFER];
        struct session *session;
        struct err why = {0};
        if (s->request->stop && *s->request->stop) {
            found->ending = FIND_RATE_INTERRUPTED;
            return;
        }
        if (seconds_left(s) < found->plan.ending.minimum_seconds + PREPARE_SECONDS) {
            found->ending = FIND_RATE_LIMIT;
            return;
        }
        rate = find_rate_round(rate);
        struct plan plan = plan_of_probe(s, rate);
        snprintf(s->what, sizeof s->what, "probe %zu at %.16s/s", found->search.count + 1,
                 format_count(number, sizeof number, rate));
        find_rate_name(name, found->search.count);
        if (run_one(s, &plan, name, &session, &why)) {
            found->ending = why.code == ERR_UNDECIDED ? FIND_RATE_INTERRUPTED : FIND_RATE_FAILED;
            found->code = why.code;
            snprintf(found->message, sizeof found->message, "%.60s: %.170s", s->what, why.msg);
            return;
        }
        find_rate_take(found, session);
        session_free(session);
    }
}

int find_rate_run(struct find_rate **found, const struct repeat_request *request, struct err *e)
{
    struct searching s = {.request = request,
                          .found = find_rate_new(request->plan, e),
                          .shared = session_shared_new(),
                          .began = seconds_of_clock(CLOCK_BOOTTIME),
                          .first = true};
    struct err why = {0};
    int status = -1;
    if (s.shared)
        session_shared_rank(s.shared, request->start);
    if (s.found && s.shared)
        status = run_trial(&s, e);
    else
        err_no_memory(e, "a search");
    if (!status)
        run_probes(&s);
    if (s.shared && session_shared_end(s.shared, &why) && s.found)
        snprintf(s.found->warning, sizeof s.found->warning, "%.230s", why.msg);
    if (status)
        find_rate_free(s.found);
    else
        *found = s.found;
    return status;
}

/* ---- the folder ---- */

bool find_rate_is_folder(const char *folder)
{
    char path[REPEAT_PATH];
    find_rate_path(path, folder, FIND_RATE_TRIAL, "/record.cupel");
    return access(path, F_OK) == 0;
}

/* Returns the plan of the search, made from the plan of its first probe. */
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

int find_rate_kept(const struct find_rate *found, struct err *e)
{
    if (!found->keep_error.code)
        return 0;
    *e = found->keep_error;
    return -1;
}
