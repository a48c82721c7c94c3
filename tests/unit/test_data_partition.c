/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the data partition on machines of the test's own: folders as in sysfs, and files that
   begin like filesystems in place of the devices. */
#include "check.h"

#include <stdint.h>

#include "appliance/stick/data_partition.h"
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

/* Makes a boot sector with the fields of Microsoft's FAT specification 1.03, sections 3.1 to 3.3.
 */
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
        tree_filef(t, path, "%c\n", name[strlen(name) - 1]);
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

/* Begins with code that resembles FAT; if it were taken for FAT, it would be a data partition. */
static void add_table(const struct tree *t, const char *name, uint32_t signature)
{
    unsigned char sector[512] = {0xeb, 0x63, 0x90};
    sector[510] = 0x55;
    sector[511] = 0xaa;
    put_32(sector + 67, DATA_PARTITION_ID);
    put_32(sector + 440, signature);
    add_content(t, name, sector, sizeof sector);
}

/* A server's disk: an EFI partition and Linux partitions. */
static void add_server_disk(const struct tree *t)
{
    add_device(t, ATA, "sda", "sda", "1000215216");
    add_table(t, "sda", 0x12345678);
    add_device(t, ATA, "sda", "sda1", "1048576");
    add_fat(t, "sda1", FAT32, 0x12345678);
}

static void add_stick(const struct tree *t, const char *bus, const char *disk, enum kind kind)
{
    char name[32];
    add_device(t, bus, disk, disk, "131072");
    add_table(t, disk, DATA_PARTITION_ID);
    snprintf(name, sizeof name, "%s1", disk);
    add_device(t, bus, disk, name, "65536");
    add_fat(t, name, kind, DATA_PARTITION_ID);
    snprintf(name, sizeof name, "%s2", disk);
    add_device(t, bus, disk, name, "65536");
    add_fat(t, name, FAT16, DATA_PARTITION_ID);
}

static bool find(const struct tree *t, struct data_partition *p)
{
    char sys[TREE_PATH], dev[TREE_PATH];
    return data_partition_find(p, tree_path(t, sys, "/sys"), tree_path(t, dev, "/dev"));
}

static void look(const struct tree *t, struct data_partition *p)
{
    char sys[TREE_PATH], dev[TREE_PATH];
    data_partition_look(p, tree_path(t, sys, "/sys"), tree_path(t, dev, "/dev"));
}

static void check_found(const struct tree *t, struct data_partition *p, const char *device,
                        const char *disk)
{
    char dev[TREE_PATH];
    CHECK(find(t, p));
    CHECK(p->found && !p->mounted && !p->writable);
    CHECK_STR(p->device, tree_path(t, dev, device));
    CHECK_STR(p->disk, disk);
    CHECK_STR(p->folder, "/data");
    CHECK_STR(p->note, "");
    CHECK(!data_partition_has_gone(p));
}

static void check_not_found(const struct tree *t, struct data_partition *p)
{
    CHECK(!find(t, p));
    CHECK(!p->found && !data_partition_has_gone(p));
    CHECK_STR(p->device, "");
    CHECK_STR(p->disk, "");
}

/* ---- */

static void test_machine(void)
{
    struct tree t;
    struct data_partition p = {.any = true};
    tree_begin(&t);
    check_not_found(&t, &p);
    add_server_disk(&t);
    check_not_found(&t, &p);

    /* The stick appears late. */
    add_stick(&t, USB, "sdb", FAT32);
    check_found(&t, &p, "/dev/sdb1", "sdb");
    CHECK(data_partition_is_on(&p, "sdb") && !data_partition_is_on(&p, "sda"));

    /* Known devices are not read again. */
    add_fat(&t, "sdb1", FAT32, 1);
    check_found(&t, &p, "/dev/sdb1", "sdb");

    /* The stick is pulled, and another one is inserted. */
    tree_remove(&t, "/sys/class/block/sdb1");
    look(&t, &p);
    CHECK(data_partition_has_gone(&p));
    check_not_found(&t, &p);
    tree_remove(&t, "/sys/class/block/sdb");
    tree_remove(&t, "/sys/class/block/sdb2");
    add_stick(&t, USB, "sdb", FAT16);
    tree_file(&t, "/sys/" USB "/sdb/diskseq", "7\n");
    check_found(&t, &p, "/dev/sdb1", "sdb");
    tree_file(&t, "/sys/" USB "/sdb/diskseq", "8\n");
    add_fat(&t, "sdb1", FAT16, 1);
    look(&t, &p);
    CHECK(data_partition_has_gone(&p));
    check_not_found(&t, &p);
    tree_end(&t);
}

