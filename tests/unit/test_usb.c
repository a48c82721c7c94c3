/* SPDX-License-Identifier: GPL-3.0-or-later */
/* USB devices in a tree: USB 3 disks at USB 3 and USB 2 ports, hubs, mice, garbage; and the Binary
 * Object Store. */
#include "check.h"
#include "facts_check.h"
#include "tree.h"

#include "hw/link/link_limit.h"
#include "hw/probers.h"
#include "hw/usb/internal.h"

#define XHCI "/sys/devices/pci0000:00/0000:00:14.0"

/* USB 2 extension, SuperSpeed: what a 5 Gbit/s disk tells. */
#define STORE_5G                                                                                   \
    5, 0x0f, 22, 0, 2, 7, 0x10, 2, 2, 0, 0, 0, 10, 0x10, 3, 0, 0x0e, 0, 1, 10, 0xff, 0x07

static const uint8_t store_5g[] = {STORE_5G};

static void put_device(const struct tree *t, const char *name, const char *folder,
                       const char *speed, const char *version, const char *driver)
{
    char path[256], target[256];
    snprintf(path, sizeof path, "/sys/bus/usb/devices/%s", name);
    snprintf(target, sizeof target, "../../../..%s", folder);
    tree_folder(t, folder);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "%s/speed", folder);
    tree_filef(t, path, "%s\n", speed);
    snprintf(path, sizeof path, "%s/version", folder);
    tree_filef(t, path, "%s\n", version);
    snprintf(path, sizeof path, "%s/product", folder);
    tree_filef(t, path, "Product of %s\n", name);
    if (!driver)
        return;
    bool is_root = !strncmp(name, "usb", 3);
    snprintf(path, sizeof path, "/sys/bus/usb/devices/%s%s:1.0", is_root ? name + 3 : name,
             is_root ? "-0" : "");
    snprintf(target, sizeof target, "../../../..%s/%s", folder, strrchr(path, '/') + 1);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "%s/driver", target + strlen("../../../.."));
    snprintf(target, sizeof target, "/sys/bus/usb/drivers/%s", driver);
    tree_link(t, path, target);
}

static void devices(void)
{
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_device(&t, "usb1", XHCI "/usb1", "480", " 2.00", "hub");
    put_device(&t, "usb2", XHCI "/usb2", "20000", " 3.10", "hub");
    /* A USB 3 disk as it should be, with two lanes. */
    put_device(&t, "2-1", XHCI "/usb2/2-1", "10000", " 3.20", "uas");
    tree_file(&t, XHCI "/usb2/2-1/tx_lanes", "2\n");
    tree_file(&t, XHCI "/usb2/2-1/bMaxPower", "896mA\n");
    tree_file(&t, XHCI "/usb2/2-1/serial", "S1\n");
    /* One in USB 2 mode at a USB 3 socket, one at a socket that is USB 2 only. */
    put_device(&t, "1-1", XHCI "/usb1/1-1", "480", " 2.10", "usb-storage");
    tree_link(&t, XHCI "/usb1/1-1/port", "../1-0:1.0/usb1-port1");
    tree_link(&t, XHCI "/usb1/1-0:1.0/usb1-port1/peer", "../../../usb2/2-0:1.0/usb2-port1");
    put_device(&t, "1-2", XHCI "/usb1/1-2", "480", " 2.10", "usb-storage");
    /* Told by its store: without it a webcam of version 2.10 is no USB 3 device. */
    put_device(&t, "1-3", XHCI "/usb1/1-3", "480", " 2.10", "uvcvideo");
    put_device(&t, "1-4", XHCI "/usb1/1-4", "480", " 2.10", "ax88179");
    tree_bytes(&t, XHCI "/usb1/1-4/bos_descriptors", store_5g, sizeof store_5g);
    /* A hub and a mouse behind it. */
    put_device(&t, "1-5", XHCI "/usb1/1-5", "480", " 2.00", "hub");
    put_device(&t, "1-5.1", XHCI "/usb1/1-5/1-5.1", "1.5", " 2.00", "usbhid");
    /* A 3.00 device that says so in USB 2 mode too. */
    put_device(&t, "1-5.2", XHCI "/usb1/1-5/1-5.2", "480", " 3.00", "usb-storage");
    int pci = inventory_add_node(&v, NODE_PCI_DEVICE, "0000:00:14.0", XHCI, probe_top(&p));
    look_at_usb(&p);
    CHECK_INT(v.node_count, 2 + 10);

    int node = inventory_find(&v, "usb1");
    CHECK_INT(v.nodes[node].parent, pci);
    FACT_IS(&v, node, "speed", "480000000");
    FACT_IS(&v, node, "driver", "hub");
    NO_FACT(&v, node, "negotiated");

    node = inventory_find(&v, "2-1");
    CHECK_INT(v.nodes[node].parent, inventory_find(&v, "usb2"));
    FACT_IS(&v, node, "product", "Product of 2-1");
    FACT_IS(&v, node, "driver", "uas");
    FACT_IS(&v, node, "version", "3.20");
    FACT_IS(&v, node, "negotiated", "10 Gbit/s");
    FACT_IS(&v, node, "capable", "10 Gbit/s");
    FACT_IS(&v, node, "link_rate", "1000000000"); /* Gen 1x2: 2 lanes * 5e9 * 8/10 / 8 */
    FACT_IS(&v, node, "degraded", "no");
    FACT_IS(&v, node, "max_current", "0.896");
    NO_FACT(&v, node, "serial");

    node = inventory_find(&v, "1-1");
    FACT_IS(&v, node, "negotiated", "480 Mbit/s");
    FACT_IS(&v, node, "capable", "5.0 Gbit/s");
    FACT_IS(&v, node, "degraded", "yes");
    FACT_IS(&v, node, "degraded_reason",
            "a USB 3 device at a USB 3 port runs as USB 2: cable or contacts");
    CHECK_NEAR(inventory_number(&v, node, "limit"), limit_usb(480, 1).payload, 1e-7);
    CHECK_NEAR(inventory_number(&v, node, "limit_capable"), limit_usb(5000, 1).payload, 1e-7);

    static const char limited[] = "the port: 480 Mbit/s, the device can 5.0 Gbit/s";
    node = inventory_find(&v, "1-2");
    FACT_IS(&v, node, "capable", "480 Mbit/s");
    FACT_IS(&v, node, "degraded", "no");
    FACT_IS(&v, node, "limited_by", limited);
    NO_FACT(&v, inventory_find(&v, "1-3"), "limited_by");
    FACT_IS(&v, inventory_find(&v, "1-4"), "limited_by", limited);
    FACT_IS(&v, inventory_find(&v, "1-5.2"), "limited_by", limited);

    node = inventory_find(&v, "1-5.1");
    CHECK_INT(v.nodes[node].parent, inventory_find(&v, "1-5"));
    FACT_IS(&v, node, "negotiated", "1.5 Mbit/s");
    FACT_IS(&v, node, "degraded", "no");
    inventory_free(&v);

    p.serials = true;
    look_at_usb(&p);
    FACT_IS(&v, inventory_find(&v, "2-1"), "serial", "S1");
    inventory_free(&v);
    tree_end(&t);
}

