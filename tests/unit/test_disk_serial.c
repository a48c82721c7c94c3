/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial numbers of disks as the kernel reports them, and comparison of one with a device given by
   its number. */
#include "block_machine.h"

#include <sys/sysmacros.h>

#include "hw/disk/disk_serial.h"

#define NVME  MACHINE_PCI "/nvme/nvme0"
#define OTHER MACHINE_PCI "/nvme/nvme1"
#define SCSI  MACHINE_PCI "/ata1/host0/target0:0:0/0:0:0:0"

static struct machine m;

/* Adds a disk below a folder to which its link `device` leads. */
static void add_disk(const char *device, const char *name, unsigned number)
{
    char folder[TREE_PATH], link[TREE_PATH];
    machine_device(&m, device, name, 259, number);
    machine_path(folder, "%s/%s", device, name);
    machine_path(link, "%s/device", folder);
    tree_link(&m.tree, link, "..");
}

static void put_page(const char *folder, const char *page, size_t bytes)
{
    char path[TREE_PATH], on_disk[TREE_PATH];
    machine_path(path, "%s/vpd_pg80", folder);
    tree_file(&m.tree, path, "");
    FILE *f = fopen(tree_path(&m.tree, on_disk, path), "we");
    CHECK(f != NULL);
    if (!f)
        return;
    CHECK_INT(fwrite(page, 1, bytes, f), (long long)bytes);
    fclose(f);
}

static void is_disk(unsigned number, const char *serial)
{
    struct err e = {0};
    if (disk_serial_check(&m.tree.root, makedev(259, number), serial, "/dev/x", &e))
        CHECK_STR(e.msg, "");
}

static void is_not(unsigned number, const char *serial, const char *words)
{
    struct err e = {0};
    CHECK_INT(disk_serial_check(&m.tree.root, makedev(259, number), serial, "/dev/x", &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void buses(void)
{
    machine_begin(&m);
    add_disk(NVME, "nvme0n1", 0);
    machine_put(&m, NVME, "serial", "S64HNE0T            \n");
    is_disk(0, "S64HNE0T");
    is_disk(0, "  S64HNE0T ");
    machine_partition(&m, NVME "/nvme0n1", "nvme0n1p1", 1);
    is_disk(1, "S64HNE0T"); /* a partition has the serial number of its disk */

    machine_device(&m, MACHINE_PCI "/virtio0/block", "vda", 259, 8);
    machine_put(&m, MACHINE_PCI "/virtio0/block/vda", "serial", "VIRT-1\n");
    is_disk(8, "VIRT-1");

    add_disk(SCSI, "sda", 16); /* SATA and SCSI */
    put_page(SCSI, "\0\200\0\014    ZL2ABCDE", 16);
    is_disk(16, "ZL2ABCDE");

    is_not(0, "S64HNE0", "its serial number is S64HNE0T, not S64HNE0;");
    is_not(0, "s64hne0t", "not s64hne0t");
    is_not(0, "S64HNE0T1", "not S64HNE0T1");
    is_not(0, "VIRT-1", "its serial number is S64HNE0T, not VIRT-1; nothing was written");
    is_not(1, "VIRT-1", "its serial number is S64HNE0T");
    is_not(0, "", "its serial number is S64HNE0T");
    is_not(0, " ", "its serial number is S64HNE0T");
    machine_end(&m);
}

/* A device without a serial number never matches, least of all an empty one. */
static void unknown(void)
{
    machine_begin(&m);
    machine_device(&m, MACHINE_VIRTUAL, "loop0", 259, 0);
    is_not(0, "S64HNE0T", "its serial number cannot be read");
    is_not(0, "", "its serial number cannot be read");
    is_not(99, "S64HNE0T", "its serial number cannot be read"); /* no longer there */
    machine_device(&m, MACHINE_PCI "/virtio0/block", "vda", 259, 8);
    machine_put(&m, MACHINE_PCI "/virtio0/block/vda", "serial", "\n");
    is_not(8, "", "its serial number cannot be read");
    add_disk(SCSI, "sda", 16);
    put_page(SCSI, "\0\200\0\014SHORT", 9);
    is_not(16, "SHORT", "its serial number cannot be read");
    machine_end(&m);
}

/* The serial number of a USB device is shown, but permits nothing. */
static void behind_usb(void)
{
    static const char disk[] = MACHINE_PCI "/usb2/2-1/2-1:1.0/host2/target2:0:0/2:0:0:0";
    char serial[DISK_SERIAL], file[1024], folder[TREE_PATH];
    machine_begin(&m);
    machine_path(folder, "%s/sdb", disk);
    add_disk(disk, "sdb", 16);
    CHECK_INT(disk_usb_serial_read(&m.tree.root, folder, serial, file), FACT_ABSENT);
    is_not(16, "STICK-7", "its serial number cannot be read");
    machine_put(&m, MACHINE_PCI "/usb2/2-1", "serial", " STICK-7\n");
    CHECK_INT(disk_usb_serial_read(&m.tree.root, folder, serial, file), FACT_OK);
    CHECK_STR(serial, "STICK-7");
    CHECK_STR(file, MACHINE_PCI "/usb2/2-1/serial");
    is_not(16, "STICK-7", "STICK-7 is that of its USB device");
    is_not(16, "OTHER", "it shows no serial number of its own");
    m.probe.serials = true;
    machine_look(&m);
    machine_value_is(&m, "sdb", "usb_serial", "STICK-7", "");
    machine_end(&m);

    machine_begin(&m); /* a disk that shows its own serial number, as with UAS */
    m.probe.serials = true;
    add_disk(disk, "sdb", 16);
    put_page(disk, "\0\200\0\003OWN", 7);
    machine_put(&m, MACHINE_PCI "/usb2/2-1", "serial", "DOCK\n");
    is_disk(16, "OWN");
    is_not(16, "DOCK", "its serial number is OWN, not DOCK");
    machine_look(&m);
    machine_value_is(&m, "sdb", "serial", "OWN", "");
    CHECK(!machine_tells(&m, "sdb", "usb_serial"));
    machine_end(&m);

    machine_begin(&m); /* not connected by USB */
    CHECK_INT(disk_usb_serial_read(&m.tree.root, SCSI "/sda", serial, file), FACT_ABSENT);
    machine_end(&m);
}

/* A serial number that two disks share identifies neither. Paths to one namespace, partitions and
   the boot areas of an eMMC are not disks of their own. */
static void several(void)
{
    machine_begin(&m);
    add_disk(NVME, "nvme0n1", 0);
    machine_put(&m, NVME, "serial", "TWIN\n");
    add_disk(NVME, "nvme0c0n1", 4);
    machine_partition(&m, NVME "/nvme0n1", "nvme0n1p1", 1);
    is_disk(0, "TWIN");
    add_disk(NVME, "nvme0n2", 2);
    is_not(0, "TWIN", "TWIN is the serial number of nvme0n1 and of nvme0n2");
    machine_end(&m);

    machine_begin(&m);
    add_disk(NVME, "mmcblk0", 0);
    add_disk(NVME, "mmcblk0boot0", 8);
    machine_put(&m, NVME, "serial", "0x1234\n");
    is_disk(0, "0x1234");
    add_disk(OTHER, "sdb", 16);
    machine_put(&m, OTHER, "serial", " 0x1234\n");
    is_not(0, "0x1234", "of mmcblk0 and of sdb");
    machine_end(&m);
}

int main(void)
{
    buses();
    unknown();
    behind_usb();
    several();
    return check_result();
}
