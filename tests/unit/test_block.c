/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block prober on disks of every bus, on several paths to one disk, on garbage, and on many
   disks.
   Timed: it looks for times that grow with the square. */
#include "block_machine.h"

#include <sys/sysmacros.h>

#include "base/clock.h"
#include "hw/disk/block.h"

/* ---- disks ---- */

static void nvme_disk(void)
{
    static struct machine m;
    static const char controller[] = MACHINE_PCI "/nvme/nvme0",
                      disk[] = MACHINE_PCI "/nvme/nvme0/nvme0n1";
    machine_begin(&m);
    inventory_add_node(&m.inventory, NODE_NVME, "nvme0", controller, probe_top(&m.probe));
    machine_device(&m, controller, "nvme0n1", 259, 0);
    machine_queue(&m, disk, "[none] mq-deadline kyber\n");
    machine_put(&m, controller, "model", "SAMSUNG MZQL23T8HCLS-00A07              \n");
    machine_put(&m, controller, "firmware_rev", "GDC5602Q\n");
    machine_put(&m, controller, "serial", "S64HNE0T\n");
    tree_link(&m.tree, MACHINE_PCI "/nvme/nvme0/device", "../..");
    tree_file(&m.tree, MACHINE_PCI "/vendor", "0x144d\n");
    tree_link(&m.tree, MACHINE_PCI "/nvme/nvme0/nvme0n1/device", "..");
    machine_partition(&m, disk, "nvme0n1p1", 1);
    machine_partition(&m, disk, "nvme0n1p12", 2);
    machine_look(&m);

    machine_node(&m, "nvme0n1", NODE_DISK);
    machine_parent_is(&m, "nvme0n1", "nvme0");
    machine_value_is(&m, "nvme0n1", "model", "SAMSUNG MZQL23T8HCLS-00A07", "");
    machine_value_is(&m, "nvme0n1", "vendor", "0x144d", "");
    machine_value_is(&m, "nvme0n1", "firmware", "GDC5602Q", "");
    machine_value_is(&m, "nvme0n1", "bus", "nvme", "");
    machine_value_is(&m, "nvme0n1", "size", "3840755982336", "bytes"); /* 7501476528 x 512 */
    machine_value_is(&m, "nvme0n1", "scheduler", "none", "");
    machine_value_is(&m, "nvme0n1", "nr_requests", "1023", "");
    machine_value_is(&m, "nvme0n1", "queue_count", "2", "");
    machine_value_is(&m, "nvme0n1", "rotational", "no", "");
    machine_value_is(&m, "nvme0n1", "write_cache", "write back", "");
    machine_value_is(&m, "nvme0n1", "discard", "yes", "");
    machine_value_is(&m, "nvme0n1", "discard_granularity", "4096", "bytes");
    machine_value_is(&m, "nvme0n1", "io_poll", "yes", "");
    machine_value_is(&m, "nvme0n1", "logical_block_size", "512", "bytes");
    machine_value_is(&m, "nvme0n1", "physical_block_size", "4096", "bytes");
    machine_value_is(&m, "nvme0n1", "max_transfer", "131072", "bytes");
    machine_value_is(&m, "nvme0n1", "zoned", "none", "");
    CHECK(!machine_tells(&m, "nvme0n1", "serial"));
    CHECK(!machine_tells(&m, "nvme0n1", "zone_size"));
    CHECK(!machine_tells(&m, "nvme0n1", "paths"));
    CHECK(!machine_tells(&m, "nvme0n1", "queue_depth"));

    machine_node(&m, "nvme0n1p12", NODE_PARTITION);
    machine_parent_is(&m, "nvme0n1p12", "nvme0n1");
    machine_value_is(&m, "nvme0n1p1", "start", "1048576", "bytes");
    machine_value_is(&m, "nvme0n1p1", "size", "1073741824", "bytes");

    CHECK_INT(block_node(&m.tree.root, &m.inventory, makedev(259, 2)),
              inventory_find(&m.inventory, "nvme0n1p12"));
    CHECK_INT(block_node(&m.tree.root, &m.inventory, makedev(259, 3)), INVENTORY_NONE);
    CHECK_INT(block_node(&m.tree.root, &m.inventory, makedev(0, 0)), INVENTORY_NONE);
    machine_end(&m);

    machine_begin(&m);
    m.probe.serials = true;
    machine_device(&m, controller, "nvme0n1", 259, 0);
    machine_put(&m, controller, "serial", "S64HNE0T\n");
    tree_link(&m.tree, MACHINE_PCI "/nvme/nvme0/nvme0n1/device", "..");
    machine_put(&m, MACHINE_PCI "/nvme/nvme0/nvme0n1", "queue/zoned", "host-managed\n");
    machine_put(&m, MACHINE_PCI "/nvme/nvme0/nvme0n1", "queue/chunk_sectors", "524288\n");
    machine_put(&m, MACHINE_PCI "/nvme/nvme0/nvme0n1", "queue/nr_zones", "904\n");
    machine_put(&m, MACHINE_PCI "/nvme/nvme0/nvme0n1", "queue/max_open_zones", "14\n");
    machine_look(&m);
    machine_value_is(&m, "nvme0n1", "zone_size", "268435456", "bytes");
    machine_value_is(&m, "nvme0n1", "zones", "904", "");
    machine_value_is(&m, "nvme0n1", "max_open_zones", "14", "");
    CHECK(!machine_tells(&m, "nvme0n1", "max_active_zones"));
    machine_value_is(&m, "nvme0n1", "serial", "S64HNE0T", "");
    machine_parent_is(&m, "nvme0n1", "machine"); /* no controller was reported */
    machine_end(&m);
}

