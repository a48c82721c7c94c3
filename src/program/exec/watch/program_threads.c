/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the processes of the program: children of this process's first thread, and their
 * descendants. A thread's processor time is the first number of its schedstat, in ns
 * (Documentation/scheduler/sched-stats.rst). For a thread that was not seen before, all its
 * processor time counts as used since the last call.
 */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number_parse.h"
#include "program/exec/watch/internal.h"

static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Adds the children of one thread. */
static void add_children(struct program_threads *t, pid_t process, pid_t thread)
{
    char path[80], text[4096];
    uint64_t id;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)thread);
    if (!read_text(path, text, sizeof text))
        return;
    for (const char *at = text;
         t->process_count < PROGRAM_PROCESSES && number_scan_whole(&at, &id, 1) == 1;)
        t->processes[t->process_count++] = (pid_t)id;
}

static struct program_thread *thread_of(struct program_threads *t, pid_t id)
{
    for (size_t i = 0; i < t->thread_count; i++)
        if (t->threads[i].id == id)
            return &t->threads[i];
    if (t->thread_count == PROGRAM_THREADS)
        return NULL;
    struct program_thread *thread = &t->threads[t->thread_count++];
    *thread = (struct program_thread){.id = id};
    return thread;
}

static void use_thread(struct program_threads *t, pid_t process, pid_t id, double seconds,
                       struct program_use *use)
{
    char path[80], text[128];
    const char *at = text;
    uint64_t ns;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)process, (int)id);
    if (!read_text(path, text, sizeof text) || number_scan_whole(&at, &ns, 1) != 1)
        return;
    struct program_thread *thread = thread_of(t, id);
    if (!thread)
        return;
    /* 0: a new thread has the number of an old one */
    uint64_t before = ns >= thread->ns ? thread->ns : 0;
    double used = fmin((double)(ns - before) * 1e-9 / seconds, 1);
    thread->ns = ns;
    thread->look = t->look;
    use->busiest = fmax(use->busiest, used);
    use->all += used;
}

/* Adds up the use of a process's threads, and adds the processes that they have started. */
static void use_process(struct program_threads *t, pid_t process, double seconds,
                        struct program_use *use)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
        if (id <= 0)
            continue;
        use_thread(t, process, id, seconds, use);
        add_children(t, process, id);
    }
    closedir(folder);
}

/* Forgets threads that have ended. */
static void forget_ended(struct program_threads *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->thread_count; i++)
        if (t->threads[i].look == t->look)
            t->threads[kept++] = t->threads[i];
    t->thread_count = kept;
}

struct program_use program_threads_look(struct program_threads *t, double seconds)
{
    struct program_use use = {0, 0};
    double length = seconds - t->seconds;
    bool first = !(t->seconds > 0);
    t->seconds = seconds;
    t->look++;
    t->process_count = 0;
    add_children(t, getpid(), getpid());
    for (size_t i = 0; i < t->process_count; i++)
        use_process(t, t->processes[i], length, &use);
    forget_ended(t);
    return first ? (struct program_use){NAN, NAN} : use;
}
