/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel run --memory and --processors: measures a part of this machine instead of a target, in
   rounds as exec does. */
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "cmd/execution/rounds_output.h"
#include "cmd/run/internal.h"
#include "cmd/run/launch_options.h"
#include "cmd/run/session_options.h"
#include "machine/memory/memory.h"
#include "machine/processors/processors.h"
#include "program/exec/exec.h"

static int check_options(const struct option_set *set, const char *part, struct err *e)
{
    static const char *const common[] = {"preset",      "ci",           "confidence", "min-samples",
                                         "changepoint", "interval",     "limit",      "min-time",
                                         "label",       "monitor-cost", "format",     "full",
                                         "output",      "no-history",   NULL};
    if (set->operand_count)
        return err_set(e, ERR_USAGE, "--%s measures no target: leave %.100s out", part,
                       set->operands[0]);
    for (size_t i = 0; set->rows[i].name; i++) {
        const char *const *name = common;
        while (*name && strcmp(*name, set->rows[i].name) != 0)
            name++;
        if (set->given[i] && !*name && strcmp(part, set->rows[i].name) != 0)
            return err_set(e, ERR_USAGE, "--%s and --%s exclude each other: it is not about %s",
                           part, set->rows[i].name, part);
    }
    return 0;
}

/* Measures with the precision that the options request, prints the result and keeps it. */
static int measure(struct exec_plan *plan, const struct option_set *set,
                   const struct run_options *o, struct err *e)
{
    static struct execution result; /* too large for a small stack */
    struct exec_session *session;
    plan->width_given = options_given(set, "ci") != NULL;
    plan->folder = o->folder[0] ? o->folder : NULL;
    if (plan->folder && dir_make_new(plan->folder, e))
        return -1;
    if (execution_measure(plan, &session, &result, e)) {
        if (plan->folder)
            rmdir(plan->folder); /* removes it only if it is empty */
        return -1;
    }
    const struct output_form form = {.format = o->format, .full = o->full, .folder = o->folder};
    int status = execution_output(&result, &form, e);
    if (!status)
        status = execution_status(&result, e);
    exec_session_free(session);
    return status;
}

int run_machine(const struct option_set *set, struct err *e)
{
    const bool memory = options_given(set, "memory") != NULL;
    struct run_options o = {0};
    struct exec_plan plan;
    if (check_options(set, memory ? "memory" : "processors", e) ||
        plan_options_store(set, &o.plan, e) || plan_check_rules(&o.plan, e) ||
        launch_output_name(o.folder, sizeof o.folder, e))
        return -1;
    int status = -1;
    if (memory) {
        struct memory_bench *bench;
        if (memory_bench_open(&bench, e))
            return -1;
        memory_bench_plan(bench, &o.plan, &plan);
        status = measure(&plan, set, &o, e);
        memory_bench_close(bench);
    } else {
        struct processor_bench *bench;
        if (processor_bench_open(&bench, e))
            return -1;
        processor_bench_plan(bench, &o.plan, &plan);
        status = measure(&plan, set, &o, e);
        processor_bench_close(bench);
    }
    return status;
}
