/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/monitor share. */
#ifndef CUPEL_HW_MONITOR_INTERNAL_H
#define CUPEL_HW_MONITOR_INTERNAL_H

#include <stddef.h>
#include <time.h>

#include "hw/component/component.h"
#include "hw/monitor/machine_load.h"
#include "hw/monitor/monitor.h"

/* ---- monitor_slow ---- */

/*
 * Temperatures, which a separate thread reads once a second. For the temperature of an NVMe drive,
 * the kernel sends the drive a command, and a drive that hangs would block the reader.
 *
 * The caller ends it with monitor_slow_stop. If the thread hangs in a device, its memory and files
 * are not freed.
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
/* size of a buffer for the largest file, a large /proc/stat */
#define MONITOR_TEXT    ((size_t)128 << 10)
#define MONITOR_CORES   1024
#define MONITOR_WORKERS 256

enum monitor_source_kind {
    /* /proc/stat: sets the gauges of each watched core, then the gauge `kernel` of the others */
    SOURCE_PROCESSORS,
    SOURCE_BLOCK,       /* /sys/block/X/stat: sets the gauges busy, queue, read, write */
    SOURCE_BYTES,       /* a counter of bytes, whose gauge is a rate in bytes/s */
    SOURCE_PRESSURE,    /* /proc/pressure/memory: sets the gauge stalled */
    SOURCE_FREQUENCY,   /* scaling_cur_freq of one core, in kHz; all such sources share one gauge */
    SOURCE_TEMPERATURE, /* read by struct monitor_slow; fd is the file's number there */
    SOURCE_EVENTS,      /* a counter of events; all such sources share one gauge */
    SOURCE_COMPONENT,   /* a component of the user; fd is its number */
};

struct monitor_source {
    enum monitor_source_kind kind;
    int fd;
    size_t gauge;
    double taken_seconds; /* time of the last reading; NaN: none, and `previous` holds nothing */
    double value;         /* last value, for sources that share a gauge */
    uint64_t previous[MONITOR_COUNTERS];
};

/* A worker's thread that runs on a watched core, and the clock of its processor time. */
struct monitor_worker {
    size_t place; /* index of its core among the watched ones */
    clockid_t clock;
    double seconds; /* clock at the previous sample; NaN: none, or the thread has ended */
};

/* Processor cores: their jiffies at the previous sample, which cores have gauges, and which cores
   run a worker. Cores of workers are left out of the gauge for the other cores. */
struct monitor_cores {
    int watched[MONITOR_GAUGES];
    size_t watched_count;
    bool of_worker[MONITOR_CORES];
    struct processor_time time[MONITOR_CORES];
    struct monitor_worker workers[MONITOR_WORKERS];
    size_t worker_count;
    size_t gauges_each; /* number of gauges of each watched core */
};

/* Order of the gauges of each watched core. */
enum { CORE_BUSY, CORE_INTERRUPTS, CORE_WORKERS };

/* ---- monitor_component.c ---- */

/* State of a user's component with a counter, indexed by its number. */
struct monitor_component {
    double number, seconds; /* previous reading; seconds 0: none */
    bool moved;             /* the number has changed at least once */
    uint64_t readings;
    char fault[200]; /* text of the first fault of the counter; "": none */
    double fault_seconds;
};

/* Reads the component if it is due, and sets its gauge. If it has a limit, also sets the next
   gauge, which is the used share of that limit. `now` is the time on the caller's clock. */
void monitor_component_take(struct monitor_component *state,
                            const struct component_sources *sources, size_t component,
                            struct gauge *gauge, double now);

/* Properties of a kind of source, indexed by enum monitor_source_kind. */
struct monitor_source_row {
    double min_seconds; /* minimum time between two readings */
    bool shares;        /* several sources share one gauge: only their `value` is set */
};
extern const struct monitor_source_row monitor_source_rows[];

/* Interprets the text of a source that was read at `now`: sets its gauge and those after it, or its
   value. */
void monitor_source_take(struct monitor_source *source, struct gauge *gauge, const char *text,
                         double now, struct monitor_cores *cores);

#endif
