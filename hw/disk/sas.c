/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds nodes for SCSI hosts. Below hosts of Serial Attached SCSI it adds the ports with a device,
   their links, expanders, and the ports below the expanders. */
#include "hw/probers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "hw/disk/internal.h"
#include "hw/link/link_facts.h"
#include "hw/sysroot/attribute.h"

#define HOSTS       "/sys/class/scsi_host"
#define SAS_HOSTS   "/sys/class/sas_host"
#define SAS_PORTS   "/sys/class/sas_port"
#define SAS_PHYS    "/sys/class/sas_phy"
#define SAS_DEVICES "/sys/class/sas_device"
#define PHYS_MAX    64
#define SATA_MAX    6e9
#define LEVELS_MAX  8 /* maximum depth of nested expanders */

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

/* Error counters of a phy; a port has the sums over its phys. */
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

static double sas_rate(const struct sysroot *root, const char *folder, const char *file)
{
    return disk_link_rate(root, folder, file, " Gbit");
}

/* Returns the first name that starts with `prefix`, or NULL. */
static const char *find_name(const struct sysroot_names *names, const char *prefix)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strncmp(names->names[i], prefix, strlen(prefix)))
            return names->names[i];
    return NULL;
}

/* ---- the phys of a port ---- */

struct phys {
    unsigned count;    /* number of phys of the port */
    unsigned up;       /* number of phys that run */
    unsigned slow;     /* number of running phys that are slower than the fastest one */
    double negotiated; /* rate of the slowest running phy, bits/s */
    double fastest;
    double hardware;        /* smallest maximum of the hardware, bits/s */
    double set;             /* smallest configured maximum, bits/s */
    struct link_rate rates; /* sum of the link rates of the running phys */
    bool denied;            /* the rate of at least one phy may not be read */
};

