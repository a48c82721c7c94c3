/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contains the keeper: the process that restores the knobs (settings of the machine) of a run,
   however the run ends. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "hw/knob/internal.h"

/*
 * The keeper is in its own session, ignores all signals except SIGKILL, and holds only its end of
 * the pipe and the locks, which it releases. If it is killed itself, the run restores the knobs.
 */

#define READY          'k'
#define RESTORE        'r'
#define UNDO           'u' /* as RESTORE, when not every change was made */
#define PATIENCE_MILLI 30000

/* The first message of the process that restores the knobs. It says that the process is ready, and
   has its process number. */
struct keeper_ready {
    char word;
    pid_t id;
};

/* Returns the lowest descriptor from `from` on that the process that restores the knobs needs;
   UINT_MAX: there is none. */
static unsigned next_needed(const struct knobs *k, int pipe, unsigned from)
{
    unsigned next = (unsigned)pipe >= from ? (unsigned)pipe : UINT_MAX;
    const int note[] = {k->note, k->note_folder};
    for (size_t i = 0; i < 2 && k->note_name[0]; i++)
        if ((unsigned)note[i] >= from && (unsigned)note[i] < next)
            next = (unsigned)note[i];
    for (size_t i = 0; i < k->lock_count; i++) {
        unsigned fd = (unsigned)k->locks[i].fd;
        if (fd >= from && fd < next)
            next = fd;
    }
    return next;
}

/* Waits until the run sends a message, closes its end of the pipe, or is dead. A child of the run
   may keep that end open, so the process itself is watched too. Returns the message, or '\0'. */
static char wait_for_run(int pipe, pid_t run)
{
    char word = '\0';
    struct pollfd ends[2] = {{.fd = pipe, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    ends[1].fd = (int)syscall(SYS_pidfd_open, run, 0);
    if (ends[1].fd >= 0 || errno != ESRCH)
        while (poll(ends, 2, -1) < 0 && errno == EINTR)
            continue;
    return recv(pipe, &word, 1, MSG_DONTWAIT) == 1 ? word : '\0';
}

static _Noreturn void keeper_main(struct knobs *k, int pipe, pid_t run)
{
    const struct keeper_ready ready = {READY, getpid()};
    setsid();
    prctl(PR_SET_NAME, "cupel-keeper");
    unsigned first = 0, needed;
    while ((needed = next_needed(k, pipe, first)) != UINT_MAX) {
        if (needed > first)
            files_close(first, needed - 1);
        first = needed + 1;
    }
    files_close(first, UINT_MAX);
    if (!send_message(pipe, &ready, sizeof ready))
        _exit(EXIT_FAILURE);
    bool undo = wait_for_run(pipe, run) == UNDO;
    struct knob_restored restored = knobs_put_back(k, undo);
    send_message(pipe, &restored, sizeof restored);
    _exit(restored.failures ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- the run ---- */

/*
 * Forks twice. The process in between ends at once, so that the second child, the keeper, is no
 * child of the run, which need not reap it. -1: there is no child.
 */
static int fork_keeper(struct knobs *k, int pipe)
{
    pid_t run = getpid(), child = fork();
    if (child == 0) {
        if (fork() == 0)
            keeper_main(k, pipe, run);
        _exit(EXIT_SUCCESS);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return child < 0 ? -1 : 0;
}

int knob_keeper_start(struct knobs *k, struct err *e)
{
    int ends[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(e, ERR_MACHINE, "cannot prepare to restore this machine's settings: %s",
                       strerror(errno));
    /* Signals are blocked before the keeper starts, so that a signal to the process group does not
       end it during its first steps. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    int status = fork_keeper(k, ends[1]), error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    struct keeper_ready ready = {0};
    if (!status && receive_message(ends[0], &ready, sizeof ready) && ready.word == READY) {
        k->keeper = ready.id;
        k->pipe = ends[0];
        return 0;
    }
    close(ends[0]);
    if (status)
        return err_set(e, ERR_MACHINE, "cannot start the process that restores settings: %s",
                       strerror(error));
    return err_set(e, ERR_MACHINE, "the process that restores settings ended at once");
}

/* Waits until the pipe has data or is closed. Returns false if neither happens in time. */
static bool answered(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&end, 1, PATIENCE_MILLI);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

/* Waits for the end of the process that restores the knobs; its end of the pipe then closes. */
static void wait_for_end(int fd)
{
    char none;
    while (receive_message(fd, &none, 1))
        continue;
}

int knob_keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e)
{
    const char word = k->complete ? RESTORE : UNDO;
    const pid_t keeper = k->keeper;
    *restored = (struct knob_restored){0};
    bool sent = send_message(k->pipe, &word, 1);
    bool in_time = !sent || answered(k->pipe);
    bool whole = sent && in_time && receive_message(k->pipe, restored, sizeof *restored);
    if (whole)
        wait_for_end(k->pipe);
    close(k->pipe);
    k->pipe = -1;
    k->keeper = 0;
    if (!in_time)
        return err_set(e, ERR_MACHINE,
                       "the settings of this machine are not restored yet: a driver does not "
                       "answer; process %ld goes on with it",
                       (long)keeper);
    if (!whole) /* it was killed */
        *restored = knobs_put_back(k, !k->complete);
    return 0;
}
