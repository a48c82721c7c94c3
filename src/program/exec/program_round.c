/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program round by round: its preparation, one execution, and the readings from it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "program/exec/internal.h"

enum {
    OUTPUT_BYTES = 1 << 20,
    ERRORS_BYTES = 64 << 10,
    SHOWN_BYTES = 4096, /* bytes shown of each output of a failed round */
    WHY_BYTES = 240
};

/* Minimum time of a cleanup, even if the session's time is over, and of any round or hook before
   it. */
static const double cleanup_seconds = 10, shortest_seconds = 0.001;

struct exec {
    const struct exec_program *program;
    const volatile sig_atomic_t *stop;
    /* time on the clock of process_now() at which everything must end; infinite: no deadline */
    double deadline;
    struct output output, errors;
    struct served served; /* state of a program that serves all rounds */
    char **environment;   /* begins with copies of the program's own variables */
    size_t own_variables;
    char *joined; /* the command for the shell; NULL: none */
    struct reader_memory memory;
    struct unit_source units;
    double values[EXECUTION_INDICES_MAX];
    char why[WHY_BYTES], left[WHY_BYTES];
    char shown[2 * SHOWN_BYTES + 2];
};

static struct substitution substitution_of(const struct exec_program *p, const char *work,
                                           const char *folder, const char *round)
{
    return (struct substitution){work, folder, round, "", p->parameters, p->parameter_count};
}

static void free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free((void *)words);
}

/* Makes the environment: the program's variables, then cupel's own, unless the program sets
   them. */
static int make_environment(struct exec *x, const char *const *own)
{
    size_t own_count = 0, count = 0;
    while (own && own[own_count])
        own_count++;
    while (environ[count])
        count++;
    x->environment = calloc(count + own_count + 1, sizeof *x->environment);
    if (!x->environment)
        return -1;
    for (; x->own_variables < own_count; x->own_variables++) {
        x->environment[x->own_variables] = strdup(own[x->own_variables]);
        if (!x->environment[x->own_variables])
            return -1;
    }
    for (size_t i = 0, used = own_count; i < count; i++) {
        bool replaced = false;
        size_t name = strcspn(environ[i], "=") + 1;
        for (size_t k = 0; k < own_count; k++)
            replaced = replaced || !strncmp(environ[i], own[k], name);
        if (!replaced)
            x->environment[used++] = environ[i];
    }
    return 0;
}

static char *join_words(const char *const *words)
{
    struct text out = {0};
    for (size_t i = 0; words[i]; i++)
        text_addf(&out, "%s%s", i ? " " : "", words[i]);
    if (!out.failed)
        return out.data;
    text_free(&out);
    return NULL;
}

/* Returns the words of the command for this round, ended by NULL, which free_words frees. NULL: no
   memory. */
static char **fill_words(const struct substitution *s, const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    char **filled = calloc(count + 1, sizeof *filled);
    for (size_t i = 0; filled && i < count; i++) {
        filled[i] = substitution_apply(s, words[i]);
        if (!filled[i]) {
            free_words(filled);
            return NULL;
        }
    }
    return filled;
}

/* Sets the deadline from program->seconds_left. */
static void set_deadline(struct exec *x)
{
    const double left = x->program->seconds_left;
    x->deadline = left > 0 ? process_now() + left : INFINITY;
}

/* Returns the smaller of the time up to the deadline and `own_seconds` (0: no limit); 0: unlimited.
 */
static double time_for(const struct exec *x, double own_seconds)
{
    double left = fmax(x->deadline - process_now(), shortest_seconds);
    left = own_seconds > 0 ? fmin(left, own_seconds) : left;
    return isfinite(left) ? left : 0;
}

static int run_words(struct exec *x, const struct substitution *s, const char *const *words,
                     bool may_leave, double seconds, struct process_end *end, struct err *e)
{
    const bool bare = !may_leave && x->program->bare, with_units = !may_leave && x->units.streams;
    char **filled = fill_words(s, words);
    if (!filled)
        return err_no_memory(e, "a program's output");
    struct process_request request = {.environment = x->environment,
                                      .directory = x->program->directory,
                                      .timeout_seconds = seconds,
                                      .stop = x->stop,
                                      .discard_output =
                                          bare || (!may_leave && x->program->discard_output),
                                      .may_leave = may_leave || bare,
                                      .output = &x->output,
                                      .errors = &x->errors,
                                      .units = with_units ? x->units.reader : NULL,
                                      .unit_descriptor = x->units.descriptor,
                                      .guard = may_leave ? NULL : x->program->guard,
                                      .guard_context = x->program->guard_context};
    int status = process_run(&request, filled, end, e);
    free_words(filled);
    return status;
}

