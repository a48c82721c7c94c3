/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides the order in which modules are loaded, keeps the state of each and the modules that wait
 * for others, makes the system calls that give a module to the kernel, and runs the threads that
 * wait in them.
 */
#include "appliance/module/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "appliance/process/kernel_arguments.h"
#include "appliance/process/milliseconds.h"
#include "base/file/file.h"
#include "base/thread.h"

struct module_inserted {
    uint32_t module;
    int result; /* 0 or -errno */
};

#define COMPRESSED_FILE 4 /* MODULE_INIT_COMPRESSED_FILE of linux/module.h, since 5.17 */
#define MAX_BYTES       ((size_t)256 << 20)

#define MAX_DEEP 100   /* maximum depth of needed modules; about 10 in Debian's kernel */
#define WAIT_MS  10000 /* longest wait for a module */

/* Inserts a module from memory, for kernels before Linux 3.8 and kernels that refuse the newer
   system call. */
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

/*
 * Inserts a plain file, or a compressed one (.gz, .xz, .zst) if the kernel can unpack it. Returns 0
 * or -errno. With "async_probe" among its parameters the call does not wait for probing.
 */
static int module_insert(const char *path, const char *parameters)
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

/*
 * Returns whether the module works already, so that modules which need it can be inserted. It may
 * work before module_insert returns, while the kernel waits for probing.
 */
static bool module_is_live(const char *name)
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

