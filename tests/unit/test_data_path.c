/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data paths inside one machine, in inventories built by hand; test_data_path_network.c has those
 * through a network.
 */
#include <sys/sysmacros.h>

#include "hw/probers.h"
#include "machine.h"

/* ---- one drive ---- */

/* Adds "nvmeN" and "nvmeNn1" on a PCI function of their own below `bridge`. */
static void add_nvme(struct machine *m, const char *bridge, int number, double limit)
{
    char function[32], controller[32], disk[32];
    snprintf(function, sizeof function, "0000:%02x:00.0", 0x80 + number);
    snprintf(controller, sizeof controller, "nvme%d", number);
    snprintf(disk, sizeof disk, "nvme%dn1", number);
    add(m, NODE_PCI_DEVICE, function, bridge, limit);
    add(m, NODE_NVME, controller, function, 0);
    fact(m, controller, "transport", "pcie");
    fact(m, controller, "address", function);
    add(m, NODE_DISK, disk, controller, 0);
}

/* Partition, namespace, controller, its function (link of 7000 MB/s), the switch's port below, the
   switch's port above (link of 6500 MB/s), root port, host bridge, NUMA node, machine. */
static void test_partition(void)
{
    struct machine m;
    begin(&m);
    add_socket(&m, "node1", "pci0000:40");
    add(&m, NODE_PCI_BRIDGE, "0000:40:01.0", "pci0000:40", 0);
    add(&m, NODE_PCI_BRIDGE, "0000:41:00.0", "0000:40:01.0", 6500);
    add(&m, NODE_PCI_BRIDGE, "0000:42:04.0", "0000:41:00.0", 0);
    add_nvme(&m, "0000:42:04.0", 0, 7000);
    add(&m, NODE_PARTITION, "nvme0n1p2", "nvme0n1", 0);

    static const char *const names[] = {
        "nvme0n1p2",    "nvme0n1",      "nvme0",      "0000:80:00.0", "0000:42:04.0",
        "0000:41:00.0", "0000:40:01.0", "pci0000:40", "node1",        "machine"};
    CHECK(find(&m, "nvme0n1p2"));
    CHECK_INT(m.path.part_count, 10);
    CHECK_INT(m.path.edge_count, 9);
    for (size_t i = 0; i < 10; i++) {
        CHECK_INT(part(&m, names[i]), i);
        CHECK_INT(m.path.parts[i].depth, i);
        CHECK_INT(m.path.parts[i].is_target_device, i == 1);
        CHECK(i == 0 || has_edge(&m, names[i - 1], names[i]));
    }
    CHECK(m.path.complete);
    CHECK(!m.path.remote);
    check_limits(&m, 6500, "0000:41:00.0", 6500, "0000:41:00.0");
    CHECK_NEAR(m.path.parts[3].limit_read, 7000 * MB, 1e-12);
    CHECK_NEAR(m.path.parts[3].limit_write, 7000 * MB, 1e-12);
    CHECK(isnan(m.path.parts[1].limit_read));

    CHECK(find(&m, "/dev/nvme0n1"));
    CHECK_INT(m.path.part_count, 9);
    CHECK(!find(&m, "0000:41:00.0")); /* not a device that stores data */
    CHECK(!find(&m, "sda"));
    CHECK_INT(m.path.part_count, 0);
    CHECK(!m.path.complete);
    check_limits(&m, NAN, "none", NAN, "none");
    end(&m);
}

/* ---- arrays ---- */

/* Four drives of 7000 MB/s on one switch with an uplink of 7500 MB/s, and two on root ports. */
static void add_six_drives(struct machine *m)
{
    add_socket(m, "node0", "pci0000:00");
    add(m, NODE_PCI_BRIDGE, "0000:00:01.0", "pci0000:00", 7500);
    for (int i = 0; i < 4; i++) {
        char port[32];
        snprintf(port, sizeof port, "0000:02:%02x.0", i);
        add(m, NODE_PCI_BRIDGE, port, "0000:00:01.0", 0);
        add_nvme(m, port, i, 7000);
    }
    add_nvme(m, "pci0000:00", 4, 3000);
    add_nvme(m, "pci0000:00", 5, 2000);
}

static void check_level(struct machine *m, const char *level, const char *members, double read,
                        const char *limits_read, double write, const char *limits_write)
{
    static int number = 10;
    char name[16];
    snprintf(name, sizeof name, "md%d", number++);
    add_volume(m, NODE_RAID, name, members);
    fact(m, name, "level", level);
    CHECK(find(m, name));
    CHECK(m->path.complete);
    check_limits(m, read, limits_read, write, limits_write);
}

