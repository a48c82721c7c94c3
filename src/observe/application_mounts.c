/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading /proc/self/mountinfo (proc(5)). */
#include "observe/internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/device_number.h"
#include "base/octal_escape.h"

static const char *find_point(const struct mounts *m, uint32_t device)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->rows[i].device == device)
            return m->rows[i].point;
    return NULL;
}

/* "36 35 98:0 / /mnt rw,noatime ...": of a bind mount the fourth field is not the root. */
static void take_line(struct mounts *m, char *line)
{
    enum { DEVICE = 2, ROOT, POINT, FIELDS };
    char *fields[FIELDS], *rest = line;
    dev_t number;
    for (int i = 0; i < FIELDS; i++)
        if (!(fields[i] = strtok_r(NULL, " ", &rest)))
            return;
    if (!device_number_parse(fields[DEVICE], &number) || strcmp(fields[ROOT], "/") != 0)
        return;
    uint32_t device = (uint32_t)(major(number) << 20 | minor(number));
    const char *point = octal_unescape(fields[POINT]);
    if (m->count == MOUNTS_MAX || strlen(point) >= MOUNT_POINT_BYTES || find_point(m, device))
        return;
    m->rows[m->count].device = device;
    snprintf(m->rows[m->count++].point, MOUNT_POINT_BYTES, "%s", strcmp(point, "/") ? point : "");
}

void mounts_read(struct mounts *m)
{
    char line[1024];
    m->count = 0;
    FILE *f = fopen("/proc/self/mountinfo", "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f))
        take_line(m, line);
    fclose(f);
}

void mounts_place(struct mounts *m, uint32_t device, char *path, size_t size)
{
    const char *point = find_point(m, device);
    if (!point) {
        mounts_read(m);
        point = find_point(m, device);
    }
    char below[512];
    if (!point || strlen(point) + strlen(path) >= size || strlen(path) >= sizeof below)
        return;
    snprintf(below, sizeof below, "%s", path);
    snprintf(path, size, "%s%s", point, below);
}
