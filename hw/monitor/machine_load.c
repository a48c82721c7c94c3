/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the load of the machine from two samples of /proc. */
#include "hw/monitor/machine_load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number_parse.h"
#include "hw/machine/cpu_list.h"

#define STAT_FILE "/proc/stat"
#define LOAD_FILE "/proc/loadavg"

bool processor_time_scan(const char *columns, struct processor_time *time)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };
    uint64_t v[COLUMNS] = {0};
    if (number_scan_whole(&columns, v, COLUMNS) <= IDLE)
        return false;
    time->busy = v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ];
    time->kernel = v[SYSTEM] + v[IRQ] + v[SOFTIRQ];
    time->interrupts = v[IRQ] + v[SOFTIRQ];
    time->stolen = v[STEAL];
    time->total = time->busy + time->stolen + v[IDLE] + v[IOWAIT];
    return true;
}

static void scan_counter(const char *text, uint64_t *counter)
{
    number_scan_whole(&text, counter, 1);
}

static bool scan_stat(void *context, char *line)
{
    struct load_sample *sample = context;
    struct processor_time time;
    if (!strncmp(line, "cpu ", 4) && processor_time_scan(line + 4, &time)) {
        sample->busy_jiffies = time.busy;
        sample->steal_jiffies = time.stolen;
        sample->interrupt_jiffies = time.interrupts;
        sample->total_jiffies = time.total;
    } else if (!strncmp(line, "intr ", 5)) {
        scan_counter(line + 5, &sample->interrupts);
    } else if (!strncmp(line, "ctxt ", 5)) {
        scan_counter(line + 5, &sample->context_switches);
    }
    return true;
}

static double load_average(const struct sysroot *root)
{
    char text[128];
    double average;
    if (sysroot_line(root, LOAD_FILE, text, sizeof text) != FACT_OK)
        return (double)NAN;
    size_t length = strcspn(text, " ");
    return number_parse(text, length, &average) == NUMBER_OK && average >= 0 ? average
                                                                             : (double)NAN;
}

/* Returns the processor time of a kernel thread in jiffies, 0 for other processes. A line is "4321
   (kworker/0:1-events) I 2 0 0 0 -1 69238880 0 0 0 0 UTIME STIME ...": proc(5). The name may
   contain anything, even ')'. */
static uint64_t kernel_thread_time(const char *stat)
{
    enum { TTY_GROUP = 4, FLAGS = 0, USER_TIME = 5, SYSTEM_TIME, FIELDS };
    const uint64_t kernel_thread = 0x00200000; /* the kernel's PF_KTHREAD */
    uint64_t group[TTY_GROUP], v[FIELDS];
    const char *at = strrchr(stat, ')');
    if (!at || strlen(at) < 4)
        return 0;
    at += 4; /* skips ") S " */
    if (number_scan_whole(&at, group, TTY_GROUP) != TTY_GROUP)
        return 0;
    at += strspn(at, " ");
    /* -1 for the terminal's group: a kernel thread has no terminal */
    if (strncmp(at, "-1 ", 3) != 0)
        return 0;
    at += 3;
    if (number_scan_whole(&at, v, FIELDS) != FIELDS || !(v[FLAGS] & kernel_thread))
        return 0;
    return v[USER_TIME] + v[SYSTEM_TIME];
}

