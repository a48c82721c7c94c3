/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where sysfs has the devices of an NVMe namespace, and whether they are polled, on a made-up
 * machine. */
#include "check.h"
#include "tree.h"

#include <sys/sysmacros.h>

#include "base/file/device_number.h"
#include "io/device/block_device.h"
#include "io/nvme/nvme_namespace.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

enum { KIB = 1024 };

/* Makes a device's folder with its number, and the link with that number. `folder` is below /sys.
 */
static void add_device(const struct tree *t, const char *folder, const char *kind,
                       const char *number, const char *subsystem)
{
    char path[512], target[512];
    snprintf(path, sizeof path, "/sys/%s/dev", folder);
    tree_filef(t, path, "%s\n", number);
    snprintf(path, sizeof path, "/sys/dev/%s/%s", kind, number);
    snprintf(target, sizeof target, "../../%s", folder);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "/sys/%s/subsystem", folder);
    snprintf(target, sizeof target, "/sys/class/%s", subsystem);
    tree_link(t, path, target);
}

/* Makes the block device of a namespace in the folder `above`. */
static void add_block(const struct tree *t, const char *above, const char *name, const char *number,
                      unsigned kib, unsigned segments, unsigned poll)
{
    char folder[256], path[512];
    snprintf(folder, sizeof folder, "%s/%s", above, name);
    add_device(t, folder, "block", number, "block");
    snprintf(path, sizeof path, "/sys/%s/device", folder);
    tree_link(t, path, "..");
    snprintf(path, sizeof path, "/sys/%s/queue/max_hw_sectors_kb", folder);
    tree_filef(t, path, "%u\n", kib);
    snprintf(path, sizeof path, "/sys/%s/queue/max_segments", folder);
    tree_filef(t, path, "%u\n", segments);
    snprintf(path, sizeof path, "/sys/%s/queue/io_poll", folder);
    tree_filef(t, path, "%u\n", poll);
}

static void add_generic(const struct tree *t, const char *above, const char *name,
                        const char *number)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s/%s", above, name);
    add_device(t, folder, "char", number, "nvme-generic");
}

static void add_partition(const struct tree *t, const char *disk, const char *name,
                          const char *number)
{
    char folder[256], path[512];
    snprintf(folder, sizeof folder, "%s/%s", disk, name);
    add_device(t, folder, "block", number, "block");
    snprintf(path, sizeof path, "/sys/%s/partition", folder);
    tree_file(t, path, "1\n");
}

#define CONTROLLER(number) "devices/pci0000:00/0000:00:0" number ".0/nvme/nvme" number
#define SUBSYSTEM          "devices/virtual/nvme-subsystem/nvme-subsys2"

/*
 * nvme0: namespaces 1 (with a partition) and 12. nvme1: its private namespace is nvme0n2 as a block
 * device (the kernel counts subsystems there) and ng1n2. nvme2 and nvme3: two paths to one
 * namespace below its subsystem, nvme2n1, whose own io_poll is only a flag. nvme4: a namespace that
 * the kernel shows only as a generic device. sda: not NVMe.
 */
