/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks ATA drives for their health, and decodes SMART data and statistics. */
#include "hw/disk/internal.h"

#include "base/endian.h"
#include "tables/ata_smart.h"
#include <stdio.h>

#define ATTRIBUTES       30
#define ATTRIBUTES_AT    2
#define ATTRIBUTE_BYTES  12
#define ATTRIBUTE_VALUE  3
#define ATTRIBUTE_RAW    5
#define REGISTER_FAILURE 0x21 /* bits of the status register: device fault, error */

static const char standby[] = "ATA CHECK POWER MODE: it is in standby and was not woken";
static const char no_smart[] = "ATA IDENTIFY DEVICE: the drive has no SMART";
static const char smart_off[] = "ATA IDENTIFY DEVICE: SMART is switched off in the drive";

/* ---- attributes ---- */

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
    /* Drives that use an attribute of wear with another meaning have numbers out of range there. */
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

/* ---- health ---- */

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
    /* Asleep means standby, or active with the spindle stopped while a cache in flash memory
       serves. A drive whose state is not known may be asleep. */
    uint8_t mode = answer.sense.count;
    if (!known || mode == 0x00 || mode == 0x01 || mode == 0x40) {
        disk_health_missing(v, node, status == FACT_OK ? FACT_ABSENT : status,
                            known ? standby : scsi_command_name(ATA_CHECK_POWER_MODE));
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
    /* The used share of a solid state drive's life: device statistics, page 7, eight bytes for
       each, the last of which says whether it is valid. */
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