static void garbage(void)
{
    static const uint8_t bytes[] = {0xff, 0xff, 0, 1, 2, 3};
    struct tree t;
    struct inventory v = {0};
    tree_begin(&t);
    struct probe p = {.root = &t.root, .inventory = &v};
    put_device(&t, "usb1", XHCI "/usb1", "unknown", "two", NULL);
    put_device(&t, "1-1", XHCI "/usb1/1-1", "480", " 2.10", NULL);
    tree_bytes(&t, XHCI "/usb1/1-1/bos_descriptors", bytes, sizeof bytes);
    tree_file(&t, XHCI "/usb1/1-1/tx_lanes", "4294967297\n");
    tree_file(&t, XHCI "/usb1/1-1/bMaxPower", "mA\n");
    put_device(&t, "1-2", XHCI "/usb1/1-2", "-480", " 2.00", NULL);
    put_device(&t, "1-3", XHCI "/usb1/1-3", "777", " 99.99", NULL);
    tree_deny(&t, XHCI "/usb1/1-2/product");
    tree_deny(&t, XHCI "/usb1/1-2/version");
    put_device(&t, "1-5", XHCI "/usb1/1-5", "100000000000000000000", " 2.00", NULL);
    put_device(&t, "1-4", XHCI "/usb1/1-4", "480", " 2.00", NULL);
    tree_deny(&t, XHCI "/usb1/1-4/speed");
    tree_link(&t, "/sys/bus/usb/devices/1-9", "../../../../gone");
    look_at_usb(&p);
    CHECK_INT(v.node_count, 1 + 7);
    FACT_STATUS(&v, inventory_find(&v, "1-9"), "version", FACT_ABSENT);
    FACT_STATUS(&v, inventory_find(&v, "usb1"), "speed", FACT_ABSENT);
    int node = inventory_find(&v, "1-1");
    FACT_IS(&v, node, "negotiated", "480 Mbit/s");
    FACT_IS(&v, node, "degraded", "no");
    NO_FACT(&v, node, "max_current");
    node = inventory_find(&v, "1-2");
    FACT_STATUS(&v, node, "product", FACT_DENIED);
    FACT_STATUS(&v, node, "version", FACT_DENIED);
    FACT_STATUS(&v, node, "speed", FACT_ABSENT);
    FACT_STATUS(&v, inventory_find(&v, "1-4"), "speed", FACT_DENIED);
    FACT_STATUS(&v, inventory_find(&v, "1-5"), "speed", FACT_ABSENT);
    node = inventory_find(&v, "1-3"); /* a speed that no table has */
    FACT_IS(&v, node, "negotiated", "777 Mbit/s");
    NO_FACT(&v, node, "limit");
    inventory_free(&v);
    tree_end(&t);
}

static void store(void)
{
    /* SuperSpeedPlus with two sublink speeds, the faster 10 Gbit/s: exponent 3, mantissa 10. */
    static const uint8_t plus[] = {STORE_5G, 20, 0x10, 0x0a, 0, 1, 0,    0,    0,  0, 0,
                                   0,        0,  0x30, 0,    5, 0, 0xb0, 0x40, 10, 0};
    static const uint8_t usb2[] = {5, 0x0f, 12, 0, 1, 7, 0x10, 2, 2, 0, 0, 0};
    CHECK_NEAR(usb_store_speed(store_5g, sizeof store_5g), 5e9, 0);
    CHECK_NEAR(usb_store_speed(plus, sizeof plus), 10e9, 0);
    CHECK(isnan(usb_store_speed(usb2, sizeof usb2)));
    CHECK(isnan(usb_store_speed(NULL, 0)));
    /* Cut anywhere, and with every byte replaced: no read beyond the end, a known speed or none. */
    for (size_t length = 0; length < sizeof plus; length++) {
        uint8_t *cut = malloc(length ? length : 1);
        for (int fill = -1; fill < 256 && cut; fill++) {
            memcpy(cut, plus, length);
            if (fill >= 0 && length)
                cut[((size_t)fill * 7) % length] = (uint8_t)fill;
            double speed = usb_store_speed(cut, length);
            CHECK(isnan(speed) || speed == 5e9 || speed == 10e9);
        }
        free(cut);
    }
}

int main(void)
{
    devices();
    garbage();
    store();
    return check_result();
}
