/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a sweep in which a program is executed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/sweep/runners.h"
#include "program/exec/exec.h"
#include "run/parts/knob_request.h"

static int fill_parameters(const struct sweep_plan *plan, const struct sweep_configuration *c,
                           struct execution_parameter to[], struct err *e)
{
    for (size_t i = 0; i < plan->factor_count; i++) {
        const char *level = sweep_level_of(plan, c, i)->text;
        if (strlen(level) >= sizeof to->value)
            return err_set(e, ERR_USAGE,
                           "factor %s: a level of a program is shorter than %zu bytes",
                           plan->factors[i].name, sizeof to->value);
        snprintf(to[i].name, sizeof to->name, "%s", plan->factors[i].name);
        snprintf(to[i].value, sizeof to->value, "%s", level);
    }
    return 0;
}

/* Makes the settings of the machine's processors that the factors name. Settings of disks are
   refused, because a program has no target. */
static int set_knobs(const struct sweep_programs *s, const struct sweep_configuration *c,
                     struct knobs *knobs, struct err *e)
{
    struct knob_request request = {0};
    struct plan *plan = malloc(sizeof *plan);
    int status = plan ? 0 : err_no_memory(e, "a plan");
    if (plan)
        plan_init(plan);
    for (size_t i = 0; i < s->plan->factor_count && !status; i++)
        if (s->plan->factors[i].option)
            status = option_store_text(s->plan->factors[i].option,
                                       sweep_level_of(s->plan, c, i)->text, plan, e);
    if (!status)
        request = knob_request_of(plan);
    const char *of_disks = knob_request_of_disks(&request);
    if (!status && of_disks)
        status = err_set(e, ERR_USAGE,
                         "%s: a program has no target whose disks could be set: give the factor "
                         "another name and a command (set:)",
                         of_disks);
    if (!status)
        status = knobs_set(knobs, s->root, &request, e);
    free(plan);
    return status;
}

static int run_program(const struct sweep_programs *s, const struct sweep_configuration *c,
                       struct sweep_outcome *outcome, struct err *e)
{
    const char *const words[] = {s->plan->exec, NULL};
    struct execution_parameter parameters[SWEEP_FACTORS_MAX];
    struct exec_program program = {.command = words,
                                   .parameters = parameters,
                                   .parameter_count = s->plan->factor_count,
                                   .shell = true,
                                   .exit_ok = {true},
                                   .timeout_seconds = s->timeout_seconds,
                                   .indices = s->plan->indices,
                                   .index_count = s->plan->index_count,
                                   .duration_column = -1};
    struct exec *exec;
    struct exec_reading reading;
    struct err closing;
    if (fill_parameters(s->plan, c, parameters, e) || exec_open(&exec, &program, s->stop, e))
        return -1;
    int status = exec_round(exec, 1, 0, &reading, e);
    outcome->stopped = !status && reading.stopped;
    outcome->left_out = !status && reading.left_out;
    if (!status && !reading.why)
        reading.why = reading.left_folder;
    if (!status && !reading.stopped && reading.why)
        snprintf(outcome->why, sizeof outcome->why, "%.190s", reading.why);
    for (size_t i = 0; i < s->plan->response_count && !status && !reading.why; i++) {
        int index = s->plan->responses[i].index;
        outcome->values[i] = index < 0 ? reading.duration : reading.values[index];
    }
    exec_close(exec, &closing);
    return status;
}

int sweep_program_run(const struct sweep_programs *s, const struct sweep_configuration *c,
                      struct sweep_outcome *outcome, struct err *e)
{
    struct knobs knobs = {0};
    struct err why;
    if (set_knobs(s, c, &knobs, e))
        return -1;
    int status = run_program(s, c, outcome, e);
    if (knobs_restore(&knobs, &why) && !status) {
        *e = why;
        status = -1;
    }
    knobs_free(&knobs);
    return status;
}