static void scsi_disk(struct machine *m, const char *host, const char *name, unsigned number)
{
    char target[TREE_PATH], above[TREE_PATH], folder[TREE_PATH], link[TREE_PATH];
    machine_path(target, "%s/target%u:0:0/%u:0:0:0", host, number, number);
    machine_path(above, "%s/target%u:0:0/%u:0:0:0/block", host, number, number);
    machine_device(m, above, name, 8, 16 * number);
    machine_path(folder, "%s/target%u:0:0/%u:0:0:0/block/%s", host, number, number, name);
    machine_queue(m, folder, "none [mq-deadline]\n");
    machine_path(link, "%s/target%u:0:0/%u:0:0:0/block/%s/device", host, number, number, name);
    tree_link(&m->tree, link, "../..");
    machine_put(m, target, "model", "ST16000NM001G-2K\n");
    machine_put(m, target, "vendor", "ATA     \n");
    machine_put(m, target, "rev", "SN03\n");
    machine_put(m, target, "queue_depth", "32\n");
    machine_put(m, target, "state", "running\n");
    machine_path(link, "%s/target%u:0:0/%u:0:0:0/vpd_pg80", host, number, number);
    tree_bytes(&m->tree, link, "\0\x80\0\x0a  ZL2ABCDE", 14);
}

static void scsi_disks(void)
{
    static const struct {
        const char *host, *transport;
    } hosts[] = {
        {MACHINE_PCI "/ata1/host0", "sata"},
        {MACHINE_PCI "/host1/port-1:0/end_device-1:0", "sas"},
        {MACHINE_PCI "/usb2/2-1/2-1:1.0/host2", "usb"},
        {"/sys/devices/platform/host3/session1", "iscsi"},
        {MACHINE_PCI "/host4/rport-4:0-1", "fc"},
        {MACHINE_PCI "/host5/batabase7", NULL},
    };
    static struct machine m;
    machine_begin(&m);
    m.probe.serials = true;
    for (unsigned i = 0; i < sizeof hosts / sizeof *hosts; i++)
        scsi_disk(&m, hosts[i].host, (const char[]){'s', 'd', (char)('a' + i), 0}, i);
    tree_file(&m.tree, MACHINE_PCI "/host5/batabase7/target5:0:0/5:0:0:0/vpd_pg80", "xxxx");
    machine_put(&m, MACHINE_PCI "/host5/batabase7/target5:0:0/5:0:0:0/block/sdf",
                "queue/discard_max_bytes", "0\n");
    machine_look(&m);
    for (unsigned i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const char name[] = {'s', 'd', (char)('a' + i), 0};
        machine_node(&m, name, NODE_DISK);
        machine_value_is(&m, name, "bus", "scsi", "");
        machine_value_is(&m, name, "model", "ST16000NM001G-2K", "");
        machine_value_is(&m, name, "vendor", "ATA", "");
        machine_value_is(&m, name, "firmware", "SN03", "");
        machine_value_is(&m, name, "queue_depth", "32", "");
        machine_value_is(&m, name, "state", "running", "");
        machine_value_is(&m, name, "scheduler", "mq-deadline", "");
        if (hosts[i].transport)
            machine_value_is(&m, name, "transport", hosts[i].transport, "");
        else
            CHECK(!machine_tells(&m, name, "transport"));
    }
    machine_value_is(&m, "sda", "serial", "ZL2ABCDE", "");
    machine_status_is(&m, "sdf", "serial", FACT_INVALID);
    machine_value_is(&m, "sdf", "discard", "no", "");
    CHECK(!machine_tells(&m, "sdf", "discard_granularity"));
    machine_end(&m);
}

