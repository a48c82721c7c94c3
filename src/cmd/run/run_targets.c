/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs sessions on several targets at the same time, from the options to the printed and stored
   result. */
#include "cmd/run/run_targets.h"

#include "cmd/targets/several.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "cmd/monitoring/metrics_file.h"
#include "cmd/monitoring/violation_command.h"
#include "cmd/monitoring/written_logs.h"
#include "cmd/options/command.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/clause.h"
#include "facts/result.h"
#include "hw/capture/capture.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "many/merge/merge.h"
#include "many/together/together.h"
#include "report/together/targets.h"
#include "run/plan/plan.h"
#include "run/record/record.h"

/* ---- plans and names ---- */

int run_targets_check(const struct run_options *o, size_t count, struct err *e)
{
    const struct {
        bool given;
        const char *name;
    } of_one[] = {{o->plan.repeat.sessions > 0, "repeat"},
                  {o->plan.ending.find_rate[0] != '\0', "find-rate"},
                  {o->launch.start_at[0] != '\0', "start-at"},
                  {o->launch.start_together[0] != '\0', "start-together"},
                  {o->certificate, "certificate"},
                  {o->live, "live"},
                  {o->plan.watch.remote[0] != '\0', "remote"},
                  {o->plan.completions[0] && strcmp(o->plan.completions, PLAN_TRACE_IN_FOLDER) != 0,
                   "trace=FILE"}};
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if (of_one[i].given)
            return err_set(e, ERR_USAGE, "--%s needs a single TARGET, but there are %zu",
                           of_one[i].name, count);
    if (launcher_is_of_many(&o->launch.start.launcher))
        return err_set(e, ERR_USAGE, "each of several ranks measures one TARGET, and here are %zu",
                       count);
    return count <= TOGETHER_MAX
               ? 0
               : err_set(e, ERR_USAGE, "at most %d targets at the same time", TOGETHER_MAX);
}

/* Assigns the serial numbers of --destroy-serial S1,S2,... to the targets in order. */
static int give_serials(struct several *s, const char *serials, struct err *e)
{
    const char *at = serials;
    for (size_t i = 0; i < s->count && serials[0]; i++) {
        const size_t length = strcspn(at, ",");
        struct plan *plan = &s->ones[i].plan;
        const bool last = i + 1 == s->count;
        if (!length || length >= sizeof plan->destroy_serial || (at[length] != '\0') == last)
            return err_set(e, ERR_UNSAFE,
                           "--destroy-serial names a serial number for each of the %zu disks, with "
                           "commas between and in their order; nothing was written",
                           s->count);
        snprintf(plan->destroy_serial, sizeof plan->destroy_serial, "%.*s", (int)length, at);
        at += length + !last;
    }
    return 0;
}

/* ---- progress ---- */

/* Shows one line for all targets: the sum of their rates, and the longest of their remaining
   times. */
static void show(void *context, size_t target, const struct session_progress *now)
{
    struct several *s = context;
    struct session_progress sum = *now;
    char stage[48];
    size_t loaded = 0;
    s->ones[target].seen = *now;
    s->ones[target].seen.stage = ""; /* the text is freed after this call */
    s->ones[target].any_seen = true;
    s->ones[target].is_kept = !strncmp(now->stage, "loaded", 6);
    sum.mean = sum.width_share = sum.target_share = sum.done_share = NAN;
    sum.rate = sum.left_seconds = 0;
    sum.missing[0] = sum.index[0] = '\0';
    sum.measuring = sum.left_is_least = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct session_progress *seen = &s->ones[i].seen;
        if (!s->ones[i].any_seen)
            continue;
        /* A target that has finished has no I/O, while others may still run for a long time. */
        if (isfinite(seen->rate) && (seen->measuring || s->ones[i].is_kept))
            sum.rate += seen->rate;
        sum.done_share = fmin(sum.done_share, seen->done_share);
        sum.left_is_least |= seen->left_is_least;
        sum.left_seconds = fmax(sum.left_seconds, seen->left_seconds);
        sum.measuring |= seen->measuring;
        loaded += s->ones[i].is_kept;
    }
    snprintf(stage, sizeof stage, "%zu targets, %s", s->count, now->stage);
    if (loaded)
        snprintf(stage, sizeof stage, "%zu of %zu targets done", loaded, s->count);
    sum.stage = stage;
    progress_show(&s->progress, &sum);
}

static void notice(void *context, size_t target, const char *words)
{
    struct several *s = context;
    char line[400];
    snprintf(line, sizeof line, "%.100s: %.280s", s->targets[target].name, words);
    progress_notice(&s->progress, line);
}

