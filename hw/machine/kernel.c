/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the kernel, its command line, and the hypervisor that the machine runs on. */
#include <stdio.h>
#include <string.h>

#include "hw/capture/capture_mask.h"
#include "hw/capture/command_line.h"
#include "hw/machine/cpu_list.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

#define COMMAND_LINE_MAX 4200 /* buffer size; the kernel's own limit is 4096 on most machines */

static const struct attribute kernel_rows[] = {
    {.key = "kernel", .files = {"proc/sys/kernel/osrelease"}},
    {.key = "kernel_version", .files = {"proc/sys/kernel/version"}},
};

static const struct attribute clock_rows[] = {
    {.key = "clocksource",
     .files = {"sys/devices/system/clocksource/clocksource0/current_clocksource"}},
    {.key = "lockdown",
     .kind = ATTRIBUTE_CHOICE,
     .files = {"sys/kernel/security/lockdown"},
     .optional = true},
};

/* Names in the firmware of virtual machines. Some vendors use the same names for real machines;
   those count only if the processor reports a hypervisor. */
static const struct {
    const char *vendor, *name;
    bool always_virtual;
} virtual_vendors[] = {
    {"QEMU", "QEMU", true},
    {"VMware, Inc.", "VMware", true},
    {"innotek GmbH", "VirtualBox", true},
    {"Parallels Software International Inc.", "Parallels", true},
    {"Xen", "Xen", true},
    {"OpenStack Foundation", "OpenStack", true},
    {"Microsoft Corporation", "Hyper-V", false},
    {"Amazon EC2", "Amazon EC2", false},
    {"Google", "Google Compute Engine", false},
    {"Red Hat", "KVM", false},
};

#define VENDOR_FILE "/sys/class/dmi/id/sys_vendor"

/* Returns the hypervisor's name according to the firmware's vendor, or NULL. */
static const char *name_by_vendor(const struct sysroot *root, bool known_virtual)
{
    char vendor[64];
    if (sysroot_line(root, VENDOR_FILE, vendor, sizeof vendor) != FACT_OK)
        return NULL;
    for (size_t i = 0; i < sizeof virtual_vendors / sizeof *virtual_vendors; i++)
        if (!strcmp(vendor, virtual_vendors[i].vendor) &&
            (known_virtual || virtual_vendors[i].always_virtual))
            return virtual_vendors[i].name;
    return NULL;
}

/* Reads the hypervisor of guests on ARM and POWER: "linux,kvm", ended by '\0'. */
static bool read_device_tree(const struct sysroot *root, const char *source, char *to, size_t size)
{
    size_t length;
    if (sysroot_bytes(root, source, to, size - 1, &length) != FACT_OK)
        return false;
    to[length] = '\0';
    return *to;
}

static void add_hypervisor(struct probe *p, int node)
{
    static const char type_file[] = "/sys/hypervisor/type";
    static const char tree_file[] = "/sys/firmware/devicetree/base/hypervisor/compatible";
    char type[64];
    struct cpuinfo info;
    struct inventory *v = p->inventory;
    enum fact_status status = sysroot_line(p->root, type_file, type, sizeof type);
    if (status == FACT_OK) {
        inventory_add(v, node, "hypervisor", type, "", type_file, status);
        return;
    }
    cpuinfo_read_first(p->root, &info);
    const char *vendor = name_by_vendor(p->root, info.hypervisor);
    if (vendor)
        inventory_add(v, node, "hypervisor", vendor, "", VENDOR_FILE, FACT_OK);
    else if (info.shows_hypervisor)
        inventory_add(v, node, "hypervisor", info.hypervisor ? "yes" : "none", "", "/proc/cpuinfo",
                      FACT_OK);
    else if (read_device_tree(p->root, tree_file, type, sizeof type))
        inventory_add(v, node, "hypervisor", type, "", tree_file, FACT_OK);
    else
        inventory_add(v, node, "hypervisor", "", "", type_file, status);
}

void look_at_kernel(struct probe *p)
{
    int top = probe_top(p);
    add_hypervisor(p, top);
    int kernel = inventory_add_node(p->inventory, NODE_KERNEL, "kernel", NULL, top);
    attributes_add(p->root, p->inventory, kernel, "", kernel_rows, ATTRIBUTE_COUNT(kernel_rows));
    /* Hides private parts as a capture does, so that both show the same. */
    static const char file[] = "/proc/cmdline";
    char line[COMMAND_LINE_MAX];
    struct capture_mask mask = {0};
    struct text shown = {0};
    enum fact_status status = sysroot_line(p->root, file, line, sizeof line);
    if (p->serials) {
        text_add(&shown, line);
    } else {
        mask_take_host(&mask, p->root);
        command_line_hide(span_of(line), mask.host, &shown);
    }
    if (status == FACT_OK && !shown.length)
        status = FACT_INVALID;
    inventory_add(p->inventory, kernel, "kernel_command_line", shown.data ? shown.data : "", "",
                  file, status);
    text_free(&shown);
    attributes_add(p->root, p->inventory, kernel, "", clock_rows, ATTRIBUTE_COUNT(clock_rows));
}
