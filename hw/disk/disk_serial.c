/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial numbers of disks, read from sysfs, and one held against the device that it is said of. */
#include "hw/disk/disk_serial.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/endian.h"
#include "base/span.h"
#include "hw/disk/internal.h"

/* ---- reading one ---- */

/* Four bytes of header with the length last, then the text. */
static enum fact_status read_page(const struct sysroot *root, const char *path,
                                  char to[DISK_SERIAL])
{
    unsigned char page[4 + 252];
    size_t got;
    enum fact_status status = sysroot_bytes(root, path, page, sizeof page, &got);
    if (status != FACT_OK)
        return status;
    if (got < 4 || page[1] != 0x80)
        return FACT_INVALID;
    size_t length = load_be16(page + 2);
    if (length > got - 4)
        return FACT_INVALID;
    span_printable(to, DISK_SERIAL, span_trimmed((struct span){(const char *)page + 4, length}));
    return FACT_OK;
}

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
    if (status == FACT_ABSENT)
        status = read_page(root, sysroot_join(file, 1024, folder, "device/vpd_pg80"), to);
    return status;
}

/* ---- holding one against a device ---- */

bool disk_is_boot_area(const char *name)
{
    return !strncmp(name, "mmcblk", 6) && (strstr(name, "boot") || strstr(name, "rpmb"));
}

/* A disk of its own with that serial number. */
static bool has_serial(const struct sysroot *root, const char *name, const char *serial)
{
    char folder[BLOCK_FILE], file[BLOCK_FILE], found[DISK_SERIAL];
    sysroot_join(folder, sizeof folder, BLOCK_CLASS, name);
    if (block_is_nvme_path(name) || disk_is_boot_area(name) ||
        sysroot_exists(root, sysroot_join(file, sizeof file, folder, "partition")))
        return false;
    return disk_serial_read(root, folder, found, file) == FACT_OK && !strcmp(found, serial);
}

/* Namespaces of one drive have one serial number in common, and so have two paths to a disk: it
   does not say which of them is meant. */
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
    for (size_t i = 0; !status && i < names.count; i++)
        if (strcmp(names.names[i], own) != 0 && has_serial(root, names.names[i], serial))
            status = err_set(e, ERR_UNSAFE,
                             "%s: %.60s is the serial number of %.60s and of %.60s: it does not "
                             "tell which of them may be destroyed",
                             path, serial, own, names.names[i]);
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
    /* The folder of the disk that the device is, or is a partition of. */
    char link[64];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device), minor(device));
    bool known = sysroot_folder(root, link, folder, BLOCK_FILE) == FACT_OK;
    if (known && sysroot_exists(root, sysroot_join(file, sizeof file, folder, "partition")))
        *strrchr(folder, '/') = '\0';
    if (!known || disk_serial_read(root, folder, found, file) != FACT_OK || !found[0])
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