/* ---- the result ---- */

static int print(const struct several *s, const struct output_form *form, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    style.full = form->full;
    style.folder = form->folder;
    report_print(&targets_report, &s->view, form->format, &style, &out);
    return output_text(&out, e);
}

/* Writes each target's result to a folder of its own, and the sum to `folder`. There, the report on
   the sum is replaced by the report on all targets. */
static int keep(const struct several *s, const char *folder, struct err *e)
{
    const struct report_style style = {.full = true};
    for (size_t i = 0; i < s->count; i++) {
        char below[PATH_MAX];
        if (!file_path(below, "%s/%s", folder, s->targets[i].name) ||
            output_folder(s->targets[i].result, below, e))
            return -1;
    }
    static const char *const names[] = {"report.txt", "report.html", "summary.csv", NULL};
    return merge_keep(s->merge, folder, e) || output_folder(s->all, folder, e) ||
                   output_report(&targets_report, &s->view, &style, names, folder, output_file_anew,
                                 e)
               ? -1
               : 0;
}

/* Returns the worst exit status of all targets. The error names the target. Failures come first,
   then failed clauses, then undecided results. */
static int status_of(const struct several *s, struct err *e)
{
    static const enum err_code order[] = {ERR_TARGET, ERR_FAILED, ERR_UNDECIDED, ERR_MACHINE};
    if (targets_did_nothing(&s->view))
        return err_set(e, ERR_TARGET, "no request was issued: there is nothing to report");
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < s->count; i++) {
            struct err own = {0};
            if (!output_status(s->targets[i].result, &own) || own.code != order[k])
                continue;
            *e = own;
            return err_context(e, "%.100s", s->targets[i].name);
        }
    return ERR_NONE;
}

/* ---- cupel run ---- */

static int measure(struct several *s, const struct run_options *o, const struct sysroot *root,
                   struct err *e)
{
    const struct plan *plans[TOGETHER_MAX];
    const char *records[TOGETHER_MAX];
    struct session *sessions[TOGETHER_MAX];
    struct together_observer observer = {.progress = show, .notice = notice, .context = s};
    struct together_request request = {.count = s->count,
                                       .plans = plans,
                                       .record_paths = records,
                                       .root = root,
                                       .stop = signals_install(),
                                       .observer = &observer};
    for (size_t i = 0; i < s->count; i++) {
        plans[i] = &s->ones[i].plan;
        records[i] = s->ones[i].record;
        s->ones[i].seen = (struct session_progress){.rate = NAN, .left_seconds = NAN, .stage = ""};
    }
    if (o->folder[0] && dir_make_new(o->folder, e))
        return -1;
    int status = several_make_records(s, o->folder, e);
    if (!status) {
        progress_begin(&s->progress, "looking at the targets");
        status = together_run(sessions, &request, e);
        progress_end(&s->progress);
        for (size_t i = 0; i < s->count; i++)
            s->ones[i].session = sessions[i];
    }
    if (status && !s->ones[0].session)
        several_remove_records(s, o->folder);
    return status;
}

/* Returns the exit status, or -1 if settings could not be restored. If the targets have an error as
   well, the error about settings is printed here, because main prints only one. */
static int status_with(const struct several *s, const struct err *setting, struct err *e)
{
    const int status = status_of(s, e);
    if (!setting->code)
        return status;
    if (status)
        fprintf(stderr, "cupel: %s\n", setting->msg);
    else
        *e = *setting;
    return -1;
}

static int measure_and_report(struct several *s, const struct run_options *o,
                              const struct sysroot *root, struct err *e)
{
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    struct err setting = {0}; /* why a setting of the machine could not be restored */
    if (measure(s, o, root, e)) {
        if (!s->ones[0].session)
            return -1;
        setting = *e;
        *e = (struct err){0};
    }
    if (several_result(s, e) || print(s, &form, e) || (o->folder[0] && keep(s, o->folder, e)) ||
        written_logs_of_merge(&o->logs, s->merge, e) ||
        metrics_write_merge(s->merge, MERGE_BY_DEVICE, NULL, s->all, o->metrics, e))
        return -1;
    for (size_t i = 0; i < s->count && o->on_violation[0]; i++) {
        struct violations violations = {.command = o->on_violation, .ends_with = signals_end_with};
        violations_end(&violations, s->targets[i].result->clauses,
                       s->targets[i].result->clause_count);
    }
    return status_with(s, &setting, e);
}