/* Runs a round of a program that serves all rounds; starts the program if it does not run. */
static int serve_words(struct exec *x, const struct substitution *s, const char *const *words,
                       double seconds, struct process_end *end, struct err *e)
{
    const struct process_request request = {.environment = x->environment,
                                            .directory = x->program->directory,
                                            .timeout_seconds = seconds,
                                            .stop = x->stop,
                                            .output = &x->output,
                                            .errors = &x->errors};
    char **filled = fill_words(s, words);
    if (!filled)
        return err_no_memory(e, "a program's output");
    int status = served_round(&x->served, &request, filled, s->work, end, e);
    free_words(filled);
    return status;
}

/* Makes the error that says by which limit a hook was ended. */
static int out_of_time(const struct exec *x, const char *command, const char *name, double seconds,
                       struct err *e)
{
    if (x->program->hook_seconds > 0 && seconds >= x->program->hook_seconds)
        return err_set(e, ERR_TARGET,
                       "--%s \"%.120s\" took longer than %g s (--hook-timeout) and was ended", name,
                       command, seconds);
    if (!isfinite(x->deadline))
        return err_set(e, ERR_TARGET,
                       "--%s \"%.120s\" took longer than %.3g s after the session's end, and was "
                       "ended",
                       name, command, seconds);
    return err_set(
        e, ERR_UNDECIDED,
        "--%s \"%.120s\" was still running when the session's --limit came, and was ended", name,
        command);
}

/* Runs setup, preparation or cleanup, for a limited time. Anything but success is an error. */
static int run_helper(struct exec *x, const struct substitution *s, const char *command,
                      const char *name, double seconds, struct err *e)
{
    char line[120];
    const char *const words[] = {"/bin/sh", "-c", command, NULL};
    struct process_end end = {0};
    if (!command)
        return 0;
    if (run_words(x, s, words, true, seconds, &end, e))
        return err_context(e, "--%s", name);
    if (end.timed_out)
        return out_of_time(x, command, name, seconds, e);
    if (end.stopped || (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0))
        return 0;
    struct span said = output_last_line(&x->errors);
    span_printable(line, sizeof line, said.length ? said : output_last_line(&x->output));
    const char *colon = *line ? ": " : "";
    if (WIFSIGNALED(end.status))
        return err_set(e, ERR_TARGET, "--%s \"%.120s\" was killed by signal %d%s%s", name, command,
                       WTERMSIG(end.status), colon, line);
    return err_set(e, ERR_TARGET, "--%s \"%.120s\" failed with exit code %d%s%s", name, command,
                   WEXITSTATUS(end.status), colon, line);
}

int exec_open(struct exec **exec, const struct exec_program *program,
              const volatile sig_atomic_t *stop, struct err *e)
{
    const struct substitution nothing = substitution_of(program, "0", "", "0");
    struct exec *x = calloc(1, sizeof *x);
    *exec = x;
    if (!x)
        return err_no_memory(e, "a program's output");
    *x = (struct exec){.program = program,
                       .stop = stop,
                       .units.descriptor = -1,
                       .output = {.data = malloc(OUTPUT_BYTES), .capacity = OUTPUT_BYTES},
                       .errors = {.data = malloc(ERRORS_BYTES), .capacity = ERRORS_BYTES},
                       .joined = program->shell ? join_words(program->command) : NULL};
    set_deadline(x);
    /* children could not be waited for if the signal is ignored, which can be inherited */
    signal(SIGCHLD, SIG_DFL);
    bool complete = !make_environment(x, program->environment) && x->output.data &&
                    x->errors.data && (x->joined || !program->shell);
    if (!complete)
        err_no_memory(e, "a program's output");
    else if (!(program->unit_readings && unit_reader_make(&x->units.reader, program, e)) &&
             !run_helper(x, &nothing, program->setup, "setup", time_for(x, program->hook_seconds),
                         e))
        return 0;
    struct err more;
    exec_close(x, &more);
    *exec = NULL;
    return -1;
}

/* Returns true if the file system is full. Programs then fail in many ways, and rarely say why. */
static bool is_full(const char *path)
{
    struct statvfs fs;
    return !statvfs(path, &fs) && fs.f_blocks > 0 && fs.f_bavail == 0;
}

static const char *full_disk(const struct exec *x, const char *folder)
{
    const char *directory = x->program->directory;
    bool full = is_full(*folder     ? folder
                        : directory ? directory
                                    : ".") ||
                (x->units.reader && !x->units.streams && is_full(x->units.path));
    return full ? "; the file system is full" : "";
}

