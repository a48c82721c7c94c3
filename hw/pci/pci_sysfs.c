/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads PCI functions from sysfs: first the files that everybody may read, then configuration
   space. */
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "hw/pci/pci.h"
#include "hw/sysroot/attribute.h"

struct finding {
    const struct sysroot *root; /* root, with the function's folder kept open */
    struct pci_access *access;
    /* the function's folder, a slash, and the name of the file that is read */
    char path[PROBE_FOLDER + 32];
    size_t folder; /* length of the folder's path, without the slash */
};

static const char *path_of(struct finding *s, const char *file)
{
    size_t length = strlen(file);
    memcpy(s->path + s->folder + 1, file, length + 1);
    s->path[s->folder] = '/';
    return s->path;
}

static enum fact_status pci_read_line(struct finding *s, const char *file, char *to, size_t size)
{
    return sysroot_line(s->root, path_of(s, file), to, size);
}

static bool read_number(struct finding *s, const char *file, unsigned *value)
{
    uint64_t number;
    s->path[s->folder] = '\0';
    if (!attribute_number(s->root, s->path, file, &number) || number > UINT32_MAX)
        return false;
    *value = (unsigned)number;
    return true;
}

/*
 * Reads configuration space, for PCI Express functions only. A captured file is read at once, and
 * libpci gets the bytes, because libpci would open any kind of file at that path. On a device every
 * register read takes time, so libpci reads only the needed registers from the file, after a short
 * read has shown that the file is readable.
 */
static void read_config(struct finding *s, struct pci_function *f)
{
    struct pci_bytes config;
    bool captured = s->root->prefix[0];
    memset(config.bytes, 0xff, sizeof config.bytes);
    enum fact_status status = sysroot_bytes(s->root, path_of(s, "config"), config.bytes,
                                            captured ? sizeof config.bytes : 2, &config.length);
    if (status == FACT_OK)
        pci_config_read(s->access, NULL, f, captured ? &config : NULL);
    else if (status == FACT_DENIED)
        f->registers.status = FACT_DENIED;
}

/* ---- the link ---- */

static bool read_end(struct finding *s, const char *speed_file, const char *width_file,
                     struct pci_end *end)
{
    char text[48];
    unsigned lanes;
    double speed;
    enum fact_status status = pci_read_line(s, speed_file, text, sizeof text);
    if (status == FACT_ABSENT)
        return false;
    /* A speed has the form "16.0 GT/s PCIe" or "8 GT/s"; "Unknown" and anything else is not a
       speed. */
    size_t length = strcspn(text, " ");
    bool is_speed = !strncmp(text + length, " GT/s", 5) &&
                    number_parse(text, length, &speed) == NUMBER_OK && speed > 0 && speed < 1000;
    end->gigatransfers = is_speed ? speed : 0;
    end->lanes = read_number(s, width_file, &lanes) && lanes <= 32 ? lanes : 0;
    return true;
}

/* Takes values that sysfs lacks from the registers: kernels before 5.x do not know later speeds. */
static void complete_end(struct pci_end *end, const struct pci_end *registers)
{
    if (end->gigatransfers <= 0)
        end->gigatransfers = registers->gigatransfers;
    if (!end->lanes)
        end->lanes = registers->lanes;
}

/* Reads "TOTAL_ERR_COR 12", the last line of the file. */
static enum fact_status total_of(const char *text, uint64_t *total)
{
    const char *line = strstr(text, "TOTAL_ERR");
    const char *blank = line ? strchr(line, ' ') : NULL;
    struct span number = span_trimmed(span_of(blank ? blank : ""));
    double value;
    if (number_parse(number.text, number.length, &value) != NUMBER_OK || value < 0 || value > 1e15)
        return FACT_INVALID;
    *total = (uint64_t)value;
    return FACT_OK;
}

/* ---- one function ---- */

/* Reads identity and driver from the one file that has them all (since Linux 2.6). Returns false
   when the file lacks them. A capture has a separate file for each instead. */
