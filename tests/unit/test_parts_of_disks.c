/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which parts drives share, which drives are measured at the same time, and in which order. */
#include "machine.h"

#include "machine/qualify/shared/shared.h"

static struct sharing s;
static struct data_path paths[SHARING_DRIVES];

static void begin_sharing(void)
{
    s = (struct sharing){.confidence = 0.95};
}

static void take(struct machine *m, const char *name)
{
    CHECK_INT(shared_add_drive(&s, name, (int)s.drive_count), 0);
    find(m, name);
    paths[s.drive_count - 1] = m->path;
}

static void look(struct machine *m)
{
    shared_find_parts(&s, &m->v, paths);
    shared_find_groups(&s);
}

static const struct sharing_part *part_called(const char *name)
{
    for (size_t p = 0; p < s.part_count; p++)
        if (!strcmp(s.parts[p].name, name))
            return &s.parts[p];
    return NULL;
}

/* Adds "host8" and its wide port (4 x 12 Gbit/s) to an expander with `count` disks, named from sda
   on with the letter `first`. */
static void add_expander(struct machine *m, const char *bridge, int number, int first, int count,
                         double disk_limit)
{
    char function[32], host[16], port[16], expander[24], leaf[32], disk[8];
    snprintf(function, sizeof function, "0000:%02x:00.0", 0x18 + number);
    snprintf(host, sizeof host, "host%d", number);
    snprintf(port, sizeof port, "port-%d:0", number);
    snprintf(expander, sizeof expander, "expander-%d:0", number);
    add(m, NODE_PCI_DEVICE, function, bridge, 7180);
    add(m, NODE_SCSI_HOST, host, function, 0);
    add(m, NODE_SAS_PORT, port, host, 4640);
    add(m, NODE_SAS_EXPANDER, expander, port, 0);
    for (int i = 0; i < count; i++) {
        snprintf(leaf, sizeof leaf, "port-%d:0:%d", number, i);
        snprintf(disk, sizeof disk, "sd%c", 'a' + first + i);
        add(m, NODE_SAS_PORT, leaf, expander, disk_limit);
        add(m, NODE_DISK, disk, leaf, 0);
        take(m, disk);
    }
}

/* 24 drives of 1160 MB/s share 4640 MB/s: one after the other. */
static void test_expander(void)
{
    static struct machine m;
    begin(&m);
    begin_sharing();
    add_socket(&m, "node0", "pci0000:17");
    add(&m, NODE_PCI_BRIDGE, "0000:17:00.0", "pci0000:17", 0);
    add_expander(&m, "0000:17:00.0", 0, 0, 24, 1160);
    look(&m);
    /* Adapter, port, expander and socket have the same 24 drives, so they are one part, with the
       smallest limit. */
    CHECK_INT(s.part_count, 1);
    CHECK_STR(s.parts[0].name, "port-0:0");
    CHECK_STR(s.parts[0].words,
              "SAS port port-0:0 with SAS expander expander-0:0 at root port 0000:17:00.0");
    CHECK_INT(s.parts[0].count, 24);
    CHECK_NEAR(s.parts[0].limit, 4640 * MB, 1e-9);
    CHECK_NEAR(s.parts[0].demand, 24 * 1160 * MB, 1e-9);
    CHECK(!s.parts[0].host);
    CHECK_INT(s.groups, 1);
    CHECK_INT(s.slots, 24);
    for (unsigned i = 0; i < 24; i++)
        CHECK_INT(s.drives[i].slot, i);
    end(&m);
}

/* Two adapters of 12 drives each share only the socket: two drives at a time. */
static void test_two_adapters(void)
{
    static struct machine m;
    begin(&m);
    begin_sharing();
    add_socket(&m, "node0", "pci0000:17");
    add(&m, NODE_PCI_BRIDGE, "0000:17:00.0", "pci0000:17", 0);
    add(&m, NODE_PCI_BRIDGE, "0000:17:01.0", "pci0000:17", 0);
    add_expander(&m, "0000:17:00.0", 0, 0, 12, 1160);
    add_expander(&m, "0000:17:01.0", 1, 12, 12, 1160);
    look(&m);
    CHECK_INT(s.part_count, 3);
    CHECK_STR(s.parts[0].name, "port-0:0");
    CHECK_STR(s.parts[1].name, "port-1:0");
    CHECK(s.parts[2].host);
    CHECK_INT(s.parts[2].count, 24);
    CHECK_INT(s.groups, 2);
    CHECK_INT(s.slots, 12);
    CHECK_INT(s.drives[0].slot, 0);
    CHECK_INT(s.drives[12].slot, 0);
    CHECK(s.drives[0].group != s.drives[12].group);
    end(&m);
}

/* Slow disks behind one expander need less than its port carries: all at the same time. */
static void test_enough(void)
{
    static struct machine m;
    begin(&m);
    begin_sharing();
    add_socket(&m, "node0", "pci0000:17");
    add(&m, NODE_PCI_BRIDGE, "0000:17:00.0", "pci0000:17", 0);
    add_expander(&m, "0000:17:00.0", 0, 0, 10, 297);
    look(&m);
    CHECK_INT(s.part_count, 1);
    CHECK_INT(s.groups, 10);
    CHECK_INT(s.slots, 1);
    end(&m);
}

