/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains what commands that run a session share, from their options to the stored result. */
#include "cmd/run/session_options.h"

#include "base/err.h"
#include "base/span.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/launch_options.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "run/plan/plan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/units.h"
#include "cmd/monitoring/metrics_file.h"
#include "cmd/monitoring/violation_command.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/terminal/full_screen.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "hw/capture/capture.h"
#include "many/repeat/find_rate.h"
#include "many/repeat/repeat.h"
#include "run/history/history.h"
#include "run/session/session.h"

/* Adds a session to this machine's history if the plan says so. If that fails, the result has a
   note about it. */
static void run_history_add(const struct plan *plan, struct result *r)
{
    char folder[PATH_MAX];
    struct history h = {0};
    struct history_session session;
    struct err why = {0};
    const char *key = facts_find(&r->settings, HISTORY_NODE, HISTORY_IS);
    const char *kept = facts_find(&r->settings, HISTORY_NODE, HISTORY_KEPT);
    if (!plan->history || !key)
        return;
    if (!kept || strcmp(kept, HISTORY_ASKED) != 0) {
        if (kept)
            result_note(r, false, "%s: %.200s", HISTORY_KEPT, kept);
        return;
    }
    if (!history_session_of(r, &session)) {
        facts_replace(&r->settings, HISTORY_NODE, HISTORY_KEPT, "no: not one that can be repeated");
        return;
    }
    snprintf(h.key, sizeof h.key, "%s", key);
    snprintf(h.target, sizeof h.target, "%s", r->target);
    snprintf(h.workload, sizeof h.workload, "%s", r->workload);
    const bool failed = history_folder(folder, &why) || history_add(folder, &h, &session, &why);
    char happened[160];
    snprintf(happened, sizeof happened, failed ? "no: %.150s" : "yes", why.msg);
    facts_replace(&r->settings, HISTORY_NODE, HISTORY_KEPT, happened);
    if (failed)
        result_note(r, true, "this session is not in the history: %.190s", why.msg);
}

/* default of --limit as a multiple of --runtime */
#define RUNTIME_ROOM 3
/* Expected minimum number of sessions in a search for a rate. */
#define SEARCH_MIN 4

/* clang-format off */
const struct option_rule session_rules[] = {
    EXCLUDES("sysroot", "@settings", "--sysroot reads another machine"),
    NEEDS("write", "output", "it takes the intervals out of the record that -o DIR keeps"),
    NEEDS("on-violation", "sla", "it is run when a clause is violated"),
    NEEDS("start-timeout", "start-together", "it is the time to wait for the other ranks"),
    ONE_OF("start-at start-together", "the one has the instant, with the other the ranks agree on one"),
    EXCLUDES("start-at start-together", "repeat find-rate", "several sessions do not begin at one instant"),
    {0},
};
/* clang-format on */

int session_options_target(const char *target, struct plan *plan, struct err *e)
{
    if (!*target)
        return err_set(e, ERR_USAGE, "the target's name is empty");
    if (strlen(target) >= sizeof plan->target)
        return err_set(e, ERR_USAGE, "%.40s...: the target's name is longer than %zu characters",
                       target, sizeof plan->target - 1);
    snprintf(plan->target, sizeof plan->target, "%s", target);
    return 0;
}

/* Checks the options of a search for a rate, which sets its own rates and has its own end. */
static int check_search(const struct plan *plan, struct err *e)
{
    static struct workload_spec spec;
    char limit[UNITS_BUFFER], enough[UNITS_BUFFER];
    struct plan probe = *plan;
    probe.rate_iops = 1;
    if (plan_check(plan, e))
        return -1;
    if (plan_workload(&probe, &spec, e))
        return err_context(e, "--find-rate sets --rate_iops");
    if (plan->ending.minimum_seconds * SEARCH_MIN <= plan->ending.limit_seconds)
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--limit %s is for all sessions of --find-rate together, which take %s or more: "
        "make --limit longer, or --min-time shorter",
        format_time(limit, sizeof limit, plan->ending.limit_seconds * 1e9),
        format_time(enough, sizeof enough, plan->ending.minimum_seconds * SEARCH_MIN * 1e9));
}

