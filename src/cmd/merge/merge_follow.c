/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel merge --follow: reads what was added to growing records, shows the state of the whole
   system, and repeats this. */
#include "many/merge/follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "cmd/merge/internal.h"
#include "cmd/monitoring/metrics_file.h"
#include "cmd/monitoring/violation_command.h"
#include "cmd/output/output.h"
#include "cmd/terminal/signals.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "report/follow/follow_screen.h"
#include "run/plan/plan.h"

/* Limits of the time between two reads of the records, and the time between two screens. Sessions
   write their records once a second. */
static const double look_seconds_max = 0.5, look_seconds_min = 0.05, redraw_seconds = 1;
/* Judging reads all records from their beginning. After it, the next judgement waits for this many
   times as long as the last one took. */
static const double judge_share = 10;

struct watching {
    const struct follow_options *options;
    struct follow *follow;
    enum merge_by by;
    struct followed now;
    FILE *lines; /* stream for lines; NULL: a screen is drawn */
    double begin, draw_next, judge_next;
    struct result *judged; /* result with the verdicts on clauses; NULL: there are no clauses */
    struct violations *violations;
    bool warned; /* a warning was printed that metrics could not be written */
};

static int draw(const struct watching *w, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    follow_screen(&w->now, &style, &out);
    int status = output_screen(&out, e);
    fflush(stdout);
    return status;
}

static void print_line(const struct watching *w, const struct followed_interval *interval)
{
    struct text out = {0};
    follow_line(&w->now, interval, &out);
    if (!out.failed && out.length)
        fwrite(out.data, 1, out.length, w->lines);
    text_free(&out);
}

/* Judges the clauses. The verdicts hold no matter how often they are asked for
   (run/result/session_judgement.h). */
static int judge_again(struct watching *w, struct err *e)
{
    const double begin = seconds_of_clock(CLOCK_MONOTONIC);
    if (!w->judged || begin < w->judge_next)
        return 0;
    memset(w->judged, 0, sizeof *w->judged);
    if (follow_result(w->follow, w->judged, e))
        return -1;
    w->now.clauses = w->judged->clauses;
    w->now.clause_count = w->judged->clause_count;
    const double end = seconds_of_clock(CLOCK_MONOTONIC);
    w->judge_next = end + judge_share * (end - begin);
    return 0;
}

/* Writes the metrics. While records are followed, a failure is only a warning, printed once. */
static void expose(struct watching *w)
{
    struct err why;
    if (!metrics_write_merge(follow_merge(w->follow), w->by, &w->now, NULL, w->options->metrics,
                             &why) ||
        w->warned)
        return;
    fprintf(stderr, "cupel merge: warning: %s\n", why.msg);
    w->warned = true;
}

/* Shows new intervals and the present state, and runs commands for violated clauses. */
static int show(struct watching *w, struct err *e)
{
    struct followed_interval interval;
    bool is_new = false;
    if (follow_describe(w->follow, &w->now, e))
        return -1;
    for (; follow_next(w->follow, &interval); is_new = true)
        if (w->lines)
            print_line(w, &interval);
    if (is_new && (judge_again(w, e) || follow_describe(w->follow, &w->now, e)))
        return -1;
    if (is_new)
        expose(w);
    violations_look(w->violations, w->now.clauses, w->now.clause_count);
    for (size_t i = 0; i < w->now.limits->count; i++)
        violations_now(w->violations, i, &w->now.limits->clause[i], &w->now.of_limit[i]);
    if (w->lines) {
        fflush(w->lines);
        return 0;
    }
    const double now = seconds_of_clock(CLOCK_MONOTONIC);
    if (now < w->draw_next)
        return 0;
    w->draw_next = now + redraw_seconds;
    return draw(w, e);
}

static bool is_time_over(const struct watching *w)
{
    return w->options->for_seconds > 0 &&
           seconds_of_clock(CLOCK_MONOTONIC) - w->begin >= w->options->for_seconds;
}

static int watch(struct watching *w, const struct merge_plan *plan,
                 const volatile sig_atomic_t *stop, struct err *e)
{
    const double wait =
        fmin(fmax((double)plan->interval_ns * 1e-9 / 2, look_seconds_min), look_seconds_max);
    const struct timespec pause = {0, (long)(wait * 1e9)};
    for (;;) {
        const bool last = *stop || is_time_over(w);
        if (follow_look(w->follow, (uint64_t)(seconds_of_clock(CLOCK_MONOTONIC) * 1e9), e) ||
            show(w, e))
            return -1;
        if (last || follow_is_over(w->follow))
            return 0;
        nanosleep(&pause, NULL);
    }
}

static bool is_screen(const char *format)
{
    const char *terminal = getenv("TERM");
    return !strcmp(format, "text") && isatty(STDOUT_FILENO) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

int merge_follow(struct merge **m, const struct merge_plan *plan, const struct follow_options *o,
                 const char *format, struct violations *violations, struct err *e)
{
    const volatile sig_atomic_t *stop = signals_install();
    struct watching w = {.options = o,
                         .by = plan->by,
                         .violations = violations,
                         .begin = seconds_of_clock(CLOCK_MONOTONIC)};
    /* With CSV or JSON, standard output has only the result, for a program that reads it. */
    w.lines = is_screen(format) ? NULL : !strcmp(format, "text") ? stdout : stderr;
    if (plan->statistics.ending.sla[0] && !(w.judged = calloc(1, sizeof *w.judged)))
        return err_no_memory(e, "a result");
    int status = follow_open(&w.follow, plan, (uint64_t)(o->stale_seconds * 1e9), e);
    if (!status)
        status = watch(&w, plan, stop, e);
    if (!status && !follow_has_readings(w.follow))
        status = err_set(e, ERR_UNDECIDED, "%s: no reading has come", plan->inputs[0]);
    if (!status)
        status = follow_end(w.follow, m, e);
    follow_free(w.follow);
    free(w.judged);
    return status;
}
