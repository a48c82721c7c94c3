/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the data partition, on machines of the test's own: folders as sysfs has them, and files
   that begin like filesystems in place of the devices. */
#include "check.h"

#include <stdint.h>

#include "init/data_partition.h"
#include "tables/boot_image.h"
#include "tree.h"

enum kind { FAT32, FAT16 };

static void put_16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
}

static void put_32(unsigned char *at, uint32_t value)
{
    put_16(at, value & 0xffff);
    put_16(at + 2, value >> 16);
}

/* A boot sector with the fields of Microsoft's FAT specification 1.03, sections 3.1 to 3.3. */
static void fat_sector(unsigned char sector[512], enum kind kind, uint32_t identifier)
{
    memset(sector, 0, 512);
    memcpy(sector, "\xeb\x58\x90mkfs.fat", 11);
    put_16(sector + 11, 512);                    /* bytes per sector */
    sector[13] = kind == FAT32 ? 1 : 4;          /* sectors per cluster */
    put_16(sector + 14, kind == FAT32 ? 32 : 4); /* reserved sectors */
    sector[16] = 2;                              /* tables */
    sector[21] = 0xf8;                           /* medium */
    unsigned char *extended = sector + 36;
    if (kind == FAT32) {
        put_32(sector + 32, 100000); /* sectors in all */
        put_32(sector + 36, 770);    /* sectors per table */
        put_32(sector + 44, 2);      /* the root folder's cluster */
        extended = sector + 64;
    } else {
        put_16(sector + 17, 512); /* entries of the root folder */
        put_16(sector + 19, 40960);
        put_16(sector + 22, 40); /* sectors per table */
    }
    extended[0] = 0x80;
    extended[2] = 0x29;
    put_32(extended + 3, identifier);
    memcpy(extended + 7, "CUPEL      ", 11);
    memcpy(extended + 18, kind == FAT32 ? "FAT32   " : "FAT16   ", 8);
    sector[510] = 0x55;
    sector[511] = 0xaa;
}

/* ---- machines ---- */

#define USB "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block"
#define ATA "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block"

static void add_device(const struct tree *t, const char *bus, const char *disk, const char *name,
                       const char *sectors)
{
    char path[512], target[512];
    bool partition = strcmp(disk, name) != 0;
    const char *slash = partition ? "/" : "", *last = partition ? name : "";
    snprintf(path, sizeof path, "/sys/%s/%s%s%s/size", bus, disk, slash, last);
    tree_filef(t, path, "%s\n", sectors);
    if (partition) {
        snprintf(path, sizeof path, "/sys/%s/%s/%s/partition", bus, disk, name);
        tree_file(t, path, "1\n");
    }
    snprintf(path, sizeof path, "/sys/class/block/%s", name);
    snprintf(target, sizeof target, "../../%s/%s%s%s", bus, disk, slash, last);
    tree_link(t, path, target);
}

static void add_content(const struct tree *t, const char *name, const unsigned char *sector,
                        size_t length)
{
    char path[128];
    snprintf(path, sizeof path, "/dev/%s", name);
    tree_bytes(t, path, sector, length);
}

static void add_fat(const struct tree *t, const char *name, enum kind kind, uint32_t identifier)
{
    unsigned char sector[512];
    fat_sector(sector, kind, identifier);
    add_content(t, name, sector, sizeof sector);
}

/* A server's disk: a partition table whose code looks a little like FAT, an EFI partition, Linux.
 */
static void add_server_disk(const struct tree *t)
{
    unsigned char sector[512] = {0xeb, 0x63, 0x90};
    sector[510] = 0x55;
    sector[511] = 0xaa;
    put_32(sector + 67, DATA_PARTITION_ID);
    put_32(sector + 39, DATA_PARTITION_ID);
    add_device(t, ATA, "sda", "sda", "1000215216");
    add_content(t, "sda", sector, sizeof sector);
    add_device(t, ATA, "sda", "sda1", "1048576");
    add_fat(t, "sda1", FAT32, 0x12345678);
    add_device(t, ATA, "sda", "sda2", "999164928");
    memset(sector, 0, sizeof sector);
    add_content(t, "sda2", sector, sizeof sector);
}

static void add_stick(const struct tree *t, const char *bus, const char *disk, enum kind kind)
{
    unsigned char sector[512] = {0};
    char name[32];
    add_device(t, bus, disk, disk, "131072");
    add_content(t, disk, sector, sizeof sector);
    snprintf(name, sizeof name, "%s1", disk);
    add_device(t, bus, disk, name, "65536");
    add_fat(t, name, kind, DATA_PARTITION_ID);
    snprintf(name, sizeof name, "%s2", disk);
    add_device(t, bus, disk, name, "65536");
    add_fat(t, name, FAT16, DATA_PARTITION_ID ^ 1);
}

static bool find(const struct tree *t, struct data_partition *p)
{
    char sys[TREE_PATH], dev[TREE_PATH];
    /* What an earlier look left must not remain. */
    memset(p, 0x7f, sizeof *p);
    return data_partition_find(p, tree_path(t, sys, "/sys"), tree_path(t, dev, "/dev"));
}

static void check_found(const struct tree *t, const char *device, const char *disk)
{
    struct data_partition p;
    char dev[TREE_PATH];
    CHECK(find(t, &p));
    CHECK(p.found && !p.mounted && !p.writable);
    CHECK_STR(p.device, tree_path(t, dev, device));
    CHECK_STR(p.disk, disk);
    CHECK_STR(p.folder, "/data");
    CHECK_STR(p.note, "");
}

