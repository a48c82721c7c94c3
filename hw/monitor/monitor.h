/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The monitor: dynamic probers (Li et al., Pilot (2016), III-B). It reads, many times a second
 * while a run measures, how busy the components of the data path and the processors are, and their
 * state.
 *
 * Everything is opened once and read again with pread; nothing is allocated after monitor_open. One
 * thread; temperatures are read by another one, because a device that hangs does not answer. A file
 * that cannot be read has a gauge with NaN values, or no gauge if it never existed. A file with
 * coarse counters (processor time has steps of 10 ms), or one that is expensive to read (another
 * core's frequency causes an interrupt there, a drive's temperature a command), is read less often
 * than the others; its gauges keep their values meanwhile.
 *
 * The statistics of a disk do not include passthrough, unless its queue/iostats_passthrough is on.
 * If the I/O bypasses the block layer, the target's disk only has gauges of bytes, and the caller
 * reports their values (monitor_report).
 *
 *   node                key           unit     value
 *   a core              busy          share    processor time used, of the first workers' cores and
 *                                              of those that serve the path's interrupts
 *   a core              interrupts    share    the part of it that serves interrupts
 *   a core              workers       share    the part of it that the workers' threads use, if
 *                                              their clocks are given
 *   "cpu"               kernel        share    kernel time of the core with the most of it, among
 *                                              the cores without workers
 *   "cpu"               frequency     Hz       of workers' cores: lowest, mean, highest
 *   a disk              busy          share    time with I/O in flight (io_ticks)
 *   a disk              queue         1        mean number of I/Os in flight
 *   a disk, interface   read, write   bytes/s  from it and to it (received, sent)
 *   "memory"            stalled       share    time that some task waited for memory (PSI)
 *   a sensor's node     temperature   C        of target disks and processors
 *   "cpu"               throttled     1/s      thermal throttle events of workers' cores
 *   a user's component  rate, level   its own  as its counter says
 *   a user's component  use           share    the same over its limit
 */
#ifndef CUPEL_HW_MONITOR_MONITOR_H
#define CUPEL_HW_MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "hw/component/component.h"
#include "hw/path/data_path.h"

#define MONITOR_GAUGES 256
struct gauge {
    int node; /* in the inventory; INVENTORY_NONE: the name says what it belongs to */
    char name[48];
    char key[16];
    char unit[12];
    double limit;            /* limit of the value, from the inventory (for a temperature); NaN: no
                                limit */
    double low, value, high; /* values at the last sample, over the parts that the gauge sums up;
                                rates since the previous sample. NaN: not known */
};

struct monitor_source; /* one open file and what to do with its text */
struct monitor_cores;
struct monitor_component;
struct monitor_slow; /* a thread that reads temperatures */

struct monitor {
    struct gauge gauges[MONITOR_GAUGES];
    size_t gauge_count, left_out;   /* disks, interfaces, sensors ... for which there was no room */
    struct monitor_source *sources; /* in the arena */
    size_t source_count;
    struct monitor_cores *cores;
    struct monitor_slow *slow;
    char *text;             /* text of the file that is being read */
    bool has_reported_disk; /* the caller reports the bytes of one disk */
    size_t reported_gauge;  /* the gauge of that disk's reads; the gauge of its writes follows */
    const struct component_sources *component_sources; /* or NULL */
    struct monitor_component *components;              /* in the arena, indexed by their numbers */
};

struct monitor_request {
    const struct sysroot *root;
    const struct inventory *inventory;
    const struct data_path *path;
    const int *worker_cpus;
    size_t worker_count;
    bool past_block_layer;          /* the I/O is passthrough */
    const clockid_t *worker_clocks; /* clocks of the threads' processor time, worker_count of them;
                                       NULL: none */
    const struct component_sources *components; /* the user's, open until monitor_close; or NULL */
};

size_t monitor_bytes(void);
int monitor_open(struct monitor *m, const struct monitor_request *request, struct arena *arena,
                 struct err *e);

/* Read everything; `seconds` is the present time on any clock that does not stop. After the first
   call rates are still NaN. */
void monitor_sample(struct monitor *m, double seconds);

/* Did any gauge of the machine have a value at the last sample? The workers' own processor time
   does not count. */
bool monitor_sees(const struct monitor *m);

/* Report the present rate of the target's disk, in bytes/s. Does nothing when m->has_reported_disk
   is false. */
void monitor_report(struct monitor *m, double read, double write);

/* Forget all readings: the next sample reads every file, and counts as the first. */
void monitor_restart(struct monitor *m);

/* Describes what is wrong with the counter of a user's component: it cannot be read, or does not
   count. False: nothing is wrong. *seconds is when that was first seen; NaN: all the time. */
bool monitor_component_fault(const struct monitor *m, size_t component, double *seconds, char *text,
                             size_t size);

/* Is a chip of that name (libsensors) a sensor of the processor? */
bool monitor_senses_processor(const char *chip);

void monitor_close(struct monitor *m);

#endif
