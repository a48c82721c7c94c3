/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads clocks, power, temperatures and throttling of the processors from the kernel: once, or
   repeatedly while something else is measured. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/clock.h"
#include "base/file/file.h"
#include "base/thread.h"
#include "machine/processors/internal.h"

#define CPU_FOLDER      "%s/sys/devices/system/cpu"
#define POWERCAP_FOLDER "%s/sys/class/powercap"
#define HWMON_FOLDER    "%s/sys/class/hwmon"
#define ZONE_FOLDER     "%s/sys/class/thermal"
#define MICRO           1e-6

/* Reads a number from the file FOLDER/NAME/FILE; NAN: it cannot be read. */
static double number_in(const char *folder, const char *name, const char *file)
{
    char path[PATH_MAX], text[64], *end;
    if (!file_path(path, "%s/%s/%s", folder, name, file) ||
        !file_first_line(path, text, sizeof text))
        return NAN;
    const double number = strtod(text, &end);
    return end == text ? NAN : number;
}

static bool line_is(const char *folder, const char *name, const char *file, const char *begin)
{
    char path[PATH_MAX], text[64];
    return file_path(path, "%s/%s/%s", folder, name, file) &&
           file_first_line(path, text, sizeof text) && !strncmp(text, begin, strlen(begin));
}

/* Calls `each` for every name in a folder that begins with `begin`. */
static void each_name(const char *folder, const char *begin,
                      void (*each)(const char *folder, const char *name, struct processor_heat *h),
                      struct processor_heat *h)
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL)
        if (!strncmp(entry->d_name, begin, strlen(begin)))
            each(folder, entry->d_name, h);
    if (d)
        closedir(d);
}

/* ---- clocks ---- */

#if defined(__x86_64__)

/* Reads the base and the maximum clock, in MHz, from CPUID's leaf 0x16. */
static void clocks_of_cpuid(struct processor_clocks *c)
{
    unsigned base, most, bus, none;
    if (!__get_cpuid(0x16, &base, &most, &bus, &none))
        return;
    if (isnan(c->base) && (base & 0xffff)) {
        c->base = (base & 0xffff) * 1e6;
        c->base_of = "CPUID";
    }
    if (isnan(c->turbo) && (most & 0xffff))
        c->turbo = (most & 0xffff) * 1e6;
}

/* The TSC of servers counts at the base clock, or within a few percent of it. */
static void base_of_tsc(struct processor_clocks *c)
{
    struct clock clock;
    const unsigned milliseconds = 20;
    clock_calibrate(&clock, milliseconds, false);
    if (clock.counter) {
        c->base = (double)clock_ticks_of_ns(&clock, 1000000000);
        c->base_of = "TSC";
    }
}

#else

static void clocks_of_cpuid(struct processor_clocks *c)
{
    (void)c;
}

static void base_of_tsc(struct processor_clocks *c)
{
    (void)c;
}

#endif

struct processor_clocks processor_clocks_read(const char *root, int cpu)
{
    struct processor_clocks c = {NAN, NAN, ""};
    char folder[PATH_MAX], name[24];
    snprintf(name, sizeof name, "cpu%d", cpu);
    if (file_path(folder, CPU_FOLDER, root)) {
        c.base = number_in(folder, name, "cpufreq/base_frequency") * 1e3;
        c.base_of = "cpufreq";
        if (isnan(c.base)) {
            c.base = number_in(folder, name, "acpi_cppc/nominal_freq") * 1e6;
            c.base_of = "CPPC";
        }
        c.turbo = number_in(folder, name, "cpufreq/cpuinfo_max_freq") * 1e3;
    }
    if (isnan(c.base))
        c.base_of = "";
    if (!*root)
        clocks_of_cpuid(&c);
    if (!*root && isnan(c.base))
        base_of_tsc(&c);
    return c;
}

/* ---- heat ---- */

/* Adds a zone of powercap if it is a package. "intel-rapl:0" is a package, "intel-rapl:0:0" a part
   of one, and "intel-rapl-mmio:0" the same package again. */
static void add_zone(const char *folder, const char *name, struct processor_heat *h)
{
    const char *colon = strchr(name, ':');
    char path[PATH_MAX];
    if (!colon || strchr(colon + 1, ':') || strstr(name, "mmio") ||
        h->packages == PROCESSOR_PACKAGES_MAX || !line_is(folder, name, "name", "package-"))
        return;
    const double joules = number_in(folder, name, "energy_uj") * MICRO;
    if (isnan(joules)) {
        h->energy_denied |= file_path(path, "%s/%s/energy_uj", folder, name) &&
                            access(path, R_OK) && errno == EACCES;
        return;
    }
    const size_t i = h->packages++;
    h->package[i].joules = joules;
    h->package[i].range = number_in(folder, name, "max_energy_range_uj") * MICRO;
    h->package[i].limit = line_is(folder, name, "constraint_0_name", "long_term")
                              ? number_in(folder, name, "constraint_0_power_limit_uw") * MICRO
                              : NAN;
}

static void add_sensor(const char *folder, const char *name, struct processor_heat *h)
{
    static const char *const drivers[] = {"coretemp",    "k10temp",     "zenpower",
                                          "cpu_thermal", "cpu-thermal", "scpi_sensors"};
    const int sensors_max = 130; /* maximum number of sensors of one driver */
    bool ours = false;
    char file[32];
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        ours |= line_is(folder, name, "name", drivers[i]);
    for (int i = 1; ours && i <= sensors_max; i++) {
        snprintf(file, sizeof file, "temp%d_input", i);
        h->celsius = fmax(h->celsius, number_in(folder, name, file) / 1000);
    }
}

