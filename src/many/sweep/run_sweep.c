/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the runs of a sweep one after the other. A resumed sweep writes only to the file or device
 * on which it began.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/random.h"
#include "io/target/target_identity.h"
#include "many/sweep/internal.h"
#include "run/record/record.h"

#define STREAM_REQUESTS 500 /* random stream of the plan's seed for the seeds of runs */
#define RECENT_RUNS     50  /* number of runs from which the time left is estimated */

static int refuse(const struct sweep_request *r, const char *why, struct err *e)
{
    return err_set(
        e, ERR_UNSAFE,
        "%.200s: %s; --same-target says that it is the same, and a new -o begins a sweep "
        "of its own; nothing was written",
        r->target_name, why);
}

/* Records the target's identity in the log. ERR_UNSAFE: the log has runs on another target. */
static int sweep_target_check(struct sweep_log *log, const struct sweep_request *r, bool resumed,
                              struct err *e)
{
    char now[TARGET_IDENTITY_BYTES];
    if (r->target < 0 || log->lines.fd < 0)
        return 0;
    const bool known = target_identity(r->target, now);
    const bool same = !strcmp(now, log->target);
    if (resumed && !r->target_is_new && !r->same_target) {
        if (*log->target && !same)
            return refuse(r, "it is not the file or device that the sweep was begun on", e);
        if (r->may_destroy && !(known && same))
            return refuse(r, "nothing shows that it is what the sweep was begun on", e);
    }
    return same ? 0 : sweep_log_target(log, now, e);
}

static int64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- configurations ---- */

static bool is_same(const struct sweep_plan *plan, const struct sweep_configuration *a,
                    const struct sweep_configuration *b)
{
    return !memcmp(a->level, b->level, plan->factor_count);
}

/* Returns the control of a plan that names none: the middle level of each factor or, if the
   constraints exclude that, the middle of the list. */
static struct sweep_configuration middle_of(const struct sweep_plan *plan,
                                            const struct sweep_list *list)
{
    struct sweep_configuration c = {{0}};
    for (size_t i = 0; i < plan->factor_count; i++)
        c.level[i] = (unsigned char)(plan->factors[i].level_count / 2);
    return sweep_is_allowed(plan, &c) ? c : list->configurations[list->count / 2];
}

static int add_control(const struct sweep_plan *plan, struct sweep_list *list,
                       const struct sweep_configuration *c, struct err *e)
{
    size_t i = 0;
    while (i < list->number_count && !is_same(plan, &list->configurations[i], c))
        i++;
    if (i == list->number_count) {
        struct sweep_configuration *larger =
            realloc(list->configurations, (i + 1) * sizeof *larger);
        if (!larger)
            return err_no_memory(e, "the configurations");
        list->configurations = larger;
        larger[list->number_count++] = *c;
    }
    list->controls[list->control_count++] = (uint32_t)i;
    return 0;
}

static int make_list(const struct sweep_plan *plan, struct sweep_list *list, struct err *e)
{
    if (sweep_design_make(plan, &list->configurations, &list->count, e))
        return -1;
    list->number_count = list->count;
    for (size_t i = 0; i < plan->control_count; i++)
        if (add_control(plan, list, &plan->controls[i], e))
            return -1;
    if (plan->control_every && !plan->control_count) {
        struct sweep_configuration middle = middle_of(plan, list);
        return add_control(plan, list, &middle, e);
    }
    return 0;
}

/* ---- one run ---- */

static void show(struct sweep *s, const struct sweep_request *r, const struct sweep_pick *pick)
{
    char words[160], shown[160];
    double recent = 0;
    size_t count = s->all.count < RECENT_RUNS ? s->all.count : RECENT_RUNS;
    for (size_t i = s->all.count - count; i < s->all.count; i++)
        recent += s->all.runs[i].seconds / (double)count;
    uint64_t total = sweep_schedule_total(&s->schedule), done = s->schedule.regular;
    double controls =
        r->plan->control_every ? 1 + (double)s->list.control_count / r->plan->control_every : 1;
    struct sweep_progress now = {
        .elapsed_seconds = seconds_of_clock(CLOCK_MONOTONIC) - s->began,
        .left_seconds = count && total >= done ? (double)(total - done) * controls * recent : NAN};
    sweep_configuration_words(r->plan, &s->list.configurations[pick->configuration], words,
                              sizeof words);
    snprintf(now.words, sizeof now.words, "%s %llu of %s%llu: %s",
             pick->control ? "control before run" : "run", (unsigned long long)done + 1,
             s->open_repeats ? "at least " : "", (unsigned long long)total,
             span_printable(shown, sizeof shown, span_of(words)));
    if (r->progress)
        r->progress(r->context, &now);
}