static void test_arrays(void)
{
    static const char four[] = "nvme0n1, nvme1n1, nvme2n1, nvme3n1";
    static const char unequal[] = "nvme4n1, nvme5n1", three[] = "nvme0n1, nvme4n1, nvme5n1";
    struct machine m;
    begin(&m);
    add_six_drives(&m);

    /* Each drive carries a quarter, the uplink everything: 7500, and not 4 * 7000. */
    check_level(&m, "raid0", four, 7500, "0000:00:01.0", 7500, "0000:00:01.0");
    CHECK_INT(m.path.part_count, 1 + 4 * 4 + 4);
    CHECK_INT(m.path.edge_count, 4 + 4 * 4 + 3);
    CHECK_INT(m.path.parts[part(&m, "nvme3n1")].is_target_device, true);
    CHECK_INT(m.path.parts[part(&m, "0000:00:01.0")].depth, 5);

    /* Equal shares: the slower of two drives limits both, 2 * 2000. */
    check_level(&m, "raid0", unequal, 4000, "0000:85:00.0", 4000, "0000:85:00.0");
    /* Reads 3000 + 2000; each write goes to both drives: the slower one limits. */
    check_level(&m, "raid1", unequal, 5000, "0000:84:00.0", 2000, "0000:85:00.0");
    /* Four copies of each write cross the uplink: 7500 / 4. */
    check_level(&m, "raid1", four, 7500, "0000:00:01.0", 1875, "0000:00:01.0");
    /* Two copies: 7500 / 2. */
    check_level(&m, "raid10", four, 7500, "0000:00:01.0", 3750, "0000:00:01.0");
    /* Three blocks of data per block of parity: 7500 * 3 / 4. Reads carry no parity. */
    check_level(&m, "raid5", four, 7500, "0000:00:01.0", 5625, "0000:00:01.0");
    check_level(&m, "raid4", four, 7500, "0000:00:01.0", 5625, "0000:00:01.0");
    /* Two blocks of data per two of parity: 7500 * 2 / 4. */
    check_level(&m, "raid6", four, 7500, "0000:00:01.0", 3750, "0000:00:01.0");
    /* Of three members with 7000, 3000 and 2000 each reads a third: 3 * 2000; half of the written
       data goes to each: 2 * 2000. */
    check_level(&m, "raid5", three, 6000, "0000:85:00.0", 4000, "0000:85:00.0");
    /* One after the other: all may be busy at once, 7000 + 3000 + 2000. */
    check_level(&m, "linear", three, 12000, "0000:80:00.0", 12000, "0000:80:00.0");
    end(&m);
}

/* A mirror of three SATA disks with a spare, and one that has lost a member. */
static void test_sata(void)
{
    struct machine m;
    begin(&m);
    add(&m, NODE_PCI_HOST, "pci0000:00", "machine", 0);
    add(&m, NODE_PCI_DEVICE, "0000:00:17.0", "pci0000:00", 0); /* in the chipset: no link */
    for (int i = 0; i < 4; i++) {
        char port[16], host[16], disk[16];
        snprintf(port, sizeof port, "ata%d", i + 1);
        snprintf(host, sizeof host, "host%d", i);
        snprintf(disk, sizeof disk, "sd%c", 'a' + i);
        add(&m, NODE_ATA_PORT, port, "0000:00:17.0", i == 2 ? 300 : 550);
        add(&m, NODE_SCSI_HOST, host, port, 0);
        add(&m, NODE_DISK, disk, host, 0);
    }
    add_volume(&m, NODE_RAID, "md0", "sda, sdb, sdc, sdd");
    fact(&m, "md0", "level", "raid1");
    fact(&m, "md0", "member_sda", "in_sync");
    fact(&m, "md0", "member_sdb", "in_sync,write_mostly");
    fact(&m, "md0", "member_sdc", "in_sync");
    fact(&m, "md0", "member_sdd", "spare");
    CHECK(find(&m, "md0"));
    CHECK_INT(part(&m, "sdd"), -1);
    CHECK(has_edge(&m, "ata1", "0000:00:17.0") && has_edge(&m, "ata3", "0000:00:17.0"));
    CHECK(m.path.complete);
    check_limits(&m, 1400, "ata1", 300, "ata3"); /* 550 + 550 + 300; the slowest */

    /* raid5 of four that has lost one member: a write still puts a third on each of the others: 3 *
       300. */
    add_volume(&m, NODE_RAID, "md1", "sda, sdb, sdc");
    fact(&m, "md1", "level", "raid5");
    fact(&m, "md1", "degraded_members", "1");
    CHECK(find(&m, "md1"));
    CHECK_NEAR(m.path.limit_write, 900 * MB, 1e-9);
    end(&m);
}

