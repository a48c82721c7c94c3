/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/monitor share. */
#ifndef CUPEL_HW_MONITOR_INTERNAL_H
#define CUPEL_HW_MONITOR_INTERNAL_H

#include <stddef.h>
#include <time.h>

#include "hw/component/component.h"
#include "hw/monitor/load.h"
#include "hw/monitor/monitor.h"

/* ---- monitor_slow ---- */

/*
 * Temperatures, read once a second by a thread of their own: reading an NVMe drive's costs it a
 * command, and a drive that hangs would block the reader.
 *
 * Owner: monitor_slow_stop. If the thread hangs in a device, its memory and files are not freed.
 */

#define MONITOR_SLOW_FILES 64

struct monitor_slow;

/* ---- monitor_source ---- */

/*
 * One file that the monitor keeps open, and how its text is interpreted.
 *
 * `previous` holds the counters of the previous reading, for rates.
 */

#define MONITOR_SOURCES  128
#define MONITOR_COUNTERS 4
#define MONITOR_TEXT     ((size_t)128 << 10) /* bytes for the largest file, a large /proc/stat */
#define MONITOR_CORES    1024
#define MONITOR_WORKERS  256

enum monitor_source_kind {
    SOURCE_PROCESSORS,  /* /proc/stat: gauges of each watched core, then `kernel` of the others */
    SOURCE_BLOCK,       /* /sys/block/X/stat: busy, queue, read, write */
    SOURCE_BYTES,       /* a counter of bytes: one rate */
    SOURCE_PRESSURE,    /* /proc/pressure/memory: stalled */
    SOURCE_FREQUENCY,   /* scaling_cur_freq of one core, kHz; all such sources share one gauge */
    SOURCE_TEMPERATURE, /* in struct monitor_slow; fd is its index there */
    SOURCE_EVENTS,      /* a counter of events; all such sources share one gauge */
    SOURCE_COMPONENT,   /* a component of the user's: fd is its number */
};

struct monitor_source {
    enum monitor_source_kind kind;
    int fd;
    size_t gauge;
    double taken_seconds; /* NaN: never; `previous` holds nothing */
    double value;         /* for sources that share a gauge */
    uint64_t previous[MONITOR_COUNTERS];
};

/* The clock of a worker's processor time, on a watched core. */
struct monitor_worker {
    size_t place; /* index of the core among those watched */
    clockid_t clock;
    double seconds; /* at the previous sample; NaN: none, or the thread has ended */
};

/* For each core: the jiffies at the previous sample, whether it has gauges of its own, and whether
   it is a worker's, which is left out of the others. */
struct monitor_cores {
    int watched[MONITOR_GAUGES];
    size_t watched_count;
    bool of_worker[MONITOR_CORES];
    struct processor_time time[MONITOR_CORES];
    struct monitor_worker workers[MONITOR_WORKERS];
    size_t worker_count;
    size_t gauges_each; /* number of gauges of a watched core */
};

/* Order of the gauges of a watched core. */
enum { CORE_BUSY, CORE_INTERRUPTS, CORE_WORKERS };

/* ---- monitor_component.c ---- */

/* State of a component of the user's with a counter, indexed by its number. */
struct monitor_component {
    double number, seconds; /* the previous reading; seconds 0: none */
    bool moved;             /* its number has changed at least once */
    uint64_t readings;
    char fault[200]; /* the first problem */
    double fault_seconds;
};

/* Read the component if its time has come: sets its gauge, and the gauge of its use after it if it
   has a limit. `now` is on the caller's clock. */
void monitor_component_take(struct monitor_component *state,
                            const struct component_sources *sources, size_t component,
                            struct gauge *gauge, double now);

/* Facts about a kind of source, by enum monitor_source_kind. */
struct monitor_source_row {
    double min_seconds; /* least time between two readings */
    bool shares;        /* several sources share one gauge: only their `value` is set */
};
extern const struct monitor_source_row monitor_source_rows[];

/* Interprets the text of a source at that time: sets its gauge and those after it, or its value. */
void monitor_source_take(struct monitor_source *source, struct gauge *gauge, const char *text,
                         double now, struct monitor_cores *cores);

#endif