static bool describe_failure(struct exec *x, const struct process_end *end, const char *folder)
{
    const struct exec_program *p = x->program;
    char *why = x->why;
    const char *full = full_disk(x, folder);
    if (end->answered)
        return false;
    if (end->unasked)
        snprintf(why, WHY_BYTES,
                 "it printed \"%s\" beside its answers: --serve takes one line for each that it "
                 "reads",
                 x->served.unasked);
    else if (end->timed_out && process_now() >= x->deadline)
        snprintf(why, WHY_BYTES,
                 "it was still running when the session's --limit came, and was killed%s", full);
    else if (end->timed_out)
        snprintf(why, WHY_BYTES, "it took longer than %g s (--timeout) and was killed%s",
                 p->timeout_seconds, full);
    else if (end->closed)
        snprintf(why, WHY_BYTES, "it closed its output, so that no answer can come; killed");
    else if (WIFSIGNALED(end->status))
        snprintf(why, WHY_BYTES, "it was killed by signal %d (%s)%s", WTERMSIG(end->status),
                 strsignal(WTERMSIG(end->status)), full);
    else if (!p->exit_ok[WEXITSTATUS(end->status)])
        snprintf(why, WHY_BYTES, "exit code %d%s", WEXITSTATUS(end->status), full);
    else if (p->serve)
        snprintf(why, WHY_BYTES, "it ended instead of an answer");
    else if (end->left)
        snprintf(why, WHY_BYTES,
                 "it ended and left %zu process%s that went on, so that its time is not known; "
                 "killed",
                 end->left, end->left == 1 ? "" : "es");
    else
        return false;
    return true;
}

/* Returns the end of what the program printed. */
static const char *show_output(struct exec *x)
{
    const struct output *parts[] = {&x->output, &x->errors};
    size_t used = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t length = parts[i]->length < SHOWN_BYTES ? parts[i]->length : SHOWN_BYTES;
        memcpy(x->shown + used, parts[i]->data + parts[i]->length - length, length);
        used += length;
        if (length && x->shown[used - 1] != '\n')
            x->shown[used++] = '\n';
    }
    x->shown[used] = '\0';
    for (size_t i = 0; i < used; i++)
        if (!x->shown[i])
            x->shown[i] = '?';
    return x->shown;
}

static bool wants_folder(const struct exec_program *p)
{
    bool wants = (p->prepare && substitution_needs_folder(p->prepare)) ||
                 (p->unit_readings && substitution_needs_folder(p->unit_readings));
    for (size_t i = 0; p->command[i] && !wants; i++)
        wants = substitution_needs_folder(p->command[i]);
    return wants;
}

/*
 * Returns whether a round does not count for a reason outside the program: the session's time ran
 * out, or the program, this process or the machine was stopped. If a signal stopped the program,
 * this process may have been away at the same time; the longer of the two times is reported.
 */
static bool is_left_out(struct exec *x, const struct process_end *end,
                        const struct exec_reading *reading)
{
    const double away = fmax(end->stopped_seconds, end->away_seconds);
    if (reading->out_of_time)
        return true; /* `why` says that */
    if (!(away > 0))
        return false;
    snprintf(x->why, WHY_BYTES, "%s stopped for %.2f s meanwhile (%s)",
             end->stopped_seconds > 0 ? "the program was" : "cupel was", away,
             end->stopped_seconds > 0 ? "a signal, or a terminal's job control"
                                      : "a signal, a paused machine, its sleep");
    return true;
}

static double seconds_between(const struct timeval *begin, const struct timeval *end)
{
    return (double)(end->tv_sec - begin->tv_sec) + 1e-6 * (double)(end->tv_usec - begin->tv_usec);
}

/* Measures a round that is a function of this process. */
static int measure_round(struct exec *x, struct exec_reading *reading, struct err *e)
{
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    const double begin = process_now();
    if (x->program->measure(x->program->measure_context, x->values, e))
        return -1;
    const double seconds = process_now() - begin;
    getrusage(RUSAGE_SELF, &after);
    *reading =
        (struct exec_reading){.seconds = seconds,
                              .duration = seconds,
                              .user_seconds = seconds_between(&before.ru_utime, &after.ru_utime),
                              .system_seconds = seconds_between(&before.ru_stime, &after.ru_stime),
                              .max_rss = (uint64_t)after.ru_maxrss * 1024,
                              .values = x->values,
                              .output = ""};
    return 0;
}

