/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the health of disks that the block prober has found and that accept SCSI commands: SCSI
   disks report it in log pages, ATA drives in SMART data and statistics. */
#include "hw/disk/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/file/device_number.h"
#include "hw/disk/block.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"
#include "tables/ata_smart.h"

#define CLASS "/sys/class/block"

static bool is(const char *value, const char *word)
{
    return value && !strcmp(value, word);
}

static bool disk_has_file(const struct sysroot *root, const char *name, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, CLASS "/%s/%s", name, file);
    return sysroot_exists(root, path);
}

/* ---- which disks may be sent commands ---- */

enum disk_asking disk_asking_of(const struct sysroot *root, const struct inventory *v, int node)
{
    const char *name = v->nodes[node].name;
    bool bridge = disk_kind_is(inventory_value(v, node, "transport"), DISK_BEHIND_BRIDGE);
    /* Only a disk ("sda") may, not a partition, a tape or an optical drive. */
    if (v->nodes[node].kind != NODE_DISK || !is(inventory_value(v, node, "bus"), "scsi") ||
        strncmp(name, "sd", 2) != 0)
        return DISK_NOT_ASKED;
    /* The kernel addresses an ATA disk as a SCSI disk through a translation. VPD page 89h shows
       that there is one, or the vendor name "ATA", which counts only without a bridge. */
    bool ata = disk_has_file(root, name, "device/vpd_pg89") ||
               (!bridge && is(inventory_value(v, node, "vendor"), "ATA"));
    if (bridge && !ata)
        return DISK_NOT_ASKED;
    /* Finds the disk's host, by its address "6:0:2:0". While the host recovers from errors, all
       commands wait. */
    char path[256], address[64], status[32];
    snprintf(path, sizeof path, CLASS "/%s/device", name);
    if (!is(inventory_value(v, node, "state"), "running") ||
        sysroot_link(root, path, address, sizeof address) != FACT_OK)
        return DISK_NOT_WELL;
    snprintf(path, sizeof path, "/sys/class/scsi_host/host%lu/state", strtoul(address, NULL, 10));
    if (sysroot_line(root, path, status, sizeof status) != FACT_OK ||
        strcmp(status, "running") != 0)
        return DISK_NOT_WELL;
    snprintf(path, sizeof path, CLASS "/%s/device/power/runtime_status", name);
    /* Where the kernel does not manage power there is no such file, or it holds "unsupported". */
    if (sysroot_line(root, path, status, sizeof status) == FACT_OK &&
        (!strcmp(status, "suspended") || !strcmp(status, "suspending")))
        return DISK_SWITCHED_OFF;
    return ata ? DISK_ASK_ATA : DISK_ASK_SCSI;
}

enum disk_asking disk_asking(const struct probe *p, int node)
{
    return p->commands && !p->root->prefix[0] ? disk_asking_of(p->root, p->inventory, node)
                                              : DISK_NOT_ASKED;
}

/* ---- a health that is not known ---- */

/* Adds the fact `health` for a disk whose health could not be read, and power_on_hours if the
   status is denied; `source` gives the reason. */
static void disk_health_missing(struct inventory *v, int node, enum fact_status status,
                                const char *source)
{
    inventory_add(v, node, "health", "", "", source, status);
    if (status == FACT_DENIED)
        inventory_add(v, node, "power_on_hours", "", "h", source, status);
}

/* ---- SCSI ---- */

#define ATTENTIONS_MAX      3 /* number of unit attentions that may come before the answer */
#define EXCEPTIONS_PAGE     0x2f
#define SCAN_PAGE           0x15
#define READ_ERRORS_PAGE    0x03
#define TOTAL_UNCORRECTED   0x0006
#define MINUTES_PER_HOUR    60
#define QUALIFIER_OF_A_TEST 0xff

static const char scsi_standby[] = "SCSI REQUEST SENSE: it is in standby and was not woken";

struct parameter {
    const uint8_t *bytes; /* NULL: the page has no such parameter */
    size_t length;
};

/* Returns a parameter of the log page. One that is cut off at the end of the data does not
   count. */
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

/* Returns true if the sense data predict a failure, and then adds the fact `health`. */
static bool predicts_failure(struct inventory *v, int node, const struct scsi_sense *sense,
                             enum scsi_command which)
{
    bool predicted = sense->known && is_predicted(sense->code, sense->qualifier);
    if (predicted)
        add_health(v, node, sense->code, sense->qualifier, scsi_command_name(which));
    return predicted;
}

