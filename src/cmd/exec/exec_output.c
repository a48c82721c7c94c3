/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel exec: runs its plan, prints the result and keeps it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/file/record_file.h"
#include "cmd/exec/exec_options.h"
#include "cmd/exec/internal.h"
#include "cmd/execution/rounds_output.h"
#include "cmd/output/output.h"
#include "facts/result.h"
#include "program/exec/exec.h"
#include "report/exec/execution.h"
#include "run/launch/launcher.h"
#include "run/plan/plan.h"

/* ---- sessions ---- */

/* The folder of a session, and the folder in it for %RESULT_DIR%; "": nothing is kept. */
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

/* Removes folders that stayed empty: that of %RESULT_DIR% if the program did not use it, and that
   of a session that could not begin. */
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

/* Runs one session and writes its files. The result points into the session. */
static int run_session(const struct exec_options *o, size_t combination, struct execution *result,
                       struct exec_session **session, struct err *e)
{
    struct execution_parameter parameters[EXECUTION_PARAMETERS_MAX] = {0};
    struct folders folders;
    struct exec_plan plan = o->exec;
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
    int status = execution_measure(&plan, session, result, e);
    remove_empty_folders(&folders, status == 0);
    if (status)
        return -1;
    return folders.session[0] ? execution_write_files(result, folders.session, e) : 0;
}

/* Returns true if the result is printed as one line, because many ranks share standard output. */
static bool prints_line(const struct exec_options *o)
{
    return launcher_is_of_many(&o->launch.start.launcher) && !o->whole_report &&
           !o->parameters.count;
}

static void add_line(const struct execution *x, const struct exec_options *o, struct text *out)
{
    const struct launcher *l = &o->launch.start.launcher;
    text_addf(out, "rank %u on %s: ", l->rank, l->host);
    execution_line(x, out);
    if (o->folder[0])
        text_addf(out, "; kept in %s", o->folder);
    text_add(out, "\n");
}

/* Adds a result to the output. With several results, CSV has only one header, and JSON is an
   array. */
static void add_result(const struct execution *x, const struct exec_options *o, size_t number,
                       struct text *out)
{
    struct report_style style = output_style();
    struct text own = {0};
    style.full = o->full || o->parameters.count; /* several results do not fit on a screen */
    style.folder = o->folder;
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

/* Prints the lines about all results, and an empty line. */
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
            if (prints_line(o))
                add_line(&result, o, &out);
            else
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
