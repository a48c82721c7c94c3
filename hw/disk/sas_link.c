/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SAS links: the phys of a port, what is plugged into it, and what both can. */
#include "hw/disk/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "base/number_parse.h"
#include "hw/link/link_facts.h"
#include "hw/sysroot/attribute.h"

#define SAS_PORTS   "/sys/class/sas_port"
#define SAS_PHYS    "/sys/class/sas_phy"
#define SAS_DEVICES "/sys/class/sas_device"
#define PHYS_MAX    64
#define SATA_MAX    6e9

/* Errors of a phy: a port has their sums. */
static const char *const error_counters[] = {
    "invalid_dword_count",
    "running_disparity_error_count",
    "loss_of_dword_sync_count",
    "phy_reset_problem_count",
};

static struct link_rate sas_limit(double bits_per_second, unsigned lanes)
{
    return limit_sas(bits_per_second / 1e9, lanes);
}

static struct link_rate sata_limit(double bits_per_second, unsigned lanes)
{
    (void)lanes; /* a drive has one */
    return limit_sata(bits_per_second / 1e9);
}

static void read_text(const struct sysroot *root, const char *folder, const char *file, char *to,
                      size_t size)
{
    char path[PROBE_FOLDER];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    sysroot_line(root, path, to, size);
}