/* Returns true if the sense data show that the disk is stopped or in standby, so that reading would
   spin it up. */
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
    /* standby_z by timer; the next ones: standby_z by command, standby_y by timer, by command */
    case 0x02:
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
                            asleep ? scsi_standby : scsi_command_name(SCSI_TEST_UNIT_READY));
        return;
    }
    if (scsi_send(disk, SCSI_REQUEST_SENSE, &answer) == FACT_OK) {
        struct scsi_sense sense = scsi_sense_read(answer.data, answer.received);
        asleep = asleep || scsi_sense_is_asleep(&sense);
        predicted = predicted || predicts_failure(v, node, &sense, SCSI_REQUEST_SENSE);
    }
    if (asleep) {
        if (!predicted)
            disk_health_missing(v, node, FACT_ABSENT, scsi_standby);
        return;
    }

    /* The log page of exceptions has the latest prediction, and the temperature. */
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

/* ---- ATA ---- */

#define ATTRIBUTES      30
#define ATTRIBUTES_AT   2
#define ATTRIBUTE_BYTES 12
#define ATTRIBUTE_VALUE 3
#define ATTRIBUTE_RAW   5
/* status register: the bits for a device fault and for an error */
#define REGISTER_FAILURE 0x21

static const char ata_standby[] = "ATA CHECK POWER MODE: it is in standby and was not woken";
static const char no_smart[] = "ATA IDENTIFY DEVICE: the drive has no SMART";
static const char smart_off[] = "ATA IDENTIFY DEVICE: SMART is switched off in the drive";

struct counter_row {
    uint8_t id;
    const char *key;
    unsigned bytes;
    uint64_t max;
    const char *unit;
};

#define COUNTER_ROW(...) {__VA_ARGS__},
static const struct counter_row counters[] = {SMART_COUNTER_ROWS(COUNTER_ROW)};
#undef COUNTER_ROW

#define WEAR_ROW(id) (id),
static const uint8_t wears[] = {SMART_WEAR_ROWS(WEAR_ROW)};
#undef WEAR_ROW

static const uint8_t *find_attribute(const uint8_t *data, uint8_t id)
{
    for (size_t i = 0; i < ATTRIBUTES; i++)
        if (data[ATTRIBUTES_AT + ATTRIBUTE_BYTES * i] == id)
            return data + ATTRIBUTES_AT + ATTRIBUTE_BYTES * i;
    return NULL;
}

void ata_add_attributes(struct inventory *v, int node, const uint8_t data[static ATA_SMART_BYTES],
                        bool solid_state, bool temperature)
{
    const char *source = scsi_command_name(ATA_SMART_DATA);
    uint8_t sum = 0;
    for (size_t i = 0; i < ATA_SMART_BYTES; i++)
        sum = (uint8_t)(sum + data[i]);
    if (sum != 0) {
        inventory_add(v, node, "power_on_hours", "", "h", source, FACT_INVALID);
        return;
    }
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        const uint8_t *attribute = find_attribute(data, counters[i].id);
        if (attribute) {
            const struct counter_row *row = &counters[i];
            uint64_t value = load_le(attribute + ATTRIBUTE_RAW, row->bytes);
            if (row->max && value > row->max)
                inventory_add(v, node, row->key, "", row->unit, source, FACT_INVALID);
            else
                inventory_add_number(v, node, row->key, value, row->unit, source);
        }
    }
    const uint8_t *warmth = temperature ? find_attribute(data, SMART_TEMPERATURE) : NULL;
    if (warmth)
        inventory_addf(v, node, "temperature", "C", source, "%d", (int8_t)warmth[ATTRIBUTE_RAW]);
    /* Some drives use these attributes of wear with another meaning; their numbers are then out of
       range. */
    for (size_t i = 0; solid_state && i < sizeof wears; i++) {
        const uint8_t *attribute = find_attribute(data, wears[i]);
        unsigned left = attribute ? attribute[ATTRIBUTE_VALUE] : 0;
        char wear_source[64];
        if (left < 1 || left > 100)
            continue;
        snprintf(wear_source, sizeof wear_source, "%s, attribute %u", source, wears[i]);
        inventory_add_number(v, node, "life_left", left, "%", wear_source);
        break;
    }
}

/* Values of the LBA registers after SMART RETURN STATUS. */
#define STATUS_GOOD    0xc24f
#define STATUS_FAILING 0x2cf4

static bool has_registers(const struct scsi_answer *answer)
{
    return answer->sense.has_registers && !(answer->sense.status & REGISTER_FAILURE);
}

