/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks SCSI disks for their health, and decodes log pages. */
#include "hw/disk/internal.h"

#include <string.h>

#include "base/endian.h"

#define ATTENTIONS_MAX      3 /* unit attentions that may come before the answer */
#define EXCEPTIONS_PAGE     0x2f
#define SCAN_PAGE           0x15
#define READ_ERRORS_PAGE    0x03
#define TOTAL_UNCORRECTED   0x0006
#define MINUTES_PER_HOUR    60
#define QUALIFIER_OF_A_TEST 0xff

static const char standby[] = "SCSI REQUEST SENSE: it is in standby and was not woken";

/* ---- log pages ---- */

struct parameter {
    const uint8_t *bytes; /* NULL: no such parameter */
    size_t length;
};

/* A parameter that is cut off does not count. */
static struct parameter find_parameter(const struct scsi_answer *answer, uint8_t page,
                                       unsigned code)
{
    const uint8_t *data = answer->data;
    size_t end = answer->received < 4 ? 0 : 4 + load_be16(data + 2);
    end = end < answer->received ? end : answer->received;
    if (end < 4 || (data[0] & 0x3f) != page)
        return (struct parameter){0};
    for (size_t at = 4; at + 4 <= end; at += 4u + data[at + 3])
        if (load_be16(data + at) == code && at + 4 + data[at + 3] <= end)
            return (struct parameter){data + at + 4, data[at + 3]};
    return (struct parameter){0};
}

/* ---- health ---- */

static bool is_predicted(uint8_t code, uint8_t qualifier)
{
    return code == SENSE_FAILURE_PREDICTED && qualifier != QUALIFIER_OF_A_TEST;
}

static void add_health(struct inventory *v, int node, uint8_t code, uint8_t qualifier,
                       const char *source)
{
    if (is_predicted(code, qualifier))
        inventory_addf(v, node, "health", "", source,
                       "failing: the drive predicts it (SCSI %02Xh/%02Xh)", code, qualifier);
    else if (code == SENSE_WARNING && qualifier == 0x01)
        inventory_add(v, node, "health", "temperature beyond a threshold", "", source, FACT_OK);
    else if (code != 0 && code != SENSE_FAILURE_PREDICTED)
        inventory_addf(v, node, "health", "", source, "warning (SCSI %02Xh/%02Xh)", code,
                       qualifier);
    else
        inventory_add(v, node, "health", "good", "", source, FACT_OK);
}

/* Does sense data predict a failure? Now, or with the command before. */
static bool predicts_failure(struct inventory *v, int node, const struct scsi_sense *sense,
                             enum scsi_command which)
{
    bool predicted = sense->known && is_predicted(sense->code, sense->qualifier);
    if (predicted)
        add_health(v, node, sense->code, sense->qualifier, scsi_command_name(which));
    return predicted;
}

/* Does it say that the disk is stopped or in standby, so that reading would spin it up? */
static bool scsi_sense_is_asleep(const struct scsi_sense *sense)
{
    if (!sense->known)
        return false;
    /* NOT READY, INITIALIZING COMMAND REQUIRED: the disk was stopped. */
    if (sense->key == SENSE_NOT_READY && sense->code == 0x04 && sense->qualifier == 0x02)
        return true;
    if (sense->code != SENSE_LOW_POWER)
        return false;
    switch (sense->qualifier) {
    case 0x00: /* low power of an unknown kind */
    case 0x02: /* standby_z by timer, by command; likewise standby_y */
    case 0x04:
    case 0x09:
    case 0x0a:
        return true;
    default: /* idle: the disk spins */
        return false;
    }
}

void scsi_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature)
{
    struct scsi_answer answer;
    enum fact_status status = FACT_ABSENT;
    /* Pending unit attentions come first, one at a time, as the sense data of this command. */
    for (unsigned i = 0; i <= ATTENTIONS_MAX; i++) {
        status = scsi_send(disk, SCSI_TEST_UNIT_READY, &answer);
        const struct scsi_sense *sense = &answer.sense;
        if (!sense->known || sense->key != SENSE_UNIT_ATTENTION ||
            is_predicted(sense->code, sense->qualifier))
            break;
    }
    bool asleep = scsi_sense_is_asleep(&answer.sense);
    bool predicted = predicts_failure(v, node, &answer.sense, SCSI_TEST_UNIT_READY);
    if (status != FACT_OK && !predicted) {
        disk_health_missing(v, node, status,
                            asleep ? standby : scsi_command_name(SCSI_TEST_UNIT_READY));
        return;
    }
    if (scsi_send(disk, SCSI_REQUEST_SENSE, &answer) == FACT_OK) {
        struct scsi_sense sense = scsi_sense_read(answer.data, answer.received);
        asleep = asleep || scsi_sense_is_asleep(&sense);
        predicted = predicted || predicts_failure(v, node, &sense, SCSI_REQUEST_SENSE);
    }
    if (asleep) {
        if (!predicted)
            disk_health_missing(v, node, FACT_ABSENT, standby);
        return;
    }

    /* The log page of exceptions has the last report, and the temperature. */
    struct parameter p = {0};
    const char *source = scsi_command_name(SCSI_EXCEPTIONS_LOG);
    status = scsi_send(disk, SCSI_EXCEPTIONS_LOG, &answer);
    if (status == FACT_OK)
        p = find_parameter(&answer, EXCEPTIONS_PAGE, 0);
    if (!predicted && p.length >= 2)
        add_health(v, node, p.bytes[0], p.bytes[1], source);
    else if (!predicted)
        disk_health_missing(v, node, status == FACT_OK ? FACT_INVALID : status, source);
    if (temperature && p.length >= 3 && p.bytes[2] != 0 && p.bytes[2] != 0xff)
        inventory_add_number(v, node, "temperature", p.bytes[2], "C", source);

    if (scsi_send(disk, SCSI_BACKGROUND_SCAN_LOG, &answer) == FACT_OK) {
        p = find_parameter(&answer, SCAN_PAGE, 0);
        if (p.length >= 4)
            inventory_add_number(v, node, "power_on_hours", load_be32(p.bytes) / MINUTES_PER_HOUR,
                                 "h", scsi_command_name(SCSI_BACKGROUND_SCAN_LOG));
    }
    if (scsi_send(disk, SCSI_READ_ERRORS_LOG, &answer) == FACT_OK) {
        p = find_parameter(&answer, READ_ERRORS_PAGE, TOTAL_UNCORRECTED);
        if (p.length >= 1 && p.length <= 8)
            inventory_add_number(v, node, "reported_uncorrectable", load_be(p.bytes, p.length), "",
                                 scsi_command_name(SCSI_READ_ERRORS_LOG));
    }
}
