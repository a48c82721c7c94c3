/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds how far the wall clock may be from UTC, according to the kernel and to chronyd. */
#include "base/machine/clock_error.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"

#define ANSWER_MS    1000
#define ERROR_MAX_NS 1e18

int64_t clock_error_of_kernel(const struct timex *t, int state)
{
    if (state < 0 || state == TIME_ERROR || t->status & STA_UNSYNC || t->maxerror < 0)
        return CLOCK_ERROR_UNKNOWN;
    /* The kernel's bound excludes the offset that the kernel still has to correct, so it is
       added. */
    int64_t unit_ns = t->status & STA_NANO ? 1 : 1000;
    return (int64_t)t->maxerror * 1000 + llabs(t->offset) * unit_ns;
}

static uint64_t wall_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > 0 ? (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec : 0;
}

void clock_error_read(struct clock_error *c, const char *prefix)
{
    struct timex t = {.modes = 0};
    *c = (struct clock_error){
        .wall_ns = wall_ns(), .error_ns = CLOCK_ERROR_UNKNOWN, .source = "adjtimex"};
    if (!*prefix) {
        int state = adjtimex(&t);
        c->error_ns = clock_error_of_kernel(&t, state);
    }
}

/* ---- chronyd ---- */

/* Indices of the fields in the line. */
enum { STRATUM = 2, SYSTEM_OFFSET = 4, ROOT_DELAY = 10, ROOT_DISPERSION = 11, LEAP_STATUS = 13 };

int64_t clock_error_of_chrony(const char *line)
{
    double value[LEAP_STATUS] = {0};
    for (int i = 0; i < LEAP_STATUS; i++) {
        const char *comma = strchr(line, ',');
        char *end;
        if (!comma)
            return CLOCK_ERROR_UNKNOWN;
        value[i] = strtod(line, &end);
        bool is_needed =
            i == STRATUM || i == SYSTEM_OFFSET || i == ROOT_DELAY || i == ROOT_DISPERSION;
        if (is_needed && (end != comma || !isfinite(value[i])))
            return CLOCK_ERROR_UNKNOWN;
        line = comma + 1;
    }
    /* Stratum 0: chronyd has not reached a server yet. */
    if (!strncmp(line, "Not synchronised", 16) || !(value[STRATUM] > 0))
        return CLOCK_ERROR_UNKNOWN;
    double ns =
        (fabs(value[ROOT_DELAY]) / 2 + value[ROOT_DISPERSION] + fabs(value[SYSTEM_OFFSET])) * 1e9;
    return ns >= 0 && ns < ERROR_MAX_NS ? (int64_t)ceil(ns) : CLOCK_ERROR_UNKNOWN;
}

/* Reads until the other end closes the pipe, or for one second. */
static void read_answer(int fd, char *answer, size_t size)
{
    size_t used = 0;
    uint64_t until = clock_raw_ns() + ANSWER_MS * UINT64_C(1000000), now;
    while (used < size - 1 && (now = clock_raw_ns()) < until) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, (int)((until - now) / 1000000 + 1));
        ssize_t got = ready > 0 ? read(fd, answer + used, size - 1 - used) : -1;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready > 0 && got <= 0)
            break;
        used += got > 0 ? (size_t)got : 0;
    }
    answer[used] = '\0';
}

static pid_t start(const char *program, int to)
{
    char *const arguments[] = {(char *)"chronyc", (char *)"-n", (char *)"-c", (char *)"tracking",
                               NULL};
    char *const environment[] = {(char *)"LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    bool ok = !posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
              !posix_spawn_file_actions_adddup2(&actions, to, 1) &&
              !posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) &&
              !posix_spawn(&child, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return ok ? child : -1;
}

/* Runs chronyc; the answer is "" when chronyc gives none. */
static void run_tracking(const char *program, char *answer, size_t size)
{
    int ends[2], status = 0;
    *answer = '\0';
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t child = start(program, ends[1]);
    close(ends[1]);
    if (child > 0) {
        read_answer(ends[0], answer, size);
        kill(child, SIGKILL); /* harmless: after an answer the program has ended, or is about to */
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
}

void clock_error_ask_chrony(struct clock_error *c, const char *prefix)
{
    static const char *const places[] = {"/run/chrony/chronyd.pid", "/run/chronyd.pid",
                                         "/var/run/chronyd.pid"};
    char path[PATH_MAX], answer[512];
    bool runs = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !runs; i++)
        runs = file_path(path, "%s%s", prefix, places[i]) && access(path, F_OK) == 0;
    if (!runs || !file_path(path, "%s/usr/bin/chronyc", prefix) || access(path, X_OK))
        return;
    run_tracking(path, answer, sizeof answer);
    int64_t error_ns = clock_error_of_chrony(answer);
    if (error_ns == CLOCK_ERROR_UNKNOWN ||
        (c->error_ns != CLOCK_ERROR_UNKNOWN && c->error_ns <= error_ns))
        return;
    c->error_ns = error_ns;
    c->wall_ns = wall_ns();
    snprintf(c->source, sizeof c->source, "chrony");
}
