/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the machine's name, its board and BIOS, and its power supply. */
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "hw/machine/internal.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

#define DMI_FOLDER  "/sys/class/dmi/id"
#define DEVICE_TREE "/sys/firmware/devicetree/base"

/* Facts of the board and its BIOS, from DMI. If a file is missing, board_name and bios_version
   become absent facts; the optional facts are left out. */
static const struct attribute board_rows[] = {
    {.key = "board_vendor", .files = {"board_vendor"}, .optional = true},
    {.key = "board_name", .files = {"board_name"}},
    {.key = "board_version", .files = {"board_version"}, .optional = true},
    {.key = "bios_vendor", .files = {"bios_vendor"}, .optional = true},
    {.key = "bios_version", .files = {"bios_version"}},
    {.key = "bios_date", .files = {"bios_date"}, .optional = true},
};

static const struct attribute serial_rows[] = {
    {.key = "serial", .files = {"product_serial", "board_serial"}},
};

/* The profile that a laptop's firmware is set to: low power, balanced or performance. */
static const struct attribute profile_rows[] = {
    {.key = "platform_profile", .files = {"platform_profile"}, .optional = true},
};

/* Texts that board makers leave in fields that they do not fill in. */
static const char *const fillers[] = {
    "to be filled by o.e.m.",
    "default string",
    "system manufacturer",
    "system product name",
    "not specified",
    "not applicable",
    "unknown",
    "none",
    "o.e.m.",
    "oem",
    "n/a",
};

static bool is_filler(const char *text)
{
    struct span s = span_trimmed(span_of(text));
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (s.length == strlen(fillers[i]) && !strncasecmp(s.text, fillers[i], s.length))
            return true;
    return !s.length;
}

/* Writes vendor and name, as in "Dell Inc. PowerEdge R760". A text that only fills the field is
   left out, as if it were unknown. Returns the status of the name's file. */
static enum fact_status read_name(const struct sysroot *root, const char *vendor_file,
                                  const char *name_file, char *to, size_t size)
{
    char vendor[128], name[128];
    sysroot_line(root, vendor_file, vendor, sizeof vendor);
    enum fact_status status = sysroot_line(root, name_file, name, sizeof name);
    struct span v = span_trimmed(span_of(is_filler(vendor) ? "" : vendor));
    struct span n = span_trimmed(span_of(is_filler(name) ? "" : name));
    bool twice = n.length >= v.length && !strncasecmp(n.text, v.text, v.length);
    if (twice || !n.length)
        v.length = 0;
    snprintf(to, size, "%.*s%s%.*s", (int)v.length, v.text, v.length ? " " : "", (int)n.length,
             n.text);
    return status;
}

/* Adds the firmware's name for the machine, real or virtual; if the board has no maker, the board's
   name. */
static void add_product(struct probe *p, int top)
{
    static const char source[] = DMI_FOLDER "/product_name", board[] = DMI_FOLDER "/board_name";
    char name[260], board_name[260];
    enum fact_status status =
        read_name(p->root, DMI_FOLDER "/sys_vendor", source, name, sizeof name);
    /* Boards without DMI have a device tree, whose strings end with '\0'. */
    static const char tree[] = DEVICE_TREE "/model";
    char model[128];
    size_t length;
    if (status == FACT_ABSENT &&
        sysroot_bytes(p->root, tree, model, sizeof model - 1, &length) == FACT_OK && length) {
        model[length] = '\0';
        inventory_add(p->inventory, top, "product", model, "", tree, FACT_OK);
        return;
    }
    if (status == FACT_OK && !*name &&
        read_name(p->root, DMI_FOLDER "/board_vendor", board, board_name, sizeof board_name) ==
            FACT_OK &&
        *board_name)
        inventory_add(p->inventory, top, "product", board_name, "", board, FACT_OK);
    else
        inventory_add(p->inventory, top, "product", name, "", source, status);
}

void look_at_board(struct probe *p)
{
    int top = probe_top(p);
    add_product(p, top);
    if (p->serials)
        attributes_add(p->root, p->inventory, top, DMI_FOLDER, serial_rows,
                       ATTRIBUTE_COUNT(serial_rows));
    attributes_add(p->root, p->inventory, top, "/sys/firmware/acpi", profile_rows,
                   ATTRIBUTE_COUNT(profile_rows));
    power_add_battery(p, top);

    int board = inventory_add_node(p->inventory, NODE_BOARD, "board", NULL, top);
    for (size_t i = 0; i < ATTRIBUTE_COUNT(board_rows); i++) {
        const struct attribute *row = &board_rows[i];
        char path[128], text[128];
        snprintf(path, sizeof path, DMI_FOLDER "/%s", row->files[0]);
        /* A field that the maker left empty counts as missing. */
        bool empty = sysroot_line(p->root, path, text, sizeof text) == FACT_OK &&
                     !span_trimmed(span_of(text)).length;
        if (!empty)
            attributes_add(p->root, p->inventory, board, DMI_FOLDER, row, 1);
        else if (!row->optional)
            inventory_add(p->inventory, board, row->key, "", "", path, FACT_ABSENT);
    }
}
