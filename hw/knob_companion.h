/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Companions: settings that nobody asked to change, but that the kernel resets along with one that
 * is changed. A new I/O scheduler begins with the requests and tunables of its own choice, also
 * when it is the old one that comes back; a governor with its tunables, and some drivers choose
 * another energy preference with it.
 *
 * Their values are saved before the change and written back after it is undone, where they differ.
 * What holds no single word, or cannot be read, is no setting but a command or a statistic, or is
 * not in use, and is left out.
 */
#ifndef CUPEL_HW_KNOB_COMPANION_H
#define CUPEL_HW_KNOB_COMPANION_H

#include "hw/knob.h"

/* Append to k->companions those of a disk ("nvme0n1"), whose scheduler is about to change: they go
   with the last of k->changes. ERR_MACHINE: no memory. */
int companions_of_scheduler(struct knobs *k, const char *disk, struct err *e);

/* The same for the policy in this folder of cpufreq, whose governor is now `governor`. */
int companions_of_governor(struct knobs *k, const char *policy, const char *governor,
                           struct err *e);

#endif
