/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NVMe command that a write sends to a namespace: Write, or another command for the same
 * blocks. Requests of different commands are different kinds (priority.h): a kind's value is then a
 * command instead of a priority, because NVMe commands have no priority. Pure.
 */
#ifndef CUPEL_SOURCE_GENERATOR_WRITE_MODE_H
#define CUPEL_SOURCE_GENERATOR_WRITE_MODE_H

#include <stdint.h>

/* Write comes last: the others are compared with it. */
enum write_mode {
    WRITE_MODE_ZEROES, /* Write Zeroes: no data are transferred */
    WRITE_MODE_UNCOR,  /* Write Uncorrectable: reads fail until the next write */
    WRITE_MODE_VERIFY, /* Verify: the device reads its medium, and nothing is changed */
    WRITE_MODE_WRITE,
    WRITE_MODES
};

/* The words of fio: zeroes, uncor, verify, write. */
extern const char *const write_mode_names[WRITE_MODES];

/* The priority class of a kind's value that is a command. The kernel has no such class. */
#define WRITE_MODE_CLASS 7u
static inline uint16_t write_mode_value(enum write_mode mode)
{
    return (uint16_t)(WRITE_MODE_CLASS << 13 | (unsigned)mode);
}

/* Returns the command of a kind's value, or WRITE_MODES if the value is a priority. */
static inline enum write_mode write_mode_of(uint16_t value)
{
    const unsigned mode = value & 0x1fff;
    return value >> 13 == WRITE_MODE_CLASS && mode < WRITE_MODES ? (enum write_mode)mode
                                                                 : WRITE_MODES;
}

#endif
