/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads serial numbers of disks from sysfs, and compares a serial number with a device's. */
#include "hw/disk/disk_serial.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/endian.h"
#include "base/span.h"
#include "hw/disk/internal.h"

/* ---- reading a serial number ---- */

enum fact_status disk_serial_read(const struct sysroot *root, const char *folder,
                                  char to[DISK_SERIAL], char file[1024])
{
    static const char *const files[] = {"serial", "device/serial"};
    char line[DISK_SERIAL];
    enum fact_status status = FACT_ABSENT;
    to[0] = '\0';
    for (size_t i = 0; status == FACT_ABSENT && i < sizeof files / sizeof *files; i++) {
        status = sysroot_line(root, sysroot_join(file, 1024, folder, files[i]), line, sizeof line);
        if (status == FACT_OK)
            span_copy(to, span_trimmed(span_of(line)));
    }
    if (status != FACT_ABSENT)
        return status;
    /* The SCSI page is a header of four bytes, of which the last is the length, then the text. */
    unsigned char page[4 + 252];
    size_t got;
    sysroot_join(file, 1024, folder, "device/vpd_pg80");
    status = sysroot_bytes(root, file, page, sizeof page, &got);
    if (status != FACT_OK)
        return status;
    if (got < 4 || page[1] != 0x80 || load_be16(page + 2) > got - 4)
        return FACT_INVALID;
    span_printable(
        to, DISK_SERIAL,
        span_trimmed((struct span){(const char *)page + 4, (size_t)load_be16(page + 2)}));
    return FACT_OK;
}

enum fact_status disk_usb_serial_read(const struct sysroot *root, const char *folder,
                                      char to[DISK_SERIAL], char file[1024])
{
    char device[BLOCK_FILE], line[DISK_SERIAL];
    to[0] = '\0';
    snprintf(device, sizeof device, "%s", folder);
    /* In ".../usb2/2-1/2-1:1.0/host2/...", the interface is the folder with a colon, and the USB
       device is the folder above it. */
    char *host = strstr(device, "/usb") ? strstr(device, "/host") : NULL;
    if (host)
        *host = '\0';
    char *interface = host ? strrchr(device, '/') : NULL;
    if (!interface || !strchr(interface, ':'))
        return FACT_ABSENT;
    *interface = '\0';
    enum fact_status status =
        sysroot_line(root, sysroot_join(file, 1024, device, "serial"), line, sizeof line);
    if (status == FACT_OK)
        span_copy(to, span_trimmed(span_of(line)));
    return status;
}

/* ---- comparing a serial number with those of devices ---- */

bool disk_is_boot_area(const char *name)
{
    return !strncmp(name, "mmcblk", 6) && (strstr(name, "boot") || strstr(name, "rpmb"));
}

/* Checks that no other disk has the same serial number. Namespaces of one drive share it, and so do
   two paths to a disk: the number does not distinguish them. */
static int check_only(const struct sysroot *root, const char *disk, const char *serial,
                      const char *path, struct err *e)
{
    struct sysroot_names names;
    const char *own = strrchr(disk, '/') + 1;
    int status = sysroot_list(root, BLOCK_CLASS, &names) == FACT_OK
                     ? 0
                     : err_set(e, ERR_UNSAFE,
                               "%s: " BLOCK_CLASS " cannot be read, so it cannot be shown that no "
                               "other disk has its serial number",
                               path);
    for (size_t i = 0; !status && i < names.count; i++) {
        const char *name = names.names[i];
        char folder[BLOCK_FILE], file[BLOCK_FILE], found[DISK_SERIAL];
        sysroot_join(folder, sizeof folder, BLOCK_CLASS, name);
        if (!strcmp(name, own) || nvme_is_path(name) || disk_is_boot_area(name) ||
            sysroot_exists(root, sysroot_join(file, sizeof file, folder, "partition")))
            continue;
        if (disk_serial_read(root, folder, found, file) == FACT_OK && !strcmp(found, serial))
            status = err_set(e, ERR_UNSAFE,
                             "%s: %.60s is the serial number of %.60s and of %.60s: it does not "
                             "tell which of them may be destroyed",
                             path, serial, own, name);
    }
    sysroot_names_free(&names);
    return status;
}

int disk_serial_check(const struct sysroot *root, dev_t device, const char *serial,
                      const char *path, struct err *e)
{
    char folder[BLOCK_FILE], file[BLOCK_FILE], found[DISK_SERIAL], asked[DISK_SERIAL] = "";
    struct span wanted = span_trimmed(span_of(serial));
    if (wanted.length < sizeof asked)
        span_copy(asked, wanted);
    /* Finds the folder of the device's disk; for a partition, of the disk that it is on. */
    char link[64];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device), minor(device));
    bool known = sysroot_folder(root, link, folder, BLOCK_FILE) == FACT_OK;
    if (known && sysroot_exists(root, sysroot_join(file, sizeof file, folder, "partition")))
        *strrchr(folder, '/') = '\0';
    bool shown = known && disk_serial_read(root, folder, found, file) == FACT_OK && found[0];
    if (!shown && known && disk_usb_serial_read(root, folder, found, file) == FACT_OK && found[0])
        return err_set(e, ERR_UNSAFE,
                       "%s: it shows no serial number of its own, and %.60s is that of its USB "
                       "device, in which another disk may be by now; nothing was written",
                       path, found);
    if (!shown)
        return err_set(e, ERR_UNSAFE,
                       "%s: its serial number cannot be read, so it cannot be shown that it is the "
                       "disk %.60s; nothing was written",
                       path, serial);
    if (!asked[0] || strcmp(found, asked) != 0)
        return err_set(e, ERR_UNSAFE,
                       "%s: its serial number is %.60s, not %.60s; nothing was written", path,
                       found, serial);
    return check_only(root, folder, asked, path, e);
}
