/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCSI hosts and a SAS domain in a tree: a wide port to an expander with SAS and SATA drives behind
   it, a drive at the host itself; hosts of other kinds; garbage. */
#include "check.h"
#include "facts_check.h"
#include "tree.h"

#include "hw/link/link_limit.h"
#include "hw/probers.h"

#define HBA  "/sys/devices/pci0000:17/0000:18:00.0"
#define HOST HBA "/host8"
#define EXP  HOST "/port-8:0/expander-8:0"

struct phy {
    const char *name, *negotiated, *set, *hardware;
    const char *port; /* the folder of its port */
    unsigned errors;
};

static void put_phy(const struct tree *t, const struct phy *phy)
{
    char path[256];
#define PUT(file, ...)                                                                             \
    (snprintf(path, sizeof path, "/sys/class/sas_phy/%s/" file, phy->name),                        \
     tree_filef(t, path, __VA_ARGS__))
    PUT("negotiated_linkrate", "%s\n", phy->negotiated);
    PUT("maximum_linkrate", "%s\n", phy->set);
    PUT("maximum_linkrate_hw", "%s\n", phy->hardware);
    PUT("invalid_dword_count", "%u\n", phy->errors);
    PUT("running_disparity_error_count", "%u\n", 2 * phy->errors);
    PUT("loss_of_dword_sync_count", "%u\n", 3 * phy->errors);
    PUT("phy_reset_problem_count", "0\n");
#undef PUT
    if (!phy->port)
        return;
    snprintf(path, sizeof path, "%s/%s", phy->port, phy->name);
    tree_folder(t, path);
}

static void put_host(const struct tree *t, const char *name, const char *folder, const char *driver)
{
    char path[256], target[256];
    snprintf(path, sizeof path, "/sys/class/scsi_host/%s", name);
    snprintf(target, sizeof target, "../..%s/scsi_host/%s", folder + 4, name);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "%s/scsi_host/%s/proc_name", folder, name);
    tree_filef(t, path, "%s\n", driver);
    snprintf(path, sizeof path, "%s/scsi_host/%s/can_queue", folder, name);
    tree_file(t, path, "5240\n");
    snprintf(path, sizeof path, "%s/scsi_host/%s/nr_hw_queues", folder, name);
    tree_file(t, path, "16\n");
}

static void put_drive(const struct tree *t, const char *port, const char *name,
                      const char *protocols)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", port, name);
    tree_folder(t, path);
    snprintf(path, sizeof path, "/sys/class/sas_device/%s/target_port_protocols", name);
    tree_filef(t, path, "%s\n", protocols);
}

/* Writes the page "ATA Information" with identify word 76. */
static void put_page(const struct tree *t, const char *device, unsigned word76)
{
    char path[256];
    uint8_t page[572] = {0, 0x89, 0x02, 0x38};
    page[60 + 2 * 76] = (uint8_t)word76;
    page[61 + 2 * 76] = (uint8_t)(word76 >> 8);
    snprintf(path, sizeof path, "%s/vpd_pg89", device);
    tree_bytes(t, path, page, sizeof page);
}