/* Makes the path of a run's record. Removes the record of an interrupted run, which is repeated. */
static int record_path(char to[PATH_MAX], const struct sweep *s, const struct sweep_request *r,
                       struct err *e)
{
    struct stat st;
    if (!file_path(to, "%s/records", r->folder))
        return err_set(e, ERR_USAGE, "%.80s...: the name is too long", r->folder);
    if (mkdir(to, 0777) && errno != EEXIST)
        return err_set(e, ERR_TARGET, "%s: %s", to, strerror(errno));
    if (!file_path(to, "%s/records/run-%06zu.cupel", r->folder, s->all.count + 1))
        return err_set(e, ERR_USAGE, "%.80s...: the name is too long", r->folder);
    /* A sweep that was killed early may have left an empty file. */
    bool is_empty = !lstat(to, &st) && S_ISREG(st.st_mode) && !st.st_size;
    if (!is_empty && file_may_be_written_over(to, RECORD_MARK, e))
        return -1;
    if (unlink(to) && errno != ENOENT)
        return err_set(e, ERR_TARGET, "%s: %s", to, strerror(errno));
    return 0;
}

static int make_run(struct sweep *s, const struct sweep_request *r, const struct sweep_pick *pick,
                    struct sweep_outcome *outcome, struct err *e)
{
    const struct sweep_configuration *c = &s->list.configurations[pick->configuration];
    char path[PATH_MAX];
    struct random random;
    *outcome = (struct sweep_outcome){.why = ""};
    if (r->keep_records && record_path(path, s, r, e))
        return -1;
    int status = level_commands_set(&s->commands, c, e);
    if (status < 0)
        return -1;
    outcome->stopped = status > 0;
    if (outcome->stopped)
        return 0;
    random_seed(&random, r->plan->seed, STREAM_REQUESTS);
    uint64_t seed = random_u64(&random) ^ (s->all.count + s->all.failed);
    return r->runner->run(r->runner->context, c, seed, r->keep_records ? path : NULL, outcome, e);
}

static void note_failure(struct sweep *s, const char *why)
{
    s->all.failed++;
    snprintf(s->all.failure, sizeof s->all.failure, "%s", why);
}

/* Does one run. Returns 1 if the user stopped it, -1 if no more runs are possible. */
static int run_one(struct sweep *s, const struct sweep_request *r, const struct sweep_pick *pick,
                   struct err *e)
{
    struct sweep_outcome outcome;
    struct sweep_run run = {.configuration = pick->configuration,
                            .block = pick->block,
                            .control = pick->control,
                            .time_ns = wall_ns(),
                            .host = s->host,
                            .values = outcome.values};
    double begin = seconds_of_clock(CLOCK_MONOTONIC);
    show(s, r, pick);
    if (make_run(s, r, pick, &outcome, e))
        return -1;
    if (outcome.stopped)
        return 1;
    if (outcome.left_out) { /* the schedule picks it again */
        s->left_out++;
        snprintf(s->left_out_by, sizeof s->left_out_by, "%s", outcome.why);
        return 0;
    }
    /* Rounded as in the log, so that a resumed sweep prints the same. */
    run.seconds = round((seconds_of_clock(CLOCK_MONOTONIC) - begin) * 1e6) / 1e6;
    if (outcome.why[0]) {
        note_failure(s, outcome.why);
        s->undecided += outcome.undecided;
        s->failures_in_row++;
        sweep_schedule_take(&s->schedule, pick, true);
        return sweep_log_failure(&s->log, &run, outcome.why, e);
    }
    s->failures_in_row = 0;
    if (sweep_log_run(&s->log, &run, r->plan->response_count, e) ||
        sweep_runs_add(&s->all, &run, e))
        return -1;
    sweep_schedule_take(&s->schedule, pick, false);
    return 0;
}