static void other_disks(void)
{
    static struct machine m;
    machine_begin(&m);
    machine_device(&m, MACHINE_PCI "/virtio1/block", "vda", 254, 0);
    tree_link(&m.tree, MACHINE_PCI "/virtio1/block/vda/device", "../..");
    tree_link(&m.tree, MACHINE_PCI "/virtio1/driver",
              "../../../../../bus/virtio/drivers/virtio_blk");
    machine_device(&m, "/sys/devices/vbd-51712/block", "xvda", 202, 0);
    machine_device(&m, MACHINE_PCI "/mmc_host/mmc0/mmc0:0001/block", "mmcblk0", 179, 0);
    tree_link(&m.tree, MACHINE_PCI "/mmc_host/mmc0/mmc0:0001/block/mmcblk0/device", "../..");
    tree_file(&m.tree, MACHINE_PCI "/mmc_host/mmc0/mmc0:0001/name", "DG4016\n");
    tree_file(&m.tree, MACHINE_PCI "/mmc_host/mmc0/mmc0:0001/fwrev", "0x3030303132323132\n");
    tree_file(&m.tree, MACHINE_PCI "/mmc_host/mmc0/mmc0:0001/rev", "0x8\n");
    machine_device(&m, MACHINE_PCI "/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "mmcblk0boot0", 179,
                   8);
    machine_device(&m, "/sys/devices/css0/0.0.0001/0.0.0200/block", "dasda", 94, 0);
    tree_link(&m.tree, "/sys/devices/css0/0.0.0001/0.0.0200/block/dasda/device", "../..");
    tree_file(&m.tree, "/sys/devices/css0/0.0.0001/0.0.0200/devtype", "3390/0c\n");
    machine_device(&m, "/sys/devices/rbd/0/block", "rbd0", 251, 0);
    tree_link(&m.tree, "/sys/devices/rbd/0/block/rbd0/device", "../..");
    tree_file(&m.tree, "/sys/devices/rbd/0/name", "vm-disk-7\n");
    tree_file(&m.tree, "/sys/devices/rbd/0/pool", "fast\n");
    machine_device(&m, MACHINE_VIRTUAL, "nbd0", 43, 0);
    machine_put(&m, MACHINE_VIRTUAL "/nbd0", "pid", "4711\n");
    machine_device(&m, MACHINE_VIRTUAL, "nbd1", 43, 16);
    machine_device(&m, MACHINE_PCI "/strange", "hxa", 99, 0);
    tree_link(&m.tree, MACHINE_PCI "/strange/hxa/device", "../../driver");
    tree_link(&m.tree, MACHINE_PCI "/driver/subsystem", "../../../bus/strange_bus");
    machine_look(&m);

    static const char *const buses[][2] = {
        {"vda", "virtio"}, {"xvda", "xen"}, {"mmcblk0", "mmc"},     {"mmcblk0boot0", "mmc"},
        {"dasda", "ccw"},  {"rbd0", "rbd"}, {"hxa", "strange_bus"}, {"nbd0", "nbd"},
    };
    for (size_t i = 0; i < sizeof buses / sizeof *buses; i++) {
        machine_node(&m, buses[i][0], NODE_DISK);
        machine_value_is(&m, buses[i][0], "bus", buses[i][1], "");
    }
    machine_parent_is(&m, "mmcblk0boot0", "mmcblk0");
    machine_value_is(&m, "mmcblk0", "model", "DG4016", "");
    machine_value_is(&m, "mmcblk0", "firmware", "0x3030303132323132", "");
    machine_value_is(&m, "dasda", "model", "3390/0c", "");
    machine_value_is(&m, "rbd0", "model", "vm-disk-7", "");
    machine_value_is(&m, "rbd0", "pool", "fast", "");
    machine_value_is(&m, "vda", "driver", "virtio_blk", "");
    CHECK(!machine_tells(&m, "xvda", "driver"));
    machine_status_is(&m, "vda", "model", FACT_ABSENT);
    machine_status_is(&m, "vda", "scheduler", FACT_ABSENT);
    machine_status_is(&m, "vda", "size", FACT_ABSENT);
    CHECK(!machine_tells(&m, "vda", "vendor"));
    CHECK(!machine_tells(&m, "vda", "queue_count"));
    CHECK_INT(inventory_find(&m.inventory, "nbd1"), INVENTORY_NONE);
    CHECK_INT(block_node(&m.tree.root, &m.inventory, makedev(43, 16)), INVENTORY_NONE);
    machine_end(&m);
}

