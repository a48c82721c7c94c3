/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding who uses a device, on a made-up machine: partitions, device mapper on top, mounts, swap.
 */
#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guard_fixture.h"

/* sda with sda1 and sda2, LVM (dm-0, with dm-1 on it) on sda2; sdb unused; sdc held by md0. */
static void make_machine(void)
{
    make_folders("/sys/dev/block");
    make_folders("/proc/self");
    make_device("block/sda", "8:0");
    make_device("block/sda/sda1", "8:1");
    make_device("block/sda/sda2", "8:2");
    write_file("/sys/block/sda/sda1/partition", "1\n");
    write_file("/sys/block/sda/sda2/partition", "2\n");
    make_device("block/sdb", "8:16");
    make_device("block/sdc", "8:32");
    make_device("block/dm-0", "252:0");
    make_device("block/dm-1", "252:1");
    make_device("block/md0", "9:0");
    make_holder("block/sda/sda2", "dm-0");
    make_holder("block/dm-0", "dm-1");
    make_holder("block/sdc", "md0");
}

static void check_mounts(void)
{
    mounts(OTHER_MOUNTS);
    check_free(8, 0x10);
    check_free(8, 1); /* only the other partition is in use */

    mounts(OTHER_MOUNTS "36 1 8:16 / /home rw,noatime shared:1 - ext4 /dev/sdb rw\n");
    check_used(8, 16, "/dev/sdb",
               "/dev/sdb: it holds a mounted filesystem (/home); --destroy will not override this");
    mounts("36 1 8:1 / /boot rw - ext4 /dev/sda1 rw\n");
    check_used(
        8, 0, "/dev/sda",
        "/dev/sda: its partition sda1 holds a mounted filesystem (/boot); --destroy will not "
        "override this");
    mounts("36 1 252:1 / /srv/my\\040disk rw - xfs /dev/mapper/x rw\n");
    check_used(8, 0, "/dev/sda",
               "/dev/sda: dm-1, which is built on it, holds a mounted filesystem (/srv/my disk); "
               "--destroy will not override this");
    check_used(8, 2, "/dev/sda2",
               "/dev/sda2: dm-1, which is built on it, holds a mounted filesystem (/srv/my disk); "
               "--destroy will not override this");
    mounts("36 1 8:0 / /whole rw - ext4 /dev/sda rw\n");
    check_used(8, 1, "/dev/sda1",
               "/dev/sda1: sda, the disk it is a part of, holds a mounted filesystem (/whole); "
               "--destroy will not override this");
    mounts(OTHER_MOUNTS);
}

static void check_holders(void)
{
    check_used(
        8, 32, "/dev/sdc",
        "/dev/sdc: md0 is built on it (device mapper, LVM, md or the like); --destroy will not "
        "override this");
    check_used(
        8, 2, "/dev/sda2",
        "/dev/sda2: dm-0 is built on it (device mapper, LVM, md or the like); --destroy will "
        "not override this");
    check_used(
        252, 0, "/dev/dm-0",
        "/dev/dm-0: dm-1 is built on it (device mapper, LVM, md or the like); --destroy will "
        "not override this");
    check_free(252, 1); /* the top of the stack itself is not in use */
}

/* nvme3n1 and nvme4n1 are one namespace that the kernel does not join, and so are sdd and sde; the
   kernel hides nvme3c0n1. nvme5n1 is another namespace. */
static void make_paths(void)
{
    static const struct {
        const char *folder, *number, *file, *wwid;
    } disks[] = {
        {"block/nvme3n1", "259:30", "wwid", "eui.0025385b71b00001\n"},
        {"block/nvme4n1", "259:40", "wwid", "eui.0025385b71b00001\n"},
        {"block/nvme5n1", "259:50", "wwid", "eui.0025385b71b00002\n"},
        {"block/sdd", "8:48", "device/wwid", "naa.5000c500a1b2c3d4\n"},
        {"block/sde", "8:64", "device/wwid", "naa.5000c500a1b2c3d4\n"},
        {"block/sdf", "8:80", "device/wwid", "\n"},
        {"block/sdg", "8:96", "device/wwid", "\n"},
    };
    char path[512], link[600], target[512];
    make_folders("/sys/class/block");
    for (size_t i = 0; i < sizeof disks / sizeof *disks; i++) {
        make_device(disks[i].folder, disks[i].number);
        snprintf(path, sizeof path, "/sys/%s/device", disks[i].folder);
        make_folders(path);
        snprintf(path, sizeof path, "/sys/%s/%s", disks[i].folder, disks[i].file);
        write_file(path, disks[i].wwid);
        snprintf(path, sizeof path, "/sys/class/%s", disks[i].folder);
        snprintf(target, sizeof target, "../../%s", disks[i].folder);
        CHECK_INT(symlink(target, below(path, link)), 0);
    }
    make_device("block/nvme3n1/nvme3n1p1", "259:31");
    make_device("block/nvme3n1/nvme3n1p2", "259:32");
    make_device("block/nvme4n1/nvme4n1p1", "259:41");
    write_file("/sys/block/nvme3n1/nvme3n1p1/partition", "1\n");
    write_file("/sys/block/nvme3n1/nvme3n1p2/partition", "2\n");
    write_file("/sys/block/nvme4n1/nvme4n1p1/partition", "1\n");
    make_folders("/sys/class/block/nvme3c0n1");
    write_file("/sys/class/block/nvme3c0n1/wwid", "eui.0025385b71b00001\n");
}