static enum sweep_ending run_all(struct sweep *s, const struct sweep_request *r, struct err *e)
{
    struct sweep_pick pick;
    while (sweep_schedule_next(&s->schedule, &pick)) {
        if (*r->stop)
            return SWEEP_INTERRUPTED;
        if (r->limit_seconds > 0 &&
            seconds_of_clock(CLOCK_MONOTONIC) - s->began >= r->limit_seconds)
            return SWEEP_LIMIT;
        int status = run_one(s, r, &pick, e);
        if (status > 0)
            return SWEEP_INTERRUPTED;
        if (!status && s->failures_in_row == SWEEP_FAILURES)
            status = err_set(
                e, s->undecided == s->all.failed - s->failed_before ? ERR_UNDECIDED : ERR_TARGET,
                "%d runs in a row failed; the last one: %s", SWEEP_FAILURES, s->all.failure);
        if (status)
            return SWEEP_FAILED;
    }
    return SWEEP_COMPLETE;
}

/* ---- the sweep ---- */

static int prepare(struct sweep *s, const struct sweep_request *r, struct err *e)
{
    char host[256] = "";
    s->plan = r->plan;
    s->shard = r->shard;
    s->shards = r->shards;
    s->open_repeats = r->plan->sd_width > 0;
    s->all.response_count = r->plan->response_count;
    s->began = seconds_of_clock(CLOCK_MONOTONIC);
    s->log.lines.fd = -1;
    if (make_list(r->plan, &s->list, e) ||
        sweep_log_open(&s->log, r, (uint32_t)s->list.number_count, &s->all, e))
        return -1;
    const bool resumed = s->all.count || s->all.failed || *s->log.target;
    if (sweep_target_check(&s->log, r, resumed, e))
        return -1;
    s->failed_before = s->all.failed;
    gethostname(host, sizeof host - 1);
    for (char *p = host; *p; p++)
        if (*p == ',' || *p == '\n')
            *p = '_';
    s->host = sweep_host_name(&s->all, host[0] ? host : "localhost");
    if (!s->host)
        return err_no_memory(e, "the host's name");
    s->schedule = (struct sweep_schedule){
        .plan = r->plan, .list = &s->list, .all = &s->all, .shard = r->shard, .shards = r->shards};
    return sweep_schedule_make(&s->schedule, e);
}

int sweep_run(struct sweep **sweep, const struct sweep_request *request, struct err *e)
{
    struct err why = {0}, after = {0};
    struct sweep *s = calloc(1, sizeof *s);
    *sweep = s;
    if (!s)
        return err_no_memory(e, "a sweep");
    if (prepare(s, request, e) ||
        level_commands_begin(&s->commands, request->plan, request->stop, e)) {
        sweep_free(s);
        *sweep = NULL;
        return -1;
    }
    s->ending = run_all(s, request, &why);
    if (level_commands_end(&s->commands, &after) && s->ending != SWEEP_FAILED) {
        s->ending = SWEEP_FAILED;
        why = after;
    }
    if (s->ending == SWEEP_FAILED) {
        snprintf(s->failure, sizeof s->failure, "%.230s", why.msg);
        s->failure_code = why.code;
    }
    sweep_log_close(&s->log);
    if (s->all.count || s->ending != SWEEP_FAILED)
        return 0;
    sweep_free(s);
    *sweep = NULL;
    if (e)
        *e = why;
    return -1;
}

static void sweep_runs_free(struct sweep_runs *all)
{
    free(all->runs);
    free(all->values);
    pool_free(&all->hosts);
}

void sweep_free(struct sweep *s)
{
    if (!s)
        return;
    sweep_log_close(&s->log);
    sweep_schedule_free(&s->schedule);
    sweep_runs_free(&s->all);
    free(s->list.configurations);
    free(s);
}
