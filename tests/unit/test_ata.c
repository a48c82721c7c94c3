/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SATA ports in a tree: full speed, slowed down after errors, a port slower than its drive, an
   empty port, parallel ATA, a port multiplier, garbage; and identify data. */
#include "check.h"
#include "facts_check.h"
#include "hw/disk/internal.h"
#include "hw/link/link_limit.h"
#include "hw/probers.h"
#include "tree.h"

#define AHCI "/sys/devices/pci0000:00/0000:00:17.0"

struct port {
    unsigned number;
    const char *class, *hardware_limit, *set_limit, *speed, *lowered;
    unsigned word75, word76;
};

static void put_identify(const struct tree *t, const char *path, unsigned word75, unsigned word76)
{
    char text[2048];
    size_t used = 0;
    for (unsigned i = 0; i < ATA_IDENTIFY_WORDS; i++) {
        unsigned word = i == 75 ? word75 : i == 76 ? word76 : i;
        used += (size_t)snprintf(text + used, sizeof text - used, "%04x%c", word,
                                 (i + 1) & 7 ? ' ' : '\n');
    }
    tree_file(t, path, text);
}

static void put_link(const struct tree *t, const char *link, const char *device,
                     const struct port *port)
{
    char path[256];
#define PUT(file, text)                                                                            \
    (snprintf(path, sizeof path, "/sys/class/" file, file[4] == 'l' ? link : device),              \
     tree_filef(t, path, "%s\n", text))
    PUT("ata_link/%s/hw_sata_spd_limit", port->hardware_limit);
    PUT("ata_link/%s/sata_spd_limit", port->set_limit);
    PUT("ata_link/%s/sata_spd", port->speed);
    PUT("ata_device/%s/class", port->class);
    PUT("ata_device/%s/spdn_cnt", port->lowered);
#undef PUT
    snprintf(path, sizeof path, "/sys/class/ata_device/%s/id", device);
    put_identify(t, path, port->word75, port->word76);
}

static void put_port(const struct tree *t, const struct port *port)
{
    char path[256], target[256], link[16], device[16];
    snprintf(path, sizeof path, "/sys/class/ata_port/ata%u", port->number);
    snprintf(target, sizeof target, "../../devices/pci0000:00/0000:00:17.0/ata%u/ata_port/ata%u",
             port->number, port->number);
    tree_link(t, path, target);
    snprintf(path, sizeof path, AHCI "/ata%u/ata_port/ata%u/port_no", port->number, port->number);
    tree_filef(t, path, "%u\n", port->number);
    snprintf(link, sizeof link, "link%u", port->number);
    snprintf(device, sizeof device, "dev%u.0", port->number);
    put_link(t, link, device, port);
}