static uint64_t kernel_threads_time(const struct sysroot *root)
{
    struct sysroot_names names;
    uint64_t sum = 0;
    if (sysroot_list(root, "/proc", &names) != FACT_OK)
        return 0;
    for (size_t i = 0; i < names.count; i++) {
        char path[64], text[512];
        if (names.names[i][0] < '0' || names.names[i][0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", names.names[i]);
        if (sysroot_line(root, path, text, sizeof text) == FACT_OK)
            sum += kernel_thread_time(text);
    }
    sysroot_names_free(&names);
    return sum;
}

void load_take(const struct sysroot *root, struct load_sample *sample)
{
    const char *source;
    *sample = (struct load_sample){0};
    sysroot_each_line(root, STAT_FILE, scan_stat, sample);
    sample->kernel_thread_jiffies = kernel_threads_time(root);
    sample->load_average = load_average(root);
    sample->frequency_mean_hz = processors_frequency_hz(root, &source);
}

struct load_node {
    struct inventory *inventory;
    int node;
};

static void add_load_fact(const struct load_node *to, const char *key, double value, int decimals,
                          const char *unit, const char *source)
{
    if (isfinite(value))
        inventory_addf(to->inventory, to->node, key, unit, source, "%.*f", decimals, value);
    else
        inventory_add(to->inventory, to->node, key, "", unit, source, FACT_ABSENT);
}

/* Returns (after - before) / whole. NaN when a counter is missing, or has decreased, which iowait
   may do. */
static double growth(uint64_t before, uint64_t after, double whole)
{
    return after >= before && whole > 0 ? (double)(after - before) / whole : (double)NAN;
}

/* Returns the growth per second. Returns NaN if `before` is 0: no machine runs without interrupts,
   so the kernel does not count them. */
static double rate(uint64_t before, uint64_t after, double seconds)
{
    return before ? growth(before, after, seconds) : (double)NAN;
}

/* Returns a part of the processor time between two samples, in percent. */
static double percent(uint64_t before, uint64_t after, double total)
{
    double share = growth(before, after, total);
    return share <= 1 ? 100 * share : (double)NAN;
}

void load_facts(const struct load_sample *before, const struct load_sample *after, double seconds,
                struct inventory *v)
{
    struct load_node to = {
        v, inventory_add_node(v, NODE_OTHER, "load", NULL, inventory_find(v, "machine"))};
    double total = before->total_jiffies ? growth(before->total_jiffies, after->total_jiffies, 1)
                                         : (double)NAN;
    double busy = percent(before->busy_jiffies, after->busy_jiffies, total);
    double stolen = percent(before->steal_jiffies, after->steal_jiffies, total);
    add_load_fact(&to, "processor_busy", busy, 1, "%", STAT_FILE);
    add_load_fact(&to, "processor_stolen", stolen, 1, "%", STAT_FILE);
    add_load_fact(&to, "context_switches",
                  rate(before->context_switches, after->context_switches, seconds), 0, "1/s",
                  STAT_FILE);
    add_load_fact(&to, "interrupts", rate(before->interrupts, after->interrupts, seconds), 0, "1/s",
                  STAT_FILE);
    add_load_fact(&to, "load_average_before", before->load_average, 2, "", LOAD_FILE);
    add_load_fact(&to, "load_average_after", after->load_average, 2, "", LOAD_FILE);
    add_load_fact(&to, "frequency_before", before->frequency_mean_hz, 0, "Hz",
                  "cpufreq or /proc/cpuinfo");
    add_load_fact(&to, "frequency_after", after->frequency_mean_hz, 0, "Hz",
                  "cpufreq or /proc/cpuinfo");
}

/* Returns the growth of a sum over kernel threads. Threads that ended meanwhile are missing in the
   second sum: a negative growth counts as 0. */
static double grown(uint64_t before, uint64_t after)
{
    return after > before ? (double)(after - before) : 0;
}

struct load_of_others load_of_others(const struct load_sample *before,
                                     const struct load_sample *after, double own_seconds)
{
    double total = before->total_jiffies ? growth(before->total_jiffies, after->total_jiffies, 1)
                                         : (double)NAN;
    double others = growth(before->busy_jiffies, after->busy_jiffies, 1) -
                    grown(before->interrupt_jiffies, after->interrupt_jiffies) -
                    grown(before->kernel_thread_jiffies, after->kernel_thread_jiffies) -
                    own_seconds * (double)sysconf(_SC_CLK_TCK);
    struct load_of_others load = {(double)NAN, (double)NAN};
    if (!(total > 0))
        return load;
    if (!isnan(others))
        load.programs = fmin(fmax(others / total, 0), 1);
    load.stolen = percent(before->steal_jiffies, after->steal_jiffies, total) / 100;
    return load;
}
