/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes SCSI sense data, and names failures: look-ups in the tables. */
#include "base/scsi/scsi.h"

#include <errno.h>
#include <stdio.h>

#include "base/endian.h"
#include "tables/scsi_sense.h"

#define ATA_DESCRIPTOR        0x09
#define ATA_DESCRIPTOR_LENGTH 12
#define KEY_DESCRIPTOR        0x02 /* sense key specific data */
#define KEY_DESCRIPTOR_LENGTH 6
#define KEY_DATA_VALID        0x80
#define FIXED_SHORTEST        14 /* bytes up to and including the additional sense code qualifier */
#define FIXED_KEY_DATA        15 /* offset of the sense key specific data */
#define DESCRIPTORS_SHORTEST  8

/* The additional sense code "ATA PASS-THROUGH INFORMATION AVAILABLE": fixed sense data then contain
   the registers. */
#define ATA_INFORMATION           0x00
#define ATA_INFORMATION_QUALIFIER 0x1d

/* Reads sense key specific data, which contain the progress of a command if the disk reports no
   error. */
static void read_progress(struct scsi_sense *sense, const uint8_t data[static 3])
{
    sense->has_progress =
        (data[0] & KEY_DATA_VALID) && (sense->key == SENSE_NONE || sense->key == SENSE_NOT_READY);
    sense->progress = sense->has_progress ? load_be16(data + 1) : 0;
}

static struct scsi_sense read_descriptors(const uint8_t *bytes, size_t length)
{
    struct scsi_sense sense = {
        .known = true, .key = bytes[1] & 0xf, .code = bytes[2], .qualifier = bytes[3]};
    size_t stated = DESCRIPTORS_SHORTEST + (size_t)bytes[7];
    length = stated < length ? stated : length;
    for (size_t at = DESCRIPTORS_SHORTEST; at + 2 <= length; at += 2u + bytes[at + 1]) {
        const uint8_t *d = bytes + at;
        if (at + 2 + d[1] > length)
            break;
        if (d[0] == KEY_DESCRIPTOR && d[1] == KEY_DESCRIPTOR_LENGTH)
            read_progress(&sense, d + 4);
        if (d[0] != ATA_DESCRIPTOR || d[1] != ATA_DESCRIPTOR_LENGTH || sense.has_registers)
            continue;
        sense.has_registers = true;
        sense.count = d[5];
        sense.lba_mid = d[9];
        sense.lba_high = d[11];
        sense.status = d[13];
    }
    return sense;
}

struct scsi_sense scsi_sense_read(const uint8_t *bytes, size_t length)
{
    unsigned format = length ? bytes[0] & 0x7fu : 0;
    if ((format == 0x72 || format == 0x73) && length >= DESCRIPTORS_SHORTEST)
        return read_descriptors(bytes, length);
    if ((format != 0x70 && format != 0x71) || length < FIXED_SHORTEST)
        return (struct scsi_sense){0};
    struct scsi_sense sense = {
        .known = true, .key = bytes[2] & 0xf, .code = bytes[12], .qualifier = bytes[13]};
    if (sense.code == ATA_INFORMATION && sense.qualifier == ATA_INFORMATION_QUALIFIER) {
        sense.has_registers = true;
        sense.status = bytes[4];
        sense.count = bytes[6];
        sense.lba_mid = bytes[10];
        sense.lba_high = bytes[11];
    }
    if (length >= FIXED_KEY_DATA + 3)
        read_progress(&sense, bytes + FIXED_KEY_DATA);
    return sense;
}

/* ---- failures ---- */

#define HOST_GOOD    0
#define DRIVER_BITS  0x0f
#define DRIVER_SENSE 0x08

struct failure_row {
    uint8_t number;
    enum nvme_status_class which;
    int error;
    bool again;
    const char *name;
};

