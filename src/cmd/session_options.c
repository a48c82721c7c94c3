/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands that run a session have in common, from their options to the kept result. */
#include "cmd/session_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "hw/capture.h"
#include "run/session.h"

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

/* The least time that was asked for has to fit in, with trial rounds and preparation. A preset's
   that does not fit is told by the verdict: what was measured until the limit is of use as well. */
static int check_least_time(const struct plan *p, struct err *e)
{
    char least[UNITS_BUFFER], limit[UNITS_BUFFER], enough[UNITS_BUFFER];
    if (p->minimum_seconds <= p->limit_seconds)
        return 0;
    return err_set(e, ERR_USAGE,
                   "--min-time %s is longer than the whole session may take (--limit %s): make "
                   "--limit longer, for example %s, or --min-time shorter",
                   format_time(least, sizeof least, p->minimum_seconds * 1e9),
                   format_time(limit, sizeof limit, p->limit_seconds * 1e9),
                   format_time(enough, sizeof enough, 2 * p->minimum_seconds * 1e9));
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
    if (options_given(set, "destroy-serial") && !strcmp(o->plan.engine, "null"))
        return err_set(e, ERR_USAGE, "--destroy-serial names a disk, and --ioengine null has none");
    if (plan_check(&o->plan, e))
        return -1;
    return options_given(set, "min-time") ? check_least_time(&o->plan, e) : 0;
}

/* The folder of -o is new and ours: when nothing was measured it goes again. */
static void remove_folder(const char *folder, const char *record)
{
    if (!*folder)
        return;
    unlink(record);
    rmdir(folder);
}

static int print_and_keep(const struct result *result, const struct run_options *o, struct err *e)
{
    if (output_result(result, o->format, e))
        return -1;
    if (o->folder[0] && output_folder(result, o->folder, e))
        return -1;
    return output_status(result, e);
}

static int measure(const struct run_options *o, const struct sysroot *root, const char *record,
                   struct session **session, struct err *e)
{
    struct progress progress;
    struct session_observer observer = {progress_show, &progress};
    const volatile sig_atomic_t *stop = signals_install();
    progress_begin(&progress);
    int status = session_run(session, &o->plan, root, *record ? record : NULL, stop, &observer, e);
    progress_end(&progress);
    return status;
}

static int measure_and_tell(const struct run_options *o, const struct sysroot *root, struct err *e)
{
    char record[sizeof o->folder + 16] = "";
    if (o->folder[0]) {
        if (dir_make_new(o->folder, e))
            return -1;
        snprintf(record, sizeof record, "%s/record.cupel", o->folder);
    }

    struct session *session = NULL;
    if (measure(o, root, record, &session, e)) {
        remove_folder(o->folder, record);
        return -1;
    }
    struct result result = {0};
    session_result(session, &result);
    int status = print_and_keep(&result, o, e);
    session_free(session);
    return status;
}

int session_options_run(const struct run_options *o, struct err *e)
{
    struct capture capture;
    signals_install(); /* before a capture is unpacked into a folder that has to go again */
    if (capture_open(&capture, o->sysroot[0] ? o->sysroot : NULL, e))
        return -1;
    int status = measure_and_tell(o, &capture.root, e);
    capture_close(&capture);
    return status;
}