/* ---- */

static void test_machine(void)
{
    struct tree t;
    struct data_partition p;
    tree_begin(&t);
    CHECK(!find(&t, &p));
    add_server_disk(&t);
    CHECK(!find(&t, &p));
    CHECK(!p.found);
    CHECK_STR(p.device, "");
    CHECK_STR(p.disk, "");

    /* The stick comes late. */
    add_stick(&t, USB, "sdb", FAT32);
    check_found(&t, "/dev/sdb1", "sdb");

    /* A copy on a disk inside is not meant, and not even looked at. */
    add_fat(&t, "sda1", FAT32, DATA_PARTITION_ID);
    check_found(&t, "/dev/sdb1", "sdb");

    /* Pulled: its device has gone before its folder. */
    tree_remove(&t, "/dev/sdb1");
    check_found(&t, "/dev/sda1", "sda");
    tree_end(&t);
}

static void test_names(void)
{
    struct tree t;
    tree_begin(&t);
    add_device(&t, "devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0", "nvme0n1", "nvme0n1",
               "97696368");
    add_device(&t, "devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0", "nvme0n1",
               "nvme0n1p1", "97690000");
    add_fat(&t, "nvme0n1p1", FAT16, DATA_PARTITION_ID);
    check_found(&t, "/dev/nvme0n1p1", "nvme0n1");
    tree_end(&t);

    /* No partition table: the whole disk is FAT. */
    tree_begin(&t);
    add_server_disk(&t);
    add_device(&t, USB, "sdb", "sdb", "65536");
    add_fat(&t, "sdb", FAT16, DATA_PARTITION_ID);
    check_found(&t, "/dev/sdb", "sdb");
    tree_end(&t);
}

static void test_several(void)
{
    struct tree t;
    struct data_partition p;
    char device[TREE_PATH];
    tree_begin(&t);
    add_stick(&t, USB, "sdb", FAT32);
    add_stick(&t, USB "/../other", "sdaa", FAT32);
    CHECK(find(&t, &p));
    CHECK_STR(p.device, tree_path(&t, device, "/dev/sdaa1"));
    CHECK_STR(p.note,
              "sdb1 is a data partition too and is not used: only one stick should be plugged");
    tree_end(&t);
}

static void test_not_taken(void)
{
    struct tree t;
    struct data_partition p;
    unsigned char sector[512];
    static const struct {
        size_t offset;
        unsigned char value;
    } damages[] = {{0, 0x33}, {11, 1}, {13, 3}, {16, 0}, {22, 9},
                   {66, 0},   {67, 0}, {70, 0}, {511, 0}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        tree_begin(&t);
        add_device(&t, USB, "sdb", "sdb1", "65536");
        fat_sector(sector, FAT32, DATA_PARTITION_ID);
        sector[damages[i].offset] = damages[i].value;
        add_content(&t, "sdb1", sector, sizeof sector);
        CHECK(!find(&t, &p));
        tree_end(&t);
    }
    tree_begin(&t);
    fat_sector(sector, FAT32, DATA_PARTITION_ID);
    /* Shorter than a sector; a card reader without a card; a node that is missing; not sysfs. */
    add_device(&t, USB, "sdb", "sdb1", "65536");
    add_content(&t, "sdb1", sector, 511);
    add_device(&t, USB, "sdc", "sdc", "0");
    add_content(&t, "sdc", sector, sizeof sector);
    add_device(&t, USB, "sdd", "sdd", "65536");
    tree_link(&t, "/sys/class/block/sde", "../../devices/gone/sde");
    add_content(&t, "sde", sector, sizeof sector);
    CHECK(!find(&t, &p));
    tree_end(&t);
}

/* Boot sectors that mkfs.fat itself wrote. */
static void test_mkfs(void)
{
    struct tree t;
    char command[TREE_PATH + 128], path[TREE_PATH];
    if (system("command -v mkfs.fat >/dev/null") != 0) {
        check_part_skipped("no mkfs.fat here");
        return;
    }
    for (int bits = 12; bits <= 32; bits += bits == 12 ? 4 : 16) {
        tree_begin(&t);
        add_device(&t, USB, "sdb", "sdb1", "131072");
        tree_folder(&t, "/dev");
        snprintf(command, sizeof command, "mkfs.fat -F %d -s 1 -i %X -C %s %d >/dev/null 2>&1",
                 bits, DATA_PARTITION_ID, tree_path(&t, path, "/dev/sdb1"),
                 bits == 12 ? 1440 : bits * 1100);
        CHECK_INT(system(command), 0);
        check_found(&t, "/dev/sdb1", "sdb");
        tree_end(&t);
    }
}

static void test_without_mount(void)
{
    struct data_partition p = {0};
    struct err e = {0};
    CHECK_INT(data_partition_mount(&p, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, "no data partition was found: is the stick plugged in?");
    CHECK_INT(data_partition_writable(&p, true, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    data_partition_unmount(&p);
    CHECK(!p.mounted);
    /* The folder cannot be made. */
    p = (struct data_partition){.found = true, .device = "/dev/null", .folder = "/proc/1/x/y"};
    CHECK_INT(data_partition_mount(&p, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK(strstr(e.msg, "cannot make the folder /proc/1/x/y: ") == e.msg);
    CHECK(!p.mounted);
}

int main(void)
{
    test_machine();
    test_names();
    test_several();
    test_not_taken();
    test_mkfs();
    test_without_mount();
    return check_result();
}