static void ports(void)
{
    static const char unknown[] = "<unknown>";
    static const struct port rows[] = {
        {1, "ata", "6.0 Gbps", unknown, "6.0 Gbps", "0", 31, 0x850e},
        {2, "ata", "6.0 Gbps", "3.0 Gbps", "3.0 Gbps", "2", 31, 0x850e},
        {3, "ata", "3.0 Gbps", unknown, "3.0 Gbps", "0", 31, 0x850e},
        {4, "none", "6.0 Gbps", unknown, unknown, "0", 0, 0},
        {5, "ata", "6.0 Gbps", unknown, "1.5 Gbps", "0", 0, 0x000e},
        {6, "ata", "6.0 Gbps", "1.5 Gbps", "1.5 Gbps", "0", 0, 0x000e},
        {7, "atapi", unknown, unknown, unknown, "0", 0, 0},
        {8, "ata", unknown, unknown, "3.0 Gbps", "0", 0, 0x850e},
        {9, "ata", "6.0 Gbps", unknown, "3.0 Gbps", "0", 31, 0x0506},
        {10, "unknown", unknown, unknown, unknown, "0", 0, 0},
    };
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_port(&t, &rows[i]);
    tree_folder(&t, "/sys/class/ata_port/at");
    tree_folder(&t, "/sys/class/ata_port/ataX");
    int controller = inventory_add_node(&v, NODE_PCI_DEVICE, "0000:00:17.0", AHCI, probe_top(&p));
    look_at_ata(&p);

    int node = inventory_find(&v, "ata1");
    CHECK_INT(v.nodes[node].kind, NODE_ATA_PORT);
    CHECK_INT(v.nodes[node].parent, controller);
    CHECK_STR(v.nodes[node].path, AHCI "/ata1");
    FACT_IS(&v, node, "drive", "ata");
    FACT_IS(&v, node, "capable", "6.0 Gbit/s");
    FACT_IS(&v, node, "negotiated", "6.0 Gbit/s");
    FACT_IS(&v, node, "link_rate", "600000000"); /* 6e9 * 8/10 / 8 */
    CHECK_NEAR(inventory_number(&v, node, "limit"), limit_sata(6).payload, 1e-8);
    FACT_IS(&v, node, "degraded", "no");
    FACT_IS(&v, node, "ncq_depth", "32");
    NO_FACT(&v, node, "degraded_reason");
    NO_FACT(&v, node, "limited_by");

    node = inventory_find(&v, "ata2");
    FACT_IS(&v, node, "capable", "6.0 Gbit/s");
    FACT_IS(&v, node, "negotiated", "3.0 Gbit/s");
    CHECK_NEAR(inventory_number(&v, node, "limit"), limit_sata(3).payload, 1e-8);
    CHECK_NEAR(inventory_number(&v, node, "limit_capable"), limit_sata(6).payload, 1e-8);
    FACT_IS(&v, node, "degraded", "yes");
    FACT_IS(&v, node, "degraded_reason", "after errors the kernel lowered the speed, times: 2");

    node = inventory_find(&v, "ata3");
    FACT_IS(&v, node, "capable", "3.0 Gbit/s");
    FACT_IS(&v, node, "degraded", "no");
    FACT_IS(&v, node, "limited_by", "the port: 3.0 Gbit/s, the drive can 6.0 Gbit/s");

    node = inventory_find(&v, "ata5");
    FACT_IS(&v, node, "degraded_reason", "it trained lower: cable, slot or a setting of the drive");
    NO_FACT(&v, node, "ncq_depth");
    FACT_IS(&v, inventory_find(&v, "ata6"), "degraded_reason",
            "the kernel is set to use no more (libata.force)");

    /* Parallel ATA: a node without a link. */
    node = inventory_find(&v, "ata7");
    FACT_IS(&v, node, "drive", "atapi");
    NO_FACT(&v, node, "negotiated");

    /* The port's maximum is unknown: 3.0 Gbit/s may be all it supports. */
    node = inventory_find(&v, "ata8");
    FACT_IS(&v, node, "drive_capable", "6.0 Gbit/s");
    NO_FACT(&v, node, "capable");
    NO_FACT(&v, node, "degraded");

    node = inventory_find(&v, "ata9"); /* an older drive */
    FACT_IS(&v, node, "degraded", "no");
    FACT_IS(&v, node, "port_capable", "6.0 Gbit/s");
    NO_FACT(&v, node, "limited_by");

    CHECK_INT(inventory_find(&v, "ata4"), INVENTORY_NONE); /* empty */
    CHECK_INT(inventory_find(&v, "ata10"), INVENTORY_NONE);
    CHECK_INT(v.node_count, 2 + 8);
    inventory_free(&v);
    tree_end(&t);
}

/* AHCI reports the port's maximum: ISS 3, bits 23:20 of the capabilities, is 6 Gbit/s. */
static void ahci_and_multiplier(void)
{
    static const struct port host = {1, "pmp", "<unknown>", "<unknown>", "3.0 Gbps", "1", 0, 0};
    static const struct port first = {0,          "ata", "<unknown>", "<unknown>",
                                      "3.0 Gbps", "0",   31,          0x0506};
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_port(&t, &host);
    put_link(&t, "link1.2", "dev1.2.0", &first);
    tree_folder(&t, AHCI "/ata1/host4/scsi_host/host4");
    tree_file(&t, "/sys/class/scsi_host/host4/ahci_host_caps", "c734ff41\n");
    look_at_ata(&p);
    int node = inventory_find(&v, "ata1");
    FACT_IS(&v, node, "drive", "pmp");
    FACT_IS(&v, node, "port_capable", "6.0 Gbit/s");
    FACT_IS(&v, node, "negotiated", "3.0 Gbit/s");
    NO_FACT(&v, node, "degraded"); /* a multiplier does not report its maximum */
    int below = inventory_find(&v, "link1.2");
    CHECK_INT(v.nodes[below].parent, node);
    FACT_IS(&v, below, "negotiated", "3.0 Gbit/s");
    FACT_IS(&v, below, "degraded", "no");
    inventory_free(&v);
    tree_end(&t);
}

