/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the device's statistics with the session's own bytes, and describes a busy machine. */
#include "run/watch/other_programs.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/number_parse.h"

#define SECTOR_BYTES 512

void device_watch_open(struct device_watch *w, dev_t device)
{
    char path[80];
    *w = (struct device_watch){.fd = -1};
    if (!device)
        return;
    /* A partition's folder is inside that of its disk. */
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/partition", major(device), minor(device));
    bool partition = access(path, F_OK) == 0;
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u%s/stat", major(device), minor(device),
             partition ? "/.." : "");
    w->fd = open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads the bytes read and written since the device appeared: columns 3 and 7 of its "stat". */
static bool bytes_moved(const struct device_watch *w, uint64_t *bytes)
{
    enum { READ = 2, WRITTEN = 6, COLUMNS };
    char text[512];
    uint64_t v[COLUMNS];
    ssize_t got = w->fd < 0 ? -1 : pread(w->fd, text, sizeof text - 1, 0);
    if (got <= 0)
        return false;
    text[got] = '\0';
    const char *at = text;
    if (number_scan_whole(&at, v, COLUMNS) != COLUMNS)
        return false;
    *bytes = (v[READ] + v[WRITTEN]) * SECTOR_BYTES;
    return true;
}

void device_watch_close(struct device_watch *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

void device_watch_begin(struct device_watch *w)
{
    if (!bytes_moved(w, &w->before))
        device_watch_close(w);
}

void device_watch_end(struct device_watch *w, double own_bytes)
{
    uint64_t now;
    if (!bytes_moved(w, &now) || now < w->before)
        return;
    w->moved += (double)(now - w->before);
    w->own += own_bytes;
}

double device_watch_others(const struct device_watch *w, bool bypasses)
{
    /* If the kernel counts passthrough, `moved` includes it; otherwise `moved` has only others'
       bytes. */
    bool own_counted = !bypasses || w->moved >= w->own;
    double all = own_counted ? w->moved : w->moved + w->own;
    if (!(w->own > 0) || !(all > 0))
        return (double)NAN;
    return fmax(all - w->own, 0) / all;
}

/* Returns the processor time of this process, and of its children that it has waited for. */
static double own_processor_seconds(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double seconds = 0;
    for (size_t i = 0; i < 2; i++) {
        struct rusage u;
        if (!getrusage(whose[i], &u))
            seconds += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return seconds;
}

void load_watch_begin(struct load_watch *w, const struct sysroot *root)
{
    w->root = root;
    w->own_seconds = own_processor_seconds();
    load_take(root, &w->before);
}

struct result_others load_watch_end(const struct load_watch *w)
{
    struct load_sample now;
    load_take(w->root, &now);
    struct load_of_others load =
        load_of_others(&w->before, &now, own_processor_seconds() - w->own_seconds);
    return (struct result_others){load.programs, load.stolen, NAN};
}

static double share_of(const struct inventory *hardware, const char *key)
{
    int node = inventory_find(hardware, "load");
    return node == INVENTORY_NONE ? (double)NAN : inventory_number(hardware, node, key) / 100;
}

void others_result(const struct inventory *hardware, struct result *r)
{
    struct result_others *o = &r->others;
    *o = (struct result_others){.processors = share_of(hardware, "processor_others"),
                                .stolen = share_of(hardware, "processor_stolen"),
                                .device = share_of(hardware, "device_others")};
    others_words(o, r->busy, sizeof r->busy);
}

void others_words(const struct result_others *o, char *to, size_t size)
{
    bool processors = o->processors > OTHERS_BUSY, device = o->device > OTHERS_BUSY;
    char used[48] = "", moved[48] = "";
    if (processors)
        snprintf(used, sizeof used, " used %.0f %% of the processors", 100 * o->processors);
    if (device)
        snprintf(moved, sizeof moved, " moved %.0f %% of the disk's bytes", 100 * o->device);
    *to = '\0';
    if (processors || device)
        snprintf(to, size, "other programs%s%s%s", used, processors && device ? " and" : "", moved);
    size_t length = strlen(to);
    if (o->stolen > OTHERS_BUSY)
        snprintf(to + length, size - length,
                 "%sother virtual machines had %.0f %% of the processors", length ? " and " : "",
                 100 * o->stolen);
}
