/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCI prober on sysfs trees: links, why they are degraded, and what a user may read. */
#include "pci_tree.h"

static void half_the_lanes(void)
{
    begin(GEN4, 4, GEN4, 4);
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "16.0 GT/s PCIe\n", "2\n");
    put_function(&port);
    put_function(&card);
    put(&card, "aer_dev_correctable", "RxErr 5\nBadTLP 2\nTOTAL_ERR_COR 7\n");
    put(&card, "aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 0\n");
    put(&card, "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL x\n");
    tree_link(&tree, "/sys/devices/" HOST "/" PORT "/" CARD "/driver",
              "../../../../bus/pci/drivers/nvme");
    look("none");
    parent_is(HOST, "node1");
    parent_is(PORT, HOST);
    parent_is(CARD, PORT);
    CHECK_INT(inventory.nodes[inventory_find(&inventory, PORT)].kind, NODE_PCI_BRIDGE);
    CHECK_INT(inventory.nodes[inventory_find(&inventory, CARD)].kind, NODE_PCI_DEVICE);
    value_is(CARD, "device_name", "[144d:a80a]");
    value_is(CARD, "vendor_id", "0x144d");
    value_is(CARD, "class", "NVMe controller");
    value_is(CARD, "revision", "0x02");
    value_is(CARD, "driver", "nvme");
    value_is(CARD, "numa_node", "1");
    value_is(CARD, "slot", "12");
    value_is(CARD, "capable", "16.0 GT/s x4");
    value_is(CARD, "negotiated", "16.0 GT/s x2");
    value_is(CARD, "card_capable", "16.0 GT/s x4");
    value_is(CARD, "port_capable", "16.0 GT/s x4");
    value_is(CARD, "degraded", "yes");
    value_is(CARD, "degraded_reason", "2 of 4 lanes; the card counted 7 correctable errors");
    /* 16e9 * 2 * 128/130 / 8; payload of 256: (line * 375/376 - 533333) * 256/280 */
    value_is(CARD, "link_rate", "3938461538");
    CHECK_NEAR(inventory_number(&inventory, inventory_find(&inventory, CARD), "limit"), 3.590815e9,
               1e-6);
    CHECK_NEAR(inventory_number(&inventory, inventory_find(&inventory, CARD), "limit_capable"),
               7.182117e9, 1e-6);
    value_is(CARD, "max_payload", "256");
    value_is(CARD, "max_payload_capable", "512");
    value_is(CARD, "max_read_request", "512");
    value_is(CARD, "aspm", "off");
    value_is(CARD, "aer_correctable", "7");
    value_is(CARD, "aer_nonfatal", "0");
    CHECK_INT(status_of(CARD, "aer_fatal"), FACT_INVALID);
    CHECK_INT(status_of(CARD, "limited_by"), -1);
    CHECK_INT(status_of(PORT, "negotiated"), -1); /* a link is reported at its lower end */
    end();
}