/* "12.0 Gbit" in bits/s; NaN for "Unknown", "Phy disabled" and the like. */
static double read_rate(const struct sysroot *root, const char *folder, const char *file)
{
    char text[64];
    double gigabits;
    read_text(root, folder, file, text, sizeof text);
    size_t number = strcspn(text, " ");
    bool known = !strncmp(text + number, " Gbit", 5) &&
                 number_parse(text, number, &gigabits) == NUMBER_OK && gigabits > 0 &&
                 1e9 * gigabits < LINK_RATE_MAX;
    return known ? 1e9 * gigabits : (double)NAN;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

bool sas_join(char *to, size_t size, const char *folder, const char *name)
{
    int length = snprintf(to, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size;
}

const char *sas_find_name(const struct sysroot_names *names, const char *prefix)
{
    for (size_t i = 0; i < names->count; i++)
        if (has_prefix(names->names[i], prefix))
            return names->names[i];
    return NULL;
}

/* ---- the phys of a port ---- */

struct phys {
    unsigned count;    /* that the port has */
    unsigned up;       /* that run */
    unsigned slow;     /* of these, those that run slower than the fastest */
    double negotiated; /* the slowest */
    double fastest;
    double hardware;        /* the least that their hardware can */
    double set;             /* the least that they are set to */
    struct link_rate rates; /* the sum of those that run */
    bool denied;            /* what one of them runs at may not be seen */
};

static void read_rates(const struct sysroot *root, const struct sysroot_names *names,
                       struct phys *phys)
{
    double rates[PHYS_MAX];
    char folder[160];
    *phys = (struct phys){.negotiated = (double)NAN,
                          .fastest = (double)NAN,
                          .hardware = (double)NAN,
                          .set = (double)NAN};
    for (size_t i = 0; i < names->count && phys->count < PHYS_MAX; i++) {
        if (!has_prefix(names->names[i], "phy-"))
            continue;
        snprintf(folder, sizeof folder, SAS_PHYS "/%s", names->names[i]);
        double rate = read_rate(root, folder, "negotiated_linkrate");
        phys->hardware = fmin(phys->hardware, read_rate(root, folder, "maximum_linkrate_hw"));
        phys->set = fmin(phys->set, read_rate(root, folder, "maximum_linkrate"));
        phys->count++;
        if (isnan(rate)) {
            phys->denied = phys->denied || link_facts_denied(root, folder, "negotiated_linkrate");
            continue;
        }
        rates[phys->up++] = rate;
        phys->negotiated = fmin(phys->negotiated, rate);
        phys->fastest = rate < phys->fastest ? phys->fastest : rate;
    }
    for (unsigned i = 0; i < phys->up; i++) {
        struct link_rate rate = sas_limit(rates[i], 1);
        phys->slow += rates[i] < phys->fastest;
        phys->rates.line += rate.line;
        phys->rates.payload += rate.payload;
    }
    phys->rates.source = sas_limit(phys->fastest, 1).source;
}

static void add_errors(struct probe *p, int node, const struct sysroot_names *names)
{
    for (size_t counter = 0; counter < ATTRIBUTE_COUNT(error_counters); counter++) {
        uint64_t sum = 0, value;
        char folder[160];
        bool any = false, denied = false;
        for (size_t i = 0; i < names->count; i++) {
            snprintf(folder, sizeof folder, SAS_PHYS "/%s", names->names[i]);
            if (!has_prefix(names->names[i], "phy-"))
                continue;
            if (attribute_number(p->root, folder, error_counters[counter], &value)) {
                sum += value;
                any = true;
            } else {
                denied = denied || link_facts_denied(p->root, folder, error_counters[counter]);
            }
        }
        if (any)
            inventory_add_number(p->inventory, node, error_counters[counter], sum, "", SAS_PHYS);
        else if (denied)
            inventory_add(p->inventory, node, error_counters[counter], "", "", SAS_PHYS,
                          FACT_DENIED);
    }
}

/* ---- the far side ---- */

struct far_side {
    double rate; /* NaN: not known */
    bool sata;
    const char *word; /* "drive", "expander" */
};

/* The folder of the first device below an end device: .../target0:0:1/0:0:1:0 */
static bool find_scsi_device(const struct sysroot *root, const char *end_device, char *to,
                             size_t size)
{
    char target[PROBE_FOLDER];
    struct sysroot_names names;
    sysroot_list(root, end_device, &names);
    const char *name = sas_find_name(&names, "target");
    bool found = name && sas_join(target, sizeof target, end_device, name);
    sysroot_names_free(&names);
    if (!found)
        return false;
    sysroot_list(root, target, &names);
    name = NULL;
    for (size_t i = 0; i < names.count && !name; i++)
        if (names.names[i][0] >= '0' && names.names[i][0] <= '9')
            name = names.names[i];
    found = name && sas_join(to, size, target, name);
    sysroot_names_free(&names);
    return found;
}

/* What a SATA drive on a SAS host can do is in its identify data, which the kernel keeps as the
   SCSI page "ATA Information" (SAT-4, 12.5.2): from byte 60 on, low bytes first. */
static double sata_drive_rate(const struct sysroot *root, const char *end_device)
{
    char folder[PROBE_FOLDER], path[PROBE_FOLDER + 16];
    uint8_t page[60 + 2 * ATA_IDENTIFY_WORDS];
    uint16_t words[ATA_IDENTIFY_WORDS];
    size_t got;
    if (!find_scsi_device(root, end_device, folder, sizeof folder))
        return (double)NAN;
    snprintf(path, sizeof path, "%s/vpd_pg89", folder);
    if (sysroot_bytes(root, path, page, sizeof page, &got) != FACT_OK || got < sizeof page ||
        page[1] != 0x89)
        return (double)NAN;
    for (size_t i = 0; i < ATA_IDENTIFY_WORDS; i++)
        words[i] = load_le16(page + 60 + 2 * i);
    return ata_identify_rate(words);
}

/* SAS drives do not report their fastest rate. SATA drives are asked when it is in doubt. */
static struct far_side find_drive(struct probe *p, int node, const char *folder, const char *name,
                                  const struct phys *phys)
{
    char path[160], protocols[64], below[PROBE_FOLDER];
    uint64_t bay;
    struct far_side far = {(double)NAN, false, "drive"};
    snprintf(path, sizeof path, SAS_DEVICES "/%s", name);
    read_text(p->root, path, "target_port_protocols", protocols, sizeof protocols);
    far.sata = strstr(protocols, "sata");
    if (protocols[0])
        inventory_add(p->inventory, node, "protocol", protocols, "", path, FACT_OK);
    if (attribute_number(p->root, path, "bay_identifier", &bay))
        inventory_add_number(p->inventory, node, "bay", bay, "", path);
    if (far.sata && phys->negotiated >= SATA_MAX)
        far.rate = SATA_MAX;
    else if (far.sata && phys->negotiated < phys->hardware &&
             sas_join(below, sizeof below, folder, name))
        far.rate = sata_drive_rate(p->root, below);
    return far;
}

/* All phys of an expander can do the same: the first one is read. */
static struct far_side find_expander(const struct sysroot *root, const char *folder,
                                     const char *name)
{
    char path[PROBE_FOLDER];
    struct sysroot_names names = {0};
    struct far_side far = {(double)NAN, false, "expander"};
    if (sas_join(path, sizeof path, folder, name))
        sysroot_list(root, path, &names);
    const char *phy = sas_find_name(&names, "phy-");
    if (phy) {
        snprintf(path, sizeof path, SAS_PHYS "/%s", phy);
        far.rate = read_rate(root, path, "maximum_linkrate_hw");
    }
    sysroot_names_free(&names);
    return far;
}

/* ---- both together ---- */

void sas_add_link(struct probe *p, int node, const char *folder, const struct sysroot_names *names,
                  const char *far_name, bool is_expander)
{
    char reason[128], mixed[80], rate[48], source[128];
    struct phys phys;
    read_rates(p->root, names, &phys);
    snprintf(source, sizeof source, SAS_PORTS "/%s", p->inventory->nodes[node].name);
    inventory_add_number(p->inventory, node, "phys", phys.count, "", source);
    struct far_side far = is_expander ? find_expander(p->root, folder, far_name)
                                      : find_drive(p, node, folder, far_name, &phys);
    if (phys.slow && isnan(far.rate))
        far.rate = phys.fastest; /* the other phys show it */
    /* Why the port runs slower than both ends can; "" when it does not show. */
    size_t size = sizeof reason;
    char set[48];
    reason[0] = '\0';
    if (phys.slow)
        snprintf(reason, size, "%u of %u phys run slower than the fastest", phys.slow, phys.up);
    else if (phys.set < phys.hardware && phys.negotiated >= phys.set)
        snprintf(reason, size, "the port is set to %s at most (maximum_linkrate)",
                 limit_format_bits(set, sizeof set, phys.set));
    if (phys.slow)
        snprintf(mixed, sizeof mixed, "%s x%u and %u slower",
                 limit_format_bits(rate, sizeof rate, phys.fastest), phys.up - phys.slow,
                 phys.slow);
    struct link_ends ends = {
        .port = phys.hardware,
        .device = far.rate,
        .negotiated = phys.negotiated,
        .lanes = phys.up,
        .rates_are_per_lane = true,
        .device_word = far.word,
        .reason_slower = reason[0] ? reason : NULL,
        .limit = far.sata ? sata_limit : sas_limit,
        .negotiated_text = phys.slow ? mixed : NULL,
        .limit_negotiated = phys.slow ? &phys.rates : NULL,
        .source = source,
        .denied = phys.denied,
    };
    link_facts_add(p->inventory, node, &ends);
    add_errors(p, node, names);
}
