/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the commands that set and unset the level of a factor. A separate process, the keeper, runs
 * the unset commands if the sweep dies before it has run them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "many/sweep/internal.h"
#include "program/exec/exec.h"

/* A message to the process that runs the unset commands after a crash (the keeper): the level of a
   factor from now on, and the process group of the running command. */
struct word {
    int factor, level;
    pid_t running;
};

enum { SHOWN = 100 };

/* ---- the keeper ---- */

/* Detaches from the terminal. Only the pipe and the lock of the sweep's log stay open, so that
   nobody resumes the sweep before all unset commands have run. */
static void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        dup2(null, fd);
    setsid();
    prctl(PR_SET_NAME, "cupel-keeper");
}

/* Ends a command that outlived its sweep, because it could set its level after the unset command.
   It has a second to end by itself. */
static void end_command(pid_t group)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    kill(-group, SIGTERM);
    for (unsigned naps = 0; naps < 100 && kill(-group, 0) == 0; naps++)
        nanosleep(&nap, NULL);
    kill(-group, SIGKILL);
}

typedef int level_unset(struct level_commands *l, struct err *e);

static _Noreturn void keeper_main(struct level_commands *l, level_unset *unset, int pipe)
{
    struct word word;
    struct err e;
    leave_terminal();
    while (receive_message(pipe, &word, sizeof word)) {
        l->in_force[word.factor] = word.level;
        l->running = word.running;
    }
    if (l->running > 1)
        end_command(l->running);
    _exit(unset(l, &e) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- the sweep ---- */

static void level_keeper_end(struct level_commands *l)
{
    if (l->keeper >= 0)
        close(l->keeper);
    l->keeper = -1;
}

static int level_keeper_start(struct level_commands *l, level_unset *unset, struct err *e)
{
    int ends[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(e, ERR_MACHINE, "cannot prepare to run the unset commands: %s",
                       strerror(errno));
    /* The keeper, the process that runs the unset commands after a crash, is a grandchild, so that
       nobody has to wait for it. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (fork() == 0)
            keeper_main(l, unset, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    l->keeper = ends[0];
    if (child > 0)
        return 0;
    level_keeper_end(l);
    return err_set(e, ERR_MACHINE, "cannot start the process that runs the unset commands: %s",
                   strerror(error));
}

/* Tells the keeper process the level of a factor, before it is set, and the running command. */
static void level_keeper_say(const struct level_commands *l, size_t factor)
{
    const struct word word = {(int)factor, l->in_force[factor], l->running};
    if (l->keeper >= 0)
        send_message(l->keeper, &word, sizeof word);
}

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

/* Runs a command. A process that the command starts, such as a load generator, may go on running.
 */
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

/* Runs the unset commands of all levels that are set. It does not end the keeper process, which
   calls this function itself. */
static int level_commands_unset(struct level_commands *l, struct err *e)
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
        /* only now: if the sweep is killed during the command, the keeper process still unsets the
           level */
        l->in_force[i] = -1;
        level_keeper_say(l, i);
    }
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
        /* A command that fails half-way counts as done, so that the level is unset at the end. */
        l->in_force[i] = c->level[i];
        level_keeper_say(l, i);
        int status = run_command(l, i, "set", f->set, sweep_level_of(l->plan, c, i)->text, e);
        if (status)
            return status;
    }
    return 0;
}

int level_commands_end(struct level_commands *l, struct err *e)
{
    int status = level_commands_unset(l, e);
    level_keeper_end(l);
    return status;
}
