/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a program so that it executes its first instruction when the recording is ready. */
#include "program/observe/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends a child that still waits for its start. A child that runs the program is left alone. */
static void release(struct recorder *r)
{
    struct child *c = &r->child;
    bool waiting = c->go >= 0;
    if (waiting)
        close(c->go); /* the child sees the end of the pipe, and ends */
    if (waiting && c->process > 0 && !c->ended)
        waitpid(c->process, &c->status, 0);
    if (c->failure >= 0)
        close(c->failure);
    if (c->descriptor >= 0)
        close(c->descriptor);
    c->go = c->failure = c->descriptor = -1;
}

/* Makes the child. It has this process's standard input and output; with output_to_errors its
   standard output goes to standard error as well. Errors: ERR_MACHINE. */
static int prepare(struct recorder *r, struct err *e)
{
    struct child *c = &r->child;
    char *const *command = r->plan->command;
    int go[2] = {-1, -1}, failure[2] = {-1, -1};
    *c = (struct child){.process = -1, .descriptor = -1, .go = -1, .failure = -1};
    if (!pipe2(go, O_CLOEXEC) && !pipe2(failure, O_CLOEXEC))
        c->process = fork();
    if (c->process == 0) {
        close(go[1]); /* otherwise the child would never see that the other end is closed */
        char word;
        if (read(go[0], &word, 1) != 1) /* the recording process has ended */
            _exit(127);
        if (r->plan->output_to_errors)
            dup2(STDERR_FILENO, STDOUT_FILENO);
        sigprocmask(SIG_SETMASK, &r->mask_before, NULL);
        execvp(command[0], command);
        int reason = errno;
        ssize_t written = write(failure[1], &reason, sizeof reason);
        _exit(written == (ssize_t)sizeof reason ? 127 : 126);
    }
    int reason = errno;
    if (go[0] >= 0)
        close(go[0]);
    if (failure[1] >= 0)
        close(failure[1]);
    c->go = go[1];
    c->failure = failure[0];
    if (c->process > 0)
        c->descriptor = (int)syscall(SYS_pidfd_open, c->process, 0);
    if (c->descriptor >= 0)
        return io_calls_follow(r->io_calls, c->process, e);
    if (c->process > 0)
        reason = errno;
    release(r);
    return err_set(e, ERR_MACHINE, "a process cannot be made: %s", strerror(reason));
}

/* Lets the child execute the command. ERR_USAGE: the command could not be started, and the child
   has ended. */
static int start(struct recorder *r, struct err *e)
{
    struct child *c = &r->child;
    int reason = 0;
    ssize_t sent = write(c->go, "", 1);
    close(c->go);
    c->go = -1;
    /* The child's end of the pipe is closed when its program begins. */
    ssize_t got;
    do
        got = read(c->failure, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    if (sent == 1 && got == 0)
        return 0;
    waitpid(c->process, &c->status, 0);
    c->ended = true;
    return err_set(e, ERR_USAGE, "%.200s: cannot be started: %s", r->plan->command[0],
                   strerror(got > 0 ? reason : EIO));
}

static bool has_ended(struct recorder *r)
{
    struct child *c = &r->child;
    if (!c->ended && waitpid(c->process, &c->status, WNOHANG) == c->process)
        c->ended = true;
    return c->ended;
}

const struct recorded_kind recorded_program = {
    .prepare = prepare, .begin = start, .have_ended = has_ended, .release = release};
