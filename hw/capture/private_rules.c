/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hides private data of /sys and /proc. A table gives each file the function that hides its
   data. */
#include "hw/capture/internal.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/endian.h"
#include "base/glob.h"
#include "base/machine/smbios.h"
#include "hw/capture/command_line.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* Hides private data in the contents of a file before they go into a capture: appends to `to` the
   part of `contents` that may be shown. Lengths stay the same, except where lines are left out. */
typedef void change_function(struct capture_mask *m, struct span contents, struct text *to);

/* ---- texts ---- */

/* Masks names that people gave, besides the identifiers of a known form that are masked in every
   text. */
static void change_mask_names(struct capture_mask *m, struct span contents, struct text *to)
{
    mask_text(m, contents, MASK_NAMES, to);
}

/* Masks the whole text as one identifier. It keeps "0x", and the part of a qualified name before
   its first colon, because they identify nothing. */
static void change_mask_all(struct capture_mask *m, struct span contents, struct text *to)
{
    const struct span trimmed = span_trimmed(contents);
    struct span s = trimmed;
    size_t kept = 0;
    if (s.length > 4 && (!memcmp(s.text, "nqn.", 4) || !memcmp(s.text, "iqn.", 4))) {
        const char *colon = memchr(s.text, ':', s.length);
        kept = colon ? (size_t)(colon - s.text) + 1 : 4;
    } else if (s.length > 2 && !memcmp(s.text, "0x", 2)) {
        kept = 2;
    }
    text_add_bytes(to, s.text, kept);
    mask_identifier(m, (struct span){s.text + kept, s.length - kept}, to);
    size_t end = (size_t)(s.text + s.length - contents.text);
    text_add_bytes(to, contents.text + end, contents.length - end);
}

/* Masks the numbers but keeps the words in "LVM-<64 digits>-pool", "CRYPT-LUKS2-<32 digits>-name",
   "mpath-<WWN>". */
static void change_mask_mapper(struct capture_mask *m, struct span contents, struct text *to)
{
    const size_t longest_word = 11;
    struct span rest = contents;
    bool wwn = false;
    while (rest.length) {
        size_t length = 0;
        while (length < rest.length && rest.text[length] != '-' && rest.text[length] != '\n')
            length++;
        struct span part = {rest.text, length};
        if (wwn || length > longest_word)
            mask_identifier(m, part, to);
        else
            mask_text(m, part, MASK_NAMES, to);
        wwn |= length == 5 && !memcmp(part.text, "mpath", 5);
        length += length < rest.length;
        text_add_bytes(to, rest.text + part.length, length - part.length);
        rest = (struct span){rest.text + length, rest.length - length};
    }
}

/* Calls `line` with each line, including its line end. */
static void each_line(struct capture_mask *m, struct span contents, struct text *to,
                      change_function *line)
{
    while (contents.length) {
        const char *end = memchr(contents.text, '\n', contents.length);
        size_t length = end ? (size_t)(end - contents.text) + 1 : contents.length;
        line(m, (struct span){contents.text, length}, to);
        contents = (struct span){contents.text + length, contents.length - length};
    }
}

static bool matches_any(struct span name, const char *const patterns[], size_t count)
{
    char lower[64];
    size_t length = name.length < sizeof lower - 1 ? name.length : sizeof lower - 1;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)name.text[i]);
    lower[length] = '\0';
    for (size_t i = 0; i < count; i++)
        if (glob_matches(patterns[i], lower))
            return true;
    return false;
}

/* Returns the part before the first of the characters `ends`, or the whole text. */
static struct span until(struct span s, const char *ends)
{
    size_t length = 0;
    while (length < s.length && !strchr(ends, s.text[length]))
        length++;
    return (struct span){s.text, length};
}

static void private_line(struct capture_mask *m, struct span line, struct text *to)
{
    static const char *const keys[] = {"*serial*", "*uniq*", "*uuid*", "*wwn*", "*hid_phys*"};
    struct span key = span_trimmed(until(line, ":="));
    if (!matches_any(key, keys, COUNT(keys)))
        mask_text(m, line, 0, to);
}

