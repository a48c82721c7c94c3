/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/machine share. */
#ifndef CUPEL_HW_MACHINE_INTERNAL_H
#define CUPEL_HW_MACHINE_INTERNAL_H

#include "base/span.h"
#include "facts/inventory.h"
#include "hw/machine/cpu_list.h"
#include "hw/prober.h"
#include "hw/sysroot/sysroot.h"

/* ---- cpu ---- */

/*
 * The files of look_at_cpu share one survey. The topology comes first, since it makes the nodes of
 * packages and cores, to which the others add facts.
 */

#define CPU_FOLDER "/sys/devices/system/cpu"
#define CPU_PATH   160 /* size of a buffer for the path of a processor's file */

struct cpu_survey {
    const struct sysroot *root;
    struct inventory *inventory;
    int node; /* the node "cpu" */
    /* data of the first processor only; data of all processors when `online` is not known */
    struct cpuinfo info;
    enum fact_status online_status;
    /* online processors of the kernel's list, or as many as /proc/cpuinfo has */
    struct processors online;
    int core[PROCESSORS_MAX]; /* [online.count], node "cpuN" of each processor's core */
};

/* Writes "/sys/devices/system/cpu/cpu3/" and `file` to `to` (CPU_PATH bytes), and returns it. */
char *cpu_path(char *to, unsigned number, const char *file);

/* cpu_frequency.c: adds governor, driver, range, base, turbo, frequency; and each processor's
   governor and frequency. It needs two reads for each processor. */
void cpu_frequency_add(struct cpu_survey *s);

/* ---- dimm_name.c ---- */

/* Socket and channel of a memory module; "": the names of its slot do not contain it. */
struct dimm_place {
    char socket[8], channel[16];
};

/* Finds the place from the names of the slot and of its bank. */
struct dimm_place dimm_place_of(struct span device, struct span bank);

/* ---- power ---- */

/*
 * Power: whether the machine runs on battery, and the limits on the power of a processor. Both can
 * slow a machine down.
 */

/*
 * Adds on_battery (yes, no) to `node`; no fact on a machine without its own battery. Yes: no mains
 * or USB supply is online, and either a battery is discharging or no battery reports its state.
 */
void power_add_battery(struct probe *p, int node);

/*
 * Adds the limits power_limit_long_term, _short_term and _peak_power (W), which are powercap's
 * constraints, to each node "packageN". If two interfaces give the same limit, the lower value is
 * used.
 */
void power_add_limits(struct probe *p);

#endif
