/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the filesystem of a path and the block device below it. */
#include "block_machine.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file/device_number.h"
#include "hw/disk/block.h"
#include "hw/disk/filesystem.h"
#include "hw/disk/internal.h"

static const char mounts[] =
    "21 1 252:0 / / rw,relatime shared:1 - ext4 /dev/mapper/vg0-root rw,errors=remount-ro\n"
    "22 21 0:6 / /dev rw,nosuid - devtmpfs udev rw,size=4k\n"
    "23 21 259:1 / /boot rw,relatime shared:2 - ext4 /dev/nvme0n1p1 rw\n"
    "24 21 0:40 /@ /srv/my\\040data rw,noatime - btrfs /dev/nvme0n1p2 rw,ssd,subvol=/@\n"
    "25 21 0:41 / /srv/volume rw - btrfs /dev/mapper/vg0-root rw\n"
    "26 21 0:42 / /srv/lost rw - btrfs /dev/gone rw\n"
    "27 21 0:50 / /tmp rw - tmpfs tmpfs rw\n"
    "28 21 0:51 / /mnt/nfs rw shared:3 master:1 - nfs4 server:/export rw,addr=10.0.0.1\n"
    "29 21 0:52 / /merged rw - overlay overlay "
    "rw,lowerdir=/a:/b,upperdir=/boot/upper\\040layer/x,workdir=/boot/work\n"
    "30 21 0:53 / /merged2 rw - overlay overlay rw,lowerdir=/a,upperdir=/srv/my\\040data/up\n"
    "31 21 0:54 / /merged3 rw - overlay overlay rw,upperdir=/tmp/up,lowerdir=/a\n"
    "32 21 0:55 / /merged4 ro - overlay overlay ro,lowerdir=/a:/b,\n"
    "33 21 0:56 / /merged5 ro - overlay overlay ro,xupperdir=/boot,upperdir=\n"
    "34 21 8:1 / /cover rw - ext4 /dev/sda1 rw\n"
    "35 21 259:1 / /cover rw - xfs /dev/nvme0n1p1 rw\n"
    "36 garbage\n"
    "37 21 x:y / /boot/deep rw - ext4 /dev/x rw\n"
    "38 21 0:57 / /bare rw - fuse.x x\n";

static void machine_of_mounts(struct machine *m)
{
    static const char disk[] = MACHINE_PCI "/nvme/nvme0/nvme0n1";
    machine_begin(m);
    tree_file(&m->tree, MOUNT_FILE, mounts);
    machine_device(m, MACHINE_PCI "/nvme/nvme0", "nvme0n1", 259, 0);
    machine_partition(m, disk, "nvme0n1p1", 1);
    machine_partition(m, disk, "nvme0n1p2", 2);
    machine_device(m, MACHINE_VIRTUAL, "dm-0", 252, 0);
    machine_put(m, MACHINE_VIRTUAL "/dm-0", "dm/name", "vg0-root\n");
    tree_folder(&m->tree, "/sys/fs/btrfs/features");
    tree_link(&m->tree, "/sys/fs/btrfs/0f-1/devices/sdx", "../../..");
    tree_link(&m->tree, "/sys/fs/btrfs/1f-2/devices/nvme0n1p2", "../../..");
    tree_link(&m->tree, "/sys/fs/btrfs/1f-2/devices/sda", "../../..");
    tree_link(&m->tree, "/sys/fs/btrfs/2f-3/devices/dm-0", "../../..");
    machine_look(m);
}

/* Returns the node's name, or "", and checks the device. */
static const char *add(struct machine *m, const char *path, dev_t device, dev_t expected)
{
    int node = filesystem_add(&m->tree.root, &m->inventory, &device, path);
    CHECK_INT(major(device), major(expected));
    CHECK_INT(minor(device), minor(expected));
    if (node == INVENTORY_NONE)
        return "";
    CHECK_INT(m->inventory.nodes[node].kind, NODE_FILESYSTEM);
    return m->inventory.nodes[node].name;
}

