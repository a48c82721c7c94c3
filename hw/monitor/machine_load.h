/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's load between two samples, taken before and after a run: processor time, interrupts,
   frequency. */
#ifndef CUPEL_HW_MONITOR_MACHINE_LOAD_H
#define CUPEL_HW_MONITOR_MACHINE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* Jiffies of a line "cpu" in /proc/stat (proc(5)). User time already includes guest time. */
struct processor_time {
    /* `busy`: without stolen time; `total`: busy, stolen and idle time */
    uint64_t busy, stolen, total;
    uint64_t kernel;     /* part of `busy`: system calls, kernel threads, interrupts */
    uint64_t interrupts; /* part of `kernel`: interrupts and the work that they defer */
};
bool processor_time_scan(const char *columns, struct processor_time *time);

struct load_sample {
    /* jiffies of all processors, from /proc/stat; 0 when absent */
    uint64_t busy_jiffies, total_jiffies;
    uint64_t steal_jiffies;
    /* part of busy_jiffies: interrupts, which also serve the session's own I/O */
    uint64_t interrupt_jiffies;
    /* part of busy_jiffies: kernel threads, which also serve the session's own I/O */
    uint64_t kernel_thread_jiffies;
    double load_average;      /* mean over 1 minute; NaN when absent */
    double frequency_mean_hz; /* mean over the processors that show it; NaN: none does */
    uint64_t context_switches, interrupts;
};

void load_take(const struct sysroot *root, struct load_sample *sample);

/*
 * Adds the load between two samples that are `seconds` apart, as facts of a node "load" below
 * "machine": processor_busy and processor_stolen (% of all processors' time, this program's own
 * work included), context_switches and interrupts (per second), load_average_before and _after,
 * frequency_before and _after (Hz).
 */
void load_facts(const struct load_sample *before, const struct load_sample *after, double seconds,
                struct inventory *v);

/* The processor time that others used between two samples, as shares of all processors' time; NaN:
   not known. */
struct load_of_others {
    /* time of other programs: it includes neither this program, which used `own_seconds`, nor
       interrupts and the kernel's threads, which may work for it */
    double programs;
    double stolen; /* taken by the hypervisor for other virtual machines */
};
struct load_of_others load_of_others(const struct load_sample *before,
                                     const struct load_sample *after, double own_seconds);

#endif