static void put_domain(const struct tree *t)
{
    static const struct phy phys[] = {
        {"phy-8:0", "12.0 Gbit", "12.0 Gbit", "12.0 Gbit", HOST "/port-8:0", 1},
        {"phy-8:1", "12.0 Gbit", "12.0 Gbit", "12.0 Gbit", HOST "/port-8:0", 0},
        {"phy-8:2", "6.0 Gbit", "12.0 Gbit", "12.0 Gbit", HOST "/port-8:0", 2},
        {"phy-8:3", "12.0 Gbit", "12.0 Gbit", "12.0 Gbit", HOST "/port-8:0", 0},
        {"phy-8:4", "6.0 Gbit", "6.0 Gbit", "12.0 Gbit", HOST "/port-8:1", 0},
        {"phy-8:5", "Unknown", "12.0 Gbit", "12.0 Gbit", NULL, 0},
        {"phy-8:6", "3.0 Gbit", "12.0 Gbit", "12.0 Gbit", HOST "/port-8:2", 0},
        {"phy-8:7", "12.0 Gbit", "12.0 Gbit", "12.0 Gbit", HOST "/port-8:3", 0},
        {"phy-8:0:0", "6.0 Gbit", "12.0 Gbit", "12.0 Gbit", EXP "/port-8:0:0", 0},
        {"phy-8:0:1", "3.0 Gbit", "12.0 Gbit", "12.0 Gbit", EXP "/port-8:0:1", 0},
        {"phy-8:0:2", "3.0 Gbit", "12.0 Gbit", "12.0 Gbit", EXP "/port-8:0:2", 0},
        {"phy-8:0:3", "12.0 Gbit", "12.0 Gbit", "12.0 Gbit", EXP "/port-8:0:3", 0},
        {"phy-8:0:4", "12.0 Gbit", "12.0 Gbit", "12.0 Gbit", EXP "/port-8:0:4", 0},
    };
    put_host(t, "host8", HOST, "mpt3sas");
    tree_folder(t, "/sys/class/sas_host/host8");
    for (size_t i = 0; i < sizeof phys / sizeof *phys; i++)
        put_phy(t, &phys[i]);
    tree_folder(t, EXP "/phy-8:0:0");
    tree_file(t, "/sys/class/sas_expander/expander-8:0/vendor_id", "BROADCOM\n");
    tree_file(t, "/sys/class/sas_expander/expander-8:0/product_id", "SAS3x40         \n");
    tree_file(t, "/sys/class/sas_expander/expander-8:0/product_rev", "0601\n");
    put_drive(t, HOST "/port-8:1", "end_device-8:1", "ssp");
    tree_folder(t, HOST "/port-8:2/expander-8:1/phy-8:1:0"); /* an expander of 3.0 Gbit/s */
    tree_file(t, "/sys/class/sas_phy/phy-8:1:0/maximum_linkrate_hw", "3.0 Gbit\n");
    tree_file(t, "/sys/class/sas_expander/expander-8:1/product_id", "Old\n");
    put_drive(t, EXP "/port-8:0:0", "end_device-8:0:0", "sata");
    put_drive(t, EXP "/port-8:0:1", "end_device-8:0:1", "sata");
    put_drive(t, EXP "/port-8:0:2", "end_device-8:0:2", "sata");
    put_drive(t, EXP "/port-8:0:3", "end_device-8:0:3", "ssp");
    tree_file(t, "/sys/class/sas_device/end_device-8:0:3/bay_identifier", "7\n");
    put_page(t, EXP "/port-8:0:1/end_device-8:0:1/target8:0:1/8:0:1:0", 0x850e);
    put_page(t, EXP "/port-8:0:2/end_device-8:0:2/target8:0:2/8:0:2:0", 0x0506);
}

