/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processors: what /proc/cpuinfo says of them together, which are online, and their frequency.
 */
#ifndef CUPEL_HW_PROCESSORS_H
#define CUPEL_HW_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fact.h"
#include "hw/sysroot.h"

struct cpuinfo {
    enum fact_status status;
    char model[128];       /* "" when the file tells none */
    size_t count;          /* of "processor" lines */
    bool tells_hypervisor; /* it has x86 flags, so a missing hypervisor flag means bare metal */
    bool hypervisor;
    double megahertz_sum; /* of the lines "cpu MHz" */
    size_t megahertz_count;
};

void cpuinfo_read(const struct sysroot *root, struct cpuinfo *info);

#define PROCESSORS_MOST 8192

/* Processor numbers in the order of /sys/devices/system/cpu/online ("0-3,8"). */
struct processors {
    size_t count;
    unsigned short numbers[PROCESSORS_MOST];
};
enum fact_status processors_online(const struct sysroot *root, struct processors *online);

#define PROCESSORS_ONLINE_FILE "/sys/devices/system/cpu/online"

/* Mean over those that tell: cpufreq's scaling_cur_freq, else /proc/cpuinfo. NaN when none does;
 *source names where it came from. */
double processors_frequency_hz(const struct sysroot *root, const char **source);

#endif