#define FAILURE_ROW(number, class, error, again, name)                                             \
    {number, NVME_STATUS_##class, error, again, name},
static const struct failure_row keys[] = {SCSI_SENSE_KEY_ROWS(FAILURE_ROW)},
                                statuses[] = {SCSI_STATUS_ROWS(FAILURE_ROW)},
                                hosts[] = {SCSI_HOST_ROWS(FAILURE_ROW)};
#undef FAILURE_ROW

static const struct sense_row {
    uint8_t code, qualifier;
    int error;
    const char *name;
} senses[] = {
#define SENSE_ROW(code, qualifier, error, name) {code, qualifier, error, name},
    SCSI_SENSE_ROWS(SENSE_ROW)
#undef SENSE_ROW
};

static const struct {
    const char *type;
    const struct failure_row *rows;
    size_t count;
} kinds[] = {
    [SCSI_FAILURE_SENSE] = {"sense key", keys, sizeof keys / sizeof *keys},
    [SCSI_FAILURE_STATUS] = {"SCSI status", statuses, sizeof statuses / sizeof *statuses},
    [SCSI_FAILURE_HOST] = {"host adapter", hosts, sizeof hosts / sizeof *hosts},
};

static enum scsi_failure_kind kind_of(uint32_t failure)
{
    return (enum scsi_failure_kind)(failure >> 24 & 3);
}

static uint32_t failure_of(enum scsi_failure_kind kind, uint32_t number)
{
    return SCSI_FAILED | (uint32_t)kind << 24 | number;
}

uint32_t scsi_failure_of(const struct sg_io_hdr *command)
{
    if (command->host_status != HOST_GOOD)
        return failure_of(SCSI_FAILURE_HOST, command->host_status & 0xffu);
    uint32_t status = command->status & 0x7eu;
    struct scsi_sense sense = scsi_sense_read(command->sbp, command->sb_len_wr);
    if (sense.known && sense.key <= SENSE_RECOVERED)
        return 0;
    if (sense.known)
        return failure_of(SCSI_FAILURE_SENSE,
                          (uint32_t)sense.key << 16 | (uint32_t)sense.code << 8 | sense.qualifier);
    if (status)
        return failure_of(SCSI_FAILURE_STATUS, status);
    uint32_t driver = command->driver_status & DRIVER_BITS;
    return driver && driver != DRIVER_SENSE ? failure_of(SCSI_FAILURE_HOST, 0x07) : 0;
}

static const struct failure_row *row_of(uint32_t failure)
{
    static const struct failure_row unknown = {0, NVME_STATUS_OTHER, EIO, false, "unknown"};
    const enum scsi_failure_kind kind = kind_of(failure);
    const uint32_t number = kind == SCSI_FAILURE_SENSE ? failure >> 16 & 0xf : failure & 0xff;
    for (size_t i = 0; i < kinds[kind].count; i++)
        if (kinds[kind].rows[i].number == number)
            return &kinds[kind].rows[i];
    return &unknown;
}

static const struct sense_row *sense_row_of(uint32_t failure)
{
    for (size_t i = 0; i < sizeof senses / sizeof *senses; i++)
        if (kind_of(failure) == SCSI_FAILURE_SENSE && senses[i].code == (failure >> 8 & 0xff) &&
            senses[i].qualifier == (failure & 0xff))
            return &senses[i];
    return NULL;
}

const char *scsi_failure_name(uint32_t failure)
{
    const struct sense_row *sense = sense_row_of(failure);
    if (kind_of(failure) != SCSI_FAILURE_SENSE)
        return row_of(failure)->name;
    return sense ? sense->name
           : (failure & 0xff) >= 0x80 || (failure >> 8 & 0xff) >= 0x80
               ? "Vendor specific sense code"
               : "Unknown sense code";
}

const char *scsi_failure_type(uint32_t failure)
{
    const enum scsi_failure_kind kind = kind_of(failure);
    return kind == SCSI_FAILURE_SENSE ? row_of(failure)->name : kinds[kind].type;
}

enum nvme_status_class scsi_failure_class(uint32_t failure)
{
    return row_of(failure)->which;
}

int scsi_failure_errno(uint32_t failure)
{
    const struct sense_row *sense = sense_row_of(failure);
    return sense && sense->error ? sense->error : row_of(failure)->error;
}

bool scsi_failure_may_succeed_again(uint32_t failure)
{
    return row_of(failure)->again;
}

char *scsi_failure_words(uint32_t failure, char *to, size_t size)
{
    char numbers[16];
    if (kind_of(failure) == SCSI_FAILURE_SENSE)
        snprintf(numbers, sizeof numbers, "%xh/%02xh/%02xh", failure >> 16 & 0xf,
                 failure >> 8 & 0xff, failure & 0xff);
    else
        snprintf(numbers, sizeof numbers, "%02xh", failure & 0xff);
    snprintf(to, size, "%s (%s, %s)", scsi_failure_name(failure), scsi_failure_type(failure),
             numbers);
    return to;
}
