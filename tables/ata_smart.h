/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attributes of the SMART data of ATA drives that become facts. No standard defines them;
 * these mean the same with nearly all makers.
 *
 * SMART_COUNTER(id, key, bytes, max, unit)
 *   bytes  used bytes of the raw value, least significant first. Makers use the other bytes for
 *          numbers of their own: usually two bytes count reallocated sectors, and three hours
 *   max    the largest plausible value; 0: any
 *
 * SMART_WEAR(id): the remaining life of a solid state drive, as the normalised value from 100 down
 * to 1. The first attribute that the drive has is used.
 */
#ifndef CUPEL_TABLES_ATA_SMART_H
#define CUPEL_TABLES_ATA_SMART_H

#define SMART_COUNTER_ROWS(SMART_COUNTER)                                                          \
    SMART_COUNTER(5, "reallocated_sectors", 2, 0, "")                                              \
    SMART_COUNTER(9, "power_on_hours", 3, 1000000, "h")                                            \
    SMART_COUNTER(187, "reported_uncorrectable", 4, 0, "")                                         \
    SMART_COUNTER(197, "pending_sectors", 4, 0, "")                                                \
    SMART_COUNTER(198, "offline_uncorrectable", 4, 0, "")

#define SMART_WEAR_ROWS(SMART_WEAR)                                                                \
    SMART_WEAR(231)                                                                                \
    SMART_WEAR(233)                                                                                \
    SMART_WEAR(177)

#define SMART_TEMPERATURE 194 /* the lowest byte, degrees Celsius, signed */

#endif
