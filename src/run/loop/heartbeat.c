/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the thread of the heartbeat, and finds the gaps between its beats. */
#include "run/loop/worker_group.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number_parse.h"
#include "base/thread.h"

#define STACK      (64 << 10)
#define LOOK_EVERY 1000000

static int64_t ns_of(clockid_t which)
{
    struct timespec t = {0};
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Reads the second number of the file: ns spent ready to run. Returns 0 if the kernel does not
   report it. */
static uint64_t run_delay_ns(int fd)
{
    enum { RAN, WAITED, NUMBERS };
    char text[96];
    uint64_t v[NUMBERS] = {0};
    ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *at = text;
    return number_scan_whole(&at, v, NUMBERS) == NUMBERS ? v[WAITED] : 0;
}

/* Makes a beat: reads all clocks. Run delay is read before the first and after the last reading of
   the clock, so that a wait in between is not part of the time between two beats. */
static struct heartbeat_beat beat(const struct heartbeat *h)
{
    struct heartbeat_beat b = {.run_delay_ns = run_delay_ns(h->schedstat)};
    b.begin = clock_ticks(h->clock);
    b.machine_slept_ns = ns_of(CLOCK_BOOTTIME) - ns_of(CLOCK_MONOTONIC);
    b.end = clock_ticks(h->clock);
    b.run_delay_end_ns = run_delay_ns(h->schedstat);
    return b;
}

static uint64_t difference_or_0(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

bool heartbeat_is_gap(const struct clock *clock, const struct heartbeat_beat *before,
                      const struct heartbeat_beat *after, struct heartbeat_gap *gap)
{
    bool went_back = after->begin < before->end;
    /* Times are measured from begin to begin of the beats, so that a stop in the middle of a beat
       counts, too. */
    uint64_t passed = went_back ? 0 : clock_ns(clock, after->begin - before->begin);
    uint64_t waited = difference_or_0(after->run_delay_end_ns, before->run_delay_ns);
    uint64_t away = difference_or_0(passed, HEARTBEAT_NS + waited);
    int64_t asleep = after->machine_slept_ns - before->machine_slept_ns;
    if (asleep > 0 && (uint64_t)asleep > away)
        away = (uint64_t)asleep; /* the counter may have stopped during the machine's sleep */
    if (away < SUSPENSION_MIN_NS && !went_back)
        return false;
    *gap = (struct heartbeat_gap){.begin = before->begin,
                                  .end = went_back ? before->end : after->end,
                                  .waited = clock_ticks_of_ns(clock, waited),
                                  .seconds = (double)away * 1e-9};
    return true;
}

static void *beat_on(void *argument)
{
    struct heartbeat *h = argument;
    const struct timespec pause = {.tv_nsec = HEARTBEAT_NS};
    h->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    struct heartbeat_beat before = beat(h);
    while (!atomic_load_explicit(&h->quit, memory_order_relaxed)) {
        struct heartbeat_gap gap;
        unsigned n = atomic_load_explicit(&h->gap_count, memory_order_relaxed);
        nanosleep(&pause, NULL);
        struct heartbeat_beat after = beat(h);
        bool is_gap = heartbeat_is_gap(h->clock, &before, &after, &gap);
        if (is_gap && n < HEARTBEAT_GAPS) {
            h->gaps[n] = gap;
            atomic_store_explicit(&h->gap_count, n + 1, memory_order_release);
        } else if (is_gap) {
            h->gaps[n - 1].end = gap.end;
            h->gaps[n - 1].seconds += gap.seconds;
        }
        if (after.begin < before.end)
            atomic_store(&h->clock_went_back, true);
        atomic_store_explicit(&h->vouched, after.begin, memory_order_release);
        before = after;
    }
    if (h->schedstat >= 0)
        close(h->schedstat);
    return NULL;
}

int heartbeat_start(struct heartbeat *h, const struct clock *clock, struct err *e)
{
    h->clock = clock;
    atomic_store(&h->vouched, clock_ticks(clock));
    int failed = thread_start(&h->thread, STACK, beat_on, h);
    if (failed)
        return err_set(e, ERR_MACHINE, "cannot start the thread that watches for suspensions: %s",
                       strerror(failed));
    h->started = true;
    return 0;
}

void heartbeat_stop(struct heartbeat *h)
{
    if (!h->started)
        return;
    atomic_store(&h->quit, true);
    pthread_join(h->thread, NULL);
    h->started = false;
}

void heartbeat_wait(const struct heartbeat *h)
{
    uint64_t now = clock_ticks(h->clock);
    while (heartbeat_vouched(h) < now && !atomic_load(&h->clock_went_back))
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY}, NULL);
}