#define NVME "devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0"

/* A copy of the stick on an internal disk: it counts only if it is named, and after all USB disks.
 */
static void test_others(void)
{
    struct tree t;
    struct data_partition p = {.any = true};
    const char *names[DATA_DISKS + 1];
    tree_begin(&t);
    add_device(&t, NVME, "nvme0n1", "nvme0n1", "97696368");
    add_table(&t, "nvme0n1", DATA_PARTITION_ID);
    add_device(&t, NVME, "nvme0n1", "nvme0n1p1", "97690000");
    add_fat(&t, "nvme0n1p1", FAT16, DATA_PARTITION_ID);
    check_not_found(&t, &p);
    p.others = "nvme0";
    check_not_found(&t, &p);
    p.others = "nvme0n1";
    check_found(&t, &p, "/dev/nvme0n1p1", "nvme0n1");
    p = (struct data_partition){.others = "any", .any = true};
    check_found(&t, &p, "/dev/nvme0n1p1", "nvme0n1");
    add_stick(&t, USB, "sdb", FAT32);
    check_found(&t, &p, "/dev/sdb1", "sdb");
    CHECK_INT(data_partition_disks(&p, names), 2);
    CHECK_STR(names[0], "sdb");
    CHECK_STR(names[1], "nvme0n1");
    CHECK(!names[2]);
    tree_end(&t);
}

static void test_several(void)
{
    struct tree t;
    struct data_partition p = {.any = true};
    char device[TREE_PATH];
    tree_begin(&t);
    add_stick(&t, USB, "sdb", FAT32);
    add_stick(&t, USB "/../other", "sdaa", FAT32);
    CHECK(find(&t, &p));
    CHECK_STR(p.device, tree_path(&t, device, "/dev/sdaa1"));
    CHECK_STR(p.note,
              "sdb1 is a data partition too and is not used: only one stick should be plugged");
    CHECK(data_partition_is_on(&p, "sdb") && data_partition_is_on(&p, "sdaa"));
    tree_end(&t);
}

static void test_not_taken(void)
{
    struct tree t;
    unsigned char sector[512];
    static const struct {
        size_t offset;
        unsigned char value;
    } damages[] = {{0, 0x33}, {11, 1}, {13, 3}, {16, 0}, {22, 9},
                   {66, 0},   {67, 0}, {70, 0}, {511, 0}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct data_partition p = {.any = true};
        tree_begin(&t);
        add_stick(&t, USB, "sdb", FAT32);
        fat_sector(sector, FAT32, DATA_PARTITION_ID);
        sector[damages[i].offset] = damages[i].value;
        add_content(&t, "sdb1", sector, sizeof sector);
        check_not_found(&t, &p);
        tree_end(&t);
    }

    struct data_partition p = {.any = true};
    tree_begin(&t);
    fat_sector(sector, FAT32, DATA_PARTITION_ID);
    add_stick(&t, USB, "sdb", FAT32); /* another signature */
    add_table(&t, "sdb", DATA_PARTITION_ID ^ 1);
    add_stick(&t, USB, "sdc", FAT32); /* not the first partition */
    tree_remove(&t, "/sys/class/block/sdc1");
    add_device(&t, USB, "sdd", "sdd", "65536"); /* no partitions */
    add_fat(&t, "sdd", FAT16, DATA_PARTITION_ID);
    add_stick(&t, USB, "sde", FAT32); /* a card reader without a card */
    tree_file(&t, "/sys/" USB "/sde/sde1/size", "0\n");
    tree_link(&t, "/sys/class/block/sdf1", "../../devices/gone/sdf/sdf1");
    add_content(&t, "sdf1", sector, sizeof sector);
    add_stick(&t, USB, "sdg", FAT32); /* shorter than a sector, for the moment */
    add_content(&t, "sdg1", sector, 511);
    check_not_found(&t, &p);
    add_content(&t, "sdg1", sector, 512);
    check_found(&t, &p, "/dev/sdg1", "sdg");
    tree_end(&t);
}

