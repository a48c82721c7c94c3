/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network prober on small trees, link modes, and the interfaces of this machine. */
#include <linux/ethtool.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "hw/network/internal.h"
#include "hw/path/internal.h"
#include "hw/probers.h"
#include "tree.h"

static const char *value(const struct inventory *v, const char *node, const char *key)
{
    int found = inventory_find(v, node);
    const char *text = found == INVENTORY_NONE ? NULL : inventory_value(v, found, key);
    return text ? text : "(none)";
}

static int status(const struct inventory *v, const char *node, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(v, inventory_find(v, node), key);
    return fact ? (int)fact->status : -1;
}

static double number(const struct inventory *v, const char *node, const char *key)
{
    return inventory_number(v, inventory_find(v, node), key);
}

static int kind(const struct inventory *v, const char *node)
{
    int found = inventory_find(v, node);
    return found == INVENTORY_NONE ? -1 : (int)v->nodes[found].kind;
}

/* Adds the interface's folder, the class's link to it, and the files that every interface has. */
static void add_interface(const struct tree *t, const char *name, const char *device,
                          const char *state, const char *speed)
{
    char path[256], target[256];
    snprintf(path, sizeof path, "/sys/class/net/%s", name);
    snprintf(target, sizeof target, "../../devices/%s/net/%s", device, name);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "/sys/devices/%s/net/%s/operstate", device, name);
    tree_filef(t, path, "%s\n", state);
    snprintf(path, sizeof path, "/sys/devices/%s/net/%s/mtu", device, name);
    tree_file(t, path, "1500\n");
    snprintf(path, sizeof path, "/sys/devices/%s/net/%s/type", device, name);
    tree_file(t, path, "1\n");
    snprintf(path, sizeof path, "/sys/devices/%s/net/%s/address", device, name);
    tree_file(t, path, "02:00:00:00:00:01\n");
    if (speed) {
        snprintf(path, sizeof path, "/sys/devices/%s/net/%s/speed", device, name);
        tree_filef(t, path, "%s\n", speed);
        snprintf(path, sizeof path, "/sys/devices/%s/net/%s/duplex", device, name);
        tree_file(t, path, strcmp(speed, "-1") ? "full\n" : "unknown\n");
    }
    if (strncmp(device, "virtual", 7) != 0) {
        snprintf(path, sizeof path, "/sys/devices/%s/net/%s/device", device, name);
        tree_link(t, path, "../..");
    }
}

static void add_driver(const struct tree *t, const char *device, const char *driver)
{
    char path[256], target[256];
    snprintf(path, sizeof path, "/sys/devices/%s/driver", device);
    snprintf(target, sizeof target, "/sys/bus/pci/drivers/%s", driver);
    tree_link(t, path, target);
}

static void look(const struct tree *t, struct inventory *v, bool serials)
{
    struct probe p = {.root = &t->root, .inventory = v, .serials = serials};
    int top = probe_top(&p);
    inventory_add_node(v, NODE_PCI_DEVICE, "0000:01:00.0", "/sys/devices/pci0/0000:01:00.0", top);
    inventory_add_node(v, NODE_PCI_DEVICE, "0000:01:00.1", "/sys/devices/pci0/0000:01:00.1", top);
    look_at_network(&p);
}

static const char port0[] = "pci0/0000:01:00.0", port1[] = "pci0/0000:01:00.1";

static void test_card(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    add_interface(&t, "eth0", port0, "up", "10000");
    add_interface(&t, "eth1", port1, "down", "-1");
    tree_file(&t, "/sys/devices/pci0/0000:01:00.0/numa_node", "1\n");
    tree_file(&t, "/sys/devices/pci0/0000:01:00.0/net/eth0/mtu", "9000\n");
    add_driver(&t, port0, "ixgbe");
    add_interface(&t, "lo", "virtual", "unknown", NULL);
    tree_file(&t, "/sys/class/net/bonding_masters", "\n");
    look(&t, &v, false);

    CHECK_INT(kind(&v, "eth0"), NODE_NETWORK);
    CHECK_INT(v.nodes[inventory_find(&v, "eth0")].parent, inventory_find(&v, "0000:01:00.0"));
    CHECK_STR(value(&v, "eth0", "driver"), "ixgbe");
    CHECK_STR(value(&v, "eth0", "speed"), "10000000000");
    CHECK_STR(value(&v, "eth0", "duplex"), "full");
    CHECK_STR(value(&v, "eth0", "mtu"), "9000");
    CHECK_STR(value(&v, "eth0", "numa_node"), "1");
    CHECK_STR(value(&v, "eth0", "negotiated"), "10 Gbit/s");
    /* A frame with MTU 9000 takes 9000 + 14 + 4 + 8 + 12 = 9038 bytes on the line: 1.25e9 * 9000 /
       9038 = 1.244744e9 bytes/s. */
    CHECK_NEAR(number(&v, "eth0", "limit"), 1.25e9 * 9000 / 9038, 1e-8);
    CHECK_NEAR(number(&v, "eth0", "link_rate"), 1.25e9, 1e-12);
    /* in a captured tree the driver cannot be asked */
    CHECK_INT(status(&v, "eth0", "capable"), -1);
    CHECK_INT(status(&v, "eth0", "address"), -1);

    CHECK_INT(status(&v, "eth1", "speed"), FACT_ABSENT);
    CHECK_INT(status(&v, "eth1", "negotiated"), -1);
    CHECK_INT(status(&v, "eth1", "duplex"), -1);
    CHECK_INT(status(&v, "eth1", "driver"), FACT_ABSENT);
    CHECK_STR(value(&v, "eth1", "state"), "down");
    CHECK_INT(kind(&v, "lo"), -1);
    CHECK_INT(kind(&v, "bonding_masters"), -1);
    inventory_free(&v);

    look(&t, &v, true);
    CHECK_STR(value(&v, "eth0", "address"), "02:00:00:00:00:01");
    inventory_free(&v);
    tree_end(&t);
}

