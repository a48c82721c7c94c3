/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a disk by the share of zeros among samples of it. */
#include "machine/qualify/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "io/target/never_written_blocks.h"

#define ZEROS_MAX  0.5  /* a disk with a larger share of zeros counts as never written */
#define ZEROS_SOME 0.05 /* a larger share of zeros gets a warning */

static const char some_zeros[] =
    "never written or discarded: reading those need not reach the medium, so reads may look faster";

/* Returns the share of zeros among samples; 0 if the disk cannot be read, which its tests
   report. */
static double zeros_of(const char *path, uint64_t size)
{
    double share = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (unwritten_share_of_device(fd, size, 1, &share, NULL))
        share = 0;
    close(fd);
    return share;
}

bool contents_unwritten(struct qualification *q, int device, const char *path, bool allowed)
{
    double share = zeros_of(path, q->devices[device].size);
    char found[40];
    if (share <= ZEROS_SOME)
        return false;
    snprintf(found, sizeof found, "%.0f %% read as zeros", 100 * share);
    note_check(q, device, GRADE_WARN, "contents", found, "%s",
               share <= ZEROS_MAX ? some_zeros
               : allowed ? "never written or discarded: most of what was read need not have "
                           "reached the medium"
                         : "never written or discarded: such reads need not reach the medium; "
                           "write it once, or allow unwritten disks");
    return share > ZEROS_MAX;
}

void contents_judge_covered(struct qualification *q, int device, const char *path, double covered)
{
    char found[60], bytes[UNITS_BUFFER];
    if (!(covered >= 1) || covered >= (double)q->devices[device].size)
        return;
    for (size_t i = 0; i < q->check_count; i++)
        if (q->checks[i].device == device && !strcmp(q->checks[i].what, "contents"))
            return;
    double share = zeros_of(path, (uint64_t)covered);
    if (share <= ZEROS_SOME)
        return;
    snprintf(found, sizeof found, "%.0f %% of the first %s read as zeros", 100 * share,
             format_size(bytes, sizeof bytes, covered));
    note_check(q, device, GRADE_WARN, "contents", found, "%s", some_zeros);
}
