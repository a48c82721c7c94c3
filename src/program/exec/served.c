/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process serves many rounds: a line with the work amount goes in, and a line with the answer
   comes out. The time to start the program is then in no round. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "program/exec/internal.h"

enum { POLL_MS = 50 };
static const double end_seconds = 1, grace_seconds = 0.1;

/* Returns the processor time of the whole process, with all its threads. */
static double processor_seconds(pid_t id)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(id, &clock) || clock_gettime(clock, &t))
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Has a signal stopped it? The state comes after the name, which can hold anything. */
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

/* Drops output that was printed before a request: at the start it is ignored; after an answer, it
   is one answer too many. */
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

/* Checks that the answer is one line, and came after its request was read. */
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
    double give_up = INFINITY; /* its output was closed: no answer can come */
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
            give_up = process_now() + grace_seconds; /* a process that ends closes it as well */
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
    end->stopped_seconds = stopped; /* without those of earlier rounds */
}

/* Asks and waits; ends the descendants of a process that ended meanwhile. */
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
        end->answered = false; /* it cannot answer a request that it did not read */
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
    signal(SIGPIPE, SIG_IGN); /* a program that is gone is seen by its end */
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
