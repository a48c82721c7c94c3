/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCSI hosts; below those of Serial Attached SCSI the ports that something is plugged into,
 * expanders, and the ports behind them. */
#include "hw/probers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"
#include "hw/ata_identify.h"
#include "hw/attribute.h"
#include "hw/link_facts.h"

#define HOSTS       "/sys/class/scsi_host"
#define SAS_HOSTS   "/sys/class/sas_host"
#define SAS_PHYS    "/sys/class/sas_phy"
#define SAS_DEVICES "/sys/class/sas_device"
#define LEVELS_MOST 8 /* of expanders behind each other */
#define PHYS_MOST   64

static const struct attribute host_rows[] = {
    {"driver", ATTRIBUTE_TEXT, {"proc_name"}, 0, NULL, false},
    {"can_queue", ATTRIBUTE_NUMBER, {"can_queue"}, 0, NULL, true},
    {"queue_count", ATTRIBUTE_NUMBER, {"nr_hw_queues"}, 0, NULL, true},
};

static const struct attribute expander_rows[] = {
    {"vendor", ATTRIBUTE_TEXT, {"vendor_id"}, 0, NULL, true},
    {"model", ATTRIBUTE_TEXT, {"product_id"}, 0, NULL, false},
    {"firmware", ATTRIBUTE_TEXT, {"product_rev"}, 0, NULL, true},
};

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
                 number_parse(text, number, &gigabits) == NUMBER_OK && gigabits > 0;
    return known ? 1e9 * gigabits : (double)NAN;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

/* The first name that starts so, or NULL. */
static const char *find_name(const struct sysroot_names *names, const char *prefix)
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
};

static double least(double a, double b)
{
    return isnan(a) || b < a ? b : a;
}

static void read_rates(const struct sysroot *root, const struct sysroot_names *names,
                       struct phys *phys)
{
    double rates[PHYS_MOST];
    char folder[160];
    *phys = (struct phys){.negotiated = (double)NAN,
                          .fastest = (double)NAN,
                          .hardware = (double)NAN,
                          .set = (double)NAN};
    for (size_t i = 0; i < names->count && phys->count < PHYS_MOST; i++) {
        if (!has_prefix(names->names[i], "phy-"))
            continue;
        snprintf(folder, sizeof folder, SAS_PHYS "/%s", names->names[i]);
        double rate = read_rate(root, folder, "negotiated_linkrate");
        phys->hardware = least(phys->hardware, read_rate(root, folder, "maximum_linkrate_hw"));
        phys->set = least(phys->set, read_rate(root, folder, "maximum_linkrate"));
        phys->count++;
        if (isnan(rate))
            continue;
        rates[phys->up++] = rate;
        phys->negotiated = least(phys->negotiated, rate);
        phys->fastest = rate < phys->fastest ? phys->fastest : rate;
    }
    for (unsigned i = 0; i < phys->up; i++) {
        struct link_rate rate = sas_limit(rates[i], 1);
        phys->slow += rates[i] < phys->fastest;
        phys->rates.line += rate.line;
        phys->rates.payload += rate.payload;
        phys->rates.source = rate.source;
    }
}

static void add_errors(struct probe *p, int node, const struct sysroot_names *names)
{
    for (size_t counter = 0; counter < ATTRIBUTE_COUNT(error_counters); counter++) {
        uint64_t sum = 0, value;
        char folder[160];
        bool any = false;
        for (size_t i = 0; i < names->count; i++) {
            snprintf(folder, sizeof folder, SAS_PHYS "/%s", names->names[i]);
            if (has_prefix(names->names[i], "phy-") &&
                attribute_number(p->root, folder, error_counters[counter], &value)) {
                sum += value;
                any = true;
            }
        }
        if (any)
            inventory_add_number(p->inventory, node, error_counters[counter], sum, "", SAS_PHYS);
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
    char target[PROBE_FOLDER] = "";
    struct sysroot_names names;
    sysroot_list(root, end_device, &names);
    const char *name = find_name(&names, "target");
    if (name)
        snprintf(target, sizeof target, "%s/%s", end_device, name);
    sysroot_names_free(&names);
    if (!name)
        return false;
    sysroot_list(root, target, &names);
    name = NULL;
    for (size_t i = 0; i < names.count && !name; i++)
        if (names.names[i][0] >= '0' && names.names[i][0] <= '9')
            name = names.names[i];
    int length = name ? snprintf(to, size, "%s/%s", target, name) : -1;
    sysroot_names_free(&names);
    return length > 0 && (size_t)length < size;
}

/* What a SATA drive behind a SAS host can is in its identify data, which the kernel keeps as the
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
        words[i] = (uint16_t)(page[60 + 2 * i] | page[61 + 2 * i] << 8);
    return ata_identify_rate(words);
}

/* `folder` is that of the port. The drive is asked only when the port could more than it does. */
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
    int length = snprintf(below, sizeof below, "%s/%s", folder, name);
    if (far.sata && phys->negotiated < phys->hardware && (size_t)length < sizeof below)
        far.rate = sata_drive_rate(p->root, below);
    return far;
}