static int check_outputs(const struct option_set *set, struct run_options *o, struct err *e)
{
    if (written_logs_read(&o->logs, set, e))
        return -1;
    bool in_folder = !strcmp(o->plan.completions, PLAN_TRACE_IN_FOLDER);
    bool several = o->plan.repeat.sessions || o->plan.ending.find_rate[0];
    if (in_folder && !o->folder[0])
        return err_set(e, ERR_USAGE,
                       "--trace without a name is for the folder of -o: give -o DIR, or "
                       "--trace=FILE");
    if (o->plan.completions[0] && !in_folder && several)
        return err_set(
            e, ERR_USAGE,
            "--trace=%.200s: several sessions have a trace each: give -o DIR and --trace "
            "without a name",
            o->plan.completions);
    if (!strcmp(o->plan.completions, "-"))
        return err_set(e, ERR_USAGE, "--trace=-: standard output has the report: name a file");
    return (o->live && full_screen_check(e)) ||
                   output_certificate_check(o->certificate, o->format, o->folder, e) ||
                   metrics_check(o->metrics, e)
               ? -1
               : 0;
}

/* Refuses options that need a disk if the engine has none, and --repeat with a trace from standard
   input, which can be read only once. */
static int check_sources(const struct option_set *set, const struct run_options *o, struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(o->plan.engine);
    if (options_given(set, "destroy-serial") && ops && !ops->needs_target)
        return err_set(e, ERR_USAGE, "--destroy-serial names a disk, and --ioengine %s has none",
                       ops->name);
    if (o->plan.repeat.sessions && !strcmp(o->plan.replay.trace, "-"))
        return err_set(e, ERR_USAGE,
                       "standard input comes once: --repeat needs a trace that is a file");
    return 0;
}

/* Refuses --ci if the session does not end with that width. */
static int check_width(const struct option_set *set, const struct plan *p, struct err *e)
{
    const char *ending = p->ending.precise[0] ? "precise" : p->ending.sla[0] ? "sla" : "runtime";
    const char *width = options_given(set, "ci");
    const bool taken = p->ending.precise[0] && !options_given(set, "precise");
    if (!width || taken || plan_has_precision(p) || plan_is_one_pass(p))
        return 0;
    return err_set(e, ERR_USAGE,
                   "--ci is a width of the mean's interval, which --%s does not wait for: leave "
                   "it out, or say --precise 'iops:%s'",
                   ending, width);
}

/* Checks that the requested measuring time fits into the session limit, which --runtime makes
   longer. */
static int fit_times(const struct option_set *set, struct plan *p, struct err *e)
{
    /* The limit also includes preparation and trial rounds, which come before the measured
       rounds. */
    double runtime = p->ending.runtime_seconds;
    if (runtime > 0 && !options_given(set, "limit"))
        p->ending.limit_seconds = fmax(p->ending.limit_seconds, RUNTIME_ROOM * runtime);
    if (runtime > 0 && runtime >= p->ending.limit_seconds)
        return err_set(e, ERR_USAGE,
                       "--runtime does not fit into the whole session (--limit): make --limit "
                       "longer, or leave it out");
    /* A minimum time that the user requested must fit, together with preparation and trial rounds.
       If the preset's minimum does not fit, measuring until the limit is still useful, and the
       verdict says so. */
    char least[UNITS_BUFFER], limit[UNITS_BUFFER], enough[UNITS_BUFFER];
    if (!options_given(set, "min-time") || p->ending.minimum_seconds <= p->ending.limit_seconds)
        return 0;
    return err_set(e, ERR_USAGE,
                   "--min-time %s is longer than the whole session may take (--limit %s): make "
                   "--limit longer, for example %s, or --min-time shorter",
                   format_time(least, sizeof least, p->ending.minimum_seconds * 1e9),
                   format_time(limit, sizeof limit, p->ending.limit_seconds * 1e9),
                   format_time(enough, sizeof enough, 2 * p->ending.minimum_seconds * 1e9));
}

