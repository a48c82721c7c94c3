/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processors: what /proc/cpuinfo says of them, lists of their numbers, and their frequency.
 */
#ifndef CUPEL_HW_MACHINE_PROCESSORS_H
#define CUPEL_HW_MACHINE_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/fact.h"
#include "hw/sysroot/sysroot.h"

struct cpuinfo {
    enum fact_status status;
    char model[128];                /* "" when the file has none */
    char microcode[32];             /* "0x2b000590"; "" when the file has none */
    char implementer[16], part[16]; /* of ARM cores, the last one's: "0x41", "0xd0c" */
    size_t count;                   /* of "processor" lines */
    bool shows_hypervisor; /* it has x86 flags, so a missing hypervisor flag means bare metal */
    bool hypervisor;
    double megahertz_sum; /* of the lines "cpu MHz" */
    size_t megahertz_count;
};

void cpuinfo_read(const struct sysroot *root, struct cpuinfo *info);

/* Only the first processor and what stands above it: the file of a large machine is long. */
void cpuinfo_read_first(const struct sysroot *root, struct cpuinfo *info);

#define PROCESSORS_MAX 8192

/* Processor numbers, ascending, all below PROCESSORS_MAX. */
struct processors {
    size_t count;
    unsigned short numbers[PROCESSORS_MAX];
};

/* The kernel's lists: "0-3,8"; "" is a list of none. */
bool processors_parse(const char *text, struct processors *list);

/* The first line of a file as such a list. FACT_INVALID when it is none. */
enum fact_status processors_read(const struct sysroot *root, const char *path,
                                 struct processors *list);

/* Of /sys/devices/system/cpu/online. FACT_INVALID when nothing stands there. */
enum fact_status processors_online(const struct sysroot *root, struct processors *online);

#define PROCESSORS_ONLINE_FILE "/sys/devices/system/cpu/online"

/* Mean over those that show it: cpufreq's scaling_cur_freq, else /proc/cpuinfo. NaN when none does;
 *source names where it came from. */
double processors_frequency_hz(const struct sysroot *root, const char **source);

/* The lines "cpu MHz" of /proc/cpuinfo, in Hz by processor number below `max`; NaN where there is
   none. */
void cpuinfo_frequencies(const struct sysroot *root, double hertz[], size_t max);

#endif
