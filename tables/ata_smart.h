/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attributes of the SMART data of ATA drives that become facts. No standard says what they are:
 * these mean the same with nearly all makers.
 *
 * SMART_COUNTER(id, key, bytes, max, unit)
 *   bytes  of the raw value, least significant first; the others are the makers' own (the usual
 *          reading: two of reallocated sectors, three of hours, where many keep other numbers
 * above) max    the largest that makes sense; 0: any
 *
 * SMART_WEAR(id): how much of its life a solid state drive has left, as the normalised value of 100
 * down to 1. The first that is there counts.
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
