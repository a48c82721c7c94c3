/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel exec from its plan to the kept result. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cmd/internal.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "report/exec/execution.h"

/* ---- while it runs ---- */

enum { FAILURES_NAMED = 5 }; /* the report counts the others */

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
                                     .mean = index ? index->value : NAN,
                                     .width_share = index ? index->width : NAN,
                                     .target_share = index ? index->target_width : NAN,
                                     .left_seconds = now->left_seconds,
                                     .rate = NAN};
    shown.mean_is_time = index && !strcmp(index->unit, "s");
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
        if (out.failed)
            status = err_set(e, ERR_MACHINE, "%s/%s: there is no memory left", folder, file->name);
        else
            status = write_file_atomically(folder, file->name, out.data, out.length, e);
        text_free(&out);
    }
    return status;
}

int execution_output(const struct execution *x, const char *format, const char *folder,
                     struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    execution_sink_find(format)->print(x, &style, &out);
    if (output_text(&out, e))
        return -1;
    return *folder ? write_files(x, folder, e) : 0;
}

static void describe_reached(const struct execution *x, char *to, size_t size)
{
    const struct execution_index *index = execution_slowest(x);
    if (!x->index_count)
        snprintf(to, size, "no round that counts was measured");
    else if (!isfinite(index->width))
        snprintf(to, size, "%s has no interval yet", index->name);
    else if (index->width > index->target_width)
        snprintf(to, size, "the interval of %s is %.3g %% wide, %.3g %% was asked for", index->name,
                 index->width * 100, index->target_width * 100);
    else if (!strcmp(index->phase, "no_steady_state"))
        snprintf(to, size, "%s has no steady state", index->name);
    else
        snprintf(to, size, "%zu rounds, and %llu rounds and %g s are the minimum", x->good_count,
                 (unsigned long long)x->minimum_rounds, x->minimum_seconds);
}

int execution_status(const struct execution *x, struct err *e)
{
    char reached[160];
    describe_reached(x, reached, sizeof reached);
    switch (x->verdict) {
    case VERDICT_PRECISE:
    case VERDICT_MEASURED:
        return ERR_NONE;
    case VERDICT_FAILED:
        return err_set(e, ERR_TARGET, "%s", x->failure);
    case VERDICT_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "stopped by a signal: %s", reached);
    case VERDICT_CUT_SHORT:
        return err_set(e, ERR_UNDECIDED,
                       "the record has no end, because its session was killed: %s", reached);
    case VERDICT_DAMAGED:
        return err_set(e, ERR_UNDECIDED, "the record is damaged: it was changed after its session");
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

/* The folder, and in it that of %RESULT_DIR%. */
static int make_folders(const struct exec_options *o, struct err *e)
{
    if (!o->folder[0])
        return 0;
    return dir_make_new(o->folder, e) || dir_make_new(o->result_folder, e) ? -1 : 0;
}

/* Empty folders go: %RESULT_DIR% may not have been used, and of a session that could not begin
   nothing was kept. */
static void remove_empty_folders(const struct exec_options *o, bool measured)
{
    if (!o->folder[0])
        return;
    rmdir(o->result_folder);
    if (measured)
        return;
    static const char *const begun[] = {"record.cupel", "output.txt"};
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
        char path[sizeof o->folder + 16];
        snprintf(path, sizeof path, "%s/%s", o->folder, begun[i]);
        unlink(path);
    }
    rmdir(o->folder);
}

int exec_options_run(const struct exec_options *o, struct err *e)
{
    static struct execution result; /* too large for a small stack */
    struct exec_session *session = NULL;
    struct view view = {0};
    const struct exec_observer observer = {show_progress, show_failure, &view};
    const volatile sig_atomic_t *stop = signals_install();
    if (make_folders(o, e))
        return -1;
    progress_begin(&view.progress);
    int status = exec_session_run(&session, &o->exec, stop, &observer, e);
    progress_end(&view.progress);
    remove_empty_folders(o, status == 0);
    if (status)
        return -1;
    exec_session_result(session, &result);
    status = execution_output(&result, o->format, o->folder, e);
    if (!status)
        status = execution_status(&result, e);
    exec_session_free(session);
    return status;
}