static void change_drop_lines(struct capture_mask *m, struct span contents, struct text *to)
{
    each_line(m, contents, to, private_line);
}

static void change_mask_command_line(struct capture_mask *m, struct span contents, struct text *to)
{
    command_line_hide(contents, m->host, to);
}

/* Masks the first parentheses that hold an '@', as in "Linux version 6.1.0 (builder@host) (gcc
   ...". */
static void change_mask_builder(struct capture_mask *m, struct span contents, struct text *to)
{
    const char *end = contents.text + contents.length;
    for (const char *open = contents.text; (open = memchr(open, '(', (size_t)(end - open)));
         open++) {
        const char *close = memchr(open, ')', (size_t)(end - open));
        if (!close || !memchr(open, '@', (size_t)(close - open)))
            continue;
        mask_text(m, (struct span){contents.text, (size_t)(open - contents.text) + 1}, MASK_NAMES,
                  to);
        text_add(to, COMMAND_LINE_HIDDEN);
        mask_text(m, (struct span){close, (size_t)(end - close)}, MASK_NAMES, to);
        return;
    }
    mask_text(m, contents, MASK_NAMES, to);
}

/* Masks the values of private options, and identifiers in all other words; words are separated by
   blanks and commas. */
static void mask_options(struct capture_mask *m, struct span text, struct text *to)
{
    static const char *const keys[] = {"*user*", "*domain*", "*passw*", "*secret*", "*cred*"};
    while (text.length) {
        struct span word = until(text, ", \n"), key = until(word, "=");
        if (key.length < word.length && matches_any(key, keys, COUNT(keys))) {
            /* Keeps the key and its '='. */
            size_t kept = key.length + 1;
            text_add_bytes(to, word.text, kept);
            mask_identifier(m, (struct span){word.text + kept, word.length - kept}, to);
        } else
            mask_text(m, word, MASK_NAMES, to);
        /* Copies the character that ends the word, and continues after it. */
        size_t end = word.length < text.length;
        text_add_bytes(to, text.text + word.length, end);
        text = (struct span){text.text + word.length + end, text.length - word.length - end};
    }
}

/* Returns the server in a line of mountinfo. The mount's source is the second word after " - "; for
   network filesystems it is "server:/export" or "//server/share". proc_pid_mountinfo(5) */
static struct span mount_server(struct span line)
{
    const struct span none = {line.text, 0};
    const char *dash = memmem(line.text, line.length, " - ", 3);
    if (!dash)
        return none;
    struct span rest = {dash + 3, (size_t)(line.text + line.length - dash) - 3};
    size_t type = until(rest, " ").length;
    struct span source =
        until(span_trimmed((struct span){rest.text + type, rest.length - type}), " ");
    bool share = source.length > 2 && !memcmp(source.text, "//", 2);
    if (share)
        return until((struct span){source.text + 2, source.length - 2}, "/");
    struct span server = until(source, ":");
    return server.length < source.length && *source.text != '/' ? server : none;
}

static void mask_mount(struct capture_mask *m, struct span line, struct text *to)
{
    struct span server = mount_server(line);
    const char *end = server.text + server.length;
    mask_options(m, (struct span){line.text, (size_t)(server.text - line.text)}, to);
    if (server.length)
        mask_identifier(m, server, to);
    mask_options(m, (struct span){end, (size_t)(line.text + line.length - end)}, to);
}

static void change_mask_mounts(struct capture_mask *m, struct span contents, struct text *to)
{
    each_line(m, contents, to, mask_mount);
}

/* ---- binary files ---- */

static void change_nothing(struct capture_mask *m, struct span contents, struct text *to)
{
    (void)m;
    text_add_bytes(to, contents.text, contents.length);
}

/* Clears the Device Serial Number in PCI configuration space, an extended capability: PCI Express
   Base Specification 5.0, 7.6.3. It has the identifier 3 and eight bytes after its header
   (7.9.3). */
