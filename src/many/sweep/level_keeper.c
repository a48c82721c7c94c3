/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process that runs the unset commands when the sweep died without running them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "many/sweep/internal.h"

/* A message to the keeper: the level of a factor that is now in force, and the running command. */
struct word {
    int factor, level;
    pid_t running;
};

/* ---- the keeper ---- */

/* Detaches from the terminal. Only the pipe and the lock of the sweep's log stay open, so that
   nobody resumes the sweep before everything is unset. */
static void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        dup2(null, fd);
    setsid();
    prctl(PR_SET_NAME, "cupel-keeper");
}

/* Ends a command that outlived its sweep, because it would set its level after it was unset. The
   command has a second to end by itself. */
static void end_command(pid_t group)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    kill(-group, SIGTERM);
    for (unsigned naps = 0; naps < 100 && kill(-group, 0) == 0; naps++)
        nanosleep(&nap, NULL);
    kill(-group, SIGKILL);
}

static _Noreturn void keeper_main(struct level_commands *l, level_unset *unset, int pipe)
{
    struct word word;
    struct err e;
    ssize_t got;
    leave_terminal();
    do {
        got = recv(pipe, &word, sizeof word, MSG_WAITALL);
        if (got != (ssize_t)sizeof word)
            continue;
        l->in_force[word.factor] = word.level;
        l->running = word.running;
    } while (got == (ssize_t)sizeof word || (got < 0 && errno == EINTR));
    if (l->running > 1)
        end_command(l->running);
    _exit(unset(l, &e) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- the sweep ---- */

int level_keeper_start(struct level_commands *l, level_unset *unset, struct err *e)
{
    int ends[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(e, ERR_MACHINE, "cannot prepare to run the unset commands: %s",
                       strerror(errno));
    /* The keeper is a child's child, so that nobody has to wait for it. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (fork() == 0)
            keeper_main(l, unset, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    l->keeper = ends[0];
    if (child > 0)
        return 0;
    level_keeper_end(l);
    return err_set(e, ERR_MACHINE, "cannot start the process that runs the unset commands: %s",
                   strerror(error));
}

void level_keeper_say(const struct level_commands *l, size_t factor)
{
    const struct word word = {(int)factor, l->in_force[factor], l->running};
    if (l->keeper >= 0)
        send(l->keeper, &word, sizeof word, MSG_NOSIGNAL);
}

void level_keeper_end(struct level_commands *l)
{
    if (l->keeper >= 0)
        close(l->keeper);
    l->keeper = -1;
}
