/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file that the monitor keeps open, and what becomes of its text. Private to hw/monitor*.c.
 *
 * `previous` keeps the counters of the reading before, for the rates.
 */
#ifndef CUPEL_HW_MONITOR_SOURCE_H
#define CUPEL_HW_MONITOR_SOURCE_H

#include "hw/load.h"
#include "hw/monitor.h"

#define MONITOR_SOURCES  128
#define MONITOR_COUNTERS 4
#define MONITOR_TEXT     ((size_t)128 << 10) /* of the largest file, /proc/stat of a large machine */
#define MONITOR_CORES    1024

enum monitor_source_kind {
    SOURCE_PROCESSORS,  /* /proc/stat: busy of each watched core, then kernel of the others */
    SOURCE_BLOCK,       /* /sys/block/X/stat: busy, queue, read, write */
    SOURCE_BYTES,       /* a counter of bytes: one rate */
    SOURCE_PRESSURE,    /* /proc/pressure/memory: stalled */
    SOURCE_FREQUENCY,   /* scaling_cur_freq of one core, kHz; all of them share one gauge */
    SOURCE_TEMPERATURE, /* of struct monitor_slow: fd is the number there */
    SOURCE_EVENTS,      /* a counter of events; all of them share one gauge */
};

struct monitor_source {
    enum monitor_source_kind kind;
    int fd;
    size_t gauge;
    double taken_seconds; /* NaN: never; `previous` holds nothing */
    double value;         /* of sources that share a gauge */
    uint64_t previous[MONITOR_COUNTERS];
};

/* Jiffies of each core at the sample before, which cores have a gauge of their own, and which are
   workers' and so no others. */
struct monitor_cores {
    int watched[MONITOR_GAUGES];
    size_t watched_count;
    bool of_worker[MONITOR_CORES];
    struct processor_time time[MONITOR_CORES];
};

/* Least time between two readings of that kind. */
double monitor_source_least_seconds(enum monitor_source_kind kind);
/* Do several sources of that kind share one gauge? Then their `value` is what changes. */
bool monitor_source_shares(enum monitor_source_kind kind);

/* The text of a source at that time: changes its gauge and those behind it, or its value. */
void monitor_source_take(struct monitor_source *source, struct gauge *gauge, const char *text,
                         double now, struct monitor_cores *cores);

#endif
