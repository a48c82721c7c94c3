/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands that run a session have in common, from their options to the kept result. */
#include "cmd/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "hw/capture/capture.h"
#include "run/session/repeat.h"
#include "run/session/session.h"

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

int session_options_check(const struct option_set *set, struct run_options *o, struct err *e)
{
    o->plan.clock_gettime = o->clock_gettime != 0;
    o->plan.cpus_given = options_given(set, "cpus") != NULL;
    if (o->sysroot[0] && (o->plan.governor[0] || o->plan.scheduler[0] || o->plan.cpu_idle_off))
        return err_set(e, ERR_USAGE,
                       "--sysroot reads another machine: --governor, --scheduler and --cpu-idle do "
                       "not go with it");
    if (o->plan.monitor_cost <= 0 && o->plan.monitor_rate)
        return err_set(e, ERR_USAGE,
                       "--monitor-cost 0 watches nothing: --monitor-rate does not go "
                       "with it");
    const struct io_ops *ops = io_backend_by_name(o->plan.engine);
    if (options_given(set, "destroy-serial") && ops && !ops->needs_target)
        return err_set(e, ERR_USAGE, "--destroy-serial names a disk, and --ioengine %s has none",
                       ops->name);
    if (options_given(set, "every") && !o->plan.repeat.sessions)
        return err_set(e, ERR_USAGE, "--every goes with --repeat only");
    if (o->plan.repeat.sessions && !strcmp(o->plan.trace, "-"))
        return err_set(e, ERR_USAGE,
                       "standard input comes once: --repeat needs a trace that is a file");
    if (o->plan.repeat.sessions && repeat_plan(&o->plan, options_given(set, "limit") != NULL, e))
        return -1;
    if (plan_check(&o->plan, e))
        return -1;
    /* A least time that was asked for has to fit in, with trial rounds and preparation. When that
       of a preset does not, the verdict says so: what was measured until the limit is of use as
       well. */
    const struct plan *p = &o->plan;
    char least[UNITS_BUFFER], limit[UNITS_BUFFER], enough[UNITS_BUFFER];
    if (!options_given(set, "min-time") || p->minimum_seconds <= p->limit_seconds)
        return 0;
    return err_set(e, ERR_USAGE,
                   "--min-time %s is longer than the whole session may take (--limit %s): make "
                   "--limit longer, for example %s, or --min-time shorter",
                   format_time(least, sizeof least, p->minimum_seconds * 1e9),
                   format_time(limit, sizeof limit, p->limit_seconds * 1e9),
                   format_time(enough, sizeof enough, 2 * p->minimum_seconds * 1e9));
}

static int print_and_keep(const struct result *result, const struct run_options *o, struct err *e)
{
    if (output_result(result, o->format, e))
        return -1;
    if (o->folder[0] && output_folder(result, o->folder, e))
        return -1;
    return output_status(result, e);
}

/* Reports of one session of several. */
static int keep_session(void *context, const char *folder, const struct result *result,
                        struct err *e)
{
    (void)context;
    return output_folder(result, folder, e);
}

static int repeat_and_report(const struct run_options *o, const struct sysroot *root, struct err *e)
{
    struct repeat *repeat = NULL;
    struct result *result = calloc(1, sizeof *result);
    if (!result)
        return err_set(e, ERR_MACHINE, "there is no memory left for a result");
    if (o->folder[0] && dir_make_new(o->folder, e)) {
        free(result);
        return -1;
    }
    struct progress progress;
    struct session_observer observer = {progress_show, &progress, progress_notice};
    struct repeat_request request = {.plan = &o->plan,
                                     .root = root,
                                     .folder = o->folder[0] ? o->folder : NULL,
                                     .stop = signals_install(),
                                     .observer = &observer,
                                     .keep = keep_session};
    progress_begin(&progress);
    int status = repeat_run(&repeat, &request, e);
    progress_end(&progress);
    if (status) {
        if (o->folder[0])
            rmdir(o->folder);
    } else {
        repeat_result(repeat, result);
        status = print_and_keep(result, o, e);
        struct err why = {0};
        if (repeat_kept(repeat, &why) && (!status || e->code == ERR_UNDECIDED)) {
            *e = why; /* a report that could not be written is worse than an undecided one */
            status = -1;
        }
        repeat_free(repeat);
    }
    free(result);
    return status;
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
    struct progress progress;
    struct session_observer observer = {progress_show, &progress, progress_notice};
    const volatile sig_atomic_t *stop = signals_install();
    progress_begin(&progress);
    int status = session_run(&session, &o->plan, root, *record ? record : NULL, stop, &observer, e);
    progress_end(&progress);
    if (status) {
        if (*o->folder)
            rmdir(o->folder); /* new and ours; only an empty one goes */
        return -1;
    }
    static struct result result; /* too large for a small stack (ulimit -s) */
    session_result(session, &result);
    status = print_and_keep(&result, o, e);
    session_free(session);
    return status;
}

int session_options_run(const struct run_options *o, struct err *e)
{
    struct capture capture;
    signals_install(); /* before a capture is unpacked into a folder that has to go again */
    if (capture_open(&capture, o->sysroot[0] ? o->sysroot : NULL, e))
        return -1;
    int status = o->plan.repeat.sessions ? repeat_and_report(o, &capture.root, e)
                                         : measure_and_report(o, &capture.root, e);
    capture_close(&capture);
    return status;
}

/* A replay that may write does; what a profile does stands in the profile. */
int session_options_foresee(const struct run_options *o, struct command_effect *effect,
                            struct err *e)
{
    static struct workload_spec spec;
    struct plan plan = o->plan;
    const struct io_ops *ops = io_backend_by_name(plan.engine);
    bool has_target = !ops || ops->needs_target;
    if (plan_is_timed(&plan) && !plan_is_replay(&plan) && plan_workload(&plan, &spec, e))
        return -1;
    effect->writes =
        has_target && (plan_is_replay(&plan) ? plan.allow_writes : plan.write_share > 0);
    snprintf(effect->target, sizeof effect->target, "%s", plan.target);
    return plan.destroy_serial[0] ? command_effect_serial(effect, plan.destroy_serial, e) : 0;
}
