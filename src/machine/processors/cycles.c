/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cycles of a thread: from the kernel's counters, or none where they are not permitted. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/units.h"
#include "machine/processors/internal.h"

#define MSR_FOLDER "/sys/bus/event_source/devices/msr"

static int open_event(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof attr,
                                   .config = config,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens APERF, whose numbers the kernel gives: a type in one file, "event=0x01" in another. */
static int open_aperf(void)
{
    char type[32], event[64];
    uint64_t number;
    if (!file_first_line(MSR_FOLDER "/type", type, sizeof type) ||
        parse_unsigned(type, &number, NULL) ||
        !file_first_line(MSR_FOLDER "/events/aperf", event, sizeof event) ||
        strncmp(event, "event=", 6) != 0)
        return -1;
    return open_event((uint32_t)number, strtoull(event + 6, NULL, 0));
}

/* A counter that a virtual machine accepts may stay at 0. */
static bool counts(const struct cycles *c)
{
    double before, after, ns;
    cycles_read(c, &before, &ns);
    load_chain();
    cycles_read(c, &after, &ns);
    return after - before >= LOAD_CHAIN / 2.0;
}

struct cycles cycles_open(void)
{
    struct cycles c = {CYCLES_COUNTER, open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)};
    if (c.fd >= 0 && counts(&c))
        return c;
    cycles_close(&c);
    c = (struct cycles){CYCLES_APERF, open_aperf()};
    if (c.fd >= 0 && counts(&c))
        return c;
    cycles_close(&c);
    return (struct cycles){CYCLES_CHAIN, -1};
}

void cycles_close(struct cycles *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

void cycles_read(const struct cycles *c, double *cycles, double *ns)
{
    uint64_t values[2] = {0};
    if (c->fd >= 0 && read(c->fd, values, sizeof values) == (ssize_t)sizeof values) {
        *cycles = (double)values[0];
        *ns = (double)values[1];
        return;
    }
    *cycles = 0;
    *ns = seconds_of_clock(CLOCK_THREAD_CPUTIME_ID) * 1e9;
}

const char *cycles_words(enum cycles_source source)
{
    static const char *const words[] = {
        [CYCLES_COUNTER] = "cycles counted",
        [CYCLES_APERF] = "cycles by APERF",
        [CYCLES_CHAIN] = "cycles by timed additions, for no counter is permitted"};
    return words[source];
}
