/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one process from its start to its end: reads its output, measures its time, and ends the
   processes that it leaves. The process runs one round, or serves many: for each it reads a line
   with the work amount, and prints a line with the answer. Its start is then not part of any round.
   */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/number_parse.h"
#include "program/exec/internal.h"

/* How long a process may take to end: after SIGTERM; after its input was closed; after it closed
   its output. */
static const double kill_seconds = 1, end_seconds = 1, grace_seconds = 0.1;

/* POLL_MS is the longest sleep without a check of *stop: a signal may set it just before the sleep,
   and a long sleep could hide that this process was stopped. */
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

/* Reads available output, at most a chunk. False: the other end is closed. */
static bool output_read(struct output *o, int fd)
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

/* Closes the descriptors after the process has ended, and ends descendants that outlive it. Called
   once. Returns the number of killed descendants, as program_parent_end does. */
static size_t process_close(struct process *p, bool is_killed)
{
    close_descriptors(p);
    return program_parent_end(&p->parent, is_killed);
}

/* Returns why no process can start in the folder; 0: one can start there. */
static int folder_error(const char *folder)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int status = faccessat(fd, ".", X_OK, 0) ? errno : 0;
    close(fd);
    return status;
}

/* If a wait is longer than requested by less than this, the kernel or the firmware may be the
   reason. */
static const double away_seconds_min = 0.1;

/* Returns the time that this thread has waited for a processor; 0: the kernel does not report
   it. */
static double waited_seconds(void)
{
    enum { RAN, WAITED, NUMBERS };
    static int fd = -1; /* the schedstat of this thread, the only one that runs programs */
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

static struct process_look process_look_now(void)
{
    return (struct process_look){seconds_of_clock(CLOCK_BOOTTIME), waited_seconds()};
}

/*
 * Calls poll() for at most this number of milliseconds. If much more time has passed since the last
 * call, not counting the time for which this thread waited for a processor, this process or the
 * machine was stopped, and *away grows by that time.
 */
static void process_poll(struct process *p, struct pollfd wait[], nfds_t count, int milliseconds,
                         double *away)
{
    poll(wait, count, milliseconds);
    const struct process_look last = p->look;
    p->look = process_look_now();
    const double lost = p->look.at - last.at - milliseconds * 1e-3 - (p->look.waited - last.waited);
    if (lost > away_seconds_min)
        *away += lost;
}

static int process_start(struct process *p, const struct process_request *r, char *const *words,
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
        const struct program_spawning spawning = {
            r, words, {input[0], output[1], errors[1], units[1]}};
        struct program_started started = {0};
        fcntl(p->units, F_SETFL, O_NONBLOCK);
        /* makes the pipe as large as the system permits */
        fcntl(p->units, F_SETPIPE_SZ, UNIT_PIPE_BYTES);
        fcntl(p->output, F_SETFL, O_NONBLOCK);
        fcntl(p->errors, F_SETFL, O_NONBLOCK);
        const double waited = waited_seconds();
        status = program_parent_start(&p->parent, &spawning, &started);
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
    if (*no_null) /* without /dev/null it is not known whether the program itself exists */
        return err_set(e, ERR_MACHINE,
                       "%s: %.200s was not started; mknod -m 666 /dev/null c 1 3 makes it",
                       no_null + strspn(no_null, "; "), words[0]);
    return err_set(e, ERR_USAGE, "%.200s: cannot be started: %s", words[0], strerror(status));
}

/* ---- its end ---- */

/* Sends SIGTERM, and SIGKILL a second later. Called again and again until the process has ended. */
static void process_kill(struct process *p, double now)
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

/* Returns true if the process has ended; its status is then in *end. */
static bool process_has_ended(struct process *p, struct process_end *end)
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

/* Returns the descriptor from which unit readings are read while the process runs; -1: there is
   none, or none any more. */
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

/* Reads what is left in a pipe. */
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
        kill(-p.id, SIGKILL); /* ends members of the process's group that ignore SIGTERM */
    end->left = program_parent_end(&p.parent, end->stopped || end->timed_out);
    drain(r->output, &p.output);
    drain(r->errors, &p.errors);
    if (r->units && units_of(&p, r) >= 0)
        unit_reader_drain(r->units, units_of(&p, r));
    close_descriptors(&p);
    return 0;
}

/* ---- one process for many rounds ---- */

/* Returns the processor time of the whole process, with all its threads. */
static double processor_seconds(pid_t id)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(id, &clock) || clock_gettime(clock, &t))
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns true if a signal has stopped the process. Its state comes after its name, which can hold
   any character. */
static bool is_stopped(pid_t id)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)id);
    FILE *f = fopen(path, "re");
    const size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[got] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'T' || name_end[2] == 't');
}

static bool has_answer(const struct output *o)
{
    return o->length && memchr(o->data, '\n', o->length) && output_last_line(o).length > 0 &&
           o->data[o->length - 1] == '\n';
}

static void read_all(struct output *o, int fd)
{
    struct pollfd wait = {fd, POLLIN, 0};
    while (poll(&wait, 1, 0) > 0 && (wait.revents & POLLIN) && output_read(o, fd))
        ;
}

/* Drops output that was printed before a request. If the process has answered before, such output
   is one answer too many, and is kept in s->unasked. */
