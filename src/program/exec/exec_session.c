/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs rounds until every index is as precise as requested, or the limit, a signal or too many
 * failures come first. Judging takes the whole series each time. The rounds are therefore judged
 * only when the time since the last judgement is fifty times what that judgement cost: rounds of
 * seconds are judged one by one, and a hundred thousand short rounds are not slowed down.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "program/exec/internal.h"

#define JUDGE_COST_SHARE 0.02

struct run {
    struct exec_session *session;
    struct exec *exec;
    struct exec_record *record;  /* NULL: no record is kept */
    struct program_watch *watch; /* NULL: nothing is watched */
    const volatile sig_atomic_t *stop;
    const struct exec_observer *observer;
    /* the rounds that begin and end together with those of other ranks */
    struct rank_rounds common;
    double begin;    /* begin of the session, plus the time of waiting for other ranks */
    double judge_at; /* time from which on the next judgement is worth its cost */
    bool gives_up;   /* the last judgements found that a width is out of reach */
    uint64_t failures_in_a_row;
    uint64_t folders_left; /* number of rounds' folders that could not be removed */
};

static void set_date(char *to, size_t size)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    format_instant(to, size, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

/* ---- judging ---- */

bool exec_session_varies_work(const struct exec_session *s)
{
    return s->plan.work_range.max > 0;
}

int exec_session_judge(struct exec_session *s, struct err *e)
{
    if (judging_reserve(&s->judging, s->series.count, s->index_count, e))
        return -1;
    for (size_t i = 0; i < s->index_count; i++)
        index_judge(&s->judging, i, &s->indices[i], &s->plan.config, s->series.values[i],
                    s->series.count, &s->judged[i]);
    if (exec_session_varies_work(s))
        work_indices_judge(s);
    if (unit_session_judge(&s->units, &s->plan.config, s->plan.unit_rounds, e))
        return -1;
    s->judged_n = s->series.count;
    return 0;
}

bool exec_session_is_precise(const struct exec_session *s)
{
    for (size_t i = 0; i < s->index_count; i++)
        if (s->judged[i].target_width > 0 && !s->judged[i].enough)
            return false;
    return unit_session_is_precise(&s->units) && s->judged_n > 0 && s->judged_n == s->series.count;
}

/* Returns the mean time from the begin of one round to the begin of the next. */
static double round_seconds(const struct exec_session *s)
{
    const struct execution_round *last = &s->series.rounds[s->series.round_count - 1];
    return (last->begin_seconds + last->seconds) / (double)s->series.round_count;
}

bool exec_session_is_out_of_reach(const struct exec_session *s)
{
    if (s->plan.rounds || !s->series.count || s->judged_n != s->series.count)
        return false;
    const double limit_rounds = s->plan.limit_seconds / round_seconds(s);
    for (size_t i = 0; i < s->index_count; i++) {
        const struct execution_index *index = &s->judged[i];
        if (index->target_width > 0 && !index->enough && index->stable_end == index->n &&
            level_out_of_reach(&index->claim, limit_rounds))
            return true;
    }
    return false;
}

static int judge_when_due(struct run *r, double now, struct err *e)
{
    struct exec_session *s = r->session;
    const bool others_ended = rank_rounds_all_have_enough(&r->common, now - r->begin);
    if (s->series.count < (s->units.count ? 1 : 2) || (now < r->judge_at && !others_ended))
        return 0;
    int status = exec_session_judge(s, e);
    r->gives_up =
        !status && level_gives_up(&s->looks, exec_session_is_out_of_reach(s), now - r->begin);
    double end = seconds_of_clock(CLOCK_MONOTONIC);
    r->judge_at = end + (end - now) / JUDGE_COST_SHARE;
    return status;
}

/* ---- rounds ---- */

double exec_session_next_work(const struct exec_session *s)
{
    return exec_session_varies_work(s)
               ? s->work.plan.next
               : fmin(ldexp(s->plan.work, (int)fmin((double)s->series.count, 64)),
                      s->plan.max_work);
}

/* Lowers the number of required rounds to what fits into the limit, as the first round's duration
   shows, but not below plan.fewest_rounds. */
static void fit_into_limit(struct exec_session *s, const struct execution_round *first)
{
    const double room = 0.9;
    struct judge_config *config = &s->plan.config;
    double fit = room * s->plan.limit_seconds / first->seconds;
    size_t rounds = fit < (double)config->minimum_readings ? (size_t)fit : config->minimum_readings;
    if (!s->plan.fewest_rounds || rounds >= config->minimum_readings)
        return;
    config->minimum_subsessions = s->plan.fewest_rounds;
    config->minimum_readings = rounds > s->plan.fewest_rounds ? rounds : s->plan.fewest_rounds;
}

int exec_session_add(struct exec_session *s, const struct execution_round *round,
                     const double values[], struct err *e)
{
    s->failed += round->why && !round->left_out;
    s->left_out += round->left_out;
    if (round_series_add(&s->series, round, values, e))
        return -1;
    if (round->why || round->warmup)
        return 0;
    if (s->series.count == 1)
        fit_into_limit(s, round);
    if (!exec_session_varies_work(s))
        return 0;
    const struct work_round now = {round->work, values[WORK_INDICES]};
    return work_session_add(&s->work, &now, s->plan.config.estimate.confidence, e);
}

static const struct execution_index *slowest_index(const struct exec_session *s)
{
    const struct execution_index *slowest = NULL;
    const size_t units = s->units.index_count;
    for (size_t i = 0; i < units + s->index_count && s->judged_n > 0; i++) {
        const struct execution_index *index =
            i < units ? &s->units.judged[i] : &s->judged[i - units];
        bool later = !slowest || (slowest->enough && !index->enough) ||
                     (slowest->enough == index->enough && index->required_n > slowest->required_n);
        if (index->target_width > 0 && later)
            slowest = index;
    }
    return slowest;
}

static void report_progress(const struct run *r, double elapsed)
{
    const struct exec_session *s = r->session;
    struct exec_progress now = {.rounds = s->series.count,
                                .failed = s->failed,
                                .elapsed_seconds = elapsed,
                                .limit_seconds = s->plan.limit_seconds,
                                .slowest = slowest_index(s),
                                .left_seconds = NAN};
    double needed = s->plan.rounds ? (double)s->plan.rounds
                    : now.slowest  ? now.slowest->required_n
                                   : NAN;
    if (s->series.count > 0) {
        double left = (needed - (double)s->series.count) * elapsed / (double)s->series.round_count;
        if (exec_session_varies_work(s) && !s->plan.rounds)
            left = s->work.left.seconds;
        now.left_seconds = fmax(left, s->plan.minimum_seconds - elapsed);
        now.left_seconds = isnan(left) ? NAN : fmax(now.left_seconds, 0);
    }
    if (r->observer && r->observer->progress)
        r->observer->progress(r->observer->context, &now);
}

static int keep_units(struct run *r, const struct unit_reader *from, uint64_t round, struct err *e)
{
    struct exec_session *s = r->session;
    int status = 0;
    for (size_t i = 0; i < s->units.index_count && !status; i++) {
        const struct execution_units units = {.round = round,
                                              .index = i,
                                              .values = from->kept[i],
                                              .n = from->kept_count,
                                              .merged = from->merged};
        status = unit_session_add(&s->units, &s->plan.config, &units, e);
        if (!status && r->record)
            status = exec_record_units(r->record, &units, e);
    }
    return status;
}

/* Stores a round and its readings. */
static int keep_round(struct run *r, const struct exec_reading *reading, double begin_seconds,
                      double work, struct err *e)
{
    struct exec_session *s = r->session;
    double values[EXECUTION_INDICES_MAX];
    struct execution_round round = {.number = s->series.round_count + 1,
                                    .begin_seconds = begin_seconds,
                                    .seconds = reading->seconds,
                                    .user_seconds = reading->user_seconds,
                                    .system_seconds = reading->system_seconds,
                                    .max_rss = reading->max_rss,
                                    .io_blocks = reading->io_blocks,
                                    .work = work,
                                    .warmup = s->series.round_count < s->plan.warmup,
                                    .why = reading->why,
                                    .left_out = reading->left_out,
                                    .output = reading->why ? reading->output : NULL};
    if (exec_session_varies_work(s)) {
        values[WORK_SPEED] = work / reading->duration;
        values[WORK_SETUP] = 0; /* computed once the speed is known */
    } else {
        memcpy(values, reading->values, s->output_indices * sizeof *values);
    }
    values[s->output_indices] = reading->duration;
    if (exec_session_add(s, &round, values, e))
        return -1;
    if (r->record &&
        exec_record_round(r->record, &round, reading->output, values, s->index_count, e))
        return -1;
    if (reading->units && !round.warmup && keep_units(r, reading->units, round.number, e))
        return -1;
    if (reading->left_out)
        return 0;
    r->failures_in_a_row = reading->why ? r->failures_in_a_row + 1 : 0;
    if (reading->why && r->observer && r->observer->failed)
        r->observer->failed(r->observer->context, &s->series.rounds[s->series.round_count - 1]);
    return 0;
}

/* Returns true if the session ends here, and sets its verdict. */
static bool has_ended(struct run *r, double elapsed)
{
    struct exec_session *s = r->session;
    const struct exec_plan *p = &s->plan;
    if (*r->stop) {
        s->verdict = VERDICT_INTERRUPTED;
        return true;
    }
    if (r->failures_in_a_row >= p->failures) {
        const struct execution_round *last = &s->series.rounds[s->series.round_count - 1];
        snprintf(s->failure, sizeof s->failure, "%llu round%s in a row failed; round %llu: %.180s",
                 (unsigned long long)r->failures_in_a_row, r->failures_in_a_row == 1 ? "" : "s",
                 (unsigned long long)last->number, last->why);
        s->verdict = VERDICT_FAILED;
        return true;
    }
    if (p->rounds) {
        s->verdict = VERDICT_MEASURED;
        if (s->series.count >= p->rounds)
            return true;
    } else if (elapsed >= p->minimum_seconds && exec_session_is_precise(s) &&
               rank_rounds_may_end(&r->common, elapsed)) {
        s->verdict = VERDICT_PRECISE;
        return true;
    } else if (elapsed >= p->minimum_seconds && r->gives_up && exec_session_is_out_of_reach(s) &&
               rank_rounds_may_end(&r->common, elapsed)) {
        s->verdict = VERDICT_BEST_POSSIBLE;
        return true;
    }
    if (elapsed < p->limit_seconds)
        return false;
    s->verdict = VERDICT_LIMIT;
    return true;
}

/* Limits everything that the program runs from now on to what is left of the session's limit. */
static void bound_program(struct run *r)
{
    const double shortest = 0.001;
    struct exec_plan *p = &r->session->plan;
    p->program.seconds_left =
        fmax(p->limit_seconds - (seconds_of_clock(CLOCK_MONOTONIC) - r->begin), shortest);
}

static int run_rounds(struct run *r, struct err *e)
{
    struct exec_session *s = r->session;
    for (;;) {
        struct exec_reading reading;
        const double work = exec_session_next_work(s),
                     begin_seconds = seconds_of_clock(CLOCK_MONOTONIC) - r->begin;
        if (*r->stop) {
            s->verdict = VERDICT_INTERRUPTED;
            return 0;
        }
        bound_program(r);
        if (exec_round(r->exec, s->series.round_count + 1, work, &reading, e))
            return -1;
        r->begin += r->common.waited_seconds;
        r->common.waited_seconds = 0;
        if (reading.left_folder && !r->folders_left++)
            program_watch_note(&r->session->machine, "%.200s; look at it before you remove it",
                               reading.left_folder);
        if (!reading.stopped && keep_round(r, &reading, begin_seconds, work, e))
            return -1;
        double now = seconds_of_clock(CLOCK_MONOTONIC);
        if (judge_when_due(r, now, e))
            return -1;
        if (has_ended(r, now - r->begin))
            return 0;
        report_progress(r, now - r->begin);
    }
}

/* ---- the session ---- */

/* Adds the duration after the indices from the output. The session waits for its precision only if
   there are no other indices. */
static void complete_indices(struct exec_session *s)
{
    const struct exec_program *p = &s->plan.program;
    if (exec_session_varies_work(s)) {
        s->indices[WORK_SPEED] = (struct exec_index){.name = "wps_speed",
                                                     .op = "all",
                                                     .unit = "1/s",
                                                     .scale = 1,
                                                     .better = METRIC_BETTER_HIGHER,
                                                     .target_width = s->plan.config.target_width};
        s->indices[WORK_SETUP] = (struct exec_index){.name = "wps_setup",
                                                     .op = "all",
                                                     .unit = "s",
                                                     .scale = 1,
                                                     .type = INDEX_DURATION,
                                                     .better = METRIC_BETTER_LOWER};
    }
    s->output_indices = exec_session_varies_work(s) ? WORK_INDICES : p->index_count;
    for (size_t i = 0; i < p->index_count; i++) {
        s->indices[i] = p->indices[i];
        double *width = &s->indices[i].target_width;
        *width = *width < 0 ? 0 : *width > 0 ? *width : s->plan.config.target_width;
    }
    s->units.index_count = p->unit_index_count;
    for (size_t i = 0; i < p->unit_index_count; i++) {
        s->units.indices[i] = p->unit_indices[i];
        double *width = &s->units.indices[i].target_width;
        *width = *width < 0 ? 0 : *width > 0 ? *width : s->plan.config.target_width;
    }
    const bool reads = s->output_indices || p->unit_index_count;
    s->indices[s->output_indices] =
        (struct exec_index){.name = "duration",
                            .op = "all",
                            .unit = "s",
                            .scale = 1,
                            .type = INDEX_DURATION,
                            .better = METRIC_BETTER_LOWER,
                            .target_width = reads ? 0 : s->plan.config.target_width,
                            .absolute_width = reads ? 0 : s->plan.duration_width};
    s->index_count = s->series.index_count = s->output_indices + 1;
}

static int begin_watch(struct run *r, struct err *e)
{
    const struct exec_plan *p = &r->session->plan;
    if (p->monitor_cost <= 0)
        return 0;
    struct program_watch_request request = {.words = p->program.command,
                                            .directory = p->program.directory,
                                            .graph = p->graph,
                                            .remote = p->remote,
                                            .remote_target = p->remote_target,
                                            .sysroot = p->sysroot,
                                            .in_process = p->program.measure != NULL,
                                            .cost = p->monitor_cost};
    return program_watch_begin(&r->watch, &request, e);
}

/* Stops a program that served rounds, and notes how many processes it left running, which are
   killed. */
static void stop_program(struct run *r)
{
    const size_t left = exec_stop(r->exec);
    if (left)
        program_watch_note(
            &r->session->machine,
            "%zu process%s that the program started went on after its end and %s killed: what it "
            "did meanwhile is in the rounds",
            left, left == 1 ? "" : "es", left == 1 ? "was" : "were");
}

/* Ends the session and its record. A session with rounds that ends by an error counts as failed. */
static int end_session(struct run *r, int status, struct err *e)
{
    struct exec_session *s = r->session;
    struct err after = {0};
    stop_program(r); /* the program's processor time is known only after waiting for its end */
    program_watch_end(r->watch, &s->machine);
    short_rounds_use(&s->series, &s->machine);
    if (s->machine.others.processors > OTHERS_BUSY &&
        (s->plan.program.setup || s->plan.program.prepare))
        program_watch_note(
            &s->machine, "what --setup or --prepare left running counts among the other programs");
    own_io_judge(&s->series, &s->machine);
    if (status && r->exec && e->code == ERR_UNDECIDED) {
        s->verdict = VERDICT_LIMIT;
        program_watch_note(&r->session->machine, "%.230s", e->msg);
        status = 0;
    }
    if (status && s->series.round_count > 0 && e->code != ERR_MACHINE) {
        s->verdict = VERDICT_FAILED;
        snprintf(s->failure, sizeof s->failure, "%.230s", e->msg);
        status = 0;
    }
    bound_program(r);
    if (exec_close(r->exec, &after) && !status && s->verdict != VERDICT_FAILED) {
        s->verdict = VERDICT_FAILED;
        snprintf(s->failure, sizeof s->failure, "%.230s", after.msg);
    }
    if (!status && s->series.count > 0)
        status = exec_session_judge(s, e);
    if (!status && s->verdict == VERDICT_LIMIT && exec_session_is_precise(s))
        s->verdict = VERDICT_PRECISE; /* only this judgement included the last rounds */
    else if (!status && s->verdict == VERDICT_LIMIT && exec_session_is_out_of_reach(s))
        s->verdict = VERDICT_BEST_POSSIBLE;
    /* If the record could not be ended, the measured rounds must still not be lost. */
    bool lost =
        exec_record_end(r->record, status ? NULL : &s->machine, s->verdict, s->failure, &after);
    if (lost && !status && s->verdict != VERDICT_FAILED) {
        s->verdict = VERDICT_FAILED;
        snprintf(s->failure, sizeof s->failure, "%.230s", after.msg);
    }
    return status;
}

int exec_session_run(struct exec_session **session, const struct exec_plan *plan,
                     const volatile sig_atomic_t *stop, const struct exec_observer *observer,
                     struct err *e)
{
    struct exec_session *s = calloc(1, sizeof *s);
    *session = s;
    if (!s)
        return err_no_memory(e, "a session");
    s->plan = *plan;
    s->machine.others = OTHERS_UNKNOWN;
    s->plan.config.stopping = !plan->rounds;
    if (!s->plan.date[0])
        set_date(s->plan.date, sizeof s->plan.date);
    complete_indices(s);
    if (exec_session_varies_work(s))
        work_indices_begin(s);
    s->parameter_count = plan->program.parameter_count;
    if (s->parameter_count)
        memcpy(s->parameters, plan->program.parameters, s->parameter_count * sizeof *s->parameters);
    struct run r = {.session = s,
                    .stop = stop,
                    .observer = observer,
                    .begin = seconds_of_clock(CLOCK_MONOTONIC)};
    int status = begin_watch(&r, e);
    r.common =
        (struct rank_rounds){.session = s, .watch = r.watch, .stop = stop, .observer = observer};
    bound_program(&r);
    if (!status)
        status = exec_open(&r.exec, &s->plan.program, stop, e);
    if (!status && plan->folder)
        status = exec_record_begin(&r.record, s, e);
    if (!status) {
        rank_rounds_open(&r.common, r.record);
        status = run_rounds(&r, e);
        rank_rounds_close(&r.common);
    }
    if (!status && plan->overhead_pairs && s->verdict != VERDICT_FAILED)
        status = own_cost_measure(
            s, r.exec, stop, exec_session_next_work(s),
            fmax(plan->limit_seconds - (seconds_of_clock(CLOCK_MONOTONIC) - r.begin), 0), e);
    if (!status && r.record && s->own_cost.pairs)
        status = exec_record_cost(r.record, &s->own_cost, e);
    status = end_session(&r, status, e);
    if (!status)
        return 0;
    exec_session_free(s);
    *session = NULL;
    return -1;
}

void exec_session_free(struct exec_session *s)
{
    if (!s)
        return;
    round_series_free(&s->series);
    judging_free(&s->judging);
    work_session_free(&s->work);
    unit_session_free(&s->units);
    free(s);
}
