/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block prober on devices made of other devices or of memory: md, device mapper, loop ... */
#include "block_machine.h"

static void raid(void)
{
    static struct machine m;
    static const char folder[] = MACHINE_VIRTUAL "/md127";
    machine_begin(&m);
    machine_device(&m, MACHINE_VIRTUAL, "md127", 9, 127);
    machine_queue(&m, folder, NULL);
    machine_put(&m, folder, "md/level", "raid5\n");
    machine_put(&m, folder, "md/chunk_size", "524288\n");
    machine_put(&m, folder, "md/array_state", "active\n");
    machine_put(&m, folder, "md/degraded", "1\n");
    machine_put(&m, folder, "md/sync_action", "recover\n");
    machine_put(&m, folder, "md/sync_completed", "1000 / 4000\n");
    machine_put(&m, folder, "md/consistency_policy", "bitmap\n");
    machine_put(&m, folder, "md/stripe_cache_size", "256\n");
    machine_put(&m, folder, "md/dev-sda1/state", "in_sync\n");
    machine_put(&m, folder, "md/dev-sdb1/state", "in_sync,write_mostly\n");
    machine_put(&m, folder, "md/dev-sdc1/state", "faulty\n");
    machine_member(&m, folder, "sda1");
    machine_member(&m, folder, "sdb1");
    machine_member(&m, folder, "sdc1");
    machine_member(&m, folder, "sd\nx");
    machine_partition(&m, folder, "md127p1", 3);
    tree_folder(&m.tree, "/sys/class/block/md0"); /* being assembled */
    tree_file(&m.tree, "/sys/class/block/md0/md/level", "");
    tree_file(&m.tree, "/sys/class/block/md0/md/array_state", "inactive\n");
    tree_file(&m.tree, "/sys/class/block/md0/md/sync_completed", "5 / 0\n");
    tree_folder(&m.tree, "/sys/class/block/md0/slaves");
    machine_look(&m);

    machine_node(&m, "md127", NODE_RAID);
    machine_value_is(&m, "md127", "level", "raid5", "");
    machine_value_is(&m, "md127", "chunk_size", "524288", "bytes");
    machine_value_is(&m, "md127", "state", "active", "");
    machine_value_is(&m, "md127", "degraded_members", "1", "");
    machine_value_is(&m, "md127", "sync_action", "recover", "");
    machine_value_is(&m, "md127", "sync_progress", "25.0", "%");
    machine_value_is(&m, "md127", "consistency_policy", "bitmap", "");
    machine_value_is(&m, "md127", "stripe_cache_size", "256", "");
    machine_value_is(&m, "md127", "members", "sd?x, sda1, sdb1, sdc1", "");
    machine_value_is(&m, "md127", "member_sda1", "in_sync", "");
    machine_value_is(&m, "md127", "member_sdb1", "in_sync,write_mostly", "");
    machine_value_is(&m, "md127", "member_sdc1", "faulty", "");
    machine_value_is(&m, "md127", "size", "3840755982336", "bytes");
    machine_value_is(&m, "md127", "discard", "yes", "");
    CHECK(!machine_tells(&m, "md127", "scheduler"));
    CHECK(!machine_tells(&m, "md127", "model"));
    CHECK(!machine_tells(&m, "md127", "bus"));
    machine_parent_is(&m, "md127p1", "md127");
    machine_status_is(&m, "md0", "level", FACT_INVALID);
    machine_status_is(&m, "md0", "members", FACT_ABSENT);
    machine_value_is(&m, "md0", "state", "inactive", "");
    CHECK(!machine_tells(&m, "md0", "degraded_members"));
    CHECK(!machine_tells(&m, "md0", "sync_progress"));
    machine_end(&m);
}

