/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of what is private in /sys and /proc, and what is done about it, each for its reason.
 */
#include "hw/capture/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/glob.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* The first row whose patterns (base/glob.h) fit the folder and the name of a file counts. */
struct private_row {
    const char *folder, *name;
    change_function *change; /* NULL: the file is left out */
    const char *reason;
};

static const struct private_row rows[] = {
    {"*", "*serial*", NULL, "serial numbers of disks, boards, USB devices, batteries"},
    {"*", "*asset_tag*", NULL, "the owner's inventory number"},
    {"*", "*secret*", NULL, "keys of NVMe over Fabrics"},
    {"*", "*passw*", NULL, "iSCSI passwords"},
    {"*", "username*", NULL, "iSCSI users"},
    {"*", "tls_*", NULL, "keys of NVMe over Fabrics"},
    {"/sys/firmware/*/tables*", "*", NULL, "DMI and ACPI tables hold serial numbers and licences"},
    {"/proc/sys/kernel*", "hostname", NULL, "the host's name"},
    {"/proc/sys/kernel*", "domainname", NULL, "the host's domain"},
    {"*", "vpd_pg89", change_blank_identify_page,
     "identify data of a SATA drive, with its serial number"},
    {"*", "vpd*", NULL, "vital product data: serial numbers, WWNs"},
    {"*", "inquiry", NULL, "SCSI inquiry data, where vendors put serial numbers"},
    {"*ata_device*", "id", change_blank_identify_text,
     "identify data of a SATA drive, with its serial number"},
    {"*/enclosure/*", "id", change_mask_all, "WWN of an enclosure"},
    {"*/pci*", "config", change_blank_device_serial,
     "PCI capability 3 is the device's serial number"},
    {"/sys/firmware/devicetree/*", "*", change_mask_names, "strings that end with a zero byte"},
    {"*/usb*", "descriptors", change_nothing, "USB descriptors name strings by number only"},
    {"*/usb*", "bos_descriptors", NULL, "its container identifier is one of the device"},
    {"*/dm", "uuid", change_mask_mapper,
     "UUIDs of LVM and LUKS, WWNs of multipath; the kind is kept"},
    {"*/dm", "name", change_mask_names, "volume groups are often named after the host"},
    {"*", "*uuid*", change_mask_all, "UUIDs of machines, filesystems, arrays"},
    {"*", "*wwid*", change_mask_all, "world wide names of disks"},
    {"*", "*wwn*", change_mask_all, "world wide names of disks"},
    {"*", "*wwpn*", change_mask_all, "world wide names of ports"},
    {"*", "nguid", change_mask_all, "identifiers of NVMe namespaces"},
    {"*", "eui*", change_mask_all, "identifiers of NVMe namespaces"},
    {"*", "*nqn*", change_mask_all, "NVMe qualified names hold serial numbers or UUIDs"},
    {"*", "hostid", change_mask_all, "the host's NVMe identifier"},
    {"*", "unique_id*", change_mask_all, "identifiers of disks and boards"},
    {"*", "cid", change_mask_all, "identity of SD cards and eMMC, with the serial number"},
    {"*", "targetname", change_mask_all, "iSCSI names are made of host names"},
    {"*", "initiatorname", change_mask_all, "iSCSI names are made of host names"},
    {"*/nvme*", "address", change_mask_names, "over Fibre Channel it is made of WWNs"},
    {"*", "*symbolic_name", change_mask_names, "Fibre Channel hosts show their name"},
    {"*", "*tracer*", NULL, "serial numbers of SAS adapters"},
    {"*", "*sas_address*", change_mask_all, "SAS addresses are WWNs"},
    {"*", "enclosure_identifier", change_mask_all, "a WWN"},
    {"*", "node_name", change_mask_all, "Fibre Channel WWN"},
    {"*", "port_name", change_mask_all, "Fibre Channel WWN"},
    {"*", "fabric_name", change_mask_all, "Fibre Channel WWN"},
    {"*", "*_guid", change_mask_all, "InfiniBand identifiers"},
    {"*/gids", "*", change_mask_all, "InfiniBand addresses"},
    {"*/net/*", "phys_*_id", change_mask_all, "switch and port identifiers are MAC addresses"},
    {"*", "backing_file", change_mask_names, "paths hold names of hosts"},
    {"*", "uevent", change_drop_lines, "lines with identifiers of devices and partitions"},
    {"/proc", "cpuinfo", change_drop_lines, "ARM boards show their serial number"},
    {"/proc", "cmdline", change_mask_command_line,
     "UUIDs, addresses, names, users and passwords given at boot"},
    {"/proc", "version", change_mask_builder, "who built the kernel, and on which host"},
    {"/proc*", "mountinfo", change_mask_mounts, "UUIDs in names, servers' names"},
    {"/proc*", "mounts", NULL, "mountinfo says the same"},
};

static const struct private_row *row_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    if (!slash ||
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) >= (int)sizeof folder)
        return NULL;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (glob_matches(rows[i].folder, folder) && glob_matches(rows[i].name, slash + 1))
            return &rows[i];
    return NULL;
}

bool capture_private_contents(struct capture_mask *m, const char *path, struct span contents,
                              struct text *to)
{
    const struct private_row *row = row_of(path);
    if (row && !row->change)
        return false;
    if (row)
        row->change(m, contents, to);
    else if (span_is_text(contents))
        mask_text(m, contents, 0, to);
    else /* bytes of which no row says what they are */
        text_add(to, CAPTURE_UNREADABLE);
    return true;
}