static void nvme_multipath(void)
{
    static const char subsystem[] = "/sys/devices/virtual/nvme-subsystem/nvme-subsys4";
    static struct machine m;
    char head[TREE_PATH];
    machine_begin(&m);
    inventory_add_node(&m.inventory, NODE_OTHER, "nvme9", NULL, probe_top(&m.probe));
    for (int i = 4; i < 7; i++) {
        char folder[TREE_PATH], name[32];
        snprintf(name, sizeof name, "nvme%d", i);
        machine_path(folder, MACHINE_PCI "/nvme/%s", name);
        inventory_add_node(&m.inventory, NODE_NVME, name, folder, probe_top(&m.probe));
        machine_path(head, "%s/nvme%d", subsystem, i);
        tree_link(&m.tree, head, "../../../somewhere");
    }
    machine_device(&m, subsystem, "nvme4n1", 259, 0);
    machine_device(&m, subsystem, "nvme4n2", 259, 1);
    tree_link(&m.tree, "/sys/devices/virtual/nvme-subsystem/nvme-subsys4/nvme4n1/device", "..");
    machine_put(&m, subsystem, "model", "PowerMax\n");
    machine_put(&m, subsystem, "iopolicy", "round-robin\n");
    machine_path(head, "%s/nvme4n1", subsystem);
    machine_queue(&m, head, NULL);
    machine_partition(&m, head, "nvme4n1p1", 7);
    machine_device(&m, MACHINE_PCI "/nvme/nvme5", "nvme4c5n1", 0, 1);
    machine_device(&m, MACHINE_PCI "/nvme/nvme6", "nvme4c6n1", 0, 2);
    machine_device(&m, MACHINE_PCI "/nvme/nvme6", "nvme4c6n11", 0, 3);
    machine_device(&m, MACHINE_PCI "/nvme/nvme6", "nvme44c6n1", 0, 4);
    machine_put(&m, MACHINE_PCI "/nvme/nvme5/nvme4c5n1", "ana_state", "optimized\n");
    machine_put(&m, MACHINE_PCI "/nvme/nvme6/nvme4c6n1", "ana_state", "inaccessible\n");
    machine_look(&m);

    machine_node(&m, "nvme4n1", NODE_DISK);
    machine_value_is(&m, "nvme4n1", "paths", "nvme5, nvme6", "");
    machine_value_is(&m, "nvme4n1", "path_nvme5", "optimized", "");
    machine_value_is(&m, "nvme4n1", "path_nvme6", "inaccessible", "");
    machine_value_is(&m, "nvme4n1", "path_policy", "round-robin", "");
    machine_value_is(&m, "nvme4n1", "model", "PowerMax", "");
    machine_value_is(&m, "nvme4n1", "bus", "nvme", "");
    machine_parent_is(&m, "nvme4n1", "nvme5");
    machine_parent_is(&m, "nvme4n1p1", "nvme4n1");
    /* No path is listed: all controllers of the subsystem count, and nothing else. */
    machine_value_is(&m, "nvme4n2", "paths", "nvme4, nvme5, nvme6", "");
    machine_parent_is(&m, "nvme4n2", "nvme4");
    CHECK_INT(inventory_find(&m.inventory, "nvme4c5n1"), INVENTORY_NONE);
    CHECK_INT(m.inventory.nodes[0].kind, NODE_MACHINE);
    machine_end(&m);

    machine_begin(&m); /* no controllers were reported, and the subsystem is empty */
    inventory_add_node(&m.inventory, NODE_OTHER, "nvme4", NULL, INVENTORY_NONE);
    machine_device(&m, subsystem, "nvme4n1", 259, 0);
    machine_device(&m, MACHINE_PCI "/nvme/nvme4", "nvme4c4n1", 0, 1);
    machine_device(&m, subsystem, "nvme5n1", 259, 1);
    tree_link(&m.tree, "/sys/class/block/nvme5c0n1", "../../../..");
    machine_look(&m);
    machine_value_is(&m, "nvme4n1", "paths", "nvme4", "");
    machine_parent_is(&m, "nvme4n1", "machine");
    CHECK(machine_tells(&m, "nvme5n1", "paths"));
    machine_end(&m);
}

