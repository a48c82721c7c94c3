/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start a program, wait for it, and tell what it cost. Its standard output comes back as text. */
#ifndef TESTS_BENCH_CHILD_H
#define TESTS_BENCH_CHILD_H

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child {
    pid_t pid;
    int output; /* the reading end of a pipe */
    double began;
};

struct child_cost {
    int status; /* exit status; -1: it did not exit by itself */
    double seconds, cpu_seconds;
    long peak_rss_kib;
};

static inline double child_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Standard input is empty and standard error goes nowhere. -1 with a message. */
static inline int child_start(struct child *s, char *const argv[])
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        perror("pipe");
        return -1;
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    s->began = child_now();
    int error = posix_spawnp(&s->pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    s->output = ends[0];
    if (!error)
        return 0;
    fprintf(stderr, "%s cannot be started: %s\n", argv[0], strerror(error));
    close(ends[0]);
    return -1;
}

static inline double child_seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Read all that it prints (the first size - 1 bytes are kept) and wait for its end. */
static inline struct child_cost child_finish(struct child *s, char *text, size_t size)
{
    size_t kept = 0;
    char rest[4096] = {0};
    for (;;) {
        size_t room = size - 1 - kept;
        ssize_t n = read(s->output, room ? text + kept : rest, room ? room : sizeof rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        kept += room ? (size_t)n : 0;
    }
    text[kept] = '\0';
    close(s->output);
    int status;
    struct rusage usage = {0};
    while (wait4(s->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    return (struct child_cost){.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                               .seconds = child_now() - s->began,
                               .cpu_seconds =
                                   child_seconds(usage.ru_utime) + child_seconds(usage.ru_stime),
                               .peak_rss_kib = usage.ru_maxrss};
}

/* All of it. A status other than `expected` is told on standard error, with what was printed. */
static inline int child_run(char *const argv[], char *text, size_t size, int expected,
                            struct child_cost *cost)
{
    struct child s;
    if (child_start(&s, argv))
        return -1;
    *cost = child_finish(&s, text, size);
    if (cost->status == expected)
        return 0;
    fprintf(stderr, "%s ended with status %d: %s\n", argv[0], cost->status, text);
    return -1;
}

#endif
