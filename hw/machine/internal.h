/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of hw/machine share. */
#ifndef CUPEL_HW_MACHINE_INTERNAL_H
#define CUPEL_HW_MACHINE_INTERNAL_H

#include "facts/inventory.h"
#include "hw/machine/processors.h"
#include "hw/prober.h"
#include "hw/sysroot/sysroot.h"

/* ---- cpu ---- */

/*
 * The parts of look_at_cpu, one file each. They work on one survey, in this order: topology makes
 * the nodes of packages and cores that the others add facts to.
 */

#define CPU_FOLDER "/sys/devices/system/cpu"
#define CPU_PATH   160 /* of a file of one processor */

struct cpu_survey {
    const struct sysroot *root;
    struct inventory *inventory;
    int node;            /* "cpu" */
    struct cpuinfo info; /* of the first processor; of all when `online` is not known */
    enum fact_status online_status;
    struct processors online; /* by the kernel's list, else as many as /proc/cpuinfo has */
    int core[PROCESSORS_MAX]; /* by position in `online`: the node "cpuN" */
};

/* "/sys/devices/system/cpu/cpu3/" and `file`. Writes to `to` (CPU_PATH bytes), returns it. */
char *cpu_path(char *to, unsigned number, const char *file);

/* cpu_topology.c: sockets, cores, smt_active; nodes "packageN" with cores, threads, cpus,
   numa_nodes; nodes "cpuN"; throttle counts. Costs two reads a core. */
void cpu_topology_add(struct cpu_survey *s);

/* cpu_frequency.c: governor, driver, range, base, turbo, frequency; of each processor its governor
   and frequency. Costs two reads a processor. */
void cpu_frequency_add(struct cpu_survey *s);

/* cpu_idle.c: driver, governor, states and their exit latencies, of the first processor. */
void cpu_idle_add(struct cpu_survey *s);

/* ---- power ---- */

/*
 * Power: battery or mains, and the limits that are set for what a processor may take. Both slow a
 * machine down.
 */

/*
 * on_battery (yes, no) to `node`; no fact on a machine without a battery of its own. Yes: no mains
 * or USB supply is online and a battery is discharging, or there is none that says what it does.
 */
void power_add_battery(struct probe *p, int node);

/*
 * To each node "packageN": power_limit_long_term, _short_term, _peak_power (W), as powercap names
 * its constraints; of two interfaces for the same limit the lower one.
 */
void power_add_limits(struct probe *p);

#endif
