/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Health of SCSI and SAS disks, as facts: whether the disk predicts its failure (informational
 * exceptions, SPC-4 7.3.8 and 5.11), for how long it has been on, what it could not read. A disk in
 * standby is left alone. No state.
 */
#ifndef CUPEL_HW_SCSI_HEALTH_H
#define CUPEL_HW_SCSI_HEALTH_H

#include "base/inventory.h"
#include "hw/scsi_command.h"

/*
 * Facts of the disk's node: health ("good", "failing: ...", a warning), power_on_hours,
 * reported_uncorrectable, and `temperature` only when it is asked for; those that it does not tell
 * are left out, but for health. "good" takes a disk that keeps the log page of exceptions: of
 * others it is not known.
 */
void scsi_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature);

#endif
