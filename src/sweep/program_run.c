/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that are executions of a program. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec.h"
#include "sweep/runners.h"

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

int sweep_program_run(const struct sweep_programs *s, const struct sweep_configuration *c,
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
    if (!status && !reading.stopped && reading.why)
        snprintf(outcome->why, sizeof outcome->why, "%.190s", reading.why);
    for (size_t i = 0; i < s->plan->response_count && !status && !reading.why; i++) {
        int index = s->plan->responses[i].index;
        outcome->values[i] = index < 0 ? reading.duration : reading.values[index];
    }
    exec_close(exec, &closing);
    return status;
}