static void domain(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_domain(&t);
    int pci = inventory_add_node(&v, NODE_PCI_DEVICE, "0000:18:00.0", HBA, probe_top(&p));
    look_at_sas(&p);

    int host = inventory_find(&v, "host8");
    CHECK_INT(v.nodes[host].parent, pci);
    CHECK_STR(v.nodes[host].path, HOST);
    FACT_IS(&v, host, "driver", "mpt3sas");
    FACT_IS(&v, host, "can_queue", "5240");
    FACT_IS(&v, host, "queue_count", "16");

    /* Four phys, one of them at half speed: 3 * 12 + 6 = 42 Gbit/s, 8b/10b, so 4.2e9 bytes/s. */
    int wide = inventory_find(&v, "port-8:0");
    CHECK_INT(v.nodes[wide].parent, host);
    CHECK_INT(v.nodes[wide].kind, NODE_SAS_PORT);
    FACT_IS(&v, wide, "phys", "4");
    FACT_IS(&v, wide, "negotiated", "12 Gbit/s x3 and 1 slower");
    FACT_IS(&v, wide, "capable", "12 Gbit/s x4");
    FACT_IS(&v, wide, "link_rate", "4200000000");
    CHECK_NEAR(inventory_number(&v, wide, "limit"),
               limit_sas(12, 3).payload + limit_sas(6, 1).payload, 1e-8);
    CHECK_NEAR(inventory_number(&v, wide, "limit_capable"), limit_sas(12, 4).payload, 1e-8);
    FACT_IS(&v, wide, "degraded", "yes");
    FACT_IS(&v, wide, "degraded_reason", "1 of 4 phys run slower than the fastest");
    FACT_IS(&v, wide, "invalid_dword_count", "3");
    FACT_IS(&v, wide, "running_disparity_error_count", "6");
    FACT_IS(&v, wide, "loss_of_dword_sync_count", "9");
    FACT_IS(&v, wide, "phy_reset_problem_count", "0");

    int expander = inventory_find(&v, "expander-8:0");
    CHECK_INT(v.nodes[expander].parent, wide);
    FACT_IS(&v, expander, "vendor", "BROADCOM");
    FACT_IS(&v, expander, "model", "SAS3x40");
    FACT_IS(&v, expander, "firmware", "0601");

    /* A SAS drive does not report its maximum rate. */
    int node = inventory_find(&v, "port-8:1");
    FACT_IS(&v, node, "negotiated", "6.0 Gbit/s");
    FACT_IS(&v, node, "protocol", "ssp");
    NO_FACT(&v, node, "degraded");

    /* An expander slower than the port is not a fault of the link. */
    node = inventory_find(&v, "port-8:2");
    FACT_IS(&v, node, "expander_capable", "3.0 Gbit/s");
    FACT_IS(&v, node, "degraded", "no");
    NO_FACT(&v, node, "limited_by");

    /* SATA: at its maximum; at half of it; a drive whose maximum is lower. */
    node = inventory_find(&v, "port-8:0:0");
    CHECK_INT(v.nodes[node].parent, expander);
    FACT_IS(&v, node, "capable", "6.0 Gbit/s");
    FACT_IS(&v, node, "degraded", "no");
    CHECK_NEAR(inventory_number(&v, node, "limit"), limit_sata(6).payload, 1e-8);
    node = inventory_find(&v, "port-8:0:1");
    FACT_IS(&v, node, "drive_capable", "6.0 Gbit/s");
    FACT_IS(&v, node, "negotiated", "3.0 Gbit/s");
    FACT_IS(&v, node, "degraded", "yes");
    NO_FACT(&v, node, "degraded_reason");
    FACT_IS(&v, inventory_find(&v, "port-8:0:2"), "degraded", "no");
    node = inventory_find(&v, "port-8:0:3");
    FACT_IS(&v, node, "bay", "7");
    FACT_IS(&v, node, "degraded", "no");

    CHECK_INT(inventory_find(&v, "port-8:3"), INVENTORY_NONE);   /* nothing behind it */
    CHECK_INT(inventory_find(&v, "port-8:0:4"), INVENTORY_NONE); /* back to the host */
    CHECK_INT(v.node_count, 2 + 1 + 3 + 2 + 4);
    inventory_free(&v);
    tree_end(&t);
}

/* A port set below its maximum, to an expander that supports the maximum. */
static void set_lower(void)
{
    static const struct phy phy = {"phy-8:0",   "6.0 Gbit",       "6.0 Gbit",
                                   "12.0 Gbit", HOST "/port-8:0", 0};
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_host(&t, "host8", HOST, "mpt3sas");
    tree_folder(&t, "/sys/class/sas_host/host8");
    put_phy(&t, &phy);
    tree_folder(&t, EXP "/phy-8:0:9");
    tree_file(&t, "/sys/class/sas_phy/phy-8:0:9/maximum_linkrate_hw", "12.0 Gbit\n");
    look_at_sas(&p);
    int node = inventory_find(&v, "port-8:0");
    FACT_IS(&v, node, "degraded", "yes");
    FACT_IS(&v, node, "degraded_reason",
            "the port is set to 6.0 Gbit/s at most (maximum_linkrate)");
    inventory_free(&v);
    tree_end(&t);
}