static int prepare(struct several *s, const struct run_options *o, const char *const targets[],
                   const char *const parts[], struct err *e)
{
    const struct io_ops *ops = io_backend_by_name(o->plan.engine);
    const bool writes =
        plan_is_replay(&o->plan) ? o->plan.replay.allow_writes : o->plan.write_share > 0;
    for (size_t i = 0; i < s->count; i++) {
        s->ones[i].plan = o->plan;
        /* The monitors of all targets together may cost as much as the monitor of one. */
        s->ones[i].plan.watch.cost /= (double)s->count;
        /* With the same seed, the requests of all targets would be due at the same times. */
        s->ones[i].plan.seed += i * PLAN_JOBS_MAX;
        if (session_options_target(targets[i], &s->ones[i].plan, e))
            return -1;
        if (parts)
            snprintf(s->ones[i].plan.replay.devices, sizeof s->ones[i].plan.replay.devices, "%s",
                     parts[i]);
        several_name(s, i, s->ones[i].plan.target);
    }
    return give_serials(s, o->plan.destroy_serial, e) ||
                   ((!ops || ops->needs_target) &&
                    together_distinct("", targets, s->count, writes, e))
               ? -1
               : 0;
}

static int run_prepared(struct several *s, const struct run_options *o, struct err *e)
{
    struct capture capture;
    signals_install();
    if (capture_open(&capture, o->sysroot[0] ? o->sysroot : NULL, e))
        return -1;
    int status = measure_and_report(s, o, &capture.root, e);
    capture_close(&capture);
    return status;
}

int run_targets(const struct run_options *o, const char *const targets[], const char *const parts[],
                size_t count, struct err *e)
{
    struct several *s;
    if (run_targets_check(o, count, e))
        return -1;
    int status =
        several_new(&s, count, e) || prepare(s, o, targets, parts, e) ? -1 : run_prepared(s, o, e);
    several_free(s);
    return status;
}

/* ---- sections of a job file ---- */

static bool needs_target(const struct plan *plan)
{
    const struct io_ops *ops = io_backend_by_name(plan->engine);
    return !ops || ops->needs_target;
}

/* Returns true if the session depends on its target's contents, because data are read back,
   trimmed, or used in another way. */
static bool relies_on_data(const struct plan *p)
{
    const struct io_ops *ops = io_backend_by_name(p->engine);
    return p->verify || p->trims != TRIMS_NONE || p->mode[0] || p->zones.on ||
           (ops && ops->resizes);
}

/* Returns true if the sessions of two plans may use the same target. In a folder, each session has
   its own scratch file. Several sessions may read an existing file or disk. They may write the same
   file if none of them depends on its contents. */
static bool may_share(const struct plan *a, const struct plan *b)
{
    struct stat x, y;
    /* Requests that only allocate and free space depend on no contents. */
    if (io_is_without_data(io_backend_by_name(a->engine)) &&
        io_is_without_data(io_backend_by_name(b->engine)))
        return true;
    const bool same = !strcmp(a->target, b->target) && !relies_on_data(a) && !relies_on_data(b);
    const bool first = !stat(a->target, &x), second = !stat(b->target, &y);
    if (!first || !second)
        /* neither exists: one session creates the file, and the other one uses it too */
        return same && !first && !second;
    return S_ISDIR(x.st_mode) || S_ISDIR(y.st_mode) || (same && S_ISREG(x.st_mode)) ||
           !(a->write_share > 0 || b->write_share > 0);
}

static int check_pairs(const struct several *s, struct err *e)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = i + 1; k < s->count; k++) {
            const struct plan *a = &s->ones[i].plan, *b = &s->ones[k].plan;
            if (needs_target(a) && needs_target(b) && !may_share(a, b) &&
                together_distinct("", (const char *const[]){a->target, b->target}, 2,
                                  a->write_share > 0 || b->write_share > 0, e))
                return err_context(e, "[%.60s] and [%.60s]", s->targets[i].name,
                                   s->targets[k].name);
        }
    return 0;
}

int run_sections(const struct run_options o[], const char *const names[], size_t count,
                 struct err *e)
{
    struct several *s;
    int status = several_new(&s, count, e);
    for (size_t i = 0; i < count && !status; i++) {
        s->ones[i].plan = o[i].plan;
        s->ones[i].plan.watch.cost /= (double)count;
        several_name(s, i, names[i]);
    }
    if (!status)
        status = check_pairs(s, e) ? -1 : run_prepared(s, o, e);
    several_free(s);
    return status;
}

/* ---- cupel report ---- */

int run_targets_report(const char *folder, const struct output_form *form, struct err *e)
{
    struct several *s;
    int status = several_load(&s, folder, e) || several_result(s, e) || print(s, form, e)
                     ? -1
                     : status_of(s, e);
    several_free(s);
    return status;
}
