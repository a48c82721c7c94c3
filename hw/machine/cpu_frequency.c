/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the frequencies of the processors, and the governor that sets them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/machine/internal.h"
#include "hw/sysroot/attribute.h"

#define GOVERNOR_FILE  "cpufreq/scaling_governor"
#define FREQUENCY_FILE "cpufreq/scaling_cur_freq"
#define MAXIMUM_FILE   "cpufreq/scaling_max_freq"
#define KILOHERTZ      1000

/* Facts that are read for the first processor only. */
static const struct attribute policy_rows[] = {
    {.key = "frequency_driver", .files = {"cpufreq/scaling_driver"}, .optional = true},
    {.key = "frequency_base",
     .kind = ATTRIBUTE_NUMBER,
     .files = {"cpufreq/base_frequency"},
     .scale = KILOHERTZ,
     .unit = "Hz",
     .optional = true},
    {.key = "energy_performance_preference",
     .files = {"cpufreq/energy_performance_preference"},
     .optional = true},
};

/* Where the driver has no base frequency, the firmware may have one. */
static const struct attribute firmware_rows[] = {
    {.key = "frequency_base",
     .kind = ATTRIBUTE_NUMBER,
     .files = {"acpi_cppc/nominal_freq"},
     .scale = 1000000,
     .unit = "Hz",
     .optional = true},
};

static void add_policy(struct cpu_survey *s)
{
    char folder[CPU_PATH];
    snprintf(folder, sizeof folder, CPU_FOLDER "/cpu%u", (unsigned)s->online.numbers[0]);
    attributes_add(s->root, s->inventory, s->node, folder, policy_rows,
                   ATTRIBUTE_COUNT(policy_rows));
    if (!inventory_fact(s->inventory, s->node, "frequency_base"))
        attributes_add(s->root, s->inventory, s->node, folder, firmware_rows,
                       ATTRIBUTE_COUNT(firmware_rows));
}

/* ---- turbo ---- */

/* Adds whether turbo is on. intel_pstate has a file that shows whether it is off, other drivers a
   file that shows whether it is on. */