/* A switch with four drives, two of them functions of one card; and beside it two drives whose
   paths are unknown. */
static void test_switch(void)
{
    static struct machine m;
    begin(&m);
    begin_sharing();
    add_socket(&m, "node0", "pci0000:00");
    add(&m, NODE_PCI_BRIDGE, "0000:00:03.0", "pci0000:00", 0);
    add(&m, NODE_PCI_BRIDGE, "0000:01:00.0", "0000:00:03.0", 7500);
    for (int i = 0; i < 4; i++) {
        char port[32], function[32], controller[16], disk[16];
        snprintf(port, sizeof port, "0000:02:%02x.0", i < 3 ? i : 2);
        snprintf(function, sizeof function, "0000:%02x:00.%d", i < 3 ? 3 + i : 5, i == 3);
        snprintf(controller, sizeof controller, "nvme%d", i);
        snprintf(disk, sizeof disk, "nvme%dn1", i);
        if (i < 3)
            add(&m, NODE_PCI_BRIDGE, port, "0000:01:00.0", 0);
        add(&m, NODE_PCI_DEVICE, function, port, 3750);
        add(&m, NODE_NVME, controller, function, 0);
        add(&m, NODE_DISK, disk, controller, 0);
        take(&m, disk);
    }
    add(&m, NODE_VIRTIO, "virtio0", "pci0000:00", 0);
    add(&m, NODE_DISK, "vda", "virtio0", 0);
    add(&m, NODE_DISK, "xvda", "machine", 0);
    take(&m, "vda");
    take(&m, "xvda");
    look(&m);
    const struct sharing_part *card = part_called("0000:02:02.0"),
                              *above = part_called("0000:01:00.0");
    CHECK(card && above);
    if (card && above) {
        CHECK_INT(card->count, 2);
        CHECK_NEAR(card->limit, 3750 * MB, 1e-9);
        CHECK_STR(above->words, "switch 0000:01:00.0 at root port 0000:00:03.0");
        CHECK_INT(above->count, 4);
        CHECK_NEAR(above->limit, 7500 * MB, 1e-9);
    }
    const struct sharing_part *unknown = part_called("");
    CHECK(unknown != NULL);
    if (unknown) {
        CHECK_INT(unknown->count, 2);
        CHECK(unknown->member[4] && unknown->member[5]);
        CHECK(isnan(unknown->limit));
    }
    CHECK_INT(s.groups, 2);
    CHECK_INT(s.slots, 4);
    CHECK_INT(s.drives[4].group, s.drives[5].group);
    CHECK(s.drives[0].group != s.drives[4].group);
    end(&m);
}

static void test_one_drive(void)
{
    static struct machine m;
    begin(&m);
    begin_sharing();
    add_socket(&m, "node0", "pci0000:17");
    add(&m, NODE_PCI_BRIDGE, "0000:17:00.0", "pci0000:17", 0);
    add_expander(&m, "0000:17:00.0", 0, 0, 1, 1160);
    look(&m);
    CHECK_INT(s.part_count, 0);
    CHECK_INT(s.groups, 1);
    CHECK_INT(s.slots, 1);
    end(&m);
}

/* Rounds of single drives fit the limit, and the announced time covers everything. */
static void test_schedule(void)
{
    begin_sharing();
    s.slots = 4;
    shared_plan_rounds(&s, 60, 1);
    CHECK_INT(s.max_rounds, SHARING_ROUNDS);
    CHECK_NEAR(s.round_seconds, 5, 1e-12);
    CHECK_NEAR(s.planned_seconds, 2 * 12 * 5 * (5 + 1), 1e-12);
    shared_plan_rounds(&s, 6, 0);
    CHECK_INT(s.max_rounds, 6);
    CHECK_NEAR(s.round_seconds, 1, 1e-12);
    shared_plan_rounds(&s, 1, 0);
    CHECK_INT(s.max_rounds, SHARING_MIN_ROUNDS);
    CHECK_NEAR(s.max_rounds * s.round_seconds, 1, 1e-12);
    CHECK_INT(shared_looks(&s), 1);
    s.max_rounds = 5;
    CHECK_INT(shared_looks(&s), 2);
    s.max_rounds = SHARING_ROUNDS;
    CHECK_INT(shared_looks(&s), 4);
    CHECK(shared_is_look(&s, 12) && shared_is_look(&s, 4) && !shared_is_look(&s, 5));
    /* First in one, last in the other: an even drift over time affects both alike. */
    static const unsigned even[] = {0, 1, 2, 3, 4}, odd[] = {4, 0, 1, 2, 3};
    for (unsigned step = 0; step <= s.slots; step++) {
        CHECK_INT(shared_step(&s, 0, step), even[step]);
        CHECK_INT(shared_step(&s, 1, step), odd[step]);
    }
}

int main(void)
{
    test_expander();
    test_two_adapters();
    test_enough();
    test_switch();
    test_one_drive();
    test_schedule();
    return check_result();
}