static void fact_is(const struct machine *m, const char *name, const char *key, const char *value)
{
    CHECK_STR(inventory_value(&m->inventory, inventory_find(&m->inventory, name), key), value);
}

static void plain(void)
{
    static struct machine m;
    machine_of_mounts(&m);
    CHECK_STR(add(&m, "/boot/scratch/file", makedev(259, 1), makedev(259, 1)), "/boot");
    fact_is(&m, "/boot", "type", "ext4");
    fact_is(&m, "/boot", "device", "/dev/nvme0n1p1");
    fact_is(&m, "/boot", "mount_point", "/boot");
    fact_is(&m, "/boot", "mount_options", "rw,relatime");
    fact_is(&m, "/boot", "filesystem_options", "rw");
    machine_parent_is(&m, "/boot", "machine");
    CHECK(!machine_tells(&m, "/boot", "members"));

    int count = m.inventory.node_count; /* the node exists already */
    CHECK_STR(add(&m, "/boot/another", makedev(259, 1), makedev(259, 1)), "/boot");
    CHECK_INT(m.inventory.node_count, count);
    CHECK_STR(add(&m, "/var/file", makedev(252, 0), makedev(252, 0)), "/");
    CHECK_STR(add(&m, "/bootless", makedev(0, 0), makedev(252, 0)), "/"); /* no number is known */
    CHECK_INT(m.inventory.node_count, count + 1);
    CHECK_STR(add(&m, "/dev/nvme0n1", makedev(259, 0), makedev(259, 0)), "");
    CHECK_STR(add(&m, "/bare/x", makedev(0, 57), makedev(0, 57)), "/bare");
    CHECK(!machine_tells(&m, "/bare", "filesystem_options"));

    /* Two mounts on one folder: the device number decides, or else the later one, which covers the
       other. */
    CHECK_STR(add(&m, "/cover/x", makedev(8, 1), makedev(8, 1)), "/cover");
    fact_is(&m, "/cover", "type", "ext4");
    CHECK_STR(add(&m, "/cover/x", makedev(259, 1), makedev(259, 1)), "/cover#2");
    fact_is(&m, "/cover#2", "type", "xfs");
    machine_end(&m);
}

static void anonymous_numbers(void)
{
    static struct machine m;
    machine_of_mounts(&m);
    CHECK_STR(add(&m, "/srv/my data/deep/file", makedev(0, 77), makedev(259, 2)), "/srv/my data");
    fact_is(&m, "/srv/my data", "type", "btrfs");
    fact_is(&m, "/srv/my data", "filesystem_options", "rw,ssd,subvol=/@");
    fact_is(&m, "/srv/my data", "members", "nvme0n1p2, sda");
    CHECK_STR(add(&m, "/srv/volume/x", makedev(0, 41), makedev(252, 0)), "/srv/volume");
    CHECK(!machine_tells(&m, "/srv/volume", "members"));
    CHECK_STR(add(&m, "/srv/lost/x", makedev(0, 42), makedev(0, 42)), "/srv/lost");
    CHECK_STR(add(&m, "/tmp/x", makedev(0, 50), makedev(0, 50)), "/tmp");
    CHECK_STR(add(&m, "/mnt/nfs/x", makedev(0, 51), makedev(0, 51)), "/mnt/nfs");
    fact_is(&m, "/mnt/nfs", "device", "server:/export");
    fact_is(&m, "/mnt/nfs", "filesystem_options", "rw,addr=10.0.0.1");

    CHECK_STR(add(&m, "/merged/x", makedev(0, 52), makedev(259, 1)), "/merged");
    CHECK_STR(add(&m, "/merged2/x", makedev(0, 53), makedev(259, 2)), "/merged2");
    CHECK_STR(add(&m, "/merged3/x", makedev(0, 54), makedev(0, 54)), "/merged3");
    CHECK_STR(add(&m, "/merged4/x", makedev(0, 55), makedev(0, 55)), "/merged4");
    CHECK_STR(add(&m, "/merged5/x", makedev(0, 56), makedev(0, 56)), "/merged5");

    /* The upper folder of a container's root is a path on the host. */
    tree_file(&m.tree, MOUNT_FILE,
              "1 0 0:60 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/data/x\n"
              "2 1 259:1 / /data rw - ext4 /dev/nvme0n1p1 rw\n");
    CHECK_STR(add(&m, "/x", makedev(0, 60), makedev(0, 60)), "/");
    machine_end(&m);
}