static void garbage(void)
{
    static const struct port row = {1, "ata", "\x01\xff", "6.0 Gpbs", "-3.0 Gbps", "x", 0, 0xffff};
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_port(&t, &row);
    tree_file(&t, "/sys/class/ata_device/dev1.0/id", "zz zz 0000000000\n\xff");
    look_at_ata(&p);
    int node = inventory_find(&v, "ata1");
    FACT_IS(&v, node, "drive", "ata");
    NO_FACT(&v, node, "negotiated");
    inventory_free(&v);

    tree_file(&t, "/sys/class/ata_link/link1/sata_spd", "99999999999 Gbps\n");
    look_at_ata(&p);
    NO_FACT(&v, inventory_find(&v, "ata1"), "negotiated");
    inventory_free(&v);

    tree_deny(&t, "/sys/class/ata_device/dev1.0/class");
    tree_deny(&t, "/sys/class/ata_device/dev1.0/id");
    tree_file(&t, "/sys/class/ata_link/link1/sata_spd", "6.0 Gbps\n");
    look_at_ata(&p);
    node = inventory_find(&v, "ata1");
    FACT_STATUS(&v, node, "drive", FACT_DENIED);
    FACT_STATUS(&v, node, "drive_capable", FACT_DENIED);
    FACT_IS(&v, node, "negotiated", "6.0 Gbit/s");
    NO_FACT(&v, node, "degraded");
    inventory_free(&v);
    tree_deny(&t, "/sys/class/ata_link/link1/sata_spd");
    look_at_ata(&p);
    FACT_STATUS(&v, inventory_find(&v, "ata1"), "negotiated", FACT_DENIED);
    inventory_free(&v);
    tree_end(&t);
}

static void identify(void)
{
    uint16_t words[ATA_IDENTIFY_WORDS] = {0};
    CHECK(isnan(ata_identify_rate(words)));
    words[76] = 0xffff;
    CHECK(isnan(ata_identify_rate(words)));
    words[76] = 2;
    CHECK_NEAR(ata_identify_rate(words), 1.5e9, 0);
    words[76] = 6;
    CHECK_NEAR(ata_identify_rate(words), 3e9, 0);
    CHECK_INT(ata_identify_queue_depth(words), 0);
    words[76] = 0x10e;
    words[75] = 0xffe0 | 30;
    CHECK_NEAR(ata_identify_rate(words), 6e9, 0);
    CHECK_INT(ata_identify_queue_depth(words), 31);

    CHECK_INT(ata_identify_parse("0040 3FFF\nc837", words), 3);
    CHECK_INT(words[1], 0x3fff);
    CHECK_INT(words[76], 0);
    CHECK_INT(ata_identify_parse("", words), 0);
    CHECK_INT(ata_identify_parse("0040 3ff", words), 0);
    CHECK_INT(ata_identify_parse("0040 3ffff", words), 0);
    CHECK_INT(ata_identify_parse("0040 -fff", words), 0);
    CHECK_INT(words[0], 0);
    char text[257 * 5 + 1] = "";
    for (int i = 0; i < 257; i++)
        memcpy(text + 5 * i, "00ff ", 5);
    CHECK_INT(ata_identify_parse(text, words), 0);
    text[256 * 5] = '\0';
    CHECK_INT(ata_identify_parse(text, words), 256);
}

/* A class entry that is not a link is not a parent, and its folder is not a node's path. */
static void no_link(void)
{
    struct tree t;
    struct inventory v = {0};
    char folder[PROBE_FOLDER];
    tree_begin(&t);
    tree_file(&t, "/sys/class/ata_port/ata1/port_no", "1\n");
    tree_file(&t, "/sys/class/ata_device/dev1.0/class", "ata\n");
    tree_folder(&t, "/sys/class/ata_port/ata1/net/eth0");
    struct probe p = {.root = &t.root, .inventory = &v};
    look_at_ata(&p);
    int port = inventory_find(&v, "ata1");
    CHECK(port != INVENTORY_NONE);
    CHECK_STR(v.nodes[port].path, "");
    CHECK_INT(v.nodes[port].parent, inventory_find(&v, "machine"));
    int below =
        probe_add_device(&p, NODE_NETWORK, "eth0", "/sys/class/ata_port/ata1/net/eth0", folder);
    CHECK(below != INVENTORY_NONE);
    CHECK_INT(v.nodes[below].parent, inventory_find(&v, "machine"));
    CHECK_STR(v.nodes[below].path, "");
    inventory_free(&v);
    tree_end(&t);
}

int main(void)
{
    ports();
    ahci_and_multiplier();
    garbage();
    no_link();
    identify();
    return check_result();
}
