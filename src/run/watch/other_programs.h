/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The load of other programs on the machine while a session measured: their share of the
 * processors, the hypervisor's time for other virtual machines, and their share of the bytes that
 * the target's device moved. A number measured beside them is one of a busy machine, however narrow
 * its interval.
 *
 * Processors: from before the first measured round to the end of the session (hw/monitor/load.h).
 * Device: the kernel's statistics of the whole disk that the target lies on, over the measured
 * rounds, less the session's own bytes; not known through the page cache, which hides whose
 * bytes they are, and where the target lies on no block device. Shares lie in the inventory's node
 * "load", in percent, so that a record holds them: processor_others, processor_stolen,
 * device_others.
 */
#ifndef CUPEL_RUN_WATCH_OTHER_PROGRAMS_H
#define CUPEL_RUN_WATCH_OTHER_PROGRAMS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/monitor/load.h"

/*
 * A machine is called busy when others had more than this share of any of the three. An I/O that
 * finds its processor or its device taken waits, and with a share f taken that is up to f of all
 * I/Os: at 5 % they can move the mean by half the width that the preset `normal` asks for, out of
 * the interval. An idle machine's own services stay below 2 %.
 */
#define OTHERS_BUSY 0.05

/* The device's counters around measured rounds. */
struct device_watch {
    int fd; /* of the disk's statistics; -1: not known */
    uint64_t before;
    double moved, own; /* bytes in measured rounds */
};

/* `device` as in struct target. */
void device_watch_open(struct device_watch *w, dev_t device);
void device_watch_begin(struct device_watch *w);
void device_watch_end(struct device_watch *w, double own_bytes);
void device_watch_close(struct device_watch *w);

/* Others' share of the bytes moved; NaN: not known. I/O past the block layer may be in no
   statistics (`bypasses`): all bytes that are counted are then others'. */
double device_watch_others(const struct device_watch *w, bool bypasses);

/* The processors, from a beginning to an end, of which this process has waited for its children. */
struct load_watch {
    const struct sysroot *root;
    struct load_sample before;
    double own_seconds; /* of processor time, by then */
};
void load_watch_begin(struct load_watch *w, const struct sysroot *root);

/* `device` is not known: a program's bytes are not told apart from those of others. */
struct result_others load_watch_end(const struct load_watch *w);

/* What nobody has watched. */
#define OTHERS_UNKNOWN                                                                             \
    (struct result_others)                                                                         \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }

/* From the facts of the node "load" to r->others and r->busy. */
void others_result(const struct inventory *hardware, struct result *r);

/* What makes the machine a busy one, for `busy` of a result; "" when nothing does. */
void others_words(const struct result_others *others, char *to, size_t size);

#endif
