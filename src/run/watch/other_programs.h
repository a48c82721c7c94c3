/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The load of other programs on the machine while a session measured: their share of the
 * processors, the hypervisor's time for other virtual machines, and their share of the bytes that
 * the target's device moved. A number measured beside them describes a busy machine, no matter how
 * narrow its interval is.
 *
 * The processors are watched from before the first measured round to the end of the session
 * (hw/monitor/machine_load.h). The device's load comes from the kernel's statistics of the target's
 * whole disk over the measured rounds, minus the session's own bytes. It is not known for I/O
 * through the page cache, which hides whose bytes they are, or without a block device. The shares
 * are in percent in the inventory's node "load", so that a record holds them: processor_others,
 * processor_stolen, device_others.
 */
#ifndef CUPEL_RUN_WATCH_OTHER_PROGRAMS_H
#define CUPEL_RUN_WATCH_OTHER_PROGRAMS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/monitor/machine_load.h"

/*
 * A machine is busy if others had more than this share of any of the three quantities above. An I/O
 * waits if its processor or its device is in use, and if others use a share f, up to f of all I/Os
 * wait: at 5 % they can move the mean by half the width that the preset `normal` requests, out of
 * the interval. The services of an idle machine use less than 2 %.
 */
#define OTHERS_BUSY 0.05

/* The device's byte counters over the measured rounds. */
struct device_watch {
    int fd; /* the disk's statistics; -1: not known */
    uint64_t before;
    /* bytes in measured rounds: those of the device, and those of this session */
    double moved, own;
};

/* Opens the statistics of `device`, a number as in struct target. */
void device_watch_open(struct device_watch *w, dev_t device);
void device_watch_begin(struct device_watch *w);
void device_watch_end(struct device_watch *w, double own_bytes);
void device_watch_close(struct device_watch *w);

/* Returns the others' share of the bytes moved; NaN: not known. `bypasses`: the statistics may not
   count I/O that bypasses the block layer; then all counted bytes are those of others. */
double device_watch_others(const struct device_watch *w, bool bypasses);

/* The load of the processors between two times. Child processes count if this process has waited
   for them. */
struct load_watch {
    const struct sysroot *root;
    struct load_sample before;
    double own_seconds; /* processor time of this process up to the first time */
};
void load_watch_begin(struct load_watch *w, const struct sysroot *root);

/* Returns the load since the begin. The share of `device` is not known, because bytes of this
   program are not separated from those of others. */
struct result_others load_watch_end(const struct load_watch *w);

/* The value if nothing was watched. */
#define OTHERS_UNKNOWN                                                                             \
    (struct result_others)                                                                         \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }

/* Copies the facts of the node "load" to r->others and r->busy. */
void others_result(const struct inventory *hardware, struct result *r);

/* Describes why the machine is busy, for `busy` of a result; "" if it is not. */
void others_words(const struct result_others *others, char *to, size_t size);

#endif
