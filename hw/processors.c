/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors: /proc/cpuinfo, the online list, frequencies. */
#include "hw/processors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"
#include "base/units.h"

struct cpuinfo_scan {
    struct cpuinfo *info;
    int model_rank; /* of the key that gave the model; the lower one wins */
    char implementer[16], part[16];
};

/* Architectures name the model differently; x86, ARM 32 bit, MIPS, RISC-V, POWER. */
static const char *const model_keys[] = {"model name", "Processor", "cpu model", "uarch", "cpu"};
#define MODEL_KEYS (int)(sizeof model_keys / sizeof *model_keys)

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        if ((p == text || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
            return true;
    return false;
}

static void scan_model(struct cpuinfo_scan *scan, const char *key, struct span value)
{
    for (int rank = 0; rank < scan->model_rank; rank++)
        if (!strcmp(key, model_keys[rank]) && value.length) {
            span_printable(scan->info->model, sizeof scan->info->model, value);
            scan->model_rank = rank;
        }
}

static bool scan_line(void *context, char *line)
{
    struct cpuinfo_scan *scan = context;
    struct cpuinfo *info = scan->info;
    char *colon = strchr(line, ':');
    if (!colon)
        return true;
    char key[32];
    span_printable(key, sizeof key, span_trimmed((struct span){line, (size_t)(colon - line)}));
    struct span value = span_trimmed(span_of(colon + 1));

    double megahertz;
    if (!strcmp(key, "processor")) {
        info->count++;
    } else if (!strcmp(key, "flags")) {
        info->tells_hypervisor = true;
        info->hypervisor = info->hypervisor || has_word(value.text, "hypervisor");
    } else if (!strcmp(key, "cpu MHz")) {
        if (number_parse(value.text, value.length, &megahertz) == NUMBER_OK && megahertz > 0) {
            info->megahertz_sum += megahertz;
            info->megahertz_count++;
        }
    } else if (!strcmp(key, "CPU implementer")) {
        span_printable(scan->implementer, sizeof scan->implementer, value);
    } else if (!strcmp(key, "CPU part")) {
        span_printable(scan->part, sizeof scan->part, value);
    } else {
        scan_model(scan, key, value);
    }
    return true;
}

void cpuinfo_read(const struct sysroot *root, struct cpuinfo *info)
{
    *info = (struct cpuinfo){0};
    struct cpuinfo_scan scan = {.info = info, .model_rank = MODEL_KEYS};
    info->status = sysroot_each_line(root, "/proc/cpuinfo", scan_line, &scan);
    if (!info->model[0] && scan.implementer[0])
        snprintf(info->model, sizeof info->model, "ARM implementer %s part %s", scan.implementer,
                 scan.part);
}

/* Reads digits at *p and moves behind them. */
static bool read_index(const char **p, unsigned long *value)
{
    if (**p < '0' || **p > '9')
        return false;
    char *end;
    *value = strtoul(*p, &end, 10);
    *p = end;
    return *value < PROCESSORS_MOST;
}

enum fact_status processors_online(const struct sysroot *root, struct processors *online)
{
    char text[4096];
    online->count = 0;
    enum fact_status status = sysroot_line(root, PROCESSORS_ONLINE_FILE, text, sizeof text);
    if (status != FACT_OK)
        return status;
    for (const char *p = text;; p++) {
        unsigned long first = 0, last;
        bool valid = read_index(&p, &first);
        last = first;
        if (valid && *p == '-') {
            p++;
            valid = read_index(&p, &last) && first <= last;
        }
        if (!valid || (*p && *p != ',') || online->count + (last - first) >= PROCESSORS_MOST) {
            online->count = 0;
            return FACT_INVALID;
        }
        for (; first <= last; first++)
            online->numbers[online->count++] = (unsigned short)first;
        if (!*p)
            return FACT_OK;
    }
}

double processors_frequency_hz(const struct sysroot *root, const char **source)
{
    struct processors online;
    double sum = 0;
    size_t told = 0;
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
        told++;
    }
    *source = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq";
    if (told)
        return sum / (double)told;

    struct cpuinfo info;
    cpuinfo_read(root, &info);
    *source = "/proc/cpuinfo";
    return info.megahertz_count ? info.megahertz_sum * 1e6 / (double)info.megahertz_count
                                : (double)NAN;
}