static int module_insertions_open(struct module_insertions *i, struct err *e)
{
    int fds[2];
    *i = (struct module_insertions){.fd = -1, .thread_fd = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return err_set(e, ERR_MACHINE, "cannot load modules: no pipe: %s", strerror(errno));
    *i = (struct module_insertions){.fd = fds[0], .thread_fd = fds[1]};
    return 0;
}

/* Closes the descriptors, except while insertions are under way: these continue and use two of
   them. */
static void module_insertions_close(struct module_insertions *i)
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

/* Inserts a module and writes the result to the pipe. A result is smaller than PIPE_BUF, so it is
   written whole, and a pipe holds thousands of them. */
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

/*
 * Runs module_insert in a thread; `module` is returned with the result. False: the thread could not
 * be started.
 */
static bool module_insertions_start(struct module_insertions *i, uint32_t module, const char *path,
                                    const char *parameters)
{
    pthread_t thread;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return false;
    *job = (struct job){i->thread_fd, module, strdup(path), strdup(parameters)};
    bool started = false;
    if (job->path != NULL && job->parameters != NULL)
        started = thread_start(&thread, 0, insert_in_thread, job) == 0;
    if (started) {
        pthread_detach(thread);
        i->under_way++;
    } else {
        free_job(job);
    }
    return started;
}

/*
 * Gets the result of one insertion; waits for one for at most `milliseconds` (0: only checks).
 * False: none is done, or none is under way.
 */
static bool module_insertions_take(struct module_insertions *i, unsigned milliseconds,
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

static const struct span no_file = {"", 0};

enum progress {
    UNTRIED,
    PRESENT,   /* the kernel already has the module, which was not requested yet */
    PREPARING, /* the modules that it needs are being loaded */
    INSERTING,
    DONE
};

struct module_attempt {
    enum progress progress;
    int result; /* valid when DONE: 0 or -errno */
    bool deferred;
};

int module_loader_open(struct module_loader *l, const struct module_index *index,
                       const char *folder, const char *command_line, struct err *e)
{
    size_t modules = index->names.count;
    *l = (struct module_loader){.index = index, .folder = folder, .command_line = command_line};
    if (module_insertions_open(&l->insertions, e) != 0)
        return -1;
    l->attempts = calloc(modules + 1, sizeof *l->attempts);
    l->deferred = calloc(2 * modules + 1, sizeof *l->deferred);
    if (l->attempts != NULL && l->deferred != NULL)
        return 0;
    module_loader_close(l);
    return err_no_memory(e, "loading modules");
}

void module_loader_close(struct module_loader *l)
{
    module_insertions_close(&l->insertions);
    free(l->attempts);
    free(l->deferred);
    text_free(&l->failures);
    *l = (struct module_loader){0};
}

void module_loader_note_present(struct module_loader *l, uint32_t module)
{
    if (l->attempts[module].progress == UNTRIED)
        l->attempts[module].progress = PRESENT;
}

/* Defers a module until no other module is being prepared: later in this call, or after an
   insertion. */
static void loader_defer(struct module_loader *l, uint32_t module)
{
    struct module_attempt *attempt = &l->attempts[module];
    if (attempt->deferred || attempt->progress == DONE)
        return;
    attempt->deferred = true;
    l->deferred[l->deferred_count++] = module;
}

static void loader_note_failure(struct module_loader *l, const char *name, int result,
                                struct span needs)
{
    l->counts.failed++;
    if (needs.length > 0)
        text_addf(&l->failures, "%s: needs %.*s, which did not load\n", name, (int)needs.length,
                  needs.text);
    else
        text_addf(&l->failures, "%s: %s\n", name, strerror(-result));
}

/* Ends an attempt. `needs` is the file of the needed module that failed; it is empty if the kernel
   refused the module itself. */
static int loader_conclude(struct module_loader *l, uint32_t module, int result, struct span needs)
{
    struct module_attempt *attempt = &l->attempts[module];
    if (result == 0)
        l->counts.loaded++;
    else if (result == -EEXIST)
        l->counts.there++;
    else if (result == -ENODEV)
        l->counts.unneeded++;
    else
        loader_note_failure(l, l->index->modules[module].name, result, needs);
    attempt->progress = DONE;
    attempt->result = result == -EEXIST ? 0 : result;
    for (uint32_t i = 0; result == 0 && i < l->index->softdep_count; i++) {
        const struct module_softdep *softdep = &l->index->softdeps[i];
        uint32_t modules[MODULES_OF_ALIAS];
        if (softdep->module != module || softdep->before)
            continue;
        size_t count = module_index_named(l->index, softdep->name, modules);
        for (size_t k = 0; k < count; k++)
            loader_defer(l, modules[k]);
    }
    return attempt->result;
}

/* Takes one finished insertion, for which it waits until `end_ms` (0: not at all). False: none has
   finished. */
static bool take_one(struct module_loader *l, uint64_t end_ms)
{
    struct module_inserted done;
    uint64_t now = end_ms > 0 ? now_ms() : 0;
    if (!module_insertions_take(&l->insertions, end_ms > now ? (unsigned)(end_ms - now) : 0, &done))
        return false;
    loader_conclude(l, done.module, done.result, no_file);
    return true;
}

static int loader_load(struct module_loader *l, uint32_t module, bool wait);

/* Loads the modules that a module needs. Returns -EINPROGRESS if some are under way; on another
   failure *needs names the module that did not load. */
static int loader_prepare(struct module_loader *l, uint32_t module, bool wait, struct span *needs)
{
    struct span list = span_of(l->index->modules[module].needs), path;
    int status = 0;
    /* A soft dependency that cannot be loaded is skipped; one that is under way is waited for. */
    for (uint32_t i = 0; i < l->index->softdep_count; i++) {
        const struct module_softdep *softdep = &l->index->softdeps[i];
        uint32_t modules[MODULES_OF_ALIAS];
        if (softdep->module != module || !softdep->before)
            continue;
        size_t count = module_index_named(l->index, softdep->name, modules);
        for (size_t k = 0; k < count; k++)
            if (loader_load(l, modules[k], wait) == -EINPROGRESS)
                status = -EINPROGRESS;
    }
    *needs = no_file;
    while (module_index_last_word(&list, &path)) {
        uint32_t needed = module_index_find(l->index, path);
        int result = needed != STRING_TABLE_NONE ? loader_load(l, needed, wait) : -ENOENT;
        if (result == -EINPROGRESS) {
            status = result;
        } else if (result != 0) {
            *needs = path;
            return result;
        }
    }
    return status;
}

/* Waits until the module is done, for at most WAIT_MS. */
static int loader_wait_for(struct module_loader *l, uint32_t module)
{
    const struct module_attempt *attempt = &l->attempts[module];
    uint64_t end_ms = now_ms() + WAIT_MS;
    while (attempt->progress == INSERTING && take_one(l, end_ms))
        ;
    return attempt->progress == DONE ? attempt->result : -EINPROGRESS;
}

/*
 * Inserts a module. A module without devices is inserted by this thread, because others need it at
 * once; "async_probe" asks the kernel to return without waiting for other probing. A module with
 * devices gets a thread of its own, because the call may never return.
 */
static int loader_insert(struct module_loader *l, uint32_t module, bool wait)
{
    const struct module *what = &l->index->modules[module];
    char path[PATH_MAX];
    struct text parameters = {0};
    bool library = (l->depth > 0 || wait) && !what->has_devices;
    int status;
    bool fits = file_path(path, "%s/%s", l->folder, what->path);
    text_add(&parameters, "");
    kernel_argument_add_parameters(l->command_line, what->name, &parameters);
    if (!fits) {
        status = -ENAMETOOLONG;
    } else if (parameters.failed || parameters.data == NULL) {
        status = -ENOMEM;
    } else if (l->insert != NULL) {
        status = l->insert(l->insert_context, path, parameters.data);
    } else if (library) {
        text_add(&parameters, parameters.length > 0 ? " async_probe" : "async_probe");
        status = module_insert(path, parameters.data);
    } else if (!module_insertions_start(&l->insertions, module, path, parameters.data)) {
        status = -EAGAIN;
    } else {
        text_free(&parameters);
        l->attempts[module].progress = INSERTING;
        return wait ? loader_wait_for(l, module) : -EINPROGRESS;
    }
    text_free(&parameters);
    return loader_conclude(l, module, status, no_file);
}

static int loader_load(struct module_loader *l, uint32_t module, bool wait)
{
    const struct module *what = &l->index->modules[module];
    const struct module_attempt *attempt = &l->attempts[module];
    if (wait)
        loader_wait_for(l, module);
    switch (attempt->progress) {
    case DONE:
        return attempt->result;
    case INSERTING:
        return l->depth > 0 && module_is_live(what->name) ? 0 : -EINPROGRESS;
    /* the module needs itself through other modules, one of which must be the first */
    case PREPARING:
        return 0;
    case PRESENT:
        return loader_conclude(l, module, -EEXIST, no_file);
    default:
        break;
    }
    if (what->built_in)
        return loader_conclude(l, module, -EEXIST, no_file);
    /* Blacklisted on the command line: not a failure, except for modules that need it. */
    if (kernel_argument_lists(l->command_line, "module_blacklist", what->name)) {
        l->attempts[module].progress = DONE;
        l->attempts[module].result = -EPERM;
        return -EPERM;
    }
    if (l->depth >= MAX_DEEP)
        return loader_conclude(l, module, -ELOOP, no_file);
    struct span needs;
    l->attempts[module].progress = PREPARING;
    l->depth++;
    int status = loader_prepare(l, module, wait, &needs);
    l->depth--;
    if (status == 0)
        return loader_insert(l, module, wait);
    l->attempts[module].progress = UNTRIED;
    if (status != -EINPROGRESS)
        return loader_conclude(l, module, status, needs);
    loader_defer(l, module);
    return status;
}

/* Begins deferred modules until all that remain wait for an insertion. */
static void begin_deferred(struct module_loader *l)
{
    bool progress = true;
    while (progress && l->deferred_count > 0) {
        uint32_t count = l->deferred_count;
        progress = false;
        for (uint32_t i = 0; i < count; i++) {
            l->attempts[l->deferred[i]].deferred = false;
            loader_load(l, l->deferred[i], false);
            progress = progress || !l->attempts[l->deferred[i]].deferred;
        }
        l->deferred_count -= count;
        memmove(l->deferred, l->deferred + count, l->deferred_count * sizeof *l->deferred);
    }
}

int module_loader_load(struct module_loader *l, uint32_t module, bool wait)
{
    int status = loader_load(l, module, wait);
    begin_deferred(l);
    return status;
}

int module_loader_load_named(struct module_loader *l, const char *name, bool wait)
{
    uint32_t modules[MODULES_OF_ALIAS];
    size_t count = module_index_named(l->index, span_of(name), modules);
    int status = -ENOENT;
    for (size_t i = 0; i < count; i++) {
        int result = module_loader_load(l, modules[i], wait);
        status = i == 0 || result == 0 ? result : status;
    }
    if (count == 0)
        loader_note_failure(l, name, status, no_file);
    return status;
}

unsigned module_loader_take(struct module_loader *l, bool wait)
{
    unsigned taken = 0;
    uint64_t end_ms = wait ? now_ms() + WAIT_MS : 0;
    begin_deferred(l);
    while (take_one(l, end_ms)) {
        taken++;
        begin_deferred(l);
    }
    return taken;
}

void module_loader_add_busy(const struct module_loader *l, struct text *to)
{
    for (uint32_t i = 0; i < l->index->names.count; i++)
        if (l->attempts[i].progress == INSERTING)
            text_addf(to, "%s: still loading\n", l->index->modules[i].name);
}