static void test_bond_bridge_vlan(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    add_interface(&t, "eth0", port0, "up", "25000");
    add_interface(&t, "eth1", port1, "up", "25000");
    add_interface(&t, "bond0", "virtual", "up", "50000");
    add_interface(&t, "bond1", "virtual", "down", NULL);
    add_interface(&t, "br0", "virtual", "up", "25000");
    add_interface(&t, "veth1", "virtual", "up", "10000");
    tree_file(&t, "/sys/devices/virtual/net/bond0/bonding/mode", "active-backup 1\n");
    tree_file(&t, "/sys/devices/virtual/net/bond0/bonding/slaves", "eth0 eth1\n");
    tree_file(&t, "/sys/devices/virtual/net/bond0/bonding/active_slave", "eth1\n");
    tree_file(&t, "/sys/devices/virtual/net/bond1/bonding/mode", "802.3ad 4\n");
    tree_file(&t, "/sys/devices/virtual/net/bond1/bonding/slaves", "\n");
    add_interface(&t, "bond2", "virtual", "up", NULL);
    tree_file(&t, "/sys/devices/virtual/net/bond2/bonding/mode", "802.3ad 4\n");
    tree_file(&t, "/sys/devices/virtual/net/bond2/bonding/slaves", "eth0 eth1\n");
    tree_file(&t, "/sys/devices/virtual/net/bond2/bonding/active_slave", "\n");
    tree_file(&t, "/sys/devices/virtual/net/bond2/bonding/ad_aggregator", "2\n");
    tree_file(&t, "/sys/devices/pci0/0000:01:00.0/net/eth0/bonding_slave/ad_aggregator_id", "1\n");
    tree_file(&t, "/sys/devices/pci0/0000:01:00.1/net/eth1/bonding_slave/ad_aggregator_id", "2\n");
    tree_file(&t, "/sys/devices/virtual/net/br0/uevent", "DEVTYPE=bridge\nINTERFACE=br0\n");
    tree_link(&t, "/sys/devices/virtual/net/br0/lower_bond0", "../bond0");
    tree_link(&t, "/sys/devices/virtual/net/br0/lower_veth1", "../veth1");
    look(&t, &v, false);

    CHECK_INT(kind(&v, "bond0"), NODE_BOND);
    CHECK_STR(value(&v, "bond0", "mode"), "active-backup");
    CHECK_STR(value(&v, "bond0", "members"), "eth0, eth1");
    CHECK_STR(value(&v, "bond0", "active"), "eth1");
    /* One of the two carries data at 25 Gbit/s; the other is a standby, which is not a fault. */
    CHECK_STR(value(&v, "bond0", "member_eth0"), "standby, 25 Gbit/s");
    CHECK_STR(value(&v, "bond0", "member_eth1"), "in use, 25 Gbit/s");
    CHECK_STR(value(&v, "bond0", "negotiated"), "25 Gbit/s");
    CHECK_NEAR(number(&v, "bond0", "limit"), 3.125e9 * 1500 / 1538, 1e-8);
    CHECK_INT(status(&v, "bond0", "limited_by"), -1);
    CHECK_STR(value(&v, "bond1", "mode"), "802.3ad");
    CHECK_INT(status(&v, "bond1", "members"), FACT_ABSENT);
    CHECK_INT(status(&v, "bond1", "active"), -1);
    CHECK_STR(value(&v, "bond2", "active"), "eth1");
    CHECK_STR(value(&v, "bond2", "member_eth0"), "idle, 25 Gbit/s");
    CHECK_STR(value(&v, "bond2", "limited_by"),
              "the members: eth0 (25 Gbit/s) carries nothing, it is not in the active "
              "aggregation");
    CHECK_INT(status(&v, "bond1", "negotiated"), -1);
    CHECK_INT(kind(&v, "br0"), NODE_NETWORK);
    CHECK_STR(value(&v, "br0", "type"), "bridge");
    CHECK_STR(value(&v, "br0", "members"), "bond0, veth1");
    CHECK_INT(v.nodes[inventory_find(&v, "br0")].parent, inventory_find(&v, "machine"));
    CHECK_STR(value(&v, "br0", "speed"), "25000000000");
    CHECK_INT(status(&v, "veth1", "speed"), -1); /* there is no physical line */
    CHECK_INT(status(&v, "veth1", "limit"), -1);
    CHECK_INT(status(&v, "veth1", "driver"), -1);
    inventory_free(&v);
    tree_end(&t);
}