static void make_machine(const struct tree *t)
{
    add_block(t, CONTROLLER("0"), "nvme0n1", "259:0", 128, 127, 1);
    add_generic(t, CONTROLLER("0"), "ng0n1", "237:0");
    add_partition(t, CONTROLLER("0") "/nvme0n1", "nvme0n1p1", "259:1");
    add_block(t, CONTROLLER("0"), "nvme0n12", "259:2", 2048, 127, 0);
    add_generic(t, CONTROLLER("0"), "ng0n12", "237:1");
    tree_link(t, "/sys/" CONTROLLER("0") "/subsystem", "/sys/class/nvme");

    add_block(t, CONTROLLER("1"), "nvme0n2", "259:3", 0, 0, 0);
    add_generic(t, CONTROLLER("1"), "ng1n2", "237:2");
    tree_link(t, "/sys/" CONTROLLER("1") "/subsystem", "/sys/class/nvme");

    add_block(t, SUBSYSTEM, "nvme2n1", "259:4", 512, 33, 1);
    add_generic(t, SUBSYSTEM, "ng2n1", "237:3");
    tree_link(t, "/sys/" SUBSYSTEM "/subsystem", "/sys/class/nvme-subsystem");
    tree_link(t, "/sys/" SUBSYSTEM "/nvme2", "../../../../" CONTROLLER("2"));
    tree_link(t, "/sys/" SUBSYSTEM "/nvme3", "../../../../" CONTROLLER("3"));
    tree_file(t, "/sys/" CONTROLLER("2") "/nvme2c2n1/hidden", "1\n");
    tree_file(t, "/sys/" CONTROLLER("3") "/nvme2c3n1/hidden", "1\n");
    tree_file(t, "/sys/" CONTROLLER("2") "/nvme2c2n1/queue/io_poll", "0\n");
    tree_file(t, "/sys/" CONTROLLER("3") "/nvme2c3n1/queue/io_poll", "0\n");
    /* Paths to other namespaces, which do not affect this one. */
    tree_file(t, "/sys/" CONTROLLER("3") "/nvme2c3n12/queue/io_poll", "0\n");
    tree_file(t, "/sys/" CONTROLLER("3") "/nvme21c3n1/queue/io_poll", "0\n");

    add_generic(t, CONTROLLER("4"), "ng4n1", "237:4");
    tree_file(t, "/sys/" CONTROLLER("4") "/nvme4n1/hidden", "1\n");

    add_block(t, "devices/pci0000:00/ata1/host0/target0/0:0:0:0/block", "sda", "8:0", 512, 128, 0);
    add_partition(t, "devices/pci0000:00/ata1/host0/target0/0:0:0:0/block/sda", "sda1", "8:1");
    /* A device with a matching name, but of another subsystem. */
    add_device(t, "devices/virtual/misc/ng9n1", "char", "10:200", "misc");
    add_block(t, "devices/virtual/other", "nvme9n1", "253:9", 512, 128, 0);
    tree_link(t, "/sys/devices/virtual/other/subsystem", "/sys/class/other");
}

static void check_place(const struct tree *t, bool character, dev_t device, const char *block,
                        const char *generic, uint64_t most, bool poll)
{
    struct nvme_place place;
    CHECK_INT(nvme_place_of(t->folder, character, device, &place), NVME_PLACE_NAMESPACE);
    CHECK_STR(place.block, block);
    CHECK_STR(place.generic, generic);
    CHECK_INT(place.transfer_max, most);
    CHECK_INT(place.poll_queues, poll);
    CHECK((character ? place.generic_device : place.block_device) == device);
}

static void places(const struct tree *t)
{
    struct nvme_place place;
    check_place(t, false, makedev(259, 0), "nvme0n1", "ng0n1", 128 * KIB, true);
    check_place(t, true, makedev(237, 0), "nvme0n1", "ng0n1", 128 * KIB, true);
    check_place(t, false, makedev(259, 2), "nvme0n12", "ng0n12", 508 * KIB, false);
    check_place(t, false, makedev(259, 3), "nvme0n2", "ng1n2", 0, false);
    check_place(t, true, makedev(237, 2), "nvme0n2", "ng1n2", 0, false);
    check_place(t, false, makedev(259, 4), "nvme2n1", "ng2n1", 132 * KIB, false);
    check_place(t, true, makedev(237, 4), "", "ng4n1", 0, false);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(259, 1), &place), NVME_PLACE_PARTITION);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(8, 0), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(8, 1), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(253, 9), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(99, 99), &place), NVME_PLACE_UNSEEN);
    CHECK_INT(nvme_place_of(t->folder, true, makedev(10, 200), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, true, makedev(259, 0), &place), NVME_PLACE_UNSEEN);
}

static void check_polls(const struct tree *t, unsigned minor_number, bool expected)
{
    struct nvme_place place;
    CHECK_INT(nvme_place_of(t->folder, false, makedev(259, minor_number), &place),
              NVME_PLACE_NAMESPACE);
    CHECK_INT(place.poll_queues, expected);
    CHECK_INT(device_has_poll_queues(t->folder, makedev(259, minor_number)), expected);
}

