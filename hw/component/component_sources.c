/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the counters of all components: keeps files open, and runs commands that print a number. A
 * thread runs the commands one after the other, each for a limited time.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/number_parse.h"
#include "base/thread.h"
#include "hw/component/internal.h"

/* maximum number of bytes read from a file or an output */
#define COMPONENT_TEXT ((size_t)16 << 10)

/* interval of the checks whether a command that has closed its output has ended */
#define WAIT_STEP_MS 5

struct command {
    const struct component *component;
    size_t number;       /* index of the component */
    double next_seconds; /* time of its next run */
};

struct component_commands {
    pthread_t thread;
    bool started;
    int stop[2]; /* a pipe: closing its writing end stops the thread */
    double cost;
    cpu_set_t processors; /* processors for the thread; empty: unchanged */
    struct command commands[COMPONENTS_MAX];
    size_t count;
    char text[COMPONENT_TEXT]; /* output of the command that runs */
    /* protects `outputs`: held only for a copy; readers never wait for it */
    pthread_mutex_t lock;
    /* indexed by component; seconds 0: no output yet */
    struct component_reading outputs[COMPONENTS_MAX];
};

/* ---- the number in a text ---- */

enum { WORD_SHOWN = 40 };

/* Returns the next word before `end`, and moves *at past it; empty when there is none. */
static struct span next_word(const char **at, const char *end)
{
    const char *p = *at;
    while (p < end && strchr(" \t\r\n=,", *p))
        p++;
    struct span word = {.text = p};
    while (p < end && !strchr(" \t\r\n=,", *p))
        p++;
    word.length = (size_t)(p - word.text);
    *at = p;
    if (word.length > 1 && word.text[word.length - 1] == ':')
        word.length--;
    return word;
}

/* Finds the first word that equals the key. Sets *at to the place after it, and *end to the end of
   its line. Returns false if there is none. */
static bool find_key(const char *key, const char **at, const char **end)
{
    for (const char *line = *at; *line; line = **end ? *end + 1 : *end) {
        *end = line + strcspn(line, "\n");
        *at = line;
        for (struct span word = next_word(at, *end); word.length; word = next_word(at, *end))
            if (span_is(word, key))
                return true;
    }
    return false;
}

bool component_number(const struct component *c, const char *text, double *number, char *why,
                      size_t size)
{
    char shown[WORD_SHOWN];
    const char *at = text, *end = text + strlen(text);
    if (c->key[0] && !find_key(c->key, &at, &end)) {
        snprintf(why, size, "no line has the word %s", c->key);
        return false;
    }
    struct span word = {0};
    for (unsigned column = 0; column < c->column; column++)
        word = next_word(&at, end);
    if (!word.length) {
        snprintf(why, size, "there is no column %u%s%s", c->column, c->key[0] ? " after " : "",
                 c->key);
        return false;
    }
    if (number_parse(word.text, word.length, number) != NUMBER_OK) {
        snprintf(why, size, "\"%s\" in column %u is no number",
                 span_printable(shown, sizeof shown, word), c->column);
        return false;
    }
    *number *= c->scale;
    return true;
}

/* ---- one run ---- */

struct run {
    struct component_commands *all;
    const struct component *component;
    pid_t pid;
    int output;
    double until; /* end of the time limit, CLOCK_MONOTONIC */
};