/* An LVM volume on a thin pool, an encrypted volume below it, and volumes without a name. */
static void mapper(void)
{
    static const struct {
        const char *name, *mapped, *uuid, *member;
    } volumes[] = {
        {"dm-0", "luks-root", "CRYPT-LUKS2-0123456789abcdef-luks-root", "sda2"},
        {"dm-1", "vg0-pool-tpool",
         "LVM-AbCdEfGhIjKlMnOpQrStUvWxYz012345AbCdEfGhIjKlMnOpQrStUvWxYz012345-tpool", "dm-0"},
        {"dm-2", "vg0-root", "LVM-AbCdEfGhIjKlMnOpQrStUvWxYz012345ZbCdEfGhIjKlMnOpQrStUvWxYz012345",
         "dm-1"},
        {"dm-3", "made by hand", "", "dm-4"},
        /* each on top of the other, which no kernel shows */
        {"dm-4", "usr", "CRYPT-VERITY-77", "dm-3"},
        {"dm-5", "data-part1", "part1-mpath-3600", "dm-6"},
    };
    static struct machine m;
    machine_begin(&m);
    for (unsigned i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        char folder[TREE_PATH];
        machine_path(folder, MACHINE_VIRTUAL "/%s", volumes[i].name);
        machine_device(&m, MACHINE_VIRTUAL, volumes[i].name, 252, i);
        machine_queue(&m, folder, i ? "none\n" : NULL);
        machine_put(&m, folder, "dm/name", volumes[i].mapped);
        machine_put(&m, folder, "dm/uuid", volumes[i].uuid);
        machine_put(&m, folder, "dm/suspended", i == 3 ? "1\n" : "0\n");
        machine_member(&m, folder, volumes[i].member);
    }
    machine_look(&m);
    for (unsigned i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        machine_node(&m, volumes[i].name, NODE_MAPPER);
        machine_parent_is(&m, volumes[i].name, "machine");
        machine_value_is(&m, volumes[i].name, "name", volumes[i].mapped, "");
        machine_value_is(&m, volumes[i].name, "members", volumes[i].member, "");
        machine_value_is(&m, volumes[i].name, "suspended", i == 3 ? "yes" : "no", "");
    }
    machine_value_is(&m, "dm-0", "type", "CRYPT", "");
    machine_value_is(&m, "dm-0", "format", "LUKS2", "");
    CHECK(!machine_tells(&m, "dm-0", "scheduler"));
    machine_value_is(&m, "dm-1", "type", "LVM", "");
    machine_value_is(&m, "dm-1", "layer", "tpool", "");
    machine_value_is(&m, "dm-1", "scheduler", "none", "");
    machine_value_is(&m, "dm-2", "type", "LVM", "");
    CHECK(!machine_tells(&m, "dm-2", "layer"));
    machine_status_is(&m, "dm-3", "type", FACT_ABSENT);
    machine_value_is(&m, "dm-4", "format", "VERITY", "");
    machine_value_is(&m, "dm-5", "type", "part1", "");
    machine_end(&m);
}

static void mapper_multipath(void)
{
    static struct machine m;
    static const char folder[] = MACHINE_VIRTUAL "/dm-0";
    machine_begin(&m);
    machine_device(&m, MACHINE_VIRTUAL, "dm-0", 252, 0);
    machine_put(&m, folder, "dm/name", "mpatha");
    machine_put(&m, folder, "dm/uuid", "mpath-3600508b400105e210000900000490000");
    for (int i = 0; i < 4; i++)
        machine_member(&m, folder, (const char *[]){"nvme1n1", "sda", "sdb", "sdc"}[i]);
    tree_file(&m.tree, "/sys/class/block/sda/device/state", "running\n");
    tree_file(&m.tree, "/sys/class/block/sda/device/access_state", "active/optimized\n");
    tree_file(&m.tree, "/sys/class/block/sdb/device/state", "transport-offline\n");
    tree_deny(&m.tree, "/sys/class/block/sdc/device/state");
    tree_file(&m.tree, "/sys/class/block/nvme1n1/device/state", "live\n");
    tree_file(&m.tree, "/sys/class/block/nvme1n1/ana_state", "non-optimized\n");
    machine_look(&m);
    machine_value_is(&m, "dm-0", "type", "mpath", "");
    machine_value_is(&m, "dm-0", "members", "nvme1n1, sda, sdb, sdc", "");
    machine_value_is(&m, "dm-0", "path_sda", "running, active/optimized", "");
    machine_value_is(&m, "dm-0", "path_sdb", "transport-offline", "");
    machine_status_is(&m, "dm-0", "path_sdc", FACT_DENIED);
    machine_value_is(&m, "dm-0", "path_nvme1n1", "live, non-optimized", "");
    /* the disk's identifier is not part of any fact */
    for (int i = 0; i < m.inventory.fact_count; i++)
        CHECK(!strstr(m.inventory.facts[i].value, "3600508"));
    machine_end(&m);
}

