/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library to be loaded into another program by LD_PRELOAD: see issue_stamps.h. It is linked
 * with nothing and finds the few functions it needs in the C library of that program. One thread
 * of it may issue I/O.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/bench/issue_stamps.h"

/* What looking at the virtual clock and sleeping for no time take of it: programs wait for it to
 * move. */
#define LOOK_NS      100
#define SLEEP_MIN_NS 1000
#define CLOCKS       12

static struct issue_stamps *stamps;
static __thread bool issuing __attribute__((tls_model("initial-exec")));
static int64_t virtual_ns, begin_ns[CLOCKS]; /* since the first read; what clocks said then */

__attribute__((constructor)) static void map_stamps(void)
{
    const char *number = getenv(ISSUE_STAMPS_VARIABLE);
    void *map = number ? mmap(NULL, sizeof *stamps, PROT_READ | PROT_WRITE, MAP_SHARED,
                              (int)strtol(number, NULL, 10), 0)
                       : MAP_FAILED;
    if (map != MAP_FAILED)
        stamps = map;
}

static int real_clock(clockid_t id, struct timespec *now)
{
    return (int)syscall(SYS_clock_gettime, id, now);
}

/* The issuing thread's time is virtual from its first read on. */
static bool time_is_virtual(void)
{
    return issuing && stamps->virtual_time;
}

static void stamp_first(void)
{
    for (clockid_t id = 0; id < CLOCKS; id++) {
        struct timespec now = {0};
        real_clock(id, &now);
        begin_ns[id] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    issuing = true;
}

static void stamp(uint64_t now)
{
    if (!stamps->count)
        stamp_first();
    if (stamps->virtual_time)
        now = (uint64_t)virtual_ns;
    if (stamps->count < ISSUE_STAMPS_MAX)
        stamps->stamp[stamps->count] = now;
    stamps->count++;
}

/* libaio's, which returns the error instead of setting errno. */
int io_submit(void *context, long n, void **requests);
int io_submit(void *context, long n, void **requests)
{
    uint64_t now = clock_counter();
    for (long i = 0; stamps && i < n; i++)
        stamp(now);
    long status = syscall(SYS_io_submit, context, n, requests);
    return status < 0 ? -errno : (int)status;
}

/* The name that programs for large files call; here it is a macro for another one. */
ssize_t read_at(int fd, void *buffer, size_t length, off_t offset) __asm__("pread64");
ssize_t read_at(int fd, void *buffer, size_t length, off_t offset)
{
    if (stamps && length == ISSUE_BLOCK) {
        stamp(clock_counter());
        if (stamps->null)
            return ISSUE_BLOCK;
    }
    return syscall(SYS_pread64, fd, buffer, length, offset);
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (!time_is_virtual() || id < 0 || id >= CLOCKS)
        return real_clock(id, now);
    virtual_ns += LOOK_NS;
    int64_t ns = begin_ns[id] + virtual_ns;
    *now = (struct timespec){ns / 1000000000, ns % 1000000000};
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
    if (!time_is_virtual())
        return (int)syscall(SYS_nanosleep, time, rest);
    int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    virtual_ns += ns > SLEEP_MIN_NS ? ns : SLEEP_MIN_NS;
    return 0;
}
