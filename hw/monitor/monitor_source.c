/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the values of gauges from the text of a watched file. */
#include "hw/monitor/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "hw/monitor/machine_load.h"

#define SECTOR 512.0

static void set_gauge(struct gauge *g, double value)
{
    g->low = g->value = g->high = value;
}

/* Returns the growth per second; NaN for a counter that ran backwards or has no previous value. */
static double rate(uint64_t before, uint64_t now, double seconds)
{
    return seconds > 0 && now >= before ? (double)(now - before) / seconds : (double)NAN;
}

/* ---- /proc/stat ---- */

static double share_of(uint64_t before, uint64_t now, double total)
{
    return now >= before ? fmin((double)(now - before) / total, 1) : (double)NAN;
}

struct core_shares {
    /* shares of the core's time; NaN: no jiffy has passed, or it is the first sample */
    double busy, interrupts, kernel;
};

/* Returns how a core spent the time since the previous reading. Stolen time counts as busy, because
   the core had work. */
static struct core_shares core_shares(struct processor_time *before,
                                      const struct processor_time *now)
{
    struct core_shares shares = {NAN, NAN, NAN};
    if (before->total && now->total > before->total) {
        double total = (double)(now->total - before->total);
        shares.busy = share_of(before->busy + before->stolen, now->busy + now->stolen, total);
        shares.interrupts = share_of(before->interrupts, now->interrupts, total);
        shares.kernel = share_of(before->kernel, now->kernel, total);
    }
    *before = *now;
    return shares;
}

/* Sets the workers' share of `seconds` on each watched core. */
static void take_workers(struct gauge *g, double seconds, struct monitor_cores *cores)
{
    double used[MONITOR_GAUGES] = {0};
    for (size_t i = 0; i < cores->worker_count; i++) {
        struct monitor_worker *w = &cores->workers[i];
        struct timespec t;
        double now = NAN;
        if (!clock_gettime(w->clock, &t))
            now = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
        used[w->place] += (now - w->seconds) / seconds;
        w->seconds = now;
    }
    for (size_t i = 0; i < cores->watched_count; i++)
        set_gauge(&g[cores->gauges_each * i + CORE_WORKERS], used[i]);
}

/* Sets the gauges of each watched core, then the gauge for the other cores. */
static void take_processors(struct gauge *g, const char *text, double seconds,
                            struct monitor_cores *cores)
{
    struct gauge *others = &g[cores->gauges_each * cores->watched_count];
    double max = NAN;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        struct processor_time time;
        line += *line == '\n';
        if (strncmp(line, "cpu", 3) != 0)
            break;
        if (line[3] == ' ') /* skips the line of all cores together */
            continue;
        char *end;
        unsigned long core = strtoul(line + 3, &end, 10);
        if (core >= MONITOR_CORES || !processor_time_scan(end, &time))
            continue;
        struct core_shares shares = core_shares(&cores->time[core], &time);
        size_t place = 0;
        while (place < cores->watched_count && (unsigned long)cores->watched[place] != core)
            place++;
        if (place < cores->watched_count && !isnan(shares.busy)) {
            set_gauge(&g[cores->gauges_each * place + CORE_BUSY], shares.busy);
            set_gauge(&g[cores->gauges_each * place + CORE_INTERRUPTS], shares.interrupts);
        }
        if (place == cores->watched_count && !cores->of_worker[core])
            max = fmax(max, shares.kernel);
    }
    if (!isnan(max))
        set_gauge(others, max);
    if (cores->gauges_each > CORE_WORKERS)
        take_workers(g, seconds, cores);
}

/* ---- the other files ---- */

/* Columns of Documentation/block/stat: read I/Os, merges, sectors, ticks; the same for writes; in
   flight, io_ticks, time in queue. Ticks are ms. */
enum { READ_SECTORS = 2, WRITE_SECTORS = 6, IO_TICKS = 9, TIME_IN_QUEUE = 10, BLOCK_COLUMNS = 11 };

static void take_block(struct monitor_source *s, struct gauge *g, const char *text, double seconds)
{
    uint64_t v[BLOCK_COLUMNS];
    if (number_scan_whole(&text, v, BLOCK_COLUMNS) < BLOCK_COLUMNS) {
        for (int i = 0; i < 4; i++)
            set_gauge(&g[i], NAN);
        return;
    }
    const uint64_t now[] = {v[IO_TICKS], v[TIME_IN_QUEUE], v[READ_SECTORS], v[WRITE_SECTORS]};
    const double scale[] = {1e-3, 1e-3, SECTOR, SECTOR};
    for (int i = 0; i < 4; i++) {
        double value = rate(s->previous[i], now[i], seconds) * scale[i];
        s->previous[i] = now[i];
        set_gauge(&g[i], i == 0 ? fmin(value, 1) : value);
    }
}

static double take_counter(struct monitor_source *s, const char *text, double seconds)
{
    uint64_t now;
    if (number_scan_whole(&text, &now, 1) != 1)
        return NAN;
    double value = rate(s->previous[0], now, seconds);
    s->previous[0] = now;
    return value;
}

/* Reads a line such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234", in microseconds. */
static double take_pressure(struct monitor_source *s, const char *text, double seconds)
{
    const char *total = strstr(text, "total=");
    return total ? fmin(take_counter(s, total + 6, seconds) * 1e-6, 1) : (double)NAN;
}

static double parse_level(const char *text, double scale)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && isfinite(value) ? value * scale : (double)NAN;
}

/* ---- the kinds ---- */

/* /proc/stat counts in units of 10 ms and io_ticks in jiffies: over a shorter time their shares
   would be mostly rounding errors. Reading a core's frequency interrupts that core. */
const struct monitor_source_row monitor_source_rows[] = {
    [SOURCE_PROCESSORS] = {0.25, false}, [SOURCE_BLOCK] = {0.1, false},
    [SOURCE_BYTES] = {0, false},         [SOURCE_PRESSURE] = {0, false},
    [SOURCE_FREQUENCY] = {0.25, true},   [SOURCE_TEMPERATURE] = {0, false},
    [SOURCE_EVENTS] = {1, true},         [SOURCE_COMPONENT] = {0, false},
};

void monitor_source_take(struct monitor_source *s, struct gauge *g, const char *text, double now,
                         struct monitor_cores *cores)
{
    /* NaN at the first reading, so that all rates are NaN too */
    double seconds = now - s->taken_seconds;
    switch (s->kind) {
    case SOURCE_PROCESSORS:
        take_processors(g, text, seconds, cores);
        break;
    case SOURCE_BLOCK:
        take_block(s, g, text, seconds);
        break;
    case SOURCE_BYTES:
        set_gauge(g, take_counter(s, text, seconds));
        break;
    case SOURCE_PRESSURE:
        set_gauge(g, take_pressure(s, text, seconds));
        break;
    case SOURCE_FREQUENCY:
        s->value = parse_level(text, 1e3);
        break;
    case SOURCE_TEMPERATURE: /* These kinds have no text: monitor_sample sets their values. */
    case SOURCE_COMPONENT:
        break;
    case SOURCE_EVENTS:
        s->value = take_counter(s, text, seconds);
        break;
    }
    s->taken_seconds = now;
}
