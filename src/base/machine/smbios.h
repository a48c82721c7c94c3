/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the firmware's table about the machine (DMTF DSP0134, System Management BIOS, 6.1). A
 * structure of the table has a header, fields at fixed offsets, then strings, which fields refer to
 * by numbers from 1. The table may be damaged: nothing outside of it is read. Pure functions.
 */
#ifndef CUPEL_BASE_MACHINE_SMBIOS_H
#define CUPEL_BASE_MACHINE_SMBIOS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

#define SMBIOS_TABLE     "/sys/firmware/dmi/tables/DMI"
#define SMBIOS_TABLE_MAX ((size_t)1 << 20)

enum smbios_type {
    SMBIOS_MEMORY_ARRAY = 16,
    SMBIOS_MEMORY_DEVICE = 17,
    SMBIOS_MEMORY_DEVICE_ADDRESS = 20,
    SMBIOS_END = 127
};

/* Offsets of the numbers of two strings of a memory device (7.18) that identify one module. */
enum { SMBIOS_DEVICE_SERIAL = 0x18, SMBIOS_DEVICE_ASSET = 0x19 };

struct smbios_structure {
    const uint8_t *fields; /* the bytes of the structure, from its header on */
    /* `type`: kind of structure; `length`: bytes of the header and the fields */
    uint8_t type, length;
    uint16_t handle;
    struct span strings; /* the strings, each ended by '\0'; an empty one ends them */
    size_t size;         /* bytes of the whole structure */
};

/* Takes the next structure from the front of `rest`. Returns false at the end of the table, and
   also if the next bytes are no structure: `rest` is then not empty. */
static inline bool smbios_next(struct span *rest, struct smbios_structure *s)
{
    const size_t header = 4;
    if (rest->length < header + 2)
        return false;
    const uint8_t *at = (const uint8_t *)rest->text;
    if (at[1] < header || at[1] > rest->length)
        return false;
    const char *strings = rest->text + at[1], *end = rest->text + rest->length, *last = strings;
    while (last + 1 < end && (last[0] || last[1]))
        last++;
    if (last + 1 >= end)
        return false;
    *s = (struct smbios_structure){.fields = at,
                                   .type = at[0],
                                   .length = at[1],
                                   .handle = (uint16_t)(at[2] | at[3] << 8),
                                   .strings = {strings, (size_t)(last + 1 - strings)},
                                   .size = (size_t)(last + 2 - rest->text)};
    rest->text += s->size;
    rest->length -= s->size;
    return true;
}

/* Returns a little-endian field of `bytes` bytes; 0 if the structure ends before it. */
static inline uint32_t smbios_field(const struct smbios_structure *s, size_t offset, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; offset + bytes <= s->length && i < bytes; i++)
        value |= (uint32_t)s->fields[offset + i] << 8 * i;
    return value;
}

/* Returns the string whose number is the byte at the offset; empty if there is no such string. */
static inline struct span smbios_string(const struct smbios_structure *s, size_t offset)
{
    const char *at = s->strings.text, *end = at + s->strings.length;
    for (uint32_t left = smbios_field(s, offset, 1); left && at < end && *at; left--) {
        const size_t length = strnlen(at, (size_t)(end - at));
        if (left == 1)
            return (struct span){at, length};
        at += length + 1;
    }
    return (struct span){"", 0};
}

#endif
