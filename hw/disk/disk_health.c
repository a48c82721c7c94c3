/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the health of disks that the block prober has found and that accept SCSI commands: decides
   which of them may be asked, and reads SMART data and statistics of ATA drives. */
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
    /* Only whole disks ("sda") may be sent commands, not partitions, tapes or optical drives. */
    if (v->nodes[node].kind != NODE_DISK || !is(inventory_value(v, node, "bus"), "scsi") ||
        strncmp(name, "sd", 2) != 0)
        return DISK_NOT_ASKED;
    /* The kernel addresses an ATA disk as a SCSI disk, through a translation layer. VPD page 89h
       shows that the disk has this layer, and without a bridge so does the vendor name "ATA". */
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
    if (status == FACT_OK && answer.received != ATA_SMART_BYTES)
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
        answer.received == ATA_SMART_BYTES && answer.data[2] == 0x07 &&
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
        /* remains 0, which is no disk's number, if the kernel does not show the disk's number */
        dev_t device = 0;
        snprintf(path, sizeof path, CLASS "/%s/dev", name);
        if (sysroot_line(p->root, path, text, sizeof text) == FACT_OK)
            (void)device_number_parse(text, &device);
        bool temperature =
            /* false: the kernel's hwmon sensor already reports the disk's temperature */
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