/* ---- trees that are no machine ---- */

static void garbage(void)
{
    static struct machine m;
    static const char folder[] = MACHINE_PCI "/block/sda";
    char path[TREE_PATH], name[256];
    machine_begin(&m);
    machine_device(&m, MACHINE_PCI "/block", "sda", 8, 0);
    machine_put(&m, folder, "size", "99999999999999999999999\n");
    machine_put(&m, folder, "queue/rotational", "maybe\n");
    machine_put(&m, folder, "queue/scheduler", "none mq-deadline\n");
    machine_put(&m, folder, "queue/nr_requests", "-1\n");
    machine_put(&m, folder, "queue/write_cache", "");
    machine_put(&m, folder, "queue/max_sectors_kb", "18446744073709551615\n");
    machine_put(&m, folder, "queue/logical_block_size", "512 bytes\n");
    machine_put(&m, folder, "queue/discard_max_bytes", "much\n");
    machine_put(&m, folder, "queue/zoned", "a\033[31mb\n");
    tree_folder(&m.tree, MACHINE_PCI "/block/sda/queue/physical_block_size");
    tree_link(&m.tree, MACHINE_PCI "/block/sda/device", ".");
    machine_put(&m, folder, "mq", "a file\n");
    tree_deny(&m.tree, MACHINE_PCI "/block/sda/model");
    tree_deny(&m.tree, MACHINE_PCI "/block/sda/queue/io_poll");
    machine_partition(&m, folder, "sda1", 1);
    machine_put(&m, MACHINE_PCI "/block/sda/sda1", "start", "x\n");

    tree_link(&m.tree, "/sys/class/block/sdb", "../../devices/gone"); /* unplugged meanwhile */
    tree_link(&m.tree, "/sys/class/block/sdc", "sdc");
    tree_link(&m.tree, "/sys/class/block/sdd", "../../../../../../../../..");
    tree_folder(&m.tree, "/sys/class/block/sde");
    tree_file(&m.tree, "/sys/class/block/sdf", "a file\n");
    tree_folder(&m.tree, "/sys/class/block/sd\ng");
    tree_folder(&m.tree, "/sys/class/block/sd\xff");
    tree_folder(&m.tree, "/sys/class/block/dm-");
    tree_folder(&m.tree, "/sys/class/block/nvme");
    tree_folder(&m.tree, "/sys/class/block/md");
    memset(name, 'a', sizeof name);
    name[255] = '\0';
    memcpy(name, "md", 2);
    machine_path(path, MACHINE_VIRTUAL "/%s/slaves", name);
    tree_folder(&m.tree, path);
    machine_path(path, "../../devices/virtual/block/%s", name);
    char link[TREE_PATH];
    machine_path(link, "/sys/class/block/%s", name);
    tree_link(&m.tree, link, path);
    machine_look(&m);

    machine_status_is(&m, "sda", "size", FACT_INVALID);
    machine_status_is(&m, "sda", "rotational", FACT_INVALID);
    machine_status_is(&m, "sda", "scheduler", FACT_INVALID);
    machine_status_is(&m, "sda", "nr_requests", FACT_INVALID);
    machine_status_is(&m, "sda", "write_cache", FACT_INVALID);
    machine_status_is(&m, "sda", "max_transfer", FACT_INVALID);
    machine_status_is(&m, "sda", "logical_block_size", FACT_INVALID);
    machine_status_is(&m, "sda", "physical_block_size", FACT_INVALID);
    machine_status_is(&m, "sda", "discard", FACT_INVALID);
    machine_status_is(&m, "sda", "zoned", FACT_INVALID);
    machine_status_is(&m, "sda", "model", FACT_DENIED);
    machine_status_is(&m, "sda", "io_poll", FACT_DENIED);
    CHECK(!machine_tells(&m, "sda", "queue_count"));
    machine_parent_is(&m, "sda1", "sda");
    machine_status_is(&m, "sda1", "start", FACT_INVALID);
    machine_status_is(&m, "sdb", "size", FACT_ABSENT);
    machine_status_is(&m, "sdc", "size", FACT_INVALID);
    machine_node(&m, "sde", NODE_DISK);
    machine_node(&m, "dm-", NODE_MAPPER);
    machine_node(&m, "md", NODE_RAID);
    CHECK_INT(inventory_find(&m.inventory, "sd?g"), INVENTORY_NONE);
    CHECK_INT(inventory_find(&m.inventory, "sd?"), INVENTORY_NONE);
    int outrageous = 0;
    for (int i = 0; i < m.inventory.node_count; i++)
        outrageous += !strncmp(m.inventory.nodes[i].name, "mdaaaa", 6);
    CHECK_INT(outrageous, 1);
    machine_end(&m);

    machine_begin(&m); /* no block devices at all */
    machine_look(&m);
    CHECK_INT(m.inventory.node_count, 0);
    CHECK_INT(block_node(&m.tree.root, &m.inventory, makedev(8, 0)), INVENTORY_NONE);
    tree_file(&m.tree, "/sys/class/block", "a file\n");
    machine_look(&m);
    CHECK_INT(m.inventory.node_count, 0);
    machine_end(&m);
}

