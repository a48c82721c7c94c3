/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/monitoring/violation_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/text.h"

#define TIMEOUT_SECONDS 30

static void warn(const struct violation *of, const char *what, int number)
{
    fprintf(stderr, "cupel: warning: --on-violation for %s: %s %d\n", of->clause, what, number);
}

/* ---- the command's environment: cupel's, and variables about the clause ---- */

enum { VARIABLES = 5 };

struct variables {
    char text[VARIABLES][128];
    char **all; /* array ended by NULL; the caller of make_variables frees it */
};

static bool is_ours(const char *variable, const struct variables *v)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        const size_t name = (size_t)(strchr(v->text[i], '=') - v->text[i]) + 1;
        if (!strncmp(variable, v->text[i], name))
            return true;
    }
    return false;
}

static bool make_variables(struct variables *v, const struct result_clause *clause,
                           const char *verdict)
{
    char value[TEXT_NUMBER], limit[TEXT_NUMBER], date[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    size_t count = 0, n = 0;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(v->text[0], sizeof *v->text, "CUPEL_CLAUSE=%s", clause->text);
    snprintf(v->text[1], sizeof *v->text, "CUPEL_VALUE=%s", text_number(value, clause->value));
    snprintf(v->text[2], sizeof *v->text, "CUPEL_LIMIT=%s", text_number(limit, clause->limit));
    snprintf(v->text[3], sizeof *v->text, "CUPEL_VERDICT=%s", verdict);
    snprintf(v->text[4], sizeof *v->text, "CUPEL_TIME=%s", date);
    while (environ && environ[count])
        count++;
    v->all = malloc((count + VARIABLES + 1) * sizeof *v->all);
    for (size_t i = 0; i < count && v->all; i++)
        if (!is_ours(environ[i], v))
            v->all[n++] = environ[i];
    for (size_t i = 0; i < VARIABLES && v->all; i++)
        v->all[n++] = v->text[i];
    if (v->all)
        v->all[n] = NULL;
    return v->all != NULL;
}

/* ---- the command ---- */

/* Starts the command. Returns 0 or an error number (errno). */
static int start(const char *command, const struct variables *v, pid_t *process)
{
    char shell[] = "sh", option[] = "-c", words[VIOLATION_COMMAND_MAX];
    char *const arguments[] = {shell, option, words, NULL};
    snprintf(words, sizeof words, "%s", command);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t ignored_here; /* signals that main ignores; the command must not */
    sigemptyset(&ignored_here);
    sigaddset(&ignored_here, SIGPIPE);
    sigaddset(&ignored_here, SIGXFSZ);
    /* waiting is impossible while SIGCHLD is ignored, which may be inherited */
    signal(SIGCHLD, SIG_DFL);
    int status = posix_spawn_file_actions_init(&files);
    if (status)
        return status;
    status = posix_spawnattr_init(&attributes);
    if (status) {
        posix_spawn_file_actions_destroy(&files);
        return status;
    }
    status = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!status)
        status = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    if (!status)
        status =
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    if (!status)
        status = posix_spawnattr_setsigdefault(&attributes, &ignored_here);
    if (!status)
        status = posix_spawnattr_setpgroup(&attributes, 0);
    if (!status)
        status = posix_spawn(process, "/bin/sh", &files, &attributes, arguments, v->all);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return status;
}

static void begin(struct violation *of, const char *command, const struct result_clause *clause,
                  const char *verdict)
{
    struct variables variables = {.all = NULL};
    of->begun = true;
    snprintf(of->clause, sizeof of->clause, "%s", clause->text);
    int status = ENOMEM;
    if (make_variables(&variables, clause, verdict)) {
        status = start(command, &variables, &of->process);
        free(variables.all);
    }
    if (status) {
        of->process = 0;
        fprintf(stderr, "cupel: warning: --on-violation for %s: it cannot be run: %s%s\n",
                of->clause, strerror(status), file_missing_null());
    }
    of->deadline = seconds_of_clock(CLOCK_MONOTONIC) + TIMEOUT_SECONDS;
}

/* Reads the exit status of a command that has ended, and kills a command that runs for too long. */
static void look_after(struct violation *of)
{
    int status = 0;
    if (!of->process)
        return;
    const bool late = seconds_of_clock(CLOCK_MONOTONIC) >= of->deadline;
    if (late)
        kill(-of->process, SIGKILL);
    const pid_t ended = waitpid(of->process, &status, late ? 0 : WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return;
    of->process = 0;
    if (late)
        warn(of, "it was killed, for it did not end in seconds:", TIMEOUT_SECONDS);
    else if (ended > 0 && WIFSIGNALED(status))
        warn(of, "it was ended by signal", WTERMSIG(status));
    else if (ended > 0 && WEXITSTATUS(status))
        warn(of, "its exit status is", WEXITSTATUS(status));
}

#define VIOLATIONS (3 * CLAUSES_MAX)

/* Returns violation i of both arrays: those of failed clauses come first, then those of limits that
   are broken now. */
static struct violation *violation_of(struct violations *v, size_t i)
{
    const size_t clauses = sizeof v->of / sizeof *v->of;
    return i < clauses ? &v->of[i] : &v->now[i - clauses];
}

void violations_look(struct violations *v, const struct result_clause clauses[], size_t count)
{
    for (size_t i = 0; i < count && i < sizeof v->of / sizeof *v->of && *v->command; i++)
        if (clauses[i].verdict == CLAUSE_FAILED && !v->of[i].begun)
            begin(&v->of[i], v->command, &clauses[i], clause_verdict_name(CLAUSE_FAILED));
    for (size_t i = 0; i < VIOLATIONS; i++)
        look_after(violation_of(v, i));
    for (size_t i = 0; i < VIOLATIONS && v->ends_with; i++)
        v->ends_with(i, violation_of(v, i)->process);
}

void violations_now(struct violations *v, size_t i, const struct clause *clause,
                    const struct followed_limit *now)
{
    struct violation *of = &v->now[i];
    struct result_clause broken = {.value = now->value, .limit = clause->limit};
    snprintf(broken.text, sizeof broken.text, "%s", clause->text);
    if (!now->broken && !of->process)
        of->begun = false;
    if (*v->command && now->broken && !of->begun && !v->of[i].begun)
        begin(of, v->command, &broken, "now");
}

static bool any_runs(struct violations *v)
{
    for (size_t i = 0; i < VIOLATIONS; i++)
        if (violation_of(v, i)->process)
            return true;
    return false;
}

void violations_end(struct violations *v, const struct result_clause clauses[], size_t count)
{
    const struct timespec pause = {0, 20000000};
    violations_look(v, clauses, count);
    while (any_runs(v)) {
        nanosleep(&pause, NULL);
        violations_look(v, clauses, count);
    }
}
