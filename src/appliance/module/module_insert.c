/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls that give a module to the kernel, and the threads that wait in them. */
#include "appliance/module/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file.h"

#define COMPRESSED_FILE 4 /* MODULE_INIT_COMPRESSED_FILE of linux/module.h, since 5.17 */
#define MAX_BYTES       ((size_t)256 << 20)

/* Inserts in the way of kernels before Linux 3.8, and of those that refuse the newer call. */
static int insert_from_memory(const char *path, const char *parameters)
{
    char *image;
    size_t length;
    if (file_read_all(path, MAX_BYTES, &image, &length, NULL) != 0)
        return -EIO;
    long status = syscall(SYS_init_module, image, length, parameters);
    int error = errno;
    free(image);
    return status == 0 ? 0 : -error;
}

int module_insert(const char *path, const char *parameters)
{
    const char *suffix = strrchr(path, '.');
    int flags = suffix != NULL && strcmp(suffix, ".ko") != 0 ? COMPRESSED_FILE : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    long status = syscall(SYS_finit_module, fd, parameters, flags);
    int error = errno;
    close(fd);
    if (status == 0)
        return 0;
    return error == ENOSYS && flags == 0 ? insert_from_memory(path, parameters) : -error;
}

bool module_is_live(const char *name)
{
    char path[128], state[8] = "";
    int length = snprintf(path, sizeof path, "/sys/module/%s/initstate", name);
    int fd = length > 0 && (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    ssize_t got = read(fd, state, sizeof state - 1);
    close(fd);
    return got > 0 && strncmp(state, "live", 4) == 0;
}

int module_insertions_open(struct module_insertions *i, struct err *e)
{
    int fds[2];
    *i = (struct module_insertions){.fd = -1, .thread_fd = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return err_set(e, ERR_MACHINE, "cannot load modules: no pipe: %s", strerror(errno));
    *i = (struct module_insertions){.fd = fds[0], .thread_fd = fds[1]};
    return 0;
}

void module_insertions_close(struct module_insertions *i)
{
    if (i->under_way == 0 && i->fd >= 0) {
        close(i->fd);
        close(i->thread_fd);
    }
    *i = (struct module_insertions){.fd = -1, .thread_fd = -1};
}

struct job {
    int result_fd;
    uint32_t module;
    char *path, *parameters;
};

static void free_job(struct job *job)
{
    if (job != NULL) {
        free(job->path);
        free(job->parameters);
    }
    free(job);
}

/* A result is smaller than PIPE_BUF, so it is written whole; a pipe holds thousands of them. */
static void *insert_in_thread(void *argument)
{
    struct job *job = argument;
    struct module_inserted done = {job->module, module_insert(job->path, job->parameters)};
    int fd = job->result_fd;
    free_job(job);
    while (write(fd, &done, sizeof done) < 0 && errno == EINTR)
        ;
    return NULL;
}

bool module_insertions_start(struct module_insertions *i, uint32_t module, const char *path,
                             const char *parameters)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return false;
    *job = (struct job){i->thread_fd, module, strdup(path), strdup(parameters)};
    bool started = false;
    if (job->path != NULL && job->parameters != NULL && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        /* Signals are for the thread that draws on the consoles. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        started = pthread_create(&thread, &attributes, insert_in_thread, job) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
    }
    if (started)
        i->under_way++;
    else
        free_job(job);
    return started;
}

bool module_insertions_take(struct module_insertions *i, unsigned milliseconds,
                            struct module_inserted *done)
{
    struct pollfd readable = {.fd = i->fd, .events = POLLIN};
    if (i->under_way == 0)
        return false;
    if (poll(&readable, 1, (int)milliseconds) <= 0 ||
        read(i->fd, done, sizeof *done) != (ssize_t)sizeof *done)
        return false;
    i->under_way--;
    return true;
}