static void add_sata(struct machine *m, int count, double last_limit)
{
    add(m, NODE_PCI_HOST, "pci0000:00", "machine", 0);
    for (int i = 0; i < count; i++) {
        char port[16], disk[16];
        snprintf(port, sizeof port, "ata%d", i + 1);
        snprintf(disk, sizeof disk, "sd%c", 'a' + i);
        add(m, NODE_ATA_PORT, port, "pci0000:00", i == count - 1 ? last_limit : 500);
        add(m, NODE_DISK, disk, port, 0);
    }
}

/* A member that is being rebuilt is written but not read; a spare without a slot is neither read
   nor written. */
static void test_rebuild(void)
{
    struct machine m;
    begin(&m);
    add_sata(&m, 4, 200);
    add_volume(&m, NODE_RAID, "md0", "sda, sdc, sdd");
    fact(&m, "md0", "level", "raid1");
    fact(&m, "md0", "degraded_members", "1");
    fact(&m, "md0", "member_sda", "in_sync");
    fact(&m, "md0", "member_sdc", "spare");
    fact(&m, "md0", "member_sdd", "spare");
    fact(&m, "md0", "sync_action", "recover");
    tree_file(&m.tree, "/sys/class/block/md0/md/dev-sdc/slot", "none\n");
    tree_file(&m.tree, "/sys/class/block/md0/md/dev-sdd/slot", "1\n");
    CHECK(find(&m, "md0"));
    CHECK_INT(part(&m, "sdc"), -1);
    CHECK(has_edge(&m, "md0", "sda") && has_edge(&m, "md0", "sdd"));
    check_limits(&m, 500, "ata1", 200, "ata4");
    CHECK(m.path.complete);

    /* While the array is only checked, nothing is rebuilt. */
    add_volume(&m, NODE_RAID, "md1", "sda, sdd");
    fact(&m, "md1", "level", "raid1");
    fact(&m, "md1", "member_sda", "in_sync");
    fact(&m, "md1", "member_sdd", "spare");
    fact(&m, "md1", "sync_action", "check");
    CHECK(find(&m, "md1"));
    CHECK_INT(part(&m, "sdd"), -1);
    check_limits(&m, 500, "ata1", 500, "ata1");

    /* raid5 of four: reads take a quarter from each member, and the missing one's part is computed;
       a write puts a third on each of the four: 3 * 200. */
    add_volume(&m, NODE_RAID, "md2", "sda, sdb, sdc, sdd");
    fact(&m, "md2", "level", "raid5");
    fact(&m, "md2", "degraded_members", "1");
    fact(&m, "md2", "member_sdd", "spare");
    fact(&m, "md2", "sync_action", "recover");
    CHECK(find(&m, "md2"));
    check_limits(&m, 2000, "ata1", 600, "ata4");
    end(&m);
}

/* ---- volumes and filesystems ---- */

