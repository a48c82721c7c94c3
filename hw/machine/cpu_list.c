/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the processors: /proc/cpuinfo, the online list, frequencies. */
#include "hw/machine/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"
#include "base/text.h"
#include "base/units.h"

#define CPUINFO_FILE "/proc/cpuinfo"

struct cpuinfo_scan {
    struct cpuinfo *info;
    bool first_only;
    int model_rank; /* index in model_keys of the key that gave the model; the lowest index wins */
};

/* Keys of the model's name, which depends on the architecture: x86, ARM 32 bit, MIPS, RISC-V,
   POWER. */
static const char *const model_keys[] = {"model name", "Processor", "cpu model", "uarch", "cpu"};
#define MODEL_KEYS (int)(sizeof model_keys / sizeof *model_keys)

char *cpu_path(char *to, unsigned number, const char *file)
{
    char folder[CPU_PATH] = CPU_FOLDER "/cpu";
    text_digits(folder + sizeof CPU_FOLDER "/cpu" - 1, number);
    return sysroot_join(to, CPU_PATH, folder, file);
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        if ((p == text || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
            return true;
    return false;
}

/* Splits a line "key : value". Returns false for other lines. */
static bool split_line(char *line, char *key, size_t size, struct span *value)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return false;
    span_printable(key, size, span_trimmed((struct span){line, (size_t)(colon - line)}));
    *value = span_trimmed(span_of(colon + 1));
    return true;
}

static bool positive_number(struct span text, double *value)
{
    return number_parse(text.text, text.length, value) == NUMBER_OK && *value > 0;
}

static bool scan_line(void *context, char *line)
{
    struct cpuinfo_scan *scan = context;
    struct cpuinfo *info = scan->info;
    char key[32];
    struct span value;
    double megahertz;
    if (!split_line(line, key, sizeof key, &value))
        return true;
    if (!strcmp(key, "processor")) {
        if (scan->first_only && info->count)
            return false;
        info->count++;
    } else if (!strcmp(key, "flags")) {
        info->shows_hypervisor = true;
        info->hypervisor = info->hypervisor || has_word(value.text, "hypervisor");
    } else if (!strcmp(key, "cpu MHz")) {
        if (positive_number(value, &megahertz)) {
            info->megahertz_sum += megahertz;
            info->megahertz_count++;
        }
    } else if (!strcmp(key, "microcode")) {
        span_printable(info->microcode, sizeof info->microcode, value);
    } else if (!strcmp(key, "CPU implementer")) {
        span_printable(info->implementer, sizeof info->implementer, value);
    } else if (!strcmp(key, "CPU part")) {
        span_printable(info->part, sizeof info->part, value);
    } else {
        for (int rank = 0; rank < scan->model_rank; rank++)
            if (!strcmp(key, model_keys[rank]) && value.length) {
                span_printable(scan->info->model, sizeof scan->info->model, value);
                scan->model_rank = rank;
            }
    }
    return true;
}

static void read_cpuinfo(const struct sysroot *root, struct cpuinfo *info, bool first_only)
{
    *info = (struct cpuinfo){0};
    struct cpuinfo_scan scan = {.info = info, .first_only = first_only, .model_rank = MODEL_KEYS};
    info->status = sysroot_each_line(root, CPUINFO_FILE, scan_line, &scan);
    if (!info->model[0] && info->implementer[0])
        snprintf(info->model, sizeof info->model, "ARM implementer %s part %s", info->implementer,
                 info->part);
}

void cpuinfo_read(const struct sysroot *root, struct cpuinfo *info)
{
    read_cpuinfo(root, info, false);
}

void cpuinfo_read_first(const struct sysroot *root, struct cpuinfo *info)
{
    read_cpuinfo(root, info, true);
}

struct frequency_scan {
    double *hertz;
    size_t max, processor;
};

static bool scan_frequency(void *context, char *line)
{
    struct frequency_scan *scan = context;
    char key[32];
    struct span value;
    double number;
    if (!split_line(line, key, sizeof key, &value))
        return true;
    if (!strcmp(key, "processor")) {
        bool valid = number_parse(value.text, value.length, &number) == NUMBER_OK && number >= 0 &&
                     number < (double)scan->max;
        scan->processor = valid ? (size_t)number : scan->max;
    } else if (!strcmp(key, "cpu MHz") && scan->processor < scan->max &&
               positive_number(value, &number)) {
        scan->hertz[scan->processor] = number * 1e6;
    }
    return true;
}

void cpuinfo_frequencies(const struct sysroot *root, double hertz[], size_t max)
{
    struct frequency_scan scan = {.hertz = hertz, .max = max, .processor = max};
    for (size_t i = 0; i < max; i++)
        hertz[i] = (double)NAN;
    sysroot_each_line(root, CPUINFO_FILE, scan_frequency, &scan);
}

/* ---- lists of numbers ---- */

/* Reads digits at *p and moves past them. */
static bool read_index(const char **p, unsigned long *value)
{
    if (**p < '0' || **p > '9')
        return false;
    char *end;
    *value = strtoul(*p, &end, 10);
    *p = end;
    return *value < PROCESSORS_MAX;
}

/* Appends the numbers of "4" or "0-3" at *p. Returns false unless they are larger than those
   before. */
static bool read_range(const char **p, struct processors *list)
{
    unsigned long first = 0, last;
    if (!read_index(p, &first) || (list->count && first <= list->numbers[list->count - 1]))
        return false;
    last = first;
    if (**p == '-') {
        ++*p;
        if (!read_index(p, &last) || last < first)
            return false;
    }
    for (; first <= last; first++)
        list->numbers[list->count++] = (unsigned short)first;
    return true;
}

bool processors_parse(const char *text, struct processors *list)
{
    list->count = 0;
    if (!*text)
        return true;
    for (const char *p = text;; p++) {
        bool valid = read_range(&p, list);
        if (valid && !*p)
            return true;
        if (!valid || *p != ',') {
            list->count = 0;
            return false;
        }
    }
}

enum fact_status processors_read(const struct sysroot *root, const char *path,
                                 struct processors *list)
{
    char text[4096];
    list->count = 0;
    enum fact_status status = sysroot_line(root, path, text, sizeof text);
    return status == FACT_OK && !processors_parse(text, list) ? FACT_INVALID : status;
}

enum fact_status processors_online(const struct sysroot *root, struct processors *online)
{
    enum fact_status status = processors_read(root, PROCESSORS_ONLINE_FILE, online);
    return status == FACT_OK && !online->count ? FACT_INVALID : status;
}

/* ---- frequency ---- */

double processors_frequency_hz(const struct sysroot *root, const char **source)
{
    struct processors online;
    double sum = 0;
    size_t count = 0;
    processors_online(root, &online);
    for (size_t i = 0; i < online.count; i++) {
        char path[96], text[32];
        uint64_t kilohertz;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
                 (unsigned)online.numbers[i]);
        if (sysroot_line(root, path, text, sizeof text) != FACT_OK ||
            parse_unsigned(text, &kilohertz, NULL) || !kilohertz)
            continue;
        sum += (double)kilohertz * 1e3;
        count++;
    }
    *source = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq";
    if (count)
        return sum / (double)count;

    struct cpuinfo info;
    cpuinfo_read(root, &info);
    *source = CPUINFO_FILE;
    return info.megahertz_count ? info.megahertz_sum * 1e6 / (double)info.megahertz_count
                                : (double)NAN;
}
