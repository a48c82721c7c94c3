/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper: a child that waits for a word of its parent or its death, and restores. */
#include "hw/knob_keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hw/knob_value.h"

#define READY          'k'
#define RESTORE        'r'
#define PATIENCE_MILLI 30000

/* ---- both sides ---- */

static void note_failure(struct knob_restored *restored, size_t setting, int result)
{
    if (!restored->failures++) {
        restored->setting = (int)setting;
        restored->result = result;
    }
}

static bool holds(const struct knobs *k, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    return knob_value_read(&k->root, path, now) == FACT_OK && !strcmp(now, value);
}

/* What has its old value, because it was never set or somebody did it, is left alone. */
static int put_back(const struct knobs *k, const char *path, const char *value)
{
    return holds(k, path, value) ? 0 : knob_value_write(&k->root, path, value);
}

/* Back to front. */
static void restore_changes(const struct knobs *k, struct knob_restored *restored)
{
    for (size_t i = k->change_count; i-- > 0;) {
        const struct knob_change *c = &k->changes[i];
        if (!strcmp(c->path, KNOB_LATENCY_FILE))
            continue;
        int result = put_back(k, c->path, c->before);
        if (result)
            note_failure(restored, i, result);
    }
}

/* One round; how many had not their old value when their turn came. */
static size_t restore_companions_once(const struct knobs *k)
{
    size_t differed = 0;
    for (size_t i = 0; i < k->companion_count; i++) {
        const struct knob_companion *c = &k->companions[i];
        if (holds(k, c->path, c->value))
            continue;
        differed++;
        knob_value_write(&k->root, c->path, c->value);
    }
    return differed;
}

static void restore_companions(const struct knobs *k, struct knob_restored *restored)
{
    for (int round = 0; round < KNOB_ROUNDS; round++)
        if (!restore_companions_once(k))
            return;
    int before = restored->failures;
    for (size_t i = 0; i < k->companion_count; i++) {
        const struct knob_companion *c = &k->companions[i];
        int result = put_back(k, c->path, c->value);
        if (result)
            note_failure(restored, k->change_count + i, result);
    }
    /* Each is taken, but they reset each other. */
    for (size_t i = 0; restored->failures == before && i < k->companion_count; i++)
        if (!holds(k, k->companions[i].path, k->companions[i].value))
            note_failure(restored, k->change_count + i, KNOB_IGNORED);
}

static struct knob_restored restore_all(const struct knobs *k)
{
    struct knob_restored restored = {0};
    restore_changes(k, &restored);
    restore_companions(k, &restored);
    return restored;
}

static bool send_all(int fd, const void *data, size_t length)
{
    ssize_t sent;
    do
        sent = send(fd, data, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

/* Messages are smaller than any socket's buffer, so that they come whole. */
static bool receive_all(int fd, void *data, size_t length)
{
    ssize_t got;
    do
        got = recv(fd, data, length, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)length;
}

/* ---- the child ---- */

static void close_range_slowly(unsigned first, unsigned last)
{
    struct rlimit limit;
    unsigned most = 65536;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < most)
        most = (unsigned)limit.rlim_cur;
    for (unsigned fd = first; fd <= last && fd < most; fd++)
        close((int)fd);
}

static void close_from_to(unsigned first, unsigned last)
{
    if (first <= last && syscall(SYS_close_range, first, last, 0))
        close_range_slowly(first, last);
}

/* Until the parent says so, closes its end, or is dead: a child of its own may hold the end open,
   hence the look at the process. */
static void wait_for_parent(int pipe, pid_t parent)
{
    struct pollfd ends[2] = {{.fd = pipe, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    ends[1].fd = (int)syscall(SYS_pidfd_open, parent, 0);
    if (getppid() != parent)
        return;
    while (poll(ends, 2, -1) < 0 && errno == EINTR)
        continue;
}

static _Noreturn void keep(const struct knobs *k, int pipe, pid_t parent)
{
    const char ready = READY;
    setsid();
    prctl(PR_SET_NAME, "cupel-keeper");
    if (pipe > 0)
        close_from_to(0, (unsigned)pipe - 1);
    close_from_to((unsigned)pipe + 1, ~0u);
    if (!send_all(pipe, &ready, 1))
        _exit(EXIT_FAILURE);
    wait_for_parent(pipe, parent);
    struct knob_restored restored = restore_all(k);
    send_all(pipe, &restored, sizeof restored);
    _exit(restored.failures ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- the parent ---- */

static void reap(struct knobs *k)
{
    while (waitpid(k->keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
    k->keeper = 0;
}

int keeper_start(struct knobs *k, struct err *e)
{
    int ends[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_set(e, ERR_MACHINE, "cannot prepare to restore this machine's settings: %s",
                       strerror(errno));
    /* Blocked before it is there, so that no signal to our group ends it at its first steps. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        keep(k, ends[1], parent);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    char ready = 0;
    if (child > 0 && receive_all(ends[0], &ready, 1) && ready == READY) {
        k->keeper = child;
        k->pipe = ends[0];
        return 0;
    }
    close(ends[0]);
    if (child < 0)
        return err_set(e, ERR_MACHINE, "cannot start the process that restores settings: %s",
                       strerror(error));
    k->keeper = child;
    reap(k);
    return err_set(e, ERR_MACHINE, "the process that restores settings ended at once");
}

/* Something to read, or the end, in time. */
static bool answered(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&end, 1, PATIENCE_MILLI);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

int keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e)
{
    const char restore = RESTORE;
    *restored = (struct knob_restored){0};
    bool told = send_all(k->pipe, &restore, 1);
    bool in_time = !told || answered(k->pipe);
    bool whole = told && in_time && receive_all(k->pipe, restored, sizeof *restored);
    close(k->pipe);
    k->pipe = -1;
    if (!in_time) {
        pid_t keeper = k->keeper;
        k->keeper = 0;
        return err_set(e, ERR_MACHINE,
                       "the settings of this machine are not restored yet: a driver does not "
                       "answer; process %ld goes on with it",
                       (long)keeper);
    }
    reap(k);
    if (!whole) /* it was killed */
        *restored = restore_all(k);
    return 0;
}
