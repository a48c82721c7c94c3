/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of SCSI sense data. */
#include "hw/disk/internal.h"

#define ATA_DESCRIPTOR        0x09
#define ATA_DESCRIPTOR_LENGTH 12
#define FIXED_SHORTEST        14 /* up to the additional sense code's qualifier */
#define DESCRIPTORS_SHORTEST  8

/* ATA PASS-THROUGH INFORMATION AVAILABLE: what fixed sense data say when they hold registers. */
#define ATA_INFORMATION           0x00
#define ATA_INFORMATION_QUALIFIER 0x1d

static void read_registers(struct scsi_sense *sense, const uint8_t *bytes, size_t length)
{
    for (size_t at = DESCRIPTORS_SHORTEST; at + 2 <= length; at += 2u + bytes[at + 1]) {
        const uint8_t *d = bytes + at;
        if (d[0] != ATA_DESCRIPTOR || d[1] != ATA_DESCRIPTOR_LENGTH ||
            at + 2 + ATA_DESCRIPTOR_LENGTH > length)
            continue;
        sense->has_registers = true;
        sense->count = d[5];
        sense->lba_mid = d[9];
        sense->lba_high = d[11];
        sense->status = d[13];
        return;
    }
}

static struct scsi_sense read_descriptors(const uint8_t *bytes, size_t length)
{
    struct scsi_sense sense = {
        .known = true, .key = bytes[1] & 0xf, .code = bytes[2], .qualifier = bytes[3]};
    size_t told = DESCRIPTORS_SHORTEST + (size_t)bytes[7];
    read_registers(&sense, bytes, told < length ? told : length);
    return sense;
}

static struct scsi_sense read_fixed(const uint8_t *bytes)
{
    struct scsi_sense sense = {
        .known = true, .key = bytes[2] & 0xf, .code = bytes[12], .qualifier = bytes[13]};
    if (sense.code == ATA_INFORMATION && sense.qualifier == ATA_INFORMATION_QUALIFIER) {
        sense.has_registers = true;
        sense.status = bytes[4];
        sense.count = bytes[6];
        sense.lba_mid = bytes[10];
        sense.lba_high = bytes[11];
    }
    return sense;
}

struct scsi_sense scsi_sense_read(const uint8_t *bytes, size_t length)
{
    unsigned format = length ? bytes[0] & 0x7fu : 0;
    if ((format == 0x72 || format == 0x73) && length >= DESCRIPTORS_SHORTEST)
        return read_descriptors(bytes, length);
    if ((format == 0x70 || format == 0x71) && length >= FIXED_SHORTEST)
        return read_fixed(bytes);
    return (struct scsi_sense){0};
}

bool scsi_sense_is_asleep(const struct scsi_sense *sense)
{
    if (!sense->known)
        return false;
    /* NOT READY, INITIALIZING COMMAND REQUIRED: it was stopped. */
    if (sense->key == SENSE_NOT_READY && sense->code == 0x04 && sense->qualifier == 0x02)
        return true;
    if (sense->code != SENSE_LOW_POWER)
        return false;
    switch (sense->qualifier) {
    case 0x00: /* low power, which is not told */
    case 0x02: /* standby_z by timer, by command; standby_y the same */
    case 0x04:
    case 0x09:
    case 0x0a:
        return true;
    default: /* idle: it spins */
        return false;
    }
}
