/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMART of ATA drives, as facts: whether the drive predicts its failure (ACS-4 7.48), what it
 * counts, what it has used of its life. A drive in standby is left alone. No state.
 */
#ifndef CUPEL_HW_ATA_SMART_H
#define CUPEL_HW_ATA_SMART_H

#include "base/inventory.h"
#include "hw/scsi_command.h"

#define ATA_SMART_BYTES 512

/*
 * Facts of the disk's node: health ("good", "failing: ...", "rated life used up"), those of
 * tables/ata_smart.h that the drive has, percentage_used of a solid state drive that keeps
 * statistics, and `temperature` only when it is asked for. What could not be had is a fact as well:
 * its source says why.
 */
void ata_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature);

/* The same of what SMART READ DATA has told; the wear of solid state drives only. Data of a wrong
   checksum tell nothing: power_on_hours is FACT_INVALID then. */
void ata_add_attributes(struct inventory *v, int node, const uint8_t data[static ATA_SMART_BYTES],
                        bool solid_state, bool temperature);

#endif