/* A file on ext4 on an LVM volume on an encrypted partition. */
static void test_volumes(void)
{
    struct machine m;
    begin(&m);
    add_six_drives(&m);
    add(&m, NODE_PARTITION, "nvme4n1p3", "nvme4n1", 0);
    add_volume(&m, NODE_MAPPER, "dm-0", "nvme4n1p3");
    fact(&m, "dm-0", "type", "CRYPT");
    fact(&m, "dm-0", "name", "luks-root");
    add_volume(&m, NODE_MAPPER, "dm-1", "dm-0");
    fact(&m, "dm-1", "type", "LVM");
    fact(&m, "dm-1", "name", "vg-root");
    add_number(&m, "253:1", "dm-1");
    tree_file(&m.tree, MOUNTS,
              "22 1 253:1 / / rw,relatime shared:1 - ext4 /dev/mapper/vg-root rw\n"
              "23 22 0:30 / /tmp rw - tmpfs tmpfs rw\n"
              "24 22 0:31 / /mnt/fuse rw - fuse.strange nothing rw\n");
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/home/data");
    CHECK_INT(m.path.part_count, 10);
    CHECK_INT(m.v.nodes[m.path.parts[0].node].kind, NODE_FILESYSTEM);
    CHECK(has_edge(&m, "/", "dm-1") && has_edge(&m, "dm-1", "dm-0"));
    CHECK(has_edge(&m, "dm-0", "nvme4n1p3") && has_edge(&m, "node0", "machine"));
    CHECK(m.path.complete);
    check_limits(&m, 3000, "0000:84:00.0", 3000, "0000:84:00.0");

    /* The same path by the number from stat(), by the volume's name, and by the device. */
    data_path_find(&m.path, &m.tree.root, &m.v, makedev(253, 1), "/home/data");
    CHECK_INT(m.path.part_count, 10);
    data_path_find(&m.path, &m.tree.root, &m.v, makedev(253, 1), NULL);
    CHECK_INT(m.path.part_count, 9);
    CHECK(find(&m, "/dev/mapper/vg-root"));
    CHECK_INT(m.path.part_count, 9);
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/dev/mapper/vg-root");
    CHECK_INT(m.path.part_count, 9);
    CHECK(find(&m, "luks-root"));
    CHECK_INT(m.path.part_count, 8);

    /* A volume over two drives: both may be busy at once, 3000 + 2000. */
    add_volume(&m, NODE_MAPPER, "dm-2", "nvme4n1, nvme5n1");
    CHECK(find(&m, "dm-2"));
    check_limits(&m, 5000, "0000:84:00.0", 5000, "0000:84:00.0");

    /* A loop device on a file of the first filesystem. */
    add_volume(&m, NODE_LOOP, "loop0", NULL);
    fact(&m, "loop0", "backing_file", "/srv/image");
    CHECK(find(&m, "loop0"));
    CHECK(has_edge(&m, "loop0", "/") && has_edge(&m, "/", "dm-1"));
    CHECK(m.path.complete);
    CHECK_NEAR(m.path.limit_read, 3000 * MB, 1e-9);

    /* Files in memory, and on an unknown filesystem. */
    add(&m, NODE_MEMORY, "memory", "machine", 0);
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/tmp/x");
    CHECK(has_edge(&m, "/tmp", "memory") && has_edge(&m, "memory", "machine"));
    CHECK(m.path.complete);
    check_limits(&m, NAN, "none", NAN, "none");
    data_path_find(&m.path, &m.tree.root, &m.v, 0, "/mnt/fuse/x");
    CHECK_INT(m.path.part_count, 1);
    CHECK(!m.path.complete);
    end(&m);
}

/* Two paths to a namespace: only the one in the better state counts, or both if the states are
   equal. */
static void test_several_ways(void)
{
    struct machine m;
    begin(&m);
    add_six_drives(&m);
    add(&m, NODE_DISK, "nvme9n1", "nvme4", 0);
    fact(&m, "nvme9n1", "paths", "nvme4, nvme5");
    CHECK(find(&m, "nvme9n1"));
    check_limits(&m, 5000, "0000:84:00.0", 5000, "0000:84:00.0");
    fact(&m, "nvme9n1", "path_nvme4", "non-optimized");
    fact(&m, "nvme9n1", "path_nvme5", "optimized");
    CHECK(find(&m, "nvme9n1"));
    CHECK_INT(part(&m, "nvme4"), -1);
    check_limits(&m, 2000, "0000:85:00.0", 2000, "0000:85:00.0");
    end(&m);
}

/* ---- unknown limits, and impossible inventories ---- */

/* The emulated PCI function claims 250 MB/s, but nothing is limited to that. */
static void test_guest(void)
{
    struct machine m;
    begin(&m);
    add(&m, NODE_PCI_HOST, "pci0000:00", "machine", 0);
    add(&m, NODE_PCI_DEVICE, "0000:00:04.0", "pci0000:00", 250);
    inventory_add_node(&m.v, NODE_DISK, "vda",
                       "/sys/devices/pci0000:00/0000:00:04.0/virtio1/block/vda",
                       inventory_find(&m.v, "0000:00:04.0"));
    CHECK(find(&m, "vda"));
    CHECK_INT(m.path.part_count, 4);
    CHECK(!m.path.complete);
    check_limits(&m, NAN, "none", NAN, "none");
    CHECK(isnan(m.path.parts[1].limit_read));
    end(&m);
}

static void test_circles(void)
{
    struct machine m;
    begin(&m);
    add_six_drives(&m);
    add_volume(&m, NODE_MAPPER, "dm-0", "dm-1, nvme4n1");
    add_volume(&m, NODE_MAPPER, "dm-1", "dm-2");
    add_volume(&m, NODE_MAPPER, "dm-2", "dm-0, dm-2, dm-1");
    CHECK(find(&m, "dm-0"));
    CHECK(!m.path.complete);
    CHECK(!has_edge(&m, "dm-2", "dm-0") && !has_edge(&m, "dm-2", "dm-2"));
    CHECK(isnan(m.path.limit_read)); /* dm-2 has no path below it, so no limit */

    /* A loop device on a file that is stored on the loop device itself. */
    add_volume(&m, NODE_LOOP, "loop7", NULL);
    fact(&m, "loop7", "backing_file", "/srv/image");
    add_number(&m, "7:7", "loop7");
    tree_file(&m.tree, MOUNTS, "22 1 7:7 / / rw - ext4 /dev/loop7 rw\n");
    data_path_find(&m.path, &m.tree.root, &m.v, makedev(7, 7), "/srv/file");
    CHECK_INT(m.path.part_count, 2);
    CHECK(!m.path.complete);
    end(&m);
}

