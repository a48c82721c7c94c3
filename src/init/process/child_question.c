/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child process that is waited for no longer than it may take. */
#include "init/process/child_question.h"
#include "init/process/milliseconds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

#define AFTER_KILL_MS 100 /* for a child that can be killed */

/* ---- the child's side ---- */

void aside_clear_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- the parent's side ---- */

/* False: the pipe ended early, or the time is over. */
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

static enum aside_status listen_to(pid_t pid, int fd, void *answer, size_t size,
                                   unsigned milliseconds)
{
    uint64_t end_ms = now_ms() + milliseconds;
    char *copy = malloc(size);
    bool whole = copy && read_answer(fd, copy, size, end_ms);
    bool silent = !whole && now_ms() >= end_ms;
    if (whole)
        memcpy(answer, copy, size);
    free(copy);
    kill(pid, SIGKILL);
    /* Its end is near, unless a device holds it. */
    const struct timespec pause = {.tv_nsec = 1000000};
    uint64_t begin = now_ms();
    while (waitpid(pid, NULL, WNOHANG) == 0 && now_ms() - begin < AFTER_KILL_MS)
        nanosleep(&pause, NULL);
    return whole ? ASIDE_ANSWERED : silent ? ASIDE_SILENT : ASIDE_FAILED;
}

enum aside_status aside(void (*function)(void *context, void *answer), void *context, void *answer,
                        size_t size, unsigned milliseconds)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return ASIDE_FAILED;
    pid_t pid = fork();
    if (pid == 0) {
        aside_clear_signals();
        close(ends[0]);
        function(context, answer);
        _exit(write_all(ends[1], answer, size, "answer", NULL) ? 1 : 0);
    }
    close(ends[1]);
    enum aside_status status = ASIDE_FAILED;
    if (pid > 0)
        status = listen_to(pid, ends[0], answer, size, milliseconds);
    close(ends[0]);
    return status;
}
