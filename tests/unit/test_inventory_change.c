/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes between two probes: each kind of rule, and differences that must not be reported. */
#include "check.h"

#include "hw/monitor/inventory_change.h"

static struct inventory before, after;
static struct change changes[8];

static void add(enum node_kind kind, const char *name, const char *key, const char *old,
                const char *now)
{
    int a = inventory_find(&before, name), b = inventory_find(&after, name);
    if (a == INVENTORY_NONE) {
        a = inventory_add_node(&before, kind, name, NULL, INVENTORY_NONE);
        b = inventory_add_node(&after, kind, name, NULL, INVENTORY_NONE);
    }
    inventory_add(&before, a, key, old ? old : "", "", "", old ? FACT_OK : FACT_ABSENT);
    inventory_add(&after, b, key, now ? now : "", "", "", now ? FACT_OK : FACT_ABSENT);
}

static size_t found(void)
{
    memset(changes, 0, sizeof changes);
    size_t count = changes_find(&before, &after, changes, 8);
    inventory_free(&before);
    inventory_free(&after);
    return count;
}

int main(void)
{
    add(NODE_CPU, "cpu", "governor", "performance", "powersave");
    CHECK_INT(found(), 1);
    CHECK_STR(changes[0].text, "cpu: the governor changed: from performance to powersave");
    CHECK_STR(changes[0].node, "cpu");
    CHECK_STR(changes[0].key, "governor");

    add(NODE_CPU, "cpu", "frequency", "3000000000", "800000000"); /* idle processors slow down */
    add(NODE_CPU, "cpu", "core_throttle_count", "7", "7");
    add(NODE_PCI_DEVICE, "0000:01:00.0", "aer_correctable", "9", "3"); /* the device was reset */
    add(NODE_DISK, "sda", "governor", "a", "b");                       /* another kind of node */
    add(NODE_DISK, "sda", "scheduler", "none", NULL);                  /* not told any more */
    CHECK_INT(found(), 0);

    add(NODE_NVME, "nvme0", "throttled_light", "0", "1");
    add(NODE_CPU, "cpu", "core_throttle_count", "7", "12");
    add(NODE_PCI_DEVICE, "0000:01:00.0", "negotiated", "16.0 GT/s x4", "8.0 GT/s x4");
    add(NODE_SENSOR, "nvme-pci-0100", "temperature", "80.5", "80.5");
    add(NODE_SENSOR, "nvme-pci-0100", "temperature_max", "79.9", "79.9");
    CHECK_INT(found(), 4);
    CHECK_STR(changes[2].text,
              "0000:01:00.0: its link trained again: from 16.0 GT/s x4 to 8.0 GT/s x4");
    CHECK_STR(changes[3].text, "nvme-pci-0100: it is above its limit: 80.5 , limit 79.9");

    add(NODE_DISK, "sda", "health", "good", "failing: the drive predicts it (SMART)");
    add(NODE_DISK, "sda", "reallocated_sectors", "3", "11");
    add(NODE_DISK, "sda", "pending_sectors", "8", "0"); /* they were replaced */
    add(NODE_DISK, "sda", "reported_uncorrectable", "2", "2");
    CHECK_INT(found(), 2);
    CHECK_STR(changes[0].text, "sda: its health changed: from good to failing: the drive predicts "
                               "it (SMART)");
    CHECK_STR(changes[1].text, "sda: it replaced sectors: from 3 to 11");

    inventory_add_node(&before, NODE_DISK, "sdb", NULL, INVENTORY_NONE);
    inventory_add_node(&after, NODE_DISK, "sdc", NULL, INVENTORY_NONE);
    CHECK_INT(found(), 1);
    CHECK_STR(changes[0].text, "sdb: it is no longer there");
    return check_result();
}