static void test_garbage(void)
{
    struct machine m;
    begin(&m);
    add_six_drives(&m);
    add_volume(&m, NODE_RAID, "md0", "nvme4n1, , nvme4n1,,gone, nvme5n1,");
    fact(&m, "md0", "level", "raid6");
    fact(&m, "md0", "degraded_members", "-7");
    CHECK(find(&m, "md0"));
    CHECK(!m.path.complete);
    /* Two remaining members, both with parity: a whole copy on each. */
    check_limits(&m, 4000, "0000:85:00.0", 2000, "0000:85:00.0");
    add_volume(&m, NODE_RAID, "md1", NULL);
    fact(&m, "md1", "level", "no such");
    CHECK(find(&m, "md1"));
    CHECK_INT(m.path.part_count, 1);
    CHECK(!m.path.complete);
    add(&m, NODE_DISK, "sda", "machine", 0);
    fact(&m, "sda", "limit", "fast");
    CHECK(find(&m, "sda"));
    CHECK(!m.path.complete);
    add_volume(&m, NODE_LOOP, "loop0", NULL);
    fact(&m, "loop0", "backing_file", "relative");
    CHECK(find(&m, "loop0"));
    CHECK(!m.path.complete);
    data_path_find(&m.path, &m.tree.root, &m.v, makedev(99, 99), NULL);
    CHECK_INT(m.path.part_count, 0);
    data_path_find(&m.path, &m.tree.root, &m.v, makedev(99, 99), "/no/mounts");
    CHECK(!m.path.complete);
    end(&m);
}

/* Layers of volumes, each of which is on all volumes of the next layer: more than there is room
   for. */
static void test_huge(void)
{
    enum { LAYERS = 12, WIDTH = 20 };
    struct machine m;
    begin(&m);
    for (int layer = 0; layer < LAYERS; layer++) {
        char members[1024] = "";
        for (int i = 0; i < WIDTH; i++)
            snprintf(members + strlen(members), sizeof members - strlen(members), "dm-%d, ",
                     (layer + 1) * WIDTH + i);
        for (int i = 0; i < WIDTH; i++) {
            char name[16];
            snprintf(name, sizeof name, "dm-%d", layer * WIDTH + i);
            add_volume(&m, NODE_MAPPER, name, members);
        }
    }
    CHECK(find(&m, "dm-0"));
    CHECK_INT(m.path.edge_count, DATA_PATH_EDGES);
    CHECK(m.path.part_count <= DATA_PATH_PARTS);
    CHECK(!m.path.complete && m.path.full);

    /* An array of 120 disks on one port: more members than a step holds, more parts than fit. */
    char members[2048] = "";
    for (int i = 0; i < 120; i++) {
        char name[16];
        snprintf(name, sizeof name, "sd%d", i);
        snprintf(members + strlen(members), sizeof members - strlen(members), "%s, ", name);
        add(&m, NODE_DISK, name, "machine", 100);
    }
    add_volume(&m, NODE_RAID, "md0", members);
    fact(&m, "md0", "level", "raid0");
    CHECK(find(&m, "md0"));
    CHECK(!m.path.complete && m.path.full);
    CHECK(m.path.limit_read > 0);
    end(&m);
}

/* Works on any machine: its own filesystem has a valid path. */
static void test_this_machine(void)
{
    struct sysroot root;
    struct inventory v = {0};
    struct data_path path;
    CHECK_INT(sysroot_open(&root, NULL, NULL), 0);
    struct probe p = {.root = &root, .inventory = &v};
    probe_top(&p);
    look_at_block(&p);
    look_at_network(&p);
    data_path_find(&path, &root, &v, 0, "/");
    CHECK(path.part_count >= 1);
    for (size_t e = 0; e < path.edge_count; e++) {
        CHECK(path.edges[e].from >= 0 && path.edges[e].from < (int)path.part_count);
        CHECK(path.edges[e].to > 0 && path.edges[e].to < (int)path.part_count);
    }
    inventory_free(&v);
}

int main(void)
{
    test_partition();
    test_arrays();
    test_sata();
    test_rebuild();
    test_volumes();
    test_several_ways();
    test_guest();
    test_circles();
    test_garbage();
    test_huge();
    test_this_machine();
    return check_result();
}