static void loops_and_memory(void)
{
    static struct machine m;
    machine_begin(&m);
    for (unsigned i = 0; i < 3; i++)
        machine_device(&m, MACHINE_VIRTUAL, (const char *[]){"loop0", "loop1", "loop2"}[i], 7, i);
    machine_queue(&m, MACHINE_VIRTUAL "/loop1", "[none]\n");
    machine_put(&m, MACHINE_VIRTUAL "/loop1", "loop/backing_file", "/var/tmp/disk image.raw\n");
    machine_put(&m, MACHINE_VIRTUAL "/loop1", "loop/offset", "1048576\n");
    machine_put(&m, MACHINE_VIRTUAL "/loop1", "loop/dio", "1\n");
    machine_partition(&m, MACHINE_VIRTUAL "/loop1", "loop1p1", 9);
    tree_deny(&m.tree, MACHINE_VIRTUAL "/loop2/loop/backing_file");
    machine_device(&m, MACHINE_VIRTUAL, "zram0", 253, 0);
    machine_queue(&m, MACHINE_VIRTUAL "/zram0", NULL);
    machine_put(&m, MACHINE_VIRTUAL "/zram0", "comp_algorithm", "lzo-rle lzo [zstd]\n");
    machine_device(&m, MACHINE_VIRTUAL, "ram0", 1, 0);
    machine_queue(&m, MACHINE_VIRTUAL "/ram0", NULL);
    machine_device(&m, "/sys/devices/ndbus0/region0/namespace0.0/block", "pmem0", 259, 5);
    tree_file(&m.tree, "/sys/devices/ndbus0/region0/namespace0.0/block/pmem0/queue/dax", "1\n");
    tree_link(&m.tree, "/sys/devices/ndbus0/region0/namespace0.0/block/pmem0/device", "../..");
    tree_link(&m.tree, "/sys/devices/ndbus0/region0/namespace0.0/driver",
              "../../../../bus/nd/drivers/nd_pmem");
    tree_file(&m.tree, "/sys/devices/ndbus0/region0/namespace0.0/numa_node", "1\n");
    inventory_add_node(&m.inventory, NODE_NUMA, "node1", NULL, INVENTORY_NONE);
    machine_device(&m, "/sys/devices/ndbus0/region1/namespace1.0/block", "pmem1", 259, 6);
    tree_link(&m.tree, "/sys/devices/ndbus0/region1/namespace1.0/block/pmem1/device", "../..");
    tree_file(&m.tree, "/sys/devices/ndbus0/region1/namespace1.0/numa_node", "-1\n");
    machine_device(&m, MACHINE_VIRTUAL, "bcache0", 251, 0);
    machine_queue(&m, MACHINE_VIRTUAL "/bcache0", NULL);
    machine_put(&m, MACHINE_VIRTUAL "/bcache0", "bcache/cache_mode",
                "writethrough [writeback] writearound none\n");
    machine_put(&m, MACHINE_VIRTUAL "/bcache0", "bcache/state", "dirty\n");
    machine_member(&m, MACHINE_VIRTUAL "/bcache0", "nvme0n1");
    machine_member(&m, MACHINE_VIRTUAL "/bcache0", "sda");
    machine_look(&m);

    CHECK_INT(inventory_find(&m.inventory, "loop0"), INVENTORY_NONE);
    machine_node(&m, "loop1", NODE_LOOP);
    machine_value_is(&m, "loop1", "backing_file", "/var/tmp/disk image.raw", "");
    machine_value_is(&m, "loop1", "offset", "1048576", "bytes");
    machine_value_is(&m, "loop1", "direct_io", "yes", "");
    machine_value_is(&m, "loop1", "scheduler", "none", "");
    machine_value_is(&m, "loop1", "queue_count", "2", "");
    machine_parent_is(&m, "loop1p1", "loop1");
    machine_status_is(&m, "loop2", "backing_file", FACT_DENIED);
    machine_node(&m, "zram0", NODE_MEMORY_DISK);
    machine_value_is(&m, "zram0", "algorithm", "zstd", "");
    machine_value_is(&m, "zram0", "size", "3840755982336", "bytes");
    machine_node(&m, "ram0", NODE_MEMORY_DISK);
    machine_node(&m, "pmem0", NODE_MEMORY_DISK);
    machine_value_is(&m, "pmem0", "dax", "yes", "");
    machine_value_is(&m, "pmem0", "driver", "nd_pmem", "");
    machine_value_is(&m, "pmem0", "numa_node", "1", "");
    machine_parent_is(&m, "pmem0", "node1");
    CHECK(!machine_tells(&m, "pmem1", "numa_node"));
    machine_parent_is(&m, "pmem1", "machine");
    machine_node(&m, "bcache0", NODE_MAPPER);
    machine_value_is(&m, "bcache0", "type", "bcache", "");
    machine_value_is(&m, "bcache0", "cache_mode", "writeback", "");
    machine_value_is(&m, "bcache0", "state", "dirty", "");
    machine_value_is(&m, "bcache0", "members", "nvme0n1, sda", "");
    machine_end(&m);
}

int main(void)
{
    raid();
    mapper();
    mapper_multipath();
    loops_and_memory();
    return check_result();
}
