/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's load between two samples, before and after a run: processor time, interrupts,
   frequency. */
#ifndef CUPEL_HW_MONITOR_LOAD_H
#define CUPEL_HW_MONITOR_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* Jiffies, from the columns of a line "cpu" in /proc/stat (proc(5)). User time already includes
   guest time. False: too few columns. */
struct processor_time {
    uint64_t busy, stolen, total; /* busy: without stolen time; total: both plus idle time */
    uint64_t kernel;              /* part of the busy time: system calls, kernel threads,
                                     interrupts */
    uint64_t interrupts;          /* part of that: interrupts and the work that they defer */
};
bool processor_time_scan(const char *columns, struct processor_time *time);

struct load_sample {
    uint64_t busy_jiffies, total_jiffies; /* all processors, from /proc/stat; 0, 0 when absent */
    uint64_t steal_jiffies;
    uint64_t interrupt_jiffies;     /* the part of the busy jiffies that interrupts used; interrupts
                                       serve the session's I/O as well */
    uint64_t kernel_thread_jiffies; /* part of the busy ones; they serve it as well */
    double load_average;            /* 1 minute; NaN when absent */
    double frequency_mean_hz;       /* over the processors that show it; NaN when none does */
    uint64_t context_switches, interrupts;
};

void load_take(const struct sysroot *root, struct load_sample *sample);

/*
 * Adds the load between two samples that are `seconds` apart, as facts of a node "load" below
 * "machine": processor_busy and processor_stolen (% of all processors' time, our own work
 * included), context_switches and interrupts (per second), load_average_before and _after,
 * frequency_before and _after (Hz).
 */
void load_facts(const struct load_sample *before, const struct load_sample *after, double seconds,
                struct inventory *v);

/* The part of the processors that others used between two samples, as shares of all processors'
   time; NaN: not known. */
struct load_of_others {
    double programs; /* without this program, which used `own_seconds` of processor time, and
                        without interrupts and the kernel's own threads, which may work for it */
    double stolen;   /* taken by the hypervisor for other virtual machines */
};
struct load_of_others load_of_others(const struct load_sample *before,
                                     const struct load_sample *after, double own_seconds);

#endif
