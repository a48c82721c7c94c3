/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IDENTIFY DEVICE data of ATA drives (ACS-4, 7.12.7), as far as links go. Pure decoding, any
 * thread.
 */
#ifndef CUPEL_HW_ATA_IDENTIFY_H
#define CUPEL_HW_ATA_IDENTIFY_H

#include <stdint.h>

#define ATA_IDENTIFY_WORDS 256

/* The fastest SATA rate of the drive in bits/s (word 76); NaN when it tells none: a parallel ATA
   drive, or no data. */
double ata_identify_rate(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Commands that it queues (words 75 and 76: NCQ); 0: none. */
unsigned ata_identify_queue_depth(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* The kernel's text, hexadecimal words between blanks. Words that are not there are 0. Returns how
   many there were, 0 when it is something else. */
unsigned ata_identify_parse(const char *text, uint16_t words[static ATA_IDENTIFY_WORDS]);

#endif