/* 25 and 10 Gbit/s side by side, in the mode given: what they carry together, and what is wrong. */
static void check_bond(const char *mode, const char *mii_status, const char *negotiated,
                       const char *limited_by)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    add_interface(&t, "eth0", port0, "up", "25000");
    add_interface(&t, "eth1", port1, "up", "10000");
    add_interface(&t, "bond0", "virtual", "up", "35000");
    tree_filef(&t, "/sys/devices/virtual/net/bond0/bonding/mode", "%s\n", mode);
    tree_file(&t, "/sys/devices/virtual/net/bond0/bonding/slaves", "eth0 eth1 eth1 bond0 gone\n");
    tree_filef(&t, "/sys/devices/pci0/0000:01:00.1/net/eth1/bonding_slave/mii_status", "%s\n",
               mii_status);
    look(&t, &v, false);
    CHECK_STR(value(&v, "bond0", "negotiated"), negotiated);
    CHECK_STR(value(&v, "bond0", "limited_by"), limited_by);
    inventory_free(&v);
    tree_end(&t);
}

static void test_unequal_bond(void)
{
    static const char slower[] =
        "the members: eth1 (10 Gbit/s) is slower than the fastest (25 Gbit/s)";
    check_bond("balance-rr 0", "up", "35 Gbit/s", slower);
    check_bond("balance-xor 2", "up", "35 Gbit/s", slower);
    check_bond("broadcast 3", "up", "10 Gbit/s", slower);
    check_bond("balance-rr 0", "down", "25 Gbit/s", "the members: eth1 has no link");
}

static void test_guest_and_garbage(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    add_interface(&t, "eth0", port0, "up", "10000");
    add_driver(&t, port0, "virtio_net");
    add_interface(&t, "eth1", port1, "up", "fast");
    tree_bytes(&t, "/sys/devices/pci0/0000:01:00.1/net/eth1/mtu", "\x01\xff\x00\n", 4);
    tree_deny(&t, "/sys/devices/pci0/0000:01:00.1/net/eth1/operstate");
    tree_link(&t, "/sys/class/net/gone", "../../devices/nowhere/net/gone");
    add_interface(&t, "bond0", "virtual", "up", "4294967295");
    tree_deny(&t, "/sys/devices/virtual/net/bond0/bonding/slaves");
    look(&t, &v, false);

    /* The rate that a hypervisor states for its interface is not a limit. */
    CHECK_STR(value(&v, "eth0", "speed"), "10000000000");
    CHECK_INT(status(&v, "eth0", "negotiated"), -1);
    CHECK_INT(status(&v, "eth0", "limit"), -1);
    CHECK_INT(status(&v, "eth1", "speed"), FACT_INVALID);
    CHECK_INT(status(&v, "eth1", "mtu"), FACT_INVALID);
    CHECK_INT(status(&v, "eth1", "state"), FACT_DENIED);
    CHECK_INT(status(&v, "bond0", "speed"), -1);
    CHECK_INT(status(&v, "bond0", "members"), FACT_DENIED);
    CHECK_INT(status(&v, "bond0", "mode"), FACT_ABSENT);
    CHECK(!v.failed);
    inventory_free(&v);
    tree_end(&t);
}

static void set(uint32_t *words, unsigned bit)
{
    words[bit / 32] |= 1u << bit % 32;
}

