/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks the files of knobs against other runs. */
#include "hw/knob/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

int knob_locks_reserve(struct knobs *k, size_t count, struct err *e)
{
    k->locks = calloc(count + 1, sizeof *k->locks);
    if (!k->locks)
        return err_no_memory(e, "the settings of this machine");
    /* With a file for each processor, a process may need more files than its soft limit allows. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    limit.rlim_cur =
        limit.rlim_max - limit.rlim_cur > count ? limit.rlim_cur + count : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return 0;
}

static const struct knob_lock *find_lock(const struct knobs *k, const char *path)
{
    for (size_t i = 0; i < k->lock_count; i++)
        if (!strcmp(k->locks[i].path, path))
            return &k->locks[i];
    return NULL;
}

bool knob_is_locked(const struct knobs *k, const char *path)
{
    return find_lock(k, path) != NULL;
}

static int lock(int fd, int how, const char *path, const char *refusal, struct err *e)
{
    int result;
    do
        result = flock(fd, how | LOCK_NB);
    while (result && errno == EINTR);
    if (!result)
        return 0;
    if (errno == EWOULDBLOCK)
        return err_set(e, ERR_UNSAFE, "another run of cupel %s %s; wait for its end", refusal,
                       path);
    return err_set(e, ERR_MACHINE, "cannot lock %s against other runs: %s", path, strerror(errno));
}

int knob_lock_share(struct knobs *k, const char *path, struct err *e)
{
    char full[PATH_MAX];
    int fd = open(sysroot_path(&k->root, full, sizeof full, path),
                  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        return err_set(e, ERR_MACHINE, "cannot lock %s: %s; raise ulimit -n", path,
                       strerror(errno));
    if (fd < 0)
        return 0;
    struct knob_lock held = {pool_copy(&k->strings, path, strlen(path)), fd};
    int result = held.path ? lock(fd, LOCK_SH, path, "has changed", e)
                           : err_no_memory(e, "the settings of this machine");
    if (result)
        close(fd);
    else
        k->locks[k->lock_count++] = held;
    return result;
}

int knob_lock_alone(const struct knobs *k, const char *path, struct err *e)
{
    const struct knob_lock *held = find_lock(k, path);
    if (!held)
        return err_set(e, ERR_MACHINE, "cannot open %s to lock it against other runs", path);
    return lock(held->fd, LOCK_EX, path, "uses", e);
}

void knob_locks_open(const struct knobs *k)
{
    for (size_t i = 0; i < k->lock_count; i++)
        flock(k->locks[i].fd, LOCK_UN);
}

void knob_locks_close(struct knobs *k)
{
    for (size_t i = 0; i < k->lock_count; i++)
        close(k->locks[i].fd);
    free(k->locks);
    k->locks = NULL;
    k->lock_count = 0;
}
