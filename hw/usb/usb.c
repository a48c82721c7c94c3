/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds USB devices, hubs included, and their links. */
#include "hw/probers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "hw/link/link_facts.h"
#include "hw/sysroot/attribute.h"
#include "hw/usb/internal.h"

#define DEVICES   "/sys/bus/usb/devices"
#define STORE_MAX 1024

static const struct attribute rows[] = {
    {"product", ATTRIBUTE_TEXT, {"product"}, 0, NULL, true},
    {"manufacturer", ATTRIBUTE_TEXT, {"manufacturer"}, 0, NULL, true},
    {"version", ATTRIBUTE_TEXT, {"version"}, 0, NULL, false},
};

static const struct attribute serial_rows[] = {
    {"serial", ATTRIBUTE_TEXT, {"serial"}, 0, NULL, true},
};

/* Returns the limit of a link. At 10 Gbit/s there are two kinds of links, with one or two lanes; at
   other speeds the number of lanes makes no difference. */
static struct link_rate usb_limit(double bits_per_second, unsigned lanes)
{
    struct link_rate rate = limit_usb(bits_per_second / 1e6, lanes);
    return isnan(rate.line) ? limit_usb(bits_per_second / 1e6, 0) : rate;
}

/* Reads the number before `unit` ("480", "224mA"); NaN when the text has another form. */
static double read_number(const struct sysroot *root, const char *folder, const char *file,
                          const char *unit)
{
    char path[160], text[64];
    double value;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (sysroot_line(root, path, text, sizeof text) != FACT_OK)
        return (double)NAN;
    struct span s = span_trimmed(span_of(text));
    size_t length = strlen(unit);
    if (s.length <= length || memcmp(s.text + s.length - length, unit, length) != 0 ||
        number_parse(s.text, s.length - length, &value) != NUMBER_OK || value < 0)
        return (double)NAN;
    return value;
}

static bool is_root_hub(const char *name)
{
    return !strncmp(name, "usb", 3);
}

/* ---- drivers ---- */

/* Writes the drivers of the device's interfaces: "usb-storage" or "usbhid, snd-usb-audio". In the
   list of all devices, `names`, an interface is "1-2:1.0", and for the root hub "usb1" it is
   "1-0:1.0". */