static int spawn(struct run *r)
{
    char *arguments[] = {"sh", "-c", (char *)r->component->source, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, standard;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    sigemptyset(&none);
    sigfillset(&standard);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    int error = posix_spawn(&r->pid, "/bin/sh", &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    r->output = ends[0];
    if (error)
        close(ends[0]);
    return error;
}

/* Waits for output, for the stop signal, or for at most `ms`. Returns false if the thread must stop
   or the time limit is over. */
static bool wait_for(const struct run *r, int fd, int ms)
{
    struct pollfd files[2] = {{.fd = r->all->stop[0], .events = POLLIN},
                              {.fd = fd, .events = POLLIN}};
    poll(files, fd < 0 ? 1 : 2, ms);
    return !files[0].revents && seconds_of_clock(CLOCK_MONOTONIC) < r->until;
}

/* Reads the command's output until it ends. Returns false if the time is over. */
static bool read_output(const struct run *r)
{
    char *text = r->all->text;
    size_t length = 0;
    for (;;) {
        /* output that does not fit is read as well: a full pipe would block the command */
        char rest[512];
        double left = r->until - seconds_of_clock(CLOCK_MONOTONIC);
        bool full = length == COMPONENT_TEXT - 1;
        if (!(left > 0) || !wait_for(r, r->output, (int)(left * 1e3) + 1))
            return false;
        ssize_t got = full ? read(r->output, rest, sizeof rest)
                           : read(r->output, text + length, COMPONENT_TEXT - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        length += got > 0 && !full ? (size_t)got : 0;
        text[length] = '\0';
        if (got <= 0)
            return true;
    }
}

/* Returns true if the process has ended. It is not reaped, so that no other process can get its
   number. */
static bool has_ended(pid_t pid)
{
    siginfo_t about = {0};
    int failed = waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT);
    return failed ? errno != EINTR : about.si_pid == pid;
}

/* Ends the command and everything that it has started. Returns its exit status, or -1 if it was
   killed. */
static int end_run(const struct run *r, bool in_time, struct rusage *usage)
{
    int status = 0;
    while (in_time && !has_ended(r->pid))
        in_time = wait_for(r, -1, WAIT_STEP_MS);
    kill(-r->pid, SIGKILL);
    while (wait4(r->pid, &status, 0, usage) < 0 && errno == EINTR)
        continue;
    close(r->output);
    return in_time ? status : -1;
}

static double processor_seconds(const struct rusage *u)
{
    return (double)u->ru_utime.tv_sec + (double)u->ru_stime.tv_sec +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

/* Runs a command once. Returns the processor time that it used, in seconds. */
static double run_command(struct component_commands *all, const struct component *c,
                          struct component_reading *o)
{
    struct run r = {.all = all,
                    .component = c,
                    .until = seconds_of_clock(CLOCK_MONOTONIC) + c->timeout_seconds};
    struct rusage usage = {0};
    *o = (struct component_reading){.number = NAN};
    all->text[0] = '\0';
    int error = spawn(&r);
    if (error) {
        snprintf(o->why, sizeof o->why, "/bin/sh cannot be run: %s%s", strerror(error),
                 file_missing_null());
        o->seconds = seconds_of_clock(CLOCK_MONOTONIC);
        return 0;
    }
    bool in_time = read_output(&r);
    int status = end_run(&r, in_time, &usage);
    o->seconds = seconds_of_clock(CLOCK_MONOTONIC);
    if (status < 0)
        snprintf(o->why, sizeof o->why, "it took longer than %g s and was ended",
                 c->timeout_seconds);
    else if (WIFSIGNALED(status))
        snprintf(o->why, sizeof o->why, "it was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        snprintf(o->why, sizeof o->why, "its exit status is %d", WEXITSTATUS(status));
    else if (!component_number(c, all->text, &o->number, o->why, sizeof o->why))
        o->number = NAN;
    return processor_seconds(&usage);
}

/* Runs the command, keeps its output, and sets the time of the next run. */
static void run_and_keep(struct component_commands *all, struct command *command)
{
    struct component_reading output;
    double begin = seconds_of_clock(CLOCK_MONOTONIC),
           spent = run_command(all, command->component, &output);
    double every = command->component->every_seconds;
    if (all->cost > 0)
        every = fmax(every, spent / all->cost);
    command->next_seconds = begin + every;
    pthread_mutex_lock(&all->lock);
    all->outputs[command->number] = output;
    pthread_mutex_unlock(&all->lock);
}

/* ---- the thread ---- */

static void *run_commands(void *argument)
{
    struct component_commands *all = argument;
    struct pollfd stop = {.fd = all->stop[0], .events = POLLIN};
    if (CPU_COUNT(&all->processors))
        sched_setaffinity(0, sizeof all->processors, &all->processors);
    for (;;) {
        struct command *next = &all->commands[0];
        for (size_t i = 1; i < all->count; i++)
            if (all->commands[i].next_seconds < next->next_seconds)
                next = &all->commands[i];
        double wait = fmax(next->next_seconds - seconds_of_clock(CLOCK_MONOTONIC), 0);
        if (poll(&stop, 1, (int)fmin(ceil(wait * 1e3), 1e6)) > 0)
            return NULL;
        if (next->next_seconds <= seconds_of_clock(CLOCK_MONOTONIC))
            run_and_keep(all, next);
    }
}

/* Returns the processors for the thread: those that the workers do not use; an empty set if this
   process may use no others. */
static cpu_set_t other_processors(const struct component_watch *watch)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set))
        return set;
    for (size_t i = 0; i < watch->avoid_count; i++) {
        /* a negative number becomes larger than any processor's number */
        size_t processor = (size_t)watch->avoid[i];
        if (processor < CPU_SETSIZE)
            CPU_CLR(processor, &set);
    }
    return set;
}

static int start_thread(struct component_commands *all, struct err *e)
{
    int error = thread_start(&all->thread, 0, run_commands, all);
    all->started = !error;
    return error ? err_set(e, ERR_MACHINE, "commands cannot be run: %s", strerror(error)) : 0;
}

/* Runs every command once, so that a command that does not work is reported before the
   measurement. */
static int try_commands(struct component_commands *all, struct err *e)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct component *c = all->commands[i].component;
        run_and_keep(all, &all->commands[i]);
        const struct component_reading *o = &all->outputs[all->commands[i].number];
        if (o->why[0])
            return err_set(e, ERR_USAGE, "component %s: %.200s: %s", c->name, c->source, o->why);
    }
    return 0;
}