void ata_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature)
{
    struct scsi_answer answer;
    uint16_t words[ATA_IDENTIFY_WORDS];
    enum fact_status status = scsi_send(disk, ATA_CHECK_POWER_MODE, &answer);
    bool known = status == FACT_OK && has_registers(&answer);
    /* A drive sleeps in standby, and also when it is active with its spindle stopped while a cache
       in flash memory serves requests. A drive whose state is not known may be asleep. */
    uint8_t mode = answer.sense.count;
    if (!known || mode == 0x00 || mode == 0x01 || mode == 0x40) {
        disk_health_missing(v, node, status == FACT_OK ? FACT_ABSENT : status,
                            known ? ata_standby : scsi_command_name(ATA_CHECK_POWER_MODE));
        return;
    }

    status = scsi_send(disk, ATA_IDENTIFY_DEVICE, &answer);
    if (status == FACT_OK && answer.received != sizeof answer.data)
        status = FACT_INVALID;
    if (status != FACT_OK) {
        disk_health_missing(v, node, status, scsi_command_name(ATA_IDENTIFY_DEVICE));
        return;
    }
    ata_identify_read(answer.data, words);
    enum ata_smart smart = ata_identify_smart(words);
    if (smart != ATA_SMART_ON) {
        disk_health_missing(v, node, FACT_ABSENT, smart == ATA_NO_SMART ? no_smart : smart_off);
        return;
    }

    const char *source = scsi_command_name(ATA_SMART_STATUS);
    status = scsi_send(disk, ATA_SMART_STATUS, &answer);
    unsigned signature = (unsigned)answer.sense.lba_high << 8 | answer.sense.lba_mid;
    bool decided = status == FACT_OK && has_registers(&answer) &&
                   (signature == STATUS_GOOD || signature == STATUS_FAILING);
    /* The used share of a solid state drive's life is in page 7 of the device statistics. Each
       statistic has eight bytes; the last one shows whether it is valid. */
    int used = -1;
    if (ata_identify_has_solid_state_log(words) &&
        scsi_send(disk, ATA_SOLID_STATE_STATISTICS, &answer) == FACT_OK &&
        answer.received == sizeof answer.data && answer.data[2] == 0x07 &&
        (answer.data[15] & 0xc0) == 0xc0)
        used = answer.data[8];
    if (!decided)
        disk_health_missing(v, node, status == FACT_OK ? FACT_ABSENT : status, source);
    else if (signature == STATUS_FAILING)
        inventory_add(v, node, "health", "failing: the drive predicts it (SMART)", "", source,
                      FACT_OK);
    else
        inventory_add(v, node, "health", used >= 100 ? "rated life used up" : "good", "", source,
                      FACT_OK);
    if (used >= 0)
        inventory_add_number(v, node, "percentage_used", (uint64_t)used, "%",
                             scsi_command_name(ATA_SOLID_STATE_STATISTICS));
    if (scsi_send(disk, ATA_SMART_DATA, &answer) == FACT_OK && answer.received == ATA_SMART_BYTES)
        ata_add_attributes(v, node, answer.data, ata_identify_is_solid_state(words), temperature);
}

/* ---- asking ---- */

void look_at_disk_health(struct probe *p)
{
    static const char *const reasons[] = {
        [DISK_NOT_WELL] = "not asked: the kernel does not run it",
        [DISK_SWITCHED_OFF] = "not asked: stopped to save power, and was not woken",
    };
    for (int node = 0; node < p->inventory->node_count; node++) {
        const char *name = p->inventory->nodes[node].name;
        enum disk_asking asking = disk_asking(p, node);
        if (asking == DISK_NOT_ASKED)
            continue;
        if (asking != DISK_ASK_ATA && asking != DISK_ASK_SCSI) {
            inventory_add(p->inventory, node, "health", "", "", reasons[asking], FACT_ABSENT);
            continue;
        }
        char path[256], text[32];
        /* 0 is no disk's number; it stays when the kernel does not show the number */
        dev_t device = 0;
        snprintf(path, sizeof path, CLASS "/%s/dev", name);
        if (sysroot_line(p->root, path, text, sizeof text) == FACT_OK)
            (void)device_number_parse(text, &device);
        bool temperature =
            /* otherwise a sensor reports the temperature */
            !disk_has_file(p->root, name, "device/hwmon");
        struct scsi_disk disk;
        scsi_disk_open(&disk, name, device);
        if (asking == DISK_ASK_ATA)
            ata_ask_health(&disk, p->inventory, node, temperature);
        else
            scsi_ask_health(&disk, p->inventory, node, temperature);
        scsi_disk_close(&disk);
    }
}
