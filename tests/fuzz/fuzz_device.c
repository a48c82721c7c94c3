/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data from drives: NVMe identify and health, ATA identify and attributes, SCSI pages and sense,
 * USB descriptors. The first byte chooses one; a SCSI drive returns the other bytes command by
 * command.
 */
#include <string.h>

#include "base/nvme/nvme.h"
#include "facts/inventory.h"
#include "hw/disk/internal.h"
#include "hw/usb/internal.h"
#include "tests/fuzz/fuzz.h"

static const uint8_t *rest;
static size_t rest_length;

static void take(void *to, size_t length)
{
    size_t n = length < rest_length ? length : rest_length;
    memset(to, 0, length);
    if (n > 0)
        memcpy(to, rest, n);
    rest += n;
    rest_length -= n;
}

/* Takes status and lengths, then data and sense, from the input. */
static int answer(const struct scsi_disk *disk, struct sg_io_hdr *command)
{
    (void)disk;
    uint8_t head[4];
    take(head, sizeof head);
    if (head[0] == 0xff)
        return -5;
    command->status = head[0];
    command->host_status = head[1] & 3;
    unsigned received = head[2] * 3u < command->dxfer_len ? head[2] * 3u : command->dxfer_len;
    if (received > 0)
        take(command->dxferp, received);
    command->resid = (int)(command->dxfer_len - received);
    command->sb_len_wr = head[3] < command->mx_sb_len ? head[3] : command->mx_sb_len;
    if (command->sb_len_wr > 0)
        take(command->sbp, command->sb_len_wr);
    return 0;
}

static void read_nvme(struct inventory *v, int node)
{
    static uint8_t bytes[NVME_IDENTIFY_BYTES];
    take(bytes, sizeof bytes);
    nvme_add_controller(v, node, bytes, 4096);
    nvme_add_power_state(v, node, bytes, bytes[0]);
    nvme_add_namespace(v, node, bytes);
    nvme_add_health(v, node, bytes);
    (void)nvme_retains_events(bytes);
}

static void read_ata(struct inventory *v, int node)
{
    uint8_t bytes[2 * ATA_IDENTIFY_WORDS];
    uint16_t words[ATA_IDENTIFY_WORDS];
    take(bytes, sizeof bytes);
    ata_identify_read(bytes, words);
    (void)ata_identify_rate(words);
    (void)ata_identify_queue_depth(words);
    (void)ata_identify_smart(words);
    (void)ata_identify_has_solid_state_log(words);
    ata_add_attributes(v, node, bytes, ata_identify_is_solid_state(words), true);
}

static void read_ata_text(void)
{
    uint16_t words[ATA_IDENTIFY_WORDS];
    char *text = strndup((const char *)rest, rest_length);
    if (text)
        (void)ata_identify_parse(text, words);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct inventory v = {0};
    struct scsi_disk disk = {.submit = answer, .state = FACT_OK, .fd = -1};
    int node = inventory_add_node(&v, NODE_DISK, "disk", NULL, INVENTORY_NONE);
    rest = data + 1;
    rest_length = size - 1;
    switch (data[0] % 6) {
    case 0:
        read_nvme(&v, node);
        break;
    case 1:
        read_ata(&v, node);
        break;
    case 2:
        read_ata_text();
        break;
    case 3:
        scsi_ask_health(&disk, &v, node, true);
        break;
    case 4:
        ata_ask_health(&disk, &v, node, true);
        break;
    default:
        (void)usb_store_speed(rest, rest_length);
    }
    inventory_free(&v);
    return 0;
}