/* Starts the thread. After -1, *commands must be stopped as well, unless it is NULL. */
static int component_commands_start(struct component_commands **commands,
                                    const struct component_watch *watch, struct err *e)
{
    struct component_commands *all = calloc(1, sizeof *all);
    if (!all)
        return err_no_memory(e, "commands");
    if (pipe2(all->stop, O_CLOEXEC)) {
        free(all);
        return err_set(e, ERR_MACHINE, "commands cannot be run: %s", strerror(errno));
    }
    *commands = all;
    for (size_t i = 0; i < watch->components->count; i++)
        if (watch->components->list[i].is_command)
            all->commands[all->count++] =
                (struct command){.component = &watch->components->list[i], .number = i};
    pthread_mutex_init(&all->lock, NULL);
    all->cost = watch->cost;
    all->processors = other_processors(watch);
    return try_commands(all, e) || start_thread(all, e) ? -1 : 0;
}

/* Copies the last output of the component's command, if it is new; never waits. */
static bool component_commands_take(struct component_commands *all, size_t component,
                                    double last_seconds, struct component_reading *output)
{
    if (pthread_mutex_trylock(&all->lock))
        return false;
    bool is_new = all->outputs[component].seconds > last_seconds;
    if (is_new)
        *output = all->outputs[component];
    pthread_mutex_unlock(&all->lock);
    return is_new;
}

static void component_commands_stop(struct component_commands *all)
{
    if (!all)
        return;
    close(all->stop[1]);
    if (all->started)
        pthread_join(all->thread, NULL);
    close(all->stop[0]);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

static void read_counter(const struct component *c, int fd, struct component_reading *to)
{
    char text[COMPONENT_TEXT];
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    *to = (struct component_reading){.number = NAN, .seconds = seconds_of_clock(CLOCK_MONOTONIC)};
    if (got < 0) {
        snprintf(to->why, sizeof to->why, "it can no longer be read: %s", strerror(errno));
        return;
    }
    text[got] = '\0';
    if (!component_number(c, text, &to->number, to->why, sizeof to->why))
        to->number = NAN;
}

static int open_counter(const struct component *c, const struct sysroot *root, int *fd,
                        struct err *e)
{
    char path[PATH_MAX];
    struct stat s;
    struct component_reading first;
    *fd = open(sysroot_path(root, path, sizeof path, c->source),
               O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &s))
        return err_set(e, ERR_USAGE, "%s: %s", c->source, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_set(e, ERR_USAGE, "%s: it is no regular file", c->source);
    read_counter(c, *fd, &first);
    return first.why[0] ? err_set(e, ERR_USAGE, "%s: %s", c->source, first.why) : 0;
}

int component_sources_open(struct component_sources *sources, const struct component_watch *watch,
                           struct err *e)
{
    const struct components *all = watch->components;
    bool commands = false;
    int failed = 0;
    *sources = (struct component_sources){.components = all};
    for (size_t i = 0; i < all->count; i++)
        sources->files[i] = -1;
    for (size_t i = 0; i < all->count && !failed; i++) {
        const struct component *c = &all->list[i];
        commands |= c->is_command;
        if (c->source[0] && !c->is_command && open_counter(c, watch->root, &sources->files[i], e))
            failed = err_context(e, "%s:%zu: component %s", all->file, c->line, c->name);
    }
    if (!failed && commands && component_commands_start(&sources->commands, watch, e))
        failed = err_context(e, "%s", all->file);
    if (failed)
        component_sources_close(sources);
    return failed;
}

void component_sources_close(struct component_sources *sources)
{
    for (size_t i = 0; sources->components && i < sources->components->count; i++)
        if (sources->files[i] >= 0)
            close(sources->files[i]);
    component_commands_stop(sources->commands);
    *sources = (struct component_sources){0};
}

bool component_read(const struct component_sources *sources, size_t component, double last_seconds,
                    struct component_reading *reading)
{
    const struct component *c = &sources->components->list[component];
    if (c->is_command)
        return component_commands_take(sources->commands, component, last_seconds, reading);
    if (sources->files[component] < 0 ||
        seconds_of_clock(CLOCK_MONOTONIC) - last_seconds < c->every_seconds)
        return false;
    read_counter(c, sources->files[component], reading);
    return true;
}
