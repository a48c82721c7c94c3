/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the commands that set the level of a factor, and those that unset it. */
#include <stdio.h>
#include <string.h>

#include "many/sweep/internal.h"
#include "program/exec/exec.h"

enum { SHOWN = 100 };

/* Copies the last line of a command's output, for a message. */
static void last_line(char to[SHOWN], const char *output)
{
    size_t end = strlen(output);
    while (end && strchr(" \t\r\n", output[end - 1]))
        end--;
    size_t begin = end;
    while (begin && output[begin - 1] != '\n')
        begin--;
    span_printable(to, SHOWN, (struct span){output + begin, end - begin});
}

static int describe_failure(const struct sweep_factor *f, const char *key, const char *command,
                            const struct exec_reading *reading, double seconds, struct err *e)
{
    char line[SHOWN];
    last_line(line, reading->output);
    if (reading->timed_out)
        return err_set(e, ERR_TARGET,
                       "%s of factor %s, \"%.120s\", took longer than %g s (command-timeout) and "
                       "was killed",
                       key, f->name, command, seconds);
    return err_set(e, ERR_TARGET, "%s of factor %s, \"%.120s\", failed: %s%s%s", key, f->name,
                   command, reading->why, *line ? ": " : "", line);
}

struct guarded {
    struct level_commands *commands;
    size_t factor;
};

static void guard(void *guarded, pid_t group)
{
    const struct guarded *g = guarded;
    g->commands->running = group;
    level_keeper_say(g->commands, g->factor);
}

/* Runs a command. A process that it starts may go on running, such as a generator of load. */
static int run_command(struct level_commands *l, size_t factor, const char *key,
                       const char *command, const char *level, struct err *e)
{
    const struct sweep_factor *f = &l->plan->factors[factor];
    const char *const words[] = {command, NULL};
    struct execution_parameter parameter = {.name = "LEVEL"};
    struct guarded guarded = {l, factor};
    struct exec_program program = {.command = words,
                                   .parameters = &parameter,
                                   .parameter_count = 1,
                                   .shell = true,
                                   .exit_ok = {true},
                                   .bare = true,
                                   .guard = guard,
                                   .guard_context = &guarded,
                                   .timeout_seconds = l->plan->command_seconds,
                                   .duration_column = -1};
    struct exec *exec;
    struct exec_reading reading;
    struct err closing;
    if (strlen(level) >= sizeof parameter.value)
        return err_set(e, ERR_USAGE, "factor %s: a level of a command is shorter than %zu bytes",
                       f->name, sizeof parameter.value);
    snprintf(parameter.value, sizeof parameter.value, "%s", level);
    if (exec_open(&exec, &program, l->stop, e))
        return -1;
    int status = exec_round(exec, 0, 0, &reading, e);
    if (!status && reading.stopped)
        status = 1;
    else if (!status && reading.why)
        status = describe_failure(f, key, command, &reading, program.timeout_seconds, e);
    exec_close(exec, &closing);
    return status;
}

int level_commands_begin(struct level_commands *l, const struct sweep_plan *plan,
                         const volatile sig_atomic_t *stop, struct err *e)
{
    bool any = false;
    *l = (struct level_commands){.plan = plan, .stop = stop, .keeper = -1};
    for (size_t i = 0; i < SWEEP_FACTORS_MAX; i++)
        l->in_force[i] = -1;
    for (size_t i = 0; i < plan->factor_count; i++)
        any = any || plan->factors[i].unset;
    return any ? level_keeper_start(l, level_commands_unset, e) : 0;
}

int level_commands_set(struct level_commands *l, const struct sweep_configuration *c, struct err *e)
{
    for (size_t i = 0; i < l->plan->factor_count; i++) {
        const struct sweep_factor *f = &l->plan->factors[i];
        if (!f->set || l->in_force[i] == c->level[i])
            continue;
        l->in_force[i] = c->level[i]; /* A command that fails half-way counts as in force, so that
                                         it is unset. */
        level_keeper_say(l, i);
        int status = run_command(l, i, "set", f->set, sweep_level_of(l->plan, c, i)->text, e);
        if (status)
            return status;
    }
    return 0;
}

int level_commands_unset(struct level_commands *l, struct err *e)
{
    int status = 0;
    l->stop = NULL; /* a signal does not prevent the unset commands */
    for (size_t i = l->plan->factor_count; i-- > 0;) {
        const struct sweep_factor *f = &l->plan->factors[i];
        struct err why;
        if (l->in_force[i] < 0 || !f->unset)
            continue;
        const char *level = f->levels[l->in_force[i]].text;
        if (run_command(l, i, "unset", f->unset, level, &why) && !status) {
            *e = why;
            status = -1;
        }
        l->in_force[i] = -1; /* only now: if the sweep is killed before, the keeper still unsets the
                                level */
        level_keeper_say(l, i);
    }
    return status;
}

int level_commands_end(struct level_commands *l, struct err *e)
{
    int status = level_commands_unset(l, e);
    level_keeper_end(l);
    return status;
}
