/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a program so that its first instruction runs at a chosen instant. */
#include "program/observe/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int child_prepare(struct child *c, char *const command[], bool output_to_errors,
                  const sigset_t *mask, struct err *e)
{
    int go[2] = {-1, -1}, failure[2] = {-1, -1};
    *c = (struct child){.process = -1, .descriptor = -1, .go = -1, .failure = -1};
    if (!pipe2(go, O_CLOEXEC) && !pipe2(failure, O_CLOEXEC))
        c->process = fork();
    if (c->process == 0) {
        close(go[1]); /* otherwise the child would never see that the other side is gone */
        char word;
        if (read(go[0], &word, 1) != 1) /* the recording process is gone */
            _exit(127);
        if (output_to_errors)
            dup2(STDERR_FILENO, STDOUT_FILENO);
        sigprocmask(SIG_SETMASK, mask, NULL);
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
        return 0;
    if (c->process > 0)
        reason = errno;
    child_release(c);
    return err_set(e, ERR_MACHINE, "a process cannot be made: %s", strerror(reason));
}

int child_start(struct child *c, const char *name, struct err *e)
{
    int reason = 0;
    ssize_t sent = write(c->go, "", 1);
    close(c->go);
    c->go = -1;
    /* The other end closes by itself when the program begins. */
    ssize_t got;
    do
        got = read(c->failure, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    if (sent == 1 && got == 0)
        return 0;
    waitpid(c->process, &c->status, 0);
    c->ended = true;
    return err_set(e, ERR_USAGE, "%.200s: cannot be started: %s", name,
                   strerror(got > 0 ? reason : EIO));
}

bool child_has_ended(struct child *c)
{
    if (!c->ended && waitpid(c->process, &c->status, WNOHANG) == c->process)
        c->ended = true;
    return c->ended;
}

void child_release(struct child *c)
{
    bool waiting = c->go >= 0;
    if (waiting)
        close(c->go); /* the child reads the end of the pipe, and ends */
    if (waiting && c->process > 0 && !c->ended)
        waitpid(c->process, &c->status, 0);
    if (c->failure >= 0)
        close(c->failure);
    if (c->descriptor >= 0)
        close(c->descriptor);
    c->go = c->failure = c->descriptor = -1;
}
