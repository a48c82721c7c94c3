/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PCI prober on sysfs trees: the hierarchy, slots, names, garbage. */
#include "pci_tree.h"

/* ---- places ---- */

/* Behind Intel's VMD there is a second host bridge inside a device. */
static void nested_host(void)
{
    begin(GEN4, 4, GEN4, 4);
    struct pci_space space;
    space_begin(&space, 0x8086, 0x28c0, 0x010400);
    struct function vmd = {HOST, "0000:40:05.5", &space, NULL, NULL, NULL, NULL};
    put_function(&vmd);
    struct function inner = {HOST "/0000:40:05.5/pci10000:00",
                             "10000:00:02.0",
                             &port_space,
                             "16.0 GT/s PCIe\n",
                             "16.0 GT/s PCIe\n",
                             "4\n",
                             "4\n"};
    put_function(&inner);
    look("none");
    parent_is("0000:40:05.5", HOST);
    parent_is("pci10000:00", "0000:40:05.5");
    parent_is("10000:00:02.0", "pci10000:00");
    end();
}

static void named_slot(void)
{
    begin(GEN4, 4, GEN4, 4);
    link_of_port("16.0 GT/s PCIe\n", "4\n");
    link_of_card("16.0 GT/s PCIe\n", "4\n", "16.0 GT/s PCIe\n", "4\n");
    put_function(&port);
    put_function(&card);
    tree_file(&tree, "/sys/bus/pci/slots/bay 3/address", "0000:41:00\n");
    tree_file(&tree, "/sys/bus/pci/slots/0/address", "garbage that is longer than an address\n");
    look("none");
    value_is(CARD, "slot", "bay 3");
    end();
}

static void names(void)
{
    static const char list[] = "# comment\n"
                               "1022  Advanced Micro Devices, Inc. [AMD]\n"
                               "\t1483  Starship/Matisse GPP Bridge\n"
                               "\t\t1022 1483  A subsystem\n"
                               "broken line\n"
                               "\ta80a  of nobody\n"
                               "144d  Samsung Electronics Co Ltd\n"
                               "\ta809  another\n"
                               "C 01  Mass storage controller\n"
                               "\ta80a  no vendor's\n";
    begin(GEN4, 4, GEN4, 4);
    put_function(&port);
    put_function(&card);
    tree_file(&tree, "/usr/share/misc/pci.ids", list);
    look(NULL);
    value_is(PORT, "device_name", "Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge");
    value_is(CARD, "device_name", "Samsung Electronics Co Ltd [144d:a80a]");
    char path[TREE_PATH];
    tree_file(&tree, "/other.ids", "144d  Other\n\ta80a  Drive");
    look(tree_path(&tree, path, "/other.ids"));
    value_is(CARD, "device_name", "Other Drive");
    value_is(PORT, "device_name", "[1022:1483]");
    look("/does/not/exist");
    value_is(CARD, "device_name", "[144d:a80a]");
    look("none");
    value_is(CARD, "device_name", "[144d:a80a]");
    end();
}

/* ---- garbage ---- */

static void garbage(void)
{
    char path[TREE_PATH];
    begin(GEN4, 4, GEN4, 4);
    link_of_port("GT/s GT/s\n", "-4\n");
    link_of_card("1e999 GT/s\n", "99999999999999999999\n", "\x01\x02\n", "64\n");
    put_function(&port);
    put_function(&card);
    static const char *const strange[] = {"0000:41:00",     "zzzz:41:00.0",      "0000:41:00.9",
                                          "0000:41:00.0.1", "fffffffff:00:00.0", "0000:41:40.0"};
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, BUS "%s", strange[i]);
        tree_link(&tree, path, "../nowhere");
    }
    tree_link(&tree, BUS "0000:50:00.0", "../../../../../../../../etc");
    tree_file(&tree, BUS "0000:51:00.0", "a file");
    tree_file(&tree, BUS "0000:52:00.0/vendor", "0x123456789\n");
    tree_file(&tree, BUS "0000:52:00.0/max_link_speed", "");
    tree_folder(&tree, BUS "0000:52:00.0/config");
    tree_file(&tree, BUS "0000:53:00.0/max_link_speed", "16.0 GT/s PCIe\n");
    if (mkfifo(tree_path(&tree, path, BUS "0000:53:00.0/config"), 0644) != 0)
        check_part_skipped("no pipes here");
    tree_file(&tree, BUS "0000:54:00.0/max_link_speed", "16.0 GT/s PCIe\n");
    tree_bytes(&tree, BUS "0000:54:00.0/config", "\x4d", 1);
    look("none");
    CHECK_INT(status_of(CARD, "limited_by"), -1);
    CHECK_INT(inventory_find(&inventory, "zzzz:41:00.0"), INVENTORY_NONE);
    CHECK_INT(inventory_find(&inventory, "0000:41:00.9"), INVENTORY_NONE);
    CHECK_INT(inventory_find(&inventory, "0000:41:40.0"), INVENTORY_NONE);
    CHECK_INT(status_of("0000:52:00.0", "device_name"), FACT_INVALID);
    /* where sysfs has garbage, the registers are used */
    value_is(CARD, "capable", "16.0 GT/s x4");
    end();
    tree_begin(&tree);
    look("none");
    CHECK_INT(inventory.node_count, 2); /* no PCI at all */
    end();
}

int main(void)
{
    nested_host();
    named_slot();
    names();
    garbage();
    return check_result();
}
