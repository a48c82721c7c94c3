/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds SATA ports with a drive, their links, and the identify data of drives. Ports without a
   drive are left out. */
#include "hw/probers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "hw/disk/internal.h"
#include "hw/link/link_facts.h"
#include "hw/sysroot/attribute.h"

#define PORTS         "/sys/class/ata_port"
#define LINKS         "/sys/class/ata_link"
#define DEVICES       "/sys/class/ata_device"
#define MULTIPLIED    16 /* maximum number of links of a port multiplier */
#define IDENTIFY_TEXT 2048

/* ---- IDENTIFY DEVICE data ---- */

/* Returns true if word 76 shows at least one SATA rate: each of its bits 3:1 stands for one. The
   values 0 and FFFFh mean that the word is not supported. */
static bool is_serial_ata(uint16_t capabilities)
{
    return capabilities != 0 && capabilities != 0xffff && (capabilities & 0x0e);
}

double ata_identify_rate(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    uint16_t capabilities = words[76];
    if (!is_serial_ata(capabilities))
        return (double)NAN;
    return capabilities & 8 ? 6e9 : capabilities & 4 ? 3e9 : 1.5e9;
}

unsigned ata_identify_queue_depth(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    return is_serial_ata(words[76]) && (words[76] & 0x100) ? (words[75] & 0x1fu) + 1 : 0;
}

/* Bits 15:14 of words 83 and 87 are 01b if the words around them are valid. */
static bool words_are_valid(uint16_t word)
{
    return word >> 14 == 1;
}

enum ata_smart ata_identify_smart(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    if (!words_are_valid(words[83]) || !(words[82] & 1))
        return ATA_NO_SMART;
    return words_are_valid(words[87]) && (words[85] & 1) ? ATA_SMART_ON : ATA_SMART_OFF;
}

bool ata_identify_is_solid_state(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    return words[217] == 1;
}

bool ata_identify_has_solid_state_log(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    return ata_identify_is_solid_state(words) && words_are_valid(words[87]) && (words[87] & 0x20);
}

void ata_identify_read(const uint8_t bytes[static 2 * ATA_IDENTIFY_WORDS],
                       uint16_t words[static ATA_IDENTIFY_WORDS])
{
    for (size_t i = 0; i < ATA_IDENTIFY_WORDS; i++)
        words[i] = load_le16(bytes + 2 * i);
}

unsigned ata_identify_parse(const char *text, uint16_t words[static ATA_IDENTIFY_WORDS])
{
    static const char blanks[] = " \t\r\n", digits[] = "0123456789abcdefABCDEF";
    unsigned count = 0;
    memset(words, 0, ATA_IDENTIFY_WORDS * sizeof *words);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strspn(text, digits);
        if (length != 4 || (text[4] && !strchr(blanks, text[4])) || count == ATA_IDENTIFY_WORDS) {
            memset(words, 0, ATA_IDENTIFY_WORDS * sizeof *words);
            return 0;
        }
        words[count++] = (uint16_t)strtoul(text, NULL, 16);
        text += length;
    }
    return count;
}

/* ---- rates of links ---- */

struct link_rate sata_link_limit(double bits_per_second, unsigned lanes)
{
    (void)lanes; /* a SATA link always has one lane */
    return limit_sata(bits_per_second / 1e9);
}

double disk_link_rate(const struct sysroot *root, const char *folder, const char *file,
                      const char *unit)
{
    char path[PROBE_FOLDER], text[64];
    double gigabits;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (sysroot_line(root, path, text, sizeof text) != FACT_OK)
        return (double)NAN;
    struct span s = span_trimmed(span_of(text));
    size_t number = strcspn(s.text, " ");
    bool known = number < s.length && !strncmp(s.text + number, unit, strlen(unit)) &&
                 number_parse(s.text, number, &gigabits) == NUMBER_OK && gigabits > 0 &&
                 1e9 * gigabits < LINK_RATE_MAX;
    return known ? 1e9 * gigabits : (double)NAN;
}

static double sata_rate(const struct sysroot *root, const char *folder, const char *file)
{
    return disk_link_rate(root, folder, file, " Gbps");
}

/* ---- one link with its drive ---- */

struct ata_drive {
    char name[24];  /* name of the device, such as "dev1.0" */
    char class[24]; /* kind of the device: "ata", "atapi", "pmp"; "" unless the status is FACT_OK */
    enum fact_status status;
};

static bool find_drive(const struct sysroot *root, const char *name, struct ata_drive *drive)
{
    char path[128];
    snprintf(drive->name, sizeof drive->name, "%s", name);
    snprintf(path, sizeof path, DEVICES "/%s/class", name);
    drive->status = sysroot_line(root, path, drive->class, sizeof drive->class);
    return drive->status != FACT_ABSENT && strcmp(drive->class, "none") != 0 &&
           strcmp(drive->class, "unknown") != 0;
}

/* Adds the facts of a link and its drive. `port_rate`: the fastest rate of the host's side, as far
   as the controller reports it. */