static void add_thermal_zone(const char *folder, const char *name, struct processor_heat *h)
{
    if (line_is(folder, name, "type", "x86_pkg_temp") || line_is(folder, name, "type", "cpu"))
        h->celsius = fmax(h->celsius, number_in(folder, name, "temp") / 1000);
}

static void add_count(const char *folder, const char *name, const char *file, uint64_t *sum,
                      bool *known)
{
    const double count = number_in(folder, name, file);
    if (!(count >= 0))
        return;
    *sum += (uint64_t)count;
    *known = true;
}

static void add_throttling(const char *folder, const char *name, struct processor_heat *h)
{
    if (name[3] < '0' || name[3] > '9')
        return;
    add_count(folder, name, "thermal_throttle/core_throttle_count", &h->throttled_by_heat,
              &h->counts_heat);
    add_count(folder, name, "thermal_throttle/package_throttle_count", &h->throttled_by_heat,
              &h->counts_heat);
    add_count(folder, name, "thermal_throttle/core_power_limit_count", &h->throttled_by_power,
              &h->counts_power);
    add_count(folder, name, "thermal_throttle/package_power_limit_count", &h->throttled_by_power,
              &h->counts_power);
}

void processor_heat_read(const char *root, struct processor_heat *h)
{
    char folder[PATH_MAX];
    *h = (struct processor_heat){.celsius = NAN};
    if (file_path(folder, POWERCAP_FOLDER, root))
        each_name(folder, "", add_zone, h);
    if (file_path(folder, HWMON_FOLDER, root))
        each_name(folder, "hwmon", add_sensor, h);
    if (isnan(h->celsius) && file_path(folder, ZONE_FOLDER, root))
        each_name(folder, "thermal_zone", add_thermal_zone, h);
    if (file_path(folder, CPU_FOLDER, root))
        each_name(folder, "cpu", add_throttling, h);
}

double processor_watts(const struct processor_heat *before, const struct processor_heat *after,
                       double seconds)
{
    double joules = 0;
    if (!after->packages || after->packages != before->packages || !(seconds > 0))
        return NAN;
    for (size_t i = 0; i < after->packages; i++) {
        double used = after->package[i].joules - before->package[i].joules;
        if (used < 0)
            used += after->package[i].range;
        joules += used;
    }
    return joules >= 0 ? joules / seconds : NAN;
}

double processor_watts_limit(const struct processor_heat *heat)
{
    double watts = 0;
    for (size_t i = 0; i < heat->packages; i++)
        watts += heat->package[i].limit; /* one limit that is not known (NAN) makes the sum NAN */
    return heat->packages && watts > 0 ? watts : NAN;
}

/* ---- the watch ---- */

#define FIRST_STEP 0.5 /* seconds between two samples; doubled when the history is full */

struct heat_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool over;
    const char *root;
    struct processor_heat first, last;
    double begin, last_seconds, step;
    struct heat_history *history;
};

/* Joins every two neighbouring samples to one. */
static void halve(struct heat_watch *w)
{
    struct heat_history *h = w->history;
    for (size_t i = 0; i < h->count / 2; i++) {
        const struct heat_sample *a = &h->samples[2 * i], *b = &h->samples[2 * i + 1];
        h->samples[i] = (struct heat_sample){b->seconds, (a->watts + b->watts) / 2,
                                             fmax(a->celsius, b->celsius)};
    }
    h->count /= 2;
    w->step *= 2;
}

static void take_sample(struct heat_watch *w)
{
    struct processor_heat now;
    const double seconds = seconds_of_clock(CLOCK_MONOTONIC) - w->begin;
    processor_heat_read(w->root, &now);
    if (w->history->count == HEAT_SAMPLES_MAX)
        halve(w);
    w->history->samples[w->history->count++] = (struct heat_sample){
        seconds, processor_watts(&w->last, &now, seconds - w->last_seconds), now.celsius};
    w->last = now;
    w->last_seconds = seconds;
}

static void *watch(void *argument)
{
    struct heat_watch *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const double at = (double)until.tv_sec + (double)until.tv_nsec * 1e-9 + w->step;
        until = (struct timespec){(time_t)at, (long)((at - floor(at)) * 1e9)};
        if (pthread_cond_timedwait(&w->end, &w->lock, &until) == ETIMEDOUT)
            take_sample(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void release(struct heat_watch *w)
{
    pthread_cond_destroy(&w->end);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct heat_watch *heat_watch_begin(const char *root, struct heat_history *history)
{
    struct heat_watch *w = calloc(1, sizeof *w);
    *history = (struct heat_history){.watts = NAN, .celsius = NAN, .watts_limit = NAN};
    if (!w)
        return NULL;
    w->root = root;
    w->history = history;
    w->step = FIRST_STEP;
    w->begin = seconds_of_clock(CLOCK_MONOTONIC);
    processor_heat_read(root, &w->first);
    w->last = w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->end, &clock);
    pthread_condattr_destroy(&clock);
    if (thread_start(&w->thread, 0, watch, w)) {
        release(w);
        return NULL;
    }
    return w;
}

void heat_watch_end(struct heat_watch *w)
{
    if (!w)
        return;
    struct heat_history *h = w->history;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->end);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    take_sample(w);
    h->watts = processor_watts(&w->first, &w->last, w->last_seconds);
    h->watts_limit = processor_watts_limit(&w->last);
    for (size_t i = 0; i < h->count; i++)
        h->celsius = fmax(h->celsius, h->samples[i].celsius);
    h->counts = w->last.counts_heat;
    h->by_heat = w->last.throttled_by_heat - w->first.throttled_by_heat;
    h->by_power = w->last.throttled_by_power - w->first.throttled_by_power;
    h->energy_denied = w->last.energy_denied;
    release(w);
}