static void test_modes(void)
{
    uint32_t supported[3] = {0}, advertised[3] = {0}, partner[3] = {0};
    struct network_modes none = network_modes_of(supported, advertised, partner, 3);
    CHECK_INT(none.supported, 0);
    set(supported, ETHTOOL_LINK_MODE_1000baseT_Full_BIT);
    set(supported, ETHTOOL_LINK_MODE_10000baseT_Full_BIT);
    set(supported, ETHTOOL_LINK_MODE_Autoneg_BIT);
    set(supported, ETHTOOL_LINK_MODE_100baseT_Half_BIT);
    memcpy(advertised, supported, sizeof advertised);
    set(partner, ETHTOOL_LINK_MODE_1000baseT_Full_BIT);
    set(partner, ETHTOOL_LINK_MODE_25000baseCR_Full_BIT);
    struct network_modes modes = network_modes_of(supported, advertised, partner, 3);
    CHECK_INT(modes.supported, 10000);
    CHECK_INT(modes.partner, 25000);
    CHECK_INT(modes.both, 1000);
    /* Fewer words than the table has bits: the missing bits are 0. */
    set(supported, ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT);
    CHECK_INT(network_modes_of(supported, advertised, partner, 3).supported, 400000);
    CHECK_INT(network_modes_of(supported, advertised, partner, 1).supported, 10000);
    CHECK_INT(network_modes_of(supported, advertised, partner, 0).supported, 0);
    CHECK(!network_modes_read("no-such-interface-name", &modes));
    CHECK(!network_modes_read("nosuch0", &modes));
}

static void check_route(const struct tree *t, const char *address, const char *expected)
{
    char interface[16];
    CHECK_INT(route_find(&t->root, address, interface, sizeof interface), *expected != '\0');
    CHECK_STR(interface, expected);
}

static void test_routes(void)
{
    struct tree t;
    tree_begin(&t);
    check_route(&t, "192.0.2.7", "");
    /* 10.1.0.0/16 by eth1 (metric 100) and eth2 (50), 10.1.2.0/24 by bond0, a reject route for
       10.1.3.0/24, everything else by eth0; numbers as in the kernel on a little-endian machine. */
    tree_file(
        &t, "/proc/net/route",
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        "eth1\t0000010A\t00000000\t0001\t0\t0\t100\t0000FFFF\t0\t0\t0\n"
        "eth2\t0000010A\t00000000\t0001\t0\t0\t50\t0000FFFF\t0\t0\t0\n"
        "bond0\t0002010A\t00000000\t0001\t0\t0\t4294967295\t00FFFFFF\t0\t0\t0\n"
        "*\t0003010A\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        "garbage\n\n");
    check_route(&t, "192.0.2.7", "eth0");
    check_route(&t, "10.1.9.9", "eth2");
    check_route(&t, "10.1.2.200", "bond0");
    check_route(&t, "10.1.3.1", "eth2");
    check_route(&t, "127.0.0.1", "lo");
    check_route(&t, "server", "");
    check_route(&t, "", "");
    check_route(&t, "10.1.2.200.10.1.2.200.10.1.2.200.10.1.2.200.10.1.2.200.10.1.2.200.10", "");

    /* 2001:db8:1::/36 is 2001:db8:1000: a prefix that ends inside a byte. */
    tree_file(&t, "/proc/net/ipv6_route",
              "20010db8000000000000000000000000 20 00000000000000000000000000000000 00 "
              "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth3\n"
              "20010db8100000000000000000000000 24 00000000000000000000000000000000 00 "
              "00000000000000000000000000000000 00000100 00000001 00000000 00000001    bond1\n"
              "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
              "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n"
              "20010db8zz0000000000000000000000 ff x\n");
    check_route(&t, "2001:db8::5", "eth3");
    check_route(&t, "2001:db8:1fff::5", "bond1");
    check_route(&t, "2001:db8:2000::5", "eth3");
    check_route(&t, "2001:db9::5", "");
    check_route(&t, "fe80::1%eth7", "eth7");
    check_route(&t, "::1", "lo");
    tree_end(&t);
}

/* Works on any machine: the prober finishes, and every limit has a rate. */
static void test_this_machine(void)
{
    struct sysroot root;
    struct inventory v = {0};
    CHECK_INT(sysroot_open(&root, NULL, NULL), 0);
    struct probe p = {.root = &root, .inventory = &v};
    look_at_network(&p);
    for (int node = 0; node < v.node_count; node++) {
        CHECK(strcmp(v.nodes[node].name, "lo") != 0);
        double limit = inventory_number(&v, node, "limit");
        if (limit > 0)
            CHECK(limit < inventory_number(&v, node, "link_rate"));
    }
    CHECK(!v.failed);
    inventory_free(&v);
}

int main(void)
{
    test_card();
    test_bond_bridge_vlan();
    test_unequal_bond();
    test_guest_and_garbage();
    test_modes();
    test_routes();
    test_this_machine();
    return check_result();
}