static void read_phys(const struct sysroot *root, const struct sysroot_names *names,
                      struct phys *phys)
{
    double rates[PHYS_MAX];
    char folder[160];
    *phys = (struct phys){.negotiated = (double)NAN,
                          .fastest = (double)NAN,
                          .hardware = (double)NAN,
                          .set = (double)NAN};
    for (size_t i = 0; i < names->count && phys->count < PHYS_MAX; i++) {
        if (strncmp(names->names[i], "phy-", 4) != 0)
            continue;
        snprintf(folder, sizeof folder, SAS_PHYS "/%s", names->names[i]);
        double rate = sas_rate(root, folder, "negotiated_linkrate");
        phys->hardware = fmin(phys->hardware, sas_rate(root, folder, "maximum_linkrate_hw"));
        phys->set = fmin(phys->set, sas_rate(root, folder, "maximum_linkrate"));
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

static void add_phy_errors(struct probe *p, int node, const struct sysroot_names *names)
{
    for (size_t counter = 0; counter < ATTRIBUTE_COUNT(error_counters); counter++) {
        const char *key = error_counters[counter];
        uint64_t sum = 0, value;
        char folder[160];
        bool any = false, denied = false;
        for (size_t i = 0; i < names->count; i++) {
            if (strncmp(names->names[i], "phy-", 4) != 0)
                continue;
            snprintf(folder, sizeof folder, SAS_PHYS "/%s", names->names[i]);
            if (!attribute_number(p->root, folder, key, &value)) {
                denied = denied || link_facts_denied(p->root, folder, key);
                continue;
            }
            sum += value;
            any = true;
        }
        if (any)
            inventory_add_number(p->inventory, node, key, sum, "", SAS_PHYS);
        else if (denied)
            inventory_add(p->inventory, node, key, "", "", SAS_PHYS, FACT_DENIED);
    }
}

/* ---- the device at the far end ---- */

struct far_side {
    double rate; /* NaN: not known */
    bool sata;
    const char *word; /* kind of device: "drive", "expander" */
};

/* Returns the fastest rate of a SATA drive on a SAS host. It is in the drive's identify data, which
   the kernel keeps as the SCSI page "ATA Information" (SAT-4, 12.5.2): from byte 60 on, low bytes
   first. */
static double sata_drive_rate(const struct sysroot *root, const char *end_device)
{
    char target[PROBE_FOLDER], device[PROBE_FOLDER] = "", path[PROBE_FOLDER + 16];
    uint8_t page[60 + 2 * ATA_IDENTIFY_WORDS];
    uint16_t words[ATA_IDENTIFY_WORDS];
    size_t got;
    struct sysroot_names names;
    /* The first device below an end device is, for example, .../target0:0:1/0:0:1:0. */
    sysroot_list(root, end_device, &names);
    const char *name = find_name(&names, "target");
    bool found = name && sysroot_join(target, sizeof target, end_device, name)[0];
    sysroot_names_free(&names);
    if (!found)
        return (double)NAN;
    sysroot_list(root, target, &names);
    for (size_t i = 0; i < names.count; i++)
        if (isdigit((unsigned char)names.names[i][0])) {
            sysroot_join(device, sizeof device, target, names.names[i]);
            break;
        }
    sysroot_names_free(&names);
    snprintf(path, sizeof path, "%s/vpd_pg89", device);
    if (!device[0] || sysroot_bytes(root, path, page, sizeof page, &got) != FACT_OK ||
        got < sizeof page || page[1] != 0x89)
        return (double)NAN;
    ata_identify_read(page + 60, words);
    return ata_identify_rate(words);
}

/* Describes the drive at the far end. SAS drives do not report their fastest rate. For a SATA drive
   it is read only when the link runs below the fastest SATA rate and below what the port can do. */
static struct far_side find_drive(struct probe *p, int node, const char *folder, const char *name,
                                  const struct phys *phys)
{
    char device[160], path[PROBE_FOLDER], protocols[64];
    uint64_t bay;
    snprintf(device, sizeof device, SAS_DEVICES "/%s", name);
    sysroot_join(path, sizeof path, device, "target_port_protocols");
    sysroot_line(p->root, path, protocols, sizeof protocols);
    if (protocols[0])
        inventory_add(p->inventory, node, "protocol", protocols, "", device, FACT_OK);
    if (attribute_number(p->root, device, "bay_identifier", &bay))
        inventory_add_number(p->inventory, node, "bay", bay, "", device);
    struct far_side far = {(double)NAN, strstr(protocols, "sata"), "drive"};
    if (far.sata && phys->negotiated >= SATA_MAX)
        far.rate = SATA_MAX;
    else if (far.sata && phys->negotiated < phys->hardware &&
             sysroot_join(path, sizeof path, folder, name)[0])
        far.rate = sata_drive_rate(p->root, path);
    return far;
}

/* Describes the expander at the far end. All phys of an expander have the same abilities, so only
   the first one is read. */
static struct far_side find_expander(const struct sysroot *root, const char *folder,
                                     const char *name)
{
    char path[PROBE_FOLDER];
    struct sysroot_names names = {0};
    struct far_side far = {(double)NAN, false, "expander"};
    if (sysroot_join(path, sizeof path, folder, name)[0])
        sysroot_list(root, path, &names);
    const char *phy = find_name(&names, "phy-");
    if (phy) {
        snprintf(path, sizeof path, SAS_PHYS "/%s", phy);
        far.rate = sas_rate(root, path, "maximum_linkrate_hw");
    }
    sysroot_names_free(&names);
    return far;
}

/* ---- ports and expanders ---- */

/*
 * Adds facts to the node of a port: phys, the link facts, the sums of the phys' error counters, and
 * for a drive its protocol and bay. `names` is the content of the port's folder; `far_name` is the
 * device at the far end: "end_device-0:0", or, when `is_expander`, "expander-0:0". The phys of a
 * wide port run in parallel.
 */
static void add_port_link(struct probe *p, int node, const char *folder,
                          const struct sysroot_names *names, const char *far_name, bool is_expander)
{
    char reason[128], mixed[80], rate[48], source[128];
    struct phys phys;
    read_phys(p->root, names, &phys);
    snprintf(source, sizeof source, SAS_PORTS "/%s", p->inventory->nodes[node].name);
    inventory_add_number(p->inventory, node, "phys", phys.count, "", source);
    struct far_side far = is_expander ? find_expander(p->root, folder, far_name)
                                      : find_drive(p, node, folder, far_name, &phys);
    if (phys.slow && isnan(far.rate))
        far.rate = phys.fastest; /* the fastest phy shows what the drive can do */
    /* The reason why the port runs slower than both ends can; "" when that is not visible. */
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
        .limit = far.sata ? sata_link_limit : sas_limit,
        .negotiated_text = phys.slow ? mixed : NULL,
        .limit_negotiated = phys.slow ? &phys.rates : NULL,
        .source = source,
        .denied = phys.denied,
    };
    link_facts_add(p->inventory, node, &ends);
    add_phy_errors(p, node, names);
}

/* Adds the ports in the folder of a host or an expander. */
static void add_ports(struct probe *p, int parent, const char *folder, unsigned level)
{
    struct sysroot_names ports;
    if (level > LEVELS_MAX)
        return;
    sysroot_list(p->root, folder, &ports);
    for (size_t i = 0; i < ports.count; i++) {
        const char *name = ports.names[i];
        char port[PROBE_FOLDER], below[PROBE_FOLDER], path[160];
        struct sysroot_names names;
        if (strncmp(name, "port-", 5) != 0 || !sysroot_join(port, sizeof port, folder, name)[0])
            continue;
        sysroot_list(p->root, port, &names);
        const char *drive = find_name(&names, "end_device-");
        const char *expander = drive ? NULL : find_name(&names, "expander-");
        /* Leaves out a port without a device, and an expander's port back to its host. */
        int node = INVENTORY_NONE;
        if (drive || expander)
            node = inventory_add_node(p->inventory, NODE_SAS_PORT, name, port, parent);
        if (node != INVENTORY_NONE)
            add_port_link(p, node, port, &names, drive ? drive : expander, expander);
        if (expander && sysroot_join(below, sizeof below, port, expander)[0]) {
            snprintf(path, sizeof path, "/sys/class/sas_expander/%s", expander);
            int hub = inventory_add_node(p->inventory, NODE_SAS_EXPANDER, expander, below, node);
            attributes_add(p->root, p->inventory, hub, path, expander_rows,
                           ATTRIBUTE_COUNT(expander_rows));
            add_ports(p, hub, below, level + 1);
        }
        sysroot_names_free(&names);
    }
    sysroot_names_free(&ports);
}

/* ---- hosts ---- */

void look_at_sas(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, HOSTS, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        char path[128], folder[PROBE_FOLDER];
        snprintf(path, sizeof path, HOSTS "/%s", name);
        if (sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
            continue;
        const char *ata = strstr(folder, "/ata");
        if (ata && isdigit((unsigned char)ata[4]))
            /* SCSI lists a SATA port as a host as well, but the port already has a node */
            continue;
        /* cuts .../host0/scsi_host/host0 down to .../host0 */
        char *own = strstr(folder, "/scsi_host/");
        if (own)
            *own = '\0';
        int node = probe_add_below(p, NODE_SCSI_HOST, name, folder);
        attributes_add(p->root, p->inventory, node, path, host_rows, ATTRIBUTE_COUNT(host_rows));
        snprintf(path, sizeof path, SAS_HOSTS "/%s", name);
        if (sysroot_exists(p->root, path))
            add_ports(p, node, folder, 0);
    }
    sysroot_names_free(&names);
}
