/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library to be loaded into another program by LD_PRELOAD: its clocks stand still, except for
 * what the rounds of simulated_session.h take. It is linked with nothing and finds the few
 * functions it needs in the C library of that program.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/simulated_session.h"

#define CLOCKS 12

static const struct simulated_session *session = MAP_FAILED;
static struct timespec began[CLOCKS];

__attribute__((constructor)) static void map_session(void)
{
    const char *path = getenv(SIMULATED_SESSION_VARIABLE);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    for (clockid_t id = 0; id < CLOCKS; id++)
        syscall(SYS_clock_gettime, id, &began[id]);
    if (fd >= 0)
        session = mmap(NULL, sizeof *session, PROT_READ, MAP_SHARED, fd, 0);
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (session == MAP_FAILED || id < 0 || id >= CLOCKS)
        return (int)syscall(SYS_clock_gettime, id, now);
    int64_t ns = (int64_t)(session->seconds * 1e9) + began[id].tv_nsec;
    *now = (struct timespec){began[id].tv_sec + ns / 1000000000, ns % 1000000000};
    return 0;
}