int session_options_check(const struct option_set *set, struct run_options *o, struct err *e)
{
    struct plan *p = &o->plan;
    p->cpus_given = options_given(set, "cpus") != NULL;
    p->statistics.width_given = options_given(set, "ci") || options_given(set, "precise");
    o->whole_report = options_given(set, "format") != NULL;
    if (check_sources(set, o, e))
        return -1;
    if (p->ending.find_rate[0] && check_search(p, e))
        return -1;
    if (p->repeat.sessions && repeat_plan(p, options_given(set, "limit") != NULL, e))
        return -1;
    if (plan_take_width(p, e) || plan_check(p, e) || launch_options_check(set, o, e) ||
        check_outputs(set, o, e))
        return -1;
    /* The history is only for sessions that can be repeated, not for probes of a search or single
       ranks. */
    if (p->ending.find_rate[0] || launcher_is_of_many(&o->launch.start.launcher))
        p->history = false;
    return check_width(set, p, e) || fit_times(set, p, e) ? -1 : 0;
}

static int print_and_keep(const struct result *result, const struct run_options *o, struct err *e)
{
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    const struct output_certificate certificate = {.result = result,
                                                   .path = o->folder[0] ? o->folder : NULL};
    bool in_a_line =
        launcher_is_of_many(&o->launch.start.launcher) && !o->whole_report && !o->certificate;
    if (in_a_line        ? launch_print_line(result, o, e)
        : o->certificate ? output_certificate(&certificate, &form, e)
                         : output_result(result, &form, e))
        return -1;
    if (o->folder[0] && output_folder(result, o->folder, e))
        return -1;
    if (written_logs_of_folder(&o->logs, o->folder, o->plan.statistics.period_seconds, e) ||
        metrics_write_result(result, o->metrics, e))
        return -1;
    struct violations violations = {.command = o->on_violation, .ends_with = signals_end_with};
    violations_end(&violations, result->clauses, result->clause_count);
    return output_status(result, e);
}

/* Keeps one of several sessions: in the history, and in its folder ("": it has none). */
static int keep_session(void *context, const char *folder, struct result *result, struct err *e)
{
    const struct run_options *o = context;
    run_history_add(&o->plan, result);
    return folder[0] ? output_folder(result, folder, e) : 0;
}

/* A repetition of sessions, or a search, whose result is over all sessions. */
struct over_sessions {
    struct repeat *repeat;
    struct find_rate *search;
};

static int run_sessions(struct over_sessions *over, const struct repeat_request *request,
                        struct result *result, struct err *e)
{
    bool searches = request->plan->ending.find_rate[0];
    if (searches ? find_rate_run(&over->search, request, e) : repeat_run(&over->repeat, request, e))
        return -1;
    if (searches)
        find_rate_result(over->search, result);
    else
        repeat_result(over->repeat, result);
    return 0;
}

/* Starts the display of progress, as a line or a full screen. */
static int begin_progress(struct progress *progress, const struct run_options *o, struct err *e)
{
    const struct report_style style = output_style();
    progress_begin(progress, "looking at the target");
    return o->live ? progress_full_screen(progress, &style, e) : 0;
}

static int several_and_report(const struct run_options *o, const struct sysroot *root,
                              struct err *e)
{
    struct over_sessions over = {0};
    struct result *result = calloc(1, sizeof *result);
    if (!result)
        return err_no_memory(e, "a result");
    if (o->folder[0] && dir_make_new(o->folder, e)) {
        free(result);
        return -1;
    }
    struct progress progress;
    struct session_observer observer = {progress_show, &progress, progress_notice, o->live, false};
    struct repeat_request request = {.plan = &o->plan,
                                     .root = root,
                                     .folder = o->folder[0] ? o->folder : NULL,
                                     .stop = signals_install(),
                                     .observer = &observer,
                                     .start = &o->launch.start,
                                     .keep = keep_session,
                                     .context = (void *)o};
    int status = begin_progress(&progress, o, e) ? -1 : run_sessions(&over, &request, result, e);
    progress_end(&progress);
    if (status) {
        if (o->folder[0])
            rmdir(o->folder);
    } else {
        status = print_and_keep(result, o, e);
        struct err why = {0};
        if ((over.search ? find_rate_kept(over.search, &why) : repeat_kept(over.repeat, &why)) &&
            (!status || e->code == ERR_UNDECIDED)) {
            /* an error about an unwritten report replaces that about an undecided result */
            *e = why;
            status = -1;
        }
    }
    repeat_free(over.repeat);
    find_rate_free(over.search);
    free(result);
    return status;
}