/* Joined paths are polled when all of them are; a driver without poll queues polls nothing. */
static void polling(const struct tree *t)
{
    check_polls(t, 4, false);
    tree_file(t, "/sys/" CONTROLLER("3") "/nvme2c3n1/queue/io_poll", "1\n");
    check_polls(t, 4, false);
    tree_file(t, "/sys/" CONTROLLER("2") "/nvme2c2n1/queue/io_poll", "1\n");
    check_polls(t, 4, true);
    tree_file(t, "/sys/" SUBSYSTEM "/nvme2n1/queue/io_poll", "0\n");
    check_polls(t, 4, false);
    tree_file(t, "/sys/" SUBSYSTEM "/nvme2n1/queue/io_poll", "1\n");

    /* a partition is polled if its disk is */
    CHECK(device_has_poll_queues(t->folder, makedev(259, 1)));
    CHECK(!device_has_poll_queues(t->folder, makedev(8, 1)));
    CHECK(!device_has_poll_queues(t->folder, makedev(99, 99)));

    /* larger requests are split, by bytes or by pages of the buffer */
    tree_file(t, "/sys/" CONTROLLER("0") "/nvme0n1/queue/max_sectors_kb", "128\n");
    CHECK_INT(device_piece_bytes(t->folder, makedev(259, 0)), 128 * 1024);
    CHECK_INT(device_piece_bytes(t->folder, makedev(259, 1)), 128 * 1024);
    tree_file(t, "/sys/" CONTROLLER("0") "/nvme0n1/queue/max_segments", "17\n");
    CHECK_INT(device_piece_bytes(t->folder, makedev(259, 0)), 17 * 4096);
    CHECK_INT(device_piece_bytes(t->folder, makedev(99, 99)), 0);

    tree_file(t, "/sys/module/nvme/parameters/poll_queues", "0\n");
    check_polls(t, 0, true); /* connected by another transport */
    tree_file(t, "/sys/" CONTROLLER("0") "/transport", "tcp\n");
    check_polls(t, 0, true);
    tree_file(t, "/sys/" CONTROLLER("0") "/transport", "pcie\n");
    check_polls(t, 0, false);
    tree_file(t, "/sys/" CONTROLLER("2") "/transport", "pcie\n");
    check_polls(t, 4, false);
    tree_file(t, "/sys/module/nvme/parameters/poll_queues", "2\n");
    check_polls(t, 0, true);
    check_polls(t, 4, true);
    tree_remove(t, "/sys/" CONTROLLER("2") "/nvme2c2n1");
    tree_remove(t, "/sys/" CONTROLLER("3") "/nvme2c3n1");
    check_polls(t, 4, false); /* no path left */
}

static void block_devices(const struct tree *t)
{
    static const struct {
        unsigned generic;
        const char *name;
        unsigned block;
    } pairs[] = {{0, "nvme0n1", 0}, {1, "nvme0n12", 2}, {2, "nvme0n2", 3}, {3, "nvme2n1", 4}};
    struct err e = {0};
    char name[64];
    dev_t block;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        CHECK_INT(nvme_block_device_of(t->folder, makedev(237, pairs[i].generic), &block, name, &e),
                  0);
        CHECK(block == makedev(259, pairs[i].block));
        CHECK_STR(name, pairs[i].name);
    }
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 4), &block, name, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "no block device of this namespace") != NULL);
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 77), &block, name, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_INT(nvme_block_device_of(t->folder, makedev(10, 200), &block, name, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);

    /* A link that leads to a device with another number. */
    tree_remove(t, "/sys/dev/char/237:0");
    tree_link(t, "/sys/dev/char/237:0", "../../" CONTROLLER("0") "/ng0n12");
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 0), &block, name, &e), -1);
    tree_file(t, "/sys/" CONTROLLER("0") "/nvme0n12/dev", "garbage\n");
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 1), &block, name, &e), -1);
    CHECK(strstr(e.msg, "no block device of this namespace") != NULL);
}

/* A name in /dev is used only if it has the right device number. */
static void by_number(void)
{
    int fd = device_number_open("null", true, makedev(1, 3), O_RDONLY);
    CHECK(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    close(fd);
    CHECK(device_number_open("null", true, makedev(1, 5), O_RDONLY) < 0 && errno == ENODEV);
    CHECK(device_number_open("null", false, makedev(1, 3), O_RDONLY) < 0 && errno == ENODEV);
    CHECK(device_number_open("no-such", true, makedev(1, 3), O_RDONLY) < 0 && errno == ENOENT);
}

static void zones(const struct tree *t)
{
    static const char *const file = "/sys/" CONTROLLER("0") "/nvme0n1/queue/zoned";
    static const struct {
        const char *text;
        bool host_managed;
    } rows[] = {{"host-managed\n", true}, {"host-aware\n", false}, {"none\n", false}};
    CHECK(!device_is_host_managed(t->folder, makedev(259, 0)));
    for (size_t i = 0; i < COUNT(rows); i++) {
        tree_file(t, file, rows[i].text);
        for (unsigned partition = 0; partition < 2; partition++)
            CHECK_INT(device_is_host_managed(t->folder, makedev(259, partition)),
                      rows[i].host_managed);
    }
    CHECK(!device_is_host_managed(t->folder, makedev(99, 99)));
}

int main(void)
{
    struct tree t;
    tree_begin(&t);
    make_machine(&t);
    places(&t);
    polling(&t);
    zones(&t);
    block_devices(&t);
    tree_end(&t);
    by_number();
    return check_result();
}
