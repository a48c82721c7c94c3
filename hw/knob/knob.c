/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knobs: sets them one after the other, and restores them. */
#include "hw/knob/knob.h"

#include "hw/knob/internal.h"
#include "hw/machine/cpu_list.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/machine/permission.h"

/* ---- idle states ---- */

/* Writes "; try as root" after a permission error, "" after other errors. */
static const char *knob_remedy(int error, char to[PERMISSION_BYTES])
{
    char words[PERMISSION_BYTES];
    to[0] = '\0';
    if (error == EACCES || error == EPERM)
        snprintf(to, PERMISSION_BYTES, "; %.*s", PERMISSION_BYTES - 3,
                 permission_remedy(NULL, words));
    return to;
}

/* Limits the latency of idle states. The kernel applies the lowest limit of any process that has
   the file open. */
static int hold_latency(struct knobs *k, struct err *e)
{
    char full[PATH_MAX], before[24] = "no limit", remedy[PERMISSION_BYTES];
    const int32_t none = 0;
    int32_t now;
    struct stat s;
    int fd = open(sysroot_path(&k->root, full, sizeof full, KNOB_LATENCY_FILE),
                  O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_MACHINE,
                       "cannot hold off idle states with %s: %s%s; or leave out "
                       "--cpu-idle",
                       KNOB_LATENCY_FILE, strerror(errno), knob_remedy(errno, remedy));
    k->latency = fd;
    if (fstat(fd, &s) || !(S_ISCHR(s.st_mode) || S_ISREG(s.st_mode)))
        return err_set(e, ERR_MACHINE, "%s is not what it should be: leave out --cpu-idle",
                       KNOB_LATENCY_FILE);
    if (pread(fd, &now, sizeof now, 0) == (ssize_t)sizeof now)
        snprintf(before, sizeof before, "%" PRId32 " us", now);
    if (pwrite(fd, &none, sizeof none, 0) != (ssize_t)sizeof none)
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; leave out --cpu-idle",
                       KNOB_LATENCY_FILE, strerror(errno));
    return knob_add_change(k, KNOB_LATENCY_FILE, before, "0 us", e);
}

/* ---- set and restore ---- */

static int gather(struct knobs *k, const struct knob_request *request, struct err *e)
{
    struct processors online = {0};
    char remedy[PERMISSION_BYTES];
    bool wanted = request->governor || request->frequency_khz || request->turbo != KNOB_LEFT;
    enum fact_status status = wanted ? processors_online(&k->root, &online) : FACT_OK;
    if (status != FACT_OK)
        return err_set(e, ERR_MACHINE, "cannot read %s: %s%s", PROCESSORS_ONLINE_FILE,
                       status == FACT_DENIED ? "Permission denied"
                                             : "leave out --governor, --frequency and --turbo",
                       knob_remedy(status == FACT_DENIED ? EACCES : 0, remedy));
    bool of_disks = request->scheduler || request->nr_requests || request->read_ahead_kb;
    size_t disks = of_disks ? request->disk_count : 0;
    size_t files =
        KNOB_FILES_OF_PROCESSOR * online.count + KNOB_FILES_OF_DISK * disks + KNOB_FILES_OF_MACHINE;
    k->changes = calloc(files, sizeof *k->changes);
    if (!k->changes)
        return err_no_memory(e, "the settings of this machine");
    return knob_locks_reserve(k, wanted || of_disks ? files : 0, e)
               ? -1
               : knob_wish_all(k, request, &online, disks, e);
}

/* ---- the keeper ---- */

/*
 * The keeper: the process that restores the knobs of a run, however the run ends.
 *
 * It is in its own session, ignores all signals except SIGKILL, and holds only its end of the pipe
 * and the locks, which it releases. If it is killed itself, the run restores the knobs.
 */

#define READY          'k'
#define RESTORE        'r'
#define UNDO           'u' /* as RESTORE, when not every change was made */
#define PATIENCE_MILLI 30000

/* The first message of the process that restores the knobs: it is ready; with its process number.
 */
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

/* Starts the process that restores the knobs. Returns when it is ready, with k->pipe and k->keeper
   set. ERR_MACHINE: no process could be started. */
static int keeper_start(struct knobs *k, struct err *e)
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

/* Makes the process that restores the knobs restore everything and end. ERR_MACHINE when it does
   not answer for half a minute. */
static int keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e)
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

static int set_everything(struct knobs *k, const struct knob_request *request, struct err *e)
{
    if (gather(k, request, e))
        return -1;
    if (k->change_count)
        knob_note_write(k);
    if (k->change_count && keeper_start(k, e))
        return -1;
    for (size_t i = 0; i < k->change_count; i++) {
        const struct knob_change *c = &k->changes[i];
        char remedy[PERMISSION_BYTES];
        int result = knob_value_write(&k->root, c->path, c->after);
        if (result)
            return err_set(e, ERR_MACHINE, "cannot set %s to %s: %s%s", c->path, c->after,
                           knob_value_problem(result), knob_remedy(result, remedy));
    }
    return request->cpu_idle_off ? hold_latency(k, e) : 0;
}

int knobs_set(struct knobs *k, const struct sysroot *root, const struct knob_request *request,
              struct err *e)
{
    *k = (struct knobs){.set = true, .root = *root, .pipe = -1, .latency = -1};
    k->root.watcher = NULL;
    k->complete = !set_everything(k, request, e);
    if (k->complete)
        return 0;
    struct err undoing;
    if (knobs_restore(k, &undoing) && e)
        err_context(e, "%s; and before that", undoing.msg);
    knobs_free(k);
    return -1;
}

/* ---- the result ---- */

int knobs_restore(struct knobs *k, struct err *e)
{
    struct knob_restored restored;
    int result = 0;
    if (!k->set)
        return 0;
    if (k->latency >= 0)
        close(k->latency);
    k->latency = -1;
    if (k->keeper > 0) {
        result = keeper_finish(k, &restored, e);
        if (!result)
            result = knob_report_restored(k, &restored, e);
    } else {
        knob_note_remove(k); /* nothing was changed */
    }
    knob_note_close(k);
    knob_locks_close(k);
    return result;
}

void knobs_free(struct knobs *k)
{
    knob_locks_close(k);
    free(k->changes);
    free(k->dependents);
    pool_free(&k->strings);
    k->changes = NULL;
    k->dependents = NULL;
    k->change_count = k->dependent_count = 0;
}
