/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which SATA, SAS and SCSI disks may be asked for their health, and how. */
#ifndef CUPEL_HW_DISK_HEALTH_H
#define CUPEL_HW_DISK_HEALTH_H

#include "hw/prober.h"

enum disk_asking {
    DISK_NOT_ASKED, /* no such disk, or not permitted, or sent nothing for its own good: no fact */
    DISK_NOT_WELL,  /* the kernel has given it up, or works on its errors: a command would hang */
    DISK_SWITCHED_OFF, /* the kernel has stopped it to save power: opening it would start it */
    DISK_ASK_ATA,
    DISK_ASK_SCSI,
};

/*
 * How the disk of this node is asked: not below another root and not without permission of the
 * user; ATA drives behind USB only where the bridge says that it hands such commands on, other USB
 * disks never (many hang at what they do not know).
 */
enum disk_asking disk_asking(const struct probe *p, int node);

/* By what /sys tells of the disk alone. */
enum disk_asking disk_asking_of(const struct sysroot *root, const struct inventory *v, int node);

#endif