static void change_blank_device_serial(struct capture_mask *m, struct span contents,
                                       struct text *to)
{
    const size_t first = 0x100, serial_bytes = 8;
    size_t begin = to->length, at = first;
    (void)m;
    text_add_bytes(to, contents.text, contents.length);
    if (to->failed)
        return;
    for (int i = 0; i < 1024 && at >= first && at + 4 + serial_bytes <= contents.length; i++) {
        unsigned char *p = (unsigned char *)to->data + begin + at;
        uint32_t header = load_le32(p);
        if ((header & 0xffff) == 3)
            memset(p + 4, 0, serial_bytes);
        at = header >> 20 & ~3u;
    }
}

/* Words of IDENTIFY DEVICE (ACS-4, 9.10): 10 to 19 the serial number, 108 to 111 the world wide
   name, 176 to 205 the medium's serial number. */
static bool is_private_word(size_t word)
{
    return (word >= 10 && word < 20) || (word >= 108 && word < 112) || (word >= 176 && word < 206);
}

/* Clears the private words in /sys/class/ata_device/X/id, which shows each word as four digits. */
static void change_blank_identify_text(struct capture_mask *m, struct span contents,
                                       struct text *to)
{
    size_t begin = to->length, digits = 0;
    (void)m;
    text_add_bytes(to, contents.text, contents.length);
    for (size_t i = begin; !to->failed && i < to->length; i++)
        if (isxdigit((unsigned char)to->data[i]) && is_private_word(digits++ / 4))
            to->data[i] = '0';
}

/* Clears the private words in the SCSI page "ATA Information" (SAT-4, 12.5.2), which has them from
   byte 60 on. */
static void change_blank_identify_page(struct capture_mask *m, struct span contents,
                                       struct text *to)
{
    const size_t words = 60;
    size_t begin = to->length;
    (void)m;
    text_add_bytes(to, contents.text, contents.length);
    for (size_t i = words; !to->failed && i < contents.length; i++)
        if (is_private_word((i - words) / 2))
            to->data[begin + i] = '\0';
}

/* Keeps the structures of memory modules in the SMBIOS table, without their serial numbers and
   asset tags. Leaves out all others, which hold serial numbers of the machine, of processors and of
   batteries. */
static void change_keep_modules(struct capture_mask *m, struct span contents, struct text *to)
{
    struct smbios_structure s;
    (void)m;
    while (smbios_next(&contents, &s) && !to->failed) {
        const size_t begin = to->length;
        if (s.type != SMBIOS_MEMORY_ARRAY && s.type != SMBIOS_MEMORY_DEVICE &&
            s.type != SMBIOS_MEMORY_DEVICE_ADDRESS && s.type != SMBIOS_END)
            continue;
        text_add_bytes(to, (const char *)s.fields, s.size);
        for (size_t at = SMBIOS_DEVICE_SERIAL;
             !to->failed && s.type == SMBIOS_MEMORY_DEVICE && at <= SMBIOS_DEVICE_ASSET; at++) {
            const struct span text = smbios_string(&s, at);
            if (text.length)
                memset(to->data + begin + (size_t)(text.text - (const char *)s.fields), 'X',
                       text.length);
        }
    }
}

/* ---- the table ---- */

/* The first row whose patterns (base/glob.h) match the folder and the name of a file applies. */
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
    {"/sys/firmware/dmi/tables", "DMI", change_keep_modules,
     "DMI tables hold serial numbers: memory modules are kept, without theirs"},
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

bool capture_private_contents(struct capture_mask *m, const char *path, struct span contents,
                              struct text *to)
{
    const struct private_row *row = NULL;
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    bool fits = slash && snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) <
                             (int)sizeof folder;
    for (size_t i = 0; fits && !row && i < COUNT(rows); i++)
        if (glob_matches(rows[i].folder, folder) && glob_matches(rows[i].name, slash + 1))
            row = &rows[i];
    if (row && !row->change)
        return false;
    if (row)
        row->change(m, contents, to);
    else if (span_is_text(contents))
        mask_text(m, contents, 0, to);
    else /* binary contents without a row in the table are left out */
        text_add(to, CAPTURE_UNREADABLE);
    return true;
}