static void old_slot(void)
{
    begin(GEN3, 4, GEN4, 4);
    link_of_port("8 GT/s\n", "4\n"); /* as kernels before 5.7 write it */
    link_of_card("16.0 GT/s PCIe\n", "4\n", "8.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    look("none");
    value_is(CARD, "capable", "8.0 GT/s x4");
    value_is(CARD, "negotiated", "8.0 GT/s x4");
    value_is(CARD, "degraded", "no");
    value_is(CARD, "limited_by", "the port: 8.0 GT/s x4, the card can 16.0 GT/s x4");
    CHECK_INT(status_of(CARD, "degraded_reason"), -1);
    end();
}

static void small_card(void)
{
    begin(GEN5, 16, GEN4, 4);
    link_of_port("32.0 GT/s PCIe\n", "16\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "16.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    look("none");
    value_is(CARD, "degraded", "no");
    value_is(CARD, "limited_by", "the card: 16.0 GT/s x4, the port can 32.0 GT/s x16");
    end();
}

/* ---- why ---- */

static void set_slower(void)
{
    begin(GEN4, 4, GEN4, 4);
    space_put(&port_space, PCI_SPACE_EXPRESS + 0x30, 2, GEN3); /* target link speed */
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "8.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    look("none");
    value_is(CARD, "degraded", "yes");
    value_is(CARD, "degraded_reason", "8.0 of 16.0 GT/s; the port is set to 8.0 GT/s at most");
    end();
}

static void saves_power(void)
{
    begin(GEN4, 16, GEN4, 16);
    space_put(&card_space, 8, 4, 0x03000002);
    space_put(&port_space, PCI_SPACE_EXPRESS + 0x12, 2, 0x8000 | GEN1 | 16 << 4);
    link_of_port("16.0 GT/s PCIe\n", "16\n");
    link_of_card("16.0 GT/s PCIe\n", "16\n", "2.5 GT/s PCIe\n", "16\n");
    put_function(&port);
    put_function(&card);
    look("none");
    value_is(CARD, "degraded_reason",
             "2.5 of 16.0 GT/s; display controllers slow down while idle; the card changed it by "
             "itself, not for errors");
    put(&card, "power_state", "D3hot\n");
    put(&card, "power/runtime_status", "suspended\n");
    look("none");
    value_is(CARD, "power_state", "D3hot");
    value_is(CARD, "degraded_reason",
             "2.5 of 16.0 GT/s; the card sleeps to save power (D3hot); the card changed it by "
             "itself, not for errors");
    put(&card, "power_state", "D3cold\n"); /* the registers of a sleeping device are not read */
    look("none");
    value_is(CARD, "power_state", "D3cold");
    CHECK_INT(status_of(CARD, "max_payload"), -1);
    end();
}

/* ---- permissions ---- */

static void without_root(void)
{
    begin(GEN4, 4, GEN4, 4);
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "16.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    tree_bytes(&tree, "/sys/devices/" HOST "/" PORT "/config", port_space.bytes, 64);
    tree_bytes(&tree, "/sys/devices/" HOST "/" PORT "/" CARD "/config", card_space.bytes, 64);
    put(&card, "link/l1_aspm", "1\n");
    put(&card, "link/l0s_aspm", "0\n");
    look("none");
    value_is(CARD, "capable", "16.0 GT/s x4");
    value_is(CARD, "degraded", "no");
    value_is(CARD, "port_capable", "16.0 GT/s x4");
    CHECK_INT(status_of(CARD, "max_payload"), FACT_DENIED);
    CHECK_INT(status_of(CARD, "max_read_request"), FACT_DENIED);
    value_is(CARD, "aspm", "L1");
    CHECK_INT(status_of(PORT, "aspm"), FACT_DENIED);
    /* 4096 bytes of payload at most: (7.876923e9 * 375/376 - 533333) * 4096/4120 = 7.809681e9 */
    CHECK_NEAR(inventory_number(&inventory, inventory_find(&inventory, CARD), "limit"), 7.809681e9,
               1e-6);
    tree_deny(&tree, "/sys/devices/" HOST "/" PORT "/" CARD "/config");
    look("none");
    CHECK_INT(status_of(CARD, "max_payload"), FACT_DENIED);
    value_is(CARD, "negotiated", "16.0 GT/s x4");
    end();
}

/* A capability cut off at the end: missing registers would read as ones, ASPM as "L0s L1". */
static void cut_off(void)
{
    const char *config = "/sys/devices/" HOST "/" PORT "/" CARD "/config";
    begin(GEN4, 4, GEN4, 4);
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "8.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    tree_bytes(&tree, config, card_space.bytes, PCI_SPACE_EXPRESS + 0x2f);
    look("none");
    CHECK_INT(status_of(CARD, "max_payload"), FACT_INVALID);
    CHECK_INT(status_of(CARD, "max_payload_capable"), FACT_INVALID);
    CHECK_INT(status_of(CARD, "max_read_request"), FACT_INVALID);
    CHECK_INT(status_of(CARD, "aspm"), FACT_INVALID);
    value_is(CARD, "negotiated", "8.0 GT/s x4");
    value_is(CARD, "degraded", "yes");
    tree_bytes(&tree, config, card_space.bytes, PCI_SPACE_EXPRESS + 0x30);
    look("none");
    value_is(CARD, "max_payload", "256");
    value_is(CARD, "aspm", "off");

    memmove(card_space.bytes + 0xf0, card_space.bytes + PCI_SPACE_EXPRESS, 0x10);
    space_put(&card_space, 0x41, 1, 0xf0);
    tree_bytes(&tree, config, card_space.bytes, sizeof card_space.bytes);
    look("none");
    CHECK_INT(status_of(CARD, "max_payload"), FACT_INVALID);
    CHECK_INT(status_of(CARD, "aspm"), FACT_INVALID);
    end();
}

/* A kernel that does not know the speed yet: the registers tell it. */
static void unknown_speed(void)
{
    begin(GEN5, 4, GEN5, 4);
    link_of_port("Unknown\n", "4\n");
    link_of_card("Unknown speed\n", "4\n", "Unknown\n", "4\n");
    put_function(&port);
    put_function(&card);
    look("none");
    value_is(CARD, "capable", "32.0 GT/s x4");
    value_is(CARD, "negotiated", "32.0 GT/s x4");
    value_is(CARD, "degraded", "no");
    end();
}

/* ---- no link ---- */

static void link_down(void)
{
    begin(GEN4, 4, GEN4, 4);
    space_express(&port_space, ROOT_PORT, GEN4, 4, 0, 0);
    space_express(&card_space, ENDPOINT, GEN4, 4, 0, 0);
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    port.now = "Unknown\n";
    port.lanes = "0\n";
    link_of_card("16.0 GT/s PCIe\n", "4\n", "Unknown\n", "0\n");
    put_function(&port);
    put_function(&card);
    look("none");
    CHECK_INT(status_of(CARD, "negotiated"), FACT_ABSENT);
    CHECK_INT(status_of(CARD, "degraded"), -1);
    CHECK_INT(status_of(CARD, "limit"), -1);
    value_is(CARD, "capable", "16.0 GT/s x4");
    end();
}

static void no_link(void)
{
    struct pci_space integrated, conventional;
    begin(GEN4, 4, GEN4, 4);
    space_begin(&integrated, 0x8086, 0x0b00, 0x088000);
    space_express(&integrated, INTEGRATED, 0, 0, 0, 0);
    struct function one = {HOST,        "0000:40:03.0", &integrated, "Unknown\n",
                           "Unknown\n", "0\n",          "0\n"};
    put_function(&one);
    space_begin(&conventional, 0x1af4, 0x1001, 0x010000);
    conventional.bytes[PCI_SPACE_EXPRESS] = 0x11;
    struct function two = {HOST, "0000:40:04.0", &conventional, NULL, NULL, NULL, NULL};
    put_function(&two);
    link_of_port("16.0 GT/s PCIe\n", "4\n"); /* an empty slot */
    port.now = "2.5 GT/s PCIe\n";
    port.lanes = "0\n";
    put_function(&port);
    look("none");
    CHECK_INT(status_of("0000:40:03.0", "negotiated"), -1);
    CHECK_INT(status_of("0000:40:03.0", "capable"), -1);
    value_is("0000:40:03.0", "class", "system peripheral");
    CHECK_INT(status_of("0000:40:04.0", "negotiated"), -1);
    CHECK_INT(status_of("0000:40:04.0", "max_payload"), -1);
    CHECK_INT(status_of("0000:40:04.0", "driver"), FACT_ABSENT);
    CHECK_INT(status_of(PORT, "negotiated"), -1);
    value_is(PORT, "max_payload", "256");
    end();
}

/* In a guest, the port above a passed-through card is not visible. */
static void hidden_port(void)
{
    begin(GEN4, 4, GEN4, 4);
    link_of_card("16.0 GT/s PCIe\n", "4\n", "8.0 GT/s PCIe\n", "4\n");
    card.above = HOST;
    put_function(&card);
    look("none");
    value_is(CARD, "negotiated", "8.0 GT/s x4");
    value_is(CARD, "capable", "16.0 GT/s x4");
    CHECK_INT(status_of(CARD, "degraded"), -1); /* it may be the port */
    CHECK_INT(status_of(CARD, "port_capable"), -1);
    end();
}

static void virtual_function(void)
{
    struct pci_space space;
    begin(GEN4, 4, GEN4, 4);
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "8.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    space_begin(&space, 0x144d, 0xa824, 0x010802);
    space_express(&space, ENDPOINT, GEN4, 4, 0, 0);
    struct function f = {HOST "/" PORT, "0000:41:00.1", &space, "16.0 GT/s PCIe\n",
                         "Unknown\n",   "4\n",          "0\n"};
    put_function(&f);
    tree_link(&tree, "/sys/devices/" HOST "/" PORT "/0000:41:00.1/physfn", "../" CARD);
    look("none");
    value_is(CARD, "degraded", "yes");
    value_is("0000:41:00.1", "physical_function", CARD);
    value_is("0000:41:00.1", "negotiated", "8.0 GT/s x4");
    CHECK_INT(status_of("0000:41:00.1", "degraded"), -1);
    end();
}

int main(void)
{
    half_the_lanes();
    old_slot();
    small_card();
    set_slower();
    saves_power();
    without_root();
    cut_off();
    unknown_speed();
    link_down();
    no_link();
    hidden_port();
    virtual_function();
    return check_result();
}