/* Boot sectors written by mkfs.fat. */
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
        struct data_partition p = {.any = true};
        add_stick(&t, USB, "sdb", FAT32);
        tree_remove(&t, "/dev/sdb1");
        snprintf(command, sizeof command, "mkfs.fat -F %d -s 1 -i %X -C %s %d >/dev/null 2>&1",
                 bits, DATA_PARTITION_ID, tree_path(&t, path, "/dev/sdb1"),
                 bits == 12 ? 1440 : bits * 1100);
        CHECK_INT(system(command), 0);
        check_found(&t, &p, "/dev/sdb1", "sdb");
        tree_end(&t);
    }
}

/* Writes the identifier of an image into the sector that FAT32 leaves unused. */
static void add_image(const struct tree *t, const char *name, const char *words)
{
    unsigned char content[512 * (DATA_IMAGE_SECTOR + 1)] = {0};
    fat_sector(content, FAT32, DATA_PARTITION_ID);
    memcpy(content + (size_t)512 * DATA_IMAGE_SECTOR, words, strlen(words));
    add_content(t, name, content, sizeof content);
}

static void check_image(const char *words, const char *own, const char *read)
{
    struct tree t;
    struct data_partition p = {.image = own};
    tree_begin(&t);
    add_stick(&t, USB, "sdb", FAT32);
    add_image(&t, "sdb1", words);
    if (!strcmp(own, read) && *own) {
        check_found(&t, &p, "/dev/sdb1", "sdb");
        CHECK_STR(p.foreign, "");
    } else {
        check_not_found(&t, &p);
        CHECK_STR(p.foreign, "sdb1");
        CHECK_STR(p.foreign_image, read);
        CHECK(data_partition_is_on(&p, "sdb")); /* the stick is not a disk to be measured */
        p.any = true;
        check_found(&t, &p, "/dev/sdb1", "sdb");
    }
    CHECK_INT(p.disk_count, 1);
    CHECK_STR(p.disks[0].image, read);
    tree_end(&t);
}

/* Only a stick of the image from which the machine was started is used. */
static void test_images(void)
{
    check_image("cupel image abc-1\n", "abc-1", "abc-1");
    check_image("cupel image abc-2\n", "abc-1", "abc-2");
    check_image("cupel image abc-1\n", "", "abc-1");
    check_image("", "", "");
    check_image("", "abc-1", "");
    check_image("cupel image abc-1", "abc-1", "");
    check_image("cupel image \n", "", "");
    check_image("cupel image abc-1 \n", "abc-1", "");
    check_image("cupel image 01234567890123456789012345678901\n", "abc-1",
                "01234567890123456789012345678901");
    check_image("cupel image 012345678901234567890123456789012\n", "abc-1", "");

    /* A stick of another image beside one of this image, and two of this image. */
    struct tree t;
    struct data_partition p = {.image = "own"};
    tree_begin(&t);
    add_stick(&t, USB, "sdb", FAT32);
    add_image(&t, "sdb1", "cupel image other\n");
    add_stick(&t, USB "/../second", "sdc", FAT32);
    add_image(&t, "sdc1", "cupel image own\n");
    check_found(&t, &p, "/dev/sdc1", "sdc");
    CHECK_STR(p.foreign, "sdb1");
    CHECK(!p.several);
    add_stick(&t, USB "/../third", "sdd", FAT32);
    add_image(&t, "sdd1", "cupel image own\n");
    CHECK(find(&t, &p));
    CHECK(p.several);
    CHECK_STR(p.disk, "sdc");
    tree_end(&t);
}

/* The partition table alone shows that a disk has an image, whatever its partitions contain now. */
static void test_image_disk(void)
{
    struct tree t;
    char dev[TREE_PATH];
    tree_begin(&t);
    add_server_disk(&t);
    add_stick(&t, USB, "sdb", FAT32);
    add_fat(&t, "sdb1", FAT32, 1);
    CHECK(data_disk_is_image(tree_path(&t, dev, "/dev"), "sdb"));
    CHECK(!data_disk_is_image(tree_path(&t, dev, "/dev"), "sda"));
    CHECK(data_disk_is_image(tree_path(&t, dev, "/dev"), "gone")); /* nobody knows */
    tree_end(&t);
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
    test_others();
    test_several();
    test_not_taken();
    test_images();
    test_image_disk();
    test_mkfs();
    test_without_mount();
    return check_result();
}
