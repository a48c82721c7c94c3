/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs child processes of process 1, which continues no matter how they end. A child does a part of
   the work, or answers a question within a limited time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "appliance/process/milliseconds.h"
#include "appliance/process/system.h"
#include "base/file/file.h"

#define LOOK_EVERY_MS   100   /* time between calls of `interrupt` */
#define AFTER_OUTPUT_MS 10    /* time between checks once stdout is closed */
#define AFTER_ASKED_MS  20000 /* time for the child to end with its results after SIGINT */
#define AFTER_KILL_MS   10000 /* longest wait for a killed child, which may wait for a device */
#define LAST_OUTPUT_MS  1000  /* longest wait for the pipe's end after its writers were killed */
#define LAST_READS      32    /* enough for the 64 KiB in a pipe; an escaped process may go on */

struct running {
    const struct system_child *child;
    pid_t pid;
    int output; /* the pipe's reading end; -1 after its end */
    bool asked, killed, overdue;
    uint64_t began_ms, asked_ms, killed_ms;
};

/* ---- the child's side ---- */

/* In a child: gives every signal its default effect, and unblocks all. */
static void child_clear_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void child_main(const struct system_child *child, pid_t parent, int output)
{
    setsid();
    child_clear_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(128 + SIGKILL);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    int status = child->function(child->context);
    fflush(NULL);
    _exit(status);
}

/* ---- the parent's side ---- */

static int child_start(struct running *r, struct err *e)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC))
        return err_set(e, ERR_MACHINE, "cannot make a pipe: %s", strerror(errno));
    /* Otherwise the child would write the content of stdio's buffers a second time. */
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0) {
        close(ends[0]);
        child_main(r->child, parent, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    r->output = ends[0];
    if (r->pid > 0) {
        fcntl(r->output, F_SETFL, O_NONBLOCK);
        return 0;
    }
    close(r->output);
    return err_set(e, ERR_MACHINE, "cannot start a process: %s", strerror(error));
}

/* Signals only the child while it has no process group of its own yet. */
static void child_signal(const struct running *r, int number)
{
    if (kill(-r->pid, number) && errno == ESRCH)
        kill(r->pid, number);
}

/* Reads output. Returns false if there is nothing to read now. */
static bool read_output(struct running *r)
{
    char text[8192];
    if (r->output < 0)
        return false;
    ssize_t got = read(r->output, text, sizeof text);
    if (got < 0)
        return errno == EINTR;
    if (got == 0) {
        close(r->output);
        r->output = -1;
        return false;
    }
    if (r->child->output)
        r->child->output(r->child->sink, text, (size_t)got);
    return true;
}

/* Asks the child to end: by SIGINT the first time, so that it keeps its results so far, then by
   SIGKILL. */
static void ask_to_end(struct running *r)
{
    uint64_t now = now_ms();
    child_signal(r, r->asked ? SIGKILL : SIGINT);
    if (r->asked && !r->killed) {
        r->killed = true;
        r->killed_ms = now;
    } else if (!r->asked) {
        r->asked = true;
        r->asked_ms = now;
    }
}

/* Returns true if the child has ended; it is not reaped yet, so no other process group gets its
   number. In process 1 the orphans of the whole system are reaped here. */
static bool has_ended(const struct running *r)
{
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (waitid(getpid() == 1 ? P_ALL : P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT))
            return errno != EINTR;
        if (info.si_pid == 0)
            return false;
        if (info.si_pid == r->pid)
            return true;
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}

static void wait_a_little(const struct running *r)
{
    struct pollfd output = {.fd = r->output, .events = POLLIN};
    if (r->output >= 0)
        poll(&output, 1, LOOK_EVERY_MS);
    else
        poll(NULL, 0, AFTER_OUTPUT_MS);
}

/* Reads the rest of the pipe, which ends when the last process that could write to it is gone. */
static void read_last_output(struct running *r)
{
    uint64_t begin = now_ms();
    unsigned reads = 0;
    while (r->output >= 0 && reads < LAST_READS) {
        if (read_output(r)) {
            reads++;
            continue;
        }
        if (now_ms() - begin > LAST_OUTPUT_MS)
            return;
        wait_a_little(r);
    }
}

int system_run(const struct system_child *child, struct err *e)
{
    struct running r = {.child = child, .began_ms = now_ms()};
    uint64_t looked_ms = r.began_ms;
    if (child->overdue)
        *child->overdue = false;
    if (child_start(&r, e))
        return -1;
    bool ended;
    while (!(ended = has_ended(&r)) && !(r.killed && now_ms() - r.killed_ms > AFTER_KILL_MS)) {
        wait_a_little(&r);
        read_output(&r);
        uint64_t now = now_ms();
        if (child->interrupt && now - looked_ms >= LOOK_EVERY_MS) {
            looked_ms = now;
            if (child->interrupt(child->sink))
                ask_to_end(&r);
        }
        now = now_ms();
        if (child->seconds > 0 && !r.killed &&
            (double)(now - r.began_ms) >= child->seconds * 1000) {
            r.overdue = true;
            if (!r.asked || now - r.asked_ms > AFTER_ASKED_MS)
                ask_to_end(&r);
        }
    }
    if (child->overdue)
        *child->overdue = r.overdue;
    if (ended) {
        child_signal(&r, SIGKILL);
        read_last_output(&r);
    }
    if (r.output >= 0)
        close(r.output);
    if (!ended)
        return err_set(e, ERR_TARGET,
                       "process %d does not end although it was killed: a device does not answer",
                       (int)r.pid);
    int status;
    while (waitpid(r.pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(e, ERR_MACHINE, "cannot wait for process %d: %s", (int)r.pid,
                           strerror(errno));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- questions ---- */

#define ANSWERED_KILL_MS 100 /* unless it waits for a device, a killed child ends in this time */

/* Reads the answer. Returns false if the pipe ended early, or the time is over. */
static bool read_answer(int fd, char *to, size_t size, uint64_t end_ms)
{
    size_t have = 0;
    while (have < size) {
        uint64_t now = now_ms();
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        int ready = now < end_ms ? poll(&readable, 1, (int)(end_ms - now)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        ssize_t got = read(fd, to + have, size - have);
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

enum child_status child_ask(void (*function)(void *context, void *answer), void *context,
                            void *answer, size_t size, unsigned milliseconds)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return CHILD_FAILED;
    pid_t pid = fork();
    if (pid == 0) {
        child_clear_signals();
        close(ends[0]);
        function(context, answer);
        _exit(write_all(ends[1], answer, size, "answer", NULL) ? 1 : 0);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return CHILD_FAILED;
    }
    uint64_t end_ms = now_ms() + milliseconds;
    char *copy = malloc(size);
    bool whole = copy && read_answer(ends[0], copy, size, end_ms);
    bool silent = !whole && now_ms() >= end_ms;
    if (whole)
        memcpy(answer, copy, size);
    free(copy);
    kill(pid, SIGKILL);
    /* The child ends soon, unless it waits for a device. */
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t begin = now_ms();
    while (waitpid(pid, NULL, WNOHANG) == 0 && now_ms() - begin < ANSWERED_KILL_MS)
        nanosleep(&pause, NULL);
    close(ends[0]);
    return whole ? CHILD_ANSWERED : silent ? CHILD_SILENT : CHILD_FAILED;
}
