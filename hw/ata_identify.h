/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IDENTIFY DEVICE data of ATA drives (ACS-4, 7.12.7), as far as links and health go. Pure decoding,
 * any thread.
 */
#ifndef CUPEL_HW_ATA_IDENTIFY_H
#define CUPEL_HW_ATA_IDENTIFY_H

#include <stdbool.h>
#include <stdint.h>

#define ATA_IDENTIFY_WORDS 256

/* The fastest SATA rate of the drive in bits/s (word 76); NaN when it tells none: a parallel ATA
   drive, or no data. */
double ata_identify_rate(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Commands that it queues (words 75 and 76: NCQ); 0: none. */
unsigned ata_identify_queue_depth(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* Has it SMART, and is that switched on (words 82 and 85)? ATA_NO_SMART also when the words are not
   valid (83 and 87). */
enum ata_smart { ATA_NO_SMART, ATA_SMART_OFF, ATA_SMART_ON };
enum ata_smart ata_identify_smart(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* A solid state drive (word 217)? One that has general purpose logs (word 87)? */
bool ata_identify_is_solid_state(const uint16_t words[static ATA_IDENTIFY_WORDS]);
bool ata_identify_has_solid_state_log(const uint16_t words[static ATA_IDENTIFY_WORDS]);

/* The words out of the bytes that the drive sends, the lower one first. */
void ata_identify_read(const uint8_t bytes[static 2 * ATA_IDENTIFY_WORDS],
                       uint16_t words[static ATA_IDENTIFY_WORDS]);

/* The kernel's text, hexadecimal words between blanks. Words that are not there are 0. Returns how
   many there were, 0 when it is something else. */
unsigned ata_identify_parse(const char *text, uint16_t words[static ATA_IDENTIFY_WORDS]);

#endif