static bool read_uevent(struct finding *s, struct pci_function *f)
{
    char text[1024], *rest = text;
    bool has_id = false, has_class = false;
    if (s->root->watcher ||
        sysroot_all(s->root, path_of(s, "uevent"), text, sizeof text) != FACT_OK)
        return false;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        const char *at = value;
        if (!strcmp(line, "PCI_ID")) {
            has_id = pci_take_hex(&at, 4, 4, ':', &f->vendor_id) &&
                     pci_take_hex(&at, 4, 4, '\0', &f->device_id);
        } else if (!strcmp(line, "PCI_CLASS")) {
            has_class = pci_take_hex(&at, 1, 6, '\0', &f->class);
        } else if (!strcmp(line, "DRIVER")) {
            bool fits = *value && strlen(value) < sizeof f->driver;
            f->driver_status = fits ? FACT_OK : FACT_INVALID;
            snprintf(f->driver, sizeof f->driver, "%s", fits ? value : "");
        }
    }
    f->identified = has_id && has_class;
    return f->identified;
}

static void read_function(struct finding *s, struct pci_function *f)
{
    pci_read_line(s, "power_state", f->power_state, sizeof f->power_state);
    if (!read_uevent(s, f)) {
        f->identified = read_number(s, "vendor", &f->vendor_id) &&
                        read_number(s, "device", &f->device_id) && f->vendor_id <= 0xffff &&
                        f->device_id <= 0xffff;
        f->class = 0;
        read_number(s, "class", &f->class);
        f->driver_status = sysroot_link(s->root, path_of(s, "driver"), f->driver, sizeof f->driver);
    }
    read_number(s, "revision", &f->revision);
    f->is_bridge = f->class >> 8 == 0x0604 || f->class >> 8 == 0x0607;
    unsigned node;
    if (read_number(s, "numa_node", &node) && node < 1024)
        f->numa_node = (int)node;
    f->has_link_files = read_end(s, "max_link_speed", "max_link_width", &f->can);
    if (!f->has_link_files)
        return;
    /* Reading registers of a device in D3cold would wake it, which takes long. */
    if (strcmp(f->power_state, "D3cold") != 0) {
        read_end(s, "current_link_speed", "current_link_width", &f->runs);
        read_config(s, f);
        complete_end(&f->can, &f->registers.can);
        complete_end(&f->runs, &f->registers.runs);
        if (!f->runs.lanes)
            sysroot_link(s->root, path_of(s, "physfn"), f->physical, sizeof f->physical);
    }
    /* Without configuration space the kernel's own files show ASPM (5.5 and later). */
    if (f->registers.status == FACT_DENIED) {
        unsigned l0s = 0, l1 = 0;
        f->has_aspm_files = read_number(s, "link/l1_aspm", &l1);
        read_number(s, "link/l0s_aspm", &l0s);
        f->registers.aspm = (l0s ? 1U : 0U) | (l1 ? 2U : 0U);
    }
    for (int i = 0; i < PCI_ERRORS; i++) {
        char text[4096];
        enum fact_status status =
            sysroot_all(s->root, path_of(s, pci_error_files[i]), text, sizeof text);
        f->error_status[i] = status == FACT_OK ? total_of(text, &f->errors[i]) : status;
        if (status == FACT_ABSENT)
            return; /* the function has no AER */
    }
}

void pci_tree_from_sysfs(struct pci_tree *t, const struct sysroot *root)
{
    char bus[sizeof root->prefix + 16];
    struct sysroot_names names;
    struct finding s = {0};
    if (sysroot_list(root, PCI_FOLDER, &names) == FACT_OK && names.count) {
        s.access = pci_config_open(sysroot_path(root, bus, sizeof bus, "/sys/bus/pci"), NULL);
        for (size_t i = 0; i < names.count; i++) {
            struct pci_function *f = pci_tree_add(t, names.names[i]);
            if (!f)
                continue;
            /* Files are read in the folder that the link leads to: the kernel has a shorter path to
               resolve. */
            char link[sizeof PCI_FOLDER + sizeof f->name];
            sysroot_join(link, sizeof link, PCI_FOLDER, f->name);
            if (sysroot_folder(root, link, s.path, PROBE_FOLDER) != FACT_OK ||
                strncmp(s.path, "/sys/", 5) != 0)
                memcpy(s.path, link, strlen(link) + 1);
            s.folder = strlen(s.path);
            f->path = pool_copy(&t->strings, s.path, s.folder);
            struct sysroot near;
            sysroot_near_open(&near, root, f->path);
            s.root = &near;
            read_function(&s, f);
            s.root = root;
            sysroot_near_close(&near);
        }
        pci_config_close(s.access);
    }
    sysroot_names_free(&names);
}