/* All phys of an expander can the same: the first tells. */
static struct far_side find_expander(const struct sysroot *root, const struct sysroot_names *names)
{
    char folder[160];
    const char *phy = find_name(names, "phy-");
    struct far_side far = {(double)NAN, false, "expander"};
    if (phy) {
        snprintf(folder, sizeof folder, SAS_PHYS "/%s", phy);
        far.rate = read_rate(root, folder, "maximum_linkrate_hw");
    }
    return far;
}

static void add_link(struct probe *p, int node, const char *source, const struct phys *phys,
                     const struct far_side *far)
{
    char reason[128], now[48];
    struct link_ends ends = {
        .port = phys->hardware,
        .device = far->rate,
        .negotiated = phys->negotiated,
        .lanes = phys->up,
        .rates_are_per_lane = true,
        .device_word = far->word,
        .limit = far->sata ? sata_limit : sas_limit,
        .limit_negotiated = phys->slow ? &phys->rates : NULL,
        .source = source,
    };
    if (phys->slow) /* the others show what both ends can */
        ends.device = isnan(far->rate) ? phys->fastest : far->rate;
    if (phys->slow)
        snprintf(reason, sizeof reason, "%u of %u phys run slower than the fastest", phys->slow,
                 phys->up);
    else if (phys->set < phys->hardware && phys->negotiated >= phys->set)
        snprintf(reason, sizeof reason, "the port is set to %s at most (maximum_linkrate)",
                 limit_format_bits(now, sizeof now, phys->set));
    ends.reason_slower = phys->slow || phys->set < phys->hardware ? reason : NULL;
    link_facts_add(p->inventory, node, &ends);
}

/* ---- ports and expanders ---- */

static void add_ports(struct probe *p, const char *folder, unsigned level);

static void add_expander(struct probe *p, int port, const char *folder, const char *name,
                         const struct phys *phys, unsigned level)
{
    char below[PROBE_FOLDER], path[160];
    struct sysroot_names names;
    int length = snprintf(below, sizeof below, "%s/%s", folder, name);
    if ((size_t)length >= sizeof below)
        return;
    sysroot_list(p->root, below, &names);
    struct far_side far = find_expander(p->root, &names);
    sysroot_names_free(&names);
    add_link(p, port, folder, phys, &far);

    snprintf(path, sizeof path, "/sys/class/sas_expander/%s", name);
    int node = inventory_add_node(p->inventory, NODE_SAS_EXPANDER, name, below, port);
    attributes_add(p->root, p->inventory, node, path, expander_rows,
                   ATTRIBUTE_COUNT(expander_rows));
    add_ports(p, below, level + 1);
}

/* A port with nothing behind it is left out: so is an expander's port back to its host. */
static void add_port(struct probe *p, int parent, const char *folder, const char *name,
                     unsigned level)
{
    struct sysroot_names names;
    struct phys phys;
    sysroot_list(p->root, folder, &names);
    const char *drive = find_name(&names, "end_device-"),
               *expander = find_name(&names, "expander-");
    if (drive || expander) {
        int node = inventory_add_node(p->inventory, NODE_SAS_PORT, name, folder, parent);
        read_rates(p->root, &names, &phys);
        inventory_add_number(p->inventory, node, "phys", phys.count, "", folder);
        if (drive) {
            struct far_side far = find_drive(p, node, folder, drive, &phys);
            add_link(p, node, folder, &phys, &far);
        } else {
            add_expander(p, node, folder, expander, &phys, level);
        }
        add_errors(p, node, &names);
    }
    sysroot_names_free(&names);
}

/* The ports below the folder of a host or an expander, which is a node. */
static void add_ports(struct probe *p, const char *folder, unsigned level)
{
    struct sysroot_names names;
    int parent = inventory_at(p->inventory, folder);
    if (level > LEVELS_MOST)
        return;
    sysroot_list(p->root, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        char below[PROBE_FOLDER];
        int length = snprintf(below, sizeof below, "%s/%s", folder, names.names[i]);
        if (has_prefix(names.names[i], "port-") && (size_t)length < sizeof below)
            add_port(p, parent, below, names.names[i], level);
    }
    sysroot_names_free(&names);
}

/* ---- hosts ---- */

/* Every SATA port is a host of its own to SCSI; the port's node is enough. */
static bool is_ata(const char *folder)
{
    char *slash = strstr(folder, "/ata");
    return slash && slash[4] >= '0' && slash[4] <= '9';
}

static void add_host(struct probe *p, const char *name)
{
    char path[128], folder[PROBE_FOLDER];
    snprintf(path, sizeof path, HOSTS "/%s", name);
    if (sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK || is_ata(folder))
        return;
    char *own = strstr(folder, "/scsi_host/"); /* .../host0/scsi_host/host0 */
    if (own)
        *own = '\0';
    int parent = inventory_above(p->inventory, folder);
    int node = inventory_add_node(p->inventory, NODE_SCSI_HOST, name, folder,
                                  parent == INVENTORY_NONE ? probe_top(p) : parent);
    attributes_add(p->root, p->inventory, node, path, host_rows, ATTRIBUTE_COUNT(host_rows));
    snprintf(path, sizeof path, SAS_HOSTS "/%s", name);
    if (node != INVENTORY_NONE && sysroot_exists(p->root, path))
        add_ports(p, folder, 0);
}

void look_at_sas(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, HOSTS, &names);
    for (size_t i = 0; i < names.count; i++)
        add_host(p, names.names[i]);
    sysroot_names_free(&names);
}
