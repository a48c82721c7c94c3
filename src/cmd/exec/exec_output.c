/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel exec: from its plan to the kept result. */
#include "cmd/exec/exec_output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/file/record_file.h"
#include "cmd/exec/exec_options.h"
#include "cmd/exec/internal.h"
#include "cmd/output/output.h"
#include "cmd/terminal/progress.h"
#include "cmd/terminal/signals.h"
#include "facts/result.h"
#include "program/exec/exec.h"
#include "report/exec/execution.h"
#include "run/plan/plan.h"

/* ---- during the run ---- */

enum { FAILURES_NAMED = 5 }; /* the report counts further ones */

struct view {
    struct progress progress;
    unsigned failures;
};

static void show_progress(void *context, const struct exec_progress *now)
{
    struct view *view = context;
    const struct execution_index *index = now->slowest;
    char stage[64];
    bool counts = index && isfinite(index->required_n);
    snprintf(stage, sizeof stage, counts ? "round %llu of about %.0f" : "round %llu",
             (unsigned long long)now->rounds + 1, counts ? ceil(index->required_n) : 0.0);
    struct session_progress shown = {.stage = stage,
                                     .elapsed_seconds = now->elapsed_seconds,
                                     .limit_seconds = now->limit_seconds,
                                     .done_share = NAN,
                                     .bytes_rate = NAN,
                                     .measuring = true,
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

static int write_files(const struct execution *x, const char *folder, struct err *e)
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

int execution_output(const struct execution *x, const char *format, const char *folder,
                     struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    report_print(&execution_report, x, format, &style, &out);
    if (output_text(&out, e))
        return -1;
    return *folder ? write_files(x, folder, e) : 0;
}

static void describe_reached(const struct execution *x, char *to, size_t size)
{
    const struct execution_index *index = execution_slowest(x);
    const double shown = execution_shown_width(index); /* as the report has it */
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

/* ---- sessions ---- */

/* The folder of one session, and the folder of %RESULT_DIR% in it; "" when nothing is kept. */
struct folders {
    char session[1800], rounds[1816];
};

static int make_folders(const struct exec_options *o, const struct execution *names,
                        struct folders *f, struct err *e)
{
    *f = (struct folders){0};
    if (!o->folder[0])
        return 0;
    size_t used = (size_t)snprintf(f->session, sizeof f->session, "%s", o->folder);
    for (size_t i = 0; i < names->parameter_count; i++) {
        const struct execution_parameter *p = &names->parameters[i];
        char *c = f->session + used + 1;
        used += (size_t)snprintf(f->session + used, sizeof f->session - used, "%s%s=%s",
                                 i ? "," : "/", p->name, p->value);
        for (; *c; c++)
            *c = *c == '/' ? '_' : *c;
    }
    snprintf(f->rounds, sizeof f->rounds, "%s/rounds", f->session);
    return dir_make_new(f->session, e) || dir_make_new(f->rounds, e) ? -1 : 0;
}

/* Removes empty folders: %RESULT_DIR% may not have been used, and a session that could not begin
   kept nothing. */
static void remove_empty_folders(const struct folders *f, bool measured)
{
    static const char *const begun[] = {PROGRAM_FILE, "output.txt"};
    if (!f->session[0])
        return;
    rmdir(f->rounds);
    if (measured)
        return;
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
        char path[sizeof f->rounds];
        snprintf(path, sizeof path, "%s/%s", f->session, begun[i]);
        unlink(path);
    }
    rmdir(f->session);
}

/* Runs one session and keeps it; the result points into the session. */
static int run_session(const struct exec_options *o, size_t combination, struct execution *result,
                       struct exec_session **session, struct err *e)
{
    struct view view = {0};
    const struct exec_observer observer = {show_progress, show_failure, &view};
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX] = {0};
    struct folders folders;
    struct exec_plan plan = o->exec;
    const volatile sig_atomic_t *stop = signals_install();
    exec_parameters_pick(&o->parameters, combination, parameters);
    plan.program.parameters = parameters;
    plan.program.parameter_count = result->parameter_count = o->parameters.count;
    memcpy(result->parameters, parameters, sizeof parameters);
    if (make_folders(o, result, &folders, e))
        return -1;
    if (folders.session[0]) {
        plan.folder = folders.session;
        plan.program.result_folder = folders.rounds;
    }
    progress_begin(&view.progress, "round 1");
    int status = exec_session_run(session, &plan, stop, &observer, e);
    progress_end(&view.progress);
    remove_empty_folders(&folders, status == 0);
    if (status)
        return -1;
    exec_session_result(*session, result);
    return folders.session[0] ? write_files(result, folders.session, e) : 0;
}

/* Adds a result after earlier ones: CSV has one header, JSON is an array. */
static void add_result(const struct execution *x, const struct exec_options *o, size_t number,
                       struct text *out)
{
    struct report_style style = output_style();
    struct text own = {0};
    const bool csv = !strcmp(o->format, "csv"), json = !strcmp(o->format, "json");
    report_print(&execution_report, x, o->format, &style, &own);
    const char *text = own.data ? own.data : "";
    if (json && o->parameters.count)
        text_add(out, number ? ",\n" : "[\n");
    else if (number && !csv)
        text_add(out, "\n");
    text_add(out, csv && number ? text + strcspn(text, "\n") + 1 : text);
    out->failed |= own.failed;
    text_free(&own);
}

/* Prints a line for each result, and an empty line. */
static void print_list(struct document *list)
{
    struct text out = {0};
    if (list->count)
        document_end_row(list);
    document_print_text(list, &out);
    fputs(layout_string(&out), stdout);
    text_free(&out);
}

int exec_options_run(const struct exec_options *o, struct err *e)
{
    static struct execution result; /* too large for a small stack */
    const struct exec_parameters *p = &o->parameters;
    const struct report_style plain = {0};
    struct document list = document_for(&plain);
    struct text out = {0};
    int status = p->count && o->folder[0] ? dir_make_new(o->folder, e) : 0;
    for (size_t i = 0; i < p->combinations && (!status || e->code == ERR_UNDECIDED); i++) {
        struct exec_session *session = NULL;
        struct err own = {0};
        int own_status = run_session(o, i, &result, &session, &own);
        if (session) {
            add_result(&result, o, i, &out);
            execution_add_line(&result, &list);
            if (!own_status)
                own_status = execution_status(&result, &own);
            exec_session_free(session);
        }
        if (own_status)
            *e = own;
        status = own_status ? own_status : status;
        if (result.verdict == VERDICT_INTERRUPTED)
            break;
    }
    if (p->count && !strcmp(o->format, "text"))
        print_list(&list);
    if (p->count && !strcmp(o->format, "json") && out.length)
        text_add(&out, "]\n");
    struct err unprinted = {0};
    if (output_text(&out, &unprinted)) {
        *e = unprinted;
        status = -1;
    }
    document_free(&list);
    return status;
}
