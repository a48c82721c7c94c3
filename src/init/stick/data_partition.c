/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which disk has the data partition, and what was seen of the others. */
#include "init/stick/data_partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was looked at ---- */

static const struct data_candidate *same_of(const struct data_candidate *all, size_t count,
                                            const struct data_candidate *c)
{
    for (size_t i = 0; i < count; i++)
        if (data_candidate_is_same(&all[i], c))
            return &all[i];
    return NULL;
}

static void forget_gone(struct data_partition *p, const struct data_candidate *there, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < p->disk_count; i++)
        if (same_of(there, count, &p->disks[i].candidate))
            p->disks[left++] = p->disks[i];
    p->disk_count = left;
}

static bool is_known(const struct data_partition *p, const struct data_candidate *c)
{
    for (size_t i = 0; i < p->disk_count; i++)
        if (data_candidate_is_same(&p->disks[i].candidate, c))
            return true;
    return false;
}

static bool may_be_looked_at(const struct data_partition *p, const struct data_candidate *c)
{
    return c->usb || (p->others && (!strcmp(p->others, "any") || !strcmp(p->others, c->disk)));
}

static void look_at(struct data_partition *p, const struct data_candidate *c, const char *dev)
{
    if (p->disk_count == DATA_DISKS || is_known(p, c) || !may_be_looked_at(p, c))
        return;
    struct data_disk disk = {.candidate = *c};
    disk.is = data_candidate_look(c, dev, disk.image);
    enum data_look is = disk.is;
    if (is != DATA_UNREADABLE)
        p->disks[p->disk_count++] = disk;
    if (is == DATA_SILENT)
        snprintf(p->note, sizeof p->note, "%.63s does not answer: it is not asked again", c->disk);
}

static bool may_be_used(const struct data_partition *p, const struct data_disk *d)
{
    bool own = p->image && p->image[0] && !strcmp(d->image, p->image);
    return own || p->any;
}

/* Those that may be used, and one that may not. */
static void sort_out(struct data_partition *p)
{
    unsigned usable = 0;
    p->foreign[0] = p->foreign_image[0] = '\0';
    for (size_t i = 0; i < p->disk_count; i++) {
        const struct data_disk *d = &p->disks[i];
        if (d->is != DATA_PARTITION)
            continue;
        usable += may_be_used(p, d);
        if (may_be_used(p, d))
            continue;
        snprintf(p->foreign, sizeof p->foreign, "%s", d->candidate.name);
        snprintf(p->foreign_image, sizeof p->foreign_image, "%s", d->image);
    }
    p->several = usable > 1;
}

void data_partition_look(struct data_partition *p, const char *sys, const char *dev)
{
    struct data_candidate *there;
    size_t count = data_candidates(sys, &there);
    p->note[0] = '\0';
    forget_gone(p, there, count);
    for (size_t i = 0; i < count; i++)
        look_at(p, &there[i], dev);
    free(there);
    sort_out(p);
}

/* ---- which one it is ---- */

static int by_bus_and_name(const void *a, const void *b)
{
    const struct data_candidate *x = &((const struct data_disk *)a)->candidate;
    const struct data_candidate *y = &((const struct data_disk *)b)->candidate;
    return x->usb != y->usb ? (x->usb ? -1 : 1) : strverscmp(x->name, y->name);
}

static void choose(struct data_partition *p, const struct data_candidate *c, const char *dev)
{
    int length = snprintf(p->device, sizeof p->device, "%s/%s", dev, c->name);
    p->found = length > 0 && (size_t)length < sizeof p->device;
    snprintf(p->disk, sizeof p->disk, "%s", c->disk);
    p->chosen = *c;
}

bool data_partition_find(struct data_partition *p, const char *sys, const char *dev)
{
    data_partition_look(p, sys, dev);
    qsort(p->disks, p->disk_count, sizeof *p->disks, by_bus_and_name);
    p->found = false;
    p->device[0] = p->disk[0] = '\0';
    if (!p->folder[0])
        snprintf(p->folder, sizeof p->folder, "%s", DATA_FOLDER);
    for (size_t i = 0; i < p->disk_count; i++) {
        const struct data_candidate *c = &p->disks[i].candidate;
        if (p->disks[i].is != DATA_PARTITION || !may_be_used(p, &p->disks[i]))
            continue;
        if (p->found && c->usb)
            snprintf(p->note, sizeof p->note,
                     "%.63s is a data partition too and is not used: only one stick should be "
                     "plugged",
                     c->name);
        if (p->found)
            break;
        choose(p, c, dev);
    }
    return p->found;
}

bool data_partition_has_gone(const struct data_partition *p)
{
    return p->found && !is_known(p, &p->chosen);
}

size_t data_partition_disks(const struct data_partition *p, const char *names[DATA_DISKS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < p->disk_count; i++)
        if (p->disks[i].is == DATA_PARTITION)
            names[count++] = p->disks[i].candidate.disk;
    names[count] = NULL;
    return count;
}

bool data_partition_is_on(const struct data_partition *p, const char *disk)
{
    for (size_t i = 0; i < p->disk_count; i++)
        if (p->disks[i].is == DATA_PARTITION && !strcmp(p->disks[i].candidate.disk, disk))
            return true;
    return false;
}