#define OTHER_PATH(name) name ", another way to the same disk (its wwid is the same), "

static void check_paths_to_one_disk(void)
{
    make_paths();
    mounts(OTHER_MOUNTS);
    check_free(259, 30);
    check_free(259, 31);
    check_free(8, 48);
    mounts("36 1 259:40 / /srv rw - ext4 /dev/nvme4n1 rw\n");
    check_used(259, 30, "/dev/nvme3n1",
               "/dev/nvme3n1: " OTHER_PATH("nvme4n1") "holds a mounted filesystem (/srv); "
                                                      "--destroy will not override this");
    check_used(259, 31, "/dev/nvme3n1p1",
               "/dev/nvme3n1p1: " OTHER_PATH("nvme4n1") "holds a mounted filesystem (/srv); "
                                                        "--destroy will not override this");
    check_free(259, 50);
    mounts("36 1 259:41 / /boot rw - ext4 /dev/nvme4n1p1 rw\n");
    check_used(259, 30, "/dev/nvme3n1",
               "/dev/nvme3n1: " OTHER_PATH("nvme4n1p1") "holds a mounted filesystem (/boot); "
                                                        "--destroy will not override this");
    mounts("36 1 259:32 / /boot rw - ext4 /dev/nvme3n1p2 rw\n");
    check_free(259, 31); /* another namespace on the same path is no reason to refuse */
    mounts("36 1 8:64 / /srv rw - ext4 /dev/sde rw\n");
    check_used(8, 48, "/dev/sdd",
               "/dev/sdd: " OTHER_PATH("sde") "holds a mounted filesystem (/srv); --destroy will "
                                              "not override this");
    mounts("36 1 8:80 / /srv rw - ext4 /dev/sdf rw\n");
    check_free(8, 96); /* two devices without identity do not share one */
    mounts(OTHER_MOUNTS);
    make_holder("block/nvme4n1/nvme4n1p1", "md0");
    check_used(259, 30, "/dev/nvme3n1",
               "/dev/nvme3n1: md0 is built on it (device mapper, LVM, md or the like); --destroy "
               "will not override this");
    check_used(259, 31, "/dev/nvme3n1p1",
               "/dev/nvme3n1p1: md0 is built on it (device mapper, LVM, md or the like); --destroy "
               "will not override this");
    /* The other devices cannot be looked up. */
    char from[600], to[600];
    CHECK_INT(rename(below("/sys/class/block", from), below("/sys/class/away", to)), 0);
    struct err e = {0};
    CHECK_INT(guard_unused(root, makedev(259, 50), "/dev/nvme5n1", NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "class/block cannot be read") != NULL);
    CHECK_INT(rename(to, from), 0);
}

/* Swap and btrfs are found by the path in the kernel's table, so they need a real block device. */
static void check_paths(void)
{
    struct stat st;
    char line[256], expected[256], number[32], folder[64];
    if (stat("/dev/loop0", &st) || !S_ISBLK(st.st_mode)) {
        check_part_skipped("no /dev/loop0 to look at");
        return;
    }
    snprintf(number, sizeof number, "%u:%u", major(st.st_rdev), minor(st.st_rdev));
    snprintf(folder, sizeof folder, "block/looking-glass");
    make_device(folder, number);
    mounts("36 1 0:44 / /data rw - btrfs /dev/loop0 rw,subvol=/\n");
    snprintf(expected, sizeof expected,
             "/dev/loop0: it holds a mounted filesystem (/data); --destroy will not override this");
    check_used(major(st.st_rdev), minor(st.st_rdev), "/dev/loop0", expected);
    mounts(OTHER_MOUNTS);
    mounts("");
    snprintf(line, sizeof line, "Filename\tType\tSize\n/dev/loop0  partition\t4\t0\t-2\n");
    write_file("/proc/swaps", line);
    check_used(major(st.st_rdev), minor(st.st_rdev), "/dev/loop0",
               "/dev/loop0: it is in use as swap; --destroy will not override this");
    write_file("/proc/swaps", "Filename\tType\tSize\n");
    check_free(major(st.st_rdev), minor(st.st_rdev));
}

static void check_unreadable(void)
{
    struct err e = {0};
    CHECK_INT(guard_unused(root, makedev(8, 99), "/dev/sdz", NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "cannot be read") != NULL);
    char path[600];
    unlink(below("/proc/self/mountinfo", path));
    CHECK_INT(guard_unused(root, makedev(8, 16), "/dev/sdb", NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "mountinfo") != NULL);
}

int main(void)
{
    make_root();
    make_machine();
    check_mounts();
    check_holders();
    check_paths_to_one_disk();
    check_paths();
    check_unreadable();
    remove_root();
    return check_result();
}
