/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The monitor: dynamic probers (Li et al., Pilot (2016), III-B). Many times a second while a run
 * measures, it reads the state of the processors and of the components of the data path, and how
 * busy they are.
 *
 * Everything is opened once and read again with pread; nothing is allocated after monitor_open. One
 * thread uses it; another one reads temperatures, because a device that hangs does not answer. A
 * file that cannot be read has a gauge with NaN values, or no gauge if it never existed. Some files
 * are read less often than the others: those with coarse counters (processor time has steps of 10
 * ms), and those that are expensive to read (another core's frequency causes an interrupt there, a
 * drive's temperature a command). Their gauges keep their values meanwhile.
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
 *   a user's component  rate, level   its own  the growth or the value of its number
 *   a user's component  use           share    that rate or level over its limit
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
    int node; /* node in the inventory; INVENTORY_NONE: `name` says what the gauge belongs to */
    char name[48];
    char key[16];
    char unit[12];
    double limit; /* for a temperature, its limit in the inventory; NaN: none */
    /* values at the last sample, over the parts that the gauge combines; rates since the previous
       sample. NaN: not known */
    double low, value, high;
};

struct monitor_source; /* an open file and how its text is interpreted */
struct monitor_cores;
struct monitor_component;
struct monitor_slow; /* the thread that reads temperatures */

struct monitor {
    struct gauge gauges[MONITOR_GAUGES];
    /* `left_out`: number of disks, interfaces, sensors ... that have no gauge, because all are in
       use */
    size_t gauge_count, left_out;
    struct monitor_source *sources; /* in the arena */
    size_t source_count;
    struct monitor_cores *cores;
    struct monitor_slow *slow;
    char *text;             /* text of the file that is being read */
    bool has_reported_disk; /* the caller reports the bytes of one disk */
    /* number of the gauge of that disk's reads; the gauge of its writes follows */
    size_t reported_gauge;
    const struct component_sources *component_sources; /* or NULL */
    struct monitor_component *components;              /* [number of components], in the arena */
};

struct monitor_request {
    const struct sysroot *root;
    const struct inventory *inventory;
    const struct data_path *path;
    const int *worker_cpus;
    size_t worker_count;
    bool past_block_layer; /* the I/O is passthrough, which bypasses the block layer */
    /* [worker_count], clocks of the threads' processor time; NULL: none */
    const clockid_t *worker_clocks;
    /* the user's components, open until monitor_close; or NULL */
    const struct component_sources *components;
};

size_t monitor_bytes(void);
int monitor_open(struct monitor *m, const struct monitor_request *request, struct arena *arena,
                 struct err *e);

/* Reads everything. `seconds` is the present time on any clock that does not stop. After the first
   call rates are still NaN. */
void monitor_sample(struct monitor *m, double seconds);

/* Returns true if any gauge of the machine had a value at the last sample. The workers' own
   processor time does not count. */
bool monitor_sees(const struct monitor *m);

/* Reports the present rates of the target's disk, in bytes/s. Does nothing when
   m->has_reported_disk is false. */
void monitor_report(struct monitor *m, double read, double write);

/* Forgets all readings: the next sample reads every file, and counts as the first. */
void monitor_restart(struct monitor *m);

/* Describes a fault of the counter of a user's component: it cannot be read, or does not count.
   Returns false if there is none. *seconds is when the fault was first seen; NaN: from the
   beginning. */
bool monitor_component_fault(const struct monitor *m, size_t component, double *seconds, char *text,
                             size_t size);

/* Returns true if a chip of that name (libsensors) is a sensor of the processor. */
bool monitor_senses_processor(const char *chip);

void monitor_close(struct monitor *m);

#endif
