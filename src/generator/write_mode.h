/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an NVMe namespace is sent as a write: the command Write, or another one of the same blocks.
 * Requests of different commands are different kinds (priority.h): a kind's value is then that of a
 * command instead of a priority, which NVMe commands have none of. Pure.
 */
#ifndef CUPEL_GENERATOR_WRITE_MODE_H
#define CUPEL_GENERATOR_WRITE_MODE_H

#include <stdint.h>

/* Write comes last: it is what the others are compared with. */
enum write_mode {
    WRITE_MODE_ZEROES, /* Write Zeroes: no data go to the device */
    WRITE_MODE_UNCOR,  /* Write Uncorrectable: reads fail until the next write */
    WRITE_MODE_VERIFY, /* Verify: the device reads its medium, and nothing is changed */
    WRITE_MODE_WRITE,
    WRITE_MODES
};

/* zeroes, uncor, verify, write: fio's words. */
extern const char *const write_mode_names[WRITE_MODES];

/* As the value of a kind of requests: of a class of priorities that the kernel does not have. */
#define WRITE_MODE_CLASS 7u
static inline uint16_t write_mode_value(enum write_mode mode)
{
    return (uint16_t)(WRITE_MODE_CLASS << 13 | (unsigned)mode);
}

/* And back; WRITE_MODES: it is a priority. */
static inline enum write_mode write_mode_of(uint16_t value)
{
    const unsigned mode = value & 0x1fff;
    return value >> 13 == WRITE_MODE_CLASS && mode < WRITE_MODES ? (enum write_mode)mode
                                                                 : WRITE_MODES;
}

#endif
