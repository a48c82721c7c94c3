/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of hw/monitor share. */
#ifndef CUPEL_HW_MONITOR_INTERNAL_H
#define CUPEL_HW_MONITOR_INTERNAL_H

#include <stddef.h>
#include <time.h>

#include "hw/component/component.h"
#include "hw/monitor/load.h"
#include "hw/monitor/monitor.h"

/* ---- monitor_slow ---- */

/*
 * Temperatures, read by a thread of their own once a second: an NVMe drive's costs it a command,
 * and one that hangs would keep the reader waiting.
 *
 * Owner: monitor_slow_stop. When the thread hangs in a device its memory and files are left to the
 * system.
 */

#define MONITOR_SLOW_FILES 64

struct monitor_slow;

/* NULL when there is no memory for it. */
struct monitor_slow *monitor_slow_new(void);

/* Takes over `fd`, a file that holds thousandths of a degree. Returns its number, or -1. */
int monitor_slow_add(struct monitor_slow *slow, int fd);

/* The first values are there when it returns, unless a device keeps the thread waiting. */
void monitor_slow_start(struct monitor_slow *slow);

/* What was read last, degrees; NaN: nothing yet, or it could not be read. */
float monitor_slow_value(const struct monitor_slow *slow, int number);

void monitor_slow_stop(struct monitor_slow *slow);

/* ---- monitor_source ---- */

/*
 * One file that the monitor keeps open, and what becomes of its text.
 *
 * `previous` keeps the counters of the reading before, for the rates.
 */

#define MONITOR_SOURCES  128
#define MONITOR_COUNTERS 4
#define MONITOR_TEXT     ((size_t)128 << 10) /* of the largest file, /proc/stat of a large machine */
#define MONITOR_CORES    1024
#define MONITOR_WORKERS  256

enum monitor_source_kind {
    SOURCE_PROCESSORS,  /* /proc/stat: gauges of each watched core, then kernel of the others */
    SOURCE_BLOCK,       /* /sys/block/X/stat: busy, queue, read, write */
    SOURCE_BYTES,       /* a counter of bytes: one rate */
    SOURCE_PRESSURE,    /* /proc/pressure/memory: stalled */
    SOURCE_FREQUENCY,   /* scaling_cur_freq of one core, kHz; all of them share one gauge */
    SOURCE_TEMPERATURE, /* of struct monitor_slow: fd is the number there */
    SOURCE_EVENTS,      /* a counter of events; all of them share one gauge */
    SOURCE_COMPONENT,   /* of the user's: fd is its number among them */
};

struct monitor_source {
    enum monitor_source_kind kind;
    int fd;
    size_t gauge;
    double taken_seconds; /* NaN: never; `previous` holds nothing */
    double value;         /* of sources that share a gauge */
    uint64_t previous[MONITOR_COUNTERS];
};

/* The clock of a worker's processor time, on a watched core. */
struct monitor_worker {
    size_t place; /* of the core among those watched */
    clockid_t clock;
    double seconds; /* at the sample before; NaN: none, or the thread has gone */
};

/* Jiffies of each core at the sample before, which cores have a gauge of their own, and which are
   workers' and so no others. */
struct monitor_cores {
    int watched[MONITOR_GAUGES];
    size_t watched_count;
    bool of_worker[MONITOR_CORES];
    struct processor_time time[MONITOR_CORES];
    struct monitor_worker workers[MONITOR_WORKERS];
    size_t worker_count;
    size_t gauges_each; /* of a watched core */
};

/* Where the gauges of a watched core stand, after each other. */
enum { CORE_BUSY, CORE_INTERRUPTS, CORE_WORKERS };

/* ---- monitor_component.c ---- */

/* A component of the user's with a counter, by its number. */
struct monitor_component {
    double number, seconds; /* of the reading before; seconds 0: none */
    bool moved;             /* its number was not always the same */
    uint64_t readings;
    char fault[200]; /* the first one, ... */
    double fault_seconds;
};

/* Read it, if it is time to: changes its gauge, and that of its use after it where it has a limit.
   `now` is on the caller's clock. */
void monitor_component_take(struct monitor_component *state,
                            const struct component_sources *sources, size_t component,
                            struct gauge *gauge, double now);

/* Least time between two readings of that kind. */
double monitor_source_min_seconds(enum monitor_source_kind kind);
/* Do several sources of that kind share one gauge? Then their `value` is what changes. */
bool monitor_source_shares(enum monitor_source_kind kind);

/* The text of a source at that time: changes its gauge and those after it, or its value. */
void monitor_source_take(struct monitor_source *source, struct gauge *gauge, const char *text,
                         double now, struct monitor_cores *cores);

#endif