static int run_round(struct exec *x, const struct substitution *s, struct exec_reading *reading,
                     struct err *e)
{
    const struct exec_program *p = x->program;
    const char *const in_shell[] = {"/bin/sh", "-c", x->joined, NULL};
    struct process_end end = {0};
    const char *const *words = p->shell ? in_shell : p->command;
    if (run_helper(x, s, p->prepare, "prepare", time_for(x, p->hook_seconds), e))
        return -1;
    const double prepared = process_now();
    if (p->await && p->await(p->await_context, e))
        return -1;
    x->deadline += process_now() - prepared;
    if (x->stop && *x->stop) {
        *reading = (struct exec_reading){.values = x->values, .stopped = true};
        return 0;
    }
    const bool has_units = x->units.reader && !p->bare;
    if (has_units && !unit_source_begin(&x->units, p, s->units, x->why, sizeof x->why)) {
        *reading = (struct exec_reading){.values = x->values, .why = x->why, .output = ""};
        return 0;
    }
    const double seconds = time_for(x, p->timeout_seconds);
    if (p->serve ? serve_words(x, s, words, seconds, &end, e)
                 : run_words(x, s, words, false, seconds, &end, e)) {
        unit_source_end(&x->units, false, x->stop);
        return -1;
    }
    /* A signal to cupel's process group can reach a process that has not left the group yet. */
    bool stopped = end.stopped || (x->stop && *x->stop && WIFSIGNALED(end.status));
    *reading = (struct exec_reading){.seconds = end.seconds,
                                     .user_seconds = end.user_seconds,
                                     .system_seconds = end.system_seconds,
                                     .max_rss = end.max_rss,
                                     .io_blocks = end.io_blocks,
                                     .duration = end.seconds,
                                     .values = x->values,
                                     .timed_out = end.timed_out,
                                     .out_of_time = end.timed_out && process_now() >= x->deadline,
                                     .stopped = stopped};
    if (!stopped && (describe_failure(x, &end, s->folder) ||
                     (!p->bare && !readings_take(p, &x->output, &x->memory, x->values,
                                                 &reading->duration, x->why, sizeof x->why))))
        reading->why = x->why;
    if (!stopped && is_left_out(x, &end, reading)) {
        reading->left_out = true;
        reading->why = x->why;
    }
    const char *lacking =
        unit_source_end(&x->units, has_units && !stopped && !reading->why, x->stop);
    if (lacking) {
        snprintf(x->why, WHY_BYTES, "%s%s", lacking, full_disk(x, s->folder));
        reading->why = x->why;
    }
    reading->units = has_units && !reading->why ? x->units.reader : NULL;
    reading->output = stopped ? NULL : show_output(x);
    return 0;
}

int exec_round(struct exec *x, uint64_t number, double work, struct exec_reading *reading,
               struct err *e)
{
    char folder[PATH_MAX] = "", work_text[40], round_text[24];
    int opened = -1;
    set_deadline(x);
    if (x->program->measure)
        return measure_round(x, reading, e);
    if (wants_folder(x->program) &&
        result_folder_make(x->program->result_folder, number, folder, sizeof folder, &opened, e))
        return -1;
    snprintf(work_text, sizeof work_text, "%.17g", work);
    snprintf(round_text, sizeof round_text, "%llu", (unsigned long long)number);
    struct substitution s = substitution_of(x->program, work_text, folder, round_text);
    char *units = x->program->unit_readings ? unit_source_name(x->program, &s) : NULL;
    s.units = units ? units : "";
    int status = x->program->unit_readings && !units ? err_no_memory(e, "unit readings")
                                                     : run_round(x, &s, reading, e);
    free(units);
    if (opened >= 0 && !result_folder_remove(opened, folder, x->left, sizeof x->left) && !status)
        reading->left_folder = x->left;
    return status;
}

size_t exec_stop(struct exec *x)
{
    return x ? served_end(&x->served) : 0;
}

int exec_close(struct exec *x, struct err *e)
{
    if (!x)
        return 0;
    const struct substitution nothing = substitution_of(x->program, "0", "", "0");
    exec_stop(x);
    x->stop = NULL; /* neither a signal nor the session's end keeps the cleanup from running */
    const double left = x->program->seconds_left, own = x->program->hook_seconds;
    x->deadline = INFINITY;
    double seconds = own > 0 ? own : left > 0 ? fmax(left, cleanup_seconds) : 0;
    int status = x->environment && x->errors.data && x->output.data
                     ? run_helper(x, &nothing, x->program->cleanup, "cleanup", seconds, e)
                     : 0;
    for (size_t i = 0; x->environment && i < x->own_variables; i++)
        free(x->environment[i]);
    unit_reader_free(x->units.reader);
    free(x->joined);
    free((void *)x->environment);
    free(x->output.data);
    free(x->errors.data);
    free(x);
    return status;
}
