/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the progress of a session of rounds, prints its result, and returns its exit status. */
#include "cmd/execution/rounds_output.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "cmd/output/output.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "report/exec/execution.h"

/* ---- during the run ---- */

enum { FAILURES_NAMED = 5 }; /* further failures are only in the report */

struct view {
    struct progress progress;
    unsigned failures;
};

static void show_progress(void *context, const struct exec_progress *now)
{
    struct view *view = context;
    const struct execution_index *index = now->slowest;
    char stage[80];
    bool counts = index && isfinite(index->required_n);
    if (now->stage)
        snprintf(stage, sizeof stage, "%s", now->stage);
    else
        snprintf(stage, sizeof stage, counts ? "round %llu of about %.0f" : "round %llu",
                 (unsigned long long)now->rounds + 1, counts ? ceil(index->required_n) : 0.0);
    struct session_progress shown = {.stage = stage,
                                     .elapsed_seconds = now->elapsed_seconds,
                                     .limit_seconds = now->limit_seconds,
                                     .done_share = NAN,
                                     .bytes_rate = NAN,
                                     .measuring = !now->stage,
                                     .mean = index ? index->value : NAN,
                                     .mean_unit = index ? index->unit : NULL,
                                     .width_share = index ? index->width : NAN,
                                     .target_share = index ? index->target_width : NAN,
                                     .left_seconds = now->left_seconds,
                                     .rate = NAN};
    shown.mean_is_time = index && !strcmp(index->unit, "s");
    if (index)
        snprintf(shown.index, sizeof shown.index, "%s", index->name);
    shown.mean *= shown.mean_is_time ? 1e9 : 1;
    progress_show(&view->progress, &shown);
}

static void show_failure(void *context, const struct execution_round *round)
{
    struct view *view = context;
    char line[300];
    if (view->failures++ >= FAILURES_NAMED)
        return;
    progress_end(&view->progress);
    snprintf(line, sizeof line, "round %llu failed: %.250s", (unsigned long long)round->number,
             round->why);
    progress_notice(view, line);
}

/* ---- the result ---- */

int execution_write_files(const struct execution *x, const char *folder, struct err *e)
{
    int status = 0;
    for (const struct execution_file *file = execution_files; file->name && !status; file++) {
        struct text out = {0};
        file->render(x, &out);
        if (out.length > 0 || out.failed)
            status = output_file(folder, file->name, &out, e);
    }
    return status;
}

int execution_output(const struct execution *x, const struct output_form *form, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    style.full = form->full;
    style.folder = form->folder;
    report_print(&execution_report, x, form->format, &style, &out);
    if (output_text(&out, e))
        return -1;
    return *form->folder ? execution_write_files(x, form->folder, e) : 0;
}

static void describe_reached(const struct execution *x, char *to, size_t size)
{
    const struct execution_index *index = execution_slowest(x);
    const double shown = execution_shown_width(index); /* width as the report shows it */
    if (!x->index_count)
        snprintf(to, size, "no round that counts was measured");
    else if (!isfinite(index->width) && index->value == 0)
        snprintf(to, size, "%s is 0, beside which the width of no interval is a share",
                 index->name);
    else if (!isfinite(index->width))
        snprintf(to, size, "%s has no interval yet", index->name);
    else if (index->width > index->target_width)
        snprintf(to, size, "the interval of %s is +-%.3g %%, +-%.3g %% was asked for", index->name,
                 (shown > index->target_width ? shown : index->width) * 50,
                 index->target_width * 50);
    else if (!strcmp(index->phase, "no_steady_state"))
        snprintf(to, size, "%s has no steady state", index->name);
    else if (index->held_back)
        level_doubt_words(to, size, &index->claim);
    else
        snprintf(to, size, "%zu rounds, and %llu rounds and %g s are the minimum (--min-samples)",
                 x->good_count, (unsigned long long)x->minimum_rounds, x->minimum_seconds);
}

int execution_status(const struct execution *x, struct err *e)
{
    char reached[160], words[LEVEL_CLAIM_WORDS];
    const struct level_claim *claim = &execution_slowest(x)->claim;
    describe_reached(x, reached, sizeof reached);
    switch (x->verdict) {
    case VERDICT_PRECISE:
    case VERDICT_MEASURED:
        return ERR_NONE;
    case VERDICT_BEST_POSSIBLE:
        if (!x->width_given)
            return ERR_NONE;
        return err_set(
            e, ERR_UNDECIDED,
            "as precise as this machine allows: %s, and would take %s (see --limit, --ci)", reached,
            level_claim_span(words, sizeof words, claim, claim->needed_readings));
    case VERDICT_UNSETTLED:
        if (!x->width_given)
            return ERR_NONE;
        return err_set(e, ERR_UNDECIDED, "precise for these rounds only: %s (see --limit)",
                       level_doubt_words(words, sizeof words, claim));
    case VERDICT_NO_LEVEL:
    case VERDICT_MOVES:
    case VERDICT_CYCLES:
        return err_set(e, ERR_UNDECIDED, "%s: %s (see --limit)",
                       level_claim_words(words, sizeof words, claim), reached);
    case VERDICT_FAILED:
        return err_set(e, ERR_TARGET, "%s", x->failure);
    case VERDICT_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "stopped by a signal: %s", reached);
    case VERDICT_CUT_SHORT:
        return err_set(e, ERR_UNDECIDED,
                       "the record has no end, because its session was killed: %s", reached);
    case VERDICT_DAMAGED:
        return err_set(e, ERR_UNDECIDED, "the record is damaged: it was changed after its session");
    case VERDICT_BOTTLENECK:
        return err_set(e, ERR_UNDECIDED, "%s (see --strict-bottleneck)", x->failure);
    case VERDICT_UNCONFIRMED:
        return err_set(e, ERR_UNDECIDED,
                       "the record calls its result precise, but its readings do not bear it out: "
                       "%s",
                       reached);
    default:
        return err_set(e, ERR_UNDECIDED, "the session limit came first: %s (see --limit, --ci)",
                       reached);
    }
}

int execution_measure(const struct exec_plan *plan, struct exec_session **session,
                      struct execution *result, struct err *e)
{
    struct view view = {0};
    const struct exec_observer observer = {show_progress, show_failure, &view};
    const volatile sig_atomic_t *stop = signals_install();
    progress_begin(&view.progress, "round 1");
    int status = exec_session_run(session, plan, stop, &observer, e);
    progress_end(&view.progress);
    if (status)
        return -1;
    exec_session_result(*session, result);
    return 0;
}