static void list_drivers(const struct sysroot *root, const struct sysroot_names *names,
                         const char *name, const char *folder, char *to, size_t size)
{
    char prefix[64], path[PROBE_FOLDER + 80], driver[64];
    bool is_root = is_root_hub(name);
    snprintf(prefix, sizeof prefix, is_root ? "%s-0:" : "%s:", is_root ? name + 3 : name);
    to[0] = '\0';
    for (size_t i = 0; i < names->count; i++) {
        if (strncmp(names->names[i], prefix, strlen(prefix)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s/driver", folder, names->names[i]);
        size_t used = strlen(to);
        if (sysroot_link(root, path, driver, sizeof driver) == FACT_OK && !strstr(to, driver))
            snprintf(to + used, size - used, "%s%s", used ? ", " : "", driver);
    }
}

/* ---- Binary Object Store descriptors ---- */

#define DEVICE_CAPABILITY 0x10 /* bDescriptorType */
#define SUPERSPEED        0x03 /* bDevCapabilityType */
#define SUPERSPEED_PLUS   0x0a
#define STORE_HEADER      5

/* Returns 5 Gbit/s if bit 3 of wSpeedsSupported is set (USB 3.2, table 9-15), else NaN. */
static double superspeed(const uint8_t *capability, size_t length)
{
    return length >= 10 && (capability[4] & 8) ? 5e9 : (double)NAN;
}

/* Returns the fastest speed of a lane, 5 or 10 Gbit/s, that the words bmSublinkSpeedAttr list from
   byte 12 on (USB 3.2, table 9-19): exponent in bits 5:4, where 3 is Gbit/s; mantissa in bits
   31:16. NaN: none. The numbers of lanes, in wFunctionalitySupport, are not read. */
static double superspeed_plus(const uint8_t *capability, size_t length)
{
    double fastest = (double)NAN;
    if (length < 12)
        return fastest;
    size_t count = (capability[4] & 0x1fu) + 1;
    for (size_t i = 0; i < count && 12 + 4 * i + 4 <= length; i++) {
        uint32_t attribute = load_le32(capability + 12 + 4 * i);
        double speed = (attribute >> 4 & 3) == 3 ? 1e9 * (attribute >> 16) : 0;
        bool known = speed == 5e9 || speed == 10e9;
        if (known && !(speed < fastest))
            fastest = speed;
    }
    return fastest;
}

double usb_store_speed(const uint8_t *bytes, size_t length)
{
    double fastest = (double)NAN;
    if (length < STORE_HEADER)
        return fastest;
    for (size_t at = bytes[0]; at + 3 <= length; at += bytes[at]) {
        const uint8_t *capability = bytes + at;
        double speed = (double)NAN;
        if (capability[0] < 3 || at + capability[0] > length)
            break;
        if (capability[1] == DEVICE_CAPABILITY && capability[2] == SUPERSPEED)
            speed = superspeed(capability, capability[0]);
        if (capability[1] == DEVICE_CAPABILITY && capability[2] == SUPERSPEED_PLUS)
            speed = superspeed_plus(capability, capability[0]);
        if (!(speed <= fastest) && !isnan(speed))
            fastest = speed;
    }
    return fastest;
}

/* ---- the link ---- */

/*
 * Returns the device's own maximum, as far as it reports it. In USB 2 mode a USB 3 device has
 * version 2.10 and reports its maximum in its Binary Object Store (USB 3.2, 9.6.1), which kernels
 * before 6.10 do not show: there, a disk of version 2.10 is assumed to be a USB 3 device.
 */
static double device_speed(const struct sysroot *root, const char *folder, double version,
                           double negotiated, bool is_disk)
{
    char path[160];
    uint8_t store[STORE_MAX];
    size_t length = 0;
    double listed = (double)NAN;
    snprintf(path, sizeof path, "%s/bos_descriptors", folder);
    bool has_store = version > 2.005 &&
                     sysroot_bytes(root, path, store, sizeof store, &length) == FACT_OK && length;
    if (has_store)
        listed = usb_store_speed(store, length);
    if (version >= 3 || (!has_store && is_disk && version > 2.095))
        listed = listed > 5e9 ? listed : 5e9;
    return listed > negotiated ? listed : negotiated;
}

/* Returns the speed of the port. A USB 3 socket is two ports: one on the USB 2 hub, and its peer on
   the USB 3 hub. */
static double port_speed(const struct probe *p, int node, const char *folder)
{
    const struct inventory *v = p->inventory;
    char path[160], peer[64];
    double hub = inventory_number(v, v->nodes[node].parent, "speed");
    snprintf(path, sizeof path, "%s/port/peer", folder);
    if (!(hub < 5e9) || sysroot_link(p->root, path, peer, sizeof peer) != FACT_OK)
        return hub;
    char *end = strstr(peer, "-port"); /* cuts the form "usb2-port3" or "2-1-port3" at "-port" */
    if (end)
        *end = '\0';
    double other = inventory_number(v, inventory_find(v, peer), "speed");
    return other >= 5e9 ? other : 5e9;
}

/* ---- devices ---- */

static void add_device(struct probe *p, const struct sysroot_names *names, const char *name)
{
    char path[128], folder[PROBE_FOLDER], drivers[160];
    bool is_root = is_root_hub(name);
    snprintf(path, sizeof path, DEVICES "/%s", name);
    int node = probe_add_device(p, NODE_USB, name, path, folder);
    if (node == INVENTORY_NONE)
        return;
    attributes_add(p->root, p->inventory, node, path, rows, ATTRIBUTE_COUNT(rows));
    if (p->serials && !is_root)
        attributes_add(p->root, p->inventory, node, path, serial_rows,
                       ATTRIBUTE_COUNT(serial_rows));
    list_drivers(p->root, names, name, folder, drivers, sizeof drivers);
    if (drivers[0])
        inventory_add(p->inventory, node, "driver", drivers, "", path, FACT_OK);
    double milliamperes = read_number(p->root, path, "bMaxPower", "mA");
    if (milliamperes > 0)
        inventory_addf(p->inventory, node, "max_current", "A", path, "%g", milliamperes / 1000);

    double speed = 1e6 * read_number(p->root, path, "speed", "");
    if (!(speed < LINK_RATE_MAX)) {
        inventory_add(p->inventory, node, "speed", "", "bits/s", path,
                      link_facts_denied(p->root, path, "speed") ? FACT_DENIED : FACT_ABSENT);
        return;
    }
    inventory_addf(p->inventory, node, "speed", "bits/s", path, "%.0f", speed);
    bool is_disk = strstr(drivers, "usb-storage") || strstr(drivers, "uas");
    if (!is_root) {
        double lanes = read_number(p->root, path, "tx_lanes", "");
        double version = inventory_number(p->inventory, node, "version");
        struct link_ends ends = {
            .port = inventory_number(p->inventory, p->inventory->nodes[node].parent, "speed"),
            .device = device_speed(p->root, path, version, speed, is_disk),
            .negotiated = speed,
            .lanes = lanes >= 1 && lanes <= 2 ? (unsigned)lanes : 0,
            .device_word = "device",
            .limit = usb_limit,
            .source = path,
        };
        if (ends.device > speed)
            ends.port = port_speed(p, node, path);
        if (speed < 5e9 && ends.port >= 5e9)
            ends.reason_slower = "a USB 3 device at a USB 3 port runs as USB 2: cable or contacts";
        link_facts_add(p->inventory, node, &ends);
    }
}

/* Adds root hubs first, because all other devices are below them. The order by name then puts each
   hub before its devices. Names with ':' are interfaces. */
void look_at_usb(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, DEVICES, &names);
    for (size_t i = 0; i < names.count; i++)
        if (is_root_hub(names.names[i]))
            add_device(p, &names, names.names[i]);
    for (size_t i = 0; i < names.count; i++)
        if (!is_root_hub(names.names[i]) && !strchr(names.names[i], ':'))
            add_device(p, &names, names.names[i]);
    sysroot_names_free(&names);
}
