/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors: the content of /proc/cpuinfo, lists of processor numbers, and frequencies. */
#ifndef CUPEL_HW_MACHINE_CPU_LIST_H
#define CUPEL_HW_MACHINE_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/fact.h"
#include "hw/sysroot/sysroot.h"

struct cpuinfo {
    enum fact_status status;
    char model[128]; /* model name; "" when the file has none */
    /* microcode version, as in "0x2b000590"; "" when the file has none */
    char microcode[32];
    char implementer[16], part[16]; /* for ARM cores, of the last core: "0x41", "0xd0c" */
    size_t count;                   /* number of "processor" lines */
    /* the processor lists x86 flags, so a missing hypervisor flag means bare metal */
    bool shows_hypervisor;
    bool hypervisor;
    double megahertz_sum; /* sum over the lines "cpu MHz" */
    size_t megahertz_count;
};

void cpuinfo_read(const struct sysroot *root, struct cpuinfo *info);

/* Reads only the first processor and the lines before it, since on a large machine the file is
   long. */
void cpuinfo_read_first(const struct sysroot *root, struct cpuinfo *info);

#define PROCESSORS_MAX 8192

/* Processor numbers, ascending, all below PROCESSORS_MAX. */
struct processors {
    size_t count;
    unsigned short numbers[PROCESSORS_MAX];
};

/* Parses the kernel's form of a list: "0-3,8"; "" is an empty list. Returns false for other
   texts. */
bool processors_parse(const char *text, struct processors *list);

/* Reads the first line of a file as a list of processors. FACT_INVALID when it is no such list. */
enum fact_status processors_read(const struct sysroot *root, const char *path,
                                 struct processors *list);

/* Reads /sys/devices/system/cpu/online. FACT_INVALID when it is empty. */
enum fact_status processors_online(const struct sysroot *root, struct processors *online);

#define PROCESSORS_ONLINE_FILE "/sys/devices/system/cpu/online"

/* Returns the mean frequency of the processors that show it: cpufreq's scaling_cur_freq, otherwise
   /proc/cpuinfo. NaN when none does. Sets *source to the source's name. */
double processors_frequency_hz(const struct sysroot *root, const char **source);

/* Reads the lines "cpu MHz" of /proc/cpuinfo into hertz[0..max), in Hz, indexed by processor
   number; NaN for a processor without such a line. */
void cpuinfo_frequencies(const struct sysroot *root, double hertz[], size_t max);

#endif