static void add_ata_link(struct probe *p, int node, const char *link_name, double port_rate,
                         const struct ata_drive *drive)
{
    char folder[128], device[128], reason[128];
    uint16_t words[ATA_IDENTIFY_WORDS];
    snprintf(folder, sizeof folder, LINKS "/%s", link_name);
    snprintf(device, sizeof device, DEVICES "/%s", drive->name);
    inventory_add(p->inventory, node, "drive", drive->class, "", device, drive->status);
    /* Reads the drive's identify data, of which the queue depth becomes a fact. */
    char path[160], text[IDENTIFY_TEXT];
    snprintf(path, sizeof path, "%s/id", device);
    enum fact_status status = sysroot_all(p->root, path, text, sizeof text);
    ata_identify_parse(text, words);
    unsigned depth = ata_identify_queue_depth(words);
    if (depth)
        inventory_add_number(p->inventory, node, "ncq_depth", depth, "", path);
    if (status == FACT_DENIED)
        inventory_add(p->inventory, node, "drive_capable", "", "", path, status);
    struct link_ends ends = {
        .port = fmin(port_rate, sata_rate(p->root, folder, "hw_sata_spd_limit")),
        .device = ata_identify_rate(words),
        .negotiated = sata_rate(p->root, folder, "sata_spd"),
        .device_word = "drive",
        .reason_slower = reason,
        .limit = sata_link_limit,
        .source = folder,
    };
    ends.denied = isnan(ends.negotiated) && link_facts_denied(p->root, folder, "sata_spd");
    bool parallel = isnan(ends.negotiated) && isnan(ends.device) && !ends.denied;
    if (parallel)
        return;
    /* Explains why the link runs slower than both ends can, as far as the kernel knows. */
    double set_limit = sata_rate(p->root, folder, "sata_spd_limit");
    size_t size = sizeof reason;
    uint64_t lowered = 0;
    attribute_number(p->root, device, "spdn_cnt", &lowered);
    if (lowered)
        snprintf(reason, size, "after errors the kernel lowered the speed, times: %" PRIu64,
                 lowered);
    else if (set_limit <= ends.negotiated)
        snprintf(reason, size, "the kernel is set to use no more (libata.force)");
    else
        snprintf(reason, size, "it trained lower: cable, slot or a setting of the drive");
    link_facts_add(p->inventory, node, &ends);
}

/* ---- ports ---- */

static void add_port(struct probe *p, const char *name)
{
    static const double rates[] = {[1] = 1.5e9, [2] = 3e9, [3] = 6e9};
    const char *number = name + 3;
    char path[160], folder[PROBE_FOLDER], link[24], drive_name[24], text[32] = "";
    struct ata_drive drive;
    /* Looks for a drive at the port itself: with parallel ATA the first of up to two. */
    bool found = false;
    for (unsigned i = 0; i < 2 && !found; i++) {
        snprintf(drive_name, sizeof drive_name, "dev%s.%u", number, i);
        found = find_drive(p->root, drive_name, &drive);
    }
    snprintf(path, sizeof path, PORTS "/%s", name);
    if (!found || sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
        return;
    char *own = strstr(folder, "/ata_port/"); /* cuts .../ata1/ata_port/ata1 down to .../ata1 */
    if (own)
        *own = '\0';
    int node = probe_add_below(p, NODE_ATA_PORT, name, folder);

    /* AHCI states the fastest rate in bits 23:20 of its capabilities (AHCI 1.3.1, 3.1.1:
       CAP.ISS). */
    struct sysroot_names names;
    sysroot_list(p->root, folder, &names);
    for (size_t i = 0; i < names.count; i++)
        if (!strncmp(names.names[i], "host", 4) && strlen(names.names[i]) < 16) {
            snprintf(path, sizeof path, "/sys/class/scsi_host/%s/ahci_host_caps", names.names[i]);
            sysroot_line(p->root, path, text, sizeof text);
        }
    sysroot_names_free(&names);
    unsigned long code = strtoul(text, NULL, 16) >> 20 & 0xf; /* 0 when the text is empty */
    snprintf(link, sizeof link, "link%s", number);
    add_ata_link(p, node, link, code >= 1 && code <= 3 ? rates[code] : (double)NAN, &drive);

    /* The kernel does not show the rates of a port multiplier's own ports. */
    for (unsigned i = 0; i < MULTIPLIED && !strcmp(drive.class, "pmp"); i++) {
        struct ata_drive multiplied;
        snprintf(link, sizeof link, "link%s.%u", number, i);
        snprintf(drive_name, sizeof drive_name, "dev%s.%u.0", number, i);
        if (!find_drive(p->root, drive_name, &multiplied))
            continue;
        int below = inventory_add_node(p->inventory, NODE_ATA_PORT, link, NULL, node);
        add_ata_link(p, below, link, (double)NAN, &multiplied);
    }
}

void look_at_ata(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, PORTS, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        size_t digits = strncmp(name, "ata", 3) != 0 ? 0 : strspn(name + 3, "0123456789");
        if (digits > 0 && digits < 10 && !name[3 + digits])
            add_port(p, name);
    }
    sysroot_names_free(&names);
}
