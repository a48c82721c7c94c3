/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one process from its start to its end: its output, its time, and the processes that it
   leaves. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/number_parse.h"
#include "program/exec/internal.h"

/* Time to end after SIGTERM. */
static const double kill_seconds = 1;

/* The longest sleep without a look at *stop: a signal may set it just before the sleep, and a long
   sleep could hide a stop of this process. */
enum { POLL_MS = 50, CHUNK = 64 << 10, UNIT_PIPE_BYTES = 1 << 20 };

/* ---- output ---- */

struct span output_last_line(const struct output *o)
{
    size_t end = o->length;
    while (end > 0 && strchr(" \t\r\n", o->data[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && o->data[begin - 1] != '\n')
        begin--;
    return span_trimmed((struct span){o->data + begin, end - begin});
}

bool output_read(struct output *o, int fd)
{
    if (o->length == o->capacity) {
        size_t half = o->capacity / 2;
        memmove(o->data, o->data + o->length - half, half);
        o->length = half;
        o->cut = true;
    }
    size_t room = o->capacity - o->length;
    ssize_t got = read(fd, o->data + o->length, room < CHUNK ? room : CHUNK);
    if (got > 0)
        o->length += (size_t)got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* ---- starting ---- */

struct spawning {
    const struct process_request *request;
    char *const *words;
    int ends[4];
};

static int spawn(const void *context, pid_t *id)
{
    const struct spawning *s = context;
    const struct process_request *r = s->request;
    const int *ends = s->ends;
    char *const *words = s->words;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipe_signal;
    sigemptyset(&none);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int status = ends[0] >= 0
                     ? posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
                     : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!status && r->discard_output)
        status = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    else if (!status)
        status = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (!status)
        status = posix_spawn_file_actions_adddup2(&actions, ends[2], 2);
    if (!status && r->directory)
        status = posix_spawn_file_actions_addchdir_np(&actions, r->directory);
    if (!status && ends[3] >= 0)
        status = posix_spawn_file_actions_adddup2(&actions, ends[3], UNIT_CHILD);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    if (!status)
        status = posix_spawnp(id, words[0], &actions, &attributes, words, r->environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return status;
}

static void close_descriptor(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_descriptors(struct process *p)
{
    close_descriptor(&p->input);
    close_descriptor(&p->output);
    close_descriptor(&p->errors);
    close_descriptor(&p->units);
    close_descriptor(&p->descriptor);
}

size_t process_close(struct process *p, bool is_killed)
{
    close_descriptors(p);
    return program_parent_end(&p->parent, is_killed);
}

/* Returns why no process can start in the folder; 0: one can. */
static int folder_error(const char *folder)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int status = faccessat(fd, ".", X_OK, 0) ? errno : 0;
    close(fd);
    return status;
}

/* A wait that is longer than requested by less than this may be due to the kernel or the
   firmware. */
static const double away_seconds_min = 0.1;

/* Returns the time that this thread has waited for a processor; 0: the kernel does not report
   it. */
static double waited_seconds(void)
{
    enum { RAN, WAITED, NUMBERS };
    static int fd = -1; /* belongs to this thread, the only one that runs programs */
    char text[96];
    uint64_t ns[NUMBERS] = {0};
    if (fd < 0)
        fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    const char *at = text;
    if (got > 0)
        text[got] = '\0';
    return got > 0 && number_scan_whole(&at, ns, NUMBERS) == NUMBERS ? (double)ns[WAITED] / 1e9 : 0;
}

struct process_look process_look_now(void)
{
    return (struct process_look){seconds_of_clock(CLOCK_BOOTTIME), waited_seconds()};
}

void process_poll(struct process *p, struct pollfd wait[], nfds_t count, int milliseconds,
                  double *away)
{
    poll(wait, count, milliseconds);
    const struct process_look last = p->look;
    p->look = process_look_now();
    const double lost = p->look.at - last.at - milliseconds * 1e-3 - (p->look.waited - last.waited);
    if (lost > away_seconds_min)
        *away += lost;
}

int process_start(struct process *p, const struct process_request *r, char *const *words,
                  bool with_input, struct err *e)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1}, units[2] = {-1, -1};
    const bool with_units = r->units && r->unit_descriptor < 0;
    bool piped = !pipe2(output, O_CLOEXEC) && !pipe2(errors, O_CLOEXEC) &&
                 (!with_units || !pipe2(units, O_CLOEXEC)) &&
                 (!with_input || !pipe2(input, O_CLOEXEC));
    int status = piped ? 0 : errno;
    *p = (struct process){.descriptor = -1,
                          .parent = {.socket = -1},
                          .input = input[1],
                          .output = output[0],
                          .errors = errors[0],
                          .units = units[0]};
    if (!status) {
        const struct spawning spawning = {r, words, {input[0], output[1], errors[1], units[1]}};
        struct program_started started = {0};
        fcntl(p->units, F_SETFL, O_NONBLOCK);
        fcntl(p->units, F_SETPIPE_SZ, UNIT_PIPE_BYTES); /* as large as the system lets it be */
        fcntl(p->output, F_SETFL, O_NONBLOCK);
        fcntl(p->errors, F_SETFL, O_NONBLOCK);
        const double waited = waited_seconds();
        status = program_parent_start(&p->parent, r->may_leave, spawn, &spawning, &started);
        p->begin = started.begin;
        p->look = (struct process_look){started.runs, waited};
        p->id = started.id;
    }
    bool machine = !piped || status == EAGAIN || status == ENOMEM || status == ECHILD;
    close_descriptor(&input[0]);
    close_descriptor(&output[1]);
    close_descriptor(&errors[1]);
    close_descriptor(&units[1]);
    if (!status) {
        p->descriptor = (int)syscall(SYS_pidfd_open, p->id, 0);
        if (p->descriptor >= 0)
            return 0;
        status = errno;
        kill(-p->id, SIGKILL);
        program_parent_status(&p->parent);
        process_close(p, true);
        return err_set(e, ERR_MACHINE,
                       "the end of a process cannot be waited for: %s (Linux 5.3 can)",
                       strerror(status));
    }
    close_descriptors(p);
    int in_folder = r->directory ? folder_error(r->directory) : 0;
    if (in_folder)
        return err_set(e, ERR_USAGE, "--cwd %.200s: %s", r->directory, strerror(in_folder));
    const char *no_null = with_input && !r->discard_output ? "" : file_missing_null();
    if (machine)
        return err_set(e, ERR_MACHINE, "a process cannot be made: %s", strerror(status));
    if (*no_null) /* the program itself may be there, or not */
        return err_set(e, ERR_MACHINE,
                       "%s: %.200s was not started; mknod -m 666 /dev/null c 1 3 makes it",
                       no_null + strspn(no_null, "; "), words[0]);
    return err_set(e, ERR_USAGE, "%.200s: cannot be started: %s", words[0], strerror(status));
}

/* ---- its end ---- */

void process_kill(struct process *p, double now)
{
    if (p->kill_at <= 0) {
        kill(-p->id, SIGTERM);
        p->kill_at = now + kill_seconds;
    } else if (now >= p->kill_at) {
        kill(-p->id, SIGKILL);
        p->kill_at = now + kill_seconds;
    }
}

static void describe_end(const struct rusage *usage, struct process_end *end)
{
    end->user_seconds = (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6;
    end->system_seconds = (double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6;
    end->max_rss = (uint64_t)usage->ru_maxrss << 10;
    end->io_blocks = (double)usage->ru_inblock + (double)usage->ru_oublock;
}

bool process_has_ended(struct process *p, struct process_end *end)
{
    struct pollfd wait = {p->descriptor, POLLIN, 0};
    if (poll(&wait, 1, 0) < 1)
        return false;
    const struct program_status ended = program_parent_status(&p->parent);
    end->status = ended.status;
    end->stopped_seconds = ended.stopped_seconds;
    describe_end(&ended.usage, end);
    return true;
}

/* Returns the descriptor of its unit readings while it runs; -1: none, or no longer. */
static int units_of(const struct process *p, const struct process_request *r)
{
    return r->units && r->unit_descriptor >= 0 ? r->unit_descriptor : p->units;
}

/* Reads the output until the process itself has ended. */
static void process_watch(struct process *p, const struct process_request *r,
                          struct process_end *end)
{
    const double deadline = r->timeout_seconds > 0 ? p->begin + r->timeout_seconds : INFINITY;
    for (;;) {
        struct pollfd wait[] = {{p->descriptor, POLLIN, 0},
                                {p->output, POLLIN, 0},
                                {p->errors, POLLIN, 0},
                                {units_of(p, r), POLLIN, 0}};
        double left = (p->kill_at > 0 ? p->kill_at : deadline) - process_now();
        int milliseconds = left < POLL_MS / 1e3 ? (int)(left * 1e3) + 1 : POLL_MS;
        process_poll(p, wait, 4, milliseconds > 0 ? milliseconds : 0, &end->away_seconds);
        double now = process_now();
        if (wait[0].revents && process_has_ended(p, end)) {
            end->seconds = now - p->begin;
            return;
        }
        if (wait[1].revents && !output_read(r->output, p->output))
            close_descriptor(&p->output);
        if (wait[2].revents && !output_read(r->errors, p->errors))
            close_descriptor(&p->errors);
        if (wait[3].revents && !unit_reader_read(r->units, wait[3].fd))
            close_descriptor(&p->units); /* a FIFO has no end */
        if (r->stop && *r->stop)
            end->stopped = true;
        else if (now >= deadline)
            end->timed_out = true;
        if (end->stopped || end->timed_out)
            process_kill(p, now);
    }
}

/* Reads the rest of a pipe. */
static void drain(struct output *o, int *fd)
{
    for (struct pollfd wait = {*fd, POLLIN, 0}; *fd >= 0 && poll(&wait, 1, 0) > 0;)
        if (!output_read(o, *fd))
            break;
    close_descriptor(fd);
}

int process_run(const struct process_request *r, char *const *words, struct process_end *end,
                struct err *e)
{
    struct process p;
    *end = (struct process_end){0};
    r->output->length = r->errors->length = 0;
    r->output->cut = r->errors->cut = false;
    int status = process_start(&p, r, words, false, e);
    if (status)
        return status;
    if (r->guard)
        r->guard(r->guard_context, p.id);
    process_watch(&p, r, end);
    if (r->guard)
        r->guard(r->guard_context, 0);
    if (end->stopped || end->timed_out)
        kill(-p.id, SIGKILL); /* members of its group that ignore SIGTERM */
    end->left = program_parent_end(&p.parent, end->stopped || end->timed_out);
    drain(r->output, &p.output);
    drain(r->errors, &p.errors);
    if (r->units && units_of(&p, r) >= 0)
        unit_reader_drain(r->units, units_of(&p, r));
    close_descriptors(&p);
    return 0;
}
