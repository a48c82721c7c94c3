/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SATA ports that have a drive, and their links. Ports without one are left out. */
#include "hw/probers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"
#include "hw/disk/internal.h"
#include "hw/link/link_facts.h"
#include "hw/sysroot/attribute.h"

#define PORTS         "/sys/class/ata_port"
#define LINKS         "/sys/class/ata_link"
#define DEVICES       "/sys/class/ata_device"
#define MULTIPLIED    16 /* links of a port multiplier */
#define IDENTIFY_TEXT 2048

static struct link_rate sata_limit(double bits_per_second, unsigned lanes)
{
    (void)lanes;
    return limit_sata(bits_per_second / 1e9);
}

/* "6.0 Gbps" in bits/s; NaN for "<unknown>", which stands for no link and for no limit. */
static double read_rate(const struct sysroot *root, const char *folder, const char *file)
{
    char path[160], text[64];
    double gigabits;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (sysroot_line(root, path, text, sizeof text) != FACT_OK)
        return (double)NAN;
    struct span s = span_trimmed(span_of(text));
    size_t number = strcspn(s.text, " ");
    bool known = number < s.length && !strncmp(s.text + number, " Gbps", 5) &&
                 number_parse(s.text, number, &gigabits) == NUMBER_OK && gigabits > 0 &&
                 1e9 * gigabits < LINK_RATE_MAX;
    return known ? 1e9 * gigabits : (double)NAN;
}

/* ---- what a port can ---- */

/* AHCI has the fastest rate in bits 23:20 of its capabilities (AHCI 1.3.1, 3.1.1: CAP.ISS). */
static double ahci_rate(const struct sysroot *root, const char *folder)
{
    static const double rates[] = {[1] = 1.5e9, [2] = 3e9, [3] = 6e9};
    struct sysroot_names names;
    char path[160], text[32] = "";
    sysroot_list(root, folder, &names);
    for (size_t i = 0; i < names.count; i++)
        if (!strncmp(names.names[i], "host", 4) && strlen(names.names[i]) < 16) {
            snprintf(path, sizeof path, "/sys/class/scsi_host/%s/ahci_host_caps", names.names[i]);
            sysroot_line(root, path, text, sizeof text);
        }
    sysroot_names_free(&names);
    unsigned long code = strtoul(text, NULL, 16) >> 20 & 0xf; /* 0 of no text */
    return code >= 1 && code <= 3 ? rates[code] : (double)NAN;
}

/* ---- one link with its drive ---- */

struct ata_drive {
    char name[24];  /* dev1.0 */
    char class[24]; /* "ata", "atapi", "pmp"; "" unless the status is FACT_OK */
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

/* `port_rate`: what the host's side can, as far as the controller says. */
static void add_link(struct probe *p, int node, const char *link_name, double port_rate,
                     const struct ata_drive *drive)
{
    char folder[128], device[128], reason[128];
    uint16_t words[ATA_IDENTIFY_WORDS];
    snprintf(folder, sizeof folder, LINKS "/%s", link_name);
    snprintf(device, sizeof device, DEVICES "/%s", drive->name);
    inventory_add(p->inventory, node, "drive", drive->class, "", device, drive->status);
    /* The words that the drive says about itself; facts of those that matter. */
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
        .port = fmin(port_rate, read_rate(p->root, folder, "hw_sata_spd_limit")),
        .device = ata_identify_rate(words),
        .negotiated = read_rate(p->root, folder, "sata_spd"),
        .device_word = "drive",
        .reason_slower = reason,
        .limit = sata_limit,
        .source = folder,
    };
    ends.denied = isnan(ends.negotiated) && link_facts_denied(p->root, folder, "sata_spd");
    bool parallel = isnan(ends.negotiated) && isnan(ends.device) && !ends.denied;
    if (parallel)
        return;
    /* Why a link runs slower than both ends can, as far as the kernel knows. */
    double set_limit = read_rate(p->root, folder, "sata_spd_limit");
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

/* A drive at the port itself, the first of two that parallel ATA may have. */
static bool find_direct(const struct sysroot *root, const char *number, struct ata_drive *drive)
{
    char name[24];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "dev%s.%u", number, i);
        if (find_drive(root, name, drive))
            return true;
    }
    return false;
}

/* The rates of the multiplier's own ports are not shown. */
static void add_multiplied(struct probe *p, int parent, const char *number)
{
    char link[24], name[24];
    struct ata_drive drive;
    for (unsigned i = 0; i < MULTIPLIED; i++) {
        snprintf(link, sizeof link, "link%s.%u", number, i);
        snprintf(name, sizeof name, "dev%s.%u.0", number, i);
        if (!find_drive(p->root, name, &drive))
            continue;
        int node = inventory_add_node(p->inventory, NODE_ATA_PORT, link, NULL, parent);
        add_link(p, node, link, (double)NAN, &drive);
    }
}

static bool is_port(const char *name)
{
    size_t digits = strncmp(name, "ata", 3) != 0 ? 0 : strspn(name + 3, "0123456789");
    return digits > 0 && digits < 10 && !name[3 + digits];
}

void look_at_ata(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, PORTS, &names);
    for (size_t i = 0; i < names.count; i++) {
        if (!is_port(names.names[i]))
            continue;
        const char *name = names.names[i];
        char path[128], folder[PROBE_FOLDER], link[24];
        const char *number = name + 3;
        struct ata_drive drive;
        if (!find_direct(p->root, number, &drive))
            continue;
        snprintf(path, sizeof path, PORTS "/%s", name);
        if (sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
            continue;
        char *own = strstr(folder, "/ata_port/"); /* .../ata1/ata_port/ata1 */
        if (own)
            *own = '\0';
        int node = probe_add_below(p, NODE_ATA_PORT, name, folder);
        snprintf(link, sizeof link, "link%s", number);
        add_link(p, node, link, ahci_rate(p->root, folder), &drive);
        if (!strcmp(drive.class, "pmp"))
            add_multiplied(p, node, number);
    }
    sysroot_names_free(&names);
}