/* What shows progress: the line or the full screen, and the file of --metrics. */
struct watchers {
    /* must be the first member: observer functions of progress get a pointer to it */
    struct progress progress;
    struct metrics_writer metrics;
};

static void show_and_expose(void *context, const struct session_progress *now)
{
    struct watchers *watchers = context;
    progress_show(&watchers->progress, now);
    if (now->exposed)
        metrics_writer_send(&watchers->metrics, now->exposed, now->exposed_count);
}

static int measure_and_report(const struct run_options *o, const struct sysroot *root,
                              struct err *e)
{
    char record[sizeof o->folder + 16] = "";
    if (o->folder[0]) {
        if (dir_make_new(o->folder, e))
            return -1;
        snprintf(record, sizeof record, "%s/record.cupel", o->folder);
    }

    struct session *session = NULL;
    struct watchers watchers;
    const struct session_launch launch = {&o->launch.start, o->before};
    struct session_observer observer = {show_and_expose, &watchers, progress_notice, o->live,
                                        o->metrics[0] != '\0'};
    const volatile sig_atomic_t *stop = signals_install();
    if (metrics_writer_begin(&watchers.metrics, o->metrics, &o->plan.labels, e)) {
        if (*o->folder)
            rmdir(o->folder);
        return -1;
    }
    int status = begin_progress(&watchers.progress, o, e)
                     ? -1
                     : session_run_started(&session, &o->plan, root, *record ? record : NULL, stop,
                                           &observer, &launch, e);
    progress_end(&watchers.progress);
    metrics_writer_end(&watchers.metrics);
    if (status) {
        if (*o->folder)
            rmdir(o->folder); /* cupel created the folder; it is removed only if it is empty */
        return -1;
    }
    static struct result result; /* too large for a small stack (ulimit -s) */
    session_result(session, &result);
    run_history_add(&o->plan, &result);
    status = print_and_keep(&result, o, e);
    session_free(session);
    return status;
}

int session_options_run(const struct run_options *o, struct err *e)
{
    struct capture capture;
    signals_install(); /* first, so that a signal cannot leave an unpacked capture behind */
    if (launch_options_prepare(&o->launch, o->folder, e) ||
        capture_open(&capture, o->sysroot[0] ? o->sysroot : NULL, e))
        return launch_error(&o->launch.start.launcher, e);
    bool several = o->plan.repeat.sessions || o->plan.ending.find_rate[0];
    int status =
        several ? several_and_report(o, &capture.root, e) : measure_and_report(o, &capture.root, e);
    capture_close(&capture);
    return status < 0 ? launch_error(&o->launch.start.launcher, e) : status;
}

int session_options_writes(const struct run_options *o, bool *is_writing, struct err *e)
{
    static struct workload_spec spec;
    struct plan plan = o->plan;
    if (plan.ending.find_rate[0])
        plan.rate_iops = 1; /* each session of a search has a rate */
    const struct io_ops *ops = io_backend_by_name(plan.engine);
    /* A backend that creates its files in a scratch folder overwrites no data of a user. */
    bool has_target = !ops || (ops->needs_target && !(ops->action && ops->action->in_folder));
    if (plan_is_timed(&plan) && !plan_is_replay(&plan) && plan_workload(&plan, &spec, e))
        return -1;
    *is_writing =
        has_target && (plan_is_replay(&plan) ? plan.replay.allow_writes
                                             : plan.write_share > 0 || io_is_without_data(ops));
    return 0;
}

int session_options_foresee(const struct run_options *o, struct command_effect *effect,
                            struct err *e)
{
    if (session_options_writes(o, &effect->writes, e))
        return -1;
    snprintf(effect->target, sizeof effect->target, "%s", o->plan.target);
    return o->plan.destroy_serial[0] ? command_effect_serial(effect, o->plan.destroy_serial, e) : 0;
}