/* ---- cost ---- */

/* Returns this thread's processor time, so that other programs do not count. */
static double processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns the shortest time of several probes in ns; a single one may have been interrupted. */
static double look_time(struct machine *m)
{
    double best = INFINITY;
    for (int i = 0; i < 15; i++) {
        inventory_free(&m->inventory);
        double begin = processor_ns();
        look_at_block(&m->probe);
        double time = processor_ns() - begin;
        best = time < best ? time : best;
    }
    return best;
}

/* Returns the time to probe that many disks, each at a port of its own. */
static double look_time_of(unsigned disks)
{
    static struct machine m;
    machine_begin(&m);
    for (unsigned i = 0; i < disks; i++) {
        char host[TREE_PATH], name[16];
        machine_path(host, MACHINE_PCI "/host%u/port-%u:0/end_device-%u:0", i, i, i);
        snprintf(name, sizeof name, "sd%c%c", (char)('a' + i / 26), (char)('a' + i % 26));
        scsi_disk(&m, host, name, i);
    }
    double time = look_time(&m);
    printf("%u disks: %.1f ms, %d facts\n", disks, time / 1e6, m.inventory.fact_count);
    CHECK_INT(m.inventory.node_count, (int)disks + 1);
    machine_end(&m);
    return time;
}

/* Eight times as many disks take about eight times as long; quadratic growth would take 64 times.
 */
static void many_disks(void)
{
    CHECK(look_time_of(200) < 24 * look_time_of(25));
}

/* Works on any machine: each name is probed, and a device with a number is found by that number. */
static void this_machine(void)
{
    static struct inventory v;
    struct sysroot root;
    struct probe probe = {.root = &root, .inventory = &v};
    struct sysroot_names names;
    CHECK_INT(sysroot_open(&root, NULL, NULL), 0);
    look_at_block(&probe);
    CHECK(!v.failed);
    sysroot_list(&root, "/sys/class/block", &names);
    for (size_t i = 0; i < names.count; i++) {
        int node = inventory_find(&v, names.names[i]);
        if (!strncmp(names.names[i], "loop", 4) || !strncmp(names.names[i], "nbd", 3) ||
            strchr(names.names[i], 'c'))
            continue;
        CHECK(node != INVENTORY_NONE);
        CHECK(!isnan(inventory_number(&v, node, "size")));
    }
    sysroot_names_free(&names);
    inventory_free(&v);
}

int main(void)
{
    nvme_disk();
    scsi_disks();
    other_disks();
    nvme_multipath();
    garbage();
    many_disks();
    this_machine();
    return check_result();
}
