/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a search for a rate: one session after the other, until something ends it. */
#include "many/repeat/find_rate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/units.h"
#include "many/repeat/internal.h"

/* Length of the session without a rate, which only places the first probe. */
#define TRIAL_SECONDS 1.0
/* Rate of that session for a profile, which needs a rate. */
#define TRIAL_RATE 1e6
/*
 * Longest probe: a share of the whole search, but at least PROBE_TIMES times the shortest one.
 */
#define PROBE_SHARE 0.2
#define PROBE_TIMES 3
/* A verdict needs a minimum number of readings, which take about this many requests. */
#define SHORTEST_REQUESTS 5000
/* A session also needs time for trial rounds and preparation. */
#define PREPARE_SECONDS 1.0

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
            rmdir(folder); /* only removed if it is empty; it is new and ours */
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

int find_rate_kept(const struct find_rate *found, struct err *e)
{
    if (!found->keep_error.code)
        return 0;
    *e = found->keep_error;
    return -1;
}