static void nothing_is_known(void)
{
    static struct machine m;
    machine_begin(&m);
    CHECK_STR(add(&m, "/x", makedev(8, 0), makedev(8, 0)), "/x");
    machine_status_is(&m, "/x", "type", FACT_ABSENT);
    CHECK_STR(add(&m, "/x", makedev(8, 0), makedev(8, 0)), "/x");
    CHECK_INT(m.inventory.node_count, 1);
    CHECK_STR(add(&m, "relative", makedev(8, 0), makedev(8, 0)), "relative");
    tree_deny(&m.tree, MOUNT_FILE);
    CHECK_STR(add(&m, "/y", makedev(8, 0), makedev(8, 0)), "/y");
    machine_status_is(&m, "/y", "type", FACT_DENIED);
    machine_end(&m);
}

static void mount_table(void)
{
    static struct machine m;
    struct mount found;
    dev_t device;
    machine_of_mounts(&m);
    CHECK_INT(mount_find(&m.tree.root, "/cover/x", makedev(1, 1), &found), FACT_OK);
    CHECK_STR(found.type, "xfs");
    CHECK(found.device == makedev(259, 1));
    CHECK_INT(mount_find(&m.tree.root, "/covered/x", makedev(252, 0), &found), FACT_OK);
    CHECK_STR(found.point, "/"); /* /cover is not a folder above /covered */
    CHECK_STR(found.upper_folder, "");
    CHECK_INT(mount_find(&m.tree.root, "relative", makedev(252, 0), &found), FACT_ABSENT);
    CHECK_INT(mount_find(&m.tree.root, "/merged/x", makedev(0, 52), &found), FACT_OK);
    CHECK_STR(found.upper_folder, "/boot/upper layer/x");
    machine_end(&m);

    CHECK(device_number_parse("259:1", &device) && device == makedev(259, 1));
    CHECK(device_number_parse("8:0\n", &device) && device == makedev(8, 0));
    CHECK(!device_number_parse("", &device));
    CHECK(!device_number_parse("8", &device));
    CHECK(!device_number_parse("8:", &device));
    CHECK(!device_number_parse("8:-1", &device));
    CHECK(!device_number_parse("8:1x", &device));
    CHECK(!device_number_parse("99999999999:1", &device));
}

/* On any machine the tests' folder is on a filesystem; also by a relative path. */
static void this_machine(void)
{
    struct sysroot root;
    struct stat s;
    struct inventory v = {0};
    struct probe probe = {.root = &root, .inventory = &v};
    CHECK_INT(sysroot_open(&root, NULL, NULL), 0);
    CHECK_INT(stat("tests", &s), 0);
    look_at_block(&probe);
    dev_t device = s.st_dev;
    int node = filesystem_add(&root, &v, &device, "tests");
    CHECK(inventory_value(&v, node, "type") != NULL);
    CHECK(inventory_value(&v, node, "mount_point") != NULL);
    if (major(s.st_dev)) {
        CHECK(device == s.st_dev);
        CHECK(block_node(&root, &v, device) != INVENTORY_NONE);
    }
    inventory_free(&v);
}

int main(void)
{
    plain();
    anonymous_numbers();
    nothing_is_known();
    mount_table();
    this_machine();
    return check_result();
}