static void other_hosts(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_host(&t, "host0", "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0", "ahci");
    put_host(&t, "host3", "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host3", "uas");
    put_host(&t, "host4", "/sys/devices/platform/host4", "iscsi_tcp");
    int stick = inventory_add_node(&v, NODE_USB, "1-1",
                                   "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1", probe_top(&p));
    look_at_sas(&p);
    CHECK_INT(inventory_find(&v, "host0"), INVENTORY_NONE); /* the node of the ATA port suffices */
    CHECK_INT(v.nodes[inventory_find(&v, "host3")].parent, stick);
    FACT_IS(&v, inventory_find(&v, "host3"), "driver", "uas");
    CHECK_INT(v.nodes[inventory_find(&v, "host4")].parent, inventory_find(&v, "machine"));
    inventory_free(&v);
    tree_end(&t);
}

/* Invalid rates, unreadable files, and an endless chain of expanders. */
static void garbage(void)
{
    static const struct phy phy = {"phy-8:0", "12.0", "-1 Gbit", "\xff Gbit", HOST "/port-8:0", 0};
    char path[480] = HOST;
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_host(&t, "host8", HOST, "");
    tree_folder(&t, "/sys/class/sas_host/host8");
    put_phy(&t, &phy);
    for (int i = 0; i < 16; i++)
        snprintf(path + strlen(path), sizeof path - strlen(path), "/port-8:%d/expander-8:%d", i, i);
    tree_folder(&t, path);
    tree_deny(&t, "/sys/class/sas_phy/phy-8:0/invalid_dword_count");
    tree_file(&t, "/sys/class/sas_phy/phy-8:0/loss_of_dword_sync_count", "many\n");
    look_at_sas(&p);
    FACT_STATUS(&v, inventory_find(&v, "host8"), "driver", FACT_INVALID);
    int node = inventory_find(&v, "port-8:0");
    FACT_STATUS(&v, node, "negotiated", FACT_ABSENT);
    NO_FACT(&v, node, "limit");
    NO_FACT(&v, node, "degraded");
    FACT_STATUS(&v, node, "invalid_dword_count", FACT_DENIED);
    NO_FACT(&v, node, "loss_of_dword_sync_count");
    CHECK(inventory_find(&v, "port-8:8") != INVENTORY_NONE);
    CHECK_INT(inventory_find(&v, "port-8:9"), INVENTORY_NONE);
    inventory_free(&v);
    tree_deny(&t, "/sys/class/sas_phy/phy-8:0/negotiated_linkrate");
    look_at_sas(&p);
    FACT_STATUS(&v, inventory_find(&v, "port-8:0"), "negotiated", FACT_DENIED);
    inventory_free(&v);
    tree_end(&t);
}

/* A host that is not a link to below /sys/devices is a child of the machine and has no children. */
static void no_link(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    tree_file(&t, "/sys/class/scsi_host/host0/proc_name", "mpt3sas\n");
    tree_file(&t, "/sys/class/scsi_host/host1/proc_name", "(null)\n"); /* as uas has it */
    struct probe p = {.root = &t.root, .inventory = &v};
    look_at_sas(&p);
    int host = inventory_find(&v, "host0");
    CHECK(host != INVENTORY_NONE);
    CHECK_STR(v.nodes[host].path, "");
    CHECK_INT(v.nodes[host].parent, inventory_find(&v, "machine"));
    CHECK_INT(inventory_above(&v, "/sys/class/scsi_host/host0/target0"), INVENTORY_NONE);
    FACT_STATUS(&v, inventory_find(&v, "host1"), "driver", FACT_ABSENT);
    inventory_free(&v);
    tree_end(&t);
}

int main(void)
{
    domain();
    set_lower();
    other_hosts();
    garbage();
    no_link();
    return check_result();
}
