/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parent is a process between this one and a program that it measures. Processes that the
 * program leaves running become its children (PR_SET_CHILD_SUBREAPER), and it has no other
 * children: all of them descend from the program. Children that this process had before, and their
 * descendants, are neither seen nor killed.
 *
 *   here                            the parent                      the program
 *   program_parent_start  --fork->  spawn  ----------------------->  runs
 *         <- its number ----------  wait
 *   program_parent_status <- status, usage                          is a zombie: its number and its
 *   program_parent_end -- is_killed ->  end what it left             group's are nobody else's
 *         <- how many -----------  reap it, and end
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/invariant.h"
#include "program/exec/internal.h"

/* time for descendants to end by themselves, and for all of them to be gone */
static const double grace_seconds = 0.1, end_seconds = 1.2;

/* ---- the parent ---- */

/* Kills (if `killing`) and reaps every child except the program itself. Returns the number of
   children, or -1 if the kernel does not list them; adds to *reaped. */
static int look_at_children(pid_t program, bool killing, size_t *reaped)
{
    char path[64];
    int count = 0, id;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    while (fscanf(f, "%d", &id) == 1) { // NOLINT(cert-err34-c): the kernel's numbers
        if (id == program)
            continue;
        count++;
        if (killing)
            kill(id, SIGKILL);
        *reaped += waitpid(id, NULL, WNOHANG) == id;
    }
    fclose(f);
    return count;
}

/*
 * Ends the processes that the program left running. The program stays a zombie until its group
 * needs no more signals, so that no other process can get its number. Returns the number of killed
 * processes, if the program itself was not killed.
 */
static size_t end_descendants(pid_t program, bool is_killed)
{
    const double begin = process_now();
    const struct timespec nap = {.tv_nsec = 2000000};
    size_t killed = 0;
    for (;;) {
        const double waited = process_now() - begin;
        const bool killing = is_killed || waited > grace_seconds;
        size_t reaped = 0;
        if (killing && program)
            kill(-program, SIGKILL);
        int count = look_at_children(program, killing, &reaped);
        if (program && (count == 0 || (count < 0 && killing))) {
            waitpid(program, NULL, 0);
            program = 0;
        }
        for (pid_t id; !program && (id = waitpid(-1, NULL, WNOHANG)) != 0; reaped++)
            if (id < 0)
                return killed + (killing && !is_killed ? reaped : 0);
        killed += killing && !is_killed ? reaped : 0;
        if (waited > end_seconds)
            return killed + 1; /* also counts a process that could not be killed */
        nanosleep(&nap, NULL);
    }
}

/*
 * Waits until the program has ended, and leaves it a zombie; other children that end meanwhile are
 * reaped. Also measures how long the program was stopped by SIGSTOP or a terminal's job control:
 * this time does not count as the program's.
 */
static struct program_status wait_for(pid_t program)
{
    const int changes = WSTOPPED | WCONTINUED;
    struct program_status ended = {0};
    double stopped_at = 0; /* 0: the program is not stopped */
    for (;;) {
        siginfo_t about = {0};
        if (syscall(SYS_waitid, P_ALL, 0, &about, WEXITED | changes | WNOWAIT, &ended.usage)) {
            INVARIANT(errno == EINTR, "a program is there until it is reaped");
            continue;
        }
        const bool has_ended = about.si_code != CLD_STOPPED && about.si_code != CLD_TRAPPED &&
                               about.si_code != CLD_CONTINUED;
        if (about.si_pid == program && stopped_at > 0 && about.si_code != CLD_STOPPED) {
            ended.stopped_seconds += process_now() - stopped_at;
            stopped_at = 0;
        }
        if (about.si_pid != program || !has_ended) {
            waitid(P_PID, (id_t)about.si_pid, &about, (has_ended ? WEXITED : changes) | WNOHANG);
            if (about.si_pid == program && about.si_code == CLD_STOPPED && !(stopped_at > 0))
                stopped_at = process_now();
            continue;
        }
        ended.status =
            about.si_code == CLD_EXITED ? (about.si_status & 0xff) << 8 : about.si_status;
        return ended;
    }
}

/* Starts the program, with all signals blocked. Returns 0 or an error number. */
static int spawn(const struct program_spawning *s, pid_t *id)
{
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

static _Noreturn void parent_main(int socket, const struct program_spawning *spawning)
{
    const bool may_leave = spawning->request->may_leave;
    struct program_started started = {0};
    bool is_killed;
    prctl(PR_SET_NAME, "cupel-parent");
    if (!may_leave)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    started.begin = process_now();
    started.error = spawn(spawning, &started.id);
    started.runs = seconds_of_clock(CLOCK_BOOTTIME);
    /* Closes all files of the session here: neither its locks nor the program's ends of pipes stay
       open. */
    files_close(0, (unsigned)socket - 1);
    files_close((unsigned)socket + 1, ~0u);
    if (!send_message(socket, &started, sizeof started) || started.error)
        _exit(0);
    const struct program_status ended = wait_for(started.id);
    if (!send_message(socket, &ended, sizeof ended) ||
        !receive_message(socket, &is_killed, sizeof is_killed))
        _exit(0); /* the session was killed; its program then runs on */
    size_t left = may_leave ? 0 : end_descendants(started.id, is_killed);
    send_message(socket, &left, sizeof left);
    _exit(0);
}

/* ---- this process ---- */

/* Reads an answer of the parent, without a time limit, since somebody may have stopped it. The
   parent is this process's child until `release`, so its number cannot be reused. */
static bool hear_parent(const struct program_parent *p, void *data, size_t length)
{
    enum { PATIENCE_MS = 50 };
    struct pollfd answer = {.fd = p->socket, .events = POLLIN};
    while (poll(&answer, 1, PATIENCE_MS) <= 0)
        kill(p->id, SIGCONT);
    return receive_message(p->socket, data, length);
}

/* Closes the parent's socket, which ends the parent, and reaps it. */
static void release(struct program_parent *p)
{
    if (p->socket >= 0)
        close(p->socket);
    while (p->id > 0 && waitpid(p->id, NULL, 0) < 0 && errno == EINTR)
        continue;
    *p = (struct program_parent){.socket = -1};
}

int program_parent_start(struct program_parent *p, const struct program_spawning *spawning,
                         struct program_started *started)
{
    int ends[2];
    sigset_t all, before;
    *p = (struct program_parent){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return errno;
    /* Signals are blocked in the parent from its first step on, because they are meant for the
       session. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    p->id = fork();
    if (p->id == 0) {
        close(ends[0]);
        parent_main(ends[1], spawning);
    }
    int error = p->id < 0 ? errno : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    p->socket = ends[0];
    if (!error && !hear_parent(p, started, sizeof *started))
        error = ECHILD; /* somebody killed it */
    else if (!error)
        error = started->error;
    if (error)
        release(p);
    return error;
}

struct program_status program_parent_status(const struct program_parent *p)
{
    struct program_status ended;
    if (hear_parent(p, &ended, sizeof ended))
        return ended;
    return (struct program_status){.status = SIGKILL}; /* somebody killed it */
}

size_t program_parent_end(struct program_parent *p, bool is_killed)
{
    size_t left = 0;
    if (p->socket >= 0 && (!send_message(p->socket, &is_killed, sizeof is_killed) ||
                           !hear_parent(p, &left, sizeof left)))
        left = 0;
    release(p);
    return left;
}