static void add_turbo(struct cpu_survey *s)
{
    static const struct {
        const char *file;
        const char *words[2]; /* words for 0 and 1 */
    } rows[] = {
        {CPU_FOLDER "/intel_pstate/no_turbo", {"yes", "no"}},
        {CPU_FOLDER "/cpufreq/boost", {"no", "yes"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value;
        enum fact_status status = counter_read(s->root, rows[i].file, &value);
        if (status == FACT_ABSENT)
            continue;
        if (status == FACT_OK && value > 1)
            status = FACT_INVALID;
        inventory_add(s->inventory, s->node, "turbo", status == FACT_OK ? rows[i].words[value] : "",
                      "", rows[i].file, status);
        return;
    }
}

/* ---- range ---- */

struct reading {
    enum fact_status status;
    uint64_t hertz;
};

static struct reading read_kilohertz(const struct cpu_survey *s, unsigned number, const char *file)
{
    char path[CPU_PATH];
    struct reading r = {0};
    r.status = counter_read(s->root, cpu_path(path, number, file), &r.hertz);
    if (r.status == FACT_OK &&
        (!r.hertz || __builtin_mul_overflow(r.hertz, KILOHERTZ, &r.hertz) || r.hertz > INT64_MAX))
        r.status = FACT_INVALID;
    return r;
}

/* Adds the lower or upper end of the range of frequencies. On machines with two kinds of cores, the
   processors of one kind have the first numbers and those of the other kind the last ones. So the
   first and the last processor are read. */
static void add_range(struct cpu_survey *s, const char *key, const char *file, bool lowest)
{
    unsigned first = s->online.numbers[0], last = s->online.numbers[s->online.count - 1];
    char path[CPU_PATH];
    struct reading r = read_kilohertz(s, first, file);
    struct reading other = first == last ? r : read_kilohertz(s, last, file);
    unsigned number = first;
    if (r.status == FACT_OK && other.status == FACT_OK && r.hertz != other.hertz &&
        (other.hertz < r.hertz) == lowest) {
        r = other;
        number = last;
    }
    cpu_path(path, number, file);
    if (r.status == FACT_OK)
        inventory_add_number(s->inventory, s->node, key, r.hertz, "Hz", path);
    else if (r.status != FACT_ABSENT)
        inventory_add(s->inventory, s->node, key, "", "Hz", path, r.status);
}

/* ---- governor ---- */

/* Adds the governor of each processor. The node "cpu" gets the governor that all processors have,
   or else the first processor's governor with the number of processors that have it. */
static void add_governors(struct cpu_survey *s)
{
    char path[CPU_PATH], first[64] = "", other[64], source[CPU_PATH];
    size_t same = 0, known = 0;
    enum fact_status trouble = FACT_ABSENT;
    cpu_path(source, s->online.numbers[0], GOVERNOR_FILE);
    for (size_t i = 0; i < s->online.count; i++) {
        cpu_path(path, s->online.numbers[i], GOVERNOR_FILE);
        enum fact_status status = sysroot_line(s->root, path, other, sizeof other);
        if (status == FACT_OK && !*other)
            status = FACT_INVALID;
        if (status != FACT_ABSENT)
            inventory_add(s->inventory, s->core[i], "governor", other, "", path, status);
        if (status == FACT_OK) {
            if (!known++)
                snprintf(first, sizeof first, "%s", other);
            same += !strcmp(first, other);
        } else if (trouble == FACT_ABSENT) {
            trouble = status;
        }
    }
    if (!known)
        inventory_add(s->inventory, s->node, "governor", "", "", source, trouble);
    else if (same < known)
        inventory_addf(s->inventory, s->node, "governor", "", source, "%s on %zu of %zu processors",
                       first, same, known);
    else
        inventory_add(s->inventory, s->node, "governor", first, "", source, FACT_OK);
}

/* ---- present frequency ---- */

struct mean {
    double sum;
    size_t count;
    enum fact_status trouble;
};

static void add_mean(struct cpu_survey *s, const struct mean *m, const char *source)
{
    if (m->count)
        inventory_addf(s->inventory, s->node, "frequency", "Hz", source, "%.0f",
                       m->sum / (double)m->count);
    else
        inventory_add(s->inventory, s->node, "frequency", "", "Hz", source, m->trouble);
}

static struct mean add_scaling_frequencies(struct cpu_survey *s)
{
    struct mean m = {.trouble = FACT_ABSENT};
    for (size_t i = 0; i < s->online.count; i++) {
        char path[CPU_PATH];
        unsigned number = s->online.numbers[i];
        struct reading r = read_kilohertz(s, number, FREQUENCY_FILE);
        cpu_path(path, number, FREQUENCY_FILE);
        if (r.status == FACT_OK) {
            inventory_add_number(s->inventory, s->core[i], "frequency", r.hertz, "Hz", path);
            m.sum += (double)r.hertz;
            m.count++;
        } else if (r.status != FACT_ABSENT) {
            inventory_add(s->inventory, s->core[i], "frequency", "", "Hz", path, r.status);
            m.trouble = r.status;
        }
    }
    return m;
}

static struct mean add_cpuinfo_frequencies(struct cpu_survey *s)
{
    struct mean m = {.trouble = FACT_ABSENT};
    double *hertz = calloc(PROCESSORS_MAX, sizeof *hertz);
    if (!hertz) {
        s->inventory->failed = true;
        return m;
    }
    cpuinfo_frequencies(s->root, hertz, PROCESSORS_MAX);
    for (size_t i = 0; i < s->online.count; i++) {
        double value = hertz[s->online.numbers[i]];
        if (isfinite(value)) {
            inventory_addf(s->inventory, s->core[i], "frequency", "Hz", "/proc/cpuinfo", "%.0f",
                           value);
            m.sum += value;
            m.count++;
        }
    }
    free(hertz);
    return m;
}

/* Returns true if there is a cpufreq folder, at the first or the last processor. Virtual machines
   have none at all. */
static bool has_cpufreq(const struct cpu_survey *s)
{
    char path[CPU_PATH];
    return s->online.count &&
           (sysroot_exists(s->root, cpu_path(path, s->online.numbers[0], "cpufreq")) ||
            sysroot_exists(s->root,
                           cpu_path(path, s->online.numbers[s->online.count - 1], "cpufreq")));
}

void cpu_frequency_add(struct cpu_survey *s)
{
    bool scaling = has_cpufreq(s);
    if (scaling) {
        add_governors(s);
        add_policy(s);
        add_range(s, "frequency_min", "cpufreq/scaling_min_freq", true);
        add_range(s, "frequency_max", MAXIMUM_FILE, false);
        /* Adds the processor's own maximum, where a lower one was configured. */
        static const char file[] = "cpufreq/cpuinfo_max_freq";
        struct reading hardware = read_kilohertz(s, s->online.numbers[0], file);
        struct reading set = read_kilohertz(s, s->online.numbers[0], MAXIMUM_FILE);
        if (hardware.status == FACT_OK && set.status == FACT_OK && set.hertz < hardware.hertz)
            add_range(s, "frequency_hardware_max", file, false);
        add_turbo(s);
    } else {
        inventory_add(s->inventory, s->node, "governor", "", "", CPU_FOLDER "/cpu*/" GOVERNOR_FILE,
                      FACT_ABSENT);
    }
    struct mean m = {.trouble = FACT_ABSENT};
    if (scaling)
        m = add_scaling_frequencies(s);
    if (m.count || m.trouble != FACT_ABSENT) {
        add_mean(s, &m, CPU_FOLDER "/cpu*/" FREQUENCY_FILE);
        return;
    }
    m = add_cpuinfo_frequencies(s);
    add_mean(s, &m, m.count ? "/proc/cpuinfo" : CPU_FOLDER "/cpu*/" FREQUENCY_FILE);
}