static void forget_output(struct served *s, const struct process_request *r)
{
    r->output->length = r->errors->length = 0;
    r->output->cut = r->errors->cut = false;
    read_all(r->output, s->process.output);
    read_all(r->errors, s->process.errors);
    if (s->was_asked)
        span_printable(s->unasked, sizeof s->unasked, output_last_line(r->output));
    r->output->length = r->errors->length = 0;
    r->output->cut = r->errors->cut = false;
}

/* Checks that the answer is a single line, and was printed after the request was read. */
static void check_answer(struct served *s, const struct output *o, size_t request)
{
    const struct span all = span_trimmed((struct span){o->data, o->length});
    const bool is_one = !memchr(all.text, '\n', all.length);
    int unread = 0;
    bool early = !ioctl(s->process.input, FIONREAD, &unread) && (size_t)unread >= request;
    if (early || !is_one)
        span_printable(s->unasked, sizeof s->unasked, output_last_line(o));
}

/* Waits until an answer arrives, or the process ends. */
static void wait_for_answer(struct served *s, const struct process_request *r, double begin,
                            struct process_end *end)
{
    struct process *p = &s->process;
    const double deadline = r->timeout_seconds > 0 ? begin + r->timeout_seconds : INFINITY;
    double looked = begin, stopped = 0;
    /* set when the process's output is closed, because no answer can come after that */
    double give_up = INFINITY;
    while (s->runs && !end->answered) {
        struct pollfd wait[] = {
            {p->descriptor, POLLIN, 0}, {p->output, POLLIN, 0}, {p->errors, POLLIN, 0}};
        double left = (p->kill_at > 0 ? p->kill_at : fmin(deadline, give_up)) - process_now();
        int milliseconds = left < POLL_MS / 1e3 ? (int)(left * 1e3) + 1 : POLL_MS;
        process_poll(p, wait, 3, milliseconds > 0 ? milliseconds : 0, &end->away_seconds);
        double now = process_now();
        if (!wait[0].revents && !wait[1].revents && is_stopped(p->id))
            stopped += now - looked;
        looked = now;
        if (wait[1].revents && !output_read(r->output, p->output)) {
            close(p->output);
            p->output = -1;
            /* a process that ends also closes its output, so it gets some time */
            give_up = process_now() + grace_seconds;
        }
        if (wait[2].revents && !output_read(r->errors, p->errors)) {
            close(p->errors);
            p->errors = -1;
        }
        end->seconds = now - begin;
        end->answered = has_answer(r->output) && !end->timed_out && !end->stopped;
        s->runs = !process_has_ended(p, end);
        end->stopped = end->stopped || (!end->answered && r->stop && *r->stop);
        end->timed_out = end->timed_out || (!end->answered && now >= deadline);
        end->closed = end->closed || (s->runs && now >= give_up);
        if (s->runs && (end->stopped || end->timed_out || end->closed))
            process_kill(p, now);
    }
    end->stopped_seconds = stopped; /* only the stops during this round */
}

/* Sends the request and waits for the answer. Ends the descendants of a process that ended
   meanwhile. */
static void ask(struct served *s, const struct process_request *r, const char *work,
                struct process_end *end)
{
    char line[64];
    double before = processor_seconds(s->process.id), begin = process_now();
    size_t length = (size_t)snprintf(line, sizeof line, "%s\n", work);
    s->process.look = process_look_now();
    ssize_t written = write(s->process.input, line, length);
    wait_for_answer(s, r, begin, end);
    if (written != (ssize_t)length)
        end->answered = false; /* a request that the program did not read cannot have an answer */
    if (s->runs) {
        end->user_seconds = processor_seconds(s->process.id) - before;
        check_answer(s, r->output, length);
        return;
    }
    end->left = program_parent_end(&s->process.parent, s->process.kill_at > 0);
    read_all(r->errors, s->process.errors);
    process_close(&s->process, true);
}

int served_round(struct served *s, const struct process_request *r, char *const *words,
                 const char *work, struct process_end *end, struct err *e)
{
    *end = (struct process_end){.io_blocks = NAN, .unasked = s->unasked[0] != '\0'};
    if (end->unasked)
        return 0;
    signal(SIGPIPE, SIG_IGN); /* writing to a program that has ended must not end this process */
    s->was_asked = s->was_asked && s->runs;
    if (!s->runs && process_start(&s->process, r, words, true, e))
        return -1;
    s->runs = true;
    forget_output(s, r);
    if (!s->unasked[0])
        ask(s, r, work, end);
    s->was_asked = true;
    if (s->unasked[0]) {
        end->unasked = true;
        end->answered = false;
        end->left = served_end(s);
    }
    return 0;
}

size_t served_end(struct served *s)
{
    struct process_end end = {0};
    const struct timespec nap = {.tv_nsec = 1000000};
    if (!s->runs)
        return 0;
    close(s->process.input);
    s->process.input = -1;
    const double begin = process_now();
    while (!process_has_ended(&s->process, &end)) {
        double now = process_now();
        if (now - begin > end_seconds)
            process_kill(&s->process, now);
        nanosleep(&nap, NULL);
    }
    s->runs = false;
    return process_close(&s->process, s->process.kill_at > 0);
}
